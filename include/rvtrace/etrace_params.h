/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parameters of an E-Trace encoder that a decoder needs. Members have the names of the parameters
 * in the specification ("Parameters and Discovery").
 */
#ifndef RVTRACE_ETRACE_PARAMS_H
#define RVTRACE_ETRACE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rvtrace/decls.h>
#include <rvtrace/error.h>

RVTRACE_BEGIN_DECLS

struct rvtrace_flow_config;
struct json_object;
struct rvtrace_failure;

/*
 * Modes that can change while the encoder runs: bits of rvtrace_etrace_params.modes and of
 * rvtrace_etrace_te_inst.modes. Their order in ioptions and doptions may differ.
 */
#define RVTRACE_ETRACE_SIJUMP			(1u << 0)	/* sequentially inferable jumps */
#define RVTRACE_ETRACE_IMPLICIT_RETURN		(1u << 1)
#define RVTRACE_ETRACE_BRANCH_PREDICTION	(1u << 2)
#define RVTRACE_ETRACE_JUMP_TARGET_CACHE	(1u << 3)
#define RVTRACE_ETRACE_IMPLICIT_EXCEPTION	(1u << 4)
#define RVTRACE_ETRACE_FULL_ADDRESS		(1u << 5)
#define RVTRACE_ETRACE_RESYNC_DISABLED		(1u << 6)	/* standard support packet only */
#define RVTRACE_ETRACE_NO_ADDRESS		(1u << 7)	/* data trace: data only */
#define RVTRACE_ETRACE_NO_DATA			(1u << 8)	/* data trace: addresses only */
#define RVTRACE_ETRACE_FULL_DADDRESS		(1u << 9)	/* data trace: never differential */
#define RVTRACE_ETRACE_FULL_DATA		(1u << 10)	/* data trace: never compressed */
#define RVTRACE_ETRACE_MODES			11

/* rvtrace_etrace_params.option: no bit of the support packet reports the mode. */
#define RVTRACE_ETRACE_NO_OPTION		0xff
/* .type_event: no type is for events; .event_srcid_bit: no bit marks events */
#define RVTRACE_ETRACE_NO_EVENTS		0xff

/**
 * struct rvtrace_etrace_params - parameters that the stream does not contain
 *
 * Parameters of the encoder (E-Trace 2.0, "Parameters and Discovery"); names as there, without _p:
 * @arch: version of the architecture
 * @blocks: number of copies of iretire, itype ...
 * @bpred_size: the branch predictor has 2^n entries; 0: there is none
 * @cache_size: the jump target cache has 2^n entries; 0: there is none
 * @call_counter_size: the counter of nested calls has n bits; 0: there is none
 * @ctype_width: width of the ctype bus
 * @context_width: width of context, 0 to 64
 * @time_width: width of time, 0 to 64
 * @ecause_width: width of ecause, 0 to 64; no cause has more than 32 bits
 * @ecause_choice: bits of ecause for multiple choice
 * @f0s_width: width of subformat in format 0, 0 to 8
 * @filter_context: filters can compare the context
 * @filter_time: filters can compare the time
 * @filter_excint: filters can compare exceptions and interrupts
 * @filter_privilege: filters can compare the privilege
 * @filter_tval: filters can compare the trap value
 * @iaddress_lsb: low bits of an address that are not sent, 0 to 3
 * @iaddress_width: width of addresses, 8 to 64; addresses of 33 bits and more are sign-extended
 * @iretire_width: width of the iretire bus
 * @ilastsize_width: width of the ilastsize bus
 * @itype_width: width of the itype bus
 * @nocontext: packets have no context
 * @notime: packets have no time
 * @privilege_width: width of privilege, 0 to 8
 * @retires: instructions that a block can retire
 * @return_stack_size: the return stack has 2^n entries; 0: there is none
 * @sijump: the encoder can omit sequentially inferable jumps
 * @impdef_width: width of the impdef bus
 * @comparators: number of comparators for filters
 * @filters: number of filters
 * @taken_branches: taken branches that a block can have
 * @daddress_width: width of data addresses, 8 to 64
 * @dblock_width: width of the dblock bus
 * @data_width: width of data, 8, 16, 32, 64 or 128
 * @dsize_width: width of the dsize bus
 * @dtype_width: width of the dtype bus; 1: only loads and stores, and format has 2 bits if loads
 *	are unified
 * @iaddr_lsbs_width: width of the iaddr_lsbs bus
 * @lrid_width: width of load request ids, 0 to 8
 * @lresp_width: width of the lresp bus
 * @ldata_width: width of the ldata bus
 * @sdata_width: width of the sdata bus
 *
 * Encapsulation 1.0:
 * @srcid_width: bits of srcID, 0 to 16 (trTeSrcBits, 0 with trTeInhibitSrc)
 * @timestamp_width: bits of timestamp if header.extend is 1, 0 to 64 in steps of 8
 * @type_width: bits of type, 0 to 8
 * @type_inst: type of instruction trace
 * @type_data: type of data trace, if @type_width is not 0
 * @type_event: type of software trace events, if @type_width is 2 or more, or
 *	RVTRACE_ETRACE_NO_EVENTS
 * @event_srcid_bit: instead of @type_event: the bit of srcID, counted from 0, that is set in
 *	packets of software trace events; their other bits are the srcID of their hart. Or
 *	RVTRACE_ETRACE_NO_EVENTS
 * @sign_padding: for srcID and type that together are not a whole number of bytes: 1: the payload
 *	is sign-extended to the end of its last byte; 0: the payload is a whole number of bytes, and
 *	the rest of the last byte has no meaning ("Packet Length")
 *
 * Choices that E-Trace leaves to the implementation:
 * @protocol_minor: 0: the support packet of 2.0, with the following widths; 1 or more: the standard
 *	support packet of the 2.0.5 draft (trTeProtocolMinor)
 * @encoder_mode_width: E, 0 to 32
 * @ioptions_width: N, 0 to 32
 * @denable_width: 1 if the support packet has denable, else 0
 * @dloss_width: 1 if the support packet has dloss, else 0
 * @doptions_width: M, 0 to 32
 * @option: for each mode, by its number: the bit of ioptions or doptions that reports it, or
 *	RVTRACE_ETRACE_NO_OPTION
 * @split: 1: loads and atomics are split into request and data
 * @ddiff_width: bits of diff in data trace without addresses and of CSRs, 1 or 2
 * @iret_ext: 1: packets have irets (2.0.5 draft, "Implicit Return"), else irdepth
 * @infer_all_returns: 1: with implicit returns, the encoder reports no returns, like the encoder of
 *	the reference flow. It omits a return after a synchronization too, when encoder and decoder
 *	have dropped the earlier calls, and a boot ROM's jump to the start of the program, which has
 *	the form of a return
 * @mmacas_ext: 1: data trace as in the 2.0.5 draft ("Data Trace of Multiple-Memory Access and
 *	Compare and Swap")
 * @modes: RVTRACE_ETRACE_SIJUMP ...: modes before the first support packet
 * @reserved: 0
 */
