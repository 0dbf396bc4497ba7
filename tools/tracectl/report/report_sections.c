// SPDX-License-Identifier: GPL-2.0
/* tracectl report: tables of functions, system calls, interrupts and CPUs, and trees of callees. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tracectl/moments.h"
#include "report.h"
#include "report_calls.h"
#include "report_sections.h"

#define TOP_FUNCTIONS	15	/* lines, unless more is asked for */
#define TOP_KINDS	12
#define TREE_SHARE	100	/* of a tree, callees that took less than one in so many are not shown */

static uint64_t key_of(const struct report_calls_of *of, enum report_sort sort)
{
	switch (sort) {
	case REPORT_SORT_TOTAL:
		return of->total.best;
	case REPORT_SORT_CPU:
		return of->cpu.best;
	case REPORT_SORT_CALLS:
		return of->calls;
	case REPORT_SORT_WORST:
		return of->worst.best;
	case REPORT_SORT_INSTRUCTIONS:
		return of->self_instructions;
	default:
		return of->self.best;
	}
}

struct sorting {
	const struct report_calls_of *functions;
	enum report_sort sort;
};

static int by_key(const void *a, const void *b, void *data)
{
	const struct sorting *s = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t kx = key_of(&s->functions[x], s->sort), ky = key_of(&s->functions[y], s->sort);

	if (kx == ky) {
		kx = s->functions[x].self_instructions;
		ky = s->functions[y].self_instructions;
	}
	return kx != ky ? (kx < ky ? 1 : -1) : (x > y) - (x < y);
}

uint32_t *report_sorted(const struct report_calls *c, enum report_sort sort, uint32_t *count)
{
	struct sorting sorting = { .functions = c->functions, .sort = sort };
	uint32_t *ids = calloc(c->function_room + 1, sizeof(*ids));

	*count = 0;
	for (uint32_t id = 1; ids && id < c->function_room; id++)
		if (c->functions[id].calls || c->functions[id].self_instructions)
			ids[(*count)++] = id;
	if (ids)
		qsort_r(ids, *count, sizeof(*ids), by_key, &sorting);
	return ids;
}

