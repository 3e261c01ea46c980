/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How fast this machine is now. The times in the tests are meant for an idle emulated
 * debug kernel, and longer where a test program finds the machine slower than that.
 */
#ifndef _KSELFTEST_PACE_H
#define _KSELFTEST_PACE_H

/* How long to wait for what must come. */
#define PATIENCE_MS	20000U
/* How long to watch for what must not come. */
#define GLIMPSE_MS	150U

void pace_measure(void);
unsigned int paced_ms(unsigned int ms);
unsigned int patient_ms(unsigned int ms);

#endif /* _KSELFTEST_PACE_H */
