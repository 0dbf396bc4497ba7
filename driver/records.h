/* SPDX-License-Identifier: GPL-2.0 */
/* records.c: the record ring, with rvtrace_sink.lock held */
#ifndef RVTRACE_RECORDS_H
#define RVTRACE_RECORDS_H

#include <linux/list.h>
#include <linux/types.h>

struct rvtrace_record;
struct rvtrace_record_code;
struct rvtrace_record_task;
struct rvtrace_record_text;
struct rvtrace_sink;

#define RVTRACE_RECORDS_SIZE	0x40000U

/* Sinks with a live session, changed with rvtrace_lock held, walked under RCU. */
extern struct list_head rvtrace_live;

void rvtrace_records_reader(struct rvtrace_sink *sink, bool privileged);
void rvtrace_record(struct rvtrace_sink *sink, struct rvtrace_record *record,
		    u16 type, u32 size, u64 position);
void rvtrace_record_loss(struct rvtrace_sink *sink);
void rvtrace_record_clock(struct rvtrace_sink *sink);
bool rvtrace_records_begin_at(struct rvtrace_sink *sink, u64 position);
void rvtrace_publish_records(struct rvtrace_sink *sink);
bool rvtrace_records_many(const struct rvtrace_sink *sink);
bool rvtrace_records_due(const struct rvtrace_sink *sink);
void rvtrace_record_address_space(struct rvtrace_sink *sink, u32 context, s32 pid,
				  const char *comm);
void rvtrace_record_task(struct rvtrace_sink *sink, const struct rvtrace_record_task *task);
void rvtrace_record_text(struct rvtrace_sink *sink, const struct rvtrace_record_text *text);
void rvtrace_record_code(struct rvtrace_sink *sink, struct rvtrace_record_code *code);

#endif /* RVTRACE_RECORDS_H */
