// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the debug specification's trace over a few instructions: what its table "Trace Data
 * Events" says of each is emitted by the encoder and understood by the decoder.
 */
#include "debugspec-flow-fixture.h"
#include "tools/lib/flow/flow_debugspec.h"

/* "jal: If emitbranch is disabled but emitpc is enabled, emit 2 PC values" */
static void jal_emits_both_ends_without_branches_only(void **state)
{
	(void)state;
	for (unsigned int branches = 0; branches < 2; branches++) {
		start(branches ? BRANCHES : FLOW, false);
		run(BASE + 0x20, 1, INGRESS_OTHER_DIRECT_JUMP, BASE + 0x24);
		run(BASE + 0x24, 1, INGRESS_INDIRECT_CALL, BASE);
		run(BASE, 1, INGRESS_NONE, BASE + 4);
		decode();
		/* the first, the last, jalr's target; ends of two jumps */
		assert_int_equal(count_of(RVTRACE_DEBUGSPEC_PC), branches ? 3 : 6);
		executed(BASE + 0x20, 2);
		executed(BASE, 1);
		ends_here();
	}
}

static void put_value(uint64_t pc)
{
	debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_PC, pc);
}

/*
 * "emit 2 PC values: first the address of the instruction, then the address being jumped to", and
 * no other PC: the first one is taken for where tracing began, but which is which shows then.
 */
static void pairs_behind_no_first_pc_are_found(void **state)
{
	(void)state;
	start(FLOW, false);
	put_packet(DEBUGSPEC_TRACE_ENABLED, 0);
	put_value(BASE + 0x20);
	put_value(BASE + 0x24);
	put_value(BASE + 0x24);
	put_value(BASE + 0x18);
	put_value(BASE + 0x18);
	put_value(BASE + 0x20);
	put_value(BASE + 0x20);
	put_header(DEBUGSPEC_TRACE_DISABLED);
	decode();
	assert_int_equal(next(RVTRACE_FLOW_ERROR)->error.code, RVTRACE_ERR_ADDRESS);
	executed(BASE + 0x24, 1);
	executed(BASE + 0x18, 1);
	executed(BASE + 0x20, 1);
	ends_here();
}

/*
 * "BRANCH: If emitbranch is enabled, emit either Branch Taken or Branch Not Taken. Otherwise if
 * emitpc is enabled and the branch is taken, emit 2 PC values"
 */
static void branches_taken_and_not(void **state)
{
	(void)state;
	for (unsigned int branches = 0; branches < 2; branches++) {
		start(branches ? BRANCHES : FLOW, false);
		run(BASE + 0x18, 1, INGRESS_BRANCH_TAKEN, BASE + 0x20);
		run(BASE + 0x20, 1, INGRESS_OTHER_DIRECT_JUMP, BASE + 0x24);
		run(BASE + 0x24, 1, INGRESS_INDIRECT_CALL, BASE + 0x18);
		run(BASE + 0x18, 1, INGRESS_BRANCH_NOT_TAKEN, BASE + 0x1c);
		decode();
		assert_int_equal(count_of(RVTRACE_DEBUGSPEC_TAKEN), branches);
		assert_int_equal(count_of(RVTRACE_DEBUGSPEC_NOT_TAKEN), branches);
		executed(BASE + 0x18, 1);
		executed(BASE + 0x20, 2);
		executed(BASE + 0x18, 1);
		ends_here();
	}
}

/* An instruction that trapped did not retire; its address is emitted as that of a jump would be. */
static void check_own_trap(unsigned int emit, uint64_t pc, uint64_t cause, bool ebreak)
{
	struct ingress_block block = {
		.start = pc, .itype = INGRESS_EXCEPTION, .target = HANDLER, .cause = cause,
		.ebreak = ebreak, .context = machine,
	};
	const struct rvtrace_flow_item *item;

	start(emit, false);
	run(BASE + 0x24, 1, INGRESS_INDIRECT_CALL, pc);
	debugspec_encoder_block(&written.encoder, &block);
	run(HANDLER, 2, INGRESS_TRAP_RETURN, BASE + 0x2c);
	run(BASE + 0x2c, 1, INGRESS_NONE, 0);
	decode();
	executed(BASE + 0x24, 1);
	item = next(RVTRACE_FLOW_TRAP);
	assert_int_equal(item->address, pc);
	assert_int_equal(item->trap.target, HANDLER);
	assert_int_equal(item->trap.kind, RVTRACE_TRAP_EXCEPTION);
	executed(HANDLER, 2);
	item = next(RVTRACE_FLOW_TRAP_RETURN);
	assert_int_equal(item->address, HANDLER + 4);
	assert_int_equal(item->trap.target, BASE + 0x2c);
	executed(BASE + 0x2c, 1);
	ends_here();
}

