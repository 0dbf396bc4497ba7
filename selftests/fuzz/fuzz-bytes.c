// SPDX-License-Identifier: GPL-2.0
/*
 * Random bytes for decoders: files that decode, damaged at random, and settings at random. Nothing
 * crashes, hangs, leaks, takes more than budget.h allows or breaks what it promises.
 *
 *   rvtrace-fuzz-bytes [--count N] [--seconds N] [--seed N] [--first N] [--output DIR]
 *                      TARGET FILE...
 *   rvtrace-fuzz-bytes --input TARGET FILE...
 *
 * Input number N depends on the seed and N alone. One that fails is written to DIR/failed-TARGET-N;
 * --input gives such files to the target as they are. Targets that need a program expect to be in
 * the source tree.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "budget.h"
#include "folder.h"
#include "limit.h"
#include "mutate.h"
#include "target.h"

#define FILES_MAX	256
#define INPUT_MAX	(1 << 20)
#define MEMORY		(512ULL << 20)	/* what one may use */
#define DAMAGES		6		/* at most, to one file */

struct seed_file {
	uint8_t *bytes;
	size_t size;
};

/* Shared with the child that does the work. */
struct progress {
	uint64_t number;
	uint64_t bytes;
	struct cost most;
	size_t size;
	uint8_t input[2 * INPUT_MAX];
};

struct fuzz {
	const struct fuzz_target *target;
	uint64_t count;
	uint64_t seconds;
	uint64_t seed;
	uint64_t first;
	const char *output;
	bool input;
	time_t end;
	struct seed_file files[FILES_MAX];
	size_t file_count;
	struct progress *progress;
};

static void die(const char *what, const char *name)
{
	fprintf(stderr, "rvtrace-fuzz-bytes: %s: %s: %s\n", what, name, strerror(errno));
	exit(1);
}

static void load(struct fuzz *f, const char *path)
{
	struct seed_file *file = &f->files[f->file_count++];
	FILE *stream = fopen(path, "rb");

	if (!stream)
		die("open", path);
	file->bytes = malloc(INPUT_MAX);
	file->size = fread(file->bytes, 1, INPUT_MAX, stream);
	if (ferror(stream))
		die("read", path);
	fclose(stream);
}

static void take(struct seed_file *file, struct mutation *m)
{
	if (!m->bytes)
		return;
	free(file->bytes);
	file->bytes = m->bytes;
	file->size = m->size < INPUT_MAX ? m->size : INPUT_MAX;
}

/* One file, damaged up to DAMAGES times. */
static struct seed_file damaged(const struct fuzz *f, uint64_t *state)
{
	const struct seed_file *seed = &f->files[random_below(state, f->file_count)];
	struct seed_file file = { malloc(seed->size + 1), seed->size };
	unsigned int times = random_below(state, DAMAGES + 1);
	struct mutation m;

	memcpy(file.bytes, seed->bytes, seed->size);
	for (; times && file.size; times--) {
		mutate(&m, file.bytes, file.size, 1, state);
		take(&file, &m);
	}
	return file;
}

static void make_input(struct fuzz *f, uint64_t number)
{
	uint64_t state = random_state(f->seed, number);
	struct progress *p = f->progress;
	struct seed_file file;
	size_t i;

	file = damaged(f, &state);
	/* Often as the seeds need them, else some changed, or all. */
	memset(p->input, 0, f->target->settings);
	switch (random_below(&state, 3)) {
	case 0:
		break;
	case 1:
		for (i = 0; i < f->target->settings; i += 1 + random_below(&state, 8))
			p->input[i] = random_next(&state) >> 32;
		break;
	default:
		for (i = 0; i < f->target->settings; i++)
			p->input[i] = random_below(&state, 100);
	}
	memcpy(p->input + f->target->settings, file.bytes, file.size);
	p->size = f->target->settings + file.size;
	free(file.bytes);
}

static bool is_over(const struct fuzz *f)
{
	return f->progress->number >= f->count || (f->seconds && time(NULL) >= f->end);
}

static void take_input(const struct fuzz_target *target, const uint8_t *bytes, size_t size,
		       struct cost *most)
{
	limit_time(budget_seconds(size));
	budget_begin(size);
	target->one(bytes, size);
	budget_end(most);
	limit_time(0);
}

