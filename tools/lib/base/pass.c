// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages between processes of one program, with a file descriptor each. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "pass.h"

union rights {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* With room for one file descriptor: padding would be room for another one. */
static struct msghdr describe(struct iovec *iov, union rights *rights)
{
	return (struct msghdr) {
		.msg_iov = iov,
		.msg_iovlen = 1,
		.msg_control = rights,
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
}

int pass_send(int socket, const void *bytes, size_t size, int fd)
{
	struct iovec iov = { (void *)bytes, size };
	union rights rights = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	struct msghdr message = describe(&iov, &rights);
	ssize_t put;

	memcpy(CMSG_DATA(&rights.header), &fd, sizeof(fd));
	if (fd < 0)
		message.msg_controllen = 0;
	do {
		put = sendmsg(socket, &message, MSG_NOSIGNAL);
	} while (put < 0 && errno == EINTR);
	return put < 0 ? -errno : 0;
}

ssize_t pass_receive(int socket, void *bytes, size_t size, int *fd)
{
	struct iovec iov = { bytes, size };
	union rights rights;
	struct msghdr message = describe(&iov, &rights);
	struct cmsghdr *header;
	ssize_t got;

	*fd = -1;
	do {
		got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return got;
}
