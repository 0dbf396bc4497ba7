// SPDX-License-Identifier: GPL-2.0
/* What reading one input may take. */
#include <malloc.h>
#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "budget.h"
#include "limit.h"
#include "target.h"

#define MEMORY		(64.0 * 1024 * 1024)
#define MEMORY_PER_BYTE	64.0
#define CPU		1.0
#define CPU_PER_BYTE	2e-6

size_t fuzz_size;
uint64_t fuzz_extra_us;

static struct {
	atomic_llong now;		/* bytes */
	atomic_llong peak;
	long long before;
	struct timespec began;
} used;

static void add(long long bytes)
{
	long long now = atomic_fetch_add(&used.now, bytes) + bytes;

	/* Nearly always one thread allocates at a time. */
	if (now > atomic_load(&used.peak))
		atomic_store(&used.peak, now);
}

#ifdef FUZZ_SANITIZED

#define CPU_FACTOR	20

/* As <sanitizer/allocator_interface.h>, which gcc does not have, declares them */
size_t __sanitizer_get_allocated_size(const volatile void *data);
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
					      void (*freed)(const volatile void *));

static void allocated(const volatile void *data, size_t size)
{
	if (data)
		add(size);
}

static void freed(const volatile void *data)
{
	if (data)
		add(-(long long)__sanitizer_get_allocated_size(data));
}

__attribute__((constructor))
static void count(void)
{
	__sanitizer_install_malloc_and_free_hooks(allocated, freed);
}

#else

#define CPU_FACTOR	5

/* Those of the C library, which calls these instead from here on. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *data, size_t size);
void __libc_free(void *data);

static void *counted(void *data)
{
	if (data)
		add(malloc_usable_size(data));
	return data;
}

void *malloc(size_t size)
{
	return counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return counted(__libc_calloc(count, size));
}

void *realloc(void *data, size_t size)
{
	long long before = data ? malloc_usable_size(data) : 0;
	void *moved = __libc_realloc(data, size);

	if (moved || !size)
		add(-before);
	return counted(moved);
}

void free(void *data)
{
	if (data)
		add(-(long long)malloc_usable_size(data));
	__libc_free(data);
}

#endif /* FUZZ_SANITIZED */

static double factor(void)
{
	const char *patience = getenv("RVTRACE_PATIENCE");

	return CPU_FACTOR * (patience ? atof(patience) : 1);
}

static double seconds(size_t size)
{
	return CPU + CPU_PER_BYTE * size;
}

unsigned int budget_seconds(size_t size)
{
	return ceil(factor() * seconds(size));
}

void budget_begin(size_t size)
{
	fuzz_size = size;
	fuzz_extra_us = 0;
	used.before = atomic_load(&used.now);
	atomic_store(&used.peak, used.before);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used.began);
}

void budget_end(struct cost *most)
{
	double memory = atomic_load(&used.peak) - used.before, time;
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	time = now.tv_sec - used.began.tv_sec + 1e-9 * (now.tv_nsec - used.began.tv_nsec);
	memory /= MEMORY + MEMORY_PER_BYTE * fuzz_size;
	time /= seconds(fuzz_size) + 1e-6 * fuzz_extra_us;
	most->memory = fmax(most->memory, memory);
	most->time = fmax(most->time, time);
	promise(memory <= 1);
	promise(time <= factor());
}
