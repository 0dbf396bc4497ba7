// SPDX-License-Identifier: LGPL-2.1-or-later
/* Damage of a recording: what was met, where. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording_internal.h"

#define DAMAGE_MAX	1000
#define ROOM		64
#define NO_STREAM	UINT64_MAX

struct recording_damage {
	struct rvtrace_damage public;
	uint64_t stream;	/* offset in the stream, or NO_STREAM */
	char *what;
};

static char *describe(const struct recording_damage *damage)
{
	const struct rvtrace_damage *public = &damage->public;
	unsigned long long from = public->offset, to = from + public->length;
	char stream[64] = "";
	char *text = NULL;
	int ret;

	if (damage->stream != NO_STREAM)
		snprintf(stream, sizeof(stream), " (stream offset %llu)",
			 (unsigned long long)damage->stream);
	if (public->length)
		ret = asprintf(&text, "%s: bytes %llu to %llu%s: %s", public->file, from, to,
			       stream, damage->what);
	else if (public->error && !from)
		ret = asprintf(&text, "%s: %s", public->file, damage->what);
	else
		ret = asprintf(&text, "%s: offset %llu%s: %s", public->file, from, stream,
			       damage->what);
	return ret < 0 ? NULL : text;
}

static bool same_kind(const struct recording_damage *a, const struct recording_damage *b)
{
	return !strcmp(a->public.file, b->public.file) && !strcmp(a->what, b->what) &&
	       (a->stream == NO_STREAM) == (b->stream == NO_STREAM);
}

static bool within(const struct rvtrace_damage *inner, const struct rvtrace_damage *outer)
{
	return inner->offset >= outer->offset &&
	       inner->offset + inner->length <= outer->offset + outer->length;
}

/* Whether it is known already, as when a file is read twice. */
static bool known(const struct rvtrace_recording *recording, const struct recording_damage *new)
{
	size_t i;

	for (i = 0; i < recording->damage_count; i++)
		if (within(&new->public, &recording->damage[i].public) &&
		    same_kind(&recording->damage[i], new))
			return true;
	return false;
}

/* Lets the last one grow where @new goes on. */
static bool merge(struct rvtrace_recording *recording, const struct recording_damage *new)
{
	struct recording_damage *last;
	struct recording_damage grown;
	char *text;

	if (!recording->damage_count)
		return false;
	last = &recording->damage[recording->damage_count - 1];
	if (!new->public.length || !same_kind(last, new) ||
	    last->public.offset + last->public.length != new->public.offset)
		return false;
	grown = *last;
	grown.public.length += new->public.length;
	text = describe(&grown);
	if (!text)
		return false;
	free((char *)last->public.text);
	last->public.text = text;
	last->public.length = grown.public.length;
	return true;
}

static void drop(struct recording_damage *damage)
{
	free((char *)damage->public.file);
	free((char *)damage->public.text);
	free(damage->what);
}

/* Without memory there is nothing to add it to; reading goes on. */
static void add(struct rvtrace_recording *recording, struct recording_damage *new)
{
	struct recording_damage *damage = recording->damage;
	size_t count = recording->damage_count;

	if (!new->public.file || !new->what || known(recording, new) || merge(recording, new) ||
	    count > DAMAGE_MAX) {
		drop(new);
		return;
	}
	if (count == DAMAGE_MAX) {
		free(new->what);
		new->what = strdup("and more damage, here or elsewhere");
		new->public.error = 0;
	}
	new->public.text = new->what ? describe(new) : NULL;
	if (new->public.text && !(count % ROOM)) {
		damage = reallocarray(damage, count + ROOM, sizeof(*damage));
		if (damage)
			recording->damage = damage;
	}
	if (!new->public.text || !damage) {
		drop(new);
		return;
	}
	damage[count] = *new;
	recording->damage_count++;
}

void recording_damage(struct rvtrace_recording *recording, const char *file, uint64_t offset,
		      uint64_t length, const char *format, ...)
{
	struct recording_damage new = {
		.public = { .file = strdup(file), .offset = offset, .length = length },
		.stream = NO_STREAM,
	};
	va_list args;

	va_start(args, format);
	if (vasprintf(&new.what, format, args) < 0)
		new.what = NULL;
	va_end(args);
	add(recording, &new);
}

void recording_damage_stream(struct rvtrace_recording *recording, const char *file,
			     uint64_t offset, uint64_t length, uint64_t stream, const char *what)
{
	struct recording_damage new = {
		.public = { .file = strdup(file), .offset = offset, .length = length },
		.stream = stream,
		.what = strdup(what),
	};

	add(recording, &new);
}

int recording_unreadable(struct rvtrace_recording *recording, const char *file, uint64_t offset,
			 int code, struct rvtrace_failure *error)
{
	struct rvtrace_failure unreadable;
	struct recording_damage new = {
		.public = { .file = strdup(file), .offset = offset, .error = abs(code) },
		.stream = NO_STREAM,
	};
	char place[40] = "";

	if (asprintf(&new.what, "cannot be read: %s", strerror(abs(code))) < 0)
		new.what = NULL;
	add(recording, &new);
	if (offset)
		snprintf(place, sizeof(place), "offset %llu: ", (unsigned long long)offset);
	rvtrace_fail(&unreadable, abs(code), offset, "%s/%s: %s%s", recording->path, file, place,
		     strerror(abs(code)));
	if (!recording->unreadable.code)
		recording->unreadable = unreadable;
	if (error)
		*error = unreadable;
	return -abs(code);
}

void recording_damage_free(struct rvtrace_recording *recording)
{
	size_t i;

	for (i = 0; i < recording->damage_count; i++)
		drop(&recording->damage[i]);
	free(recording->damage);
	recording->damage = NULL;
	recording->damage_count = 0;
}

const struct rvtrace_damage *rvtrace_recording_damage(const struct rvtrace_recording *recording,
						      size_t index)
{
	return index < recording->damage_count ? &recording->damage[index].public : NULL;
}
