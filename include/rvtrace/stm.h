/* SPDX-License-Identifier: MIT */
/*
 * Events that a program emits into its own trace, for a few instructions each: identifier, value,
 * and the time that the hardware adds (Software Trace Module specification). C99 or C++11 with
 * extensions of GNU, GCC or Clang; nothing has to be linked.
 *
 *	#include <rvtrace/stm.h>
 *
 *	RVTRACE_STM_EVENT(0x100, count);
 *
 * What to define before it is included, if the default (in parentheses) is not right, the same in
 * every file:
 *
 * RVTRACE_STM (1)
 *	0: every macro here is no instruction, and evaluates no argument. Without optimization
 *	strings keep their room on the stack.
 * RVTRACE_STM_FORM (CSR on RISC-V, NOP on OpenRISC, NONE elsewhere)
 *	How an event gets into the trace: RVTRACE_STM_FORM_*.
 * RVTRACE_STM_CSR (0x8f0)
 *	Number of the CSR.
 * RVTRACE_STM_ITC
 *	Pointer to the stimulus register that belongs to whoever emits: an expression, evaluated
 *	at every event. No events while it is NULL.
 * RVTRACE_STM_ENABLED
 *	Condition, evaluated at every event: none if it is 0. Costs its instructions and a branch.
 * RVTRACE_STM_SWITCH (0)
 *	1: events are off until rvtrace_stm_switch(1). While they are off each macro is one
 *	instruction, and evaluates no argument; a compiler may move the pointer to a string, or
 *	make a stack frame for calls in arguments, before it. RISC-V only: on OpenRISC an event
 *	is not more than that anyway.
 * RVTRACE_STM_FENCE (0)
 *	1: a fence between value and identifier of the CSR and hint forms, too ("Software Trace
 *	Port: Out-of-Order").
 *
 * FORMS, and the instructions of an event whose value is in the register in which the ABI passes a
 * first argument. Cycles are what these take on the processor: there is no back-pressure ("Core
 * Interface"), so none is spent waiting for the trace; an event that does not fit is lost, which
 * the trace tells.
 *
 * CSR	The one that the specification has: value in a0, the identifier is written to a CSR
 *	("Software Trace Port: RISC-V"). 1 instruction for identifiers up to 31, 2 up to 0x7ff and
 *	for multiples of 0x1000, else 3. Without the CSR it is an illegal instruction.
 * HINT	`slti x0, rs1, imm`: value in a0, imm is bits 11:0 of the identifier, the number of rs1 its
 *	bits 15:12. The instruction is a hint designated for custom use: it does nothing on
 *	processors that know nothing of it. 1 instruction, whether anybody listens or not.
 * ITC	Stores to a stimulus register of SiFive's instrumentation trace: the value, 32 bits at a
 *	time, least significant ones first, then the identifier as the upper 16 bits of the
 *	register 16 further on, which is the same one with a timestamp. 4 instructions, on RV64
 *	6, two of them fences; 1 or 2 for the identifier as above, and what it takes to load
 *	RVTRACE_STM_ITC and to branch on it: 3 or 4 where it is a global variable.
 * NOP	OpenRISC: value in r3, the identifier is the operand of `l.nop` ("Software Trace Port:
 *	OpenRISC"). 1 instruction.
 * NONE	No instruction, no argument is evaluated.
 *
 * A value that is elsewhere takes an instruction more to get there.
 *
 * ORDER. The value is written before the identifier ("User-defined trace events"): of registers by
 * program order, in the ITC form by a fence, and by another one from what came before. Compilers
 * keep events in program order with the loads and stores of their thread; no fence orders them
 * with what others see of these, except in the ITC form.
 *
 * ATOMICITY. Registers are saved and restored with the thread, so events of threads, signal and
 * interrupt handlers do not mix. In the ITC form each thread needs a stimulus register of its own
 * (RVTRACE_STM_ITC may be thread-local). A handler may use that of the thread that it interrupts:
 * its events are complete when it returns, and so lie between the stores of another one as
 * parentheses do.
 *
 * IDENTIFIERS ("Trace Primitives") are constants. Those that a macro does not take are errors when
 * the program is compiled, also with RVTRACE_STM 0.
 *
 *	0x0000		not used
 *	0x0001 - 0x3fff	USER, the program's own; 4 is a printed character by convention
 *	0x4000 - 0x7fff	COM, the same in every program; 0x4000 is THREAD_NAME
 *	0x8000 - 0xbfff	reserved, but for 0x8000, THREAD_SWITCH
 *	0xc000 - 0xffff	SYS, for operating and runtime systems
 *
 * VALUES are integers or pointers of at most XLEN bits, sign- or zero-extended as their type is.
 * What is wider, also an array in place of a pointer to it, is an error when the program is
 * compiled.
 */
