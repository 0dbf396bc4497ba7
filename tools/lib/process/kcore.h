/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Live kernel text. The kernel patches its text at run time (alternatives,
 * static keys, tracepoints), so that the file it was booted from does not say
 * what executes; /proc/kcore does.
 */
#ifndef RVTRACE_KCORE_H
#define RVTRACE_KCORE_H

#include <rvtrace/flow_config.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rvtrace/error.h>

struct rvtrace_kcore;

/**
 * rvtrace_kcore_open() - open /proc/kcore
 * @path: NULL: /proc/kcore
 * @out: the result; rvtrace_kcore_close() it
 * @error: filled on failure, may be NULL
 *
 * Return: 0, -EACCES or -EPERM (needs CAP_SYS_RAWIO, or lockdown forbids it),
 * -EBADMSG (not an ELF core), or another negative errno.
 */
int rvtrace_kcore_open(const char *path, struct rvtrace_kcore **out,
		       struct rvtrace_failure *error);

/**
 * rvtrace_kcore_close() - close the file
 * @kcore: the file; NULL: nothing is done
 */
void rvtrace_kcore_close(struct rvtrace_kcore *kcore);

/**
 * rvtrace_kcore_read() - read kernel memory
 * @kcore: what to read from
 * @address: first address
 * @data: room for @size bytes
 * @size: bytes
 *
 * Return: the bytes read, fewer than @size where the mapped memory ends; or a
 * negative errno, -EFAULT when nothing is mapped at @address.
 */
ssize_t rvtrace_kcore_read(struct rvtrace_kcore *kcore, uint64_t address, void *data, size_t size);

/**
 * rvtrace_kcore_read_physical() - read memory that the kernel maps all of
 * @kcore: what to read from
 * @physical: first address, physical
 * @data: room for @size bytes
 * @size: bytes
 *
 * Return: as rvtrace_kcore_read().
 */
ssize_t rvtrace_kcore_read_physical(struct rvtrace_kcore *kcore, uint64_t physical, void *data,
				    size_t size);

/**
 * struct rvtrace_text - a range of kernel text
 * @start: first address
 * @end: address after the last
 * @physical: of vmlinux: the physical address of @start; 0: not known
 * @stvec: of vmlinux: where the kernel takes its traps (handle_exception); 0: not known
 * @switch_to: of vmlinux: the function that changes from one task to another (__switch_to); 0: not
 *	known
 * @kernel: of vmlinux: functions that change where others return to, for function graph tracing,
 *	kretprobes and uretprobes; where those return to then; not the handlers of exceptions
 * @handlers: of vmlinux: where addresses of handlers of exceptions begin (excp_vect_table); 0: not
 *	known
 * @handlers_end: the address behind the last
 * @name: "vmlinux", the name of a module, or "bpf" and the like; NUL-terminated
 */
struct rvtrace_text {
	uint64_t start;
	uint64_t end;
	uint64_t physical;
	uint64_t stvec;
	uint64_t switch_to;
	struct rvtrace_flow_kernel kernel;
	uint64_t handlers;
	uint64_t handlers_end;
	char name[64];
};

/**
 * struct rvtrace_texts - every range there is
 * @ranges: sorted by address, none overlaps another
 * @count: how many
 */
struct rvtrace_texts {
	struct rvtrace_text *ranges;
	size_t count;
};

/**
 * rvtrace_texts_find() - where the kernel's text is
 * @root: folder that holds proc and sys, "" for the running system
 * @out: filled; free @out->ranges
 * @error: filled on failure, may be NULL
 *
 * From /proc/kallsyms, /proc/modules and /sys/module/NAME/sections.
 *
 * Return: 0, -EPERM (the kernel hides addresses: kptr_restrict or a missing
 * CAP_SYSLOG), -EBADMSG, -ENOMEM or another negative errno.
 */
int rvtrace_texts_find(const char *root, struct rvtrace_texts *out,
		       struct rvtrace_failure *error);

/**
 * rvtrace_text_of_module() - where the text of one loaded module is
 * @root: folder that holds proc and sys, "" for the running system
 * @name: of the module
 * @out: filled on success
 * @error: filled on failure other than -ENOENT, may be NULL
 *
 * From /proc/modules and /sys/module/NAME/sections: it ends where anything else of any module begins.
 *
 * Return: 0, -ENOENT (it is not loaded, or not any more), -EPERM (the kernel
 * hides addresses), -EBADMSG, -ENOMEM or another negative errno.
 */
int rvtrace_text_of_module(const char *root, const char *name, struct rvtrace_text *out,
			   struct rvtrace_failure *error);

#endif /* RVTRACE_KCORE_H */
