// SPDX-License-Identifier: GPL-2.0
/*
 * The graph, over nodes of an overlay, and over the components that are bound when
 * the module is loaded.
 */
#include <kunit/of.h>
#include <kunit/test.h>

#include <linux/of.h>
#include <linux/platform_device.h>

#include "../core.h"
#include "../graph.h"
#include "../rvtrace.h"
#include "graph_test.h"

struct node {
	const char *name;
	const struct rvtrace_kind *kind;
	int error;
};

static const struct node nodes[] = {
	{ "encoder", &rvtrace_encoder_1_0 },
	{ "funnel", &rvtrace_funnel_1_0 },
	{ "sink", &rvtrace_ram_sink_1_0 },
	{ "encoder-alone", &rvtrace_encoder_0 },
	{ "encoder-alone", &rvtrace_encoder_0_9 },
	{ "encoder-alone", &rvtrace_encoder_1_0, -ENODEV },
	{ "encoder-to-nothing", &rvtrace_encoder_1_0, -ENODEV },
	{ "encoder-to-encoder", &rvtrace_encoder_1_0, -ENODEV },
	{ "encoder-to-stranger", &rvtrace_encoder_1_0, -ENODEV },
	{ "encoder-to-disabled", &rvtrace_encoder_1_0, -ENODEV },
	{ "funnel-to-three", &rvtrace_funnel_1_0 },
	{ "bridge", &rvtrace_atb_bridge_1_0 },
	{ "sink", &rvtrace_atb_bridge_1_0 },
	{ "funnel", &rvtrace_atb_bridge_1_0 },
	{ "funnel-without-input", &rvtrace_atb_bridge_1_0, -ENODEV },
	{ "funnel-to-itself", &rvtrace_atb_bridge_1_0, -ENODEV },
	{ "loop-a", &rvtrace_atb_bridge_1_0, -ENODEV },
	{ "funnel-to-coresight", &rvtrace_funnel_1_0 },
	{ "funnel-to-coresight", &rvtrace_encoder_1_0 },
	{ "funnel-to-coresight", &rvtrace_funnel_0_9, -ENODEV },
	{ "funnel-without-input", &rvtrace_funnel_1_0, -ENODEV },
	{ "sink-without-input", &rvtrace_ram_sink_1_0, -ENODEV },
	{ "funnel-to-itself", &rvtrace_funnel_1_0, -ENODEV },
	{ "encoder-to-loop", &rvtrace_encoder_1_0, -ENODEV },
	{ "loop-a", &rvtrace_funnel_1_0, -ENODEV },
	{ "loop-b", &rvtrace_funnel_1_0, -ENODEV },
	{ "chain_17", &rvtrace_encoder_1_0, -ENODEV },
	{ "chain_16", &rvtrace_funnel_1_0 },
	{ "chain_1", &rvtrace_ram_sink_1_0 },
};

/* A device that no bus has, with a node of the overlay. */
static struct device *device_of(struct kunit *test, const char *name)
{
	struct device *dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);
	char *path = kunit_kzalloc(test, 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, dev);
	KUNIT_ASSERT_NOT_NULL(test, path);
	snprintf(path, 64, "/rvtrace-kunit/%s", name);
	dev->init_name = name;
	dev->of_node = of_find_node_by_path(path);
	KUNIT_ASSERT_NOT_NULL(test, dev->of_node);
	of_node_put_kunit(test, dev->of_node);
	return dev;
}

static void nodes_are_checked(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
		KUNIT_EXPECT_EQ_MSG(test, nodes[i].error,
				    rvtrace_graph_check(device_of(test, nodes[i].name),
							nodes[i].kind),
				    "%s, %s", nodes[i].name, nodes[i].kind->generation);
}

/* A component that nobody else knows, in one node of the overlay. */
static struct rvtrace_component *component_of(struct kunit *test, const char *name,
					      const struct rvtrace_kind *kind)
{
	struct rvtrace_component *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->kind = kind;
	c->parent = device_of(test, name);
	return c;
}

