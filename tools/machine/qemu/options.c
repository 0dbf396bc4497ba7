// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Properties of the machine: trace, trace-NAME.
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "hw/rvtrace/board.h"
#include "hw/rvtrace/options.h"

#define RING_MAX	(16 * GiB)
#define MAX_SPARES	8

/* Of triggers of a hart: trace-on, trace-off, trace-notify */
#define DEBUG_ACTIONS	(1u << 2 | 1u << 3 | 1u << 4)

RVTraceOptions rvtrace_options = {
	.scontext = 32,
	.event_csr = 0x8f0,
	.buffer = 16 * MiB,
	.stm_buffer = 1 * MiB,
	.hardware = { .generation = TCI_0_9, .encoders = RVTRACE_MAX_MANY },
};

static bool get_trace(Object *obj, Error **errp)
{
	return rvtrace_options.trace;
}

static void set_trace(Object *obj, bool value, Error **errp)
{
	rvtrace_options.trace = value;
}

static bool get_noncoherent(Object *obj, Error **errp)
{
	return rvtrace_options.noncoherent;
}

static void set_noncoherent(Object *obj, bool value, Error **errp)
{
	rvtrace_options.noncoherent = value;
}

static char *get_log(Object *obj, Error **errp)
{
	return g_strdup(rvtrace_options.log);
}

static void set_log(Object *obj, const char *value, Error **errp)
{
	g_free(rvtrace_options.log);
	rvtrace_options.log = g_strdup(value);
}

static char *get_truth(Object *obj, Error **errp)
{
	return g_strdup(rvtrace_options.truth);
}

static void set_truth(Object *obj, const char *value, Error **errp)
{
	g_free(rvtrace_options.truth);
	rvtrace_options.truth = g_strdup(value);
}

static bool get_calls(Object *obj, Error **errp)
{
	return rvtrace_options.calls;
}

static void set_calls(Object *obj, bool value, Error **errp)
{
	rvtrace_options.calls = value;
}

/* @opaque: which, a size in rvtrace_options */
static void get_size(Object *obj, Visitor *v, const char *name, void *opaque,
		     Error **errp)
{
	visit_type_size(v, name, opaque, errp);
}

static void set_size(Object *obj, Visitor *v, const char *name, void *opaque,
		     Error **errp)
{
	uint64_t size;

	if (!visit_type_size(v, name, &size, errp)) {
		return;
	}
	if (size < 4 * KiB || size > RING_MAX || size % (4 * KiB)) {
		error_setg(errp, "%s: %" PRIu64 " is not a multiple of 4k up to "
			   "%" PRIu64 "G", name, size,
			   (uint64_t)(RING_MAX / GiB));
		return;
	}
	*(uint64_t *)opaque = size;
}

static bool get_stm(Object *obj, Error **errp)
{
	return rvtrace_options.hardware.stm;
}

static void set_stm(Object *obj, bool value, Error **errp)
{
	rvtrace_options.hardware.stm = value;
}

static void get_scontext(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	visit_type_uint32(v, name, &rvtrace_options.scontext, errp);
}


static void get_debug_actions(Object *obj, Visitor *v, const char *name,
			      void *opaque, Error **errp)
{
	uint32_t actions = rvtrace_debug_actions();

	visit_type_uint32(v, name, &actions, errp);
}

static void set_debug_actions(Object *obj, Visitor *v, const char *name,
			      void *opaque, Error **errp)
{
	uint32_t actions;

	if (!visit_type_uint32(v, name, &actions, errp)) {
		return;
	}
	if (actions & ~DEBUG_ACTIONS) {
		error_setg(errp, "%s: 0x%x is not a set of 2, 3 and 4", name,
			   actions);
		return;
	}
	rvtrace_options.debug_actions = actions;
	rvtrace_options.debug_actions_given = true;
}

static void get_spares(Object *obj, Visitor *v, const char *name, void *opaque,
		       Error **errp)
{
	visit_type_uint32(v, name, &rvtrace_options.hardware.spares, errp);
}

/* A number from @min to @max */
static void set_count(Visitor *v, const char *name, uint32_t *count,
		      uint32_t min, uint32_t max, Error **errp)
{
	uint32_t value;

	if (!visit_type_uint32(v, name, &value, errp)) {
		return;
	}
	if (value < min || value > max) {
		error_setg(errp, "%s: %u is not %u to %u", name, value, min,
			   max);
		return;
	}
	*count = value;
}

static void set_scontext(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	set_count(v, name, &rvtrace_options.scontext, 0, 32, errp);
}

