/* SPDX-License-Identifier: GPL-2.0 */
/* dbtr.c: debug triggers of harts, through the firmware */
#ifndef RVTRACE_DBTR_H
#define RVTRACE_DBTR_H

#include <linux/bits.h>
#include <linux/types.h>

/*
 * Words of the memory that is shared with the firmware, to install one trigger. What it answers,
 * the number of the trigger, is in the first word; up to OpenSBI 1.6, in a word after the others.
 */
enum rvtrace_dbtr_word {
	RVTRACE_DBTR_STATE,
	RVTRACE_DBTR_TDATA1,
	RVTRACE_DBTR_TDATA2,
	RVTRACE_DBTR_TDATA3,
	RVTRACE_DBTR_NUMBER,
	RVTRACE_DBTR_WORDS
};

#define RVTRACE_DBTR_NO_NUMBER	(~0UL)

/* A trigger that does something before the instruction at an address, in S-mode */
#define RVTRACE_DBTR_TDATA1_EXECUTE	BIT(2)
#define RVTRACE_DBTR_TDATA1_S		BIT(4)
#define RVTRACE_DBTR_TDATA1_TRACE_NOTIFY	(4 << 12)
#define RVTRACE_DBTR_TDATA1_TYPE(type)	((unsigned long)(type) << (BITS_PER_LONG - 4))

/**
 * rvtrace_dbtr_ask() - what the firmware reads to install a trigger
 * @words: RVTRACE_DBTR_WORDS of them, as the firmware has them
 * @type: 2 (mcontrol) or 6 (mcontrol6)
 * @address: of the instruction
 */
static inline void rvtrace_dbtr_ask(unsigned long *words, unsigned int type, unsigned long address)
{
	words[RVTRACE_DBTR_STATE] = 0;
	words[RVTRACE_DBTR_TDATA1] = RVTRACE_DBTR_TDATA1_TYPE(type) |
				     RVTRACE_DBTR_TDATA1_TRACE_NOTIFY | RVTRACE_DBTR_TDATA1_S |
				     RVTRACE_DBTR_TDATA1_EXECUTE;
	words[RVTRACE_DBTR_TDATA2] = address;
	words[RVTRACE_DBTR_TDATA3] = 0;
	words[RVTRACE_DBTR_NUMBER] = RVTRACE_DBTR_NO_NUMBER;
}

/**
 * rvtrace_dbtr_number() - which trigger the firmware says that it installed
 * @words: those of rvtrace_dbtr_ask()
 */
static inline unsigned long rvtrace_dbtr_number(const unsigned long *words)
{
	return words[RVTRACE_DBTR_NUMBER] == RVTRACE_DBTR_NO_NUMBER ? words[RVTRACE_DBTR_STATE] :
								      words[RVTRACE_DBTR_NUMBER];
}

void rvtrace_dbtr_init(void);
void rvtrace_dbtr_exit(void);
bool rvtrace_dbtr_found(void);
void rvtrace_dbtr_find_modules(void);
int rvtrace_dbtr_install(unsigned int cpu, unsigned long *installed, const char **why);
int rvtrace_dbtr_uninstall(unsigned int cpu, unsigned long installed);

#endif /* RVTRACE_DBTR_H */
