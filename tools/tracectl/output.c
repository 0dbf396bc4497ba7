// SPDX-License-Identifier: GPL-2.0
/*
 * The file that a verb writes: under another name in the same folder until it is whole, so that a
 * name that the user gave never has a part of the output.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out.h"
#include "tracectl.h"

/**
 * struct output - the file under way
 * @path: what it becomes, without symbolic links; NULL: there is none
 * @temporary: its name until then; NULL: it is written directly
 * @file: the file
 */
static struct output {
	char *path;
	char *temporary;
	FILE *file;
} output;

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;		/* there is nowhere to say it */
}

/* What a signal would leave: a part of a file, a line of progress. */
static void on_signal(int signal)
{
	if (progress_shown())
		say("\r\033[K");
	if (output.temporary) {
		unlink(output.temporary);
	} else if (output.path) {
		say("tracectl: ");
		say(output.path);
		say(": incomplete\n");
	}
	/* the disposition is the default again */
	raise(signal);
}

void catch_signals(void)
{
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ,
	};
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	struct sigaction before;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}

/* What the verb reads. */
static const char **inputs;
static size_t input_count;

void add_input(const char *path)
{
	const char **more;

	if (!path)
		return;
	more = reallocarray(inputs, input_count + 1, sizeof(*more));
	if (!more) {
		error_text("%s", strerror(ENOMEM));
		exit(EXIT_FAILED);
	}
	inputs = more;
	inputs[input_count++] = path;
}

/* A device or a pipe may be both. */
static bool is_input(const char *path, const char *input)
{
	struct stat out, in;

	return !stat(path, &out) && S_ISREG(out.st_mode) &&
	       !(strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in)) &&
	       out.st_dev == in.st_dev && out.st_ino == in.st_ino;
}

/* Where a file of that name is, or would be; NULL: nowhere. */
static char *folder_of(const char *path)
{
	char *file = realpath(path, NULL), *folder, *target;
	ssize_t length;

	if (!file) {
		/* a link whose file would be created */
		target = calloc(1, PATH_MAX);
		length = target ? readlink(path, target, PATH_MAX - 1) : -1;
		folder = strdup(path);
		if (length <= 0 || *target == '/')
			file = strdup(length > 0 ? target : path);
		else if (folder && asprintf(&file, "%s/%s", dirname(folder), target) < 0)
			file = NULL;
		free(folder);
		free(target);
	}
	folder = file ? realpath(dirname(file), NULL) : NULL;
	free(file);
	return folder;
}

static bool has_file(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

static bool is_in_recording(const char *folder, const char *input)
{
	char *recording = realpath(input, NULL);
	size_t length = recording ? strlen(recording) : 0;
	bool inside;

	inside = length && !strncmp(folder, recording, length) &&
		 (!folder[length] || folder[length] == '/');
	free(recording);
	return inside;
}

/* What nothing here writes, and what decoding may need. */
static bool is_program(const char *path)
{
	char magic[4];
	struct stat st;
	int fd = stat(path, &st) || !S_ISREG(st.st_mode) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	bool program = fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) &&
		       !memcmp(magic, "\177ELF", sizeof(magic));

	if (fd >= 0)
		close(fd);
	return program;
}

/* The name of a descriptor, not of a file, or a link whose file a shell would create. */
static bool is_alias(const char *path, bool there)
{
	struct stat link;

	return there ? !strncmp(path, "/dev/std", 8) || !strncmp(path, "/dev/fd/", 8) ||
		       !strncmp(path, "/proc/", 6) :
		       !lstat(path, &link);
}

static mode_t default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* FOLDER/.NAME.XXXXXX, with the mode that @path has, or would get. */
static FILE *open_temporary(const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	FILE *file;
	int fd;

	if (asprintf(&output.temporary, "%.*s.%s.XXXXXX", (int)(name - path), path, name) < 0) {
		output.temporary = NULL;
		return NULL;
	}
	fd = mkstemp(output.temporary);
	file = fd < 0 || fchmod(fd, mode) ? NULL : fdopen(fd, "w");
	if (file)
		return file;
	if (fd >= 0) {
		close(fd);
		unlink(output.temporary);
	}
	free(output.temporary);
	output.temporary = NULL;
	return NULL;
}

