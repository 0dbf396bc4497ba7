// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: what every packet layer promises. */
#include <string.h>

#include "target-reader.h"

/* Reads everything, in pieces; returns how many results there were. */
static size_t read_all(const struct reader *kind, const void *config, bool anywhere,
		       const uint8_t *bytes, size_t size, size_t piece, struct said *said)
{
	void *reader = kind->open(config, anywhere);
	uint64_t from = 0, to, offset;
	size_t fed = 0, count = 0;
	int ret;

	do {
		size_t take = piece < size - fed ? piece : size - fed;
		uint8_t *copy = malloc(take);

		/* A copy of its own: who reads behind it is caught. */
		memcpy(copy, bytes + fed, take);
		promise(!kind->feed(reader, copy, take));
		fed += take;
		to = kind->units * fed;
		/* each takes a unit at least, and there is room for one more */
		while ((ret = kind->next(reader, &said[count]))) {
			struct said *s = &said[count++];

			promise(count <= kind->units * size);
			promise(ret == 1 || strcmp(rvtrace_strerror(ret), "unknown error"));
			promise(s->size && s->offset >= from && s->offset + s->size <= to);
			s->ret = ret;
			from = s->offset + s->size;
		}
		promise(kind->pending(reader, &offset) <= (kind->pending_max ?: to));
		promise((!kind->pending_max || offset >= from) && offset <= to);
		free(copy);
	} while (fed < size);
	kind->close(reader);
	return count;
}

void read_both(const struct reader *kind, const void *config, bool anywhere,
	       const uint8_t *bytes, size_t size, size_t piece)
{
	struct said *whole = calloc(kind->units * size + 1, sizeof(*whole));
	struct said *parts = calloc(kind->units * size + 1, sizeof(*parts));
	size_t count = read_all(kind, config, anywhere, bytes, size, size, whole);

	promise(read_all(kind, config, anywhere, bytes, size, piece, parts) == count);
	promise(!memcmp(whole, parts, count * sizeof(*whole)));
	free(whole);
	free(parts);
}
