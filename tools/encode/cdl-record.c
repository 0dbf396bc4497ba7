// SPDX-License-Identifier: GPL-2.0-or-later
/* CDL compressed trace: nybbles to words, with places of synchronization, into a buffer. */
#include <string.h>

#include "tools/encode/cdl.h"

#define QUAD	4	/* "quad-nybbles of zero" */

static void put(struct cdl_recorder *recorder, uint8_t nybble)
{
	unsigned int at = recorder->count++ % 8;

	/* "packing data little-endian" */
	recorder->word[at / 2] |= nybble << (at & 1) * 4;
	if (at < 7)
		return;
	recorder->emit(recorder->opaque, recorder->word, sizeof(recorder->word));
	memset(recorder->word, 0, sizeof(recorder->word));
}

bool cdl_record_fits(const struct cdl_recorder *recorder, unsigned int count)
{
	uint32_t at = recorder->interval ? recorder->count % recorder->interval : 0;

	return !recorder->interval || (at && at + count <= recorder->interval);
}

void cdl_record(struct cdl_recorder *recorder, const uint8_t *nybbles, unsigned int count,
		unsigned int reserve)
{
	unsigned int i;

	if (!cdl_record_fits(recorder, count + reserve)) {
		while (recorder->count % recorder->interval)
			put(recorder, 0);
		for (i = 0; i < QUAD; i++)
			put(recorder, 0);
	}
	for (i = 0; i < count; i++)
		put(recorder, nybbles[i]);
}

void cdl_record_flush(struct cdl_recorder *recorder)
{
	while (recorder->count % 8)
		put(recorder, 0);
}

bool cdl_buffer_emit(void *opaque, const uint8_t *bytes, size_t size)
{
	struct cdl_buffer *buffer = opaque;

	if (buffer->stopped)
		return false;
	memcpy(buffer->bytes + buffer->write, bytes, size);
	buffer->write += size;
	if (buffer->write < buffer->size)
		return true;
	if (buffer->mode == CDL_STOP) {
		buffer->stopped = true;
	} else {
		buffer->write = 0;
		buffer->wrapped = true;
	}
	return true;
}
