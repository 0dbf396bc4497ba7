// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --output listing, blocks: what executed, with events in between. */
#include "decode.h"

#define WHO_SIZE	1024	/* characters print_who() prints at most */
#define MNEMONIC_WIDTH	7	/* characters of most */
#define OPERANDS_WIDTH	24

/* What is at an address, asked for only where the last answer does not hold. */
static const struct symbol_place *place_at(struct decode *d, const struct rvtrace_flow_item *item,
					   uint64_t address, const uint8_t *code,
					   struct symbol_place *place)
{
	if (address - place->start >= place->end - place->start)
		symbols_find(d->symbols, d->resolver, item, address, code, place);
	return place;
}

/* Who executes, as text, once for all of an item. */
static size_t take_who(struct decode *d, const struct rvtrace_flow_item *item,
		       char who[WHO_SIZE])
{
	size_t start, size;

	out_room(&d->out, WHO_SIZE);
	start = d->out.used;
	print_who(d, item);
	size = d->out.used - start;
	memcpy(who, d->out.buffer + start, size);
	d->out.used = start;
	return size;
}

/* Mnemonic and operands; JSON: a member. */
static void print_text(struct decode *d, const struct rvtrace_insn_iter *iter)
{
	const char *text = text_of(d->text, d->input.config.isa.xlen, iter->address, iter->code,
				   iter->size);
	const char *operands;
	char line[TEXT_SIZE];
	int mnemonic;

	if (!text)
		text = "?";
	mnemonic = strcspn(text, "\t");
	operands = text[mnemonic] ? text + mnemonic + 1 : "";
	if (global.json) {
		snprintf(line, sizeof(line), "%.*s%s%s", mnemonic, text, *operands ? " " : "",
			 operands);
		out_json_text(&d->out, "text", line);
		return;
	}
	out_format(&d->out, "%-*.*s %-*s ", MNEMONIC_WIDTH, mnemonic, text, OPERANDS_WIDTH,
		   operands);
}

static void list_instructions(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct symbol_place place = { };
	struct rvtrace_insn_iter iter;
	char who[WHO_SIZE];
	size_t size = take_who(d, item, who);

	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter)) {
		place_at(d, item, iter.address, iter.code, &place);
		if (global.json) {
			print_begin(&d->out);
			out_text(&d->out, "{\"type\":\"instruction\"");
			out_json_hex(&d->out, "address", iter.address);
			out_bytes(&d->out, who, size);
			if (d->text)
				print_text(d, &iter);
			print_place(d, &place, iter.address);
			out_char(&d->out, '}');
			continue;
		}
		out_bytes(&d->out, who, size);
		out_hex(&d->out, iter.address);
		out_char(&d->out, ' ');
		if (d->text)
			print_text(d, &iter);
		print_place(d, &place, iter.address);
		out_char(&d->out, '\n');
	}
}

/* @who, of @size characters: executes it. */
static void list_block(struct decode *d, const struct rvtrace_flow_block *block,
		       const struct symbol_place *place, const char *who, size_t size)
{
	if (global.json) {
		print_begin(&d->out);
		out_text(&d->out, "{\"type\":\"block\"");
		out_json_hex(&d->out, "address", block->address);
		out_json_number(&d->out, "size", block->size);
		out_json_number(&d->out, "instructions", block->instructions);
		out_bytes(&d->out, who, size);
		print_place(d, place, block->address);
		out_char(&d->out, '}');
		return;
	}
	out_bytes(&d->out, who, size);
	out_hex(&d->out, block->address);
	out_char(&d->out, '-');
	out_hex(&d->out, block->address + block->size);
	out_char(&d->out, ' ');
	out_number(&d->out, block->instructions);
	out_char(&d->out, ' ');
	print_place(d, place, block->address);
	out_char(&d->out, '\n');
}

static void list_blocks(struct decode *d, const struct rvtrace_flow_item *item)
{
	const struct rvtrace_flow_block *block = item->blocks.list;
	struct symbol_place place = { };
	char who[WHO_SIZE];
	size_t size = take_who(d, item, who);

	for (uint32_t i = 0; i < item->blocks.count; i++, block++)
		list_block(d, block, place_at(d, item, block->address, block->code, &place), who,
			   size);
}

static void list_event(struct decode *d, const struct rvtrace_flow_item *item)
{
	if (global.json) {
		print_begin(&d->out);
		out_char(&d->out, '{');
		print_event(d, item);
		print_who(d, item);
		out_char(&d->out, '}');
		return;
	}
	print_who(d, item);
	print_event(d, item);
	out_char(&d->out, '\n');
}

void listing_item(struct decode *d, const struct rvtrace_flow_item *item)
{
	if (item->type != RVTRACE_FLOW_BLOCKS)
		list_event(d, item);
	else if (d->output == OUTPUT_BLOCKS)
		list_blocks(d, item);
	else
		list_instructions(d, item);
}
