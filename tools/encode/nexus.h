/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nexus messages as bytes of 6 MDO and 2 MSEO bits (N-Trace 1.0 chapter
 * "N-Trace Transmission Protocol").
 */
#ifndef RVTRACE_NEXUS_H
#define RVTRACE_NEXUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* N-Trace 1.0: 38 bytes at most; rounded up. */
#define NEXUS_MAX_MESSAGE	40

#define NEXUS_IDLE		0xff

struct nexus_message {
	uint8_t bytes[NEXUS_MAX_MESSAGE];
	uint8_t size;		/* bytes begun */
	uint8_t used;		/* MDO bits used in the last one */
};

static inline void nexus_begin(struct nexus_message *msg)
{
	msg->size = 0;
	msg->used = 6;
}

/* Append a fixed-length field of @width bits, 0 to 64. */
void nexus_fixed(struct nexus_message *msg, uint64_t value, unsigned int width);

/* Append a variable-length field; most significant zeroes are not sent. */
void nexus_variable(struct nexus_message *msg, uint64_t value);

/*
 * Append a variable-length field whose most significant transmitted bit
 * stands for all above it (chapter "Virtual Addresses Optimization").
 * @value has @width bits.
 */
void nexus_extended(struct nexus_message *msg, uint64_t value,
		    unsigned int width);

/* Mark the end of the message. */
void nexus_end(struct nexus_message *msg);

#endif /* RVTRACE_NEXUS_H */
