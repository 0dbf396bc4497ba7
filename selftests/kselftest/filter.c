// SPDX-License-Identifier: GPL-2.0
/* Filters, comparators and filter registers: values, what is refused, what reaches the hardware. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define REGISTERS	"/sys/kernel/debug/rvtrace_tci/encoder0/registers"
#define FILTER0		ENCODER0 "filter0/"
#define COMPARATOR0	ENCODER0 "comparator0/"
#define WORD0		ENCODER0 "filter_word0/"

static unsigned int choices;

static bool is_unit(const char *name)
{
	return !strncmp(name, "filter", 6) || !strncmp(name, "comparator", 10);
}

static void each_choice(void (*each)(const char *file, const char *available))
{
	DIR *dir = opendir(ENCODER0);
	struct dirent *entry;
	char folder[512];

	choices = 0;
	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || !is_unit(entry->d_name))
			continue;
		snprintf(folder, sizeof(folder), ENCODER0 "%.200s/", entry->d_name);
		each_choice_in(folder, each);
	}
	if (dir)
		closedir(dir);
	if (!choices && !has_failed())
		skip("no filters");
}

static void keeps(const char *file, const char *value)
{
	choices++;
	EXPECT_EQ(put(file, value), 0);
	EXPECT(is(file, value));
}

static void write_number(const char *file, unsigned long long mask, unsigned long long value)
{
	char number[24];

	snprintf(number, sizeof(number), "0x%llx", value);
	if (value & ~mask)
		refuses(file, number);
	else
		keeps(file, number);
}

static void write_bits(const char *file, const char *available)
{
	unsigned long long mask = strtoull(available, NULL, 0);

	for (unsigned int bit = 0; bit < 64; bit++)
		write_number(file, mask, 1ULL << bit);
	write_number(file, mask, mask);
	write_number(file, mask, mask ^ 0xff);
}

static bool is_set(const char *file)
{
	const char *name = strrchr(file, '/') + 1;

	return !strncmp(name, "match_choice_", 13);
}

/* What a value of a field, or a member of a set, is called; NULL: its number */
static const char *value_name(const char *file, unsigned int value)
{
	static const struct {
		const char *field, *names[8];
	} fields[] = {
		{ "p_input", { "iaddr", "context", "tval", "daddr" } },
		{ "s_input", { "iaddr", "context", "tval", "daddr" } },
		{ "p_function", { "equal", "not-equal", "less", "less-or-equal", "greater",
				  "greater-or-equal", "never", "always" } },
		{ "s_function", { "equal", "not-equal", "less", "less-or-equal", "greater",
				  "greater-or-equal", "mask", "always" } },
		{ "match_mode", { "primary", "both", "not-both", "from-to" } },
		{ "match_choice_privilege", { "user", "supervisor", NULL, "machine", "debug",
					      "virtual-user", "virtual-supervisor" } },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(strrchr(file, '/') + 1, fields[i].field))
			return value < 8 ? fields[i].names[value] : NULL;
	return NULL;
}

/* Whether the hardware keeps it or not, a name means the same as its number. */
static void write_small_number(const char *file, const char *list, unsigned int value)
{
	const char *name = value_name(file, value);
	char number[16];

	snprintf(number, sizeof(number), "%u", value);
	if (!name)
		name = number;
	if (is_listed(list, name)) {
		EXPECT_EQ(put(file, number), 0);
		EXPECT(is(file, name));
	} else {
		refuses(file, number);
		if (name != number)
			refuses(file, name);
	}
}

/* Each value that is listed; of a set also all of them together and none; then numbers */
static void write_list(const char *file, const char *list)
{
	char copy[4096], all[4096], *value, *rest;

	snprintf(copy, sizeof(copy), "%s", list);
	snprintf(all, sizeof(all), "%s", list);
	for (value = strtok_r(copy, " ", &rest); value; value = strtok_r(NULL, " ", &rest))
		keeps(file, value);
	for (value = all; is_set(file) && *value; value++)
		if (*value == ' ')
			*value = ',';
	if (is_set(file)) {
		keeps(file, all);
		keeps(file, "none");
	}
	for (unsigned int i = 0; i < 64; i++)
		write_small_number(file, list, i);
}

static void write_choice(const char *file, const char *available)
{
	static const char *const bad[] = {
		"nonsense", "-1", " ", "1 2", "64", "1,", "0x10000000000000000", "user,nobody",
	};
	char before[512];

	snprintf(before, sizeof(before), "%s", get(file));
	if (!strncmp(available, "0x", 2))
		write_bits(file, available);
	else
		write_list(file, available);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (strncmp(available, "0x", 2) || strcmp(bad[i], "64"))
			refuses(file, bad[i]);
	EXPECT_EQ(put(file, before), 0);
}

static void what_is_available_can_be_chosen_and_nothing_else(void)
{
	each_choice(write_choice);
	printf("# %u values were chosen\n", choices);
}

static void is_busy(const char *file, const char *available)
{
	char before[512];

	(void)available;
	choices++;
	snprintf(before, sizeof(before), "%s", get(file));
	EXPECT_EQ(put(file, before), -EBUSY);
}

