// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw: a recorder's buffer as it lay in memory, its oldest trace first. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace_input.h"

#define PIECE	(256 * 1024)
#define WORD	4	/* bytes that are written at once */

static int fail(const struct trace_input *in, const char *what, struct rvtrace_failure *error)
{
	return rvtrace_fail(error, errno, 0, "%s: %s%s", in->object, what, strerror(errno));
}

static bool has_buffer(const struct decode_format *format)
{
	return format->wraps;
}

/* Whether the file is a buffer: 1, 0, a negative errno. */
static int is_buffer(struct trace_input *in, const struct decode_format *format,
		     struct rvtrace_failure *error)
{
	const struct raw_options *raw = &in->raw_options;

	if (raw->wrapped && raw->write_pointer % WORD)
		return rvtrace_fail(error, EINVAL, 0, "--write-pointer: %" PRIu64
				    " is not a multiple of %d (leave out bit 0 of a register)",
				    raw->write_pointer, WORD);
	if (format->wraps)
		return format->wraps(in, error);
	return !raw->wrapped ? 0 : rvtrace_fail(error, EINVAL, 0, "--write-pointer is of %s",
						decode_format_list(has_buffer, true, " and "));
}

int buffer_prepare(struct trace_input *in, struct rvtrace_failure *error)
{
	const struct decode_format *format = input_format(in);
	struct stat st;
	int ret = is_buffer(in, format, error);

	in->in_buffer = ret > 0;
	if (ret <= 0)
		return ret;
	if (!strcmp(in->object, "-"))
		return rvtrace_fail(error, EINVAL, 0,
				    "-: a buffer takes a file, not standard input");
	if (stat(in->object, &st))
		return fail(in, "", error);
	if (!S_ISREG(st.st_mode))
		return rvtrace_fail(error, EINVAL, 0, "%s: a buffer takes a file", in->object);
	return format->unwrap(in, st.st_size, error);
}

static int copy(const struct trace_input *in, const struct rvtrace_buffer_span *span, int from,
		int to, struct rvtrace_failure *error)
{
	uint8_t *piece = malloc(PIECE);
	uint64_t done = 0;
	int ret = piece ? 0 : -ENOMEM;

	while (!ret && done < span->size) {
		size_t most = span->size - done < PIECE ? span->size - done : PIECE;
		ssize_t got = pread(from, piece, most, span->from + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			ret = got ? fail(in, "", error) :
			      rvtrace_fail(error, EBADMSG, 0, "%s: became shorter", in->object);
		else if (write(to, piece, got) != got)
			ret = fail(in, "copying: ", error);
		else
			done += got;
	}
	free(piece);
	return ret;
}

int buffer_open(const struct trace_input *in, int fd, struct rvtrace_failure *error)
{
	int copied = memfd_create("buffer", MFD_CLOEXEC), ret;

	if (copied < 0)
		return fail(in, "copying: ", error);
	ret = copy(in, &in->spans[0], fd, copied, error);
	if (!ret)
		ret = copy(in, &in->spans[1], fd, copied, error);
	if (!ret && lseek(copied, 0, SEEK_SET))
		ret = fail(in, "copying: ", error);
	if (ret)
		close(copied);
	return ret ? ret : copied;
}
