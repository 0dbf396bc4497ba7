// SPDX-License-Identifier: GPL-2.0
/*
 * What metadata says of encoders of E-Trace and of vendors' formats, and what the user is told of
 * it: the driver's sysfs and the device tree are what the tests say they are.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <rvtrace/cdl.h>
#include <rvtrace/etrace.h>
#include <rvtrace/recording.h>
#include <rvtrace/replay.h>

#include "daemon/describe.h"
#include "daemon/describe_format.h"
#include "daemon/sysfs.h"

/**
 * struct encoder - an encoder
 * @format: what its registers say
 * @node: properties of a node below its own, as "NAME=VALUE" with spaces between; NULL: there is
 *	none
 * @name: of that node; NULL: etrace
 * @src_id: its source id
 */
struct encoder {
	const char *format;
	const char *node;
	const char *name;
	unsigned int src_id;
};

/* All that must be there. */
#define COUNTER_AND_STACK(counter, stack)						\
	"arch=1 bpred-size=5 cache-size=0 call-counter-size=" #counter " context-width=32"	\
	" time-width=40 ecause-width=6 f0s-width=0 iaddress-lsb=1 iaddress-width=64"		\
	" nocontext=0 notime=0 privilege-width=3 return-stack-size=" #stack " sijump=1"
#define WHOLE COUNTER_AND_STACK(0, 4)

static const struct encoder *encoders;
static int harts_of_each = 1;

static const struct encoder *encoder_of(const char *name)
{
	return &encoders[atoi(name + strlen("encoder"))];
}

int sysfs_read(const char *folder, const char *device, const char *attribute, char *value,
	       size_t size)
{
	(void)folder;
	(void)device;
	snprintf(value, size, "%s of the sink", attribute);
	return 0;
}

struct json_object *sysfs_cpus(const char *encoder)
{
	struct json_object *cpus = json_object_new_array();
	int number = atoi(encoder + strlen("encoder"));

	for (int i = 0; i < harts_of_each; i++)
		json_object_array_add(cpus, json_object_new_int(number * harts_of_each + i));
	return cpus;
}

struct json_object *sysfs_attributes(const char *encoder)
{
	struct json_object *attributes = json_object_new_object();

	json_object_object_add(attributes, "format",
			       json_object_new_string(encoder_of(encoder)->format));
	json_object_object_add(attributes, "src_id",
			       json_object_new_int(encoder_of(encoder)->src_id));
	json_object_object_add(attributes, "src_bits", json_object_new_string("3"));
	json_object_object_add(attributes, "inst_en_call_stack", json_object_new_string("1"));
	return attributes;
}

/* A number or a string of the device tree; -1: it is not there. */
static int open_property(const char *name, const char *node)
{
	char key[64], text[64] = "";
	const char *found;
	uint32_t cell;
	int fd;

	snprintf(key, sizeof(key), "%s=", name);
	found = node ? strstr(node, key) : NULL;
	if (!found)
		return -1;
	cell = htonl(atoi(found + strlen(key)));
	fd = memfd_create("property", MFD_CLOEXEC);
	if (sscanf(found + strlen(key), "%63[a-z]", text) == 1)
		assert_int_equal(write(fd, text, strlen(text) + 1), strlen(text) + 1);
	else
		assert_int_equal(write(fd, &cell, sizeof(cell)), sizeof(cell));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	const char *component = path + strlen(SYSFS_COMPONENTS "/");
	const char *node = strstr(path, "/../of_node/"), *name;

	assert_false(flags & O_CREAT);
	if (strncmp(path, SYSFS_COMPONENTS "/", strlen(SYSFS_COMPONENTS "/")) || !node)
		return __real_open(path, flags);
	node += strlen("/../of_node/");
	name = encoder_of(component)->name ? encoder_of(component)->name : "etrace";
	if (strncmp(node, name, strlen(name)) || node[strlen(name)] != '/')
		return -1;
	return open_property(strrchr(path, '/') + 1, encoder_of(component)->node);
}

