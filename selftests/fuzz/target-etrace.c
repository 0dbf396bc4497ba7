// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: the E-Trace packet layer. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/etrace.h>
#include <rvtrace/recording.h>

#include "target.h"

/* What every reader of the same bytes must say. */
struct said {
	int ret;
	uint64_t offset;
	uint32_t size;
	uint64_t address;
};

void choose_etrace_params(const uint8_t *pairs, bool data, struct rvtrace_etrace_params *params)
{
	unsigned int value;
	const char *name;
	size_t i;

	rvtrace_etrace_params_default(params);
	params->iaddress_width = 64;
	params->context_width = 32;
	params->nocontext = 0;
	params->ecause_width = 5;
	params->return_stack_size = 4;
	params->type_width = data;
	params->data_width = 64;
	params->daddress_width = 64;
	params->dtype_width = 4;
	for (i = 0; i < (ETRACE_SETTINGS - 2) / 2; i++)
		if (pairs[2 * i] && rvtrace_etrace_param(params, pairs[2 * i] - 1, &name, &value))
			rvtrace_etrace_params_set(params, name, pairs[2 * i + 1]);
}

static void check_packet(const struct rvtrace_etrace_packet *packet, int ret, uint64_t from,
			 uint64_t to)
{
	const char *name;

	promise(packet->size > 1 && packet->offset >= from);
	promise(packet->offset + packet->size <= to);
	if (ret < 0) {
		promise(strcmp(rvtrace_strerror(ret), "unknown error"));
		return;
	}
	promise(ret == 1);
	promise(packet->payload_bits && packet->payload_bit + packet->payload_bits <=
		8u * packet->size);
	name = rvtrace_etrace_name(packet);
	promise(name && *name);
}

/* Reads everything, in pieces; returns how many results there were. */
static size_t read_all(const struct rvtrace_etrace_params *params, const uint8_t *bytes,
		       size_t size, bool anywhere, size_t piece, struct said *said)
{
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;
	uint64_t from = 0, offset;
	size_t fed = 0, count = 0;
	int ret;

	promise(!rvtrace_etrace_new(params, &reader));
	if (anywhere)
		rvtrace_etrace_resync(reader, 0);
	do {
		size_t take = piece < size - fed ? piece : size - fed;
		uint8_t *copy = malloc(take);

		/* A copy of its own: who reads behind it is caught. */
		memcpy(copy, bytes + fed, take);
		promise(!rvtrace_etrace_feed(reader, copy, take));
		fed += take;
		while ((ret = rvtrace_etrace_next(reader, &packet))) {
			check_packet(&packet, ret, from, fed);
			from = packet.offset + packet.size;
			promise(count < size);
			said[count++] = (struct said){
				ret, packet.offset, packet.size,
				ret == 1 && packet.kind == RVTRACE_ETRACE_TE_INST ?
				packet.inst.address : 0,
			};
		}
		promise(rvtrace_etrace_pending(reader, &offset) <= RVTRACE_ETRACE_PACKET_MAX);
		promise(offset >= from && offset <= fed);
		free(copy);
	} while (fed < size);
	rvtrace_etrace_free(reader);
	return count;
}

static void read_payload(const struct rvtrace_etrace_params *params, const uint8_t *bytes,
			 size_t size)
{
	struct rvtrace_etrace_params changed = *params;
	struct rvtrace_etrace_te_inst inst;
	struct rvtrace_etrace_te_data data;

	if (!rvtrace_etrace_parse_inst(params, bytes, size, &inst) &&
	    inst.format == RVTRACE_ETRACE_SYNC && inst.subformat == RVTRACE_ETRACE_SUPPORT &&
	    !rvtrace_etrace_params_support(&changed, &inst))
		promise(!rvtrace_etrace_params_check(&changed, NULL, NULL));
	rvtrace_etrace_parse_data(params, bytes, size, &data);
}

void fuzz_etrace(const uint8_t *bytes, size_t size)
{
	struct rvtrace_etrace_params params;
	struct said *whole, *parts;
	size_t count, piece;
	bool anywhere;

	if (size <= ETRACE_SETTINGS)
		return;
	choose_etrace_params(bytes, false, &params);
	anywhere = bytes[ETRACE_SETTINGS - 2] & 1;
	piece = 1 + bytes[ETRACE_SETTINGS - 1];
	bytes += ETRACE_SETTINGS;
	size -= ETRACE_SETTINGS;
	if (rvtrace_etrace_params_check(&params, NULL, NULL)) {
		struct rvtrace_etrace *reader;

		promise(rvtrace_etrace_new(&params, &reader) == RVTRACE_ERR_INVALID);
		return;
	}
	/* Each result takes a byte at least. */
	whole = calloc(size, sizeof(*whole));
	parts = calloc(size, sizeof(*parts));
	count = read_all(&params, bytes, size, anywhere, size, whole);
	promise(read_all(&params, bytes, size, anywhere, piece, parts) == count);
	promise(!memcmp(whole, parts, count * sizeof(*whole)));
	free(whole);
	free(parts);
	read_payload(&params, bytes, size);
}

/* A text as a file, and as JSON; what was read is written and read again. */
void fuzz_etrace_params(const uint8_t *bytes, size_t size)
{
	struct rvtrace_etrace_params params, again;
	struct rvtrace_recording_error error = { 0 };
	struct json_object *object;
	int fd = memfd_create("params", 0);
	char path[64];

	promise(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (rvtrace_etrace_params_load(path, &params, &error)) {
		promise(strstr(error.text, path));
	} else {
		promise(!rvtrace_etrace_params_check(&params, NULL, NULL));
		object = rvtrace_etrace_params_to_json(&params);
		promise(!rvtrace_etrace_params_from_json(object, "", &again, &error));
		promise(!memcmp(&params, &again, sizeof(params)));
		json_object_put(object);
	}
	close(fd);
}
