/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Program images: which bytes lie at an address, in an address space and a
 * privilege mode.
 *
 * Code is a run of bytes. An image maps pieces of it at virtual addresses; the
 * same code may be mapped in many address spaces and costs its memory once.
 * An address space is named by the value of scontext. An image may be used by
 * several decoders at once while nobody changes it.
 */
#ifndef RVTRACE_IMAGE_H
#define RVTRACE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

/* Privilege masks: bit N is privilege N of the specifications. */
#define RVTRACE_PRIV_U		(1u << 0)
#define RVTRACE_PRIV_S		(1u << 1)
#define RVTRACE_PRIV_M		(1u << 3)
#define RVTRACE_PRIV_ANY	(RVTRACE_PRIV_U | RVTRACE_PRIV_S | RVTRACE_PRIV_M)

/* Every address space, for what is mapped the same everywhere. */
#define RVTRACE_SPACE_ANY	UINT64_MAX

struct rvtrace_code;
struct rvtrace_image;

/**
 * rvtrace_code_from_memory() - code from bytes, which are copied
 * @data: the bytes
 * @size: how many, at least 2
 * @name: for messages; may be NULL
 * @code: the result, with one reference
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_code_from_memory(const void *data, size_t size, const char *name,
			     struct rvtrace_code **code);

/**
 * rvtrace_code_from_file() - code from a whole file, which is mapped privately
 * @path: the file; it is the code's name as well
 * @code: the result, with one reference
 *
 * For mappings of a process as the kernel describes them: file, offset, address.
 *
 * Return: 0, RVTRACE_ERR_IO (see errno; ENODATA: it is too short for an instruction, EINVAL: it is
 * no regular file), RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_code_from_file(const char *path, struct rvtrace_code **code);

/**
 * rvtrace_code_from_fd() - the same of an open regular file
 * @fd: the file, which stays open
 * @name: for messages; may be NULL
 * @code: the result, with one reference
 *
 * Return: as rvtrace_code_from_file().
 */
int rvtrace_code_from_fd(int fd, const char *name, struct rvtrace_code **code);

/**
 * rvtrace_code_unref() - drop one's reference
 * @code: the code, may be NULL; images that map it keep it
 */
void rvtrace_code_unref(const struct rvtrace_code *code);

/**
 * rvtrace_code_ref() - take one more reference
 * @code: the code
 *
 * Return: @code.
 */
const struct rvtrace_code *rvtrace_code_ref(const struct rvtrace_code *code);

/**
 * rvtrace_code_bytes() - the bytes themselves
 * @code: the code
 * @size: how many, may be NULL
 *
 * Return: the bytes, valid as long as the code.
 */
const uint8_t *rvtrace_code_bytes(const struct rvtrace_code *code, size_t *size);

/**
 * rvtrace_code_name() - the name it was made with
 * @code: the code
 *
 * Return: the name, "" without one.
 */
const char *rvtrace_code_name(const struct rvtrace_code *code);

/**
 * rvtrace_image_new() - an image without any code
 *
 * Return: the image, or NULL without memory.
 */
struct rvtrace_image *rvtrace_image_new(void);

/**
 * rvtrace_image_free() - free an image, and its references to code; decoders that use it come first
 * @image: the image; NULL: nothing is done
 */
void rvtrace_image_free(struct rvtrace_image *image);

/**
 * struct rvtrace_mapping - where code lies
 * @code: the code
 * @offset: first byte of the piece in @code, even
 * @size: bytes; cut at the end of @code
 * @address: virtual address of the first byte, even
 * @space: address space, or RVTRACE_SPACE_ANY
 * @privs: privilege modes in which it may execute, RVTRACE_PRIV_ mask
 */
struct rvtrace_mapping {
	const struct rvtrace_code *code;
	uint64_t offset;
	uint64_t size;
	uint64_t address;
	uint64_t space;
	unsigned int privs;
};