#ifndef RVTRACE_STM_H
#define RVTRACE_STM_H

#include <stdint.h>

#define RVTRACE_STM_FORM_NONE	0
#define RVTRACE_STM_FORM_CSR	1
#define RVTRACE_STM_FORM_HINT	2
#define RVTRACE_STM_FORM_ITC	3
#define RVTRACE_STM_FORM_NOP	4

#ifndef RVTRACE_STM
#define RVTRACE_STM	1
#endif
#ifndef RVTRACE_STM_FORM
#if defined(__riscv)
#define RVTRACE_STM_FORM	RVTRACE_STM_FORM_CSR
#elif defined(__or1k__)
#define RVTRACE_STM_FORM	RVTRACE_STM_FORM_NOP
#else
#define RVTRACE_STM_FORM	RVTRACE_STM_FORM_NONE
#endif
#endif
#ifndef RVTRACE_STM_CSR
#define RVTRACE_STM_CSR		0x8f0
#endif
#ifndef RVTRACE_STM_SWITCH
#define RVTRACE_STM_SWITCH	0
#endif
#ifndef RVTRACE_STM_FENCE
#define RVTRACE_STM_FENCE	0
#endif

/* Ranges of identifiers */
#define RVTRACE_STM_USER_FIRST	0x0001
#define RVTRACE_STM_USER_LAST	0x3fff
#define RVTRACE_STM_COM_FIRST	0x4000
#define RVTRACE_STM_COM_LAST	0x7fff
#define RVTRACE_STM_SYS_FIRST	0xc000
#define RVTRACE_STM_SYS_LAST	0xffff

/* Identifiers with a meaning */
#define RVTRACE_STM_ID_PRINT		0x0004
#define RVTRACE_STM_ID_THREAD_NAME	0x4000
#define RVTRACE_STM_ID_THREAD_SWITCH	0x8000	/* by the list of events, though not in SYS */

/* A value: XLEN bits */
typedef uintptr_t rvtrace_stm_word;

/**
 * RVTRACE_STM_EVENT() - emit an event of the program's own
 * @id: 0x0001 to 0x3fff
 * @value: its value
 */
#define RVTRACE_STM_EVENT(id, value) \
	rvtrace_stm_emit_(id, value, rvtrace_stm_is_user_(id), \
			  "identifiers of the program are 0x0001 to 0x3fff")

/**
 * RVTRACE_STM_COM() - emit an event of common meaning
 * @id: 0x4000 to 0x7fff
 * @value: its value
 */
#define RVTRACE_STM_COM(id, value) \
	rvtrace_stm_emit_(id, value, rvtrace_stm_is_com_(id), \
			  "identifiers of common meaning are 0x4000 to 0x7fff")

/**
 * RVTRACE_STM_SYS() - emit an event of an operating or runtime system
 * @id: 0xc000 to 0xffff, or RVTRACE_STM_ID_THREAD_SWITCH
 * @value: its value
 */
#define RVTRACE_STM_SYS(id, value) \
	rvtrace_stm_emit_(id, value, rvtrace_stm_is_sys_(id), \
			  "identifiers of the system are 0xc000 to 0xffff, and 0x8000")

/**
 * RVTRACE_STM_COUNTER() - emit what a counter has now
 * @id: 0x0001 to 0x3fff
 * @value: the count, in units of the program's own
 */
#define RVTRACE_STM_COUNTER(id, value)	RVTRACE_STM_EVENT(id, value)

/**
 * RVTRACE_STM_BEGIN() - something begins
 * @id: 0x0002 to 0x3ffe, even
 * @value: which of those under way; RVTRACE_STM_END() has the same
 *
 * The event has the identifier @id, that of the end @id + 1.
 */
#define RVTRACE_STM_BEGIN(id, value) \
	rvtrace_stm_emit_(id, value, rvtrace_stm_is_pair_(id), \
			  "identifiers of pairs are 0x0002 to 0x3ffe, and even")

/**
 * RVTRACE_STM_END() - what began ends
 * @id: that of RVTRACE_STM_BEGIN()
 * @value: the same
 */
#define RVTRACE_STM_END(id, value) \
	rvtrace_stm_emit_((id) + 1, value, rvtrace_stm_is_pair_(id), \
			  "identifiers of pairs are 0x0002 to 0x3ffe, and even")

