// SPDX-License-Identifier: GPL-2.0
/* Software trace port of an encoder: what software emits, among what the hart executes. */
#include <string.h>

#include <linux/rvtrace_regs.h>
#include <linux/rvtrace_regs_1_0.h>
#include <rvtrace/event.h>

#include "selftests/unit/etrace-decoder-params.h"
#include "selftests/unit/model-encoder-fixture.h"
#include "tools/encode/etrace.h"

#define LOST	RVTRACE_SOFTWARE_TRACE_LOST
#define EVERY_GROUP	0xf0u
#define SWITCH(id)	((uint32_t)(id) << 16)
#define PORT_ON	(RVTRACE_SOFTWARE_TRACE_ENABLE | EVERY_GROUP | SWITCH(RVTRACE_THREAD_SWITCH))

static const struct ingress_context machine = { .priv = INGRESS_PRIV_M };
static const struct ingress_context supervisor = { .priv = INGRESS_PRIV_S };
static const struct ingress_context user = { .priv = INGRESS_PRIV_U };

static void say(uint16_t id, uint64_t value)
{
	te_model_event(bench.te, id, value, &user, bench.time, bench.now);
}

static void write_tp(uint64_t value, const struct ingress_context *context)
{
	te_model_thread(bench.te, value, context, bench.time, bench.now);
}

static void begin(uint32_t port)
{
	bench.config.port = true;
	activate();
	wr(RVTRACE_SOFTWARE_TRACE, PORT_ON);
	start(0);
	/* What starting left in the queue leaves with an event. */
	say(1, 0);
	bench.sent.checked = bench.sent.count;
	wr(RVTRACE_SOFTWARE_TRACE, port);
}

static struct te_stats stats(void)
{
	struct te_stats s;

	te_model_stats(bench.te, &s);
	return s;
}

TEST(events_of_all_groups)
{
	begin(PORT_ON);
	say(0x0001, 0);
	say(0x3fff, UINT64_MAX);
	say(0x4000, 0x6e616d65);
	say(0x8000, 1);
	say(0x8001, 2);
	say(0xffff, 0x123456789abcdef0);
	expect("DataAcquisition IDTAG=0x1 DQDATA=0x0",
	       "DataAcquisition IDTAG=0x3fff DQDATA=0xffffffffffffffff",
	       "DataAcquisition IDTAG=0x4000 DQDATA=0x6e616d65",
	       "DataAcquisition IDTAG=0x8000 DQDATA=0x1",
	       "DataAcquisition IDTAG=0x8001 DQDATA=0x2",
	       "DataAcquisition IDTAG=0xffff DQDATA=0x123456789abcdef0");
	expect_nothing();
	assert_int_equal(stats().events, 1 + 6);
	assert_int_equal(stats().lost_events, 0);
}

/* "0x0000: not used" */
TEST(identifier_0_is_none)
{
	begin(PORT_ON);
	say(0, 5);
	expect_nothing();
	assert_int_equal(stats().events, 1);
}

static void only(uint32_t group, const char *message)
{
	wr(RVTRACE_SOFTWARE_TRACE, RVTRACE_SOFTWARE_TRACE_ENABLE | group | SWITCH(0x8000));
	say(0x0002, 1);
	say(0x4001, 2);
	say(0x9000, 3);
	say(0xc000, 4);
	expect(message);
	expect_nothing();
}

TEST(groups_are_chosen)
{
	begin(PORT_ON);
	only(RVTRACE_SOFTWARE_TRACE_USER, "DataAcquisition IDTAG=0x2 DQDATA=0x1");
	only(RVTRACE_SOFTWARE_TRACE_COM, "DataAcquisition IDTAG=0x4001 DQDATA=0x2");
	only(RVTRACE_SOFTWARE_TRACE_RESERVED, "DataAcquisition IDTAG=0x9000 DQDATA=0x3");
	only(RVTRACE_SOFTWARE_TRACE_SYS, "DataAcquisition IDTAG=0xc000 DQDATA=0x4");
	/* THREAD_SWITCH counts as one of SYS, wherever it is. */
	say(0x8000, 5);
	expect("DataAcquisition IDTAG=0x8000 DQDATA=0x5");
	wr(RVTRACE_SOFTWARE_TRACE, PORT_ON & ~RVTRACE_SOFTWARE_TRACE_SYS);
	say(0x8000, 6);
	expect_nothing();
}

