/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl export: packets of Perfetto. */
#ifndef RVTRACE_TRACECTL_EXPORT_PERFETTO_H
#define RVTRACE_TRACECTL_EXPORT_PERFETTO_H

#include "export.h"
#include "perfetto.pb-c.h"

/* Numbers of the names of annotations */
enum annotation {
	ANNOTATION_FLAGS = 1, ANNOTATION_ENDED, ANNOTATION_ADDRESS, ANNOTATION_INSTRUCTIONS,
	ANNOTATION_OWN_INSTRUCTIONS, ANNOTATION_OWN_TIME, ANNOTATION_RESTING,
	ANNOTATION_INTERRUPTED, ANNOTATION_ENTERED_EARLIEST, ANNOTATION_ENTERED_LATEST,
	ANNOTATION_LEFT_EARLIEST, ANNOTATION_LEFT_LATEST, ANNOTATION_REASON, ANNOTATION_HART,
	ANNOTATION_VALUE, ANNOTATION_CALL, ANNOTATIONS,
};

/**
 * struct packer - how packets get into the file
 * @begun: there is one
 * @packed: one
 * @room: bytes of @packed
 */
struct packer {
	bool begun;
	uint8_t *packed;
	size_t room;
};

/**
 * struct perfetto_packet - one under way, with all that may be in it
 * @packet: what is written
 * @event: of a track
 * @interned: names it is the first to use
 * @names: these
 * @name: a list of @names
 * @category: the category
 * @categories: a list of it
 * @category_iid: its number
 * @annotations: @annotation_count of them
 * @annotation: a list of @annotations
 * @texts: what strings of @packet are, to be freed
 * @text_count: how many
 */
struct perfetto_packet {
	TracePacket packet;
	TrackEvent event;
	InternedData interned;
	InternedName names[1];
	InternedName *name[1];
	InternedName category[1];
	InternedName *categories[1];
	uint64_t category_iid;
	DebugAnnotation annotations[8];
	DebugAnnotation *annotation[8];
	char *texts[4];
	size_t text_count;
};

/* A packet; ends with perfetto_put(), whatever fails: @ret is 0 or what did. 0 or a negative errno. */
void perfetto_begin(struct perfetto_packet *p, uint64_t time);
int perfetto_put(struct export *x, struct packer *packer, struct perfetto_packet *p, int ret);

/* A packet with an event of a track. */
void perfetto_event(struct perfetto_packet *p, TrackEvent__Type type, uint64_t track, uint64_t time);

/* A copy of a text, as protobuf has it, that stays until the packet is written; NULL: no memory. */
char *perfetto_text(struct perfetto_packet *p, const char *text);

/* The event's name and category, which other packets know afterwards. 0 or -ENOMEM. */
int perfetto_name(struct export *x, struct perfetto_packet *p, uint32_t name);

void perfetto_number(struct perfetto_packet *p, enum annotation name, uint64_t value);
void perfetto_pointer(struct perfetto_packet *p, enum annotation name, uint64_t value);
/* @text is in UTF-8, and stays until the packet is written. */
void perfetto_annotate(struct perfetto_packet *p, enum annotation name, const char *text);

/* By how much the time may be off, "unknown" if that is not known. */
void perfetto_time(struct perfetto_packet *p, const struct export_moment *time, enum annotation earliest,
		 enum annotation latest);

/* The first packet, with the names of annotations. 0 or a negative errno. */
int perfetto_first(struct export *x, struct packer *packer);

#endif /* RVTRACE_TRACECTL_EXPORT_PERFETTO_H */
