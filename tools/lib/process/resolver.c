// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whose code a hart executes: see rvtrace/resolver.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/fail.h"
#include "pointers.h"
#include "resolver_internal.h"

#define VERSIONS	256	/* kept, unless more are in use */
#define SWITCH_NS	1000000	/* more than from the scheduler's word to the kernel's change */

/**
 * struct version - one state of an address space, mapped in the image
 * @space: the space, NULL: what the kernel has beside what it always has
 * @state: how many of its changes have happened
 * @id: address space of the image
 * @ns: when it is
 * @users: sources whose last answer it is
 * @used: when it was asked for last
 */
struct version {
	const struct rvtrace_space *space;
	size_t state;
	uint64_t id;
	uint64_t ns;
	unsigned int users;
	uint64_t used;
};

/*
 * The last answer to a source: indices of versions plus 1, 0 for none. Where there is no time, it
 * was at least @ns then, and @address the last one of a user that was asked for.
 */
struct answer {
	size_t user;
	size_t kernel;
	uint64_t ns;
	uint64_t address;
};

struct rvtrace_resolver {
	struct rvtrace_program *program;
	const struct rvtrace_spaces *spaces;
	struct rvtrace_clock *clock;
	struct rvtrace_pointers *pointers;	/* NULL: trace has no writes to tp alone */
	uint16_t thread_switch;		/* events that tell tasks by tp; 0: none do */
	int *cpus;			/* by source, -1: not known */
	struct answer *answers;		/* by source */
	size_t source_count;
	struct version *versions;
	size_t version_count, version_room;
	uint64_t next_id;
	uint64_t asked;
	bool failed;			/* memory was missing */
};

/* Room for answers to sources up to @source; what is new runs on no known CPU. */
static int add_sources(struct rvtrace_resolver *r, size_t source)
{
	size_t count = source + 1;
	struct answer *answers;
	int *cpus;

	if (source < r->source_count)
		return 0;
	cpus = realloc(r->cpus, count * sizeof(*cpus));
	if (!cpus)
		return RVTRACE_ERR_NO_MEMORY;
	r->cpus = cpus;
	answers = realloc(r->answers, count * sizeof(*answers));
	if (!answers)
		return RVTRACE_ERR_NO_MEMORY;
	r->answers = answers;
	for (; r->source_count < count; r->source_count++) {
		cpus[r->source_count] = -1;
		answers[r->source_count] = (struct answer) { 0 };
	}
	return 0;
}

static int set_sources(struct rvtrace_resolver *r, const struct rvtrace_recording_sink *sink)
{
	size_t i, j;

	for (i = 0; i < sink->source_count; i++) {
		const struct rvtrace_recording_source *source = &sink->sources[i];

		for (j = 0; j < source->cpu_count; j++) {
			if (add_sources(r, source->src_id + j))
				return -ENOMEM;
			/* Harts without ids cannot be told apart. */
			if (source->cpu_count == 1 || source->src_bits)
				r->cpus[source->src_id + j] = source->cpus[j];
		}
	}
	return 0;
}

int rvtrace_resolver_new(struct rvtrace_recording *recording, size_t sink,
			 struct rvtrace_program *program, const struct rvtrace_spaces *spaces,
			 struct rvtrace_resolver **out, struct rvtrace_failure *error)
{
	struct rvtrace_resolver *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return fail(error, -ENOMEM, "resolver", "out of memory");
	r->program = program;
	r->spaces = spaces;
	r->next_id = 1;
	r->thread_switch = rvtrace_recording_thread_switch(recording, sink);
	ret = set_sources(r, rvtrace_recording_sink(recording, sink));
	if (ret)
		fail(error, ret, "resolver", "out of memory");
	else
		ret = rvtrace_clock_load(recording, sink, &r->clock, error);
	if (ret) {
		rvtrace_resolver_free(r);
		return ret;
	}
	*out = r;
	return 0;
}

int resolver_read_writes(struct rvtrace_resolver *resolver, struct rvtrace_recording *recording,
			 size_t sink, const struct packet_reader *packets, void *reader,
			 struct rvtrace_failure *error)
{
	const struct rvtrace_switches *switches = rvtrace_spaces_switches(resolver->spaces);
	const struct rvtrace_recording_sink *s = rvtrace_recording_sink(recording, sink);

