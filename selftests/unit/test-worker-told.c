// SPDX-License-Identifier: GPL-2.0
/* What the daemon takes from a process that records, which may tell anything: nothing of rights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <event2/event.h>

#include "daemon/state.h"
#include "daemon/sysfs.h"
#include "daemon/worker_internal.h"

static struct {
	int finished, kept, spawned, discarded;
} calls;

/* The rest of the daemon */

static void session_answer(struct daemon *daemon, struct worker *session, enum worker_wait wait,
			   const struct rvtrace_failure *error)
{
	(void)daemon;
	(void)session;
	(void)wait;
	(void)error;
}

static void session_finished(struct daemon *daemon, struct worker *session)
{
	(void)daemon;
	(void)session;
	calls.finished++;
}

void worker_keep(struct worker *worker)
{
	(void)worker;
	calls.kept++;
}

void state_forget(const struct daemon *daemon, const char *sink)
{
	(void)daemon;
	(void)sink;
}

int sysfs_read(const char *folder, const char *device, const char *attribute, char *value,
	       size_t size)
{
	(void)folder;
	(void)device;
	(void)attribute;
	(void)value;
	(void)size;
	return -ENOENT;
}

int sysfs_write(const char *folder, const char *device, const char *attribute, const char *value)
{
	(void)folder;
	(void)device;
	(void)attribute;
	(void)value;
	return -ENOENT;
}

int worker_spawn(struct worker *worker, const struct session_settings *settings,
		 struct rvtrace_failure *error)
{
	(void)settings;
	(void)error;
	worker->spawned = worker_now();
	calls.spawned++;
	return 0;
}

struct json_object *worker_member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, name, &value);
	return value;
}

bool worker_has_session(const struct worker *worker)
{
	return worker_member(worker->kept, "session");
}

void worker_discard(struct worker *worker)
{
	(void)worker;
	calls.discarded++;
}

time_t worker_now(void)
{
	return 1000;
}

void worker_free_event(struct event **event)
{
	*event = NULL;
}

void worker_ask(struct worker *worker, const char *verb)
{
	(void)worker;
	(void)verb;
}

void worker_close_ends(struct worker *worker)
{
	(void)worker;
}

void worker_kill(const struct worker *worker)
{
	(void)worker;
}

/* A session of user 1000 */

static const struct worker_clients clients = {
	.answer = session_answer,
	.finished = session_finished,
};

static struct daemon daemon = { .clients = &clients };
static char sink[] = "rvtrace0";

static int set_up(void **state)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	memset(&calls, 0, sizeof(calls));
	worker->daemon = &daemon;
	worker->sink = sink;
	worker->uid = 1000;
	worker->kept = json_tokener_parse("{\"uid\":1000,\"gid\":1000,\"groups\":[1000],"
					  "\"max_size\":5,\"client\":7,\"save_images\":false}");
	*state = worker;
	return 0;
}

static int tear_down(void **state)
{
	struct worker *worker = *state;

	json_object_put(worker->told);
	json_object_put(worker->kept);
	free(worker);
	return 0;
}

static void tell(struct worker *worker, const char *text)
{
	struct json_object *report = json_tokener_parse(text);

	worker_told(worker, report);
	json_object_put(report);
}

static void is(struct json_object *object, const char *text)
{
	assert_string_equal(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN), text);
}

static void rights_are_not_taken_from_it(void **state)
{
	struct worker *worker = *state;

	tell(worker, "{\"event\":\"keep\",\"kept\":{\"uid\":0,\"gid\":0,\"groups\":[0],\"max_size\":0,"
	     "\"client\":1,\"command_pid\":1,\"save_images\":true,\"sideband\":true,"
	     "\"directory\":\"/x\",\"session\":9}}");
	is(worker->kept, "{\"uid\":1000,\"gid\":1000,\"groups\":[1000],\"max_size\":5,\"client\":7,"
	   "\"save_images\":false,\"directory\":\"\\/x\",\"session\":9}");
	assert_int_equal(worker->uid, 1000);
	assert_int_equal(calls.kept, 1);
}

static void what_is_kept_has_types(void **state)
{
	struct worker *worker = *state;
	static const char *const reports[] = {
		"{\"event\":\"keep\"}",
		"{\"event\":\"keep\",\"kept\":null}",
		"{\"event\":\"keep\",\"kept\":[1]}",
		"{\"event\":\"keep\",\"kept\":{\"directory\":1,\"session\":\"9\",\"device\":{},"
		"\"inode\":[],\"encoders\":\"e\",\"task_addresses\":1}}",
		"{\"event\":\"keep\",\"kept\":{\"encoders\":[\"e\",1]}}",
		"{\"event\":\"keep\",\"kept\":{\"encoders\":[null]}}",
	};
	size_t i;

	json_object_put(worker->kept);
	worker->kept = json_object_new_object();
	for (i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		tell(worker, reports[i]);
		is(worker->kept, "{}");
	}
	assert_false(worker_has_session(worker));
}

