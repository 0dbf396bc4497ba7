// SPDX-License-Identifier: LGPL-2.1-or-later
/* Errors in words. */
#include <rvtrace/error.h>

const char *rvtrace_strerror(int error)
{
	switch (error) {
	case RVTRACE_OK:
		return "no error";
	case RVTRACE_ERR_NO_MEMORY:
		return "out of memory";
	case RVTRACE_ERR_INVALID:
		return "invalid argument";
	case RVTRACE_ERR_BUSY:
		return "earlier bytes are not consumed yet";
	case RVTRACE_ERR_IO:
		return "cannot read the file";
	case RVTRACE_ERR_NOT_ELF:
		return "not an ELF file for RISC-V, or a damaged one";
	case RVTRACE_ERR_TOO_NEW:
		return "a parameter that the older of program and librvtrace does not know";
	case RVTRACE_ERR_MSEO:
		return "reserved MSEO sequence";
	case RVTRACE_ERR_TRUNCATED:
		return "message ends before its last field";
	case RVTRACE_ERR_TRAILING:
		return "message continues after its last field";
	case RVTRACE_ERR_TOO_LONG:
		return "message is longer than any message may be";
	case RVTRACE_ERR_FIELD:
		return "field is too large or has a reserved value";
	case RVTRACE_ERR_EXTEND:
		return "packet has a timestamp, but its kind carries none";
	case RVTRACE_ERR_RESERVED:
		return "reserved control nybble";
	case RVTRACE_ERR_SYNC:
		return "synchronization is missing where it is required";
	case RVTRACE_ERR_HEADER:
		return "reserved or custom header, of unknown length";
	case RVTRACE_ERR_VERSION:
		return "trace data of an unknown version";
	case RVTRACE_ERR_ICNT:
		return "instruction count ends inside an instruction";
	case RVTRACE_ERR_HISTORY:
		return "branch history does not fit the code";
	case RVTRACE_ERR_JUMP:
		return "indirect jumps in the code and in the trace differ";
	case RVTRACE_ERR_BRANCH:
		return "taken branch reported where the code has none";
	case RVTRACE_ERR_ADDRESS:
		return "synchronization at another address than the flow had reached";
	case RVTRACE_ERR_INSTRUCTION:
		return "not a RISC-V instruction";
	case RVTRACE_ERR_REPEAT:
		return "nothing to repeat";
	case RVTRACE_ERR_LOOP:
		return "the code never reaches what the message describes";
	case RVTRACE_ERR_VECTOR:
		return "trap without its handler, and the trap vector (stvec, mtvec) is not known";
	case RVTRACE_ERR_MODE:
		return "message of another mode (branch, history) than in the parameters";
	case RVTRACE_ERR_EMIT:
		return "packet of a kind that the parameters exclude";
	case RVTRACE_ERR_CALLS:
		return "a return is reported that the count of calls leaves out";
	}
	return "unknown error";
}
