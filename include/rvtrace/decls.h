/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Macros before and after the declarations in every header of librvtrace. */
#ifndef RVTRACE_DECLS_H
#define RVTRACE_DECLS_H

/*
 * The library is compiled with -fvisibility=hidden. It exports only the functions that are declared
 * between these two macros.
 */
#ifdef __cplusplus
#define RVTRACE_BEGIN_DECLS	extern "C" { _Pragma("GCC visibility push(default)")
#define RVTRACE_END_DECLS	_Pragma("GCC visibility pop") }
#else
#define RVTRACE_BEGIN_DECLS	_Pragma("GCC visibility push(default)")
#define RVTRACE_END_DECLS	_Pragma("GCC visibility pop")
#endif

#endif /* RVTRACE_DECLS_H */
