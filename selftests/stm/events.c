// SPDX-License-Identifier: GPL-2.0
/*
 * Every macro of rvtrace/stm.h in a function of its own, for check.py to execute. With REFERENCE,
 * the same functions without any.
 */
#define RVTRACE_STM_ITC channel
#ifdef USE_CONDITION
#define RVTRACE_STM_ENABLED condition
#endif

#include <rvtrace/stm.h>

#ifdef __cplusplus
extern "C" {
#endif

volatile void *channel;
volatile int condition;

#ifdef REFERENCE
#define EVENT(id, value)
#define COM(id, value)
#define SYS(id, value)
#define BEGIN(id, value)
#define END(id, value)
#define COUNTER(id, value)
#define PUTCHAR(character)
#define STRING(id, text)
#define THREAD_NAME(name)
#define THREAD_SWITCH(thread)
#else
#define EVENT		RVTRACE_STM_EVENT
#define COM		RVTRACE_STM_COM
#define SYS		RVTRACE_STM_SYS
#define BEGIN		RVTRACE_STM_BEGIN
#define END		RVTRACE_STM_END
#define COUNTER		RVTRACE_STM_COUNTER
#define PUTCHAR		RVTRACE_STM_PUTCHAR
#define STRING		RVTRACE_STM_STRING
#define THREAD_NAME	RVTRACE_STM_THREAD_NAME
#define THREAD_SWITCH	RVTRACE_STM_THREAD_SWITCH
#endif

typedef rvtrace_stm_word word;

/* A name for each declaration, and one for a C compiler that wants it declared before. */
#define FUNCTION(name, ...)	void name(__VA_ARGS__); void name(__VA_ARGS__)

enum { FIRST = 1, LAST = 0x3fff };

FUNCTION(user_first, word v) { (void)v; EVENT(FIRST, v); }
FUNCTION(user_31, word v) { (void)v; EVENT(31, v); }
FUNCTION(user_32, word v) { (void)v; EVENT(32, v); }
FUNCTION(user_7ff, word v) { (void)v; EVENT(0x7ff, v); }
FUNCTION(user_800, word v) { (void)v; EVENT(0x800, v); }
FUNCTION(user_fff, word v) { (void)v; EVENT(0xfff, v); }
FUNCTION(user_1000, word v) { (void)v; EVENT(0x1000, v); }
FUNCTION(user_last, word v) { (void)v; EVENT(LAST, v); }
FUNCTION(com_first, word v) { (void)v; COM(0x4000, v); }
FUNCTION(com_last, word v) { (void)v; COM(0x7fffU, v); }
FUNCTION(sys_first, word v) { (void)v; SYS(0xc000, v); }
FUNCTION(sys_last, word v) { (void)v; SYS(0xffff, v); }
FUNCTION(thread_switch, word v) { (void)v; THREAD_SWITCH(v); }
FUNCTION(counter, word v) { (void)v; COUNTER(0x200, v); }
FUNCTION(putchar_of, word v) { (void)v; PUTCHAR(v); }
FUNCTION(pair, word v) { (void)v; BEGIN(0x3ffe, v); END(0x3ffe, v); }
FUNCTION(constant, void) { EVENT(0x10, 42); }
FUNCTION(negative, void) { EVENT(0x10, -2); }
FUNCTION(second_argument, word v, word w) { (void)v; (void)w; EVENT(0x11, w); }
FUNCTION(pointer, const char *p) { (void)p; EVENT(0x12, p); }
FUNCTION(several, word v, word w) { (void)v; (void)w; EVENT(1, v); EVENT(2, w); EVENT(3, v); }
FUNCTION(ordered, volatile int *p) { *p = 1; EVENT(0x13, 7); *p = 2; }
FUNCTION(ordered_plain, int *p) { *p = 1; EVENT(0x13, 7); *p = 2; }
FUNCTION(any_string, const char *text) { (void)text; STRING(0x30, text); }
FUNCTION(literal, void) { STRING(0x31, "counted"); }
FUNCTION(thread_name, void) { THREAD_NAME("worker/0:1"); }

word calls;
static __attribute__((noinline)) word evaluated(void) { return ++calls; }
FUNCTION(argument_with_effect, void) { (void)evaluated; EVENT(0x40, evaluated()); }

#if RVTRACE_STM_SWITCH && !defined(REFERENCE) && defined(__riscv)
int switch_events(int on);
int switch_events(int on) { return rvtrace_stm_switch(on); }
uint32_t offset_of(const struct rvtrace_stm_site_ *site);
uint32_t offset_of(const struct rvtrace_stm_site_ *site) { return rvtrace_stm_offset_(site); }

/* What the compiler makes of __builtin___clear_cache() on Linux. */
void __riscv_flush_icache(char *from, char *to, unsigned long flags);
__attribute__((noinline)) void __riscv_flush_icache(char *from, char *to, unsigned long flags)
{
	(void)from;
	(void)to;
	(void)flags;
	__asm__ __volatile__("fence rw, rw" : : : "memory");
}
void __clear_cache(void *from, void *to);
void __clear_cache(void *from, void *to) { __riscv_flush_icache((char *)from, (char *)to, 0); }
#endif

#ifdef __cplusplus
}
#endif
