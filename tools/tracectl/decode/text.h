/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions as text, in the words of binutils. */
#ifndef RVTRACE_TRACECTL_TEXT_H
#define RVTRACE_TRACECTL_TEXT_H

#include <stdint.h>

#include <rvtrace/recording.h>

#define TEXT_SIZE	96	/* of an instruction */

struct text;

/* 0; -ENOTSUP: built without; -ENOENT: what it needs is not installed; or -ENOMEM. */
int text_new(struct text **text, struct rvtrace_failure *error);
void text_free(struct text *text);

/*
 * Mnemonic, a tab, operands; addresses with 0x. @code: @size bytes, of a hart of @xlen bits.
 * Valid until the next call; NULL: out of memory, or the library does not take our word.
 */
const char *text_of(struct text *text, unsigned int xlen, uint64_t address, const uint8_t *code,
		    unsigned int size);

#endif /* RVTRACE_TRACECTL_TEXT_H */