/*
 * "Traps: scall, sbreak, ecall, ebreak, and eret emit the same as if they were jal instructions. In
 * addition they also emit a Privilege Level sequence."
 */
static void ecall_ebreak_and_mret(void **state)
{
	(void)state;
	check_own_trap(BRANCHES, BASE + 0x1c, 11, false);
	check_own_trap(FLOW, BASE + 0x1c, 8, false);
	check_own_trap(BRANCHES, BASE + 0x28, 3, true);
	check_own_trap(FLOW, BASE + 0x28, 3, true);
}

/*
 * "Interrupts: Emit PC (if enabled) of the last instruction executed. Emit Privilege Level (if
 * enabled). Finally emit the new PC (if enabled)."
 */
static void interrupt_comes_behind_the_last_instruction(void **state)
{
	const struct rvtrace_flow_item *item;

	(void)state;
	for (unsigned int branches = 0; branches < 2; branches++) {
		start(branches ? BRANCHES : FLOW, false);
		run(BASE, 2, INGRESS_INTERRUPT, HANDLER);
		run(HANDLER, 1, INGRESS_NONE, 0);
		decode();
		executed(BASE, 2);
		item = next(RVTRACE_FLOW_TRAP);
		assert_int_equal(item->address, BASE + 8);
		assert_int_equal(item->trap.kind, RVTRACE_TRAP_INTERRUPT);
		executed(HANDLER, 1);
		ends_here();
	}
}

/* An instruction, a trap behind it that leads there again, then perhaps that instruction. */
static void trap_to_itself(unsigned int emit, bool once_more)
{
	start(emit, false);
	run(BASE, 1, INGRESS_EXCEPTION, BASE);
	if (once_more)
		run(BASE, 1, INGRESS_NONE, 0);
}

/*
 * "the last instruction executed" is the same one, be it that nothing has executed since, or itself
 * again: Privilege Level comes twice then, in which it says nothing else.
 */
static void instruction_executed_once_more_before_a_trap(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		bool once_more = i & 1;

		trap_to_itself(i & 2 ? BRANCHES : FLOW, once_more);
		run(BASE + 4 * once_more, 0, INGRESS_INTERRUPT, HANDLER);
		run(HANDLER, 1, INGRESS_NONE, 0);
		decode();
		assert_int_equal(count_of(RVTRACE_DEBUGSPEC_PRIVILEGE), 3 + once_more);
		executed(BASE, 1);
		assert_int_equal(next(RVTRACE_FLOW_TRAP)->trap.kind, RVTRACE_TRAP_EXCEPTION);
		executed(BASE, once_more);
		assert_int_equal(next(RVTRACE_FLOW_TRAP)->trap.kind, RVTRACE_TRAP_INTERRUPT);
		executed(HANDLER, 1);
		ends_here();
	}
}

static void instruction_executed_once_more_before_the_end(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		bool once_more = i & 1;

		trap_to_itself(i & 2 ? BRANCHES : FLOW, once_more);
		decode();
		executed(BASE, 1);
		next(RVTRACE_FLOW_TRAP);
		executed(BASE, once_more);
		ends_here();
	}
}

/* The target of an indirect jump is not the last instruction, though there is a way to it. */
static void tracing_ends_right_behind_an_indirect_jump(void **state)
{
	(void)state;
	for (unsigned int branches = 0; branches < 2; branches++) {
		start(branches ? BRANCHES : FLOW, false);
		run(BASE + 0x20, 1, INGRESS_OTHER_DIRECT_JUMP, BASE + 0x24);
		run(BASE + 0x24, 1, INGRESS_INDIRECT_CALL, BASE + 0x20);
		decode();
		executed(BASE + 0x20, 2);
		ends_here();
	}
}

