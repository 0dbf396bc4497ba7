// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/funnel.h"

#include <stdlib.h>
#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/component.h"
#include "tools/machine/model/fields.h"
#include "tools/machine/model/outlet.h"
#include "tools/machine/model/timestamp.h"

/**
 * struct tf_model - a funnel
 * @fields: what its registers say, whatever the generation
 * @legal: as in struct reg_block
 * @stream: what encoders share, if they do; else it has no state
 * @enabled: TF_ENABLE as it was when update() last looked
 */
struct tf_model {
	struct tf_config config;
	const struct generation *generation;
	const struct tf_ops *ops;
	void *opaque;
	struct component component;
	uint32_t fields[TF_FIELDS];
	uint32_t legal[TF_FIELDS];
	struct timestamp timestamp;
	struct outlet outlet;
	struct shared_stream stream;
	bool enabled;
	struct tf_stats stats;
};

void tf_config_init(struct tf_config *config, enum tci tci)
{
	const struct generation *generation = generation_of(tci);

	*config = (struct tf_config) {
		.generation = tci,
		.sinks = generation->own_pages ? SINK_FUNNEL : SINK_MEMORY,
		.stop_on_wrap = !generation->own_pages,
		.dis_input = (1 << TF_INPUTS) - 1,
		.timestamp.types = generation->funnel_ts_types,
		.timestamp.width = generation->ts_width,
		.timestamp.prescale = true,
		.timestamp.hides_width = true,
		.timestamp.vendor = 0xff,
		.component.active_delay = 50000,
		.component.empty_delay = 20000,
	};
	ramsink_config_default(&config->sink);
	pibsink_config_default(&config->pib);
	config->pib.modes &= generation->pib_modes;
	atbsink_config_default(&config->atb);
}

static struct outlet_config outlet_config(const struct tf_config *config)
{
	return (struct outlet_config) {
		.sinks = config->sinks,
		.ram = &config->sink,
		.pib = &config->pib,
		.atb = &config->atb,
	};
}

const char *tf_config_check(const struct tf_config *config)
{
	const struct generation *generation = generation_of(config->generation);
	const struct outlet_config outlet = outlet_config(config);
	bool there = generation && generation->funnel_timestamp;
	const char *wrong;

	if (!generation)
		return "no such generation";
	if (config->dis_input >> TF_INPUTS)
		return "dis_input has more than 16 inputs";
	wrong = config->shared_buffer ? shared_format()->check(config->shared_buffer) : NULL;
	if (wrong)
		return wrong;
	if (config->sinks & SINK_RAM && config->sink.access_width > 32 &&
	    reg_largest(generation->funnel, TF_SINK_BYTES))
		return "access width is more than sinkBytes can say";
	wrong = timestamp_config_check(&config->timestamp,
				       generation->funnel_timestamp,
				       there ? generation->ts_types : 1);
	return wrong ? wrong : outlet_config_check(&outlet, generation);
}

/* What follows from a change of the fields */

static void update(struct tf_model *tf)
{
	bool enabled = tf->fields[TF_ENABLE];

	outlet_select(&tf->outlet, tf->fields[TF_SINK],
		      tf->fields[TF_STOP_ON_WRAP], enabled);
	if (enabled == tf->enabled)
		return;
	tf->enabled = enabled;
	if (!enabled)
		component_start_flush(&tf->component);
}

/* Registers */

/* TF_EMPTY is all there is. */
static uint32_t read_live(void *owner, unsigned int id)
{
	struct tf_model *tf = owner;

	(void)id;
	return component_says_empty(&tf->component,
				    outlet_is_empty(&tf->outlet) &&
				    !component_is_flushing(&tf->component));
}

static void written(void *owner)
{
	update(owner);
}

static const struct reg_ops reg_ops = {
	.read = read_live,
	.written = written,
};

uint32_t tf_model_read(struct tf_model *tf, uint32_t offset)
{
	return component_read(&tf->component, offset);
}

void tf_model_write(struct tf_model *tf, uint32_t offset, uint32_t value)
{
	component_write(&tf->component, offset, value);
}

