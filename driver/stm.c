// SPDX-License-Identifier: GPL-2.0
/*
 * Software trace for the kernel's STM class: what its sources (consoles, ftrace, programs)
 * write becomes events of the hart that they run on. How is in linux/rvtrace.h.
 */
#include <linux/bitfield.h>
#include <linux/cpumask.h>
#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/stm.h>
#include <linux/string.h>

#include "csr.h"
#include "discover.h"
#include "rvtrace.h"
#include "stm.h"

/* Those whose encoders have a port; the number of the CSR is part of the instruction. */
static struct cpumask stm_harts;

/* Of others: a stimulus register, while the encoder traces and has power */
static DEFINE_PER_CPU(void __iomem *, stm_stimulus);

/* As rvtrace/stm.h has it. */
static notrace void stm_write_stimulus(void __iomem *at, u16 id, u64 value)
{
	writel(lower_32_bits(value), at);
	if (IS_ENABLED(CONFIG_64BIT))
		writel(upper_32_bits(value), at);
	writew(id, at + 4 * RVTRACE_ITC_TIMESTAMPED + 2);
}

/*
 * -ENODEV on a hart whose encoder has no port, and has no stimulus registers or does not
 * trace. What an interrupt handler writes does not come between the words of what it interrupts.
 */
static notrace int stm_write_event(u16 id, u64 value)
{
	unsigned long flags;
	void __iomem *at;
	int ret = 0;

	raw_local_irq_save(flags);
	at = __this_cpu_read(stm_stimulus);
	if (cpumask_test_cpu(raw_smp_processor_id(), &stm_harts))
		rvtrace_event_write(id, value);
	else if (at)
		stm_write_stimulus(at, id, value);
	else
		ret = -ENODEV;
	raw_local_irq_restore(flags);
	return ret;
}

/* Ftrace may be what writes. */
static notrace ssize_t stm_emit(struct stm_data *data, unsigned int master, unsigned int channel,
				unsigned int packet, unsigned int flags, unsigned int size,
				const unsigned char *payload)
{
	u16 id = RVTRACE_STM_CLASS | FIELD_PREP(RVTRACE_STM_CLASS_CHANNEL, channel);
	__le64 value = 0;

	if (flags & STP_PACKET_MARKED)
		id |= RVTRACE_STM_CLASS_MARKED;
	switch (packet) {
	case STP_PACKET_FLAG:
		return stm_write_event(id | RVTRACE_STM_CLASS_FLAG, 0);
	case STP_PACKET_DATA:
		if (!size)
			return 0;
		size = min_t(unsigned int, rounddown_pow_of_two(size), sizeof(long));
		memcpy(&value, payload, size);
		return stm_write_event(id | ilog2(size), le64_to_cpu(value)) ?: (ssize_t)size;
	default:
		return -EOPNOTSUPP;
	}
}

static struct stm_data stm_device = {
	.name = "rvtrace_stm",
	.sw_nchannels = RVTRACE_STM_CLASS_CHANNEL / 16 + 1,
	.packet = stm_emit,
};

static DEFINE_MUTEX(stm_lock);
static bool stm_registered;

/* The device is there from the first encoder on that has something to emit events by. */
static int stm_add_device(void)
{
	int ret = 0;

	mutex_lock(&stm_lock);
	if (!stm_registered) {
		ret = stm_register_device(NULL, &stm_device, THIS_MODULE);
		stm_registered = !ret;
	}
	mutex_unlock(&stm_lock);
	return ret;
}

static bool stm_has_csr(const struct rvtrace_component *c)
{
	struct device_node *port = of_get_child_by_name(c->parent->of_node, "software-trace");
	u32 csr;
	bool has = c->te.software_trace && !of_property_read_u32(port, "csr", &csr) &&
		   csr == RVTRACE_EVENT_CSR;

	of_node_put(port);
	return has;
}

static bool stm_has_stimulus(const struct rvtrace_component *c)
{
	return c->kind->stimulus &&
	       rvtrace_keeps(c, RVTRACE_INSTRUMENTATION, RVTRACE_INSTRUMENTATION_ITC);
}

/**
 * rvtrace_stm_add() - let the STM class emit events by an encoder, if that has a way
 * @c: a component after discovery
 *
 * Return: 0 or why the device could not be registered
 */
int rvtrace_stm_add(const struct rvtrace_component *c)
{
	unsigned int i;

	if (!stm_has_csr(c))
		return stm_has_stimulus(c) ? stm_add_device() : 0;
	for (i = 0; i < c->hart_count; i++)
		cpumask_set_cpu(c->harts[i].cpu, &stm_harts);
	return stm_add_device();
}

/**
 * rvtrace_stm_connect() - the stimulus registers of an encoder can be written from now on
 * @c: an encoder that is enabled
 */
void rvtrace_stm_connect(const struct rvtrace_component *c)
{
	unsigned int i, n = min_t(unsigned int, c->hart_count, RVTRACE_ITC_OWNERSHIP);

	for (i = 0; stm_has_stimulus(c) && i < n; i++)
		per_cpu(stm_stimulus, c->harts[i].cpu) =
			c->registers + c->kind->stimulus + 4 * i;
}

static void stm_finish(void *unused)
{
}

/**
 * rvtrace_stm_disconnect() - the stimulus registers of an encoder are not written any more
 * @c: the encoder
 *
 * But for who is about to: see rvtrace_stm_wait().
 */
void rvtrace_stm_disconnect(const struct rvtrace_component *c)
{
	unsigned int i;

	for (i = 0; stm_has_stimulus(c) && i < c->hart_count; i++)
		WRITE_ONCE(per_cpu(stm_stimulus, c->harts[i].cpu), NULL);
}

/**
 * rvtrace_stm_wait() - until nobody is about to write to the stimulus registers of an encoder
 * @c: an encoder that was disconnected, and still has power. Its harts do not stand still for trace
 *
 * Context: may sleep.
 */
void rvtrace_stm_wait(const struct rvtrace_component *c)
{
	unsigned int i;

	/* Who has read the pointer lets no interrupt through until it has written. */
	for (i = 0; stm_has_stimulus(c) && i < c->hart_count; i++)
		smp_call_function_single(c->harts[i].cpu, stm_finish, NULL, true);
}

/**
 * rvtrace_stm_exit() - undo rvtrace_stm_add(), of all encoders, which are gone
 */
void rvtrace_stm_exit(void)
{
	if (stm_registered)
		stm_unregister_device(&stm_device);
}
