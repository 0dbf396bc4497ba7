// SPDX-License-Identifier: GPL-2.0
/*
 * Software trace for the kernel's STM class: what its sources (consoles, ftrace, programs)
 * write becomes events of the hart that they run on. How is in linux/rvtrace.h.
 */
#include <linux/bitfield.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/stm.h>
#include <linux/string.h>

#include "rvtrace.h"

static ssize_t emit(struct stm_data *data, unsigned int master, unsigned int channel,
		    unsigned int packet, unsigned int flags, unsigned int size,
		    const unsigned char *payload)
{
	u16 id = RVTRACE_STM_CLASS | FIELD_PREP(RVTRACE_STM_CLASS_CHANNEL, channel);
	__le64 value = 0;

	if (flags & STP_PACKET_MARKED)
		id |= RVTRACE_STM_CLASS_MARKED;
	switch (packet) {
	case STP_PACKET_FLAG:
		rvtrace_event_write(id | RVTRACE_STM_CLASS_FLAG, 0);
		return 0;
	case STP_PACKET_DATA:
		if (!size)
			return 0;
		size = min_t(unsigned int, rounddown_pow_of_two(size), sizeof(long));
		memcpy(&value, payload, size);
		rvtrace_event_write(id | ilog2(size), le64_to_cpu(value));
		return size;
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

/* The number of the CSR is part of the instruction. */
static bool some_hart_emits(void)
{
	struct device_node *np;
	bool found = false;
	u32 csr;

	for_each_node_by_name(np, "software-trace")
		found |= !of_property_read_u32(np, "csr", &csr) && csr == RVTRACE_EVENT_CSR;
	return found;
}

/**
 * rvtrace_stm_init() - be a device of the STM class, if the device tree has software trace ports
 *
 * Return: 0 or why it could not be registered
 */
int rvtrace_stm_init(void)
{
	int ret;

	if (!some_hart_emits())
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
