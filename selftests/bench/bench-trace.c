// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of a program, made by executing it.
 *
 *	bench-trace [OPTION...] ELF TRACE
 *
 *	--history		History Trace Messaging, with repeated histories
 *	--call-stack=N		implicit returns, so many entries
 *	--etrace		E-Trace with differential addresses instead of N-Trace
 *	--branch-prediction	E-Trace: with a branch predictor
 *	--list=FILE		write the addresses of what executed there, too
 *	--limit=N		end behind so many instructions
 *
 * Prints "NAME=VALUE" lines of what executed: instructions, path (a hash of their addresses in
 * order), branches, returns, result (register a0 at the end), bytes of the trace.
 */
#include <errno.h>
#include <error.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/bench/hart.h"
#include "tools/encode/etrace.h"
#include "tools/encode/ntrace.h"
#include "tools/encode/pclist.h"

static struct ntrace_params params = {
	.xlen = 64,
	.timestamp_bits = 64,
	.icnt_bits = 22,
	.hist_bits = 32,
	.repeat_bits = 18,
	.sync_mode = NTRACE_SYNC_MESSAGES,
	.sync_interval = 4096,
};

/* What is not said here is as in rvtrace_etrace_params_default(). */
static struct etrace_params etrace_params = {
	.iaddress_width = 64,
	.iaddress_lsb = 1,
	.nocontext = true,
	.notime = true,
	.ecause_width = 6,
	.privilege_width = 2,
	.sync_mode = ETRACE_SYNC_PACKETS,
	.sync_interval = 4096,
	.standard_support = true,
	.irets = true,
};

static struct hart hart;
static struct pclist list;
static struct ntrace_encoder encoder;
static struct etrace_encoder etrace_encoder;
static bool etrace;
static FILE *trace, *addresses;
static uint64_t limit = UINT64_MAX;
static uint64_t instructions, path, branches, returns, bytes;

static bool fetch(void *opaque, uint64_t address, uint32_t *bits)
{
	const uint8_t *code = hart_at(opaque, address, sizeof(*bits));

	if (code)
		memcpy(bits, code, sizeof(*bits));
	return code;
}

static bool put_message(void *opaque, const uint8_t *message, size_t size)
{
	(void)opaque;
	if (fwrite(message, 1, size, trace) != size)
		error(1, errno, "writing the trace");
	bytes += size;
	return true;
}

static void put_block(void *opaque, const struct ingress_block *block)
{
	(void)opaque;
	if (etrace)
		etrace_encoder_block(&etrace_encoder, block);
	else
		ntrace_encoder_block(&encoder, block);
	branches += block->itype == INGRESS_BRANCH_TAKEN ||
		    block->itype == INGRESS_BRANCH_NOT_TAKEN;
	returns += block->itype == INGRESS_RETURN;
}

static void start_trace(void)
{
	struct ingress_context context = { .priv = INGRESS_PRIV_M };

	pclist_context(&list, &context);
	if (etrace) {
		etrace_encoder_init(&etrace_encoder, &etrace_params, put_message, NULL);
		etrace_encoder_start(&etrace_encoder, hart.pc, &context, 0, 0);
	} else {
		ntrace_encoder_init(&encoder, &params, put_message, NULL);
		ntrace_encoder_start(&encoder, hart.pc, &context, 0, 0, NTRACE_SYNC_ENABLE);
	}
}

static void stop_trace(void)
{
	if (etrace)
		etrace_encoder_stop(&etrace_encoder, instructions);
	else
		ntrace_encoder_stop(&encoder, hart.pc, instructions, instructions,
				    NTRACE_EVCODE_DISABLED);
}

static void execute(const char *file)
{
	const char *wrong = hart_load(&hart, file);
	int ret = 1;

	if (wrong)
		error(1, 0, "%s: %s", file, wrong);
	pclist_init(&list, 64, fetch, put_block, &hart);
	start_trace();
	while (instructions < limit) {
		uint64_t pc = hart.pc;

		ret = hart_step(&hart);
		if (ret <= 0)
			break;
		pclist_add(&list, pc);
		if (addresses)
			fprintf(addresses, "0x%" PRIx64 "\n", pc);
		instructions++;
		path = path * 31 + pc;
	}
	if (ret < 0)
		error(1, 0, "%s: not executable at 0x%llx", file, (unsigned long long)hart.pc);
	pclist_end(&list);
	stop_trace();
}

/* Return: NULL, or what is wrong with the options. */
static const char *check_params(unsigned int call_stack, bool prediction)
{
	if (!etrace) {
		params.call_stack = call_stack;
		return prediction ? "N-Trace predicts no branches" : ntrace_params_check(&params);
	}
	while (call_stack >> etrace_params.return_stack_size > 1)
		etrace_params.return_stack_size++;
	if (call_stack)
		etrace_params.modes |= ETRACE_MODE(IMPLICIT_RETURN);
	if (prediction) {
		etrace_params.bpred_size = 7;
		etrace_params.modes |= ETRACE_MODE(BRANCH_PREDICTION);
	}
	return params.history ? "histories are for N-Trace" : etrace_params_check(&etrace_params);
}

static const struct option options[] = {
	{ "history", no_argument, NULL, 'h' },
	{ "call-stack", required_argument, NULL, 'c' },
	{ "etrace", no_argument, NULL, 'e' },
	{ "branch-prediction", no_argument, NULL, 'b' },
	{ "list", required_argument, NULL, 'l' },
	{ "limit", required_argument, NULL, 'n' },
	{ 0 }
};

int main(int argc, char **argv)
{
	unsigned int call_stack = 0;
	bool prediction = false;
	const char *wrong;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'h':
			params.history = true;
			params.repeated_history = true;
			break;
		case 'c':
			call_stack = atoi(optarg);
			break;
		case 'e':
			etrace = true;
			break;
		case 'b':
			prediction = true;
			break;
		case 'n':
			limit = strtoull(optarg, NULL, 0);
			break;
		case 'l':
			addresses = fopen(optarg, "w");
			if (!addresses)
				error(1, errno, "%s", optarg);
			break;
		default:
			return 2;
		}
	}
	if (argc - optind != 2)
		error(2, 0, "usage: bench-trace [OPTION...] ELF TRACE");
	wrong = check_params(call_stack, prediction);
	if (wrong)
		error(2, 0, "%s", wrong);
	trace = fopen(argv[optind + 1], "wb");
	if (!trace)
		error(1, errno, "%s", argv[optind + 1]);
	execute(argv[optind]);
	if (fclose(trace))
		error(1, errno, "%s", argv[optind + 1]);
	if (addresses && fclose(addresses))
		error(1, errno, "writing addresses");
	printf("instructions=%" PRIu64 "\npath=%#" PRIx64 "\nbranches=%" PRIu64 "\nreturns=%" PRIu64
	       "\nresult=%#" PRIx64 "\nbytes=%" PRIu64 "\n", instructions, path, branches, returns,
	       hart.x[10], bytes);
	return 0;
}