/* From the shared number on; the exit status is that of the leak check. */
static void work(struct fuzz *f)
{
	struct progress *p = f->progress;

	for (; !is_over(f); p->number++) {
		make_input(f, p->number);
		take_input(f->target, p->input, p->size, &p->most);
		p->bytes += p->size;
	}
	exit(0);
}

static void save_input(const struct fuzz *f)
{
	char path[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/failed-%s-%ju", f->output, f->target->name,
		 (uintmax_t)f->progress->number);
	file = fopen(path, "wb");
	if (!file || fwrite(f->progress->input, 1, f->progress->size, file) != f->progress->size ||
	    fclose(file))
		die("write", path);
	printf("# written to %s\n", path);
}

/* A child that died is a failed input; the next one goes on behind it. */
static unsigned int supervise(struct fuzz *f)
{
	unsigned int failed = 0;
	int status;
	pid_t pid;

	while (!is_over(f)) {
		fflush(stdout);
		pid = fork();
		if (pid < 0)
			die("fork", "");
		if (!pid) {
			limit_memory(MEMORY);
			work(f);
		}
		if (waitpid(pid, &status, 0) != pid)
			die("wait", "");
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			continue;
		printf("# input %ju: %s %d\n", (uintmax_t)f->progress->number,
		       WIFSIGNALED(status) ? "signal" : "exit status",
		       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		save_input(f);
		failed++;
		f->progress->number++;
	}
	return failed;
}

static const struct argp_option options[] = {
	{ "count", 'c', "N", 0, "Inputs (any number)", 0 },
	{ "seconds", 't', "N", 0, "Stop after these (never)", 0 },
	{ "seed", 's', "N", 0, "Other ones (1)", 0 },
	{ "first", 'f', "N", 0, "Begin with this one (0)", 0 },
	{ "output", 'o', "DIR", 0, "Where inputs that fail go (the working directory)", 0 },
	{ "input", 'i', NULL, 0, "Files are inputs", 0 },
	{ },
};

static void set_target(struct fuzz *f, const char *name, struct argp_state *state)
{
	for (f->target = fuzz_targets; f->target->name; f->target++)
		if (!strcmp(name, f->target->name))
			return;
	argp_error(state, "no such target: %s", name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct fuzz *f = state->input;

	switch (key) {
	case 'c':
		f->count = strtoull(arg, NULL, 0);
		return 0;
	case 't':
		f->seconds = strtoull(arg, NULL, 0);
		return 0;
	case 's':
		f->seed = strtoull(arg, NULL, 0);
		return 0;
	case 'f':
		f->first = strtoull(arg, NULL, 0);
		return 0;
	case 'o':
		f->output = arg;
		return 0;
	case 'i':
		f->input = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!f->target)
			set_target(f, arg, state);
		else if (f->file_count < FILES_MAX)
			load(f, arg);
		else
			argp_error(state, "too many files");
		return 0;
	case ARGP_KEY_END:
		if (!f->file_count)
			argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "TARGET FILE...",
		.doc = "Give files, damaged at random, to a decoder.",
	};
	static struct fuzz f = { .count = UINT64_MAX, .seed = 1, .output = "." };
	unsigned int failed;
	struct cost most = { 0 };
	size_t i;

	argp_parse(&argp, argc, argv, 0, NULL, &f);
	folder_path();	/* of all children; those that die leave files there */
	if (f.input) {
		for (i = 0; i < f.file_count; i++)
			take_input(f.target, f.files[i].bytes, f.files[i].size, &most);
		return 0;
	}
	f.progress = mmap(NULL, sizeof(*f.progress), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (f.progress == MAP_FAILED)
		die("mmap", "");
	f.progress->number = f.first;
	if (f.count < UINT64_MAX)
		f.count += f.first;
	f.end = time(NULL) + f.seconds;
	failed = supervise(&f);
	printf("# %s: %ju inputs, %ju bytes, seed %ju: %u failed; ", f.target->name,
	       (uintmax_t)(f.progress->number - f.first), (uintmax_t)f.progress->bytes,
	       (uintmax_t)f.seed, failed);
	printf("at most %.3f of the memory, %.3f of the time\n", f.progress->most.memory,
	       f.progress->most.time);
	return failed ? 1 : 0;
}
