// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/fifo.h"

#include <stdlib.h>

bool fifo_init(struct fifo *fifo, size_t size)
{
	/* The shortest message is one byte: as many length bytes at most. */
	fifo->ring_size = 2 * size + 1;
	fifo->ring = malloc(fifo->ring_size);
	fifo->size = size;
	fifo_reset(fifo);
	return fifo->ring;
}

void fifo_free(struct fifo *fifo)
{
	free(fifo->ring);
}

void fifo_reset(struct fifo *fifo)
{
	fifo->read = 0;
	fifo->write = 0;
	fifo->used = 0;
}

static void put(struct fifo *fifo, uint8_t byte)
{
	fifo->ring[fifo->write++] = byte;
	if (fifo->write == fifo->ring_size)
		fifo->write = 0;
}

bool fifo_push(struct fifo *fifo, const uint8_t *message, size_t size)
{
	size_t i;

	if (fifo->used + size > fifo->size)
		return false;
	put(fifo, size);
	for (i = 0; i < size; i++)
		put(fifo, message[i]);
	fifo->used += size;
	return true;
}

size_t fifo_peek(const struct fifo *fifo, uint8_t message[static 255])
{
	size_t at = fifo->read;
	size_t size, i;

	if (!fifo->used)
		return 0;
	size = fifo->ring[at];
	for (i = 0; i < size; i++) {
		at = at + 1 == fifo->ring_size ? 0 : at + 1;
		message[i] = fifo->ring[at];
	}
	return size;
}

void fifo_pop(struct fifo *fifo)
{
	size_t size = fifo->ring[fifo->read];

	fifo->read = (fifo->read + size + 1) % fifo->ring_size;
	fifo->used -= size;
}
