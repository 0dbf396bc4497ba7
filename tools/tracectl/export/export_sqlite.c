// SPDX-License-Identifier: GPL-2.0
/*
 * tracectl export: a database of SQLite, see docs/export.md. Rows are inserted as calls end, in one
 * transaction; indexes are made at the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "tools/lib/base/utf8.h"
#include "export.h"

/* In PRAGMA user_version, and in the table meta. */
#define SCHEMA		1
#define CACHE_KB	65536
#define COPY_BYTES	65536

enum statement {
	INSERT_META, INSERT_FUNCTION, INSERT_THREAD, INSERT_CALL, INSERT_RUN, INSERT_LOSS,
	INSERT_GAP, INSERT_EVENT, STATEMENTS,
};

static const struct {
	const char *table;
	int columns;
} inserts[] = {
	[INSERT_META] = { "meta", 2 },
	[INSERT_FUNCTION] = { "function", 7 },
	[INSERT_THREAD] = { "thread", 8 },
	[INSERT_CALL] = { "call", 29 },
	[INSERT_RUN] = { "run", 9 },
	[INSERT_LOSS] = { "loss", 9 },
	[INSERT_GAP] = { "gap", 5 },
	[INSERT_EVENT] = { "event", 10 },
};

static const char tables[] =
#include "export-tables.h"
;

static const char views[] =
#include "export-views.h"
;

/**
 * struct lane - of one
 * @runs: since @started, when it had @instructions, on @hart
 * @loss: what began its gap
 */
struct lane {
	bool runs;
	struct export_moment started;
	uint64_t instructions;
	uint64_t hart;
	uint64_t loss;
};

/**
 * struct database - the file
 * @db: it
 * @inserts: for each table
 * @row: the one under way
 * @column: of that, filled so far
 * @failed: there was no memory for a text of it
 * @fd: a file without a name, which is copied at the end; -1: it is the output itself
 * @open: how often a function, by name, is open in a lane
 */
struct database {
	sqlite3 *db;
	sqlite3_stmt *inserts[STATEMENTS];
	sqlite3_stmt *row;
	int column;
	bool failed;
	int fd;
	struct export_table open;
};

static int error_of(const struct database *database, int result)
{
	int error = database->db ? sqlite3_system_errno(database->db) : 0;

	switch (result) {
	case SQLITE_OK:
	case SQLITE_DONE:
	case SQLITE_ROW:
		return 0;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	default:
		return error ? -error : -EIO;
	}
}

static int execute(const struct database *database, const char *sql)
{
	return error_of(database, sqlite3_exec(database->db, sql, NULL, NULL, NULL));
}

/* A file that nobody else can open afterwards. */
static int open_temporary(struct database *database)
{
	const char *folder = getenv("TMPDIR");
	char *path;
	int ret;

	if (asprintf(&path, "%s/rvtrace.XXXXXX", folder && *folder ? folder : "/tmp") < 0)
		return -ENOMEM;
	database->fd = mkstemp(path);
	ret = database->fd < 0 ? -errno :
	      error_of(database, sqlite3_open_v2(path, &database->db, SQLITE_OPEN_READWRITE, NULL));
	if (database->fd >= 0)
		unlink(path);
	free(path);
	return ret;
}

static int open_database(const struct export *x, struct database *database)
{
	const char *path = output_path(x->out->file);

	if (!path)
		return open_temporary(database);
	return error_of(database, sqlite3_open_v2(path, &database->db, SQLITE_OPEN_READWRITE,
						  NULL));
}

static int prepare(struct database *database, enum statement i)
{
	char sql[128], places[64] = "?";

	for (int column = 1; column < inserts[i].columns; column++)
		strcat(places, ",?");
	snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (%s)", inserts[i].table, places);
	return error_of(database, sqlite3_prepare_v2(database->db, sql, -1,
						     &database->inserts[i], NULL));
}

