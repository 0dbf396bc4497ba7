// SPDX-License-Identifier: GPL-2.0

#include "selftests/unit/resolver-fixture.h"
#include "tools/lib/code/build_id.h"

struct resolver_bench bench;

void line(const char *name, const char *text)
{
	struct json_object *object = json_tokener_parse(text);

	assert_non_null(object);
	assert_int_equal(rvtrace_recorder_line(bench.recorder, name, object, &bench.error), 0);
	json_object_put(object);
}

void image_of(const char *name, const uint8_t *bytes, const char *more)
{
	char text[512];
	int fd;

	snprintf(text, sizeof(text), "images/%s", name);
	fd = rvtrace_recorder_create(bench.recorder, text, &bench.error);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, CODE_SIZE), CODE_SIZE);
	close(fd);
	snprintf(text, sizeof(text), "{\"file\":\"images/%s\",\"size\":%d,%s}", name, CODE_SIZE, more);
	line("images/index.jsonl", text);
}

void image(const char *name, uint8_t byte, const char *more)
{
	uint8_t bytes[CODE_SIZE];

	memset(bytes, byte, sizeof(bytes));
	image_of(name, bytes, more);
}

void save_memory(const char *name, uint8_t byte, const char *path, uint64_t start, uint64_t time)
{
	char more[256];

	snprintf(more, sizeof(more),
		 "\"kind\":\"file\",\"name\":\"%s\",\"saved\":true,\"pid\":10,"
		 "\"start\":\"0x%llx\",\"end\":\"0x%llx\",\"time\":%llu", path,
		 (unsigned long long)start, (unsigned long long)start + CODE_SIZE,
		 (unsigned long long)time);
	image(name, byte, more);
}

/* @boot_id: NULL: as of rvtraced before it recorded that */
static void begin_recording(const char *boot_id)
{
	struct json_object *host = json_object_new_object();
	struct json_object *metadata = json_tokener_parse(
		"{\"timestamp\":{\"frequency_hz\":10000000},\"sinks\":[{\"name\":\"s0\",\"sources\":["
		"{\"component\":\"encoder0\",\"cpus\":[0],\"harts\":[0],\"format\":\"ntrace\","
		"\"src_id\":0,\"src_bits\":1,\"attributes\":{\"software_trace_switch\":\"0x8000\"}},"
		"{\"component\":\"encoder1\",\"cpus\":[1],\"harts\":[1],\"format\":\"ntrace\","
		"\"src_id\":1,\"src_bits\":1,\"attributes\":{}}]}]}");
	int fd = rvtrace_recording_directory(bench.path, &bench.error);

	if (boot_id)
		json_object_object_add(host, "boot_id", json_object_new_string(boot_id));
	json_object_object_add(metadata, "host", host);
	assert_int_equal(rvtrace_recorder_new(fd, bench.path, NULL, &bench.recorder, &bench.error), 0);
	assert_int_equal(rvtrace_recorder_add_sink(bench.recorder, "s0", &bench.error), 0);
	assert_int_equal(rvtrace_recorder_begin(bench.recorder, metadata, &bench.error), 0);
	json_object_put(metadata);
}

void record(const void *bytes, size_t size)
{
	assert_int_equal(rvtrace_recorder_records(bench.recorder, 0, bytes, size, &bench.error), 0);
}

void context(uint64_t time, uint32_t value, int pid)
{
	const struct rvtrace_record_address_space r = {
		.header = { .size = sizeof(r), .type = RVTRACE_RECORD_ADDRESS_SPACE, .time = time },
		.context = value, .pid = pid, .comm = "x",
	};

	record(&r, sizeof(r));
}

static int set_up(const char *boot_id)
{
	const struct rvtrace_record_clock clock = {
		.header = { .size = sizeof(clock), .type = RVTRACE_RECORD_CLOCK, .time = 1000000 },
		.trace_time = 1000000 / TICK,
	};

	memset(&bench.sideband, 0, sizeof(bench.sideband));
	bench.config = (struct rvtrace_flow_config) { .size = sizeof(bench.config) };
	bench.task = 0;
	strcpy(bench.path, "/tmp/rvtrace-resolver-XXXXXX");
	if (!mkdtemp(bench.path))
		return -1;
	begin_recording(boot_id);
	record(&clock, sizeof(clock));
	image("sh", 1, "\"kind\":\"file\",\"name\":\"/bin/sh\"");
	line("images/maps.jsonl", "{\"pid\":10,\"comm\":\"sh\",\"time\":500,\"maps\":["
	     "{\"start\":\"0x10000\",\"end\":\"0x12000\",\"offset\":\"0x1000\",\"path\":\"/bin/sh\"}]}");
	return 0;
}

