// SPDX-License-Identifier: GPL-2.0
/* The char device of a sink: mappings, draining into a recording. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "drain.h"

#define CONTROL_SIZE	4096

static int consume_ioctl(struct device *device, struct rvtrace_consume *consume)
{
	return ioctl(device->fd, RVTRACE_IOC_CONSUME, consume) ? -errno : 0;
}

static const void *map(int fd, size_t size, uint64_t offset)
{
	void *address = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, (off_t)offset);

	return address == MAP_FAILED ? NULL : address;
}

int device_map(struct device *device, const char *path, struct rvtrace_failure *error)
{
	device->control = map(device->fd, CONTROL_SIZE, RVTRACE_MMAP_CONTROL);
	if (!device->control)
		return rvtrace_fail(error, errno, 0, "%s: mapping the control page: %s", path,
				    strerror(errno));
	if (device->control->abi_version != RVTRACE_ABI_VERSION)
		return rvtrace_fail(error, EPROTO, 0,
				    "%s: the driver speaks version %u of the interface, rvtraced %u: %s is older",
				    path, device->control->abi_version, RVTRACE_ABI_VERSION,
				    device->control->abi_version < RVTRACE_ABI_VERSION ?
					    "the driver" : "rvtraced");
	device->data_size = device->control->data_size;
	device->records_size = device->control->records_size;
	if (!device->data_size || !device->records_size ||
	    device->records_size & (device->records_size - 1))
		return rvtrace_fail(error, EPROTO, 0, "%s: rings of %llu and %llu bytes", path,
				    (unsigned long long)device->data_size,
				    (unsigned long long)device->records_size);
	device->records = map(device->fd, device->records_size, RVTRACE_MMAP_RECORDS);
	if (!device->records)
		return rvtrace_fail(error, errno, 0, "%s: mapping the record ring: %s", path,
				    strerror(errno));
	device->data = map(device->fd, device->data_size, RVTRACE_MMAP_DATA);
	if (!device->data)
		return rvtrace_fail(error, errno, 0, "%s: mapping the data ring: %s", path,
				    strerror(errno));
	device->records_position = device->control->records_tail;
	device->position = device->control->tail;
	device->state = device->control->state;
	return 0;
}

int device_open(struct device *device, const char *path, struct rvtrace_failure *error)
{
	*device = (struct device) { .fd = -1, .consume = consume_ioctl };
	device->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (device->fd < 0)
		return rvtrace_fail(error, errno, 0, "%s: %s", path,
				    errno == EBUSY ? "another program is reading it" :
						     strerror(errno));
	return device_map(device, path, error);
}

int device_ask_tasks(struct device *device, bool addresses, struct rvtrace_failure *error)
{
	uint32_t wanted = RVTRACE_TASKS_WANTED;

	if (addresses) {
		wanted |= RVTRACE_TASKS_ADDRESSES;
		device->task_addresses = !ioctl(device->fd, RVTRACE_IOC_TASKS, &wanted);
		wanted = RVTRACE_TASKS_WANTED;
	}
	device->tasks = device->task_addresses || !ioctl(device->fd, RVTRACE_IOC_TASKS, &wanted);
	/* An older driver, or a kernel that does not tell. */
	if (device->tasks || errno == ENOTTY || errno == EOPNOTSUPP)
		return 0;
	return rvtrace_fail(error, errno, 0, "asking which thread runs: %s", strerror(errno));
}

void device_close(struct device *device)
{
	if (device->control)
		munmap((void *)device->control, CONTROL_SIZE);
	if (device->records)
		munmap((void *)device->records, device->records_size);
	if (device->data)
		munmap((void *)device->data, device->data_size);
	device->control = NULL;
	device->records = NULL;
	device->data = NULL;
	if (device->fd >= 0)
		close(device->fd);
	device->fd = -1;
}

void device_begin(struct device *device)
{
	device->position = __atomic_load_n(&device->control->session_start, __ATOMIC_ACQUIRE);
	device->state = RVTRACE_STATE_RUNNING;
	device->session_error = 0;
	device->at_least_end = 0;
}

void device_skip_records(struct device *device, const struct rvtrace_record *last)
{
	uint64_t position = device->records_position;
	uint64_t head = __atomic_load_n(&device->control->records_head, __ATOMIC_ACQUIRE);

	while (position < head) {
		const struct rvtrace_record *record = (const void *)
			(device->records + (position & (device->records_size - 1)));

		if (record->size < 8 || record->size % 8 || record->size > head - position)
			return;
		position += record->size;
		if (record->type != RVTRACE_RECORD_PAD && record->size == last->size &&
		    !memcmp(record, last, last->size))
			device->records_position = position;
	}
}