static int begin_tables(struct database *database)
{
	char pragmas[256];
	int ret;

	/* until it is whole, nobody has it */
	snprintf(pragmas, sizeof(pragmas),
		 "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
		 "PRAGMA cache_size=-%d; PRAGMA user_version=%d; BEGIN", CACHE_KB, SCHEMA);
	ret = execute(database, pragmas);
	if (!ret)
		ret = execute(database, tables);
	for (int i = 0; i < STATEMENTS && !ret; i++)
		ret = prepare(database, i);
	return ret;
}

static int begin(struct export *x)
{
	struct database *database = calloc(1, sizeof(*database));
	int ret;

	x->own = database;
	if (!database)
		return -ENOMEM;
	database->fd = -1;
	ret = open_database(x, database);
	return ret ? ret : begin_tables(database);
}

static struct lane *lane_of(struct export_lane *lane)
{
	if (!lane->own)
		lane->own = calloc(1, sizeof(struct lane));
	return lane->own;
}

static void start(struct export *x, enum statement table)
{
	struct database *database = x->own;

	database->row = database->inserts[table];
	database->column = 0;
}

/* Numbers over 2^63 are negative: addresses of the kernel. */
static void add_number(struct export *x, uint64_t value)
{
	struct database *database = x->own;

	sqlite3_bind_int64(database->row, ++database->column, (sqlite3_int64)value);
}

static void add_null(struct export *x)
{
	struct database *database = x->own;

	sqlite3_bind_null(database->row, ++database->column);
}

static void add_if(struct export *x, bool known, uint64_t value)
{
	if (known)
		add_number(x, value);
	else
		add_null(x);
}

/* Names are what others wrote: bytes that are no visible characters are escaped. */
static void add_text(struct export *x, const char *text)
{
	struct database *database = x->own;
	size_t room = UTF8_VISIBLE_MAX * (strlen(text) + 1);
	char *shown = malloc(room);

	if (shown)
		sqlite3_bind_text(database->row, ++database->column,
				  utf8_copy_visible(shown, room, text), -1, free);
	else
		database->failed = true;
}

static void add_text_if(struct export *x, const char *text)
{
	if (text)
		add_text(x, text);
	else
		add_null(x);
}

/* Three columns */
static void add_moment(struct export *x, const struct export_moment *time)
{
	add_if(x, time->known, time->best);
	add_if(x, time->known, time->earliest);
	add_if(x, time->known && time->latest != EXPORT_OPEN, time->latest);
}

static void add_span(struct export *x, const struct rvtrace_call_span *span)
{
	add_number(x, view_span(x->view, span->best));
	add_number(x, view_span(x->view, span->least));
	add_if(x, span->most != RVTRACE_CALL_NO_TIME, view_span(x->view, span->most));
}

static int insert(struct export *x)
{
	struct database *database = x->own;
	int ret = database->failed ? -ENOMEM :
		  error_of(database, sqlite3_step(database->row));

	sqlite3_reset(database->row);
	return ret;
}

/* How often the function of a frame is open in its lane. */
static uint32_t *open_of(struct export *x, const struct export_step *step)
{
	struct database *database = x->own;

	/* 0 is no value of a table */
	return export_table_find(&database->open, step->lane->number, step->frame->name);
}

static int enter(struct export *x, const struct export_step *step)
{
	uint32_t *open = open_of(x, step);

	if (!open)
		return -ENOMEM;
	*open = *open ? *open + 1 : 2;
	return 0;
}

static const char *kind_of(const struct rvtrace_call_frame *frame)
{
	if (frame->kind == RVTRACE_CALL_SIGNAL)
		return "signal";
	if (frame->kind == RVTRACE_CALL_FUNCTION)
		return "function";
	if (frame->trap == RVTRACE_TRAP_INTERRUPT)
		return "interrupt";
	if (frame->trap != RVTRACE_TRAP_EXCEPTION)
		return "trap";
	return view_is_system_call(frame) ? "system call" : "exception";
}

