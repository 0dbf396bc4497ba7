/* SPDX-License-Identifier: MIT */
/*
 * Events that a program emits into its own trace, for a few instructions each: identifier, value,
 * and the time that the hardware adds (Software Trace Module specification). Requires C99 or C++11
 * with extensions of GNU, GCC or Clang. There is nothing to link.
 *
 *	#include <rvtrace/stm.h>
 *
 *	RVTRACE_STM_EVENT(0x100, count);
 *
 * Macros to define before the header is included, if their default (in parentheses) does not fit.
 * Their definitions must be the same in every file:
 *
 * RVTRACE_STM (1)
 *	0: the macros here emit no instruction and evaluate no argument. Without optimization,
 *	strings keep their room on the stack.
 * RVTRACE_STM_FORM (CSR on RISC-V, NOP on OpenRISC, NONE elsewhere)
 *	Method by which an event gets into the trace: RVTRACE_STM_FORM_*.
 * RVTRACE_STM_CSR (0x8f0)
 *	Number of the CSR.
 * RVTRACE_STM_ITC
 *	Pointer to the stimulus register of the thread or hart that emits: an expression, evaluated
 *	at every event. If it is NULL, no event is emitted.
 * RVTRACE_STM_ENABLED
 *	Condition, evaluated at every event: if it is 0, no event is emitted. Costs its
 *	instructions and a branch.
 * RVTRACE_STM_SWITCH (0)
 *	1: events are off until rvtrace_stm_switch(1). While they are off, each macro is one
 *	instruction, and evaluates no argument; a compiler may move the pointer to a string, or
 *	make a stack frame for calls in arguments, before it. RISC-V only: on OpenRISC, an event
 *	is always one instruction.
 * RVTRACE_STM_FENCE (0)
 *	1: a fence between value and identifier also in the CSR and hint forms ("Software Trace
 *	Port: Out-of-Order").
 *
 * FORMS, and the instructions of an event whose value is in the register in which the ABI passes a
 * first argument. The cycles are those of the instructions on the processor. There is no
 * back-pressure ("Core Interface"), so the processor never waits for the trace. An event that does
 * not fit is lost, and the trace reports the loss.
 *
 * CSR	The form of the specification: value in a0, the identifier is written to a CSR
 *	("Software Trace Port: RISC-V"). 1 instruction for identifiers up to 31, 2 up to 0x7ff and
 *	for multiples of 0x1000, else 3. Without the CSR it is an illegal instruction.
 * HINT	`slti x0, rs1, imm`: value in a0, imm is bits 11:0 of the identifier, the number of rs1 its
 *	bits 15:12. The instruction is a hint designated for custom use: it has no effect on
 *	processors that do not implement it. 1 instruction, with or without a receiver.
 * ITC	Stores to a stimulus register of SiFive's instrumentation trace. The value is stored first,
 *	32 bits at a time, least significant bits first. Then the identifier is stored as the upper
 *	16 bits of the register 16 further on, which is the same register with a timestamp. 4
 *	instructions, on RV64 6, two of them fences; in addition 1 or 2 for the identifier as
 *	above, and those that load RVTRACE_STM_ITC and branch on it: 3 or 4 if it is a global
 *	variable.
 * NOP	OpenRISC: value in r3, the identifier is the operand of `l.nop` ("Software Trace Port:
 *	OpenRISC"). 1 instruction.
 * NONE	No instruction; no argument is evaluated.
 *
 * A value in another place takes one more instruction.
 *
 * ORDER. The value is written before the identifier ("User-defined trace events"). In the forms
 * with registers, program order ensures this. In the ITC form, a fence does, and another fence
 * orders both after earlier accesses. Compilers keep events in program order with the loads and
 * stores of their thread. Only in the ITC form, a fence orders them with the view that other harts
 * have of these loads and stores.
 *
 * ATOMICITY. Registers are saved and restored with the thread, so events of threads, signal and
 * interrupt handlers do not mix. In the ITC form, each thread needs a stimulus register of its own
 * (RVTRACE_STM_ITC may be thread-local). A handler may use the register of the thread that it
 * interrupts: its events are complete when it returns. So they are between the stores of another
 * event, nested like parentheses.
 *
 * IDENTIFIERS ("Trace Primitives") are constants. A macro rejects other identifiers when the
 * program is compiled, also with RVTRACE_STM 0.
 *
 *	0x0000		not used
 *	0x0001 - 0x3fff	USER, the program's own; 4 is a printed character by convention
 *	0x4000 - 0x7fff	COM, the same in every program; 0x4000 is THREAD_NAME
 *	0x8000 - 0xbfff	reserved, except 0x8000, THREAD_SWITCH
 *	0xc000 - 0xffff	SYS, for operating and runtime systems
 *
 * VALUES are integers or pointers of at most XLEN bits, sign- or zero-extended according to their
 * type. A wider value, also an array in place of a pointer to it, is an error when the program is
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
 * RVTRACE_STM_COUNTER() - emit the current value of a counter
 * @id: 0x0001 to 0x3fff
 * @value: the count, in units of the program's own
 */
