/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The way from pin samples to messages: samples -> beats (parallel, or serial
 * through UART or Manchester) -> calibration, which leaves its pattern out ->
 * messages, which leave idle out.
 */
#ifndef UNWRAP_PIB_H
#define UNWRAP_PIB_H

#include <rvtrace/ntrace.h>
#include <rvtrace/unwrap.h>

/* Messages that are held back until it is certain that they are some. */
#define UNWRAP_TRIAL	4

/* What one bit period has on TRC_DATA; in SWT modes a byte. */
struct beat {
	uint64_t offset;	/* of its first sample */
	uint16_t value;
	bool first;		/* a message begins here */
};

/* TRC_CLK */
struct parallel {
	bool begun;
	bool moved;
	bool clock;
	uint64_t offset;	/* where it changed last */
	uint64_t samples;	/* since then */
	uint64_t previous;	/* samples between the two changes before */
	uint16_t value;
};

struct uart {
	bool locked;		/* frames are where they seem to be */
	bool fresh;		/* nothing but idle or calibration yet */
	bool high;		/* the bit before was */
	bool inside;
	unsigned int idle;	/* high bits in a row */
	unsigned int good;	/* frames in a row that could be some */
	unsigned int bits;
	uint8_t byte;
	uint64_t offset;	/* of the start bit */
};

struct manchester {
	enum { MANCHESTER_SEARCH, MANCHESTER_IDLE, MANCHESTER_START, MANCHESTER_FIRST,
	       MANCHESTER_SECOND } state;
	unsigned int low;	/* low phases in a row */
	unsigned int bits;
	bool first;		/* phase */
	uint8_t byte;
	uint64_t start;		/* offset of the start bit */
	uint64_t offset;	/* of the byte */
};

/*
 * TRC_DATA[0] sampled faster than its bits (Manchester: phases) come is cut
 * into those anew at every change.
 */
struct serial {
	double unit;		/* samples per bit or phase */
	bool begun;
	bool level;
	uint64_t offset;	/* where it changed last */
	uint64_t samples;	/* since then */
	uint64_t units;		/* since then */
	struct uart uart;
	struct manchester manchester;
};

/* Beats wait here for so long as they could be a part of the pattern. */
struct calibration {
	uint64_t rotations[32];	/* the pattern, and what it is with a beat more each time */
	unsigned int rotation;	/* the last one seen */
	unsigned int period;	/* beats of the pattern, and rotations */
	unsigned int depth;	/* beats that show it: 64 bits */
	uint64_t history;	/* the last ones, the newest in the most significant bits */
	struct beat queue[64];
	unsigned int oldest;
	unsigned int used;
	bool active;
	uint64_t offset;
	uint64_t beats;
};

/*
 * @idle: bits, or bytes, of idle in a row
 * @offsets: where messages that are held began, then where the current one did
 * @length: of the current one, at the end of @buffer
 * @trial: it is not certain that what is held are messages
 */
struct messages {
	enum { MESSAGES_SEARCH, MESSAGES_BETWEEN, MESSAGES_INSIDE, MESSAGES_NULLS } state;
	unsigned int width;	/* bits at once: 1, 2, 4, 8 */
	unsigned int filled;
	uint8_t byte;
	uint64_t idle;
	uint32_t null_run;
	uint32_t left;
	bool trial;
	unsigned int held;
	uint64_t offsets[UNWRAP_TRIAL];
	size_t length;
	size_t size;
	uint8_t buffer[UNWRAP_TRIAL * RVTRACE_NTRACE_MESSAGE_MAX];
};

/*
 * @offset: of the current sample
 * @sample, @used, @sample_size: its bytes
 * @lost: since @damage.offset there was something that gave nothing
 */
struct rvtrace_pib {
	struct rvtrace_pib_config config;
	struct rvtrace_unwrap_handler handler;
	uint64_t offset;
	uint64_t sample;
	unsigned int used;
	unsigned int sample_size;
	unsigned int width;	/* of TRC_DATA */
	struct parallel parallel;
	struct serial serial;
	struct calibration calibration;
	struct messages messages;
	bool lost;
	struct rvtrace_unwrap_damage damage;
};

static inline bool is_serial(const struct rvtrace_pib_config *config)
{
	return config->mode < RVTRACE_PIB_MODE_PARALLEL_1;
}

void serial_init(struct rvtrace_pib *pib);
void serial_sample(struct rvtrace_pib *pib, bool level);
void serial_end(struct rvtrace_pib *pib);

void calibration_init(struct rvtrace_pib *pib);
void calibration_beat(struct rvtrace_pib *pib, const struct beat *beat);
/* What comes next is not next to what came before. */
void calibration_damage(struct rvtrace_pib *pib, enum rvtrace_unwrap_damage_kind kind,
			uint64_t offset);
void calibration_end(struct rvtrace_pib *pib);

void messages_init(struct rvtrace_pib *pib);
void messages_beat(struct rvtrace_pib *pib, const struct beat *beat);
/* Nothing is certain any more from @offset on, or from where the message began that this is in. */
void messages_lose(struct rvtrace_pib *pib, enum rvtrace_unwrap_damage_kind kind,
		   uint64_t offset);
/* Something is certain from @offset on. */
void messages_found(struct rvtrace_pib *pib, uint64_t offset);
/* The calibration pattern begins at @offset. */
void messages_calibrated(struct rvtrace_pib *pib, uint64_t offset);
void messages_end(struct rvtrace_pib *pib);

/* Bits to bytes: returns whether pib->messages.byte is one now. */
bool messages_collect(struct messages *messages, uint8_t value);

void ntrace_beat(struct rvtrace_pib *pib, uint8_t value, uint64_t offset);
void etrace_beat(struct rvtrace_pib *pib, uint8_t value, uint64_t offset);

#endif /* UNWRAP_PIB_H */
