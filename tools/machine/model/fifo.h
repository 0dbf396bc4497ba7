/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queue of whole messages in a fixed number of bytes. */
#ifndef RVTRACE_MODEL_FIFO_H
#define RVTRACE_MODEL_FIFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fifo {
	uint8_t *ring;		/* length byte, then the message, and so on */
	size_t ring_size;
	size_t read;
	size_t write;
	size_t size;		/* bytes of messages that fit */
	size_t used;
};

/* Room for @size bytes of messages. Return: false when out of memory. */
bool fifo_init(struct fifo *fifo, size_t size);
void fifo_free(struct fifo *fifo);
void fifo_reset(struct fifo *fifo);

/* Return: false when there is no room. @size is 1 to 255. */
bool fifo_push(struct fifo *fifo, const uint8_t *message, size_t size);

/* Copy the oldest message to @message. Return: its size, 0 when empty. */
size_t fifo_peek(const struct fifo *fifo, uint8_t message[static 255]);

/* Remove the oldest message. */
void fifo_pop(struct fifo *fifo);

#endif /* RVTRACE_MODEL_FIFO_H */
