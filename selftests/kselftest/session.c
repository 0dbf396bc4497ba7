// SPDX-License-Identifier: GPL-2.0
/* Sessions: start, stop, sharing, flush, fill, loss. And what starts none. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static void start_and_stop_by_echo(void)
{
	long long session = get_number(of_sink("session")), head = get_number(of_sink("head"));

	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(of_sink("state"), "running"));
	EXPECT(is(of_sink("tracing"), "1"));
	EXPECT_EQ(get_number(of_sink("session")), session + 1);
	burn(20);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(is(of_sink("state"), "stopped"));
	EXPECT(is(of_sink("tracing"), "0"));
	EXPECT(get_number(of_sink("head")) > head);
	EXPECT(is(of_sink("lost"), "0"));
}

static void start_and_stop_twice_change_nothing(void)
{
	long long session;

	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	session = get_number(of_sink("session"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(get_number(of_sink("session")), session);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(get_number(of_sink("session")), session);
}

static void only_0_and_1_switch(void)
{
	static const char *const others[] = { "foo", "no", "off", "yes", "on", "2", "-1", "00", "10" };

	EXPECT_EQ(put(of_sink("tracing"), "1\n"), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		EXPECT_EQ(put(of_sink("tracing"), others[i]), -EINVAL);
		EXPECT_EQ(put(of_sink("flush"), others[i]), -EINVAL);
		EXPECT_EQ(put(ENCODER0 "enable", others[i]), -EINVAL);
		EXPECT(is(of_sink("tracing"), "1"));
		EXPECT(is(ENCODER0 "enable", "1"));
	}
	EXPECT_EQ(put(of_sink("tracing"), "0\n"), 0);
	EXPECT(is(of_sink("tracing"), "0"));
}

/* The folder of encoder number @n; NULL when there are fewer. Valid until the next call. */
static const char *encoder(unsigned int n)
{
	const char *folder;

	for (unsigned int i = 0; (folder = component(i)); i++)
		if (strstr(folder, "/encoder") && !n--)
			return folder;
	return NULL;
}

