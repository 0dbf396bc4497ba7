// SPDX-License-Identifier: GPL-2.0
/*
 * Random damage to a recording: each time one corruption of one file, all of it
 * read and decoded. Nothing crashes, nothing hangs, and what was damaged is
 * told: file and place.
 *
 *   rvtrace-fuzz [--count N] [--seed N] [--first N] [--verbose] RECORDING SCRATCH
 *
 * Mutation number N depends on the seed and N alone. SCRATCH is a directory on
 * the file system of RECORDING, whose files it links to.
 */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rvtrace/program.h>
#include <rvtrace/recording.h>
#include <rvtrace/replay.h>
#include <rvtrace/resolver.h>
#include <rvtrace/spaces.h>

#include "limit.h"
#include "mutate.h"

#define FILES_MAX	512
#define SECONDS		20		/* of the processor, for one mutation: it is a hang */
#define MEMORY		(1ULL << 30)	/* what one may use */
#define ITEM_MAX	65536		/* damage is told at the next item at the latest */
#define SAMPLE		8		/* of damaged images one in so many is decoded */

struct file {
	char *name;		/* in the recording */
	uint8_t *bytes;
	uint64_t size;
	unsigned int weight;
	uint64_t unit;		/* size of its items; 0: they have no fixed one */
	bool image;
	bool trace;		/* what is left of it decodes for the most part */
};

/* Shared with the child that does the work. */
struct progress {
	uint64_t number;
	char what[256];
	uint64_t identical;
	uint64_t located;
	uint64_t failed;
	uint64_t decoded;
};

struct fuzz {
	const char *base;
	const char *scratch;
	uint64_t count;
	uint64_t seed;
	uint64_t first;
	bool verbose;
	struct file files[FILES_MAX];
	size_t file_count;
	uint64_t instructions;		/* of the recording as it is */
	uint64_t stream;		/* bytes of all segments */
	struct progress *progress;
};

static void die(const char *what, const char *name)
{
	fprintf(stderr, "rvtrace-fuzz: %s: %s: %s\n", what, name, strerror(errno));
	exit(1);
}

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), part = strlen(end);

	return length >= part && !strcmp(name + length - part, end);
}

static void load_file(struct fuzz *f, const char *name)
{
	struct file *file = &f->files[f->file_count];
	char path[4096];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", f->base, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		die("open", path);
	if (!st.st_size || f->file_count == FILES_MAX) {
		close(fd);
		return;
	}
	file->size = st.st_size;
	file->bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file->bytes == MAP_FAILED)
		die("mmap", path);
	file->name = strdup(name);
	file->image = !strncmp(name, "images/", 7) && !ends_in(name, ".jsonl");
	/* What is read in place is damaged more often than what is only hashed. */
	file->weight = file->image ? 1 : 40;
	file->unit = ends_in(name, ".idx") ? RVTRACE_RECORDING_ENTRY_SIZE :
		     ends_in(name, ".bin") ? RVTRACE_RECORDING_BLOCK : 0;
	file->trace = ends_in(name, ".bin") || ends_in(name, ".idx");
	if (ends_in(name, ".bin"))
		f->stream += file->size;
	f->file_count++;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static void load_folder(struct fuzz *f, const char *folder)
{
	char path[4096], name[1024];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), "%s/%s", f->base, folder);
	directory = opendir(path);
	if (!directory)
		die("open", path);
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s%s%s", folder, *folder ? "/" : "", entry->d_name);
		if (!strcmp(name, "images"))
			load_folder(f, name);
		else
			load_file(f, name);
	}
	closedir(directory);
}

static void link_file(const struct fuzz *f, const struct file *file)
{
	char from[4096], to[4096];

	snprintf(from, sizeof(from), "%s/%s", f->base, file->name);
	snprintf(to, sizeof(to), "%s/%s", f->scratch, file->name);
	unlink(to);
	if (link(from, to))
		die("link", to);
}

