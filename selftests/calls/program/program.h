/* SPDX-License-Identifier: GPL-2.0 */
/* Jobs of rvtrace-calls: ways into functions and out of them. */
#ifndef RVTRACE_CALLS_PROGRAM_H
#define RVTRACE_CALLS_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* Each returns a number that depends on @rounds alone, and calls functions more often with more. */
unsigned long work_signals(unsigned int rounds);
unsigned long work_longjmp(unsigned int rounds);
unsigned long work_coroutines(unsigned int rounds);
unsigned long work_tail_calls(unsigned int rounds);
unsigned long work_callbacks(unsigned int rounds);
unsigned long work_threads(unsigned int rounds);
unsigned long work_processes(unsigned int rounds);
unsigned long work_recursion(unsigned int rounds);
unsigned long work_exceptions(unsigned int rounds);

#ifdef __cplusplus
}
#endif

#endif /* RVTRACE_CALLS_PROGRAM_H */
