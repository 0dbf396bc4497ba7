// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writer of trace directories: bytes into a .bin file, past the page cache.
 *
 * Whoever records the machine it runs on traces its own writing. Through the
 * page cache a page costs thousands of instructions, about as many trace bytes
 * as it holds, and the recording would feed itself. O_DIRECT from the ring's
 * own pages costs a twentieth of that.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording_writer.h"

#define BLOCK		RVTRACE_RECORDING_BLOCK
#define DIRECT_MIN	(4 * BLOCK)	/* less is cheaper through the page cache */

int recorder_write_at(int fd, const struct iovec *iov, int count, uint64_t offset, uint64_t *done)
{
	struct iovec rest[RECORDER_PARTS_MAX];
	ssize_t got;
	int i = 0;

	memcpy(rest, iov, count * sizeof(*iov));
	while (i < count) {
		if (!rest[i].iov_len) {
			i++;
			continue;
		}
		got = pwritev(fd, rest + i, count - i, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return -EIO;
		*done += got;
		offset += got;
		for (; got && i < count; i++) {
			size_t part = (size_t)got < rest[i].iov_len ? (size_t)got : rest[i].iov_len;

			rest[i].iov_base = (char *)rest[i].iov_base + part;
			rest[i].iov_len -= part;
			got -= part;
			if (rest[i].iov_len)
				break;
		}
	}
	return 0;
}

int recorder_take(struct iovec *iov, int count, uint64_t limit, struct iovec first[2])
{
	int i, used = 0;

	for (i = 0; i < count; i++) {
		size_t part = iov[i].iov_len < limit ? iov[i].iov_len : limit;

		if (part)
			first[used++] = (struct iovec) { iov[i].iov_base, part };
		iov[i].iov_base = (char *)iov[i].iov_base + part;
		iov[i].iov_len -= part;
		limit -= part;
	}
	return used;
}

uint64_t recorder_length(const struct iovec *iov, int count)
{
	uint64_t length = 0;
	int i;

	for (i = 0; i < count; i++)
		length += iov[i].iov_len;
	return length;
}

static bool aligned(const struct iovec *iov, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if ((uintptr_t)iov[i].iov_base % BLOCK || iov[i].iov_len % BLOCK)
			return false;
	return true;
}

/* Memory that is not aligned to the file, as after a loss, or cannot be pinned. */
static int write_bounced(struct rvtrace_recorder *recorder, int fd, struct iovec *iov, int count,
			 uint64_t offset, uint64_t *done)
{
	struct iovec part[2];
	int used, i, ret = 0;

	while (!ret && (used = recorder_take(iov, count, RECORDER_BOUNCE_SIZE, part))) {
		struct iovec whole = { recorder->bounce, 0 };
		uint64_t written = 0;

		for (i = 0; i < used; i++) {
			memcpy(recorder->bounce + whole.iov_len, part[i].iov_base, part[i].iov_len);
			whole.iov_len += part[i].iov_len;
		}
		ret = recorder_write_at(fd, &whole, 1, offset, &written);
		offset += written;
		*done += written;
	}
	return ret;
}

/* Whole blocks at a block's boundary; what cannot be written so is left. */
static void write_direct(struct rvtrace_recorder *recorder, struct recorder_sink *sink,
			 const struct iovec *iov, int count, uint64_t *done)
{
	uint64_t offset = sink->segment_bytes + *done, written = 0;
	struct iovec rest[2];
	int ret = -EFAULT;

	memcpy(rest, iov, count * sizeof(*iov));
	if (aligned(rest, count))
		ret = recorder_write_at(sink->direct, rest, count, offset, &written);
	if (ret == -EFAULT && !written)
		ret = write_bounced(recorder, sink->direct, rest, count, offset, &written);
	*done += written;
	/* The file system does not want it: not again, then. */
	if (ret && !written) {
		close(sink->direct);
		sink->direct = -1;
	}
}

int recorder_segment_write(struct rvtrace_recorder *recorder, struct recorder_sink *sink,
			   const struct iovec *iov, int count, uint64_t *done)
{
	struct iovec rest[2], blocks[2], part[2];
	uint64_t head, before;
	int used, ret;

	*done = 0;
	memcpy(rest, iov, count * sizeof(*iov));
	if (sink->direct >= 0 && recorder_length(rest, count) >= DIRECT_MIN) {
		head = -sink->segment_bytes % BLOCK;
		used = recorder_take(rest, count, head, part);
		ret = recorder_write_at(sink->segment, part, used, sink->segment_bytes, done);
		if (ret)
			return ret;
		memcpy(blocks, rest, count * sizeof(*rest));
		used = recorder_take(blocks, count, recorder_length(rest, count) / BLOCK * BLOCK,
				     part);
		before = *done;
		write_direct(recorder, sink, part, used, done);
		recorder_take(rest, count, *done - before, part);
	}
	return recorder_write_at(sink->segment, rest, count, sink->segment_bytes + *done, done);
}
