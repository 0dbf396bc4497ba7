// SPDX-License-Identifier: GPL-2.0
/* Flow layer: however a stream is fed and read, it says the same, item for item. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/etrace.h>
#include <rvtrace/flow.h>

#include "selftests/unit/share.h"
#include "selftests/unit/vectors.h"

#define ITEMS		64
#define PIECE		300	/* bytes fed at once, at most */
#define WAYS		3	/* of feeding each stream */
#define MAZES		8
#define MAZE_SIZE	0x10000
#define C_NOP		0x0001
#define C_RET		0x8082

static uint64_t random_state;

static uint64_t below(uint64_t limit)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % limit;
}

/* What a decoder said: everything, but for how blocks are put together in items. */
struct digest {
	uint64_t hash;
	uint64_t instructions;
	uint64_t events;
	uint64_t loops;
};

static void add(struct digest *digest, uint64_t value)
{
	digest->hash = (digest->hash ^ value) * 0x9e3779b97f4a7c15ull;
	digest->hash ^= digest->hash >> 29;
}

static void add_stamp(struct digest *digest, const struct rvtrace_flow_item *item)
{
	add(digest, item->type | item->flags << 8 | item->priv << 16);
	add(digest, item->source);
	add(digest, item->offset);
	add(digest, item->flags & RVTRACE_FLOW_HAS_TIME ? item->time : 0);
	add(digest, item->flags & RVTRACE_FLOW_HAS_CONTEXT ? item->context : 0);
}

static void add_event(struct digest *digest, const struct rvtrace_flow_item *item)
{
	digest->events++;
	add(digest, item->flags & RVTRACE_FLOW_HAS_ADDRESS ? item->address : 0);
	switch (item->type) {
	case RVTRACE_FLOW_ERROR:
		digest->loops += item->error.code == RVTRACE_ERR_LOOP;
		add(digest, item->error.code);
		add(digest, item->error.size);
		add(digest, item->error.tcode);
		break;
	case RVTRACE_FLOW_NO_IMAGE:
		add(digest, item->no_image.halfwords);
		add(digest, item->no_image.complete);
		break;
	case RVTRACE_FLOW_SYNC:
		add(digest, item->sync.reason);
		break;
	case RVTRACE_FLOW_TRAP:
		add(digest, item->trap.kind);
		add(digest, item->flags & RVTRACE_FLOW_HAS_CAUSE ? item->trap.cause : 0);
		add(digest, item->flags & RVTRACE_FLOW_HAS_TARGET ? item->trap.target : 0);
		break;
	case RVTRACE_FLOW_TRAP_RETURN:
		add(digest, item->flags & RVTRACE_FLOW_HAS_TARGET ? item->trap.target : 0);
		break;
	case RVTRACE_FLOW_STOP:
		add(digest, item->stop.reason);
		break;
	case RVTRACE_FLOW_OVERFLOW:
		add(digest, item->overflow.type);
		add(digest, item->overflow.code);
		break;
	case RVTRACE_FLOW_LOST:
		add(digest, item->lost.bytes);
		break;
	case RVTRACE_FLOW_DATA:
		add(digest, item->data.id);
		add(digest, item->data.value);
		break;
	case RVTRACE_FLOW_UNKNOWN:
		add(digest, item->unknown.tcode);
		add(digest, item->unknown.size);
		break;
	}
}

static void add_blocks(struct digest *digest, const struct rvtrace_flow_item *item)
{
	struct rvtrace_insn_iter iter;

	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter)) {
		add_stamp(digest, item);
		add(digest, iter.address);
		digest->instructions++;
	}
}

/* @pieces: fed in some of random size, and so many items read at once. */
static void read_some(struct rvtrace_flow *flow, bool pieces, struct digest *digest)
{
	struct rvtrace_flow_item items[ITEMS];
	int n, i;

	while ((n = rvtrace_flow_read(flow, items, pieces ? 1 + below(ITEMS) : ITEMS)) > 0) {
		for (i = 0; i < n; i++) {
			if (items[i].type == RVTRACE_FLOW_BLOCKS) {
				add_blocks(digest, &items[i]);
				continue;
			}
			add_stamp(digest, &items[i]);
			add_event(digest, &items[i]);
		}
	}
	assert_int_equal(n, 0);
}

