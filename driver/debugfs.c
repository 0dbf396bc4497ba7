// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of a component as they read: /sys/kernel/debug/rvtrace_tci/COMPONENT.
 *
 * A line is offset, value, and the fields of which the register is made up.
 */
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/security.h>
#include <linux/seq_file.h>

#include "access.h"
#include "activate.h"
#include "debugfs.h"
#include "field.h"
#include "field_sysfs.h"
#include "filter.h"
#include "rvtrace.h"
#include "sysfs.h"
#include "timestamp.h"

static struct dentry *debugfs_root;

static void debugfs_show_fields(struct seq_file *m, const struct rvtrace_component *c, u16 reg,
				u32 value)
{
	const char *name;
	unsigned int id;
	u32 part;

	for (id = 0; id < RVTRACE_FIELDS; id++) {
		if (!rvtrace_has(c, id) || c->kind->fields[id].reg != reg)
			continue;
		part = rvtrace_field_of(c, id, value);
		name = rvtrace_value_name(c, id, part);
		if (name)
			seq_printf(m, " %s=%s", rvtrace_field_name(id), name);
		else
			seq_printf(m, " %s=%u", rvtrace_field_name(id), part);
	}
}

/* What a read changes is not read. */
static int debugfs_show_range(struct seq_file *m, struct rvtrace_component *c,
			      const struct regmap_range *range)
{
	unsigned int reg, value;
	int ret;

	for (reg = range->range_min; reg <= range->range_max; reg += c->kind->regmap->reg_stride) {
		if ((c->kind->precious && c->kind->precious(reg)) || !rvtrace_is_there(c, reg))
			continue;
		ret = regmap_read(c->regmap, reg, &value);
		if (ret)
			return ret;
		seq_printf(m, "0x%03x 0x%08x", reg, value);
		debugfs_show_fields(m, c, reg, value);
		rvtrace_units_show(m, c, reg, value);
		seq_putc(m, '\n');
	}
	return 0;
}

/*
 * Outside sessions registers read as the next session will have them. What the
 * hardware does not keep of that was said, and is what is looked for here.
 */
static int debugfs_show_registers(struct seq_file *m, struct rvtrace_component *c)
{
	const struct regmap_access_table *table = c->kind->regmap->rd_table;
	unsigned int i;
	int ret, err;

	ret = rvtrace_hold(c);
	if (ret)
		return ret;
	if (c->phase == RVTRACE_PHASE_IDLE && !rvtrace_timestamp_configure(c))
		rvtrace_configure(c);
	for (i = 0; !ret && i < table->n_yes_ranges; i++)
		ret = debugfs_show_range(m, c, &table->yes_ranges[i]);
	err = rvtrace_release(c);
	return ret ?: err;
}

static int debugfs_show_component(struct seq_file *m, struct rvtrace_component *c)
{
	int ret;

	if (!perfmon_capable()) {
		dev_err_ratelimited(&c->dev, "reading registers needs CAP_PERFMON\n");
		return -EPERM;
	}
	ret = security_locked_down(LOCKDOWN_PERF);
	if (ret)
		return ret;
	ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	ret = debugfs_show_registers(m, c);
	mutex_unlock(&rvtrace_lock);
	return ret;
}

/* The component stays for as long, but not while the reader's memory is waited for. */
static int registers_show(struct seq_file *m, void *unused)
{
	struct dentry *dentry = m->file->f_path.dentry;
	int ret = debugfs_file_get(dentry);

	if (ret)
		return ret;
	ret = debugfs_show_component(m, m->private);
	debugfs_file_put(dentry);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(registers);

/**
 * rvtrace_debugfs_init() - make the folder of all components
 */
void rvtrace_debugfs_init(void)
{
	debugfs_root = debugfs_create_dir(RVTRACE_NAME, NULL);
}

/**
 * rvtrace_debugfs_exit() - undo rvtrace_debugfs_init()
 */
void rvtrace_debugfs_exit(void)
{
	debugfs_remove(debugfs_root);
}

/**
 * rvtrace_debugfs_add() - make the files of a component
 * @c: a component that is registered
 */
void rvtrace_debugfs_add(struct rvtrace_component *c)
{
	c->debugfs = debugfs_create_dir(dev_name(&c->dev), debugfs_root);
	debugfs_create_file_unsafe("registers", 0400, c->debugfs, c, &registers_fops);
}

/**
 * rvtrace_debugfs_remove() - undo rvtrace_debugfs_add()
 * @c: the component; nobody reads its files afterwards
 *
 * Not with rvtrace_lock held, which those wait for who read now.
 */
void rvtrace_debugfs_remove(struct rvtrace_component *c)
{
	debugfs_remove(c->debugfs);
}
