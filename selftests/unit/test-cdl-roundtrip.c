// SPDX-License-Identifier: GPL-2.0
/*
 * CDL compressed trace there and back: random cycles, and random programs that were executed, in
 * both flavours, with all parameters, in pieces of any size, whole and from wrapped buffers.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/cdl.h>
#include <rvtrace/flow.h>

#include "random-program.h"
#include "tools/encode/cdl.h"

#define CYCLES		40
#define STREAM		4096
#define EVENTS		(STEPS * 2)

static uint64_t random_state;

static uint64_t rnd_of(uint64_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 32) % below;
}

static struct cdl_params random_params(void)
{
	struct cdl_params params = {
		.flavour = rnd_of(2), .xlen = rnd_of(2) ? 64 : 32, .pc = true, .rfw = rnd_of(2),
		.tracepoints = rnd_of(2), .full = !rnd_of(4),
	};

	params.rv64 = params.xlen == 64;
	if (rnd_of(3))
		params.sync_interval = 72 + 8 * rnd_of(20);
	return params;
}

static struct rvtrace_cdl_config config_of(const struct cdl_params *params)
{
	return (struct rvtrace_cdl_config) {
		.flavour = params->flavour == CDL_RTL ? RVTRACE_CDL_RTL : RVTRACE_CDL_DOC,
		.xlen = params->xlen, .rv64 = params->rv64, .sync_interval = params->sync_interval,
	};
}

/* Values of all sizes, with zeros in them. */
static uint64_t random_value(unsigned int xlen)
{
	uint64_t value = random_state ^ rnd_of(UINT32_MAX) << 32;

	value <<= rnd_of(8) * 8;
	value >>= rnd_of(xlen / 8) * 8;
	return xlen == 32 ? (uint32_t)value : value;
}

static struct cdl_packed random_cycle(unsigned int xlen)
{
	struct cdl_packed cycle = {
		.seq_valid = rnd_of(2), .nonseq_valid = rnd_of(2), .bkpt_valid = !rnd_of(4),
		.data_valid = rnd_of(2),
	};

	if (cycle.seq_valid)
		cycle.seq = 1 + rnd_of(7);
	if (cycle.nonseq_valid)
		cycle.nonseq = rnd_of(4);
	if (cycle.bkpt_valid)
		cycle.bkpt = rnd_of(16);
	if (cycle.data_valid) {
		cycle.data_reason = rnd_of(2);
		cycle.rd = cycle.data_reason ? rnd_of(32) : 0;
		cycle.data = random_value(xlen);
	}
	return cycle;
}

/* What the encoder recorded. */
struct stream {
	uint8_t bytes[STREAM];
	size_t size;
};

static bool keep(void *opaque, const uint8_t *bytes, size_t size)
{
	struct stream *stream = opaque;

	assert_true(stream->size + size <= STREAM);
	memcpy(stream->bytes + stream->size, bytes, size);
	stream->size += size;
	return true;
}

/* What a cycle has, in a form that can be compared, one item after the other. */
struct fact {
	uint8_t kind;
	uint8_t number;
	uint8_t rd;
	uint64_t value;
};

static unsigned int facts_of(const struct cdl_packed *cycle, unsigned int flavour,
			     struct fact *facts)
{
	unsigned int count = 0;

	if (cycle->seq_valid)
		facts[count++] = (struct fact) { RVTRACE_CDL_SEQUENTIAL, cycle->seq, 0, 0 };
	if (cycle->nonseq_valid)
		facts[count++] = (struct fact) { RVTRACE_CDL_NONSEQUENTIAL, cycle->nonseq, 0, 0 };
	if (cycle->bkpt_valid && flavour == CDL_RTL)
		facts[count++] = (struct fact) { RVTRACE_CDL_TRACEPOINT, cycle->bkpt, 0, 0 };
	if (cycle->data_valid)
		facts[count++] = (struct fact) { RVTRACE_CDL_DATA, cycle->data_reason, cycle->rd,
						 cycle->data };
	if (cycle->bkpt_valid && flavour == CDL_DOC)
		facts[count++] = (struct fact) { RVTRACE_CDL_TRACEPOINT, cycle->bkpt, 0, 0 };
	return count;
}