int resolver_setup(void **state)
{
	(void)state;
	return set_up(NULL);
}

int resolver_setup_elsewhere(void **state)
{
	(void)state;
	return set_up("01234567-89ab-cdef-0123-456789abcdef");
}

int resolver_setup_here(void **state)
{
	char boot_id[RVTRACE_BOOT_ID_TEXT];

	(void)state;
	rvtrace_boot_id(boot_id);
	return set_up(boot_id);
}

int resolver_teardown(void **state)
{
	(void)state;
	rvtrace_resolver_free(bench.resolver);
	rvtrace_program_free(bench.program);
	rvtrace_spaces_free(bench.spaces);
	rvtrace_recording_free(bench.recording);
	remove_tree(bench.path);
	return 0;
}

static void load_what_is_there(void)
{
	assert_int_equal(rvtrace_recorder_finish(bench.recorder, &bench.error), 0);
	rvtrace_recorder_free(bench.recorder);
	assert_int_equal(rvtrace_recording_open(bench.path, &bench.recording, &bench.error), 0);
	assert_int_equal(rvtrace_spaces_load(bench.recording, &bench.spaces, &bench.error), 0);
	bench.program = rvtrace_program_new();
	assert_int_equal(rvtrace_program_load(bench.program, bench.recording, bench.path,
					      bench.spaces, &bench.error), 0);
	assert_int_equal(rvtrace_replay_resolver(bench.recording, 0, bench.program, bench.spaces,
					      &bench.resolver, &bench.error), 0);
	rvtrace_resolver_attach(bench.resolver, &bench.config);
}

void load(void)
{
	const struct iovec iov = { bench.sideband.bytes, bench.sideband.size };

	assert_int_equal(rvtrace_recorder_sideband(bench.recorder, &iov, 1, &bench.error), 0);
	load_what_is_there();
	assert_null(rvtrace_recording_damage(bench.recording, 0));
}

void load_damaged(const char *const *texts, size_t count)
{
	const struct rvtrace_damage *damage;
	size_t i;

	load_what_is_there();
	for (i = 0; i < count; i++) {
		damage = rvtrace_recording_damage(bench.recording, i);
		assert_non_null(damage);
		if (!strstr(damage->text, texts[i]))
			fail_msg("%s, not %s", damage->text, texts[i]);
	}
	assert_null(rvtrace_recording_damage(bench.recording, count));
}

void ask(unsigned int source, int context_value, int64_t ns)
{
	const struct rvtrace_flow_query query = {
		.source = source, .has_context = context_value >= 0, .context = context_value,
		.has_time = ns >= 0, .time = ns < 0 ? 0 : ns / TICK, .task = bench.task,
	};

	bench.place = (struct rvtrace_flow_place) {
		.user = RVTRACE_SPACE_ANY, .kernel = RVTRACE_SPACE_ANY,
		.process = RVTRACE_PROCESS_UNKNOWN, .thread = -1,
	};
	assert_int_equal(bench.config.resolve(bench.config.resolve_data, &query, &bench.place), 0);
}

static int image_at(uint64_t space, unsigned int priv, uint64_t address)
{
	struct rvtrace_window window;

	return rvtrace_image_find(bench.program->image, space, priv, address, &window) ?
	       window.bytes[address - window.start] : 0;
}

int user_at(uint64_t address)
{
	return image_at(bench.place.user, RVTRACE_PRIV_U, address);
}

int kernel_at(uint64_t address)
{
	return image_at(bench.place.kernel, RVTRACE_PRIV_S, address);
}

int pid(void)
{
	const struct rvtrace_space *space = rvtrace_spaces_get(bench.spaces, bench.place.process);

	return space ? space->pid : -1;
}