/* Returns lower privilege, traps do not. */
static void privilege_tells_a_return_from_a_trap(void **state)
{
	(void)state;
	for (unsigned int lowers = 0; lowers < 2; lowers++) {
		start(FLOW, false);
		run(HANDLER, 2, INGRESS_TRAP_RETURN, HANDLER);
		debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_PC, HANDLER + 4);
		put_packet(DEBUGSPEC_PRIVILEGE_LEVEL, (lowers ? 0 : INGRESS_PRIV_M) << 1);
		debugspec_encoder_value(&written.encoder, DEBUGSPEC_KIND_PC, BASE);
		put_header(DEBUGSPEC_TRACE_DISABLED);
		debugspec_stream_flush(&written.stream);
		decode_bytes(written.bytes, written.size);
		executed(HANDLER, 2);
		assert_int_equal(next(RVTRACE_FLOW_TRAP_RETURN)->trap.target, HANDLER);
		executed(HANDLER, lowers ? 2 : 0);
		assert_int_equal(next(lowers ? RVTRACE_FLOW_TRAP_RETURN :
				      RVTRACE_FLOW_TRAP)->trap.target, BASE);
		ends_here();
	}
}

/* Without Privilege Level the trap vector tells a trap from a jump. */
static void traps_without_privilege_level(void **state)
{
	(void)state;
	f.trap_vector = HANDLER;
	start(DEBUGSPEC_EMITPC | DEBUGSPEC_EMITBRANCH, false);
	run(BASE, 2, INGRESS_INTERRUPT, HANDLER);
	run(HANDLER, 1, INGRESS_NONE, 0);
	decode();
	executed(BASE, 2);
	assert_int_equal(next(RVTRACE_FLOW_TRAP)->trap.kind, RVTRACE_TRAP_UNKNOWN);
	executed(HANDLER, 1);
	ends_here();
}

/* To the letter, with emitbranch, ecall emits what jal does (nothing), and Privilege Level. */
static void literal_traps_lose_the_flow(void **state)
{
	struct ingress_block block = {
		.start = BASE + 0x18, .itype = INGRESS_EXCEPTION, .target = HANDLER, .cause = 11,
		.context = machine,
	};

	(void)state;
	start(BRANCHES, true);
	run(BASE + 0x18, 1, INGRESS_BRANCH_NOT_TAKEN, BASE + 0x1c);
	block.start = BASE + 0x1c;
	debugspec_encoder_block(&written.encoder, &block);
	decode();
	/* one when tracing began */
	assert_int_equal(count_of(RVTRACE_DEBUGSPEC_PRIVILEGE), 2);
	assert_int_equal(count_of(RVTRACE_DEBUGSPEC_PC), 1);
	executed(BASE + 0x18, 1);
	assert_int_equal(next(RVTRACE_FLOW_TRAP)->address, BASE + 0x1c);
	ends_here();
}

/* "Otherwise, if emitstoredata is enabled emit just the destination PC.": to the letter */
static void literal_jalr_depends_on_emitstoredata(void **state)
{
	(void)state;
	for (unsigned int data = 0; data < 2; data++) {
		start(BRANCHES | (data ? DEBUGSPEC_EMITSTOREDATA : 0), true);
		run(BASE + 0x24, 1, INGRESS_INDIRECT_CALL, BASE + 0x2c);
		stop();
		/* behind the first, and before the last instruction's */
		assert_int_equal(count_of(RVTRACE_DEBUGSPEC_PC), data ? 3 : 2);
	}
}

/* With it, PCs come without emitpc, too, and with branches lead from one jump to the next. */
static void literal_jalr_needs_no_emitpc(void **state)
{
	(void)state;
	for (unsigned int branches = 0; branches < 2; branches++) {
		start(DEBUGSPEC_EMITSTOREDATA | (branches ? DEBUGSPEC_EMITBRANCH : 0), true);
		run(BASE + 0x24, 1, INGRESS_INDIRECT_CALL, BASE + 0x18);
		run(BASE + 0x18, 1, INGRESS_BRANCH_TAKEN, BASE + 0x20);
		run(BASE + 0x20, 1, INGRESS_OTHER_DIRECT_JUMP, BASE + 0x24);
		run(BASE + 0x24, 1, INGRESS_INDIRECT_CALL, BASE + 0x18);
		decode();
		assert_int_equal(count_of(RVTRACE_DEBUGSPEC_PC), 2);
		if (branches) {
			executed(BASE + 0x18, 1);
			executed(BASE + 0x20, 2);
		}
		ends_here();
	}
}

