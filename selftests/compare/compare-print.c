// SPDX-License-Identifier: GPL-2.0
/* What rvtrace-compare found: see compare-print.h. */
#include <inttypes.h>
#include <stdio.h>

#include <rvtrace/error.h>

#include "selftests/compare/compare-print.h"

static void print_flow_around(const struct compare_flow *flow, size_t item)
{
	size_t i = item > 8 ? item - 8 : 0;

	for (; i < item + 4 && i < flow->count; i++) {
		uint64_t x = flow->items[i];

		if (flow_is_event(x))
			fprintf(stderr, "    %s event %d, %" PRIu64 "\n", i == item ? ">" : " ",
				flow_kind(x), flow_argument(x));
		else
			fprintf(stderr, "    %s 0x%" PRIx64 " %c\n", i == item ? ">" : " ",
				flow_pc(x), "US?M"[flow_priv(x)]);
	}
}

static void print_mismatches(const struct compare_traced *hart, const struct compare_result *result)
{
	unsigned int i;

	for (i = 0; i < result->shown_count; i++) {
		const struct compare_mismatch *m = &result->shown[i];

		fprintf(stderr, "hart %" PRIu64 ": instruction %" PRIu64
			" of the window, trace offset %" PRIu64 ": %s\n"
			"  executed: 0x%" PRIx64 " %c; decoded:\n", hart->id, m->index,
			m->offset, m->what, m->truth_pc, "US?M"[m->truth_priv & 3]);
		print_flow_around(&hart->flow, m->item);
	}
}

static double bits(const struct compare_traced *hart)
{
	return hart->instructions ? 8.0 * hart->bytes / hart->instructions : 0;
}

static struct json_object *hart_json(const struct compare_traced *hart,
				     const struct compare_result *r)
{
	struct json_object *o = json_object_new_object();

#define ADD(name, value) json_object_object_add(o, name, json_object_new_int64(value))
	ADD("hart", hart->id);
	ADD("trace_bytes", hart->bytes);
	json_object_object_add(o, "bits_per_instruction", json_object_new_double(bits(hart)));
	ADD("windows", r->windows);
	ADD("windows_found", r->opened);
	ADD("executed", r->truth);
	ADD("decoded", r->decoded);
	ADD("without_image", r->no_image);
	ADD("jit", r->jit);
	ADD("passed", r->passed);
	ADD("placed", r->placed);
	ADD("threaded", r->threaded);
	ADD("without_thread", r->unknown);
	ADD("announced", r->announced);
	ADD("lost", r->lost);
	ADD("losses", r->losses);
	ADD("in_gaps", r->gaps);
	ADD("gaps", r->stretches);
	ADD("errors", hart->errors);
	ADD("unaccounted", r->unaccounted);
	ADD("mismatches", r->mismatches);
#undef ADD
	return o;
}

static void print_header(void)
{
	printf("%4s %12s %9s %13s %13s %11s %11s %11s %11s %10s\n", "hart", "trace bytes",
	       "bits/insn", "executed", "decoded", "no image", "JIT", "lost", "unaccounted",
	       "mismatches");
}

static void print_hart(const struct compare_traced *hart, const struct compare_result *r)
{
	printf("%4" PRIu64 " %12" PRIu64 " %9.3f %13" PRIu64 " %13" PRIu64 " %11" PRIu64 " %11"
	       PRIu64 " %11" PRIu64 " %11" PRIu64 " %10" PRIu64 "\n", hart->id, hart->bytes,
	       bits(hart), r->truth, r->decoded, r->no_image, r->jit, r->lost, r->unaccounted,
	       r->mismatches);
	fflush(stdout);
}

void compare_report_begin(struct compare_report *report, bool json, uint64_t lost_bytes)
{
	*report = (struct compare_report) { };
	if (!json) {
		print_header();
		return;
	}
	report->json = json_object_new_object();
	report->harts = json_object_new_array();
	json_object_object_add(report->json, "schema", json_object_new_int(1));
	json_object_object_add(report->json, "lost_bytes", json_object_new_int64(lost_bytes));
	json_object_object_add(report->json, "harts", report->harts);
}

void compare_report_hart(struct compare_report *report, const struct compare_traced *hart,
			 const struct compare_result *result)
{
	if (report->json)
		json_object_array_add(report->harts, hart_json(hart, result));
	else
		print_hart(hart, result);
	if (result->opened < result->windows || !result->windows)
		fprintf(stderr, "hart %" PRIu64 ": %" PRIu64 " of %" PRIu64
			" windows found\n", hart->id, result->opened, result->windows);
	print_mismatches(hart, result);
	report->decoded += result->decoded;
	report->mismatches += result->mismatches + hart->errors;
	report->no_image += result->no_image;
	report->gaps += result->gaps;
	report->stretches += result->stretches;
	report->truth += result->truth;
	report->placed += result->placed;
	report->threaded += result->threaded;
	report->unknown += result->unknown;
	report->announced += result->announced;
}

void compare_report_end(struct compare_report *report, bool good, uint64_t lost_bytes)
{
	if (!report->json) {
		if (report->stretches)
			printf("in gaps: %" PRIu64 " instructions of %" PRIu64
			       " stretches of unknown flow, %.4f %% of what executed\n",
			       report->gaps, report->stretches,
			       100.0 * report->gaps / report->truth);
		printf("user instructions whose process was checked %" PRIu64
		       ", processes that announced themselves %" PRIu64
		       ", instructions whose thread was checked %" PRIu64
		       " and that may have none %" PRIu64 "\n"
		       "instructions decoded %" PRIu64 ", trace bytes lost %" PRIu64
		       ", mismatches %" PRIu64 "\n", report->placed, report->announced, report->threaded,
		       report->unknown, report->decoded, lost_bytes, report->mismatches);
		return;
	}
	json_object_object_add(report->json, "good", json_object_new_boolean(good));
	puts(json_object_to_json_string_ext(report->json, JSON_C_TO_STRING_PRETTY));
	json_object_put(report->json);
}

void compare_print_error(const struct rvtrace_flow_item *item)
{
	fprintf(stderr, "first error of the decoder: source %u, offset %" PRIu64
		": %s, address 0x%" PRIx64 ", TCODE %u\n", item->source, item->offset,
		rvtrace_strerror(item->error.code), item->address, item->error.tcode);
}
