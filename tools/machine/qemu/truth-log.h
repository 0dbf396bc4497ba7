/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_RVTRACE_TRUTH_LOG_H
#define HW_RVTRACE_TRUTH_LOG_H

/**
 * rvtruth_open() - log what retires between the marker instructions
 * @prefix: hart N is logged to PREFIX.N, in the format of truth.h
 *
 * Call once, when all harts exist and none runs yet.
 */
void rvtruth_open(const char *prefix, Error **errp);

#endif
