// SPDX-License-Identifier: GPL-2.0
/*
 * The packet layers alone: how many messages of each kind are in a trace.
 *
 *	cc packets.c $(pkg-config --cflags --libs librvtrace) -o packets
 *	packets < TRACE
 */
#include <stdio.h>

#include <rvtrace/ntrace.h>

int main(void)
{
	const struct rvtrace_ntrace_config config = { .xlen = 64 };
	struct rvtrace_ntrace_message message;
	struct rvtrace_ntrace *reader;
	unsigned long counts[64] = { 0 }, errors = 0;
	unsigned char buffer[4096];
	unsigned int i;
	size_t size;
	int ret;

	if (rvtrace_ntrace_new(&config, &reader))
		return 2;
	while ((size = fread(buffer, 1, sizeof(buffer), stdin)) > 0) {
		rvtrace_ntrace_feed(reader, buffer, size);
		while ((ret = rvtrace_ntrace_next(reader, &message)) != 0) {
			if (ret > 0)
				counts[message.tcode]++;
			else
				errors++;
		}
	}
	errors += rvtrace_ntrace_pending(reader, NULL) != 0;
	rvtrace_ntrace_free(reader);
	for (i = 0; i < 64; i++)
		if (counts[i])
			printf("%s %lu\n", rvtrace_ntrace_tcode_name(i), counts[i]);
	return errors != 0;
}
