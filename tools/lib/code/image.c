// SPDX-License-Identifier: LGPL-2.1-or-later
/* Program images: see rvtrace/image.h. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/image.h>

#define PRIVS	3	/* U, S, M */

static const unsigned int priv_mask[PRIVS] = { RVTRACE_PRIV_U, RVTRACE_PRIV_S, RVTRACE_PRIV_M };

/*
 * Addresses @start to @last are @code from byte @offset on; without @code, nothing is there and was
 * looked for.
 */
struct piece {
	uint64_t start;
	uint64_t last;
	uint64_t offset;
	const struct rvtrace_code *code;
};

/* Pieces in order of address; none overlap. */
struct list {
	struct piece *pieces;
	size_t count;
	size_t room;
};

/* @fill: maps what is looked for, NULL: everything is mapped */
struct space {
	uint64_t id;
	struct list lists[PRIVS];
	rvtrace_image_fill *fill;
	void *fill_data;
};

/* @spaces is in order of id. */
struct rvtrace_image {
	struct space *spaces;
	size_t count;
	uint64_t generation;
	uint64_t entry;
	bool has_entry;
};

struct rvtrace_image *rvtrace_image_new(void)
{
	return calloc(1, sizeof(struct rvtrace_image));
}

static void list_free(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		rvtrace_code_unref(list->pieces[i].code);
	free(list->pieces);
}

static void space_free(struct space *space)
{
	for (int p = 0; p < PRIVS; p++)
		list_free(&space->lists[p]);
}

void rvtrace_image_free(struct rvtrace_image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->count; i++)
		space_free(&image->spaces[i]);
	free(image->spaces);
	free(image);
}

void rvtrace_image_set_entry(struct rvtrace_image *image, uint64_t address)
{
	image->entry = address;
	image->has_entry = true;
}

bool rvtrace_image_entry(const struct rvtrace_image *image, uint64_t *address)
{
	*address = image->entry;
	return image->has_entry;
}

uint64_t rvtrace_image_generation(const struct rvtrace_image *image)
{
	return image->generation;
}

