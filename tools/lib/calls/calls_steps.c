// SPDX-License-Identifier: LGPL-2.1-or-later
/* Call layer: items of a hart become steps. */
#include <stdlib.h>
#include <string.h>

#include "calls_internal.h"

/* Control goes to the next instruction, or to one near it. */
static bool goes_on(unsigned int insn)
{
	switch (insn) {
	case RVTRACE_INSN_LINEAR:
	case RVTRACE_INSN_BRANCH:
	case RVTRACE_INSN_JUMP:
	case RVTRACE_INSN_INDIRECT_JUMP:
	case RVTRACE_INSN_TABLE_JUMP:
	case RVTRACE_INSN_CONTEXT_WRITE:
	case RVTRACE_INSN_CUSTOM:
		return true;
	}
	return false;
}

static bool is_call(unsigned int insn)
{
	return insn == RVTRACE_INSN_CALL || insn == RVTRACE_INSN_INDIRECT_CALL ||
	       insn == RVTRACE_INSN_TABLE_CALL || insn == RVTRACE_INSN_SWAP;
}

static bool is_inside(const struct rvtrace_call_function *function, uint64_t address)
{
	return address >= function->start && address < function->end;
}

static void find(const struct rvtrace_calls *calls, const struct rvtrace_flow_item *item,
		 uint64_t address, const uint8_t *code, struct rvtrace_call_function *function)
{
	*function = (struct rvtrace_call_function) { .start = 0, .end = UINT64_MAX };
	if (calls->config.find)
		calls->config.find(calls->config.data, item, address, code, function);
	/* what is not about the address would be asked for again and again */
	if (!is_inside(function, address))
		*function = (struct rvtrace_call_function) {
			.start = address, .end = address + 1,
		};
}

static int add_arrival(struct hart *hart, const struct rvtrace_flow_item *item,
		       unsigned int insn, uint64_t address)
{
	struct step *step = calls_step(hart, STEP_ARRIVE, item);

	if (!step)
		return RVTRACE_ERR_NO_MEMORY;
	step->insn = insn;
	step->address = address;
	step->link = is_call(insn) ? hart->link : 0;
	step->function = hart->function.id;
	step->whole = hart->function.whole;
	step->unwinds = hart->function.unwinds;
	step->start = hart->function.start;
	step->starts = hart->function.begins;
	step->begins = hart->function.begins && address == hart->function.start;
	return 0;
}

/* An instruction executes at @address, if that may matter to frames. */
static int arrive(struct rvtrace_calls *calls, struct hart *hart,
		  const struct rvtrace_flow_item *item, uint64_t address, const uint8_t *code)
{
	unsigned int insn = hart->known ? hart->insn : ARRIVE_START;
	uint32_t before = hart->function.id;
	bool inside = is_inside(&hart->function, address);

	hart->known = true;
	hart->insn = RVTRACE_INSN_LINEAR;
	hart->target = 0;
	if (inside && !hart->settle && goes_on(insn))
		return 0;
	if (!inside)
		find(calls, item, address, code, &hart->function);
	if (hart->function.id == before && !hart->settle && goes_on(insn))
		return 0;
	hart->settle = false;
	/* only a trap that follows at once hides that it returned */
	if (insn == RVTRACE_INSN_TRAP_RETURN) {
		if (!calls_step(hart, STEP_TRAP_RETURN, item))
			return RVTRACE_ERR_NO_MEMORY;
		insn = ARRIVE_TRAP_RETURN;
	}
	return add_arrival(hart, item, insn, address);
}

/* The block goes on in another function. */
static int cross(struct rvtrace_calls *calls, struct hart *hart,
		 const struct rvtrace_flow_item *item, struct rvtrace_flow_block *block)
{
	unsigned int size;

	while (block->instructions && block->address < hart->function.end) {
		size = rvtrace_insn_size((uint16_t)(block->code[0] | block->code[1] << 8));
		block->address += size;
		block->code += size;
		block->size -= size;
		block->instructions--;
		hart->count++;
	}
	return block->instructions ? arrive(calls, hart, item, block->address, block->code) : 0;
}

static uint32_t word_of(const uint8_t *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
}

static void decode_last(const struct rvtrace_calls *calls, const struct rvtrace_flow_block *block,
			struct ending *ending)
{
	const uint8_t *code = block->code, *before;

