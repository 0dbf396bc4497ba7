// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "size.h"

int size_parse(const char *text, uint64_t *bytes)
{
	static const char suffixes[] = "kmgt";
	unsigned int shift = 0;
	const char *suffix;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*bytes = strtoull(text, &end, 10);
	if (errno)
		return -errno;
	if (*end) {
		suffix = strchr(suffixes, tolower((unsigned char)*end));
		if (!suffix || end[1])
			return -EINVAL;
		shift = 10 * (suffix - suffixes + 1);
	}
	if (*bytes > UINT64_MAX >> shift)
		return -ERANGE;
	*bytes <<= shift;
	return 0;
}
