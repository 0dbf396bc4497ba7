// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Straight-line code, decoded once per code, not per mapping: offsets in it are relative. The cache
 * belongs to one decoder, so decoders that share an image need no locks.
 */
#include <stdlib.h>
#include <string.h>

#include "flow_internal.h"

/* So that one block stays in the reach of its 16-bit members. */
#define BLOCK_BYTES_MAX		8192

static bool ends_block(unsigned int kind)
{
	return kind != RVTRACE_INSN_LINEAR && kind != RVTRACE_INSN_CUSTOM;
}

/*
 * Decodes the block at @code. Return: 0, or RVTRACE_ERR_TRUNCATED if not even its first instruction
 * lies within @size bytes.
 */
static int decode(const struct rvtrace_flow *flow, const uint8_t *code, uint64_t size,
		  struct block *block)
{
	struct rvtrace_insn insn;
	uint32_t done = 0;

	memset(block, 0, sizeof(*block));
	if (size > BLOCK_BYTES_MAX)
		size = BLOCK_BYTES_MAX;
	while (size - done >= 2) {
		int err = rvtrace_insn_decode(&flow->config.isa, code + done, size - done, &insn);

		if (err == RVTRACE_ERR_TRUNCATED)
			break;
		if (err)
			return 0;
		block->kind = insn.kind;
		block->last_size = insn.size;
		block->target = insn.offset;
		block->instructions++;
		block->size += insn.size;
		block->halfwords += insn.size / 2;
		if (insn.kind == RVTRACE_INSN_BRANCH || insn.kind == RVTRACE_INSN_JUMP ||
		    insn.kind == RVTRACE_INSN_CALL)
			block->target += done;
		if (ends_block(insn.kind)) {
			block->by_x5 = flow_is_by_x5(insn.kind, code + done, insn.size);
			return 0;
		}
		if (flow->follows_link &&
		    (flow_writes_link(&flow->config.isa, code + done, insn.size, size - done) ||
		     flow_leaves_stack(&flow->config.isa, code + done, insn.size, size - done))) {
			block->kind = BLOCK_LINK_WRITE;
			return 0;
		}
		done += insn.size;
	}
	return done ? 0 : RVTRACE_ERR_TRUNCATED;
}

static uint32_t new_block(struct rvtrace_flow *flow, const struct block *block)
{
	if (flow->block_count == flow->block_room) {
		uint32_t room = flow->block_room ? flow->block_room * 2 : 4096;
		struct block *blocks = realloc(flow->blocks, room * sizeof(*blocks));

		if (!blocks)
			return 0;
		flow->blocks = blocks;
		flow->block_room = room;
		if (!flow->block_count)
			flow->block_count = 1;	/* index 0 means none */
	}
	flow->blocks[flow->block_count] = *block;
	if (flow->block_longest < (uint32_t)block->size)
		flow->block_longest = block->size;
	return flow->block_count++ * BLOCK_WORDS;
}

static size_t cache_slot(const struct rvtrace_flow *flow, const struct rvtrace_code *code)
{
	size_t i = ((uintptr_t)code >> 4) * 0x9e3779b97f4a7c15ull >> 32;

	i &= flow->cache_room - 1;
	while (flow->caches[i].code && flow->caches[i].code != code)
		i = (i + 1) & (flow->cache_room - 1);
	return i;
}

static int grow_caches(struct rvtrace_flow *flow)
{
	struct code_cache *old = flow->caches;
	size_t old_room = flow->cache_room;

	flow->cache_room = old_room ? old_room * 2 : 64;
	flow->caches = calloc(flow->cache_room, sizeof(*flow->caches));
	if (!flow->caches) {
		flow->caches = old;
		flow->cache_room = old_room;
		return RVTRACE_ERR_NO_MEMORY;
	}
	for (size_t i = 0; i < old_room; i++)
		if (old[i].code)
			flow->caches[cache_slot(flow, old[i].code)] = old[i];
	free(old);
	return 0;
}

/* The block map of @code; NULL without memory. */
static uint32_t *code_map(struct rvtrace_flow *flow, const struct rvtrace_code *code)
{
	struct code_cache *cache;
	size_t size;

	if (flow->cache_count * 2 >= flow->cache_room && grow_caches(flow))
		return NULL;
	cache = &flow->caches[cache_slot(flow, code)];
	if (!cache->code) {
		rvtrace_code_bytes(code, &size);
		/* zero pages until they are used */
		cache->map = calloc(size / 2 + 1, sizeof(*cache->map));
		if (!cache->map)
			return NULL;
		cache->code = rvtrace_code_ref(code);
		flow->cache_count++;
	}
	return cache->map;
}