static int leave(struct export *x, const struct export_step *step)
{
	const struct rvtrace_call_frame *frame = step->event->frame;
	const struct export_name *name = &x->names[step->frame->name];
	char flags[EXPORT_REASON];
	uint32_t *open = open_of(x, step);

	if (!open)
		return -ENOMEM;
	--*open;
	start(x, INSERT_CALL);
	add_number(x, frame->id);
	add_if(x, frame->parent, frame->parent);
	add_number(x, step->lane->number);
	add_if(x, frame->function, frame->function);
	add_text(x, name->text);
	add_text(x, kind_of(frame));
	add_if(x, frame->has_cause, frame->cause);
	add_if(x, frame->priv >= 0, frame->priv);
	add_number(x, frame->depth);
	add_number(x, frame->address);
	add_if(x, frame->return_address, frame->return_address);
	add_moment(x, &step->frame->entered);
	add_moment(x, &step->time);
	add_number(x, frame->own_instructions);
	add_number(x, frame->instructions);
	add_number(x, step->frame->time);
	add_span(x, &frame->resting);
	add_span(x, &frame->interrupted);
	add_number(x, step->frame->is_call);
	add_number(x, *open > 1);
	add_text(x, export_flags(frame->flags, UINT16_MAX, flags));
	return insert(x);
}

static int run(struct export *x, const struct export_step *step)
{
	struct lane *lane = lane_of(step->lane);

	if (!lane)
		return -ENOMEM;
	lane->runs = true;
	lane->started = step->time;
	lane->instructions = step->event->instructions;
	lane->hart = export_hart(x, step->event->source);
	return 0;
}

static int put_run(struct export *x, struct export_lane *of, const struct export_moment *ended,
		   uint64_t instructions)
{
	struct lane *lane = of->own;

	if (!lane || !lane->runs)
		return 0;
	lane->runs = false;
	start(x, INSERT_RUN);
	add_number(x, of->number);
	add_number(x, lane->hart);
	add_moment(x, &lane->started);
	add_moment(x, ended);
	add_number(x, instructions - lane->instructions);
	return insert(x);
}

static int rest(struct export *x, const struct export_step *step)
{
	return put_run(x, step->lane, &step->time, step->event->instructions);
}

static int loss(struct export *x, const struct export_step *step)
{
	const struct rvtrace_flow_item *item = step->event->item;
	char reason[EXPORT_REASON];

	start(x, INSERT_LOSS);
	add_number(x, x->losses);
	add_if(x, item->source != RVTRACE_SOURCE_ALL, export_hart(x, item->source));
	add_number(x, step->lane->number);
	add_number(x, view_is_loss(item));
	add_text(x, export_gap_reason(item, reason));
	add_if(x, item->type == RVTRACE_FLOW_LOST && item->lost.bytes, item->lost.bytes);
	add_moment(x, &step->time);
	return insert(x);
}

static int gap(struct export *x, const struct export_step *step)
{
	struct lane *lane = lane_of(step->lane);

	if (!lane)
		return -ENOMEM;
	lane->loss = step->event == &x->loss ? x->loss_number : x->losses;
	return 0;
}

static uint64_t innermost(const struct export_lane *lane)
{
	return lane->depth ? lane->stack[lane->depth - 1].frame.id : 0;
}

static int gap_end(struct export *x, const struct export_step *step)
{
	const struct lane *lane = step->lane->own;
	uint64_t call = innermost(step->lane);

	start(x, INSERT_GAP);
	add_number(x, step->lane->number);
	add_number(x, lane->loss);
	add_if(x, call, call);
	add_number(x, step->lane->gap);
	add_if(x, step->event, step->time.best);
	return insert(x);
}

static int item(struct export *x, const struct export_step *step)
{
	const struct rvtrace_flow_item *it = step->event->item;
	bool data = it->type == RVTRACE_FLOW_DATA, written = it->type == RVTRACE_FLOW_REGISTER;
	uint64_t call = innermost(step->lane);
	char text[EXPORT_REASON];
	const char *name = export_item_name(it, text);

	if (!name)
		return 0;
	start(x, INSERT_EVENT);
	add_number(x, step->lane->number);
	add_number(x, export_hart(x, it->source));
	add_if(x, call, call);
	add_moment(x, &step->time);
	add_text(x, name);
	add_if(x, data || written, data ? it->data.id : it->written.rd);
	add_if(x, data || written, data ? it->data.value : it->written.value);
	add_if(x, it->flags & RVTRACE_FLOW_HAS_ADDRESS, it->address);
	return insert(x);
}

