/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Code that executed without an image: place, owner, number of bytes.
 */
#ifndef RVTRACE_MISSING_H
#define RVTRACE_MISSING_H

#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/resolver.h>

RVTRACE_BEGIN_DECLS

/**
 * enum rvtrace_missing_kind - origin of code without an image
 * @RVTRACE_MISSING_FILE: a file
 * @RVTRACE_MISSING_DELETED: a file that was deleted, or never had a name (memfd)
 * @RVTRACE_MISSING_ANONYMOUS: anonymous memory (JIT)
 * @RVTRACE_MISSING_UNMAPPED: user memory without a known mapping
 * @RVTRACE_MISSING_KERNEL: code of the kernel
 * @RVTRACE_MISSING_MACHINE: code of the firmware
 * @RVTRACE_MISSING_UNKNOWN: the place of execution is unknown
 */
enum rvtrace_missing_kind {
	RVTRACE_MISSING_FILE,
	RVTRACE_MISSING_DELETED,
	RVTRACE_MISSING_ANONYMOUS,
	RVTRACE_MISSING_UNMAPPED,
	RVTRACE_MISSING_KERNEL,
	RVTRACE_MISSING_MACHINE,
	RVTRACE_MISSING_UNKNOWN,
};

/**
 * struct rvtrace_missing_range - code without an image
 * @kind: enum rvtrace_missing_kind
 * @path: path of a file, else ""
 * @build_id: lower case hexadecimal, "" if unknown
 * @start: first address of the mapping; without one: lowest address seen
 * @end: address after the mapping; without one: highest address seen
 * @pid: process, -1: unknown
 * @comm: name of the process, "" if unknown
 * @bytes: bytes of instructions that executed in stretches that begin here
 * @stretches: number of these stretches
 */
struct rvtrace_missing_range {
	uint8_t kind;
	const char *path;
	char build_id[2 * RVTRACE_BUILD_ID_MAX + 1];
	uint64_t start;
	uint64_t end;
	int32_t pid;
	char comm[16];
	uint64_t bytes;
	uint64_t stretches;
};

struct rvtrace_missing;

/**
 * rvtrace_missing_new() - create an empty collection
 *
 * Return: the collection; free it with rvtrace_missing_free(). NULL without memory.
 */
struct rvtrace_missing *rvtrace_missing_new(void);

/**
 * rvtrace_missing_free() - free a collection
 * @missing: the collection, or NULL (no effect)
 */
void rvtrace_missing_free(struct rvtrace_missing *missing);

/**
 * rvtrace_missing_add() - count an item of type RVTRACE_FLOW_NO_IMAGE
 * @missing: the collection
 * @resolver: resolver of the decoder that the item is from; NULL without a recording
 * @item: the item
 *
 * Return: 0, -ENOMEM.
 */
int rvtrace_missing_add(struct rvtrace_missing *missing, const struct rvtrace_resolver *resolver,
			const struct rvtrace_flow_item *item);

/**
 * rvtrace_missing_get() - enumerate the ranges, most bytes first
 * @missing: the collection, to which all items were added
 * @index: from 0
 *
 * Return: the range, valid as long as the address spaces; NULL after the last one.
 */
const struct rvtrace_missing_range *rvtrace_missing_get(struct rvtrace_missing *missing,
							size_t index);

/**
 * rvtrace_missing_kind_name() - name of a @kind
 * @kind: enum rvtrace_missing_kind
 *
 * Return: one word: "file", "deleted", "anonymous", "unmapped", "kernel", "machine", "unknown".
 */
const char *rvtrace_missing_kind_name(unsigned int kind);

RVTRACE_END_DECLS

#endif /* RVTRACE_MISSING_H */
