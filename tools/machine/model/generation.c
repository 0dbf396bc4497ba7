// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/generation.h"

const struct generation *generation_of(enum tci tci)
{
	static const struct generation *const generations[TCI_GENERATIONS] = {
		[TCI_0] = &generation_0,
		[TCI_0_9] = &generation_0_9,
		[TCI_1_0] = &generation_1_0,
	};

	return tci < TCI_GENERATIONS ? generations[tci] : NULL;
}
