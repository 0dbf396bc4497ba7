/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl report: what the user asks for. */
#ifndef RVTRACE_TRACECTL_REPORT_OPTIONS_H
#define RVTRACE_TRACECTL_REPORT_OPTIONS_H

#include "report.h"
#include "report_calls.h"
#include "report_sections.h"

/**
 * struct report_options - a run of the verb
 * @scene: who was there, and who of them is shown
 * @calls: what is counted of calls
 * @function: a pattern of names whose callees are shown, or NULL
 * @sort: order of functions
 */
struct report_options {
	struct report_scene scene;
	struct report_calls calls;
	const char *function;
	enum report_sort sort;
};

extern struct report_options report_options;

#endif /* RVTRACE_TRACECTL_REPORT_OPTIONS_H */
