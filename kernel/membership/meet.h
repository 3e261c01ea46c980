/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MEET_H
#define _SCATTER_MEET_H

#include <linux/types.h>

struct scatter_agree;
struct scatter_applicant;
struct scatter_get_failed;
struct scatter_member;
struct scatter_verdict;

int scatter_meet_run(struct scatter_member *member, u32 op,
		     struct scatter_applicant *applicant, u64 deadline_ns,
		     struct scatter_verdict *verdict);
int scatter_meet_agree(struct scatter_member *member,
		       struct scatter_agree *agree);
u32 scatter_meet_acknowledge(struct scatter_member *member, const u64 *failed);
void scatter_meet_get_failed(struct scatter_member *member,
			     struct scatter_get_failed *get, u64 *failed);

#endif /* _SCATTER_MEET_H */
