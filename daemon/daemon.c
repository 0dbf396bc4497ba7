// SPDX-License-Identifier: GPL-2.0
/* What the parts of the daemon share. */
#include <errno.h>
#include <event2/event.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "daemon.h"
#include "log.h"

/*
 * The daemon must get the processor in time on a machine that is loaded by
 * what is traced. A nice value does that without starving the traced program,
 * as a real-time priority could.
 */
void daemon_set_priority(const struct config *config)
{
	struct sched_param param = { .sched_priority = config->realtime };

	if (config->realtime) {
		if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &param))
			log_message(LOG_WARNING, "real-time priority %d: %s", config->realtime,
				    strerror(errno));
		return;
	}
	param.sched_priority = 0;
	if (sched_getscheduler(0) != SCHED_OTHER)
		sched_setscheduler(0, SCHED_OTHER, &param);
	if (setpriority(PRIO_PROCESS, 0, config->nice))
		log_message(LOG_WARNING, "nice %d: %s", config->nice, strerror(errno));
}

void daemon_idle(struct daemon *daemon)
{
	if (daemon->stopping && LIST_EMPTY(&daemon->workers) && LIST_EMPTY(&daemon->companions))
		event_base_loopbreak(daemon->base);
}
