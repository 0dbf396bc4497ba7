/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How recordings whose writer died are repaired, for who goes on with them or makes them final. */
#ifndef RECORDING_REPAIR_H
#define RECORDING_REPAIR_H

#include "recording_writer.h"

struct repair {
	struct rvtrace_recording *recording;
	bool dry_run;
	bool goes_on;			/* another writer will ask the driver what may be trusted */
	void (*did)(void *data, const char *text);
	void *data;
	int count;
	char file[RECORDING_FILE_MAX];	/* whose repair failed */
};

/* Tells who asked what was done, or would be, and counts it. */
__attribute__((format(printf, 2, 3)))
void repair_say(struct repair *r, const char *format, ...);

/* The file that is repaired next; its name */
const char *repair_at_file(struct repair *r, const char *name, const char *ending);

/* What lies behind @size is no whole item. 0 or a negative errno */
int repair_cut_file(struct repair *r, const char *file, uint64_t size);

/* SINK.idx; 0 or a negative errno */
int repair_index(struct repair *r, struct recording_sink *sink);

/* Marks where the streams were cut; 0 or a negative errno. */
int repair_end_streams(struct repair *r);

/* The ends of all files but the metadata; 0 or a negative errno */
int repair_begin(struct repair *r, struct rvtrace_failure *error);

/* Position behind the last entry that has one */
uint64_t repair_end_position(const struct recording_sink *sink);

/* Fails with the negative errno @ret, if it is not 0: of @name, or of what was repaired. */
int repair_fail(const char *name, int ret, struct rvtrace_failure *error);
int repair_fail_of(const struct repair *r, int ret, struct rvtrace_failure *error);

/* Reads again what was changed; 0 or a negative errno. */
int repair_open_again(int directory, const char *name, struct rvtrace_recording **recording,
		      struct rvtrace_failure *error);

#endif /* RECORDING_REPAIR_H */