static FILE *open_file(const char *path, bool grows)
{
	struct stat st;
	bool there = !stat(path, &st), alias = is_alias(path, there);

	if (there && !S_ISREG(st.st_mode))
		return fopen(path, "we");
	output.path = there && !alias ? realpath(path, NULL) : strdup(path);
	if (!output.path)
		return NULL;
	/* who may write a file need not be able to make others in its folder */
	if (!alias && !grows && (!there || !access(path, W_OK)))
		output.file = open_temporary(output.path, there ? st.st_mode & 0777 :
							  default_mode());
	if (!output.file)
		output.file = fopen(path, "we");
	return output.file;
}

static bool is_any_input(const char *path)
{
	for (size_t i = 0; i < input_count; i++)
		if (is_input(path, inputs[i]))
			return true;
	return false;
}

/* Of a recording, a part alone may be read. */
static bool is_in_any_recording(const char *folder)
{
	if (has_file(folder, "metadata.json") && has_file(folder, "metadata.copy.json"))
		return true;
	for (size_t i = 0; i < input_count; i++)
		if (is_in_recording(folder, inputs[i]))
			return true;
	return false;
}

/* A slip of the option must not replace what is read, which may exist only once. */
static bool is_refused(const char *path)
{
	char *folder = folder_of(path);
	bool refused = true;

	if (is_any_input(path))
		error_text("%s: it is the input", path);
	else if (folder && is_in_any_recording(folder))
		error_text("%s: it would be in the recording, %s: write elsewhere", path, folder);
	else if (is_program(path))
		error_text("%s: it is a program: write elsewhere", path);
	else
		refused = false;
	free(folder);
	return refused;
}

int open_output(const char *path, bool grows, FILE **file)
{
	*file = NULL;
	if (path && is_refused(path))
		return EXIT_USAGE;
	catch_signals();
	*file = path ? open_file(path, grows) : stdout;
	if (*file)
		return EXIT_OK;
	error_text("%s: %s", path, strerror(errno));
	free(output.path);
	output.path = NULL;
	return EXIT_FAILED;
}

const char *output_path(FILE *file)
{
	struct stat st;

	if (!output.path || output.file != file || fstat(fileno(file), &st) ||
	    !S_ISREG(st.st_mode))
		return NULL;
	return output.temporary ? output.temporary : output.path;
}

/* Until a signal can come again, there is nothing to be left. */
static void forget(void)
{
	char *temporary = output.temporary, *path = output.path;

	output = (struct output) { };
	free(temporary);
	free(path);
}

int close_output(FILE *file, bool whole)
{
	bool ours = output.path && output.file == file;
	int ret = 0;

	if (!file || file == stdout)
		return file && fflush(file) ? -errno : 0;
	if (fclose(file))
		ret = -errno;
	if (!ours)
		return ret;
	if (output.temporary && whole && !ret && rename(output.temporary, output.path))
		ret = -errno;
	if (output.temporary && (!whole || ret))
		unlink(output.temporary);
	else if (!whole || ret)
		warn_text("%s: incomplete", output.path);
	forget();
	return ret;
}

int out_open(struct out *out, bool grows)
{
	return open_output(out->name, grows, &out->file);
}

static const char *name_of(const struct out *out)
{
	return out->name ? out->name : "standard output";
}

bool out_failed(struct out *out, int ret, const struct rvtrace_failure *error)
{
	int output = out_end(out);

	if (!ret && !output)
		return false;
	out->failed = true;
	if (ret == -EPIPE || output == -EPIPE)
		return true;	/* nobody reads on */
	if (output)
		error_text("%s: %s", name_of(out), strerror(-output));
	else
		error_text("%s", *error->text ? error->text : strerror(-ret));
	return true;
}

int out_close(struct out *out, int status)
{
	int ret = close_output(out->file, !out->failed);

	if (!ret || out->failed)
		return status;
	error_text("%s: %s", name_of(out), strerror(-ret));
	return EXIT_FAILED;
}
