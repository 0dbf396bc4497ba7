// SPDX-License-Identifier: GPL-2.0
/* Parsing of the kernel's perf side band. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rvtrace/sideband.h>

#include "selftests/unit/sideband-builder.h"

static struct builder b;
static struct rvtrace_sideband s;
static struct rvtrace_failure error;

static int setup(void **state)
{
	(void)state;
	memset(&b, 0, sizeof(b));
	return 0;
}

/* From a heap copy of the exact size, so that reading beyond it is noticed. */
static int parse(size_t size)
{
	static uint8_t *copy;

	free(copy);
	copy = malloc(size + !size);
	memcpy(copy, b.bytes, size);
	return rvtrace_sideband_parse(copy, size, &s, &error);
}

static void nothing_is_no_events(void **state)
{
	(void)state;
	assert_int_equal(parse(0), 0);
	assert_int_equal(s.count, 0);
	assert_false(s.cut);
	rvtrace_sideband_free(&s);
}

static void every_field_is_read(void **state)
{
	(void)state;
	add_mmap(&b, 100, 7, 0x10000, 0x2000, 0x1000, "/usr/bin/ls");
	add_comm(&b, 200, 7, "ls", 1);
	add_fork(&b, 300, 8, 9, 7);
	add_lost(&b, 400, 3);
	assert_int_equal(parse(b.size), 0);
	assert_int_equal(s.count, 4);
	assert_int_equal(s.lost, 3);
	assert_int_equal(s.events[0].type, RVTRACE_SIDEBAND_MMAP);
	assert_int_equal(s.events[0].time, 100);
	assert_int_equal(s.events[0].pid, 7);
	assert_int_equal(s.events[0].mmap.address, 0x10000);
	assert_int_equal(s.events[0].mmap.size, 0x2000);
	assert_int_equal(s.events[0].mmap.offset, 0x1000);
	assert_int_equal(s.events[0].mmap.build_id_size, 4);
	assert_int_equal(s.events[0].mmap.build_id[3], 0xef);
	assert_string_equal(s.events[0].name, "/usr/bin/ls");
	assert_int_equal(s.events[1].type, RVTRACE_SIDEBAND_EXEC);
	assert_string_equal(s.events[1].name, "ls");
	assert_int_equal(s.events[1].cpu, 1);
	assert_int_equal(s.events[2].type, RVTRACE_SIDEBAND_FORK);
	assert_int_equal(s.events[2].pid, 8);
	assert_int_equal(s.events[2].tid, 9);
	assert_int_equal(s.events[2].fork.ppid, 7);
	rvtrace_sideband_free(&s);
}

static void switches_and_kernel_symbols_are_read(void **state)
{
	(void)state;
	add_switch(&b, 100, 3, 7, 1);
	add_switch(&b, 200, 3, 7, 0);
	add_ksymbol(&b, 300, 0xffff0000, 64, "bpf_prog_x", 0);
	add_ksymbol(&b, 400, 0xffff0000, 64, "bpf_prog_x", 1);
	add_exit(&b, 500, 7, 8);
	assert_int_equal(parse(b.size), 0);
	assert_int_equal(s.count, 5);
	assert_int_equal(s.events[0].type, RVTRACE_SIDEBAND_SWITCH);
	assert_true(s.events[0].sw.in);
	assert_int_equal(s.events[0].cpu, 3);
	assert_int_equal(s.events[0].pid, 7);
	assert_int_equal(s.events[0].tid, 7);
	assert_false(s.events[1].sw.in);
	assert_int_equal(s.events[2].type, RVTRACE_SIDEBAND_KSYMBOL);
	assert_int_equal(s.events[2].mmap.address, 0xffff0000);
	assert_int_equal(s.events[2].mmap.size, 64);
	assert_string_equal(s.events[2].name, "bpf_prog_x");
	assert_int_equal(s.events[3].type, RVTRACE_SIDEBAND_KSYMBOL_GONE);
	assert_int_equal(s.events[4].type, RVTRACE_SIDEBAND_EXIT);
	assert_int_equal(s.events[4].pid, 7);
	assert_int_equal(s.events[4].tid, 8);
	rvtrace_sideband_free(&s);
}

