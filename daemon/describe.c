// SPDX-License-Identifier: GPL-2.0
/* What metadata.json says of host, sink and sources. */
#include <arpa/inet.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <rvtrace/cdl.h>
#include <rvtrace/etrace.h>

#include "tools/lib/code/build_id.h"
#include <rvtrace/recording.h>
#include <rvtrace/replay.h>

#include "describe.h"
#include "describe_format.h"
#include "sysfs.h"
#include "tools/lib/code/build_id.h"

static void add_string(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_object_new_string(value));
}

static ssize_t read_file(const char *path, void *data, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -1;
	got = read(fd, data, size);
	close(fd);
	return got;
}

/* The GNU build id note of the running kernel, as hex digits. */
static void kernel_build_id(char *hex, size_t size)
{
	_Alignas(Elf64_Nhdr) uint8_t notes[4096];
	ssize_t length = read_file("/sys/kernel/notes", notes, sizeof(notes));
	size_t at = 0, i;

	*hex = 0;
	while (length > 0 && at + sizeof(Elf64_Nhdr) <= (size_t)length) {
		const Elf64_Nhdr *note = (const void *)(notes + at);
		size_t name = (note->n_namesz + 3ULL) & ~3ULL, desc = (note->n_descsz + 3ULL) & ~3ULL;
		const uint8_t *id = notes + at + sizeof(*note) + name;

		at += sizeof(*note);
		if (name > length - at || desc > length - at - name)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(notes + at, "GNU", 4) && 2ULL * note->n_descsz < size) {
			for (i = 0; i < note->n_descsz; i++)
				snprintf(hex + 2 * i, 3, "%02x", id[i]);
			return;
		}
		at += name + desc;
	}
}

static struct json_object *describe_host(void)
{
	struct json_object *host = json_object_new_object();
	struct utsname name;
	char build_id[129], boot_id[RVTRACE_BOOT_ID_TEXT];

	uname(&name);
	rvtrace_boot_id(boot_id);
	kernel_build_id(build_id, sizeof(build_id));
	add_string(host, "kernel", name.release);
	add_string(host, "version", name.version);
	add_string(host, "build_id", build_id);
	add_string(host, "boot_id", boot_id);
	add_string(host, "machine", name.machine);
	add_string(host, "hostname", name.nodename);
	json_object_object_add(host, "cpus", json_object_new_int(sysconf(_SC_NPROCESSORS_ONLN)));
	return host;
}

/* A device-tree cell or pair of cells, big-endian; -1 when it cannot be read. */
static int64_t device_tree_number(const char *path)
{
	uint32_t cells[2];

	switch (read_file(path, cells, sizeof(cells))) {
	case 4:
		return ntohl(cells[0]);
	case 8:
		return (int64_t)ntohl(cells[0]) << 32 | ntohl(cells[1]);
	default:
		return -1;
	}
}

/* Hart id of a CPU: `reg` of its device-tree node; without one the numbers are equal. */
static int64_t hart_of(int cpu)
{
	char path[128];
	int64_t hart;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/of_node/reg", cpu);
	hart = device_tree_number(path);
	return hart < 0 ? cpu : hart;
}

static int by_hart(const void *a, const void *b)
{
	int64_t first = hart_of(json_object_get_int(*(struct json_object * const *)a));
	int64_t second = hart_of(json_object_get_int(*(struct json_object * const *)b));

	return (first > second) - (first < second);
}

static int attribute_number(struct json_object *attributes, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(attributes, name, &value))
		return 0;
	return strtol(json_object_get_string(value), NULL, 0);
}

/* What the format of @source is made of; that of a vendor gets its name. */
static void describe_format(struct json_object *source, const char *encoder,
			    struct json_object *attributes)
{
	const char *said = json_object_get_string(json_object_object_get(source, "format"));
	struct json_object *harts = json_object_object_get(source, "harts"), *parameters;
	const struct describe_format *format = describe_parameters(said, encoder, attributes,
								   &parameters);

	if (!format)
		return;
	if (format->is_vendor)
		add_string(source, "format", format->name);
	if (format->ids_are_harts && json_object_array_length(harts))
		json_object_object_add(source, "src_id", json_object_get(
				       json_object_array_get_idx(harts, 0)));
	json_object_object_add(source, format->name, parameters);
}

static struct json_object *describe_source(const char *encoder)
{
	struct json_object *source = json_object_new_object();
	struct json_object *cpus = sysfs_cpus(encoder), *harts = json_object_new_array();
	struct json_object *attributes = sysfs_attributes(encoder), *format = NULL;
	size_t i;

