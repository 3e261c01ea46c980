/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CHARDEV_H
#define _SCATTER_CHARDEV_H

int scatter_chardev_register(void);
void scatter_chardev_unregister(void);

#endif /* _SCATTER_CHARDEV_H */
