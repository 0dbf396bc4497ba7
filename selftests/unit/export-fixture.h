/* SPDX-License-Identifier: GPL-2.0 */
/* Exports of events that no decoder made. */
#ifndef EXPORT_FIXTURE_H
#define EXPORT_FIXTURE_H

#include "tools/tracectl/export/export.h"

/* What the view knows: functions 1 to 3, lanes 0 and 1. */
#define MAIN	1
#define ODD	2	/* "a;b\n", a byte that is no UTF-8, a space */
#define LEAF	3

/* What times are in; NULL: there are none. */
extern const char *fixture_unit;

/* How often something was warned of. */
extern unsigned int fixture_warnings;

/**
 * struct script - an export under way
 * @x: it
 * @out: its output
 * @view: its view
 * @text: what was written, @size bytes, once it is ended
 * @frames: numbers of frames so far
 * @open: open frames of each lane
 * @depth: how many
 */
struct script {
	struct export x;
	struct out out;
	struct view view;
	char *text;
	size_t size;
	uint64_t frames;
	struct rvtrace_call_frame open[2][8];
	uint32_t depth[2];
};

void script_begin(struct script *script, const struct export_format *format,
		  enum export_weight weight);
void script_run(struct script *script, uint32_t lane, uint64_t time);
void script_rest(struct script *script, uint32_t lane, uint64_t time);
void script_enter(struct script *script, uint32_t lane, uint64_t time, uint32_t function,
		  uint16_t flags);
/* The innermost one; it executed so much itself. */
void script_leave(struct script *script, uint32_t lane, uint64_t time, uint64_t instructions,
		  uint16_t flags);
/* The innermost one is left, but nobody is told. */
void script_forget(struct script *script, uint32_t lane);
/* @source: RVTRACE_SOURCE_ALL or that of the lane */
void script_gap(struct script *script, uint32_t lane, uint64_t time, uint32_t source,
		enum rvtrace_flow_type type);
void script_data(struct script *script, uint32_t lane, uint64_t time, uint32_t id, uint64_t value);
void script_end(struct script *script);
void script_free(struct script *script);

/*
 * What most tests export: a loss of all while both lanes run, in different depths; a thread that
 * rests; a frame whose end is not shown.
 */
void script_usual(struct script *script, const struct export_format *format,
		  enum export_weight weight);

#endif /* EXPORT_FIXTURE_H */
