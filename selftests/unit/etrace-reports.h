/* SPDX-License-Identifier: GPL-2.0 */
/* What the ends of packets of formats 0, 1 and 2 say: which combinations were there. */
#ifndef RVTRACE_SELFTESTS_ETRACE_REPORTS_H
#define RVTRACE_SELFTESTS_ETRACE_REPORTS_H

#include <stddef.h>
#include <stdint.h>

#include <rvtrace/etrace.h>

enum etrace_report_format { REPORT_COUNT, REPORT_INDEX, REPORT_DELTA, REPORT_ADDRESS, REPORTS };

/* By format, is_notify, is_updiscon and is_irreport */
struct etrace_reports {
	uint64_t count[REPORTS][2][2][2];
};

/* Add what is in a stream. */
void etrace_reports_add(struct etrace_reports *reports, const struct rvtrace_etrace_params *params,
			const uint8_t *stream, size_t size);

#endif /* RVTRACE_SELFTESTS_ETRACE_REPORTS_H */