static struct json_object *describe(const struct encoder *list, unsigned int count)
{
	struct json_object *names = json_object_new_array(), *metadata;
	char name[32];

	encoders = list;
	for (unsigned int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "encoder%u", i);
		json_object_array_add(names, json_object_new_string(name));
	}
	metadata = describe_recording("rvtrace0", names, NULL, 4096);
	json_object_put(names);
	return metadata;
}

/* Nothing is said of it. */
static void assert_whole(const struct encoder *list, unsigned int count)
{
	struct json_object *metadata = describe(list, count);
	char text[512] = "before";

	assert_false(describe_lack(metadata, text, sizeof(text)));
	assert_string_equal(text, "");
	json_object_put(metadata);
}

/* What is said names @place and @what, and the way out. */
static void assert_lack(const struct encoder *list, unsigned int count, const char *place,
			const char *what)
{
	struct json_object *metadata = describe(list, count);
	char text[512];

	assert_true(describe_lack(metadata, text, sizeof(text)));
	assert_non_null(strstr(text, place));
	assert_non_null(strstr(text, what));
	assert_non_null(strstr(text, "--param"));
	assert_null(strchr(text, '\n'));
	json_object_put(metadata);
}

/* Of E-Trace, it names @component, too. */
static void assert_lacks(const struct encoder *list, unsigned int count, const char *component,
			 const char *what)
{
	assert_lack(list, count, "device tree, node etrace", component);
	assert_lack(list, count, component, what);
}

static void parameters_are_of_device_tree_and_registers(void **state)
{
	const struct encoder list[] = {
		{ "etrace", WHOLE, NULL, 0 }, { "etrace", WHOLE, NULL, 0 },
	};
	struct json_object *metadata = describe(list, 2);
	struct rvtrace_etrace_params params;
	struct rvtrace_failure error;

	(void)state;
	if (rvtrace_etrace_params_from_json(metadata, "test", &params, &error))
		fail_msg("%s", error.text);
	assert_int_equal(params.iaddress_width, 64);
	assert_int_equal(params.context_width, 32);
	assert_int_equal(params.return_stack_size, 4);
	assert_int_equal(params.srcid_width, 3);
	assert_int_equal(params.modes, RVTRACE_ETRACE_IMPLICIT_RETURN);
	json_object_put(metadata);
	assert_whole(list, 2);
}

static void other_formats_need_no_node(void **state)
{
	const struct encoder list[] = { { "ntrace", NULL, NULL, 0 } };

	(void)state;
	assert_whole(list, 1);
	assert_whole(list, 0);
}

static void a_missing_node_is_told(void **state)
{
	const struct encoder list[] = { { "etrace", WHOLE, NULL, 0 }, { "etrace", NULL, NULL, 0 } };

	(void)state;
	assert_lacks(list, 2, "encoder1", "parameters of E-Trace are missing");
}

static void missing_cells_are_told_at_once(void **state)
{
	const struct encoder list[] = { { "etrace", "arch=1 bpred-size=5 cache-size=0", NULL, 0 } };

	(void)state;
	assert_lacks(list, 1, "encoder0",
		     "call_counter_size, ecause_width, f0s_width, iaddress_lsb, iaddress_width, "
		     "nocontext, notime, privilege_width, return_stack_size, sijump are missing");
}

static void a_contradiction_is_told(void **state)
{
	const struct encoder list[] = {
		{ "etrace", WHOLE, NULL, 0 },
		{ "etrace", WHOLE " timestamp-width=64 ctype-width=2", NULL, 0 },
	};

	(void)state;
	assert_lacks(list, 2, "encoder1", "not those of the source before");
}