static bool is_fact(const struct rvtrace_cdl_item *item, const struct fact *fact)
{
	if (item->kind != fact->kind)
		return false;
	if (item->kind == RVTRACE_CDL_DATA)
		return item->reason == fact->number && item->rd == fact->rd &&
		       item->value == fact->value;
	return item->number == fact->number;
}

/* Cycles of anything: what was recorded is what is read, whatever the pieces. */
static void random_sequence(uint64_t seed)
{
	struct cdl_params params;
	struct cdl_recorder recorder = { .emit = keep };
	struct rvtrace_cdl_config config;
	struct fact facts[4 * CYCLES];
	struct stream stream = { .size = 0 };
	struct rvtrace_cdl_item item;
	struct rvtrace_cdl *reader;
	unsigned int cycles, count = 0, i, done = 0;
	size_t fed = 0, size;
	int ret;

	random_state = seed * 2654435761u + 1;
	rnd_of(2);
	params = random_params();
	config = config_of(&params);
	recorder.opaque = &stream;
	recorder.interval = params.sync_interval;
	cycles = 1 + rnd_of(CYCLES);
	for (i = 0; i < cycles; i++) {
		struct cdl_packed cycle = random_cycle(params.xlen);
		uint8_t nybbles[CDL_CYCLE_MAX];

		size = cdl_compress(&params, &cycle, nybbles);
		count += facts_of(&cycle, params.flavour, facts + count);
		if (size)
			cdl_record(&recorder, nybbles, size, rnd_of(20));
	}
	cdl_record_flush(&recorder);
	assert_int_equal(rvtrace_cdl_new(&config, &reader), 0);
	while (fed < stream.size) {
		size = 1 + rnd_of(rnd_of(2) ? 3 : 40);
		if (size > stream.size - fed)
			size = stream.size - fed;
		assert_int_equal(rvtrace_cdl_feed(reader, stream.bytes + fed, size), 0);
		fed += size;
		while ((ret = rvtrace_cdl_next(reader, &item)) == 1) {
			if (item.kind == RVTRACE_CDL_SKIP || item.kind == RVTRACE_CDL_SYNC)
				continue;
			if (done == count || !is_fact(&item, &facts[done]))
				fail_msg("sequence %llu: item %u at nybble %llu",
					 (unsigned long long)seed, done,
					 (unsigned long long)item.offset);
			done++;
		}
		if (ret)
			fail_msg("sequence %llu: %s", (unsigned long long)seed,
				 rvtrace_strerror(ret));
	}
	assert_int_equal(rvtrace_cdl_pending(reader, NULL), 0);
	assert_int_equal(done, count);
	rvtrace_cdl_free(reader);
}

static void random_sequences_come_back(void **state)
{
	unsigned int count = world_programs(1000000, 20000);

	(void)state;
	for (unsigned int i = 1; i <= count; i++)
		random_sequence(i);
	if (count >= 1000000)
		print_message("# %u sequences: 0 differences\n", count);
}

/* Programs */

/* A register written, or a trace point. */
struct event {
	bool traces;		/* it is a trace point */
	uint8_t number;		/* of it, or the register */
	uint64_t value;
	uint64_t pc;
	bool jumps;		/* the instruction is not followed by the next one */
};

/* A hart's trace, and what is to come out of it. */
struct track {
	struct cdl_encoder encoder;
	uint8_t *bytes;
	size_t size;
	size_t room;
	struct event *events;
	size_t event_count;
	size_t events_done;
	size_t done;		/* of struct hart.truth */
};

static struct track tracks[HARTS];
static struct cdl_params params_of_program;

static bool append(void *opaque, const uint8_t *bytes, size_t size)
{
	struct track *track = opaque;

	if (track->size + size > track->room) {
		track->room = track->room ? 2 * track->room : 65536;
		track->bytes = realloc(track->bytes, track->room);
		assert_non_null(track->bytes);
	}
	memcpy(track->bytes + track->size, bytes, size);
	track->size += size;
	return true;
}

static struct track *track_of(const struct hart *h)
{
	return &tracks[h - h->world->harts];
}

static void port_start(struct hart *h, uint64_t pc, const struct ingress_context *context)
{
	struct track *track = track_of(h);

	(void)pc;
	(void)context;
	memset(track, 0, sizeof(*track));
	track->events = calloc(EVENTS, sizeof(*track->events));
	assert_non_null(track->events);
	cdl_encoder_init(&track->encoder, &params_of_program, append, track);
	cdl_encoder_start(&track->encoder);
}

