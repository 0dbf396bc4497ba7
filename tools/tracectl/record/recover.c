// SPDX-License-Identifier: GPL-2.0
/* tracectl recover: repair a recording that was cut, or check one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/recording.h>

#include "tools/tracectl/tracectl.h"
#include "no_recording.h"

struct recover {
	const char *directory;
	bool dry_run;
	bool check;
	struct json_object *repairs;	/* what was done, one string each */
	struct json_object *damage;
	bool unreadable;		/* a file that is there cannot be read */
	bool failed;			/* something went wrong while it was recorded */
};

enum { OPTION_DRY_RUN = 0x5000, OPTION_CHECK };

static const struct argp_option options[] = {
	{ "dry-run", OPTION_DRY_RUN, NULL, 0, "Change nothing, only print what would be done", 0 },
	{ "check", OPTION_CHECK, NULL, 0, "Change nothing, only verify every checksum", 0 },
	{ },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct recover *r = state->input;

	switch (key) {
	case OPTION_DRY_RUN:
		r->dry_run = true;
		return 0;
	case OPTION_CHECK:
		r->check = true;
		return 0;
	default:
		return parse_recording(key, arg, state, &r->directory);
	}
}

static void put_line(const char *text)
{
	put_visible(stdout, text);
	putchar('\n');
}

static void did(void *data, const char *text)
{
	struct recover *r = data;

	json_object_array_add(r->repairs, json_object_new_string(text));
	if (!global.json && !global.quiet)
		put_line(text);
}

static int repair(struct recover *r, struct rvtrace_failure *error)
{
	int directory = open(r->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;

	if (directory < 0) {
		ret = rvtrace_fail(error, errno, 0, "%s: %s", r->directory, strerror(errno));
		return explain_no_recording(r->directory, ret, error);
	}
	ret = rvtrace_recording_recover(directory, r->directory, r->dry_run, did, r, error);
	close(directory);
	return ret < 0 ? ret : 0;
}

static void add_damage(struct recover *r, const struct rvtrace_damage *damage)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "file", json_object_new_string(damage->file));
	json_object_object_add(object, "offset", json_object_new_uint64(damage->offset));
	json_object_object_add(object, "length", json_object_new_uint64(damage->length));
	json_object_object_add(object, "text", json_object_new_string(damage->text));
	json_object_array_add(r->damage, object);
	if (damage->error) {
		r->unreadable = true;
		error_text("%s/%s", r->directory, damage->text);
	} else if (!global.json) {
		put_line(damage->text);
	}
}

/* Reads everything, tells what is damaged. */
static int verify(struct recover *r, struct rvtrace_failure *error)
{
	struct rvtrace_recording *recording;
	const struct rvtrace_damage *damage;
	size_t i;
	int ret;

	ret = rvtrace_recording_open(r->directory, &recording, error);
	if (ret)
		return explain_no_recording(r->directory, ret, error);
	ret = rvtrace_recording_verify(recording, error);
	for (i = 0; (damage = rvtrace_recording_damage(recording, i)); i++)
		add_damage(r, damage);
	report_failures(recording, r->directory, r->check);
	r->failed = rvtrace_recording_failure(recording, 0);
	rvtrace_recording_free(recording);
	return ret;
}

static int report(struct recover *r)
{
	bool damaged = json_object_array_length(r->damage);
	int bad = r->unreadable ? EXIT_FAILED : damaged ? EXIT_LOST : EXIT_OK, status;
	struct json_object *object;

	if (!global.json) {
		if (!damaged && !json_object_array_length(r->repairs))
			info_text("%s: %s", r->directory, r->failed ?
				  "what was recorded is intact" : "nothing is damaged");
		return bad;
	}
	object = json_object_new_object();
	json_object_object_add(object, "schema", json_object_new_int(JSON_SCHEMA));
	json_object_object_add(object, "repairs", json_object_get(r->repairs));
	json_object_object_add(object, "damage", json_object_get(r->damage));
	status = print_json(object);
	return status == EXIT_OK ? bad : status;
}

int verb_recover(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.options = options, .parser = parse_option, .children = children,
		.args_doc = "DIRECTORY",
		.doc = "Repair the ends of a recording whose writer died, make it final, and report "
		       "damage.",
	};
	struct rvtrace_failure error = { };
	struct recover r = { };
	int ret = 0, status;

	parse_options(&argp, argc, argv, 0, NULL, &r);
	r.repairs = json_object_new_array();
	r.damage = json_object_new_array();
	if (!r.check)
		ret = repair(&r, &error);
	if (!ret)
		ret = verify(&r, &error);
	if (ret)
		error_text("%s", error.text);
	status = ret ? EXIT_FAILED : report(&r);
	json_object_put(r.repairs);
	json_object_put(r.damage);
	return status;
}
