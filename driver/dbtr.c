// SPDX-License-Identifier: GPL-2.0
/*
 * Debug triggers that make an encoder synchronize where tasks switch, and where KVM goes to a
 * guest and comes back.
 *
 * They are the firmware's to give: SBI's debug triggers extension. Memory is shared with it, on
 * each hart, while triggers are installed and not longer. Who else has set such memory has the
 * triggers, too.
 *
 * A hart whose triggers lack the action would stop for a breakpoint instead, in __switch_to. So the
 * action is first tried at an instruction of ours, where a breakpoint does no harm.
 */
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "csr.h"
#include "dbtr.h"
#include "rvtrace.h"

enum dbtr_function {
	DBTR_NUM_TRIGGERS,
	DBTR_SETUP_SHMEM,
	DBTR_TRIGGER_READ,
	DBTR_TRIGGER_INSTALL,
	DBTR_TRIGGER_UPDATE,
	DBTR_TRIGGER_UNINSTALL,
};

#define MCONTROL	2
#define MCONTROL6	6

/* The last two are those of kernels that have them, see docs/driver.md. */
static const char * const dbtr_names[] = {
	"__switch_to", "__kvm_switch_resume", "__kvm_switch_return",
};

/* Where they are, or 0 */
static unsigned long dbtr_addresses[ARRAY_SIZE(dbtr_names)];

/* Shared with the firmware; with rvtrace_lock held, by one hart at a time */
static unsigned long *dbtr_words;

#ifdef CONFIG_KPROBES
/* It is where a symbol of that name begins. */
static bool dbtr_is_symbol(unsigned long address, const char *name)
{
	char text[KSYM_SYMBOL_LEN];

	sprint_symbol(text, address);
	return str_has_prefix(text, name) && str_has_prefix(text + strlen(name), "+0x0/");
}

/*
 * Neither kallsyms nor the symbol is exported. A kprobe finds its symbol before it is registered,
 * and is none that may be (__switch_to is in the list of those that may not); one that is
 * registered disabled patches nothing.
 */
static unsigned long dbtr_find(const char *name)
{
	struct kprobe probe = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };

	if (!register_kprobe(&probe))
		unregister_kprobe(&probe);
	if (probe.addr && dbtr_is_symbol((unsigned long)probe.addr, name))
		return (unsigned long)probe.addr;
	return 0;
}
#else
static unsigned long dbtr_find(const char *name)
{
	return 0;
}
#endif

/**
 * rvtrace_dbtr_init() - find out whether there is all that it takes
 */
void rvtrace_dbtr_init(void)
{
	if (!rvtrace_dbtr_probe())
		return;
	dbtr_addresses[0] = dbtr_find(dbtr_names[0]);
	if (dbtr_addresses[0])
		dbtr_words = kcalloc(RVTRACE_DBTR_WORDS, sizeof(*dbtr_words), GFP_KERNEL);
}

/**
 * rvtrace_dbtr_exit() - undo rvtrace_dbtr_init()
 */
void rvtrace_dbtr_exit(void)
{
	kfree(dbtr_words);
}

/**
 * rvtrace_dbtr_found() - whether firmware has triggers, and the kernel something to watch
 */
bool rvtrace_dbtr_found(void)
{
	return dbtr_words;
}

/**
 * rvtrace_dbtr_find_modules() - find what modules have that is to be watched from now on
 *
 * Takes cpu_hotplug_lock.
 */
void rvtrace_dbtr_find_modules(void)
{
	unsigned int i;

	lockdep_assert_not_held(&rvtrace_lock);
	for (i = 1; dbtr_words && i < ARRAY_SIZE(dbtr_names); i++)
		WRITE_ONCE(dbtr_addresses[i], dbtr_find(dbtr_names[i]));
}

/**
 * struct dbtr_request - what a hart is to do, and what came of it
 * @installed: bit n: trigger n
 * @error: 0 or why not
 * @why: the same in words
 */
struct dbtr_request {
	unsigned long installed;
	int error;
	const char *why;
};

static void dbtr_fail(struct dbtr_request *r, int error, const char *why)
{
	r->error = error;
	r->why = why;
}