#define RVTRACE_STM_COUNTER(id, value)	RVTRACE_STM_EVENT(id, value)

/**
 * RVTRACE_STM_BEGIN() - emit the begin of an activity
 * @id: 0x0002 to 0x3ffe, even
 * @value: distinguishes activities at the same time; RVTRACE_STM_END() has the same value
 *
 * The event has the identifier @id; the event of the end has @id + 1.
 */
#define RVTRACE_STM_BEGIN(id, value) \
	rvtrace_stm_emit_(id, value, rvtrace_stm_is_pair_(id), \
			  "identifiers of pairs are 0x0002 to 0x3ffe, and even")

/**
 * RVTRACE_STM_END() - emit the end of an activity
 * @id: id of RVTRACE_STM_BEGIN()
 * @value: value of RVTRACE_STM_BEGIN()
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
 * Each event has XLEN / 8 characters, the first one in the lowest byte. A NUL ends the string: if
 * the characters fill the last event, another event with value 0 follows. Instructions: those of
 * the events and, at -O2, at most 8 for each character with the NUL, 8 for each event and 6 in all.
 * Strings of one identifier from a thread and from its handlers would mix: use several identifiers.
 */
#define RVTRACE_STM_STRING(id, text) \
	rvtrace_stm_string_(id, text, rvtrace_stm_is_user_(id), \
			    "identifiers of the program are 0x0001 to 0x3fff")

/**
 * RVTRACE_STM_THREAD_NAME() - emit the name of the running thread
 * @name: characters up to a NUL
 *
 * As RVTRACE_STM_STRING(). Emit the name again at times, because a trace may begin at any time
 * ("Commonly defined").
 */
#define RVTRACE_STM_THREAD_NAME(name) \
	rvtrace_stm_string_(RVTRACE_STM_ID_THREAD_NAME, name, 1, "")

/**
 * RVTRACE_STM_THREAD_SWITCH() - report that another thread runs from here on
 * @thread: value that identifies the thread
 *
 * For systems on processors that do not emit the event on a write to tp (OpenRISC: r10).
 */
#define RVTRACE_STM_THREAD_SWITCH(thread) \
	RVTRACE_STM_SYS(RVTRACE_STM_ID_THREAD_SWITCH, thread)

/* The following macros and functions are internal. */

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
			/* keeps the compiler from moving parts of the loop before this */ \
			__asm__ __volatile__("" : "+r" (rvtrace_stm_text_)); \
			do { \
				rvtrace_stm_word rvtrace_stm_part_ = \
					rvtrace_stm_take_(&rvtrace_stm_text_); \
				\
				rvtrace_stm_write_(id, rvtrace_stm_part_); \
			} while (rvtrace_stm_text_); \
		} \
	} while (0)

/* Takes the characters of the next event. *@text: after them; NULL if the NUL is among them. */
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

/* Condition for emitting an event. */
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
 * A site is one of two instructions. `lui x0, OFFSET` is a hint without effect; `jal x0, OFFSET`
 * differs from it in the low byte. Both have the immediate in the upper 20 bits. The offset is
 * written while the site is lui, so it does not matter which parts of it other harts see. Then the
 * low byte alone switches the event.
 */
#define RVTRACE_STM_LUI_	0x37
#define RVTRACE_STM_JAL_	0x6f

/* Addresses relative to the member that holds them. */
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
		     ".pushsection rvtrace_stm, \"a?\"\n\t"	/* dropped with the function */
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

/* Immediate of jal, in the place of the immediate of lui; 0: too far. */
static inline uint32_t rvtrace_stm_offset_(const struct rvtrace_stm_site_ *site)
{
	intptr_t offset = rvtrace_stm_address_(&site->target) - rvtrace_stm_address_(&site->site);
	uint32_t bits = (uint32_t)offset;

	if (offset < -0x100000 || offset >= 0x100000)
		return 0;
	return (bits & 0x100000) << 11 | (bits & 0x7fe) << 20 | (bits & 0x800) << 9 |
	       (bits & 0xff000);
}

/* Makes the code of the sites writable, or read-only again. */
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
 * @on: 1: on, 0: off
 *
 * Switches the events of the file that it is linked into, not those of other shared libraries. It
 * changes the code, which other threads may execute at the same time; two threads must not call it
 * at once. On Linux the code is writable until it returns. On other systems the code must be
 * writable, and other harts see the change when they execute fence.i. There, a call with 0 must
 * precede the first call with 1, and every hart must execute fence.i between them.
 *
 * Return: 0; -1 if the system does not allow it (errno has the reason), or if an event is more than
 * 1 MiB away from the place where it is switched: then nothing was changed.
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
