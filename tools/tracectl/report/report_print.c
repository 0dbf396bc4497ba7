// SPDX-License-Identifier: GPL-2.0
/* tracectl report: what it prints. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/tracectl/views/views_run.h"
#include "report.h"
#include "report_json.h"
#include "report_options.h"

#define TOP_THREADS	12	/* lines, unless more is asked for */

/* A process, the sum of its threads. */
struct group {
	struct report_row total;
	struct report_row **rows;
	size_t count;
};

/**
 * struct table - what is printed
 * @groups: of the classes that are shown, the one that ran longest first
 * @total: of all rows
 * @shown: of those that are shown
 * @classes: of each class
 */
struct table {
	struct group *groups;
	size_t group_count;
	struct report_row total;
	struct report_row shown;
	struct report_row classes[REPORT_CLASSES];
};

static const char *const class_names[] = {
	[REPORT_COMMAND] = "command",
	[REPORT_OTHER] = "other",
	[REPORT_KERNEL] = "kernel",
	[REPORT_IDLE] = "idle",
	[REPORT_UDEV] = "udev",
	[REPORT_RECORDER] = "recorder",
	[REPORT_UNKNOWN] = "unknown",
};

static const char *const class_texts[] = {
	[REPORT_COMMAND] = "the command",
	[REPORT_OTHER] = "other processes",
	[REPORT_KERNEL] = "kernel threads",
	[REPORT_IDLE] = "idle",
	[REPORT_UDEV] = "udev",
	[REPORT_RECORDER] = "rvtraced and tracectl",
	[REPORT_UNKNOWN] = "unknown processes",
};

static void add_row(struct report_row *to, const struct report_row *row)
{
	to->instructions += row->instructions;
	to->kernel += row->kernel;
	to->no_image += row->no_image;
	to->run_ns += row->run_ns;
}

