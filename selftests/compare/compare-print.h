/* SPDX-License-Identifier: GPL-2.0 */
/* What rvtrace-compare found, for people and as JSON. */
#ifndef RVTRACE_COMPARE_PRINT_H
#define RVTRACE_COMPARE_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

#include <rvtrace/flow.h>

#include "selftests/compare/compare-core.h"
#include "selftests/compare/compare-flow.h"

/**
 * struct compare_report - printing of one comparison
 * @json: the JSON, printed at the end, NULL: lines
 * @harts: array in @json
 * @decoded: sum of the harts, as of struct compare_result all that follow
 * @mismatches: and errors of the decoder
 * @no_image: sum
 * @gaps: sum
 * @stretches: sum
 * @truth: sum
 * @placed: sum
 * @threaded: sum
 * @unknown: sum
 * @announced: sum
 */
struct compare_report {
	struct json_object *json;
	struct json_object *harts;
	uint64_t decoded;
	uint64_t mismatches;
	uint64_t no_image;
	uint64_t gaps;
	uint64_t stretches;
	uint64_t truth;
	uint64_t placed;
	uint64_t threaded;
	uint64_t unknown;
	uint64_t announced;
};

/**
 * compare_report_begin() - what is printed before the first hart
 * @report: filled
 * @json: print JSON
 * @lost_bytes: lost of the trace
 */
void compare_report_begin(struct compare_report *report, bool json, uint64_t lost_bytes);

/**
 * compare_report_hart() - the numbers of a hart; what is wrong of it goes to stderr
 * @report: begun
 * @hart: the hart
 * @result: of its comparison
 */
void compare_report_hart(struct compare_report *report, const struct compare_traced *hart,
			 const struct compare_result *result);

/**
 * compare_report_end() - what is printed after the last hart
 * @report: begun; nothing may be done with it afterwards
 * @good: everything is accounted for
 * @lost_bytes: lost of the trace
 */
void compare_report_end(struct compare_report *report, bool good, uint64_t lost_bytes);

/**
 * compare_print_error() - print what the decoder found wrong, to stderr
 * @item: RVTRACE_FLOW_ERROR
 */
void compare_print_error(const struct rvtrace_flow_item *item);

#endif /* RVTRACE_COMPARE_PRINT_H */
