/* SPDX-License-Identifier: GPL-2.0 */
/* The driver's sysfs: attributes of components and sinks, topology. */
#ifndef RVTRACED_SYSFS_H
#define RVTRACED_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>

#define SYSFS_COMPONENTS	"/sys/bus/rvtrace_tci/devices"
#define SYSFS_SINKS		"/sys/class/rvtrace_sink"
#define SYSFS_VALUE_MAX		4096

/**
 * sysfs_read - read an attribute
 * @folder: SYSFS_COMPONENTS or SYSFS_SINKS
 * @device: name of the component or sink
 * @attribute: name of the attribute
 * @value: filled, without the newline; "" on failure
 * @size: bytes at @value
 *
 * Return: 0 or a negative errno.
 */
int sysfs_read(const char *folder, const char *device, const char *attribute, char *value,
	       size_t size);

/**
 * sysfs_write - write an attribute
 * @folder: SYSFS_COMPONENTS or SYSFS_SINKS
 * @device: name of the component or sink
 * @attribute: name of the attribute; a name with a '/' is refused
 * @value: text
 *
 * Return: 0 or a negative errno.
 */
int sysfs_write(const char *folder, const char *device, const char *attribute,
		const char *value);

/**
 * sysfs_attributes - every readable attribute of a component
 * @component: its name
 *
 * Return: an object of strings the caller owns.
 */
struct json_object *sysfs_attributes(const char *component);

/**
 * sysfs_encoders - encoders that can reach a sink
 * @sink: name of the sink
 *
 * Return: an array of names, sorted, that the caller owns.
 */
struct json_object *sysfs_encoders(const char *sink);

/**
 * sysfs_cpus - CPUs of an encoder
 * @encoder: its name
 *
 * Return: an array of numbers the caller owns.
 */
struct json_object *sysfs_cpus(const char *encoder);

#endif /* RVTRACED_SYSFS_H */
