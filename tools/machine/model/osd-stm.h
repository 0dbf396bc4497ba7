/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System Trace Module (STM) of Open SoC Debug: what software emits becomes event packets, which go
 * into a buffer in memory. There is nothing behind it: it needs neither encoder nor sink.
 *
 * The registers are those of every debug module ("Debug Module Base Register Map") and of an STM
 * ("STM register map"). They have 16 bits and addresses of such words; software reaches register
 * ADDR at byte 2 * ADDR, by accesses of 2 bytes, or of 4 to two of them at the same time, where
 * Open SoC Debug has packets of TYPE REG. Registers from STM_THREADS on are this module's own, in
 * the range that is left to modules. What is not there reads 0 and ignores writes.
 *
 * Where the texts differ, or are silent, it does as the published hardware does:
 *
 *   Addresses have 16 bits, and packets three words before their payload. The timestamp is the
 *   first of an event, the identifier comes behind it.
 *   What was taken before the module is stalled still leaves.
 *   What finds the module's buffer full is lost. How many were lost one after the other is an
 *   overflow packet, which gets the first place that is free then.
 *   An event that is longer than a packet may be goes on in another one.
 *
 * Each packet is in memory as on a byte transport: a word that counts its words, then these, all
 * big-endian. Packets of an event come to memory together, at the time that the last word of them
 * has left.
 *
 * Threads: one caller at a time. A callback must not call back.
 */
#ifndef RVTRACE_MODEL_OSD_STM_H
#define RVTRACE_MODEL_OSD_STM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes from the first register to each: its address, twice */
#define STM_MOD_VENDOR		0x000	/* 0x0000: module vendor */
#define  STM_VENDOR			0x0001
#define STM_MOD_TYPE		0x002	/* 0x0001: module type identifier */
#define  STM_TYPE			0x0004
#define STM_MOD_VERSION		0x004	/* 0x0002: module version */
#define  STM_VERSION			0x0000
#define STM_MOD_CS		0x006	/* 0x0003: control and status */
#define  STM_MOD_CS_ACTIVE		0x0001	/* 0: stalled */
#define STM_MOD_EVENT_DEST	0x008	/* 0x0004: DEST of packets */
#define STM_VALWIDTH		0x400	/* 0x0200: bits of values */

/* Of this module; those of more than one word have the least significant one first */
#define STM_THREADS		0x600	/* 0x0300 */
#define  STM_THREADS_ENABLE		0x0001	/* writes to tp are events, but those of M-mode */
#define STM_SWITCH		0x602	/* 0x0301: identifier of these, 0x8000 after a reset */
#define STM_LOST		0x604	/* 0x0302, 2 words: events lost; a write clears it */
#define STM_MEM_CONTROL		0x620	/* 0x0310 */
#define  STM_MEM_CONTROL_ENABLE		0x0001	/* packets go to memory, else they wait */
#define  STM_MEM_CONTROL_KEEP		0x0002	/* they wait at STM_MEM_READ, too */
#define STM_MEM_STATUS		0x622	/* 0x0311; write 1 to clear */
#define  STM_MEM_STATUS_EMPTY		0x0001	/* nothing waits */
#define  STM_MEM_STATUS_WRAPPED		0x0002	/* it began again at its base */
#define  STM_MEM_STATUS_ERROR		0x0004	/* no memory there, packets wait */
/* Of the buffer, all but STM_MEM_READ are kept while it is enabled */
#define STM_MEM_BASE		0x628	/* 0x0314, 4 words: address, a multiple of STM_MEM_ALIGN */
#define STM_MEM_SIZE		0x630	/* 0x0318, 2 words: bytes, STM_MEM_MIN at least */
#define STM_MEM_WRITE		0x634	/* 0x031a, 2 words: bytes from its base to the next one */
#define STM_MEM_READ		0x638	/* 0x031c, 2 words: ... to the first one kept */

#define STM_MEM_ALIGN		16
#define STM_MEM_MIN		64

#define STM_DEPTH_MAX		1024
#define STM_PACKET_WORDS_MIN	8	/* "the limit may not be less" */
#define STM_PACKET_WORDS_MAX	12	/* that of the published hardware */

/**
 * struct stm_config - what the hardware is
 * @address: SRC of its packets
 * @valwidth: bits of values: 16, 32 or 64
 * @depth: events and overflows that its own buffer holds, the one that is leaving included, up to
 *	STM_DEPTH_MAX
 * @packet_words: of the longest packet, header included
 * @word_time: ticks that a word takes to leave; 0: nothing waits but for memory
 */
struct stm_config {
	uint16_t address;
	uint32_t valwidth;
	uint32_t depth;
	uint32_t packet_words;
	uint64_t word_time;
};

/**
 * struct stm_ops - what the module asks of the machine around it
 * @now: clock, in ticks
 * @schedule: call stm_model_tick() once, @ticks from now; replaces an earlier schedule that has
 *	not fired
 * @dma_write: write to physical address @addr. Return: false when there is no memory
 */
struct stm_ops {
	uint64_t (*now)(void *opaque);
	void (*schedule)(void *opaque, uint64_t ticks);
	bool (*dma_write)(void *opaque, uint64_t addr, const uint8_t *data, size_t size);
};

struct stm_model;

/* Fill @config with a module of 64 bits, as the published hardware: 8 deep; words take no time. */
void stm_config_init(struct stm_config *config);

/* Return: NULL, or what is wrong with @config. */
const char *stm_config_check(const struct stm_config *config);

/**
 * stm_model_new() - a module after a reset
 * @config: valid; copied
 * @ops: kept
 *
 * Return: NULL when out of memory.
 */
struct stm_model *stm_model_new(const struct stm_config *config, const struct stm_ops *ops,
				void *opaque);
void stm_model_free(struct stm_model *stm);
void stm_model_reset(struct stm_model *stm);

/* Registers: @offset in bytes is a multiple of @size, which is 2 or 4. */
uint32_t stm_model_read(struct stm_model *stm, uint32_t offset, unsigned int size);
void stm_model_write(struct stm_model *stm, uint32_t offset, uint32_t value, unsigned int size);

/* The time asked for with stm_ops.schedule has come. */
void stm_model_tick(struct stm_model *stm);

/* Software trace port: an event. @time: its lower 32 bits are the timestamp */
void stm_model_event(struct stm_model *stm, uint16_t id, uint64_t value, uint64_t time);

/* The hart has written @value to tp, not in M-mode. */
void stm_model_thread(struct stm_model *stm, uint64_t value, uint64_t time);

/* Return: whether it makes use of that. */
bool stm_model_hears_threads(const struct stm_model *stm);

#endif /* RVTRACE_MODEL_OSD_STM_H */