	/* As their source ids follow each other */
	json_object_array_sort(cpus, by_hart);
	for (i = 0; i < json_object_array_length(cpus); i++) {
		int cpu = json_object_get_int(json_object_array_get_idx(cpus, i));

		json_object_array_add(harts, json_object_new_int64(hart_of(cpu)));
	}
	add_string(source, "component", encoder);
	json_object_object_add(source, "cpus", cpus);
	json_object_object_add(source, "harts", harts);
	if (json_object_object_get_ex(attributes, "format", &format))
		json_object_object_add(source, "format", json_object_get(format));
	json_object_object_add(source, "src_id",
			       json_object_new_int(attribute_number(attributes, "src_id")));
	/* A source id that is inhibited is not in the messages, whatever its width. */
	json_object_object_add(source, "src_bits",
			       json_object_new_int(attribute_number(attributes, "inhibit_src") ? 0 :
						   attribute_number(attributes, "src_bits")));
	if (format)
		describe_format(source, encoder, attributes);
	json_object_object_add(source, "attributes", attributes);
	return source;
}

static struct json_object *describe_sink(const char *sink, uint64_t data_size)
{
	struct json_object *object = json_object_new_object();
	char value[256];

	add_string(object, "name", sink);
	sysfs_read(SYSFS_SINKS, sink, "component", value, sizeof(value));
	add_string(object, "component", value);
	sysfs_read(SYSFS_SINKS, sink, "mode", value, sizeof(value));
	add_string(object, "mode", value);
	json_object_object_add(object, "data_size", json_object_new_uint64(data_size));
	return object;
}

void describe_sources(struct json_object *metadata, struct json_object *encoders)
{
	struct json_object *sinks, *sink, *sources = json_object_new_array(), *before = NULL;
	size_t i;

	json_object_object_get_ex(metadata, "sinks", &sinks);
	sink = json_object_array_get_idx(sinks, 0);
	json_object_object_get_ex(sink, "sources", &before);
	for (i = 0; i < json_object_array_length(encoders); i++) {
		struct json_object *name = json_object_array_get_idx(encoders, i);
		struct json_object *source = describe_source(json_object_get_string(name));

		/* An encoder that went away is described as it was. */
		if (before && !json_object_object_get_ex(source, "format", NULL)) {
			json_object_put(source);
			source = json_object_get(json_object_array_get_idx(before, i));
		}
		json_object_array_add(sources, source);
	}
	json_object_object_add(sink, "sources", sources);
}

/*
 * Version 0, optimized: returns are left out, and a count of calls is all that decides which; where
 * tasks switch, nothing is to set that to 0.
 */
static bool counts_returns(struct json_object *source)
{
	struct json_object *attributes, *generation, *mode, *sync;

	if (json_object_object_get_ex(source, "attributes", &attributes) &&
	    json_object_object_get_ex(attributes, "sync_on_switch", &sync) &&
	    strcmp(json_object_get_string(sync), "off"))
		return false;
	return json_object_object_get_ex(source, "attributes", &attributes) &&
	       json_object_object_get_ex(attributes, "generation", &generation) &&
	       json_object_object_get_ex(attributes, "inst_mode", &mode) &&
	       !strcmp(json_object_get_string(generation), "TCI 0") &&
	       !strcmp(json_object_get_string(mode), "history-optimized");
}

static bool any_source(struct json_object *metadata, bool (*is)(struct json_object *source))
{
	struct json_object *sources = describe_sources_of(metadata);
	size_t i;

	for (i = 0; i < json_object_array_length(sources); i++)
		if (is(json_object_array_get_idx(sources, i)))
			return true;
	return false;
}

bool describe_lack(struct json_object *metadata, char *text, size_t size)
{
	struct rvtrace_failure error;

	*text = 0;
	if (describe_check(metadata, &error))
		snprintf(text, size,
			 "%s: without them the recording decodes only as raw trace, with --param",
			 error.text);
	else
		describe_doubt(metadata, text, size);
	if (!*text && any_source(metadata, counts_returns))
		snprintf(text, size,
			 "encoders leave returns out by counting calls, and do not synchronize where tasks switch: stretches of unknown flow begin there; record with inst_mode history, or with sync_on_switch auto");
	return *text;
}

struct json_object *describe_recording(const char *sink, struct json_object *encoders,
				       struct json_object *command, uint64_t data_size)
{
	struct json_object *metadata = json_object_new_object();
	struct json_object *sinks = json_object_new_array();
	int64_t frequency = device_tree_number("/proc/device-tree/cpus/timebase-frequency");

	add_string(metadata, "generator", "rvtraced " RVTRACED_VERSION);
	json_object_object_add(metadata, "host", describe_host());
	if (command)
		json_object_object_add(metadata, "command", json_object_get(command));
	json_object_array_add(sinks, describe_sink(sink, data_size));
	json_object_object_add(metadata, "sinks", sinks);
	describe_sources(metadata, encoders);
	if (frequency > 0) {
		struct json_object *timestamp = json_object_new_object();

		json_object_object_add(timestamp, "frequency_hz",
				       json_object_new_int64(frequency));
		json_object_object_add(metadata, "timestamp", timestamp);
	}
	return metadata;
}
