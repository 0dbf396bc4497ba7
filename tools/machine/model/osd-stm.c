// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/osd-stm.h"

#include <stdlib.h>
#include <string.h>

#include "tools/machine/model/regs.h"

/* FLAGS of event packets: TYPE and TYPE_SUB */
#define FLAGS_LAST		0x8000
#define FLAGS_CONTINUED		0x8400
#define FLAGS_OVERFLOW		0x9400

#define HEADER_WORDS		3	/* DEST, SRC, FLAGS */
#define PAYLOAD_MAX		7	/* timestamp, identifier, value of 64 bits */
#define ITEM_BYTES_MAX		(2 * (PAYLOAD_MAX + 2 * (1 + HEADER_WORDS)))

#define MISSED_MAX		0xffff	/* "at least" */

#define THREAD_SWITCH		0x8000

/* Of registers, or of one word of them */
enum stm_field {
	STM_ACTIVE,
	STM_DEST,
	STM_WIDTH,
	STM_LISTENS,
	STM_SWITCH_ID,
	STM_LOST_WORDS,
	STM_ENABLE = STM_LOST_WORDS + 2,
	STM_KEEP,
	STM_EMPTY,
	STM_WRAPPED,
	STM_ERROR,
	STM_BASE,
	STM_SIZE = STM_BASE + 4,
	STM_WRITE = STM_SIZE + 2,
	STM_READ = STM_WRITE + 2,
	STM_FIELDS = STM_READ + 2
};

/* What waits to leave: an event, or how many were lost */
struct item {
	bool overflow;
	uint16_t id;
	uint32_t time;
	uint64_t value;
};

/**
 * struct stm_model - a module
 * @items: ring of config.depth
 * @first: the one that is leaving
 * @count: how many there are
 * @due: when the first one will have left
 * @waits: it has, but for memory
 * @missed: events lost that no packet tells of
 */
struct stm_model {
	struct stm_config config;
	const struct stm_ops *ops;
	void *opaque;
	uint32_t values[STM_FIELDS];
	struct reg_block block;
	struct item *items;
	uint32_t first;
	uint32_t count;
	uint64_t due;
	bool waits;
	uint32_t missed;
};

#define WORDS(name, at, words, access, id) \
	REGS(name, at, (words) - 1, 2, 1, { 0xffff, access, id })

static const struct reg_spec registers[] = {
	REG("MOD_VENDOR", STM_MOD_VENDOR, { 0xffff, REG_CONST, STM_VENDOR }),
	REG("MOD_TYPE", STM_MOD_TYPE, { 0xffff, REG_CONST, STM_TYPE }),
	REG("MOD_VERSION", STM_MOD_VERSION, { 0xffff, REG_CONST, STM_VERSION }),
	REG("MOD_CS", STM_MOD_CS,
	    { STM_MOD_CS_ACTIVE, REG_RW, STM_ACTIVE }),
	REG("MOD_EVENT_DEST", STM_MOD_EVENT_DEST, { 0xffff, REG_RW, STM_DEST }),
	REG("VALWIDTH", STM_VALWIDTH, { 0xffff, REG_RO, STM_WIDTH }),
	REG("THREADS", STM_THREADS,
	    { STM_THREADS_ENABLE, REG_RW, STM_LISTENS }),
	REG("SWITCH", STM_SWITCH, { 0xffff, REG_RW, STM_SWITCH_ID }),
	WORDS("LOST", STM_LOST, 2, REG_OWN, STM_LOST_WORDS),
	REG("MEM_CONTROL", STM_MEM_CONTROL,
	    { STM_MEM_CONTROL_ENABLE, REG_RW, STM_ENABLE },
	    { STM_MEM_CONTROL_KEEP, REG_RW, STM_KEEP }),
	REG("MEM_STATUS", STM_MEM_STATUS,
	    { STM_MEM_STATUS_EMPTY, REG_LIVE, STM_EMPTY },
	    { STM_MEM_STATUS_WRAPPED, REG_W1C, STM_WRAPPED },
	    { STM_MEM_STATUS_ERROR, REG_W1C, STM_ERROR }),
	WORDS("MEM_BASE", STM_MEM_BASE, 4, REG_OWN, STM_BASE),
	WORDS("MEM_SIZE", STM_MEM_SIZE, 2, REG_OWN, STM_SIZE),
	WORDS("MEM_WRITE", STM_MEM_WRITE, 2, REG_OWN, STM_WRITE),
	WORDS("MEM_READ", STM_MEM_READ, 2, REG_OWN, STM_READ),
	{}
};

/* Values of two words */

static uint32_t get(const struct stm_model *stm, enum stm_field id)
{
	return stm->values[id] | stm->values[id + 1] << 16;
}

static void set(struct stm_model *stm, enum stm_field id, uint32_t value)
{
	stm->values[id] = value & 0xffff;
	stm->values[id + 1] = value >> 16;
}

/* Packets */

