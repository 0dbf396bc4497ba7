// SPDX-License-Identifier: GPL-2.0
/*
 * Random programs through the E-Trace encoder with random options, and back: the decoder must give
 * every instruction that retired, in its privilege and, where the trace tells it, its context.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/ntrace.h>

#include "etrace-decoder-params.h"
#include "random-program-check.h"

static void check_insn(struct hart *h, const struct rvtrace_flow_item *item, uint64_t address)
{
	const struct world *w = h->world;
	const struct truth *t = check_next(h, item, address);

	check(item->priv == t->priv);
	if (!w->etrace.nocontext && w->etrace.ctype >= ETRACE_CONTEXT_PRECISE)
		check(item->context == t->scontext);
}

static void check_item(struct world *w, const struct rvtrace_flow_item *item)
{
	struct hart *h = hart_of(w, item->source);
	struct rvtrace_insn_iter iter;
	const char *wrong;

	check(h);
	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		check(!h->unknown);
		rvtrace_insn_iter_init(&iter, item);
		while (rvtrace_insn_iter_next(&iter))
			check_insn(h, item, iter.address);
		break;
	case RVTRACE_FLOW_SYNC:
		if (!h->unknown || !(item->flags & RVTRACE_FLOW_FIRST))
			break;
		check(item->time > h->done);
		h->missing += item->time - 1 - h->done;
		h->done = item->time - 1;
		h->unknown = false;
		while (h->accesses_done < h->access_count &&
		       h->access_truth[h->accesses_done].insn < h->done)
			h->accesses_done++;
		break;
	case RVTRACE_FLOW_OVERFLOW:
		if (item->overflow.code == RVTRACE_NTRACE_ECODE_DATA)
			h->deaf = true;
		else
			h->unknown = true;
		break;
	case RVTRACE_FLOW_DATA:
		h->heard++;
		check(h->unknown || item->data.value == h->done);
		break;
	case RVTRACE_FLOW_ACCESS:
		wrong = hart_check_access(h, item);
		if (wrong)
			fail_msg("seed %llu hart %d: access %zu of %zu: %s",
				 (unsigned long long)seed, (int)(h - w->harts), h->accesses_done,
				 h->access_count, wrong);
		break;
	case RVTRACE_FLOW_ACCESSES_LOST:
		check(h->untold);
		break;
	default:
		check_intact(item);
	}
}

/* What packets say that no instruction shows. */
static void see_packets(struct world *w, const struct rvtrace_etrace_params *params)
{
	unsigned int before = params->srcid_width % 8 + params->type_width;
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;

	assert_int_equal(rvtrace_etrace_new(params, &reader), 0);
	assert_int_equal(rvtrace_etrace_feed(reader, w->stream, w->size), 0);
	while (rvtrace_etrace_next(reader, &packet) > 0) {
		const uint8_t *last = &packet.raw[packet.size - 1];

		if (packet.kind == RVTRACE_ETRACE_TE_INST) {
			w->seen.notify += packet.inst.is_notify;
			w->seen.updiscon += packet.inst.is_updiscon;
		}
		/* The bits behind whole bytes of payload are the sign, and not 0 */
		w->seen.padded += params->sign_padding && before % 8 && *last >> 7;
	}
	rvtrace_etrace_free(reader);
}

/* Return: how many instructions were lost. */
static size_t round_trip(unsigned int loss, unsigned int steps)
{
	struct world *w = world_new_etrace(seed, loss, steps);
	struct rvtrace_etrace_params params = etrace_decoder_params(&w->etrace);
	struct rvtrace_image *image = world_image(w);
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_flow *flow;
	const char *name, *why;
	size_t missing = 0;

	if (rvtrace_etrace_params_check(&params, &name, &why))
		fail_msg("seed %llu: %s %s", (unsigned long long)seed, name, why);
	rvtrace_flow_config_etrace(&params, &config);
	config.isa.zcmp = w->zcmp;
	config.trap_vector[0] = w->regions[USER1].base;
	config.trap_vector[1] = w->regions[KERNEL].base;
	config.trap_vector[3] = w->regions[FIRMWARE].base;
	assert_int_equal(rvtrace_flow_new(&config, image, &flow), 0);
	decode_pieces(w, flow, w->stream, w->size, false, check_item);
	decode_end(w, flow, check_item);
	see_packets(w, &params);
	world_count(w);
	for (unsigned int i = 0; i < HARTS; i++) {
		struct hart *h = &w->harts[i];

		if (h->unknown)
			h->missing += h->count - h->done;
		else
			check(h->done == h->count && h->accesses_done == h->access_count);
		check(h->heard == h->said || (loss && h->deaf && h->heard < h->said));
		missing += h->missing;
	}
	rvtrace_flow_free(flow);
	rvtrace_image_free(image);
	world_free(w);
	return missing;
}

/* Programs 1 to so many. Return: how many instructions were lost. */
static size_t round_trips(unsigned int full, unsigned int reduced, unsigned int loss,
			  unsigned int steps)
{
	size_t missing = 0;

	for_each_seed(world_programs(full, reduced))
		missing += round_trip(loss, steps);
	world_report(true);
	return missing;
}

static void every_retired_instruction_is_decoded(void **state)
{
	(void)state;
	assert_int_equal(round_trips(2000, 60, 0, STEPS), 0);
}

static void short_programs_decode(void **state)
{
	(void)state;
	assert_int_equal(round_trips(100000, 1500, 0, 500), 0);
}

static void what_is_missing_lies_in_reported_losses(void **state)
{
	(void)state;
	assert_true(round_trips(2000, 100, 100, STEPS / 4) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_retired_instruction_is_decoded),
		cmocka_unit_test(short_programs_decode),
		cmocka_unit_test(what_is_missing_lies_in_reported_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