/**
 * RVTRACE_STM_PUTCHAR() - print a character
 * @character: 0 to 255
 */
#define RVTRACE_STM_PUTCHAR(character) \
	RVTRACE_STM_EVENT(RVTRACE_STM_ID_PRINT, (unsigned char)(character))

/**
 * RVTRACE_STM_STRING() - emit a string
 * @id: 0x0001 to 0x3fff
 * @text: characters up to a NUL
 *
 * XLEN / 8 characters per event, the first one in the lowest byte. A NUL ends it, so that there is
 * another event, with value 0, where the characters fill the last one. Instructions: those of the
 * events and, at -O2, at most 8 for each character with the NUL, 8 for each event and 6 in all.
 * Strings of one identifier from a thread and from what interrupts it would mix: use several.
 */
#define RVTRACE_STM_STRING(id, text) \
	rvtrace_stm_string_(id, text, rvtrace_stm_is_user_(id), \
			    "identifiers of the program are 0x0001 to 0x3fff")

/**
 * RVTRACE_STM_THREAD_NAME() - name the thread that runs
 * @name: characters up to a NUL
 *
 * As RVTRACE_STM_STRING(). To be emitted again at times: a trace may begin at any time ("Commonly
 * defined").
 */
#define RVTRACE_STM_THREAD_NAME(name) \
	rvtrace_stm_string_(RVTRACE_STM_ID_THREAD_NAME, name, 1, "")

/**
 * RVTRACE_STM_THREAD_SWITCH() - another thread runs from here on
 * @thread: what tells it from the others
 *
 * For systems on processors that do not emit it themselves when tp (OpenRISC: r10) is written.
 */
#define RVTRACE_STM_THREAD_SWITCH(thread) \
	RVTRACE_STM_SYS(RVTRACE_STM_ID_THREAD_SWITCH, thread)

/* What follows is not for use by itself. */

#define rvtrace_stm_is_user_(id) \
	((id) >= RVTRACE_STM_USER_FIRST && (id) <= RVTRACE_STM_USER_LAST)
#define rvtrace_stm_is_com_(id) \
	((id) >= RVTRACE_STM_COM_FIRST && (id) <= RVTRACE_STM_COM_LAST)
#define rvtrace_stm_is_sys_(id) \
	(((id) >= RVTRACE_STM_SYS_FIRST && (id) <= RVTRACE_STM_SYS_LAST) || \
	 (id) == RVTRACE_STM_ID_THREAD_SWITCH)
#define rvtrace_stm_is_pair_(id) \
	(rvtrace_stm_is_user_(id) && (id) % 2 == 0)

#ifdef __cplusplus
#define rvtrace_stm_check_(condition, text)	static_assert(condition, text)
#else
#define rvtrace_stm_check_(condition, text)	__extension__ _Static_assert(condition, text)
#endif

#define rvtrace_stm_emit_(id, value, valid, text) \
	do { \
		rvtrace_stm_check_(valid, text); \
		rvtrace_stm_check_(sizeof(value) <= sizeof(rvtrace_stm_word), \
				   "the value is wider than a register"); \
		if (rvtrace_stm_on_()) \
			rvtrace_stm_write_(id, (rvtrace_stm_word)(value)); \
	} while (0)

#define rvtrace_stm_string_(id, text, valid, message) \
	do { \
		rvtrace_stm_check_(valid, message); \
		if (rvtrace_stm_on_()) { \
			const char *rvtrace_stm_text_ = (text); \
			\
			/* nothing of the loop is worth doing before */ \
			__asm__ __volatile__("" : "+r" (rvtrace_stm_text_)); \
			do { \
				rvtrace_stm_word rvtrace_stm_part_ = \
					rvtrace_stm_take_(&rvtrace_stm_text_); \
				\
				rvtrace_stm_write_(id, rvtrace_stm_part_); \
			} while (rvtrace_stm_text_); \
		} \
	} while (0)

/* The characters of the next event; *@text: behind them, NULL when the NUL is among them. */
static inline __attribute__((always_inline, unused))
rvtrace_stm_word rvtrace_stm_take_(const char **text)
{
	rvtrace_stm_word word = 0;
	unsigned int shift;

	for (shift = 0; shift < 8 * sizeof(word); shift += 8) {
		unsigned char character = (unsigned char)*(*text)++;

		if (!character) {
			*text = 0;
			break;
		}
		word |= (rvtrace_stm_word)character << shift;
	}
	return word;
}

#if RVTRACE_STM_FENCE
#define RVTRACE_STM_FENCE_	"fence\n\t"
#else
#define RVTRACE_STM_FENCE_	""
#endif

