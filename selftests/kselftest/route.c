// SPDX-License-Identifier: GPL-2.0
/* Components with several out-ports, or sinks: where their trace goes, and where it does not. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define FOLDER_MAX	512

/* Folder of component @n that can choose, an encoder or not; false when there are fewer. */
static bool chooser(unsigned int n, bool encoder, char folder[FOLDER_MAX])
{
	char file[FOLDER_MAX + 8];

	for (unsigned int i = 0; component(i); i++) {
		snprintf(folder, FOLDER_MAX, "%s", component(i));
		snprintf(file, sizeof(file), "%sroute", folder);
		if (!access(file, F_OK) && encoder == !!strstr(folder, "/encoder") && !n--)
			return true;
	}
	return false;
}

static const char *file_in(const char *folder, const char *name)
{
	static char file[FOLDER_MAX + 64];

	snprintf(file, sizeof(file), "%s%s", folder, name);
	return file;
}

/* Call @each for every way from @folder, with that chosen; then the first one is again. */
static void each_route(const char *folder, void (*each)(const char *folder, const char *next))
{
	char available[256], first[64], *name, *rest = NULL;

	snprintf(available, sizeof(available), "%s", get(file_in(folder, "route_available")));
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(available, " "), available);
	for (name = strtok_r(available, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		EXPECT_EQ(put(file_in(folder, "route"), name), 0);
		EXPECT(is(file_in(folder, "route"), name));
		each(folder, name);
	}
	EXPECT_EQ(put(file_in(folder, "route"), first), 0);
}

/* Nothing but @next, of what is behind @folder, is enabled. */
static void expect_enabled(const char *folder, const char *next)
{
	char available[256], file[FOLDER_MAX], *name, *rest = NULL;

	snprintf(available, sizeof(available), "%s", get(file_in(folder, "route_available")));
	for (name = strtok_r(available, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		snprintf(file, sizeof(file), "/sys/bus/rvtrace_tci/devices/%s/enable", name);
		EXPECT(is(file, strcmp(name, next) ? "0" : "1"));
	}
}

static void trace_along(const char *folder, const char *next)
{
	char tracing[128], sink[64], pib[FOLDER_MAX];

	snprintf(pib, sizeof(pib), "/sys/bus/rvtrace_tci/devices/%s/pib_mode", next);
	if (!access(pib, F_OK))
		EXPECT_EQ(put(pib, "parallel-4"), 0);
	snprintf(sink, sizeof(sink), "%s", get(file_in(folder, "sink_name")));
	EXPECT(*sink);
	snprintf(tracing, sizeof(tracing), "/sys/class/rvtrace_sink/%s/tracing", sink);
	EXPECT_EQ(put(tracing, "1"), 0);
	expect_enabled(folder, next);
	EXPECT_EQ(put(file_in(folder, "route"), next), -EBUSY);
	burn(5);
	EXPECT_EQ(put(tracing, "0"), 0);
	EXPECT(is(file_in(folder, "enable"), "0"));
}

static void every_route_of_a_funnel_leads_to_its_sink(void)
{
	char folder[FOLDER_MAX];
	unsigned int n = 0;

	while (chooser(n, false, folder)) {
		each_route(folder, trace_along);
		n++;
	}
	if (!n)
		skip("no funnel has several out-ports");
}

/* An encoder traces its own hart only. */
static bool run_where_it_traces(const char *folder)
{
	cpu_set_t one;

	if (!strstr(folder, "/encoder"))
		return run_on_encoder0();
	CPU_ZERO(&one);
	CPU_SET(get_number(file_in(folder, "cpus")), &one);
	return !sched_setaffinity(0, sizeof(one), &one);
}

static bool is_memory(const char *kind)
{
	return !strcmp(kind, "sram") || !strcmp(kind, "system-memory");
}

/* What a page has of a PIB and an ATB bridge works in a session whose trace goes there. */
static void expect_block(const char *folder, const char *block, bool works)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_active", block);
	if (access(file_in(folder, name), F_OK))
		return;
	EXPECT(is(file_in(folder, name), works ? "1" : "0"));
	snprintf(name, sizeof(name), "%s_enable", block);
	EXPECT(is(file_in(folder, name), works ? "1" : "0"));
}

