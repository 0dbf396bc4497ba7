/* SPDX-License-Identifier: GPL-2.0 */
/* text.c: modules that come and go */
#ifndef RVTRACE_TEXT_H
#define RVTRACE_TEXT_H

int rvtrace_text_init(void);
void rvtrace_text_exit(void);

#endif /* RVTRACE_TEXT_H */
