// SPDX-License-Identifier: GPL-2.0
/*
 * IDs on ATB, the bus to CoreSight: what tells sources apart whose trace meets behind bridges.
 * Which of them meet is for CoreSight's part of the device tree to say, so all get different
 * ones: from CoreSight's allocator where the kernel has it, which gives them to Arm's sources
 * as well, else from one of our own.
 */
#include <linux/idr.h>

#include "atb.h"
#include "compat.h"
#include "discover.h"
#include "field.h"
#include "graph.h"
#include "rvtrace.h"
#include "setting.h"

/* Defaults of bridges, also those that come from CoreSight */
static DEFINE_IDA(atb_ids);

/* Who sends with each ID in a session [rvtrace_lock] */
static struct rvtrace_component *atb_senders[RVTRACE_ATB_ID_MAX + 1];

static bool atb_is_legal(u32 id)
{
	return id >= RVTRACE_ATB_ID_MIN && id <= RVTRACE_ATB_ID_MAX;
}

/* An ID from CoreSight, if the hardware keeps it. */
static bool atb_take_system_id(struct rvtrace_component *c)
{
	int id = rvtrace_coresight_get_id();

	if (id < 0)
		return false;
	if (!atb_is_legal(id) || !rvtrace_keeps(c, RVTRACE_ATB_ID, id) ||
	    ida_alloc_range(&atb_ids, id, id, GFP_KERNEL) < 0) {
		rvtrace_coresight_put_id(id);
		return false;
	}
	c->atb.id = id;
	c->atb.system = true;
	return true;
}

static bool atb_take_id(struct rvtrace_component *c, u32 id)
{
	if (!atb_is_legal(id) || !rvtrace_keeps(c, RVTRACE_ATB_ID, id) ||
	    ida_alloc_range(&atb_ids, id, id, GFP_KERNEL) < 0)
		return false;
	c->atb.id = id;
	return true;
}

/**
 * rvtrace_atb_choose() - choose the ID that a bridge has at first
 * @c: a component after discovery; one without a bridge is left alone
 *
 * What reset leaves stays if the bus does not reserve it and no other bridge has it, or if it
 * is wired.
 */
void rvtrace_atb_choose(struct rvtrace_component *c)
{
	u32 id = RVTRACE_ATB_ID_MIN;

	if (!rvtrace_has(c, RVTRACE_ATB_ID))
		return;
	if (!atb_take_system_id(c) && !atb_take_id(c, c->wanted[RVTRACE_ATB_ID]))
		while (id <= RVTRACE_ATB_ID_MAX && !atb_take_id(c, id))
			id++;
	if (c->atb.id)
		c->wanted[RVTRACE_ATB_ID] = c->atb.id;
}

/**
 * rvtrace_atb_free() - give back what rvtrace_atb_choose() took
 * @c: a component that goes
 */
void rvtrace_atb_free(struct rvtrace_component *c)
{
	if (c->atb.system)
		rvtrace_coresight_put_id(c->atb.id);
	if (c->atb.id)
		ida_free(&atb_ids, c->atb.id);
	c->atb.id = 0;
}

/* Trace goes through the component's bridge. */
static bool atb_sends(const struct rvtrace_component *c)
{
	return rvtrace_has(c, RVTRACE_ATB_ID) &&
	       (c->kind->role == RVTRACE_ATB_BRIDGE || rvtrace_sink_choice(c) == RVTRACE_SINK_ATB);
}

/**
 * rvtrace_atb_begin() - a bridge is about to send
 * @c: any component; nothing happens if it has no bridge in use, or it sends already
 *
 * Return: 0; -EINVAL when the bus reserves its ID, or another bridge sends with it
 */
int rvtrace_atb_begin(struct rvtrace_component *c)
{
	struct rvtrace_component **sender;
	int ret;

	if (!atb_sends(c))
		return 0;
	ret = rvtrace_check_atb_id(c, c->wanted[RVTRACE_ATB_ID]);
	if (ret)
		return ret;
	sender = &atb_senders[c->wanted[RVTRACE_ATB_ID]];
	if (*sender && *sender != c) {
		dev_err_ratelimited(&c->dev, "%s: %#x is the ID of %s\n",
				    rvtrace_field_name(RVTRACE_ATB_ID), c->wanted[RVTRACE_ATB_ID],
				    dev_name(&(*sender)->dev));
		return -EINVAL;
	}
	*sender = c;
	return 0;
}

/**
 * rvtrace_atb_end() - undo rvtrace_atb_begin()
 * @c: any component
 */
void rvtrace_atb_end(const struct rvtrace_component *c)
{
	u32 id = c->wanted[RVTRACE_ATB_ID];

	if (id <= RVTRACE_ATB_ID_MAX && atb_senders[id] == c)
		atb_senders[id] = NULL;
}