static void expect_blocks(const char *folder, const char *kind)
{
	expect_block(folder, "pib", !strcmp(kind, "pib"));
	expect_block(folder, "atb", !strcmp(kind, "atb"));
}

/* A session of a component whose trace goes to what it has of @kind in its page, or on. */
static void trace_to(const char *folder, const char *kind)
{
	char sink[64], tracing[128], head[128];
	long long before;

	if (!strcmp(kind, "pib"))
		EXPECT_EQ(put(file_in(folder, "pib_mode"), "parallel-4"), 0);
	snprintf(sink, sizeof(sink), "%s", get(file_in(folder, "sink_name")));
	EXPECT(*sink);
	snprintf(tracing, sizeof(tracing), "/sys/class/rvtrace_sink/%s/tracing", sink);
	snprintf(head, sizeof(head), "/sys/class/rvtrace_sink/%s/head", sink);
	EXPECT_EQ(put(tracing, "1"), 0);
	EXPECT(is(file_in(folder, "enable"), "1"));
	expect_blocks(folder, kind);
	EXPECT_EQ(put(file_in(folder, "sink"), kind), -EBUSY);
	before = get_number(head);
	burn(5);
	EXPECT_EQ(put(tracing, "0"), 0);
	EXPECT(is(file_in(folder, "enable"), "0"));
	expect_blocks(folder, "");
	EXPECT(!is_memory(kind) || get_number(head) > before);
	EXPECT(is_memory(kind) || !strcmp(kind, "funnel") || get_number(head) == before);
}

/* Call trace_to() for every kind of sink that @folder lists. */
static void trace_to_each(const char *folder)
{
	char available[256], before[64], *kind, *rest = NULL;

	snprintf(available, sizeof(available), "%s", get(file_in(folder, "sink_available")));
	snprintf(before, sizeof(before), "%s", get(file_in(folder, "sink")));
	for (kind = strtok_r(available, " ", &rest); kind; kind = strtok_r(NULL, " ", &rest)) {
		EXPECT_EQ(put(file_in(folder, "sink"), kind), 0);
		trace_to(folder, kind);
		if (has_failed())
			printf("# %s: %s\n", folder, kind);
	}
	EXPECT_EQ(put(file_in(folder, "sink"), before), 0);
}

static void every_sink_in_a_page_can_be_led_to(void)
{
	char folder[FOLDER_MAX];
	unsigned int n = 0;

	for (unsigned int i = 0; component(i); i++) {
		snprintf(folder, sizeof(folder), "%s", component(i));
		if (access(file_in(folder, "sink_available"), F_OK) ||
		    !strchr(get(file_in(folder, "sink_available")), ' '))
			continue;
		EXPECT(run_where_it_traces(folder));
		trace_to_each(folder);
		n++;
	}
	if (!n)
		skip("nothing has several sinks in its page");
}

/* The first kind of sink that encoder 0 has to itself, or an empty string */
static void own_kind(char kind[64])
{
	char available[256], *name, *rest = NULL;

	snprintf(available, sizeof(available), "%s",
		 access(ENCODER0 "sink_available", F_OK) ? "" : get(ENCODER0 "sink_available"));
	*kind = '\0';
	for (name = strtok_r(available, " ", &rest); name && !*kind;
	     name = strtok_r(NULL, " ", &rest))
		if (strcmp(name, "funnel"))
			snprintf(kind, 64, "%s", name);
}

/* Encoder 0 sends to a sink of its own, encoder 1 to the one behind the funnels. */
static void trace_beside(const char *first, const char *second)
{
	EXPECT_EQ(put(first, "1"), 0);
	EXPECT_EQ(put(second, "1"), 0);
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	EXPECT(is(ENCODER1 "inst_tracing", "1"));
	burn(5);
	EXPECT_EQ(put(first, "0"), 0);
	EXPECT_EQ(put(second, "0"), 0);
}

