/* SPDX-License-Identifier: GPL-2.0 */
/* What the specifications call registers. */
#ifndef RVTRACE_TRACECTL_REGISTER_NAMES_H
#define RVTRACE_TRACECTL_REGISTER_NAMES_H

#include <stddef.h>
#include <stdint.h>

/**
 * register_name() - name of a register
 * @generation: of the component, as its file of that name has it
 * @kind: "encoder", "funnel", "ramsink", "pibsink", "atbbridge"
 * @offset: in the component's page
 * @name: room for the name; one of several that are alike has its number behind it
 * @size: of @name
 *
 * Return: @name, which is empty when the headers do not name the register.
 */
const char *register_name(const char *generation, const char *kind, uint32_t offset, char *name,
			  size_t size);

#endif /* RVTRACE_TRACECTL_REGISTER_NAMES_H */
