// SPDX-License-Identifier: GPL-2.0
/* tracectl threads: which thread ran how long, how often, and where. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include <rvtrace/recording.h>
#include <rvtrace/threads.h>

#include "tools/tracectl/moments.h"
#include "tools/tracectl/out.h"
#include "tools/tracectl/record/no_recording.h"
#include "tools/tracectl/tracectl.h"

/*
 * @start: what times count from
 * @begun: the list of switches is
 * @lost: since the last one of it
 */
struct threads_verb {
	const char *directory;
	bool list_switches;
	bool absolute;
	uint64_t start;
	struct rvtrace_recording *recording;
	struct rvtrace_threads *threads;
	struct out out;
	bool begun;
	bool printed;
	bool lost;
};

enum { OPTION_SWITCHES = 0x7000, OPTION_ABSOLUTE };

static const struct argp_option options[] = {
	{ "switches", OPTION_SWITCHES, NULL, 0, "List every switch instead", 0 },
	{ "absolute", OPTION_ABSOLUTE, NULL, 0,
	  "Print times of CLOCK_MONOTONIC instead of times since the recording began", 0 },
	{ },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct threads_verb *v = state->input;

	switch (key) {
	case OPTION_SWITCHES:
		v->list_switches = true;
		return 0;
	case OPTION_ABSOLUTE:
		v->absolute = true;
		return 0;
	default:
		return parse_recording(key, arg, state, &v->directory);
	}
}

static void add_number(struct json_object *object, const char *name, uint64_t value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

static void begin_list(struct threads_verb *v)
{
	if (v->begun)
		return;
	v->begun = true;
	if (global.json)
		out_format(&v->out, "{\"schema\":%d,\"list\":[", JSON_SCHEMA);
	else
		out_format(&v->out, "%16s  CPU  %12s  %7s  %7s  NAME\n", "TIME", "POSITION",
			   "TID", "PID");
}

static void switch_json(struct threads_verb *v, const struct rvtrace_record_task *task,
			const char *comm)
{
	struct out *out = &v->out;

	out_text(out, v->printed ? ",\n" : "\n");
	out_format(out, "{\"tid\":%d,\"pid\":%d", task->tid, task->pid);
	out_json_number(out, "time_ns", task->header.time);
	out_json_signed(out, "relative_ns", task->header.time - v->start);
	out_json_number(out, "monotonic_ns", task->header.time);
	out_json_number(out, "cpu", task->header.cpu);
	out_json_number(out, "position", task->header.position);
	out_json_text(out, "comm", comm);
	out_format(out, ",\"lost\":%s}", v->lost ? "true" : "false");
	v->printed = true;
}

static void switch_text(struct threads_verb *v, const struct rvtrace_record_task *task,
			const char *comm)
{
	const struct rvtrace_record *header = &task->header;
	char name[NAME_SIZE];

	if (v->lost)
		out_text(&v->out, "(some are lost)\n");
	print_moment(&v->out, header->time - (v->absolute ? 0 : v->start));
	out_format(&v->out, "  %3u  %12" PRIu64 "  %7d  %7d  %s\n", header->cpu,
		   (uint64_t)header->position, task->tid, task->pid,
		   printable(comm, name, sizeof(name)));
}

/* Records that are no switch tell of losses, too; @before: the sum before this one */
static void list_task(struct threads_verb *v, const struct rvtrace_record_task *task,
		      const struct rvtrace_threads_sum *before)
{
	const struct rvtrace_threads_sum *sum = rvtrace_threads_sum(v->threads);
	char comm[sizeof(task->comm) + 1];

	begin_list(v);
	if (sum->gaps != before->gaps)
		v->lost = true;
	if (sum->records == before->records)
		return;
	if (task->event != RVTRACE_TASK_SWITCH && task->event != RVTRACE_TASK_RUNS)
		return;
	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(task->comm), task->comm);
	if (global.json)
		switch_json(v, task, comm);
	else
		switch_text(v, task, comm);
	v->lost = false;
}

