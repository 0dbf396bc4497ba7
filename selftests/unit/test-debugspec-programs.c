// SPDX-License-Identifier: GPL-2.0
/*
 * Random programs on two harts through the encoder of the debug specification's trace into one
 * buffer, and back: every instruction that retired, in its privilege, and every access.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random-program-check.h"
#include "tools/encode/debugspec.h"

#define SUFFIX_MAX	(1 << 18)

/* What is encoded, and what came of it. */
static struct {
	struct debugspec_params params;
	struct debugspec_stream stream;
	struct debugspec_encoder encoders[HARTS];
	uint32_t buffer;
	bool lossy;
	unsigned int refuse;
	struct world *world;
	struct rvtrace_debugspec_config config;
	bool half[HARTS];	/* of an atomic or a CSR, the read was seen */
	size_t ranges;
	size_t losses;
	bool losing;			/* this program has losses */
} lab;

static void write_word(void *opaque, uint32_t word)
{
	struct world *w = lab.world;

	(void)opaque;
	if (w->size + 4 > w->room) {
		w->room = w->room ? w->room * 2 : 65536;
		w->stream = realloc(w->stream, w->room);
		assert_non_null(w->stream);
	}
	for (unsigned int i = 0; i < 4; i++)
		w->stream[w->size++] = word >> 8 * i;
}

static bool has_room(void *opaque, unsigned int nybbles)
{
	struct world *w = lab.world;

	(void)opaque;
	(void)nybbles;
	if (!lab.lossy)
		return true;
	if (!lab.refuse && !rnd(w, 200))
		lab.refuse = 1 + rnd(w, 20);
	if (!lab.refuse)
		return true;
	lab.refuse--;
	return false;
}

static void start(struct hart *h, uint64_t pc, const struct ingress_context *context)
{
	unsigned int hart = h - h->world->harts;

	(void)pc;
	lab.world = h->world;
	if (!hart)
		debugspec_stream_init(&lab.stream, lab.buffer, true, write_word, has_room, NULL);
	lab.params.hart = hart;
	debugspec_encoder_init(&lab.encoders[hart], &lab.params, &lab.stream);
	debugspec_encoder_start(&lab.encoders[hart], context);
}

/* No instruction of the programs is ecall. */
static void block(struct hart *h)
{
	h->block.cause = 2;
	h->block.context.ie = rnd(h->world, 2);
	debugspec_encoder_block(&lab.encoders[h - h->world->harts], &h->block);
}

static void stop(struct hart *h, uint64_t pc)
{
	unsigned int hart = h - h->world->harts;

	(void)pc;
	lab.lossy = false;
	debugspec_encoder_stop(&lab.encoders[hart]);
	if (hart == HARTS - 1)
		debugspec_stream_flush(&lab.stream);
}

static bool emits(unsigned int what)
{
	return lab.params.emit & what;
}

/* Parameters at random; @emit: always, and never others than @may. */
static struct world *encode(unsigned int steps, unsigned int emit, unsigned int may, bool single,
			    bool lossy)
{
	static const uint32_t sizes[] = { 0, 64, 96, 128, 1024, 65536, 1 << 20 };
	static struct world choice;	/* too large for a stack */
	struct world_port port = {
		.single = single, .start = start, .block = block, .stop = stop,
	};
	struct etrace_params may_do = {
		.nocontext = true, .data = true,
		.data_width = 128, .dtype_width = 4,
	};

	choice.random = seed;
	may_do.iaddress_width = rnd(&choice, 2) ? 64 : 32;
	may_do.daddress_width = may_do.iaddress_width;
	memset(&lab, 0, sizeof(lab));
	lab.lossy = lossy;
	lab.losing = lossy;
	lab.params = (struct debugspec_params) {
		.xlen = may_do.iaddress_width, .compressed = true, .full = !rnd(&choice, 4),
		.emit = emit | (rnd(&choice, 256) & may),
	};
	lab.buffer = sizes[rnd(&choice, sizeof(sizes) / sizeof(sizes[0]))];
	if (lab.buffer == 64 && lab.params.xlen == 64)
		lab.buffer = 96;	/* a full value takes 18 nybbles, and Change Hart 3 */
	/* data of 64 bits have no room in the smallest one, nor have times */
	if (lab.buffer == 64 &&
	    lab.params.emit & (DEBUGSPEC_EMITLOADDATA | DEBUGSPEC_EMITSTOREDATA |
			       DEBUGSPEC_EMITTIMESTAMP))
		lab.buffer = 96;
	lab.config = (struct rvtrace_debugspec_config) {
		.xlen = lab.params.xlen, .compressed = true, .several_harts = true,
		.emit = lab.params.emit,
	};
	if (lab.buffer)
		assert_int_equal(rvtrace_debugspec_buffer(&lab.config, lab.buffer, 0), 0);
	return world_new_port(seed, steps, &may_do, false, &port, NULL);
}

