// SPDX-License-Identifier: GPL-2.0
/*
 * CDL compressed trace to program flow. Streams are nybbles in their order; what comes out is
 * written down as text: ADDRESS/INSTRUCTIONS for what executed, events by their names.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/flow.h>

#include "cdl-text.h"
#include "flow-fixture.h"

static char transcript[2048];
static unsigned int asked;	/* for the place of code */

__attribute__((format(printf, 1, 2)))
static void note(const char *format, ...)
{
	size_t used = strlen(transcript);
	va_list args;

	va_start(args, format);
	vsnprintf(transcript + used, sizeof(transcript) - used, format, args);
	va_end(args);
}

static void note_address(const struct rvtrace_flow_item *item)
{
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS)
		note(" at %" PRIx64, item->address);
}

static void note_item(const struct rvtrace_flow_item *item)
{
	note("%s", *transcript ? ", " : "");
	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		for (uint32_t i = 0; i < item->blocks.count; i++)
			note("%s%" PRIx64 "/%u", i ? " " : "", item->blocks.list[i].address,
			     item->blocks.list[i].instructions);
		return;
	case RVTRACE_FLOW_SYNC:
		note(item->flags & RVTRACE_FLOW_FIRST ? "first" : "sync");
		break;
	case RVTRACE_FLOW_TRAP:
		note("trap");
		break;
	case RVTRACE_FLOW_TRAP_RETURN:
		note("return");
		break;
	case RVTRACE_FLOW_REGISTER:
		note("x%u=%" PRIx64, item->written.rd, item->written.value);
		break;
	case RVTRACE_FLOW_TRACEPOINT:
		note("trace %u", item->tracepoint.number);
		break;
	case RVTRACE_FLOW_NO_IMAGE:
		note("no image");
		break;
	case RVTRACE_FLOW_LOST:
		note("lost");
		break;
	case RVTRACE_FLOW_ERROR:
		note("error %d of nybble %" PRIu64, -item->error.code, item->offset);
		return;
	default:
		note("?");
	}
	note_address(item);
	if (item->flags & RVTRACE_FLOW_HAS_TARGET)
		note(" to %" PRIx64, item->trap.target);
}

static void take(void)
{
	struct rvtrace_flow_item items[3];
	int n;

	while ((n = rvtrace_flow_read(f.flow, items, 3)) > 0)
		for (int i = 0; i < n; i++)
			note_item(&items[i]);
	assert_int_equal(n, 0);
}

static void feed_text(const char *text)
{
	uint8_t bytes[512];
	size_t size = cdl_bytes(text, bytes);

	assert_int_equal(rvtrace_flow_feed(f.flow, bytes, size), 0);
	take();
}

static int resolve(void *data, const struct rvtrace_flow_query *query,
		   struct rvtrace_flow_place *place)
{
	(void)data;
	(void)query;
	asked++;
	*place = (struct rvtrace_flow_place) {
		.user = RVTRACE_SPACE_ANY, .kernel = RVTRACE_SPACE_ANY, .until = UINT64_MAX,
	};
	return 0;
}

static void begin(unsigned int flavour)
{
	const struct rvtrace_cdl_config config = { .flavour = flavour, .xlen = 32 };

	rvtrace_flow_free(f.flow);
	f.flow = NULL;
	rvtrace_flow_config_cdl(&config, &f.config);
	f.config.resolve = resolve;
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	*transcript = 0;
	asked = 0;
}

static void finish(void)
{
	assert_int_equal(rvtrace_flow_finish(f.flow), 0);
	take();
}

/* What @text gives, at once and byte by byte. */
static void gives(unsigned int flavour, const char *text, const char *expected)
{
	uint8_t bytes[512];
	size_t size = cdl_bytes(text, bytes);

	begin(flavour);
	feed_text(text);
	finish();
	assert_string_equal(transcript, expected);
	begin(flavour);
	for (size_t i = 0; i < size; i++) {
		uint8_t byte = bytes[i];

		assert_int_equal(rvtrace_flow_feed(f.flow, &byte, 1), 0);
		take();
	}
	finish();
	assert_string_equal(transcript, expected);
}

