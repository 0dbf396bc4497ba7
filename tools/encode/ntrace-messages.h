/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Composing the messages of N-Trace, with what is held back to count
 * repetitions; ntrace.c decides which are due.
 *
 * All return false when a message was lost: the caller stops there.
 */
#ifndef RVTRACE_ENCODE_NTRACE_MESSAGES_H
#define RVTRACE_ENCODE_NTRACE_MESSAGES_H

#include "tools/encode/ntrace.h"

/* ECODE: what was lost */
enum ntrace_ecode {
	NTRACE_ECODE_PROGRAM = 0x04,
	NTRACE_ECODE_OWNERSHIP = 0x08,
	NTRACE_ECODE_DATA = 0x20,	/* Nexus: data acquisition */
};

/* FORMAT of Ownership */
enum ntrace_ownership {
	NTRACE_OWNERSHIP_PRIVILEGE = 0,
	NTRACE_OWNERSHIP_SCONTEXT = 2,
};

/**
 * struct ntrace_event - what a branch or synchronizing message tells
 * @tcode: of the message without the Sync suffix; 0: no branch
 * @btype: B-TYPE
 * @target: address of the next instruction
 * @time: timestamp
 * @calls: the count of calls after a synchronization here
 */
struct ntrace_event {
	enum ntrace_tcode tcode;
	uint8_t btype;
	uint64_t target;
	uint64_t time;
	uint16_t calls;
};

/* A message was lost, of what @ecode says. */
void ntrace_lose(struct ntrace_encoder *enc, uint8_t ecode, uint64_t time);

/* I-CNT and HIST are as after a message that carried them. */
void ntrace_clear_counters(struct ntrace_encoder *enc);

/* A conditional branch retired. */
bool ntrace_append_hist(struct ntrace_encoder *enc, bool taken, uint64_t time);

bool ntrace_emit_branch(struct ntrace_encoder *enc,
			const struct ntrace_event *event);
bool ntrace_emit_sync(struct ntrace_encoder *enc,
		      const struct ntrace_event *event, enum ntrace_sync reason,
		      uint64_t cycles);
bool ntrace_emit_ownership(struct ntrace_encoder *enc,
			   enum ntrace_ownership format, uint64_t time);
bool ntrace_emit_owner(struct ntrace_encoder *enc, uint64_t process,
		       uint64_t time);
bool ntrace_emit_data(struct ntrace_encoder *enc, uint32_t tag, uint64_t data,
		      uint64_t time, bool timed);
bool ntrace_emit_auxiliary(struct ntrace_encoder *enc, uint32_t address, uint64_t data,
			   uint64_t time);
bool ntrace_emit_circuit(struct ntrace_encoder *enc, const struct ntrace_circuit *circuit,
			 uint64_t time);
bool ntrace_emit_icnt_full(struct ntrace_encoder *enc, uint64_t time);
bool ntrace_emit_error(struct ntrace_encoder *enc, uint8_t ecode,
		       uint64_t time);
bool ntrace_emit_correlation(struct ntrace_encoder *enc,
			     enum ntrace_evcode evcode, uint64_t time);

#endif /* RVTRACE_ENCODE_NTRACE_MESSAGES_H */
