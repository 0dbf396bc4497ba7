// SPDX-License-Identifier: GPL-2.0
/*
 * Structures that grow, of programs that are older or newer than the library: what both know
 * counts, and nothing behind the caller's structure is touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <rvtrace/rvtrace.h>

#include "recording_helpers.h"
#include "tools/lib/base/sized.h"

#define ROOM	(4 * 4096)	/* for the largest structure, and more */
#define MORE	16		/* bytes of members that the library does not know */

struct first {
	size_t size;
	uint64_t a;
};

struct second {
	size_t size;
	uint64_t a;
	uint64_t b;
};

static uint8_t *room;
static struct rvtrace_image *image;
static struct rvtrace_flow *flow;
static struct rvtrace_program *program;
static struct rvtrace_spaces *spaces;
static struct rvtrace_recording *recording;
static struct rvtrace_resolver *resolver;
static char path[64];
static char metadata[80];
static int empty;

/* The structure ends where memory does. */
static void *place(const void *structure, size_t known, size_t size)
{
	uint8_t *at = room + ROOM - size;

	memset(room, 0xff, ROOM);
	memset(at, 0, size);
	memcpy(at, structure, known < size ? known : size);
	memcpy(at, &size, sizeof(size));
	return at;
}

static void an_older_program_leaves_new_members_0(void **state)
{
	const struct first old = { .a = 5 };
	struct second own = { .b = 7 };

	(void)state;
	assert_int_equal(sized_take(&own, sizeof(own), place(&old, sizeof(old), sizeof(old)),
				    &own.a + 1), 0);
	assert_int_equal(own.size, sizeof(own));
	assert_int_equal(own.a, 5);
	assert_int_equal(own.b, 0);
}

static void a_newer_program_may_not_ask_for_what_is_not_known(void **state)
{
	struct second new = { .a = 5 };
	struct first own;

	(void)state;
	assert_int_equal(sized_take(&own, sizeof(own), place(&new, sizeof(new), sizeof(new)),
				    &own.a + 1), 0);
	assert_int_equal(own.size, sizeof(own));
	assert_int_equal(own.a, 5);
	new.b = 1ull << 63;
	assert_int_equal(sized_take(&own, sizeof(own), place(&new, sizeof(new), sizeof(new)),
				    &own.a + 1), RVTRACE_ERR_TOO_NEW);
}

static void no_size_and_less_than_there_ever_was_are_refused(void **state)
{
	const size_t sizes[] = { 0, 1, sizeof(size_t), sizeof(struct first) - 1 };
	struct second own = { .a = 1, .b = 2 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct second theirs = { .size = sizes[i], .a = 3, .b = 4 };

		assert_int_equal(sized_take(&own, sizeof(own), &theirs, &own.a + 1),
				 RVTRACE_ERR_INVALID);
		assert_int_equal(sized_give(&theirs, &own, sizeof(own), &own.a + 1),
				 RVTRACE_ERR_INVALID);
		assert_int_equal(own.a, 1);
		assert_int_equal(theirs.a, 3);
	}
}

static void an_older_program_gets_what_it_knows(void **state)
{
	struct second own = { .size = sizeof(own), .a = 5 };
	struct first *theirs = place(&own, 0, sizeof(*theirs));

	(void)state;
	assert_int_equal(sized_give(theirs, &own, sizeof(own), &own.a + 1), 0);
	assert_int_equal(theirs->size, sizeof(*theirs));
	assert_int_equal(theirs->a, 5);
	own.b = 1;
	assert_int_equal(sized_give(theirs, &own, sizeof(own), &own.a + 1), RVTRACE_ERR_TOO_NEW);
}

static void a_newer_program_gets_0_for_the_rest(void **state)
{
	const struct first own = { .size = sizeof(own), .a = 5 };
	struct second theirs = { .size = sizeof(theirs), .b = 7 };

	(void)state;
	assert_int_equal(sized_give(&theirs, &own, sizeof(own), &own.a + 1), 0);
	assert_int_equal(theirs.size, sizeof(theirs));
	assert_int_equal(theirs.a, 5);
	assert_int_equal(theirs.b, 0);
}

/* What functions say of a structure that is as it should be is 0. */
static int flow_new(void *structure)
{
	struct rvtrace_flow *other;
	int ret = rvtrace_flow_new(structure, image, &other);

	if (!ret)
		rvtrace_flow_free(other);
	return ret;
}

static int parallel_possible(void *structure)
{
	return !rvtrace_parallel_possible(structure);
}

