// SPDX-License-Identifier: GPL-2.0
/*
 * Random programs through the encoder and back: the decoder must give every
 * instruction that retired, in its privilege and address space; what a loss of
 * messages or bytes hides must lie in the stretch that is reported as lost.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random-program-check.h"

#define ITEMS		300

/*
 * What the trace does not tell is known of user code alone, and the privilege only where addresses
 * do.
 */
static void check_context(const struct hart *h, const struct rvtrace_flow_item *item,
			  const struct truth *t)
{
	bool has_priv = h->world->params.ownership || h->world->xlen == 64;

	assert_int_equal(!!(item->flags & RVTRACE_FLOW_HAS_PRIV), has_priv);
	if (has_priv)
		assert_int_equal(item->priv, t->priv);
	if (h->world->params.ownership)
		assert_int_equal(item->context, t->scontext);
	else if (!t->priv)
		assert_int_equal(item->process, t->scontext);
}

static void check_blocks(struct hart *h, const struct rvtrace_flow_item *item)
{
	struct rvtrace_insn_iter iter;

	assert_false(h->unknown);
	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter)) {
		const struct truth *t = check_next(h, item, iter.address);

		check_context(h, item, t);
		assert_false(t->hidden);
	}
}

/*
 * Hidden code may have called and returned, so the first implicit return to before it is out of
 * reach, too.
 */
static void check_gap(struct hart *h, const struct rvtrace_flow_item *item)
{
	uint64_t halfwords = 0;

	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS)
		assert_int_equal(item->address, h->truth[h->done].pc);
	while (halfwords < item->no_image.halfwords) {
		assert_true(h->done < h->count);
		h->hidden |= h->truth[h->done].hidden;
		if (item->no_image.complete && !(h->world->params.call_stack && h->hidden))
			assert_true(h->truth[h->done].hidden);
		halfwords += h->truth[h->done++].halfwords;
	}
	assert_int_equal(halfwords, item->no_image.halfwords);
}

static void check_sync(struct hart *h, const struct rvtrace_flow_item *item)
{
	h->answered += item->sync.reason == (uint32_t)NTRACE_SYNC_EXTERNAL_TRIGGER;
	assert_true(h->answered <= h->asked);
	if (!h->world->params.timestamp) {
		assert_false(h->unknown);
		return;
	}
	if (item->flags & RVTRACE_FLOW_FIRST) {
		assert_true(world_done(h->world, item->time) >= h->done);
		h->missing += world_done(h->world, item->time) - h->done;
		h->done = world_done(h->world, item->time);
		h->unknown = false;
	}
	assert_int_equal(world_done(h->world, item->time), h->done);
}

/* What is repeated has the time of the last one. */
static void check_trap(struct hart *h, const struct rvtrace_flow_item *item)
{
	uint64_t done = world_done(h->world, item->time);

	if (!(item->flags & RVTRACE_FLOW_HAS_ADDRESS) || h->done >= h->count)
		return;
	if (!h->world->params.timestamp || h->world->params.untimed)
		return;
	if (h->world->params.repeat_branch)
		assert_true(done >= h->done);
	else
		assert_int_equal(done, h->done);
}

static void check_no(const struct hart *h, const char *wrong)
{
	if (wrong)
		fail_msg("seed %llu hart %d: at instruction %zu: %s", (unsigned long long)seed,
			 (int)(h - h->world->harts), h->done, wrong);
}

static void check_item(struct world *w, const struct rvtrace_flow_item *item)
{
	struct hart *h = hart_of(w, item->source);

	if (item->type == RVTRACE_FLOW_LOST) {
		for (unsigned int i = 0; i < HARTS; i++)
			w->harts[i].unknown = true;
		return;
	}
	if (!h)
		fail_msg("seed %llu: type %d of source %u, at %llu", (unsigned long long)seed,
			 item->type, item->source, (unsigned long long)item->offset);
	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		check_blocks(h, item);
		break;
	case RVTRACE_FLOW_NO_IMAGE:
		check_gap(h, item);
		break;
	case RVTRACE_FLOW_TAIL:
		if (h->done < h->count)
			assert_int_equal(item->address, h->truth[h->done].pc);
		w->seen.tails++;
		break;
	case RVTRACE_FLOW_SYNC:
		check_sync(h, item);
		break;
	case RVTRACE_FLOW_OVERFLOW:
		h->unknown = true;
		break;
	case RVTRACE_FLOW_TRAP:
		check_trap(h, item);
		break;
	case RVTRACE_FLOW_DATA:
		check_no(h, hart_check_data(h, item));
		break;
	case RVTRACE_FLOW_CIRCUIT:
		check_no(h, hart_check_circuit(h, item));
		break;
	case RVTRACE_FLOW_STOP:
		w->seen.stops++;
		break;
	case RVTRACE_FLOW_ERROR:
		fail_msg("seed %llu: at %llu: %s", (unsigned long long)seed,
			 (unsigned long long)item->offset, rvtrace_strerror(item->error.code));
	}
}

