// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Landing pads: see rvtrace/landing.h.
 *
 * .eh_frame is a list of records: a CIE says how the FDEs that refer to it are encoded, an FDE
 * describes a function, or a part of one, and says where its LSDA is.
 */
#include <stdlib.h>
#include <string.h>

#include <rvtrace/landing.h>

#include "dwarf.h"

#define LENGTH_BYTES		4
#define LENGTH_64		0xffffffffU	/* the length follows, in 8 bytes */
#define AUGMENTATION_BYTES	8		/* "zPLRSBG" and NUL: longer ones are unknown */

/**
 * struct piece - code that one FDE describes
 * @start: its first address
 * @end: the one after the last
 * @lsda: of its LSDA; 0: it has none; UNKNOWN: nobody knows
 */
struct piece {
	uint64_t start;
	uint64_t end;
	uint64_t lsda;
};

#define UNKNOWN		UINT64_MAX

struct section {
	uint8_t *bytes;
	size_t size;
	uint64_t address;
};

/* @pieces: @count of them, by address */
struct rvtrace_landings {
	unsigned int xlen;
	struct section frames;
	struct section tables;
	struct piece *pieces;
	size_t count;
	size_t room;
};

/* What a CIE says of its FDEs; DWARF_OMIT: no LSDA. */
struct encodings {
	bool augmented;
	uint8_t code;
	uint8_t lsda;
};

/* The bytes of a section from @offset on, which is in it. */
static struct dwarf reader(const struct rvtrace_landings *l, const struct section *section,
			   size_t offset)
{
	return (struct dwarf) {
		.next = section->bytes + offset, .end = section->bytes + section->size,
		.address = section->address + offset, .xlen = l->xlen,
	};
}

/* A record's bytes behind its length; whether there are any. */
static bool open_record(struct dwarf *d, struct dwarf *record)
{
	uint64_t length = dwarf_fixed(d, LENGTH_BYTES);
	bool is_long = length == LENGTH_64;

	if (is_long)
		length = dwarf_fixed(d, 8);
	*record = *d;
	dwarf_skip(d, length);
	record->end = d->next;
	/* no linker makes one that needs 64 bits */
	return !d->bad && length && !is_long;
}

static bool read_augmentation(struct dwarf *d, const char *text, struct encodings *encodings)
{
	uint8_t personality;

	for (; *text; text++) {
		switch (*text) {
		case 'L':
			encodings->lsda = dwarf_fixed(d, 1);
			break;
		case 'R':
			encodings->code = dwarf_fixed(d, 1);
			break;
		case 'P':
			personality = dwarf_fixed(d, 1);
			dwarf_formatted(d, personality);
			break;
		case 'S':
		case 'B':
		case 'G':
			break;
		default:
			return false;
		}
	}
	return !d->bad;
}

static bool read_text(struct dwarf *d, char text[AUGMENTATION_BYTES])
{
	for (int i = 0; i < AUGMENTATION_BYTES; i++) {
		text[i] = dwarf_fixed(d, 1);
		if (!text[i])
			return !d->bad;
	}
	return false;
}

static bool read_cie(const struct rvtrace_landings *l, uint64_t offset,
		     struct encodings *encodings)
{
	struct dwarf d = reader(l, &l->frames, offset), cie;
	char text[AUGMENTATION_BYTES];
	uint8_t version;

	*encodings = (struct encodings) { .lsda = DWARF_OMIT };
	if (!open_record(&d, &cie) || dwarf_fixed(&cie, 4))
		return false;
	version = dwarf_fixed(&cie, 1);
	if ((version != 1 && version != 3) || !read_text(&cie, text))
		return false;
	dwarf_uleb(&cie);	/* alignment of code */
	dwarf_uleb(&cie);	/* of data: signed, of the same length */
	if (version == 1)
		dwarf_skip(&cie, 1);	/* register of the return address */
	else
		dwarf_uleb(&cie);
	if (!*text)
		return !cie.bad;
	if (*text != 'z')
		return false;
	encodings->augmented = true;
	dwarf_uleb(&cie);
	return read_augmentation(&cie, text + 1, encodings);
}

static int add_piece(struct rvtrace_landings *l, struct piece piece)
{
	struct piece *pieces;
	size_t room;

	if (l->count == l->room) {
		room = l->room ? 2 * l->room : 64;
		pieces = reallocarray(l->pieces, room, sizeof(*pieces));
		if (!pieces)
			return RVTRACE_ERR_NO_MEMORY;
		l->pieces = pieces;
		l->room = room;
	}
	l->pieces[l->count++] = piece;
	return 0;
}

