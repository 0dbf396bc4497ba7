// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sink that the caches of the harts know nothing of. What it writes is kept
 * aside, line by line, until a hart invalidates the line. A line that a hart
 * cleans or flushes counts as written by that hart, after the sink.
 */
#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "qemu/lockable.h"
#include "exec/address-spaces.h"
#include "exec/exec-all.h"
#include "hw/rvtrace/rvtrace.h"
#include "target/riscv/cpu.h"

#define LINE	64

/*
 * @memory: as the sink sees it, where the bit of a line in @ahead is set;
 *	NULL: the sink is coherent
 * @ram: as the harts see it
 */
static struct {
	QemuMutex lock;
	hwaddr base;
	uint64_t size;
	uint8_t *ram;
	uint8_t *memory;
	unsigned long *ahead;
} cache;

void rvtrace_cache_init(MemoryRegion *ram, hwaddr base)
{
	cache.base = base;
	cache.size = memory_region_size(ram);
	cache.ram = memory_region_get_ram_ptr(ram);
	cache.ahead = bitmap_new(cache.size / LINE);
	/* Pages that are never written to cost nothing. */
	cache.memory = g_malloc0(cache.size);
	qemu_mutex_init(&cache.lock);
}

bool rvtrace_cache_write(hwaddr addr, const uint8_t *data, size_t size)
{
	uint64_t start = addr - cache.base, line;

	if (!cache.memory || start >= cache.size ||
	    size > cache.size - start) {
		return false;
	}
	QEMU_LOCK_GUARD(&cache.lock);
	for (line = start / LINE; line * LINE < start + size; line++) {
		if (!test_and_set_bit(line, cache.ahead)) {
			memcpy(cache.memory + line * LINE,
			       cache.ram + line * LINE, LINE);
		}
	}
	memcpy(cache.memory + start, data, size);
	return true;
}

void rvtrace_cbo(CPURISCVState *env, uint64_t address, bool invalidate)
{
	void *host;
	uint64_t line;

	if (!cache.memory) {
		return;
	}
	probe_access_flags(env, address & ~(LINE - 1ull), LINE, MMU_DATA_LOAD,
			   riscv_env_mmu_index(env, false), true, &host, 0);
	if (!host || (uint8_t *)host < cache.ram ||
	    (uint8_t *)host >= cache.ram + cache.size) {
		return;
	}
	line = ((uint8_t *)host - cache.ram) / LINE;
	QEMU_LOCK_GUARD(&cache.lock);
	if (test_and_clear_bit(line, cache.ahead) && invalidate) {
		address_space_write(&address_space_memory,
				    cache.base + line * LINE,
				    MEMTXATTRS_UNSPECIFIED,
				    cache.memory + line * LINE, LINE);
	}
}
