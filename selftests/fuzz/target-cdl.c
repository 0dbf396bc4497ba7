// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: the packet layer of CDL compressed trace. */
#include <string.h>

#include <json-c/json.h>

#include <rvtrace/cdl.h>
#include <rvtrace/recording.h>

#include "target-reader.h"

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

static int next(void *reader, struct said *said)
{
	uint8_t copy[RVTRACE_CDL_ITEM_MAX / 2 + 1];
	struct rvtrace_cdl_item item;
	int ret = rvtrace_cdl_next(reader, &item);

	if (!ret)
		return 0;
	*said = (struct said) {
		.offset = item.offset, .size = item.size,
		.what = { item.kind == RVTRACE_CDL_DATA ? item.value : 0,
			  item.kind | item.number << 8 | item.same_cycle << 16 |
			  item.unverified << 17 },
	};
	if (ret < 0)
		return ret;
	promise(item.size <= RVTRACE_CDL_ITEM_MAX);
	promise(item.kind <= RVTRACE_CDL_SYNC && item.number < 16 && item.rd < 32);
	memcpy(copy, item.raw, (item.offset % 2 + item.size + 1) / 2);
	return ret;
}

READER(cdl, 2, RVTRACE_CDL_ITEM_MAX - 1);

/* Flags, the interval, the size of pieces, nybbles. */
void fuzz_cdl(const uint8_t *bytes, size_t size)
{
	struct rvtrace_cdl_config config;
	size_t piece;

	if (size <= CDL_SETTINGS)
		return;
	if (!choose_cdl_config(bytes, &config)) {
		struct rvtrace_cdl *none;

		promise(rvtrace_cdl_new(&config, &none) == RVTRACE_ERR_INVALID);
		return;
	}
	piece = 1 + bytes[2];
	bytes += CDL_SETTINGS;
	size -= CDL_SETTINGS;
	read_both(&reader, &config, false, bytes, size, piece);
}

/* A text as JSON. */
void fuzz_cdl_params(const uint8_t *bytes, size_t size)
{
	struct rvtrace_failure error = { 0 };
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
