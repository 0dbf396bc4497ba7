// SPDX-License-Identifier: GPL-2.0-or-later
/* The formats that there are. */
#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/encoder-internal.h"
#include "tools/machine/model/shared-stream.h"

/* The first is what an encoder has by default. */
static const struct te_protocol *const protocols[] = {
	&te_ntrace, &te_etrace, &te_cdl, &te_debugspec,
};

#define PROTOCOLS	(sizeof(protocols) / sizeof(protocols[0]))

static bool is_of(const struct te_protocol *protocol, const struct te_config *config,
		  uint32_t format)
{
	return protocol->format == format &&
	       (format != RVTRACE_FORMAT_VENDOR || protocol->vendor == config->vendor.format);
}

static bool has(const struct te_config *config, const struct te_protocol *protocol)
{
	return config->formats >> protocol->format & 1 &&
	       is_of(protocol, config, protocol->format);
}

const struct te_protocol *te_protocol_of(const struct te_config *config, uint32_t format)
{
	size_t i;

	for (i = 0; i < PROTOCOLS; i++)
		if (is_of(protocols[i], config, format))
			return protocols[i];
	return protocols[0];
}

void te_set_defaults(struct te_config *config)
{
	size_t i;

	for (i = 0; i < PROTOCOLS; i++)
		if (protocols[i]->set_defaults)
			protocols[i]->set_defaults(config);
}

const char *te_check_protocols(const struct te_config *config)
{
	const char *wrong = NULL;
	size_t i;

	for (i = 0; i < PROTOCOLS && !wrong; i++)
		if (!i || has(config, protocols[i]))
			wrong = protocols[i]->check(config);
	return wrong;
}

uint32_t te_more_modes(const struct te_config *config)
{
	uint32_t modes = 0;
	size_t i;

	for (i = 0; i < PROTOCOLS; i++)
		if (has(config, protocols[i]))
			modes |= protocols[i]->more_modes;
	return modes;
}

uint32_t te_known_features(const struct te_config *config)
{
	uint32_t features = protocols[0]->features;
	size_t i;

	for (i = 0; i < PROTOCOLS; i++)
		if (has(config, protocols[i]))
			features |= protocols[i]->features;
	return features;
}

uint32_t te_features_of(const struct te_config *config)
{
	uint32_t features = 0;
	size_t i;

	for (i = 0; i < PROTOCOLS; i++)
		if (has(config, protocols[i]))
			features |= protocols[i]->implemented ?
				    protocols[i]->implemented(config) :
				    protocols[i]->features;
	return features;
}

bool te_has_events(const struct te_config *config)
{
	return has(config, &te_ntrace) || te_etrace_has_events(&config->etrace);
}

/* What the device tree says */

static const struct te_protocol *with_node(const struct te_config *config, unsigned int n)
{
	size_t i;

	for (i = 0; i < PROTOCOLS; i++)
		if (has(config, protocols[i]) && protocols[i]->node && !n--)
			return protocols[i];
	return NULL;
}

const char *te_config_node(const struct te_config *config, unsigned int n)
{
	const struct te_protocol *protocol = with_node(config, n);

	return protocol ? protocol->node : NULL;
}

bool te_config_property(const struct te_config *config, unsigned int n, unsigned int index,
			struct te_property *property)
{
	return with_node(config, n)->property(config, index, property);
}

const struct shared_format *shared_format(void)
{
	size_t i;

	for (i = 0; i < PROTOCOLS; i++)
		if (protocols[i]->shared)
			return protocols[i]->shared;
	return NULL;
}