static struct digest decode(const struct rvtrace_flow_config *config,
			    const struct rvtrace_image *image, const uint8_t *bytes, size_t size,
			    bool pieces)
{
	struct digest digest = { 0 };
	struct rvtrace_flow *flow;
	size_t fed, take;

	assert_int_equal(rvtrace_flow_new(config, image, &flow), 0);
	for (fed = 0; fed < size; fed += take) {
		take = pieces ? 1 + below(below(2) ? PIECE : 8) : size;
		if (take > size - fed)
			take = size - fed;
		assert_int_equal(rvtrace_flow_feed(flow, bytes + fed, take), 0);
		read_some(flow, pieces, &digest);
	}
	assert_int_equal(rvtrace_flow_finish(flow), 0);
	read_some(flow, pieces, &digest);
	rvtrace_flow_free(flow);
	return digest;
}

/* Return: what it says, in all ways. */
static struct digest compare(const struct rvtrace_flow_config *config,
			     const struct rvtrace_image *image, const struct vector_file *stream)
{
	struct digest whole = decode(config, image, stream->bytes, stream->size, false), parts;

	for (int way = 0; way < WAYS; way++) {
		parts = decode(config, image, stream->bytes, stream->size, true);
		assert_int_equal(parts.instructions, whole.instructions);
		assert_int_equal(parts.events, whole.events);
		assert_int_equal(parts.hash, whole.hash);
	}
	return whole;
}

/* Bits flipped, bytes left out, put in or repeated, the end cut off. */
static void damage(struct vector_file *stream)
{
	size_t at, size;

	for (uint64_t times = 1 + below(8); times && stream->size > 16; times--) {
		at = below(stream->size - 8);
		size = 1 + below(8);
		switch (below(4)) {
		case 0:
			stream->bytes[at] ^= 1 << below(8);
			break;
		case 1:
			memmove(stream->bytes + at, stream->bytes + at + size,
				stream->size - at - size);
			stream->size -= size;
			break;
		case 2:
			while (size--)
				stream->bytes[at + size] = below(256);
			break;
		default:
			if (!below(8))
				stream->size -= below(stream->size / 4);
		}
	}
}

/* As it is, and damaged. */
static struct digest compare_damaged(const struct rvtrace_flow_config *config,
				     const struct rvtrace_image *image, const char *path,
				     uint64_t times)
{
	struct vector_file stream = vector_read(path), copy;
	struct digest digest = compare(config, image, &stream), damaged;

	for (; times; times--) {
		if (is_left_out())
			continue;
		copy.bytes = malloc(stream.size);
		copy.size = stream.size;
		memcpy(copy.bytes, stream.bytes, stream.size);
		damage(&copy);
		damaged = compare(config, image, &copy);
		digest.loops += damaged.loops;
		free(copy.bytes);
	}
	free(stream.bytes);
	return digest;
}

static void map(struct rvtrace_image *image, const void *bytes, size_t size, uint64_t address)
{
	struct rvtrace_mapping mapping = {
		.address = address, .size = UINT64_MAX, .space = RVTRACE_SPACE_ANY,
		.privs = RVTRACE_PRIV_ANY,
	};
	struct rvtrace_code *code;

	assert_int_equal(rvtrace_code_from_memory(bytes, size, "code", &code), 0);
	mapping.code = code;
	assert_int_equal(rvtrace_image_map(image, &mapping), 0);
	rvtrace_code_unref(code);
}

static struct rvtrace_image *load(const char *path)
{
	struct rvtrace_image *image = rvtrace_image_new();

	assert_non_null(image);
	assert_true(rvtrace_image_add_elf(image, path, 0, RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY) > 0);
	return image;
}

