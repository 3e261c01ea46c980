/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's harness, with time enough for an emulated debug kernel. */
#ifndef _KSELFTEST_HARNESS_H
#define _KSELFTEST_HARNESS_H

#include <kselftest_harness.h>

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	120

#endif /* _KSELFTEST_HARNESS_H */