/* Without it, what is behind jalr is lost, which is no error, up to a PC that tells. */
static void literal_jalr_loses_the_flow(void **state)
{
	(void)state;
	start(BRANCHES, true);
	run(BASE + 0x18, 1, INGRESS_BRANCH_TAKEN, BASE + 0x20);
	run(BASE + 0x20, 1, INGRESS_OTHER_DIRECT_JUMP, BASE + 0x24);
	run(BASE + 0x24, 1, INGRESS_INDIRECT_CALL, BASE + 0x18);
	run(BASE + 0x18, 1, INGRESS_BRANCH_NOT_TAKEN, BASE + 0x1c);
	run(BASE, 1, INGRESS_INTERRUPT, HANDLER);
	run(HANDLER, 1, INGRESS_NONE, 0);
	decode();
	executed(BASE + 0x18, 1);
	next(RVTRACE_FLOW_TRAP);
	executed(HANDLER, 1);
	ends_here();
}

/* "it is possible to make a list of every instruction executed", without code, of 4 bytes each */
static void instruction_list_needs_no_code(void **state)
{
	const struct rvtrace_flow_item *item;

	(void)state;
	start(FLOW, false);
	run(0x9000, 5, INGRESS_OTHER_DIRECT_JUMP, 0xa000);
	run(0xa000, 1, INGRESS_NONE, 0);
	decode();
	item = next(RVTRACE_FLOW_RANGE);
	assert_int_equal(item->address, 0x9000);
	assert_int_equal(item->range.last, 0x9010);
	assert_int_equal(item->range.instructions, 5);
	item = next(RVTRACE_FLOW_RANGE);
	assert_int_equal(item->address, 0xa000);
	assert_int_equal(item->range.instructions, 1);
	ends_here();
}

/* Nobody executes so much in line. */
static void ranges_have_an_end(void **state)
{
	(void)state;
	start(FLOW, false);
	put_packet(DEBUGSPEC_TRACE_ENABLED, 0);
	put_value(BASE + 0x8000);
	put_value(0x7ffffffffffffff0);
	put_value(0x9000);
	put_value(0x9010);
	put_value(0x8000);
	put_header(DEBUGSPEC_TRACE_DISABLED);
	decode();
	assert_int_equal(next(RVTRACE_FLOW_ERROR)->error.code, RVTRACE_ERR_ADDRESS);
	assert_int_equal(next(RVTRACE_FLOW_RANGE)->range.last, 0x9010);
	ends_here();
	start(FLOW, false);
	put_packet(DEBUGSPEC_TRACE_ENABLED, 0);
	put_value(BASE + 0x8000);
	put_value(0x7ffffffffffffff0);
	put_header(DEBUGSPEC_TRACE_DISABLED);
	decode();
	assert_int_equal(next(RVTRACE_FLOW_ERROR)->error.code, RVTRACE_ERR_ADDRESS);
	ends_here();
}

/* "Trace Disabled: ... purposefully disabled, or ... dropped": a header but Trace Enabled tells. */
static void trace_disabled_is_a_loss_if_trace_goes_on(void **state)
{
	(void)state;
	f.config = (struct rvtrace_debugspec_config) { .xlen = 64, .emit = ALL };
	decode_bytes(BYTES(0x45, 0x50));
	assert_int_equal(f.count, 2);
	assert_int_equal(f.items[0].type, RVTRACE_FLOW_STOP);
	assert_int_equal(f.items[1].type, RVTRACE_FLOW_STOP);
	f.count = 0;
	decode_bytes(BYTES(0x25));
	assert_int_equal(f.count, 1);
	assert_int_equal(f.items[0].type, RVTRACE_FLOW_OVERFLOW);
	assert_int_equal(f.items[0].offset, 0);
}

/* "Emit ... trace sequences.": register trace, bits 16 to 23 */
static void packets_that_are_not_emitted_are_told(void **state)
{
	static const uint8_t headers[] = {
		DEBUGSPEC_PC, DEBUGSPEC_BRANCH_TAKEN, DEBUGSPEC_BRANCH_NOT_TAKEN,
		DEBUGSPEC_PRIVILEGE_LEVEL, DEBUGSPEC_LOAD_ADDR, DEBUGSPEC_STORE_ADDR,
		DEBUGSPEC_LOADED, DEBUGSPEC_STORED, DEBUGSPEC_TIME,
	};
	static const uint8_t emit[] = {
		DEBUGSPEC_EMITPC, DEBUGSPEC_EMITBRANCH, DEBUGSPEC_EMITBRANCH, DEBUGSPEC_EMITPRIV,
		DEBUGSPEC_EMITLOADADDR, DEBUGSPEC_EMITSTOREADDR, DEBUGSPEC_EMITLOADDATA,
		DEBUGSPEC_EMITSTOREDATA, DEBUGSPEC_EMITTIMESTAMP,
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(headers); i++) {
		const uint8_t bytes[] = { headers[i] << 4, 0, 0 };

		f.count = 0;
		f.config = (struct rvtrace_debugspec_config) { .xlen = 64, .emit = ALL & ~emit[i] };
		decode_bytes(bytes, sizeof(bytes));
		assert_int_equal(f.count, 1);
		assert_int_equal(f.items[0].error.code, RVTRACE_ERR_EMIT);
		assert_int_equal(f.items[0].offset, 1);
		f.count = 0;
		f.config.emit = ALL;
		decode_bytes(bytes, sizeof(bytes));
		for (unsigned int k = 0; k < f.count; k++)
			assert_int_not_equal(f.items[k].type, RVTRACE_FLOW_ERROR);
	}
}

