// SPDX-License-Identifier: LGPL-2.1-or-later
/* E-Trace: packets of data trace to accesses (2.0, "Data Trace Encoder Output Packets"). */
#include <string.h>

#include "flow_access.h"
#include "flow_etrace.h"

#define CSRS	ACCESS_SIZES		/* they have last values of their own */

static void cut(uint64_t value[2], unsigned int size)
{
	if (size < 4)
		value[1] = 0;
	if (size < 3)
		value[0] &= (1ull << (8u << size)) - 1;
}

/* Return: whether the value is known. */
static bool decode_value(const uint64_t sent[2], unsigned int coding, unsigned int size,
			 struct access_last *last, uint64_t value[2])
{
	value[0] = sent[0];
	value[1] = sent[1];
	if (coding == RVTRACE_ETRACE_DIFFERENTIAL) {
		value[0] += last->value[0];
		value[1] += last->value[1] + (value[0] < sent[0]);
	} else if (coding != RVTRACE_ETRACE_FULL) {
		value[0] ^= last->value[0];
		value[1] ^= last->value[1];
	} else {
		last->valid = true;
	}
	if (!last->valid)
		return false;
	last->value[0] = value[0];
	last->value[1] = value[1];
	cut(value, size);
	return true;
}

/* Data addresses are extended as those of instructions are. */
static uint64_t wrap(const struct rvtrace_etrace_params *params, uint64_t address)
{
	unsigned int above = 64 - params->daddress_width;

	if (params->daddress_width <= 32)
		return address << above >> above;
	return (uint64_t)((int64_t)(address << above) >> above);
}

static bool decode_address(const struct rvtrace_etrace_params *params,
			   const struct rvtrace_etrace_te_data *data, struct access_last *last,
			   uint64_t *address)
{
	*address = data->address;
	if (data->address_coding == RVTRACE_ETRACE_FULL)
		last->valid = true;
	else
		*address = wrap(params, last->value[0] + data->address);
	last->value[0] = *address;
	return last->valid;
}

/* "Packet format for Unified CSR, with address only" may give the difference to the last one. */
static void decode_csr_address(const struct rvtrace_etrace_te_data *data, struct access_last *last,
			       struct rvtrace_flow_access *access)
{
	access->address = data->csr;
	if (data->has_data || data->address_coding == RVTRACE_ETRACE_FULL)
		last->valid = true;
	else
		access->address = (last->value[0] + data->csr) & 0xfff;
	last->value[0] = access->address;
	if (last->valid)
		access->flags |= RVTRACE_ACCESS_HAS_ADDRESS;
}

static bool is_response(const struct rvtrace_etrace_te_data *data)
{
	return data->kind == RVTRACE_ETRACE_LOAD_DATA || data->kind == RVTRACE_ETRACE_ATOMIC_DATA;
}

static void set_flags(const struct rvtrace_etrace_te_data *data, struct rvtrace_flow_access *access)
{
	if (data->unaligned)
		access->flags |= RVTRACE_ACCESS_UNALIGNED;
	if (data->multiple)
		access->flags |= RVTRACE_ACCESS_MULTIPLE;
	if (data->split)
		access->flags |= RVTRACE_ACCESS_REQUEST;
}

/* What the request said, and the data */
static void begin_response(struct access_queue *queue, const struct rvtrace_etrace_te_data *data,
			   struct rvtrace_flow_access *access)
{
	struct rvtrace_flow_access *request = &queue->requests[data->lrid];

	if (request->flags & RVTRACE_ACCESS_REQUEST)
		*access = *request;
	else	/* the requests of loads have nothing but addresses */
		access->kind = RVTRACE_ETRACE_LOAD;
	request->flags = 0;
	if (data->kind != RVTRACE_ETRACE_ATOMIC_DATA || !data->error)
		access->size = data->size;
	access->lrid = data->lrid;
	access->flags &= ~RVTRACE_ACCESS_REQUEST;
	access->flags |= RVTRACE_ACCESS_RESPONSE;
	if (data->error)
		access->flags |= RVTRACE_ACCESS_FAILED;
}

static unsigned int csr_size(const struct rvtrace_etrace_params *params)
{
	return params->iaddress_width > 32 ? 3 : 2;
}

static void decode(struct source *source, struct access_queue *queue,
		   const struct rvtrace_etrace_te_data *data, struct rvtrace_flow_access *access)
{
	const struct rvtrace_etrace_params *params = &source->etrace->params;
	bool csr = data->kind == RVTRACE_ETRACE_CSR;
	unsigned int size = csr ? csr_size(params) : data->size, last = csr ? CSRS : size;
	unsigned int coding = params->mmacas_ext ? data->data_coding : RVTRACE_ETRACE_FULL;

	if (is_response(data)) {
		begin_response(queue, data, access);
	} else {
		access->kind = data->kind;
		access->subtype = data->subtype;
		access->size = size;
		access->lrid = data->lrid;
		set_flags(data, access);
	}
	if (csr)
		decode_csr_address(data, &queue->address[CSRS], access);
	if (data->has_address &&
	    decode_address(params, data, &queue->address[last], &access->address))
		access->flags |= RVTRACE_ACCESS_HAS_ADDRESS;
	if (data->has_data && decode_value(data->data, data->data_coding, size,
					   &queue->data[last], access->data))
		access->flags |= RVTRACE_ACCESS_HAS_DATA;
	if (data->has_operand &&
	    decode_value(data->operand, coding, size, &queue->operand[last], access->operand))
		access->flags |= RVTRACE_ACCESS_HAS_OPERAND;
	if (access->flags & RVTRACE_ACCESS_REQUEST)
		queue->requests[data->lrid] = *access;
}

/**
 * flow_etrace_data() - the current packet is one of data trace
 * @flow: the decoder
 */
void flow_etrace_data(struct rvtrace_flow *flow)
{
	struct access_queue *queue = flow_access_queue(flow);
	struct rvtrace_flow_access access = { 0 };

	if (!queue)
		return;
	decode(flow->source, queue, &flow->packet.data, &access);
	flow_access_put(flow, &access);
}

/**
 * flow_etrace_forget_data() - addresses and data are full again
 * @source: whose
 */
void flow_etrace_forget_data(struct source *source)
{
	struct access_queue *queue = source->accesses;

	if (!queue)
		return;
	memset(queue->address, 0, sizeof(queue->address));
	memset(queue->data, 0, sizeof(queue->data));
	memset(queue->operand, 0, sizeof(queue->operand));
}
