/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the flow layer is told: parameters of a stream, and where the code of a source is looked up. */
#ifndef RVTRACE_FLOW_CONFIG_H
#define RVTRACE_FLOW_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/cdl.h>
#include <rvtrace/debugspec.h>
#include <rvtrace/decls.h>
#include <rvtrace/etrace_params.h>
#include <rvtrace/insn.h>
#include <rvtrace/ntrace.h>

RVTRACE_BEGIN_DECLS

enum rvtrace_flow_format {
	RVTRACE_FLOW_FORMAT_NTRACE,
	RVTRACE_FLOW_FORMAT_ETRACE,
	RVTRACE_FLOW_FORMAT_CDL,
	RVTRACE_FLOW_FORMAT_DEBUGSPEC,
};

/* rvtrace_flow_place.process: not known. */
#define RVTRACE_PROCESS_UNKNOWN	UINT32_MAX

/**
 * struct rvtrace_flow_query - whose code does a source execute?
 * @source: SRC
 * @has_context: @context is known
 * @has_time: @time is known
 * @context: address space (scontext)
 * @time: timestamp of the message whose code is about to be looked up
 * @offset: of that message, as items have it
 * @address: CDL: that the last jump led to
 * @task: what the hart wrote to tp last, the address of a task of the kernel; 0: not known
 */
struct rvtrace_flow_query {
	unsigned int source;
	bool has_context;
	bool has_time;
	uint64_t context;
	uint64_t time;
	uint64_t offset;
	uint64_t address;
	uint64_t task;
};

/**
 * struct rvtrace_flow_place - the answer
 * @user: address space of the image that holds U-mode code, or RVTRACE_SPACE_ANY
 * @kernel: address space of the image that holds what the kernel has beside the code it always
 *	has, or RVTRACE_SPACE_ANY
 * @from: first timestamp for which this holds
 * @until: first one for which it does not; UINT64_MAX: always. Of no meaning without a time
 * @process: what items say of it, or RVTRACE_PROCESS_UNKNOWN
 * @thread: the same; -1: not known. Of both see rvtrace_flow_config.task_switch
 * @thread_new: it was chosen so lately that the kernel may be yet to change to it
 * @of_task: @process and @thread are those of the query's task. If that began to run later than the
 *	query says, @from is when
 * @signal_return: to where a handler of signals returns, in Linux's vDSO; 0: not known
 */
struct rvtrace_flow_place {
	uint64_t user;
	uint64_t kernel;
	uint64_t from;
	uint64_t until;
	uint32_t process;
	int32_t thread;
	bool thread_new;
	bool of_task;
	uint64_t signal_return;
};

/**
 * typedef rvtrace_flow_resolve - answers where code is looked up
 * @data: rvtrace_flow_config.resolve_data
 * @query: the question
 * @place: the answer
 *
 * Asked when a source's context changes, its time leaves the range of the last answer, or the trace
 * tells of a write to tp. May change the image, but not what a space holds that is the last answer
 * to some source.
 *
 * Return: 0; RVTRACE_ERR_NO_MEMORY.
 */
typedef int (*rvtrace_flow_resolve)(void *data, const struct rvtrace_flow_query *query,
				    struct rvtrace_flow_place *place);

/* rvtrace_flow_config.branches_max if that is 0: E-Trace: a second of a loop without interrupts. */
#define RVTRACE_FLOW_BRANCHES_MAX	(1u << 30)

/*
 * The same of N-Trace: a loop of 1,024 half-words as often as B-CNT can say, which has 18 bits.
 * I-CNT of any encoder is far below ("Maximum Field Sizes": 22 bits).
 */
#define RVTRACE_FLOW_HALFWORDS_MAX	(1u << 28)

/**
 * struct rvtrace_flow_ntrace - N-Trace: what the stream does not say about itself
 * @extend_addr_msb: addresses leave out identical most significant bits
 * @implicit_return: returns to where the call came from are not reported
 *	(trTeInstImplicitReturnMode is not 0; teInstEnCallStack), whatever @modes say
 * @sequential_jump: nor are jumps whose target the instruction before them loaded
 *	(trTeInstEnSequentialJump)
 * @all_jumps: direct jumps are reported as taken branches (trTeInstEnAllJumps)
 * @count_returns: with @implicit_return: calls are counted, and no address is compared
 *	(trTeInstImplicitReturnMode is 1). Where returns lead is found out as with @sifive
 * @sifive: as SiFive's encoders have it, see struct rvtrace_ntrace_config; a timestamp is
 *	what differs from the one before, not what is to be added; returns are left out for each
 *	call that was counted, wherever they lead. Where that is not known, a stretch of unknown flow
 *	begins (RVTRACE_FLOW_UNFOLLOWED): behind @task_switch, where another task may have called;
 *	behind code that no image holds; where the address comes from elsewhere than a stack frame, as
 *	longjmp(), swapcontext() and handlers of exceptions have it, or is in another register than the
 *	call linked in; in a handler that returns to more than it called; where a return writer
 *	was called for the function, or a kernel jumps to a handler, and what the message counts does not
 *	tell where that leads (struct rvtrace_flow_kernel); at the end of a handler of a signal, unless
 *	that can be where @signal_return of struct rvtrace_flow_place says
 * @modes: by SRC: enum rvtrace_ntrace_mode, how branches are reported (trTeInstMode).
 *	Where that is not known, messages show it: a history, or DirectBranch. Until then software trace
 *	behind a count comes before the first branch in it, whose outcome may follow
 * @reserved: 0
 */
