// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: a raw trace by several threads, each of which prints into memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rvtrace/parallel.h>

#include "decode.h"

/**
 * struct part - what was decoded of a segment and is not printed yet
 * @decode: as of the whole trace, with totals and output of its own
 * @text, @size: that output
 * @missing: items without an image
 * @missing_count, @missing_room: of them
 * @offset: of the last item
 */
struct part {
	struct decode decode;
	char *text;
	size_t size;
	struct rvtrace_flow_item *missing;
	size_t missing_count;
	size_t missing_room;
	uint64_t offset;
};

static void part_free(void *data)
{
	struct part *part = data;

	if (part->decode.out.file)
		fclose(part->decode.out.file);
	rvtrace_missing_free(part->decode.missing);
	free(part->decode.sources);
	free(part->missing);
	free(part->text);
	free(part);
}

static void forget_totals(struct decode *d)
{
	memset(d->sources, 0, MAX_SOURCES * sizeof(*d->sources));
	d->lost_bytes = 0;
	d->overflows = 0;
	d->errors = 0;
	d->first_error[0] = 0;
	d->unseen.known = false;
	d->filter.shown = false;
}

static void *part_new(void *data)
{
	const struct decode *d = data;
	struct part *part = calloc(1, sizeof(*part));

	if (!part)
		return NULL;
	part->decode = *d;
	part->decode.filter.blocks = NULL;
	part->decode.filter.room = 0;
	part->decode.out.used = 0;
	part->decode.out.file = open_memstream(&part->text, &part->size);
	part->decode.sources = malloc(MAX_SOURCES * sizeof(*d->sources));
	part->decode.missing = rvtrace_missing_new();
	if (!part->decode.out.file || !part->decode.sources || !part->decode.missing) {
		part_free(part);
		return NULL;
	}
	forget_totals(&part->decode);
	return part;
}

/* What has no image is named when everything before it is known. */
static int keep_missing(struct part *part, const struct rvtrace_flow_item *item)
{
	if (item->type != RVTRACE_FLOW_NO_IMAGE || !decode_shows(&part->decode, item->source))
		return 0;
	if (part->missing_count == part->missing_room) {
		size_t room = part->missing_room ? 2 * part->missing_room : 64;
		void *missing = realloc(part->missing, room * sizeof(*part->missing));

		if (!missing)
			return -ENOMEM;
		part->missing = missing;
		part->missing_room = room;
	}
	part->missing[part->missing_count++] = *item;
	return 0;
}

static int part_items(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	struct part *part = data;
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		ret = keep_missing(part, &items[i]);
	part->offset = items[count - 1].offset;
	return ret ? ret : decode_items(&part->decode, items, count);
}

static void add_source(struct source_totals *to, const struct source_totals *from)
{
	to->seen |= from->seen;
	to->instructions += from->instructions;
	to->no_image += from->no_image;
	to->overflows += from->overflows;
	to->losses += from->losses;
	to->changed += from->changed;
	to->errors += from->errors;
}

static void add_totals(struct decode *to, const struct decode *from)
{
	for (size_t i = 0; i < MAX_SOURCES; i++)
		add_source(&to->sources[i], &from->sources[i]);
	if (!to->errors)
		memcpy(to->first_error, from->first_error, sizeof(to->first_error));
	if (!to->unseen.known)
		to->unseen = from->unseen;
	to->lost_bytes += from->lost_bytes;
	to->overflows += from->overflows;
	to->errors += from->errors;
	to->filter.shown |= from->filter.shown;
}

static int part_commit(void *data, void *p)
{
	struct decode *d = data;
	struct part *part = p;
	int ret = 0;

	add_totals(d, &part->decode);
	forget_totals(&part->decode);
	for (size_t i = 0; i < part->missing_count && !ret; i++)
		ret = rvtrace_missing_add(d->missing, NULL, &part->missing[i]);
	part->missing_count = 0;
	out_flush(&part->decode.out);
	if (fflush(part->decode.out.file))
		return -ENOMEM;
	fwrite(part->text, 1, part->size, d->out.file);
	rewind(part->decode.out.file);
	progress_show(&d->progress, "decoding: %.1f MB", part->offset / 1e6);
	return !ret && ferror(d->out.file) ? -EPIPE : ret;
}

/*
 * Outputs in which an instruction looks the same whatever was before it, of a file whose bytes are
 * all there.
 */
bool decode_in_parts(const struct decode *d, int fd)
{
	const struct decode_filter *filter = &d->filter;
	struct stat st;

	return d->jobs > 1 && !d->recording && !d->config.etrace.type_width &&
	       ((d->output == OUTPUT_PC && !global.json) || d->output == OUTPUT_SUMMARY) &&
	       !filter->thread_count && !filter->from && !filter->to && !filter->range_count &&
	       !filter->symbol_count && !fstat(fd, &st) && S_ISREG(st.st_mode);
}

int decode_parts(struct decode *d, int fd, struct rvtrace_recording_error *error)
{
	const struct rvtrace_parallel_handler handler = {
		.part_new = part_new, .items = part_items, .commit = part_commit,
		.part_free = part_free, .end = decode_end, .data = d,
	};

	return rvtrace_parallel_file(fd, d->object, &d->config, d->program->image, d->jobs, 0,
				     &handler, error);
}
