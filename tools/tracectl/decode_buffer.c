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

static int fail(const struct decode *d, const char *what, struct rvtrace_recording_error *error)
{
	return rvtrace_fail(error, errno, 0, "%s: %s%s", d->object, what, strerror(errno));
}

int buffer_prepare(struct decode *d, struct rvtrace_recording_error *error)
{
	struct rvtrace_cdl_config *cdl = &d->config.cdl;
	struct stat st;

	if (cdl->buffer == RVTRACE_CDL_STREAM)
		return 0;
	if (!strcmp(d->object, "-"))
		return rvtrace_fail(error, EINVAL, 0,
				    "%s: a buffer takes a file, not standard input",
				    d->raw_options.param);
	if (stat(d->object, &st))
		return fail(d, "", error);
	if (!rvtrace_cdl_replay(cdl, st.st_size, d->spans))
		return 0;
	return rvtrace_fail(error, EINVAL, 0,
			    "%s: write %" PRIu64 " or sync_interval %u does not fit the %" PRIu64 " bytes of %s",
			    d->raw_options.param, cdl->write, cdl->sync_interval,
			    (uint64_t)st.st_size, d->object);
}

static int copy(const struct decode *d, const struct rvtrace_cdl_span *span, int from, int to,
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
