// SPDX-License-Identifier: GPL-2.0
/* IDs of bridges to CoreSight: each has its own, and what collides is refused. */
#include <kunit/test.h>

#include "../atb.h"
#include "../rvtrace.h"

#define BRIDGES	4

struct bridges {
	struct rvtrace_component c[BRIDGES];
};

static int setup(struct kunit *test)
{
	struct bridges *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	if (!b)
		return -ENOMEM;
	for (unsigned int i = 0; i < BRIDGES; i++) {
		b->c[i].kind = &rvtrace_atb_bridge_1_0;
		b->c[i].legal[RVTRACE_ATB_ID] = 0x7f;
	}
	test->priv = b;
	return 0;
}

static void teardown(struct kunit *test)
{
	struct bridges *b = test->priv;

	for (unsigned int i = 0; b && i < BRIDGES; i++) {
		rvtrace_atb_end(&b->c[i]);
		rvtrace_atb_free(&b->c[i]);
	}
}

static u32 id_of(const struct rvtrace_component *c)
{
	return c->wanted[RVTRACE_ATB_ID];
}

static void ids_differ(struct kunit *test)
{
	struct bridges *b = test->priv;

	/* Reset left the same in all of them, or nothing that the bus allows. */
	b->c[0].wanted[RVTRACE_ATB_ID] = 0x42;
	b->c[1].wanted[RVTRACE_ATB_ID] = 0x42;
	b->c[2].wanted[RVTRACE_ATB_ID] = 0x7f;
	for (unsigned int i = 0; i < BRIDGES; i++) {
		rvtrace_atb_choose(&b->c[i]);
		KUNIT_EXPECT_GE(test, id_of(&b->c[i]), RVTRACE_ATB_ID_MIN);
		KUNIT_EXPECT_LE(test, id_of(&b->c[i]), RVTRACE_ATB_ID_MAX);
		for (unsigned int other = 0; other < i; other++)
			KUNIT_EXPECT_NE(test, id_of(&b->c[i]), id_of(&b->c[other]));
	}
	for (unsigned int i = 0; i < BRIDGES; i++)
		KUNIT_EXPECT_EQ(test, rvtrace_atb_begin(&b->c[i]), 0);
}

static void id_that_is_wired_stays(struct kunit *test)
{
	struct bridges *b = test->priv;

	for (unsigned int i = 0; i < 2; i++) {
		b->c[i].legal[RVTRACE_ATB_ID] = 0;
		b->c[i].wanted[RVTRACE_ATB_ID] = 0x33;
		rvtrace_atb_choose(&b->c[i]);
		KUNIT_EXPECT_EQ(test, id_of(&b->c[i]), 0x33);
	}
}

static void id_that_another_sends_is_refused(struct kunit *test)
{
	struct bridges *b = test->priv;
	struct rvtrace_component *first = &b->c[0], *second = &b->c[1];

	rvtrace_atb_choose(first);
	rvtrace_atb_choose(second);
	second->wanted[RVTRACE_ATB_ID] = id_of(first);
	KUNIT_EXPECT_EQ(test, rvtrace_atb_begin(first), 0);
	KUNIT_EXPECT_EQ(test, rvtrace_atb_begin(first), 0);
	KUNIT_EXPECT_EQ(test, rvtrace_atb_begin(second), -EINVAL);
	KUNIT_EXPECT_EQ(test, id_of(second), id_of(first));
	rvtrace_atb_end(second);
	KUNIT_EXPECT_EQ(test, rvtrace_atb_begin(second), -EINVAL);
	rvtrace_atb_end(first);
	KUNIT_EXPECT_EQ(test, rvtrace_atb_begin(second), 0);
}

static void id_is_free_again(struct kunit *test)
{
	struct bridges *b = test->priv;
	u32 id;

	rvtrace_atb_choose(&b->c[0]);
	id = id_of(&b->c[0]);
	rvtrace_atb_free(&b->c[0]);
	b->c[1].wanted[RVTRACE_ATB_ID] = id;
	rvtrace_atb_choose(&b->c[1]);
	KUNIT_EXPECT_EQ(test, id_of(&b->c[1]), id);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ids_differ),
	KUNIT_CASE(id_that_is_wired_stays),
	KUNIT_CASE(id_that_another_sends_is_refused),
	KUNIT_CASE(id_is_free_again),
	{ }
};

static struct kunit_suite suite = {
	.name = "rvtrace-atb",
	.init = setup,
	.exit = teardown,
	.test_cases = cases,
};

kunit_test_suite(suite);