struct rvtrace_etrace_params {
	uint8_t arch;
	uint8_t blocks;
	uint8_t bpred_size;
	uint8_t cache_size;
	uint8_t call_counter_size;
	uint8_t ctype_width;
	uint8_t context_width;
	uint8_t time_width;
	uint8_t ecause_width;
	uint8_t ecause_choice;
	uint8_t f0s_width;
	uint8_t filter_context;
	uint8_t filter_time;
	uint8_t filter_excint;
	uint8_t filter_privilege;
	uint8_t filter_tval;
	uint8_t iaddress_lsb;
	uint8_t iaddress_width;
	uint8_t iretire_width;
	uint8_t ilastsize_width;
	uint8_t itype_width;
	uint8_t nocontext;
	uint8_t notime;
	uint8_t privilege_width;
	uint8_t retires;
	uint8_t return_stack_size;
	uint8_t sijump;
	uint8_t impdef_width;
	uint8_t comparators;
	uint8_t filters;
	uint8_t taken_branches;
	uint8_t daddress_width;
	uint8_t dblock_width;
	uint8_t data_width;
	uint8_t dsize_width;
	uint8_t dtype_width;
	uint8_t iaddr_lsbs_width;
	uint8_t lrid_width;
	uint8_t lresp_width;
	uint8_t ldata_width;
	uint8_t sdata_width;
	uint8_t srcid_width;
	uint8_t timestamp_width;
	uint8_t type_width;
	uint8_t type_inst;
	uint8_t type_data;
	uint8_t type_event;
	uint8_t event_srcid_bit;
	uint8_t sign_padding;
	uint8_t protocol_minor;
	uint8_t encoder_mode_width;
	uint8_t ioptions_width;
	uint8_t denable_width;
	uint8_t dloss_width;
	uint8_t doptions_width;
	uint8_t option[RVTRACE_ETRACE_MODES];
	uint8_t split;
	uint8_t ddiff_width;
	uint8_t iret_ext;
	uint8_t infer_all_returns;
	uint8_t mmacas_ext;
	uint16_t modes;
	uint8_t reserved[54];
};

/**
 * rvtrace_etrace_params_default() - set all parameters to their defaults
 * @params: filled: the defaults of "Discovery of encoder parameters"; no srcID, timestamp and type;
 *	the support packet of the reference flow (encoder_mode 1 bit, ioptions 5:
 *	implicit return, implicit exception, full address, jump target cache, branch prediction)
 */