/*
 * "a sequential control field (indicating that *prior* to this cycle that many sequential
 * instructions were executed), a non-sequential control field (indicating that this cycle was a
 * particular control flow change)"
 */
static void sequential_instructions_come_before_the_jump(void **state)
{
	(void)state;
	gives(RVTRACE_CDL_DOC, "c2 0010 1 8 c2 0020 1", "first at 100, 100/2, 200/1");
	/* a branch that was not taken is sequential */
	gives(RVTRACE_CDL_DOC, "c2 0010 3 8 c2 0030 1", "first at 100, 100/4, 300/1");
	/* rtl: SSS counts the branch; the PC comes with the next instruction */
	gives(RVTRACE_CDL_RTL, "e1 0010 2 8 e1 0020 1", "first at 100, 100/2, 200/1");
	gives(RVTRACE_CDL_RTL, "e1 0010 4 8 e1 0030 1", "first at 100, 100/4, 300/1");
}

/* "0SSS: SSS (i.e. 1 to 7) sequential instructions were executed since the last nybble reported" */
static void sequential_instructions_add_up(void **state)
{
	(void)state;
	gives(RVTRACE_CDL_DOC, "c2 0010 1 1 1 3", "first at 100, 100/6");
	gives(RVTRACE_CDL_DOC, "c2 0010 1 0 1 0 1 8 c2 0030", "first at 100, 100/4");
}

/* "1001: a JAL/JALR instruction was taken"; rtl: JAL is a branch */
static void jumps_are_jumps(void **state)
{
	(void)state;
	gives(RVTRACE_CDL_DOC, "c2 0040 9 c2 0140 1 9 c2 4040 1",
	      "first at 400, 400/1, 410/2, 404/1");
	gives(RVTRACE_CDL_RTL, "8 e1 0040 e1 0140 3 9 e1 4040 1",
	      "first at 400, 400/1, 410/2, 404/1");
	/* what no such instruction can be is a contradiction, up to the next PC */
	gives(RVTRACE_CDL_DOC, "c2 0040 8 c2 0140 1", "first at 400, error 35 of nybble 6, 410/1");
	gives(RVTRACE_CDL_RTL, "e1 0010 1 9 e1 0140 1",
	      "first at 100, error 34 of nybble 7, 410/1");
	/* and so is a jump among sequential instructions */
	gives(RVTRACE_CDL_DOC, "c2 0040 3 8 c2 0140 1",
	      "first at 400, error 34 of nybble 7, 410/1");
}

/* "PC should come next": with the next instruction in rtl, which may itself jump. */
static void pcs_belong_to_jumps_in_order(void **state)
{
	(void)state;
	/* a loop of one jump: the first instruction, one that SSS counts, one alone */
	gives(RVTRACE_CDL_RTL, "8 e1 6040 2 8 e1 6040 8 e1 6040 e1 6040",
	      "first at 406, 406/1, 406/1, 406/1");
	/* ret to the loop, whose jump comes before the PC of ret */
	gives(RVTRACE_CDL_RTL, "9 e1 2140 2 8 e1 6040 e1 6040", "first at 412, 412/1, 406/1");
	gives(RVTRACE_CDL_DOC, "c2 2140 9 9 c2 6040 c2 6040", "first at 412, 412/1, 406/1");
	/* not where the code leads */
	gives(RVTRACE_CDL_DOC, "c2 0040 9 c2 0050 1",
	      "first at 400, 400/1, error 36 of nybble 7, 500/1");
	/* two jumps go by without it */
	gives(RVTRACE_CDL_DOC, "c2 2140 9 9 9 1", "first at 412, 412/1, error 34 of nybble 8");
	/* without PCs, as far as the code leads */
	gives(RVTRACE_CDL_DOC, "c2 0010 1 8 1", "first at 100, 100/2, 200/1");
}