static void write_mutated(const struct fuzz *f, const struct file *file, const struct mutation *m)
{
	uint64_t done = 0;
	char path[4096];
	ssize_t put;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", f->scratch, file->name);
	if (unlink(path))
		die("unlink", path);
	if (!m->bytes)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		die("create", path);
	for (; done < m->size; done += put) {
		put = write(fd, m->bytes + done, m->size - done);
		if (put <= 0)
			die("write", path);
	}
	close(fd);
}

static int count_items(void *data, const struct rvtrace_flow_item *items, size_t count)
{
	uint64_t *instructions = data;

	for (; count; count--, items++)
		if (items->type == RVTRACE_FLOW_BLOCKS)
			*instructions += items->blocks.instructions;
	return 0;
}

static int replay(struct rvtrace_recording *recording, struct rvtrace_program *program,
		  struct rvtrace_spaces *spaces, uint64_t *instructions,
		  struct rvtrace_failure *error)
{
	const struct rvtrace_replay_handler handler = {
		.size = sizeof(handler),
		.items = count_items, .data = instructions,
	};
	struct rvtrace_resolver *resolver;
	size_t sink;
	int ret = 0;

	for (sink = 0; !ret && sink < rvtrace_recording_sink_count(recording); sink++) {
		ret = rvtrace_replay_resolver(recording, sink, program, spaces, &resolver, error);
		if (ret)
			break;
		ret = rvtrace_replay(recording, sink, program, resolver, &handler, error);
		rvtrace_resolver_free(resolver);
	}
	return ret;
}

static int decode(const struct fuzz *f, struct rvtrace_recording *recording,
		  uint64_t *instructions, struct rvtrace_failure *error)
{
	struct rvtrace_program *program = rvtrace_program_new();
	struct rvtrace_spaces *spaces = NULL;
	int ret;

	*instructions = 0;
	ret = rvtrace_spaces_load(recording, &spaces, error);
	if (!ret)
		ret = rvtrace_program_load(program, recording, f->scratch, spaces, error);
	if (!ret)
		ret = replay(recording, program, spaces, instructions, error);
	rvtrace_program_free(program);
	rvtrace_spaces_free(spaces);
	return ret;
}

/* Whether damage is told from @from to @to of the file, or just behind. */
static bool is_located(const struct rvtrace_recording *recording, const char *name, uint64_t from,
		       uint64_t to)
{
	const struct rvtrace_damage *damage;
	size_t i;

	for (i = 0; (damage = rvtrace_recording_damage(recording, i)); i++)
		if (!strcmp(damage->file, name) && damage->offset <= to + ITEM_MAX &&
		    damage->offset + damage->length >= from)
			return true;
	return false;
}

/* First byte of the file that is another; @m->size if it is a beginning of it. */
static uint64_t first_difference(const struct file *file, const struct mutation *m)
{
	uint64_t i = 0;

	while (i < file->size && i < m->size && file->bytes[i] == m->bytes[i])
		i++;
	return i;
}

/*
 * Bytes put in or taken out amid a repetition: the same bytes could have been put in or taken out
 * before. The first place where they could.
 */
static uint64_t first_place(const struct file *file, const struct mutation *m)
{
	uint64_t more = m->size > file->size ? m->size - file->size : 0, at = m->at;
	uint64_t less = file->size > m->size ? file->size - m->size : 0;

	if (m->kind == MUTATION_CUT || more == less)
		return at;
	while (at && m->bytes[at - 1 + more] == file->bytes[at - 1 + less])
		at--;
	return at;
}

/* Whether each place that was changed is told. */
static bool all_located(const struct rvtrace_recording *recording, const struct file *file,
			const struct mutation *m)
{
	uint64_t first, place;

	if (!m->bytes)
		return is_located(recording, file->name, 0, 0);
	first = first_difference(file, m);
	place = first_place(file, m);
	if (m->kind == MUTATION_SWAP && !is_located(recording, file->name, m->other, m->other))
		return false;
	/* Each place from there on is right. */
	return is_located(recording, file->name, place < first ? place : first, first);
}