void tf_model_tick(struct tf_model *tf)
{
	component_tick(&tf->component);
}

void tf_model_set_fault(struct tf_model *tf, const struct fault *fault)
{
	component_set_fault(&tf->component, fault);
}

void tf_model_fault(const struct tf_model *tf, struct fault *fault)
{
	*fault = tf->component.fault;
}

void tf_model_set_bandwidth(struct tf_model *tf, uint32_t bandwidth)
{
	tf->outlet.ram.config.bandwidth = bandwidth;
}

uint32_t tf_model_bandwidth(const struct tf_model *tf)
{
	return tf->outlet.ram.config.bandwidth;
}

/* The way of the trace */

bool tf_model_is_on(const struct tf_model *tf)
{
	return component_is_up(&tf->component) && tf->enabled;
}

/* A disabled funnel accepts and drops, as does a disabled input. */
static bool drops(const struct tf_model *tf, unsigned int input)
{
	return !tf_model_is_on(tf) || tf->fields[TF_DIS_INPUT] >> input & 1;
}

bool tf_model_has_room(const struct tf_model *tf, unsigned int input,
		       size_t size)
{
	return drops(tf, input) || outlet_has_room(&tf->outlet, size);
}

/* Whether @size bytes were the last ones that the funnel takes. */
static bool stops(struct tf_model *tf, size_t size)
{
	/* The buffer has filled: nothing is left to flush. */
	if (outlet_is_full(&tf->outlet))
		return true;
	if (!component_stops(&tf->component, size))
		return false;
	outlet_flush(&tf->outlet);
	return true;
}

bool tf_model_send(struct tf_model *tf, unsigned int input,
		   const uint8_t *message, size_t size, bool wait)
{
	bool taken;

	if (drops(tf, input)) {
		tf->stats.dropped += size;
		return true;
	}
	taken = outlet_put(&tf->outlet, message, size, wait);
	if (outlet_take_error(&tf->outlet))
		tf->fields[TF_SINK_ERROR] = 1;
	if (!taken)
		return false;
	if (stops(tf, size)) {
		tf->fields[TF_ENABLE] = 0;
		tf->enabled = false;
		update(tf);
	}
	tf->stats.bytes += size;
	return true;
}

/* What encoders share */

static void put_shared(void *opaque, const uint8_t *bytes, size_t size)
{
	struct tf_model *tf = opaque;

	tf_model_send(tf, tf->stream.input, bytes, size, true);
}

/* Where it would be dropped, no place of the buffer is spent on it. */
static bool has_room(void *opaque, size_t size)
{
	struct tf_model *tf = opaque;
	bool room;

	if (drops(tf, tf->stream.input))
		return false;
	room = outlet_has_room(&tf->outlet, size);
	tf->stream.waited |= !room && tf->stream.wait;
	return room || tf->stream.wait;
}

static bool new_stream(struct tf_model *tf)
{
	tf->stream = (struct shared_stream) {
		.put = put_shared,
		.has_room = has_room,
		.opaque = tf,
	};
	if (!tf->config.shared_buffer)
		return true;
	tf->stream.state = calloc(1, shared_format()->state_size);
	return tf->stream.state;
}

struct shared_stream *tf_model_stream(struct tf_model *tf, unsigned int input)
{
	if (!tf->stream.state)
		return NULL;
	tf->stream.input = input;
	return &tf->stream;
}

uint64_t tf_model_shared(const struct tf_model *tf, uint64_t external,
			 uint64_t cycles)
{
	if (!timestamp_is_there(&tf->timestamp.config))
		return external;
	return timestamp_of(&tf->timestamp, external, cycles);
}

void tf_model_advance(struct tf_model *tf, uint32_t halfwords)
{
	outlet_advance(&tf->outlet, halfwords);
}

/* Life */

static uint64_t now(void *owner)
{
	struct tf_model *tf = owner;

	return tf->ops->outlet.now(tf->opaque);
}

static uint64_t read_external(void *owner)
{
	struct tf_model *tf = owner;

	return tf->ops->timestamp(tf->opaque);
}

