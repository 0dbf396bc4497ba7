// SPDX-License-Identifier: GPL-2.0
/* Whose code a hart executes at any time of a recording, and what there is no image of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rvtrace/build_id.h>
#include <rvtrace/missing.h>
#include <rvtrace/replay.h>

#include "selftests/unit/recording_helpers.h"
#include "selftests/unit/sideband-builder.h"

#define TICK		100	/* ns: 10 MHz */
#define CODE_SIZE	0x3000

/*
 * Process 10, sh, runs on CPU 0 from 1000, child 20 from 3000; both on SRC 0. Time 0 of the trace
 * is time 0 of the clock. Image N consists of bytes N.
 */
static char path[64];
static struct rvtrace_recorder *recorder;
static struct builder b;
static struct rvtrace_recording *recording;
static struct rvtrace_spaces *spaces;
static struct rvtrace_program *program;
static struct rvtrace_resolver *resolver;
static struct rvtrace_flow_config config;
static struct rvtrace_flow_place place;
static struct rvtrace_recording_error error;

static void line(const char *name, const char *text)
{
	struct json_object *object = json_tokener_parse(text);

	assert_non_null(object);
	assert_int_equal(rvtrace_recorder_line(recorder, name, object, &error), 0);
	json_object_put(object);
}

/* An image all of whose bytes are @byte; @more are members of its line. */
static void image(const char *name, uint8_t byte, const char *more)
{
	uint8_t bytes[CODE_SIZE];
	char text[512];
	int fd;

	snprintf(text, sizeof(text), "images/%s", name);
	fd = rvtrace_recorder_create(recorder, text, &error);
	assert_true(fd >= 0);
	memset(bytes, byte, sizeof(bytes));
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	close(fd);
	snprintf(text, sizeof(text), "{\"file\":\"images/%s\",\"size\":%d,%s}", name, CODE_SIZE, more);
	line("images/index.jsonl", text);
}

static void begin_recording(void)
{
	struct json_object *metadata = json_tokener_parse(
		"{\"timestamp\":{\"frequency_hz\":10000000},\"sinks\":[{\"name\":\"s0\",\"sources\":["
		"{\"component\":\"encoder0\",\"cpus\":[0],\"harts\":[0],\"format\":\"ntrace\","
		"\"src_id\":0,\"src_bits\":1,\"attributes\":{}},"
		"{\"component\":\"encoder1\",\"cpus\":[1],\"harts\":[1],\"format\":\"ntrace\","
		"\"src_id\":1,\"src_bits\":1,\"attributes\":{}}]}]}");
	int fd = rvtrace_recording_directory(path, &error);

	assert_int_equal(rvtrace_recorder_new(fd, path, NULL, &recorder, &error), 0);
	assert_int_equal(rvtrace_recorder_add_sink(recorder, "s0", &error), 0);
	assert_int_equal(rvtrace_recorder_begin(recorder, metadata, &error), 0);
	json_object_put(metadata);
}

static void record(const void *bytes, size_t size)
{
	assert_int_equal(rvtrace_recorder_records(recorder, 0, bytes, size, &error), 0);
}

static void context(uint64_t time, uint32_t value, int pid)
{
	const struct rvtrace_record_address_space r = {
		.header = { .size = sizeof(r), .type = RVTRACE_RECORD_ADDRESS_SPACE, .time = time },
		.context = value, .pid = pid, .comm = "x",
	};

	record(&r, sizeof(r));
}

