// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"

struct change {
	const struct rvtrace_device *device;
	char *name;
	char *before;
};

static struct change *changes;
static size_t count;

static void forget_last(void)
{
	count--;
	free(changes[count].name);
	free(changes[count].before);
}

/* What cannot be read was never set. */
static int remember(const struct rvtrace_device *device, const char *name)
{
	char before[RVTRACE_ATTRIBUTE_MAX];
	struct change change = { .device = device }, *more;

	if (!*attribute(device, name, before))
		return 0;
	more = reallocarray(changes, count + 1, sizeof(*changes));
	if (!more)
		return -ENOMEM;
	changes = more;
	change.name = strdup(name);
	change.before = strdup(before);
	changes[count++] = change;
	if (change.name && change.before)
		return 0;
	forget_last();
	return -ENOMEM;
}

static void say(const struct rvtrace_device *device, const char *name, int ret, const char *what)
{
	char limit[RVTRACE_ATTRIBUTE_MAX], file[96];

	if (ret == -EACCES || ret == -EPERM) {
		write_failed(device, name, ret, what);
		return;
	}
	/* The value is none of the reasons. A sink may also be open. */
	if (ret == -EBUSY) {
		error_text(device->kind == RVTRACE_DEVICE_SINK ? "%s" :
			   "%s: stop the session first", what);
		return;
	}
	snprintf(file, sizeof(file), "%s_available", name);
	if (*attribute(device, file, limit)) {
		error_text("%s: it can be %s", what, limit);
		return;
	}
	snprintf(file, sizeof(file), "%s_max", name);
	if (*attribute(device, file, limit))
		error_text("%s: it can be up to %s", what, limit);
	else
		error_text("%s", what);
}

int changes_write(const struct rvtrace_device *device, const char *name, const char *value)
{
	struct rvtrace_failure error;
	size_t before = count;
	int ret = remember(device, name);

	if (ret) {
		error_text("%s", strerror(-ret));
		return ret;
	}
	ret = rvtrace_device_write(device, name, value, &error);
	if (ret) {
		say(device, name, ret, error.text);
		/* It did not change. */
		if (count > before)
			forget_last();
	} else if (global.verbose) {
		info_text("%s/%s = %s", device->name, name, value);
	}
	return ret;
}

static void undo(const struct change *change)
{
	struct rvtrace_failure error;

	if (rvtrace_device_write(change->device, change->name, change->before, &error))
		error_text("%s", error.text);
}

int changes_end(int ret)
{
	for (; count; forget_last())
		if (ret)
			undo(&changes[count - 1]);
	free(changes);
	changes = NULL;
	return ret;
}
