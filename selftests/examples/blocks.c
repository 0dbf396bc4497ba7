// SPDX-License-Identifier: GPL-2.0
/*
 * What a program that uses the library looks like: addresses that a trace says were executed.
 *
 *	cc blocks.c $(pkg-config --cflags --libs librvtrace) -o blocks
 *	blocks ntrace PROGRAM TRACE
 *	blocks PARAMETERS PROGRAM TRACE
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rvtrace/etrace.h>
#include <rvtrace/flow.h>
#include <rvtrace/recording.h>

static int configure(const char *parameters, struct rvtrace_flow_config *config)
{
	struct rvtrace_etrace_params params;
	struct rvtrace_failure error;

	if (!strcmp(parameters, "ntrace")) {
		config->isa.xlen = 64;
		return 0;
	}
	if (rvtrace_etrace_params_load(parameters, &params, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return -1;
	}
	return rvtrace_flow_config_etrace(&params, config);
}

/* Return: how many errors there were. */
static int handle(const struct rvtrace_flow_item *item)
{
	struct rvtrace_insn_iter iter;

	if (item->type == RVTRACE_FLOW_ERROR) {
		fprintf(stderr, "offset %" PRIu64 ": %s\n", item->offset,
			rvtrace_strerror(item->error.code));
		return 1;
	}
	if (item->type != RVTRACE_FLOW_BLOCKS)
		return 0;
	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter))
		printf("0x%" PRIx64 "\n", iter.address);
	return 0;
}

static int drain(struct rvtrace_flow *flow)
{
	struct rvtrace_flow_item items[64];
	int count, i, errors = 0;

	while ((count = rvtrace_flow_read(flow, items, 64)) > 0)
		for (i = 0; i < count; i++)
			errors += handle(&items[i]);
	return count < 0 ? 1 : errors;
}

int main(int argc, char **argv)
{
	struct rvtrace_image *image = rvtrace_image_new();
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct rvtrace_flow *flow;
	unsigned char buffer[4096];
	int errors = 0;
	size_t size;
	FILE *file;

	if (argc != 4 || !image || configure(argv[1], &config))
		return 2;
	if (rvtrace_image_add_elf(image, argv[2], 0, RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY) < 0)
		return 2;
	file = fopen(argv[3], "rb");
	if (!file || rvtrace_flow_new(&config, image, &flow))
		return 2;
	while ((size = fread(buffer, 1, sizeof(buffer), file)) > 0) {
		rvtrace_flow_feed(flow, buffer, size);
		errors += drain(flow);
	}
	rvtrace_flow_finish(flow);
	errors += drain(flow);
	rvtrace_flow_free(flow);
	rvtrace_image_free(image);
	fclose(file);
	return errors != 0;
}
