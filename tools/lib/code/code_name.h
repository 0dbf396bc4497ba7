/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which symbols name code that a person knows. */
#ifndef RVTRACE_CODE_NAME_H
#define RVTRACE_CODE_NAME_H

#include <stdbool.h>
#include <string.h>

/*
 * rvtrace_is_code_name() - whether a symbol is a name that somebody gave
 * @name: the symbol
 *
 * Assemblers make labels that begin with ".L", and mapping symbols, which say what bytes are: $d,
 * $x, $xrv64gc..., each with or without .ANYTHING (RISC-V ELF psABI, "Mapping Symbol").
 *
 * Return: false for those, and for the empty one.
 */
static inline bool rvtrace_is_code_name(const char *name)
{
	if (*name == '$' && (name[1] == 'd' || name[1] == 'x'))
		return name[2] > ' ' && name[2] != '.' && strncmp(name + 1, "xrv", 3);
	return *name && strncmp(name, ".L", 2);
}

#endif /* RVTRACE_CODE_NAME_H */
