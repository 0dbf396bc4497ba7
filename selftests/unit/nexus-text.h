/* SPDX-License-Identifier: GPL-2.0 */
/* Messages as text, so that a test can say what it expects. */
#ifndef RVTRACE_SELFTESTS_NEXUS_TEXT_H
#define RVTRACE_SELFTESTS_NEXUS_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct nexus_text_field {
	const char *name;
	unsigned int width;	/* 0: variable-length */
};

struct nexus_text_format {
	unsigned int tcode;
	const char *name;
	struct nexus_text_field fields[6];
};

/* N-Trace 1.0, table "Fields in Messages" */
static const struct nexus_text_format nexus_text_formats[] = {
	{ 2, "Ownership", { { "PROCESS", 0 } } },
	{ 3, "DirectBranch", { { "I-CNT", 0 } } },
	{ 4, "IndirectBranch",
	  { { "B-TYPE", 2 }, { "I-CNT", 0 }, { "U-ADDR", 0 } } },
	{ 7, "DataAcquisition", { { "IDTAG", 0 }, { "DQDATA", 0 } } },
	{ 8, "Error", { { "ETYPE", 4 }, { "ECODE", 0 } } },
	{ 9, "ProgTraceSync",
	  { { "SYNC", 4 }, { "I-CNT", 0 }, { "F-ADDR", 0 } } },
	{ 11, "DirectBranchSync",
	  { { "SYNC", 4 }, { "I-CNT", 0 }, { "F-ADDR", 0 } } },
	{ 12, "IndirectBranchSync",
	  { { "SYNC", 4 }, { "B-TYPE", 2 }, { "I-CNT", 0 }, { "F-ADDR", 0 } } },
	{ 27, "ResourceFull",
	  { { "RCODE", 4 }, { "RDATA", 0 }, { "HREPEAT", 0 } } },
	{ 28, "IndirectBranchHist",
	  { { "B-TYPE", 2 }, { "I-CNT", 0 }, { "U-ADDR", 0 }, { "HIST", 0 } } },
	{ 29, "IndirectBranchHistSync",
	  { { "SYNC", 4 }, { "B-TYPE", 2 }, { "I-CNT", 0 }, { "F-ADDR", 0 },
	    { "HIST", 0 } } },
	{ 30, "RepeatBranch", { { "B-CNT", 0 } } },
	{ 33, "ProgTraceCorrelation",
	  { { "EVCODE", 4 }, { "CDF", 2 }, { "I-CNT", 0 }, { "HIST", 0 } } },
};

/* A field and the end of the byte it ends in. */
struct nexus_text_bits {
	const uint8_t *bytes;
	size_t size;
	size_t at;		/* byte */
	unsigned int bit;	/* MDO bit in it */
};

static inline uint64_t nexus_text_take(struct nexus_text_bits *bits,
				       unsigned int width)
{
	uint64_t value = 0;
	unsigned int n = 0;

	for (;;) {
		if (width && n == width)
			return value;
		if (n < 64)
			value |= (uint64_t)(bits->bytes[bits->at] >> (bits->bit + 2) & 1) << n;
		n++;
		if (++bits->bit < 6)
			continue;
		bits->bit = 0;
		if (bits->bytes[bits->at++] & 3 || bits->at == bits->size)
			return value;
	}
}

/* Name and fields of one message; @src_bits wide SRC, TSTAMP last if any. */
static inline void nexus_text(char *text, size_t room, const uint8_t *message,
			      size_t size, unsigned int src_bits)
{
	struct nexus_text_bits bits = { .bytes = message, .size = size };
	unsigned int tcode = nexus_text_take(&bits, 6);
	const struct nexus_text_format *format = nexus_text_formats;
	const struct nexus_text_format *end = format +
		sizeof(nexus_text_formats) / sizeof(*nexus_text_formats);
	const struct nexus_text_field *field;
	uint64_t rcode = 0, cdf = 1, value;
	size_t used;

	while (format < end && format->tcode != tcode)
		format++;
	if (format == end) {
		snprintf(text, room, "TCODE=%u", tcode);
		return;
	}
	used = snprintf(text, room, "%s", format->name);
	if (src_bits)
		used += snprintf(text + used, room - used, " SRC=%llu",
				 (unsigned long long)nexus_text_take(&bits, src_bits));
	for (field = format->fields; field->name; field++) {
		if (!strcmp(field->name, "HREPEAT") && rcode != 2)
			continue;
		if (!strcmp(field->name, "HIST") && !cdf)
			continue;
		if (bits.at == size)
			break;
		value = nexus_text_take(&bits, field->width);
		if (!strcmp(field->name, "RCODE"))
			rcode = value;
		if (!strcmp(field->name, "CDF"))
			cdf = value;
		used += snprintf(text + used, room - used, " %s=0x%llx",
				 field->name, (unsigned long long)value);
	}
	if (bits.at < size)
		snprintf(text + used, room - used, " TSTAMP=%llu",
			 (unsigned long long)nexus_text_take(&bits, 0));
}

#endif /* RVTRACE_SELFTESTS_NEXUS_TEXT_H */