/* "1010: an exception or interrupt was taken": in this cycle, whose instruction does not retire. */
static void traps(void **state)
{
	(void)state;
	gives(RVTRACE_CDL_DOC, "c2 0110 1 a c2 0050 1",
	      "first at 110, 110/1, trap at 114 to 500, 500/1");
	gives(RVTRACE_CDL_RTL, "e1 0110 2 a e1 0050 1",
	      "first at 110, 110/1, trap at 114 to 500, 500/1");
	/* behind a jump */
	gives(RVTRACE_CDL_RTL, "8 e1 0040 2 a e1 0140 e1 0050 1",
	      "first at 400, 400/1, trap at 410 to 500, 500/1");
	gives(RVTRACE_CDL_DOC, "c2 0040 9 c2 0140 a c2 0050 1",
	      "first at 400, 400/1, trap at 410 to 500, 500/1");
	/* alone, in rtl: the next SSS counts what trapped */
	gives(RVTRACE_CDL_RTL, "a e1 0110 e1 0050 2", "first at 110, trap at 110 to 500, 500/1");
}

/* "1011: a return from exception was taken" */
static void returns(void **state)
{
	(void)state;
	gives(RVTRACE_CDL_DOC, "c2 0250 b c2 6010 1",
	      "first at 520, 520/1, return at 520 to 106, 106/1");
	gives(RVTRACE_CDL_RTL, "b e1 0250 e1 6010 2",
	      "first at 520, 520/1, return at 520 to 106, 106/1");
}

/* "Data for a PC or RFW": of the instruction in this cycle. */
static void registers(void **state)
{
	(void)state;
	gives(RVTRACE_CDL_DOC, "c2 0010 ca 5012 1", "first at 100, x5=21 at 100, 100/1");
	gives(RVTRACE_CDL_DOC, "c2 0010 2 ca 5012 1", "first at 100, 100/2, x5=21 at 106, 106/1");
	/* jal writes x1: the PC comes in the next cycle */
	gives(RVTRACE_CDL_DOC, "c2 0040 9 cb 104040 c2 0140 1",
	      "first at 400, 400/1, x1=404 at 400, 410/1");
	/* and of jalr, which waits for its PC */
	gives(RVTRACE_CDL_DOC, "c2 0050 1 9 cb 108050 c2 0250 b c2 6010",
	      "first at 500, 500/2, x1=508 at 504, 520/1, return at 520 to 106");
	/* rtl reports registers before SSS has counted */
	gives(RVTRACE_CDL_RTL, "e1 0010 e9 5012 1", "first at 100, x5=21, 100/1");
}

/* Linux has the task in x4: another one executes behind a write to it, elsewhere. */
static void task_pointer_makes_another_place(void **state)
{
	(void)state;
	begin(RVTRACE_CDL_DOC);
	feed_text("c2 0010 1 ca 5012 1 8");
	assert_int_equal(asked, 1);
	begin(RVTRACE_CDL_DOC);
	feed_text("c2 0010 1 ca 4012 1 8");
	assert_int_equal(asked, 2);
}

/* "a trace point (if the instruction being executed were somehow marked for tracing)" */
static void trace_points(void **state)
{
	(void)state;
	gives(RVTRACE_CDL_DOC, "c2 0010 1 d3 1", "first at 100, 100/1, trace 3 at 102, 102/1");
	gives(RVTRACE_CDL_DOC, "c2 0010 1 8 c2 0020 d5 1",
	      "first at 100, 100/2, trace 5 at 102, 200/1");
	/* behind a Skip it belongs to the next instruction */
	gives(RVTRACE_CDL_DOC, "c2 0010 1 8 c2 0020 0 d5 1",
	      "first at 100, 100/2, trace 5 at 200, 200/1");
	gives(RVTRACE_CDL_RTL, "e1 0010 2 8 d5 e1 0020 1",
	      "first at 100, 100/2, trace 5 at 102, 200/1");
	gives(RVTRACE_CDL_RTL, "e1 0010 2 8 0 d5 e1 0020 1",
	      "first at 100, 100/2, trace 5, 200/1");
}

