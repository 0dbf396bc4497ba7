// SPDX-License-Identifier: GPL-2.0
/*
 * tracectl export: speedscope's evented profiles, one for each thread. The format has all names
 * first, and the events of a profile together: events are kept in blocks of a file without a name.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export.h"

#define BLOCK	8192
#define ROOM	(BLOCK - sizeof(uint64_t))	/* behind it, where the next one is */
#define NO_BLOCK	UINT64_MAX
#define EVENT_MAX	256		/* characters of one */

/* speedscope reads a file as one string, of which browsers have no longer ones. */
#define READER_BYTES	500000000ULL
/* Numbers of JavaScript are exact up to that. */
#define EXACT_MAX	(1ULL << 53)

/**
 * struct profile - of a lane
 * @first: its first block
 * @at: the one under way
 * @text: of that
 * @used: bytes of @text
 * @events: there is one
 * @start: time of the first one
 * @uncertain: the most by which one may be off
 * @open: some of them have no latest time
 */
struct profile {
	uint64_t first;
	uint64_t at;
	char text[BLOCK];
	size_t used;
	bool events;
	uint64_t start;
	uint64_t uncertain;
	bool open;
};

/**
 * struct speedscope - the file
 * @fd: of the blocks
 * @blocks: how many
 */
struct speedscope {
	int fd;
	uint64_t blocks;
};

static int begin(struct export *x)
{
	struct speedscope *speedscope = calloc(1, sizeof(*speedscope));

	x->own = speedscope;
	if (!speedscope)
		return -ENOMEM;
	speedscope->fd = export_temporary(x);
	return speedscope->fd < 0 ? speedscope->fd : 0;
}

static int write_block(struct speedscope *speedscope, struct profile *profile, uint64_t next)
{
	size_t done = 0;

	memcpy(profile->text + ROOM, &next, sizeof(next));
	while (done < BLOCK) {
		ssize_t ret = pwrite(speedscope->fd, profile->text + done, BLOCK - done,
				     profile->at * BLOCK + done);

		if (ret < 0 && errno != EINTR)
			return -errno;
		if (ret > 0)
			done += ret;
	}
	profile->at = next;
	profile->used = 0;
	return 0;
}

static struct profile *profile_of(struct export *x, struct export_lane *lane)
{
	struct speedscope *speedscope = x->own;
	struct profile *profile = lane->own;

	if (profile)
		return profile;
	lane->own = profile = calloc(1, sizeof(*profile));
	if (profile)
		profile->first = profile->at = speedscope->blocks++;
	return profile;
}

static int add_text(struct export *x, struct profile *profile, const char *text, size_t size)
{
	struct speedscope *speedscope = x->own;
	int ret = 0;

	while (size && !ret) {
		size_t part = size < ROOM - profile->used ? size : ROOM - profile->used;

		memcpy(profile->text + profile->used, text, part);
		profile->used += part;
		text += part;
		size -= part;
		if (size)
			ret = write_block(speedscope, profile, speedscope->blocks++);
	}
	return ret;
}

static void note_time(struct profile *profile, const struct export_moment *time)
{
	uint64_t before = time->best - time->earliest, after = time->latest - time->best;

	if (!profile->events)
		profile->start = time->best;
	profile->events = true;
	if (!time->known || time->latest == EXPORT_OPEN)
		profile->open = true;
	else if (after > profile->uncertain)
		profile->uncertain = after;
	if (before > profile->uncertain)
		profile->uncertain = before;
}

/* @more: members that readers who do not know them leave alone */
static int add_event(struct export *x, const struct export_step *step, char type, uint32_t name,
		     const char *more)
{
	struct profile *profile = profile_of(x, step->lane);
	char text[EVENT_MAX];
	int size;

	if (!profile)
		return -ENOMEM;
	/* frames are numbered from 0 */
	size = snprintf(text, sizeof(text), "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%"
			PRIu64 "%s}", profile->events ? ",\n" : "\n", type, name - 1,
			step->time.best, more);
	note_time(profile, &step->time);
	return add_text(x, profile, text, size);
}

static const char *flags_member(uint16_t flags, uint16_t mask, char text[EVENT_MAX / 2])
{
	char words[EXPORT_REASON];

	*text = 0;
	if (*export_flags(flags, mask, words))
		snprintf(text, EVENT_MAX / 2, ",\"flags\":\"%s\"", words);
	return text;
}

static int enter(struct export *x, const struct export_step *step)
{
	char more[EVENT_MAX / 2];

	flags_member(step->event->frame->flags, EXPORT_FLAGS_ENTER, more);
	if (!step->frame->is_call)
		strcat(more, ",\"call\":false");
	return add_event(x, step, 'O', step->frame->name, more);
}

