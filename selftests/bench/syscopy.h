/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_SYSCOPY_H
#define BENCH_SYSCOPY_H

double kernel_copy_ratio(void);

#endif /* BENCH_SYSCOPY_H */
