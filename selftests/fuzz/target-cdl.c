// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: the packet layer of CDL compressed trace. */
#include <string.h>

#include <json-c/json.h>

#include <rvtrace/cdl.h>
#include <rvtrace/recording.h>

#include "target.h"

/* What every reader of the same bytes must say. */
struct said {
	uint64_t offset;
	uint64_t value;
	int ret;
	uint32_t size;
	uint8_t kind;
	uint8_t number;
	bool same_cycle;
	bool unverified;
};

bool choose_cdl_config(const uint8_t *settings, struct rvtrace_cdl_config *config)
{
	memset(config, 0, sizeof(*config));
	config->flavour = settings[0] & 1;
	config->xlen = settings[0] & 2 ? 64 : 32;
	config->rv64 = settings[0] & 4;
	config->anywhere = settings[0] & 8;
	config->unverified = settings[0] & 16;
	config->sync_interval = 8u * settings[1];
	return !rvtrace_cdl_config_check(config);
}

static void check_item(const struct rvtrace_cdl_item *item, int ret, uint64_t from, uint64_t to)
{
	uint8_t copy[RVTRACE_CDL_ITEM_MAX / 2 + 1];

	promise(item->size && item->offset >= from);
	promise(item->offset + item->size <= to);
	if (ret < 0) {
		promise(strcmp(rvtrace_strerror(ret), "unknown error"));
		return;
	}
	promise(ret == 1 && item->size <= RVTRACE_CDL_ITEM_MAX);
	promise(item->kind <= RVTRACE_CDL_SYNC && item->number < 16 && item->rd < 32);
	memcpy(copy, item->raw, (item->offset % 2 + item->size + 1) / 2);
}

/* Reads everything, in pieces; returns how many results there were. */
static size_t read_all(const struct rvtrace_cdl_config *config, const uint8_t *bytes, size_t size,
		       size_t piece, struct said *said)
{
	struct rvtrace_cdl_item item;
	struct rvtrace_cdl *reader;
	uint64_t from = 0, offset;
	size_t fed = 0, count = 0;
	int ret;

	promise(!rvtrace_cdl_new(config, &reader));
	do {
		size_t take = piece < size - fed ? piece : size - fed;
		uint8_t *copy = malloc(take);

		/* A copy of its own: who reads behind it is caught. */
		memcpy(copy, bytes + fed, take);
		promise(!rvtrace_cdl_feed(reader, copy, take));
		fed += take;
		while ((ret = rvtrace_cdl_next(reader, &item))) {
			check_item(&item, ret, from, 2 * fed);
			from = item.offset + item.size;
			promise(count < 2 * size);
			said[count++] = (struct said) {
				item.offset, item.kind == RVTRACE_CDL_DATA ? item.value : 0, ret,
				item.size, item.kind, item.number, item.same_cycle,
				item.unverified,
			};
		}
		promise(rvtrace_cdl_pending(reader, &offset) < RVTRACE_CDL_ITEM_MAX);
		promise(offset >= from && offset <= 2 * fed);
		free(copy);
	} while (fed < size);
	rvtrace_cdl_free(reader);
	return count;
}

/* Flags, the interval, the size of pieces, nybbles. */
void fuzz_cdl(const uint8_t *bytes, size_t size)
{
	struct rvtrace_cdl_config config;
	struct said *whole, *parts;
	size_t count, piece;

	if (size <= CDL_SETTINGS)
		return;
	if (!choose_cdl_config(bytes, &config)) {
		struct rvtrace_cdl *reader;

		promise(rvtrace_cdl_new(&config, &reader) == RVTRACE_ERR_INVALID);
		return;
	}
	piece = 1 + bytes[2];
	bytes += CDL_SETTINGS;
	size -= CDL_SETTINGS;
	/* Each result takes a nybble at least. */
	whole = calloc(2 * size, sizeof(*whole));
	parts = calloc(2 * size, sizeof(*parts));
	count = read_all(&config, bytes, size, size, whole);
	promise(read_all(&config, bytes, size, piece, parts) == count);
	promise(!memcmp(whole, parts, count * sizeof(*whole)));
	free(whole);
	free(parts);
}

/* A text as JSON. */
void fuzz_cdl_params(const uint8_t *bytes, size_t size)
{
	struct rvtrace_recording_error error = { 0 };
	struct rvtrace_cdl_config config;
	struct json_object *object;
	char *text = strndup((const char *)bytes, size);

	object = json_tokener_parse(text);
	if (rvtrace_cdl_config_from_json(object, "input", &config, &error))
		promise(strstr(error.text, "input"));
	else
		promise(!rvtrace_cdl_config_check(&config));
	json_object_put(object);
	free(text);
}