static uint64_t shared(void *owner, uint64_t external, uint64_t cycles)
{
	struct tf_model *tf = owner;

	return tf->ops->shared(tf->opaque, external, cycles);
}

static void schedule(void *owner, uint64_t ticks)
{
	struct tf_model *tf = owner;

	tf->ops->schedule(tf->opaque, ticks);
}

static void reset(void *owner)
{
	struct tf_model *tf = owner;

	memset(tf->fields, 0, sizeof(tf->fields));
	tf->fields[TF_SINK] = reg_lowest(tf->legal[TF_SINK]);
	tf->fields[TF_HAS_SINKS] = tf->config.sinks >> 4;
	tf->fields[TF_SINK_BYTES] = outlet_sink_bytes(&tf->outlet);
	timestamp_reset(&tf->timestamp);
	if (tf->stream.state)
		shared_format()->init(&tf->stream, tf->config.shared_buffer);
	outlet_reset(&tf->outlet);
	outlet_select(&tf->outlet, tf->fields[TF_SINK], false, false);
	tf->enabled = false;
}

static void flush(void *owner)
{
	struct tf_model *tf = owner;

	outlet_flush(&tf->outlet);
}

static const struct component_ops component_ops = {
	.now = now,
	.schedule = schedule,
	.reset = reset,
	.flush = flush,
};

static bool build(struct tf_model *tf)
{
	const struct tf_config *config = &tf->config;
	const struct timestamp_ops timestamp_ops = {
		.now = now,
		.external = read_external,
		.shared = tf->ops->shared ? shared : NULL,
	};
	struct outlet_ops outlet_ops = tf->ops->outlet;
	const struct outlet_config outlet = outlet_config(config);

	tf->legal[TF_STOP_ON_WRAP] = reg_flag(config->stop_on_wrap);
	tf->legal[TF_SINK] = config->sinks & SINK_ONE ? SINK_ONE :
							config->sinks;
	tf->legal[TF_DIS_INPUT] = config->dis_input;
	if (!reg_largest(tf->generation->funnel, TF_SINK_ERROR))
		outlet_ops.is_on = NULL;
	component_init(&tf->component, &config->component, &component_ops, tf);
	component_add(&tf->component, &(struct reg_block) {
		.specs = tf->generation->funnel,
		.converts = tf->generation->converts,
		.values = tf->fields,
		.legal = tf->legal,
		.ops = &reg_ops,
		.owner = tf,
	});
	timestamp_init(&tf->timestamp, &config->timestamp, tf->generation,
		       tf->generation->funnel_timestamp, &tf->component,
		       &timestamp_ops, tf);
	if (!outlet_init(&tf->outlet, tf->generation, &outlet, &outlet_ops,
			 tf->opaque))
		return false;
	outlet_add_registers(&tf->outlet, &tf->component);
	return true;
}

struct tf_model *tf_model_new(const struct tf_config *config,
			      const struct tf_ops *ops, void *opaque)
{
	struct tf_model *tf;

	if (tf_config_check(config))
		return NULL;
	tf = calloc(1, sizeof(*tf));
	if (!tf)
		return NULL;
	tf->config = *config;
	tf->generation = generation_of(config->generation);
	tf->ops = ops;
	tf->opaque = opaque;
	if (!new_stream(tf) || !build(tf)) {
		tf_model_free(tf);
		return NULL;
	}
	tf_model_reset(tf);
	return tf;
}

void tf_model_free(struct tf_model *tf)
{
	if (!tf)
		return;
	outlet_free(&tf->outlet);
	free(tf->stream.state);
	free(tf);
}

void tf_model_reset(struct tf_model *tf)
{
	component_reset(&tf->component);
}

void tf_model_lose_power(struct tf_model *tf)
{
	component_lose_power(&tf->component);
	outlet_lose_power(&tf->outlet);
}

void tf_model_stats(const struct tf_model *tf, struct tf_stats *stats)
{
	*stats = tf->stats;
	stats->wraps = tf->outlet.ram.wraps;
	stats->accesses = tf->component.accesses;
}
