/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One stream of the debug specification's trace for several encoders: the funnel that they lead to
 * has it, so that Change Hart, and Nops before synchronization points, are where its sink has them.
 */
#ifndef RVTRACE_MODEL_DEBUGSPEC_LINK_H
#define RVTRACE_MODEL_DEBUGSPEC_LINK_H

#include <stdbool.h>

#include "tools/encode/debugspec-stream.h"

/**
 * struct debugspec_link - that stream, as it is lent to one encoder at a time
 * @input: the funnel's, that the encoder leads to
 * @wait: the hart waits for room
 * @waited: it had to
 */
struct debugspec_link {
	struct debugspec_stream stream;
	unsigned int input;
	bool wait;
	bool waited;
};

#endif /* RVTRACE_MODEL_DEBUGSPEC_LINK_H */
