// SPDX-License-Identifier: GPL-2.0
/*
 * Software trace for the kernel's STM class: what its sources (consoles, ftrace, programs)
 * write becomes events of the hart that they run on. How is in linux/rvtrace.h.
 */
#include <linux/bitfield.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/stm.h>
#include <linux/string.h>

#include "csr.h"
#include "rvtrace.h"
#include "stm.h"

/* Those whose encoders have a port; the number of the CSR is part of the instruction. */
static struct cpumask harts;

/* -ENODEV on a hart whose encoder has no port */
static notrace int write_event(u16 id, u64 value)
{
	int ret = -ENODEV;

	preempt_disable_notrace();
	if (cpumask_test_cpu(raw_smp_processor_id(), &harts)) {
		rvtrace_event_write(id, value);
		ret = 0;
	}
	preempt_enable_notrace();
	return ret;
}

/* Ftrace may be what writes. */
static notrace ssize_t emit(struct stm_data *data, unsigned int master, unsigned int channel,
			    unsigned int packet, unsigned int flags, unsigned int size,
			    const unsigned char *payload)
{
	u16 id = RVTRACE_STM_CLASS | FIELD_PREP(RVTRACE_STM_CLASS_CHANNEL, channel);
	__le64 value = 0;

	if (flags & STP_PACKET_MARKED)
		id |= RVTRACE_STM_CLASS_MARKED;
	switch (packet) {
	case STP_PACKET_FLAG:
		return write_event(id | RVTRACE_STM_CLASS_FLAG, 0);
	case STP_PACKET_DATA:
		if (!size)
			return 0;
		size = min_t(unsigned int, rounddown_pow_of_two(size), sizeof(long));
		memcpy(&value, payload, size);
		return write_event(id | ilog2(size), le64_to_cpu(value)) ?: (ssize_t)size;
	default:
		return -EOPNOTSUPP;
	}
}

static struct stm_data device = {
	.name = "rvtrace_stm",
	.sw_nchannels = RVTRACE_STM_CLASS_CHANNEL / 16 + 1,
	.packet = emit,
};

static bool registered;

static void add_harts(const struct device_node *encoder)
{
	struct device_node *cpu;
	int hart;

	for (unsigned int i = 0; (cpu = of_parse_phandle(encoder, "cpus", i)); i++) {
		hart = of_cpu_node_to_id(cpu);
		of_node_put(cpu);
		if (hart >= 0)
			cpumask_set_cpu(hart, &harts);
	}
}

static void find_harts(void)
{
	struct device_node *np, *encoder;
	u32 csr;

	for_each_node_by_name(np, "software-trace") {
		encoder = of_get_parent(np);
		if (of_device_is_available(encoder) && !of_property_read_u32(np, "csr", &csr) &&
		    csr == RVTRACE_EVENT_CSR)
			add_harts(encoder);
		of_node_put(encoder);
	}
}

/**
 * rvtrace_stm_init() - be a device of the STM class, if the device tree has harts that emit events
 *
 * Return: 0 or why it could not be registered
 */
int rvtrace_stm_init(void)
{
	int ret;

	find_harts();
	if (cpumask_empty(&harts))
		return 0;
	ret = stm_register_device(NULL, &device, THIS_MODULE);
	registered = !ret;
	return ret;
}

/**
 * rvtrace_stm_exit() - undo rvtrace_stm_init()
 */
void rvtrace_stm_exit(void)
{
	if (registered)
		stm_unregister_device(&device);
}
