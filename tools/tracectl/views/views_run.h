/* SPDX-License-Identifier: GPL-2.0 */
/* Views: how a run of tracectl feeds one. */
#ifndef RVTRACE_TRACECTL_VIEWS_RUN_H
#define RVTRACE_TRACECTL_VIEWS_RUN_H

#include "views.h"

struct views;

/* The view that a run makes, and its own data. NULL: no memory */
struct views *views_new(struct decode *d, const struct view_ops *ops, void *data);
void views_free(struct views *views);

/* The view itself. */
struct view *views_view(struct views *views);

/* Before the first sink; a sink; after the last one. 0 or a negative errno */
int views_begin(struct views *views, struct rvtrace_failure *error);
int views_begin_sink(struct views *views);
int views_item(struct views *views, const struct rvtrace_flow_item *item);
int views_end_sink(struct views *views);
int views_end(struct views *views);

#endif /* RVTRACE_TRACECTL_VIEWS_RUN_H */
