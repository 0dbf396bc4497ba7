// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of a component through /dev/mem, while no driver has them: read or write
 * one, or many as standard input says, or write garbage into all that are not there.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/rvtrace_regs.h>

#define REGISTERS	(RVTRACE_PAGE_SIZE / 4)

static void die(const char *what, const char *why)
{
	fprintf(stderr, "rvtrace-page: %s: %s\n", what, why);
	exit(2);
}

static uint32_t number(const char *text, uint32_t max)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (end == text || *end || errno || value > max)
		die(text, "not a number, or too large");
	return value;
}

static volatile uint32_t *map_page(uint32_t address)
{
	volatile uint32_t *page;
	int fd = open("/dev/mem", O_RDWR | O_SYNC);

	if (fd < 0)
		die("/dev/mem", strerror(errno));
	page = mmap(NULL, RVTRACE_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, address);
	if (page == MAP_FAILED)
		die("/dev/mem", strerror(errno));
	return page;
}

/* What a register is known to be */
enum place {
	HOLE,
	THERE,
	ALONE,	/* there, and reading it changes something */
};

/* OFFSET or FIRST-LAST, and a question mark where nothing may be read */
static void mark(enum place *places, char *text)
{
	char *dash = strchr(text, '-'), *question = strchr(text, '?');
	uint32_t first, last, i;

	if (question)
		*question = 0;

	if (dash)
		*dash = 0;
	first = number(text, RVTRACE_PAGE_SIZE - 4);
	last = dash ? number(dash + 1, RVTRACE_PAGE_SIZE - 4) : first;
	for (i = first; i <= last; i += 4)
		places[i / 4] = question ? ALONE : THERE;
}

static void wait_active(volatile uint32_t *page, bool on)
{
	unsigned int i;

	for (i = 0; i < 1000 && (page[0] & RVTRACE_TE_CONTROL_ACTIVE) != on; i++)
		usleep(1000);
	if (i == 1000)
		die("Active", "not acknowledged");
}

static void switch_active(volatile uint32_t *page, bool on)
{
	page[0] = on;
	wait_active(page, on);
}

/* Lines OFFSET [VALUE]: write VALUE; print what is read afterwards. */
static void try_values(volatile uint32_t *page)
{
	uint32_t offset, value;
	char line[64];
	int words;

	while (fgets(line, sizeof(line), stdin)) {
		words = sscanf(line, "%" SCNx32 " %" SCNx32, &offset, &value);
		if (words < 1 || offset > RVTRACE_PAGE_SIZE - 4)
			die(line, "not a line OFFSET [VALUE]");
		if (words == 2)
			page[offset / 4] = value;
		if (words == 2 && !offset)
			wait_active(page, value & RVTRACE_TE_CONTROL_ACTIVE);
		printf("%#" PRIx32 " %#" PRIx32 "\n", offset, page[offset / 4]);
	}
}

/* Registers that are there stay what they were; others read 0. Returns how many do not. */
static unsigned int compare(volatile uint32_t *page, const uint32_t *before,
			    const enum place *places)
{
	unsigned int bad = 0, i;
	uint32_t now, right;

	for (i = 0; i < REGISTERS; i++) {
		if (places[i] == ALONE)
			continue;
		now = page[i];
		right = places[i] == THERE ? before[i] : 0;
		if (now == right)
			continue;
		printf("0x%03x: 0x%08x, not 0x%08x\n", 4 * i, now, right);
		bad++;
	}
	return bad;
}

static int sweep(volatile uint32_t *page, uint32_t seed, const enum place *places)
{
	uint32_t before[REGISTERS] = { 0 };
	unsigned int bad, i;

	srandom(seed);
	switch_active(page, true);
	for (i = 0; i < REGISTERS; i++)
		if (places[i] == THERE)
			before[i] = page[i];
	bad = compare(page, before, places);
	for (i = 0; i < REGISTERS; i++)
		if (places[i] == HOLE)
			page[i] = i % 2 ? 0xffffffff : (uint32_t)random() << 1 | 1;
	bad += compare(page, before, places);
	switch_active(page, false);
	return bad ? 1 : 0;
}

static bool is_command(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[2], "write"))
		return true;
	if (argc == 3 && !strcmp(argv[2], "try"))
		return true;
	return argc >= 4 && (!strcmp(argv[2], "read") || !strcmp(argv[2], "sweep"));
}

int main(int argc, char **argv)
{
	enum place places[REGISTERS] = { HOLE };
	volatile uint32_t *page;
	int i;

	if (!is_command(argc, argv)) {
		fputs("usage: rvtrace-page ADDRESS read OFFSET\n"
		      "       rvtrace-page ADDRESS write OFFSET VALUE\n"
		      "       rvtrace-page ADDRESS try < LINES\n"
		      "       rvtrace-page ADDRESS sweep SEED OFFSET[-OFFSET][?]... that are there\n",
		      stderr);
		return 2;
	}
	page = map_page(number(argv[1], UINT32_MAX & -RVTRACE_PAGE_SIZE));
	if (!strcmp(argv[2], "try")) {
		try_values(page);
		return 0;
	}
	if (!strcmp(argv[2], "read")) {
		printf("0x%08x\n", page[number(argv[3], RVTRACE_PAGE_SIZE - 4) / 4]);
		return 0;
	}
	if (!strcmp(argv[2], "write")) {
		page[number(argv[3], RVTRACE_PAGE_SIZE - 4) / 4] = number(argv[4], UINT32_MAX);
		return 0;
	}
	for (i = 4; i < argc; i++)
		mark(places, argv[i]);
	return sweep(page, number(argv[3], UINT32_MAX), places);
}