static unsigned int payload_of(const struct stm_model *stm, const struct item *item,
			       uint16_t words[PAYLOAD_MAX])
{
	unsigned int n = 0, bit;

	if (item->overflow) {
		words[n++] = item->value;
		return n;
	}
	words[n++] = item->time;
	words[n++] = item->time >> 16;
	words[n++] = item->id;
	for (bit = 0; bit < stm->config.valwidth; bit += 16)
		words[n++] = item->value >> bit;
	return n;
}

static void put_word(uint8_t **to, uint16_t word)
{
	*(*to)++ = word >> 8;
	*(*to)++ = word;
}

static uint16_t flags_of(const struct item *item, bool last)
{
	if (item->overflow)
		return FLAGS_OVERFLOW;
	return last ? FLAGS_LAST : FLAGS_CONTINUED;
}

/* Return: how many bytes; @words: those of all packets */
static size_t make_packets(const struct stm_model *stm, const struct item *item,
			   uint8_t bytes[ITEM_BYTES_MAX], unsigned int *words)
{
	unsigned int room = stm->config.packet_words - HEADER_WORDS, left, n, i;
	uint16_t payload[PAYLOAD_MAX], *from = payload;
	uint8_t *to = bytes;

	*words = 0;
	for (left = payload_of(stm, item, payload); left; left -= n) {
		n = left < room ? left : room;
		put_word(&to, HEADER_WORDS + n);
		put_word(&to, stm->values[STM_DEST]);
		put_word(&to, stm->config.address);
		put_word(&to, flags_of(item, n == left));
		for (i = 0; i < n; i++)
			put_word(&to, *from++);
		*words += HEADER_WORDS + n;
	}
	return to - bytes;
}

/* Memory */

static bool has_room(const struct stm_model *stm, size_t bytes)
{
	uint32_t size = get(stm, STM_SIZE), write = get(stm, STM_WRITE), used;

	if (!stm->values[STM_ENABLE] || stm->values[STM_ERROR] || size < STM_MEM_MIN ||
	    write >= size)
		return false;
	used = (write - get(stm, STM_READ) % size + (uint64_t)size) % size;
	/* Where both are the same nothing is kept. */
	return !stm->values[STM_KEEP] || used + bytes < size;
}

static uint64_t base_of(const struct stm_model *stm)
{
	return get(stm, STM_BASE) | (uint64_t)get(stm, STM_BASE + 2) << 32;
}

/* Return: false, and the pointer stays where it is, when there is no memory */
static bool store(struct stm_model *stm, const uint8_t *bytes, size_t count)
{
	uint32_t size = get(stm, STM_SIZE), at = get(stm, STM_WRITE);
	size_t before = size - at < count ? size - at : count;

	if (!stm->ops->dma_write(stm->opaque, base_of(stm) + at, bytes, before) ||
	    (before < count && !stm->ops->dma_write(stm->opaque, base_of(stm), bytes + before,
						    count - before)))
		return false;
	if (at + count >= size)
		stm->values[STM_WRAPPED] = 1;
	set(stm, STM_WRITE, (at + (uint64_t)count) % size);
	return true;
}

/* What leaves, and when */

/* The first one leaves from @start on. */
static void begin(struct stm_model *stm, uint64_t start)
{
	uint8_t bytes[ITEM_BYTES_MAX];
	unsigned int words;

	make_packets(stm, &stm->items[stm->first], bytes, &words);
	stm->due = start + words * stm->config.word_time;
	stm->waits = false;
}

static void push(struct stm_model *stm, const struct item *item, uint64_t now)
{
	stm->items[(stm->first + stm->count++) % stm->config.depth] = *item;
	if (stm->count == 1)
		begin(stm, now);
}

static void pop(struct stm_model *stm, uint64_t now)
{
	uint64_t left = stm->waits ? now : stm->due;

	stm->first = (stm->first + 1) % stm->config.depth;
	stm->count--;
	if (stm->count)
		begin(stm, left);
	if (stm->missed) {
		push(stm, &(struct item){ .overflow = true, .value = stm->missed }, left);
		stm->missed = 0;
	}
}

/* The first one has left. Return: false when memory does not take it */
static bool deliver(struct stm_model *stm)
{
	uint8_t bytes[ITEM_BYTES_MAX];
	unsigned int words;
	size_t count = make_packets(stm, &stm->items[stm->first], bytes, &words);

	if (!has_room(stm, count))
		return false;
	if (!store(stm, bytes, count)) {
		stm->values[STM_ERROR] = 1;
		return false;
	}
	return true;
}

static void settle(struct stm_model *stm, uint64_t now)
{
	while (stm->count && stm->due <= now) {
		if (!deliver(stm)) {
			stm->waits = true;
			return;
		}
		pop(stm, now);
	}
}

/* After what may have changed what is to leave */
static void go_on(struct stm_model *stm, uint64_t now)
{
	settle(stm, now);
	if (stm->count && !stm->waits)
		stm->ops->schedule(stm->opaque, stm->due - now);
}