static bool is_csr(const struct ingress_access *a)
{
	return a->dtype >= INGRESS_CSR_RW && a->dtype <= INGRESS_CSR_RC;
}

static uint64_t cut(uint64_t value, unsigned int size)
{
	return size < 3 ? value & ((1ull << (8 << size)) - 1) : value;
}

static bool is_written(const struct ingress_access *a, uint64_t written, unsigned int size)
{
	uint64_t old = a->data[0], with = a->operand[0];

	switch (a->dtype) {
	case INGRESS_CSR_RS:
	case INGRESS_OR:
		return written == cut(old | with, size);
	case INGRESS_CSR_RC:
		return written == cut(old & ~with, size);
	case INGRESS_ADD:
		return written == cut(old + with, size);
	case INGRESS_AND:
		return written == cut(old & with, size);
	case INGRESS_XOR:
		return written == cut(old ^ with, size);
	case INGRESS_MAX:
	case INGRESS_MIN:
		return written == cut(old, size) || written == cut(with, size);
	}
	return written == cut(with, size);
}

/* Whether an access makes packets at all: its read, or what it writes. */
static bool is_told(const struct ingress_access *a, bool load)
{
	if (is_csr(a))
		return emits(load ? DEBUGSPEC_EMITLOADDATA : DEBUGSPEC_EMITSTOREDATA);
	if ((a->dtype == INGRESS_LOAD && !load) || (a->dtype == INGRESS_STORE && load))
		return false;
	return emits(load ? DEBUGSPEC_EMITLOADADDR | DEBUGSPEC_EMITLOADDATA :
			    DEBUGSPEC_EMITSTOREADDR | DEBUGSPEC_EMITSTOREDATA);
}

/* The next access of the hart that makes packets; @load: which half of it. */
static const struct access_truth *next_access(struct hart *h, bool *load)
{
	bool *half = &lab.half[h - h->world->harts];

	while (h->accesses_done < h->access_count) {
		const struct access_truth *t = &h->access_truth[h->accesses_done];

		*load = !*half;
		if (*half)
			h->accesses_done++;
		*half = !*half;
		if (is_told(&t->access, *load))
			return t;
	}
	return NULL;
}

static void check_access(struct hart *h, const struct rvtrace_flow_item *item)
{
	const struct rvtrace_flow_access *got = item->access;
	const struct access_truth *t;
	const struct ingress_access *a;
	unsigned int size;
	bool load, data;

	t = next_access(h, &load);
	check(t);
	a = &t->access;
	size = is_csr(a) ? (lab.params.xlen == 32 ? 2 : 3) : a->size;
	data = emits(load ? DEBUGSPEC_EMITLOADDATA : DEBUGSPEC_EMITSTOREDATA);
	check(item->flags & RVTRACE_FLOW_HAS_ADDRESS && item->address == a->pc);
	check(h->done == t->insn + 1);
	check(got->size == size);
	check(!(got->flags & (RVTRACE_ACCESS_NO_SIZE | RVTRACE_ACCESS_PARTIAL)));
	if (is_csr(a)) {
		check(got->kind == RVTRACE_ETRACE_CSR && got->address == a->address);
		check(got->subtype == a->dtype - INGRESS_CSR_RW);
	} else {
		check(!!(got->flags & RVTRACE_ACCESS_HAS_ADDRESS) ==
		      emits(load ? DEBUGSPEC_EMITLOADADDR : DEBUGSPEC_EMITSTOREADDR));
		check(!(got->flags & RVTRACE_ACCESS_HAS_ADDRESS) || got->address == a->address);
		check(got->kind == (a->dtype == INGRESS_LOAD ? RVTRACE_ETRACE_LOAD :
				    a->dtype == INGRESS_STORE ? RVTRACE_ETRACE_STORE :
				    RVTRACE_ETRACE_ATOMIC));
	}
	if (load || a->dtype == INGRESS_STORE) {
		check(!!(got->flags & RVTRACE_ACCESS_HAS_DATA) == data);
		check(!data || got->data[0] == cut(a->data[0], size));
	} else {
		check(!!(got->flags & RVTRACE_ACCESS_HAS_WRITTEN) == data);
		check(!data || is_written(a, got->written, size));
	}
}

