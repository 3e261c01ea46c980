/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a worker whose pages are absent: whoever comes to one waits until the fault is
 * served, by userfaultfd.
 */
#ifndef _KSELFTEST_ABSENT_H
#define _KSELFTEST_ABSENT_H

#include "crew.h"

/* Of a worker: where its page faults can be read. */
extern int absent_faults;

int absent_map(void *at, size_t bytes, int flags);
task_fn task_await_fault;

#endif /* _KSELFTEST_ABSENT_H */
