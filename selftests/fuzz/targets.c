// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: all entry points. */
#include "budget.h"
#include "target.h"

const struct fuzz_target fuzz_targets[] = {
	{ "debugspec", DEBUGSPEC_SETTINGS, fuzz_debugspec },
	{ "flow-debugspec", DEBUGSPEC_SETTINGS, fuzz_flow_debugspec },
	{ "etrace", ETRACE_SETTINGS, fuzz_etrace },
	{ "etrace-params", 0, fuzz_etrace_params },
	{ "ntrace", NTRACE_SETTINGS, fuzz_ntrace },
	{ "osd", OSD_SETTINGS, fuzz_osd },
	{ "event", EVENT_SETTINGS, fuzz_event },
	{ "event-dictionary", 0, fuzz_event_dictionary },
	{ "flow-etrace", ETRACE_SETTINGS, fuzz_flow_etrace },
	{ "flow-etrace-data", ETRACE_SETTINGS, fuzz_flow_etrace_data },
	{ "flow-ntrace", FLOW_NTRACE_SETTINGS, fuzz_flow_ntrace },
	{ "cdl", CDL_SETTINGS, fuzz_cdl },
	{ "cdl-params", 0, fuzz_cdl_params },
	{ "flow-cdl", CDL_SETTINGS, fuzz_flow_cdl },
	{ "recording", 0, fuzz_recording },
	{ "spaces", 0, fuzz_spaces },
	{ "images", 0, fuzz_images },
	{ "replay", 0, fuzz_replay },
	{ "elf", 0, fuzz_elf },
	{ "kallsyms", 0, fuzz_kallsyms },
	{ "request", 0, fuzz_request },
	{ "pib", PIB_SETTINGS, fuzz_pib },
	{ "atb", ATB_SETTINGS, fuzz_atb },
	{ },
};

#ifdef FUZZ_TARGET
/* For libFuzzer: -DFUZZ_TARGET=fuzz_etrace */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct cost most;

	budget_begin(size);
	FUZZ_TARGET(bytes, size);
	budget_end(&most);
	return 0;
}
#endif