static int setup(void **state)
{
	const struct rvtrace_record_clock clock = {
		.header = { .size = sizeof(clock), .type = RVTRACE_RECORD_CLOCK, .time = 1000000 },
		.trace_time = 1000000 / TICK,
	};

	(void)state;
	memset(&b, 0, sizeof(b));
	memset(&config, 0, sizeof(config));
	strcpy(path, "/tmp/rvtrace-resolver-XXXXXX");
	if (!mkdtemp(path))
		return -1;
	begin_recording();
	record(&clock, sizeof(clock));
	image("sh", 1, "\"kind\":\"file\",\"name\":\"/bin/sh\"");
	line("images/maps.jsonl", "{\"pid\":10,\"comm\":\"sh\",\"time\":500,\"maps\":["
	     "{\"start\":\"0x10000\",\"end\":\"0x12000\",\"offset\":\"0x1000\",\"path\":\"/bin/sh\"}]}");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rvtrace_resolver_free(resolver);
	rvtrace_program_free(program);
	rvtrace_spaces_free(spaces);
	rvtrace_recording_free(recording);
	remove_tree(path);
	return 0;
}

static void load_what_is_there(void)
{
	assert_int_equal(rvtrace_recorder_finish(recorder, &error), 0);
	rvtrace_recorder_free(recorder);
	assert_int_equal(rvtrace_recording_open(path, &recording, &error), 0);
	assert_int_equal(rvtrace_spaces_load(recording, &spaces, &error), 0);
	program = rvtrace_program_new();
	assert_int_equal(rvtrace_program_load(program, recording, path, spaces, &error), 0);
	assert_int_equal(rvtrace_resolver_new(recording, 0, program, spaces, &resolver, &error), 0);
	rvtrace_resolver_attach(resolver, &config);
}

/* Everything was recorded. */
static void load(void)
{
	const struct iovec iov = { b.bytes, b.size };

	assert_int_equal(rvtrace_recorder_sideband(recorder, &iov, 1, &error), 0);
	load_what_is_there();
	assert_null(rvtrace_recording_damage(recording, 0));
}

static void timestamps_are_near_to_the_first_moment(void **state)
{
	(void)state;
	load();
	assert_int_equal(config.time_near, 1000000 / TICK);
}

static void ask(unsigned int source, int context_value, int64_t ns)
{
	const struct rvtrace_flow_query query = {
		.source = source, .has_context = context_value >= 0, .context = context_value,
		.has_time = ns >= 0, .time = ns < 0 ? 0 : ns / TICK,
	};

	place = (struct rvtrace_flow_place) {
		.user = RVTRACE_SPACE_ANY, .kernel = RVTRACE_SPACE_ANY,
		.process = RVTRACE_PROCESS_UNKNOWN, .thread = -1,
	};
	assert_int_equal(config.resolve(config.resolve_data, &query, &place), 0);
}

/* Which image lies at @address by the last answer; 0: none. */
static int user_at(uint64_t address)
{
	struct rvtrace_window window;

	return rvtrace_image_find(program->image, place.user, RVTRACE_PRIV_U, address, &window) ?
	       window.bytes[address - window.start] : 0;
}

static int kernel_at(uint64_t address)
{
	struct rvtrace_window window;

	return rvtrace_image_find(program->image, place.kernel, RVTRACE_PRIV_S, address, &window) ?
	       window.bytes[address - window.start] : 0;
}

static int pid(void)
{
	const struct rvtrace_space *space = rvtrace_spaces_get(spaces, place.process);

	return space ? space->pid : -1;
}

static void switches_name_the_process(void **state)
{
	(void)state;
	add_switch(&b, 1000, 0, 10, 1);
	add_fork(&b, 2000, 20, 20, 10);
	add_switch(&b, 3000, 0, 20, 1);
	add_comm(&b, 4000, 20, "ls", 1);
	add_switch(&b, 5000, 0, 0, 1);
	load();
	ask(0, -1, 500);
	assert_int_equal(pid(), -1);
	assert_int_equal(place.until, 10);
	assert_int_equal(user_at(0x10000), 0);
	ask(0, -1, 1000);
	assert_int_equal(pid(), 10);
	assert_int_equal(place.thread, 10);
	assert_int_equal(user_at(0x10000), 1);
	assert_int_equal(place.from, 10);
	assert_int_equal(place.until, 30);
	ask(0, -1, 3000);
	assert_int_equal(pid(), 20);
	assert_int_equal(user_at(0x10000), 1);
	assert_int_equal(place.until, 40);
	ask(0, -1, 4000);
	assert_int_equal(pid(), 20);
	assert_int_equal(user_at(0x10000), 0);
	/* another CPU, of which nothing is known */
	ask(1, -1, 3000);
	assert_int_equal(pid(), -1);
	assert_int_equal(place.thread, -1);
	/* without a time */
	ask(0, -1, -1);
	assert_int_equal(pid(), -1);
}

