/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls and instructions of each function, from what executed: of the instructions of the windows,
 * the function is that of their symbol. It is called where its first instruction executes next
 * after a call, or after an instruction of another function on the same thread. What a trap
 * interrupted is what was before it.
 */
#ifndef RVTRACE_CALLS_FUNCTIONS_H
#define RVTRACE_CALLS_FUNCTIONS_H

#include "selftests/calls/align.h"
#include "selftests/calls/names.h"
#include "selftests/calls/shadow.h"

#define FUNCTION_SOURCES	64

/* From an instruction on, a hart executes @id; @begins: it is the first one of that */
struct function_run {
	uint64_t ordinal;
	uint32_t id;
	bool begins;
};

struct function_hart {
	struct function_run *runs;
	size_t count, room;
	struct rvtrace_call_function last;
	uint32_t process;
	int32_t priv;
};

struct functions {
	struct function_hart harts[FUNCTION_SOURCES];
};

/* An item of a hart, whose first instruction has that number */
void functions_take(struct functions *functions, struct names *names,
		    const struct rvtrace_flow_item *item, uint64_t ordinal);

/* 0; -1 with a text on stderr */
int functions_write(const struct functions *functions, const char *path,
		    const struct names *names, const struct align_hart *harts,
		    const struct shadow *shadow);

#endif /* RVTRACE_CALLS_FUNCTIONS_H */
