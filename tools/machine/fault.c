// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rvtrace-fault COMPONENT [NAME=VALUE...]: break trace hardware of the
 * emulated machine, from within. Without NAMEs: print what is broken.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/fault.h"

#define FAULT_PAGES	0x11200000
#define FAULT_SIZE	(4 * RVTRACE_PAGE_SIZE)
#define SLOT_WORDS	16

/* Kinds of components, where they begin in the pages, and how many there may be */
static const struct {
	const char *name;
	unsigned int slot;
	unsigned int count;
} kinds[] = {
	{ "encoder", 0, 64 },
	{ "funnel", 64, 64 },
	{ "ram", 128, 32 },
	{ "pib", 160, 32 },
	{ "atb", 192, 32 },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* A word that stands for a number, alone or in a list with commas */
struct word {
	const char *name;
	uint32_t value;
};

static const struct word stuck_words[] = {
	{ "none", 0 },
	{ "active", FAULT_ACTIVE },
	{ "inactive", FAULT_INACTIVE },
	{ "empty", FAULT_EMPTY },
	{ "gone", FAULT_GONE },
	{}
};

static const struct word clear_words[] = {
	{ "none", 0 },
	{ "enable", RVTRACE_TE_CONTROL_ENABLE },
	{ "tracing", RVTRACE_TE_CONTROL_INST_TRACING },
	{}
};

static const struct word event_words[] = {
	{ "in0", 1 << 0 }, { "in1", 1 << 1 }, { "in2", 1 << 2 },
	{ "in3", 1 << 3 }, { "in4", 1 << 4 }, { "in5", 1 << 5 },
	{ "in6", 1 << 6 }, { "in7", 1 << 7 },
	{ "debug-start", RVTRACE_XTRIG_ACTION_START << 8 },
	{ "debug-stop", RVTRACE_XTRIG_ACTION_STOP << 8 },
	{ "debug-sync", RVTRACE_XTRIG_ACTION_SYNC << 8 },
	{ "data-stall", FAULT_DATA_STALL },
	{ "data-drop", FAULT_DATA_DROP },
	{ "power-loss", FAULT_POWER_LOSS },
	{ "stand-still", FAULT_STAND_STILL },
	{}
};

static const struct word no_words[] = { {} };

/* In the order of their addresses */
static const struct {
	const char *name;
	const struct word *words;
} registers[] = {
	{ "after", no_words },
	{ "stuck", stuck_words },
	{ "impl", no_words },
	{ "clear", clear_words },
	{ "bandwidth", no_words },
	{ "accesses", no_words },
	{ "events", event_words },
	{ "fired", no_words },
	{ "at", no_words },
	{ "ignores", no_words },
};

#define REGISTERS	(sizeof(registers) / sizeof(registers[0]))

static void die(const char *what, const char *text)
{
	fprintf(stderr, "rvtrace-fault: %s: %s\n", what, text);
	exit(1);
}

static uint32_t parse_word(const struct word *words, const char *text)
{
	unsigned long value;
	char *end;

	for (; words->name; words++)
		if (!strcmp(words->name, text))
			return words->value;
	errno = 0;
	value = strtoul(text, &end, 0);
	if (end == text || *end || errno || value > UINT32_MAX)
		die(text, "not a value");
	return value;
}

static uint32_t parse_value(const struct word *words, char *text)
{
	uint32_t value = 0;
	char *word;

	while ((word = strsep(&text, ",")))
		value |= parse_word(words, word);
	return value;
}

/* Return: the first word of the component. */
static volatile uint32_t *find_component(volatile uint32_t *pages,
					 const char *name)
{
	unsigned int index, i;
	char kind[8], more;

	if (sscanf(name, "%7[a-z]%u%c", kind, &index, &more) == 2)
		for (i = 0; i < KINDS; i++)
			if (!strcmp(kinds[i].name, kind) &&
			    index < kinds[i].count)
				return pages + (kinds[i].slot + index) * SLOT_WORDS;
	die(name, "not a component");
	return NULL;
}

static void set(volatile uint32_t *component, char *setting)
{
	char *name = strsep(&setting, "=");
	unsigned int i;

	if (!setting)
		die(name, "needs a value");
	for (i = 0; i < REGISTERS; i++) {
		if (!strcmp(registers[i].name, name)) {
			component[i] = parse_value(registers[i].words, setting);
			return;
		}
	}
	die(name, "no such name");
}

int main(int argc, char **argv)
{
	volatile uint32_t *pages, *component;
	unsigned int i;
	int fd, arg;

	if (argc < 2) {
		fputs("usage: rvtrace-fault COMPONENT [NAME=VALUE...]\n", stderr);
		return 2;
	}
	fd = open("/dev/mem", O_RDWR | O_SYNC);
	if (fd < 0)
		die("/dev/mem", strerror(errno));
	pages = mmap(NULL, FAULT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     FAULT_PAGES);
	if (pages == MAP_FAILED)
		die("/dev/mem", strerror(errno));
	component = find_component(pages, argv[1]);
	for (arg = 2; arg < argc; arg++)
		set(component, argv[arg]);
	for (i = 0; argc == 2 && i < REGISTERS; i++)
		printf("%s=%#x\n", registers[i].name, component[i]);
	return 0;
}
