// SPDX-License-Identifier: GPL-2.0
/* Source ids of encoders that share a sink: which there are, what they can be, who gets which. */
#include <kunit/test.h>

#include "../rvtrace.h"
#include "../source.h"

#define ENCODERS	20

struct sources {
	struct rvtrace_component encoders[ENCODERS];
	struct list_head joining;
	struct list_head live;
	unsigned int count;
};

static int setup(struct kunit *test)
{
	struct sources *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	if (!s)
		return -ENOMEM;
	INIT_LIST_HEAD(&s->joining);
	INIT_LIST_HEAD(&s->live);
	test->priv = s;
	return 0;
}

/* One that can have any id, of 1 to 12 bits. */
static struct rvtrace_component *add(struct sources *s, u32 id, u32 bits)
{
	struct rvtrace_component *c = &s->encoders[s->count++];

	c->kind = &rvtrace_encoder_1_0;
	c->wanted[RVTRACE_SRC_ID] = id;
	c->legal[RVTRACE_SRC_ID] = 0xfff;
	c->wanted[RVTRACE_SRC_BITS] = bits;
	c->legal[RVTRACE_SRC_BITS] = 0x1ffe;
	list_add_tail(&c->stage, &s->joining);
	return c;
}

/* One whose id is wired. */
static struct rvtrace_component *add_fixed(struct sources *s, u32 id, u32 bits)
{
	struct rvtrace_component *c = add(s, id, bits);

	c->legal[RVTRACE_SRC_ID] = 0;
	return c;
}

static int choose(struct sources *s)
{
	return rvtrace_sources_choose(&s->joining, &s->live);
}

/* Those that were chosen for trace; who comes then joins them. */
static void trace(struct kunit *test, struct sources *s)
{
	KUNIT_ASSERT_EQ(test, choose(s), 0);
	list_splice_tail_init(&s->joining, &s->live);
}

static void has(struct kunit *test, const struct rvtrace_component *c, u32 id, u32 bits)
{
	KUNIT_EXPECT_EQ(test, c->wanted[RVTRACE_SRC_ID], id);
	KUNIT_EXPECT_EQ(test, c->wanted[RVTRACE_SRC_BITS], bits);
}

/* All of them trace, and a decoder can tell whose a message is. */
static void are_told_apart(struct kunit *test, struct sources *s)
{
	for (unsigned int i = 0; i < s->count; i++) {
		const u32 *wanted = s->encoders[i].wanted;

		KUNIT_EXPECT_EQ(test, wanted[RVTRACE_SRC_BITS],
				s->encoders[0].wanted[RVTRACE_SRC_BITS]);
		KUNIT_EXPECT_EQ(test, wanted[RVTRACE_SRC_ID] >> wanted[RVTRACE_SRC_BITS], 0);
		for (unsigned int other = 0; other < i; other++)
			KUNIT_EXPECT_NE(test, wanted[RVTRACE_SRC_ID],
					s->encoders[other].wanted[RVTRACE_SRC_ID]);
	}
}

static void ids_that_differ_stay(struct kunit *test)
{
	struct sources *s = test->priv;
	struct rvtrace_component *a = add(s, 7, 4), *b = add(s, 3, 4);

	trace(test, s);
	has(test, a, 7, 4);
	has(test, b, 3, 4);
}

static void who_is_alone_needs_none(struct kunit *test)
{
	struct sources *s = test->priv;
	struct rvtrace_component *c = add(s, 5, 0);

	trace(test, s);
	has(test, c, 5, 0);
}

static void who_sends_none_shares_no_sink(struct kunit *test)
{
	struct sources *s = test->priv;
	struct rvtrace_component *a = add(s, 0, 4), *b = add(s, 1, 4);

	a->wanted[RVTRACE_INHIBIT_SRC] = 1;
	KUNIT_EXPECT_EQ(test, choose(s), -EINVAL);
	list_del(&b->stage);
	trace(test, s);
	list_add_tail(&b->stage, &s->joining);
	KUNIT_EXPECT_EQ(test, choose(s), -EINVAL);
}

static void all_have_one_width(struct kunit *test)
{
	struct sources *s = test->priv;

	add(s, 0, 4);
	add(s, 1, 2);
	add(s, 6, 7);
	trace(test, s);
	are_told_apart(test, s);
	KUNIT_EXPECT_EQ(test, s->encoders[0].wanted[RVTRACE_SRC_BITS], 2);
}

static void width_is_one_that_all_can_have(struct kunit *test)
{
	struct sources *s = test->priv;
	struct rvtrace_component *fixed;

	add(s, 0, 4);
	fixed = add(s, 1, 3);
	fixed->legal[RVTRACE_SRC_BITS] = BIT(3);
	trace(test, s);
	has(test, fixed, 1, 3);
	are_told_apart(test, s);
}

