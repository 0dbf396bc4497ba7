// SPDX-License-Identifier: GPL-2.0
/* Exports of events that no decoder made: what each format says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>
#include <sqlite3.h>

#include "export-fixture.h"
#include "perfetto.pb-c.h"

static void folded_is(enum export_weight weight, const char *expected)
{
	struct script script;

	script_usual(&script, &export_folded, weight);
	assert_string_equal(script.text, expected);
	script_free(&script);
}

/* A name has no semicolon and no line end. A frame whose end is not shown has no instructions. */
static void folded_counts_instructions(void **state)
{
	(void)state;
	folded_is(EXPORT_BY_INSTRUCTIONS,
		  "kthread;[lost] 1\n"
		  "kthread;leaf 27\n"
		  "kthread;leaf;[not followed] 1\n"
		  "work:er;main 20\n"
		  "work:er;main;a:b\\x0a\\xff c 45\n"
		  "work:er;main;a:b\\x0a\\xff c;[lost] 1\n"
		  "work:er;main;a:b\\x0a\\xff c;interrupt 5 5\n"
		  "work:er;main;a:b\\x0a\\xff c;leaf 20\n");
}

/* 1 us of rest is nobody's; what is lost is no function's. */
static void folded_counts_time(void **state)
{
	(void)state;
	folded_is(EXPORT_BY_TIME,
		  "kthread;[lost] 80\n"
		  "kthread;leaf 1970\n"
		  "kthread;leaf;[not followed] 1\n"
		  "work:er;main 200\n"
		  "work:er;main;a:b\\x0a\\xff c 250\n"
		  "work:er;main;a:b\\x0a\\xff c;[lost] 200\n"
		  "work:er;main;a:b\\x0a\\xff c;interrupt 5 50\n"
		  "work:er;main;a:b\\x0a\\xff c;leaf 300\n");
}

/* Neither what is older nor a part was called, nor a trap. */
static void folded_counts_calls(void **state)
{
	(void)state;
	folded_is(EXPORT_BY_CALLS,
		  "kthread;[lost] 1\n"
		  "kthread;leaf 1\n"
		  "kthread;leaf;[not followed] 1\n"
		  "work:er;main;a:b\\x0a\\xff c 1\n"
		  "work:er;main;a:b\\x0a\\xff c;[lost] 1\n"
		  "work:er;main;a:b\\x0a\\xff c;leaf 3\n");
}

static struct json_object *get(struct json_object *object, const char *name)
{
	struct json_object *value = json_object_object_get(object, name);

	assert_non_null(value);
	return value;
}

/* Events of a profile as "(main@1000 ... )@3000" */
static void profile_is(struct json_object *document, size_t index, const char *name,
		       const char *expected)
{
	struct json_object *profile = json_object_array_get_idx(get(document, "profiles"), index);
	struct json_object *frames = get(get(document, "shared"), "frames");
	struct json_object *events = get(profile, "events"), *frame;
	char text[1024] = "";

	assert_string_equal(json_object_get_string(get(profile, "name")), name);
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);
		size_t used = strlen(text);
		bool opens = *json_object_get_string(get(event, "type")) == 'O';

		frame = json_object_array_get_idx(frames,
						  json_object_get_int(get(event, "frame")));
		snprintf(text + used, sizeof(text) - used, "%s%s@%lld ", opens ? "(" : ")",
			 opens ? json_object_get_string(get(frame, "name")) : "",
			 (long long)json_object_get_int64(get(event, "at")));
	}
	assert_string_equal(text, expected);
}

static void speedscope_is_nested(void **state)
{
	struct json_object *document;
	struct script script;

	(void)state;
	script_usual(&script, &export_speedscope, EXPORT_BY_INSTRUCTIONS);
	document = json_tokener_parse(script.text);
	assert_non_null(document);
	profile_is(document, 0, "work;er 10/11",
		   "(main@1000 (a;b\n\xef\xbf\xbd c@1100 (leaf@1200 )@1300 ([lost]@1300 )@1500 "
		   "(leaf@1500 )@1600 (interrupt 5@1600 )@1650 (leaf@2800 )@2900 )@2900 )@3000 ");
	/* the loss begins when the frames that end in it are left */
	profile_is(document, 1, "kthread 20",
		   "(leaf@1050 )@1320 ([lost]@1320 )@1400 (leaf@1400 ([not followed]@3100 )@3100 "
		   ")@3100 ");
	json_object_put(document);
	script_free(&script);
}

