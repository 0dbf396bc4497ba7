// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: the flow layer with the code of the seeds' programs. */
#include <string.h>

#include <rvtrace/flow.h>
#include <rvtrace/insn.h>

#include "target.h"

#define ELF		"selftests/vectors/elf/"
#define ITEMS		16
#define BRANCHES_MAX	65536	/* of a packet: a longer walk finds nothing more */
#define HALFWORDS_MAX	(1 << 22)	/* of a message, likewise */
#define ITEMS_PER_BYTE	64	/* a message has fewer, unless */
#define REPEATS_MAX	(1 << 18)	/* it repeats a trap: N-Trace, B-CNT */

/* Loaded once: what it holds does not change. */
static struct rvtrace_image *load(struct rvtrace_image **image, const char *path)
{
	if (!*image) {
		*image = rvtrace_image_new();
		promise(*image);
		promise(rvtrace_image_add_elf(*image, path, 0, RVTRACE_SPACE_ANY,
					      RVTRACE_PRIV_ANY) > 0);
	}
	return *image;
}

/* Instructions of a block, whose bytes can all be read, fill it. */
static void check_block(const struct rvtrace_flow_block *block)
{
	uint32_t size = 0;
	uint8_t copy[2];

	promise(block->instructions && block->size >= 2 * block->instructions);
	for (uint32_t i = 0; i < block->instructions; i++) {
		promise(size + 2 <= block->size);
		memcpy(copy, block->code + size, 2);
		size += rvtrace_insn_size(copy[0] | copy[1] << 8);
	}
	promise(size == block->size);
	memcpy(copy, block->code + size - 2, 2);
}

/* Instructions of a run. */
static uint64_t check_run(const struct rvtrace_flow_item *item)
{
	const struct rvtrace_flow_block *block = item->blocks.list;
	const struct rvtrace_flow_block *last = block + item->blocks.count;
	uint64_t instructions = 0;

	promise(item->blocks.count);
	for (; block < last; block++) {
		check_block(block);
		instructions += block->instructions;
	}
	promise(instructions == item->blocks.instructions);
	fuzz_extra_us += instructions;
	return instructions;
}

/* Its address and data, in short. */
static uint64_t check_access(const struct rvtrace_flow_item *item)
{
	const struct rvtrace_flow_access *access = item->access;

	promise(access->size <= 4);
	promise(access->kind == RVTRACE_ETRACE_LOAD || access->kind == RVTRACE_ETRACE_STORE ||
		access->kind == RVTRACE_ETRACE_ATOMIC || access->kind == RVTRACE_ETRACE_CSR);
	promise(access->subtype <= RVTRACE_ETRACE_CAS_FAILED);
	promise(!(item->address & 1));
	return access->address + access->data[0];
}

/* What was decoded, in short. @trap: where the message of the last item is, and 1, if a trap. */
struct result {
	uint64_t instructions;
	uint64_t accesses;
	uint64_t items;
	uint64_t trap;
	uint64_t repeats;
};

static bool repeats(const struct rvtrace_flow_item *item, struct result *result)
{
	bool again = item->type == RVTRACE_FLOW_TRAP && result->trap == item->offset + 1;

	result->trap = item->type == RVTRACE_FLOW_TRAP ? item->offset + 1 : 0;
	result->repeats = again ? result->repeats + 1 : 0;
	promise(result->repeats < REPEATS_MAX);
	return again;
}

static void read_items(struct rvtrace_flow *flow, uint64_t fed, struct result *result)
{
	struct rvtrace_flow_item list[ITEMS];
	int n, i;

	while ((n = rvtrace_flow_read(flow, list, ITEMS)) > 0) {
		promise(n <= ITEMS);
		for (i = 0; i < n; i++) {
			promise(list[i].type <= RVTRACE_FLOW_INFERRED);
			promise(list[i].offset <= 2 * fed);	/* some count nybbles */
			if (list[i].type == RVTRACE_FLOW_BLOCKS)
				result->instructions += check_run(&list[i]);
			else if (!repeats(&list[i], result))
				result->items++;
			if (list[i].type == RVTRACE_FLOW_ACCESS)
				result->accesses += check_access(&list[i]);
			if (list[i].type == RVTRACE_FLOW_RANGE)
				promise(list[i].range.last >= list[i].address);
			if (list[i].type == RVTRACE_FLOW_ERROR)
				promise(list[i].error.code < 0);
		}
	}
	promise(!n);
}

