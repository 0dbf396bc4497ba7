// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where the kernel's text is: vmlinux, modules, and what was generated at run
 * time (BPF programs, slots of kprobes, trampolines).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/bpf.h>

#include "tools/lib/base/fail.h"
#include "kcore.h"

#define PAGE		4096ULL
#define GENERATED_MAX	(64 * 1024ULL)	/* bytes kept behind a generated symbol */

struct finder {
	struct rvtrace_texts *texts;
	size_t room;
	uint64_t *data;			/* addresses of module sections that hold no code */
	size_t data_count, data_room;
	uint64_t start, end;		/* _stext, _etext */
	uint64_t stvec, switch_to;	/* handle_exception, __switch_to */
	struct rvtrace_flow_kernel kernel;
	uint64_t handlers, handlers_end;	/* excp_vect_table */
	struct rvtrace_failure *error;
};

static int add_range(struct finder *f, uint64_t start, uint64_t end, const char *name)
{
	struct rvtrace_text *range;

	if (f->texts->count == f->room) {
		size_t room = f->room ? 2 * f->room : 64;

		range = realloc(f->texts->ranges, room * sizeof(*range));
		if (!range)
			return fail(f->error, -ENOMEM, "kernel text", "out of memory");
		f->texts->ranges = range;
		f->room = room;
	}
	range = &f->texts->ranges[f->texts->count++];
	*range = (struct rvtrace_text) { .start = start, .end = end };
	snprintf(range->name, sizeof(range->name), "%s", name);
	return 0;
}

static int add_data(struct finder *f, uint64_t address)
{
	if (f->data_count == f->data_room) {
		size_t room = f->data_room ? 2 * f->data_room : 256;
		uint64_t *data = realloc(f->data, room * sizeof(*data));

		if (!data)
			return fail(f->error, -ENOMEM, "kernel text", "out of memory");
		f->data = data;
		f->data_room = room;
	}
	f->data[f->data_count++] = address;
	return 0;
}

/* [bpf] and the like: text that has no section and no size. */
static bool is_generated(const char *module)
{
	return !strcmp(module, "[bpf]") || !strncmp(module, "[__builtin__", 12);
}

static int add_generated(struct finder *f, uint64_t address, const char *module)
{
	struct rvtrace_text *last = f->texts->count ? &f->texts->ranges[f->texts->count - 1] : NULL;
	uint64_t start = address & ~(PAGE - 1);
	char name[64];

	/* Symbols are sorted within what generated them. */
	if (last && start >= last->start && start < last->end && strcmp(last->name, "vmlinux")) {
		last->end = start + GENERATED_MAX;
		return 0;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(module + 1, "]"), module + 1);
	return add_range(f, start, start + GENERATED_MAX, name);
}

static bool any_bpf(void)
{
	union bpf_attr attr = { .start_id = 0 };

	return !syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) ||
	       (errno != ENOENT && errno != ENOSYS);
}

static bool any_kprobe(void)
{
	FILE *file = fopen("/sys/kernel/debug/kprobes/list", "re");
	bool any = file && fgetc(file) != EOF;

	if (file)
		fclose(file);
	return any;
}

/*
 * Generated text comes last among half a million symbols, whose reading takes
 * seconds on a slow machine.
 */
static bool any_generated(const char *root)
{
	return *root || any_bpf() || any_kprobe();
}

/* "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME\t[MODULE]", cut; @module: "" without one. */
static bool cut_symbol(char *line, uint64_t *address, char **name, char **module)
{
	char *end;

	*address = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	*name = end + 3;
	end = *name + strcspn(*name, "\t \n");
	*module = end + strspn(end, "\t ");
	(*module)[strcspn(*module, "\t \n")] = 0;
	*end = 0;
	return **name;
}

/* Each is called once for every return address that changes. */
static const char *const return_writers[RVTRACE_RETURN_WRITERS] = {
	"arch_rethook_prepare", "function_graph_enter", "function_graph_enter_regs",
	"arch_uretprobe_hijack_return_addr", "arch_prepare_kretprobe",
};

static const char *const return_catchers[RVTRACE_RETURN_CATCHERS] = {
	"return_to_handler", "arch_rethook_trampoline", "__kretprobe_trampoline",
	"kretprobe_trampoline",
};