static int put_functions(struct export *x)
{
	char buffer[32];
	int ret = 0;

	for (uint32_t id = 1; id <= view_functions(x->view) && !ret; id++) {
		const struct view_function *function = view_function(x->view, id);

		if (!function)
			continue;
		snprintf(buffer, sizeof(buffer), "0x%" PRIx64, function->address);
		start(x, INSERT_FUNCTION);
		add_number(x, id);
		add_text(x, function->name ? function->name : buffer);
		add_text_if(x, function->file);
		add_if(x, function->address, function->address);
		add_number(x, function->named);
		add_number(x, function->module);
		add_number(x, function->kernel);
		ret = insert(x);
	}
	return ret;
}

static int put_threads(struct export *x)
{
	char name[EXPORT_LANE_NAME];
	int ret = 0;

	for (size_t i = 0; i < x->lane_count && !ret; i++) {
		const struct view_lane *lane = x->lanes[i] ? view_lane(x->view, i) : NULL;

		if (!lane)
			continue;
		start(x, INSERT_THREAD);
		add_number(x, i);
		add_text(x, export_lane_name(x, x->lanes[i], name));
		add_if(x, lane->pid >= 0, lane->pid);
		add_if(x, lane->tid >= 0, lane->tid);
		add_number(x, lane->hart);
		add_text(x, lane->comm);
		add_number(x, lane->kernel);
		add_number(x, lane->observer);
		ret = insert(x);
	}
	return ret;
}

static int put_meta(struct export *x, const char *key, const char *value)
{
	start(x, INSERT_META);
	add_text(x, key);
	add_text(x, value);
	return insert(x);
}

static int put_rest(struct export *x)
{
	char schema[16];
	int ret = 0;

	snprintf(schema, sizeof(schema), "%d", SCHEMA);
	for (size_t i = 0; i < x->lane_count && !ret; i++) {
		struct export_lane *lane = x->lanes[i];
		struct export_moment ended = { lane ? lane->time : 0, 0, EXPORT_OPEN, true };

		ended.earliest = ended.best;
		if (lane)
			ret = put_run(x, lane, &ended, lane->instructions);
	}
	if (!ret)
		ret = put_functions(x);
	if (!ret)
		ret = put_threads(x);
	if (!ret)
		ret = put_meta(x, "schema", schema);
	if (!ret)
		ret = put_meta(x, "unit", x->unit ? x->unit : "instructions");
	return ret;
}

/* To what is no file */
static int copy(struct export *x, const struct database *database)
{
	char *buffer = malloc(COPY_BYTES);
	off_t at = 0;
	ssize_t got;

	if (!buffer)
		return -ENOMEM;
	while ((got = pread(database->fd, buffer, COPY_BYTES, at)) > 0 && !x->out->error) {
		out_write(x->out, buffer, got);
		at += got;
	}
	free(buffer);
	return got < 0 ? -errno : -x->out->error;
}

static int end(struct export *x)
{
	struct database *database = x->own;
	int ret = put_rest(x);

	if (!ret)
		ret = execute(database, views);
	if (!ret)
		ret = execute(database, "COMMIT");
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(database->inserts[i]);
	memset(database->inserts, 0, sizeof(database->inserts));
	/* closed, it has no error any more */
	if (!ret && sqlite3_close(database->db) == SQLITE_OK)
		database->db = NULL;
	else if (!ret)
		ret = -EBUSY;
	return ret || database->fd < 0 ? ret : copy(x, database);
}

static void free_database(struct export *x)
{
	struct database *database = x->own;

	if (!database)
		return;
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(database->inserts[i]);
	sqlite3_close(database->db);
	if (database->fd >= 0)
		close(database->fd);
	export_table_free(&database->open);
	free(database);
}

const struct export_format export_sqlite = {
	.name = "sqlite", .binary = true,
	.begin = begin, .enter = enter, .leave = leave, .run = run, .rest = rest, .gap = gap,
	.gap_end = gap_end, .loss = loss, .item = item, .end = end, .free = free_database,
};