/* The way is not followed from the PC before one. */
static void packets_that_are_not_emitted_end_the_way(void **state)
{
	bool lost = false;

	(void)state;
	start(BRANCHES, false);
	run(BASE + 0x24, 1, INGRESS_INDIRECT_CALL, BASE + 0x18);
	debugspec_encoder_data(&written.encoder, DEBUGSPEC_LOADED, 1, 32);
	run(BASE + 0x18, 1, INGRESS_BRANCH_TAKEN, BASE + 0x20);
	decode();
	for (unsigned int i = 0; i < f.count; i++) {
		lost |= f.items[i].type == RVTRACE_FLOW_ERROR &&
			f.items[i].error.code == RVTRACE_ERR_EMIT;
		assert_false(lost && f.items[i].type == RVTRACE_FLOW_BLOCKS);
	}
	assert_true(lost);
}

/* No instruction is said to have executed for what cannot be in the trace. */
static void packets_that_are_not_emitted_lead_nowhere(void **state)
{
	(void)state;
	start(BRANCHES, false);
	run(BASE, 1, INGRESS_NONE, 0);
	debugspec_encoder_data(&written.encoder, DEBUGSPEC_LOADED, 1, 32);
	decode();
	assert_int_equal(next(RVTRACE_FLOW_ERROR)->error.code, RVTRACE_ERR_EMIT);
	ends_here();
}

static void cut_packet_is_told_with_its_nybble(void **state)
{
	(void)state;
	f.config = (struct rvtrace_debugspec_config) { .xlen = 64, .emit = ALL };
	decode_bytes(BYTES(0xc0, 0x13));
	assert_int_equal(f.count, 1);
	assert_int_equal(f.items[0].error.code, RVTRACE_ERR_TRUNCATED);
	assert_int_equal(f.items[0].offset, 1);
	assert_int_equal(f.items[0].error.size, 3);
}

/* Nothing is loaded there, which shows as soon as the way comes back to where it was. */
static void loops_are_looked_through_once(void **state)
{
	struct rvtrace_flow_item items[MAX_ITEMS];
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_flow *flow;

	(void)state;
	start(BRANCHES | DEBUGSPEC_EMITLOADDATA, false);
	run(LOOP, 1, INGRESS_NONE, 0);
	debugspec_encoder_data(&written.encoder, DEBUGSPEC_LOADED, 1, 32);
	stop();
	rvtrace_flow_config_debugspec(&f.config, &config);
	assert_int_equal(rvtrace_flow_new(&config, f.image, &flow), 0);
	/* up to Load Data, and half of a byte more */
	assert_int_equal(rvtrace_flow_feed(flow, written.bytes, 13), 0);
	while (rvtrace_flow_read(flow, items, MAX_ITEMS) > 0)
		;
	assert_in_range(flow->debugspec->way.count, 4, 12);
	rvtrace_flow_free(flow);
}

static void read_all(struct rvtrace_flow *flow)
{
	struct rvtrace_flow_item items[MAX_ITEMS];
	int n;

	while ((n = rvtrace_flow_read(flow, items, MAX_ITEMS)) > 0)
		for (int i = 0; i < n; i++)
			take(&items[i]);
	assert_int_equal(n, 0);
}

static void is_error(unsigned int index, int code, uint64_t offset, uint32_t size)
{
	assert_true(index < f.count);
	assert_int_equal(f.items[index].type, RVTRACE_FLOW_ERROR);
	assert_int_equal(f.items[index].error.code, code);
	assert_int_equal(f.items[index].offset, offset);
	assert_int_equal(f.items[index].error.size, size);
}