static void check_insn(struct hart *h, const struct rvtrace_flow_item *item, uint64_t address)
{
	const struct truth *t = check_next(h, item, address);

	check(item->flags & RVTRACE_FLOW_HAS_PRIV && item->priv == t->priv);
}

/* Code that nobody has: where it began and ended is known all the same. */
static void check_range(struct hart *h, const struct rvtrace_flow_item *item)
{
	check(h->truth[h->done].pc == item->address);
	while (h->done < h->count && h->truth[h->done].pc != item->range.last)
		h->done++;
	check(h->done < h->count);
	h->done++;
	lab.ranges++;
}

static void check_item(struct world *w, const struct rvtrace_flow_item *item)
{
	struct hart *h = &w->harts[item->source % HARTS];
	struct rvtrace_insn_iter iter;

	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		check(!h->unknown);
		rvtrace_insn_iter_init(&iter, item);
		while (rvtrace_insn_iter_next(&iter))
			check_insn(h, item, iter.address);
		break;
	case RVTRACE_FLOW_RANGE:
		check_range(h, item);
		break;
	case RVTRACE_FLOW_ACCESS:
		check_access(h, item);
		break;
	case RVTRACE_FLOW_SYNC:
		if (!h->unknown)
			break;
		check(item->time > h->done);
		h->missing += item->time - 1 - h->done;
		h->done = item->time - 1;
		h->unknown = false;
		break;
	case RVTRACE_FLOW_STOP:
		/* nothing follows the last loss */
		h->unknown = lab.losing && h->done < h->count;
		break;
	case RVTRACE_FLOW_OVERFLOW:
		h->unknown = true;
		lab.losses++;
		break;
	default:
		check_intact(item);
	}
}

static void decode(struct world *w, struct rvtrace_image *image, const uint8_t *bytes, size_t size,
		   take_item take)
{
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_flow *flow;

	rvtrace_flow_config_debugspec(&lab.config, &config);
	assert_int_equal(rvtrace_flow_new(&config, image, &flow), 0);
	decode_pieces(w, flow, bytes, size, true, take);
	decode_end(w, flow, take);
	rvtrace_flow_free(flow);
}

static void check_all(struct world *w)
{
	bool load;

	for (unsigned int i = 0; i < HARTS; i++) {
		struct hart *h = &w->harts[i];

		check(h->unknown || h->done == h->count);
		if (!h->unknown && !lab.losses && !lab.ranges)
			check(!next_access(h, &load));
		h->missing += h->count - h->done;
	}
}

#define FLOW		(DEBUGSPEC_EMITPC | DEBUGSPEC_EMITPRIV)

static void round_trips(unsigned int full, unsigned int reduced, unsigned int emit,
			unsigned int may)
{
	for_each_seed(world_programs(full, reduced)) {
		struct rvtrace_image *image;
		struct world *w;

		w = encode(STEPS / 4, emit, may, false, false);
		image = world_image(w);
		decode(w, image, w->stream, w->size, check_item);
		check_all(w);
		rvtrace_image_free(image);
		world_free(w);
	}
}

/* "If emitbranch is enabled, emit either Branch Taken or Branch Not Taken." */
static void flow_with_branches_is_what_executed(void **state)
{
	(void)state;
	round_trips(2000, 200, FLOW | DEBUGSPEC_EMITBRANCH, DEBUGSPEC_EMITTIMESTAMP);
}

/* "Otherwise if emitpc is enabled and the branch is taken, emit 2 PC values" */
static void flow_without_branches_is_what_executed(void **state)
{
	(void)state;
	round_trips(2000, 200, FLOW, DEBUGSPEC_EMITTIMESTAMP);
}

/* "Full reconstruction of all processor state": what loads, stores and CSRs read and wrote */
static void accesses_are_those_of_their_instructions(void **state)
{
	(void)state;
	round_trips(2000, 200, FLOW, DEBUGSPEC_EMIT_ALL);
}

