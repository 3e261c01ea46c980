/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PERFORM_H
#define _SCATTER_PERFORM_H

#include <linux/types.h>

struct scatter_call;
struct scatter_member;
struct scatter_spec;

void scatter_perform_limit(struct scatter_call *call, u64 deadline_ns, bool relative);
int scatter_perform_check(const struct scatter_member *member, u64 number);
int scatter_perform(struct scatter_call *call, const struct scatter_spec *spec);

#endif /* _SCATTER_PERFORM_H */
