/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_ROLE_H
#define _SCATTER_ROLE_H

struct scatter_call;

int scatter_role_play(struct scatter_call *call);

#endif /* _SCATTER_ROLE_H */