TEST(all_enables_are_needed)
{
	begin(PORT_ON & ~RVTRACE_SOFTWARE_TRACE_ENABLE);
	assert_false(te_model_hears_events(bench.te));
	say(1, 1);
	expect_nothing();
	wr(RVTRACE_SOFTWARE_TRACE, PORT_ON);
	assert_true(te_model_hears_events(bench.te));
	say(1, 2);
	expect("DataAcquisition IDTAG=0x1 DQDATA=0x2");
	disable(0);
	bench.sent.checked = bench.sent.count;
	assert_false(te_model_hears_events(bench.te));
	say(1, 3);
	expect_nothing();
}

/* Without instruction trace, too */
TEST(events_alone)
{
	bench.config.port = true;
	activate();
	wr(RVTRACE_SOFTWARE_TRACE, PORT_ON);
	set_control(ACTIVE | NTRACE | FUNNEL | ON);
	say(1, 2);
	expect("DataAcquisition IDTAG=0x1 DQDATA=0x2");
	expect_nothing();
}

TEST(writes_to_tp)
{
	begin(PORT_ON);
	assert_false(te_model_hears_threads(bench.te));
	write_tp(0xffffffd800a1b2c0, &supervisor);
	expect_nothing();
	wr(RVTRACE_SOFTWARE_TRACE, RVTRACE_SOFTWARE_TRACE_ENABLE | RVTRACE_SOFTWARE_TRACE_THREADS |
				   SWITCH(0x8000));
	assert_true(te_model_hears_threads(bench.te));
	write_tp(0xffffffd800a1b2c0, &supervisor);
	write_tp(0x3fb7c01740, &user);
	/* Firmware swaps it at every trap. */
	write_tp(0x80040000, &machine);
	expect("DataAcquisition IDTAG=0x8000 DQDATA=0xffffffd800a1b2c0",
	       "DataAcquisition IDTAG=0x8000 DQDATA=0x3fb7c01740");
	expect_nothing();
	wr(RVTRACE_SOFTWARE_TRACE, RVTRACE_SOFTWARE_TRACE_ENABLE | RVTRACE_SOFTWARE_TRACE_THREADS |
				   SWITCH(0xc123));
	write_tp(1, &supervisor);
	expect("DataAcquisition IDTAG=0xc123 DQDATA=0x1");
}

/* Firmware may emit events, unless what it does is not traced. */
TEST(events_of_firmware)
{
	begin(PORT_ON);
	te_model_event(bench.te, 1, 2, &machine, 0, 0);
	expect("DataAcquisition IDTAG=0x1 DQDATA=0x2");
	te_model_free(bench.te);
	bench.config.filter_machine = true;
	begin(PORT_ON);
	te_model_event(bench.te, 1, 2, &machine, 0, 0);
	expect_nothing();
	te_model_event(bench.te, 1, 2, &supervisor, 0, 0);
	assert_int_equal(count_tcode(7), 2 + 2);
}

/* What retired before comes before. */
TEST(events_lie_among_instructions)
{
	begin(PORT_ON);
	jumps(1);
	say(1, 1);
	say(1, 2);
	jumps(1);
	say(1, 3);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x800 HIST=0x1",
	       "DataAcquisition IDTAG=0x1 DQDATA=0x1",
	       "DataAcquisition IDTAG=0x1 DQDATA=0x2",
	       "IndirectBranchHist B-TYPE=0x0 I-CNT=0x2 U-ADDR=0x800 HIST=0x1",
	       "DataAcquisition IDTAG=0x1 DQDATA=0x3");
	expect_nothing();
}

/* "both ordered with the instruction stream": history and count come first. */
TEST(events_have_their_place)
{
	begin(PORT_ON);
	run(2, INGRESS_BRANCH_NOT_TAKEN, bench.pc + 4);
	run(3, INGRESS_BRANCH_TAKEN, 0x200);
	run(1, INGRESS_NONE, 0x202);
	say(1, 5);
	run(1, INGRESS_NONE, 0x204);
	say(1, 6);
	run(2, INGRESS_BRANCH_TAKEN, 0x300);
	jumps(1);
	expect("ResourceFull RCODE=0x1 RDATA=0x5",
	       "ResourceFull RCODE=0x0 RDATA=0x6",
	       "DataAcquisition IDTAG=0x1 DQDATA=0x5",
	       "ResourceFull RCODE=0x0 RDATA=0x1",
	       "DataAcquisition IDTAG=0x1 DQDATA=0x6");
	say(1, 7);
	expect("IndirectBranchHist B-TYPE=0x0 I-CNT=0x4 U-ADDR=0x900 HIST=0x3",
	       "DataAcquisition IDTAG=0x1 DQDATA=0x7");
}

