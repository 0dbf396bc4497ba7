/* SPDX-License-Identifier: GPL-2.0 */
/* Functions by number: each name is kept once. */
#ifndef RVTRACE_TRACECTL_FUNCTIONS_H
#define RVTRACE_TRACECTL_FUNCTIONS_H

#include "views.h"

struct functions;

/* NULL: no memory. */
struct functions *functions_new(void);
void functions_free(struct functions *functions);

/* The number of the code at @place, which executes in the kernel or not; 0: no memory. */
uint32_t functions_add(struct functions *functions, const struct symbol_place *place, bool kernel);

/* NULL: there is none of this number. */
const struct view_function *functions_get(const struct functions *functions, uint32_t id);
uint32_t functions_count(const struct functions *functions);

/* What parts of a function have in common with it; 0: it can have none. */
uint32_t functions_whole(const struct functions *functions, uint32_t id);

/* As rvtrace_calls_config.lands */
int functions_lands(const struct functions *functions, uint32_t id, uint64_t start,
		    uint64_t call_site, uint64_t landing);

#endif /* RVTRACE_TRACECTL_FUNCTIONS_H */