static void add_events(struct track *track, const struct cdl_insn *insn)
{
	struct event event = { .pc = insn->pc, .jumps = insn->change != CDL_SEQUENTIAL };
	struct event mark = event;

	mark.traces = true;
	mark.number = insn->tracepoint;
	event.number = insn->rfw_rd;
	event.value = insn->rfw_data;
	assert_true(track->event_count + 2 <= EVENTS);
	/* as the fields of a cycle come: in rtl registers are written behind it */
	if (params_of_program.flavour == CDL_RTL && mark.traces && insn->tracepoint_valid &&
	    params_of_program.tracepoints)
		track->events[track->event_count++] = mark;
	if (insn->rfw_valid && params_of_program.rfw)
		track->events[track->event_count++] = event;
	if (params_of_program.flavour == CDL_DOC && insn->tracepoint_valid &&
	    params_of_program.tracepoints)
		track->events[track->event_count++] = mark;
}

/* The encoder's view of a block, and what else its instruction does. */
static void port_block(struct hart *h)
{
	static const uint8_t changes[16] = {
		[INGRESS_TRAP_RETURN] = CDL_RET, [INGRESS_BRANCH_TAKEN] = CDL_BRANCH_TAKEN,
		[INGRESS_INDIRECT_CALL] = CDL_JALR, [INGRESS_DIRECT_CALL] = CDL_JAL,
		[INGRESS_INDIRECT_JUMP] = CDL_JALR, [INGRESS_DIRECT_JUMP] = CDL_JAL,
		[INGRESS_COROUTINE_SWAP] = CDL_JALR, [INGRESS_RETURN] = CDL_JALR,
		[INGRESS_OTHER_INDIRECT_JUMP] = CDL_JALR, [INGRESS_OTHER_DIRECT_JUMP] = CDL_JAL,
	};
	struct track *track = track_of(h);
	struct ingress_block block = h->block;
	struct cdl_insn insn = { .pc = block.start, .target = block.target };

	if (block.halfwords && block.halfwords == block.last_size && rnd_of(2)) {
		insn.change = changes[block.itype];
		insn.rfw_valid = rnd_of(2);
		insn.rfw_rd = rnd_of(32);
		insn.rfw_data = random_value(params_of_program.xlen);
		insn.tracepoint_valid = !rnd_of(8);
		insn.tracepoint = rnd_of(16);
		cdl_encoder_insn(&track->encoder, &insn);
		add_events(track, &insn);
		block.start += 2 * block.halfwords;
		block.halfwords = 0;
		block.last_size = 0;
		if (block.itype != INGRESS_EXCEPTION && block.itype != INGRESS_INTERRUPT)
			return;
	}
	assert_true(cdl_encoder_block(&track->encoder, &block));
}

static void port_stop(struct hart *h, uint64_t pc)
{
	(void)pc;
	cdl_encoder_stop(&track_of(h)->encoder);
}

static const struct world_port port = {
	.single = true, .start = port_start, .block = port_block, .stop = port_stop,
};

static void check_event(struct track *track, const struct rvtrace_flow_item *item)
{
	const struct event *event = &track->events[track->events_done];
	bool traces = item->type == RVTRACE_FLOW_TRACEPOINT;

	assert_true(track->events_done < track->event_count);
	assert_int_equal(event->traces, traces);
	assert_int_equal(event->number, traces ? item->tracepoint.number : item->written.rd);
	if (!traces)
		assert_true(event->value == item->written.value);
	/* rtl: SSS has not counted it yet, unless it jumped; a first one comes before its PC */
	assert_int_equal(!!(item->flags & RVTRACE_FLOW_HAS_ADDRESS),
			 params_of_program.flavour == CDL_DOC ||
			 (traces && event->jumps && track->done));
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS)
		assert_true(event->pc == item->address);
	track->events_done++;
}

/* The instruction must be the next one that is not hidden. */
static bool check_insn(struct hart *h, struct track *track, uint64_t pc)
{
	while (track->done < h->count && h->truth[track->done].hidden)
		track->done++;
	if (track->done == h->count || h->truth[track->done].pc != pc)
		return false;
	track->done++;
	return true;
}

