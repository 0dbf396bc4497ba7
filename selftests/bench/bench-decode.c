// SPDX-License-Identifier: GPL-2.0
/*
 * How fast the decoder layers are on one core.
 *
 *	bench-decode [OPTION...] NAME TRACE ELF[@BIAS]...
 *	bench-decode --memory [OPTION...] NAME TRACE ELF[@BIAS]...
 *	bench-decode --calibrate
 *
 * Decodes TRACE over and over for at least a tenth of a second of CPU time per sample and prints
 * `name median min max unit` lines: messages (of E-Trace, packets) in MB/s of trace, blocks and
 * instructions in million instructions/s. A decode that reports an error ends the program with
 * status 1. So does one that yields other instructions than bench-trace printed, if given
 * --instructions and --path. With --etrace, TRACE is E-Trace as bench-trace makes it. With --cdl or
 * --debugspec FILE, TRACE is of that format, with the parameters in FILE.
 *
 * With --memory: decodes a gigabyte of it, in pieces, and prints the most memory that the program
 * had. Status 1 if it still grew behind the first sixteenth.
 *
 * With --calibrate: the rate of a fixed loop instead, to compare processors: a multiplication and
 * an addition, each of which waits for the one before.
 */
#include <errno.h>
#include <error.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <rvtrace/cdl.h>
#include <rvtrace/debugspec.h>
#include <rvtrace/etrace.h>
#include <rvtrace/flow.h>
#include <rvtrace/ntrace.h>
#include <rvtrace/replay.h>

#define SAMPLES		11
#define SAMPLE_TIME	0.1	/* s */
#define ITEMS		256
#define LONG		(1ull << 30)	/* bytes of a long trace */
#define PIECE		(256u << 10)
#define GROWTH_MAX	256		/* KiB */

static struct rvtrace_flow_config config = { .size = sizeof(config), .isa.xlen = 64 };
static struct rvtrace_image *image;
static uint8_t *trace;
static size_t trace_size;
static volatile uint64_t checksum;

/* One decode of the trace; returns what the rate counts, bytes or instructions. */
typedef uint64_t decode_function(void);

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static const struct rvtrace_ntrace_config *ntrace_config(void)
{
	static struct rvtrace_ntrace_config ntrace;

	ntrace.src_bits = config.src_bits;
	ntrace.xlen = config.isa.xlen;
	ntrace.extend_addr_msb = config.ntrace.extend_addr_msb;
	return &ntrace;
}

