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
	}
	return "unknown damage";
}