static void check_items(struct hart *h, struct rvtrace_flow *flow, uint64_t seed)
{
	struct track *track = track_of(h);
	struct rvtrace_flow_item items[32];
	struct rvtrace_insn_iter iter;
	int n;

	while ((n = rvtrace_flow_read(flow, items, 1 + rnd_of(32))) > 0) {
		for (int i = 0; i < n; i++) {
			if (items[i].type == RVTRACE_FLOW_ERROR)
				fail_msg("program %llu: nybble %llu: %s", (unsigned long long)seed,
					 (unsigned long long)items[i].offset,
					 rvtrace_strerror(items[i].error.code));
			if (items[i].type == RVTRACE_FLOW_REGISTER ||
			    items[i].type == RVTRACE_FLOW_TRACEPOINT)
				check_event(track, &items[i]);
			if (items[i].type != RVTRACE_FLOW_BLOCKS)
				continue;
			rvtrace_insn_iter_init(&iter, &items[i]);
			while (rvtrace_insn_iter_next(&iter))
				if (!check_insn(h, track, iter.address))
					fail_msg("program %llu: instruction %zu at 0x%llx is none, nybble %llu",
						 (unsigned long long)seed, track->done,
						 (unsigned long long)iter.address,
						 (unsigned long long)items[i].offset);
		}
	}
	assert_int_equal(n, 0);
}

static void decode_track(struct world *w, unsigned int number, uint64_t seed)
{
	struct rvtrace_cdl_config cdl = config_of(&params_of_program);
	struct rvtrace_image *image = world_image(w);
	struct track *track = &tracks[number];
	struct hart *h = &w->harts[number];
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_flow *flow;
	size_t fed = 0, size;

	rvtrace_flow_config_cdl(&cdl, &config);
	assert_int_equal(rvtrace_flow_new(&config, image, &flow), 0);
	while (fed < track->size) {
		size = 1 + rnd_of(rnd_of(2) ? 20 : 5000);
		if (size > track->size - fed)
			size = track->size - fed;
		assert_int_equal(rvtrace_flow_feed(flow, track->bytes + fed, size), 0);
		fed += size;
		check_items(h, flow, seed);
	}
	assert_int_equal(rvtrace_flow_finish(flow), 0);
	check_items(h, flow, seed);
	while (track->done < h->count && h->truth[track->done].hidden)
		track->done++;
	if (track->done != h->count || track->events_done != track->event_count)
		fail_msg("program %llu: %zu of %zu instructions, %zu of %zu events",
			 (unsigned long long)seed, track->done, h->count, track->events_done,
			 track->event_count);
	rvtrace_flow_free(flow);
	rvtrace_image_free(image);
}

/* A buffer that was overwritten, or not yet, when recording ended after @words. */
static struct cdl_buffer record(const struct track *track, size_t size, size_t words)
{
	struct cdl_buffer buffer = {
		.bytes = calloc(1, size), .size = size, .mode = CDL_OVERWRITE,
	};

	assert_non_null(buffer.bytes);
	for (size_t i = 0; i < words; i++)
		cdl_buffer_emit(&buffer, track->bytes + 4 * i, 4);
	return buffer;
}

/* All instructions that come out of it. */
static size_t replay(struct world *w, const struct cdl_buffer *buffer, uint64_t *pcs, uint64_t seed)
{
	struct rvtrace_cdl_config cdl = config_of(&params_of_program);
	struct rvtrace_image *image = world_image(w);
	struct rvtrace_flow_item items[32];
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_buffer_span spans[2];
	struct rvtrace_insn_iter iter;
	struct rvtrace_flow *flow;
	size_t count = 0;
	int n;

	cdl.buffer = RVTRACE_CDL_OVERWRITE;
	cdl.wrapped = buffer->wrapped;
	cdl.write = buffer->write;
	assert_int_equal(rvtrace_cdl_replay(&cdl, buffer->size, spans), 0);
	rvtrace_flow_config_cdl(&cdl, &config);
	assert_int_equal(rvtrace_flow_new(&config, image, &flow), 0);
	for (unsigned int i = 0; i < 3; i++) {
		if (i < 2)
			rvtrace_flow_feed(flow, buffer->bytes + spans[i].from, spans[i].size);
		else
			rvtrace_flow_finish(flow);
		while ((n = rvtrace_flow_read(flow, items, 32)) > 0) {
			for (int k = 0; k < n; k++) {
				if (items[k].type == RVTRACE_FLOW_ERROR)
					fail_msg("program %llu, %zu bytes: nybble %llu: %s",
						 (unsigned long long)seed, buffer->size,
						 (unsigned long long)items[k].offset,
						 rvtrace_strerror(items[k].error.code));
				if (items[k].type != RVTRACE_FLOW_BLOCKS)
					continue;
				rvtrace_insn_iter_init(&iter, &items[k]);
				while (rvtrace_insn_iter_next(&iter))
					pcs[count++] = iter.address;
			}
		}
	}
	rvtrace_flow_free(flow);
	rvtrace_image_free(image);
	return count;
}

