/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timestamps of fewer than 64 bits, which begin again at 0. */
#ifndef RVTRACE_TIME_BITS_H
#define RVTRACE_TIME_BITS_H

#include <stdint.h>

/**
 * nearest_time() - the time that a timestamp stands for
 * @near: a time less than half the range of timestamps away
 * @stamp: the timestamp; what it has above @bits does not matter
 * @bits: width of timestamps; 0: 64
 *
 * Return: the time, the same as @stamp in its lower @bits bits.
 */
static inline uint64_t nearest_time(uint64_t near, uint64_t stamp, unsigned int bits)
{
	unsigned int above = bits ? 64 - bits : 0;

	return near + (uint64_t)((int64_t)((stamp - near) << above) >> above);
}

#endif /* RVTRACE_TIME_BITS_H */