	if (!switches || s->source_count != 1 || s->sources[0].cpu_count != 1)
		return 0;
	return rvtrace_pointers_load(recording, sink, packets, reader, switches,
				     &resolver->pointers, error);
}

void rvtrace_resolver_free(struct rvtrace_resolver *resolver)
{
	size_t i;

	if (!resolver)
		return;
	for (i = 0; i < resolver->version_count; i++)
		rvtrace_image_drop(resolver->program->image, resolver->versions[i].id);
	rvtrace_clock_free(resolver->clock);
	rvtrace_pointers_free(resolver->pointers);
	free(resolver->versions);
	free(resolver->answers);
	free(resolver->cpus);
	free(resolver);
}

/* The version to forget for a new one, or room for one more; NULL without memory. */
static struct version *make_room(struct rvtrace_resolver *r)
{
	struct version *oldest = NULL, *versions;
	size_t i, room;

	for (i = 0; r->version_count >= VERSIONS && i < r->version_count; i++) {
		struct version *v = &r->versions[i];

		if (!v->users && (!oldest || v->used < oldest->used))
			oldest = v;
	}
	if (oldest) {
		rvtrace_image_drop(r->program->image, oldest->id);
		return oldest;
	}
	if (r->version_count == r->version_room) {
		room = r->version_room ? 2 * r->version_room : VERSIONS;
		versions = realloc(r->versions, room * sizeof(*versions));
		if (!versions)
			return NULL;
		r->versions = versions;
		r->version_room = room;
	}
	return &r->versions[r->version_count++];
}

/* Of a process with thousands of mappings few are executed before the next one is. */
static void fill(void *data, uint64_t id, unsigned int priv, uint64_t address)
{
	struct rvtrace_resolver *r = data;
	const struct version *v = r->versions;
	int ret;

	(void)priv;
	while (v->id != id)
		v++;
	ret = v->space ? rvtrace_program_map_at(r->program, v->space, v->ns, id, address) :
			 rvtrace_program_map_kernel_at(r->program, v->ns, id, address);
	r->failed |= ret != 0;
}

/* Return: index plus 1; 0 without memory. */
static size_t get_version(struct rvtrace_resolver *r, const struct rvtrace_space *space,
			  size_t state, uint64_t ns)
{
	struct version *v;
	size_t i;
	int ret;

	for (i = 0; i < r->version_count; i++) {
		v = &r->versions[i];
		if (v->space == space && v->state == state) {
			v->used = r->asked;
			return i + 1;
		}
	}
	v = make_room(r);
	if (!v)
		return 0;
	*v = (struct version) { .space = space, .state = state, .id = r->next_id++,
				.ns = ns, .used = r->asked };
	ret = rvtrace_image_on_demand(r->program->image, v->id, fill, r);
	return ret ? 0 : v - r->versions + 1;
}

/* How many of @changes have happened at @ns; then @until is at most the next one. */
static size_t state_at(const uint64_t *changes, size_t count, uint64_t ns, uint64_t *until)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (changes[middle] <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < count && changes[low] < *until)
		*until = changes[low];
	return low;
}

/* The source holds on to its answer, and lets go of the one before. */
static uint64_t hold(struct rvtrace_resolver *r, size_t *held, size_t index)
{
	if (index)
		r->versions[index - 1].users++;
	if (*held)
		r->versions[*held - 1].users--;
	*held = index;
	return index ? r->versions[index - 1].id : RVTRACE_SPACE_ANY;
}

static const struct rvtrace_space *find_space(const struct rvtrace_resolver *r,
					      const struct rvtrace_flow_query *query, uint64_t ns,
					      const struct rvtrace_stretch *stretch,
					      uint64_t *until)
{
	const struct rvtrace_space *space;
	uint64_t renamed = UINT64_MAX;

	/* What the numbers name was recorded for who reads the records: not beside a session. */
	if (query->has_context && rvtrace_spaces_name_contexts(r->spaces)) {
		space = rvtrace_spaces_of_context(r->spaces, query->context, ns, &renamed);
		if (renamed < *until)
			*until = renamed;
		return space;
	}
	if (!stretch->known)
		return NULL;
	space = rvtrace_spaces_of_process(r->spaces, stretch->pid, ns);
	if (space && space->until > ns && space->until < *until)
		*until = space->until;
	return space;
}

