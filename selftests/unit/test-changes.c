// SPDX-License-Identifier: GPL-2.0
/* Attributes that are refused: why, and what was written before is undone. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/tracectl/hardware/changes.h"

struct global_options global;

static char said[256];		/* the last message */
static char written[256];	/* every write, in order */
static int answer;		/* to the write of "inst_filters" */

const char *attribute(const struct rvtrace_device *device, const char *name,
		      char value[RVTRACE_ATTRIBUTE_MAX])
{
	(void)device;
	return strcpy(value, strcmp(name, "inst_filters_available") ? "old" : "0 1 2");
}

int rvtrace_device_write(const struct rvtrace_device *device, const char *name, const char *value,
			 struct rvtrace_failure *error)
{
	size_t used = strlen(written);

	(void)device;
	snprintf(written + used, sizeof(written) - used, "%s=%s ", name, value);
	if (strcmp(name, "inst_filters") || !answer)
		return 0;
	snprintf(error->text, sizeof(error->text), "%s was refused", value);
	return answer;
}

void error_text(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(said, sizeof(said), format, args);
	va_end(args);
}

void info_text(const char *format, ...)
{
	(void)format;
}

void write_failed(const struct rvtrace_device *device, const char *name, int ret, const char *text)
{
	(void)device;
	(void)name;
	error_text("%s: errno %d", text, -ret);
}

/* @ret: what the hardware answers to the second of two writes */
static void is_refused(enum rvtrace_device_kind kind, int ret, const char *text)
{
	const struct rvtrace_device device = { .kind = kind };

	said[0] = written[0] = 0;
	answer = ret;
	assert_int_equal(changes_write(&device, "context", "1"), 0);
	assert_int_equal(changes_write(&device, "inst_filters", "7"), ret);
	assert_string_equal(said, text);
	assert_int_equal(changes_end(ret), ret);
	assert_string_equal(written, "context=1 inst_filters=7 context=old ");
}

static void a_value_is_refused(void **state)
{
	(void)state;
	is_refused(RVTRACE_DEVICE_ENCODER, -EINVAL, "7 was refused: it can be 0 1 2");
}

/* Other values would be refused, too. */
static void a_session_refuses_every_value(void **state)
{
	(void)state;
	is_refused(RVTRACE_DEVICE_ENCODER, -EBUSY, "7 was refused: stop the session first");
	is_refused(RVTRACE_DEVICE_OTHER, -EBUSY, "7 was refused: stop the session first");
	is_refused(RVTRACE_DEVICE_SINK, -EBUSY, "7 was refused");
}

static void a_user_without_rights(void **state)
{
	(void)state;
	is_refused(RVTRACE_DEVICE_ENCODER, -EACCES, "7 was refused: errno 13");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_refused),
		cmocka_unit_test(a_session_refuses_every_value),
		cmocka_unit_test(a_user_without_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