static int format_of(void *structure)
{
	return !rvtrace_format_of(structure);
}

static int etrace_config(void *structure)
{
	struct rvtrace_etrace_params params;

	rvtrace_etrace_params_default(&params);
	return rvtrace_flow_config_etrace(&params, structure);
}

static int cdl_config(void *structure)
{
	return rvtrace_flow_config_cdl(&(struct rvtrace_cdl_config) { .xlen = 32 }, structure);
}

static int debugspec_config(void *structure)
{
	return rvtrace_flow_config_debugspec(&(struct rvtrace_debugspec_config) { .xlen = 32 },
					     structure);
}

static int format_load(void *structure)
{
	return rvtrace_format_load(rvtrace_format_find("etrace"),
				   "selftests/vectors/etrace/itype3_basic-towers/towers.scf",
				   structure, NULL);
}

static int replay_config(void *structure)
{
	return rvtrace_replay_config(recording, 0, structure, NULL);
}

static int replay_config_load(void *structure)
{
	return rvtrace_replay_config_load(metadata, structure, NULL);
}

static int resolver_attach(void *structure)
{
	return rvtrace_resolver_attach(resolver, structure);
}

static int flow_stats(void *structure)
{
	return rvtrace_flow_stats(flow, 0, structure);
}

static int events_new(void *structure)
{
	struct rvtrace_events *reader;
	int ret = rvtrace_events_new(structure, &reader);

	if (!ret)
		rvtrace_events_free(reader);
	return ret;
}

static int take_items(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	(void)data;
	(void)items;
	(void)count;
	return 0;
}

static void take_bytes(void *data, uint64_t offset, const uint8_t *bytes, size_t size)
{
	(void)data;
	(void)offset;
	(void)bytes;
	(void)size;
}

static void take_damage(void *data, const struct rvtrace_unwrap_damage *damage)
{
	(void)data;
	(void)damage;
}

static const struct rvtrace_flow_stats stats;
static const struct rvtrace_parallel_counts counts;
static const struct rvtrace_event_config event_config = { .ntrace.xlen = 64 };
static const struct rvtrace_replay_handler replay_handler = { .items = take_items };
static const struct rvtrace_flow_config flow_config = {
	.size = sizeof(flow_config), .isa.xlen = 64,
};

static const struct rvtrace_pib_config pib_config = {
	.size = sizeof(pib_config), .mode = RVTRACE_PIB_MODE_PARALLEL_8,
	.format = RVTRACE_FORMAT_NTRACE,
};

static const struct rvtrace_unwrap_handler unwrap_handler = {
	.size = sizeof(unwrap_handler), .bytes = take_bytes, .damage = take_damage,
};

static int pib_config_of(void *structure)
{
	struct rvtrace_pib *pib;
	int ret = rvtrace_pib_new(structure, &unwrap_handler, &pib);

	if (!ret)
		rvtrace_pib_free(pib);
	return ret;
}

static int pib_handler(void *structure)
{
	struct rvtrace_pib *pib;
	int ret = rvtrace_pib_new(&pib_config, structure, &pib);

	if (!ret)
		rvtrace_pib_free(pib);
	return ret;
}

static int atb_handler(void *structure)
{
	struct rvtrace_atb *atb;
	int ret = rvtrace_atb_new(1, structure, &atb);

	if (!ret)
		rvtrace_atb_free(atb);
	return ret;
}

static int replay(void *structure)
{
	return rvtrace_replay(recording, 0, program, resolver, structure, NULL);
}

static int replay_window(void *structure)
{
	return rvtrace_replay_window(recording, 0, program, resolver, 0, UINT64_MAX, structure,
				     NULL);
}

static int replay_file(void *structure)
{
	return rvtrace_replay_file(empty, "", &flow_config, image, structure, NULL);
}

static int replay_file_config(void *structure)
{
	const struct rvtrace_replay_handler handler = {
		.size = sizeof(handler), .items = take_items,
	};

	return rvtrace_replay_file(empty, "", structure, image, &handler, NULL);
}

static void *part_new(void *data, unsigned int worker)
{
	(void)data;
	(void)worker;
	return malloc(1);
}

static int commit(void *data, void *part)
{
	(void)data;
	(void)part;
	return 0;
}

static struct rvtrace_parallel_handler parallel_handler = {
	.size = sizeof(parallel_handler), .part_new = part_new, .items = take_items,
	.commit = commit, .part_free = free,
};

static int parallel(const void *config, const void *handler)
{
	const struct rvtrace_parallel_worker worker = { .program = program };

	return rvtrace_parallel_file(empty, "", config, &worker, 1, 0, handler, NULL);
}