/**
 * rvtrace_image_map() - map code
 * @image: the image, which takes its own reference to the code
 * @mapping: what and where
 *
 * A later mapping covers an earlier one of the same space where they overlap; a mapping of one
 * space covers those of RVTRACE_SPACE_ANY. Decoders that use the image see the change from
 * their next call on.
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_image_map(struct rvtrace_image *image, const struct rvtrace_mapping *mapping);

/**
 * rvtrace_image_unmap() - take away what is mapped in one space
 * @image: the image
 * @space: address space, or RVTRACE_SPACE_ANY for the mappings made so
 * @address: first address
 * @size: bytes
 *
 * Return: 0, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_image_unmap(struct rvtrace_image *image, uint64_t space, uint64_t address,
			uint64_t size);

/**
 * rvtrace_image_drop() - take away all that is mapped in one space
 * @image: the image
 * @space: address space, or RVTRACE_SPACE_ANY for the mappings made so
 */
void rvtrace_image_drop(struct rvtrace_image *image, uint64_t space);

/**
 * rvtrace_image_add_file() - map a raw file
 * @image: the image
 * @path: the file
 * @address: virtual address of its first byte
 * @space: address space, or RVTRACE_SPACE_ANY
 * @privs: RVTRACE_PRIV_ mask
 *
 * Return: 0, RVTRACE_ERR_IO (see errno), RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_image_add_file(struct rvtrace_image *image, const char *path, uint64_t address,
			   uint64_t space, unsigned int privs);

/**
 * rvtrace_image_add_elf() - map the executable segments of an ELF file
 * @image: the image
 * @path: the file
 * @bias: added to the addresses in the file: 0 at its link address
 * @space: address space, or RVTRACE_SPACE_ANY
 * @privs: RVTRACE_PRIV_ mask
 *
 * Return: the number of segments mapped; RVTRACE_ERR_IO (see errno), RVTRACE_ERR_NOT_ELF,
 * RVTRACE_ERR_INVALID, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_image_add_elf(struct rvtrace_image *image, const char *path, uint64_t bias,
			  uint64_t space, unsigned int privs);

/**
 * rvtrace_image_set_entry() - where the program begins
 * @image: the image
 * @address: of its first instruction; rvtrace_image_add_elf() sets that of the first file added
 */
void rvtrace_image_set_entry(struct rvtrace_image *image, uint64_t address);

/**
 * rvtrace_image_entry() - where the program begins
 * @image: the image
 * @address: filled
 *
 * Return: whether that is known.
 */
bool rvtrace_image_entry(const struct rvtrace_image *image, uint64_t *address);

/**
 * typedef rvtrace_image_fill - map what is looked for
 * @data: as it was given
 * @space: the address space
 * @priv: one privilege mode, as a mask
 * @address: where nothing was mapped or unmapped yet
 *
 * It maps, or unmaps, addresses around @address of which it is known what they are, and no others.
 */
typedef void rvtrace_image_fill(void *data, uint64_t space, unsigned int priv, uint64_t address);

/**
 * rvtrace_image_on_demand() - have an address space filled as it is looked at
 * @image: the image
 * @space: the address space, of which nothing is mapped
 * @fill: maps what is looked for
 * @data: for @fill
 *
 * Return: 0, RVTRACE_ERR_NO_MEMORY.
 */
int rvtrace_image_on_demand(struct rvtrace_image *image, uint64_t space, rvtrace_image_fill *fill,
			    void *data);

/**
 * rvtrace_image_generation() - how often the image has changed
 * @image: the image
 *
 * Return: a number that grows with every change; windows found at another number are stale.
 */
uint64_t rvtrace_image_generation(const struct rvtrace_image *image);

/**
 * struct rvtrace_window - a run of addresses backed by code
 * @code: the code
 * @bytes: the byte at @start
 * @start: first address
 * @last: last address
 */
struct rvtrace_window {
	const struct rvtrace_code *code;
	const uint8_t *bytes;
	uint64_t start;
	uint64_t last;
};

/**
 * rvtrace_image_find() - what lies at an address
 * @image: the image
 * @space: address space; RVTRACE_SPACE_ANY where it is unknown: only mappings made for
 *	every space are seen
 * @privs: privilege mode as a mask; several bits where it is unknown
 * @address: the address
 * @window: the result: the run around @address; valid until the image changes
 *
 * Return: 1 found, 0 no code there.
 */
int rvtrace_image_find(const struct rvtrace_image *image, uint64_t space, unsigned int privs,
		       uint64_t address, struct rvtrace_window *window);

RVTRACE_END_DECLS

#endif /* RVTRACE_IMAGE_H */
