/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Includes every header of librvtrace. It does not include rvtrace/stm.h, which is for programs
 * that are traced: they do not link the library, and configure that header with macros before they
 * include it.
 *
 * Structures that may grow begin with @size; the layout of all others is fixed. The program sets
 * @size, also for structures that the library fills. All unset members are 0:
 *
 *	struct rvtrace_flow_config config = { .size = sizeof(config), .isa.xlen = 64 };
 *
 * So a program also works with a newer librvtrace.so.0, which takes members that the program does
 * not know as 0, and with an older one. If an older library does not know a member that is not 0,
 * it returns RVTRACE_ERR_TOO_NEW, or -E2BIG from functions that return a negative errno. A library
 * that fills a configuration does the same if the program does not know a member that is not 0; it
 * leaves out such members of statistics and counts. If @size is less than the structure ever had,
 * or more than 64 KiB, the function returns RVTRACE_ERR_INVALID, or -EINVAL.
 *
 * Parameters of a single format, and struct rvtrace_isa, have no @size, because they are members of
 * such structures. Their size is fixed. They have room for new members, @reserved, that must be 0.
 */
#ifndef RVTRACE_RVTRACE_H
#define RVTRACE_RVTRACE_H

#include <rvtrace/buffer.h>
#include <rvtrace/calls.h>
#include <rvtrace/cdl.h>
#include <rvtrace/clock.h>
#include <rvtrace/control.h>
#include <rvtrace/debugspec.h>
#include <rvtrace/device.h>
#include <rvtrace/error.h>
#include <rvtrace/etrace.h>
#include <rvtrace/etrace_params.h>
#include <rvtrace/event.h>
#include <rvtrace/event_dictionary.h>
#include <rvtrace/event_pair.h>
#include <rvtrace/event_string.h>
#include <rvtrace/flow.h>
#include <rvtrace/flow_config.h>
#include <rvtrace/flow_item.h>
#include <rvtrace/format.h>
#include <rvtrace/image.h>
#include <rvtrace/insn.h>
#include <rvtrace/landing.h>
#include <rvtrace/missing.h>
#include <rvtrace/ntrace.h>
#include <rvtrace/osd.h>
#include <rvtrace/parallel.h>
#include <rvtrace/program.h>
#include <rvtrace/recording.h>
#include <rvtrace/replay.h>
#include <rvtrace/resolver.h>
#include <rvtrace/sideband.h>
#include <rvtrace/spaces.h>
#include <rvtrace/switches.h>
#include <rvtrace/threads.h>
#include <rvtrace/unwrap.h>

#endif /* RVTRACE_RVTRACE_H */
