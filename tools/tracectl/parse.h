/* SPDX-License-Identifier: GPL-2.0 */
/* Values as users write them. Each returns 0, or -EINVAL or -ERANGE. */
#ifndef RVTRACE_TRACECTL_PARSE_H
#define RVTRACE_TRACECTL_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_S	1000000000

/*
 * 1.5, 20ms, 300us: a time, in ticks of a clock of @hz, to the nearest one; a plain number is
 * seconds. Without @hz a number of ticks.
 */
int parse_time(const char *text, uint64_t hz, uint64_t *ticks);

/* An unsigned number, 0x for hexadecimal. */
int parse_number(const char *text, uint64_t *value);

/* 0-3,5: sets @member[N] for each N of the list, which are below @max. */
int parse_list(const char *text, bool *member, size_t max);

/* The same of numbers as parse_number() has them. */
int parse_numbers(const char *text, bool *member, size_t max);

/* on, off, 1, 0, yes, no */
int parse_switch(const char *text, bool *on);

/* Values of options. Who gives a wrong one is told, with the option's name, and of the usage. */
struct argp_state;
struct argp_option;

/* The name of the option of @options that has this @key; one has. */
const char *option_name(const struct argp_option *options, int key);

/* A name that an option takes, and what it stands for. A list of them ends with { }. */
struct option_value {
	const char *name;
	unsigned int value;
};

/* What --sync counts, in the words of the driver: "packets" are messages, "halfwords" half-words. */
const char *sync_unit(const char *word);

/* A number from @min to @max. */
uint64_t option_number(struct argp_state *state, const char *option, const char *arg,
		       uint64_t min, uint64_t max);

/* A number of bytes, above 0. */
uint64_t option_size(struct argp_state *state, const char *option, const char *arg);

/* ns, above 0, at most 292 years. */
uint64_t option_duration(struct argp_state *state, const char *option, const char *arg);

/* One of @choices. */
unsigned int option_choice(struct argp_state *state, const char *option,
			   const struct option_value *choices, const char *arg);

/* Some of @choices, with commas between them: the bits of all. */
unsigned int option_bits(struct argp_state *state, const char *option,
			 const struct option_value *choices, const char *arg);

/* An image that the user names. */
struct image_option {
	const char *path;
	uint64_t address;
	bool has_address;
	bool elf;		/* it must be an ELF file */
};

/* FILE or FILE@ADDRESS; @arg is cut there. */
struct image_option option_image(struct argp_state *state, char *arg);

#endif /* RVTRACE_TRACECTL_PARSE_H */
