// SPDX-License-Identifier: GPL-2.0
/* metadata.json: which directories are recordings, and what is read of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording-fixture.h"

static void write_metadata(const char *path, const char *text)
{
	char file[160];
	FILE *out;

	mkdir(path, 0700);
	snprintf(file, sizeof(file), "%s/metadata.json", path);
	out = fopen(file, "w");
	fputs(text, out);
	fclose(out);
}

static void what_is_no_recording_is_refused(void **state)
{
	static const struct {
		const char *text;
		int error;
		const char *what;
	} cases[] = {
		{ "", -ENOENT, "no intact metadata.json" },
		{ "{ \"schema\": 2", -ENOENT, "no intact metadata.json" },
		{ "[]", -ENOENT, "no intact metadata.json" },
		{ "{}", -EPROTONOSUPPORT, "schema 0, this program reads schema 2" },
		{ "{\"schema\":1}", -EPROTONOSUPPORT, "schema 1, this program reads schema 2" },
	};
	struct fixture *f = *state;
	struct rvtrace_recording *recording;
	size_t i;

	assert_int_equal(rvtrace_recording_open(f->path, &recording, &f->error), -ENOENT);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_metadata(f->path, cases[i].text);
		assert_int_equal(rvtrace_recording_open(f->path, &recording, &f->error),
				 cases[i].error);
		if (!strstr(f->error.text, cases[i].what))
			fail_msg("case %zu: %s", i, f->error.text);
	}
}

static void sinks_without_a_usable_name_are_left_out(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_recording *recording;

	write_metadata(f->path,
		       "{\"schema\":2,\"sinks\":[{},{\"name\":\"../x\"},{\"name\":\"s0\"}]}");
	assert_int_equal(rvtrace_recording_open(f->path, &recording, &f->error), 0);
	assert_int_equal(rvtrace_recording_sink_count(recording), 1);
	assert_string_equal(rvtrace_recording_sink(recording, 0)->name, "s0");
	rvtrace_recording_free(recording);
}

static void sources_are_read(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_recording *recording;
	const struct rvtrace_recording_source *source;

	write_metadata(f->path, "{\"schema\":2,\"timestamp\":{\"frequency_hz\":10000000},\"sinks\":"
		       "[{\"name\":\"s0\",\"data_size\":4096,\"sources\":[{\"component\":\"encoder1\","
		       "\"format\":\"ntrace\",\"cpus\":[1,2],\"harts\":[17179869184],\"src_id\":5,"
		       "\"src_bits\":3,\"attributes\":{\"inst_mode\":\"branch\",\"n\":1}}]}]}");
	assert_int_equal(rvtrace_recording_open(f->path, &recording, &f->error), 0);
	assert_int_equal(rvtrace_recording_timestamp_hz(recording, 0), 10000000);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->data_size, 4096);
	assert_int_equal(rvtrace_recording_sink(recording, 0)->source_count, 1);
	source = rvtrace_recording_sink(recording, 0)->sources;
	assert_string_equal(source->component, "encoder1");
	assert_int_equal(source->cpu_count, 2);
	assert_int_equal(source->cpus[1], 2);
	assert_int_equal(source->hart_count, 1);
	assert_int_equal(source->harts[0], 1ULL << 34);
	assert_int_equal(source->src_id, 5);
	assert_int_equal(source->src_bits, 3);
	assert_string_equal(rvtrace_recording_attribute(source, "inst_mode"), "branch");
	assert_null(rvtrace_recording_attribute(source, "n"));
	assert_null(rvtrace_recording_attribute(source, "absent"));
	rvtrace_recording_free(recording);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_no_recording_is_refused),
		TEST(sinks_without_a_usable_name_are_left_out),
		TEST(sources_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
