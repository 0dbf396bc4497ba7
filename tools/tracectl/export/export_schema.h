/* SPDX-License-Identifier: GPL-2.0 */
/* tracectl export: what a database consists of; docs/export.md explains it. */
#ifndef RVTRACE_TRACECTL_EXPORT_SCHEMA_H
#define RVTRACE_TRACECTL_EXPORT_SCHEMA_H

/* In PRAGMA user_version, and in the table meta. */
#define EXPORT_SCHEMA	1

/* Before the first row. */
extern const char export_schema_tables[];

/* After the last one: indexes, which are made faster then, and views. */
extern const char export_schema_views[];

#endif /* RVTRACE_TRACECTL_EXPORT_SCHEMA_H */