static void what_others_are_told_has_types(void **state)
{
	struct worker *worker = *state;
	static const char *const reports[] = {
		"{\"event\":\"changed\",\"session\":{}}",
		"{\"event\":\"changed\",\"session\":{\"errors\":1,\"warnings\":{},\"bytes\":\"many\","
		"\"directory\":[]}}",
		"{\"event\":\"changed\",\"session\":{\"errors\":[1]}}",
		"{\"event\":\"changed\",\"session\":{\"ok\":false,\"name\":\"x\",\"device\":\"y\","
		"\"session_state\":\"finished\",\"pid\":1}}",
	};
	size_t i;

	for (i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		tell(worker, reports[i]);
		is(worker->told, "{}");
	}
	tell(worker, "{\"event\":\"changed\",\"session\":{\"bytes\":5,\"errors\":[\"e\"],\"seconds\":0.5}}");
	is(worker->told, "{\"bytes\":5,\"seconds\":0.5,\"errors\":[\"e\"]}");
}

static void what_is_no_report_is_ignored(void **state)
{
	struct worker *worker = *state;
	static const char *const reports[] = {
		"", "null", "1", "[]", "[{\"event\":\"finished\"}]", "\"finished\"", "{}",
		"{\"event\":1}", "{\"event\":[]}", "{\"event\":{\"event\":\"finished\"}}",
		"{\"event\":\"nosuch\"}", "{\"event\":\"changed\",\"session\":1}",
		"{\"event\":\"changed\",\"session\":[],\"state\":2}",
		"{\"event\":\"changed\",\"session\":{},\"state\":\"2\"}",
		"{\"event\":\"changed\",\"session\":{},\"state\":-1}",
		"{\"event\":\"changed\",\"session\":{},\"state\":5}",
		"{\"event\":\"changed\",\"session\":{},\"state\":99999999999}",
	};
	size_t i;

	worker->state = SESSION_OPEN;
	for (i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		tell(worker, reports[i]);
		assert_int_equal(worker->state, SESSION_OPEN);
	}
	assert_int_equal(calls.finished + calls.kept + calls.spawned, 0);
}

static void errors_need_no_text(void **state)
{
	struct worker *worker = *state;

	tell(worker, "{\"event\":\"flushed\",\"errno\":5}");
	tell(worker, "{\"event\":\"ready\",\"errno\":\"x\",\"error\":7}");
	tell(worker, "{\"event\":\"ready\",\"errno\":5,\"error\":null,\"session\":{}}");
	assert_int_equal(calls.discarded, 1);
}

static void nothing_follows_the_end(void **state)
{
	struct worker *worker = *state;

	tell(worker, "{\"event\":\"finished\",\"session\":{\"bytes\":5},\"state\":4}");
	assert_int_equal(worker->state, SESSION_FINISHED);
	tell(worker, "{\"event\":\"changed\",\"session\":{\"bytes\":9},\"state\":2}");
	tell(worker, "{\"event\":\"keep\",\"kept\":{\"session\":9}}");
	tell(worker, "{\"event\":\"finished\"}");
	is(worker->told, "{\"bytes\":5}");
	assert_int_equal(worker->state, SESSION_FINISHED);
	assert_int_equal(calls.finished, 1);
	assert_int_equal(calls.kept, 0);
}

/* One that is ended each time is not started for ever, and one that does not get on is not tried again. */
static void deaths_are_counted(void **state)
{
	struct worker *worker = *state;
	int i;

	worker->spawned = worker_now();
	for (i = 0; worker->state != SESSION_FINISHED && i < 100; i++) {
		tell(worker, "{\"event\":\"keep\",\"kept\":{\"session\":9}}");
		worker_died(worker);
	}
	assert_in_range(calls.spawned, 2, 20);
	assert_int_equal(calls.finished, 1);
}

static void a_resumption_that_fails_is_the_last(void **state)
{
	struct worker *worker = *state;

	tell(worker, "{\"event\":\"keep\",\"kept\":{\"session\":9}}");
	worker_died(worker);
	assert_int_equal(calls.spawned, 1);
	worker_died(worker);
	assert_int_equal(calls.spawned, 1);
	assert_int_equal(worker->state, SESSION_FINISHED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rights_are_not_taken_from_it),
		TEST(what_is_kept_has_types),
		TEST(what_others_are_told_has_types),
		TEST(what_is_no_report_is_ignored),
		TEST(errors_need_no_text),
		TEST(nothing_follows_the_end),
		TEST(deaths_are_counted),
		TEST(a_resumption_that_fails_is_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
