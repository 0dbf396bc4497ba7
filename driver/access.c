// SPDX-License-Identifier: GPL-2.0
/*
 * Access to registers and fields of a component.
 *
 * Software keeps what it wants every configuration field to be. A register is
 * always written from that, never read, modified and written: hardware may
 * clear teInstTracing and teEnable at any time and a stale copy would undo it. Where no lock can be
 * waited for, rvtrace_restart() and rvtrace_let_hart_go() are the exceptions.
 * Only bits that no field covers are carried over, before TCI 1.0: in that they are
 * written as 0 ("Versioning of Components").
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "access.h"
#include "field.h"
#include "filter.h"
#include "rvtrace.h"

static void access_lock(void *data) __acquires(&((struct rvtrace_component *)data)->access)
{
	struct rvtrace_component *c = data;
	unsigned long flags;

	local_irq_save(flags);
	might_lock(&c->access);
	/* Interrupts come in between: who has it may stand still for its trace, guard.c. */
	while (!raw_spin_trylock(&c->access)) {
		local_irq_restore(flags);
		cpu_relax();
		local_irq_save(flags);
	}
	c->access_flags = flags;
}

static void access_unlock(void *data) __releases(&((struct rvtrace_component *)data)->access)
{
	struct rvtrace_component *c = data;

	raw_spin_unlock_irqrestore(&c->access, c->access_flags);
}

/**
 * rvtrace_access_init() - let the registers of a component be accessed
 * @c: the component, of which nothing was accessed yet
 * @registers: its registers, mapped
 *
 * Return: 0; -ENOMEM
 */
int rvtrace_access_init(struct rvtrace_component *c, void __iomem *registers)
{
	struct regmap_config *const config = kmemdup(c->kind->regmap, sizeof(*config), GFP_KERNEL);

	if (!config)
		return -ENOMEM;
	/* With the lock of its own, no access sees what rvtrace_restart() has half done. */
	config->lock = access_lock;
	config->unlock = access_unlock;
	config->lock_arg = c;
	raw_spin_lock_init(&c->access);
	c->registers = registers;
	c->regmap = devm_regmap_init_mmio(c->parent, registers, config);
	kfree(config);
	return PTR_ERR_OR_ZERO(c->regmap);
}

/**
 * rvtrace_reset_status() - what happened counts no more
 * @c: a component that joins a session
 */
void rvtrace_reset_status(struct rvtrace_component *c)
{
	unsigned int id;

	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (rvtrace_lasting(id))
			c->wanted[id] = 0;
}

/* The block of a field is out of reset. Components that are a block have no bit for it. */
static bool access_is_released(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	enum rvtrace_field_id within = rvtrace_within(id);

	return !within || !c->kind->fields[within].mask || c->wanted[within];
}

/* A read cleared it. */
static void access_keep_status(struct rvtrace_component *c, enum rvtrace_field_id id, u32 reg)
{
	u32 value = rvtrace_field_of(c, id, reg);

	if (c->kind->fields[id].status == RVTRACE_COUNTED_UNTIL_READ)
		c->wanted[id] += min(value, U32_MAX - c->wanted[id]);
	else if (c->kind->fields[id].status == RVTRACE_CLEARED_BY_READ && value)
		c->wanted[id] = 1;
}

/* What the reading clears is remembered, but not what is there before it is configured. */
static int access_read(struct rvtrace_component *c, u16 reg, unsigned int *value)
{
	unsigned int id;
	int ret;

	ret = regmap_read(c->regmap, reg, value);
	if (ret || c->phase < RVTRACE_PHASE_CONFIGURED || !c->kind->precious ||
	    !c->kind->precious(reg))
		return ret;
	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (c->kind->fields[id].mask && c->kind->fields[id].reg == reg)
			access_keep_status(c, id, *value);
	return 0;
}

/**
 * rvtrace_get() - read a field from the hardware
 * @c: a component that is held
 * @id: the field, which the component has
 * @value: out; of a field that lasts, 1 also if it was that earlier in the session; of one
 *	that counts, how many in the session
 *
 * Return: 0 or the error of the access
 */
