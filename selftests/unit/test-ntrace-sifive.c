// SPDX-License-Identifier: GPL-2.0
/* N-Trace as SiFive's encoders had it before version 1.0. */
#include "flow-fixture.h"

static int setup_sifive(void **state)
{
	setup(state);
	f.config.ntrace.sifive = true;
	return 0;
}

static void put_in_circuit(unsigned int tcode, unsigned int cksrc, unsigned int count,
			   uint64_t first, uint64_t second)
{
	begin_message(tcode, 0);
	nexus_fixed(&f.msg, cksrc, 4);
	nexus_fixed(&f.msg, count - 1, 2);
	nexus_variable(&f.msg, first);
	if (count > 1)
		nexus_variable(&f.msg, second);
}

/* The first message of what was put. */
static struct rvtrace_ntrace_message first_message(int expected)
{
	const struct rvtrace_ntrace_config config = { .xlen = 64, .sifive = f.config.ntrace.sifive };
	struct rvtrace_ntrace_message m;
	struct rvtrace_ntrace *reader;

	assert_int_equal(rvtrace_ntrace_new(&config, &reader), 0);
	assert_int_equal(rvtrace_ntrace_feed(reader, f.stream, f.size), 0);
	assert_int_equal(rvtrace_ntrace_next(reader, &m), expected);
	m.raw = NULL;
	rvtrace_ntrace_free(reader);
	return m;
}

static void branches_that_were_not_taken(void **state)
{
	(void)state;
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x100);
	put_resource_full(RVTRACE_NTRACE_RCODE_NOT_TAKEN, 2, 0);
	put_correlation(10, 1);
	decode();
	is_type(0, RVTRACE_FLOW_SYNC);
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 8, 2);
	is_block(3, 0x10e, 6, 2);
	is_stop(4, 0x114);
	assert_int_equal(f.count, 5);
}

static void branches_that_were_taken(void **state)
{
	(void)state;
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x100);
	put_resource_full(RVTRACE_NTRACE_RCODE_NOT_TAKEN, 1, 0);
	put_resource_full(RVTRACE_NTRACE_RCODE_TAKEN, 1, 0);
	put_correlation(9, 1);
	decode();
	is_block(1, 0x100, 6, 2);
	is_block(2, 0x106, 8, 2);
	is_block(3, 0x300, 4, 1);
	is_stop(4, 0x304);
}

/* They are no branch history in N-Trace 1.0, and more than there can be are damage. */
static void runs_that_are_none(void **state)
{
	(void)state;
	f.config.ntrace.sifive = false;
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x100);
	put_resource_full(RVTRACE_NTRACE_RCODE_TAKEN, 1, 0);
	decode();
	assert_int_equal(is_type(1, RVTRACE_FLOW_UNKNOWN)->unknown.tcode,
			 RVTRACE_NTRACE_RESOURCE_FULL);
	rvtrace_flow_free(f.flow);
	f.flow = NULL;
	f.config.ntrace.sifive = true;
	f.size = 0;
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x100);
	put_resource_full(RVTRACE_NTRACE_RCODE_TAKEN, 1u << 25, 0);
	decode();
	is_error(1, RVTRACE_ERR_FIELD);
}

static void data_of_software(void **state)
{
	const struct rvtrace_flow_item *item;

	(void)state;
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x100);
	begin_message(RVTRACE_NTRACE_DATA_ACQUISITION, 0);
	nexus_variable(&f.msg, 4 * 4 + 3);
	nexus_variable(&f.msg, 0x48);
	end_message();
	begin_message(RVTRACE_NTRACE_AUX_ACCESS_WRITE, 0);
	nexus_variable(&f.msg, 0x7ff);
	nexus_variable(&f.msg, 0xdeadbeef);
	end_message();
	decode();
	item = is_type(1, RVTRACE_FLOW_DATA);
	assert_int_equal(item->data.id, 19);
	assert_int_equal(item->data.value, 0x48);
	item = is_type(2, RVTRACE_FLOW_DATA);
	assert_int_equal(item->data.id, 0x7ff);
	assert_int_equal(item->data.value, 0xdeadbeef);
}

/* V and CONTEXT that are 0 are not sent, so a process is as short as one byte. */
static void short_ownership(void **state)
{
	struct rvtrace_ntrace_message m;

	(void)state;
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 2 | 1 << 2);
	assert_int_equal(f.size, 2);
	m = first_message(1);
	assert_int_equal(m.format, RVTRACE_NTRACE_PROCESS_SCONTEXT);
	assert_int_equal(m.priv, 1);
	assert_false(m.v);
	assert_int_equal(m.context, 0);
	f.size = 0;
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x100);
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 2 | 1 << 2);
	decode();
	assert_int_equal(is_type(1, RVTRACE_FLOW_CONTEXT)->priv, 1);
	assert_int_equal(f.items[1].context, 0);
}

