// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reading /proc/kcore: an ELF core whose segments are the kernel's memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include "tools/lib/base/fail.h"
#include "kcore.h"

struct rvtrace_kcore {
	int fd;
	size_t count;
	GElf_Phdr segments[];
};

static struct rvtrace_kcore *read_segments(Elf *elf)
{
	struct rvtrace_kcore *kcore;
	size_t count, i;

	if (elf_getphdrnum(elf, &count) < 0)
		return NULL;
	kcore = malloc(sizeof(*kcore) + count * sizeof(kcore->segments[0]));
	if (!kcore)
		return NULL;
	kcore->count = 0;
	for (i = 0; i < count; i++) {
		GElf_Phdr *segment = &kcore->segments[kcore->count];

		if (gelf_getphdr(elf, i, segment) && segment->p_type == PT_LOAD)
			kcore->count++;
	}
	return kcore;
}

int rvtrace_kcore_open(const char *path, struct rvtrace_kcore **out,
		       struct rvtrace_failure *error)
{
	struct rvtrace_kcore *kcore = NULL;
	Elf *elf;
	int fd;

	if (!path)
		path = "/proc/kcore";
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(error, -errno, path, errno == EPERM || errno == EACCES ?
			    "needs CAP_SYS_RAWIO, and a kernel that is not locked down" :
			    strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		kcore = read_segments(elf);
	elf_end(elf);
	if (!kcore) {
		close(fd);
		return fail(error, -EBADMSG, path, "not an ELF core file");
	}
	kcore->fd = fd;
	*out = kcore;
	return 0;
}

void rvtrace_kcore_close(struct rvtrace_kcore *kcore)
{
	if (!kcore)
		return;
	close(kcore->fd);
	free(kcore);
}

/* @at: offset into @segment */
static ssize_t read_segment(const struct rvtrace_kcore *kcore, const GElf_Phdr *segment, uint64_t at,
			    void *data, size_t size)
{
	size_t done = 0;
	ssize_t got;

	if (size > segment->p_memsz - at)
		size = segment->p_memsz - at;
	while (done < size) {
		got = pread(kcore->fd, (char *)data + done, size - done,
			    segment->p_offset + at + done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return done ? (ssize_t)done : -errno;
		if (!got)
			break;
		done += got;
	}
	return done;
}

ssize_t rvtrace_kcore_read(struct rvtrace_kcore *kcore, uint64_t address, void *data, size_t size)
{
	for (size_t i = 0; i < kcore->count; i++) {
		const GElf_Phdr *segment = &kcore->segments[i];

		if (address - segment->p_vaddr < segment->p_memsz)
			return read_segment(kcore, segment, address - segment->p_vaddr, data, size);
	}
	return -EFAULT;
}

/* What is mapped page by page has 0 or -1. */
static bool has_physical(const GElf_Phdr *segment, uint64_t physical)
{
	return segment->p_paddr && segment->p_paddr != UINT64_MAX &&
	       physical - segment->p_paddr < segment->p_memsz;
}

ssize_t rvtrace_kcore_read_physical(struct rvtrace_kcore *kcore, uint64_t physical, void *data,
				    size_t size)
{
	for (size_t i = 0; i < kcore->count; i++) {
		const GElf_Phdr *segment = &kcore->segments[i];

		if (has_physical(segment, physical))
			return read_segment(kcore, segment, physical - segment->p_paddr, data, size);
	}
	return -EFAULT;
}
