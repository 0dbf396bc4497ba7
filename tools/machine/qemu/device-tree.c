// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Device-tree nodes of the trace hardware.
 */
#include "qemu/osdep.h"
#include "hw/rvtrace/device-tree.h"
#include "hw/rvtrace/rvtrace.h"
#include "system/device_tree.h"

static void fdt_reg(void *fdt, const char *node, hwaddr base, uint64_t size)
{
	qemu_fdt_setprop_sized_cells(fdt, node, "reg", 2, base, 2, size);
}

/* An `endpoint` below @port, joined to the endpoint @remote. */
static void fdt_endpoint(void *fdt, const char *port, uint32_t phandle,
			 uint32_t remote)
{
	g_autofree char *node = g_strdup_printf("%s/endpoint", port);

	qemu_fdt_add_subnode(fdt, node);
	qemu_fdt_setprop_cell(fdt, node, "phandle", phandle);
	qemu_fdt_setprop_cell(fdt, node, "remote-endpoint", remote);
}

/* Return: phandle of the reserved memory */
static uint32_t fdt_ring(void *fdt, hwaddr ring, uint64_t size)
{
	g_autofree char *node = g_strdup_printf(
		"/reserved-memory/trace@%" HWADDR_PRIx, ring);
	uint32_t phandle = qemu_fdt_alloc_phandle(fdt);

	qemu_fdt_add_subnode(fdt, "/reserved-memory");
	qemu_fdt_setprop_cell(fdt, "/reserved-memory", "#address-cells", 2);
	qemu_fdt_setprop_cell(fdt, "/reserved-memory", "#size-cells", 2);
	qemu_fdt_setprop(fdt, "/reserved-memory", "ranges", NULL, 0);
	qemu_fdt_add_subnode(fdt, node);
	fdt_reg(fdt, node, ring, size);
	qemu_fdt_setprop_cell(fdt, node, "phandle", phandle);
	return phandle;
}

static void fdt_encoder(void *fdt, unsigned int index, hwaddr base,
			uint32_t out, uint32_t in)
{
	g_autofree char *cpu = g_strdup_printf("/cpus/cpu@%u", index);
	g_autofree char *node = g_strdup_printf(
		"/soc/trace-encoder@%" HWADDR_PRIx, base);
	g_autofree char *ports = g_strdup_printf("%s/out-ports", node);
	g_autofree char *port = g_strdup_printf("%s/port", ports);

	qemu_fdt_add_subnode(fdt, node);
	qemu_fdt_setprop_string(fdt, node, "compatible",
				"riscv,trace-encoder-0.9");
	fdt_reg(fdt, node, base, RVTRACE_PAGE);
	qemu_fdt_setprop_cell(fdt, node, "cpus", qemu_fdt_get_phandle(fdt, cpu));
	qemu_fdt_add_subnode(fdt, ports);
	qemu_fdt_add_subnode(fdt, port);
	fdt_endpoint(fdt, port, out, in);
}

/* Return: path of the node; the caller frees it */
static char *fdt_funnel(void *fdt, hwaddr base, uint32_t memory)
{
	char *node = g_strdup_printf("/soc/trace-funnel@%" HWADDR_PRIx, base);
	g_autofree char *ports = g_strdup_printf("%s/in-ports", node);

	qemu_fdt_add_subnode(fdt, node);
	qemu_fdt_setprop_string(fdt, node, "compatible",
				"riscv,trace-funnel-0.9");
	fdt_reg(fdt, node, base, RVTRACE_PAGE);
	qemu_fdt_setprop_cell(fdt, node, "memory-region", memory);
	qemu_fdt_add_subnode(fdt, ports);
	qemu_fdt_setprop_cell(fdt, ports, "#address-cells", 1);
	qemu_fdt_setprop_cell(fdt, ports, "#size-cells", 0);
	return node;
}

static void fdt_funnel_port(void *fdt, const char *funnel, unsigned int index,
			    uint32_t in, uint32_t out)
{
	g_autofree char *port = g_strdup_printf("%s/in-ports/port@%u", funnel,
						index);

	qemu_fdt_add_subnode(fdt, port);
	qemu_fdt_setprop_cell(fdt, port, "reg", index);
	fdt_endpoint(fdt, port, in, out);
}

void rvtrace_fdt(MachineState *ms, hwaddr base, hwaddr ring, uint64_t size,
		 bool noncoherent)
{
	void *fdt = ms->fdt;
	g_autofree char *funnel = fdt_funnel(fdt,
		base + RVTRACE_FUNNEL_PAGE * RVTRACE_PAGE,
		fdt_ring(fdt, ring, size));
	unsigned int i;

	if (noncoherent) {
		qemu_fdt_setprop(fdt, funnel, "dma-noncoherent", NULL, 0);
	}
	/* Nodes are put in front of those that exist: last one first. */
	for (i = ms->smp.cpus; i-- > 0; ) {
		uint32_t out = qemu_fdt_alloc_phandle(fdt);
		uint32_t in = qemu_fdt_alloc_phandle(fdt);

		fdt_funnel_port(fdt, funnel, i, in, out);
		fdt_encoder(fdt, i, base + i * RVTRACE_PAGE, out, in);
	}
}