static void complain(struct fuzz *f, const struct rvtrace_recording *recording, const char *what)
{
	const struct rvtrace_damage *damage;
	size_t i;

	f->progress->failed++;
	printf("# %s: %s\n", f->progress->what, what);
	for (i = 0; recording && i < 5 && (damage = rvtrace_recording_damage(recording, i)); i++)
		printf("#   told: %s\n", damage->text);
}

static void judge(struct fuzz *f, const struct file *file, const struct mutation *m,
		  bool decode_too)
{
	struct rvtrace_failure error = { 0 };
	struct rvtrace_recording *recording;
	uint64_t instructions;
	bool identical;

	if (rvtrace_recording_open(f->scratch, &recording, &error)) {
		complain(f, NULL, error.text);
		return;
	}
	identical = m->bytes && m->size == file->size && !memcmp(m->bytes, file->bytes, m->size);
	if (rvtrace_recording_verify(recording, &error)) {
		complain(f, recording, error.text);
	} else if (decode_too && decode(f, recording, &instructions, &error)) {
		complain(f, recording, error.text);
	} else if (decode_too && file->trace && 2 * instructions < f->instructions &&
		   m->kind <= MUTATION_ZERO && m->length < f->stream / 8) {
		complain(f, recording, "less than half was decoded");
	} else if (identical) {
		f->progress->identical++;
		if (rvtrace_recording_damage(recording, 0))
			complain(f, recording, "nothing was changed");
	} else if (!all_located(recording, file, m)) {
		complain(f, recording, "the damage is not located");
	} else {
		f->progress->located++;
	}
	f->progress->decoded += decode_too;
	rvtrace_recording_free(recording);
}

static struct file *choose_file(struct fuzz *f, uint64_t *state)
{
	uint64_t total = 0, pick;
	size_t i;

	for (i = 0; i < f->file_count; i++)
		total += f->files[i].weight;
	pick = random_below(state, total);
	for (i = 0; pick >= f->files[i].weight; i++)
		pick -= f->files[i].weight;
	return &f->files[i];
}

static void one(struct fuzz *f, uint64_t number)
{
	uint64_t state = random_state(f->seed, number);
	struct mutation m;
	struct file *file;

	file = choose_file(f, &state);
	mutate(&m, file->bytes, file->size, file->unit, &state);
	snprintf(f->progress->what, sizeof(f->progress->what),
		 "mutation %ju: %s of %s at %ju, %ju bytes%s%.0ju", (uintmax_t)number,
		 mutation_name(m.kind), file->name, (uintmax_t)m.at, (uintmax_t)m.length,
		 m.kind == MUTATION_SWAP ? ", with those at " : "",
		 (uintmax_t)(m.kind == MUTATION_SWAP ? m.other : 0));
	if (f->verbose)
		printf("# %s\n", f->progress->what);
	write_mutated(f, file, &m);
	limit_time(SECONDS);
	judge(f, file, &m, !file->image || !(number % SAMPLE));
	limit_time(0);
	link_file(f, file);
	free(m.bytes);
}

/* From the shared number on; the exit status says nothing, the progress does. */
static void work(struct fuzz *f)
{
	for (; f->progress->number < f->count; f->progress->number++)
		one(f, f->progress->number);
	fflush(stdout);
	_exit(0);
}

