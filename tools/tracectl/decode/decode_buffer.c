// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --raw: a recorder's buffer as it lay in memory, its oldest trace first. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode.h"

#define PIECE	(256 * 1024)
#define WORD	4	/* bytes that are written at once */

static int fail(const struct decode *d, const char *what, struct rvtrace_recording_error *error)
{
	return rvtrace_fail(error, errno, 0, "%s: %s%s", d->object, what, strerror(errno));
}

/* What the command line says, as of CDL its parameters may, too. */
static int use_pointer(struct decode *d, struct rvtrace_recording_error *error)
{
	const struct raw_options *raw = &d->raw_options;
	struct rvtrace_cdl_config *cdl = &d->config.cdl;

	if (raw->wrapped && raw->write_pointer % WORD)
		return rvtrace_fail(error, EINVAL, 0, "--write-pointer: %" PRIu64
				    " is no multiple of %d (bit 0 of a register is no part of it)",
				    raw->write_pointer, WORD);
	if (d->config.format != RVTRACE_FLOW_FORMAT_CDL) {
		d->in_buffer = raw->wrapped;
		return !raw->wrapped || d->config.format == RVTRACE_FLOW_FORMAT_DEBUGSPEC ? 0 :
		       rvtrace_fail(error, EINVAL, 0,
				    "--write-pointer is of CDL and the debug specification");
	}
	if (raw->wrapped && cdl->buffer != RVTRACE_CDL_STREAM)
		return rvtrace_fail(error, EINVAL, 0,
				    "--write-pointer, and parameters that tell of a buffer");
	if (raw->wrapped) {
		cdl->buffer = RVTRACE_CDL_OVERWRITE;
		cdl->wrapped = true;
		cdl->write = raw->write_pointer;
	}
	d->in_buffer = cdl->buffer != RVTRACE_CDL_STREAM;
	return 0;
}

static int prepare_cdl(struct decode *d, uint64_t size, struct rvtrace_recording_error *error)
{
	struct rvtrace_cdl_config *cdl = &d->config.cdl;

	if (!rvtrace_cdl_replay(cdl, size, d->spans))
		return 0;
	return rvtrace_fail(error, EINVAL, 0,
			    "%s: %" PRIu64 " bytes do not fit write %" PRIu64 ", sync_interval %u",
			    d->object, size, cdl->write, cdl->sync_interval);
}

static int prepare_debugspec(struct decode *d, uint64_t size,
			     struct rvtrace_recording_error *error)
{
	uint64_t said = d->config.debugspec.sync_interval / 2 * RVTRACE_DEBUGSPEC_SYNC_POINTS;
	uint64_t write = d->raw_options.write_pointer;

	if (said && said != size)
		return rvtrace_fail(error, EINVAL, 0,
				    "%s: not of the %" PRIu64 " bytes of its buffer (buffer_size)",
				    d->object, said);
	if (rvtrace_debugspec_buffer(&d->config.debugspec, size, write))
		return rvtrace_fail(error, EINVAL, 0,
				    "%s: no multiple of 32 bytes with write pointer %" PRIu64,
				    d->object, write);
	rvtrace_buffer_unwrap(size, write, d->spans);
	return 0;
}

int buffer_prepare(struct decode *d, struct rvtrace_recording_error *error)
{
	struct stat st;
	int ret = use_pointer(d, error);

	if (ret || !d->in_buffer)
		return ret;
	if (!strcmp(d->object, "-"))
		return rvtrace_fail(error, EINVAL, 0,
				    "-: a buffer takes a file, not standard input");
	if (stat(d->object, &st))
		return fail(d, "", error);
	if (!S_ISREG(st.st_mode))
		return rvtrace_fail(error, EINVAL, 0, "%s: a buffer takes a file", d->object);
	return d->config.format == RVTRACE_FLOW_FORMAT_CDL ? prepare_cdl(d, st.st_size, error) :
	       prepare_debugspec(d, st.st_size, error);
}

static int copy(const struct decode *d, const struct rvtrace_buffer_span *span, int from, int to,
		struct rvtrace_recording_error *error)
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
			ret = got ? fail(d, "", error) :
			      rvtrace_fail(error, EBADMSG, 0, "%s: became shorter", d->object);
		else if (write(to, piece, got) != got)
			ret = fail(d, "copying: ", error);
		else
			done += got;
	}
	free(piece);
	return ret;
}

int buffer_open(const struct decode *d, int fd, struct rvtrace_recording_error *error)
{
	int copied = memfd_create("buffer", MFD_CLOEXEC), ret;

	if (copied < 0)
		return fail(d, "copying: ", error);
	ret = copy(d, &d->spans[0], fd, copied, error);
	if (!ret)
		ret = copy(d, &d->spans[1], fd, copied, error);
	if (!ret && lseek(copied, 0, SEEK_SET))
		ret = fail(d, "copying: ", error);
	if (ret)
		close(copied);
	return ret ? ret : copied;
}
