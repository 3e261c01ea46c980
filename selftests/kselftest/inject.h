/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fault injection by the kernel: the nth allocation or user copy of a thread
 * from now on fails. Only on kernels that have /proc/thread-self/fail-nth. With
 * $KSELFTEST_VERBOSE the kernel logs a backtrace for each.
 */
#ifndef _KSELFTEST_INJECT_H
#define _KSELFTEST_INJECT_H

#include <stdbool.h>

#define FAIL_NTH	"/proc/thread-self/fail-nth"

bool inject_set_up(void);
bool inject_not_below(const char *function);
int inject_arm(unsigned int nth);
bool inject_disarm(int fd);

/*
 * for (nth = 0; inject_next(&nth, came);) tries every point until one does not
 * come, or only that of $KSELFTEST_POINT. Then inject_swept() says how many there
 * were, about if inject_skips() has left some out.
 */
bool inject_next(unsigned int *nth, bool came);
bool inject_skips(unsigned int nth);
bool inject_swept(unsigned int nth, bool came, const char *what);

#endif /* _KSELFTEST_INJECT_H */