static void a_context_names_it_without_switches_and_time(void **state)
{
	(void)state;
	context(900, 5, 10);
	load();
	ask(1, 5, 2000);
	assert_int_equal(pid(), 10);
	assert_int_equal(user_at(0x10000), 1);
	assert_true(place.until == UINT64_MAX);
	ask(1, 5, -1);
	assert_int_equal(user_at(0x10000), 1);
	ask(1, 6, 2000);
	assert_int_equal(pid(), -1);
	assert_int_equal(user_at(0x10000), 0);
}

static void what_is_mapped_depends_on_the_time(void **state)
{
	(void)state;
	context(900, 5, 10);
	image("a", 2, "\"kind\":\"file\",\"name\":\"/lib/a.so\"");
	image("b", 3, "\"kind\":\"file\",\"name\":\"/lib/b.so\"");
	add_mmap(&b, 2000, 10, 0x50000, 0x2000, 0, "/lib/a.so");
	add_mmap(&b, 3000, 10, 0x50000, 0x1000, 0, "/lib/b.so");
	/* nobody has this one: what it covers is not seen */
	add_mmap(&b, 4000, 10, 0x51000, 0x1000, 0, "/lib/c.so");
	load();
	ask(0, 5, 1999);
	assert_int_equal(user_at(0x50000), 0);
	assert_int_equal(place.until, 20);
	ask(0, 5, 2000);
	assert_int_equal(user_at(0x50000), 2);
	assert_int_equal(user_at(0x10000), 1);
	assert_int_equal(place.until, 30);
	ask(0, 5, 3000);
	assert_int_equal(user_at(0x50000), 3);
	assert_int_equal(user_at(0x51000), 2);
	ask(0, 5, -1);
	assert_int_equal(user_at(0x50000), 3);
	assert_int_equal(user_at(0x51000), 0);
	/* and back again, as another hart may be behind */
	ask(1, 5, 2500);
	assert_int_equal(user_at(0x50000), 2);
}

/* What one source still uses stays while others go through hundreds of states. */
static void what_is_in_use_is_kept(void **state)
{
	uint64_t first;
	int i;

	(void)state;
	context(900, 5, 10);
	image("a", 2, "\"kind\":\"file\",\"name\":\"/lib/a.so\"");
	for (i = 0; i < 60; i++)
		add_mmap(&b, 2000 + 100 * i, 10, 0x50000 + 0x10000 * i, 0x1000, 0, "/lib/a.so");
	load();
	ask(1, 5, 2050);
	first = place.user;
	for (i = 0; i < 1000; i++) {
		ask(0, 5, 2050 + 100 * (i % 60));
		assert_int_equal(user_at(0x50000 + 0x10000 * (i % 60)), 2);
		assert_int_equal(user_at(0x50000 + 0x10000 * (i % 60 + 1)), 0);
	}
	place.user = first;
	assert_int_equal(user_at(0x50000), 2);
	assert_int_equal(user_at(0x60000), 0);
}

/* Thousands of processes: states are forgotten, and made again when they are needed. */
static void states_that_were_forgotten_are_made_again(void **state)
{
	int i, round;

	(void)state;
	for (i = 0; i < 600; i++) {
		char text[256];

		snprintf(text, sizeof(text), "{\"pid\":%d,\"comm\":\"p\",\"time\":500,\"maps\":["
			 "{\"start\":\"0x%x\",\"end\":\"0x%x\",\"offset\":\"0x0\",\"path\":\"/bin/sh\"}]}",
			 100 + i, 0x100000 + i * 0x1000, 0x101000 + i * 0x1000);
		line("images/maps.jsonl", text);
		context(900, 100 + i, 100 + i);
	}
	load();
	for (round = 0; round < 3; round++)
		for (i = 0; i < 600; i++) {
			ask(0, 100 + i, 1000);
			assert_int_equal(user_at(0x100000 + i * 0x1000), 1);
			assert_int_equal(user_at(0x100000 + (i + 1) * 0x1000), 0);
		}
}

