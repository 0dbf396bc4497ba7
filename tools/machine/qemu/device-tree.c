// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Device-tree nodes of the trace hardware.
 */
#include "qemu/osdep.h"
#include "hw/rvtrace/device-tree.h"
#include "hw/rvtrace/options.h"
#include "include/uapi/linux/rvtrace_regs.h"
#include "system/device_tree.h"

/* Strings with a NUL between them, as in the device tree */
#define GENERIC	"\0riscv,trace-component"

static const struct {
	const char *name;
	const char *compatible[TCI_GENERATIONS];
} kinds[RVTRACE_KINDS] = {
	[RVTRACE_KIND_ENCODER] = { "trace-encoder", {
		[TCI_0] = "sifive,trace-encoder0\0",
		[TCI_0_9] = "riscv,trace-encoder-0.9\0",
		[TCI_1_0] = "riscv,trace-encoder" GENERIC "\0",
	} },
	[RVTRACE_KIND_FUNNEL] = { "trace-funnel", {
		[TCI_0] = "sifive,trace-funnel0\0",
		[TCI_0_9] = "riscv,trace-funnel-0.9\0",
		[TCI_1_0] = "riscv,trace-funnel" GENERIC "\0",
	} },
	[RVTRACE_KIND_RAM_SINK] = { "trace-ram-sink", {
		[TCI_1_0] = "riscv,trace-ram-sink" GENERIC "\0",
	} },
	[RVTRACE_KIND_PIB_SINK] = { "trace-pib-sink", {
		[TCI_1_0] = "riscv,trace-pib-sink" GENERIC "\0",
	} },
	[RVTRACE_KIND_ATB_BRIDGE] = { "trace-atb-bridge", {
		[TCI_1_0] = "riscv,trace-atb-bridge" GENERIC "\0",
	} },
	[RVTRACE_KIND_STM] = { "trace-stm", {
		[TCI_1_0] = "riscv,trace-osd-stm\0",
	} },
};

static RVTraceComponentClass *class_of(const RVTraceNode *node)
{
	return RVTRACE_COMPONENT_GET_CLASS(node->c);
}

static void fdt_reg(void *fdt, const char *node, hwaddr base, uint64_t size)
{
	qemu_fdt_setprop_sized_cells(fdt, node, "reg", 2, base, 2, size);
}

/* Return: path of the node; the caller frees it */
static char *fdt_path(const RVTraceNode *node)
{
	return g_strdup_printf("/soc/%s@%" HWADDR_PRIx,
			       kinds[class_of(node)->kind].name, node->c->base);
}

static void fdt_compatible(void *fdt, const char *path, const RVTraceNode *node)
{
	RVTraceComponentClass *cc = class_of(node);
	const char *list = kinds[cc->kind].compatible[cc->generation];
	const char *end = list;

	while (*end) {
		end += strlen(end) + 1;
	}
	qemu_fdt_setprop(fdt, path, "compatible", list, end - list);
}

static void fdt_ring(void *fdt, const RVTraceRing *ring, bool noncoherent)
{
	g_autofree char *path = fdt_path(ring->node);
	g_autofree char *memory = g_strdup_printf(
		"/reserved-memory/trace@%" HWADDR_PRIx, ring->base);
	uint32_t phandle = qemu_fdt_alloc_phandle(fdt);

	qemu_fdt_add_subnode(fdt, memory);
	fdt_reg(fdt, memory, ring->base, ring->size);
	qemu_fdt_setprop_cell(fdt, memory, "phandle", phandle);
	qemu_fdt_setprop_cell(fdt, path, "memory-region", phandle);
	if (noncoherent) {
		qemu_fdt_setprop(fdt, path, "dma-noncoherent", NULL, 0);
	}
}

static void fdt_property(void *fdt, const char *path,
			 const struct te_property *property)
{
	if (property->text) {
		qemu_fdt_setprop_string(fdt, path, property->name,
					property->text);
	} else {
		qemu_fdt_setprop_cell(fdt, path, property->name,
				      property->value);
	}
}

/* What no register of an encoder says of its formats, by the names of the binding */
static void fdt_formats(void *fdt, const RVTraceNode *node)
{
	const struct te_config *config = &RVTRACE_ENCODER(node->c)->config;
	g_autofree char *path = fdt_path(node);
	const char *name;
	unsigned int n, i;

	for (n = 0; (name = te_config_node(config, n)); n++) {
		g_autofree char *format = g_strdup_printf("%s/%s", path, name);
		struct te_property property;

		qemu_fdt_add_subnode(fdt, format);
		for (i = 0; te_config_property(config, n, i, &property); i++) {
			fdt_property(fdt, format, &property);
		}
	}
}

/* How events are emitted */
static void fdt_events(void *fdt, const char *path)
{
	if (rvtrace_options.event_csr) {
		qemu_fdt_setprop_cell(fdt, path, "csr",
				      rvtrace_options.event_csr);
	}
	if (rvtrace_options.event_hint) {
		qemu_fdt_setprop(fdt, path, "hints", NULL, 0);
	}
}

