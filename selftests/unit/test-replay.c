// SPDX-License-Identifier: GPL-2.0
/* What a recording says about its streams. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rvtrace/replay.h>

#include "selftests/unit/recording_helpers.h"

#define SOURCE(n, attributes) \
	"{\"component\":\"encoder" #n "\",\"cpus\":[" #n "],\"harts\":[" #n "],\"format\":\"ntrace\"," \
	"\"src_id\":" #n ",\"src_bits\":1,\"attributes\":{" attributes "}}"
#define SINK	"\"sinks\":[{\"name\":\"s0\",\"sources\":["
#define NYBBLES(n, more) \
	"{\"component\":\"encoder" #n "\",\"harts\":[" #n "],\"format\":\"debugspec\"," \
	"\"src_id\":" #n ",\"debugspec\":{\"xlen\":64,\"compressed\":1" more "}}"
#define RING(size)	"\"sinks\":[{\"name\":\"s0\",\"data_size\":" #size ",\"sources\":["

static char path[64];
static struct rvtrace_recording *recording;
static struct rvtrace_flow_config config = { .size = sizeof(config) };

static int setup(void **state)
{
	(void)state;
	strcpy(path, "/tmp/rvtrace-replay-XXXXXX");
	return !mkdtemp(path);
}

static int teardown(void **state)
{
	(void)state;
	rvtrace_recording_free(recording);
	recording = NULL;
	remove_tree(path);
	return 0;
}

static void write_metadata(const char *metadata)
{
	char name[128];
	FILE *file;

	snprintf(name, sizeof(name), "%s/metadata.json", path);
	file = fopen(name, "w");
	assert_non_null(file);
	fputs(metadata, file);
	fclose(file);
}

static void load(const char *metadata)
{
	struct rvtrace_failure error = { 0 };

	write_metadata(metadata);
	assert_int_equal(rvtrace_recording_open(path, &recording, &error), 0);
	assert_int_equal(rvtrace_replay_config(recording, 0, &config, &error), 0);
}

static void an_encoder_that_tells_the_privilege_is_believed(void **state)
{
	(void)state;
	load("{\"schema\":2," SINK SOURCE(0, "\"context\":\"1\"") "]}]}");
	assert_false(config.priv_by_address);
}

static void where_none_does_addresses_tell_it(void **state)
{
	(void)state;
	load("{\"schema\":2," SINK SOURCE(0, "\"context\":\"0\"") "," SOURCE(1, "") "]}]}");
	assert_true(config.priv_by_address);
}

static void where_one_does_addresses_do_not_count(void **state)
{
	(void)state;
	load("{\"schema\":2," SINK SOURCE(0, "") "," SOURCE(1, "\"context\":\"1\"") "]}]}");
	assert_false(config.priv_by_address);
}

/* A 32-bit kernel has no half of the addresses. */
static void of_32_bits_no_address_tells_it(void **state)
{
	(void)state;
	load("{\"schema\":2,\"host\":{\"machine\":\"riscv32\"}," SINK SOURCE(0, "") "]}]}");
	assert_int_equal(config.isa.xlen, 32);
	assert_false(config.priv_by_address);
}

static void timestamps_of_version_0_are_xored(void **state)
{
	(void)state;
	load("{\"schema\":2," SINK SOURCE(0, "\"generation\":\"TCI 0\"") "]}]}");
	assert_true(config.ntrace.sifive);
}

static void those_of_others_are_added(void **state)
{
	(void)state;
	load("{\"schema\":2," SINK SOURCE(0, "\"generation\":\"TCI 0.9\"") "]}]}");
	assert_false(config.ntrace.sifive);
}

static void encoders_of_one_sink_do_the_same(void **state)
{
	struct rvtrace_failure error = { 0 };

	(void)state;
	write_metadata("{\"schema\":2," SINK SOURCE(0, "\"generation\":\"TCI 0.9\"") ","
		       SOURCE(1, "\"generation\":\"TCI 0\"") "]}]}");
	assert_int_equal(rvtrace_recording_open(path, &recording, &error), 0);
	assert_int_equal(rvtrace_replay_config(recording, 0, &config, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "generation"));
}

static void the_mode_is_what_each_encoder_says(void **state)
{
	(void)state;
	load("{\"schema\":2," SINK SOURCE(0, "\"inst_mode\":\"branch\"") ","
	     SOURCE(1, "\"inst_mode\":\"history-optimized\"") "]}]}");
	assert_int_equal(config.ntrace.modes[0], RVTRACE_NTRACE_MODE_BRANCH);
	assert_int_equal(config.ntrace.modes[1], RVTRACE_NTRACE_MODE_HISTORY);
	assert_int_equal(config.ntrace.modes[2], RVTRACE_NTRACE_MODE_UNKNOWN);
}

/* Version 0 leaves returns out in one of its modes. */
static void optimized_means_more_in_version_0(void **state)
{
	(void)state;
	load("{\"schema\":2," SINK
	     SOURCE(0, "\"generation\":\"TCI 0\",\"inst_mode\":\"history-optimized\"") ","
	     SOURCE(1, "\"generation\":\"TCI 0\",\"inst_mode\":\"history\"") "]}]}");
	assert_int_equal(config.ntrace.modes[0], RVTRACE_NTRACE_MODE_OPTIMIZED);
	assert_int_equal(config.ntrace.modes[1], RVTRACE_NTRACE_MODE_HISTORY);
	assert_false(config.ntrace.implicit_return);
}

