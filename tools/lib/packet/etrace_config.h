/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters of E-Trace by name. */
#ifndef ETRACE_CONFIG_H
#define ETRACE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/etrace.h>

#define ETRACE_PARAMS_MAX	128

/**
 * struct etrace_param - one parameter
 * @name: without _p
 * @offset: of its byte in struct rvtrace_etrace_params
 * @mode: it is this bit of rvtrace_etrace_params.modes instead, if not 0
 * @min: least value
 * @max: greatest value
 * @value: where nothing is said
 * @required: something must be said
 * @option: it may be RVTRACE_ETRACE_NO_OPTION too
 */
struct etrace_param {
	const char *name;
	uint16_t offset;
	uint16_t mode;
	uint8_t min;
	uint8_t max;
	uint8_t value;
	bool required;
	bool option;
};

/* By number, from 0 on; NULL: there are no more. */
const struct etrace_param *etrace_param(size_t index);

/* Its number; -1: there is none. @name may end in _p. */
int etrace_param_find(const char *name);

bool etrace_param_may_be(const struct etrace_param *param, uint64_t value);
void etrace_param_set(struct rvtrace_etrace_params *params, const struct etrace_param *param,
		      unsigned int value);
unsigned int etrace_param_get(const struct rvtrace_etrace_params *params,
			      const struct etrace_param *param);

/* Returns are not inferred, or not by stack and counter both: only with irets an encoder could. */
bool etrace_returns_are_possible(const struct rvtrace_etrace_params *params);

#endif /* ETRACE_CONFIG_H */
