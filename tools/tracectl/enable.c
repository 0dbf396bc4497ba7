// SPDX-License-Identifier: GPL-2.0
/* tracectl enable and disable: single encoders. */
#include "tracectl.h"

struct names {
	char **list;
	int count;
};

static error_t parse_names(int key, char *arg, struct argp_state *state)
{
	struct names *names = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_ARGS:
		names->list = state->argv + state->next;
		names->count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no encoder given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int write_enable(const struct rvtrace_device *encoder, void *value)
{
	struct rvtrace_recording_error error;
	int ret = rvtrace_device_write(encoder, "enable", value, &error);

	if (ret)
		error_text("%s", error.text);
	return ret;
}

int verb_enable(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.parser = parse_names, .children = children, .args_doc = "ENCODER...",
		.doc = "Start tracing of single encoders, with their path to the sink.",
	};
	struct names names = { };

	argp_parse(&argp, argc, argv, 0, NULL, &names);
	return each_encoder(names.list, names.count, write_enable, "1");
}

int verb_disable(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.parser = parse_names, .children = children, .args_doc = "ENCODER...",
		.doc = "Stop tracing of single encoders.",
	};
	struct names names = { };

	argp_parse(&argp, argc, argv, 0, NULL, &names);
	return each_encoder(names.list, names.count, write_enable, "0");
}