static void heading(FILE *file, const char *text)
{
	fprintf(file, global.color ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

/* "-" without times. */
static const char *span_text(const struct view *view, const struct rvtrace_call_span *span,
			     bool known, char *text)
{
	return known ? view_span_short(view, span, true, text) : strcpy(text, "-");
}

/* The longest call. */
static const char *worst_text(const struct view *view, const struct report_calls_of *of, char *text)
{
	return of->timed && of->calls ? view_span_short(view, &of->worst, false, text) :
					strcpy(text, "-");
}

/* The same of an amount of which the limits are not kept. */
static const char *amount(const struct view *view, uint64_t ticks, bool known, char *text)
{
	const struct rvtrace_call_span span = { ticks, ticks, ticks };

	return span_text(view, &span, known, text);
}

static void put_function(FILE *file, const struct view_function *f)
{
	if (!f || !f->name) {
		fputs("? (code without a name)\n", file);
		return;
	}
	if (global.color && f->named)
		fputs(f->module ? "\033[35m" : f->kernel ? "\033[36m" : "\033[32m", file);
	put_visible(file, f->named ? f->name : "?");
	if (global.color && f->named)
		fputs("\033[0m", file);
	/* a module has brackets of its own */
	fputs(f->module && f->file ? " " : " (", file);
	put_visible(file, !f->named ? f->name : f->file ? f->file : "kernel");
	fputs(f->module && f->file ? "\n" : ")\n", file);
}

void report_functions(FILE *file, const struct view *view, const struct report_calls *c,
		      enum report_sort sort)
{
	uint32_t count, *ids = report_sorted(c, sort, &count), shown;
	char times[3][VIEW_SPAN];

	heading(file, "    SELF    TOTAL    WORST     CALLS INSTRUCTIONS  FUNCTION");
	shown = global.verbose || count < TOP_FUNCTIONS ? count : TOP_FUNCTIONS;
	for (uint32_t i = 0; ids && i < shown; i++) {
		const struct report_calls_of *of = &c->functions[ids[i]];

		fprintf(file, "%8s %8s %8s %9" PRIu64 " %12" PRIu64 "  ",
			span_text(view, &of->self, of->total.most, times[0]),
			span_text(view, &of->total, of->total.most, times[1]),
			worst_text(view, of, times[2]), of->calls,
			of->self_instructions);
		put_function(file, view_function(view, ids[i]));
	}
	if (shown < count)
		fprintf(file, "%51s%" PRIu32 " more (-v shows them)\n", "", count - shown);
	free(ids);
}

static int by_total(const void *a, const void *b)
{
	const struct report_kind *x = a, *y = b;

	if (x->calls.total.best != y->calls.total.best)
		return x->calls.total.best < y->calls.total.best ? 1 : -1;
	return (x->calls.calls < y->calls.calls) - (x->calls.calls > y->calls.calls);
}

/* As --time takes it. */
static const char *moment(const struct view *view, const struct rvtrace_call_time *at, char *text)
{
	const struct trace_input *in = &view->decode->input;

	if (in->timestamp_hz)
		snprintf(text, 32, "%.6f", (int64_t)(view_time(view, at->best) -
			 (input_knows_clock(in) ? in->start : 0)) / 1e9);
	else
		snprintf(text, 32, "%" PRIu64, view_time(view, at->best));
	return text;
}

static void print_lane(FILE *file, const struct view *view, uint32_t number)
{
	const struct view_lane *lane = view_lane(view, number);
	char name[NAME_SIZE];

	if (lane && lane->tid > 0)
		fprintf(file, " in %s/%d", *lane->comm ?
			printable(lane->comm, name, sizeof(name)) : "?", lane->tid);
	else if (lane)
		fprintf(file, " on hart %" PRIu64, lane->hart);
}

void report_kinds(FILE *file, const struct view *view, struct report_kinds *kinds,
		  const char *title)
{
	size_t shown = global.verbose || kinds->count < TOP_KINDS ? kinds->count : TOP_KINDS;
	char text[128], times[3][VIEW_SPAN], at[32];

	if (!kinds->count)
		return;
	qsort(kinds->list, kinds->count, sizeof(*kinds->list), by_total);
	snprintf(text, sizeof(text), "    COUNT    TOTAL      CPU    WORST           AT  %s", title);
	heading(file, text);
	for (size_t i = 0; i < shown; i++) {
		const struct report_calls_of *of = &kinds->list[i].calls;

		fprintf(file, "%9" PRIu64 " %8s %8s %8s ", of->calls,
			span_text(view, &of->total, of->total.most, times[0]),
			span_text(view, &of->cpu, of->total.most, times[1]),
			worst_text(view, of, times[2]));
		fprintf(file, "%12s  ", of->timed ? moment(view, &of->worst_at, at) : "-");
		put_visible(file, kinds->list[i].name);
		if (of->timed && global.verbose)
			print_lane(file, view, of->worst_lane);
		fputc('\n', file);
	}
	if (shown < kinds->count)
		fprintf(file, "%50s%zu more (-v shows them)\n", "", kinds->count - shown);
}

static int by_hart(const void *a, const void *b)
{
	const struct report_cpu *x = a, *y = b;

	return (x->hart > y->hart) - (x->hart < y->hart);
}

void report_cpus(FILE *file, const struct view *view, const struct report_calls *c)
{
	char times[3][VIEW_SPAN];

	if (!c->cpu_count || !view->decode->input.timestamp_hz)
		return;
	qsort(c->cpus, c->cpu_count, sizeof(*c->cpus), by_hart);
	heading(file, "  HART       BUSY       IDLE  OF BOTH, IN INTERRUPTS");
	for (size_t i = 0; i < c->cpu_count; i++)
		if (c->cpus[i].busy || c->cpus[i].idle)
			fprintf(file, "%6" PRIu64 " %10s %10s  %10s\n", c->cpus[i].hart,
			amount(view, c->cpus[i].busy, true, times[0]),
			amount(view, c->cpus[i].idle, true, times[1]),
			amount(view, c->cpus[i].interrupts, true, times[2]));
}

static void print_node(FILE *file, const struct view *view, const struct report_node *node,
		       unsigned int depth, uint64_t least, bool many)
{
	const struct report_node *child;
	bool interrupt = node->label.kind == RVTRACE_CALL_TRAP &&
			 node->label.trap == RVTRACE_TRAP_INTERRUPT;
	char text[256], times[2][VIEW_SPAN];
	uint64_t hidden = 0, hidden_total = 0;

	fprintf(file, "%10s %10s ", amount(view, node->total, node->total, times[0]),
		amount(view, node->cpu, node->cpu, times[1]));
	if (many)
		fprintf(file, "%9" PRIu64 " ", node->calls);
	fprintf(file, " %*s", 2 * (int)depth, "");
	put_visible(file, report_label_name(view, &node->label, text, sizeof(text)));
	if (!many && node->calls > 1)
		fprintf(file, " x%" PRIu64, node->calls);
	fputc('\n', file);
	/* what interrupts did is not the function's */
	if (interrupt && !global.verbose)
		return;
	for (child = node->child; child; child = child->next) {
		if (child->total >= least || global.verbose) {
			print_node(file, view, child, depth + 1, least, many);
			continue;
		}
		hidden += child->calls;
		hidden_total += child->total;
	}
	if (hidden)
		fprintf(file, "%10s %10s %s%*s(%" PRIu64 " shorter call%s; -v shows %s)\n",
			amount(view, hidden_total, hidden_total, times[0]), "",
			many ? "          " : "", 2 * (int)depth + 3, "", hidden,
			hidden == 1 ? "" : "s", hidden == 1 ? "it" : "them");
}

static void print_slowest(FILE *file, const struct view *view, struct report_tree *tree)
{
	char text[256], span[VIEW_SPAN], at[32];

	fprintf(file, "\nslowest: %s at %s", view_span_text(view, &tree->span, span),
		moment(view, &tree->at, at));
	print_lane(file, view, tree->lane);
	fputs("\npath:    ", file);
	for (size_t i = 0; i < tree->path_count; i++) {
		fputs(i ? " > " : "", file);
		put_visible(file, report_label_name(view, &tree->path[i], text, sizeof(text)));
	}
	fputs(tree->path_count ? "\n" : "-\n", file);
	heading(file, "     TOTAL        CPU   CALLEE");
	report_tree_sort(tree->slowest);
	print_node(file, view, tree->slowest, 0, tree->slowest->total / TREE_SHARE, false);
}

void report_print_tree(FILE *file, const struct view *view, struct report_tree *tree)
{
	struct report_node *node;

	report_tree_sort(&tree->all);
	if (!tree->all.child) {
		fputs("\nno function of this name executed\n", file);
		return;
	}
	heading(file, "     TOTAL        CPU     CALLS   FUNCTION AND CALLEES");
	for (node = tree->all.child; node; node = node->next)
		print_node(file, view, node, 0, node->total / TREE_SHARE, true);
	if (tree->slowest)
		print_slowest(file, view, tree);
}