static void dbtr_uninstall_here(void *data)
{
	struct dbtr_request *r = data;

	if (r->installed && rvtrace_dbtr_call(DBTR_TRIGGER_UNINSTALL, 0, r->installed, NULL))
		dbtr_fail(r, -EIO, "firmware does not remove debug triggers");
	r->installed = 0;
}

static bool dbtr_install_one(struct dbtr_request *r, unsigned int type, unsigned long address)
{
	unsigned long number;

	rvtrace_dbtr_ask(dbtr_words, type, address);
	if (rvtrace_dbtr_call(DBTR_TRIGGER_INSTALL, 1, 0, NULL)) {
		dbtr_fail(r, -EBUSY, "too few debug triggers are free");
		return false;
	}
	number = rvtrace_dbtr_number(dbtr_words);
	if (number >= BITS_PER_LONG) {
		dbtr_fail(r, -EIO, "firmware does not say which debug trigger it installed");
		return false;
	}
	r->installed |= BIT(number);
	return true;
}

/* The action itself cannot be read back everywhere. */
static bool dbtr_try_action(struct dbtr_request *r, unsigned int type)
{
	bool breaks;

	if (!dbtr_install_one(r, type, rvtrace_break_address()))
		return false;
	breaks = rvtrace_breaks();
	dbtr_uninstall_here(r);
	if (breaks)
		dbtr_fail(r, -EOPNOTSUPP, "debug triggers cannot notify the encoder");
	return !r->error;
}

static void dbtr_install_all(struct dbtr_request *r)
{
	unsigned long count = 0, address;
	unsigned int type = MCONTROL, i;

	if (!rvtrace_dbtr_call(DBTR_NUM_TRIGGERS, RVTRACE_DBTR_TDATA1_TYPE(MCONTROL6), 0, &count) &&
	    count)
		type = MCONTROL6;
	if (!dbtr_try_action(r, type))
		return;
	for (i = 0; i < ARRAY_SIZE(dbtr_names); i++) {
		address = READ_ONCE(dbtr_addresses[i]);
		if (address && !dbtr_install_one(r, type, address))
			return;
	}
}

static void dbtr_install_here(void *data)
{
	struct dbtr_request *r = data;

	if (rvtrace_dbtr_call(DBTR_SETUP_SHMEM, virt_to_phys(dbtr_words), 0, NULL)) {
		dbtr_fail(r, -EBUSY, "debug triggers are in use by other software");
		return;
	}
	dbtr_install_all(r);
	if (r->error)
		dbtr_uninstall_here(r);
	rvtrace_dbtr_call(DBTR_SETUP_SHMEM, ~0UL, ~0UL, NULL);
}

/**
 * rvtrace_dbtr_install() - let triggers of a hart tell its encoder to synchronize
 * @cpu: the hart
 * @installed: out: which
 * @why: out: after an error, what was in the way
 *
 * Return: 0; -EOPNOTSUPP where there is no such thing; -EBUSY when others have what it takes; -EIO
 * when the firmware errs; -ENXIO when the hart is offline. After an error there are none
 */
int rvtrace_dbtr_install(unsigned int cpu, unsigned long *installed, const char **why)
{
	struct dbtr_request r = { .why = "firmware has no debug triggers" };
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	*installed = 0;
	if (dbtr_words)
		ret = smp_call_function_single(cpu, dbtr_install_here, &r, true);
	else
		ret = -EOPNOTSUPP;
	*installed = r.installed;
	*why = r.why;
	return ret ?: r.error;
}

/**
 * rvtrace_dbtr_uninstall() - undo rvtrace_dbtr_install()
 * @cpu: the hart
 * @installed: which were installed
 *
 * Not later than it goes offline: what firmware knows of them is gone when it is back.
 *
 * Return: 0; -EIO when the firmware errs; -ENXIO when the hart is offline
 */
int rvtrace_dbtr_uninstall(unsigned int cpu, unsigned long installed)
{
	struct dbtr_request r = { .installed = installed };
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	ret = smp_call_function_single(cpu, dbtr_uninstall_here, &r, true);
	return ret ?: r.error;
}
