// SPDX-License-Identifier: GPL-2.0
/*
 * printf() into the trace, where a console is too slow, or not there: by characters, and by strings
 * that carry an identifier. What it prints so goes to standard output as well.
 *
 *	tracectl record -o print.rvtrace -- example-print
 *	tracectl events --print print.rvtrace
 *	tracectl events --dictionary events.json --name log print.rvtrace
 */
#include <stdarg.h>
#include <stdio.h>

#include <rvtrace/stm.h>

#define EVENT_LOG	0x104

static __attribute__((format(printf, 1, 2))) void trace_printf(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (const char *p = text; *p; p++)
		RVTRACE_STM_PUTCHAR(*p);
	fputs(text, stdout);
}

static __attribute__((format(printf, 1, 2))) void trace_log(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	RVTRACE_STM_STRING(EVENT_LOG, text);
	fputs(text, stderr);
	fputc('\n', stderr);
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		trace_printf("line %d of %s: %#x\n", i, "characters", i * 0x1234567);
		trace_log("log %d: a longer text than fits into one value, %5.2f %%", i, i * 1.25);
	}
	return 0;
}