/* Of @count items of @size bytes, sorted by @key, the index of the first not below @value. */
static inline size_t first_not_below(const void *items, size_t count, size_t size, size_t key,
				     uint64_t value)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *item = (const char *)items + middle * size;

		if (*(const uint64_t *)(item + key) < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Index of the first space whose id is not below @id. */
static size_t space_index(const struct rvtrace_image *image, uint64_t id)
{
	return first_not_below(image->spaces, image->count, sizeof(*image->spaces),
			       offsetof(struct space, id), id);
}

static struct space *space_find(const struct rvtrace_image *image, uint64_t id)
{
	size_t i = space_index(image, id);

	return i < image->count && image->spaces[i].id == id ? &image->spaces[i] : NULL;
}

static struct space *space_get(struct rvtrace_image *image, uint64_t id)
{
	size_t i = space_index(image, id);
	struct space *spaces;

	if (i < image->count && image->spaces[i].id == id)
		return &image->spaces[i];
	spaces = realloc(image->spaces, (image->count + 1) * sizeof(*spaces));
	if (!spaces)
		return NULL;
	image->spaces = spaces;
	memmove(spaces + i + 1, spaces + i, (image->count - i) * sizeof(*spaces));
	memset(spaces + i, 0, sizeof(*spaces));
	spaces[i].id = id;
	image->count++;
	return &spaces[i];
}

/* Index of the first piece that does not lie wholly below @address. */
static size_t list_index(const struct list *list, uint64_t address)
{
	return first_not_below(list->pieces, list->count, sizeof(*list->pieces),
			       offsetof(struct piece, last), address);
}

/* Room for two more pieces, so that neither cut nor insert can fail. */
static int list_reserve(struct list *list)
{
	size_t room = list->room ? list->room * 2 : 8;
	struct piece *pieces;

	if (list->count + 2 <= list->room)
		return 0;
	pieces = realloc(list->pieces, room * sizeof(*pieces));
	if (!pieces)
		return RVTRACE_ERR_NO_MEMORY;
	list->pieces = pieces;
	list->room = room;
	return 0;
}

static void list_insert(struct list *list, size_t i, const struct piece *piece)
{
	memmove(list->pieces + i + 1, list->pieces + i, (list->count - i) * sizeof(*piece));
	list->pieces[i] = *piece;
	list->count++;
	if (piece->code)
		rvtrace_code_ref(piece->code);
}

static void list_remove(struct list *list, size_t i)
{
	rvtrace_code_unref(list->pieces[i].code);
	list->count--;
	memmove(list->pieces + i, list->pieces + i + 1, (list->count - i) * sizeof(*list->pieces));
}

/* Takes @start to @last away. */
static void list_cut(struct list *list, uint64_t start, uint64_t last)
{
	size_t i = list_index(list, start);

	while (i < list->count && list->pieces[i].start <= last) {
		struct piece *piece = &list->pieces[i];
		struct piece rest = *piece;

		if (piece->last > last) {
			rest.offset += last + 1 - piece->start;
			rest.start = last + 1;
			if (piece->start < start) {
				piece->last = start - 1;
				list_insert(list, i + 1, &rest);
			} else {
				*piece = rest;
			}
			return;
		}
		if (piece->start < start) {
			piece->last = start - 1;
			i++;
		} else {
			list_remove(list, i);
		}
	}
}

static int list_put(struct list *list, const struct piece *piece)
{
	if (list_reserve(list))
		return RVTRACE_ERR_NO_MEMORY;
	list_cut(list, piece->start, piece->last);
	if (list_reserve(list))
		return RVTRACE_ERR_NO_MEMORY;
	list_insert(list, list_index(list, piece->start), piece);
	return 0;
}

int rvtrace_image_map(struct rvtrace_image *image, const struct rvtrace_mapping *mapping)
{
	struct piece piece = { .start = mapping->address, .offset = mapping->offset,
			       .code = mapping->code };
	struct space *space;
	size_t available;
	uint64_t size = mapping->size;

	rvtrace_code_bytes(mapping->code, &available);
	if (mapping->offset >= available || (mapping->offset | mapping->address) & 1 ||
	    !mapping->privs || mapping->privs & ~RVTRACE_PRIV_ANY)
		return RVTRACE_ERR_INVALID;
	if (size > available - mapping->offset)
		size = available - mapping->offset;
	if (!size || mapping->address + (size - 1) < mapping->address)
		return RVTRACE_ERR_INVALID;
	piece.last = mapping->address + (size - 1);

	space = space_get(image, mapping->space);
	if (!space)
		return RVTRACE_ERR_NO_MEMORY;
	image->generation++;
	for (int p = 0; p < PRIVS; p++)
		if (mapping->privs & priv_mask[p] && list_put(&space->lists[p], &piece))
			return RVTRACE_ERR_NO_MEMORY;
	return 0;
}

int rvtrace_image_on_demand(struct rvtrace_image *image, uint64_t id, rvtrace_image_fill *fill,
			    void *data)
{
	struct space *space = space_get(image, id);

	if (!space)
		return RVTRACE_ERR_NO_MEMORY;
	space->fill = fill;
	space->fill_data = data;
	return 0;
}

int rvtrace_image_unmap(struct rvtrace_image *image, uint64_t id, uint64_t address, uint64_t size)
{
	struct space *space = space_find(image, id);
	uint64_t last = size - 1 > UINT64_MAX - address ? UINT64_MAX : address + size - 1;

	if (!space || !size)
		return 0;
	image->generation++;
	for (int p = 0; p < PRIVS; p++) {
		const struct piece hole = { .start = address, .last = last };

		if (space->fill ? list_put(&space->lists[p], &hole) :
				  list_reserve(&space->lists[p]))
			return RVTRACE_ERR_NO_MEMORY;
		if (!space->fill)
			list_cut(&space->lists[p], address, last);
	}
	return 0;
}

void rvtrace_image_drop(struct rvtrace_image *image, uint64_t id)
{
	struct space *space = space_find(image, id);

	if (!space)
		return;
	image->generation++;
	space_free(space);
	image->count--;
	memmove(space, space + 1, (image->spaces + image->count - space) * sizeof(*space));
}

int rvtrace_image_add_file(struct rvtrace_image *image, const char *path, uint64_t address,
			   uint64_t space, unsigned int privs)
{
	struct rvtrace_mapping mapping = { .size = UINT64_MAX, .address = address, .space = space,
					   .privs = privs };
	struct rvtrace_code *code;
	int err;

	err = rvtrace_code_from_file(path, &code);
	if (err)
		return err;
	mapping.code = code;
	err = rvtrace_image_map(image, &mapping);
	rvtrace_code_unref(code);
	return err;
}

/* The piece at @address, or how far around it there is none. */
static const struct piece *list_find(const struct list *list, uint64_t address, uint64_t *start,
				     uint64_t *last)
{
	size_t i = list_index(list, address);

	if (i < list->count && list->pieces[i].start <= address) {
		*start = list->pieces[i].start;
		*last = list->pieces[i].last;
		return list->pieces[i].code ? &list->pieces[i] : NULL;
	}
	*start = i ? list->pieces[i - 1].last + 1 : 0;
	*last = i < list->count ? list->pieces[i].start - 1 : UINT64_MAX;
	return NULL;
}

static bool is_known(const struct list *list, uint64_t address)
{
	size_t i = list_index(list, address);

	return i < list->count && list->pieces[i].start <= address;
}

/* Nothing becomes another by it: windows that were found stay valid. */
static const struct space *fill(const struct rvtrace_image *image, const struct space *space,
				int priv, uint64_t address)
{
	uint64_t generation = image->generation, id = space->id;

	if (!space->fill || is_known(&space->lists[priv], address))
		return space;
	space->fill(space->fill_data, id, priv_mask[priv], address);
	((struct rvtrace_image *)image)->generation = generation;
	return space_find(image, id);
}

static int find_priv(const struct rvtrace_image *image, uint64_t id, int priv, uint64_t address,
		     struct rvtrace_window *window)
{
	const struct space *space = id == RVTRACE_SPACE_ANY ? NULL : space_find(image, id);
	uint64_t free_start = 0, free_last = UINT64_MAX, start, last;
	const struct piece *piece = NULL;

	if (space)
		space = fill(image, space, priv, address);
	if (space)
		piece = list_find(&space->lists[priv], address, &free_start, &free_last);
	if (!piece) {
		space = space_find(image, RVTRACE_SPACE_ANY);
		if (space)
			piece = list_find(&space->lists[priv], address, &start, &last);
		if (!piece)
			return 0;
	}
	window->start = piece->start > free_start ? piece->start : free_start;
	window->last = piece->last < free_last ? piece->last : free_last;
	window->code = piece->code;
	window->bytes = rvtrace_code_bytes(piece->code, NULL) + piece->offset +
			(window->start - piece->start);
	return 1;
}

int rvtrace_image_find(const struct rvtrace_image *image, uint64_t space, unsigned int privs,
		       uint64_t address, struct rvtrace_window *window)
{
	for (int p = 0; p < PRIVS; p++)
		if (privs & priv_mask[p] && find_priv(image, space, p, address, window))
			return 1;
	return 0;
}