static int parallel_file(void *structure)
{
	return parallel(&flow_config, structure);
}

static int parallel_file_config(void *structure)
{
	return parallel(structure, &parallel_handler);
}

static int parallel_file_counts(void *structure)
{
	struct rvtrace_parallel_handler handler = parallel_handler;

	handler.counts = structure;
	return parallel(&flow_config, &handler);
}

static int parallel_replay(void *structure)
{
	const struct rvtrace_parallel_worker worker = { .program = program, .resolver = resolver };

	return rvtrace_parallel_replay(recording, 0, &worker, 1, 0, structure, NULL);
}

/* A program that is not the library's age gives a structure to @call, or has it filled. */
struct exchange {
	const char *name;
	int (*call)(void *structure);
	const void *structure;
	size_t size;
	int invalid;
	int too_new;
};

#define IN(call, structure, invalid, too_new) \
	{ #call, call, &(structure), sizeof(structure), invalid, too_new }
#define DECODER(call, structure) \
	IN(call, structure, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW)
#define FILES(call, structure)	IN(call, structure, -EINVAL, -E2BIG)

static const struct exchange taken[] = {
	DECODER(flow_new, flow_config),
	DECODER(events_new, event_config),
	DECODER(pib_config_of, pib_config),
	DECODER(pib_handler, unwrap_handler),
	DECODER(atb_handler, unwrap_handler),
	IN(parallel_possible, flow_config, true, true),
	IN(format_of, flow_config, true, true),
	FILES(replay, replay_handler),
	FILES(replay_window, replay_handler),
	FILES(replay_file, replay_handler),
	FILES(replay_file_config, flow_config),
	FILES(parallel_file, parallel_handler),
	FILES(parallel_file_config, flow_config),
	FILES(parallel_replay, parallel_handler),
};

/* What a library does not know cannot be too much for it to fill. */
static const struct exchange filled[] = {
	DECODER(etrace_config, flow_config),
	DECODER(cdl_config, flow_config),
	DECODER(debugspec_config, flow_config),
	DECODER(flow_stats, stats),
	FILES(format_load, flow_config),
	FILES(replay_config, flow_config),
	FILES(replay_config_load, flow_config),
	FILES(parallel_file_counts, counts),
};

static int call(const struct exchange *e, void *structure)
{
	print_message("%s\n", e->name);
	return e->call(structure);
}

/* The first version has no padding at its end. */
static void refuses_small_ones(const struct exchange *e)
{
	size_t sizes[] = { 0, sizeof(size_t), e->size - 1 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		void *structure = place(e->structure, e->size, e->size);

		memcpy(structure, &sizes[i], sizeof(sizes[i]));
		assert_int_equal(call(e, structure), e->invalid);
	}
}

static void structures_that_functions_take(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		const struct exchange *e = &taken[i];
		uint8_t *structure;

		refuses_small_ones(e);
		assert_int_equal(call(e, place(e->structure, e->size, e->size)), 0);
		structure = place(e->structure, e->size, e->size + MORE);
		assert_int_equal(call(e, structure), 0);
		structure[e->size + MORE - 1] = 1;
		assert_int_equal(call(e, structure), e->too_new);
	}
}

static void structures_that_functions_fill(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(filled) / sizeof(filled[0]); i++) {
		const struct exchange *e = &filled[i];
		size_t size = e->size + MORE;
		uint8_t *structure;

		refuses_small_ones(e);
		assert_int_equal(call(e, place(e->structure, e->size, e->size)), 0);
		structure = place(e->structure, e->size, size);
		memset(structure + e->size, 0xff, MORE);
		assert_int_equal(call(e, structure), 0);
		assert_memory_equal(structure, &size, sizeof(size));
		assert_true(all_zero(structure + e->size, MORE));
	}
}

/* It changes some members, and leaves those that it does not know as they are. */
static void a_configuration_that_a_resolver_gets_into(void **state)
{
	const struct exchange e = FILES(resolver_attach, flow_config);
	uint8_t *structure;

	(void)state;
	refuses_small_ones(&e);
	structure = place(&flow_config, sizeof(flow_config), sizeof(flow_config) + MORE);
	structure[sizeof(flow_config)] = 1;
	assert_int_equal(resolver_attach(structure), 0);
	assert_int_equal(structure[sizeof(flow_config)], 1);
}

