/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who takes what was found: the library's copy of it. */
#ifndef UNWRAP_HANDLER_H
#define UNWRAP_HANDLER_H

#include <rvtrace/unwrap.h>

#include "tools/lib/base/sized.h"

/* Return: as sized_take(). */
static inline int unwrap_handler_take(struct rvtrace_unwrap_handler *own,
				      const struct rvtrace_unwrap_handler *theirs)
{
	return sized_take(own, sizeof(*own), theirs, &own->data + 1);
}

#endif /* UNWRAP_HANDLER_H */
