/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of the daemon, on stderr or to syslog. */
#ifndef RVTRACED_LOG_H
#define RVTRACED_LOG_H

#include <syslog.h>

/**
 * log_open - set how much is said
 * @verbosity: -1 warnings and errors, 0 what happens, 1 details
 *
 * A priority as sd-daemon(3) wants it, <N>, stands before a line when stderr
 * is a journal or a pipe; on a terminal the program's name does.
 */
void log_open(int verbosity);

/**
 * log_to_syslog - from now on write to syslog, not to stderr
 */
void log_to_syslog(void);

/**
 * log_reopen - be a process whose files are closed; before they are
 */
void log_reopen(void);

/**
 * log_message - one line; controls, and bytes that are no characters, are written as \xNN
 * @priority: LOG_ERR ... LOG_DEBUG
 * @format: printf format, without newline
 */
__attribute__((format(printf, 2, 3)))
void log_message(int priority, const char *format, ...);

#endif /* RVTRACED_LOG_H */