static void harts_of_one_encoder_are_in_one_mode(void **state)
{
	(void)state;
	load("{\"schema\":2," SINK "{\"component\":\"encoder0\",\"cpus\":[0,1],\"harts\":[0,1],"
	     "\"format\":\"ntrace\",\"src_id\":4,\"src_bits\":3,"
	     "\"attributes\":{\"inst_mode\":\"history\"}}]}]}");
	assert_int_equal(config.ntrace.modes[0], RVTRACE_NTRACE_MODE_UNKNOWN);
	assert_int_equal(config.ntrace.modes[4], RVTRACE_NTRACE_MODE_HISTORY);
	assert_int_equal(config.ntrace.modes[5], RVTRACE_NTRACE_MODE_HISTORY);
	assert_int_equal(config.ntrace.modes[6], RVTRACE_NTRACE_MODE_UNKNOWN);
}

/* Whatever id the encoder has. */
static void without_source_ids_there_is_one_mode(void **state)
{
	(void)state;
	load("{\"schema\":2," SINK "{\"component\":\"encoder0\",\"cpus\":[3],\"harts\":[3],"
	     "\"format\":\"ntrace\",\"src_id\":3,\"src_bits\":0,"
	     "\"attributes\":{\"inst_mode\":\"history\"}}]}]}");
	assert_int_equal(config.ntrace.modes[0], RVTRACE_NTRACE_MODE_HISTORY);
	assert_int_equal(config.ntrace.modes[3], RVTRACE_NTRACE_MODE_UNKNOWN);
}

static void modes_of_vendors_are_not_known(void **state)
{
	(void)state;
	load("{\"schema\":2," SINK SOURCE(0, "\"inst_mode\":\"vendor\"") ","
	     SOURCE(1, "\"inst_mode\":\"off\"") "]}]}");
	assert_int_equal(config.ntrace.modes[0], RVTRACE_NTRACE_MODE_UNKNOWN);
	assert_int_equal(config.ntrace.modes[1], RVTRACE_NTRACE_MODE_UNKNOWN);
}

static void points_are_where_the_buffer_has_them(void **state)
{
	(void)state;
	load("{\"schema\":2," RING(4096) NYBBLES(0, ",\"buffer_size\":1024") "]}]}");
	assert_int_equal(config.debugspec.sync_interval, 256);
}

static void a_buffer_without_points_has_none(void **state)
{
	(void)state;
	load("{\"schema\":2," RING(4096) NYBBLES(0, ",\"buffer_size\":0") "]}]}");
	assert_int_equal(config.debugspec.sync_interval, 0);
}

static void the_buffer_is_the_ring_where_nothing_is_said(void **state)
{
	(void)state;
	load("{\"schema\":2," RING(4096) NYBBLES(0, "") "]}]}");
	assert_int_equal(config.debugspec.sync_interval, 1024);
}

static void a_ring_that_cannot_have_points_is_told(void **state)
{
	struct rvtrace_failure error = { 0 };

	(void)state;
	write_metadata("{\"schema\":2," RING(4100) NYBBLES(0, "") "]}]}");
	assert_int_equal(rvtrace_recording_open(path, &recording, &error), 0);
	assert_int_equal(rvtrace_replay_config(recording, 0, &config, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "data_size is not a multiple of 32"));
}

static void packets_of_one_encoder_are_of_its_hart(void **state)
{
	(void)state;
	load("{\"schema\":2," RING(4096) NYBBLES(3, "") "]}]}");
	assert_int_equal(config.debugspec.first_hart, 3);
	assert_false(config.debugspec.several_harts);
}

static void packets_of_several_begin_with_change_hart(void **state)
{
	(void)state;
	load("{\"schema\":2," RING(4096) NYBBLES(3, "") "," NYBBLES(4, "") "]}]}");
	assert_int_equal(config.debugspec.first_hart, 0);
	assert_true(config.debugspec.several_harts);
}

static void the_clock_is_what_the_encoder_says(void **state)
{
	(void)state;
	load("{\"schema\":2,\"timestamp\":{\"frequency_hz\":10000000}," SINK
	     SOURCE(0, "\"ts_width\":\"40\",\"timestamp_frequency\":\"999999867 measured\"") "]}]}");
	assert_int_equal(config.time_bits, 40);
	assert_int_equal(rvtrace_recording_timestamp_bits(recording, 0), 40);
	assert_int_equal(rvtrace_recording_timestamp_hz(recording, 0), 999999867);
}

static void else_it_is_that_of_the_machine(void **state)
{
	(void)state;
	load("{\"schema\":2,\"timestamp\":{\"frequency_hz\":10000000}," SINK
	     SOURCE(0, "\"ts_width\":\"400\"") "]}]}");
	assert_int_equal(config.time_bits, 0);
	assert_int_equal(rvtrace_recording_timestamp_hz(recording, 0), 10000000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(an_encoder_that_tells_the_privilege_is_believed),
		TEST(where_none_does_addresses_tell_it),
		TEST(where_one_does_addresses_do_not_count),
		TEST(of_32_bits_no_address_tells_it),
		TEST(timestamps_of_version_0_are_xored),
		TEST(those_of_others_are_added),
		TEST(encoders_of_one_sink_do_the_same),
		TEST(the_mode_is_what_each_encoder_says),
		TEST(optimized_means_more_in_version_0),
		TEST(harts_of_one_encoder_are_in_one_mode),
		TEST(without_source_ids_there_is_one_mode),
		TEST(modes_of_vendors_are_not_known),
		TEST(points_are_where_the_buffer_has_them),
		TEST(a_buffer_without_points_has_none),
		TEST(the_buffer_is_the_ring_where_nothing_is_said),
		TEST(a_ring_that_cannot_have_points_is_told),
		TEST(packets_of_one_encoder_are_of_its_hart),
		TEST(packets_of_several_begin_with_change_hart),
		TEST(the_clock_is_what_the_encoder_says),
		TEST(else_it_is_that_of_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
