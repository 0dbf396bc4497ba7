/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of E-Trace as text, so that a test can say what it expects field by field. */
#ifndef RVTRACE_SELFTESTS_ETRACE_FIELDS_H
#define RVTRACE_SELFTESTS_ETRACE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

/* The longest payload, without sign-based compression */
#define ETRACE_FIELDS_BYTES	64

/**
 * etrace_fields() - a payload from its fields
 * @text: fields in the order of the specification's table, as NAME=VALUE/BITS; the name is for
 *	the reader
 * @bytes: room for ETRACE_FIELDS_BYTES
 *
 * Sign-extended to the end of the last byte, then sign-compressed.
 *
 * Return: how many bytes.
 */
size_t etrace_fields(const char *text, uint8_t *bytes);

/* Payloads of plain_etrace(); addresses in half-words. */
#define NO_CHANGE	"0"
#define ENDED_REP	"1"
#define TRACE_LOST	"2"
#define ENDED_NTR	"3"
#define SUPPORT(ienable, qual_status, ioptions)						\
	"format=3/2 subformat=3/2 ienable=" #ienable "/1 encoder_mode=0/1"		\
	" qual_status=" qual_status "/2 ioptions=" #ioptions "/6"
#define START(branch, privilege, address)						\
	"format=3/2 subformat=0/2 branch=" #branch "/1 privilege=" #privilege "/2"	\
	" address=" #address "/31"
#define EXCEPTION(privilege, ecause, thaddr, address, tval)				\
	"format=3/2 subformat=1/2 branch=1/1 privilege=" #privilege "/2"		\
	" ecause=" #ecause "/4 interrupt=0/1 thaddr=" #thaddr "/1"			\
	" address=" #address "/31 tval=" #tval "/32"
#define INTERRUPT(privilege, ecause, thaddr, address)					\
	"format=3/2 subformat=1/2 branch=1/1 privilege=" #privilege "/2"		\
	" ecause=" #ecause "/4 interrupt=1/1 thaddr=" #thaddr "/1"			\
	" address=" #address "/31"
#define BRANCHES(branches, branch_map, bits, address, notify, updiscon, irreport)	\
	"format=1/2 branches=" #branches "/5 branch_map=" #branch_map "/" #bits		\
	" address=" #address "/31 notify=" #notify "/1"					\
	" updiscon=" #updiscon "/1 irreport=" #irreport "/1"
#define ADDRESS(address, notify, updiscon, irreport)					\
	"format=2/2 address=" #address "/31 notify=" #notify "/1"			\
	" updiscon=" #updiscon "/1 irreport=" #irreport "/1"

/* start() at 0x100 and two instructions of two half-words; after @support, the first is sent. */
void begin_with(const char *support);
/* The same with these modes on. */
void begin_mode(uint16_t modes, const char *support);
/* The same of plain_etrace(). */
void begin_plain(void);

/* What is at the hart's place retires, and something after it: its packet is known. */
void go_on(void);

/* The next packets the bench's encoder sent have these fields; encapsulation is but the header. */
#define sends(...)	sends_all((const char *const[]){ __VA_ARGS__, NULL })
void sends_all(const char *const *texts);
void sends_nothing(void);

#endif /* RVTRACE_SELFTESTS_ETRACE_FIELDS_H */
