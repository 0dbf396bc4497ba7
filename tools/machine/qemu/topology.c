// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which components a board has, and how they are connected.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/rvtrace/topology.h"
#include "tools/machine/model/fields.h"
#include "tools/machine/model/generation.h"

#define MAX_HARTS	8	/* spare encoders come after them */
#define INPUTS		16	/* of a funnel */

/* The first page of a kind, counted from RVTraceBoard.base */
static const uint32_t pages[RVTRACE_KINDS] = {
	[RVTRACE_KIND_ENCODER] = 0x000,
	[RVTRACE_KIND_FUNNEL] = 0x100,
	[RVTRACE_KIND_RAM_SINK] = 0x140,
	[RVTRACE_KIND_PIB_SINK] = 0x160,
	[RVTRACE_KIND_ATB_BRIDGE] = 0x180,
	[RVTRACE_KIND_STM] = 0x1c0,
};

const char *const rvtrace_topology_names[RVTRACE_TOPOLOGIES] = {
	[RVTRACE_FLAT] = "flat",
	[RVTRACE_NESTED] = "nested",
	[RVTRACE_MIXED] = "mixed",
	[RVTRACE_MANY] = "many",
};

/* What is being built */
struct builder {
	const RVTraceBoard *board;
	GArray *nodes;
};

static bool has_own_pages(const struct builder *b)
{
	return generation_of(b->board->generation)->own_pages;
}

static RVTraceComponent *new(const struct builder *b, const char *type,
			     uint32_t index)
{
	RVTraceComponent *c = RVTRACE_COMPONENT(qdev_new(type));
	enum rvtrace_kind kind = RVTRACE_COMPONENT_GET_CLASS(c)->kind;

	c->index = index;
	c->base = b->board->base + (pages[kind] + index) * RVTRACE_PAGE;
	return c;
}

/* From here on it is where it is. */
static RVTraceNode *add(const struct builder *b, RVTraceComponent *c,
			bool memory)
{
	RVTraceNode node = { .c = c, .hart = -1, .memory = memory };

	sysbus_realize_and_unref(SYS_BUS_DEVICE(c), &error_fatal);
	g_array_append_val(b->nodes, node);
	return &g_array_index(b->nodes, RVTraceNode, b->nodes->len - 1);
}

/* A dot would end the name of a device for -global. */
static char *type_of(const struct builder *b, const char *kind)
{
	const char *generation = generation_of(b->board->generation)->name;

	return g_strdelimit(g_strdup_printf("%s-%s", kind, generation), ".",
			    '-');
}

/* @sinks: of version 0 and 0.9; 0: as the properties say */
static RVTraceNode *funnel(const struct builder *b, uint32_t index,
			   uint32_t sinks)
{
	g_autofree char *type = type_of(b, TYPE_RVTRACE_FUNNEL);
	RVTraceComponent *c = new(b, type, index);
	struct tf_config *config = &RVTRACE_FUNNEL(c)->config;

	if (sinks && !has_own_pages(b)) {
		config->sinks = sinks;
	}
	return add(b, c, config->sinks & SINK_MEMORY);
}

/* @hart: that answers; a @spare sees nothing of it */
static RVTraceNode *encoder(const struct builder *b, uint32_t index, int hart,
			    bool spare, uint32_t sinks)
{
	g_autofree char *type = type_of(b, TYPE_RVTRACE_ENCODER);
	RVTraceComponent *c = new(b, type, index);
	RVTraceEncoder *e = RVTRACE_ENCODER(c);
	RVTraceNode *node;

	e->cpu = RISCV_CPU(qemu_get_cpu(hart));
	e->spare = spare;
	e->config.src_id = index;
	e->config.hart_id = hart;
	if (sinks && !has_own_pages(b)) {
		e->config.sinks = sinks;
		e->config.stop_on_wrap = true;
	}
	node = add(b, c, e->config.sinks & SINK_MEMORY);
	node->hart = spare ? -1 : hart;
	return node;
}

static RVTraceComponent *ram_sink(const struct builder *b, uint32_t index,
				  uint32_t modes)
{
	RVTraceComponent *c = new(b, TYPE_RVTRACE_RAM_SINK, index);
	struct sink_config *config = &RVTRACE_SINK(c)->config;

	if (modes) {
		config->ram_modes = modes;
	}
	return add(b, c, config->ram_modes & RAMSINK_SMEM)->c;
}

static RVTraceComponent *other_sink(const struct builder *b, const char *type)
{
	return add(b, new(b, type, 0), false)->c;
}

/* Funnel 0 with the sink in its page, or with one behind it. */
static RVTraceComponent *root(const struct builder *b, uint32_t sinks)
{
	RVTraceComponent *c = funnel(b, 0, sinks)->c;

	if (has_own_pages(b)) {
		rvtrace_connect(c, ram_sink(b, 0, 0), 0);
	}
	return c;
}

/* A funnel that leads to another one. */
static RVTraceComponent *branch(const struct builder *b, uint32_t index,
				RVTraceComponent *to, uint32_t input)
{
	RVTraceComponent *c = funnel(b, index, SINK_FUNNEL)->c;

	rvtrace_connect(c, to, input);
	return c;
}