#if !RVTRACE_STM || RVTRACE_STM_FORM == RVTRACE_STM_FORM_NONE

#define rvtrace_stm_write_(id, value) \
	((void)(id), (void)(value))

#elif RVTRACE_STM_FORM == RVTRACE_STM_FORM_CSR

#define rvtrace_stm_write_(id, value) \
	do { \
		register rvtrace_stm_word rvtrace_stm_value_ __asm__("a0") = (value); \
		\
		__asm__ __volatile__(RVTRACE_STM_FENCE_ "csrw %0, %1" \
				     : \
				     : "i" (RVTRACE_STM_CSR), "rK" (id), "r" (rvtrace_stm_value_) \
				     : "memory"); \
	} while (0)

#elif RVTRACE_STM_FORM == RVTRACE_STM_FORM_HINT

#define rvtrace_stm_write_(id, value) \
	do { \
		register rvtrace_stm_word rvtrace_stm_value_ __asm__("a0") = (value); \
		\
		__asm__ __volatile__(RVTRACE_STM_FENCE_ "slti zero, x%0, %1" \
				     : \
				     : "i" ((id) >> 12), "i" ((((id) & 0xfff) ^ 0x800) - 0x800), \
				       "r" (rvtrace_stm_value_) \
				     : "memory"); \
	} while (0)

#elif RVTRACE_STM_FORM == RVTRACE_STM_FORM_ITC

#ifndef RVTRACE_STM_ITC
#error "RVTRACE_STM_FORM_ITC: RVTRACE_STM_ITC has to say which stimulus register"
#endif

#define rvtrace_stm_write_(id, value) \
	do { \
		volatile void *rvtrace_stm_itc_ = (volatile void *)(RVTRACE_STM_ITC); \
		\
		if (rvtrace_stm_itc_) \
			rvtrace_stm_store_(rvtrace_stm_itc_, id, value); \
	} while (0)

static inline __attribute__((always_inline, unused))
void rvtrace_stm_store_(volatile void *itc, rvtrace_stm_word id, rvtrace_stm_word value)
{
#if __riscv_xlen == 64
	rvtrace_stm_word high;

	__asm__ __volatile__("fence ow, ow\n\t"
			     "sw %2, 0(%1)\n\t"
			     "srli %0, %2, 32\n\t"
			     "sw %0, 0(%1)\n\t"
			     "fence ow, ow\n\t"
			     "sh %3, 66(%1)"
			     : "=&r" (high)
			     : "r" (itc), "r" (value), "r" (id)
			     : "memory");
#else
	__asm__ __volatile__("fence ow, ow\n\t"
			     "sw %1, 0(%0)\n\t"
			     "fence ow, ow\n\t"
			     "sh %2, 66(%0)"
			     :
			     : "r" (itc), "r" (value), "r" (id)
			     : "memory");
#endif
}

#elif RVTRACE_STM_FORM == RVTRACE_STM_FORM_NOP

#define rvtrace_stm_write_(id, value) \
	do { \
		register rvtrace_stm_word rvtrace_stm_value_ __asm__("r3") = (value); \
		\
		__asm__ __volatile__("l.nop %0" \
				     : \
				     : "i" (id), "r" (rvtrace_stm_value_) \
				     : "memory"); \
	} while (0)

#else
#error "RVTRACE_STM_FORM: none of RVTRACE_STM_FORM_*"
#endif

/* Whether to emit. */
#if !RVTRACE_STM || RVTRACE_STM_FORM == RVTRACE_STM_FORM_NONE
#define rvtrace_stm_on_()	0
#elif RVTRACE_STM_SWITCH && defined(RVTRACE_STM_ENABLED)
#define rvtrace_stm_on_() \
	(__builtin_expect(rvtrace_stm_switched_(), 0) && (RVTRACE_STM_ENABLED))
#elif RVTRACE_STM_SWITCH
#define rvtrace_stm_on_()	__builtin_expect(rvtrace_stm_switched_(), 0)
#elif defined(RVTRACE_STM_ENABLED)
#define rvtrace_stm_on_()	(RVTRACE_STM_ENABLED)
#else
#define rvtrace_stm_on_()	1
#endif

#if RVTRACE_STM_SWITCH && (!RVTRACE_STM || RVTRACE_STM_FORM == RVTRACE_STM_FORM_NONE)

static inline __attribute__((unused)) int rvtrace_stm_switch(int on)
{
	(void)on;
	return 0;
}

#elif RVTRACE_STM_SWITCH