/* All names that Linux has had for them: none has others. */
static const char *const task_starts[RVTRACE_TASK_STARTS] = {
	"ret_from_fork", "ret_from_kernel_thread", "ret_from_fork_kernel_asm", "ret_from_fork_user_asm",
};

/* By number of a return writer in the kernel: the catchers of which one is its own */
static const uint8_t catchers_of[RVTRACE_RETURN_WRITERS] = { 1 << 1, 1 << 0, 1 << 0, 0, 3 << 2 };

static void find_one(const char *const *names, unsigned int count, const char *name,
		     uint64_t address, uint64_t *found)
{
	for (unsigned int i = 0; i < count && names[i]; i++)
		if (!strcmp(name, names[i]))
			found[i] = address;
}

static void find_functions(struct finder *f, const char *name, uint64_t address)
{
	struct rvtrace_flow_kernel *kernel = &f->kernel;

	find_one(return_writers, RVTRACE_RETURN_WRITERS, name, address, kernel->return_writers);
	find_one(return_catchers, RVTRACE_RETURN_CATCHERS, name, address, kernel->return_catchers);
	find_one(task_starts, RVTRACE_TASK_STARTS, name, address, kernel->task_starts);
	if (!strcmp(name, "signal_setup_done"))
		kernel->signal_setup = address;
	else if (!strcmp(name, "excp_vect_table"))
		f->handlers = address;
	else if (!strcmp(name, "excp_vect_table_end"))
		f->handlers_end = address;
}

/* Where the kernel's code is in memory, 0 if that is not said. */
static uint64_t find_physical(const char *root, uint64_t size)
{
	char path[4096], line[1024];
	uint64_t start, end;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/iomem", root);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, " : Kernel code") &&
			sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 &&
			end + 1 - start == size;
	if (file)
		fclose(file);
	return found ? start : 0;
}

/* A list that lacks the catcher of one writer is none. */
static void complete_catchers(struct rvtrace_flow_kernel *kernel)
{
	unsigned int i, n;

	for (i = 0; i < RVTRACE_RETURN_WRITERS; i++) {
		bool found = !kernel->return_writers[i] || !catchers_of[i];

		for (n = 0; n < RVTRACE_RETURN_CATCHERS; n++)
			found |= catchers_of[i] >> n & 1 && kernel->return_catchers[n];
		if (!found)
			memset(kernel->return_catchers, 0, sizeof(kernel->return_catchers));
	}
}

/* Older kernels have one for threads of the kernel alone, besides; newer ones two. */
static void complete_starts(struct rvtrace_flow_kernel *kernel)
{
	uint64_t *starts = kernel->task_starts;

	if (!starts[0] && !(starts[2] && starts[3]))
		memset(starts, 0, sizeof(kernel->task_starts));
}

static int read_kallsyms(struct finder *f, const char *root)
{
	bool all = any_generated(root);
	char path[4096], line[1024], *name, *module;
	struct rvtrace_text *range;
	uint64_t address;
	FILE *file;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	file = fopen(path, "re");
	if (!file)
		return fail(f->error, -errno, path, strerror(errno));
	while (!ret && (all || !f->end || !f->handlers_end) && fgets(line, sizeof(line), file)) {
		if (!cut_symbol(line, &address, &name, &module))
			continue;
		if (!strcmp(name, "_stext"))
			f->start = address;
		else if (!strcmp(name, "_etext"))
			f->end = address;
		else if (!strcmp(name, "handle_exception") && !*module)
			f->stvec = address;
		else if (!strcmp(name, "__switch_to") && !*module)
			f->switch_to = address;
		else if (is_generated(module) && address)
			ret = add_generated(f, address, module);
		else if (!*module)
			find_functions(f, name, address);
	}
	fclose(file);
	if (ret)
		return ret;
	if (!f->start || f->end <= f->start)
		return fail(f->error, -EPERM, path,
			    "addresses are hidden: needs CAP_SYSLOG and kernel.kptr_restrict below 2");
	ret = add_range(f, f->start, f->end, "vmlinux");
	if (ret)
		return ret;
	range = &f->texts->ranges[f->texts->count - 1];
	range->stvec = f->stvec;
	range->switch_to = f->switch_to;
	range->physical = find_physical(root, f->end - f->start);
	complete_catchers(&f->kernel);
	complete_starts(&f->kernel);
	range->kernel = f->kernel;
	range->handlers = f->handlers;
	range->handlers_end = f->handlers_end;
	return 0;
}