static void build_spares(const struct builder *b, RVTraceComponent *to)
{
	RVTraceComponent *c;
	RVTraceNode *node;
	unsigned int i;

	for (i = 0; i < b->board->spares; i++) {
		node = funnel(b, 1 + i, 0);
		node->hidden = true;
		c = node->c;
		rvtrace_connect(c, to, MAX_HARTS + i);
		node = encoder(b, MAX_HARTS + i, 0, true, 0);
		node->hidden = true;
		rvtrace_connect(node->c, c, 0);
	}
}

static void build_flat(const struct builder *b)
{
	RVTraceComponent *to = root(b, 0);
	unsigned int i;

	for (i = 0; i < b->board->harts; i++) {
		rvtrace_connect(encoder(b, i, i, false, 0)->c, to, i);
	}
	build_spares(b, to);
}

/* Funnel 1 is one level below funnel 0, funnel 3 two: 3 -> 2 -> 0 */
static void build_nested(const struct builder *b)
{
	RVTraceComponent *to = root(b, SINK_MEMORY), *leaves[2];
	unsigned int i;

	leaves[0] = branch(b, 1, to, 0);
	leaves[1] = branch(b, 3, branch(b, 2, to, 1), 0);
	for (i = 0; i < b->board->harts; i++) {
		rvtrace_connect(encoder(b, i, i, false, 0)->c, leaves[i % 2],
				i / 2);
	}
}

/* Every sink there is, and encoders that have one to themselves */
static void build_mixed(const struct builder *b)
{
	RVTraceComponent *to = root(b, SINK_RAM | SINK_PIB | SINK_ATB);
	RVTraceComponent *leaf = branch(b, 1, to, 0), *c;
	unsigned int i;

	if (has_own_pages(b)) {
		rvtrace_connect(to, other_sink(b, TYPE_RVTRACE_PIB_SINK), 0);
		rvtrace_connect(to, other_sink(b, TYPE_RVTRACE_ATB_BRIDGE), 0);
	}
	for (i = 0; i < b->board->harts; i++) {
		c = encoder(b, i, i, false, SINK_SRAM | SINK_FUNNEL)->c;
		rvtrace_connect(c, i % 2 ? leaf : to, i % 2 ? i / 2 : 1 + i / 2);
		if (has_own_pages(b)) {
			rvtrace_connect(c, ram_sink(b, 1 + i, RAMSINK_SRAM), 0);
		}
	}
}

/* More encoders than harts */
static void build_many(const struct builder *b)
{
	RVTraceComponent *to = root(b, SINK_MEMORY), *leaves[RVTRACE_MAX_MANY / INPUTS];
	unsigned int count = b->board->encoders, i;

	for (i = 0; i * INPUTS < count; i++) {
		leaves[i] = branch(b, 1 + i, to, i);
	}
	for (i = 0; i < count; i++) {
		bool spare = i >= b->board->harts;

		rvtrace_connect(encoder(b, i, spare ? 0 : i, spare, 0)->c,
				leaves[i / INPUTS], i % INPUTS);
	}
}

/* They lead nowhere. */
static void build_stms(const struct builder *b)
{
	RVTraceComponent *c;
	unsigned int i;

	for (i = 0; i < b->board->harts; i++) {
		c = new(b, TYPE_RVTRACE_STM, i);
		RVTRACE_STM(c)->cpu = RISCV_CPU(qemu_get_cpu(i));
		/* Whoever reads packets takes it for the hart. */
		RVTRACE_STM(c)->config.address = i;
		add(b, c, true)->hart = i;
	}
}

static gint by_address(gconstpointer a, gconstpointer b)
{
	const RVTraceNode *left = a, *right = b;

	return left->c->base < right->c->base ? -1 : 1;
}

static bool check(const RVTraceBoard *board, Error **errp)
{
	if (board->harts > MAX_HARTS) {
		error_setg(errp, "trace=on supports at most %d harts",
			   MAX_HARTS);
		return false;
	}
	if (board->spares && board->topology != RVTRACE_FLAT) {
		error_setg(errp, "trace-spare needs trace-topology=flat");
		return false;
	}
	if (board->topology == RVTRACE_MANY &&
	    reg_largest(generation_of(board->generation)->encoder,
			TE_SRC_ID) < RVTRACE_MAX_MANY) {
		error_setg(errp, "trace-topology=many: this generation has no "
			   "room for %d source ids", RVTRACE_MAX_MANY);
		return false;
	}
	return true;
}

GArray *rvtrace_topology_build(const RVTraceBoard *board, Error **errp)
{
	static void (*const builders[])(const struct builder *b) = {
		[RVTRACE_FLAT] = build_flat,
		[RVTRACE_NESTED] = build_nested,
		[RVTRACE_MIXED] = build_mixed,
		[RVTRACE_MANY] = build_many,
	};
	struct builder b = { .board = board };

	if (!check(board, errp)) {
		return NULL;
	}
	b.nodes = g_array_new(false, false, sizeof(RVTraceNode));
	builders[board->topology](&b);
	if (board->stm) {
		build_stms(&b);
	}
	g_array_sort(b.nodes, by_address);
	return b.nodes;
}
