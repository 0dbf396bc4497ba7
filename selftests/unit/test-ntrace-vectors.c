// SPDX-License-Identifier: GPL-2.0
/* Traces that others encoded decode to the instructions that others say were executed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <rvtrace/flow.h>

#define VECTORS		"selftests/vectors/ntrace/"
#define ITEMS		64

struct vector {
	const char *elf;
	const char *trace;
	const char *pcs;	/* one address a line, gzip */
	size_t count;
	size_t chunk;		/* bytes fed at once, 0 for all */
	struct rvtrace_flow_config config;
};

struct pc_list {
	uint64_t *pcs;
	size_t count;
};

static void read_pcs(const struct vector *v, struct pc_list *list)
{
	char command[256], line[64];
	FILE *pipe;

	list->pcs = malloc(v->count * sizeof(*list->pcs));
	list->count = 0;
	assert_non_null(list->pcs);
	snprintf(command, sizeof(command), "gzip -dc %s%s", VECTORS, v->pcs);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		assert_true(list->count < v->count);
		list->pcs[list->count++] = strtoull(line, NULL, 16);
	}
	assert_int_equal(pclose(pipe), 0);
	assert_int_equal(list->count, v->count);
}

static uint8_t *read_trace(const struct vector *v, size_t *size)
{
	char path[256];
	uint8_t *data;
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", VECTORS, v->trace);
	file = fopen(path, "rb");
	assert_non_null(file);
	data = malloc(1 << 20);
	assert_non_null(data);
	*size = fread(data, 1, 1 << 20, file);
	fclose(file);
	return data;
}

/* Compares the instructions of a run, from number @done on. */
static size_t check_blocks(const struct rvtrace_flow_item *item, const struct pc_list *list,
			   size_t done)
{
	struct rvtrace_insn_iter iter;

	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter)) {
		assert_true(done < list->count);
		assert_int_equal(iter.address, list->pcs[done]);
		done++;
	}
	return done;
}

static size_t drain(struct rvtrace_flow *flow, const struct pc_list *list, size_t done)
{
	struct rvtrace_flow_item items[ITEMS];
	int n;

	while ((n = rvtrace_flow_read(flow, items, ITEMS)) > 0) {
		for (int i = 0; i < n; i++) {
			if (items[i].type == RVTRACE_FLOW_BLOCKS)
				done = check_blocks(&items[i], list, done);
			else if (items[i].type != RVTRACE_FLOW_SYNC)
				assert_int_equal(items[i].type, RVTRACE_FLOW_STOP);
		}
	}
	assert_int_equal(n, 0);
	return done;
}

static void decodes_to_pc_list(void **state)
{
	const struct vector *v = *state;
	struct rvtrace_image *image = rvtrace_image_new();
	struct rvtrace_flow_stats stats = { .size = sizeof(stats) };
	struct rvtrace_flow *flow;
	struct pc_list list;
	size_t size, chunk, done = 0;
	char path[256];
	uint8_t *data;

	snprintf(path, sizeof(path), "%s%s", VECTORS, v->elf);
	assert_true(rvtrace_image_add_elf(image, path, 0, RVTRACE_SPACE_ANY,
					  RVTRACE_PRIV_ANY) > 0);
	read_pcs(v, &list);
	data = read_trace(v, &size);
	assert_int_equal(rvtrace_flow_new(&v->config, image, &flow), 0);

	for (size_t at = 0; at < size; at += chunk) {
		chunk = v->chunk && v->chunk < size - at ? v->chunk : size - at;
		assert_int_equal(rvtrace_flow_feed(flow, data + at, chunk), 0);
		done = drain(flow, &list, done);
	}
	assert_int_equal(rvtrace_flow_finish(flow), 0);
	done = drain(flow, &list, done);
	assert_int_equal(done, list.count);

	rvtrace_flow_stats(flow, 0, &stats);
	assert_int_equal(stats.instructions, list.count);
	assert_int_equal(stats.bytes, size);
	assert_int_equal(stats.errors, 0);
	assert_int_equal(stats.unseen, 0);

	rvtrace_flow_free(flow);
	rvtrace_image_free(image);
	free(data);
	free(list.pcs);
}

#define T1(file, step, returns)							\
	{ .elf = "t1/test.elf", .trace = "t1/" file,				\
	  .pcs = "t1/test-PCONLY.txt.gz", .count = 164959, .chunk = (step),	\
	  .config = { .size = sizeof(struct rvtrace_flow_config), .isa.xlen = 32, \
		      .ntrace.implicit_return = (returns) } }
#define QSORT(file, step, returns)						\
	{ .elf = "qsort/qsort.riscv", .trace = "qsort/" file,			\
	  .pcs = "qsort/qsort.pconly.gz", .count = 232442, .chunk = (step),	\
	  .config = { .size = sizeof(struct rvtrace_flow_config), .isa.xlen = 64, \
		      .ntrace.implicit_return = (returns) } }

static struct vector vectors[] = {
	T1("test-NEX.bin", 0, true),
	T1("test-nobhm.nex", 0, false),
	T1("test-cs0rpt0.nex", 0, false),
	T1("test-cs0rpt2.nex", 7, false),
	T1("test-cs8rpt2.nex", 1, true),
	QSORT("qsort-nobhm.nex", 1, false),
	QSORT("qsort-cs0rpt0.nex", 3, false),
	QSORT("qsort-cs0rpt2.nex", 0, false),
	QSORT("qsort-cs8rpt2.nex", 0, true),
};

#define VECTORS_COUNT (sizeof(vectors) / sizeof(vectors[0]))

int main(void)
{
	struct CMUnitTest tests[VECTORS_COUNT];

	for (size_t i = 0; i < VECTORS_COUNT; i++)
		tests[i] = (struct CMUnitTest){ .name = vectors[i].trace,
						.test_func = decodes_to_pc_list,
						.initial_state = &vectors[i] };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
