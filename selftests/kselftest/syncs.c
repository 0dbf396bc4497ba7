// SPDX-License-Identifier: GPL-2.0
/* Synchronizations in the trace of a session that has ended */
#include <fcntl.h>
#include <unistd.h>

#include "harness.h"
#include "syncs.h"

static bool has_sync_field(unsigned int tcode)
{
	/* ProgTraceSync, DirectBranchSync, IndirectBranchSync, IndirectBranchHistSync */
	return tcode == 9 || tcode == 11 || tcode == 12 || tcode == 29;
}

/* Bits of a message from @from on: 6 in each byte, above MSEO */
static unsigned int message_bits(const uint8_t *message, unsigned int from, unsigned int count)
{
	unsigned int value = 0;

	for (unsigned int i = 0; i < count; i++) {
		unsigned int bit = from + i;

		value |= (message[bit / 6] >> (2 + bit % 6) & 1U) << i;
	}
	return value;
}

unsigned int count_syncs_in(const uint8_t *trace, size_t size, unsigned int sync)
{
	unsigned int source_bits = get_number(ENCODER0 "src_bits"), count = 0;
	size_t start = 0;

	for (size_t i = 0; i + 4 < size; i++) {
		if ((trace[i] & 3) != 3)
			continue;
		if (i - start >= 2 && has_sync_field(trace[start] >> 2) &&
		    message_bits(trace + start, 6 + source_bits, 4) == sync)
			count++;
		start = i + 1;
	}
	return count;
}

unsigned int count_syncs(unsigned int sync)
{
	static uint8_t trace[64 << 20];
	int fd = open(sink_device(), O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t n;

	while (fd >= 0 && size < sizeof(trace) &&
	       (n = read(fd, trace + size, sizeof(trace) - size)) > 0)
		size += n;
	if (fd >= 0)
		close(fd);
	return count_syncs_in(trace, size, sync);
}