/* Bytes are missing, but what is read behind them is told in nybbles. Points at bytes 0, 4 ... */
static void bytes_can_be_lost(void **state)
{
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_flow *flow;

	(void)state;
	f.config = (struct rvtrace_debugspec_config) { .xlen = 64, .emit = ALL };
	assert_int_equal(rvtrace_debugspec_buffer(&f.config, 32, 0), 0);
	rvtrace_flow_config_debugspec(&f.config, &config);
	assert_int_equal(rvtrace_flow_new(&config, f.image, &flow), 0);
	assert_int_equal(rvtrace_flow_feed(flow, BYTES(0x00, 0xc0, 0x01)), 0);
	read_all(flow);
	assert_int_equal(rvtrace_flow_lost(flow, 6, 9, 0), 0);
	read_all(flow);
	assert_int_equal(rvtrace_flow_feed(flow, BYTES(0xff, 0xff, 0xff, 0xd0)), 0);
	read_all(flow);
	assert_int_equal(rvtrace_flow_lost(flow, 0, 17, RVTRACE_LOST_ALIGNED), 0);
	read_all(flow);
	assert_int_equal(rvtrace_flow_feed(flow, BYTES(0x00, 0xc0)), 0);
	read_all(flow);
	assert_int_equal(rvtrace_flow_finish(flow), 0);
	read_all(flow);
	rvtrace_flow_free(flow);
	assert_int_equal(f.count, 4);
	assert_int_equal(f.items[0].type, RVTRACE_FLOW_LOST);
	assert_int_equal(f.items[0].offset, 18);
	assert_int_equal(f.items[0].lost.bytes, 6);
	is_error(1, RVTRACE_ERR_HEADER, 25, 1);
	assert_int_equal(f.items[2].type, RVTRACE_FLOW_LOST);
	assert_int_equal(f.items[2].offset, 34);
	is_error(3, RVTRACE_ERR_TRUNCATED, 37, 1);
}

/* Behind a reserved header without points there is no reading on: all of the rest. */
static void rest_that_cannot_be_read_is_told(void **state)
{
	(void)state;
	f.config = (struct rvtrace_debugspec_config) { .xlen = 64, .emit = ALL };
	decode_bytes(BYTES(0x0d, 0x22, 0x22));
	assert_int_equal(f.count, 2);
	is_error(0, RVTRACE_ERR_HEADER, 0, 1);
	is_error(1, RVTRACE_ERR_SYNC, 1, 5);
}

/* Of several harts, where reading begins behind a point and no Change Hart comes. */
static void nobodys_packets_are_told(void **state)
{
	(void)state;
	f.config = (struct rvtrace_debugspec_config) {
		.xlen = 64, .emit = ALL, .several_harts = true, .sync_interval = 8,
		.sync_offset = 2,
	};
	decode_bytes(BYTES(0xff, 0x20, 0x32));
	assert_int_equal(f.count, 1);
	is_error(0, RVTRACE_ERR_SYNC, 3, 3);
	f.count = 0;
	/* Change Hart: 1 */
	decode_bytes(BYTES(0xff, 0x20, 0x07, 0x21));
	assert_int_equal(f.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(jal_emits_both_ends_without_branches_only),
		TEST(pairs_behind_no_first_pc_are_found),
		TEST(branches_taken_and_not),
		TEST(ecall_ebreak_and_mret),
		TEST(interrupt_comes_behind_the_last_instruction),
		TEST(instruction_executed_once_more_before_a_trap),
		TEST(instruction_executed_once_more_before_the_end),
		TEST(tracing_ends_right_behind_an_indirect_jump),
		TEST(privilege_tells_a_return_from_a_trap),
		TEST(traps_without_privilege_level),
		TEST(literal_traps_lose_the_flow),
		TEST(literal_jalr_depends_on_emitstoredata),
		TEST(literal_jalr_needs_no_emitpc),
		TEST(literal_jalr_loses_the_flow),
		TEST(instruction_list_needs_no_code),
		TEST(ranges_have_an_end),
		TEST(trace_disabled_is_a_loss_if_trace_goes_on),
		TEST(packets_that_are_not_emitted_are_told),
		TEST(packets_that_are_not_emitted_end_the_way),
		TEST(packets_that_are_not_emitted_lead_nowhere),
		TEST(cut_packet_is_told_with_its_nybble),
		TEST(loops_are_looked_through_once),
		TEST(bytes_can_be_lost),
		TEST(rest_that_cannot_be_read_is_told),
		TEST(nobodys_packets_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
