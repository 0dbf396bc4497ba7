// SPDX-License-Identifier: GPL-2.0
/*
 * Filters and comparators as directories below their encoder: one file for each field
 * that can be set, one with what it can be set to, see docs/ABI/sysfs-bus-rvtrace_tci.
 */
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "filter.h"
#include "filter_sysfs.h"
#include "rvtrace.h"
#include "sysfs.h"

#define VALUES	8	/* with a name */

static const char * const inputs[VALUES] = {
	[RVTRACE_COMP_INPUT_IADDR] = "iaddr",
	[RVTRACE_COMP_INPUT_CONTEXT] = "context",
	[RVTRACE_COMP_INPUT_TVAL] = "tval",
	[RVTRACE_COMP_INPUT_DADDR] = "daddr",
};

#define COMPARISONS							\
	[RVTRACE_COMP_FUNCTION_EQUAL] = "equal",			\
	[RVTRACE_COMP_FUNCTION_NOT_EQUAL] = "not-equal",		\
	[RVTRACE_COMP_FUNCTION_LESS] = "less",				\
	[RVTRACE_COMP_FUNCTION_LESS_OR_EQUAL] = "less-or-equal",	\
	[RVTRACE_COMP_FUNCTION_GREATER] = "greater",			\
	[RVTRACE_COMP_FUNCTION_GREATER_OR_EQUAL] = "greater-or-equal",	\
	[RVTRACE_COMP_FUNCTION_ALWAYS] = "always"

static const char * const p_functions[VALUES] = {
	COMPARISONS,
	[RVTRACE_COMP_FUNCTION_SPECIAL] = "never",
};

static const char * const s_functions[VALUES] = {
	COMPARISONS,
	[RVTRACE_COMP_FUNCTION_SPECIAL] = "mask",
};

static const char * const match_modes[VALUES] = {
	[RVTRACE_COMP_MATCH_MODE_P] = "primary",
	[RVTRACE_COMP_MATCH_MODE_BOTH] = "both",
	[RVTRACE_COMP_MATCH_MODE_NOT_BOTH] = "not-both",
	[RVTRACE_COMP_MATCH_MODE_FROM_TO] = "from-to",
};

/* Of priv on the ingress port (E-Trace 2.0, chapter "Ingress Port") */
static const char * const privileges[VALUES] = {
	"user", "supervisor", NULL, "machine", "debug", "virtual-user", "virtual-supervisor",
};

static const char * const no_names[VALUES];

/*
 * @names: names of values, with holes; NULL: a number
 * @is_set: the value is a set, and the names are those of its bits
 */
static const struct {
	const char * const *names;
	bool is_set;
} filter_formats[RVTRACE_UNIT_FIELDS] = {
	[RVTRACE_COMP_P_INPUT] = { inputs },
	[RVTRACE_COMP_S_INPUT] = { inputs },
	[RVTRACE_COMP_P_FUNCTION] = { p_functions },
	[RVTRACE_COMP_S_FUNCTION] = { s_functions },
	[RVTRACE_COMP_MATCH_MODE] = { match_modes },
	[RVTRACE_FILTER_CHOICE_PRIVILEGE] = { privileges, true },
	[RVTRACE_FILTER_CHOICE_ECAUSE_LOW] = { no_names, true },
	[RVTRACE_FILTER_CHOICE_DTYPE] = { no_names, true },
	[RVTRACE_FILTER_CHOICE_DSIZE] = { no_names, true },
};

/**
 * struct unit_attribute - a field of a unit as a file
 * @index: number of the unit
 * @id: the field
 * @value: the file with the value
 * @available: the file with what can be chosen
 * @available_name: its name
 */
struct unit_attribute {
	unsigned int index;
	enum rvtrace_unit_field_id id;
	struct device_attribute value;
	struct device_attribute available;
	char available_name[40];
};

/**
 * struct filter_directory - the files of a unit
 * @group: as the kernel wants them
 * @name: of the directory
 * @list: of the files
 * @files: the files
 */
struct filter_directory {
	struct attribute_group group;
	char name[20];
	struct attribute *list[2 * RVTRACE_UNIT_FIELDS + 1];
	struct unit_attribute files[];
};

static const char *filter_value_name(enum rvtrace_unit_field_id id, unsigned int value)
{
	return filter_formats[id].names && value < VALUES ? filter_formats[id].names[value] : NULL;
}

static ssize_t filter_emit_members(char *buf, enum rvtrace_unit_field_id id, u64 set,
				   char separator)
{
	unsigned int value;
	ssize_t n = 0;

	for (value = 0; value < 64; value++) {
		if (!(set & BIT_ULL(value)))
			continue;
		if (n)
			n += sysfs_emit_at(buf, n, "%c", separator);
		if (filter_value_name(id, value))
			n += sysfs_emit_at(buf, n, "%s", filter_value_name(id, value));
		else
			n += sysfs_emit_at(buf, n, "%u", value);
	}
	return n + sysfs_emit_at(buf, n, n ? "\n" : "none\n");
}

static ssize_t filter_value_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct unit_attribute *a = container_of(attr, struct unit_attribute, value);
	struct rvtrace_component *c = to_rvtrace_component(dev);
	u64 value;
	int ret;

	ret = rvtrace_lock_component(c);
	if (ret)
		return ret;
	value = rvtrace_unit_get(c, a->index, a->id);
	mutex_unlock(&rvtrace_lock);
	if (filter_formats[a->id].is_set)
		return filter_emit_members(buf, a->id, value, ',');
	if (filter_value_name(a->id, value))
		return sysfs_emit(buf, "%s\n", filter_value_name(a->id, value));
	return sysfs_emit(buf, rvtrace_unit_is_wide(c, a->id) ? "0x%llx\n" : "%llu\n", value);
}

