// SPDX-License-Identifier: LGPL-2.1-or-later
/* The images of a recording: images/index.jsonl. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/insn.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/recording/recording_internal.h"
#include "program_internal.h"

#define INDEX	"images/index.jsonl"

struct loading {
	struct rvtrace_program *program;
	struct rvtrace_recording *recording;
	const char *directory;
	struct rvtrace_failure *error;
	bool kernel_changed;
};

static const char *text_member(struct json_object *object, const char *name)
{
	struct json_object *member = NULL;

	json_object_object_get_ex(object, name, &member);
	return json_object_get_string(member);
}

static uint64_t number_member(struct json_object *object, const char *name)
{
	const char *text = text_member(object, name);

	return text ? strtoull(text, NULL, 0) : 0;
}

static bool is_number(const char *text)
{
	char *end;

	errno = 0;
	strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end && !errno;
}

/* What is wrong with the place or the name of an image; NULL: nothing. */
static const char *misplaced(struct json_object *entry)
{
	static const char *const numbers[] = { "address", "start", "size", "stvec", "mtvec" };
	uint64_t address = number_member(entry, "address"), size = number_member(entry, "size");
	const char *name = text_member(entry, "name");
	size_t i;

	/* it would be in every line of a listing */
	if (name && strnlen(name, PATH_MAX) == PATH_MAX)
		return "a name longer than any path";

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const char *text = text_member(entry, numbers[i]);

		if (text && !is_number(text))
			return "address, size or vector is not a number";
	}
	if (size > program_bytes_from(address) ||
	    size > program_bytes_from(number_member(entry, "start")))
		return "continues past the last address";
	return address & 1 ? "odd address" : NULL;
}

/* Return: whether the image of @entry can be used; else that is told, at @offset of the index. */
static bool check_entry(struct loading *l, struct json_object *entry, const char *name,
			uint64_t offset)
{
	bool usable = rvtrace_recording_check_image(l->recording, entry);
	const char *wrong = misplaced(entry);

	if (!wrong)
		return usable;
	recording_damage(l->recording, INDEX, offset, 0, "%s: %s", name, wrong);
	return false;
}

static int add_changed(struct rvtrace_program *program, struct json_object *pair)
{
	struct rvtrace_program_range *changed, range;

	range.start = strtoull(json_object_get_string(json_object_array_get_idx(pair, 0)) ?: "0",
			       NULL, 0);
	range.end = strtoull(json_object_get_string(json_object_array_get_idx(pair, 1)) ?: "0",
			     NULL, 0);
	if (range.end <= range.start)
		return 0;
	changed = realloc(program->changed, (program->changed_count + 1) * sizeof(*changed));
	if (!changed)
		return -ENOMEM;
	program->changed = changed;
	changed[program->changed_count++] = range;
	return 0;
}

/*
 * What executed shows where a return led, unless it was other code than there is now: then the right
 * target could be ruled out.
 */
static void infer_nothing(struct rvtrace_flow_kernel *kernel)
{
	memset(kernel->return_catchers, 0, sizeof(kernel->return_catchers));
	memset(kernel->task_starts, 0, sizeof(kernel->task_starts));
	memset(kernel->handlers, 0, sizeof(kernel->handlers));
}

static int load_changed(struct loading *l, struct json_object *entry)
{
	struct rvtrace_program *program = l->program;
	const char *name = text_member(entry, "name");
	struct json_object *ranges = NULL, *pair;
	size_t i;
	int ret = 0;

	if (name && !strcmp(name, "vmlinux"))
		l->kernel_changed = true;

	json_object_object_get_ex(entry, "ranges", &ranges);
	if (!json_object_is_type(ranges, json_type_array))
		return 0;
	for (i = 0; i < json_object_array_length(ranges) && !ret; i++) {
		pair = json_object_array_get_idx(ranges, i);
		if (json_object_is_type(pair, json_type_array) &&
		    json_object_array_length(pair) == 2)
			ret = add_changed(program, pair);
	}
	return ret;
}

/* Damage is reported where it is, and what is intact is used. */
static int unless_fatal(int ret)
{
	return ret == -ENOMEM ? ret : 0;
}

/* What is no address is left out; of a list that is to have all, everything is then. */
static void load_functions(struct json_object *entry, const char *name, bool all,
			   uint64_t *functions, unsigned int most)
{
	struct json_object *list = NULL;
	size_t i, count = 0;

	json_object_object_get_ex(entry, name, &list);
	if (!json_object_is_type(list, json_type_array))
		return;
	memset(functions, 0, most * sizeof(*functions));
	for (i = 0; i < json_object_array_length(list) && count < most; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		uint64_t address = 0;

		if (json_object_is_type(one, json_type_string))
			address = strtoull(json_object_get_string(one), NULL, 0);
		if (address && !(address & 1))
			functions[count++] = address;
	}
	if (all && count < json_object_array_length(list))
		memset(functions, 0, most * sizeof(*functions));
}

