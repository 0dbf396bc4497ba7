/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of data trace in packets: how they are compressed, and how wide their fields are. */
#ifndef RVTRACE_ENCODE_ETRACE_DATA_FIELDS_H
#define RVTRACE_ENCODE_ETRACE_DATA_FIELDS_H

#include "tools/encode/etrace.h"

struct etrace_payload;

/* diff; of data alone, without DIFF_FULL_DATA */
#define DIFF_SYNC		0
#define DIFF_XOR		1
#define DIFF_FULL_DATA		2
#define DIFF_DATA		3

uint64_t etrace_sign_extend(uint64_t value, unsigned int bits);

/* What is sent of @value under @diff, sign-extended from 2^@size bytes. */
void etrace_code_value(const uint64_t value[2], const struct etrace_last_value *last,
		       unsigned int diff, unsigned int size, uint64_t result[2]);

/* "data_len field": bytes, less one, from which the sign tells the rest. */
unsigned int etrace_value_length(const uint64_t value[2]);

/* The same of what is sent of @value. */
unsigned int etrace_coded_length(const uint64_t value[2], const struct etrace_last_value *last,
				 unsigned int diff, unsigned int size);

void etrace_put_value(struct etrace_payload *payload, const uint64_t value[2], unsigned int width);

/* Whether packets have data, and addresses. */
bool etrace_has_values(const struct etrace_params *p);
bool etrace_has_addresses(const struct etrace_params *p);

/* Bits that hold any number below @value. */
unsigned int etrace_log2_up(unsigned int value);

/* Bits of the size field, of the length of what a CSR holds, and of format. */
unsigned int etrace_size_width(const struct etrace_params *p);
unsigned int etrace_csr_length_width(const struct etrace_params *p);
unsigned int etrace_class_width(const struct etrace_params *p);

#endif /* RVTRACE_ENCODE_ETRACE_DATA_FIELDS_H */
