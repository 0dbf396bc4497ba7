// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines of ELF files, through libdw: in a process of its own, as nothing bounds what DWARF
 * of a stranger's makes of memory and time, and libdw reads bytes that nobody has checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "symbols.h"
#include "tools/lib/base/pass.h"
#include "tools/tracectl/tracectl.h"

#define TEXT_MAX	4096
#define CACHED		1024	/* addresses, one for each place in the table */
#define PROCESSES	3	/* at most, one after the other */

/* docs/formats.md, "What reading costs" */
#define MEMORY		(64ULL << 20)
#define MEMORY_PER_BYTE	64
#define BYTES		500000	/* for a second of the processor */
#define QUESTIONS	1000000

struct question {
	uint32_t file;		/* with a descriptor if the process has fewer */
	uint64_t address;
};

struct answer {
	int line;
	char text[TEXT_MAX];	/* "": not known */
};

struct lines {
	int fd;
	const char *name;
	bool failed;
	unsigned int process;	/* the one that has the file as @number */
	uint32_t number;
};

static struct cached {
	const struct lines *lines;
	uint64_t address;
	int line;
	char *text;		/* NULL: not known */
} cache[CACHED];

/* The process that answers, -1 in @socket without one */
static struct {
	int socket;
	pid_t pid;
	unsigned int number;
	uint32_t files;
} process = { .socket = -1 };

/* What was stripped is looked for by who opens the lines. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)module;
	(void)userdata;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)found;
	return -1;
}

/* NULL: it has none. @fd is closed with it. */
static Dwfl_Module *read_file(int fd)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;

	if (!dwfl)
		return NULL;
	dwfl_report_begin(dwfl);
	module = dwfl_report_elf(dwfl, "program", "", fd, 0, false);
	dwfl_report_end(dwfl, NULL, NULL);
	return module;
}

static void find(Dwfl_Module *module, uint64_t address, struct answer *answer)
{
	const char *text = NULL;
	Dwarf_Addr bias;
	Dwfl_Line *found;

	answer->line = 0;
	answer->text[0] = 0;
	/* addresses of the file, which dwfl may have moved */
	if (!module || !dwfl_module_getelf(module, &bias))
		return;
	found = dwfl_module_getsrc(module, address + bias);
	if (found)
		text = dwfl_lineinfo(found, NULL, &answer->line, NULL, NULL, NULL);
	if (text && strlen(text) < TEXT_MAX)
		strcpy(answer->text, text);
}

static uint64_t memory_in_use(void)
{
	unsigned long long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	/* what RLIMIT_DATA limits */
	if (!file || fscanf(file, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

static void limit(uint64_t used, uint64_t bytes, uint64_t questions)
{
	const struct rlimit memory = {
		used + MEMORY + MEMORY_PER_BYTE * bytes, RLIM_INFINITY
	};
	const struct rlimit time = {
		2 + bytes / BYTES + questions / QUESTIONS, RLIM_INFINITY
	};

	/* what a sanitizer reserves is not used */
#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_DATA, &memory);
#else
	(void)memory;
#endif
	setrlimit(RLIMIT_CPU, &time);
}

__attribute__((noreturn)) static void answer_questions(int socket)
{
	uint64_t used = memory_in_use(), bytes = 0, count = 0;
	Dwfl_Module **modules = NULL;
	struct question question;
	struct answer answer;
	struct stat st;
	int fd;

	limit(used, bytes, count);
	while (pass_receive(socket, &question, sizeof(question), &fd) == sizeof(question)) {
		if (fd >= 0) {
			bytes += fstat(fd, &st) ? 0 : st.st_size;
			limit(used, bytes, count);
			modules = reallocarray(modules, question.file + 1, sizeof(*modules));
			if (!modules)
				break;
			modules[question.file] = read_file(fd);
		}
		if (!(++count % QUESTIONS))
			limit(used, bytes, count);
		find(modules[question.file], question.address, &answer);
		if (send(socket, &answer, offsetof(struct answer, text) + strlen(answer.text) + 1,
			 MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

static void silence(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd;

	for (fd = 0; fd < 3; fd++)
		dup2(null, fd);
}

static bool start_process(void)
{
	int ends[2];

	if (process.socket >= 0)
		return true;
	if (process.number == PROCESSES ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	process.pid = fork();
	if (!process.pid) {
		close(ends[0]);
		silence();
		answer_questions(ends[1]);
	}
	close(ends[1]);
	if (process.pid < 0) {
		close(ends[0]);
		return false;
	}
	process.socket = ends[0];
	process.number++;
	process.files = 0;
	return true;
}

static int end_process(void)
{
	int status = 0;

	close(process.socket);
	process.socket = -1;
	waitpid(process.pid, &status, 0);
	return status;
}

static bool ask(struct lines *lines, uint64_t address, struct answer *answer)
{
	struct question question = { .address = address };
	int fd = -1;

	if (lines->process != process.number) {
		fd = lines->fd;
		lines->process = process.number;
		lines->number = process.files++;
	}
	question.file = lines->number;
	return !pass_send(process.socket, &question, sizeof(question), fd) &&
	       recv(process.socket, answer, sizeof(*answer), 0) > 0;
}

/* Why there are no more lines of this file; those of others are asked for again. */
static void give_up(struct lines *lines)
{
	int status = end_process();

	lines->failed = true;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGXCPU)
		warn_text("%s: no source lines: libdw ended: %s", lines->name,
			  strsignal(WTERMSIG(status)));
	else
		warn_text("%s: no source lines: libdw needs more %s than its size allows",
			  lines->name, WIFSIGNALED(status) ? "time" : "memory");
}

static void forget(struct cached *cached)
{
	free(cached->text);
	*cached = (struct cached) { 0 };
}

struct lines *lines_open(int fd, const char *name)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->fd = fd;
	lines->name = name;
	return lines;
}

void lines_close(struct lines *lines)
{
	size_t i;

	for (i = 0; lines && i < CACHED; i++)
		if (cache[i].lines == lines)
			forget(&cache[i]);
	free(lines);
}

void lines_end(void)
{
	if (process.socket >= 0)
		end_process();
	process.number = 0;
}

const char *lines_find(struct lines *lines, uint64_t address, int *line)
{
	struct cached *cached = &cache[address / 2 % CACHED];
	struct answer answer;

	if (cached->lines != lines || cached->address != address) {
		if (lines->failed || !start_process())
			return NULL;
		if (!ask(lines, address, &answer)) {
			give_up(lines);
			return NULL;
		}
		forget(cached);
		*cached = (struct cached) {
			.lines = lines,
			.address = address,
			.line = answer.line,
			.text = answer.text[0] ? strdup(answer.text) : NULL,
		};
	}
	*line = cached->line;
	return cached->text;
}
