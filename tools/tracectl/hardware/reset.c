// SPDX-License-Identifier: GPL-2.0
/* tracectl reset: settings as the driver chose them when it found the hardware. */
#include "components.h"

static int reset(const struct rvtrace_devices *devices, const struct rvtrace_device *component,
		 void *data)
{
	struct rvtrace_failure error;
	int ret = rvtrace_device_write(component, "reset", "1", &error);

	(void)devices;
	(void)data;
	if (!ret)
		return EXIT_OK;
	write_failed(component, "reset", ret, error.text);
	return status_of(ret);
}

int verb_reset(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.parser = parse_components, .children = children, .args_doc = "[COMPONENT...]",
		.doc = "Reset every setting to what the driver chose when it was loaded.",
	};
	struct component_names names = { };

	parse_options(&argp, argc, argv, 0, NULL, &names);
	return each_component(&names, reset, NULL);
}