/* "This is possible without knowing anything about the code" */
static void flow_without_code_is_what_executed(void **state)
{
	(void)state;
	for_each_seed(world_programs(2000, 200)) {
		struct rvtrace_image *image = rvtrace_image_new();
		struct world *w = encode(STEPS / 4, FLOW, DEBUGSPEC_EMITTIMESTAMP, false, false);

		decode(w, image, w->stream, w->size, check_item);
		check(lab.ranges);
		check_all(w);
		world_free(w);
		rvtrace_image_free(image);
	}
}

/* "After packet sequences are dropped ... Trace Disabled must be emitted." */
static void what_is_missing_lies_in_reported_losses(void **state)
{
	size_t missing = 0, losses = 0;

	(void)state;
	for_each_seed(world_programs(2000, 200)) {
		struct rvtrace_image *image;
		struct world *w;

		w = encode(STEPS / 4, FLOW | DEBUGSPEC_EMITTIMESTAMP, DEBUGSPEC_EMITBRANCH, true,
			   true);
		image = world_image(w);
		decode(w, image, w->stream, w->size, check_item);
		check_all(w);
		losses += lab.losses;
		for (unsigned int i = 0; i < HARTS; i++)
			missing += w->harts[i].missing;
		rvtrace_image_free(image);
		world_free(w);
	}
	assert_true(losses && missing);
}

static uint64_t suffix[HARTS][SUFFIX_MAX];
static size_t suffix_count[HARTS];

static void collect(struct world *w, const struct rvtrace_flow_item *item)
{
	struct rvtrace_insn_iter iter;

	(void)w;
	if (item->type == RVTRACE_FLOW_ERROR)
		fail_msg("seed %llu: at %llu: %s", (unsigned long long)seed,
			 (unsigned long long)item->offset, rvtrace_strerror(item->error.code));
	if (item->type != RVTRACE_FLOW_BLOCKS)
		return;
	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter))
		suffix[item->source][suffix_count[item->source]++] = iter.address;
}

/* The rest of the buffer from @skip bytes behind the write pointer on is all there is. */
static size_t check_wrapped(struct world *w, struct rvtrace_image *image, size_t skip)
{
	size_t size = lab.buffer - skip, found = 0;

	assert_int_equal(rvtrace_debugspec_buffer(&lab.config, lab.buffer,
						  (w->size + skip) % lab.buffer), 0);
	memset(suffix_count, 0, sizeof(suffix_count));
	decode(w, image, w->stream + w->size - size, size, collect);
	for (unsigned int i = 0; i < HARTS; i++) {
		const struct hart *h = &w->harts[i];

		check(suffix_count[i] <= h->count);
		for (size_t k = 0; k < suffix_count[i]; k++)
			check(suffix[i][k] == h->truth[h->count - suffix_count[i] + k].pc);
		found += suffix_count[i];
	}
	return found;
}

/*
 * Synchronization points: "there is guaranteed to be a sequence header.", and full values "soon
 * after": half of a buffer that is not very small has one of a hart, but for few.
 */
static void wrapped_buffers_decode_from_every_point(void **state)
{
	unsigned int points = 0, empty = 0;

	(void)state;
	for_each_seed(world_programs(2000, 200)) {
		struct rvtrace_image *image;
		struct world *w;

		w = encode(STEPS / 4, FLOW, DEBUGSPEC_EMIT_ALL, false, false);
		image = world_image(w);
		for (unsigned int i = 0; i < 8 && lab.buffer && lab.buffer < w->size; i++) {
			size_t found = check_wrapped(w, image, i * (lab.buffer / 8));

			if (lab.buffer < 256 || i > 4)
				continue;
			points++;
			empty += !found;
		}
		rvtrace_image_free(image);
		world_free(w);
	}
	assert_true(50 * empty < points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flow_with_branches_is_what_executed),
		cmocka_unit_test(flow_without_branches_is_what_executed),
		cmocka_unit_test(accesses_are_those_of_their_instructions),
		cmocka_unit_test(flow_without_code_is_what_executed),
		cmocka_unit_test(what_is_missing_lies_in_reported_losses),
		cmocka_unit_test(wrapped_buffers_decode_from_every_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
