// SPDX-License-Identifier: GPL-2.0
/* Messages of the daemon, on stderr or to syslog. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "log.h"
#include "tools/lib/base/utf8.h"

#define TEXT_MAX	1024

static int threshold = LOG_INFO;
static bool terminal;
static bool to_syslog;

void log_open(int verbosity)
{
	threshold = verbosity < 0 ? LOG_WARNING : verbosity ? LOG_DEBUG : LOG_INFO;
	terminal = isatty(STDERR_FILENO);
}

void log_to_syslog(void)
{
	openlog("rvtraced", LOG_PID, LOG_DAEMON);
	to_syslog = true;
}

void log_reopen(void)
{
	if (to_syslog)
		closelog();
}

void log_message(int priority, const char *format, ...)
{
	char text[TEXT_MAX], line[4 * TEXT_MAX];
	va_list args;

	if (priority > threshold)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* A name that a client chose must not begin a line, with a priority of its own. */
	utf8_copy_visible(line, sizeof(line), text);
	if (to_syslog)
		syslog(priority, "%s", line);
	else if (terminal)
		fprintf(stderr, "rvtraced: %s\n", line);
	else
		fprintf(stderr, "<%d>%s\n", priority, line);
}
