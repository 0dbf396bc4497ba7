// SPDX-License-Identifier: GPL-2.0
/* Accesses of the debug specification's trace and their instructions, and its times. */
#include "debugspec-flow-fixture.h"

static const struct rvtrace_flow_access *access_of(uint64_t insn, unsigned int kind)
{
	const struct rvtrace_flow_item *item = next(RVTRACE_FLOW_ACCESS);
	const struct rvtrace_flow_access *access = &f.accesses[item - f.items];

	assert_int_equal(item->address, insn);
	assert_int_equal(access->kind, kind);
	return access;
}

/*
 * "LOAD: If emitloadaddr is enabled, emit the address. If emitloaddata is enabled, emit the data
 * that was loaded. STORE: ... CSR instructions: For reads emit Load Data (if enabled). For writes
 * emit Store Data (if enabled)."
 */
static void loads_stores_and_csrs(void **state)
{
	static const struct ingress_access accesses[] = {
		{ .pc = BASE + 4, .address = 0x8000, .data = { 0xfffffff0 }, .size = 2,
		  .dtype = INGRESS_LOAD },
		{ .pc = BASE + 8, .address = 0x8004, .data = { 0x12345678 }, .size = 2,
		  .dtype = INGRESS_STORE },
		{ .pc = BASE + 12, .address = 0x300, .operand = { 0x1808 }, .unread = true,
		  .dtype = INGRESS_CSR_RW },
		{ .pc = BASE + 16, .address = 0x300, .data = { 0x1808 }, .unwritten = true,
		  .dtype = INGRESS_CSR_RS },
		{ .pc = BASE + 20, .address = 0x8008, .data = { 5 }, .operand = { 7 }, .size = 3,
		  .dtype = INGRESS_ADD },
	};
	const struct ingress_block block = {
		.start = BASE, .halfwords = 14, .last_size = 2, .itype = INGRESS_BRANCH_NOT_TAKEN,
		.target = BASE + 0x1c, .context = machine, .accesses = accesses,
		.access_count = sizeof(accesses) / sizeof(accesses[0]),
	};
	const struct rvtrace_flow_access *access;

	(void)state;
	start(ALL, false);
	debugspec_encoder_block(&written.encoder, &block);
	decode();
	executed(BASE, 2);
	access = access_of(BASE + 4, RVTRACE_ETRACE_LOAD);
	assert_int_equal(access->address, 0x8000);
	assert_int_equal(access->data[0], 0xfffffff0);
	assert_int_equal(access->size, 2);
	executed(BASE + 8, 1);
	access = access_of(BASE + 8, RVTRACE_ETRACE_STORE);
	assert_int_equal(access->address, 0x8004);
	assert_int_equal(access->data[0], 0x12345678);
	executed(BASE + 12, 1);
	access = access_of(BASE + 12, RVTRACE_ETRACE_CSR);
	assert_int_equal(access->flags, RVTRACE_ACCESS_HAS_ADDRESS | RVTRACE_ACCESS_HAS_WRITTEN);
	assert_int_equal(access->address, 0x300);
	assert_int_equal(access->written, 0x1808);
	executed(BASE + 16, 1);
	access = access_of(BASE + 16, RVTRACE_ETRACE_CSR);
	assert_int_equal(access->flags, RVTRACE_ACCESS_HAS_ADDRESS | RVTRACE_ACCESS_HAS_DATA);
	assert_int_equal(access->data[0], 0x1808);
	executed(BASE + 20, 1);
	access = access_of(BASE + 20, RVTRACE_ETRACE_ATOMIC);
	assert_int_equal(access->data[0], 5);
	access = access_of(BASE + 20, RVTRACE_ETRACE_ATOMIC);
	assert_int_equal(access->written, 12);
	assert_int_equal(access->address, 0x8008);
	executed(BASE + 24, 1);
	ends_here();
}

