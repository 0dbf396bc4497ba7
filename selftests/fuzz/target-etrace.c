// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: the E-Trace packet layer. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/etrace.h>
#include <rvtrace/recording.h>

#include "target-reader.h"

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

static int next(void *reader, struct said *said)
{
	struct rvtrace_etrace_packet packet;
	int ret = rvtrace_etrace_next(reader, &packet);
	const char *name;

	if (!ret)
		return 0;
	*said = (struct said) { .offset = packet.offset, .size = packet.size };
	promise(packet.size > 1);
	if (ret < 0)
		return ret;
	promise(packet.payload_bits && packet.payload_bit + packet.payload_bits <=
		8u * packet.size);
	name = rvtrace_etrace_name(&packet);
	promise(name && *name);
	if (packet.kind == RVTRACE_ETRACE_TE_INST)
		said->what[0] = packet.inst.address;
	return ret;
}

READER(etrace, 1, RVTRACE_ETRACE_PACKET_MAX);

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
	size_t piece;
	bool anywhere;

	if (size <= ETRACE_SETTINGS)
		return;
	choose_etrace_params(bytes, false, &params);
	anywhere = bytes[ETRACE_SETTINGS - 2] & 1;
	piece = 1 + bytes[ETRACE_SETTINGS - 1];
	bytes += ETRACE_SETTINGS;
	size -= ETRACE_SETTINGS;
	if (rvtrace_etrace_params_check(&params, NULL, NULL)) {
		struct rvtrace_etrace *none;

		promise(rvtrace_etrace_new(&params, &none) == RVTRACE_ERR_INVALID);
		return;
	}
	read_both(&reader, &params, anywhere, bytes, size, piece);
	read_payload(&params, bytes, size);
}

/* A text as a file, and as JSON; what was read is written and read again. */
void fuzz_etrace_params(const uint8_t *bytes, size_t size)
{
	struct rvtrace_etrace_params params, again;
	struct rvtrace_failure error = { 0 };
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