/* Decodes packets with the reader of a format; @field of each is used, so that none is skipped. */
#define DECODE_PACKETS(name, format, params, packet_type, field)			\
static uint64_t name(void)								\
{											\
	struct packet_type packet;							\
	struct rvtrace_##format *reader;						\
	uint64_t sum = 0;								\
	int ret;									\
											\
	if (rvtrace_##format##_new(params, &reader))					\
		error(1, 0, "cannot make a reader");					\
	rvtrace_##format##_feed(reader, trace, trace_size);				\
	while ((ret = rvtrace_##format##_next(reader, &packet)) > 0)			\
		sum += packet.field;							\
	if (ret)									\
		error(1, 0, "at %llu: %s", (unsigned long long)packet.offset,		\
		      rvtrace_strerror(ret));						\
	checksum += sum;								\
	rvtrace_##format##_free(reader);						\
	return trace_size;								\
}

DECODE_PACKETS(decode_ntrace, ntrace, ntrace_config(), rvtrace_ntrace_message, icnt)
DECODE_PACKETS(decode_etrace, etrace, &config.etrace, rvtrace_etrace_packet, inst.branches)
DECODE_PACKETS(decode_cdl, cdl, &config.cdl, rvtrace_cdl_item, number)
DECODE_PACKETS(decode_debugspec, debugspec, &config.debugspec, rvtrace_debugspec_packet, value)

static struct rvtrace_flow *flow;

/* The decoder is kept, as in a long trace: its code is decoded once. */
static void restart_flow(void)
{
	struct rvtrace_flow_item items[ITEMS];

	if (flow) {
		rvtrace_flow_lost(flow, 0, 0, RVTRACE_LOST_ALIGNED);
		while (rvtrace_flow_read(flow, items, ITEMS) > 0)
			;
	} else if (rvtrace_flow_new(&config, image, &flow)) {
		error(1, 0, "cannot make a decoder");
	}
	rvtrace_flow_feed(flow, trace, trace_size);
}

static void check_item(const struct rvtrace_flow_item *item)
{
	if (item->type == RVTRACE_FLOW_ERROR)
		error(1, 0, "at %llu: %s", (unsigned long long)item->offset,
		      rvtrace_strerror(item->error.code));
}

static uint64_t decode_blocks(void)
{
	struct rvtrace_flow_item items[ITEMS];
	uint64_t instructions = 0;
	int n;

	restart_flow();
	while ((n = rvtrace_flow_read(flow, items, ITEMS)) > 0)
		for (int i = 0; i < n; i++) {
			if (items[i].type == RVTRACE_FLOW_BLOCKS)
				instructions += items[i].blocks.instructions;
			else
				check_item(&items[i]);
		}
	return instructions;
}

static uint64_t decode_instructions(void)
{
	struct rvtrace_flow_item items[ITEMS];
	struct rvtrace_insn_iter iter;
	uint64_t instructions = 0, sum = 0;
	int n;

	restart_flow();
	while ((n = rvtrace_flow_read(flow, items, ITEMS)) > 0)
		for (int i = 0; i < n; i++) {
			if (items[i].type != RVTRACE_FLOW_BLOCKS)
				continue;
			rvtrace_insn_iter_init(&iter, &items[i]);
			while (rvtrace_insn_iter_next(&iter)) {
				sum ^= iter.address;
				instructions++;
			}
		}
	checksum += sum;
	return instructions;
}

static void follow(uint64_t *count, uint64_t *path)
{
	struct rvtrace_flow_item items[ITEMS];
	struct rvtrace_insn_iter iter;
	int n;

	while ((n = rvtrace_flow_read(flow, items, ITEMS)) > 0)
		for (int i = 0; i < n; i++) {
			check_item(&items[i]);
			if (items[i].type != RVTRACE_FLOW_BLOCKS)
				continue;
			rvtrace_insn_iter_init(&iter, &items[i]);
			for (; rvtrace_insn_iter_next(&iter); ++*count)
				*path = *path * 31 + iter.address;
		}
}

/* The first decode: what executed must come out, some of it at the end. */
static void verify(uint64_t expected_count, uint64_t expected_path)
{
	uint64_t count = 0, path = 0;

	restart_flow();
	follow(&count, &path);
	rvtrace_flow_finish(flow);
	follow(&count, &path);
	rvtrace_flow_free(flow);
	flow = NULL;
	if (count != expected_count || path != expected_path)
		error(1, 0, "%llu instructions decoded with path %#llx, %llu executed with %#llx",
		      (unsigned long long)count, (unsigned long long)path,
		      (unsigned long long)expected_count, (unsigned long long)expected_path);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Name: decode-@name-@layer. */
static void bench(const char *name, const char *layer, decode_function *decode, const char *unit)
{
	double rates[SAMPLES], start, end;

	for (int i = -1; i < SAMPLES; i++) {	/* the first one warms up */
		uint64_t done = 0;

		start = now();
		do {
			done += decode();
			end = now();
		} while (end - start < SAMPLE_TIME);
		if (i >= 0)
			rates[i] = done / (end - start) / 1e6;
	}
	qsort(rates, SAMPLES, sizeof(*rates), compare);
	printf("decode-%s-%s %.4g %.4g %.4g %s\n", name, layer, rates[SAMPLES / 2], rates[0],
	       rates[SAMPLES - 1], unit);
}

/* Counts rounds. */
static uint64_t calibrate(void)
{
	uint64_t value = checksum, rounds = 10000000;

	for (uint64_t i = 0; i < rounds; i++) {
		value = value * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
		__asm__("" : "+r" (value));
	}
	checksum = value;
	return rounds;
}

static void drain(void)
{
	struct rvtrace_flow_item items[ITEMS];
	int n;

	while ((n = rvtrace_flow_read(flow, items, ITEMS)) > 0)
		for (int i = 0; i < n; i++)
			check_item(&items[i]);
	if (n)
		error(1, 0, "%s", rvtrace_strerror(n));
}

static long peak_memory(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* The trace ends with a stop and begins with a sync: it may follow itself. */
static void bench_memory(const char *name)
{
	uint64_t fed = 0;
	long early = 0, peak;

	if (!trace_size || rvtrace_flow_new(&config, image, &flow))
		error(1, 0, "cannot make a decoder");
	while (fed < LONG) {
		for (size_t at = 0; at < trace_size; at += PIECE) {
			size_t size = trace_size - at < PIECE ? trace_size - at : PIECE;

			rvtrace_flow_feed(flow, trace + at, size);
			drain();
			fed += size;
		}
		if (!early && fed >= LONG / 16)
			early = peak_memory();
	}
	peak = peak_memory();
	printf("decode-%s-memory %.4g %.4g %.4g MB\n", name, peak / 1e3, peak / 1e3, peak / 1e3);
	if (peak > early + GROWTH_MAX)
		error(1, 0, "memory grew from %ld to %ld KiB", early, peak);
}

static void read_trace(const char *path)
{
	FILE *file = fopen(path, "rb");
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		error(1, errno, "%s", path);
	rewind(file);
	trace = malloc(size + 1);
	if (!trace)
		error(1, errno, "%s", path);
	trace_size = fread(trace, 1, size, file);
	fclose(file);
}

static void add_elf(char *argument)
{
	char *at = strrchr(argument, '@');
	uint64_t bias = 0;
	int ret;

	if (at) {
		*at = 0;
		bias = strtoull(at + 1, NULL, 0);
	}
	ret = rvtrace_image_add_elf(image, argument, bias, RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY);
	if (ret < 0)
		error(1, ret == RVTRACE_ERR_IO ? errno : 0, "%s: %s", argument,
		      rvtrace_strerror(ret));
}

/* As bench-trace has its encoder. */
static void use_etrace(void)
{
	struct rvtrace_etrace_params params;

	rvtrace_etrace_params_default(&params);
	params.iaddress_width = 64;
	params.ecause_width = 6;
	params.protocol_minor = 1;
	params.iret_ext = 1;
	rvtrace_flow_config_etrace(&params, &config);
}

static void use_cdl(const char *path)
{
	struct rvtrace_failure wrong;
	struct rvtrace_cdl_config params;

	if (rvtrace_cdl_config_load(path, &params, &wrong))
		error(1, 0, "%s", wrong.text);
	rvtrace_flow_config_cdl(&params, &config);
}

static void use_debugspec(const char *path)
{
	struct rvtrace_debugspec_config params;
	struct rvtrace_failure wrong;

	if (rvtrace_debugspec_config_load(path, &params, &wrong))
		error(1, 0, "%s", wrong.text);
	rvtrace_flow_config_debugspec(&params, &config);
}

static void bench_reader(const char *name)
{
	switch (config.format) {
	case RVTRACE_FLOW_FORMAT_ETRACE:
		bench(name, "packets", decode_etrace, "MB/s");
		break;
	case RVTRACE_FLOW_FORMAT_CDL:
		bench(name, "items", decode_cdl, "MB/s");
		break;
	case RVTRACE_FLOW_FORMAT_DEBUGSPEC:
		bench(name, "packets", decode_debugspec, "MB/s");
		break;
	default:
		bench(name, "messages", decode_ntrace, "MB/s");
		break;
	}
}

static const struct option options[] = {
	{ "xlen", required_argument, NULL, 'x' },
	{ "src-bits", required_argument, NULL, 's' },
	{ "extend-addr-msb", no_argument, NULL, 'e' },
	{ "implicit-return", no_argument, NULL, 'r' },
	{ "sequential-jump", no_argument, NULL, 'j' },
	{ "etrace", no_argument, NULL, 't' },
	{ "cdl", required_argument, NULL, 'l' },
	{ "debugspec", required_argument, NULL, 'd' },
	{ "instructions", required_argument, NULL, 'i' },
	{ "path", required_argument, NULL, 'p' },
	{ "calibrate", no_argument, NULL, 'c' },
	{ "memory", no_argument, NULL, 'm' },
	{ 0 }
};

int main(int argc, char **argv)
{
	uint64_t instructions = 0, path = 0;
	bool memory = false;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'x':
			config.isa.xlen = atoi(optarg);
			break;
		case 's':
			config.src_bits = atoi(optarg);
			break;
		case 'e':
			config.ntrace.extend_addr_msb = true;
			break;
		case 'r':
			config.ntrace.implicit_return = true;
			break;
		case 'j':
			config.ntrace.sequential_jump = true;
			break;
		case 't':
			use_etrace();
			break;
		case 'l':
			use_cdl(optarg);
			break;
		case 'd':
			use_debugspec(optarg);
			break;
		case 'i':
			instructions = strtoull(optarg, NULL, 0);
			break;
		case 'p':
			path = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			bench("calibration", "loop", calibrate, "Mloops/s");
			return 0;
		case 'm':
			memory = true;
			break;
		default:
			return 2;
		}
	}
	if (argc - optind < 3)
		error(2, 0, "usage: bench-decode [OPTION...] NAME TRACE ELF[@BIAS]...");
	image = rvtrace_image_new();
	read_trace(argv[optind + 1]);
	for (int i = optind + 2; i < argc; i++)
		add_elf(argv[i]);

	if (instructions)
		verify(instructions, path);
	if (memory) {
		bench_memory(argv[optind]);
	} else {
		bench_reader(argv[optind]);
		bench(argv[optind], "blocks", decode_blocks, "Minsn/s");
		bench(argv[optind], "instructions", decode_instructions, "Minsn/s");
	}

	rvtrace_flow_free(flow);
	rvtrace_image_free(image);
	free(trace);
	return 0;
}