	ending->insn = (struct rvtrace_insn) { };
	ending->before = 0;
	for (uint32_t i = 1; i < block->instructions; i++) {
		before = code;
		code += rvtrace_insn_size((uint16_t)(code[0] | code[1] << 8));
		ending->before = code - before == 4 ? word_of(before) : 0;
	}
	rvtrace_insn_decode(&calls->config.isa, code, block->size - (code - block->code),
			    &ending->insn);
	ending->word = ending->insn.size == 4 ? word_of(code) : 0;
}

/* What ends a block. Blocks come again and again, with the same bytes. */
static const struct ending *ending_of(struct rvtrace_calls *calls,
				      const struct rvtrace_flow_block *block)
{
	struct ending *ending = &calls->endings[((block->address + block->size) *
						 0x9e3779b97f4a7c15) >> (64 - ENDING_BITS)];

	if (ending->size == block->size && ending->instructions == block->instructions &&
	    !memcmp(ending->code, block->code, block->size))
		return ending;
	ending->size = block->size <= ENDING_BYTES ? block->size : 0;
	ending->instructions = block->instructions;
	memcpy(ending->code, block->code, ending->size);
	decode_last(calls, block, ending);
	return ending;
}

/* Where the jump leads, if it or the instruction before it says so; @behind: the address behind it. */
static uint64_t target_of(const struct rvtrace_insn *insn, uint32_t jump, uint32_t load,
			  uint64_t behind)
{
	if (insn->kind == RVTRACE_INSN_CALL || insn->kind == RVTRACE_INSN_JUMP)
		return behind - insn->size + (int64_t)insn->offset;
	if ((insn->kind != RVTRACE_INSN_INDIRECT_CALL && insn->kind != RVTRACE_INSN_INDIRECT_JUMP) ||
	    insn->size != 4)
		return 0;
	/* auipc reg; jalr reg */
	if ((load & 0x7f) != 0x17 || (load >> 7 & 31) != (jump >> 15 & 31))
		return 0;
	return behind - 8 + (int64_t)(int32_t)(load & 0xfffff000) + ((int32_t)jump >> 20);
}

static void end_block(struct rvtrace_calls *calls, struct hart *hart,
		      const struct rvtrace_flow_block *block)
{
	uint32_t load = block->address == hart->link ? hart->word : 0;
	const struct ending *ending = ending_of(calls, block);

	hart->insn = ending->insn.kind;
	hart->link = block->address + block->size;
	hart->word = ending->word;
	hart->target = target_of(&ending->insn, hart->word,
				 block->instructions > 1 ? ending->before : load, hart->link);
}

static int take_blocks(struct rvtrace_calls *calls, struct hart *hart,
		       const struct rvtrace_flow_item *item)
{
	int ret = 0;

	for (uint32_t i = 0; i < item->blocks.count && !ret; i++) {
		const struct rvtrace_flow_block *whole = &item->blocks.list[i];
		struct rvtrace_flow_block block = *whole;

		ret = arrive(calls, hart, item, block.address, block.code);
		while (!ret && block.size > hart->function.end - block.address)
			ret = cross(calls, hart, item, &block);
		hart->count += block.instructions;
		end_block(calls, hart, whole);
	}
	return ret;
}

/* A call that the trap kept from its first instruction has been made. */
static int take_trap(struct rvtrace_calls *calls, struct hart *hart,
		     const struct rvtrace_flow_item *item)
{
	uint64_t address = item->flags & RVTRACE_FLOW_HAS_ADDRESS ? item->address : hart->target;
	struct step *step;

	if (address && hart->known && hart->insn != RVTRACE_INSN_LINEAR &&
	    hart->insn != RVTRACE_INSN_BRANCH && arrive(calls, hart, item, address, NULL))
		return RVTRACE_ERR_NO_MEMORY;
	step = calls_step(hart, STEP_TRAP, item);
	if (!step)
		return RVTRACE_ERR_NO_MEMORY;
	step->address = address;
	step->trap = item->trap.kind;
	step->has_cause = item->flags & RVTRACE_FLOW_HAS_CAUSE;
	step->cause = item->trap.cause;
	hart->known = true;
	hart->insn = ARRIVE_TRAP;
	return 0;
}

static int take_trap_return(struct hart *hart, const struct rvtrace_flow_item *item)
{
	hart->known = true;
	hart->insn = ARRIVE_TRAP_RETURN;
	return calls_step(hart, STEP_TRAP_RETURN, item) ? 0 : RVTRACE_ERR_NO_MEMORY;
}

