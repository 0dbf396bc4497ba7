/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors of the decoders. Functions return 0 or a positive result on success, and one of these
 * negative values on failure.
 *
 * Functions that read or write files return a negative errno instead. If they have an argument for
 * it, they fill a struct rvtrace_failure.
 */
#ifndef RVTRACE_ERROR_H
#define RVTRACE_ERROR_H

#include <stdint.h>

#include <rvtrace/decls.h>

RVTRACE_BEGIN_DECLS

/**
 * enum rvtrace_error - errors
 * @RVTRACE_OK: no error
 * @RVTRACE_ERR_NO_MEMORY: an allocation failed
 * @RVTRACE_ERR_INVALID: an argument is out of range
 * @RVTRACE_ERR_BUSY: bytes of an earlier call are not all consumed yet
 * @RVTRACE_ERR_IO: a file cannot be opened or read; errno has the reason
 * @RVTRACE_ERR_NOT_ELF: not an ELF file for RISC-V, or a damaged one
 * @RVTRACE_ERR_TOO_NEW: a structure has members other than 0 that only a newer library knows; or
 *	the library fills a structure, and a member other than 0 is missing in an older program's
 *	structure
 * @RVTRACE_ERR_MSEO: reserved sequence of MSEO bits (N-Trace 1.0, "MSEO Sequences")
 * @RVTRACE_ERR_TRUNCATED: the message ends before its last field
 * @RVTRACE_ERR_TRAILING: the message continues after its last field
 * @RVTRACE_ERR_TOO_LONG: the message is longer than any valid message
 * @RVTRACE_ERR_FIELD: a field has more bits than its maximum, or a reserved value without which the
 *	rest of the message has no meaning
 * @RVTRACE_ERR_EXTEND: a packet claims a timestamp, but packets have none (encapsulation 1.0,
 *	"Header")
 * @RVTRACE_ERR_RESERVED: a reserved control nybble (CDL)
 * @RVTRACE_ERR_SYNC: a required synchronization is missing
 * @RVTRACE_ERR_HEADER: a reserved or custom header, so that nothing after it can be read
 *	(debug specification, "Trace Data Format")
 * @RVTRACE_ERR_VERSION: trace data of an unknown version
 * @RVTRACE_ERR_ICNT: the instruction count ends inside an instruction
 * @RVTRACE_ERR_HISTORY: too few or too many branch history bits for the code
 * @RVTRACE_ERR_JUMP: the flow passed an indirect jump whose target no message reported, or a
 *	message reported a target where the code has no such jump
 * @RVTRACE_ERR_BRANCH: a taken branch was reported where the code has no branch
 * @RVTRACE_ERR_ADDRESS: the address in a synchronizing message differs from the address that the
 *	flow had reached
 * @RVTRACE_ERR_INSTRUCTION: not a RISC-V instruction
 * @RVTRACE_ERR_REPEAT: a repeat count without a message that can be repeated
 * @RVTRACE_ERR_LOOP: the code never reaches what the message describes
 * @RVTRACE_ERR_VECTOR: the message omits the handler of a trap, and the vector was not configured
 * @RVTRACE_ERR_MODE: a branch history in Branch Trace Messaging, or DirectBranch in History Trace
 *	Messaging, against the parameters. The contents of the message are used
 * @RVTRACE_ERR_EMIT: a packet of a kind that is not traced according to the parameters (debug
 *	specification, "Trace Registers"). It is not used
 * @RVTRACE_ERR_CALLS: a return is reported that the count of calls omits. The reported address is
 *	used
 */
enum rvtrace_error {
	RVTRACE_OK = 0,
	RVTRACE_ERR_NO_MEMORY = -1,
	RVTRACE_ERR_INVALID = -2,
	RVTRACE_ERR_BUSY = -3,
	RVTRACE_ERR_IO = -4,
	RVTRACE_ERR_NOT_ELF = -5,
	RVTRACE_ERR_TOO_NEW = -6,
	/* packet layer */
	RVTRACE_ERR_MSEO = -16,
	RVTRACE_ERR_TRUNCATED = -17,
	RVTRACE_ERR_TRAILING = -18,
	RVTRACE_ERR_TOO_LONG = -19,
	RVTRACE_ERR_FIELD = -20,
	RVTRACE_ERR_EXTEND = -21,
	RVTRACE_ERR_RESERVED = -22,
	RVTRACE_ERR_SYNC = -23,
	RVTRACE_ERR_HEADER = -24,
	RVTRACE_ERR_VERSION = -25,
	/* flow layer */
	RVTRACE_ERR_ICNT = -32,
	RVTRACE_ERR_HISTORY = -33,
	RVTRACE_ERR_JUMP = -34,
	RVTRACE_ERR_BRANCH = -35,
	RVTRACE_ERR_ADDRESS = -36,
	RVTRACE_ERR_INSTRUCTION = -37,
	RVTRACE_ERR_REPEAT = -38,
	RVTRACE_ERR_LOOP = -39,
	RVTRACE_ERR_VECTOR = -40,
	RVTRACE_ERR_MODE = -41,
	RVTRACE_ERR_EMIT = -42,
	RVTRACE_ERR_CALLS = -43,
};

/**
 * rvtrace_strerror() - text of an error
 * @error: one of enum rvtrace_error
 *
 * Return: a static string, never NULL.
 */
const char *rvtrace_strerror(int error);

/**
 * struct rvtrace_failure - description of a failure
 * @code: errno value, positive; EBADMSG if a file has invalid contents
 * @offset: byte offset in the file, if it has a meaning, else 0
 * @text: one line: file, offset if it helps, reason
 */
struct rvtrace_failure {
	int code;
	uint64_t offset;
	char text[512];
};

/**
 * rvtrace_fail_room - fill an error: a file system would have less than min_free
 * @error: filled, may be NULL
 * @name: name of the file that cannot be written
 * @available: free bytes
 * @min_free: bytes that must stay free
 *
 * Return: -ENOSPC.
 */
int rvtrace_fail_room(struct rvtrace_failure *error, const char *name, uint64_t available,
		      uint64_t min_free);

/**
 * rvtrace_fail - fill an error
 * @error: filled, may be NULL
 * @code: errno value, positive
 * @offset: byte offset in a file, or 0
 * @format: printf format of one line
 *
 * Return: -@code.
 */
__attribute__((format(printf, 4, 5)))
int rvtrace_fail(struct rvtrace_failure *error, int code, uint64_t offset,
		 const char *format, ...);

RVTRACE_END_DECLS

#endif /* RVTRACE_ERROR_H */
