/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timestamps of fewer than 64 bits, which begin again at 0, and counters that lose power, which
 * count from 0 again: times go on, after restart number N from N << RESTART_BITS on.
 */
#ifndef RVTRACE_TIME_BITS_H
#define RVTRACE_TIME_BITS_H

#include <stdint.h>

#define RESTART_BITS	54	/* of time between two restarts: 208 days of 1 GHz */

/**
 * restart_bits() - the bits of timestamps that tell the time behind a restart
 * @bits: width of timestamps; 0: 64
 */
static inline unsigned int restart_bits(unsigned int bits)
{
	return bits && bits < RESTART_BITS ? bits : RESTART_BITS;
}

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

/**
 * restart_near() - a time that the first timestamp behind a restart is nearest to, whichever
 * @number: of the restart, from 1
 * @bits: width of timestamps; 0: 64
 */
static inline uint64_t restart_near(uint64_t number, unsigned int bits)
{
	return (number << RESTART_BITS) + (1ull << (restart_bits(bits) - 1));
}

/**
 * restart_time() - the time that the first timestamp behind a restart stands for
 * @number: of the restart, from 1
 * @stamp: the timestamp
 * @bits: width of timestamps; 0: 64
 */
static inline uint64_t restart_time(uint64_t number, uint64_t stamp, unsigned int bits)
{
	return (number << RESTART_BITS) + (stamp & ((1ull << restart_bits(bits)) - 1));
}

#endif /* RVTRACE_TIME_BITS_H */