static int answer(struct rvtrace_resolver *r, struct answer *held,
		  const struct rvtrace_space *space, uint64_t ns, uint64_t *until,
		  struct rvtrace_flow_place *place)
{
	const struct rvtrace_program *p = r->program;
	size_t user = 0, kernel = 0, state;

	if (space && space->map_count) {
		state = state_at(space->changes, space->change_count, ns, until);
		user = get_version(r, space, state, ns);
		if (!user)
			return RVTRACE_ERR_NO_MEMORY;
	}
	/* until it is held, nothing else may take its place */
	place->user = hold(r, &held->user, user);
	if (space && space->vdso && p->signal_return)
		place->signal_return = space->vdso + p->signal_return;
	state = state_at(p->kernel_changes, p->kernel_change_count, ns, until);
	if (state) {
		/* not the last one: what went is there, too */
		state += ns == RVTRACE_TIME_NEWEST;
		kernel = get_version(r, NULL, state, ns);
		if (!kernel)
			return RVTRACE_ERR_NO_MEMORY;
	}
	place->kernel = hold(r, &held->kernel, kernel);
	if (space)
		place->process = space->index;
	return 0;
}

static uint64_t ns_of(const struct rvtrace_resolver *r, bool has_time, uint64_t time)
{
	return has_time && rvtrace_clock_known(r->clock) ? rvtrace_clock_ns(r->clock, time) :
							   RVTRACE_TIME_NEWEST;
}

/* The first change of what a process has mapped after @ns */
static uint64_t next_change(const struct rvtrace_space *space, uint64_t ns)
{
	uint64_t until = space->until > ns ? space->until : UINT64_MAX;

	state_at(space->changes, space->change_count, ns, &until);
	return until;
}

/*
 * When the next program that the process changes to after @ns, within @stretch, is mapped if one
 * begins at @address; else @ns. What the process had before may have been at that address, too.
 */
static uint64_t ns_of_next_program(const struct rvtrace_resolver *r, uint64_t ns,
				   const struct rvtrace_stretch *stretch, uint64_t address)
{
	const struct rvtrace_space *first = rvtrace_spaces_of_process(r->spaces, stretch->pid, ns);
	const struct rvtrace_space *space;
	uint64_t at = first->until;

	while (at < stretch->until) {
		space = rvtrace_spaces_of_process(r->spaces, stretch->pid, at);
		if (!space)
			break;
		if (space != first &&
		    rvtrace_program_begins_at(r->program, space, at, address))
			return at;
		at = next_change(space, at);
	}
	return ns;
}

/*
 * When, without a time: the task ran within @stretch, and time does not go back. A process is where
 * it has something mapped, so that was mapped by then, and where a program begins, it has begun:
 * but for the one that has, whose first instruction is asked for again where it was not in memory.
 */
static uint64_t ns_by_address(const struct rvtrace_resolver *r, struct answer *held,
			      const struct rvtrace_stretch *stretch, uint64_t address)
{
	bool same = held->ns >= stretch->from && held->ns < stretch->until;
	const struct rvtrace_space *space, *first = NULL;
	uint64_t ns;

	if (!same)
		held->ns = stretch->from;
	if (address >> 63)
		return held->ns;
	for (ns = held->ns; ns < stretch->until; ns = next_change(space, ns)) {
		space = rvtrace_spaces_of_process(r->spaces, stretch->pid, ns);
		if (!space)
			break;
		if (!first)
			first = space;
		if (!rvtrace_space_map_at(space, address, ns))
			continue;
		held->ns = ns;
		if (space == first && !(same && address == held->address))
			held->ns = ns_of_next_program(r, ns, stretch, address);
		break;
	}
	held->address = address;
	return held->ns;
}

/* The same where the trace has what was written to tp, and no time */
static int resolve_pointer(struct rvtrace_resolver *r, const struct rvtrace_flow_query *query,
			   struct rvtrace_flow_place *place)
{
	struct answer *held = &r->answers[query->source];
	uint64_t ns = RVTRACE_TIME_NEWEST, until = UINT64_MAX;
	struct rvtrace_stretch stretch;

	if (rvtrace_pointers_at(r->pointers, query->offset, &stretch)) {
		place->thread = stretch.tid;
		ns = ns_by_address(r, held, &stretch, query->address);
	}
	return answer(r, held, find_space(r, query, ns, &stretch, &until), ns, &until, place);
}

