// SPDX-License-Identifier: GPL-2.0
/*
 * What leaves a chip, made of N-Trace messages:
 *
 *   rvtrace-pins pib MODE REF-CENTER CALIBRATE < MESSAGES > SAMPLES
 *	pibMode as a number; CALIBRATE times the calibration pattern goes first
 *   rvtrace-pins atb SYNC-INTERVAL [ID FILE]... > FRAMES
 *	the files take turns, some bytes each
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rvtrace_regs.h>

#include "tools/encode/atb-frames.h"
#include "tools/encode/pib.h"

#define MAX_MESSAGE	256
#define MAX_SOURCES	8

static void write_out(void *opaque, const uint8_t *data, size_t size)
{
	if (fwrite(data, 1, size, opaque) != size)
		err(1, "standard output");
}

static void send_pib(const struct pib_config *config, uint32_t calibrate)
{
	uint8_t message[MAX_MESSAGE];
	unsigned int count = 0;
	struct pib pib;
	size_t size = 0;
	int byte;

	pib_init(&pib, config, write_out, stdout);
	pib_calibrate(&pib, calibrate);
	while ((byte = getchar()) != EOF) {
		if (!size && byte == 0xff)
			continue;
		if (size == MAX_MESSAGE)
			errx(1, "not N-Trace: no end of a message");
		message[size++] = byte;
		if ((byte & 3) != 3)
			continue;
		pib_message(&pib, message, size);
		size = 0;
		/* Sometimes there is nothing to send. */
		if (count++ % 5 == 0)
			pib_idle(&pib, count % 7);
	}
	pib_flush(&pib);
}

static void send_atb(uint32_t sync_interval, char **args, int count)
{
	FILE *files[MAX_SOURCES];
	struct atb_frames frames;
	uint8_t data[11];
	size_t size, sent;
	int i;

	for (i = 0; i + 1 < count; i += 2) {
		files[i / 2] = fopen(args[i + 1], "r");
		if (!files[i / 2])
			err(1, "%s", args[i + 1]);
	}
	atb_frames_init(&frames, sync_interval, write_out, stdout);
	do {
		for (sent = 0, i = 0; i + 1 < count; i += 2, sent += size) {
			size = fread(data, 1, sizeof(data) - i, files[i / 2]);
			atb_frames_put(&frames, strtoul(args[i], NULL, 0), data, size);
		}
	} while (sent);
	atb_frames_flush(&frames);
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "pib")) {
		const struct pib_config config = {
			.mode = atoi(argv[2]), .ref_center = atoi(argv[3]),
			.format = RVTRACE_FORMAT_NTRACE, .async_interval = 1000,
		};

		send_pib(&config, atoi(argv[4]));
	} else if (argc > 2 && argc <= 3 + 2 * MAX_SOURCES && !strcmp(argv[1], "atb")) {
		send_atb(atoi(argv[2]), argv + 3, argc - 3);
	} else {
		errx(2, "see selftests/programs/pins.c");
	}
	if (fflush(stdout))
		err(1, "standard output");
	return 0;
}
