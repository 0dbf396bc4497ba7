/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace components and sinks of this machine, as the driver shows them in sysfs (docs/ABI).
 */
#ifndef RVTRACE_DEVICE_H
#define RVTRACE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

#define RVTRACE_ATTRIBUTE_MAX	4096	/* bytes of a value, NUL included */

/**
 * enum rvtrace_device_kind - kind of a device
 * @RVTRACE_DEVICE_ENCODER: trace encoder
 * @RVTRACE_DEVICE_FUNNEL: trace funnel
 * @RVTRACE_DEVICE_OTHER: another component
 * @RVTRACE_DEVICE_SINK: readable sink, with a char device
 */
enum rvtrace_device_kind {
	RVTRACE_DEVICE_ENCODER,
	RVTRACE_DEVICE_FUNNEL,
	RVTRACE_DEVICE_OTHER,
	RVTRACE_DEVICE_SINK,
};

/**
 * struct rvtrace_device - a component or sink
 * @kind: enum rvtrace_device_kind
 * @name: such as "encoder0" or "rvtrace0"
 * @path: its directory in sysfs
 */
struct rvtrace_device {
	enum rvtrace_device_kind kind;
	char name[64];
	char path[512];
};

/**
 * struct rvtrace_devices - all devices found, sorted by kind, then by number
 * @items: the devices
 * @count: number of devices
 */
struct rvtrace_devices {
	struct rvtrace_device *items;
	size_t count;
};

/**
 * rvtrace_devices_scan() - find components and sinks
 * @root: directory that contains sys, "" for the running system
 * @devices: filled; free it with rvtrace_devices_free()
 * @error: filled on failure, may be NULL
 *
 * Return: 0; -ENODEV if the driver is not loaded or found nothing; -ENOMEM.
 */
int rvtrace_devices_scan(const char *root, struct rvtrace_devices *devices,
			 struct rvtrace_failure *error);

/**
 * rvtrace_devices_free() - free the devices found; the list is empty afterwards
 * @devices: filled by rvtrace_devices_scan()
 */
void rvtrace_devices_free(struct rvtrace_devices *devices);

/**
 * rvtrace_device_find() - find a device by name
 * @devices: the devices found
 * @name: the name
 *
 * Return: the device, or NULL.
 */
const struct rvtrace_device *rvtrace_device_find(const struct rvtrace_devices *devices,
						 const char *name);

/**
 * rvtrace_device_read() - read an attribute
 * @device: the device
 * @attribute: its name
 * @value: filled with the text, without its last newline
 * @size: bytes of @value
 * @error: filled on failure, may be NULL
 *
 * Return: length of the text, or a negative errno: -ENOENT if the device has no such attribute.
 */
int rvtrace_device_read(const struct rvtrace_device *device, const char *attribute,
			char *value, size_t size, struct rvtrace_failure *error);

/**
 * rvtrace_device_write() - write an attribute
 * @device: the device
 * @attribute: its name
 * @value: the text
 * @error: filled on failure, may be NULL; its text names the file, the value and the reason
 *
 * Return: 0 or a negative errno.
 */
int rvtrace_device_write(const struct rvtrace_device *device, const char *attribute,
			 const char *value, struct rvtrace_failure *error);

/**
 * rvtrace_device_attributes() - list the attributes of a device
 * @device: the device
 * @names: filled with strings, sorted; free each string and the list
 *
 * The list has no links, no directories and none of the kernel's own attributes (uevent, power,
 * subsystem).
 *
 * Return: the number of attributes, or a negative errno.
 */
int rvtrace_device_attributes(const struct rvtrace_device *device, char ***names);

RVTRACE_END_DECLS

#endif /* RVTRACE_DEVICE_H */