static int resolve(void *data, const struct rvtrace_flow_query *query,
		   struct rvtrace_flow_place *place)
{
	struct rvtrace_resolver *r = data;
	uint64_t ns = ns_of(r, query->has_time, query->time), until = UINT64_MAX;
	const struct rvtrace_switches *switches = rvtrace_spaces_switches(r->spaces);
	struct rvtrace_stretch stretch = { .known = false };
	uint64_t from = query->time;
	int cpu, ret;

	/* damaged trace names sources that are not in the recording */
	ret = add_sources(r, query->source);
	if (ret)
		return ret;
	if (r->failed)
		return RVTRACE_ERR_NO_MEMORY;
	r->asked++;
	if (r->pointers)
		return resolve_pointer(r, query, place);
	cpu = r->cpus[query->source];
	if (switches && cpu >= 0 && ns != RVTRACE_TIME_NEWEST) {
		place->of_task = rvtrace_switches_of_task(switches, cpu, query->task, ns, &stretch);
		if (!place->of_task)
			rvtrace_switches_at(switches, cpu, ns, &stretch);
		until = stretch.until;
	}
	if (place->of_task) {
		place->thread = stretch.tid;
		if (until != UINT64_MAX)
			until += SWITCH_NS;
		if (ns < stretch.from) {
			ns = stretch.from;
			from = rvtrace_clock_ticks(r->clock, ns);
		}
	} else if (stretch.known) {
		place->thread = stretch.tid;
		place->thread_new = ns - stretch.from < SWITCH_NS;
		if (place->thread_new && until - stretch.from > SWITCH_NS)
			until = stretch.from + SWITCH_NS;
	}
	ret = answer(r, &r->answers[query->source],
		     find_space(r, query, ns, &stretch, &until), ns, &until, place);
	place->from = from > query->time ? from : query->time;
	place->until = ns == RVTRACE_TIME_NEWEST ? UINT64_MAX : rvtrace_clock_ticks(r->clock, until);
	if (place->until <= place->from)
		place->until = place->from + 1;
	return ret;
}

const struct rvtrace_clock *rvtrace_resolver_clock(const struct rvtrace_resolver *resolver)
{
	return resolver->clock;
}

int rvtrace_resolver_attach(struct rvtrace_resolver *resolver,
			    struct rvtrace_flow_config *config)
{
	const struct rvtrace_switches *switches = rvtrace_spaces_switches(resolver->spaces);

	if (config->size < offsetof(struct rvtrace_flow_config, resolve_data) +
			   sizeof(config->resolve_data))
		return -EINVAL;
	if (resolver->source_count)
		memset(resolver->answers, 0,
		       resolver->source_count * sizeof(*resolver->answers));
	for (size_t i = 0; i < resolver->version_count; i++)
		resolver->versions[i].users = 0;
	config->time_near = rvtrace_clock_start(resolver->clock);
	memcpy(config->trap_vector, resolver->program->trap_vector,
	       sizeof(config->trap_vector));
	config->kernel = resolver->program->kernel;
	/* pointers are exact by themselves, and the side band tells of switches that were */
	config->task_switch = 0;
	if (!resolver->pointers && switches && rvtrace_switches_scheduled(switches))
		config->task_switch = resolver->program->task_switch;
	config->thread_switch = resolver->thread_switch;
	config->resolve = resolve;
	config->resolve_data = resolver;
	return 0;
}

uint64_t rvtrace_resolver_ns(const struct rvtrace_resolver *resolver,
			     const struct rvtrace_flow_item *item)
{
	return ns_of(resolver, item->flags & RVTRACE_FLOW_HAS_TIME, item->time);
}

const struct rvtrace_space *rvtrace_resolver_space(const struct rvtrace_resolver *resolver,
						   const struct rvtrace_flow_item *item)
{
	return item->process == RVTRACE_PROCESS_UNKNOWN ? NULL :
	       rvtrace_spaces_get(resolver->spaces, item->process);
}

const struct rvtrace_space_map *rvtrace_resolver_map(const struct rvtrace_resolver *resolver,
						     const struct rvtrace_flow_item *item,
						     uint64_t address)
{
	const struct rvtrace_space *space = rvtrace_resolver_space(resolver, item);

	return space ? rvtrace_space_map_at(space, address, rvtrace_resolver_ns(resolver, item)) :
		       NULL;
}