static int path_of(struct rvtrace_component *c, unsigned int *length)
{
	struct rvtrace_component *path[RVTRACE_PATH_MAX];
	int ret;

	mutex_lock(&rvtrace_lock);
	ret = rvtrace_graph_path(c, false, path, length);
	mutex_unlock(&rvtrace_lock);
	return ret;
}

static void way_that_ends_early_is_no_path(struct kunit *test)
{
	struct rvtrace_component *c = component_of(test, "encoder", &rvtrace_encoder_1_0);
	unsigned int length;

	/* The funnel behind it has no driver. */
	KUNIT_EXPECT_TRUE(test, rvtrace_graph_has_output(c));
	KUNIT_EXPECT_EQ(test, path_of(c, &length), -ENODEV);
	c = component_of(test, "encoder-alone", &rvtrace_encoder_1_0);
	KUNIT_EXPECT_FALSE(test, rvtrace_graph_has_output(c));
	KUNIT_EXPECT_EQ(test, path_of(c, &length), -ENOLINK);
}

static void trace_goes_where_nothing_is_disabled(struct kunit *test)
{
	struct rvtrace_component *c = component_of(test, "funnel-to-three", &rvtrace_funnel_1_0);

	KUNIT_EXPECT_EQ(test, rvtrace_graph_outputs(c), 3);
	KUNIT_EXPECT_EQ(test, rvtrace_graph_first_output(c), 1);
	c = component_of(test, "encoder", &rvtrace_encoder_1_0);
	KUNIT_EXPECT_EQ(test, rvtrace_graph_first_output(c), 0);
	c = component_of(test, "sink", &rvtrace_ram_sink_1_0);
	KUNIT_EXPECT_EQ(test, rvtrace_graph_first_output(c), 0);
}

static void path_ends_at_the_sink_that_was_chosen(struct kunit *test)
{
	struct rvtrace_component *c = component_of(test, "encoder", &rvtrace_encoder_0_9);
	struct rvtrace_sink *sink = kunit_kzalloc(test, sizeof(*sink), GFP_KERNEL);
	unsigned int length = 0;

	KUNIT_ASSERT_NOT_NULL(test, sink);
	c->wanted[RVTRACE_SINK] = RVTRACE_SINK_PIB;
	KUNIT_EXPECT_EQ(test, path_of(c, &length), -ENODEV);
	c->sink = sink;
	KUNIT_EXPECT_EQ(test, path_of(c, &length), 0);
	KUNIT_EXPECT_EQ(test, length, 1);
	c->wanted[RVTRACE_SINK] = RVTRACE_SINK_SBA;
	KUNIT_EXPECT_EQ(test, path_of(c, &length), -ENODEV);
	sink->memory.dma = true;
	KUNIT_EXPECT_EQ(test, path_of(c, &length), 0);
	c->wanted[RVTRACE_SINK] = RVTRACE_SINK_FUNNEL;
	KUNIT_EXPECT_EQ(test, path_of(c, &length), -ENODEV);
}

static void only_sink_of_version_0_is_found(struct kunit *test)
{
	struct rvtrace_component *c = component_of(test, "encoder", &rvtrace_encoder_0);

	c->wanted[RVTRACE_HAS_PIB_SINK] = 1;
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_PIB);
	c->wanted[RVTRACE_HAS_SRAM_SINK] = 1;
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_SRAM);
	c->wanted[RVTRACE_HAS_SBA_SINK] = 1;
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_SBA);
	c->wanted[RVTRACE_HAS_FUNNEL_SINK] = 1;
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_FUNNEL);
	c->wanted[RVTRACE_SINK] = RVTRACE_SINK_SBA;
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_SBA);
}