static void kernel_text_is_there_while_it_is(void **state)
{
	const struct rvtrace_record_text gone = {
		.header = { .size = sizeof(gone), .type = RVTRACE_RECORD_TEXT, .time = 6000 },
		.address = 0x80000, .size = CODE_SIZE, .flags = RVTRACE_TEXT_GONE,
	};

	(void)state;
	image("kernel", 4, "\"kind\":\"kernel\",\"name\":\"vmlinux\",\"address\":\"0x70000\"");
	image("old", 5, "\"kind\":\"module\",\"name\":\"old\",\"address\":\"0x80000\"");
	image("bpf", 6, "\"kind\":\"module\",\"name\":\"bpf\",\"address\":\"0x90000\",\"time\":3000");
	add_ksymbol(&b, 2500, 0x90000, CODE_SIZE, "bpf_prog", 0);
	add_ksymbol(&b, 5000, 0x90000, CODE_SIZE, "bpf_prog", 1);
	record(&gone, sizeof(gone));
	load();
	ask(0, -1, 2400);
	assert_int_equal(kernel_at(0x70000), 4);
	assert_int_equal(kernel_at(0x80000), 5);
	assert_int_equal(kernel_at(0x90000), 0);
	/* the bytes were saved a little later than the program came */
	ask(0, -1, 2500);
	assert_int_equal(kernel_at(0x90000), 6);
	assert_int_equal(place.until, 50);
	ask(0, -1, 5000);
	assert_int_equal(kernel_at(0x90000), 0);
	assert_int_equal(kernel_at(0x80000), 5);
	ask(0, -1, 6000);
	assert_int_equal(kernel_at(0x80000), 0);
	assert_int_equal(kernel_at(0x70000), 4);
}

/* All of it, with what tells of it */
static void kernel_text_may_end_where_addresses_do(void **state)
{
	const uint64_t start = -CODE_SIZE;

	(void)state;
	image("old", 5, "\"kind\":\"module\",\"name\":\"old\",\"address\":\"0xffffffffffffd000\"");
	image("bpf", 6, "\"kind\":\"module\",\"name\":\"bpf\",\"address\":\"0xffffffffffffd000\","
	      "\"time\":3000");
	add_ksymbol(&b, 2500, start, CODE_SIZE, "bpf_prog", 0);
	add_ksymbol(&b, 5000, start, CODE_SIZE, "bpf_prog", 1);
	load();
	ask(0, -1, 2400);
	assert_int_equal(kernel_at(UINT64_MAX), 5);
	ask(0, -1, 2500);
	assert_int_equal(kernel_at(start), 6);
	assert_int_equal(kernel_at(UINT64_MAX), 6);
	ask(0, -1, 5000);
	assert_int_equal(kernel_at(start), 0);
	assert_int_equal(kernel_at(UINT64_MAX), 0);
}

/* A module that was loaded where another one was, and nobody saved it. */
static void other_text_in_its_place_ends_it(void **state)
{
	(void)state;
	image("bpf", 6, "\"kind\":\"module\",\"name\":\"bpf\",\"address\":\"0x90000\",\"time\":3000");
	add_ksymbol(&b, 3000, 0x90000, CODE_SIZE, "one", 0);
	add_ksymbol(&b, 4000, 0x91000, CODE_SIZE, "two", 0);
	load();
	ask(0, -1, 3999);
	assert_int_equal(kernel_at(0x90000), 6);
	ask(0, -1, 4000);
	assert_int_equal(kernel_at(0x90000), 0);
}