/* Time, as of the instructions */
TEST(events_carry_timestamps)
{
	struct rvtrace_event_config config = {
		.size = sizeof(config),
		.carrier = RVTRACE_EVENT_PORT, .ntrace = { .xlen = 64 },
	};
	struct rvtrace_events *reader;
	struct rvtrace_event event;
	unsigned int i, seen = 0;

	bench.config.port = true;
	activate();
	wr(RVTRACE_SOFTWARE_TRACE, PORT_ON);
	wr(RVTRACE_TS_CONTROL, RVTRACE_TS_CONTROL_ACTIVE);
	wr(RVTRACE_TS_CONTROL, RVTRACE_TS_CONTROL_ACTIVE | RVTRACE_TS_CONTROL_ENABLE | 1 << 4);
	bench.time = 1000;
	start(0);
	bench.time = 1024;
	say(1, 1);
	bench.time = 5000;
	say(1, 2);
	assert_int_equal(rvtrace_events_new(&config, &reader), 0);
	for (i = 0; i < bench.sent.count; i++) {
		rvtrace_events_feed(reader, bench.sent.bytes[i], bench.sent.size[i]);
		while (rvtrace_events_next(reader, &event)) {
			assert_int_equal(event.value, ++seen);
			assert_true(event.flags & RVTRACE_EVENT_HAS_TIME);
			assert_int_equal(event.time, seen == 1 ? 1024 : 5000);
		}
	}
	assert_int_equal(seen, 2);
	rvtrace_events_free(reader);
}

/*
 * "There is no backpressure": also where instructions stall the hart. Each event is in the trace or
 * counted, and the trace tells where some are not.
 */
static void overflow(uint32_t more)
{
	unsigned int said, lost;

	bench.config.port = true;
	activate();
	wr(RVTRACE_SOFTWARE_TRACE, PORT_ON);
	start(more);
	assert_int_equal(rd(LOST), 0);
	bench.full = true;
	for (said = 0; said < 500; said++)
		say(1, said);
	assert_int_equal(bench.stalled, 0);
	assert_int_equal(stats().stalls, 0);
	lost = rd(LOST);
	assert_in_range(lost, 1, 499);
	assert_int_equal(stats().lost_events, lost);
	assert_int_equal(stats().events, 500);
	assert_int_equal(rd(LOST), 0);
	bench.full = false;
	jumps(2);
	say(2, 0);
	assert_int_equal(count_tcode(7), 500 - lost + 1);
	assert_int_equal(count_tcode(8), 1);
	assert_int_equal(rd(LOST), 0);
}

TEST(overflow_is_counted)
{
	overflow(0);
}

TEST(events_never_stall)
{
	overflow(STALL_EN);
}

/* Instructions go on where events leave no room. */
TEST(events_leave_room)
{
	unsigned int said;

	begin(PORT_ON);
	bench.full = true;
	for (said = 0; said < 500; said++)
		say(1, said);
	assert_int_equal(stats().overflows, 0);
}

/* Error, and the synchronization that follows one, with what had retired and was not told */
TEST(lost_events_lose_no_instruction)
{
	unsigned int said;

	begin(PORT_ON);
	run(2, INGRESS_BRANCH_TAKEN, 0x200);
	bench.full = true;
	for (said = 0; said < 500; said++)
		say(1, said);
	run(1, INGRESS_BRANCH_TAKEN, 0x300);
	run(3, INGRESS_BRANCH_NOT_TAKEN, 0x306);
	assert_int_equal(stats().overflows, 0);
	bench.full = false;
	say(1, 500);
	expect("ResourceFull RCODE=0x1 RDATA=0x3",
	       "ResourceFull RCODE=0x0 RDATA=0x2");
	bench.sent.checked += 500 - rd(LOST);
	expect("Error ETYPE=0x0 ECODE=0x20",
	       "IndirectBranchHistSync SYNC=0x2 B-TYPE=0x0 I-CNT=0x1 F-ADDR=0x180 HIST=0x3",
	       "ResourceFull RCODE=0x1 RDATA=0x2",
	       "ResourceFull RCODE=0x0 RDATA=0x3",
	       "DataAcquisition IDTAG=0x1 DQDATA=0x1f4");
	assert_int_equal(rd(LOST), 0);
}

/* Nothing is left to tell of it with: the end does. */
TEST(events_lost_at_the_end_are_told)
{
	unsigned int said;

	begin(PORT_ON);
	run(2, INGRESS_BRANCH_TAKEN, 0x200);
	bench.full = true;
	for (said = 0; said < 500; said++)
		say(1, said);
	bench.full = false;
	disable(0);
	bench.sent.checked += 2 + 500 - rd(LOST);
	expect("Error ETYPE=0x0 ECODE=0x20",
	       "ProgTraceCorrelation EVCODE=0x4 CDF=0x1 I-CNT=0x0 HIST=0x1");
	expect_nothing();
}

