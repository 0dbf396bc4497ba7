// SPDX-License-Identifier: GPL-2.0
/* Functions by number: each name is kept once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"

#define CHUNK	1024	/* functions, which stay where they are */

/* @whole: hash of file and name without the suffix of a part; @elf: its file, or NULL */
struct named {
	struct view_function shown;
	uint32_t whole;
	struct symbols_file *elf;
};

/**
 * struct functions - the functions
 * @chunks: of CHUNK functions each
 * @count: functions in all
 * @slots: by hash, their numbers, or 0; @slot_count of them, a power of two
 */
struct functions {
	struct named **chunks;
	uint32_t count;
	uint32_t *slots;
	uint32_t slot_count;
};

struct functions *functions_new(void)
{
	return calloc(1, sizeof(struct functions));
}

void functions_free(struct functions *functions)
{
	if (!functions)
		return;
	for (uint32_t i = 0; i * CHUNK < functions->count; i++)
		free(functions->chunks[i]);
	free(functions->chunks);
	free(functions->slots);
	free(functions);
}

static struct named *get(const struct functions *functions, uint32_t id)
{
	return &functions->chunks[(id - 1) / CHUNK][(id - 1) % CHUNK];
}

const struct view_function *functions_get(const struct functions *functions, uint32_t id)
{
	return id && id <= functions->count ? &get(functions, id)->shown : NULL;
}

uint32_t functions_count(const struct functions *functions)
{
	return functions->count;
}

uint32_t functions_whole(const struct functions *functions, uint32_t id)
{
	return id && id <= functions->count ? get(functions, id)->whole : 0;
}

int functions_lands(const struct functions *functions, uint32_t id, uint64_t start,
		    uint64_t call_site, uint64_t landing)
{
	const struct named *named = id && id <= functions->count ? get(functions, id) : NULL;
	uint64_t shift;

	if (!named || !named->shown.named || !named->elf)
		return -ENOENT;
	shift = named->shown.address - start;
	return symbols_lands(named->elf, call_site + shift, landing + shift);
}

static uint64_t hash_text(uint64_t hash, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ULL;
	return hash;
}

static uint32_t whole_of(const struct view_function *function)
{
	const char *suffix = function->name ? strstr(function->name, ".cold") : NULL;
	size_t size = suffix ? (size_t)(suffix - function->name) :
			       strlen(function->name ? function->name : "");
	uint64_t hash = 0xcbf29ce484222325ULL;

	if (!function->named)
		return 0;
	if (function->file)
		hash = hash_text(hash, function->file, strlen(function->file));
	return hash_text(hash, function->name, size) >> 32 | 1;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same(const struct view_function *a, const struct view_function *b)
{
	return a->address == b->address && a->named == b->named && a->module == b->module &&
	       a->kernel == b->kernel && same_text(a->name, b->name) &&
	       same_text(a->file, b->file);
}

static uint32_t *slot_of(const struct functions *functions, const struct view_function *key)
{
	uint64_t hash = (key->address ^ key->kernel) * 0x9e3779b97f4a7c15ULL;
	uint32_t i;

	/* where there is no address, names tell them apart */
	if (!key->address && key->name)
		hash = hash_text(hash, key->name, strlen(key->name));
	for (i = hash >> 32 & (functions->slot_count - 1);
	     functions->slots[i] && !same(&get(functions, functions->slots[i])->shown, key);
	     i = (i + 1) & (functions->slot_count - 1))
		;
	return &functions->slots[i];
}

/* Twice as many slots as functions. */
static bool grow_slots(struct functions *functions)
{
	uint32_t count = functions->slot_count ? 2 * functions->slot_count : 2 * CHUNK;
	uint32_t *slots;

	if (2 * functions->count + 2 < functions->slot_count)
		return true;
	slots = calloc(count, sizeof(*slots));
	if (!slots)
		return false;
	free(functions->slots);
	functions->slots = slots;
	functions->slot_count = count;
	for (uint32_t id = 1; id <= functions->count; id++)
		*slot_of(functions, &get(functions, id)->shown) = id;
	return true;
}

static bool grow_chunks(struct functions *functions)
{
	struct named **chunks;

	if (functions->count % CHUNK)
		return true;
	chunks = reallocarray(functions->chunks, functions->count / CHUNK + 1, sizeof(*chunks));
	if (!chunks)
		return false;
	functions->chunks = chunks;
	chunks[functions->count / CHUNK] = calloc(CHUNK, sizeof(**chunks));
	return chunks[functions->count / CHUNK];
}

uint32_t functions_add(struct functions *functions, const struct symbol_place *place, bool kernel)
{
	const struct view_function key = {
		.name = place->name, .file = place->file, .named = place->function,
		.module = place->module, .kernel = kernel,
		.address = place->function ? place->base + place->elf_shift : 0,
	};
	struct named *named;
	uint32_t *slot;

	if (!grow_slots(functions))
		return 0;
	slot = slot_of(functions, &key);
	if (*slot)
		return *slot;
	if (!grow_chunks(functions))
		return 0;
	*slot = ++functions->count;
	named = get(functions, functions->count);
	named->shown = key;
	named->shown.id = functions->count;
	named->whole = whole_of(&key);
	named->elf = place->elf;
	return functions->count;
}
