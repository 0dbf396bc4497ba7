// SPDX-License-Identifier: GPL-2.0
/* tracectl report --html: numbers as bytes, and blocks of them. */
#include <errno.h>
#include <stdlib.h>

#include <zlib.h>

#include "page.h"

#define LEVEL	5	/* of compression: 9 takes three times as long, for 3 % */

int page_grow(void *list, size_t *room, size_t count, size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *grown;

	if (count < *room)
		return 0;
	grown = realloc(*(void **)list, more * size);
	if (!grown)
		return -ENOMEM;
	*(void **)list = grown;
	*room = more;
	return 0;
}

void bytes_put(struct bytes *bytes, const void *data, size_t size)
{
	size_t room = bytes->room ? bytes->room : 64;
	uint8_t *grown;

	if (bytes->failed)
		return;
	while (room < bytes->size + size)
		room *= 2;
	if (room != bytes->room) {
		grown = realloc(bytes->data, room);
		if (!grown) {
			bytes->failed = true;
			return;
		}
		bytes->data = grown;
		bytes->room = room;
	}
	if (size)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}

int page_store(struct page *page, const struct bytes *bytes, enum block_rank rank,
	       uint32_t *number)
{
	struct bytes *packed = &page->packed;
	uLongf size = compressBound(bytes->size);
	struct block *block;
	int ret;

	if (bytes->failed)
		return -ENOMEM;
	ret = page_grow(&page->blocks, &page->block_room, page->block_count, sizeof(*block));
	if (ret)
		return ret;
	packed->size = 0;
	if (packed->room < size) {
		bytes_free(packed);
		packed->data = malloc(size);
		if (!packed->data)
			return -ENOMEM;
		packed->room = size;
	}
	if (compress2(packed->data, &size, bytes->data, bytes->size, LEVEL) != Z_OK)
		return -ENOMEM;
	if (fwrite(packed->data, 1, size, page->spill) != size)
		return -errno;
	block = &page->blocks[page->block_count];
	*block = (struct block){ .offset = page->spilled, .size = size, .rank = rank };
	page->spilled += size;
	*number = page->block_count++;
	return 0;
}

/* Seven bits of each character. Those that HTML changes, and the mark itself, follow a mark. */
static void put_septet(struct out *out, unsigned int bits)
{
	static const char special[] = { '\0', '\r', '<', '~' };
	const char *found = memchr(special, bits, sizeof(special));

	if (found) {
		out_char(out, '~');
		out_char(out, '0' + (found - special));
	} else {
		out_char(out, bits);
	}
}

int page_put_block(struct page *page, struct out *out, uint32_t number)
{
	const struct block *block = &page->blocks[number];
	unsigned int bits = 0, held = 0;
	int c;

	if (fseeko(page->spill, block->offset, SEEK_SET))
		return -errno;
	for (uint32_t i = 0; i < block->size; i++) {
		c = getc_unlocked(page->spill);
		if (c == EOF)
			return -EIO;
		bits |= (unsigned int)c << held;
		for (held += 8; held >= 7; held -= 7) {
			put_septet(out, bits & 0x7f);
			bits >>= 7;
		}
	}
	if (held)
		put_septet(out, bits & 0x7f);
	return 0;
}
