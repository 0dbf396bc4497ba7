// SPDX-License-Identifier: GPL-2.0
/* tracectl unwrap: trace that left the chip, back to what the encoders sent. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/tracectl/tracectl.h"
#include "unwrap.h"

#define MAX_TOLD	100	/* damages that are told one by one */

struct unwrap {
	struct unwrap_options options;
	const char *name;	/* of the input */
	FILE *file;		/* NULL: nothing is written */
	int write_error;	/* errno */
	uint64_t read;
	uint64_t written;
	uint64_t patterns;
	uint64_t damages;
	struct json_object *damage;
	struct progress progress;
};

static void write_out(struct unwrap *u, const void *data, size_t size)
{
	if (!u->file || u->write_error)
		return;
	if (fwrite(data, 1, size, u->file) != size)
		u->write_error = errno;
	u->written += size;
}

static void take_bytes(void *data, uint64_t offset, const uint8_t *bytes, size_t size)
{
	(void)offset;
	write_out(data, bytes, size);
}

/*
 * A decoder of N-Trace must not take what follows for what comes next: MSEO 10
 * is reserved, and what reports it goes on behind the next end of a message.
 * Messages from pins are whole, so such an end follows.
 */
static void mark_gap(struct unwrap *u)
{
	static const uint8_t mark[] = { 0x02, 0x03 };

	if (u->options.pins.format == RVTRACE_FORMAT_NTRACE)
		write_out(u, mark, u->options.pib ? 2 : 1);
}

static void take_damage(void *data, const struct rvtrace_unwrap_damage *damage)
{
	const char *text = rvtrace_unwrap_damage_text(damage->kind);
	struct unwrap *u = data;
	struct json_object *object;

	if (u->damages++ < MAX_TOLD) {
		warn_text("%s: %" PRIu64 " bytes from %" PRIu64 " on: %s", u->name,
			  damage->length, damage->offset, text);
	}
	if (u->damages <= MAX_TOLD && global.json) {
		object = json_object_new_object();
		json_object_object_add(object, "offset", json_object_new_uint64(damage->offset));
		json_object_object_add(object, "length", json_object_new_uint64(damage->length));
		json_object_object_add(object, "written", json_object_new_uint64(u->written));
		json_object_object_add(object, "text", json_object_new_string(text));
		json_object_array_add(u->damage, object);
	}
	mark_gap(u);
}

static void take_patterns(void *data, uint64_t offset, uint64_t count)
{
	struct unwrap *u = data;

	u->patterns += count;
	if (global.verbose)
		info_text("%s: calibration pattern %" PRIu64 " times from byte %" PRIu64 " on",
			  u->name, count, offset);
}

/* Either kind of decoder. */
struct decoder {
	struct rvtrace_pib *pib;
	struct rvtrace_atb *atb;
};

static void feed(struct decoder *d, const void *data, size_t size)
{
	if (d->pib)
		rvtrace_pib_feed(d->pib, data, size);
	else
		rvtrace_atb_feed(d->atb, data, size);
}

static int read_all(struct unwrap *u, struct decoder *d, int fd)
{
	static char buffer[1 << 16];
	uint64_t all = 0;
	struct stat st;
	ssize_t size;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		all = st.st_size;
	progress_start(&u->progress, u->file, false);
	do {
		size = read(fd, buffer, sizeof(buffer));
		if (size > 0) {
			feed(d, buffer, size);
			u->read += size;
			progress_show(&u->progress, u->read, all, "unwrapping: %.1f MB", u->read / 1e6);
		}
	} while (!u->write_error && (size > 0 || (size < 0 && errno == EINTR)));
	progress_end(&u->progress);
	if (size < 0) {
		error_text("%s: %s", u->name, strerror(errno));
		return EXIT_FAILED;
	}
	if (!u->read)
		warn_text("%s: it is empty", u->name);
	if (d->pib)
		rvtrace_pib_end(d->pib);
	else
		rvtrace_atb_end(d->atb);
	return EXIT_OK;
}

