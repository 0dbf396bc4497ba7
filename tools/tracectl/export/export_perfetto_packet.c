// SPDX-License-Identifier: GPL-2.0
/* tracectl export: packets of Perfetto. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/utf8.h"
#include "export_perfetto.h"

#define SEQUENCE	1
#define STATE_CLEARED	1
#define STATE_NEEDED	2

/* export_name.own */
#define NAME_KNOWN	1
#define CATEGORY_KNOWN	2

static const char *const annotation_names[] = {
	[ANNOTATION_FLAGS] = "flags",
	[ANNOTATION_ENDED] = "ended",
	[ANNOTATION_ADDRESS] = "address",
	[ANNOTATION_INSTRUCTIONS] = "instructions",
	[ANNOTATION_OWN_INSTRUCTIONS] = "own_instructions",
	[ANNOTATION_OWN_TIME] = "own_time",
	[ANNOTATION_RESTING] = "resting",
	[ANNOTATION_INTERRUPTED] = "interrupted",
	[ANNOTATION_ENTERED_EARLIEST] = "entered_earlier_by",
	[ANNOTATION_ENTERED_LATEST] = "entered_later_by",
	[ANNOTATION_LEFT_EARLIEST] = "left_earlier_by",
	[ANNOTATION_LEFT_LATEST] = "left_later_by",
	[ANNOTATION_REASON] = "reason",
	[ANNOTATION_HART] = "hart",
	[ANNOTATION_VALUE] = "value",
	[ANNOTATION_CALL] = "call",
};

char *perfetto_text(struct perfetto_packet *p, const char *text)
{
	size_t room = strlen(text) * 4 + 1;
	char *copy = malloc(room);

	if (!copy)
		return NULL;
	p->texts[p->text_count++] = copy;
	return utf8_copy_visible(copy, room, text);
}

static int append_packed(struct export *x, struct packer *packer, const TracePacket *packet)
{
	size_t size = trace_packet__get_packed_size(packet), left;

	if (size > packer->room) {
		uint8_t *more = realloc(packer->packed, size * 2);

		if (!more)
			return -ENOMEM;
		packer->packed = more;
		packer->room = size * 2;
	}
	/* a member of Trace.packet */
	out_char(x->out, 1 << 3 | 2);
	for (left = size; left >= 0x80; left >>= 7)
		out_char(x->out, (char)(left | 0x80));
	out_char(x->out, (char)left);
	trace_packet__pack(packet, packer->packed);
	out_bytes(x->out, (const char *)packer->packed, size);
	return -x->out->error;
}

int perfetto_put(struct export *x, struct packer *packer, struct perfetto_packet *p, int ret)
{
	p->packet.has_trusted_packet_sequence_id = true;
	p->packet.trusted_packet_sequence_id = SEQUENCE;
	p->packet.has_sequence_flags = true;
	p->packet.sequence_flags = packer->begun ? STATE_NEEDED : STATE_CLEARED;
	packer->begun = true;
	if (!ret)
		ret = append_packed(x, packer, &p->packet);
	while (p->text_count)
		free(p->texts[--p->text_count]);
	return ret;
}

void perfetto_begin(struct perfetto_packet *p, uint64_t time)
{
	p->packet = (TracePacket)TRACE_PACKET__INIT;
	p->packet.has_timestamp = true;
	p->packet.timestamp = time;
	p->text_count = 0;
}

void perfetto_event(struct perfetto_packet *p, TrackEvent__Type type, uint64_t track, uint64_t time)
{
	perfetto_begin(p, time);
	p->event = (TrackEvent)TRACK_EVENT__INIT;
	p->interned = (InternedData)INTERNED_DATA__INIT;
	p->packet.track_event = &p->event;
	p->event.has_type = true;
	p->event.type = type;
	p->event.has_track_uuid = true;
	p->event.track_uuid = track;
	p->event.debug_annotations = p->annotation;
}

static int intern(struct export *x, struct perfetto_packet *p, uint32_t name, uint32_t known,
		  InternedName *entry)
{
	if (x->names[name].own & known)
		return 0;
	x->names[name].own |= known;
	*entry = (InternedName)INTERNED_NAME__INIT;
	entry->has_iid = true;
	entry->iid = name;
	entry->name = perfetto_text(p, x->names[name].text);
	p->packet.interned_data = &p->interned;
	return entry->name ? 1 : -ENOMEM;
}

int perfetto_name(struct export *x, struct perfetto_packet *p, uint32_t name)
{
	const char *file = x->names[name].file;
	uint32_t category = file ? export_name_of_text(x, file) : 0;
	int ret = file && !category ? -ENOMEM : intern(x, p, name, NAME_KNOWN, p->names);

	if (ret > 0) {
		p->name[0] = p->names;
		p->interned.n_event_names = 1;
		p->interned.event_names = p->name;
	}
	p->event.has_name_iid = true;
	p->event.name_iid = name;
	if (ret < 0 || !category)
		return ret < 0 ? ret : 0;
	ret = intern(x, p, category, CATEGORY_KNOWN, p->category);
	if (ret > 0) {
		p->categories[0] = p->category;
		p->interned.n_event_categories = 1;
		p->interned.event_categories = p->categories;
	}
	p->category_iid = category;
	p->event.n_category_iids = 1;
	p->event.category_iids = &p->category_iid;
	return ret < 0 ? ret : 0;
}

static DebugAnnotation *annotate(struct perfetto_packet *p, enum annotation name)
{
	DebugAnnotation *annotation = &p->annotations[p->event.n_debug_annotations];

	*annotation = (DebugAnnotation)DEBUG_ANNOTATION__INIT;
	annotation->has_name_iid = true;
	annotation->name_iid = name;
	p->annotation[p->event.n_debug_annotations++] = annotation;
	return annotation;
}

void perfetto_number(struct perfetto_packet *p, enum annotation name, uint64_t value)
{
	DebugAnnotation *annotation = annotate(p, name);

	annotation->has_uint_value = true;
	annotation->uint_value = value;
}

void perfetto_pointer(struct perfetto_packet *p, enum annotation name, uint64_t value)
{
	DebugAnnotation *annotation = annotate(p, name);

	annotation->has_pointer_value = true;
	annotation->pointer_value = value;
}

void perfetto_annotate(struct perfetto_packet *p, enum annotation name, const char *text)
{
	annotate(p, name)->string_value = (char *)text;
}

void perfetto_time(struct perfetto_packet *p, const struct export_moment *time,
			  enum annotation earliest, enum annotation latest)
{
	if (!time->known || time->earliest < time->best)
		perfetto_number(p, earliest, time->best - time->earliest);
	if (!time->known || time->latest == EXPORT_OPEN)
		perfetto_annotate(p, latest, "unknown");
	else if (time->latest > time->best)
		perfetto_number(p, latest, time->latest - time->best);
}

int perfetto_first(struct export *x, struct packer *packer)
{
	InternedName names[ANNOTATIONS], *list[ANNOTATIONS];
	struct perfetto_packet p;

	perfetto_begin(&p, 0);
	p.packet.has_timestamp = false;
	p.interned = (InternedData)INTERNED_DATA__INIT;
	p.packet.interned_data = &p.interned;
	for (size_t i = 1; i < ANNOTATIONS; i++) {
		names[i] = (InternedName)INTERNED_NAME__INIT;
		names[i].has_iid = true;
		names[i].iid = i;
		names[i].name = (char *)annotation_names[i];
		list[i] = &names[i];
	}
	p.interned.n_debug_annotation_names = ANNOTATIONS - 1;
	p.interned.debug_annotation_names = list + 1;
	return perfetto_put(x, packer, &p, 0);
}