/* Behind the last bytes, which may be part of a message */
static void check_last_item(struct world *w, const struct rvtrace_flow_item *item)
{
	if (item->type != RVTRACE_FLOW_ERROR || item->error.code != RVTRACE_ERR_TRUNCATED)
		check_item(w, item);
}

/* Feeds bytes @at to @end. */
static void decode(struct world *w, struct rvtrace_flow *flow, size_t at, size_t end)
{
	decode_pieces(w, flow, w->stream + at, end - at, false, check_item);
}

/* Without checks; the decoder must get through. Returns the number of errors. */
static size_t decode_damaged(struct world *w, struct rvtrace_flow *flow, const uint8_t *bytes,
			     size_t size)
{
	struct rvtrace_flow_item items[ITEMS];
	size_t errors = 0, chunk;
	int n;

	for (size_t at = 0; at < size; at += chunk) {
		chunk = 1 + rnd(w, 5000);
		if (chunk > size - at)
			chunk = size - at;
		assert_int_equal(rvtrace_flow_feed(flow, bytes + at, chunk), 0);
		while ((n = rvtrace_flow_read(flow, items, ITEMS)) > 0)
			for (int i = 0; i < n; i++) {
				assert_true(items[i].offset < at + chunk);
				errors += items[i].type == RVTRACE_FLOW_ERROR;
			}
		assert_int_equal(n, 0);
	}
	return errors;
}

struct decoder {
	struct world *world;
	struct rvtrace_image *image;
	struct rvtrace_flow *flow;
};

static struct decoder decoder_of(struct world *w)
{
	struct decoder d = { .world = w };
	struct rvtrace_flow_config config = world_config(d.world);

	d.image = world_image(d.world);
	assert_int_equal(rvtrace_flow_new(&config, d.image, &d.flow), 0);
	return d;
}

static struct decoder decoder_new(unsigned int loss, unsigned int steps, bool timed)
{
	return decoder_of(world_new(seed, loss, steps, timed));
}

static void decoder_free(struct decoder *d)
{
	rvtrace_flow_free(d->flow);
	rvtrace_image_free(d->image);
	world_free(d->world);
}

/* Every instruction was decoded, or counted as missing. */
static size_t check_end(struct world *w)
{
	size_t missing = 0;

	world_count(w);
	for (unsigned int i = 0; i < HARTS; i++) {
		struct hart *h = &w->harts[i];

		if (h->unknown)
			h->missing += h->count - h->done;
		else
			assert_int_equal(h->done, h->count);
		assert_int_equal(h->heard, h->said);
		assert_int_equal(h->circuits_done, h->circuits);
		missing += h->missing;
	}
	return missing;
}

static void round_trips(unsigned int full, unsigned int reduced, unsigned int steps)
{
	for_each_seed(world_programs(full, reduced)) {
		struct decoder d = decoder_new(0, steps, false);

		decode(d.world, d.flow, 0, d.world->size);
		assert_int_equal(check_end(d.world), 0);
		decoder_free(&d);
	}
	world_report(false);
}

static void every_retired_instruction_is_decoded(void **state)
{
	(void)state;
	round_trips(2000, 60, STEPS);
}

static void short_programs_decode(void **state)
{
	(void)state;
	round_trips(100000, 1000, 500);
}

/* Behind a loss, too */
static void counts_may_come_before_histories(void **state)
{
	size_t missing = 0;

	(void)state;
	for_each_seed(world_programs(20000, 600)) {
		struct decoder d = decoder_of(world_new_mode(seed, 0, 2000));

		decode(d.world, d.flow, 0, d.world->size);
		assert_int_equal(check_end(d.world), 0);
		decoder_free(&d);
	}
	for_each_seed(world_programs(2000, 60)) {
		struct decoder d = decoder_of(world_new_mode(seed, 100, STEPS));

		decode(d.world, d.flow, 0, d.world->size);
		missing += check_end(d.world);
		decoder_free(&d);
	}
	assert_true(missing > 0);
	world_report(false);
}

static void what_is_missing_lies_in_reported_overflows(void **state)
{
	size_t missing = 0;

	(void)state;
	for_each_seed(world_programs(2000, 60)) {
		struct decoder d = decoder_new(100, STEPS, true);

		decode(d.world, d.flow, 0, d.world->size);
		missing += check_end(d.world);
		decoder_free(&d);
	}
	assert_true(missing > 0);
}