static int open_input(struct unwrap *u)
{
	int fd = STDIN_FILENO;

	if (strcmp(u->name, "-"))
		fd = open(u->name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		error_text("%s: %s", u->name, strerror(errno));
	return fd;
}

static int end_output(struct unwrap *u, int status)
{
	const char *name = u->options.output ? u->options.output : "standard output";
	int ret;

	if (!u->file)
		return status;
	if (fflush(u->file) && !u->write_error)
		u->write_error = errno;
	ret = close_output(u->file, !status && !u->write_error);
	if (ret && !u->write_error)
		u->write_error = -ret;
	if (!u->write_error)
		return status;
	error_text("%s: %s", name, strerror(u->write_error));
	return EXIT_FAILED;
}

static void print_sources(const struct rvtrace_atb *atb)
{
	unsigned int id;

	for (id = 0; id < RVTRACE_ATB_IDS; id++)
		if (rvtrace_atb_count(atb, id))
			printf("0x%02x %" PRIu64 "\n", id, rvtrace_atb_count(atb, id));
}

static struct json_object *json_sources(const struct rvtrace_atb *atb)
{
	struct json_object *sources = json_object_new_array(), *source;
	unsigned int id;

	for (id = 0; id < RVTRACE_ATB_IDS; id++) {
		if (!rvtrace_atb_count(atb, id))
			continue;
		source = json_object_new_object();
		json_object_object_add(source, "id", json_object_new_int(id));
		json_object_object_add(source, "bytes",
				       json_object_new_uint64(rvtrace_atb_count(atb, id)));
		json_object_array_add(sources, source);
	}
	return sources;
}

static int report_json(struct unwrap *u, const struct decoder *d)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "schema", json_object_new_int(JSON_SCHEMA));
	json_object_object_add(object, "read", json_object_new_uint64(u->read));
	json_object_object_add(object, "written", json_object_new_uint64(u->written));
	json_object_object_add(object, "damages", json_object_new_uint64(u->damages));
	json_object_object_add(object, "damage", json_object_get(u->damage));
	if (d->pib)
		json_object_object_add(object, "calibration_patterns",
				       json_object_new_uint64(u->patterns));
	else
		json_object_object_add(object, "sources", json_sources(d->atb));
	return print_json(object);
}

static int report(struct unwrap *u, const struct decoder *d)
{
	int status = EXIT_OK;

	if (u->damages > MAX_TOLD)
		warn_text("%s: %" PRIu64 " more like these", u->name, u->damages - MAX_TOLD);
	if (global.json)
		status = report_json(u, d);
	else if (u->options.list)
		print_sources(d->atb);
	else if (u->patterns)
		info_text("%s: calibration pattern %" PRIu64 " times", u->name, u->patterns);
	if (u->options.pins.calibrate && !u->patterns && !status) {
		error_text("%s: no calibration pattern", u->name);
		return EXIT_FAILED;
	}
	return !status && u->damages ? EXIT_LOST : status;
}

static int new_decoder(struct unwrap *u, struct decoder *d)
{
	const struct rvtrace_unwrap_handler handler = {
		.size = sizeof(handler),
		.bytes = take_bytes, .damage = take_damage, .calibration = take_patterns,
		.data = u,
	};
	const struct unwrap_options *o = &u->options;
	int ret;

	if (o->pib)
		ret = rvtrace_pib_new(&o->pins, &handler, &d->pib);
	else
		ret = rvtrace_atb_new(o->list ? RVTRACE_ATB_ID_FIRST : o->id, &handler, &d->atb);
	if (!ret)
		return EXIT_OK;
	if (ret != RVTRACE_ERR_INVALID) {
		error_text("%s", rvtrace_strerror(ret));
		return EXIT_FAILED;
	}
	error_text("--samples-per-bit or --sample-bytes is too small for this mode");
	return EXIT_USAGE;
}

static int run(struct unwrap *u, struct decoder *d)
{
	int status = new_decoder(u, d), fd;

	if (status)
		return status;
	fd = open_input(u);
	if (fd < 0)
		return EXIT_FAILED;
	if (!u->options.pins.calibrate && !u->options.list)
		status = open_output(u->options.output, false, &u->file);
	if (!status)
		status = end_output(u, read_all(u, d, fd));
	if (fd != STDIN_FILENO)
		close(fd);
	return status ? status : report(u, d);
}

int verb_unwrap(int argc, char **argv)
{
	struct decoder decoder = { };
	struct unwrap u = { .options.pins.size = sizeof(u.options.pins) };
	int status;

	parse_options(&unwrap_argp, argc, argv, 0, NULL, &u.options);
	u.name = u.options.input;
	u.damage = json_object_new_array();
	status = run(&u, &decoder);
	rvtrace_pib_free(decoder.pib);
	rvtrace_atb_free(decoder.atb);
	json_object_put(u.damage);
	return status;
}
