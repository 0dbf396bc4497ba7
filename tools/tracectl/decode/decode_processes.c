// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --summary: who executed how much. */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "decode.h"

/* A program that a process ran; pid -1: which process is not known. */
struct process {
	int32_t pid;
	char comm[16];
	uint64_t instructions;
	uint64_t no_image;
};

/* What ran last on a source: one look-up per switch, not per block. */
struct last {
	uint32_t space;
	struct process *process;
};

struct processes {
	const struct rvtrace_spaces *spaces;
	void *tree;
	struct process **list;
	size_t count, room;
	struct last last[MAX_SOURCES];
};

static int by_name(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return p->pid != q->pid ? (p->pid > q->pid) - (p->pid < q->pid) : strcmp(p->comm, q->comm);
}

static int by_instructions(const void *a, const void *b)
{
	const struct process *p = *(struct process *const *)a, *q = *(struct process *const *)b;

	if (p->instructions != q->instructions)
		return p->instructions < q->instructions ? 1 : -1;
	return by_name(p, q);
}

struct processes *processes_new(const struct rvtrace_spaces *spaces)
{
	struct processes *p = calloc(1, sizeof(*p));

	if (p)
		p->spaces = spaces;
	return p;
}

void processes_reset(struct processes *p)
{
	if (p->count)
		memset(p->last, 0, sizeof(p->last));
	tdestroy(p->tree, free);
	p->tree = NULL;
	p->count = 0;
}

void processes_free(struct processes *p)
{
	if (!p)
		return;
	processes_reset(p);
	free(p->list);
	free(p);
}

static struct process *append(struct processes *p, const struct process *key)
{
	struct process *process;

	if (p->count == p->room) {
		size_t room = p->room ? 2 * p->room : 64;
		struct process **list = realloc(p->list, room * sizeof(*list));

		if (!list)
			return NULL;
		p->list = list;
		p->room = room;
	}
	process = malloc(sizeof(*process));
	if (!process)
		return NULL;
	*process = *key;
	if (!tsearch(process, &p->tree, by_name)) {
		free(process);
		return NULL;
	}
	p->list[p->count++] = process;
	return process;
}

static struct process *get(struct processes *p, const struct process *key)
{
	struct process **found = tfind(key, &p->tree, by_name);

	return found ? *found : append(p, key);
}

static struct process *find(struct processes *p, uint32_t index)
{
	struct process key = { .pid = -1, .comm = "?" };
	const struct rvtrace_space *space = NULL;

	if (index != RVTRACE_PROCESS_UNKNOWN)
		space = rvtrace_spaces_get(p->spaces, index);
	if (space) {
		key.pid = space->pid;
		memcpy(key.comm, space->comm, sizeof(key.comm));
	}
	return get(p, &key);
}

int processes_count(struct processes *p, const struct rvtrace_flow_item *item)
{
	struct last *last = &p->last[item->source];

	if (!last->process || last->space != item->process) {
		last->process = find(p, item->process);
		last->space = item->process;
		if (!last->process)
			return -ENOMEM;
	}
	if (item->type == RVTRACE_FLOW_BLOCKS)
		last->process->instructions += item->blocks.instructions;
	else
		last->process->no_image += item->no_image.halfwords;
	return 0;
}

int processes_add(struct processes *p, const struct processes *others)
{
	for (size_t i = 0; i < others->count; i++) {
		const struct process *other = others->list[i];
		struct process key = *other, *process;

		key.instructions = 0;
		key.no_image = 0;
		process = get(p, &key);
		if (!process)
			return -ENOMEM;
		process->instructions += other->instructions;
		process->no_image += other->no_image;
	}
	return 0;
}

static struct json_object *process_json(const struct process *process, double share)
{
	struct json_object *o = json_object_new_object();
	bool known = process->pid >= 0;

	json_object_object_add(o, "name", known ? json_object_new_string(process->comm) : NULL);
	json_object_object_add(o, "pid", known ? json_object_new_int(process->pid) : NULL);
	json_object_object_add(o, "instructions", json_object_new_int64(process->instructions));
	json_object_object_add(o, "share", json_object_new_double(share));
	json_object_object_add(o, "no_image_bytes", json_object_new_int64(2 * process->no_image));
	return o;
}

static void print_process(FILE *file, const struct process *process, double share)
{
	char pid[16] = "?", name[NAME_SIZE];

	if (process->pid >= 0)
		snprintf(pid, sizeof(pid), "%d", process->pid);
	fprintf(file, "%-15s %7s %14" PRIu64 " %6.2f%% %14" PRIu64 "\n",
		printable(process->comm, name, sizeof(name)), pid, process->instructions, 100 * share, 2 * process->no_image);
}

void processes_print(struct processes *p, FILE *file, struct json_object *array)
{
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < p->count; i++)
		all += p->list[i]->instructions;
	if (p->count)
		qsort(p->list, p->count, sizeof(*p->list), by_instructions);
	if (p->count && !array)
		fprintf(file, "\n%-15s %7s %14s %7s %14s\n", "process", "pid", "instructions",
			"share", "no image bytes");
	for (i = 0; i < p->count; i++) {
		double share = all ? (double)p->list[i]->instructions / all : 0;

		if (array)
			json_object_array_add(array, process_json(p->list[i], share));
		else
			print_process(file, p->list[i], share);
	}
}