static void a_sink_in_a_page_works_beside_the_one_behind_funnels(void)
{
	char kind[64], before[64], tracing[128];

	own_kind(kind);
	if (!*kind || access(ENCODER1, F_OK)) {
		skip("encoder 0 has no sink to itself, or is alone");
		return;
	}
	if (!strcmp(kind, "pib"))
		EXPECT_EQ(put(ENCODER0 "pib_mode", "parallel-4"), 0);
	snprintf(before, sizeof(before), "%s", get(ENCODER0 "sink"));
	EXPECT_EQ(put(ENCODER0 "sink", kind), 0);
	snprintf(tracing, sizeof(tracing), "/sys/class/rvtrace_sink/%s/tracing",
		 get(ENCODER0 "sink_name"));
	EXPECT(strcmp(tracing, of_sink("tracing")));
	trace_beside(tracing, of_sink("tracing"));
	trace_beside(of_sink("tracing"), tracing);
	EXPECT_EQ(put(ENCODER0 "sink", before), 0);
}

static void what_is_not_behind_an_out_port_is_refused(void)
{
	char folder[FOLDER_MAX], before[64];

	if (!chooser(0, false, folder) && !chooser(0, true, folder)) {
		skip("nothing has several out-ports");
		return;
	}
	snprintf(before, sizeof(before), "%s", get(file_in(folder, "route")));
	EXPECT_EQ(put(file_in(folder, "route"), "encoder0"), -EINVAL);
	EXPECT_EQ(put(file_in(folder, "route"), "0"), -EINVAL);
	EXPECT_EQ(put(file_in(folder, "route"), "\n"), -EINVAL);
	EXPECT(is(file_in(folder, "route"), before));
}

/* Inputs that a funnel throws away now, as its register reads; -1 when it cannot say */
static long discarded(const char *funnel)
{
	char file[FOLDER_MAX], line[256], *at;
	long inputs = -1;
	FILE *in;

	snprintf(file, sizeof(file), "/sys/kernel/debug/rvtrace_tci/%s/registers", funnel);
	in = fopen(file, "re");
	while (in && fgets(line, sizeof(line), in)) {
		at = strstr(line, "dis_input=");
		if (at)
			sscanf(at, "dis_input=%li", &inputs);
	}
	if (in)
		fclose(in);
	return inputs;
}

/* The other sink's name of an encoder that has one to itself, or an empty string */
static void own_sink(const char *encoder, char name[64])
{
	char available[256], *last;

	snprintf(available, sizeof(available), "%s", get(file_in(encoder, "route_available")));
	last = strrchr(available, ' ');
	snprintf(name, 64, "%s", last ? last + 1 : "");
}

static void a_funnel_throws_away_what_is_routed_elsewhere(void)
{
	char first[FOLDER_MAX], second[FOLDER_MAX], sink[64];

	if (!chooser(0, true, first) || !chooser(1, true, second)) {
		skip("no two encoders have several out-ports");
		return;
	}
	own_sink(first, sink);
	if (!*sink || discarded("funnel0") < 0) {
		skip("the encoder has no other sink, or funnels tell nothing");
		return;
	}
	EXPECT_EQ(put(file_in(second, "enable"), "1"), 0);
	EXPECT_EQ(discarded("funnel0"), 0);
	EXPECT_EQ(put(file_in(first, "route"), sink), 0);
	EXPECT_EQ(put(file_in(first, "enable"), "1"), 0);
	EXPECT(discarded("funnel0") > 0);
	EXPECT(is(FUNNEL "dis_input", "0"));
	EXPECT_EQ(put(file_in(first, "enable"), "0"), 0);
	EXPECT_EQ(put(file_in(first, "route"), "funnel0"), 0);
	EXPECT_EQ(put(file_in(first, "enable"), "1"), 0);
	EXPECT_EQ(discarded("funnel0"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

static const struct test tests[] = {
	TEST(every_route_of_a_funnel_leads_to_its_sink),
	TEST(every_sink_in_a_page_can_be_led_to),
	TEST(a_sink_in_a_page_works_beside_the_one_behind_funnels),
	TEST(what_is_not_behind_an_out_port_is_refused),
	TEST(a_funnel_throws_away_what_is_routed_elsewhere),
};

int main(void)
{
	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
