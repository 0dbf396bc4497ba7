/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl report: calls in JSON. */
#ifndef RVTRACE_TRACECTL_REPORT_JSON_H
#define RVTRACE_TRACECTL_REPORT_JSON_H

#include "report_sections.h"

struct json_object;

/* Adds members to the report's object. */
void report_json(struct json_object *all, const struct view *view, struct report_calls *c,
		 enum report_sort sort);

#endif /* RVTRACE_TRACECTL_REPORT_JSON_H */