/* What comes behind as many as it makes is of the next one. */
static void instructions_with_several_accesses(void **state)
{
	static const struct ingress_access accesses[] = {
		{ .dtype = INGRESS_ADD, .size = 3 },
		{ .dtype = INGRESS_STORE, .size = 3 },
		{ .dtype = INGRESS_STORE, .size = 3 },
		{ .dtype = INGRESS_STORE, .size = 2 },
	};
	const struct ingress_block block = {
		.start = SEVERAL, .halfwords = 6, .last_size = 2, .context = machine,
		.accesses = accesses, .access_count = sizeof(accesses) / sizeof(accesses[0]),
	};

	(void)state;
	start(BRANCHES | DEBUGSPEC_EMITLOADADDR | DEBUGSPEC_EMITSTOREADDR, false);
	debugspec_encoder_block(&written.encoder, &block);
	decode();
	executed(SEVERAL, 1);
	access_of(SEVERAL, RVTRACE_ETRACE_ATOMIC);
	access_of(SEVERAL, RVTRACE_ETRACE_ATOMIC);
	executed(SEVERAL + 4, 1);
	access_of(SEVERAL + 4, RVTRACE_ETRACE_STORE);
	access_of(SEVERAL + 4, RVTRACE_ETRACE_STORE);
	executed(SEVERAL + 6, 1);
	executed(SEVERAL + 8, 1);
	access_of(SEVERAL + 8, RVTRACE_ETRACE_STORE);
	ends_here();
}

/* "Watch memory accesses for a certain memory region": no PC, no code, and a time. */
static void memory_watch_needs_no_code(void **state)
{
	static const struct ingress_access access = {
		.pc = BASE + 8, .address = 0x8004, .data = { 0x12345678 }, .size = 2,
		.dtype = INGRESS_STORE,
	};
	const struct ingress_block block = {
		.start = BASE + 8, .halfwords = 2, .last_size = 2, .context = machine,
		.accesses = &access, .access_count = 1, .time = 77,
	};
	const struct rvtrace_flow_item *item;

	(void)state;
	start(DEBUGSPEC_EMITSTOREADDR | DEBUGSPEC_EMITSTOREDATA | DEBUGSPEC_EMITTIMESTAMP, false);
	debugspec_encoder_block(&written.encoder, &block);
	decode();
	item = next(RVTRACE_FLOW_ACCESS);
	assert_false(item->flags & RVTRACE_FLOW_HAS_ADDRESS);
	assert_true(item->flags & RVTRACE_FLOW_HAS_TIME);
	assert_int_equal(item->time, 77);
	assert_int_equal(f.accesses[item - f.items].address, 0x8004);
	assert_int_equal(f.accesses[item - f.items].data[0], 0x12345678);
	assert_true(f.accesses[item - f.items].flags & RVTRACE_ACCESS_NO_SIZE);
	ends_here();
}

static void is_at(const struct rvtrace_flow_item *item, uint64_t time)
{
	assert_true(item->flags & RVTRACE_FLOW_HAS_TIME);
	assert_int_equal(item->time, time);
}

static void put_time(uint64_t time)
{
	debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_TIME, time);
}

/* A PC whose meaning, or an address whose data, were awaited are not of the next time. */
static void timestamp_is_of_what_follows(void **state)
{
	(void)state;
	start(BRANCHES | DEBUGSPEC_EMITTIMESTAMP, false);
	run(BASE + 0x24, 1, INGRESS_INDIRECT_CALL, BASE + 0x20);
	run(BASE + 0x20, 2, INGRESS_INDIRECT_CALL, BASE);
	decode();
	is_at(next(RVTRACE_FLOW_BLOCKS), 5);
	is_at(next(RVTRACE_FLOW_BLOCKS), 10);
	start(DEBUGSPEC_EMITLOADADDR | DEBUGSPEC_EMITLOADDATA | DEBUGSPEC_EMITTIMESTAMP, false);
	written.encoder.params.full = true;
	put_packet(DEBUGSPEC_TRACE_ENABLED, 0);
	put_time(5);
	debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_LOAD, 0x8000);
	put_time(10);
	debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_LOAD, 0x8008);
	put_header(DEBUGSPEC_TRACE_DISABLED);
	put_time(15);
	debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_LOAD, 0x8010);
	decode();
	is_at(next(RVTRACE_FLOW_ACCESS), 5);
	is_at(next(RVTRACE_FLOW_ACCESS), 10);
	is_at(next(RVTRACE_FLOW_OVERFLOW), 10);
	is_at(next(RVTRACE_FLOW_ACCESS), 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(loads_stores_and_csrs),
		TEST(instructions_with_several_accesses),
		TEST(memory_watch_needs_no_code),
		TEST(timestamp_is_of_what_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
