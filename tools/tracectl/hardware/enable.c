// SPDX-License-Identifier: GPL-2.0
/* tracectl enable and disable: single encoders. */
#include "components.h"

static error_t parse_names(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_NO_ARGS)
		argp_error(state, "no encoder given");
	return parse_components(key, arg, state);
}

static int write_enable(const struct rvtrace_device *encoder, void *value)
{
	struct rvtrace_failure error;
	int ret = rvtrace_device_write(encoder, "enable", value, &error);

	if (ret)
		write_failed(encoder, "enable", ret, error.text);
	return ret;
}

int verb_enable(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.parser = parse_names, .children = children, .args_doc = "ENCODER...",
		.doc = "Start tracing of single encoders, with their path to the sink.",
	};
	struct component_names names = { };

	parse_options(&argp, argc, argv, 0, NULL, &names);
	return each_encoder(&names, write_enable, "1");
}

int verb_disable(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.parser = parse_names, .children = children, .args_doc = "ENCODER...",
		.doc = "Stop tracing of single encoders.",
	};
	struct component_names names = { };

	parse_options(&argp, argc, argv, 0, NULL, &names);
	return each_encoder(&names, write_enable, "0");
}
