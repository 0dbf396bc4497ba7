// SPDX-License-Identifier: GPL-2.0
/* tracectl report: calls in JSON. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report_json.h"

static void add_number(struct json_object *object, const char *name, uint64_t value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

static void add_text(struct json_object *object, const char *name, const char *text)
{
	json_object_object_add(object, name, text && *text ? json_object_new_string(text) : NULL);
}

/* In the unit of the view; null: unknown. */
static void add_time(struct json_object *object, const struct view *view, const char *name,
		     uint64_t ticks, bool known)
{
	char text[48];

	snprintf(text, sizeof(text), "%s_%s", name, view_time_unit(view));
	json_object_object_add(object, text, known ?
			       json_object_new_uint64(view_span(view, ticks)) : NULL);
}

/* The likeliest, the least and the most. */
static void add_span(struct json_object *o, const struct view *view, const char *name,
		     const struct rvtrace_call_span *span)
{
	char text[48];

	add_time(o, view, name, span->best, span->most);
	snprintf(text, sizeof(text), "%s_least", name);
	add_time(o, view, text, span->least, span->most);
	snprintf(text, sizeof(text), "%s_most", name);
	add_time(o, view, text, span->most, span->most && span->most != RVTRACE_CALL_NO_TIME);
}

static void add_calls(struct json_object *o, const struct view *view,
		      const struct report_calls_of *of)
{
	const struct view_lane *lane = of->timed ? view_lane(view, of->worst_lane) : NULL;
	struct json_object *worst;

	add_number(o, "calls", of->calls);
	add_span(o, view, "cpu", &of->cpu);
	add_span(o, view, "total", &of->total);
	worst = of->timed ? json_object_new_object() : NULL;
	json_object_object_add(o, "worst", worst);
	if (!worst)
		return;
	add_time(worst, view, "duration", of->worst.best, true);
	add_time(worst, view, "least", of->worst.least, true);
	add_time(worst, view, "most", of->worst.most, of->worst.most != RVTRACE_CALL_NO_TIME);
	if (of->worst_at.best != RVTRACE_CALL_NO_TIME)
		add_number(worst, "at", view_time(view, of->worst_at.best));
	if (lane && lane->tid > 0)
		add_number(worst, "tid", lane->tid);
}

static struct json_object *function_json(const struct view *view, uint32_t id,
					 const struct report_calls_of *of)
{
	const struct view_function *f = view_function(view, id);
	struct json_object *o = json_object_new_object();

	add_text(o, "function", f->named ? f->name : NULL);
	add_text(o, f->module && f->file ? "module" : "file", f->named ? f->file : f->name);
	json_object_object_add(o, "kernel", json_object_new_boolean(f->kernel));
	add_number(o, "address", f->address);
	add_number(o, "instructions", of->self_instructions);
	add_number(o, "total_instructions", of->instructions);
	add_span(o, view, "self", &of->self);
	add_calls(o, view, of);
	return o;
}

static struct json_object *kinds_json(const struct view *view, const struct report_kinds *kinds)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < kinds->count; i++) {
		struct json_object *o = json_object_new_object();

		add_text(o, "name", kinds->list[i].name);
		add_calls(o, view, &kinds->list[i].calls);
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *cpus_json(const struct view *view, const struct report_calls *c)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < c->cpu_count; i++) {
		struct json_object *o = json_object_new_object();

		add_number(o, "hart", c->cpus[i].hart);
		add_time(o, view, "busy", c->cpus[i].busy, true);
		add_time(o, view, "idle", c->cpus[i].idle, true);
		add_time(o, view, "interrupts", c->cpus[i].interrupts, true);
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *node_json(const struct view *view, const struct report_node *node)
{
	struct json_object *o = json_object_new_object(), *children;
	const struct report_node *child;
	char text[256];

	add_text(o, "name", report_label_name(view, &node->label, text, sizeof(text)));
	add_number(o, "calls", node->calls);
	add_time(o, view, "total", node->total, true);
	add_time(o, view, "cpu", node->cpu, node->label.kind != REPORT_REST);
	add_number(o, "instructions", node->instructions);
	if (!node->child)
		return o;
	children = json_object_new_array();
	json_object_object_add(o, "callees", children);
	for (child = node->child; child; child = child->next)
		json_object_array_add(children, node_json(view, child));
	return o;
}

static struct json_object *tree_json(const struct view *view, struct report_tree *tree)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	struct json_object *slowest, *path;
	const struct report_node *node;
	char text[256];

	json_object_object_add(o, "functions", list);
	report_tree_sort(&tree->all);
	for (node = tree->all.child; node; node = node->next)
		json_object_array_add(list, node_json(view, node));
	if (!tree->slowest)
		return o;
	report_tree_sort(tree->slowest);
	slowest = node_json(view, tree->slowest);
	path = json_object_new_array();
	json_object_object_add(o, "slowest", slowest);
	json_object_object_add(slowest, "path", path);
	for (size_t i = 0; i < tree->path_count; i++)
		json_object_array_add(path, json_object_new_string(
				      report_label_name(view, &tree->path[i], text, sizeof(text))));
	add_time(slowest, view, "least", tree->span.least, true);
	add_time(slowest, view, "most", tree->span.most,
		 tree->span.most != RVTRACE_CALL_NO_TIME);
	return o;
}

void report_json(struct json_object *all, const struct view *view, struct report_calls *c,
		 enum report_sort sort)
{
	struct json_object *functions = json_object_new_array();
	uint32_t count, *ids = report_sorted(c, sort, &count);

	json_object_object_add(all, "functions", functions);
	for (uint32_t i = 0; ids && i < count; i++)
		json_object_array_add(functions, function_json(view, ids[i],
							       &c->functions[ids[i]]));
	free(ids);
	json_object_object_add(all, "system_calls", kinds_json(view, &c->system_calls));
	json_object_object_add(all, "interrupts", kinds_json(view, &c->interrupts));
	json_object_object_add(all, "exceptions", kinds_json(view, &c->exceptions));
	json_object_object_add(all, "cpus", cpus_json(view, c));
	add_number(all, "gaps", c->gaps);
	add_number(all, "losses", c->losses);
	add_number(all, "cut_calls", c->cut);
	if (c->tree)
		json_object_object_add(all, "callees", tree_json(view, c->tree));
}
