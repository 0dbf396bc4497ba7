// SPDX-License-Identifier: GPL-2.0
/* E-Trace flow layer: streams of the reference flow, compared with what executed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <zlib.h>

#include <rvtrace/flow.h>
#include <rvtrace/recording.h>

#define VECTORS		"selftests/vectors/"
#define ITEMS		16

struct vector {
	const char *suite;
	const char *program;
	size_t count;		/* instructions that retired */
	size_t chunk;		/* bytes fed at once, 0 for all */
};

/* What executed; @traps: addresses of those that did not retire. */
struct pc_list {
	uint64_t *pcs;
	size_t count;
	uint64_t traps[4];
	size_t trap_count;
};

static void read_pcs(const struct vector *v, struct pc_list *list)
{
	unsigned int valid, privilege, exception;
	unsigned long long pc, insn;
	char path[256], line[256];
	gzFile file;

	snprintf(path, sizeof(path), VECTORS "etrace/%s.spike_pc_trace.gz", v->program);
	list->pcs = malloc(v->count * sizeof(*list->pcs));
	list->count = 0;
	list->trap_count = 0;
	file = gzopen(path, "rb");
	assert_non_null(file);
	gzgets(file, line, sizeof(line));
	while (gzgets(file, line, sizeof(line))) {
		assert_int_equal(sscanf(line, "%u,%llx,%llx,%u,%u", &valid, &pc, &insn, &privilege,
					&exception), 5);
		assert_int_equal(valid, 1);
		if (exception) {
			list->traps[list->trap_count++] = pc;
			continue;
		}
		assert_true(list->count < v->count);
		list->pcs[list->count++] = pc;
	}
	gzclose(file);
	assert_int_equal(list->count, v->count);
}

static uint8_t *read_stream(const struct vector *v, size_t *size)
{
	uint8_t *data = malloc(1 << 20);
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), VECTORS "etrace/%s-%s/%s.te_inst_raw", v->suite, v->program,
		 v->program);
	file = fopen(path, "rb");
	assert_non_null(file);
	*size = fread(data, 1, 1 << 20, file);
	fclose(file);
	return data;
}

/* Compares the instructions of a run, from number @done on. */
static size_t check_run(const struct rvtrace_flow_item *item, const struct pc_list *list,
			size_t done)
{
	struct rvtrace_insn_iter iter;

	rvtrace_insn_iter_init(&iter, item);
	while (rvtrace_insn_iter_next(&iter)) {
		assert_true(done < list->count);
		if (iter.address != list->pcs[done])
			fail_msg("instruction %zu: 0x%llx instead of 0x%llx", done,
				 (unsigned long long)iter.address,
				 (unsigned long long)list->pcs[done]);
		done++;
	}
	return done;
}

struct progress {
	size_t done;
	size_t traps;
	bool stopped;
};

static void drain(struct rvtrace_flow *flow, const struct pc_list *list, struct progress *progress)
{
	struct rvtrace_flow_item items[ITEMS];
	int n;

	while ((n = rvtrace_flow_read(flow, items, ITEMS)) > 0) {
		for (int i = 0; i < n; i++) {
			switch (items[i].type) {
			case RVTRACE_FLOW_BLOCKS:
				progress->done = check_run(&items[i], list, progress->done);
				break;
			case RVTRACE_FLOW_TRAP:
				assert_true(progress->traps < list->trap_count);
				assert_true(items[i].flags & RVTRACE_FLOW_HAS_ADDRESS);
				assert_int_equal(items[i].address,
						 list->traps[progress->traps++]);
				break;
			case RVTRACE_FLOW_STOP:
				progress->stopped = true;
				break;
			case RVTRACE_FLOW_SYNC:
			case RVTRACE_FLOW_CONTEXT:
				break;
			default:
				fail_msg("type %u at %llu", items[i].type,
					 (unsigned long long)items[i].offset);
			}
		}
	}
	assert_int_equal(n, 0);
}

