// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/profile.h"

#include <stddef.h>
#include <string.h>

#include "tools/machine/model/encoder.h"
#include "tools/machine/model/funnel.h"

/* teImpl.crossingType */
#define CROSSING_RATIONAL	1

static void p550_encoder(struct te_config *config)
{
	config->sinks = SINK_FUNNEL;
	config->src_bits = 2;
	config->crossing_type = CROSSING_RATIONAL;
	/* Reserved, but the one that reset leaves, and kept when it is written */
	config->sync_max_inst |= 1 << 0xa;
	config->address_bits = 49;
	config->call_count = 1023;
	config->timestamp.hides_width = false;
}

/* One sink: memory, in words of 64 bits, at addresses of 42 bits */
static void p550_funnel(struct tf_config *config)
{
	config->sinks = SINK_MEMORY;
	config->sink.access_width = 8;
	config->sink.addr_bits = 42;
	config->timestamp.hides_width = false;
}

const struct profile profile_p550 = {
	.name = "p550",
	.generation = TCI_0,
	.debug_actions = 1 << 2 | 1 << 3 | 1 << 4,
	.encoder = p550_encoder,
	.funnel = p550_funnel,
};

/* The first one of a generation is its default. */
static const struct profile *const profiles[] = { &profile_p550 };

#define PROFILES	(sizeof(profiles) / sizeof(profiles[0]))

const struct profile *profile_named(const char *name)
{
	size_t i;

	for (i = 0; i < PROFILES; i++)
		if (!strcmp(profiles[i]->name, name))
			return profiles[i];
	return NULL;
}

const struct profile *profile_of(enum tci generation)
{
	size_t i;

	for (i = 0; i < PROFILES; i++)
		if (profiles[i]->generation == generation)
			return profiles[i];
	return NULL;
}
