// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: the packet layer of the debug specification's trace. */
#include <rvtrace/debugspec.h>

#include "target-reader.h"

struct rvtrace_debugspec_config choose_debugspec_config(const uint8_t *settings)
{
	struct rvtrace_debugspec_config config = {
		.xlen = settings[0] & 1 ? 32 : 64,
		.compressed = !(settings[0] & 2),
		.several_harts = settings[0] & 4,
		.literal = settings[0] & 8,
		.emit = ~settings[1],
		.sync_interval = settings[2] & 7 ? 8u << (settings[2] & 7) : 0,
	};

	if (config.sync_interval)
		config.sync_offset = 2 * (settings[2] >> 3);
	return config;
}

static int next(void *reader, struct said *said)
{
	struct rvtrace_debugspec_packet packet;
	int ret = rvtrace_debugspec_next(reader, &packet);

	if (!ret)
		return 0;
	*said = (struct said) { .offset = packet.offset, .size = packet.size };
	if (ret < 0)
		return ret;
	promise(!packet.has_hart || packet.hart < RVTRACE_DEBUGSPEC_HARTS);
	said->what[0] = packet.value;
	said->what[1] = packet.known;
	return ret;
}

READER(debugspec, 2, RVTRACE_DEBUGSPEC_PACKET_MAX - 1);

/* Parameters, where reading begins and the size of pieces, packets. */
void fuzz_debugspec(const uint8_t *bytes, size_t size)
{
	struct rvtrace_debugspec_config config;
	size_t piece;
	bool anywhere;

	if (size <= DEBUGSPEC_SETTINGS)
		return;
	config = choose_debugspec_config(bytes);
	anywhere = bytes[0] & 16;
	piece = 1 + bytes[3];
	bytes += DEBUGSPEC_SETTINGS;
	size -= DEBUGSPEC_SETTINGS;
	read_both(&reader, &config, anywhere, bytes, size, piece);
}
