// SPDX-License-Identifier: GPL-2.0
/* An N-Trace encoder, what it is fed and what it sent. */
#include <string.h>

#include "selftests/unit/encode-fixture.h"

struct bench bench;

static bool emit(void *opaque, const uint8_t *message, size_t size)
{
	struct bench *b = opaque;

	if (b->full)
		return false;
	assert_true(size <= NEXUS_MAX_MESSAGE);
	messages_add(&b->sent, message, size);
	return true;
}

struct ntrace_params *plain(bool history)
{
	memset(&bench, 0, sizeof(bench));
	bench.params = (struct ntrace_params) {
		.history = history,
		.distinguish_traps = true,
		.scontext = true,
		.xlen = 64,
		.timestamp_bits = 64,
		.icnt_bits = 22,
		.hist_bits = 32,
		.repeat_bits = 18,
	};
	return &bench.params;
}

void start(uint64_t pc)
{
	assert_null(ntrace_params_check(&bench.params));
	bench.sent.src_bits = bench.params.src_bits;
	ntrace_encoder_init(&bench.enc, &bench.params, emit, &bench);
	bench.pc = pc;
	ntrace_encoder_start(&bench.enc, pc, &bench.context, bench.time,
			     bench.cycles, NTRACE_SYNC_DEBUG_EXIT);
}

void begin(void)
{
	start(0x100);
	expect("ProgTraceSync SYNC=0x3 I-CNT=0x0 F-ADDR=0x80");
}

void stop(void)
{
	ntrace_encoder_stop(&bench.enc, bench.pc, bench.time, bench.cycles,
			    NTRACE_EVCODE_DEBUG);
}

void ends_with(const char *text)
{
	stop();
	expect(text);
	expect_nothing();
}

struct ingress_block next_block(uint32_t halfwords, uint8_t itype, uint64_t target)
{
	struct ingress_block block = {
		.start = bench.pc,
		.halfwords = halfwords,
		.last_size = halfwords < 2 ? halfwords : 2,
		.itype = itype,
		.target = target,
		.time = bench.time,
		.cycles = bench.cycles,
		.context = bench.context,
	};

	bench.pc = target;
	return block;
}

void run(uint32_t halfwords, uint8_t itype, uint64_t target)
{
	struct ingress_block block = next_block(halfwords, itype, target);

	ntrace_encoder_block(&bench.enc, &block);
}

void run_on(uint32_t halfwords)
{
	run(halfwords, INGRESS_NONE, bench.pc + 2 * halfwords);
}

void run_not_taken(uint32_t halfwords)
{
	run(halfwords, INGRESS_BRANCH_NOT_TAKEN, bench.pc + 2 * halfwords);
}

void branches(unsigned int count, bool taken)
{
	while (count--) {
		if (taken)
			run(2, INGRESS_BRANCH_TAKEN, bench.pc);
		else
			run_not_taken(2);
	}
}

void expect_nothing(void)
{
	messages_expect_nothing(&bench.sent);
}
