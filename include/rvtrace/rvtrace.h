/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every header of librvtrace. rvtrace/stm.h is none of them: it is for programs that are traced,
 * which link nothing, and it is configured by what they define before they include it.
 *
 * Structures that may grow begin with @size; all others stay as they are. The program sets it, before
 * the library fills one as well. All else that it does not set is 0:
 *
 *	struct rvtrace_flow_config config = { .size = sizeof(config), .isa.xlen = 64 };
 *
 * So a program goes on working with a newer librvtrace.so.0, which takes members that the program
 * does not know for 0, and with an older one. If that does not know a member that is not 0, it
 * returns RVTRACE_ERR_TOO_NEW, or -E2BIG where errors are those of errno. It does the same where it
 * fills a configuration, and the program does not know a member that is not 0; of statistics and
 * counts that is left out. A @size of less than the structure ever had, or of more than 64 KiB, is
 * RVTRACE_ERR_INVALID, or -EINVAL.
 *
 * Parameters of a single format, and struct rvtrace_isa, have no @size: they are members of such
 * structures. They never get larger, but have room, @reserved, that must be 0.
 */
#ifndef RVTRACE_RVTRACE_H
#define RVTRACE_RVTRACE_H

#include <rvtrace/buffer.h>
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
