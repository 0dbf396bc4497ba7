/* SPDX-License-Identifier: GPL-2.0 */
/* Told of CPUs that come online. */
#ifndef RVTRACED_ONLINE_H
#define RVTRACED_ONLINE_H

struct event_base;
struct online;

/**
 * online_new - be told
 * @base: event loop
 * @came: called with the number of the CPU
 * @user: for @came
 *
 * Return: until online_free(); NULL when it cannot be known.
 */
struct online *online_new(struct event_base *base, void (*came)(void *user, int cpu), void *user);

/** online_free - be told no more; NULL is ignored */
void online_free(struct online *online);

#endif /* RVTRACED_ONLINE_H */