/* How many instructions the first @words tell of, all from the first one on. */
static size_t reached(struct world *w, const struct track *track, size_t words,
		      const uint64_t *executed, uint64_t seed)
{
	size_t unit = params_of_program.sync_interval / 2;
	struct cdl_buffer whole = record(track, (track->size / unit + 1) * unit, words);
	uint64_t *pcs = calloc(STEPS, sizeof(*pcs));
	size_t count;

	assert_non_null(pcs);
	count = replay(w, &whole, pcs, seed);
	assert_memory_equal(pcs, executed, count * sizeof(*pcs));
	free(whole.bytes);
	free(pcs);
	return count;
}

/* "replay": from a buffer comes the last stretch of what was executed, and nothing else. */
static size_t check_buffers(struct world *w, unsigned int number, uint64_t seed)
{
	const struct hart *h = &w->harts[number];
	struct track *track = &tracks[number];
	uint64_t *executed = calloc(STEPS, sizeof(*executed)), *pcs = calloc(STEPS, sizeof(*pcs));
	size_t count = 0, sum = 0, unit = params_of_program.sync_interval / 2;

	assert_true(executed && pcs);
	for (size_t i = 0; i < h->count; i++)
		if (!h->truth[i].hidden)
			executed[count++] = h->truth[i].pc;
	for (unsigned int i = 0; i < 4; i++) {
		size_t size = unit * (1 + rnd_of(rnd_of(2) ? 3 : 300)), all = track->size / 4;
		size_t words = i ? 1 + rnd_of(all) : all, got, end;
		struct cdl_buffer buffer = record(track, size, words);

		end = reached(w, track, words, executed, seed);
		/* rtl: whether the last one jumped would have come next */
		if (words == all)
			assert_in_range(end, count - (params_of_program.flavour == CDL_RTL), count);
		got = replay(w, &buffer, pcs, seed);
		if (got > end || memcmp(executed + end - got, pcs, got * sizeof(*pcs)))
			fail_msg("program %llu: a buffer of %zu bytes, written to %zu: %zu instructions",
				 (unsigned long long)seed, size, buffer.write, got);
		/* some intervals have several PCs */
		if (size >= 16 * unit && end && !got)
			fail_msg("program %llu: a buffer of %zu bytes, written to %zu: nothing",
				 (unsigned long long)seed, size, buffer.write);
		sum += got;
		free(buffer.bytes);
	}
	free(executed);
	free(pcs);
	return sum;
}

static size_t from_buffers;

static uint64_t program(uint64_t seed, unsigned int steps)
{
	struct etrace_params etrace = { .nocontext = true };
	uint64_t instructions = 0;
	struct world *w;

	random_state = seed * 40503 + 7;
	rnd_of(2);
	params_of_program = random_params();
	etrace.iaddress_width = params_of_program.xlen;
	w = world_new_port(seed, steps, &etrace, false, &port, NULL);
	for (unsigned int i = 0; i < HARTS; i++) {
		decode_track(w, i, seed);
		if (params_of_program.sync_interval)
			from_buffers += check_buffers(w, i, seed);
		instructions += w->harts[i].count;
		free(tracks[i].bytes);
		free(tracks[i].events);
	}
	world_free(w);
	return instructions;
}

static void random_programs_come_back(void **state)
{
	unsigned int count = world_programs(1000, 60);
	uint64_t instructions = 0;

	(void)state;
	for (unsigned int i = 1; i <= count; i++)
		instructions += program(i, STEPS);
	assert_true(from_buffers > 0);
	if (count >= 1000)
		print_message("# %u programs, %llu instructions, %zu from buffers: 0 differences\n",
			      count, (unsigned long long)instructions, from_buffers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_sequences_come_back),
		cmocka_unit_test(random_programs_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
