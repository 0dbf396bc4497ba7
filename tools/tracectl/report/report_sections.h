/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl report: tables of calls, as text. */
#ifndef RVTRACE_TRACECTL_REPORT_SECTIONS_H
#define RVTRACE_TRACECTL_REPORT_SECTIONS_H

#include <stdio.h>

#include "report_calls.h"

/* What functions are ordered by; the highest comes first. */
enum report_sort {
	REPORT_SORT_SELF,
	REPORT_SORT_CPU,
	REPORT_SORT_TOTAL,
	REPORT_SORT_CALLS,
	REPORT_SORT_WORST,
	REPORT_SORT_INSTRUCTIONS,
};

/* Ids of the functions that executed, in order, @count of them; free() it. NULL: no memory */
uint32_t *report_sorted(const struct report_calls *c, enum report_sort sort, uint32_t *count);

void report_functions(FILE *file, const struct view *view, const struct report_calls *c,
		      enum report_sort sort);
void report_kinds(FILE *file, const struct view *view, struct report_kinds *kinds,
		  const char *title);
void report_cpus(FILE *file, const struct view *view, const struct report_calls *c);
void report_print_tree(FILE *file, const struct view *view, struct report_tree *tree);

#endif /* RVTRACE_TRACECTL_REPORT_SECTIONS_H */