/* More than a block of each lane */
static void speedscope_keeps_long_lanes(void **state)
{
	struct json_object *document, *profile;
	struct script script;

	(void)state;
	script_begin(&script, &export_speedscope, EXPORT_BY_INSTRUCTIONS);
	for (uint64_t i = 0; i < 20000; i++) {
		script_enter(&script, i & 1, i, LEAF, 0);
		script_leave(&script, i & 1, i + 1, 1, 0);
	}
	script_end(&script);
	document = json_tokener_parse(script.text);
	assert_non_null(document);
	for (size_t lane = 0; lane < 2; lane++) {
		profile = json_object_array_get_idx(get(document, "profiles"), lane);
		assert_int_equal(json_object_array_length(get(profile, "events")), 20000);
		for (size_t i = 0; i < 20000; i++)
			assert_int_equal(json_object_get_int(get(json_object_array_get_idx(
						 get(profile, "events"), i), "at")),
					 10 * ((i & ~1ULL) + lane + (i & 1)));
	}
	json_object_put(document);
	script_free(&script);
}

static uint64_t note_of(const TrackEvent *event, uint64_t name)
{
	for (size_t i = 0; i < event->n_debug_annotations; i++)
		if (event->debug_annotations[i]->name_iid == name)
			return event->debug_annotations[i]->uint_value;
	return UINT64_MAX;
}

/* Slices of a track are nested; @begun of them have begun, and all have ended. */
static void track_is_nested(const Trace *trace, uint64_t track, size_t begun)
{
	size_t open = 0, all = 0;
	uint64_t before = 0;

	for (size_t i = 0; i < trace->n_packet; i++) {
		const TrackEvent *event = trace->packet[i]->track_event;

		if (!event || event->track_uuid != track)
			continue;
		assert_true(trace->packet[i]->timestamp >= before);
		before = trace->packet[i]->timestamp;
		if (event->type == TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN) {
			assert_true(event->has_name_iid);
			open++;
			all++;
		} else if (event->type == TRACK_EVENT__TYPE__TYPE_SLICE_END) {
			assert_true(open);
			open--;
		}
	}
	assert_int_equal(open, 0);
	assert_int_equal(all, begun);
}

static void perfetto_has_packets(void **state)
{
	size_t switches = 0, instants = 0, threads = 0;
	struct script script;
	Trace *trace;

	(void)state;
	script_usual(&script, &export_perfetto, EXPORT_BY_INSTRUCTIONS);
	trace = trace__unpack(NULL, script.size, (const uint8_t *)script.text);
	assert_non_null(trace);
	assert_int_equal(trace->packet[0]->sequence_flags, 1);
	for (size_t i = 0; i < trace->n_packet; i++) {
		const TracePacket *packet = trace->packet[i];
		const TrackEvent *event = packet->track_event;

		assert_int_equal(packet->trusted_packet_sequence_id, 1);
		switches += packet->ftrace_events != NULL;
		threads += packet->track_descriptor && packet->track_descriptor->thread;
		if (event && event->type == TRACK_EVENT__TYPE__TYPE_INSTANT) {
			assert_int_equal(packet->timestamp, 1150);
			instants++;
		}
		/* the time may be 10 ns less and 20 ns more */
		if (event && event->type == TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN &&
		    packet->timestamp == 1100) {
			assert_int_equal(note_of(event, 9), 10);
			assert_int_equal(note_of(event, 10), 20);
		}
	}
	/* two begin, one rests and goes on */
	assert_int_equal(switches, 4);
	assert_int_equal(instants, 1);
	assert_int_equal(threads, 2);
	track_is_nested(trace, 1ULL << 32, 7);
	track_is_nested(trace, 1ULL << 32 | 1, 4);
	track_is_nested(trace, 3ULL << 32 | UINT32_MAX, 1);
	track_is_nested(trace, 3ULL << 32 | 1, 1);
	trace__free_unpacked(trace, NULL);
	script_free(&script);
}

/* Every name is in the packet that is the first to use it, or in an earlier one. */
static void perfetto_names_come_first(void **state)
{
	bool known[64] = { };
	struct script script;
	Trace *trace;

	(void)state;
	script_usual(&script, &export_perfetto, EXPORT_BY_INSTRUCTIONS);
	trace = trace__unpack(NULL, script.size, (const uint8_t *)script.text);
	assert_non_null(trace);
	for (size_t i = 0; i < trace->n_packet; i++) {
		const InternedData *data = trace->packet[i]->interned_data;
		const TrackEvent *event = trace->packet[i]->track_event;

		for (size_t k = 0; data && k < data->n_event_names; k++) {
			assert_in_range(data->event_names[k]->iid, 1, 63);
			assert_false(known[data->event_names[k]->iid]);
			known[data->event_names[k]->iid] = true;
		}
		if (event && event->has_name_iid)
			assert_true(known[event->name_iid]);
	}
	trace__free_unpacked(trace, NULL);
	script_free(&script);
}

static sqlite3 *open_database(const struct script *script, char path[])
{
	int fd = mkstemp(path);
	sqlite3 *db;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, script->text, script->size), script->size);
	close(fd);
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	return db;
}

static void query_is(sqlite3 *db, const char *sql, const char *expected)
{
	sqlite3_stmt *statement;
	char text[512] = "";

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(statement); i++) {
			const char *value = (const char *)sqlite3_column_text(statement, i);
			size_t used = strlen(text);

			snprintf(text + used, sizeof(text) - used, "%s ", value ? value : "-");
		}
	sqlite3_finalize(statement);
	assert_string_equal(text, expected);
}

