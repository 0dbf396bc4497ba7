// SPDX-License-Identifier: LGPL-2.1-or-later
/* Damage in words. */
#include <rvtrace/unwrap.h>

const char *rvtrace_unwrap_damage_text(enum rvtrace_unwrap_damage_kind kind)
{
	switch (kind) {
	case RVTRACE_UNWRAP_UNSYNCHRONIZED:
		return "before the first place where reading can begin";
	case RVTRACE_UNWRAP_TRUNCATED:
		return "ends too early";
	case RVTRACE_UNWRAP_RESERVED_ID:
		return "reserved ATB ID";
	case RVTRACE_UNWRAP_GLITCH:
		return "change for less than half a bit";
	case RVTRACE_UNWRAP_STOP:
		return "stop bit is low";
	case RVTRACE_UNWRAP_TRANSITION:
		return "high in both phases of a bit";
	case RVTRACE_UNWRAP_BYTE:
		return "stop bit within a byte";
	case RVTRACE_UNWRAP_MSEO:
		return "reserved MSEO sequence";
	case RVTRACE_UNWRAP_TOO_LONG:
		return "message is longer than any message may be";
	case RVTRACE_UNWRAP_ALIGNMENT:
		return "null.alignment is missing or not where it should be";
	case RVTRACE_UNWRAP_CALIBRATION:
		return "differs from the calibration pattern";
	}
	return "unknown damage";
}
