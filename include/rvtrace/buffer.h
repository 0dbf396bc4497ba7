/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two parts of a circular buffer that a recorder wrote, in the order of time. */
#ifndef RVTRACE_BUFFER_H
#define RVTRACE_BUFFER_H

#include <stdint.h>

#include <rvtrace/decls.h>

RVTRACE_BEGIN_DECLS

/**
 * struct rvtrace_buffer_span - a part of a buffer
 * @from: offset of its first byte
 * @size: bytes, may be 0
 */
struct rvtrace_buffer_span {
	uint64_t from;
	uint64_t size;
};

/**
 * rvtrace_buffer_unwrap() - parts of a wrapped buffer to read, oldest trace first
 * @size: bytes of the buffer
 * @write: offset at which the recorder would write next, in bytes, at most @size
 * @spans: filled: the first part to read, and the second one
 */
static inline void rvtrace_buffer_unwrap(uint64_t size, uint64_t write,
					 struct rvtrace_buffer_span spans[2])
{
	spans[0] = (struct rvtrace_buffer_span) { write, size - write };
	spans[1] = (struct rvtrace_buffer_span) { 0, write };
}

RVTRACE_END_DECLS

#endif /* RVTRACE_BUFFER_H */
