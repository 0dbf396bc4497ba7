// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace-data-fields.h"

#include "tools/encode/etrace-payload.h"

/* Values of up to 128 bits */

uint64_t etrace_sign_extend(uint64_t value, unsigned int bits)
{
	return bits < 64 ? (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits)) : value;
}

static void sign_extend(const uint64_t value[2], unsigned int bits, uint64_t result[2])
{
	result[1] = value[1];
	if (bits <= 64) {
		result[0] = etrace_sign_extend(value[0], bits);
		result[1] = (uint64_t)((int64_t)result[0] >> 63);
	} else {
		result[0] = value[0];
		result[1] = etrace_sign_extend(value[1], bits - 64);
	}
}

void etrace_code_value(const uint64_t value[2], const struct etrace_last_value *last,
		       unsigned int diff, unsigned int size, uint64_t result[2])
{
	uint64_t coded[2] = { value[0], value[1] };

	if (diff == DIFF_XOR) {
		coded[0] ^= last->value[0];
		coded[1] ^= last->value[1];
	} else if (diff == DIFF_DATA) {
		coded[0] -= last->value[0];
		coded[1] -= last->value[1] + (value[0] < last->value[0]);
	}
	sign_extend(coded, 8u << size, result);
}

unsigned int etrace_value_length(const uint64_t value[2])
{
	unsigned int length = 1;
	uint64_t less[2];

	for (;; length++) {
		sign_extend(value, 8 * length, less);
		if (length == 16 || (less[0] == value[0] && less[1] == value[1]))
			return length - 1;
	}
}

void etrace_put_value(struct etrace_payload *payload, const uint64_t value[2], unsigned int width)
{
	etrace_put(payload, value[0], width < 64 ? width : 64);
	if (width > 64)
		etrace_put(payload, value[1], width - 64);
}

unsigned int etrace_coded_length(const uint64_t value[2], const struct etrace_last_value *last,
				 unsigned int diff, unsigned int size)
{
	uint64_t coded[2];

	etrace_code_value(value, last, diff, size, coded);
	return etrace_value_length(coded);
}

/* Widths of fields, and which there are */

bool etrace_has_values(const struct etrace_params *p)
{
	return !(p->modes & ETRACE_MODE(NO_DATA));
}

bool etrace_has_addresses(const struct etrace_params *p)
{
	return !(p->modes & ETRACE_MODE(NO_ADDRESS));
}

unsigned int etrace_log2_up(unsigned int value)
{
	unsigned int bits = 0;

	while (1u << bits < value)
		bits++;
	return bits;
}

unsigned int etrace_size_width(const struct etrace_params *p)
{
	if (p->data_width < 32)
		return 1;
	return p->data_width < 128 ? 2 : 3;
}

unsigned int etrace_csr_length_width(const struct etrace_params *p)
{
	return p->iaddress_width > 32 ? 3 : 2;
}

unsigned int etrace_class_width(const struct etrace_params *p)
{
	if (p->mmacas)
		return p->lrid_width ? 2 : etrace_log2_up(p->dtype_width);
	return p->dtype_width == 1 && !p->lrid_width ? 2 : 3;
}