/* E-Trace */

static void begin_etrace(uint32_t type_width, uint32_t src_bits)
{
	bench.config.formats = 1 << RVTRACE_FORMAT_ETRACE | 1 << RVTRACE_FORMAT_NTRACE;
	bench.config.etrace.type_width = type_width;
	bench.config.port = true;
	activate();
	wr(RVTRACE_TE_IMPL, field_put(RVTRACE_TE_IMPL_SRC_BITS, src_bits));
	wr(RVTRACE_SOFTWARE_TRACE, PORT_ON);
	set_control(ACTIVE | MODE(6) | FUNNEL | ENABLE);
	set_control(ACTIVE | MODE(6) | FUNNEL | ON);
	answer();
}

/* An instruction of 4 bytes */
static void retire(void)
{
	struct ingress_block block = {
		.start = bench.pc, .halfwords = 2, .last_size = 2, .itype = INGRESS_NONE,
		.target = bench.pc + 4, .time = ++bench.time, .cycles = bench.now,
		.context = machine,
	};

	bench.pc += 4;
	te_model_retire(bench.te, &block);
}

/* What a reader finds once tracing has stopped */
struct heard {
	unsigned int events;
	unsigned int lost;
	unsigned int notified;
	unsigned int losses_of_packets;
	bool behind;		/* each event came right behind a report of instructions */
};

static struct heard listen(void)
{
	struct etrace_params from = te_etrace_params(&bench.config.etrace);
	struct rvtrace_etrace_params params;
	struct rvtrace_etrace_packet p;
	struct rvtrace_etrace *reader;
	struct heard heard = { .behind = true };
	bool reported = false;

	set_control(ACTIVE | MODE(6) | FUNNEL | ENABLE);
	set_control(ACTIVE | MODE(6) | FUNNEL);
	answer();
	from.timestamp_bytes = 0;
	from.src_bits = field_get(RVTRACE_TE_IMPL_SRC_BITS, rd(RVTRACE_TE_IMPL));
	if (bench.config.etrace.event_srcid_bit < from.src_bits)
		from.src_event = 1 << bench.config.etrace.event_srcid_bit;
	params = etrace_decoder_params(&from);
	assert_int_equal(rvtrace_etrace_new(&params, &reader), 0);
	for (unsigned int i = 0; i < bench.sent.count; i++) {
		rvtrace_etrace_feed(reader, bench.sent.bytes[i], bench.sent.size[i]);
		while (rvtrace_etrace_next(reader, &p) > 0) {
			if (p.kind == RVTRACE_ETRACE_EVENT && !p.event.id) {
				heard.lost += p.event.value;
			} else if (p.kind == RVTRACE_ETRACE_EVENT) {
				heard.behind = heard.behind && reported;
				heard.events++;
			} else {
				reported = p.inst.subformat != RVTRACE_ETRACE_SUPPORT;
				heard.notified += p.inst.is_notify;
				heard.losses_of_packets += !reported && p.inst.qual_status ==
							   RVTRACE_ETRACE_TRACE_LOST;
			}
		}
	}
	rvtrace_etrace_free(reader);
	return heard;
}

TEST(events_of_etrace)
{
	struct heard heard;

	begin_etrace(2, 0);
	assert_true(te_model_hears_events(bench.te));
	for (unsigned int i = 1; i < 20; i++) {
		retire();
		if (i % 3 == 0)
			say(i, UINT64_MAX - i);
	}
	heard = listen();
	assert_int_equal(heard.events, 6);
	assert_int_equal(heard.notified, 6);
	assert_true(heard.behind);
	assert_int_equal(heard.lost, 0);
	assert_int_equal(stats().lost_events, 0);
}

/* srcID has a bit that says so, instead of a type. */
TEST(events_of_etrace_by_source)
{
	bench.config.etrace.event_srcid_bit = 2;
	begin_etrace(0, 3);
	assert_true(te_model_hears_events(bench.te));
	for (unsigned int i = 1; i < 6; i++) {
		retire();
		say(i, i);
	}
	assert_int_equal(listen().events, 5);
	assert_int_equal(stats().lost_events, 0);
}

TEST(etrace_without_that_bit_has_no_events)
{
	bench.config.etrace.event_srcid_bit = 2;
	begin_etrace(2, 2);
	assert_false(te_model_hears_events(bench.te));
	retire();
	say(1, 1);
	retire();
	assert_int_equal(stats().events, 0);
}