static void component_that_is_a_sink_is_its_own_choice(struct kunit *test)
{
	struct rvtrace_component *c = component_of(test, "sink", &rvtrace_ram_sink_1_0);

	c->wanted[RVTRACE_RAM_MODE] = RVTRACE_RAM_MODE_SRAM;
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_SRAM);
	c->wanted[RVTRACE_RAM_MODE] = RVTRACE_RAM_MODE_SMEM;
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_SBA);
	c->kind = &rvtrace_pib_sink_1_0;
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_PIB);
	c->kind = &rvtrace_atb_bridge_1_0;
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_ATB);
	c->kind = &rvtrace_funnel_1_0;
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_FUNNEL);
}

static void trace_leaves_where_nothing_of_ours_is(struct kunit *test)
{
	struct rvtrace_component *c = component_of(test, "bridge", &rvtrace_atb_bridge_1_0);

	KUNIT_EXPECT_TRUE(test, rvtrace_can_leave(c));
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_ATB);
	c = component_of(test, "sink", &rvtrace_atb_bridge_1_0);
	KUNIT_EXPECT_TRUE(test, rvtrace_can_leave(c));
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_ATB);
	c = component_of(test, "funnel", &rvtrace_atb_bridge_1_0);
	KUNIT_EXPECT_FALSE(test, rvtrace_can_leave(c));
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_FUNNEL);
	c = component_of(test, "funnel-to-coresight", &rvtrace_funnel_1_0);
	KUNIT_EXPECT_TRUE(test, rvtrace_can_leave(c));
	KUNIT_EXPECT_EQ(test, rvtrace_sink_choice(c), RVTRACE_SINK_ATB);
	c = component_of(test, "funnel", &rvtrace_funnel_1_0);
	KUNIT_EXPECT_FALSE(test, rvtrace_can_leave(c));
}

/* What the device tree of this machine says. */
static int check_live(struct rvtrace_component *encoder, void *data)
{
	struct rvtrace_component *path[RVTRACE_PATH_MAX], *found = NULL;
	struct kunit *test = data;
	unsigned int n, i, j;
	int ret;

	ret = rvtrace_graph_path(encoder, true, path, &n);
	KUNIT_EXPECT_EQ(test, ret, 0);
	if (ret)
		return 0;
	KUNIT_EXPECT_PTR_EQ(test, path[0], encoder);
	KUNIT_EXPECT_NOT_NULL(test, path[n - 1]->sink);
	for (i = 0; i < n; i++) {
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_PTR_NE(test, path[i], path[j]);
		KUNIT_EXPECT_TRUE(test, !i || path[i]->kind->role != RVTRACE_ENCODER);
		KUNIT_EXPECT_EQ(test, rvtrace_find(path[i]->parent->of_node, &found), 0);
		KUNIT_EXPECT_PTR_EQ(test, found, path[i]);
	}
	return 0;
}

static void encoders_of_this_machine_have_paths(struct kunit *test)
{
	mutex_lock(&rvtrace_lock);
	rvtrace_walk_encoders(check_live, test);
	mutex_unlock(&rvtrace_lock);
}

static int overlay;

/* Once: each node and property is compared with every other one. */
static int apply_overlay(struct kunit_suite *suite)
{
	u32 size = __dtbo_graph_test_end - __dtbo_graph_test_begin;

	return of_overlay_fdt_apply(__dtbo_graph_test_begin, size, &overlay, NULL);
}

static void remove_overlay(struct kunit_suite *suite)
{
	of_overlay_remove(&overlay);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(nodes_are_checked),
	KUNIT_CASE(way_that_ends_early_is_no_path),
	KUNIT_CASE(trace_goes_where_nothing_is_disabled),
	KUNIT_CASE(path_ends_at_the_sink_that_was_chosen),
	KUNIT_CASE(only_sink_of_version_0_is_found),
	KUNIT_CASE(component_that_is_a_sink_is_its_own_choice),
	KUNIT_CASE(trace_leaves_where_nothing_of_ours_is),
	KUNIT_CASE(encoders_of_this_machine_have_paths),
	{ }
};

static struct kunit_suite suite = {
	.name = "rvtrace-graph",
	.suite_init = apply_overlay,
	.suite_exit = remove_overlay,
	.test_cases = cases,
};

kunit_test_suite(suite);
