// SPDX-License-Identifier: GPL-2.0
/* Random programs, see random-program.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random-program.h"

uint64_t rnd(struct world *w, uint64_t below)
{
	uint64_t z = w->random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % below;
}

bool world_emit(void *opaque, const uint8_t *message, size_t size)
{
	struct world *w = opaque;

	if (w->loss && !w->refuse && !rnd(w, w->loss))
		w->refuse = 1 + rnd(w, 20);
	if (w->refuse) {
		w->refuse--;
		return false;
	}
	if (w->size + size + 1 > w->room) {
		w->room = w->room ? w->room * 2 : 65536;
		w->stream = realloc(w->stream, w->room);
		assert_non_null(w->stream);
	}
	memcpy(w->stream + w->size, message, size);
	w->size += size;
	if (!rnd(w, 50)) {
		w->stream[w->size++] = w->is_etrace ? 0 : 0xff;
		w->seen.idle++;
	}
	return true;
}

void world_random_filter(struct world *w)
{
	w->params.filter_machine = !rnd(w, 3);
	w->filter = rnd(w, 2) ? FILTER_NONE : rnd(w, 2) ? FILTER_TIME : FILTER_ADDRESS;
	w->filter_bit = 4ull << rnd(w, 8);
	w->notify = 1 + rnd(w, rnd(w, 2) ? 4 : 200);
	w->request = rnd(w, 2) ? 1 + rnd(w, rnd(w, 2) ? 10 : 200) : 0;
}

void world_random_sources(struct world *w, unsigned int bits)
{
	w->hart_count = bits ? HARTS : 1;
	w->sources[0] = rnd(w, 1ull << bits);
	do
		w->sources[1] = rnd(w, 1ull << bits);
	while (bits && w->sources[1] == w->sources[0]);
}

static void run(struct world *w)
{
	for (unsigned int i = 0; i < w->hart_count; i++) {
		struct hart *h = &w->harts[i];

		h->world = w;
		h->truth = calloc(w->steps, sizeof(*h->truth));
		assert_non_null(h->truth);
		hart_begin(h, w->sources[i]);
	}
	for (unsigned int i = 0; i < w->steps; i++)
		hart_step(&w->harts[rnd(w, w->hart_count)]);
	w->loss = 0;
	w->refuse = 0;
	for (unsigned int i = 0; i < w->hart_count; i++)
		hart_end(&w->harts[i]);
}

static void add_region(const struct world *w, struct rvtrace_image *image, const struct region *r)
{
	static const unsigned int privs[] = { RVTRACE_PRIV_U, RVTRACE_PRIV_S, 0, RVTRACE_PRIV_M };
	const struct insn *last = &r->insns[w->insns - 1];
	size_t size = last->offset + last->size;

	/* in two pieces that may meet in the middle of an instruction */
	for (unsigned int half = 0; half < 2; half++) {
		size_t offset = half ? size / 4 * 2 : 0;
		struct rvtrace_mapping mapping = {
			.size = UINT64_MAX,
			.address = r->base + offset,
			.space = r->space,
			.privs = privs[r->priv],
		};
		struct rvtrace_code *code;

		assert_int_equal(rvtrace_code_from_memory(r->code + offset,
							  half ? size - offset : size / 4 * 2,
							  "test", &code), 0);
		mapping.code = code;
		assert_int_equal(rvtrace_image_map(image, &mapping), 0);
		rvtrace_code_unref(code);
	}
}

/* Small programs come to the same places again and again. */
static struct world *new_world(uint64_t seed, unsigned int loss, bool is_etrace)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->random = seed;
	w->xlen = rnd(w, 2) ? 64 : 32;
	w->address_width = w->xlen;
	w->hart_count = HARTS;
	w->sources[1] = 1;
	w->insns = rnd(w, 2) ? INSNS : INSNS_MIN + rnd(w, rnd(w, 2) ? 8 : 60);
	w->regular = rnd(w, 2);
	w->loss = loss;
	w->loss_possible = loss;
	w->is_etrace = is_etrace;
	return w;
}

static struct world *new_ntrace(uint64_t seed, unsigned int loss, unsigned int steps, bool timed,
				bool has_mode)
{
	struct world *w = new_world(seed, loss, false);

	w->steps = steps;
	w->has_mode = has_mode;
	world_random_filter(w);
	world_random_ntrace(w, timed || loss);
	world_make_code(w);
	run(w);
	return w;
}

struct world *world_new(uint64_t seed, unsigned int loss, unsigned int steps, bool timed)
{
	return new_ntrace(seed, loss, steps, timed, false);
}

struct world *world_new_mode(uint64_t seed, unsigned int loss, unsigned int steps)
{
	return new_ntrace(seed, loss, steps, false, true);
}

struct world *world_new_etrace(uint64_t seed, unsigned int loss, unsigned int steps)
{
	struct world *w = new_world(seed, loss, true);

	w->steps = steps;
	world_random_filter(w);
	world_random_etrace(w);
	world_make_code(w);
	run(w);
	return w;
}

struct world *world_new_port(uint64_t seed, unsigned int steps, const struct etrace_params *params,
			     bool filter_machine, const struct world_port *port, void *opaque)
{
	struct world *w = new_world(seed, 0, true);

	w->xlen = params->iaddress_width;
	w->address_width = w->xlen;
	w->insns = INSNS;
	w->regular &= !filter_machine;	/* it could run there all the time */
	w->steps = steps;
	world_make_code(w);
	w->etrace = *params;
	w->params.filter_machine = filter_machine;
	w->notify = 100;
	w->time_base = 0;
	w->single = port->single;
	w->port = port;
	w->opaque = opaque;
	run(w);
	return w;
}

void world_free(struct world *w)
{
	for (unsigned int i = 0; i < HARTS; i++) {
		free(w->harts[i].truth);
		free(w->harts[i].access_truth);
	}
	free(w->stream);
	free(w);
}

struct rvtrace_image *world_image(const struct world *w)
{
	struct rvtrace_image *image = rvtrace_image_new();

	assert_non_null(image);
	for (unsigned int i = 0; i < REGIONS; i++) {
		struct region r = w->regions[i];

		/* Without contexts there is one address space. */
		if (w->is_etrace && w->etrace.nocontext && r.space != RVTRACE_SPACE_ANY) {
			r.hidden = r.space;
			r.space = RVTRACE_SPACE_ANY;
		}
		if (!r.hidden)
			add_region(w, image, &r);
	}
	return image;
}
