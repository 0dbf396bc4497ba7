// SPDX-License-Identifier: LGPL-2.1-or-later
/* Frames of the CoreSight formatter: see rvtrace/unwrap.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unwrap_handler.h"

#define FRAME_SIZE	16
#define AUXILIARY	15	/* byte with a bit for each of those below at even places */
#define LAST_MIXED	14
#define FULL_SYNC_SIZE	4
#define HALF_SYNC_SIZE	2

/* Neither occurs otherwise: there is no source 0x7f. */
#define FULL_SYNC	0xffffff7f
#define HALF_SYNC	0xff7f

#define ID_NULL		0x00
#define ID_FLUSH	0x7b
#define ID_TRIGGER	0x7d
#define ID_UNKNOWN	0xff

/*
 * @offset: of the next byte of input
 * @window: the last four bytes
 * @frame, @at, @used: the frame that is being put together and where its bytes were. It is read
 *	when no synchronization packet can begin in it any more
 * @source: whose data comes next; ID_UNKNOWN: nobody's
 * @lost: since @damage.offset nothing was understood
 * @found, @found_offset: bytes of @id in this frame, and where the first one was
 */
struct rvtrace_atb {
	struct rvtrace_unwrap_handler handler;
	uint64_t counts[RVTRACE_ATB_IDS];
	uint64_t offset;
	uint32_t window;
	uint8_t frame[FRAME_SIZE + FULL_SYNC_SIZE];
	uint64_t at[FRAME_SIZE + FULL_SYNC_SIZE];
	unsigned int used;
	uint8_t id;
	uint8_t source;
	bool lost;
	struct rvtrace_unwrap_damage damage;
	uint8_t found[FRAME_SIZE];
	size_t found_size;
	uint64_t found_offset;
};

int rvtrace_atb_new(unsigned int id, const struct rvtrace_unwrap_handler *handler,
		    struct rvtrace_atb **atb)
{
	struct rvtrace_unwrap_handler own;
	int err = unwrap_handler_take(&own, handler);

	if (err)
		return err;
	if (id < RVTRACE_ATB_ID_FIRST || id > RVTRACE_ATB_ID_LAST)
		return RVTRACE_ERR_INVALID;
	*atb = calloc(1, sizeof(**atb));
	if (!*atb)
		return RVTRACE_ERR_NO_MEMORY;
	(*atb)->handler = own;
	(*atb)->id = id;
	(*atb)->source = ID_UNKNOWN;
	return 0;
}

void rvtrace_atb_free(struct rvtrace_atb *atb)
{
	free(atb);
}

uint64_t rvtrace_atb_count(const struct rvtrace_atb *atb, unsigned int id)
{
	return id < RVTRACE_ATB_IDS ? atb->counts[id] : 0;
}

static void hand_on(struct rvtrace_atb *atb)
{
	if (atb->found_size)
		atb->handler.bytes(atb->handler.data, atb->found_offset, atb->found,
				   atb->found_size);
	atb->found_size = 0;
}

static void lose(struct rvtrace_atb *atb, enum rvtrace_unwrap_damage_kind kind, uint64_t offset)
{
	atb->source = ID_UNKNOWN;
	if (atb->lost)
		return;
	hand_on(atb);
	atb->lost = true;
	atb->damage.kind = kind;
	atb->damage.offset = offset;
}

static void found_again(struct rvtrace_atb *atb, uint64_t offset)
{
	if (!atb->lost)
		return;
	atb->lost = false;
	atb->damage.length = offset - atb->damage.offset;
	atb->handler.damage(atb->handler.data, &atb->damage);
}

static bool known(unsigned int id)
{
	return id <= RVTRACE_ATB_ID_LAST || id == ID_FLUSH || id == ID_TRIGGER;
}

static void take_id(struct rvtrace_atb *atb, uint8_t id, uint64_t offset)
{
	if (!known(id)) {
		lose(atb, RVTRACE_UNWRAP_RESERVED_ID, offset);
		return;
	}
	found_again(atb, offset);
	atb->source = id;
}

static void take_data(struct rvtrace_atb *atb, uint8_t byte, uint64_t offset)
{
	if (atb->source == ID_UNKNOWN) {
		lose(atb, RVTRACE_UNWRAP_UNSYNCHRONIZED, offset);
		return;
	}
	atb->counts[atb->source]++;
	if (atb->source != atb->id)
		return;
	if (!atb->found_size)
		atb->found_offset = offset;
	atb->found[atb->found_size++] = byte;
}

static void read_frame(struct rvtrace_atb *atb)
{
	unsigned int i;

	for (i = 0; i < AUXILIARY; i++) {
		bool auxiliary = atb->frame[AUXILIARY] >> i / 2 & 1;
		uint8_t byte = atb->frame[i];

		if (i % 2) {
			take_data(atb, byte, atb->at[i]);
			continue;
		}
		if (!(byte & 1)) {
			take_data(atb, byte | auxiliary, atb->at[i]);
			continue;
		}
		/* A delayed change: the byte behind the ID is still the old source's. */
		if (auxiliary && i != LAST_MIXED) {
			i++;
			take_data(atb, atb->frame[i], atb->at[i]);
		}
		take_id(atb, byte >> 1, atb->at[i] + 1);
	}
	hand_on(atb);
	atb->used -= FRAME_SIZE;
	memmove(atb->frame, atb->frame + FRAME_SIZE, atb->used);
	memmove(atb->at, atb->at + FRAME_SIZE, atb->used * sizeof(atb->at[0]));
}

/* All of a frame that there is. */
static void end_frame(struct rvtrace_atb *atb)
{
	if (atb->used >= FRAME_SIZE)
		read_frame(atb);
	if (atb->used)
		lose(atb, RVTRACE_UNWRAP_TRUNCATED, atb->at[0]);
	atb->used = 0;
}

static void take_byte(struct rvtrace_atb *atb, uint8_t byte)
{
	atb->window = atb->window << 8 | byte;
	atb->frame[atb->used] = byte;
	atb->at[atb->used++] = atb->offset++;
	if (atb->window == FULL_SYNC) {
		/* It lies between frames: one that it cuts had another beginning. */
		atb->used -= FULL_SYNC_SIZE;
		end_frame(atb);
	} else if (atb->used % 2 == 0 && (atb->window & 0xffff) == HALF_SYNC) {
		atb->used -= HALF_SYNC_SIZE;
	} else if (atb->used == FRAME_SIZE + FULL_SYNC_SIZE) {
		read_frame(atb);
	}
}

void rvtrace_atb_feed(struct rvtrace_atb *atb, const void *data, size_t size)
{
	const uint8_t *bytes = data;
	size_t i;

	for (i = 0; i < size; i++)
		take_byte(atb, bytes[i]);
}

void rvtrace_atb_end(struct rvtrace_atb *atb)
{
	end_frame(atb);
	found_again(atb, atb->offset);
}