static void every_stream_of_ntrace(void **state)
{
	static const struct {
		const char *path;
		unsigned int xlen;
		bool implicit_return;
	} streams[] = {
		{ "t1/test-cs0rpt0.nex", 32, false }, { "t1/test-cs0rpt2.nex", 32, false },
		{ "t1/test-cs8rpt2.nex", 32, true }, { "t1/test-nobhm.nex", 32, false },
		{ "t1/test-NEX.bin", 32, true },
		{ "qsort/qsort-cs0rpt0.nex", 64, false }, { "qsort/qsort-cs0rpt2.nex", 64, false },
		{ "qsort/qsort-cs8rpt2.nex", 64, true }, { "qsort/qsort-nobhm.nex", 64, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		const struct rvtrace_flow_config config = {
			.size = sizeof(config),
			.format = RVTRACE_FLOW_FORMAT_NTRACE, .isa.xlen = streams[i].xlen,
			.ntrace.implicit_return = streams[i].implicit_return,
		};
		struct rvtrace_image *image = load(streams[i].xlen == 32 ? VECTORS "t1/test.elf" :
						   "selftests/vectors/elf/qsort.riscv");
		char path[256];

		snprintf(path, sizeof(path), VECTORS "%s", streams[i].path);
		assert_true(compare_damaged(&config, image, path, 10).instructions > 1000);
		rvtrace_image_free(image);
	}
}

static const char *const etrace_streams[] = {
	"implicit_return_cc7-xrle", "implicit_return_rs4-median", "implicit_return_rs4-multiply",
	"implicit_return_rs4-test_discon_branch_exception", "implicit_return_rs4-towers",
	"itype3_basic-median", "itype3_basic-multiply",
	"itype3_basic-test_discon_branch_exception", "itype3_basic-towers", "itype3_basic-xrle",
	"itype3_debug-median", "itype3_debug-multiply",
	"itype3_debug-test_discon_branch_exception", "itype3_debug-towers", "itype3_debug-xrle",
	"itype4_fake_scf-xrle",
};

static struct digest etrace(const char *name, const struct rvtrace_image *image, uint64_t times)
{
	const char *program = strchr(name, '-') + 1;
	struct rvtrace_etrace_params params;
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	char path[256];

	snprintf(path, sizeof(path), ETRACE_VECTORS "%s/%s.scf", name, program);
	assert_int_equal(rvtrace_etrace_params_load(path, &params, NULL), 0);
	rvtrace_flow_config_etrace(&params, &config);
	snprintf(path, sizeof(path), ETRACE_VECTORS "%s/%s.te_inst_raw", name, program);
	return compare_damaged(&config, image, path, times);
}

static void every_stream_of_etrace(void **state)
{
	struct vector_file rom = vector_read(ETRACE_VECTORS "bootrom-0x1000.bin");
	struct rvtrace_image *image;
	char path[256];

	(void)state;
	for (size_t i = 0; i < sizeof(etrace_streams) / sizeof(etrace_streams[0]); i++) {
		snprintf(path, sizeof(path), "selftests/vectors/elf/%s.riscv",
			 strchr(etrace_streams[i], '-') + 1);
		image = load(path);
		map(image, rom.bytes, rom.size, 0x1000);
		assert_true(etrace(etrace_streams[i], image, 10).instructions > 30);
		rvtrace_image_free(image);
	}
	free(rom.bytes);
}

static uint16_t c_j(int offset)
{
	return 0xa001 | (offset >> 11 & 1) << 12 | (offset >> 4 & 1) << 11 |
	       (offset >> 8 & 3) << 9 | (offset >> 10 & 1) << 8 | (offset >> 6 & 1) << 7 |
	       (offset >> 7 & 1) << 6 | (offset >> 1 & 7) << 3 | (offset >> 5 & 1) << 2;
}

static uint16_t c_beqz(int offset)
{
	return 0xc001 | (offset >> 8 & 1) << 12 | (offset >> 3 & 3) << 10 |
	       (offset >> 6 & 3) << 5 | (offset >> 1 & 3) << 3 | (offset >> 5 & 1) << 2;
}

/* Code that is hardly anything but jumps to and fro: there is no way out of most of it. */
static struct rvtrace_image *maze(void)
{
	struct rvtrace_image *image = rvtrace_image_new();
	uint16_t *words = malloc(MAZE_SIZE);

	assert_non_null(image);
	for (size_t i = 0; i < MAZE_SIZE / 2; i++) {
		int offset = 2 * (int)below(64) - 64;
		uint64_t kind = below(16);

		words[i] = kind < 4 ? c_beqz(offset) : kind < 12 ? c_j(offset) :
			   kind < 15 ? C_NOP : C_RET;
	}
	map(image, words, MAZE_SIZE, 0x80000000);
	free(words);
	return image;
}

static void loops_without_an_exit(void **state)
{
	const struct rvtrace_flow_config config = {
		.size = sizeof(config),
		.format = RVTRACE_FLOW_FORMAT_NTRACE, .isa.xlen = 64, .ntrace.implicit_return = true,
	};
	uint64_t loops = 0, etrace_loops = 0;

	(void)state;
	for (unsigned int i = 0; i < MAZES; i++) {
		struct rvtrace_image *image = maze();

		loops += compare_damaged(&config, image, VECTORS "qsort/qsort-cs0rpt2.nex", 25)
				 .loops;
		etrace_loops += etrace("implicit_return_rs4-median", image, 3).loops;
		etrace_loops += etrace("itype3_basic-towers", image, 3).loops;
		rvtrace_image_free(image);
	}
	assert_true(loops);
	assert_true(etrace_loops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stream_of_ntrace),
		cmocka_unit_test(every_stream_of_etrace),
		cmocka_unit_test(loops_without_an_exit),
	};

	random_state = 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
