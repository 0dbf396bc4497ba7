/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Configuration of the flow layer: parameters of a stream, and lookup of the code of a source. */
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

/* rvtrace_flow_place.process: unknown. */
#define RVTRACE_PROCESS_UNKNOWN	UINT32_MAX

/**
 * struct rvtrace_flow_query - question to a resolver: which code does a source execute?
 * @source: SRC
 * @has_context: @context is known
 * @has_time: @time is known
 * @context: address space (scontext)
 * @time: timestamp of the message whose code is looked up next
 * @offset: offset of that message, as in items
 * @address: CDL: target of the last jump
 * @task: last value that the hart wrote to tp, the address of a kernel's task; 0: unknown
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
 * struct rvtrace_flow_place - answer of a resolver
 * @user: address space of the image that holds U-mode code, or RVTRACE_SPACE_ANY
 * @kernel: address space of the image that holds the kernel's code, in addition to the code that it
 *	always has, or RVTRACE_SPACE_ANY
 * @from: first timestamp for which the answer is valid
 * @until: first timestamp for which it is no longer valid; UINT64_MAX: always valid. Without
 *	meaning if there is no time
 * @process: process for items, or RVTRACE_PROCESS_UNKNOWN; see rvtrace_flow_config.task_switch
 * @thread: thread for items, -1: unknown; see rvtrace_flow_config.task_switch
 * @thread_new: the thread was chosen so recently that the kernel may not have switched to it yet
 * @of_task: @process and @thread belong to the query's task. If the task began to run after the
 *	time of the query, @from is the time at which it began
 * @signal_return: address in Linux's vDSO to which a signal handler returns; 0: unknown
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
 * typedef rvtrace_flow_resolve - resolver: selects where code is looked up
 * @data: rvtrace_flow_config.resolve_data
 * @query: the question
 * @place: filled with the answer
 *
 * Called when a source's context changes, when its time leaves the range of the last answer, or
 * when the trace reports a write to tp. It may change the image, except the contents of a space
 * that is the last answer to some source.
 *
 * Return: 0; RVTRACE_ERR_NO_MEMORY.
 */
typedef int (*rvtrace_flow_resolve)(void *data, const struct rvtrace_flow_query *query,
				    struct rvtrace_flow_place *place);

/* Default of branches_max: E-Trace: branches in a second of a loop without interrupts. */
#define RVTRACE_FLOW_BRANCHES_MAX	(1u << 30)

/*
 * Default of branches_max, N-Trace: a loop of 1,024 half-words, repeated as often as B-CNT can
 * express, which has 18 bits. I-CNT of any encoder is far less ("Maximum Field Sizes": 22 bits).
 */
#define RVTRACE_FLOW_HALFWORDS_MAX	(1u << 28)

/**
 * struct rvtrace_flow_ntrace - N-Trace parameters that the stream does not contain
 * @extend_addr_msb: addresses omit identical most significant bits
 * @implicit_return: returns to the address after the call are not reported
 *	(trTeInstImplicitReturnMode is not 0; teInstEnCallStack), for any @modes
 * @sequential_jump: jumps are not reported either if the instruction before them loaded their
 *	target (trTeInstEnSequentialJump)
 * @all_jumps: direct jumps are reported as taken branches (trTeInstEnAllJumps)
 * @count_returns: with @implicit_return: calls are counted, and no address is compared
 *	(trTeInstImplicitReturnMode is 1). Targets of returns are determined as with @sifive
 * @sifive: dialect of SiFive's encoders, see struct rvtrace_ntrace_config. A timestamp is to be
 *	XORed with the previous one, not added to it. The encoder omits one return for each
 *	counted call, regardless of its target. If the target is unknown, a stretch of unknown flow
 *	begins (RVTRACE_FLOW_UNFOLLOWED). This is the case: after @task_switch, because another task
 *	may have made the call; after code that is in no image; if the address does not come from a
 *	stack frame, as with longjmp(), swapcontext() and exception handlers, or is in another
 *	register than the one in which the call linked; in a handler that returns more often than it
 *	called; if a return writer was called for the function, or a kernel jumps to a handler, and
 *	the counts of the message do not determine the target (struct rvtrace_flow_kernel); at the
 *	end of a signal handler, unless it can return to @signal_return of struct rvtrace_flow_place
 * @modes: by SRC: enum rvtrace_ntrace_mode, how branches are reported (trTeInstMode). Messages show
 *	an unknown mode: a history, or DirectBranch. Before that, software trace after a count is
 *	reported before the first branch in it, because the outcome of the branch may follow
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

/*
 * RVTRACE_RETURN_WRITERS, RVTRACE_RETURN_CATCHERS, RVTRACE_TASK_STARTS, RVTRACE_HANDLERS: maximum
 * numbers of functions
 */