static void get_event_csr(Object *obj, Visitor *v, const char *name,
			  void *opaque, Error **errp)
{
	visit_type_uint32(v, name, &rvtrace_options.event_csr, errp);
}

static void set_event_csr(Object *obj, Visitor *v, const char *name,
			  void *opaque, Error **errp)
{
	set_count(v, name, &rvtrace_options.event_csr, 0, 0xfff, errp);
}

static bool get_event_hint(Object *obj, Error **errp)
{
	return rvtrace_options.event_hint;
}

static void set_event_hint(Object *obj, bool value, Error **errp)
{
	rvtrace_options.event_hint = value;
}

static void set_spares(Object *obj, Visitor *v, const char *name, void *opaque,
		       Error **errp)
{
	set_count(v, name, &rvtrace_options.hardware.spares, 0, MAX_SPARES, errp);
}

static void get_encoders(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	visit_type_uint32(v, name, &rvtrace_options.hardware.encoders, errp);
}

static void set_encoders(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	set_count(v, name, &rvtrace_options.hardware.encoders, 1, RVTRACE_MAX_MANY,
		  errp);
}

static void get_ring(Object *obj, Visitor *v, const char *name, void *opaque,
		     Error **errp)
{
	visit_type_uint64(v, name, &rvtrace_options.ring, errp);
}

/* Where RAM is it is not known yet. */
static void set_ring(Object *obj, Visitor *v, const char *name, void *opaque,
		     Error **errp)
{
	visit_type_uint64(v, name, &rvtrace_options.ring, errp);
}

static void get_bus_offset(Object *obj, Visitor *v, const char *name,
			   void *opaque, Error **errp)
{
	visit_type_uint64(v, name, &rvtrace_options.bus_offset, errp);
}

static void set_bus_offset(Object *obj, Visitor *v, const char *name,
			   void *opaque, Error **errp)
{
	visit_type_uint64(v, name, &rvtrace_options.bus_offset, errp);
}

static char *get_out(Object *obj, Error **errp)
{
	return g_strdup(rvtrace_options.out);
}

static void set_out(Object *obj, const char *value, Error **errp)
{
	g_free(rvtrace_options.out);
	rvtrace_options.out = g_strdup(value);
}

static char *get_topology(Object *obj, Error **errp)
{
	return g_strdup(rvtrace_topology_names[rvtrace_options.hardware.topology]);
}

static void set_topology(Object *obj, const char *value, Error **errp)
{
	unsigned int i;

	for (i = 0; i < RVTRACE_TOPOLOGIES; i++) {
		if (!strcmp(rvtrace_topology_names[i], value)) {
			rvtrace_options.hardware.topology = i;
			return;
		}
	}
	error_setg(errp, "trace-topology: there is no %s", value);
}

static char *get_generation(Object *obj, Error **errp)
{
	return g_strdup(generation_of(rvtrace_options.hardware.generation)->name);
}

static void set_generation(Object *obj, const char *value, Error **errp)
{
	unsigned int i;

	for (i = 0; i < TCI_GENERATIONS; i++) {
		if (!strcmp(generation_of(i)->name, value)) {
			rvtrace_options.hardware.generation = i;
			return;
		}
	}
	error_setg(errp, "trace-generation: there is no %s", value);
}

static char *get_profile(Object *obj, Error **errp)
{
	const struct profile *profile = rvtrace_profile(rvtrace_options.hardware.generation);

	return g_strdup(profile ? profile->name : PROFILE_GENERIC);
}

static void set_profile(Object *obj, const char *value, Error **errp)
{
	if (strcmp(value, PROFILE_GENERIC) && !profile_named(value)) {
		error_setg(errp, "trace-profile: there is no %s", value);
		return;
	}
	g_free(rvtrace_options.profile);
	rvtrace_options.profile = g_strdup(value);
}

uint32_t rvtrace_debug_actions(void)
{
	const struct profile *profile = rvtrace_profile(rvtrace_options.hardware.generation);

	if (rvtrace_options.debug_actions_given) {
		return rvtrace_options.debug_actions;
	}
	return profile ? profile->debug_actions : 0;
}

const struct profile *rvtrace_profile(enum tci generation)
{
	const struct profile *profile = rvtrace_options.profile ?
		profile_named(rvtrace_options.profile) : profile_of(generation);

	return profile && profile->generation == generation ? profile : NULL;
}

