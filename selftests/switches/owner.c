// SPDX-License-Identifier: GPL-2.0
/*
 * owner.ko: somebody else who has debug triggers, by SBI's extension as OpenSBI 1.6 has it.
 *
 * memory=1: the memory that each hart shares with firmware to ask for them. triggers=N: N of the
 * triggers of each hart, at an address where nothing is executed.
 */
#include <linux/io.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <asm/sbi.h>

#define DBTR		0x44425452
#define SETUP_SHMEM	1
#define INSTALL		3
#define UNINSTALL	5
#define WORDS		5
/* mcontrol6: execute, in S-mode */
#define TDATA1		(6UL << 60 | 1 << 4 | 1 << 2)
#define NOWHERE		0x10

static bool memory;
module_param(memory, bool, 0444);

static unsigned int triggers;
module_param(triggers, uint, 0444);

static unsigned long *words;
static DEFINE_PER_CPU(unsigned long, installed);
static atomic_t failed;

static long call(unsigned int function, unsigned long a, unsigned long b)
{
	return sbi_ecall(DBTR, function, a, b, 0, 0, 0, 0).error;
}

static void take(void *unused)
{
	unsigned int i;

	if (call(SETUP_SHMEM, virt_to_phys(words), 0)) {
		atomic_inc(&failed);
		return;
	}
	for (i = 0; i < triggers; i++) {
		memset(words, 0, WORDS * sizeof(*words));
		words[1] = TDATA1;
		words[2] = NOWHERE;
		if (call(INSTALL, 1, 0))
			atomic_inc(&failed);
		else
			__this_cpu_or(installed, BIT(words[4]));
	}
	if (!memory)
		call(SETUP_SHMEM, ~0UL, ~0UL);
}

static void give_back(void *unused)
{
	if (__this_cpu_read(installed) && call(UNINSTALL, 0, __this_cpu_read(installed)))
		atomic_inc(&failed);
	__this_cpu_write(installed, 0);
	call(SETUP_SHMEM, ~0UL, ~0UL);
}

/* One after another, since they have the memory in common. */
static void each_hart(void (*function)(void *))
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, function, NULL, true);
	cpus_read_unlock();
}

static int __init owner_init(void)
{
	words = kcalloc(WORDS, sizeof(*words), GFP_KERNEL);
	if (!words)
		return -ENOMEM;
	each_hart(take);
	if (!atomic_read(&failed))
		return 0;
	each_hart(give_back);
	kfree(words);
	return -EBUSY;
}

static void __exit owner_exit(void)
{
	each_hart(give_back);
	if (atomic_read(&failed))
		pr_err("owner: firmware did not take triggers back\n");
	kfree(words);
}

module_init(owner_init);
module_exit(owner_exit);

MODULE_DESCRIPTION("Test of rvtrace: who else has debug triggers");
MODULE_LICENSE("GPL");