/* A child that died is a failed mutation; the next one goes on behind it. */
static void supervise(struct fuzz *f)
{
	struct rusage usage;
	int status;
	pid_t pid;

	while (f->progress->number < f->count) {
		fflush(stdout);
		pid = fork();
		if (pid < 0)
			die("fork", "");
		if (!pid) {
			limit_memory(MEMORY);
			work(f);
		}
		if (wait4(pid, &status, 0, &usage) != pid)
			die("wait", "");
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			continue;
		printf("# %s: %s %d\n", f->progress->what, WIFSIGNALED(status) ? "signal" :
		       "exit status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		f->progress->failed++;
		f->progress->number++;
		for (size_t i = 0; i < f->file_count; i++)
			link_file(f, &f->files[i]);
	}
	printf("# at most %ld MiB were used\n", usage.ru_maxrss / 1024);
}

/* Checksums prove nothing where the hardware was faster. */
static bool has_overwritten(struct rvtrace_recording *recording, size_t sink)
{
	struct rvtrace_recording_stream *stream;
	struct rvtrace_chunk chunk;
	bool found = false;

	if (rvtrace_recording_stream_open(recording, sink, &stream, NULL))
		return true;
	while (!found && rvtrace_recording_stream_next(stream, &chunk, NULL) > 0)
		found = chunk.type == RVTRACE_CHUNK_OVERWRITTEN;
	rvtrace_recording_stream_free(stream);
	return found;
}

/* The recording as it is: nothing is damaged, and some of it decodes. */
static void check_base(struct fuzz *f)
{
	struct rvtrace_failure error = { 0 };
	const struct rvtrace_damage *damage;
	struct rvtrace_recording *recording;
	size_t i;

	if (rvtrace_recording_open(f->scratch, &recording, &error) ||
	    rvtrace_recording_verify(recording, &error) ||
	    decode(f, recording, &f->instructions, &error)) {
		fprintf(stderr, "rvtrace-fuzz: %s\n", error.text);
		exit(1);
	}
	damage = rvtrace_recording_damage(recording, 0);
	if (damage || !rvtrace_recording_complete(recording) || !f->instructions) {
		fprintf(stderr, "rvtrace-fuzz: %s: %s\n", f->base, damage ? damage->text :
			"incomplete, or without instructions");
		exit(1);
	}
	for (i = 0; i < rvtrace_recording_sink_count(recording); i++) {
		if (!has_overwritten(recording, i))
			continue;
		fprintf(stderr, "rvtrace-fuzz: %s: overwritten bytes\n", f->base);
		exit(1);
	}
	rvtrace_recording_free(recording);
}

static const struct argp_option options[] = {
	{ "count", 'c', "N", 0, "Mutations (300)", 0 },
	{ "seed", 's', "N", 0, "Other ones (1)", 0 },
	{ "first", 'f', "N", 0, "Begin with this one (0)", 0 },
	{ "verbose", 'v', NULL, 0, "Say each", 0 },
	{ },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct fuzz *f = state->input;

	switch (key) {
	case 'c':
		f->count = strtoull(arg, NULL, 0);
		return 0;
	case 's':
		f->seed = strtoull(arg, NULL, 0);
		return 0;
	case 'f':
		f->first = strtoull(arg, NULL, 0);
		return 0;
	case 'v':
		f->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!f->base)
			f->base = arg;
		else if (!f->scratch)
			f->scratch = arg;
		else
			argp_usage(state);
		return 0;
	case ARGP_KEY_END:
		if (!f->scratch)
			argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "RECORDING SCRATCH",
		.doc = "Damage copies of a recording at random, read them, and see that it is told.",
	};
	static struct fuzz f = { .count = 300, .seed = 1 };
	char path[4096];
	size_t i;

	argp_parse(&argp, argc, argv, 0, NULL, &f);
	setvbuf(stdout, NULL, _IOLBF, 0);
	f.progress = mmap(NULL, sizeof(*f.progress), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (f.progress == MAP_FAILED)
		die("mmap", "");
	load_folder(&f, "");
	qsort(f.files, f.file_count, sizeof(f.files[0]), by_name);
	mkdir(f.scratch, 0755);
	snprintf(path, sizeof(path), "%s/images", f.scratch);
	mkdir(path, 0755);
	for (i = 0; i < f.file_count; i++)
		link_file(&f, &f.files[i]);
	check_base(&f);
	f.progress->number = f.first;
	f.count += f.first;
	supervise(&f);
	printf("# %ju mutations, seed %ju: %ju located, %ju changed nothing, %ju failed; %ju decoded\n",
	       (uintmax_t)(f.count - f.first), (uintmax_t)f.seed,
	       (uintmax_t)f.progress->located, (uintmax_t)f.progress->identical,
	       (uintmax_t)f.progress->failed, (uintmax_t)f.progress->decoded);
	return f.progress->failed ? 1 : 0;
}