#define RVTRACE_RETURN_WRITERS	5
#define RVTRACE_RETURN_CATCHERS	4
#define RVTRACE_TASK_STARTS	4
#define RVTRACE_HANDLERS	16

/**
 * struct rvtrace_flow_kernel - functions of a kernel that determine targets of unreported returns
 * @return_writers: functions that change the return address of another function
 * @return_catchers: all functions to which the changed addresses lead; none if not all are known
 * @task_starts: all functions to which the function that changes tasks returns in a new task,
 *	instead of to its caller
 * @signal_setup: function that is called once the frame of a signal handler is set up
 * @handlers: all functions that handle exceptions. The kernel jumps to one of them by an address
 *	from a table, in x5, as Linux before 6.11 does
 *
 * 0 ends each list.
 */
struct rvtrace_flow_kernel {
	uint64_t return_writers[RVTRACE_RETURN_WRITERS];
	uint64_t return_catchers[RVTRACE_RETURN_CATCHERS];
	uint64_t task_starts[RVTRACE_TASK_STARTS];
	uint64_t signal_setup;
	uint64_t handlers[RVTRACE_HANDLERS];
};

/**
 * struct rvtrace_flow_config - parameters that the stream does not contain
 * @size: sizeof(struct rvtrace_flow_config), see rvtrace/rvtrace.h
 * @format: message format
 * @isa: instruction set; @isa.xlen is also the width of addresses
 * @ntrace: parameters of N-Trace. Those of the following formats are not larger, so that the
 *	members after them keep their offsets
 * @etrace: parameters of E-Trace; see rvtrace_flow_config_etrace()
 * @cdl: parameters of CDL compressed trace; see rvtrace_flow_config_cdl()
 * @debugspec: parameters of the debug specification's trace; see rvtrace_flow_config_debugspec()
 * @trap_vector: E-Trace, implicit exception mode: the vectors (mtvec, stvec: with the mode in bits
 *	1:0) of traps to privilege 0 to 3; 0: unknown. A trap through an unknown vector is
 *	RVTRACE_ERR_VECTOR, and decoding resumes at the next synchronization. A guest's vectors
 *	(vstvec) are always unknown
 * @task_switch: address after the instruction by which a kernel switches to another task; 0:
 *	unknown. If a resolver reports another thread at a time, items keep the previous thread and
 *	process up to this address, except items of user code, and for at most 16,384 instructions.
 *	If the previous thread is unknown, as after a loss, and the next one is new, these items
 *	have none. If the kernel reaches this address before a time reports another thread, as
 *	between synchronizations if no other messages have times, the next thread by time executes
 *	after it. Code of unknown privilege counts as the kernel's here
 * @kernel: functions of a kernel, see rvtrace_flow_ntrace.sifive
 * @thread_switch: identifier of the software trace events that report writes to tp; 0: none. If a
 *	resolver knows the task of such an event, that task executes after @task_switch,
 *	independently of the time, up to the next such event or a loss of events
 * @src_bits: width of SRC, 0 if messages have none
 * @priv_by_address: the encoders do not report the privilege (trTeContext is 0 or missing), but a
 *	Linux kernel has the upper half of all addresses. Ownership messages are then software's
 *	data. @isa.xlen must be 64
 * @time_bits: width of timestamps, which wrap to 0 after the last one; 0: 64
 * @time_near: a time less than half their range away from the first timestamp
 * @branches_max: limit of branches in an E-Trace packet, all predicted. A packet of more branches
 *	is probably damaged, and the walk takes as long as its count says. It is RVTRACE_ERR_FIELD,
 *	and decoding resumes at the next synchronization. N-Trace: limit of half-words in a message
 *	(I-CNT), and in all repetitions of RepeatBranch together; decoding then resumes at the next
 *	address. 0: RVTRACE_FLOW_BRANCHES_MAX, N-Trace: RVTRACE_FLOW_HALFWORDS_MAX
 * @jvt: CSR jvt, base of the table of cm.jt and cm.jalt
 * @resolve: selects where code is looked up; NULL: in the address space that the context names
 * @resolve_data: passed to @resolve
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