static void nothing_can_be_chosen_in_a_session(void)
{
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	each_choice(is_busy);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

static void write_last(const char *file, const char *available)
{
	const char *last = strrchr(available, ' ');

	choices++;
	EXPECT_EQ(put(file, last ? last + 1 : available), 0);
}

static void is_nothing(const char *file, const char *available)
{
	const char *value = get(file), *first = is_set(file) ? "none" : available;

	choices++;
	if (strcmp(value, "0x0") && strncmp(value, first, strlen(value)))
		fail(__FILE__, __LINE__, "%s: %s", file, value);
}

static void reset_forgets_all_that_was_chosen(void)
{
	each_choice(write_last);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	each_choice(is_nothing);
}

/* The line of a register as it reads now; empty without debugfs */
static const char *registers(const char *offset)
{
	FILE *file = fopen(REGISTERS, "r");
	static char line[1024];

	while (file && fgets(line, sizeof(line), file) && strncmp(line, offset, strlen(offset)))
		line[0] = '\0';
	if (file)
		fclose(file);
	else
		line[0] = '\0';
	return line;
}

static bool reads(const char *offset, const char *value)
{
	const char *line = registers(offset);

	if (strstr(line, value))
		return true;
	printf("# no %s: %s\n", value, line);
	return false;
}

static bool has(const char *file)
{
	return !access(file, F_OK);
}

static void chosen_values_are_in_the_hardware_in_every_session(void)
{
	if (!has(FILTER0 "match_comp1") || !has(REGISTERS)) {
		skip("no filters with comparators, or no debugfs");
		return;
	}
	EXPECT_EQ(put(COMPARATOR0 "p_match", "0x123456789a"), 0);
	EXPECT_EQ(put(COMPARATOR0 "p_function", "greater"), 0);
	EXPECT_EQ(put(COMPARATOR0 "match_mode", "both"), 0);
	EXPECT_EQ(put(FILTER0 "match_choice_ecause", "1,33"), 0);
	EXPECT_EQ(put(FILTER0 "match_choice_privilege", "user,machine"), 0);
	EXPECT_EQ(put(FILTER0 "enable", "1"), 0);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
		EXPECT(reads("0x610", "0x3456789a comparator0/p_match=0x3456789a"));
		EXPECT(reads("0x614", "0x00000012 comparator0/p_match(63:32)=0x12"));
		EXPECT(reads("0x600", "0x00001040"));
		EXPECT(reads("0x600", "comparator0/match_mode=0x1"));
		EXPECT(reads("0x404", "0x00000009 filter0/match_choice_privilege=0x9"));
		EXPECT(reads("0x408", "0x00000002"));
		EXPECT(reads("0x40c", "0x00000002"));
		EXPECT(reads("0x400", "0x00000001 filter0/enable=0x1"));
		EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	}
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(reads("0x600", "0x00000000"));
	EXPECT(reads("0x400", "0x00000000"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

static void filter_registers_are_written_as_they_are(void)
{
	if (!has(WORD0 "value") || !has(REGISTERS)) {
		skip("no filter registers, or no debugfs");
		return;
	}
	EXPECT_EQ(put(WORD0 "value", "0xdeadbeef"), 0);
	EXPECT_EQ(put(WORD0 "value", "0x100000000"), -EINVAL);
	EXPECT(is(WORD0 "value", "0xdeadbeef"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(reads("0x300", "0xdeadbeef"));
	EXPECT(reads("0x304", "0x00000000"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT(is(WORD0 "value", "0x0"));
}

/* Bytes of trace of some work on the hart of encoder0 */
static long long traced(void)
{
	char buffer[65536];
	long long bytes = 0;
	ssize_t n;
	int fd;

	if (put(ENCODER0 "enable", "1"))
		return -1;
	burn(20);
	put(ENCODER0 "enable", "0");
	fd = open(sink_device(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, buffer, sizeof(buffer))) > 0)
		bytes += n;
	if (fd >= 0)
		close(fd);
	return bytes;
}

static void what_no_filter_matches_is_not_traced(void)
{
	long long all, none;

	if (!has(FILTER0 "match_comp1")) {
		skip("no filters with comparators");
		return;
	}
	/* Software trace is not filtered. */
	if (has(ENCODER0 "software_trace"))
		EXPECT_EQ(put(ENCODER0 "software_trace", "0"), 0);
	all = traced();
	/* No address is below 0. */
	EXPECT_EQ(put(COMPARATOR0 "p_function", "less"), 0);
	EXPECT_EQ(put(FILTER0 "match_comp1", "1"), 0);
	EXPECT_EQ(put(FILTER0 "enable", "1"), 0);
	EXPECT(traced() > 1000);
	EXPECT_EQ(put(ENCODER0 "inst_filters", "1"), 0);
	none = traced();
	printf("# %lld bytes of trace, %lld with the filter\n", all, none);
	EXPECT(none >= 0 && none < 100 && all > 1000);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(what_is_available_can_be_chosen_and_nothing_else),
		TEST(nothing_can_be_chosen_in_a_session),
		TEST(reset_forgets_all_that_was_chosen),
		TEST(chosen_values_are_in_the_hardware_in_every_session),
		TEST(filter_registers_are_written_as_they_are),
		TEST(what_no_filter_matches_is_not_traced),
	};

	run_on_encoder0();
	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