/* What the daemon itself needs to know from a record. */
static void note_record(struct device *device, const struct rvtrace_record *record)
{
	const struct rvtrace_record_lost *lost = (const void *)record;
	const struct rvtrace_record_session_end *end = (const void *)record;
	const struct rvtrace_record_text *text = (const void *)record;

	if (record->type == RVTRACE_RECORD_LOST && record->size >= sizeof(*lost) &&
	    lost->flags & RVTRACE_LOST_AT_LEAST && lost->end > device->at_least_end)
		device->at_least_end = lost->end;
	if (record->type == RVTRACE_RECORD_SESSION_END && record->size >= sizeof(*end))
		device->session_error = end->error;
	if (record->type == RVTRACE_RECORD_TEXT && record->size >= sizeof(*text) && device->text)
		device->text(device->user, text);
}

/*
 * Bytes of whole records without padding from @start to @limit, both offsets
 * in the ring; *@pad is the size of a padding record that follows, or 0.
 * Returns a negative errno when the ring holds something else.
 */
static int64_t record_run(struct device *device, uint64_t start, uint64_t limit, uint64_t *pad)
{
	uint64_t offset = start;

	*pad = 0;
	while (offset < limit) {
		const struct rvtrace_record *record = (const void *)(device->records + offset);

		if (record->size < 8 || record->size % 8 || record->size > limit - offset)
			return -EBADMSG;
		if (record->type == RVTRACE_RECORD_PAD) {
			*pad = record->size;
			break;
		}
		if (record->size < sizeof(*record))
			return -EBADMSG;
		note_record(device, record);
		offset += record->size;
	}
	return offset - start;
}

static int drain_records(struct device *device, struct rvtrace_recorder *recorder, int sink,
			 uint64_t head, struct rvtrace_failure *error)
{
	while (device->records_position < head) {
		uint64_t offset = device->records_position & (device->records_size - 1);
		uint64_t limit = device->records_size, pad;
		int64_t run;
		int ret;

		if (head - device->records_position < limit - offset)
			limit = offset + (head - device->records_position);
		run = record_run(device, offset, limit, &pad);
		if (run < 0)
			return rvtrace_fail(error, EBADMSG, 0,
					    "the driver's record ring is damaged at position %llu",
					    (unsigned long long)device->records_position);
		if (run) {
			ret = rvtrace_recorder_records(recorder, sink, device->records + offset,
						       run, error);
			if (ret)
				return ret;
		}
		device->records_position += run + pad;
	}
	return 0;
}

static uint32_t loss_flags(const struct device *device, uint64_t position)
{
	return position < device->at_least_end ? RVTRACE_CHUNK_AT_LEAST : 0;
}

/* What could be written of @plan, when not all could, is kept: @plan is made that. */
static int write_plan(struct device *device, struct rvtrace_recorder *recorder, int sink,
		      struct drain_plan *plan, struct rvtrace_failure *error)
{
	const struct iovec iov[2] = {
		{ (void *)(device->data + plan->offset), plan->first },
		{ (void *)device->data, plan->length - plan->first },
	};
	uint64_t written;
	int ret = 0;

	if (plan->lost)
		ret = rvtrace_recorder_mark(recorder, sink, RVTRACE_CHUNK_LOST, device->position,
					    plan->lost, loss_flags(device, device->position),
					    error);
	if (!ret && plan->length)
		ret = rvtrace_recorder_write(recorder, sink, plan->start, iov,
					     plan->length > plan->first ? 2 : 1, error);
	written = rvtrace_recorder_position(recorder, sink);
	if (ret)
		plan->length = written > plan->start ? written - plan->start : 0;
	/* What was lost before is marked, though nothing may be written behind it. */
	if (!ret || written >= plan->start)
		device->position = plan->start + plan->length;
	return ret;
}

/* Describes what was written of @plan, now that it is known how much of that to trust. */
static int confirm(const struct device *device, struct rvtrace_recorder *recorder, int sink,
		   const struct drain_plan *plan, uint64_t valid_from,
		   struct rvtrace_failure *error)
{
	uint64_t overwritten = drain_overwritten(plan, valid_from);

	if (!overwritten)
		return rvtrace_recorder_confirm(recorder, sink, error);
	return rvtrace_recorder_mark(recorder, sink, RVTRACE_CHUNK_OVERWRITTEN, plan->start,
				     overwritten, loss_flags(device, plan->start), error);
}

/* Moves the tail; then what of @plan the hardware was faster to overwrite is known. */
static int consume(struct device *device, struct rvtrace_recorder *recorder, int sink,
		   const struct drain_plan *plan, struct rvtrace_consume *state,
		   struct rvtrace_failure *error)
{
	int ret, confirm_ret;