/* "2+: other than instruction and data trace" */
TEST(etrace_without_types_has_no_events)
{
	begin_etrace(1, 0);
	assert_false(te_model_hears_events(bench.te));
	retire();
	say(1, 1);
	retire();
	assert_int_equal(stats().events, 0);
}

TEST(lost_events_of_etrace_lose_no_instruction)
{
	unsigned int said, lost;
	struct heard heard;

	begin_etrace(2, 0);
	bench.full = true;
	for (said = 0; said < 100; said++) {
		say(1, said);
		if (said < 4)
			retire();
	}
	assert_int_equal(stats().overflows, 0);
	lost = rd(LOST);
	assert_in_range(lost, 1, 99);
	bench.full = false;
	retire();
	heard = listen();
	assert_int_equal(heard.lost, lost);
	assert_int_equal(heard.events, 100 - lost);
	assert_int_equal(heard.losses_of_packets, 0);
}

/* 1.0 leaves other registers to vendors. */
TEST(registers_of_1_0)
{
	te_config_init(&bench.config, TCI_1_0);
	bench.config.component.active_delay = 0;
	bench.config.port = true;
	create();
	set_control(ACTIVE);
	wr(RVTRACE_SOFTWARE_TRACE, ~0u);
	assert_int_equal(rd(RVTRACE_SOFTWARE_TRACE), 0);
	assert_int_equal(rd(RVTRACE_TR_TE_SOFTWARE_TRACE), 0x80000000);
	wr(RVTRACE_TR_TE_SOFTWARE_TRACE, ~0u);
	assert_int_equal(rd(RVTRACE_TR_TE_SOFTWARE_TRACE), 0xffff00f3);
}

TEST(registers)
{
	bench.config.port = true;
	activate();
	assert_int_equal(rd(RVTRACE_SOFTWARE_TRACE), 0x80000000);
	wr(RVTRACE_SOFTWARE_TRACE, ~0u);
	assert_int_equal(rd(RVTRACE_SOFTWARE_TRACE), 0xffff00f3);
	wr(LOST, ~0u);
	assert_int_equal(rd(LOST), 0);
	te_model_reset(bench.te);
	set_control(ACTIVE);
	assert_int_equal(rd(RVTRACE_SOFTWARE_TRACE), 0x80000000);
}

TEST(there_may_be_no_port)
{
	activate();
	wr(RVTRACE_SOFTWARE_TRACE, ~0u);
	assert_int_equal(rd(RVTRACE_SOFTWARE_TRACE), 0);
	start(0);
	bench.sent.checked = bench.sent.count;
	say(1, 1);
	write_tp(1, &supervisor);
	expect_nothing();
}

TEST(configurations)
{
	bench.config.port = true;
	assert_null(te_config_check(&bench.config));
	bench.config.formats = 1 << RVTRACE_FORMAT_ETRACE;
	assert_string_equal(te_config_check(&bench.config),
			    "port needs N-Trace in formats, a type_width of 2, or an event_srcid_bit");
	bench.config.etrace.type_width = 2;
	assert_null(te_config_check(&bench.config));
	bench.config.etrace.type_event = 1;
	assert_non_null(te_config_check(&bench.config));
	bench.config.etrace.type_event = 2;
	bench.config.etrace.event_srcid_bit = bench.config.src_bits;
	assert_string_equal(te_config_check(&bench.config),
			    "event_srcid_bit does not fit into src_bits");
	bench.config.etrace.event_srcid_bit = 255;
	bench.config.fifo_size = 503;
	assert_string_equal(te_config_check(&bench.config),
			    "fifo_size is less than the 504 that events in E-Trace need");
	te_config_init(&bench.config, TCI_0);
	bench.config.port = true;
	assert_string_equal(te_config_check(&bench.config), "port and itc have the same messages");
	bench.config.itc = false;
	assert_null(te_config_check(&bench.config));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(events_of_all_groups),
		T(identifier_0_is_none),
		T(groups_are_chosen),
		T(all_enables_are_needed),
		T(events_alone),
		T(writes_to_tp),
		T(events_of_firmware),
		T(events_lie_among_instructions),
		T(events_have_their_place),
		T(events_carry_timestamps),
		T(overflow_is_counted),
		T(events_never_stall),
		T(events_leave_room),
		T(lost_events_lose_no_instruction),
		T(events_lost_at_the_end_are_told),
		T(events_of_etrace),
		T(events_of_etrace_by_source),
		T(etrace_without_that_bit_has_no_events),
		T(etrace_without_types_has_no_events),
		T(lost_events_of_etrace_lose_no_instruction),
		T(registers),
		T(registers_of_1_0),
		T(there_may_be_no_port),
		T(configurations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
