/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every header of librvtrace. rvtrace/stm.h is none of them: it is for programs that are traced,
 * which link nothing, and it is configured by what they define before they include it.
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