/* Sections that say nothing: code, and what is freed once the module is live. */
static bool is_no_data(const char *name)
{
	return strstr(name, ".text") || !strcmp(name, ".plt") || strstr(name, ".init") ||
	       !strcmp(name, ".symtab") || !strcmp(name, ".strtab");
}

static int read_section(struct finder *f, int folder, const char *name)
{
	char text[64];
	ssize_t got;
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;	/* a module on its way out */
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return 0;
	text[got] = 0;
	return add_data(f, strtoull(text, NULL, 16));
}

static int read_sections(struct finder *f, const char *root, const char *module)
{
	char path[4096];
	struct dirent *entry;
	DIR *folder;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/sys/module/%s/sections", root, module);
	folder = opendir(path);
	if (!folder)
		return 0;
	while (!ret && (entry = readdir(folder)))
		if (entry->d_name[0] && strcmp(entry->d_name, ".") &&
		    strcmp(entry->d_name, "..") && !is_no_data(entry->d_name))
			ret = read_section(f, dirfd(folder), entry->d_name);
	closedir(folder);
	return ret;
}

static int read_modules(struct finder *f, const char *root)
{
	char path[4096], line[4096], name[128], state[32];
	unsigned long long size, address;
	FILE *file;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/proc/modules", root);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? 0 : fail(f->error, -errno, path, strerror(errno));
	while (!ret && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%127s %llu %*s %*s %31s %llx", name, &size, state, &address) != 4)
			ret = fail(f->error, -EBADMSG, path,
				   "a line without size, state and address");
		else if (!address)
			ret = fail(f->error, -EPERM, path,
				   "addresses are hidden: needs CAP_SYSLOG");
		else
			ret = add_range(f, address, (address + size + PAGE - 1) & ~(PAGE - 1),
					name);
		if (!ret)
			ret = read_sections(f, root, name);
	}
	fclose(file);
	return ret;
}

static int by_start(const void *a, const void *b)
{
	const struct rvtrace_text *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/*
 * The size of a module counts its data too, which lies elsewhere: its text
 * ends at the latest where other text, or any section without code, starts.
 */
static void clip(struct finder *f)
{
	struct rvtrace_text *range;
	size_t i, k, kept = 0;

	if (!f->texts->count)
		return;
	qsort(f->texts->ranges, f->texts->count, sizeof(*range), by_start);
	for (i = 0; i < f->texts->count; i++) {
		range = &f->texts->ranges[i];
		if (i + 1 < f->texts->count && range->end > range[1].start)
			range->end = range[1].start;
		for (k = 0; k < f->data_count; k++)
			if (f->data[k] > range->start && f->data[k] < range->end &&
			    strcmp(range->name, "vmlinux"))
				range->end = f->data[k];
		if (range->end > range->start)
			f->texts->ranges[kept++] = *range;
	}
	f->texts->count = kept;
}

int rvtrace_texts_find(const char *root, struct rvtrace_texts *out,
		       struct rvtrace_failure *error)
{
	struct finder f = { .texts = out, .error = error };
	int ret;

	memset(out, 0, sizeof(*out));
	ret = read_kallsyms(&f, root);
	if (!ret)
		ret = read_modules(&f, root);
	if (!ret)
		clip(&f);
	free(f.data);
	if (ret) {
		free(out->ranges);
		memset(out, 0, sizeof(*out));
	}
	return ret;
}

int rvtrace_text_of_module(const char *root, const char *name, struct rvtrace_text *out,
			   struct rvtrace_failure *error)
{
	struct rvtrace_texts texts = { 0 };
	struct finder f = { .texts = &texts, .error = error };
	int ret = read_modules(&f, root);
	size_t i;

	if (!ret) {
		clip(&f);
		for (i = 0; i < texts.count && strcmp(texts.ranges[i].name, name); i++)
			;
		if (i < texts.count)
			*out = texts.ranges[i];
		else
			ret = -ENOENT;
	}
	free(f.data);
	free(texts.ranges);
	return ret;
}
