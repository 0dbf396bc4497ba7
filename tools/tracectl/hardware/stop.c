// SPDX-License-Identifier: GPL-2.0
/* tracectl stop and flush: one write to a sink. */
#include <stdlib.h>
#include <string.h>

#include "tools/tracectl/tracectl.h"

static error_t parse_name(int key, char *arg, struct argp_state *state)
{
	const char **sink = state->input;

	if (key != ARGP_KEY_ARG || state->arg_num > 0)
		return ARGP_ERR_UNKNOWN;
	*sink = arg;
	return 0;
}

/* Writes @value to @name of the sink; @lost: answers with what was lost. */
static int write_sink(const char *sink_name, const char *name, const char *value, bool lost)
{
	struct rvtrace_failure error;
	const struct rvtrace_device *sink;
	struct rvtrace_devices devices;
	char text[RVTRACE_ATTRIBUTE_MAX];
	int ret, status;

	if (rvtrace_devices_scan("", &devices, &error)) {
		error_text("%s", error.text);
		return EXIT_NO_DEVICE;
	}
	status = pick_sink(&devices, sink_name, &sink);
	if (status)
		goto out;
	ret = rvtrace_device_write(sink, name, value, &error);
	if (ret) {
		write_failed(sink, name, ret, error.text);
		status = status_of(ret);
	} else if (lost && strtoull(attribute(sink, "lost", text), NULL, 10)) {
		warn_text("%s: %s bytes lost", sink->name, text);
		status = EXIT_LOST;
	}
out:
	rvtrace_devices_free(&devices);
	return status;
}

int verb_stop(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.parser = parse_name, .children = children, .args_doc = "[SINK]",
		.doc = "Stop every encoder that traces into the sink, and drain them.",
	};
	const char *sink = NULL;

	parse_options(&argp, argc, argv, 0, NULL, &sink);
	return write_sink(sink, "tracing", "0", true);
}

int verb_flush(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.parser = parse_name, .children = children, .args_doc = "[SINK]",
		.doc = "Drain what the hardware still holds, then continue tracing.\v"
		       "Nothing is traced during the drain; the gap is recorded.",
	};
	const char *sink = NULL;

	parse_options(&argp, argc, argv, 0, NULL, &sink);
	return write_sink(sink, "flush", "1", false);
}