/* Files that were deleted, one after the other, under one name. */
static void files_of_one_name_differ_by_inode(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap_inode(&b, 2000, 10, 0x50000, CODE_SIZE, 77, "/tmp/gone");
	add_mmap_inode(&b, 3000, 10, 0x60000, CODE_SIZE, 88, "/tmp/gone");
	add_mmap_inode(&b, 3000, 10, 0x70000, CODE_SIZE, 99, "/tmp/gone");
	image("0badc0de", 4, "\"kind\":\"file\",\"name\":\"/tmp/gone\",\"build_id\":\"0badc0de\","
	      "\"device\":2049,\"inode\":66");
	image("one", 7, "\"kind\":\"file\",\"name\":\"/tmp/gone\",\"build_id\":null,"
	      "\"device\":2049,\"inode\":77");
	image("two", 8, "\"kind\":\"file\",\"name\":\"/tmp/gone\",\"build_id\":null,"
	      "\"device\":2049,\"inode\":88");
	load();
	ask(0, 5, 4000);
	assert_int_equal(user_at(0x50000), 7);
	assert_int_equal(user_at(0x60000), 8);
	assert_int_equal(user_at(0x70000), 0);
}

static void save_memory(const char *name, uint8_t byte, const char *path, uint64_t start,
			uint64_t time)
{
	char more[256];

	snprintf(more, sizeof(more),
		 "\"kind\":\"file\",\"name\":\"%s\",\"saved\":true,\"pid\":10,"
		 "\"start\":\"0x%llx\",\"end\":\"0x%llx\",\"time\":%llu", path,
		 (unsigned long long)start, (unsigned long long)start + CODE_SIZE,
		 (unsigned long long)time);
	image(name, byte, more);
}

static void saved_memory_is_that_of_its_mapping(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap(&b, 2000, 10, 0x50000, CODE_SIZE, 0, "//anon");
	add_mmap(&b, 4000, 10, 0x50000, CODE_SIZE, 0, "//anon");
	add_fork(&b, 4500, 20, 20, 10);
	save_memory("jit", 7, "//anon", 0x50000, 2900);
	save_memory("jit2", 7, "//anon", 0x50000, 3000);
	save_memory("jit3", 8, "//anon", 0x51000, 4100);
	save_memory("jit4", 8, "//anon", 0x51000, 4200);
	context(4600, 6, 20);
	load();
	ask(0, 5, 2000);
	assert_int_equal(user_at(0x50000), 7);
	ask(0, 5, 4000);
	assert_int_equal(user_at(0x50000), 0);
	assert_int_equal(user_at(0x51000), 8);
	assert_int_equal(user_at(0x53000), 0);
	/* inherited */
	ask(0, 6, 4600);
	assert_int_equal(user_at(0x51000), 8);
}

/* A JIT compiler wrote over its code: which of both ran when is not known. */
static void memory_that_was_rewritten_has_no_image(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap(&b, 2000, 10, 0x50000, 2 * CODE_SIZE, 0, "//anon");
	save_memory("zero", 0, "//anon", 0x50000, 2100);
	save_memory("first", 7, "//anon", 0x50000, 3000);
	save_memory("again", 7, "//anon", 0x50000, 3500);
	save_memory("last", 8, "//anon", 0x52000, 4000);
	load();
	ask(0, 5, 5000);
	assert_int_equal(user_at(0x50000), 7);
	assert_int_equal(user_at(0x51000), 7);
	assert_int_equal(user_at(0x52000), 0);
	assert_int_equal(user_at(0x53000), 0);
}

/* It may have been written over before or afterwards; a file's is what was mapped. */
static void memory_that_was_seen_once_has_no_image(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap(&b, 2000, 10, 0x50000, CODE_SIZE, 0, "//anon");
	add_mmap(&b, 2000, 10, 0x60000, CODE_SIZE, 0, "/memfd:x (deleted)");
	save_memory("zero", 0, "//anon", 0x50000, 2100);
	save_memory("once", 7, "//anon", 0x50000, 3000);
	save_memory("file", 8, "/memfd:x (deleted)", 0x60000, 3000);
	load();
	ask(0, 5, 5000);
	assert_int_equal(user_at(0x50000), 0);
	assert_int_equal(user_at(0x60000), 8);
}

