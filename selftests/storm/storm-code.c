// SPDX-License-Identifier: GPL-2.0
/* Jobs: code that comes, goes and changes. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "storm.h"

#define PAGE		4096UL
#define ROUNDS		6

/* addi a0, a0, n; ret. In front of it as many NOPs as tell the files apart. */
#define NOP		0x00000013u
#define ADDI(n)		(0x00050513u | (uint32_t)(n) << 20)
#define RET		0x00008067u

static void write_code(uint32_t *code, unsigned int nops, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < nops; i++)
		code[i] = NOP;
	code[i++] = ADDI(n);
	code[i] = RET;
	__builtin___clear_cache((char *)code, (char *)(code + i + 1));
}

static bool adds(const void *code, unsigned int n)
{
	int (*function)(int);

	memcpy(&function, &code, sizeof(function));
	return function(5) == (int)(5 + n);
}

bool storm_use_library(void *handle, unsigned int number, uint32_t random)
{
	uint32_t (*function)(uint32_t);
	void *symbol = handle ? dlsym(handle, "storm_library") : NULL;

	memcpy(&function, &symbol, sizeof(function));
	return function && function(random) == random + number + 1;
}

static bool load_libraries(const struct storm *storm, uint32_t random)
{
	void *handle, *symbol, *last = NULL;
	unsigned int i, number;
	bool good = true;
	char *path;

	for (i = 0; i < ROUNDS && good; i++) {
		number = (random + i) % STORM_LIBRARIES;
		path = storm_path(storm->programs, "rvtrace-storm-library", number + 1);
		handle = path ? dlopen(path, RTLD_NOW) : NULL;
		free(path);
		if (!handle)
			return false;
		symbol = dlsym(handle, "storm_library");
		if (symbol == last)
			storm->totals->same_place++;
		last = symbol;
		good = storm_use_library(handle, number, random + i);
		dlclose(handle);
	}
	return good;
}

static bool run_libraries(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, load_libraries, random);
}

static bool use_libraries(const struct storm *storm, uint32_t random)
{
	unsigned int i;

	for (i = 0; i < STORM_LIBRARIES; i++)
		if (!storm_use_library(storm->libraries[i], i, random))
			return false;
	return true;
}

static bool run_resident_libraries(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, use_libraries, random);
}

bool storm_prepare_files(const struct storm *storm)
{
	uint32_t code[PAGE / sizeof(uint32_t)] = { 0 };
	unsigned int i;
	bool good;
	char *path;
	int fd;

	for (i = 0; i < STORM_FILES; i++) {
		write_code(code, 3 * i, 10 + i);
		path = storm_path(storm->directory, "code", i);
		fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700) : -1;
		good = fd >= 0 && write(fd, code, sizeof(code)) == sizeof(code);
		close(fd);
		free(path);
		if (!good)
			return false;
	}
	return true;
}

/* Files of code take each other's place; some are mapped first and executable later. */
static bool map_files(const struct storm *storm, uint32_t random)
{
	unsigned int i, number;
	void *code;
	char *path;
	int fd;

	for (i = 0; i < ROUNDS; i++) {
		bool later = (random >> i) & 1;

		number = (random + i) % STORM_FILES;
		path = storm_path(storm->directory, "code", number);
		fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		free(path);
		code = mmap((void *)STORM_FIXED, PAGE, PROT_READ | (later ? 0 : PROT_EXEC),
			    MAP_PRIVATE | MAP_FIXED, fd, 0);
		close(fd);
		if (code == MAP_FAILED ||
		    (later && mprotect(code, PAGE, PROT_READ | PROT_EXEC) < 0) ||
		    !adds(code, 10 + number))
			return false;
		storm->totals->same_place += i > 0;
		if (i % 3 == 2)
			munmap(code, PAGE);
	}
	return true;
}

static bool run_files(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, map_files, random);
}

/* Writable and executable at once, and rewritten. */
static bool rewrite_code(const struct storm *storm, uint32_t random)
{
	uint32_t *code = mmap((void *)STORM_JIT, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	unsigned int i, n;

	(void)storm;
	if (code == MAP_FAILED)
		return false;
	for (i = 0; i < 2 * ROUNDS; i++) {
		n = (random >> i) % 100;
		write_code(code, n % 7, n);
		if (!adds(code, n))
			return false;
	}
	return true;
}

/* Written, then made executable, then run. */
static bool protect_code(const struct storm *storm, uint32_t random)
{
	void *code = mmap((void *)(STORM_JIT + STORM_JIT_SIZE / 2), PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	unsigned int n = random % 100;

	(void)storm;
	if (code == MAP_FAILED)
		return false;
	write_code(code, n % 5, n);
	return !mprotect(code, PAGE, PROT_READ | PROT_EXEC) && adds(code, n);
}

static bool run_jit(const struct storm *storm, uint32_t random)
{
	return storm_call(storm, random & 1 ? rewrite_code : protect_code, random);
}

const struct storm_job storm_code_jobs[] = {
	{ "libraries", run_libraries, true },
	{ "resident libraries", run_resident_libraries, false },
	{ "files", run_files, true },
	{ "JIT", run_jit, true },
	{ }
};
