// SPDX-License-Identifier: GPL-2.0
/*
 * printf() into the trace, where a console is too slow, or not there: by characters, and by strings
 * that carry an identifier. What it prints so goes to standard output as well.
 *
 *	tracectl record -o print.rvtrace -- example-print
 *	tracectl events --print print.rvtrace
 *	tracectl events --dictionary events.json --name log print.rvtrace
 */
#include <stdio.h>

#include <rvtrace/stm.h>

#define EVENT_LOG	0x104

#define TEXT_MAX	256

/* Characters, as they are */
static void trace_text(const char *text)
{
	for (const char *p = text; *p; p++)
		RVTRACE_STM_PUTCHAR(*p);
	fputs(text, stdout);
}

/* One string with an identifier */
static void trace_log(const char *text)
{
	RVTRACE_STM_STRING(EVENT_LOG, text);
	fprintf(stderr, "%s\n", text);
}

int main(void)
{
	char text[TEXT_MAX];

	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "line %d of %s: %#x\n", i, "characters",
			 i * 0x1234567);
		trace_text(text);
		snprintf(text, sizeof(text),
			 "log %d: a longer text than fits into one value, %5.2f %%", i, i * 1.25);
		trace_log(text);
	}
	return 0;
}