static int compare(const struct report_row *x, const struct report_row *y)
{
	if (x->run_ns != y->run_ns)
		return x->run_ns < y->run_ns ? 1 : -1;
	if (x->instructions != y->instructions)
		return x->instructions < y->instructions ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int by_process(const void *a, const void *b)
{
	const struct report_row *x = *(struct report_row *const *)a;
	const struct report_row *y = *(struct report_row *const *)b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return compare(x, y);
}

static int by_group(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return compare(&x->total, &y->total);
}

static struct group *begin_group(struct table *t, const struct report *report,
				 struct report_row **row)
{
	struct group *group = &t->groups[t->group_count++];
	const struct rvtrace_space *space = NULL;

	*group = (struct group) { .rows = row, .total = {
		.process = (*row)->process, .pid = (*row)->pid, .tid = (*row)->tid,
		.class = (*row)->class,
	} };
	memcpy(group->total.comm, (*row)->comm, sizeof(group->total.comm));
	if ((*row)->process != NO_PROCESS)
		space = report_program_of(report->scene->spaces, (*row)->process);
	if (space)
		memcpy(group->total.comm, space->comm, sizeof(space->comm));
	return group;
}

/* Kernel threads, and threads whose process is not known, are one each. */
static void add_to_group(struct table *t, const struct report *report, struct report_row **row)
{
	struct group *group = t->group_count ? &t->groups[t->group_count - 1] : NULL;

	if (!group || (*row)->process == NO_PROCESS || group->total.process != (*row)->process)
		group = begin_group(t, report, row);
	add_row(&group->total, *row);
	group->count++;
}

static int make_table(struct table *t, struct report *report)
{
	*t = (struct table) { .groups = calloc(report->row_count + 1, sizeof(*t->groups)) };
	if (!t->groups)
		return -ENOMEM;
	if (report->row_count)
		qsort(report->rows, report->row_count, sizeof(*report->rows), by_process);
	for (size_t i = 0; i < report->row_count; i++) {
		struct report_row *row = report->rows[i];

		add_row(&t->total, row);
		add_row(&t->classes[row->class], row);
		if (!report_shows(report->scene, row->class, row->pid, row->tid))
			continue;
		add_row(&t->shown, row);
		add_to_group(t, report, &report->rows[i]);
	}
	qsort(t->groups, t->group_count, sizeof(*t->groups), by_group);
	return 0;
}

static double share(uint64_t part, uint64_t all)
{
	return all ? (double)part / all : 0;
}

static unsigned int count_harts(const struct rvtrace_recording *recording, uint64_t *bytes)
{
	unsigned int harts = 0;

	*bytes = 0;
	for (size_t i = 0; i < rvtrace_recording_sink_count(recording); i++) {
		const struct rvtrace_recording_sink *sink = rvtrace_recording_sink(recording, i);

		*bytes += sink->bytes;
		for (size_t j = 0; j < sink->source_count; j++)
			harts += sink->sources[j].hart_count;
	}
	return harts;
}

static void print_command(FILE *file, struct json_object *command)
{
	for (size_t i = 0; command && i < json_object_array_length(command); i++) {
		fputs(i ? " " : "", file);
		put_visible(file, json_object_get_string(json_object_array_get_idx(command, i)));
	}
	if (command)
		fputc('\n', file);
}

static void print_title(const struct decode *d, const struct report_scene *scene)
{
	struct json_object *command = report_command(d->input.recording);
	FILE *file = d->out.file;
	unsigned int harts;
	uint64_t bytes;

	harts = count_harts(d->input.recording, &bytes);
	print_command(file, command);
	fprintf(file, "%u hart%s, ", harts, harts == 1 ? "" : "s");
	if (bytes < 1000000)
		fprintf(file, "%.1f kB of trace", bytes / 1e3);
	else
		fprintf(file, "%.1f MB of trace", bytes / 1e6);
	if (scene->end > scene->begin)
		fprintf(file, ", %.6f s", (scene->end - scene->begin) / 1e9);
	fputc('\n', file);
	if (command && scene->shows[REPORT_OTHER] && !scene->all)
		fputs("The recording does not say which process is the command: all are shown.\n",
		      file);
}

/* "-" where nothing is known. */
static const char *percent(char text[16], uint64_t part, uint64_t all)
{
	if (all)
		snprintf(text, 16, "%.1f%%", 100 * share(part, all));
	else
		strcpy(text, "-");
	return text;
}

static void print_row(FILE *file, const struct table *t, const struct report_row *row,
		      const char *indent, int32_t number, bool timed)
{
	char time[32] = "-", name[NAME_SIZE], id[16] = "?", shares[3][16];

	if (timed)
		snprintf(time, sizeof(time), "%.6f s", row->run_ns / 1e9);
	if (number >= 0)
		snprintf(id, sizeof(id), "%d", number);
	fprintf(file, "%14s %7s %14" PRIu64 " %7s %7s  %s%s/%s\n", time,
		percent(shares[0], row->run_ns, t->shown.run_ns), row->instructions,
		percent(shares[1], row->instructions, t->shown.instructions),
		percent(shares[2], row->kernel, row->instructions), indent,
		*row->comm ? printable(row->comm, name, sizeof(name)) : "?", id);
}

static void print_threads(FILE *file, const struct table *t, const struct report_scene *scene)
{
	size_t room = global.verbose ? SIZE_MAX : TOP_THREADS, more = 0;
	bool timed = scene->thread_count && t->shown.run_ns;

	fprintf(file, "\n%14s %7s %14s %7s %7s  %s\n", "TIME", "SHARE", "INSTRUCTIONS", "SHARE",
		"KERNEL", "PROCESS, THREADS");
	for (size_t i = 0; i < t->group_count; i++) {
		const struct group *group = &t->groups[i];
		bool process = group->total.process != NO_PROCESS;

		more += room ? 0 : 1;
		if (!room)
			continue;
		print_row(file, t, &group->total, "",
			  process ? group->total.pid : group->total.tid, timed);
		room--;
		for (size_t j = 0; j < group->count && group->count > 1; j++) {
			more += room ? 0 : 1;
			if (!room)
				continue;
			print_row(file, t, group->rows[j], "  ", group->rows[j]->tid, timed);
			room--;
		}
	}
	if (more)
		fprintf(file, "%48s%zu more (-v shows them)\n", "", more);
}

static void print_left_out(FILE *file, const struct table *t, const struct report_scene *scene)
{
	const char *comma = "";

	for (int class = 0; class < REPORT_CLASSES; class++) {
		const struct report_row *row = &t->classes[class];

		if (scene->shows[class] || (!row->instructions && !row->run_ns))
			continue;
		fprintf(file, "%s%s %.1f%%", *comma ? comma : "left out:  ", class_texts[class],
			100 * share(row->instructions, t->total.instructions));
		comma = ", ";
	}
	if (*comma)
		fprintf(file, " of %" PRIu64 " instructions (--all shows them)\n",
			t->total.instructions);
}

/* What nobody knows. */
static void print_unknown(const struct decode *d, const struct table *t,
			  const struct report_scene *scene)
{
	const struct report_row *unknown = &t->classes[REPORT_UNKNOWN];
	FILE *file = d->out.file;

	if (unknown->instructions)
		fprintf(file, "unknown:   which process executed %" PRIu64 " instructions\n",
			unknown->instructions);
	if (t->total.no_image)
		fprintf(file, "no image:  %" PRIu64 " bytes of code (decode --summary says of what)\n",
			2 * t->total.no_image);
	if (d->report->unfollowed)
		fprintf(file, "unknown:   the flow of %" PRIu64 " bytes of code\n",
			2 * d->report->unfollowed);
	if (!scene->thread_count)
		fputs("no times:  which thread ran when was not recorded\n", file);
	else if (scene->unknown_ns)
		fprintf(file, "unknown:   who ran for %.6f s\n", scene->unknown_ns / 1e9);
}

static void print_losses(const struct decode *d, const struct report_scene *scene)
{
	uint64_t sideband = rvtrace_spaces_sideband_lost(d->input.spaces);
	FILE *file = d->out.file;
	const char *comma = "";

	fputs("lost:      ", file);
	if (d->totals.lost_bytes || d->totals.overflows) {
		fprintf(file, "%" PRIu64 " bytes of trace, %" PRIu64 " overflows",
			d->totals.lost_bytes, d->totals.overflows);
		comma = ", ";
	}
	if (scene->records_lost) {
		fprintf(file, "%s%" PRIu64 " records of the kernel", comma, scene->records_lost);
		comma = ", ";
	} else if (scene->gaps) {
		fprintf(file, "%s%" PRIu64 " gap%s in the records of threads", comma,
			scene->gaps, scene->gaps == 1 ? "" : "s");
		comma = ", ";
	}
	if (sideband) {
		fprintf(file, "%s%" PRIu64 " events of the side band", comma, sideband);
		comma = ", ";
	}
	fputs(*comma ? "\n" : "nothing\n", file);
	if (d->totals.errors)
		fprintf(file, "errors:    %" PRIu64 " while decoding\n", d->totals.errors);
}

static void print_text(struct decode *d, const struct table *t)
{
	const struct report_scene *scene = d->report->scene;
	struct report_calls *calls = &report_options.calls;
	const struct view *view = views_view(d->views);
	FILE *file = d->out.file;

	print_title(d, scene);
	if (calls->tree) {
		report_print_tree(file, view, calls->tree);
	} else {
		print_threads(file, t, scene);
		report_cpus(file, view, calls);
		report_functions(file, view, calls, report_options.sort);
		report_kinds(file, view, &calls->system_calls, "SYSTEM CALL");
		report_kinds(file, view, &calls->interrupts, "INTERRUPT");
		report_kinds(file, view, &calls->exceptions, "EXCEPTION");
	}
	fputc('\n', file);
	if (d->report->events)
		fprintf(file, "events:    %" PRIu64 " (tracectl events lists them)\n",
			d->report->events);
	print_left_out(file, t, scene);
	print_unknown(d, t, scene);
	print_losses(d, scene);
}

static void add_number(struct json_object *object, const char *name, uint64_t value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

static void add_text(struct json_object *object, const char *name, const char *text)
{
	json_object_object_add(object, name, text && *text ? json_object_new_string(text) : NULL);
}

static void add_id(struct json_object *object, const char *name, int32_t id)
{
	json_object_object_add(object, name, id >= 0 ? json_object_new_int(id) : NULL);
}

static void add_totals(struct json_object *object, const struct report_row *row, bool timed)
{
	json_object_object_add(object, "time_ns",
			       timed ? json_object_new_uint64(row->run_ns) : NULL);
	add_number(object, "instructions", row->instructions);
	add_number(object, "kernel_instructions", row->kernel);
	add_number(object, "no_image_bytes", 2 * row->no_image);
}

static struct json_object *group_json(const struct group *group, bool timed)
{
	struct json_object *o = json_object_new_object(), *threads = json_object_new_array();

	add_text(o, "name", group->total.comm);
	add_id(o, "pid", group->total.pid);
	add_text(o, "class", class_names[group->total.class]);
	add_totals(o, &group->total, timed);
	json_object_object_add(o, "threads", threads);
	for (size_t i = 0; i < group->count; i++) {
		struct json_object *thread = json_object_new_object();

		add_text(thread, "name", group->rows[i]->comm);
		add_id(thread, "tid", group->rows[i]->tid);
		add_totals(thread, group->rows[i], timed);
		json_object_array_add(threads, thread);
	}
	return o;
}

static struct json_object *left_out_json(const struct table *t, const struct report_scene *scene)
{
	struct json_object *array = json_object_new_array();

	for (int class = 0; class < REPORT_CLASSES; class++) {
		struct json_object *o;

		if (scene->shows[class] || (!t->classes[class].instructions &&
					    !t->classes[class].run_ns))
			continue;
		o = json_object_new_object();
		add_text(o, "class", class_names[class]);
		add_totals(o, &t->classes[class], scene->thread_count);
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *losses_json(const struct decode *d, const struct report_scene *scene)
{
	struct json_object *o = json_object_new_object();

	add_number(o, "bytes", d->totals.lost_bytes);
	add_number(o, "overflows", d->totals.overflows);
	add_number(o, "records", scene->records_lost);
	add_number(o, "thread_gaps", scene->gaps);
	add_number(o, "sideband", rvtrace_spaces_sideband_lost(d->input.spaces));
	add_number(o, "errors", d->totals.errors);
	return o;
}

static void print_json_report(struct decode *d, const struct table *t)
{
	const struct report_scene *scene = d->report->scene;
	struct json_object *all = json_object_new_object(), *processes = json_object_new_array();
	unsigned int harts;
	uint64_t bytes;

	harts = count_harts(d->input.recording, &bytes);
	add_number(all, "schema", JSON_SCHEMA);
	json_object_object_add(all, "command", json_object_get(report_command(d->input.recording)));
	json_object_object_add(all, "command_known", json_object_new_boolean(
			       scene->shows[REPORT_COMMAND] && !scene->shows[REPORT_OTHER]));
	add_number(all, "harts", harts);
	add_number(all, "bytes", bytes);
	json_object_object_add(all, "duration_ns", scene->thread_count ?
			       json_object_new_uint64(scene->end - scene->begin) : NULL);
	json_object_object_add(all, "processes", processes);
	for (size_t i = 0; i < t->group_count; i++)
		json_object_array_add(processes, group_json(&t->groups[i], scene->thread_count));
	report_json(all, views_view(d->views), &report_options.calls, report_options.sort);
	add_number(all, "events", d->report->events);
	json_object_object_add(all, "left_out", left_out_json(t, scene));
	add_number(all, "instructions", t->total.instructions);
	add_number(all, "no_image_bytes", 2 * t->total.no_image);
	add_number(all, "unknown_flow_bytes", 2 * d->report->unfollowed);
	add_number(all, "unknown_ns", scene->unknown_ns);
	json_object_object_add(all, "lost", losses_json(d, scene));
	put_json(d->out.file, all);
}

int report_print(struct decode *d)
{
	struct table table;
	int ret = filter_has_window(&d->input.filter) ?
		  report_count_lanes(&report_options.calls, views_view(d->views), d->report) :
		  report_add_times(d->report);

	if (!ret)
		ret = make_table(&table, d->report);
	if (ret)
		return ret;
	if (global.json)
		print_json_report(d, &table);
	else
		print_text(d, &table);
	free(table.groups);
	return 0;
}
