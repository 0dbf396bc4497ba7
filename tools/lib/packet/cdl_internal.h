/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CDL compressed trace: what files of the library share. */
#ifndef CDL_INTERNAL_H
#define CDL_INTERNAL_H

#include <rvtrace/cdl.h>
#include <rvtrace/error.h>

/* As rvtrace_cdl_config_from_json(); of metadata, the encoder @component, NULL: the only one. */
int cdl_config_of_source(struct json_object *object, const char *component, const char *name,
			 struct rvtrace_cdl_config *config, struct rvtrace_failure *error);

#endif /* CDL_INTERNAL_H */
