/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stddef.h>

#include "cell.h"
#include "options.h"

/**
 * struct late - CPU time of those who waited for a late root
 * @ranks: size of the groups
 * @seconds: of all waiters of a contender; NAN: did not take part
 */
struct late {
	uint32_t ranks;
	double seconds[CONTENDERS];
};

const char *op_name(enum op op);
void report_cells(const struct cell *cells, size_t count,
		  const struct options *options);
void report_late(const struct late *late, size_t count,
		 const struct options *options);
void report_summary(const struct cell *cells, size_t count,
		    const struct options *options);
int report_write(const struct cell *cells, size_t cell_count,
		 const struct late *late, size_t late_count,
		 const struct options *options);

#endif /* BENCH_REPORT_H */