int rvtrace_get(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *value)
{
	const struct rvtrace_field *f = &c->kind->fields[id];
	unsigned int reg;
	int ret;

	ret = access_read(c, f->reg, &reg);
	if (ret)
		return ret;
	*value = rvtrace_field_of(c, id, reg);
	if (f->status == RVTRACE_COUNTED_UNTIL_READ)
		*value = c->wanted[id];
	else if (rvtrace_lasting(id))
		*value |= c->wanted[id];
	return 0;
}

static u32 access_status_image(const struct rvtrace_field *f, u32 now, bool clear)
{
	switch (f->status) {
	case RVTRACE_CLEARED_BY_0:
		return clear ? 0 : now & f->mask;
	case RVTRACE_CLEARED_BY_1:
		return clear ? f->mask : 0;
	default:
		return 0;
	}
}

/*
 * What a field is to read: of the inputs of a funnel, those it has no use for are off; an encoder
 * that lets its hart go does not stall it.
 */
static u32 access_intended(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	if ((id == RVTRACE_INST_STALL_EN || id == RVTRACE_DATA_STALL_ENABLE) &&
	    READ_ONCE(c->te.let_go))
		return 0;
	return c->wanted[id] | (id == RVTRACE_DIS_INPUT ? c->unrouted : 0);
}

/* A register as software wants it, see the head of this file. */
static int access_make_image(struct rvtrace_component *c, u16 reg, bool clear, u32 *made)
{
	u32 known = 0, image = 0;
	unsigned int now, id;
	int ret;

	ret = access_read(c, reg, &now);
	if (ret)
		return ret;
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		const struct rvtrace_field *f = &c->kind->fields[id];

		if (!f->mask || f->reg != reg)
			continue;
		known |= f->mask;
		if (rvtrace_lasting(id))
			image |= access_status_image(f, now, clear);
		else
			image |= (access_intended(c, id) << __ffs(f->mask)) & f->mask;
	}
	if (!c->kind->reserved_zero)
		image |= now & ~known;
	*made = image;
	return 0;
}

static int access_write(struct rvtrace_component *c, u16 reg, bool clear)
{
	u32 image;
	int ret;

	ret = access_make_image(c, reg, clear, &image);
	return ret ?: regmap_write(c->regmap, reg, image);
}

static int access_write_wanted(struct rvtrace_component *c, u16 reg)
{
	return access_write(c, reg, false);
}

/**
 * rvtrace_refused() - report that the hardware does not keep a value
 * @c: the component
 * @id: the field
 * @asked: what was written
 * @kept: what is read
 *
 * Return: -EINVAL
 */
int rvtrace_refused(struct rvtrace_component *c, enum rvtrace_field_id id, u32 asked, u32 kept)
{
	dev_err_ratelimited(&c->dev, "%s: asked for %u, hardware kept %u\n",
			    rvtrace_field_name(id), asked, kept);
	return -EINVAL;
}

/**
 * rvtrace_switch() - set or clear a control bit
 * @c: a component that is held
 * @id: the bit
 * @on: its new value
 *
 * Return: 0 or the error of the access
 */
int rvtrace_switch(struct rvtrace_component *c, enum rvtrace_field_id id, bool on)
{
	c->wanted[id] = on;
	return access_write_wanted(c, c->kind->fields[id].reg);
}

/* Bits of the control register of an encoder */
static u32 access_cleared_by_1(const struct rvtrace_field *fields, enum rvtrace_field_id id)
{
	return fields[id].reg == fields[RVTRACE_INST_TRACING].reg &&
	       fields[id].status == RVTRACE_CLEARED_BY_1 ? fields[id].mask : 0;
}

/**
 * rvtrace_restart() - stop and start tracing, which makes an encoder synchronize
 * @c: an encoder with power; nothing happens unless it traces now
 *
 * What a trigger, a pause or the end of a session has stopped stays so: who stops it waits for
 * the lock, or is seen here. Only what stops it between the two writes without software
 * (external triggers, a sink that is full) would be undone. While another hart accesses registers
 * of the encoder nothing happens: it may stand still for its trace, and this one has the lock of a
 * run queue.
 *
 * Context: any, with interrupts off. Waits for nothing.
 */