void flow_blocks_free(struct rvtrace_flow *flow)
{
	for (size_t i = 0; i < flow->cache_room; i++) {
		free(flow->caches[i].map);
		rvtrace_code_unref(flow->caches[i].code);
	}
	free(flow->caches);
	free(flow->blocks);
}

/**
 * flow_find_code() - what code a source has at an address
 * @flow: the decoder
 * @source: the source
 * @pc: the address
 * @window: the result
 *
 * Return: 1, 0 without code there.
 */
int flow_find_code(const struct rvtrace_flow *flow, const struct source *source, uint64_t pc,
		   struct rvtrace_window *window)
{
	unsigned int privs = source->priv < 0 ? RVTRACE_PRIV_ANY : 1u << source->priv;

	return rvtrace_image_find(flow->image, source->place.user, privs & RVTRACE_PRIV_U, pc,
				  window) ||
	       rvtrace_image_find(flow->image, source->place.kernel, privs & ~RVTRACE_PRIV_U, pc,
				  window);
}

/* What is behind the last address of a hart of 32 bits is not there. */
static void limit(const struct rvtrace_flow *flow, struct rvtrace_window *window)
{
	if (flow->config.isa.xlen == 32 && window->last > UINT32_MAX)
		window->last = UINT32_MAX;
}

/* Makes the code at @pc the window of @source. Return: 1, 0 without code, RVTRACE_ERR_NO_MEMORY. */
static int find_window(struct rvtrace_flow *flow, struct source *source, uint64_t pc)
{
	struct rvtrace_window window;
	uint32_t *map;

	if (!flow_find_code(flow, source, pc, &window))
		return 0;
	limit(flow, &window);
	if (window.last == pc)
		return 0;
	map = code_map(flow, window.code);
	if (!map)
		return RVTRACE_ERR_NO_MEMORY;
	if (window.start & 1) {
		window.start++;
		window.bytes++;
	}
	source->window.start = window.start;
	source->window.span = window.last - window.start;
	source->window.bytes = window.bytes;
	source->window.map = map + (window.bytes - rvtrace_code_bytes(window.code, NULL)) / 2;
	return 1;
}

/* An instruction that begins in the window of @source and ends in the next one. */
static int straddling(struct rvtrace_flow *flow, struct source *source, uint64_t pc,
		      struct block *block, const uint8_t **code)
{
	uint8_t *bytes = flow->straddle[flow->straddles];
	unsigned int done, size = 2;
	int found;

	for (done = 0; done < size; done += 2) {
		uint64_t at = flow_address(flow, pc + done);
		const uint8_t *from;

		if (at - source->window.start > source->window.span - 1) {
			found = find_window(flow, source, at);
			if (found <= 0)
				return found;
		}
		from = source->window.bytes + (at - source->window.start);
		bytes[done] = from[0];
		bytes[done + 1] = from[1];
		if (!done)
			size = rvtrace_insn_size(bytes[0] | bytes[1] << 8);
	}
	decode(flow, bytes, size, block);
	flow->straddles++;
	*code = bytes;
	return 1;
}

/* Behind the instruction that changes to another task another block begins. */
static uint64_t up_to_switch(const struct rvtrace_flow *flow, uint64_t pc, uint64_t size)
{
	uint64_t distance = flow->config.task_switch - pc;

	return distance && distance < size ? distance : size;
}

/**
 * flow_block_at() - the block at @pc, looked up the long way
 * @flow: the decoder
 * @source: the source; its window is moved
 * @pc: the address
 * @block: the result; no instructions in it if there is none at @pc
 * @code: its bytes
 *
 * Return: 1, 0 without code there, RVTRACE_ERR_NO_MEMORY.
 */
int flow_block_at(struct rvtrace_flow *flow, struct source *source, uint64_t pc,
		  struct block *block, const uint8_t **code)
{
	struct window *window = &source->window;
	uint64_t offset, size;
	uint32_t index;
	int found;

	if (pc - window->start > window->span) {
		found = find_window(flow, source, pc);
		if (found <= 0)
			return found;
	}
	offset = pc - window->start;
	size = window->span - offset;	/* one less than there are */
	*code = window->bytes + offset;
	index = window->map[offset / 2];
	if (index && flow_block_of(flow->blocks, index)->halfwords * 2ull - 1 <= size) {
		*block = *flow_block_of(flow->blocks, index);
		return 1;
	}
	if (decode(flow, *code, up_to_switch(flow, pc, size == UINT64_MAX ? size : size + 1),
		   block))
		return straddling(flow, source, pc, block, code);
	if (!index && block->instructions) {
		index = new_block(flow, block);
		if (!index)
			return RVTRACE_ERR_NO_MEMORY;
		window->map[offset / 2] = index;
	}
	return 1;
}