static void fdt_software_trace(void *fdt, const RVTraceNode *node)
{
	g_autofree char *path = fdt_path(node);
	g_autofree char *port = g_strdup_printf("%s/software-trace", path);

	if (!RVTRACE_ENCODER(node->c)->config.port) {
		return;
	}
	qemu_fdt_add_subnode(fdt, port);
	fdt_events(fdt, port);
}

static void fdt_node(void *fdt, const RVTraceNode *node)
{
	g_autofree char *path = fdt_path(node);

	qemu_fdt_add_subnode(fdt, path);
	fdt_compatible(fdt, path, node);
	fdt_reg(fdt, path, node->c->base, RVTRACE_PAGE);
	if (node->hart >= 0) {
		g_autofree char *cpu = g_strdup_printf("/cpus/cpu@%d",
						       node->hart);

		qemu_fdt_setprop_cell(fdt, path, "cpus",
				      qemu_fdt_get_phandle(fdt, cpu));
	}
	if (class_of(node)->kind == RVTRACE_KIND_ENCODER) {
		fdt_formats(fdt, node);
		fdt_software_trace(fdt, node);
	}
	if (class_of(node)->kind == RVTRACE_KIND_STM) {
		fdt_events(fdt, path);
	}
}

/* Return: path of a new port; the caller frees it. A lone one has no number. */
static char *fdt_port(void *fdt, const RVTraceNode *node, const char *direction,
		      int number)
{
	g_autofree char *path = fdt_path(node);
	g_autofree char *ports = g_strdup_printf("%s/%s", path, direction);
	char *port = number < 0 ? g_strdup_printf("%s/port", ports) :
		g_strdup_printf("%s/port@%x", ports, number);

	qemu_fdt_add_path(fdt, ports);
	if (number >= 0) {
		qemu_fdt_setprop_cell(fdt, ports, "#address-cells", 1);
		qemu_fdt_setprop_cell(fdt, ports, "#size-cells", 0);
	}
	qemu_fdt_add_subnode(fdt, port);
	if (number >= 0) {
		qemu_fdt_setprop_cell(fdt, port, "reg", number);
	}
	return port;
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

static void fdt_connect(void *fdt, const RVTraceNode *from, unsigned int n,
			const RVTraceNode *to)
{
	bool lone = from->c->output_count == 1;
	uint32_t input = from->c->outputs[n].input;
	bool funnel = class_of(to)->kind == RVTRACE_KIND_FUNNEL;
	g_autofree char *out = fdt_port(fdt, from, "out-ports",
					lone ? -1 : (int)n);
	g_autofree char *in = fdt_port(fdt, to, "in-ports",
				       funnel ? (int)input : -1);
	uint32_t out_phandle = qemu_fdt_alloc_phandle(fdt);
	uint32_t in_phandle = qemu_fdt_alloc_phandle(fdt);

	fdt_endpoint(fdt, in, in_phandle, out_phandle);
	fdt_endpoint(fdt, out, out_phandle, in_phandle);
}

static const RVTraceNode *node_at(const GArray *nodes, unsigned int i)
{
	return &g_array_index(nodes, RVTraceNode, i);
}

static const RVTraceNode *find(const GArray *nodes, const RVTraceComponent *c)
{
	unsigned int i;

	for (i = 0; node_at(nodes, i)->c != c; i++) {
	}
	return node_at(nodes, i);
}

static void fdt_outputs(void *fdt, const GArray *nodes,
			const RVTraceNode *node)
{
	unsigned int n;

	for (n = node->c->output_count; n-- > 0; ) {
		fdt_connect(fdt, node, n, find(nodes, node->c->outputs[n].to));
	}
}

/*
 * Linux counts harts from the one that boots on. OpenSBI draws lots, unless it
 * is told.
 */
static void fdt_boot_hart(void *fdt)
{
	const char *path = "/chosen/opensbi-config";

	qemu_fdt_add_subnode(fdt, path);
	qemu_fdt_setprop_string(fdt, path, "compatible", "opensbi,config");
	qemu_fdt_setprop_phandle(fdt, path, "cold-boot-harts", "/cpus/cpu@0");
}

void rvtrace_fdt(MachineState *ms, const GArray *nodes, const GArray *rings,
		 bool noncoherent)
{
	void *fdt = ms->fdt;
	unsigned int i;

	fdt_boot_hart(fdt);
	qemu_fdt_add_subnode(fdt, "/reserved-memory");
	qemu_fdt_setprop_cell(fdt, "/reserved-memory", "#address-cells", 2);
	qemu_fdt_setprop_cell(fdt, "/reserved-memory", "#size-cells", 2);
	qemu_fdt_setprop(fdt, "/reserved-memory", "ranges", NULL, 0);
	/* Nodes are put in front of those that exist: last one first. */
	for (i = nodes->len; i-- > 0; ) {
		if (!node_at(nodes, i)->hidden) {
			fdt_node(fdt, node_at(nodes, i));
		}
	}
	for (i = rings->len; i-- > 0; ) {
		fdt_ring(fdt, &g_array_index(rings, RVTraceRing, i),
			 noncoherent);
	}
	for (i = nodes->len; i-- > 0; ) {
		if (!node_at(nodes, i)->hidden) {
			fdt_outputs(fdt, nodes, node_at(nodes, i));
		}
	}
}
