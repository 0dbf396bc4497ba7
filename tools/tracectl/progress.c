// SPDX-License-Identifier: GPL-2.0
/*
 * Progress: the last line of the terminal that standard error is. Whatever else is written there
 * erases it first: messages do (util.c), and output that goes to a terminal, or to a program that
 * may write to one, is not printed while it is shown.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/lib/base/utf8.h"
#include "tracectl.h"

#define QUIET_NS	1000000000ULL	/* what takes no longer shows nothing */
#define EACH_NS		200000000ULL
#define ESTIMATE_NS	2000000000ULL	/* before that, what is left is a guess */

static int shown;		/* columns of the line, 0: there is none */

void progress_hide(void)
{
	if (shown && global.escapes)
		fputs("\r\033[K", stderr);
	else if (shown)
		fprintf(stderr, "\r%*s\r", shown, "");
	shown = 0;
}

bool progress_shown(void)
{
	return shown;
}

/* Its output can neither come out at the terminal nor at a program that may write there. */
static bool is_apart(FILE *output)
{
	struct stat st;

	if (fstat(fileno(output), &st))
		return false;
	return S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(fileno(output)));
}

/* It comes at the end: until then the terminal is free. */
static bool is_late(FILE *output, bool at_end)
{
	return at_end && isatty(fileno(output));
}

void progress_start(struct progress *progress, FILE *output, bool at_end)
{
	*progress = (struct progress) {
		.start = now_ns(),
		.wanted = !global.quiet && isatty(STDERR_FILENO) &&
			  (!output || is_apart(output) || is_late(output, at_end)),
	};
}

static size_t columns(void)
{
	struct winsize size;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1 ? size.ws_col : 80;
}

/* How far it is, and how long the rest takes if it goes on like this. */
static void add_estimate(char *text, size_t size, uint64_t elapsed, uint64_t done, uint64_t total)
{
	size_t used = strlen(text);
	uint64_t left;

	if (!total)
		return;
	if (done > total)
		done = total;
	used += snprintf(text + used, size - used, ", %u%%", (unsigned int)(100.0 * done / total));
	if (elapsed < ESTIMATE_NS || !done || used >= size)
		return;
	left = (double)elapsed * (total - done) / done / 1e9 + 0.5;
	if (left < 100)
		snprintf(text + used, size - used, ", %u s left", (unsigned int)left);
	else
		snprintf(text + used, size - used, ", %llu min left",
			 (unsigned long long)(left + 30) / 60);
}

void progress_show(struct progress *progress, uint64_t done, uint64_t total, const char *format,
		   ...)
{
	uint64_t now = now_ns();
	char text[256], line[1024];
	va_list args;

	if (!progress->wanted || now - progress->start < QUIET_NS ||
	    now - progress->last < EACH_NS)
		return;
	progress->last = now;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add_estimate(text, sizeof(text), now - progress->start, done, total);
	progress_hide();
	/* a line that wraps would not be erased */
	shown = fprintf(stderr, "%.*s", (int)columns() - 1,
			utf8_copy_visible(line, sizeof(line), text));
}

void progress_end(struct progress *progress)
{
	progress->wanted = false;
	progress_hide();
}
