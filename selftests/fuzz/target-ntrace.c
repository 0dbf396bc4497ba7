// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: the N-Trace packet layer. */
#include <string.h>

#include <rvtrace/ntrace.h>

#include "target.h"

/* What every reader of the same bytes must say. */
struct said {
	int ret;
	uint64_t offset;
	uint32_t size;
	uint64_t address;
};

static size_t read_all(const struct rvtrace_ntrace_config *config, const uint8_t *bytes,
		       size_t size, bool anywhere, size_t piece, struct said *said)
{
	struct rvtrace_ntrace_message message;
	struct rvtrace_ntrace *reader;
	uint64_t from = 0, offset;
	size_t fed = 0, count = 0;
	int ret;

	promise(!rvtrace_ntrace_new(config, &reader));
	if (anywhere)
		rvtrace_ntrace_resync(reader, 0);
	do {
		size_t take = piece < size - fed ? piece : size - fed;
		uint8_t *copy = malloc(take);

		/* A copy of its own: who reads behind it is caught. */
		memcpy(copy, bytes + fed, take);
		promise(!rvtrace_ntrace_feed(reader, copy, take));
		fed += take;
		while ((ret = rvtrace_ntrace_next(reader, &message))) {
			promise(message.size && message.offset >= from);
			promise(message.offset + message.size <= fed);
			promise(ret == 1 || strcmp(rvtrace_strerror(ret), "unknown error"));
			from = message.offset + message.size;
			promise(count < size);
			said[count++] = (struct said){
				ret, message.offset, message.size, ret == 1 ? message.address : 0,
			};
		}
		promise(rvtrace_ntrace_pending(reader, &offset) <= RVTRACE_NTRACE_MESSAGE_MAX);
		promise(offset >= from && offset <= fed);
		free(copy);
	} while (fed < size);
	rvtrace_ntrace_free(reader);
	return count;
}

/* Flags of the parameters, the size of pieces, messages. */
void fuzz_ntrace(const uint8_t *bytes, size_t size)
{
	struct rvtrace_ntrace_config config = { 0 };
	struct said *whole, *parts;
	size_t count, piece;
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
	whole = calloc(size, sizeof(*whole));
	parts = calloc(size, sizeof(*parts));
	count = read_all(&config, bytes, size, anywhere, size, whole);
	promise(read_all(&config, bytes, size, anywhere, piece, parts) == count);
	promise(!memcmp(whole, parts, count * sizeof(*whole)));
	free(whole);
	free(parts);
}
