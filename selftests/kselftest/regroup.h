/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Crews that join by a group descriptor, make new groups of theirs, and agree.
 */
#ifndef _KSELFTEST_REGROUP_H
#define _KSELFTEST_REGROUP_H

#include <limits.h>

#include "crew.h"

/* For crew_regroup_fails(): all name one rank, whichever. */
#define SAME_CULPRIT	INT_MIN

/* All of a REGROUP but what a test is about; op_of(SCATTER_OP_DUP) is complete. */
struct scatter_regroup regroup_of(__u32 op);

int group_create(unsigned int members);
int join_by(int group, int rank);
int descriptor_borrow(pid_t pid, int fd);
int worker_borrow(struct worker *worker);

task_fn task_join_by;
task_fn task_regroup;
task_fn task_adopt;
task_fn task_abandon;
task_fn task_agree;
task_fn task_get_failed;
task_fn task_revoke;
task_fn task_descriptor;

bool crew_join_by(struct crew *crew, int group);
bool crew_form_by(struct crew *crew, int group, unsigned int size);
void crew_regroup_start(struct crew *crew, __u64 ranks,
			const struct scatter_regroup *regroup);
bool crew_regroup_fails(struct crew *crew, __u64 ranks, int error, int culprit);
bool crew_sleeps_in(struct crew *crew, __u64 ranks, unsigned int request);
bool crew_shrink(struct crew *crew, __u64 ranks);
bool crew_adopt(struct crew *crew, __u64 ranks);
void crew_agree_start(struct crew *crew, __u64 ranks, const __u64 *values);
bool crew_agrees(struct crew *crew, __u64 ranks, int error, __u64 value,
		 unsigned int gone, int culprit);
bool crew_acknowledges(struct crew *crew, __u64 ranks, unsigned int count);

#endif /* _KSELFTEST_REGROUP_H */
