/* SPDX-License-Identifier: GPL-2.0 */
/* Verbs that do something with every component, or with those that are named. */
#ifndef RVTRACE_TRACECTL_COMPONENTS_H
#define RVTRACE_TRACECTL_COMPONENTS_H

#include "tools/tracectl/tracectl.h"

/**
 * struct component_names - which components
 * @list: their names
 * @count: how many; 0: all that there are
 */
struct component_names {
	char **list;
	int count;
};

/* Takes what is left of the command line; its input is a struct component_names. */
error_t parse_components(int key, char *arg, struct argp_state *state);

/* What is done with a component. Returns an exit status. */
typedef int (*component_fn)(const struct rvtrace_devices *devices,
			    const struct rvtrace_device *component, void *data);

/**
 * each_component() - do something with every component that is meant
 * @names: which; it is an error if one of them does not exist, and nothing is done
 * @act: what; that it fails for one component is no reason to leave out the next
 * @data: for @act
 *
 * Return: an exit status, the last one that was not EXIT_OK.
 */
int each_component(const struct component_names *names, component_fn act, void *data);

/**
 * show_components() - a verb that shows every component that is meant
 * @argc: of the command line
 * @argv: its words
 * @doc: what the verb does, for its help
 * @show: its last argument is an array: with --json what it shows goes there, and
 *	otherwise to standard output
 *
 * Return: an exit status.
 */
int show_components(int argc, char **argv, const char *doc, component_fn show);

/**
 * each_encoder() - do something with every encoder that is meant
 * @names: which; as with each_component()
 * @function: what; returns 0 or an errno, having said why
 * @data: for @function
 *
 * Return: an exit status, the last one that was not EXIT_OK.
 */
int each_encoder(const struct component_names *names,
		 int (*function)(const struct rvtrace_device *encoder, void *data), void *data);

/* Return: "encoder" of "encoder12", to be freed. */
char *component_kind(const struct rvtrace_device *component);

#endif /* RVTRACE_TRACECTL_COMPONENTS_H */
