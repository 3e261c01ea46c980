/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_INBOX_H
#define _SCATTER_INBOX_H

struct scatter_client;

extern const struct scatter_client scatter_inbox_client;

#endif /* _SCATTER_INBOX_H */