/* rtl: SSS 7 is sent alone, too; the next instruction may jump. */
static void seven_counts_the_jump_if_the_code_allows(void **state)
{
	(void)state;
	gives(RVTRACE_CDL_RTL, "e0 af 7 8 e1 0030 2", "first at fa, fa/7, 300/2");
	gives(RVTRACE_CDL_RTL, "e0 8f 7 8 e1 0030 3", "first at f8, f8/8, 300/2");
	/* a Skip says so */
	gives(RVTRACE_CDL_RTL, "e0 8f 7 0 8 e1 0030 3", "first at f8, f8/8, 300/2");
	gives(RVTRACE_CDL_RTL, "e0 af 7 0 8 e1 0030 3",
	      "first at fa, fa/7, error 35 of nybble 6, 300/2");
	/* in doc SSS counts no jumps */
	gives(RVTRACE_CDL_DOC, "c1 8f 7 8 c2 0030 2", "first at f8, f8/8, 300/2");
}

/* SSS cannot count less than was executed. */
static void counts_must_fit(void **state)
{
	(void)state;
	/* the jump alone, then it and the next one, both in SSS 1 */
	gives(RVTRACE_CDL_RTL, "8 e1 6040 1 8 e1 6040 e1 0010 2",
	      "first at 406, 406/1, error 32 of nybble 8, 100/2");
}

/* "replay ... by synchronizing first": what nobody has code of is left out up to the next PC. */
static void decoding_goes_on_at_the_next_pc(void **state)
{
	(void)state;
	gives(RVTRACE_CDL_DOC, "c2 2140 9 c2 0090 3 9 c2 0010 1",
	      "first at 412, 412/1, no image at 900, 100/1");
	gives(RVTRACE_CDL_DOC, "3 8 c2 0010 1", "first at 100, 100/1");
	/* tracing was off */
	gives(RVTRACE_CDL_DOC, "c2 0010 1 c2 0030 1", "first at 100, 100/1, sync at 300, 300/1");
	/* damage, and so many zeros that no data have them */
	gives(RVTRACE_CDL_DOC, "c2 0010 1 f 44 000000000000000 c2 0020 1",
	      "first at 100, 100/1, error 22 of nybble 7, first at 200, 200/1");
	/* an odd PC is none */
	gives(RVTRACE_CDL_DOC, "c2 2140 9 c2 1010 1 9 c2 0010 1",
	      "first at 412, 412/1, error 20 of nybble 7, error 34 of nybble 7, 100/1");
	/* behind a jump that the code follows it is not missed */
	gives(RVTRACE_CDL_DOC, "c2 0040 9 c2 1140 1 9 c2 4040 1",
	      "first at 400, 400/1, error 20 of nybble 7, 410/2, 404/1");
	gives(RVTRACE_CDL_DOC, "c2 0010 1 c2 00",
	      "first at 100, 100/1, error 17 of nybble 7");
}

static void bytes_can_be_lost(void **state)
{
	(void)state;
	begin(RVTRACE_CDL_DOC);
	feed_text("c2 0010 1 8");
	assert_int_equal(rvtrace_flow_lost(f.flow, 6, 10, RVTRACE_LOST_ALIGNED), 0);
	take();
	feed_text("3 9 c2 0030 1 0");
	finish();
	assert_string_equal(transcript, "first at 100, 100/2, lost, first at 300, 300/1");
}

static void nothing_to_begin_with_is_an_error(void **state)
{
	struct rvtrace_cdl_config config = { .xlen = 32, .anywhere = true };

	(void)state;
	begin(RVTRACE_CDL_DOC);
	rvtrace_flow_free(f.flow);
	rvtrace_flow_config_cdl(&config, &f.config);
	assert_int_equal(rvtrace_flow_new(&f.config, f.image, &f.flow), 0);
	feed_text("c2 0010 1 8");
	finish();
	assert_string_equal(transcript, "error 23 of nybble 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sequential_instructions_come_before_the_jump),
		TEST(sequential_instructions_add_up),
		TEST(jumps_are_jumps),
		TEST(pcs_belong_to_jumps_in_order),
		TEST(traps),
		TEST(returns),
		TEST(registers),
		TEST(task_pointer_makes_another_place),
		TEST(trace_points),
		TEST(seven_counts_the_jump_if_the_code_allows),
		TEST(counts_must_fit),
		TEST(decoding_goes_on_at_the_next_pc),
		TEST(bytes_can_be_lost),
		TEST(nothing_to_begin_with_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