/* Not what the newest piece and the one before it have in common, but what all have. */
static void memory_that_was_ever_rewritten_has_no_image(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap(&b, 2000, 10, 0x50000, CODE_SIZE, 0, "//anon");
	save_memory("first", 7, "//anon", 0x50000, 3000);
	save_memory("second", 8, "//anon", 0x50000, 3500);
	save_memory("third", 8, "//anon", 0x50000, 4000);
	load();
	ask(0, 5, 5000);
	assert_int_equal(user_at(0x50000), 0);
}

static void memory_ends_where_addresses_do(void **state)
{
	int i;

	(void)state;
	context(900, 5, 10);
	add_mmap(&b, 2000, 10, 0xffffffffffffe000, 0x1fff, 0, "//anon");
	for (i = 0; i < 2; i++)
		line("images/index.jsonl", "{\"file\":\"images/sh\",\"kind\":\"file\",\"saved\":true,"
		     "\"name\":\"//anon\",\"pid\":10,\"start\":\"0xffffffffffffe000\",\"time\":3000}");
	load();
	ask(0, 5, 5000);
	assert_int_equal(user_at(0xffffffffffffe000), 0);
}

/* What was recorded, with damage: @texts are looked for in what is told of it, in order. */
static void load_damaged(const char *const *texts, size_t count)
{
	const struct rvtrace_damage *damage;
	size_t i;

	load_what_is_there();
	for (i = 0; i < count; i++) {
		damage = rvtrace_recording_damage(recording, i);
		assert_non_null(damage);
		if (!strstr(damage->text, texts[i]))
			fail_msg("%s, not %s", damage->text, texts[i]);
	}
	assert_null(rvtrace_recording_damage(recording, count));
}

static void images_without_a_place_are_told_and_left_out(void **state)
{
	static const char *const texts[] = {
		"images/wraps: goes on behind the last address",
		"images/text: address, size or vector is no number",
		"images/negative: address, size or vector is no number",
		"images/odd: odd address",
		"images/saved: goes on behind the last address",
		"images/vector: address, size or vector is no number",
	};

	(void)state;
	image("wraps", 1, "\"kind\":\"kernel\",\"address\":\"0xffffffffffffffff\"");
	image("text", 2, "\"kind\":\"kernel\",\"address\":\"here\"");
	image("negative", 3, "\"kind\":\"firmware\",\"address\":-4096");
	image("odd", 4, "\"kind\":\"kernel\",\"address\":\"0x1001\"");
	save_memory("saved", 5, "//anon", 0xfffffffffffff800, 3000);
	image("vector", 6, "\"kind\":\"firmware\",\"address\":\"0x1000\",\"mtvec\":\"there\"");
	image("whole", 7, "\"kind\":\"kernel\",\"address\":\"0xffffffff80000000\","
	      "\"stvec\":\"0xffffffff80000801\"");
	load_damaged(texts, sizeof(texts) / sizeof(texts[0]));
	ask(0, 0, 5000);
	assert_int_equal(kernel_at(0xffffffff80000000), 7);
	assert_int_equal(program->trap_vector[1], 0xffffffff80000801);
	assert_int_equal(program->trap_vector[3], 0);
}