static void add_truth(ObjectClass *oc)
{
	object_class_property_add_str(oc, "trace-truth", get_truth, set_truth);
	object_class_property_set_description(oc, "trace-truth",
		"Log what hart N retires between markers to this name + .N");
	object_class_property_add_bool(oc, "trace-truth-calls", get_calls, set_calls);
	object_class_property_set_description(oc, "trace-truth-calls",
		"And its calls to that name + .calls.N (default off)");
}

void rvtrace_board_class_init(ObjectClass *oc)
{
	object_class_property_add_bool(oc, "trace", get_trace, set_trace);
	object_class_property_set_description(oc, "trace",
		"Trace encoders and a funnel (default off)");
	object_class_property_add(oc, "trace-buffer", "size", get_size,
				  set_size, NULL, &rvtrace_options.buffer);
	object_class_property_set_description(oc, "trace-buffer",
		"Reserved memory for the trace (default 16M)");
	object_class_property_add(oc, "trace-ring", "uint64", get_ring,
				  set_ring, NULL, NULL);
	object_class_property_set_description(oc, "trace-ring",
		"Where that memory is (default: it ends 256M above the beginning of RAM)");
	object_class_property_add(oc, "trace-bus-offset", "uint64",
				  get_bus_offset, set_bus_offset, NULL, NULL);
	object_class_property_set_description(oc, "trace-bus-offset",
		"How far above its address for harts sinks find RAM, and nowhere else (default 0)");
	object_class_property_add_str(oc, "trace-generation", get_generation, set_generation);
	object_class_property_set_description(oc, "trace-generation",
		"Trace Control Interface: 0, 0.9 (default) or 1.0");
	object_class_property_add_str(oc, "trace-profile", get_profile, set_profile);
	object_class_property_set_description(oc, "trace-profile",
		"Hardware that the components are like by default: p550 or generic");
	object_class_property_add_str(oc, "trace-topology", get_topology, set_topology);
	object_class_property_set_description(oc, "trace-topology",
		"How components are connected: flat (default), nested, mixed or many");
	object_class_property_add(oc, "trace-encoders", "uint32", get_encoders,
				  set_encoders, NULL, NULL);
	object_class_property_set_description(oc, "trace-encoders",
		"How many encoders there are with trace-topology=many (default 32)");
	object_class_property_add_str(oc, "trace-out", get_out, set_out);
	object_class_property_set_description(oc, "trace-out",
		"What leaves the chip goes to this name + .COMPONENT.pib or .atb, what was to leave it to .sent");
	object_class_property_add(oc, "trace-scontext", "uint32", get_scontext,
				  set_scontext, NULL, NULL);
	object_class_property_set_description(oc, "trace-scontext",
		"Bits of the CSR scontext (default 32; 0: not there)");
	object_class_property_add(oc, "trace-event-csr", "uint32",
				  get_event_csr, set_event_csr, NULL, NULL);
	object_class_property_set_description(oc, "trace-event-csr",
		"CSR whose writes emit software trace events (default 0x8f0; 0: not there)");
	object_class_property_add_bool(oc, "trace-event-hint", get_event_hint,
				       set_event_hint);
	object_class_property_set_description(oc, "trace-event-hint",
		"slti x0, rs1, imm emits software trace events, too");
	object_class_property_add_bool(oc, "trace-stm", get_stm, set_stm);
	object_class_property_set_description(oc, "trace-stm",
		"An Open SoC Debug System Trace Module for each hart");
	object_class_property_add(oc, "trace-stm-buffer", "size", get_size,
				  set_size, NULL, &rvtrace_options.stm_buffer);
	object_class_property_set_description(oc, "trace-stm-buffer",
		"Reserved memory for each of them (default 1M)");
	object_class_property_add(oc, "trace-debug-actions", "uint32",
				  get_debug_actions, set_debug_actions, NULL,
				  NULL);
	object_class_property_set_description(oc, "trace-debug-actions",
		"Actions for trace that triggers of harts can have: bit mask of 2, 3, 4");
	object_class_property_add_bool(oc, "trace-noncoherent",
				       get_noncoherent, set_noncoherent);
	object_class_property_set_description(oc, "trace-noncoherent",
		"Harts see what the sink wrote when they invalidate their caches");
	object_class_property_add(oc, "trace-spare", "uint32", get_spares,
				  set_spares, NULL, NULL);
	object_class_property_set_description(oc, "trace-spare",
		"Encoders and funnels more that the device tree does not name");
	object_class_property_add_str(oc, "trace-log", get_log, set_log);
	object_class_property_set_description(oc, "trace-log",
		"File that register accesses of the trace devices go to");
	add_truth(oc);
}