static int leave(struct export *x, const struct export_step *step)
{
	const struct rvtrace_call_frame *frame = step->event->frame;
	char more[EVENT_MAX / 2];
	size_t used;

	flags_member(frame->flags, EXPORT_FLAGS_LEAVE, more);
	used = strlen(more);
	snprintf(more + used, sizeof(more) - used, ",\"instructions\":%" PRIu64,
		 frame->own_instructions);
	return add_event(x, step, 'C', step->frame->name, more);
}

static int gap(struct export *x, const struct export_step *step)
{
	uint32_t name = export_name_of_text(x, export_gap_name(step->lane->gap_is_loss));
	char reason[EXPORT_REASON], more[EVENT_MAX / 2];

	snprintf(more, sizeof(more), ",\"reason\":\"%s\"",
		 export_gap_reason(step->event->item, reason));
	return name ? add_event(x, step, 'O', name, more) : -ENOMEM;
}

static int gap_end(struct export *x, const struct export_step *step)
{
	uint32_t name = export_name_of_text(x, export_gap_name(step->lane->gap_is_loss));

	return name ? add_event(x, step, 'C', name, "") : -ENOMEM;
}

static void put_frames(struct export *x)
{
	struct out *out = x->out;

	for (size_t i = 1; i < x->name_count; i++) {
		out_text(out, i > 1 ? ",\n{\"name\":" : "\n{\"name\":");
		out_json_string(out, x->names[i].text);
		if (x->names[i].file)
			out_json_text(out, "file", x->names[i].file);
		out_char(out, '}');
	}
}

static int put_blocks(struct export *x, const struct profile *profile)
{
	struct speedscope *speedscope = x->own;
	char *text = profile->first == profile->at ? NULL : malloc(BLOCK);
	uint64_t at = profile->first;
	int ret = text || at == profile->at ? 0 : -ENOMEM;

	while (at != profile->at && !ret) {
		ssize_t got = pread(speedscope->fd, text, BLOCK, at * BLOCK);

		if (got != BLOCK) {
			ret = got < 0 ? -errno : -EIO;
			break;
		}
		out_bytes(x->out, text, ROOM);
		memcpy(&at, text + ROOM, sizeof(at));
		ret = -x->out->error;
	}
	if (!ret)
		out_bytes(x->out, profile->text, profile->used);
	free(text);
	return ret;
}

static const char *unit_of(const struct export *x)
{
	return x->unit && !strcmp(x->unit, "ns") ? "nanoseconds" : "none";
}

static int put_profile(struct export *x, const struct export_lane *lane, bool first)
{
	const struct profile *profile = lane->own;
	char name[EXPORT_LANE_NAME];
	struct out *out = x->out;
	int ret;

	out_text(out, first ? "\n{" : ",\n{");
	out_text(out, "\"type\":\"evented\"");
	out_json_text(out, "name", export_lane_name(x, lane, name));
	out_json_text(out, "unit", unit_of(x));
	out_json_number(out, "startValue", profile->start);
	out_json_number(out, "endValue", lane->time > profile->start ? lane->time :
								      profile->start);
	/* how far times may be off; readers leave it alone */
	out_json_number(out, "uncertainty", profile->uncertain);
	out_text(out, profile->open ? ",\"uncertaintyIsOpen\":true,\"events\":[" : ",\"events\":[");
	ret = put_blocks(x, profile);
	out_text(out, "]}");
	return ret;
}

static int end(struct export *x)
{
	struct out *out = x->out;
	bool first = true;
	int ret = 0;

	out_text(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		      "\"exporter\":\"tracectl\",\n\"shared\":{\"frames\":[");
	put_frames(x);
	out_text(out, "]},\n\"profiles\":[");
	for (size_t i = 0; i < x->lane_count && !ret; i++) {
		if (!x->lanes[i] || !x->lanes[i]->own)
			continue;
		ret = put_profile(x, x->lanes[i], first);
		first = false;
	}
	out_text(out, "]}\n");
	if (!ret && out->flushed + out->used > READER_BYTES)
		warn_text("the file has more than 500 MB, which speedscope cannot open; --from, --to and --thread make it smaller");
	if (!ret && x->latest > EXACT_MAX)
		warn_text("times are greater than 2^53, so speedscope rounds them");
	return ret ? ret : -out->error;
}

static void free_speedscope(struct export *x)
{
	struct speedscope *speedscope = x->own;

	if (speedscope && speedscope->fd >= 0)
		close(speedscope->fd);
	free(speedscope);
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.begin = begin, .enter = enter, .leave = leave, .gap = gap, .gap_end = gap_end,
	.end = end, .free = free_speedscope,
};