static int read_sink(struct threads_verb *v, size_t sink, struct rvtrace_failure *error)
{
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	struct rvtrace_threads_sum before;
	int ret;

	ret = rvtrace_recording_records_open(v->recording, sink, &records, error);
	if (ret)
		return ret;
	while ((ret = rvtrace_recording_records_next(records, &record, error)) > 0) {
		before = *rvtrace_threads_sum(v->threads);
		if (rvtrace_threads_add(v->threads, record)) {
			ret = rvtrace_fail(error, ENOMEM, 0, "out of memory");
			break;
		}
		if (v->list_switches && record->type == RVTRACE_RECORD_TASK)
			list_task(v, (const void *)record, &before);
	}
	rvtrace_recording_records_free(records);
	return ret;
}

static int read_all(struct threads_verb *v, struct rvtrace_failure *error)
{
	size_t sink;
	int ret;

	v->threads = rvtrace_threads_new();
	if (!v->threads)
		return rvtrace_fail(error, ENOMEM, 0, "out of memory");
	ret = rvtrace_recording_open(v->directory, &v->recording, error);
	if (ret)
		return explain_no_recording(v->directory, ret, error);
	report_failures(v->recording, v->directory, true);
	v->start = moments_start(v->recording);
	/* One sink tells of all harts. */
	for (sink = 0; !ret && !rvtrace_threads_sum(v->threads)->records &&
	     sink < rvtrace_recording_sink_count(v->recording); sink++)
		ret = read_sink(v, sink, error);
	if (!ret && !rvtrace_threads_sum(v->threads)->records)
		ret = rvtrace_fail(error, ENODATA, 0, "%s: %s", v->directory,
				   report_damage(v->recording) ? "no record says which thread executed" :
				   "it was not recorded which thread ran (threads in rvtraced.conf)");
	return ret;
}

static int longest_first(const void *a, const void *b)
{
	const struct rvtrace_thread *x = *(const struct rvtrace_thread *const *)a;
	const struct rvtrace_thread *y = *(const struct rvtrace_thread *const *)b;

	if (x->run_ns != y->run_ns)
		return x->run_ns < y->run_ns ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static struct json_object *thread_json(const struct rvtrace_thread *thread)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "tid", json_object_new_int(thread->tid));
	json_object_object_add(object, "pid", json_object_new_int(thread->pid));
	json_object_object_add(object, "comm", json_object_new_string(thread->comm));
	json_object_object_add(object, "kernel", json_object_new_boolean(thread->kernel));
	add_number(object, "run_ns", thread->run_ns);
	add_number(object, "switches", thread->switches);
	add_number(object, "migrations", thread->migrations);
	json_object_object_add(object, "forked", json_object_new_boolean(thread->forked));
	json_object_object_add(object, "exited", json_object_new_boolean(thread->exited));
	return object;
}

static void print_table(const struct rvtrace_thread **list, size_t count)
{
	char name[NAME_SIZE];
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < count; i++)
		all += list[i]->run_ns;
	printf("%7s  %7s  %14s  %6s  %9s  %10s  NAME\n", "TID", "PID", "RUN", "SHARE",
	       "SWITCHES", "MIGRATIONS");
	for (i = 0; i < count; i++)
		printf("%7d  %7d  %13.6fs  %5.1f%%  %9" PRIu64 "  %10" PRIu64 "  %s%s%s\n",
		       list[i]->tid, list[i]->pid, list[i]->run_ns / 1e9,
		       all ? 100.0 * list[i]->run_ns / all : 0.0, list[i]->switches,
		       list[i]->migrations, list[i]->kernel ? "[" : "",
		       printable(list[i]->comm, name, sizeof(name)),
		       list[i]->kernel ? "]" : "");
}

static int report_threads(struct threads_verb *v, struct json_object *document)
{
	struct json_object *array = document ? json_object_new_array() : NULL;
	const struct rvtrace_thread **list;
	size_t count = 0, i;

	while (rvtrace_threads_get(v->threads, count))
		count++;
	list = calloc(count + 1, sizeof(*list));
	if (!list) {
		json_object_put(array);
		error_text("out of memory");
		return EXIT_FAILED;
	}
	for (i = 0; i < count; i++)
		list[i] = rvtrace_threads_get(v->threads, i);
	qsort(list, count, sizeof(*list), longest_first);
	if (!document)
		print_table(list, count);
	for (i = 0; document && i < count; i++)
		json_object_array_add(array, thread_json(list[i]));
	if (document)
		json_object_object_add(document, "threads", array);
	free(list);
	return EXIT_OK;
}