#ifndef __riscv
#error "RVTRACE_STM_SWITCH is for RISC-V"
#endif

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

/*
 * A site is `lui x0, OFFSET`, a hint that does nothing, or, with another low byte, `jal x0, OFFSET`: the
 * immediate of both is in the upper 20 bits. The offset is written while it is lui, whatever of it
 * other harts see; then the low byte alone says whether the event is on.
 */
#define RVTRACE_STM_LUI_	0x37
#define RVTRACE_STM_JAL_	0x6f

/* Addresses relative to the member that has them. */
struct rvtrace_stm_site_ {
	int32_t site;
	int32_t target;
};

extern const struct rvtrace_stm_site_ __start_rvtrace_stm[]
	__attribute__((weak, visibility("hidden")));
extern const struct rvtrace_stm_site_ __stop_rvtrace_stm[]
	__attribute__((weak, visibility("hidden")));

static inline __attribute__((always_inline, unused)) int rvtrace_stm_switched_(void)
{
	__asm__ goto("1:\n\t"
		     "lui zero, 0\n\t"
		     ".pushsection rvtrace_stm, \"a?\"\n\t"	/* goes with the function */
		     ".balign 4\n\t"
		     ".4byte 1b - .\n\t"
		     ".4byte %l0 - .\n\t"
		     ".popsection"
		     : : : : rvtrace_stm_on);
	return 0;
rvtrace_stm_on:
	return 1;
}

static inline unsigned char *rvtrace_stm_address_(const int32_t *relative)
{
	return (unsigned char *)(uintptr_t)relative + *relative;
}

/* Immediate of jal, where lui has its own; 0: too far. */
static inline uint32_t rvtrace_stm_offset_(const struct rvtrace_stm_site_ *site)
{
	intptr_t offset = rvtrace_stm_address_(&site->target) - rvtrace_stm_address_(&site->site);
	uint32_t bits = (uint32_t)offset;

	if (offset < -0x100000 || offset >= 0x100000)
		return 0;
	return (bits & 0x100000) << 11 | (bits & 0x7fe) << 20 | (bits & 0x800) << 9 |
	       (bits & 0xff000);
}

/* Makes code of the sites writable, or no more. */
static inline int rvtrace_stm_protect_(unsigned char *low, unsigned char *high, int writable)
{
#ifdef __linux__
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)low & -page;

	return mprotect((void *)from, (uintptr_t)high - from,
			PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0));
#else
	(void)low;
	(void)high;
	(void)writable;
	return 0;
#endif
}

/**
 * rvtrace_stm_switch() - switch the events of a program or shared library on or off
 * @on: whether they are on
 *
 * Of the file that it is linked into, not of other shared libraries. Changes the code, which other
 * threads may execute meanwhile; not to be called by two at once. On Linux the code is writable
 * until it returns. Elsewhere it must be, and other harts see the change when they execute fence.i:
 * before the first call with 1 there has to be one with 0, and a fence.i of every hart between
 * them.
 *
 * Return: 0; -1 when the system does not allow it (errno says why), or an event is more than 1 MiB
 * away from where it is switched: then nothing was changed.
 */
static inline __attribute__((unused)) int rvtrace_stm_switch(int on)
{
	const struct rvtrace_stm_site_ *site, *end = __stop_rvtrace_stm;
	unsigned char *low = 0, *high = 0, *code;

	for (site = __start_rvtrace_stm; site < end; site++) {
		code = rvtrace_stm_address_(&site->site);
		if (!rvtrace_stm_offset_(site))
			return -1;
		low = !low || code < low ? code : low;
		high = code + 4 > high ? code + 4 : high;
	}
	if (!low)
		return 0;
	if (rvtrace_stm_protect_(low, high, 1))
		return -1;
	for (site = __start_rvtrace_stm; site < end; site++) {
		volatile unsigned char *byte = rvtrace_stm_address_(&site->site);
		uint32_t offset = rvtrace_stm_offset_(site);

		byte[1] = (unsigned char)(offset >> 8);
		byte[2] = (unsigned char)(offset >> 16);
		byte[3] = (unsigned char)(offset >> 24);
	}
	__builtin___clear_cache((char *)low, (char *)high);
	for (site = __start_rvtrace_stm; site < end; site++)
		*(volatile unsigned char *)rvtrace_stm_address_(&site->site) =
			on ? RVTRACE_STM_JAL_ : RVTRACE_STM_LUI_;
	__builtin___clear_cache((char *)low, (char *)high);
	return rvtrace_stm_protect_(low, high, 0);
}

#endif

#endif /* RVTRACE_STM_H */