void stm_model_tick(struct stm_model *stm)
{
	go_on(stm, stm->ops->now(stm->opaque));
}

/* Software trace port */

static void miss(struct stm_model *stm)
{
	uint32_t lost = get(stm, STM_LOST_WORDS);

	if (stm->missed < MISSED_MAX)
		stm->missed++;
	if (lost != UINT32_MAX)
		set(stm, STM_LOST_WORDS, lost + 1);
}

void stm_model_event(struct stm_model *stm, uint16_t id, uint64_t value, uint64_t time)
{
	uint64_t now = stm->ops->now(stm->opaque);

	/* "0x0000: not used" */
	if (!stm->values[STM_ACTIVE] || !id)
		return;
	settle(stm, now);
	if (stm->count < stm->config.depth)
		push(stm, &(struct item){ .id = id, .time = time, .value = value }, now);
	else
		miss(stm);
	go_on(stm, now);
}

bool stm_model_hears_threads(const struct stm_model *stm)
{
	return stm->values[STM_ACTIVE] && stm->values[STM_LISTENS];
}

void stm_model_thread(struct stm_model *stm, uint64_t value, uint64_t time)
{
	if (stm_model_hears_threads(stm))
		stm_model_event(stm, stm->values[STM_SWITCH_ID], value, time);
}

/* Registers */

static uint32_t read_field(void *owner, unsigned int id)
{
	struct stm_model *stm = owner;

	return id == STM_EMPTY ? !stm->count : stm->values[id];
}

static void accept(void *owner, unsigned int id, uint32_t value)
{
	struct stm_model *stm = owner;

	if (id < STM_LOST_WORDS + 2) {
		set(stm, STM_LOST_WORDS, 0);
		return;
	}
	if (stm->values[STM_ENABLE] && id < STM_READ)
		return;
	if (id == STM_BASE || id == STM_SIZE)
		value &= ~(STM_MEM_ALIGN - 1);
	/* Words come together. */
	if (id == STM_WRITE || id == STM_READ)
		value &= ~1u;
	stm->values[id] = value;
}

static const struct reg_ops reg_ops = { .read = read_field, .accept = accept };

uint32_t stm_model_read(struct stm_model *stm, uint32_t offset, unsigned int size)
{
	uint32_t value = 0;
	unsigned int i;

	settle(stm, stm->ops->now(stm->opaque));
	for (i = 0; i < size; i += 2)
		if (reg_has(&stm->block, offset + i))
			value |= reg_read(&stm->block, offset + i) << (8 * i);
	return value;
}

void stm_model_write(struct stm_model *stm, uint32_t offset, uint32_t value, unsigned int size)
{
	uint64_t now = stm->ops->now(stm->opaque);
	unsigned int i;

	settle(stm, now);
	for (i = 0; i < size; i += 2)
		if (reg_has(&stm->block, offset + i))
			reg_write(&stm->block, offset + i, value >> (8 * i) & 0xffff);
	go_on(stm, now);
}

void stm_model_reset(struct stm_model *stm)
{
	memset(stm->values, 0, sizeof(stm->values));
	stm->values[STM_WIDTH] = stm->config.valwidth;
	stm->values[STM_SWITCH_ID] = THREAD_SWITCH;
	stm->first = 0;
	stm->count = 0;
	stm->missed = 0;
}

/* Configuration */

void stm_config_init(struct stm_config *config)
{
	*config = (struct stm_config) {
		.valwidth = 64,
		.depth = 8,
		.packet_words = STM_PACKET_WORDS_MAX,
	};
}

const char *stm_config_check(const struct stm_config *config)
{
	if (config->valwidth != 16 && config->valwidth != 32 && config->valwidth != 64)
		return "valwidth is not 16, 32 or 64";
	if (!config->depth || config->depth > STM_DEPTH_MAX)
		return "depth is not 1 to 1024";
	if (config->packet_words < STM_PACKET_WORDS_MIN ||
	    config->packet_words > STM_PACKET_WORDS_MAX)
		return "packet_words is not 8 to 12";
	return NULL;
}

struct stm_model *stm_model_new(const struct stm_config *config, const struct stm_ops *ops,
				void *opaque)
{
	struct stm_model *stm = calloc(1, sizeof(*stm));

	if (!stm)
		return NULL;
	stm->config = *config;
	stm->ops = ops;
	stm->opaque = opaque;
	stm->block = (struct reg_block) {
		.specs = registers,
		.values = stm->values,
		.ops = &reg_ops,
		.owner = stm,
	};
	stm->items = calloc(config->depth, sizeof(*stm->items));
	if (!stm->items) {
		free(stm);
		return NULL;
	}
	stm_model_reset(stm);
	return stm;
}

void stm_model_free(struct stm_model *stm)
{
	free(stm->items);
	free(stm);
}