struct rvtrace_flow_ntrace {
	bool extend_addr_msb;
	bool implicit_return;
	bool sequential_jump;
	bool all_jumps;
	bool sifive;
	bool count_returns;
	uint8_t reserved[10];
	uint8_t modes[RVTRACE_NTRACE_SOURCES];
};

/**
 * RVTRACE_RETURN_WRITERS, RVTRACE_RETURN_CATCHERS, RVTRACE_TASK_STARTS, RVTRACE_HANDLERS - so many
 * functions at most
 */
#define RVTRACE_RETURN_WRITERS	5
#define RVTRACE_RETURN_CATCHERS	4
#define RVTRACE_TASK_STARTS	4
#define RVTRACE_HANDLERS	16

/**
 * struct rvtrace_flow_kernel - functions of a kernel to know where returns lead that no message reports
 * @return_writers: return writers: they change where another function returns to
 * @return_catchers: all to which functions return then; none where not all are known
 * @task_starts: all to which the function that changes tasks returns in a new task, not to its caller
 * @signal_setup: called once the frame of a handler of a signal is there, to which the kernel returns
 * @handlers: all that handle exceptions, to one of which the kernel jumps by an address from a table,
 *	in x5, as Linux does before 6.11
 *
 * 0: no more.
 */
struct rvtrace_flow_kernel {
	uint64_t return_writers[RVTRACE_RETURN_WRITERS];
	uint64_t return_catchers[RVTRACE_RETURN_CATCHERS];
	uint64_t task_starts[RVTRACE_TASK_STARTS];
	uint64_t signal_setup;
	uint64_t handlers[RVTRACE_HANDLERS];
};

/**
 * struct rvtrace_flow_config - what the stream does not say about itself
 * @size: sizeof(struct rvtrace_flow_config), see rvtrace/rvtrace.h
 * @format: message format
 * @isa: instruction set; @isa.xlen is the width of addresses too
 * @ntrace, @etrace, @cdl, @debugspec: parameters of the format; see rvtrace_flow_config_etrace(),
 *	rvtrace_flow_config_cdl(), rvtrace_flow_config_debugspec(). None is larger than @ntrace, so
 *	that what follows stays in its place
 * @trap_vector: E-Trace, implicit exception mode: the vector (mtvec, stvec: with its mode in bits
 *	1:0) that a trap to privilege 0 to 3 goes through; 0: not known, then such a trap is
 *	RVTRACE_ERR_VECTOR, and decoding goes on at the next synchronization. A guest's vectors
 *	(vstvec) never are
 * @task_switch: of a kernel, the address behind the instruction by which it changes to another task;
 *	0: not known. Where a resolver gives another thread, by time, items have thread and process
 *	before it up to there, but no user's, and not for more than 16,384 instructions. Where none is
 *	known before, as behind a loss, and the other is new, they have none. Where the kernel gets
 *	there before any time says so, as between synchronizations that alone have times, the next one
 *	by time executes behind it. What is of no known privilege is the kernel's here
 * @kernel: functions of a kernel, see rvtrace_flow_ntrace.sifive
 * @thread_switch: identifier of the software trace events that tell what harts write to tp; 0: of
 *	none. Where a resolver knows the task of one, that executes behind @task_switch, whatever
 *	the time is, up to the next one or to a loss of events
 * @src_bits: width of SRC, 0 if messages have none
 * @priv_by_address: the encoders do not tell the privilege (trTeContext is 0 or not there), but a
 *	Linux kernel has the upper half of all addresses, see below. Ownership messages are then
 *	software's data. @isa.xlen must be 64
 * @time_bits: width of timestamps, which begin again at 0 behind the last one; 0: 64
 * @time_near: a time less than half their range away from the first one
 * @branches_max: E-Trace: a packet of more branches than these, all predicted, is
 *	RVTRACE_ERR_FIELD, and decoding goes on at the next synchronization: it is more likely
 *	damaged, and the walk takes as long as it says. N-Trace: so is a message of more half-words
 *	(I-CNT), and RepeatBranch of more, all together; behind that decoding goes on at the next
 *	address. 0: RVTRACE_FLOW_BRANCHES_MAX, N-Trace: RVTRACE_FLOW_HALFWORDS_MAX
 * @jvt: CSR jvt, base of the table of cm.jt and cm.jalt
 * @resolve: where code is looked up; NULL: in the address space that the context names
 * @resolve_data: for @resolve
 */
struct rvtrace_flow_config {
	size_t size;
	enum rvtrace_flow_format format;
	struct rvtrace_isa isa;
	union {
		struct rvtrace_flow_ntrace ntrace;
		struct rvtrace_etrace_params etrace;
		struct rvtrace_cdl_config cdl;
		struct rvtrace_debugspec_config debugspec;
	};
	uint64_t trap_vector[4];
	uint64_t task_switch;
	struct rvtrace_flow_kernel kernel;
	uint16_t thread_switch;
	uint8_t src_bits;
	bool priv_by_address;
	uint8_t time_bits;
	uint64_t time_near;
	uint64_t branches_max;
	uint64_t jvt;
	rvtrace_flow_resolve resolve;
	void *resolve_data;
};

RVTRACE_END_DECLS

#endif /* RVTRACE_FLOW_CONFIG_H */