/* All of it, in pieces. */
static struct result decode(const struct rvtrace_flow_config *config,
			    const struct rvtrace_image *image, const uint8_t *bytes, size_t size,
			    size_t piece)
{
	struct result result = { 0 };
	struct rvtrace_flow *flow;
	size_t fed = 0;

	promise(!rvtrace_flow_new(config, image, &flow));
	while (fed < size) {
		size_t take = piece < size - fed ? piece : size - fed;

		promise(!rvtrace_flow_feed(flow, bytes + fed, take));
		fed += take;
		read_items(flow, fed, &result);
	}
	promise(!rvtrace_flow_finish(flow));
	read_items(flow, fed, &result);
	promise(result.items <= ITEMS_PER_BYTE * (size + 1));
	rvtrace_flow_free(flow);
	return result;
}

static void compare(const struct rvtrace_flow_config *config, const struct rvtrace_image *image,
		    const uint8_t *bytes, size_t size, size_t piece)
{
	struct result whole = decode(config, image, bytes, size, size);
	struct result parts = decode(config, image, bytes, size, piece);

	promise(!memcmp(&whole, &parts, sizeof(whole)));
}

static void flow_etrace(const uint8_t *bytes, size_t size, bool data)
{
	static struct rvtrace_image *image;
	struct rvtrace_etrace_params params;
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	size_t piece;

	if (size <= ETRACE_SETTINGS)
		return;
	choose_etrace_params(bytes, data, &params);
	piece = 1 + bytes[ETRACE_SETTINGS - 1];
	bytes += ETRACE_SETTINGS;
	size -= ETRACE_SETTINGS;
	if (rvtrace_etrace_params_check(&params, NULL, NULL))
		return;
	load(&image, ELF "median.riscv");
	rvtrace_flow_config_etrace(&params, &config);
	config.branches_max = BRANCHES_MAX;
	compare(&config, image, bytes, size, piece);
}

void fuzz_flow_etrace(const uint8_t *bytes, size_t size)
{
	flow_etrace(bytes, size, false);
}

void fuzz_flow_etrace_data(const uint8_t *bytes, size_t size)
{
	flow_etrace(bytes, size, true);
}

/* Handlers of signals return to where the program begins. */
static int resolve(void *data, const struct rvtrace_flow_query *query,
		   struct rvtrace_flow_place *place)
{
	(void)query;
	promise(rvtrace_image_entry(data, &place->signal_return));
	return 0;
}

/* Flags, the size of pieces, more flags, messages. */
void fuzz_flow_ntrace(const uint8_t *bytes, size_t size)
{
	static struct rvtrace_image *image;
	struct rvtrace_flow_config config = {
		.size = sizeof(config), .format = RVTRACE_FLOW_FORMAT_NTRACE,
	};
	size_t piece;

	if (size <= FLOW_NTRACE_SETTINGS)
		return;
	config.isa.xlen = 64;
	config.ntrace.implicit_return = bytes[0] & 1;
	config.ntrace.sequential_jump = bytes[0] & 2;
	config.ntrace.all_jumps = bytes[0] & 4;
	config.ntrace.extend_addr_msb = bytes[0] & 8;
	config.src_bits = (bytes[0] >> 4) % 13;
	config.branches_max = HALFWORDS_MAX;
	piece = 1 + bytes[1];
	config.ntrace.sifive = bytes[2] & 1;
	config.priv_by_address = bytes[2] & 2;
	config.resolve = bytes[2] & 16 ? resolve : NULL;
	memset(config.ntrace.modes, (bytes[2] >> 2 & 3) % 3, sizeof(config.ntrace.modes));
	bytes += FLOW_NTRACE_SETTINGS;
	size -= FLOW_NTRACE_SETTINGS;
	config.resolve_data = load(&image, ELF "qsort.riscv");
	compare(&config, image, bytes, size, piece);
}

/* Flags, the interval, the size of pieces, nybbles of a program of RV32. */
void fuzz_flow_cdl(const uint8_t *bytes, size_t size)
{
	static struct rvtrace_image *image;
	struct rvtrace_cdl_config cdl;
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	size_t piece;

	if (size <= CDL_SETTINGS || !choose_cdl_config(bytes, &cdl))
		return;
	piece = 1 + bytes[2];
	bytes += CDL_SETTINGS;
	size -= CDL_SETTINGS;
	load(&image, ELF "xrle.riscv");
	rvtrace_flow_config_cdl(&cdl, &config);
	compare(&config, image, bytes, size, piece);
}

/* Parameters and the size of pieces, packets. */
void fuzz_flow_debugspec(const uint8_t *bytes, size_t size)
{
	static struct rvtrace_image *image;
	struct rvtrace_debugspec_config debugspec;
	struct rvtrace_flow_config config = { .size = sizeof(config) };

	if (size <= DEBUGSPEC_SETTINGS)
		return;
	debugspec = choose_debugspec_config(bytes);
	load(&image, ELF "qsort.riscv");
	rvtrace_flow_config_debugspec(&debugspec, &config);
	compare(&config, image, bytes + DEBUGSPEC_SETTINGS, size - DEBUGSPEC_SETTINGS,
		1 + bytes[3]);
}
