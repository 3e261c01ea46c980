/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MEASURE_H
#define _SCATTER_MEASURE_H

void scatter_measure(unsigned int *startup_ns, unsigned int *gap_ns);

#endif /* _SCATTER_MEASURE_H */
