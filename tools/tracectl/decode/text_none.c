// SPDX-License-Identifier: GPL-2.0
/* Instructions as text, in a program that was built without. */
#include <errno.h>

#include "text.h"

int text_new(struct text **text, struct rvtrace_failure *error)
{
	*text = NULL;
	return rvtrace_fail(error, ENOTSUP, 0,
			    "--text: this tracectl was built without libopcodes (binutils-dev)");
}

void text_free(struct text *text)
{
	(void)text;
}

const char *text_of(struct text *text, unsigned int xlen, uint64_t address, const uint8_t *code,
		    unsigned int size)
{
	(void)text;
	(void)xlen;
	(void)address;
	(void)code;
	(void)size;
	return NULL;
}