/* No FORMAT 1, no PRV 2: then it is what software wrote. */
static void ownership_of_software(void **state)
{
	const struct rvtrace_flow_item *item;

	(void)state;
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 0x1235);
	put_variable(RVTRACE_NTRACE_OWNERSHIP, 2 << 2);
	decode();
	item = is_type(0, RVTRACE_FLOW_DATA);
	assert_int_equal(item->data.id, RVTRACE_OWNER_ID);
	assert_int_equal(item->data.value, 0x1235);
	assert_int_equal(is_type(1, RVTRACE_FLOW_DATA)->data.value, 8);
}

static void fields_of_in_circuit_trace(void **state)
{
	struct rvtrace_ntrace_message m;

	(void)state;
	put_in_circuit(RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC, RVTRACE_NTRACE_CKSRC_INTERRUPT, 2,
		       0x123456789a, 7);
	nexus_variable(&f.msg, 1000);
	end_message();
	m = first_message(1);
	assert_int_equal(m.cksrc, RVTRACE_NTRACE_CKSRC_INTERRUPT);
	assert_int_equal(m.ckdf, 1);
	assert_int_equal(m.ckdata[0], 0x123456789a);
	assert_int_equal(m.ckdata[1], 7);
	assert_int_equal(m.tstamp, 1000);
	f.size = 0;
	put_in_circuit(RVTRACE_NTRACE_IN_CIRCUIT_TRACE, RVTRACE_NTRACE_CKSRC_INTERRUPT, 2, 1, 2);
	end_message();
	f.size--;
	f.stream[f.size - 1] |= 3;	/* the last CKDATA is cut off */
	first_message(RVTRACE_ERR_TRUNCATED);
}

/* Addresses count from the last one, whichever message had it. */
static void places_of_in_circuit_trace(void **state)
{
	const struct rvtrace_flow_item *item;

	(void)state;
	put_in_circuit(RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC, RVTRACE_NTRACE_CKSRC_PC_SAMPLE, 1,
		       0x400 >> 1, 0);
	nexus_variable(&f.msg, 100);
	end_message();
	put_in_circuit(RVTRACE_NTRACE_IN_CIRCUIT_TRACE, RVTRACE_NTRACE_CKSRC_CALL, 2,
		       (0x400 ^ 0x504) >> 1, (0x504 ^ 0x520) >> 1);
	nexus_variable(&f.msg, 100 ^ 107);
	end_message();
	put_in_circuit(RVTRACE_NTRACE_IN_CIRCUIT_TRACE, RVTRACE_NTRACE_CKSRC_WATCHPOINT, 1,
		       (0x520 ^ 0x410) >> 1, 0);
	end_message();
	put_in_circuit(RVTRACE_NTRACE_IN_CIRCUIT_TRACE, RVTRACE_NTRACE_CKSRC_CONTROL, 1, 3, 0);
	end_message();
	decode();
	assert_int_equal(f.count, 4);
	item = is_type(0, RVTRACE_FLOW_CIRCUIT);
	assert_int_equal(item->circuit.source, RVTRACE_NTRACE_CKSRC_PC_SAMPLE);
	assert_false(item->circuit.has_value);
	assert_true(item->flags & RVTRACE_FLOW_HAS_ADDRESS);
	assert_int_equal(item->address, 0x400);
	assert_int_equal(item->time, 100);
	assert_int_equal(f.items[1].address, 0x504);
	assert_int_equal(f.items[1].time, 107);
	assert_int_equal(f.items[1].circuit.value, 0x520);
	assert_int_equal(f.items[2].address, 0x410);
	assert_false(f.items[3].flags & RVTRACE_FLOW_HAS_ADDRESS);
	assert_int_equal(f.items[3].circuit.source, RVTRACE_NTRACE_CKSRC_CONTROL);
	assert_int_equal(f.items[3].circuit.value, 3);
}

