// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace-payload.h"

#include <string.h>

#define HEADER_FLOW	5
#define HEADER_EXTEND	0x80

static bool get_bit(const uint8_t *bytes, unsigned int bit)
{
	return bytes[bit / 8] >> bit % 8 & 1;
}

static void put_bit(uint8_t *bytes, unsigned int bit, bool value)
{
	if (value)
		bytes[bit / 8] |= 1 << bit % 8;
	else
		bytes[bit / 8] &= ~(1 << bit % 8);
}

void etrace_put(struct etrace_payload *payload, uint64_t value, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++)
		put_bit(payload->bytes, payload->bits++, value >> i & 1);
}

bool etrace_last_bit(const struct etrace_payload *payload)
{
	return get_bit(payload->bytes, payload->bits - 1);
}

void etrace_compress(struct etrace_payload *payload)
{
	bool sign = etrace_last_bit(payload);

	while (payload->bits > 1 && get_bit(payload->bytes, payload->bits - 2) == sign)
		payload->bits--;
}

static void extend(struct etrace_payload *payload, unsigned int bits)
{
	bool sign = etrace_last_bit(payload);

	while (payload->bits < bits)
		put_bit(payload->bytes, payload->bits++, sign);
}

static unsigned int round_up(unsigned int bits)
{
	return (bits + 7) / 8 * 8;
}

static size_t put_bytes(uint8_t *out, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		out[i] = value >> 8 * i;
	return bytes;
}

size_t etrace_wrap(struct etrace_payload *payload, const struct etrace_wrapping *wrapping,
		   uint8_t *out)
{
	unsigned int src_bytes = wrapping->src_bits / 8, src_rest = wrapping->src_bits % 8;
	unsigned int before = src_rest + wrapping->type_bits;
	struct etrace_payload tail = { .bits = 0 };
	unsigned int length;
	size_t size = 1;

	if (wrapping->sign_padding)
		extend(payload, round_up(before + payload->bits) - before);
	else
		extend(payload, round_up(payload->bits));
	etrace_put(&tail, wrapping->src >> 8 * src_bytes, src_rest);
	etrace_put(&tail, wrapping->type, wrapping->type_bits);
	for (unsigned int i = 0; i < payload->bits; i++)
		put_bit(tail.bytes, tail.bits++, get_bit(payload->bytes, i));
	length = round_up(tail.bits) / 8;
	out[0] = length | wrapping->flow << HEADER_FLOW;
	if (wrapping->timestamp_bytes)
		out[0] |= HEADER_EXTEND;
	size += put_bytes(out + size, wrapping->src, src_bytes);
	size += put_bytes(out + size, wrapping->timestamp, wrapping->timestamp_bytes);
	memcpy(out + size, tail.bytes, length);
	return size + length;
}
