// SPDX-License-Identifier: GPL-2.0
/* C++ exceptions: caught near and far, thrown again, with destructors on the way: see work.h. */
#include "selftests/calls/program/program.h"

namespace {

unsigned long destroyed;

/* Its destructor is a call from a landing pad. */
struct guard {
	explicit guard(unsigned int depth) : depth(depth) { }
	__attribute__((noinline)) ~guard() { destroyed += depth; }
	unsigned int depth;
};

struct error {
	unsigned int depth;
};

__attribute__((noinline, noreturn, cold)) void fail(unsigned int depth)
{
	guard here(depth);

	throw error { depth };
}

__attribute__((noinline)) unsigned long descend(unsigned int depth)
{
	guard here(depth);

	if (!depth)
		fail(1);
	return depth + descend(depth - 1);
}

/* Throws again what came from below. */
__attribute__((noinline)) unsigned long pass_on(unsigned int depth)
{
	guard here(depth);

	try {
		return descend(depth);
	} catch (const error &e) {
		guard there(e.depth);

		if (depth & 1)
			throw;
		throw error { depth };
	}
}

__attribute__((noinline)) unsigned long attempt(unsigned int depth)
{
	try {
		return depth & 2 ? pass_on(depth) : descend(depth);
	} catch (const error &e) {
		return e.depth;
	}
}

/* One that is caught while another one is under way */
__attribute__((noinline)) unsigned long within(unsigned int depth)
{
	try {
		return descend(depth);
	} catch (const error &e) {
		return e.depth + attempt(depth);
	}
}

} // namespace

extern "C" unsigned long work_exceptions(unsigned int rounds)
{
	unsigned long sum = 0;

	destroyed = 0;
	for (unsigned int i = 0; i < rounds; i++)
		sum += attempt(i % 7) + within(i % 5);
	return sum + destroyed;
}