static void images_are_files_of_the_recording(void **state)
{
	static const char *const texts[] = { "images/pipe", "images/link" };
	char name[96];

	(void)state;
	snprintf(name, sizeof(name), "%s/images/pipe", path);
	assert_int_equal(mkfifo(name, 0600), 0);
	line("images/index.jsonl", "{\"file\":\"images/pipe\",\"kind\":\"kernel\","
	     "\"address\":\"0x1000\",\"size\":4096}");
	snprintf(name, sizeof(name), "%s/images/link", path);
	assert_int_equal(symlink("sh", name), 0);
	line("images/index.jsonl", "{\"file\":\"images/link\",\"kind\":\"kernel\","
	     "\"address\":\"0x100000\",\"size\":4096}");
	load_damaged(texts, 2);
	ask(0, 0, 5000);
	assert_int_equal(kernel_at(0x100000), 0);
	/* one of the user's */
	snprintf(name, sizeof(name), "%s/images/pipe", path);
	assert_true(rvtrace_program_add_image(program, name, 0x1000, true, RVTRACE_PRIV_M,
					      &error) < 0);
}

static void item_at(struct rvtrace_flow_item *item, uint64_t ns, uint64_t address)
{
	*item = (struct rvtrace_flow_item) {
		.type = RVTRACE_FLOW_NO_IMAGE, .priv = 0, .process = place.process, .thread = -1,
		.flags = RVTRACE_FLOW_HAS_TIME | RVTRACE_FLOW_HAS_PRIV | RVTRACE_FLOW_HAS_ADDRESS,
		.time = ns / TICK, .address = address, .no_image.halfwords = 10,
	};
}

static void what_is_missing_is_told(void **state)
{
	struct rvtrace_missing *missing = rvtrace_missing_new();
	const struct rvtrace_missing_range *r;
	struct rvtrace_flow_item item;

	(void)state;
	context(900, 5, 10);
	add_mmap(&b, 2000, 10, 0x50000, 0x2000, 0, "/lib/gone.so");
	add_mmap(&b, 3000, 10, 0x50000, 0x2000, 0, "/tmp/x (deleted)");
	add_mmap(&b, 3000, 10, 0x60000, 0x2000, 0, "//anon");
	load();
	ask(0, 5, 2000);
	item_at(&item, 2000, 0x50100);
	assert_int_equal(rvtrace_missing_add(missing, resolver, &item), 0);
	item.address = 0x50200;
	assert_int_equal(rvtrace_missing_add(missing, resolver, &item), 0);
	item_at(&item, 3000, 0x50100);
	assert_int_equal(rvtrace_missing_add(missing, resolver, &item), 0);
	item.address = 0x60004;
	item.no_image.halfwords = 9;
	assert_int_equal(rvtrace_missing_add(missing, resolver, &item), 0);
	item.address = 0x90004;
	item.no_image.halfwords = 8;
	assert_int_equal(rvtrace_missing_add(missing, resolver, &item), 0);
	item.priv = 1;
	item.no_image.halfwords = 7;
	assert_int_equal(rvtrace_missing_add(missing, resolver, &item), 0);

	r = rvtrace_missing_get(missing, 0);
	assert_int_equal(r->kind, RVTRACE_MISSING_FILE);
	assert_string_equal(r->path, "/lib/gone.so");
	assert_string_equal(r->build_id, "deadbeef");
	assert_int_equal(r->start, 0x50000);
	assert_int_equal(r->end, 0x52000);
	assert_int_equal(r->pid, 10);
	assert_string_equal(r->comm, "sh");
	assert_int_equal(r->bytes, 40);
	assert_int_equal(r->stretches, 2);
	r = rvtrace_missing_get(missing, 1);
	assert_int_equal(r->kind, RVTRACE_MISSING_DELETED);
	assert_int_equal(rvtrace_missing_get(missing, 2)->kind, RVTRACE_MISSING_ANONYMOUS);
	assert_int_equal(rvtrace_missing_get(missing, 3)->kind, RVTRACE_MISSING_UNMAPPED);
	assert_int_equal(rvtrace_missing_get(missing, 4)->kind, RVTRACE_MISSING_KERNEL);
	assert_null(rvtrace_missing_get(missing, 5));
	rvtrace_missing_free(missing);
}

