// SPDX-License-Identifier: GPL-2.0
/* Marker instructions: a HINT, a no-op on every RISC-V core. */
#include <errno.h>
#include <sched.h>

#include "mark.h"

#ifdef __riscv
/*
 * Each marker is in a function of its own that is never inlined: one address,
 * executed once per window and hart.
 */
static __attribute__((noinline)) void marker_begin(void)
{
	asm volatile("slti x0, x0, 0x7a5" ::: "memory");
}

static __attribute__((noinline)) void marker_end(void)
{
	asm volatile("slti x0, x0, 0x7a6" ::: "memory");
}

static int mark_cpu(int cpu, bool begin)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0)
		return -errno;
	if (begin)
		marker_begin();
	else
		marker_end();
	return 0;
}

int mark_cpus(bool begin)
{
	cpu_set_t allowed;
	int cpu, ret = 0, count = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return -errno;
	for (cpu = 0; cpu < CPU_SETSIZE && !ret; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		ret = mark_cpu(cpu, begin);
		count++;
	}
	if (sched_setaffinity(0, sizeof(allowed), &allowed) < 0 && !ret)
		ret = -errno;
	return ret ? ret : count;
}
#else
int mark_cpus(bool begin)
{
	(void)begin;
	return -ENOTSUP;
}
#endif