static struct rvtrace_image *load_image(const struct vector *v)
{
	struct rvtrace_image *image = rvtrace_image_new();
	struct rvtrace_mapping mapping = {
		.address = 0x1000, .size = UINT64_MAX, .space = RVTRACE_SPACE_ANY,
		.privs = RVTRACE_PRIV_ANY,
	};
	struct rvtrace_code *code;
	uint8_t rom[64];
	char path[256];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), VECTORS "elf/%s.riscv", v->program);
	assert_true(rvtrace_image_add_elf(image, path, 0, RVTRACE_SPACE_ANY, RVTRACE_PRIV_ANY) > 0);
	file = fopen(VECTORS "etrace/bootrom-0x1000.bin", "rb");
	assert_non_null(file);
	size = fread(rom, 1, sizeof(rom), file);
	fclose(file);
	assert_int_equal(rvtrace_code_from_memory(rom, size, "bootrom", &code), 0);
	mapping.code = code;
	assert_int_equal(rvtrace_image_map(image, &mapping), 0);
	rvtrace_code_unref(code);
	return image;
}

static void decodes_to_pc_list(void **state)
{
	const struct vector *v = *state;
	struct rvtrace_image *image = load_image(v);
	struct rvtrace_failure error;
	struct rvtrace_etrace_params params;
	struct rvtrace_flow_config config = { .size = sizeof(config) };
	struct progress progress = { 0 };
	struct rvtrace_flow_stats stats = { .size = sizeof(stats) };
	struct rvtrace_flow *flow;
	struct pc_list list;
	size_t size, chunk;
	char path[256];
	uint8_t *data;

	snprintf(path, sizeof(path), VECTORS "etrace/%s-%s/%s.scf", v->suite, v->program,
		 v->program);
	if (rvtrace_etrace_params_load(path, &params, &error))
		fail_msg("%s", error.text);
	rvtrace_flow_config_etrace(&params, &config);
	assert_int_equal(rvtrace_flow_new(&config, image, &flow), 0);
	read_pcs(v, &list);
	data = read_stream(v, &size);

	for (size_t at = 0; at < size; at += chunk) {
		chunk = v->chunk && v->chunk < size - at ? v->chunk : size - at;
		assert_int_equal(rvtrace_flow_feed(flow, data + at, chunk), 0);
		drain(flow, &list, &progress);
	}
	assert_int_equal(rvtrace_flow_finish(flow), 0);
	drain(flow, &list, &progress);
	assert_int_equal(progress.done, list.count);
	assert_int_equal(progress.traps, list.trap_count);
	assert_true(progress.stopped);

	rvtrace_flow_stats(flow, 0, &stats);
	assert_int_equal(stats.instructions, list.count);
	assert_int_equal(stats.errors, 0);
	assert_int_equal(stats.bytes, size);

	rvtrace_flow_free(flow);
	rvtrace_image_free(image);
	free(data);
	free(list.pcs);
}

#define XRLE		"xrle", 164959
#define MEDIAN		"median", 11796
#define MULTIPLY	"multiply", 50103
#define TOWERS		"towers", 13917
#define DISCON		"test_discon_branch_exception", 32

static struct vector vectors[] = {
	{ "itype3_basic", XRLE, 0 },
	{ "itype3_basic", MEDIAN, 1 },
	{ "itype3_basic", MULTIPLY, 0 },
	{ "itype3_basic", TOWERS, 7 },
	{ "itype3_basic", DISCON, 0 },
	{ "itype3_debug", XRLE, 1 },
	{ "itype3_debug", MEDIAN, 0 },
	{ "itype3_debug", MULTIPLY, 3 },
	{ "itype3_debug", TOWERS, 0 },
	{ "itype3_debug", DISCON, 1 },
	{ "itype4_fake_scf", XRLE, 0 },
	{ "implicit_return_cc7", XRLE, 0 },
	{ "implicit_return_rs4", MEDIAN, 0 },
	{ "implicit_return_rs4", MULTIPLY, 2 },
	{ "implicit_return_rs4", TOWERS, 0 },
	{ "implicit_return_rs4", DISCON, 0 },
};

#define VECTORS_COUNT (sizeof(vectors) / sizeof(vectors[0]))

int main(void)
{
	struct CMUnitTest tests[VECTORS_COUNT];
	char names[VECTORS_COUNT][64];

	for (size_t i = 0; i < VECTORS_COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "%s-%s", vectors[i].suite, vectors[i].program);
		tests[i] = (struct CMUnitTest){ .name = names[i], .test_func = decodes_to_pc_list,
						.initial_state = &vectors[i] };
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