/* Records of all kinds that the driver had no room for. */
static uint64_t records_lost(const struct threads_verb *v)
{
	struct json_object *sinks, *lost;
	uint64_t count = 0;
	size_t i;

	if (!json_object_object_get_ex(rvtrace_recording_metadata(v->recording), "sinks", &sinks) ||
	    !json_object_is_type(sinks, json_type_array))
		return 0;
	for (i = 0; i < json_object_array_length(sinks); i++)
		if (json_object_object_get_ex(json_object_array_get_idx(sinks, i), "records_lost",
					      &lost))
			count += json_object_get_uint64(lost);
	return count;
}

static int threads_document(struct threads_verb *v, uint64_t lost)
{
	const struct rvtrace_threads_sum *sum = rvtrace_threads_sum(v->threads);
	struct json_object *document = json_object_new_object();

	json_object_object_add(document, "schema", json_object_new_int(JSON_SCHEMA));
	if (report_threads(v, document) != EXIT_OK) {
		json_object_put(document);
		return EXIT_FAILED;
	}
	add_number(document, "switches", sum->switches);
	add_number(document, "gaps", sum->gaps);
	add_number(document, "unknown_ns", sum->unknown_ns);
	add_number(document, "records_lost", lost);
	return print_json(document);
}

/* The same totals behind the list. */
static void end_list(struct threads_verb *v, uint64_t lost)
{
	const struct rvtrace_threads_sum *sum = rvtrace_threads_sum(v->threads);
	struct out *out = &v->out;

	if (!global.json) {
		if (v->lost)
			out_text(out, "(some are lost)\n");
		return;
	}
	out_text(out, "\n]");
	out_json_number(out, "switches", sum->switches);
	out_json_number(out, "gaps", sum->gaps);
	out_json_number(out, "unknown_ns", sum->unknown_ns);
	out_json_number(out, "records_lost", lost);
	out_text(out, "}\n");
}

/* What was listed, to where it goes. */
static int flush_list(struct threads_verb *v)
{
	int ret = out_end(&v->out);

	if (!ret)
		return EXIT_OK;
	error_text("standard output: %s", strerror(-ret));
	return EXIT_FAILED;
}

static int report(struct threads_verb *v)
{
	const struct rvtrace_threads_sum *sum = rvtrace_threads_sum(v->threads);
	uint64_t lost = records_lost(v);
	bool damaged;
	int status;

	if (v->list_switches) {
		end_list(v, lost);
		status = flush_list(v);
	} else {
		status = global.json ? threads_document(v, lost) : report_threads(v, NULL);
	}
	if (status != EXIT_OK)
		return status;
	damaged = report_damage(v->recording);
	if (!sum->gaps && !lost)
		return damaged ? EXIT_LOST : EXIT_OK;
	if (lost)
		warn_text("%s: %" PRIu64 " records lost, the running thread is unknown for %.6f s",
			  v->directory, lost, sum->unknown_ns / 1e9);
	else
		warn_text("%s: %" PRIu64 " gap%s in the records of threads, the running thread is unknown for %.6f s",
			  v->directory, sum->gaps, sum->gaps == 1 ? "" : "s",
			  sum->unknown_ns / 1e9);
	return EXIT_LOST;
}

int verb_threads(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.options = options, .parser = parse_option, .children = children,
		.args_doc = "DIRECTORY",
		.doc = "Show how long each thread of a recording ran, how often it was switched "
		       "to, and how often on another CPU than before.",
	};
	struct rvtrace_failure error = { };
	static struct threads_verb v;
	int status;

	v.out.file = stdout;
	parse_options(&argp, argc, argv, 0, NULL, &v);
	if (read_all(&v, &error)) {
		flush_list(&v);
		error_text("%s", error.text);
		status = EXIT_FAILED;
	} else {
		status = report(&v);
	}
	rvtrace_threads_free(v.threads);
	rvtrace_recording_free(v.recording);
	return status;
}