static int add_with_item(struct hart *hart, enum step_type type,
			 const struct rvtrace_flow_item *item)
{
	struct step *step = calls_step(hart, type, item);

	if (!step)
		return RVTRACE_ERR_NO_MEMORY;
	step->item = malloc(sizeof(*item));
	if (!step->item)
		return RVTRACE_ERR_NO_MEMORY;
	*step->item = *item;
	return 0;
}

static int take_gap(struct hart *hart, const struct rvtrace_flow_item *item)
{
	hart->known = false;
	hart->settle = true;
	hart->sleeps = false;
	return add_with_item(hart, STEP_GAP, item);
}

/* Nothing executes in debug mode and low power: where it goes on is where it stopped. */
static int take_stop(struct hart *hart, const struct rvtrace_flow_item *item)
{
	if (item->stop.reason > 1 || !(item->flags & RVTRACE_FLOW_HAS_ADDRESS))
		return take_gap(hart, item);
	hart->sleeps = true;
	hart->stopped = *item;
	return add_with_item(hart, STEP_ITEM, item);
}

static int take_sync(struct hart *hart, const struct rvtrace_flow_item *item)
{
	bool goes_on = hart->sleeps && hart->stopped.address == item->address;
	int ret = 0;

	if (!(item->flags & RVTRACE_FLOW_FIRST))
		return 0;
	if (hart->sleeps && !goes_on)
		ret = take_gap(hart, &hart->stopped);
	hart->sleeps = false;
	if (!goes_on)
		hart->known = false;
	return ret;
}

static int take_thread(struct hart *hart, const struct rvtrace_flow_item *item)
{
	bool changes = !hart->seen || hart->thread != item->thread;

	if (changes || hart->process != item->process)
		hart->function = (struct rvtrace_call_function) { };
	hart->settle |= changes;
	hart->seen = true;
	hart->thread = item->thread;
	hart->process = item->process;
	return !changes || calls_step(hart, STEP_THREAD, item) ? 0 : RVTRACE_ERR_NO_MEMORY;
}

int calls_take(struct rvtrace_calls *calls, struct hart *hart,
	       const struct rvtrace_flow_item *item)
{
	int ret;

	calls_mark(calls, hart, item);
	ret = take_thread(hart, item);
	if (ret)
		return ret;
	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		return take_blocks(calls, hart, item);
	case RVTRACE_FLOW_TRAP:
		return take_trap(calls, hart, item);
	case RVTRACE_FLOW_TRAP_RETURN:
		return take_trap_return(hart, item);
	case RVTRACE_FLOW_SYNC:
		return take_sync(hart, item);
	case RVTRACE_FLOW_STOP:
		return take_stop(hart, item);
	case RVTRACE_FLOW_RANGE:
		hart->count += item->range.instructions < UINT64_MAX - hart->count ?
			       item->range.instructions : 0;
		return take_gap(hart, item);
	case RVTRACE_FLOW_OVERFLOW:
		return item->overflow.code == RVTRACE_NTRACE_ECODE_DATA ?
		       add_with_item(hart, STEP_ITEM, item) : take_gap(hart, item);
	case RVTRACE_FLOW_NO_IMAGE:
	case RVTRACE_FLOW_UNFOLLOWED:
	case RVTRACE_FLOW_TAIL:
	case RVTRACE_FLOW_ERROR:
		return take_gap(hart, item);
	case RVTRACE_FLOW_DATA:
	case RVTRACE_FLOW_REGISTER:
	case RVTRACE_FLOW_TRACEPOINT:
	case RVTRACE_FLOW_CIRCUIT:
	case RVTRACE_FLOW_ACCESSES_LOST:
	case RVTRACE_FLOW_UNKNOWN:
		return add_with_item(hart, STEP_ITEM, item);
	}
	return 0;
}

int calls_lose(const struct rvtrace_calls *calls, struct hart *hart,
	       const struct rvtrace_flow_item *item, bool tells)
{
	struct step *step;

	calls_mark(calls, hart, item);
	if (tells)
		return take_gap(hart, item);
	step = calls_step(hart, STEP_GAP, item);
	hart->known = false;
	hart->settle = true;
	hart->sleeps = false;
	return step ? 0 : RVTRACE_ERR_NO_MEMORY;
}
