/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MOURN_H
#define _SCATTER_MOURN_H

#include <linux/types.h>

struct scatter_connection;

void scatter_mourn_bury_locked(struct scatter_connection *connection);
bool scatter_mourn_locked(struct scatter_connection *connection, unsigned long *deadline);

#endif /* _SCATTER_MOURN_H */
