/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of rvtrace-compare. */
#ifndef RVTRACE_COMPARE_OPTIONS_H
#define RVTRACE_COMPARE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "selftests/compare/compare-core.h"

#define COMPARE_JIT_MAX		16
#define COMPARE_IMAGES_MAX	16

/**
 * struct compare_options - what rvtrace-compare was asked to do
 * @json: print JSON
 * @inside: all that was traced lies in the window, see struct compare_rules
 * @filtered: only part of what ran was traced
 * @only: which part: the conditions of a truth, no words
 * @no_image: how many instructions may lack an image
 * @gaps: of what executed so many percent may be in stretches of unknown flow
 * @no_firmware: what executes in M-mode may lack an image
 * @raw: file with the trace, which is not in the recording; NULL: it is
 * @window: of the truth, from 1; 0: all
 * @jit: user code that may lack an image
 * @jit_count: members of @jit
 * @images: more images, as FILE or FILE@ADDRESS
 * @image_count: members of @images
 * @image_path: where files are that processes mapped, NULL: in the recording alone
 * @recording: directory of the recording
 * @truth: what the names of the truth files begin with
 *
 * Strings are those of the command line.
 */
struct compare_options {
	bool json;
	bool inside;
	bool filtered;
	struct truth only;
	uint64_t no_image;
	double gaps;
	bool no_firmware;
	const char *raw;
	uint64_t window;
	struct compare_range jit[COMPARE_JIT_MAX];
	size_t jit_count;
	char *images[COMPARE_IMAGES_MAX];
	const char *image_path;
	int image_count;
	const char *recording;
	const char *truth;
};

/**
 * compare_options_parse() - read the command line
 * @argc: of main()
 * @argv: of main()
 * @options: zeroed, filled
 *
 * Return: true, or false after the usage was printed.
 */
bool compare_options_parse(int argc, char **argv, struct compare_options *options);

#endif /* RVTRACE_COMPARE_OPTIONS_H */
