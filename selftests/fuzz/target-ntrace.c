// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: the N-Trace packet layer. */
#include <rvtrace/ntrace.h>

#include "target-reader.h"

static int next(void *reader, struct said *said)
{
	struct rvtrace_ntrace_message message;
	int ret = rvtrace_ntrace_next(reader, &message);

	if (ret)
		*said = (struct said) {
			.offset = message.offset, .size = message.size,
			.what = { ret == 1 ? message.address : 0 },
		};
	return ret;
}

READER(ntrace, 1, RVTRACE_NTRACE_MESSAGE_MAX);

/* Flags of the parameters, the size of pieces, messages. */
void fuzz_ntrace(const uint8_t *bytes, size_t size)
{
	struct rvtrace_ntrace_config config = { 0 };
	size_t piece;
	bool anywhere;

	if (size <= NTRACE_SETTINGS)
		return;
	config.xlen = bytes[0] & 1 ? 32 : 64;
	config.extend_addr_msb = bytes[0] & 2;
	config.software_owner = bytes[0] & 4;
	anywhere = bytes[0] & 8;
	config.src_bits = (bytes[0] >> 4) % 13;
	piece = 1 + bytes[1];
	bytes += NTRACE_SETTINGS;
	size -= NTRACE_SETTINGS;
	read_both(&reader, &config, anywhere, bytes, size, piece);
}