/* Parameters of a format are in structures that grow, and must keep their size. */
static void parameters_of_formats_have_room(void **state)
{
	struct rvtrace_etrace_params etrace;
	struct rvtrace_flow_config config = flow_config;
	struct rvtrace_event_config events = event_config;
	struct rvtrace_osd_config osd = { .reserved[11] = 1 };
	struct rvtrace_cdl_config cdl = { .xlen = 32, .reserved[3] = 1 };
	struct rvtrace_debugspec_config debugspec = { .xlen = 32, .reserved[4] = 1 };
	struct rvtrace_debugspec *debugspec_reader;
	struct rvtrace_osd *osd_reader;
	const char *name;

	(void)state;
	assert_int_equal(sizeof(struct rvtrace_isa), 8);
	assert_int_equal(sizeof(config.ntrace), RVTRACE_NTRACE_SOURCES + 16);
	assert_int_equal(sizeof(events.ntrace), 16);
	assert_int_equal(sizeof(etrace), 128);
	assert_int_equal(sizeof(cdl), 64);
	assert_int_equal(sizeof(debugspec), 64);
	assert_int_equal(sizeof(osd), 16 + 2 * sizeof(void *));

	rvtrace_etrace_params_default(&etrace);
	etrace.reserved[sizeof(etrace.reserved) - 1] = 1;
	assert_int_equal(rvtrace_etrace_params_check(&etrace, &name, NULL), RVTRACE_ERR_INVALID);
	assert_string_equal(name, "reserved");
	assert_non_null(rvtrace_cdl_config_check(&cdl));
	assert_int_equal(rvtrace_debugspec_new(&debugspec, &debugspec_reader), RVTRACE_ERR_INVALID);
	assert_int_equal(rvtrace_osd_new(&osd, &osd_reader), RVTRACE_ERR_INVALID);
	config.isa.reserved[0] = 1;
	assert_int_equal(flow_new(&config), RVTRACE_ERR_INVALID);
	config.isa.reserved[0] = 0;
	config.ntrace.reserved[9] = 1;
	assert_int_equal(flow_new(&config), RVTRACE_ERR_INVALID);
	events.size = sizeof(events);
	events.ntrace.reserved[0] = 1;
	assert_int_equal(events_new(&events), RVTRACE_ERR_INVALID);
}

static void write_metadata(void)
{
	FILE *file = fopen(metadata, "w");

	assert_non_null(file);
	fputs("{\"schema\":2,\"host\":{\"machine\":\"riscv64\"},"
	      "\"sinks\":[{\"name\":\"s0\",\"sources\":[{\"component\":\"encoder0\",\"cpus\":[0],\"harts\":[0],\"format\":\"ntrace\","
	      "\"src_id\":0,\"src_bits\":1,\"attributes\":{\"generation\":\"TCI 1.0\"}}]}]}", file);
	fclose(file);
}

static int setup(void **state)
{
	(void)state;
	room = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(room, MAP_FAILED);
	assert_int_equal(mprotect(room + ROOM, 4096, PROT_NONE), 0);
	strcpy(path, "/tmp/rvtrace-sized-XXXXXX");
	assert_non_null(mkdtemp(path));
	snprintf(metadata, sizeof(metadata), "%s/metadata.json", path);
	write_metadata();
	empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
	image = rvtrace_image_new();
	program = rvtrace_program_new();
	spaces = rvtrace_spaces_new();
	assert_int_equal(rvtrace_flow_new(&flow_config, image, &flow), 0);
	assert_int_equal(rvtrace_recording_open(path, &recording, NULL), 0);
	return rvtrace_replay_resolver(recording, 0, program, spaces, &resolver, NULL);
}

static int teardown(void **state)
{
	(void)state;
	rvtrace_resolver_free(resolver);
	rvtrace_recording_free(recording);
	rvtrace_flow_free(flow);
	rvtrace_spaces_free(spaces);
	rvtrace_program_free(program);
	rvtrace_image_free(image);
	close(empty);
	munmap(room, ROOM + 4096);
	remove_tree(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_older_program_leaves_new_members_0),
		cmocka_unit_test(a_newer_program_may_not_ask_for_what_is_not_known),
		cmocka_unit_test(no_size_and_less_than_there_ever_was_are_refused),
		cmocka_unit_test(an_older_program_gets_what_it_knows),
		cmocka_unit_test(a_newer_program_gets_0_for_the_rest),
		cmocka_unit_test(structures_that_functions_take),
		cmocka_unit_test(structures_that_functions_fill),
		cmocka_unit_test(a_configuration_that_a_resolver_gets_into),
		cmocka_unit_test(parameters_of_formats_have_room),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