static void text_that_changed_is_known(void **state)
{
	(void)state;
	line("images/index.jsonl", "{\"kind\":\"changed\",\"file\":\"images/kernel\",\"ranges\":"
	     "[[\"0x2000\",\"0x2004\"],[\"0x1000\",\"0x1002\"],[\"0x1002\",\"0x1006\"]]}");
	load();
	assert_int_equal(program->changed_count, 2);
	assert_null(rvtrace_program_changed(program, 0xff0, 0x10));
	assert_int_equal(rvtrace_program_changed(program, 0xff0, 0x11)->end, 0x1006);
	assert_int_equal(rvtrace_program_changed(program, 0x1005, 1)->start, 0x1000);
	assert_null(rvtrace_program_changed(program, 0x1006, 0x100));
	assert_int_equal(rvtrace_program_changed(program, 0, UINT64_MAX)->start, 0x1000);
}

/* Without a build id nothing says that a file elsewhere is the one that was mapped. */
static void files_elsewhere_need_their_build_id(void **state)
{
	(void)state;
	context(900, 5, 10);
	add_mmap(&b, 2000, 10, 0x50000, 0x1000, 0, "/proc/self/exe");
	load();
	assert_int_equal(rvtrace_program_search(program, "/nowhere"), 0);
	ask(0, 5, 2000);
	assert_int_equal(user_at(0x50000), 0);
	/* this test program is no deadbeef */
	assert_non_null(strstr(rvtrace_program_rejected(program, 0), "/proc/self/exe"));
	assert_non_null(strstr(rvtrace_program_rejected(program, 0), "deadbeef"));
}

/*
 * Process 30 maps this test program, and before it the same by a name that is nowhere; process 10
 * what may be another file of that name. Whoever asks first: here, who has the build id.
 */
static void a_build_id_finds_files_elsewhere_and_no_name_does(void **state)
{
	char text[512], build_id[RVTRACE_BUILD_ID_TEXT];

	(void)state;
	rvtrace_build_id_of_file("/proc/self/exe", build_id);
	assert_true(*build_id);
	snprintf(text, sizeof(text), "{\"pid\":30,\"comm\":\"a\",\"time\":1500,\"maps\":["
		 "{\"start\":\"0x40000\",\"end\":\"0x42000\",\"offset\":\"0x0\","
		 "\"path\":\"/nowhere/else\",\"build_id\":\"%s\"},"
		 "{\"start\":\"0x50000\",\"end\":\"0x52000\",\"offset\":\"0x0\","
		 "\"path\":\"/proc/self/exe\",\"build_id\":\"%s\"}]}", build_id, build_id);
	line("images/maps.jsonl", text);
	context(900, 6, 30);
	context(900, 5, 10);
	add_mmap_inode(&b, 2000, 10, 0x50000, 0x1000, 77, "/proc/self/exe");
	load();
	ask(0, 6, 2500);
	assert_int_equal(user_at(0x50000), 0x7f);
	assert_int_equal(user_at(0x40000), 0x7f);
	ask(0, 5, 2500);
	assert_int_equal(user_at(0x50000), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(timestamps_are_near_to_the_first_moment),
		TEST(switches_name_the_process),
		TEST(a_context_names_it_without_switches_and_time),
		TEST(what_is_mapped_depends_on_the_time),
		TEST(what_is_in_use_is_kept),
		TEST(states_that_were_forgotten_are_made_again),
		TEST(kernel_text_is_there_while_it_is),
		TEST(kernel_text_may_end_where_addresses_do),
		TEST(other_text_in_its_place_ends_it),
		TEST(files_of_one_name_differ_by_inode),
		TEST(saved_memory_is_that_of_its_mapping),
		TEST(memory_that_was_rewritten_has_no_image),
		TEST(memory_that_was_seen_once_has_no_image),
		TEST(memory_that_was_ever_rewritten_has_no_image),
		TEST(memory_ends_where_addresses_do),
		TEST(images_without_a_place_are_told_and_left_out),
		TEST(images_are_files_of_the_recording),
		TEST(what_is_missing_is_told),
		TEST(text_that_changed_is_known),
		TEST(files_elsewhere_need_their_build_id),
		TEST(a_build_id_finds_files_elsewhere_and_no_name_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