void rvtrace_etrace_params_default(struct rvtrace_etrace_params *params);

/**
 * rvtrace_etrace_params_check() - check that packets can be read with parameters
 * @params: the parameters
 * @name: filled on failure with the name of the wrong parameter, may be NULL
 * @why: filled on failure with the reason, may be NULL; both texts are static
 *
 * Return: 0, RVTRACE_ERR_INVALID.
 */
int rvtrace_etrace_params_check(const struct rvtrace_etrace_params *params, const char **name,
				const char **why);

/**
 * rvtrace_etrace_params_load() - read parameters from a file
 * @path: a JSON file (see rvtrace_etrace_params_from_json()), or a static config file (.scf) of the
 *	reference flow of E-Trace: lines of `name=value`; `#` and `[` begin ignored text;
 *	infer_all_returns is 1 in such a file unless a line sets it
 * @params: filled
 * @error: filled on failure, may be NULL; its text names file and parameter
 *
 * The attributes in table "Required instruction trace attributes" are required (context_width and
 * time_width only if nocontext and notime are not 1). All other parameters have defaults. A name
 * may end in _p.
 *
 * Return: 0; a negative errno: -EBADMSG: a parameter is missing, unknown, out of range, given
 * twice with different values, or contradicts another one.
 */
int rvtrace_etrace_params_load(const char *path, struct rvtrace_etrace_params *params,
			       struct rvtrace_failure *error);

/**
 * rvtrace_etrace_params_from_json() - read parameters from JSON
 * @object: an object of numbers; or an object that has such an object as its member `etrace`; or
 *	metadata of a recording: the member `etrace` of all sources whose format is `etrace`, which
 *	must be the same in all of them
 * @where: text that @error's text begins with
 * @params: filled
 * @error: filled on failure, may be NULL
 *
 * Return: as rvtrace_etrace_params_load().
 */
int rvtrace_etrace_params_from_json(struct json_object *object, const char *where,
				    struct rvtrace_etrace_params *params,
				    struct rvtrace_failure *error);

/**
 * rvtrace_etrace_params_to_json() - make an object that rvtrace_etrace_params_from_json() reads
 * @params: the parameters
 *
 * Return: a new object with all parameters by name; NULL: out of memory.
 */
struct json_object *rvtrace_etrace_params_to_json(const struct rvtrace_etrace_params *params);

/**
 * rvtrace_etrace_param() - get one parameter by number, to enumerate all of them
 * @params: the parameters
 * @index: number, from 0
 * @name: filled with the name, without _p; static
 * @value: filled
 *
 * Return: true if there is a parameter of that number.
 */
bool rvtrace_etrace_param(const struct rvtrace_etrace_params *params, size_t index,
			  const char **name, unsigned int *value);

/**
 * rvtrace_etrace_params_set() - set one parameter by name
 * @params: the parameters
 * @name: with or without _p
 * @value: its new value
 *
 * Return: 0; RVTRACE_ERR_INVALID: there is no parameter of that name, or the value is invalid.
 */
int rvtrace_etrace_params_set(struct rvtrace_etrace_params *params, const char *name,
			      uint64_t value);

/**
 * rvtrace_etrace_wrap() - cut an address to the encoder's address bus
 * @params: the parameters
 * @address: the address, for example the sum of the last address and a differential one
 *
 * Return: @address in iaddress_width bits: zero-extended up to 32 bits, else sign-extended.
 */
static inline uint64_t rvtrace_etrace_wrap(const struct rvtrace_etrace_params *params,
					   uint64_t address)
{
	unsigned int above = 64 - params->iaddress_width;

	if (params->iaddress_width <= 32)
		return address << above >> above;
	return (uint64_t)((int64_t)(address << above) >> above);
}

/**
 * rvtrace_etrace_irdepth_width() - width of irdepth, or of irets
 * @params: the parameters
 *
 * Return: bits, 0 to 31.
 */
static inline unsigned int
rvtrace_etrace_irdepth_width(const struct rvtrace_etrace_params *params)
{
	if (params->iret_ext)
		return 8;
	return params->return_stack_size + !!params->return_stack_size + params->call_counter_size;
}

/**
 * rvtrace_flow_config_etrace() - make the configuration for a stream of E-Trace
 * @params: parameters of the encoders
 * @config: filled, except its size; the width of registers is that of addresses
 *
 * Return: 0, RVTRACE_ERR_INVALID, RVTRACE_ERR_TOO_NEW.
 */
int rvtrace_flow_config_etrace(const struct rvtrace_etrace_params *params,
			       struct rvtrace_flow_config *config);

RVTRACE_END_DECLS

#endif /* RVTRACE_ETRACE_PARAMS_H */