static void what_is_missing_lies_in_reported_byte_ranges(void **state)
{
	struct rvtrace_flow_item items[ITEMS];
	size_t missing = 0;
	int n;

	(void)state;
	for_each_seed(60) {
		struct decoder d = decoder_new(0, STEPS, true);
		struct world *w = d.world;
		size_t at = rnd(w, w->size), lost = 1 + rnd(w, w->size - at);

		decode(w, d.flow, 0, at);
		assert_int_equal(rvtrace_flow_lost(d.flow, lost, at + lost, 0), 0);
		while ((n = rvtrace_flow_read(d.flow, items, ITEMS)) > 0)
			for (int i = 0; i < n; i++)
				check_item(w, &items[i]);
		decode(w, d.flow, at + lost, w->size);
		missing += check_end(w);
		decoder_free(&d);
	}
	assert_true(missing > 0);
}

/* A buffer that was full: what comes out before its end is what ran, up to where a count leads. */
static void streams_end_anywhere(void **state)
{
	size_t tails = 0;

	(void)state;
	for_each_seed(world_programs(20000, 600)) {
		struct decoder d = decoder_of(seed & 1 ? world_new(seed, 0, 2000, true) :
							 world_new_mode(seed, 0, 2000));
		struct world *w = d.world;

		decode(w, d.flow, 0, rnd(w, w->size));
		decode_end(w, d.flow, check_last_item);
		tails += w->seen.tails;
		decoder_free(&d);
	}
	assert_true(tails > 0);
}

/* Flips, overwrites, drops and doubles. */
static size_t damage(struct world *w, uint8_t *bytes, size_t size)
{
	for (unsigned int i = 1 + rnd(w, 60); i && size; i--) {
		size_t at = rnd(w, size), run = 1 + rnd(w, 40);

		if (run > size - at)
			run = size - at;
		switch (rnd(w, 4)) {
		case 0:
			bytes[at] ^= 1 << rnd(w, 8);
			break;
		case 1:
			while (run--)
				bytes[at + run] = rnd(w, 2) ? 0 : rnd(w, 256);
			break;
		case 2:
			memmove(bytes + at, bytes + at + run, size - at - run);
			size -= run;
			break;
		case 3:
			memmove(bytes + at, bytes + at + run / 2, run / 2);
			break;
		}
	}
	return size;
}

static void damaged_streams_are_reported_and_left_behind(void **state)
{
	size_t errors = 0, tried = 0;

	(void)state;
	for_each_seed(200) {
		struct decoder d = decoder_new(0, STEPS, true);
		struct world *w = d.world;
		uint8_t *bytes = malloc(w->size);
		size_t size;

		assert_non_null(bytes);
		memcpy(bytes, w->stream, w->size);
		size = damage(w, bytes, w->size);
		w->damaged = true;
		errors += decode_damaged(w, d.flow, bytes, size);

		/* the same decoder, and the intact stream from its start */
		assert_int_equal(rvtrace_flow_lost(d.flow, 0, 0, RVTRACE_LOST_ALIGNED), 0);
		while (rvtrace_flow_read(d.flow, &(struct rvtrace_flow_item){ 0 }, 1) > 0)
			;
		decode(w, d.flow, 0, w->size);
		assert_int_equal(check_end(w), 0);
		free(bytes);
		decoder_free(&d);
		tried++;
	}
	assert_true(errors > tried);
}

static void noise_is_survived(void **state)
{
	uint8_t bytes[4096];

	(void)state;
	for_each_seed(30) {
		struct decoder d = decoder_new(0, STEPS, false);

		for (unsigned int round = 0; round < 50; round++) {
			for (size_t i = 0; i < sizeof(bytes); i++)
				bytes[i] = round == 1 ? 0 : rnd(d.world, 256);
			assert_int_equal(rvtrace_flow_lost(d.flow, 0, 0, 0), 0);
			while (rvtrace_flow_read(d.flow, &(struct rvtrace_flow_item){ 0 }, 1) > 0)
				;
			decode_damaged(d.world, d.flow, bytes, sizeof(bytes));
		}
		decoder_free(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_retired_instruction_is_decoded),
		cmocka_unit_test(short_programs_decode),
		cmocka_unit_test(counts_may_come_before_histories),
		cmocka_unit_test(what_is_missing_lies_in_reported_overflows),
		cmocka_unit_test(what_is_missing_lies_in_reported_byte_ranges),
		cmocka_unit_test(streams_end_anywhere),
		cmocka_unit_test(damaged_streams_are_reported_and_left_behind),
		cmocka_unit_test(noise_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