/* Linux switches tasks, which no counter of calls sees. */
static void a_counter_of_calls_is_told(void **state)
{
	const struct encoder list[] = { { "etrace", COUNTER_AND_STACK(7, 0), NULL, 0 } };
	struct json_object *metadata = describe(list, 1);
	char text[512];

	(void)state;
	assert_true(describe_lack(metadata, text, sizeof(text)));
	assert_non_null(strstr(text, "inst_en_call_stack"));
	json_object_put(metadata);
}

/* So does version 0, in one of its modes: the driver's default is the other. */
static void returns_that_are_counted_are_told(void **state)
{
	static const struct {
		const char *mode, *sync;
		bool told;
	} cases[] = {
		{ "history", NULL, false }, { "history-optimized", NULL, true },
		{ "history-optimized", "off", true }, { "history-optimized", "auto", false },
		{ "history-optimized", "restart", false }, { "history", "off", false },
	};
	const struct encoder list[] = { { "ntrace", NULL, NULL, 0 } };
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_object *metadata, *sinks, *source, *attributes;

		metadata = describe(list, 1);
		json_object_object_get_ex(metadata, "sinks", &sinks);
		source = json_object_array_get_idx(json_object_object_get(
			json_object_array_get_idx(sinks, 0), "sources"), 0);
		attributes = json_object_object_get(source, "attributes");
		json_object_object_add(attributes, "generation", json_object_new_string("TCI 0"));
		json_object_object_add(attributes, "inst_mode", json_object_new_string(cases[i].mode));
		if (cases[i].sync)
			json_object_object_add(attributes, "sync_on_switch",
					       json_object_new_string(cases[i].sync));
		assert_int_equal(describe_lack(metadata, text, sizeof(text)), cases[i].told);
		assert_true(!cases[i].told || strstr(text, "inst_mode history"));
		json_object_put(metadata);
	}
}

static void assert_reads_as_events(const struct encoder *list)
{
	struct json_object *metadata = describe(list, 2);
	char text[512];

	assert_true(describe_lack(metadata, text, sizeof(text)));
	assert_non_null(strstr(text, "encoder1: its src_id"));
	json_object_put(metadata);
}

/* Of a source id of three bits, the third tells events. */
static void a_source_id_that_reads_as_events_is_told(void **state)
{
	const struct encoder good[] = {
		{ "etrace", WHOLE " event-srcid-bit=2", NULL, 1 },
		{ "etrace", WHOLE " event-srcid-bit=2", NULL, 3 },
	};
	const struct encoder bad[] = { good[0], { "etrace", WHOLE " event-srcid-bit=2", NULL, 4 } };

	(void)state;
	assert_reads_as_events(bad);
	assert_whole(good, 2);
	/* That of its second hart is 4. */
	harts_of_each = 2;
	assert_reads_as_events(good);
	harts_of_each = 1;
}

/* Nor does anything read as one, whatever its source id. */
static void a_bit_beyond_the_source_id_tells_no_events(void **state)
{
	const struct encoder list[] = { { "etrace", WHOLE " event-srcid-bit=3", NULL, 7 } };
	struct json_object *metadata = describe(list, 1);
	struct rvtrace_etrace_params params;
	struct rvtrace_failure error;

	(void)state;
	if (rvtrace_etrace_params_from_json(metadata, "test", &params, &error))
		fail_msg("%s", error.text);
	assert_int_equal(params.event_srcid_bit, RVTRACE_ETRACE_NO_EVENTS);
	json_object_put(metadata);
	assert_whole(list, 1);
}

static struct json_object *source_of(struct json_object *metadata, unsigned int i)
{
	struct json_object *sinks = json_object_object_get(metadata, "sinks");
	struct json_object *sink = json_object_array_get_idx(sinks, 0);

	return json_object_array_get_idx(json_object_object_get(sink, "sources"), i);
}