/* Nor are those of sources that nobody has named. */
static void counters_are_no_address(void **state)
{
	(void)state;
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x100);
	for (unsigned int source = 1; source <= RVTRACE_NTRACE_CKSRC_COUNTERS; source += 11) {
		put_in_circuit(RVTRACE_NTRACE_IN_CIRCUIT_TRACE, source, 2, 0x1c8147, 0x77);
		end_message();
	}
	put_in_circuit(RVTRACE_NTRACE_IN_CIRCUIT_TRACE, RVTRACE_NTRACE_CKSRC_EXCEPTION, 2,
		       (0x100 ^ 0x302) >> 1, 8);
	end_message();
	decode();
	assert_int_equal(f.count, 4);
	for (int i = 1; i < 3; i++) {
		is_type(i, RVTRACE_FLOW_CIRCUIT);
		assert_false(f.items[i].flags & RVTRACE_FLOW_HAS_ADDRESS);
		assert_int_equal(f.items[i].circuit.value, 0x1c8147);
	}
	assert_int_equal(f.items[3].address, 0x302);
	assert_int_equal(f.items[3].circuit.value, 8);
}

/* 0x400 calls 0x410, which returns: in its mode, of one source alone; a synchronization forgets. */
static void optimized_histories_leave_returns_out(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_OPTIMIZED;
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x400);
	put_correlation(5, 1);
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x400);
	put_sync(0, RVTRACE_NTRACE_SYNC_PERIODIC, 3, 0x412);
	put_indirect(RVTRACE_NTRACE_BTYPE_JUMP, 1, 0x412 ^ 0x100, 1);
	put_correlation(1, 1);
	decode();
	is_block(1, 0x400, 4, 1);
	is_block(2, 0x410, 4, 2);
	is_block(3, 0x404, 2, 1);
	assert_int_equal(is_type(4, RVTRACE_FLOW_STOP)->address, 0x406);
	is_block(6, 0x400, 4, 1);
	is_block(7, 0x410, 2, 1);
	is_type(8, RVTRACE_FLOW_SYNC);
	is_block(9, 0x412, 2, 1);
	is_block(10, 0x100, 2, 1);
	is_stop(11, 0x102);
}

/* In the other mode each return is reported. */
static void histories_report_returns(void **state)
{
	(void)state;
	f.config.ntrace.modes[0] = RVTRACE_NTRACE_MODE_HISTORY;
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x400);
	put_correlation(5, 1);
	decode();
	is_error(3, RVTRACE_ERR_JUMP);
}

/* They do not move the hart, nor begin a trace. */
static void samples_of_the_pc(void **state)
{
	(void)state;
	put_sync(0, RVTRACE_NTRACE_SYNC_PC_SAMPLE, 0, 0x400);
	put_sync(0, RVTRACE_NTRACE_SYNC_TRACE_ENABLE, 0, 0x100);
	put_sync(0, RVTRACE_NTRACE_SYNC_PC_SAMPLE, 0, 0x1ffff80000000);
	put_correlation(3, 0);
	decode();
	assert_int_equal(f.count, 5);
	is_type(0, RVTRACE_FLOW_CIRCUIT);
	assert_int_equal(f.items[0].address, 0x400);
	is_type(1, RVTRACE_FLOW_SYNC);
	assert_int_equal(is_type(2, RVTRACE_FLOW_CIRCUIT)->address, 0xffffffff80000000);
	is_block(3, 0x100, 6, 2);
	is_stop(4, 0x106);
}

static void others_do_not_have_them(void **state)
{
	struct rvtrace_ntrace_message m;

	(void)state;
	f.config.ntrace.sifive = false;
	put_in_circuit(RVTRACE_NTRACE_IN_CIRCUIT_TRACE, RVTRACE_NTRACE_CKSRC_CALL, 1, 5, 0);
	end_message();
	m = first_message(1);
	assert_int_equal(m.tcode, 34);
	assert_int_equal(m.size, f.size);
	decode();
	assert_false(is_type(0, RVTRACE_FLOW_UNKNOWN)->flags & RVTRACE_FLOW_HAS_ADDRESS);
}

#define SIFIVE(name)	cmocka_unit_test_setup_teardown(name, setup_sifive, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIFIVE(branches_that_were_not_taken),
		SIFIVE(branches_that_were_taken),
		SIFIVE(runs_that_are_none),
		SIFIVE(data_of_software),
		SIFIVE(short_ownership),
		SIFIVE(ownership_of_software),
		SIFIVE(fields_of_in_circuit_trace),
		SIFIVE(places_of_in_circuit_trace),
		SIFIVE(counters_are_no_address),
		SIFIVE(optimized_histories_leave_returns_out),
		SIFIVE(histories_report_returns),
		SIFIVE(samples_of_the_pc),
		SIFIVE(others_do_not_have_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
