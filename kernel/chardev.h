/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CHARDEV_H
#define _SCATTER_CHARDEV_H

#include <linux/fs.h>

struct scatter_join;
struct scatter_schedule;

extern const struct file_operations scatter_fops;

bool scatter_chardev_knows(const struct scatter_schedule *schedule);
int scatter_chardev_check_join(const struct scatter_join *join);
int scatter_chardev_register(void);
void scatter_chardev_unregister(void);

#endif /* _SCATTER_CHARDEV_H */