void rvtrace_restart(struct rvtrace_component *c)
{
	const struct rvtrace_field *f = c->kind->fields;
	u32 tracing = f[RVTRACE_INST_TRACING].mask;
	u32 all = tracing | f[RVTRACE_ENABLE].mask | f[RVTRACE_ACTIVE].mask;
	void __iomem *at = c->registers + f[RVTRACE_INST_TRACING].reg;
	u32 control;

	if (!raw_spin_trylock(&c->access))
		return;
	control = readl(at);
	if ((control & all) == all) {
		/* Statuses stay: those that a 0 clears are written as they read. */
		control &= ~access_cleared_by_1(f, RVTRACE_SINK_ERROR);
		control &= ~access_cleared_by_1(f, RVTRACE_INST_STALL_OR_OVERFLOW);
		/* Nothing but these is not traced. */
		writel_relaxed(control & ~tracing, at);
		writel(control, at);
	}
	raw_spin_unlock(&c->access);
}

/**
 * rvtrace_takes_trace() - whether a component is enabled, as its hardware says
 * @c: a component with power
 *
 * Context: any. Takes no lock.
 */
bool rvtrace_takes_trace(const struct rvtrace_component *c)
{
	const struct rvtrace_field *f = &c->kind->fields[RVTRACE_ENABLE];

	return readl(c->registers + f->reg) & f->mask;
}

/*
 * Switch two bits of a register off without a lock. Its statuses are not lost, but what a written 0
 * clears is if it is set in the meantime.
 */
static void access_switch_off(struct rvtrace_component *c, enum rvtrace_field_id tracing,
			      enum rvtrace_field_id stall)
{
	const struct rvtrace_field *fields = c->kind->fields;
	void __iomem *at = c->registers + fields[tracing].reg;
	u32 now = readl(at), image = now & ~(fields[tracing].mask | fields[stall].mask);
	unsigned int id;

	for (id = 0; id < RVTRACE_FIELDS; id++) {
		if (!fields[id].mask || fields[id].reg != fields[tracing].reg)
			continue;
		if (fields[id].status == RVTRACE_CLEARED_BY_1)
			image &= ~fields[id].mask;
		else
			access_keep_status(c, id, now);
	}
	writel(image, at);
}

/**
 * rvtrace_let_hart_go() - switch off tracing and stalls: no hart waits for its trace any more
 * @c: an encoder that is held, of a session that is about to end: what another hart writes to the
 *	same register at this moment may be undone. It stays so until it is put to reset
 *
 * A hart that waits may do so for what came before tracing is off (TCI 1.0, trTeInstStallEna).
 *
 * Context: any. Takes no lock.
 */
void rvtrace_let_hart_go(struct rvtrace_component *c)
{
	const struct rvtrace_field *active = &c->kind->fields[RVTRACE_ACTIVE];

	/* First: what else is written to these registers has no stalls from here on. */
	WRITE_ONCE(c->te.let_go, true);
	/* Without power for a moment it stalls nothing, and has no other register. */
	if (!(readl(c->registers + active->reg) & active->mask))
		return;
	access_switch_off(c, RVTRACE_INST_TRACING, RVTRACE_INST_STALL_EN);
	if (c->wanted[RVTRACE_DATA_IMPLEMENTED])
		access_switch_off(c, RVTRACE_DATA_TRACING, RVTRACE_DATA_STALL_ENABLE);
}

/**
 * rvtrace_activate() - begin to release a block of a component's page from reset
 * @c: a component that is held
 * @active: the field that does it
 *
 * Other fields of its register stay as they read, or 0 in TCI 1.0, where reserved bits are:
 * they are programmed when it reads 1 (TCI 0.9.4 chapter 12; tsControl of the P550).
 *
 * Return: 0 or the error of the access
 */
int rvtrace_activate(struct rvtrace_component *c, enum rvtrace_field_id active)
{
	const struct rvtrace_field *f = &c->kind->fields[active];

	c->wanted[active] = 1;
	if (c->kind->reserved_zero)
		return regmap_write(c->regmap, f->reg, f->mask);
	return regmap_update_bits(c->regmap, f->reg, f->mask, f->mask);
}

/**
 * rvtrace_image() - what rvtrace_update() would write
 * @c: a component that is held
 * @id: the field
 * @image: out: its register as software wants it
 *
 * Return: 0 or the error of the access
 */
