/* SPDX-License-Identifier: GPL-2.0 */
/* CDL compressed trace as text: nybbles as hexadecimal digits, in the order of the stream. */
#ifndef RVTRACE_CDL_TEXT_H
#define RVTRACE_CDL_TEXT_H

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of @text, which may have spaces; the last one is filled with a Skip. */
static inline size_t cdl_bytes(const char *text, uint8_t *bytes)
{
	size_t nybbles = 0;

	for (; *text; text++) {
		char digit[2] = { *text, 0 };

		if (!isxdigit((unsigned char)*text))
			continue;
		if (nybbles % 2)
			bytes[nybbles / 2] |= strtoul(digit, NULL, 16) << 4;
		else
			bytes[nybbles / 2] = strtoul(digit, NULL, 16);
		nybbles++;
	}
	return (nybbles + 1) / 2;
}

#endif /* RVTRACE_CDL_TEXT_H */
