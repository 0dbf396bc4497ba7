/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hardware that exists: what its encoders and funnels can do. */
#ifndef RVTRACE_MODEL_PROFILE_H
#define RVTRACE_MODEL_PROFILE_H

#include <stdint.h>

#include "tools/machine/model/generation.h"

struct te_config;
struct tf_config;

/**
 * struct profile - one kind of hardware
 * @name: as users write it
 * @generation: whose registers it has
 * @debug_actions: bit n: triggers of the harts may have action n
 * @encoder, @funnel: change what te_config_init(), tf_config_init() made to what it can do
 */
struct profile {
	const char *name;
	enum tci generation;
	uint32_t debug_actions;
	void (*encoder)(struct te_config *config);
	void (*funnel)(struct tf_config *config);
};

/* SiFive P550 (ESWIN EIC7700X) */
extern const struct profile profile_p550;

/* Everything that a generation has, and no hardware in particular */
#define PROFILE_GENERIC	"generic"

/* Return: the profile, or NULL: there is none of that name. */
const struct profile *profile_named(const char *name);

/* Return: what a board of this generation has by default, or NULL: PROFILE_GENERIC. */
const struct profile *profile_of(enum tci generation);

#endif /* RVTRACE_MODEL_PROFILE_H */