static void widths_that_differ_are_refused(struct kunit *test)
{
	struct sources *s = test->priv;
	struct rvtrace_component *a = add(s, 0, 3), *b = add(s, 0, 4);

	a->legal[RVTRACE_SRC_BITS] = BIT(3);
	b->legal[RVTRACE_SRC_BITS] = BIT(4);
	KUNIT_EXPECT_EQ(test, choose(s), -EINVAL);
	rvtrace_sources_undo(&s->joining);
	has(test, a, 0, 3);
	has(test, b, 0, 4);
}

static void who_comes_later_takes_the_width_there_is(struct kunit *test)
{
	struct sources *s = test->priv;
	struct rvtrace_component *late;

	add(s, 0, 2);
	trace(test, s);
	late = add(s, 0, 4);
	trace(test, s);
	has(test, late, 1, 2);
	late = add(s, 0, 3);
	late->legal[RVTRACE_SRC_BITS] = BIT(3);
	KUNIT_EXPECT_EQ(test, choose(s), -EINVAL);
	rvtrace_sources_undo(&s->joining);
	has(test, late, 0, 3);
}

/* It would be sent without its upper bits. */
static void id_that_does_not_fit_is_changed(struct kunit *test)
{
	struct sources *s = test->priv;

	add(s, 5, 2);
	trace(test, s);
	add(s, 1, 2);
	trace(test, s);
	are_told_apart(test, s);
}

static void ids_are_as_wide_as_a_fixed_one_needs(struct kunit *test)
{
	struct sources *s = test->priv;
	struct rvtrace_component *fixed = add_fixed(s, 20, 4);

	add(s, 0, 4);
	trace(test, s);
	has(test, fixed, 20, 5);
	are_told_apart(test, s);
}

static void more_encoders_than_ids_get_wider_ones(struct kunit *test)
{
	struct sources *s = test->priv;

	for (unsigned int i = 0; i < ENCODERS; i++)
		add(s, 0, 4);
	trace(test, s);
	are_told_apart(test, s);
	KUNIT_EXPECT_EQ(test, s->encoders[0].wanted[RVTRACE_SRC_BITS], 5);
}

/* Whichever comes first, the other moves. */
static void fixed_id_has_precedence(struct kunit *test)
{
	struct sources *s = test->priv;
	struct rvtrace_component *first = add_fixed(s, 0, 4), *last;

	add(s, 0, 4);
	add(s, 1, 4);
	last = add_fixed(s, 1, 4);
	trace(test, s);
	has(test, first, 0, 4);
	has(test, last, 1, 4);
	are_told_apart(test, s);
}

static void fixed_ids_that_are_the_same_are_refused(struct kunit *test)
{
	struct sources *s = test->priv;
	struct rvtrace_component *a = add(s, 2, 4), *b = add_fixed(s, 2, 4);
	struct rvtrace_component *c = add_fixed(s, 2, 4);

	KUNIT_EXPECT_EQ(test, choose(s), -EINVAL);
	rvtrace_sources_undo(&s->joining);
	has(test, a, 2, 4);
	has(test, b, 2, 4);
	has(test, c, 2, 4);
}

/* Of an id like 0bxxx1 only others that are odd are chosen. */
static void bits_that_are_wired_stay(struct kunit *test)
{
	struct sources *s = test->priv;
	struct rvtrace_component *c;

	add_fixed(s, 1, 4);
	c = add(s, 1, 4);
	c->legal[RVTRACE_SRC_ID] = 0xe;
	trace(test, s);
	has(test, c, 3, 4);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ids_that_differ_stay),
	KUNIT_CASE(who_is_alone_needs_none),
	KUNIT_CASE(who_sends_none_shares_no_sink),
	KUNIT_CASE(all_have_one_width),
	KUNIT_CASE(width_is_one_that_all_can_have),
	KUNIT_CASE(widths_that_differ_are_refused),
	KUNIT_CASE(who_comes_later_takes_the_width_there_is),
	KUNIT_CASE(id_that_does_not_fit_is_changed),
	KUNIT_CASE(ids_are_as_wide_as_a_fixed_one_needs),
	KUNIT_CASE(more_encoders_than_ids_get_wider_ones),
	KUNIT_CASE(fixed_id_has_precedence),
	KUNIT_CASE(fixed_ids_that_are_the_same_are_refused),
	KUNIT_CASE(bits_that_are_wired_stay),
	{ }
};

static struct kunit_suite suite = {
	.name = "rvtrace-source",
	.init = setup,
	.test_cases = cases,
};

kunit_test_suite(suite);