static void events_are_sorted_by_time(void **state)
{
	(void)state;
	add_comm(&b, 300, 1, "c", 0);
	add_comm(&b, 100, 1, "a", 0);
	add_comm(&b, 200, 1, "b", 0);
	add_comm(&b, 200, 1, "bb", 0);
	assert_int_equal(parse(b.size), 0);
	assert_string_equal(s.events[0].name, "a");
	assert_string_equal(s.events[1].name, "b");
	assert_string_equal(s.events[2].name, "bb");
	assert_string_equal(s.events[3].name, "c");
	rvtrace_sideband_free(&s);
}

static void other_records_are_skipped(void **state)
{
	(void)state;
	begin(&b, PERF_RECORD_SWITCH, 0);
	finish(&b, 1, 50, 0);
	begin(&b, 200, 0);
	finish(&b, 1, 60, 0);
	add_comm(&b, 100, 1, "a", 0);
	assert_int_equal(parse(b.size), 0);
	assert_int_equal(s.count, 1);
	rvtrace_sideband_free(&s);
}

static void a_cut_record_is_left_out(void **state)
{
	size_t whole, size;

	(void)state;
	add_comm(&b, 100, 1, "a", 0);
	whole = b.size;
	add_mmap(&b, 200, 1, 0, 4096, 0, "/bin/x");
	for (size = whole + 1; size < b.size; size++) {
		assert_int_equal(parse(size), 0);
		assert_int_equal(s.count, 1);
		assert_true(s.cut);
		rvtrace_sideband_free(&s);
	}
}

static void an_impossible_size_is_refused_where_it_is(void **state)
{
	size_t at;

	(void)state;
	add_comm(&b, 100, 1, "a", 0);
	at = b.size;
	add_comm(&b, 200, 1, "b", 0);
	b.bytes[at + 6] = 4;
	assert_int_equal(parse(b.size), -EBADMSG);
	assert_int_equal(error.offset, at);
	b.bytes[at + 6] = 9;
	assert_int_equal(parse(b.size), -EBADMSG);
}

static void fields_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	begin(&b, PERF_RECORD_MMAP2, 0);
	put_u64(&b, 1);
	finish(&b, 1, 100, 0);
	assert_int_equal(parse(b.size), -EBADMSG);
	memset(&b, 0, sizeof(b));
	begin(&b, PERF_RECORD_COMM, 0);
	put_u64(&b, 1);
	put_u64(&b, 0x4141414141414141);	/* no NUL */
	finish(&b, 1, 100, 0);
	assert_int_equal(parse(b.size), -EBADMSG);
	assert_non_null(strstr(error.text, "offset 0"));
}

/* Whatever the bytes are: an answer, and nothing read outside of them. */
static void random_damage_never_escapes(void **state)
{
	unsigned int seed = 1, i;

	(void)state;
	add_mmap(&b, 100, 7, 0x10000, 0x2000, 0x1000, "/usr/bin/ls");
	add_comm(&b, 200, 7, "ls", 1);
	add_fork(&b, 300, 8, 9, 7);
	for (i = 0; i < 20000; i++) {
		size_t at = rand_r(&seed) % b.size;
		uint8_t was = b.bytes[at];

		b.bytes[at] = rand_r(&seed);
		if (!parse(rand_r(&seed) % (b.size + 1)))
			rvtrace_sideband_free(&s);
		b.bytes[at] = was;
	}
	assert_int_equal(parse(b.size), 0);
	rvtrace_sideband_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_is_no_events, setup),
		cmocka_unit_test_setup(every_field_is_read, setup),
		cmocka_unit_test_setup(switches_and_kernel_symbols_are_read, setup),
		cmocka_unit_test_setup(events_are_sorted_by_time, setup),
		cmocka_unit_test_setup(other_records_are_skipped, setup),
		cmocka_unit_test_setup(a_cut_record_is_left_out, setup),
		cmocka_unit_test_setup(an_impossible_size_is_refused_where_it_is, setup),
		cmocka_unit_test_setup(fields_that_do_not_fit_are_refused, setup),
		cmocka_unit_test_setup(random_damage_never_escapes, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