static void load_kernel(struct loading *l, struct json_object *entry)
{
	struct rvtrace_flow_kernel *kernel = &l->program->kernel;

	load_functions(entry, "return_writers", false, kernel->return_writers,
		       RVTRACE_RETURN_WRITERS);
	load_functions(entry, "return_catchers", true, kernel->return_catchers,
		       RVTRACE_RETURN_CATCHERS);
	if (number_member(entry, "signal_setup"))
		kernel->signal_setup = number_member(entry, "signal_setup");
	load_functions(entry, "task_starts", true, kernel->task_starts, RVTRACE_TASK_STARTS);
	load_functions(entry, "handlers", true, kernel->handlers, RVTRACE_HANDLERS);
}

/* What is known of the code of a kernel and a vDSO */
static void load_known_code(struct loading *l, const struct rvtrace_program_file *file,
			    struct json_object *entry)
{
	struct rvtrace_program *program = l->program;
	uint64_t switch_to = number_member(entry, "switch_to");

	if (!strcmp(file->kind, "vdso"))
		program->signal_return = program_find_signal_return(file);
	if (strcmp(file->kind, "kernel"))
		return;
	load_kernel(l, entry);
	if (!switch_to)
		return;
	program->task_switch = program_find_task_switch(file, switch_to) ?: program->task_switch;
	/* all tasks are changed in one place, to which that returns: of two either may be right */
	if (!program_calls_once(file, switch_to))
		memset(program->kernel.task_starts, 0, sizeof(program->kernel.task_starts));
}

static int load_file(struct loading *l, struct json_object *entry, const char *kind,
		     const char *path)
{
	struct rvtrace_program_file *file;
	struct json_object *saved = NULL;
	const char *name = text_member(entry, "name");
	int ret;

	file = program_add_file(l->program, kind, name ? name : "", path,
				text_member(entry, "build_id"));
	if (!file)
		return fail(l->error, -ENOMEM, path, "out of memory");
	json_object_object_get_ex(entry, "saved", &saved);
	file->saved = json_object_get_boolean(saved);
	file->device = number_member(entry, "device");
	file->inode = number_member(entry, "inode");
	file->address = number_member(entry, "address");
	file->size = number_member(entry, "size");
	file->from = number_member(entry, "time");
	file->pid = number_member(entry, "pid");
	file->start = number_member(entry, "start");
	/* of files of processes, only those that are needed */
	if (!strcmp(kind, "file"))
		return 0;
	ret = program_load_code(file, l->error);
	if (file->code)
		load_known_code(l, file, entry);
	return unless_fatal(ret);
}

static void load_vector(struct loading *l, struct json_object *entry, const char *name,
			unsigned int priv)
{
	uint64_t vector = number_member(entry, name);

	if (vector)
		l->program->trap_vector[priv] = vector;
}

static bool is_code(const char *kind)
{
	return !strcmp(kind, "kernel") || !strcmp(kind, "module") || !strcmp(kind, "vdso") ||
	       !strcmp(kind, "file");
}

static int load_entry(void *data, struct json_object *entry, uint64_t offset)
{
	struct loading *l = data;
	const char *kind = text_member(entry, "kind");
	const char *relative = json_string(entry, "file");
	char path[4096];

	if (kind && !strcmp(kind, "changed"))
		return load_changed(l, entry);
	if (!kind || !*relative || relative[0] == '/' || strstr(relative, ".."))
		return 0;
	if (!check_entry(l, entry, relative, offset))
		return 0;
	load_vector(l, entry, "stvec", 1);
	load_vector(l, entry, "mtvec", 3);
	snprintf(path, sizeof(path), "%s/%s", l->directory, relative);
	if (!strcmp(kind, "firmware"))
		return unless_fatal(rvtrace_program_add_image(l->program, path,
							      number_member(entry, "address"), true,
							      RVTRACE_PRIV_M, l->error));
	return is_code(kind) ? load_file(l, entry, kind, path) : 0;
}

static int by_start(const void *a, const void *b)
{
	const struct rvtrace_program_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* In order, and apart from each other. */
static void sort_changed(struct rvtrace_program *program)
{
	struct rvtrace_program_range *list = program->changed;
	size_t i, kept = 0;

	if (program->changed_count)
		qsort(list, program->changed_count, sizeof(*list), by_start);
	for (i = 0; i < program->changed_count; i++) {
		if (!kept || list[i].start > list[kept - 1].end)
			list[kept++] = list[i];
		else if (list[i].end > list[kept - 1].end)
			list[kept - 1].end = list[i].end;
	}
	program->changed_count = kept;
}

int rvtrace_program_load(struct rvtrace_program *program, struct rvtrace_recording *recording,
			 const char *directory, const struct rvtrace_spaces *spaces,
			 struct rvtrace_failure *error)
{
	struct loading loading = {
		.program = program, .recording = recording, .directory = directory, .error = error,
	};
	int ret;

	program->spaces = spaces;
	program->here = rvtrace_recording_is_here(recording);
	ret = rvtrace_recording_lines(recording, INDEX, load_entry, &loading, error);
	if (ret)
		return ret;
	sort_changed(program);
	if (loading.kernel_changed)
		infer_nothing(&program->kernel);
	if (program_compare_saved(program, spaces))
		return fail(error, -ENOMEM, "saved memory", "out of memory");
	return program_date_text(program, recording, spaces, error);
}
