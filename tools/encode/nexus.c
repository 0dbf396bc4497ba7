// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/nexus.h"

#define MDO_BITS		6
#define MSEO_END_OF_FIELD	1
#define MSEO_END_OF_MESSAGE	3

void nexus_fixed(struct nexus_message *msg, uint64_t value, unsigned int width)
{
	while (width) {
		unsigned int room, bits;
		uint64_t part;

		if (msg->used == MDO_BITS) {
			msg->bytes[msg->size++] = 0;
			msg->used = 0;
		}
		room = MDO_BITS - msg->used;
		bits = width < room ? width : room;
		part = value & ((1u << bits) - 1);
		msg->bytes[msg->size - 1] |= part << (msg->used + 2);
		msg->used += bits;
		value >>= bits;
		width -= bits;
	}
}

static unsigned int bit_length(uint64_t value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

/* A variable-length field always ends on a byte boundary. */
static void end_field(struct nexus_message *msg)
{
	msg->used = MDO_BITS;
	msg->bytes[msg->size - 1] |= MSEO_END_OF_FIELD;
}

void nexus_variable(struct nexus_message *msg, uint64_t value)
{
	unsigned int width = bit_length(value);

	nexus_fixed(msg, value, width ? width : 1);
	end_field(msg);
}

void nexus_extended(struct nexus_message *msg, uint64_t value,
		    unsigned int width)
{
	uint64_t all = width < 64 ? (1ull << width) - 1 : ~0ull;
	bool ones = (value >> (width - 1)) & 1;
	/* One bit above the ones that differ tells how the rest continues. */
	unsigned int needed = bit_length(ones ? ~value & all : value & all) + 1;
	unsigned int bits = MDO_BITS - msg->used;

	while (bits < needed)
		bits += MDO_BITS;
	if (bits > width) {
		/* Nothing can be skipped: zeroes fill the last byte. */
		nexus_fixed(msg, value & all, width);
	} else {
		nexus_fixed(msg, value, bits);
	}
	end_field(msg);
}

void nexus_end(struct nexus_message *msg)
{
	msg->bytes[msg->size - 1] |= MSEO_END_OF_MESSAGE;
}
