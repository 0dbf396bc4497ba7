/* SPDX-License-Identifier: GPL-2.0 */
/* What is traced, and how: options of `start` and `record`. */
#ifndef RVTRACE_TRACECTL_SETTINGS_H
#define RVTRACE_TRACECTL_SETTINGS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include <rvtrace/device.h>

struct json_object;

/**
 * struct settings - options of a session
 * @format: ntrace or etrace, NULL: ntrace if the encoders have it
 * @inst_mode: NULL: the most compact one the encoders have
 * @timestamps: with timestamps
 * @context: with privilege and address space
 * @sync_mode: periodic synchronization, NULL: by messages
 * @sync_max: exponent n of 2^(n + 4)
 * @sink_mode: stream or fill, NULL: as it is set
 * @buffer_size: bytes of the ring, 0: as it is set
 * @sets: object of objects: component or "*", attribute, value
 * @explicit_timestamps: not the default
 * @explicit_context: not the default
 * @explicit_sync: not the default
 */
struct settings {
	const char *format;
	const char *inst_mode;
	bool timestamps;
	bool context;
	const char *sync_mode;
	unsigned int sync_max;
	const char *sink_mode;
	uint64_t buffer_size;
	struct json_object *sets;
	bool explicit_timestamps;
	bool explicit_context;
	bool explicit_sync;
};

/* Its input is a struct settings, initialised by settings_init(). */
extern const struct argp settings_argp;

void settings_init(struct settings *settings);
void settings_free(struct settings *settings);

/**
 * settings_check() - whether the machine can have these settings
 * @settings: the settings
 * @devices: the components of this machine
 * @sink: which one is meant, NULL: not known
 *
 * What the driver would refuse: components and attributes that are missing, values that are not
 * among those that the hardware has, a ring that is too large.
 *
 * Return: 0, or a negative errno after saying what is wrong.
 */
int settings_check(const struct settings *settings, const struct rvtrace_devices *devices,
		   const struct rvtrace_device *sink);

/**
 * settings_attributes() - the attributes to write
 * @settings: the settings
 * @devices: the components of this machine: defaults they lack are left out
 *
 * Return: object of objects, component name to attribute to value, in the
 * order to write them; the caller puts it.
 */
struct json_object *settings_attributes(const struct settings *settings,
					const struct rvtrace_devices *devices);

#endif /* RVTRACE_TRACECTL_SETTINGS_H */
