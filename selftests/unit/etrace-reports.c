// SPDX-License-Identifier: GPL-2.0
/* What the ends of packets of formats 0, 1 and 2 say. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "selftests/unit/etrace-reports.h"

/* Return: REPORTS if it has none. */
static unsigned int format_of(const struct rvtrace_etrace_te_inst *inst)
{
	switch (inst->format) {
	case RVTRACE_ETRACE_OPT_EXT:
		if (inst->subformat == RVTRACE_ETRACE_JUMP_TARGET_INDEX)
			return REPORT_INDEX;
		return inst->has_address ? REPORT_COUNT : REPORTS;
	case RVTRACE_ETRACE_DIFF_DELTA:
		return inst->has_address ? REPORT_DELTA : REPORTS;
	case RVTRACE_ETRACE_ADDR_ONLY:
		return REPORT_ADDRESS;
	}
	return REPORTS;
}

void etrace_reports_add(struct etrace_reports *reports, const struct rvtrace_etrace_params *params,
			const uint8_t *stream, size_t size)
{
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;

	assert_int_equal(rvtrace_etrace_new(params, &reader), 0);
	assert_int_equal(rvtrace_etrace_feed(reader, stream, size), 0);
	while (rvtrace_etrace_next(reader, &packet) == 1) {
		const struct rvtrace_etrace_te_inst *inst = &packet.inst;
		unsigned int format = format_of(inst);

		if (packet.kind == RVTRACE_ETRACE_TE_INST && format < REPORTS)
			reports->count[format][inst->is_notify][inst->is_updiscon]
				      [inst->is_irreport]++;
	}
	rvtrace_etrace_free(reader);
}
