/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MEASURE_H
#define _SCATTER_MEASURE_H

int scatter_measure(void);

#endif /* _SCATTER_MEASURE_H */
