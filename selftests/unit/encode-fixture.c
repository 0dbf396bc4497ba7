// SPDX-License-Identifier: GPL-2.0
/* An encoder, of N-Trace or E-Trace, what it is fed and what it sent. */
#include <string.h>

#include "selftests/unit/encode-fixture.h"

struct bench bench;

static bool emit(void *opaque, const uint8_t *message, size_t size)
{
	struct bench *b = opaque;

	if (b->full)
		return false;
	assert_true(size <= (b->is_etrace ? ETRACE_MAX_PACKET : NEXUS_MAX_MESSAGE));
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

struct etrace_params *plain_etrace(void)
{
	memset(&bench, 0, sizeof(bench));
	bench.is_etrace = true;
	bench.etrace_params = (struct etrace_params) {
		.iaddress_width = 32,
		.iaddress_lsb = 1,
		.nocontext = true,
		.notime = true,
		.ecause_width = 4,
		.privilege_width = 2,
		.data_width = 32,
		.daddress_width = 32,
		.dtype_width = 4,
		.ddiff_width = 2,
		.encoder_mode_width = 1,
		.ioptions_width = 6,
		.option = { 0, 1, 2, 3, 4, 5, ETRACE_NO_OPTION, ETRACE_NO_OPTION,
			    ETRACE_NO_OPTION, ETRACE_NO_OPTION, ETRACE_NO_OPTION },
	};
	return &bench.etrace_params;
}

static void start_etrace(void)
{
	assert_null(etrace_params_check(&bench.etrace_params));
	etrace_encoder_init(&bench.etrace, &bench.etrace_params, emit, &bench);
	etrace_encoder_start(&bench.etrace, bench.pc, &bench.context, bench.time, bench.cycles);
}

void start(uint64_t pc)
{
	bench.pc = pc;
	if (bench.is_etrace) {
		start_etrace();
		return;
	}
	assert_null(ntrace_params_check(&bench.params));
	bench.sent.src_bits = bench.params.src_bits;
	ntrace_encoder_init(&bench.enc, &bench.params, emit, &bench);
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
	if (bench.is_etrace) {
		etrace_encoder_stop(&bench.etrace, bench.time);
		return;
	}
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

void feed(const struct ingress_block *block)
{
	if (bench.is_etrace)
		etrace_encoder_block(&bench.etrace, block);
	else
		ntrace_encoder_block(&bench.enc, block);
}

void run(uint32_t halfwords, uint8_t itype, uint64_t target)
{
	struct ingress_block block = next_block(halfwords, itype, target);

	feed(&block);
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