static void database_answers(void **state)
{
	char path[] = "/tmp/test-export.XXXXXX";
	struct script script;
	sqlite3 *db;

	(void)state;
	script_usual(&script, &export_sqlite, EXPORT_BY_INSTRUCTIONS);
	db = open_database(&script, path);
	query_is(db, "PRAGMA integrity_check", "ok ");
	query_is(db, "SELECT calls, own_time, own_instructions FROM functions WHERE name = 'leaf'",
		 "4 2270 47 ");
	query_is(db, "SELECT path FROM paths ORDER BY id LIMIT 1 OFFSET 4",
		 "leaf ");
	query_is(db, "SELECT path FROM slowest WHERE thread LIKE 'work%' ORDER BY duration LIMIT 1",
		 "main > a;b\\x0a\\xff c > leaf ");
	query_is(db, "SELECT entered, entered_earliest, entered_latest, flags FROM call WHERE id = 1",
		 "1000 990 1020 older ");
	query_is(db, "SELECT flags, instructions FROM call WHERE entered = 2800", "cut 0 ");
	query_is(db, "SELECT reason, bytes, hart, lost FROM loss ORDER BY id",
		 "64 bytes lost 64 - 1 no image - 1 0 ");
	query_is(db, "SELECT thread, started, ended FROM gap WHERE loss = 1 ORDER BY thread",
		 "0 1300 1500 1 1320 1400 ");
	/* until when is unknown */
	query_is(db, "SELECT thread, started, ended FROM gap WHERE loss = 2", "1 3100 - ");
	query_is(db, "SELECT name, value, call FROM event", "event 0x12 52 3 ");
	query_is(db, "SELECT runs, time FROM threads ORDER BY id", "2 1000 1 2050 ");
	query_is(db, "SELECT name, cause FROM call WHERE kind = 'interrupt'", "interrupt 5 5 ");
	query_is(db, "SELECT printf('%x', address) FROM function WHERE id = 3",
		 "ffffffff80001000 ");
	sqlite3_close(db);
	unlink(path);
	script_free(&script);
}

/* Without timestamps each thread has its own instructions as a clock. */
static void instructions_are_a_clock(void **state)
{
	char path[] = "/tmp/test-export.XXXXXX";
	struct script script;
	sqlite3 *db;

	(void)state;
	fixture_unit = NULL;
	script_usual(&script, &export_sqlite, EXPORT_BY_INSTRUCTIONS);
	db = open_database(&script, path);
	query_is(db, "SELECT value FROM meta WHERE key = 'unit'", "instructions ");
	query_is(db, "SELECT entered, ended FROM call WHERE id = 1", "100 300 ");
	sqlite3_close(db);
	unlink(path);
	script_free(&script);
	folded_is(EXPORT_BY_TIME,
		  "kthread;[lost] 8\n"
		  "kthread;leaf 197\n"
		  "kthread;leaf;[not followed] 1\n"
		  "work:er;main 20\n"
		  "work:er;main;a:b\\x0a\\xff c 25\n"
		  "work:er;main;a:b\\x0a\\xff c;[lost] 20\n"
		  "work:er;main;a:b\\x0a\\xff c;interrupt 5 5\n"
		  "work:er;main;a:b\\x0a\\xff c;leaf 30\n");
	fixture_unit = "ns";
}

/* speedscope's numbers */
static void great_times_are_warned_of(void **state)
{
	struct script script;

	(void)state;
	script_begin(&script, &export_speedscope, EXPORT_BY_INSTRUCTIONS);
	script_enter(&script, 0, 1ULL << 50, LEAF, 0);
	script_leave(&script, 0, (1ULL << 50) + 1, 1, 0);
	script_end(&script);
	assert_int_equal(fixture_warnings, 1);
	script_free(&script);
}

/* Nothing happened: every format has a file that can be read. */
static void nothing_is_exported(void **state)
{
	static const struct export_format *const formats[] = {
		&export_perfetto, &export_folded, &export_speedscope, &export_sqlite,
	};
	struct script script;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		script_begin(&script, formats[i], EXPORT_BY_INSTRUCTIONS);
		script_end(&script);
		assert_int_equal(fixture_warnings, 0);
		assert_true(i == 1 ? !script.size : script.size > 100);
		script_free(&script);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_counts_instructions),
		cmocka_unit_test(folded_counts_time),
		cmocka_unit_test(folded_counts_calls),
		cmocka_unit_test(speedscope_is_nested),
		cmocka_unit_test(speedscope_keeps_long_lanes),
		cmocka_unit_test(perfetto_has_packets),
		cmocka_unit_test(perfetto_names_come_first),
		cmocka_unit_test(database_answers),
		cmocka_unit_test(instructions_are_a_clock),
		cmocka_unit_test(great_times_are_warned_of),
		cmocka_unit_test(nothing_is_exported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