static void two_encoders_share_funnel_and_sink(void)
{
	long long session, head;
	char file[1024];

	if (access(ENCODER1, F_OK)) {
		skip("one encoder only");
		return;
	}
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	session = get_number(of_sink("session"));
	EXPECT(is(FUNNEL "enable", "1"));
	EXPECT(is(ENCODER1 "enable", "0"));
	EXPECT_EQ(put(ENCODER1 "enable", "1"), 0);
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT(is(FUNNEL "enable", "1"));
	EXPECT(is(of_sink("state"), "running"));
	EXPECT(is(ENCODER0 "active", "0"));
	EXPECT(is(ENCODER1 "inst_tracing", "1"));
	head = get_number(of_sink("head"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(is(ENCODER0 "enable", "1"));
	burn(20);
	EXPECT(get_number(of_sink("head")) > head);
	EXPECT_EQ(get_number(of_sink("session")), session);
	/* One after the other: it runs until there is none left. */
	for (unsigned int i = 0; encoder(i); i++) {
		EXPECT(is(FUNNEL "enable", "1"));
		EXPECT(is(of_sink("tracing"), "1"));
		EXPECT_EQ(put(strcat(strcpy(file, encoder(i)), "enable"), "0"), 0);
	}
	EXPECT(is(FUNNEL "enable", "0"));
	EXPECT(is(of_sink("tracing"), "0"));
}

static void encoders_that_share_a_sink_get_their_own_source_ids(void)
{
	char first[16], second[16];
	bool fixed;

	if (access(ENCODER1, F_OK)) {
		skip("one encoder only");
		return;
	}
	snprintf(first, sizeof(first), "%s", get(ENCODER0 "src_id"));
	snprintf(second, sizeof(second), "%s", get(ENCODER1 "src_id"));
	fixed = put(ENCODER1 "src_id", first);
	EXPECT(fixed == !!strcmp(first, get(ENCODER1 "src_id")));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	snprintf(first, sizeof(first), "%s", get(ENCODER0 "src_id"));
	EXPECT(strcmp(first, get(ENCODER1 "src_id")));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);

	EXPECT_EQ(put(ENCODER0 "inhibit_src", "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), -EINVAL);
	EXPECT(is(of_sink("tracing"), "0"));
	EXPECT(is(FUNNEL "active", "0"));
	EXPECT(is(ENCODER1 "active", "0"));
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	EXPECT_EQ(put(ENCODER1 "enable", "1"), -EINVAL);
	EXPECT(is(ENCODER0 "enable", "1"));
	EXPECT_EQ(put(ENCODER0 "enable", "0"), 0);
	EXPECT_EQ(put(ENCODER0 "inhibit_src", "0"), 0);
	EXPECT(fixed || !put(ENCODER0 "src_id", "0"));
	EXPECT(fixed || !put(ENCODER1 "src_id", second));
}

static void choose_sources(const char *id0, const char *bits0, const char *id1, const char *bits1)
{
	EXPECT_EQ(put(ENCODER0 "src_id", id0), 0);
	EXPECT_EQ(put(ENCODER0 "src_bits", bits0), 0);
	EXPECT_EQ(put(ENCODER1 "src_id", id1), 0);
	EXPECT_EQ(put(ENCODER1 "src_bits", bits1), 0);
}

static void source_is(const char *encoder, const char *id, const char *bits)
{
	char file[128];

	EXPECT(is(strcat(strcpy(file, encoder), "src_id"), id));
	EXPECT(is(strcat(strcpy(file, encoder), "src_bits"), bits));
}

static bool sources_are_fixed(void)
{
	if (access(ENCODER1, F_OK)) {
		skip("one encoder only");
		return true;
	}
	if (put(ENCODER0 "src_bits", "3") || put(ENCODER0 "src_bits", "2")) {
		skip("the width of source ids is fixed");
		return true;
	}
	return false;
}

static void stop_and_reset(void)
{
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT_EQ(put(ENCODER1 "reset", "1"), 0);
}

static void encoders_that_share_a_sink_have_source_ids_of_one_width(void)
{
	int log;

	if (sources_are_fixed())
		return;
	choose_sources("0", "3", "1", "4");
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(get_number(ENCODER0 "src_bits"), get_number(ENCODER1 "src_bits"));
	stop_and_reset();

	/* 5 would be sent as 1; who comes later has the width of those that trace. */
	choose_sources("5", "2", "1", "4");
	log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	EXPECT(log >= 0);
	lseek(log, 0, SEEK_END);
	EXPECT_EQ(put(ENCODER0 "enable", "1"), 0);
	source_is(ENCODER0, "0", "2");
	EXPECT(is_told(log, "encoder0: src_id: 5 is taken or too wide, 0 from now on"));
	close(log);
	EXPECT_EQ(put(ENCODER1 "enable", "1"), 0);
	source_is(ENCODER0, "0", "2");
	source_is(ENCODER1, "1", "2");
	stop_and_reset();
}

static void start_that_fails_leaves_source_ids_as_they_were(void)
{
	int ret;

	if (sources_are_fixed())
		return;
	if (system("rvtrace-fault encoder0 > /dev/null 2>&1")) {
		skip("the hardware cannot be made to fail");
		return;
	}
	choose_sources("1", "3", "1", "4");
	EXPECT(!system("rvtrace-fault encoder0 stuck=active"));
	ret = put(of_sink("tracing"), "1");
	EXPECT(!system("rvtrace-fault encoder0 stuck=none"));
	EXPECT_EQ(ret, -ETIMEDOUT);
	source_is(ENCODER0, "1", "3");
	source_is(ENCODER1, "1", "4");
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(strcmp(get(ENCODER0 "src_id"), "1") || strcmp(get(ENCODER1 "src_id"), "1"));
	stop_and_reset();
}

static void flush_brings_everything_to_memory_and_goes_on(void)
{
	const struct rvtrace_record_gap *gap;
	struct reader reader = {};
	uint64_t at;
	long long head;

	EXPECT_EQ(put(of_sink("flush"), "1"), -ENODATA);
	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	at = reader.control->records_tail;
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(is(of_sink("state"), "running"));
	EXPECT(is(ENCODER0 "inst_tracing", "1"));
	gap = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_GAP);
	EXPECT(gap);
	EXPECT_EQ(gap->reason, RVTRACE_GAP_FLUSH);
	EXPECT_EQ(gap->encoder, RVTRACE_GAP_ALL);
	EXPECT(gap->duration > 0);
	EXPECT(gap->header.position > reader.control->session_start);
	head = get_number(of_sink("head"));
	burn(10);
	EXPECT(get_number(of_sink("head")) > head);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(!reader_record(&reader, &at, RVTRACE_RECORD_GAP));
	EXPECT_EQ(put(of_sink("flush"), "0"), -EINVAL);
	reader_close(&reader);
}

static void fill_stops_at_the_wrap(void)
{
	char buffer[65536];
	struct reader reader = {};
	uint64_t total = 0;
	ssize_t n;

	EXPECT_EQ(put(of_sink("buffer_size"), "65536"), 0);
	EXPECT_EQ(put(of_sink("mode"), "fill"), 0);
	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	for (int i = 0; i < 500 && reader.control->state == RVTRACE_STATE_RUNNING; i++)
		burn(10);
	EXPECT_EQ(reader.control->state, RVTRACE_STATE_STOPPED);
	EXPECT_EQ(reader.control->mode, RVTRACE_MODE_FILL);
	EXPECT_EQ(reader.control->head - reader.control->session_start, 65536);
	EXPECT_EQ(reader.control->lost, 0);
	EXPECT(is(ENCODER0 "enable", "0"));
	EXPECT(is(FUNNEL "enable", "0"));
	while ((n = read(reader.fd, buffer, sizeof(buffer))) > 0)
		total += n;
	EXPECT_EQ(n, 0);
	EXPECT_EQ(total, 65536);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	reader_close(&reader);
}

static void small_ring_loses_and_counts(void)
{
	const struct rvtrace_record_lost *lost;
	const struct rvtrace_record_session_end *end;
	struct reader reader = {};
	uint64_t at, before, bytes = 0;
	char buffer[65536];
	ssize_t n;

	EXPECT_EQ(put(of_sink("buffer_size"), "65536"), 0);
	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	before = reader.control->records_tail;
	for (int i = 0; i < 500 && !reader.control->lost; i++)
		burn(10);
	EXPECT(reader.control->lost > 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(reader.control->lost,
		  reader.control->valid_from - reader.control->session_start);
	for (at = before; (lost = (const void *)reader_record(&reader, &at,
							      RVTRACE_RECORD_LOST)); ) {
		EXPECT(lost->end > lost->start);
		EXPECT_EQ(lost->header.position, lost->start);
		bytes += lost->end - lost->start;
	}
	EXPECT_EQ(bytes, reader.control->lost);
	at = before;
	end = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_SESSION_END);
	EXPECT(end);
	EXPECT_EQ(end->lost, bytes);
	EXPECT_EQ(end->error, 0);
	for (bytes = 0; (n = read(reader.fd, buffer, sizeof(buffer))) > 0; )
		bytes += n;
	EXPECT_EQ(bytes, reader.control->head - reader.control->valid_from);
	reader_close(&reader);
}

static void start_says_what_it_discards(void)
{
	const struct rvtrace_record_session_begin *begin = NULL, *next;
	struct reader reader = {};
	uint64_t at, unread;

	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	unread = get_number(of_sink("head")) - get_number(of_sink("tail"));
	EXPECT(unread > 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(reader_open(&reader));
	at = reader.control->records_tail;
	while ((next = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_SESSION_BEGIN)))
		begin = next;
	EXPECT(begin);
	EXPECT_EQ(begin->discarded, unread);
	EXPECT_EQ(begin->session, reader.control->session);
	EXPECT_EQ(begin->header.position, reader.control->session_start);
	EXPECT_EQ(begin->header.position % reader.control->data_size, 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	reader_close(&reader);
}

/* Nothing of this is a value of any file; each has one errno everywhere. */
static void write_bad_values(const char *file)
{
	static const struct {
		const char *text;
		int error;
	} bad[] = {
		{ "nonsense", -EINVAL }, { "-1", -EINVAL }, { "0x", -EINVAL }, { "1 2", -EINVAL },
		{ "\n", -EINVAL }, { " ", -EINVAL }, { "offf", -EINVAL }, { "%s%n", -EINVAL },
		{ "\377\376", -EINVAL }, { "1.5", -EINVAL }, { "1e3", -EINVAL },
		{ "0x1ffffffff", -ERANGE }, { "3000000000000", -ERANGE },
		{ "18446744073709551616", -ERANGE }, { "99999999999999999999999999", -ERANGE },
	};
	char before[256];
	int ret;

	snprintf(before, sizeof(before), "%s", get(file));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i += is_one_of_many(file) ? 5 : 1) {
		ret = put(file, bad[i].text);
		if (ret != bad[i].error && ret != -EINVAL)
			fail(__FILE__, __LINE__, "%s: '%s': %d", file, bad[i].text, ret);
		if (strcmp(get(file), before))
			fail(__FILE__, __LINE__, "%s: '%s' changed it from %s to %s", file,
			     bad[i].text, before, get(file));
	}
}

static unsigned int for_each_writable(const char *dir, void (*each)(const char *file))
{
	DIR *entries = opendir(dir);
	struct dirent *entry;
	unsigned int n = 0;
	struct stat st;
	char file[512];

	while (entries && (entry = readdir(entries))) {
		snprintf(file, sizeof(file), "%s%s", dir, entry->d_name);
		if (stat(file, &st) || !S_ISREG(st.st_mode) || !(st.st_mode & 0200) ||
		    !strcmp(entry->d_name, "uevent"))
			continue;
		each(file);
		n++;
	}
	if (entries)
		closedir(entries);
	return n;
}

static void bad_values_are_refused_everywhere_and_change_nothing(void)
{
	char folder[512];

	EXPECT(for_each_writable(of_sink(""), write_bad_values) >= 4);
	EXPECT(for_each_writable(ENCODER0, write_bad_values) >= 15);
	for (unsigned int i = 0; component(i); i++) {
		snprintf(folder, sizeof(folder), "%s", component(i));
		EXPECT(for_each_writable(folder, write_bad_values) >= 2);
	}
	EXPECT(is(of_sink("state"), "idle"));
}

static void write_at_random(const char *file, unsigned int seed)
{
	for (unsigned int i = 0; i < 100; i++) {
		seed = seed * 1103515245 + 12345;
		put(file, strstr(file, "flush") || seed >> 30 & 1 ? "1" : "0");
	}
}

static void starts_stops_and_flushes_may_race(void)
{
	const char * const files[] = {
		of_sink("tracing"), of_sink("tracing"), of_sink("flush"), ENCODER0 "enable",
		of_sink("flush"),
	};
	unsigned int i;
	int status;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (!fork()) {
			write_at_random(files[i], i);
			_exit(0);
		}
	}
	while (i--) {
		EXPECT(wait(&status) > 0);
		EXPECT_EQ(status, 0);
	}
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(is(ENCODER0 "active", "0"));
	EXPECT(is(FUNNEL "active", "0"));
	start_and_stop_by_echo();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(start_and_stop_by_echo),
		TEST(start_and_stop_twice_change_nothing),
		TEST(only_0_and_1_switch),
		TEST(two_encoders_share_funnel_and_sink),
		TEST(encoders_that_share_a_sink_get_their_own_source_ids),
		TEST(encoders_that_share_a_sink_have_source_ids_of_one_width),
		TEST(start_that_fails_leaves_source_ids_as_they_were),
		TEST(flush_brings_everything_to_memory_and_goes_on),
		TEST(fill_stops_at_the_wrap),
		TEST(small_ring_loses_and_counts),
		TEST(start_says_what_it_discards),
		TEST(bad_values_are_refused_everywhere_and_change_nothing),
		TEST(starts_stops_and_flushes_may_race),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