int rvtrace_image(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *image)
{
	return access_make_image(c, c->kind->fields[id].reg, false, image);
}

/**
 * rvtrace_update() - write the register of a field as software wants it
 * @c: a component that is held
 * @id: the field
 *
 * Return: 0 or the error of the access
 */
int rvtrace_update(struct rvtrace_component *c, enum rvtrace_field_id id)
{
	return access_write_wanted(c, c->kind->fields[id].reg);
}

/* Software has a value for the field, and the hardware takes it now. */
static bool access_is_chosen(const struct rvtrace_component *c, enum rvtrace_field_id id)
{
	return rvtrace_has(c, id) && rvtrace_configurable(id) && access_is_released(c, id);
}

/**
 * rvtrace_verify() - read back one register: every configuration field must be as wanted
 * @c: a component that is held and not enabled
 * @reg: the register
 *
 * Return: 0; -EINVAL when hardware does not keep a value; an access error
 */
int rvtrace_verify(struct rvtrace_component *c, u16 reg)
{
	unsigned int id, now;
	u32 kept;
	int ret;

	ret = access_read(c, reg, &now);
	if (ret)
		return ret;
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		const struct rvtrace_field *f = &c->kind->fields[id];

		if (f->reg != reg || !access_is_chosen(c, id))
			continue;
		kept = rvtrace_field_of(c, id, now);
		if (kept != access_intended(c, id))
			return rvtrace_refused(c, id, access_intended(c, id), kept);
	}
	return 0;
}

/* What was counted before the component is configured is of no session. */
static int access_clear_counts(struct rvtrace_component *c)
{
	unsigned int id, reg;
	int ret;

	for (id = 0; id < RVTRACE_FIELDS; id++) {
		if (!rvtrace_has(c, id) ||
		    c->kind->fields[id].status != RVTRACE_COUNTED_UNTIL_READ)
			continue;
		ret = access_read(c, c->kind->fields[id].reg, &reg);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rvtrace_configure() - write every configuration field and verify it
 * @c: a component that is held and not enabled; what its hardware said of the last
 *	session is cleared
 *
 * Return: 0; -EINVAL when hardware does not keep a value; an access error
 */
int rvtrace_configure(struct rvtrace_component *c)
{
	DECLARE_BITMAP(written, RVTRACE_PAGE_SIZE / 4) = {};
	unsigned int id;
	int ret;

	/* What chooses among filters comes after them. */
	ret = rvtrace_units_configure(c);
	if (ret)
		return ret;
	for (id = 0; id < RVTRACE_FIELDS; id++) {
		u16 reg = c->kind->fields[id].reg;

		if (!access_is_chosen(c, id) || __test_and_set_bit(reg / 4, written))
			continue;
		ret = access_write(c, reg, true);
		if (ret)
			return ret;
		ret = rvtrace_verify(c, reg);
		if (ret)
			return ret;
	}
	return access_clear_counts(c);
}

/**
 * rvtrace_blank() - a component is about to come out of reset, with its registers as reset
 *	leaves them
 * @c: the component; the blocks of its page are in reset
 */
void rvtrace_blank(struct rvtrace_component *c)
{
	unsigned int id;

	for (id = 0; id < RVTRACE_FIELDS; id++)
		if (rvtrace_within(id) && !rvtrace_configurable(id))
			c->wanted[id] = 0;
	c->wanted[RVTRACE_ENABLE] = 0;
	c->wanted[RVTRACE_INST_TRACING] = 0;
	c->wanted[RVTRACE_DATA_TRACING] = 0;
	c->late = false;
	if (c->phase > RVTRACE_PHASE_HELD)
		c->phase = RVTRACE_PHASE_HELD;
}

/**
 * rvtrace_try() - what a field reads after a value was written
 * @c: a component that is held and not enabled
 * @id: the field, which the component has
 * @value: becomes what software wants
 * @kept: out
 *
 * Return: 0 or the error of the access
 */
int rvtrace_try(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value, u32 *kept)
{
	int ret;

	c->wanted[id] = value;
	ret = access_write_wanted(c, c->kind->fields[id].reg);
	return ret ?: rvtrace_get(c, id, kept);
}