static ssize_t filter_available_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct unit_attribute *a = container_of(attr, struct unit_attribute, available);
	struct rvtrace_component *c = to_rvtrace_component(dev);
	u64 legal = rvtrace_unit_legal(c, a->index, a->id);

	if (rvtrace_unit_is_wide(c, a->id) && !filter_formats[a->id].is_set)
		return sysfs_emit(buf, "0x%llx\n", legal);
	return filter_emit_members(buf, a->id, legal, ' ');
}

static int filter_parse_one(enum rvtrace_unit_field_id id, const char *word, u64 *value)
{
	for (*value = 0; *value < VALUES; ++*value)
		if (filter_value_name(id, *value) &&
		    sysfs_streq(filter_value_name(id, *value), word))
			return 0;
	return kstrtou64(word, 0, value);
}

/* Members, separated by commas */
static int filter_parse_set(enum rvtrace_unit_field_id id, char *text, u64 *set)
{
	char *word;
	u64 member;
	int ret;

	*set = 0;
	if (sysfs_streq(text, "none"))
		return 0;
	while ((word = strsep(&text, ","))) {
		ret = filter_parse_one(id, word, &member);
		if (ret)
			return ret;
		if (member > 63)
			return -ERANGE;
		*set |= BIT_ULL(member);
	}
	return 0;
}

static int filter_parse(const struct unit_attribute *a, const char *buf, u64 *value)
{
	char *text;
	int ret;

	text = kstrdup(buf, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	if (filter_formats[a->id].is_set)
		ret = filter_parse_set(a->id, text, value);
	else
		ret = filter_parse_one(a->id, text, value);
	kfree(text);
	return ret;
}

static int filter_set(struct rvtrace_component *c, struct device_attribute *attr, u64 value)
{
	const struct unit_attribute *a = container_of(attr, struct unit_attribute, value);

	return rvtrace_unit_set(c, a->index, a->id, value);
}

static ssize_t filter_value_store(struct device *dev, struct device_attribute *attr,
				  const char *buf, size_t count)
{
	const struct unit_attribute *a = container_of(attr, struct unit_attribute, value);
	u64 value;
	int ret;

	ret = filter_parse(a, buf, &value);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		dev_err_ratelimited(dev, "%s%u/%s: '%*pEp' is not one of its values\n",
				    rvtrace_unit_name(a->id), a->index,
				    rvtrace_unit_field_name(a->id),
				    min_t(int, strcspn(buf, "\n"), 64), buf);
		return ret;
	}
	return rvtrace_store(dev, attr, value, count, filter_set);
}

static void filter_init_file(struct unit_attribute *a, unsigned int index,
			     enum rvtrace_unit_field_id id)
{
	a->index = index;
	a->id = id;
	sysfs_attr_init(&a->value.attr);
	a->value.attr.name = rvtrace_unit_field_name(id);
	a->value.attr.mode = 0644;
	a->value.show = filter_value_show;
	a->value.store = filter_value_store;
	snprintf(a->available_name, sizeof(a->available_name), "%s_available",
		 rvtrace_unit_field_name(id));
	sysfs_attr_init(&a->available.attr);
	a->available.attr.name = a->available_name;
	a->available.attr.mode = 0444;
	a->available.show = filter_available_show;
}

/* Is there a file for it? */
static bool filter_is_file(const struct rvtrace_component *c, unsigned int i,
			   enum rvtrace_unit unit, enum rvtrace_unit_field_id id)
{
	return rvtrace_unit_field_is(id, unit) && rvtrace_unit_has(c, i, id);
}

/* The directory of a unit; NULL when there is no such unit; ERR_PTR(-ENOMEM) */
static const struct attribute_group *
filter_make_directory(struct rvtrace_component *c, unsigned int i, enum rvtrace_unit unit)
{
	unsigned int count = 0, id;
	struct attribute **next;
	struct filter_directory *d;

	for (id = 0; id < RVTRACE_UNIT_FIELDS; id++)
		count += filter_is_file(c, i, unit, id);
	if (!count)
		return NULL;
	d = devm_kzalloc(c->parent, struct_size(d, files, count), GFP_KERNEL);
	if (!d)
		return ERR_PTR(-ENOMEM);
	next = d->list;
	for (id = 0, count = 0; id < RVTRACE_UNIT_FIELDS; id++) {
		if (!filter_is_file(c, i, unit, id))
			continue;
		snprintf(d->name, sizeof(d->name), "%s%u", rvtrace_unit_name(id), i);
		filter_init_file(&d->files[count], i, id);
		*next++ = &d->files[count].value.attr;
		*next++ = &d->files[count].available.attr;
		count++;
	}
	d->group.name = d->name;
	d->group.attrs = d->list;
	return &d->group;
}

/**
 * rvtrace_units_add_files() - let an encoder have directories of its units
 * @c: an encoder after discovery that is about to be registered
 *
 * Return: 0 or -ENOMEM
 */
int rvtrace_units_add_files(struct rvtrace_component *c)
{
	const struct attribute_group **groups, *group;
	unsigned int count, unit, i;

	if (!c->te.units)
		return 0;
	count = RVTRACE_UNITS * c->kind->units->count + 1;
	groups = devm_kcalloc(c->parent, count, sizeof(*groups), GFP_KERNEL);
	if (!groups)
		return -ENOMEM;
	c->dev.groups = groups;
	for (unit = 0; unit < RVTRACE_UNITS; unit++) {
		for (i = 0; i < c->kind->units->count; i++) {
			group = filter_make_directory(c, i, unit);
			if (IS_ERR(group))
				return PTR_ERR(group);
			if (group)
				*groups++ = group;
		}
	}
	return 0;
}
