/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The E-Trace packet layer inside: what its files share.
 *
 *	etrace_encapsulation.c	bytes to packets
 *	etrace_packet.c		payload of instruction trace to fields
 *	etrace_data.c		payload of data trace to fields
 *	etrace_config.c		parameters of the encoder
 *	etrace_scf.c		parameters from files
 */
#ifndef ETRACE_INTERNAL_H
#define ETRACE_INTERNAL_H

#include <rvtrace/etrace.h>

#include "bits.h"

/* Payload of an encapsulated packet is 31 bytes long at most; others may have more. */
#define PAYLOAD_MAX	40

/**
 * struct layout - what the parameters make of fields
 * @address: bits of an address
 * @lsb: bits of an address that are not sent
 * @tval: bits of tval
 * @time: bits of time, 0 without
 * @context: bits of context, 0 without
 * @privilege: bits of privilege
 * @ecause: bits of ecause
 * @subformat: bits of subformat in format 0
 * @index: bits of an index into the jump target cache
 * @irdepth: bits of irdepth or irets
 * @only_index: without subformat, format 0 is an index
 * @modes: RVTRACE_ETRACE_SIJUMP ...
 */
struct layout {
	uint8_t address;
	uint8_t lsb;
	uint8_t tval;
	uint8_t time;
	uint8_t context;
	uint8_t privilege;
	uint8_t ecause;
	uint8_t subformat;
	uint8_t index;
	uint8_t irdepth;
	bool only_index;
	uint16_t modes;
};

void etrace_layout(const struct rvtrace_etrace_params *params, struct layout *layout);

/* Bits of the times of packets: of the time field, or of timestamps if these have more. */
static inline unsigned int etrace_time_bits(const struct rvtrace_etrace_params *params)
{
	unsigned int time = params->notime ? 0 : params->time_width;

	return time > params->timestamp_width ? time : params->timestamp_width;
}

/* Hardware in debug mode runs code of its own. */
enum { ETRACE_U = 0, ETRACE_S = 1, ETRACE_M = 3, ETRACE_VU = 5, ETRACE_VS = 6 };

/* 0 U, 1 S, 3 M of a field privilege; -1: of none */
static inline int etrace_privilege(unsigned int privilege)
{
	switch (privilege) {
	case ETRACE_U:
	case ETRACE_VU:
		return 0;
	case ETRACE_S:
	case ETRACE_VS:
		return 1;
	case ETRACE_M:
		return 3;
	}
	return -1;
}

/* What etrace_get_inst() found, so that nobody has to look. */
#define INST_PLAIN	0
#define INST_SUPPORT	1

/* Reads the fields of a payload; INST_PLAIN, INST_SUPPORT, a RVTRACE_ERR_ on failure. */
int etrace_get_inst(struct bits *b, const struct rvtrace_etrace_params *params,
		    const struct layout *layout, struct rvtrace_etrace_te_inst *inst);

/*
 * Reads the fields of a payload of format 1 or 2 in which nothing but the sign of the address is
 * behind it. @payload: sign-extended from @bits bits, 1 to 64. Return: whether it is one.
 */
bool etrace_get_short(int64_t payload, unsigned int bits, const struct layout *layout,
		      struct rvtrace_etrace_te_inst *inst);

/*
 * Reads the fields of a payload; 0, a RVTRACE_ERR_ on failure.
 * @sizes: for each lrid 1 + size of the last request of an atomic, 0: not known; NULL: none is.
 * A request is noted there.
 */
int etrace_get_data(struct bits *b, const struct rvtrace_etrace_params *params,
		    const struct layout *layout, uint8_t *sizes,
		    struct rvtrace_etrace_te_data *data);

/*
 * For who begins in the middle of a stream, in etrace_encapsulation.c.
 * etrace_reader_pass(): over the packets of @size bytes, the first of which begins at @at; how
 *	many bytes of the last one follow.
 * etrace_reader_forget(): as a new reader.
 * etrace_reader_set_params(): of a source that has not sent anything yet.
 * etrace_reader_time(): whether there is a time that timestamps of a source are added to.
 */
size_t etrace_reader_pass(const struct rvtrace_etrace_params *params, const uint8_t *bytes,
			  size_t size, size_t at);
void etrace_reader_forget(struct rvtrace_etrace *reader);
void etrace_reader_set_params(struct rvtrace_etrace *reader, unsigned int srcid,
			      const struct rvtrace_etrace_params *params);
bool etrace_reader_time(const struct rvtrace_etrace *reader, unsigned int srcid, uint64_t *now);

#endif /* ETRACE_INTERNAL_H */
