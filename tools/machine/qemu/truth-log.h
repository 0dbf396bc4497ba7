/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_RVTRACE_TRUTH_LOG_H
#define HW_RVTRACE_TRUTH_LOG_H

#include "target/riscv/cpu.h"

/**
 * rvtruth_open() - log what retires between the marker instructions
 * @prefix: hart N is logged to PREFIX.N, in the format of truth.h
 * @calls: and its calls to PREFIX.calls.N
 *
 * Call once, when all harts exist and none runs yet.
 */
void rvtruth_open(const char *prefix, bool calls, Error **errp);

/* Number of instructions of the window that have retired */
uint64_t rvtruth_index(CPURISCVState *env);

/*
 * The log of calls, truth-calls.c: hart N's is PREFIX.calls.N. What has to be written is when a
 * window ends and when the machine does.
 */
void rvtruth_calls_open(const char *prefix, CPURISCVState *env, Error **errp);
void rvtruth_calls_window(CPURISCVState *env, bool begin);
void rvtruth_calls_state(CPURISCVState *env);
void rvtruth_calls_flush(CPURISCVState *env);

#endif