	*state = (struct rvtrace_consume) {
		.position = device->position,
		.records_position = device->records_position,
	};
	ret = device->consume(device, state);
	if (device->steps)
		++*device->steps;
	if (ret == -ENODEV)
		return ret;
	if (ret) {
		rvtrace_fail(error, -ret, 0, "giving ring space back: %s", strerror(-ret));
		confirm(device, recorder, sink, plan, UINT64_MAX, NULL);
		return ret;
	}
	device->state = state->state;
	/* The driver has just recorded a loss: read its flags first. */
	if (drain_overwritten(plan, state->valid_from))
		ret = drain_records(device, recorder, sink, state->records_head, error);
	confirm_ret = confirm(device, recorder, sink, plan, state->valid_from,
			      ret ? NULL : error);
	return ret ? ret : confirm_ret;
}

uint64_t device_discard(struct device *device)
{
	struct rvtrace_consume all = {
		.position = __atomic_load_n(&device->control->head, __ATOMIC_ACQUIRE),
		.records_position = __atomic_load_n(&device->control->records_head,
						    __ATOMIC_ACQUIRE),
	};

	if (all.position <= device->position)
		return 0;
	/* An unbound device takes nothing back. */
	device->consume(device, &all);
	return all.position - device->position;
}

/*
 * How far to go in a live session: not what this very drain makes the hardware
 * trace, and to whole blocks of the file, which are written best.
 */
static uint64_t live_end(const struct device *device, const struct rvtrace_recorder *recorder,
			 int sink, uint64_t head, uint64_t minimum)
{
	struct rvtrace_recorder_totals totals;
	uint64_t length = head - device->position, rest;

	if (length < minimum)
		return device->position;
	if (!minimum)
		return head;
	rvtrace_recorder_totals(recorder, sink, &totals);
	rest = (totals.bytes + length) % RVTRACE_RECORDING_BLOCK;
	return head - (rest < length ? rest : length);
}

/*
 * The memory was taken away, perhaps while it was being written: what the
 * driver then says is valid was. Its last records are still there.
 */
static int device_vanished(struct device *device, struct rvtrace_recorder *recorder, int sink,
			   const struct drain_plan *plan, struct rvtrace_failure *error)
{
	uint64_t valid_from = __atomic_load_n(&device->control->valid_from, __ATOMIC_ACQUIRE);
	uint64_t head = __atomic_load_n(&device->control->records_head, __ATOMIC_ACQUIRE);
	int ret = drain_records(device, recorder, sink, head, error);
	int confirm_ret = confirm(device, recorder, sink, plan, valid_from, ret ? NULL : error);

	if (!ret)
		ret = confirm_ret;
	return ret ? ret : DEVICE_GONE;
}

int device_drain(struct device *device, struct rvtrace_recorder *recorder, int sink,
		 uint64_t minimum, struct rvtrace_failure *error)
{
	const struct rvtrace_control *control = device->control;
	struct rvtrace_consume now = {
		.head = __atomic_load_n(&control->head, __ATOMIC_ACQUIRE),
		.records_head = __atomic_load_n(&control->records_head, __ATOMIC_ACQUIRE),
		.valid_from = __atomic_load_n(&control->valid_from, __ATOMIC_ACQUIRE),
		.state = __atomic_load_n(&control->state, __ATOMIC_ACQUIRE),
	};
	uint64_t end = now.head;
	int ret, failed;

	device->state = now.state;
	if (now.state == RVTRACE_STATE_RUNNING)
		end = live_end(device, recorder, sink, now.head, minimum);
	do {
		struct drain_plan plan = { .start = device->position };

		ret = drain_records(device, recorder, sink, now.records_head, error);
		if (ret)
			return ret;
		if (device->position < end)
			plan = drain_plan(device->position, end, now.valid_from,
					  device->data_size, RVTRACE_RECORDING_STEP);
		failed = write_plan(device, recorder, sink, &plan, error);
		ret = consume(device, recorder, sink, &plan, &now, failed ? NULL : error);
		if (ret == -ENODEV)
			ret = device_vanished(device, recorder, sink, &plan,
					      failed ? NULL : error);
		if (failed || ret)
			return failed ? failed : ret;
	} while (device->position < end);
	if (now.state == RVTRACE_STATE_RUNNING)
		return DEVICE_WAIT;
	if (device->position < now.head || device->records_position < now.records_head)
		return DEVICE_MORE;
	return now.state == RVTRACE_STATE_GONE ? DEVICE_GONE : DEVICE_ENDED;
}
