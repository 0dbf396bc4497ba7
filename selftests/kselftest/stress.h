/* SPDX-License-Identifier: GPL-2.0 */
/* What processes of ksft-stress do, and how often it succeeded. */
#ifndef STRESS_H
#define STRESS_H

#include <signal.h>
#include <stdbool.h>

/* How often what succeeded, of all processes. */
enum deed {
	STARTED, STOPPED, FLUSHED, CONFIGURED, RESIZED, SHOWN, OPENED, MAPPED, READ, CONSUMED,
	POLLED, UNBOUND, BOUND_AGAIN, UNLOADED, LOADED, REFUSED, DEEDS
};

/* Of all processes, by enum deed */
extern unsigned long *deeds;

/* How many processes try what needs a moment when nobody else does anything. */
extern volatile unsigned long *pauses;

/* This process is to end. */
extern volatile sig_atomic_t ended;

/* Do something to the driver, with arguments right or wrong. */
void act_randomly(void);

/* Try to get what only others may have. Return: whether something was got. */
bool got_something(void);

/* Nothing may wait for longer than until the next signal. */
void interrupt_every(unsigned int ms);

/* Write to a random sink. Return: whether that succeeded. */
bool put_sink(const char *name, const char *value);

/* Load or unload the module. Return: whether that succeeded. */
bool load(void);
bool unload(void);

/* Unload and load it, though others use it. */
void reload(void);

#endif /* STRESS_H */