/* @cie: what the FDE has in its first word: the way back to its CIE from there */
static int read_fde(struct rvtrace_landings *l, struct dwarf *fde, uint64_t place, uint64_t cie)
{
	struct encodings encodings;
	struct piece piece = { };
	uint64_t size;

	if (cie > place || !read_cie(l, place - cie, &encodings))
		return 0;
	piece.start = dwarf_encoded(fde, encodings.code);
	size = dwarf_formatted(fde, encodings.code);
	if (encodings.augmented)
		dwarf_uleb(fde);
	/* the linker dropped a function at 0 */
	if (fde->bad || !piece.start || !size || size > UINT64_MAX - piece.start)
		return 0;
	piece.end = piece.start + size;
	if (encodings.lsda != DWARF_OMIT)
		piece.lsda = dwarf_encoded(fde, encodings.lsda);
	if (fde->bad)
		piece.lsda = UNKNOWN;
	return add_piece(l, piece);
}

static int by_start(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x->end > y->end) -
								       (x->end < y->end);
}

static int read_frames(struct rvtrace_landings *l)
{
	struct dwarf d = reader(l, &l->frames, 0), record;
	int ret = 0;

	while (!ret && !d.bad && d.next < d.end) {
		uint64_t place, cie;

		if (!open_record(&d, &record))
			continue;
		place = record.next - l->frames.bytes;
		cie = dwarf_fixed(&record, 4);
		if (!record.bad && cie)
			ret = read_fde(l, &record, place, cie);
	}
	if (!ret && l->count)
		qsort(l->pieces, l->count, sizeof(*l->pieces), by_start);
	return ret;
}

static bool copy(struct section *to, const struct rvtrace_landing_section *from)
{
	*to = (struct section) {
		.bytes = malloc(from->size + !from->size), .size = from->size,
		.address = from->address,
	};
	if (to->bytes && from->size)
		memcpy(to->bytes, from->bytes, from->size);
	return to->bytes;
}

int rvtrace_landings_new(unsigned int xlen, const struct rvtrace_landing_section *frames,
			 const struct rvtrace_landing_section *tables,
			 struct rvtrace_landings **landings)
{
	struct rvtrace_landings *l;
	int ret;

	if (xlen != 32 && xlen != 64)
		return RVTRACE_ERR_INVALID;
	l = calloc(1, sizeof(*l));
	if (!l)
		return RVTRACE_ERR_NO_MEMORY;
	l->xlen = xlen;
	ret = copy(&l->frames, frames) && copy(&l->tables, tables) ? read_frames(l) :
								      RVTRACE_ERR_NO_MEMORY;
	if (ret) {
		rvtrace_landings_free(l);
		return ret;
	}
	*landings = l;
	return 0;
}

void rvtrace_landings_free(struct rvtrace_landings *landings)
{
	if (!landings)
		return;
	free(landings->frames.bytes);
	free(landings->tables.bytes);
	free(landings->pieces);
	free(landings);
}

/* Two that overlap are damaged: NULL, as without any. */
static const struct piece *find_piece(const struct rvtrace_landings *l, uint64_t address)
{
	size_t low = 0, high = l->count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (l->pieces[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || l->pieces[low - 1].end <= address ||
	    (low > 1 && l->pieces[low - 2].end > address))
		return NULL;
	return &l->pieces[low - 1];
}

/* The landing pad of @offset in a piece; 0: there is none, the exception does not pass. */
static uint64_t find_pad(struct dwarf *d, const struct piece *piece, uint64_t offset)
{
	uint64_t base = piece->start, start, size, pad;
	uint8_t encoding = dwarf_fixed(d, 1);

	if (encoding != DWARF_OMIT)
		base = dwarf_encoded(d, encoding);
	encoding = dwarf_fixed(d, 1);
	if (encoding != DWARF_OMIT)
		dwarf_uleb(d);		/* of the table of types */
	encoding = dwarf_fixed(d, 1);
	size = dwarf_uleb(d);
	if (d->bad || size > (uint64_t)(d->end - d->next)) {
		d->bad = true;
		return 0;
	}
	d->end = d->next + size;
	while (!d->bad && d->next < d->end) {
		start = dwarf_encoded(d, encoding);
		size = dwarf_encoded(d, encoding);
		pad = dwarf_encoded(d, encoding);
		dwarf_uleb(d);		/* action */
		if (!d->bad && offset >= start && offset - start < size)
			return pad ? base + pad : 0;
	}
	return 0;
}

int rvtrace_landing_leads(const struct rvtrace_landings *landings, uint64_t call_site,
			  uint64_t landing)
{
	const struct piece *piece = find_piece(landings, call_site);
	struct dwarf d;
	uint64_t pad;

	if (!piece)
		return RVTRACE_ERR_INVALID;
	if (!piece->lsda)
		return 0;
	if (piece->lsda - landings->tables.address >= landings->tables.size)
		return RVTRACE_ERR_INVALID;
	d = reader(landings, &landings->tables, piece->lsda - landings->tables.address);
	pad = find_pad(&d, piece, call_site - piece->start);
	if (d.bad)
		return RVTRACE_ERR_INVALID;
	if (landings->xlen == 32)
		pad = (uint32_t)pad;
	return pad && pad == landing;
}
