/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_OFFER_H
#define _SCATTER_OFFER_H

#include <linux/types.h>

struct scatter_connection;

bool scatter_offer_got_locked(struct scatter_connection *connection, const void *data, u32 bytes);
void scatter_offer_again_locked(struct scatter_connection *connection);

#endif /* _SCATTER_OFFER_H */
