// SPDX-License-Identifier: GPL-2.0
/* Kinds of components: versions, types, modes. */
#include "specification.h"

const struct spec_kind specification[] = {
	{
		.name = "encoder_0",
		.title = "Trace encoder",
		.generation = "TCI 0",
		.version = 0,
		.device = "encoder",
		.inst_modes = {
			[0] = "off", [1] = "event", [3] = "branch", [6] = "history",
			[7] = "history-optimized",
		},
		.registers = spec_encoder_0,
	},
	{
		.name = "funnel_0",
		.title = "Trace funnel",
		.generation = "TCI 0",
		.version = 0,
		.device = "funnel",
		.registers = spec_funnel_0,
	},
	{
		.name = "encoder_0_9",
		.title = "Trace encoder",
		.generation = "TCI 0.9",
		.version = 1,
		.device = "encoder",
		.inst_modes = {
			[0] = "off", [3] = "branch", [6] = "history", [7] = "history-optimized",
		},
		.registers = spec_encoder_0_9,
	},
	{
		.name = "funnel_0_9",
		.title = "Trace funnel",
		.generation = "TCI 0.9",
		.version = 1,
		.device = "funnel",
		.registers = spec_funnel_0_9,
	},
	{
		.name = "encoder_1_0",
		.title = "Trace encoder",
		.generation = "TCI 1.0",
		.version = 1,
		.device = "encoder",
		.comp_type = 0x1,
		.inst_modes = { [0] = "off", [3] = "branch", [6] = "history", [7] = "vendor" },
		.undefined = { 0x008, 0x00c, 0x010, 0x01c, 0x050, 0x054, 0x058, 0x040 },
		.units_undefined = true,
		.undefined_control = 0xfffffff4,
		.reserved_zero = true,
		.registers = spec_encoder_1_0,
	},
	{
		.name = "funnel_1_0",
		.title = "Trace funnel",
		.generation = "TCI 1.0",
		.version = 1,
		.device = "funnel",
		.comp_type = 0x8,
		.undefined = { 0x008, 0x040 },
		.undefined_control = 0xfffffff4,
		.reserved_zero = true,
		.registers = spec_funnel_1_0,
	},
	{
		.name = "ram_sink_1_0",
		.title = "Trace RAM sink",
		.generation = "TCI 1.0",
		.version = 1,
		.device = "ramsink",
		.comp_type = 0x9,
		.undefined_control = 0xfffffff4,
		.reserved_zero = true,
		.registers = spec_ram_sink_1_0,
	},
	{
		.name = "pib_sink_1_0",
		.title = "Trace PIB sink",
		.generation = "TCI 1.0",
		.version = 1,
		.device = "pibsink",
		.comp_type = 0xa,
		/* "reset value of this field should be set to safe": trPibDivider */
		.undefined_control = 0x0000fff4,
		.reserved_zero = true,
		.registers = spec_pib_sink_1_0,
	},
	{
		.name = "atb_bridge_1_0",
		.title = "Trace ATB bridge",
		.generation = "TCI 1.0",
		.version = 1,
		.device = "atbbridge",
		.comp_type = 0xe,
		.undefined = { 0x004 },
		.undefined_control = 0xfffffff4,
		.reserved_zero = true,
		.registers = spec_atb_bridge_1_0,
	},
	{ 0 }
};

static bool covers(const struct spec_register *r, unsigned int offset)
{
	return offset >= r->offset && (offset - r->offset) % r->stride == 0 &&
	       (offset - r->offset) / r->stride < r->count;
}

const struct spec_register *spec_register_at(const struct spec_kind *kind, unsigned int offset)
{
	const struct spec_register *r;

	for_each_spec_register(r, kind)
		if (covers(r, offset))
			return r;
	return NULL;
}