static void a_vendors_format_has_its_name(void **state)
{
	const struct encoder list[] = {
		{ "vendor", "flavour=rtl xlen=64 rv64=1 sync-interval=128", "cdl", 0 },
	};
	struct json_object *metadata = describe(list, 1);
	struct rvtrace_failure error;
	struct rvtrace_cdl_config config;

	(void)state;
	assert_string_equal(json_object_get_string(
		json_object_object_get(source_of(metadata, 0), "format")), "cdl");
	if (rvtrace_cdl_config_from_json(metadata, "test", &config, &error))
		fail_msg("%s", error.text);
	assert_int_equal(config.flavour, RVTRACE_CDL_RTL);
	assert_int_equal(config.xlen, 64);
	assert_true(config.rv64);
	assert_int_equal(config.sync_interval, 128);
	json_object_put(metadata);
	assert_whole(list, 1);
}

#define DEBUGSPEC "xlen=64 compressed=1 emit=135 buffer-size=4096"

static void ids_of_the_debug_specification_are_harts(void **state)
{
	const struct encoder list[] = {
		{ "vendor", DEBUGSPEC, "debugspec", 0 }, { "vendor", DEBUGSPEC, "debugspec", 0 },
	};
	struct json_object *metadata = describe(list, 2);
	struct rvtrace_debugspec_config config;
	struct rvtrace_failure error;

	(void)state;
	if (rvtrace_debugspec_config_from_json(metadata, "test", &config, &error))
		fail_msg("%s", error.text);
	assert_int_equal(config.emit, 135);
	assert_int_equal(config.sync_interval, 1024);
	assert_true(config.several_harts);
	assert_int_equal(json_object_get_int(
		json_object_object_get(source_of(metadata, 1), "src_id")), 1);
	json_object_put(metadata);
	assert_whole(list, 2);
}

static void what_a_vendors_format_lacks_is_told(void **state)
{
	const struct encoder nothing[] = { { "vendor", NULL, NULL, 0 } };
	const struct encoder cdl[] = { { "vendor", "xlen=64 rv64=1 sync-interval=128", "cdl", 0 } };
	const struct encoder debugspec[] = {
		{ "vendor", DEBUGSPEC, "debugspec", 0 },
		{ "vendor", "xlen=64 emit=7", "debugspec", 0 },
	};

	(void)state;
	assert_lack(nothing, 1, "device tree: nodes cdl and debugspec", "are missing");
	assert_lack(cdl, 1, "device tree, node cdl", "flavour is missing");
	assert_lack(debugspec, 2, "device tree, node debugspec", "compressed is missing");
}

/* No parameters of any format, no id that is a hart's */
static void a_vendors_format_without_a_node_stays_what_it_was(void **state)
{
	const struct encoder list[] = { { "vendor", NULL, NULL, 0 }, { "vendor", NULL, NULL, 0 } };
	struct json_object *metadata = describe(list, 2);
	struct json_object *parameters;

	(void)state;
	assert_null(describe_parameters("vendor", "encoder0", NULL, &parameters));
	assert_string_equal(json_object_get_string(
		json_object_object_get(source_of(metadata, 1), "format")), "vendor");
	assert_int_equal(json_object_get_int(
		json_object_object_get(source_of(metadata, 1), "src_id")), 0);
	json_object_put(metadata);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_are_of_device_tree_and_registers),
		cmocka_unit_test(other_formats_need_no_node),
		cmocka_unit_test(a_missing_node_is_told),
		cmocka_unit_test(missing_cells_are_told_at_once),
		cmocka_unit_test(a_contradiction_is_told),
		cmocka_unit_test(a_counter_of_calls_is_told),
		cmocka_unit_test(returns_that_are_counted_are_told),
		cmocka_unit_test(a_source_id_that_reads_as_events_is_told),
		cmocka_unit_test(a_bit_beyond_the_source_id_tells_no_events),
		cmocka_unit_test(a_vendors_format_has_its_name),
		cmocka_unit_test(ids_of_the_debug_specification_are_harts),
		cmocka_unit_test(what_a_vendors_format_lacks_is_told),
		cmocka_unit_test(a_vendors_format_without_a_node_stays_what_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
