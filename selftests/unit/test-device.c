// SPDX-License-Identifier: GPL-2.0
/*
 * Draining a device: a memory file stands in for the char device, laid out as
 * its mappings, and a model of hardware and driver writes into it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "daemon/device.h"
#include "recording_helpers.h"

#define RING		(16 * 4096ULL)
#define RECORDS		4096ULL
#define START		(3 * RING)

struct fixture {
	char folder[64];
	char path[96];
	struct rvtrace_control *control;
	uint8_t *records;
	uint8_t *data;
	struct device device;
	struct rvtrace_recorder *recorder;
	struct rvtrace_failure error;
	uint64_t behind;	/* bytes the hardware writes during the next CONSUME */
	int refuse;		/* what CONSUME returns, if not 0 */
	uint64_t described;	/* bytes of SINK.idx when CONSUME was called */
};

static struct fixture *fixture;

static uint8_t pattern(uint64_t position)
{
	return (position * 2654435761u) >> 15;
}

static void add_record(struct fixture *f, void *record, size_t size)
{
	uint64_t offset = f->control->records_head % RECORDS;

	if (offset + size > RECORDS) {
		struct rvtrace_record *pad = (void *)(f->records + offset);

		pad->size = RECORDS - offset;
		pad->type = RVTRACE_RECORD_PAD;
		f->control->records_head += pad->size;
		offset = 0;
	}
	memcpy(f->records + offset, record, size);
	f->control->records_head += size;
}

/* The driver's side of loss: valid_from moves, unconsumed bytes are counted. */
static void hardware_writes(struct fixture *f, uint64_t bytes)
{
	uint64_t i, lost_from = f->control->tail > f->control->valid_from ? f->control->tail :
									   f->control->valid_from;

	for (i = 0; i < bytes; i++, f->control->head++)
		f->data[f->control->head % RING] = pattern(f->control->head);
	if (f->control->head - f->control->session_start > RING)
		f->control->valid_from = f->control->head - RING;
	if (f->control->valid_from > lost_from) {
		struct rvtrace_record_lost lost = {
			.header = { sizeof(lost), RVTRACE_RECORD_LOST, 0, lost_from, 1 },
			.start = lost_from,
			.end = f->control->valid_from,
			.flags = bytes > 2 * RING ? RVTRACE_LOST_AT_LEAST : 0,
		};

		f->control->lost += lost.end - lost.start;
		add_record(f, &lost, sizeof(lost));
	}
}

static uint64_t index_size(struct fixture *f)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/s0.idx", f->path);
	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static int consume(struct device *device, struct rvtrace_consume *consume)
{
	struct fixture *f = fixture;

	(void)device;
	f->described = index_size(f);
	if (f->refuse)
		return f->refuse;
	assert_true(consume->position >= f->control->tail);
	assert_true(consume->position <= f->control->head);
	assert_int_equal(consume->reserved, 0);
	hardware_writes(f, f->behind);
	f->behind = 0;
	f->control->tail = consume->position;
	f->control->records_tail = consume->records_position;
	if (f->control->state == RVTRACE_STATE_STOPPED && f->control->tail == f->control->head)
		f->control->state = RVTRACE_STATE_IDLE;
	consume->head = f->control->head;
	consume->valid_from = f->control->valid_from;
	consume->records_head = f->control->records_head;
	consume->state = f->control->state;
	return 0;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fd = memfd_create("device", 0);

	fixture = f;
	*state = f;
	strcpy(f->folder, "/tmp/test-device-XXXXXX");
	if (!mkdtemp(f->folder) || ftruncate(fd, RVTRACE_MMAP_DATA + RING))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/r", f->folder);
	f->control = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, RVTRACE_MMAP_CONTROL);
	f->records = mmap(NULL, RECORDS, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			  RVTRACE_MMAP_RECORDS);
	f->data = mmap(NULL, RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, RVTRACE_MMAP_DATA);
	*f->control = (struct rvtrace_control) {
		.abi_version = RVTRACE_ABI_VERSION,
		.state = RVTRACE_STATE_RUNNING,
		.session = 1,
		.data_size = RING,
		.session_start = START,
		.head = START,
		.valid_from = START,
		.tail = START,
		.records_size = RECORDS,
	};
	f->device = (struct device) { .fd = fd, .consume = consume };
	f->recorder = test_recorder(f->path, RVTRACE_RECORDING_SEGMENT_MIN, 0);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	device_close(&f->device);
	rvtrace_recorder_free(f->recorder);
	munmap(f->control, 4096);
	munmap(f->records, RECORDS);
	munmap(f->data, RING);
	remove_tree(f->folder);
	free(f);
	return 0;
}

static void begin(struct fixture *f)
{
	assert_int_equal(device_map(&f->device, "fake", &f->error), 0);
	device_begin(&f->device);
	rvtrace_recorder_mark(f->recorder, 0, RVTRACE_CHUNK_SESSION_START, f->device.position, 0,
			      0, &f->error);
}

static int drain(struct fixture *f, uint64_t minimum)
{
	int ret = device_drain(&f->device, f->recorder, 0, minimum, &f->error);

	if (ret < 0)
		fail_msg("%s", f->error.text);
	return ret;
}

struct sums {
	uint64_t data, overwritten, lost;
	bool at_least;
};

/* Trusted bytes must be right; positions must join up from START to head. */
static struct sums verify(struct fixture *f)
{
	struct rvtrace_recording *recording;
	struct rvtrace_recording_stream *stream;
	struct rvtrace_chunk chunk;
	struct sums sums = { 0 };
	uint64_t position = START, i;
	int ret;

	assert_int_equal(rvtrace_recorder_finish(f->recorder, &f->error), 0);
	if (rvtrace_recording_open(f->path, &recording, &f->error))
		fail_msg("%s", f->error.text);
	assert_int_equal(rvtrace_recording_stream_open(recording, 0, &stream, &f->error), 0);
	while ((ret = rvtrace_recording_stream_next(stream, &chunk, &f->error)) == 1) {
		assert_int_equal(chunk.position, position);
		position += chunk.length;
		if (chunk.type == RVTRACE_CHUNK_DATA) {
			for (i = 0; i < chunk.length; i++)
				if (chunk.data[i] != pattern(chunk.position + i))
					fail_msg("wrong byte at position %ju",
						 (uintmax_t)(chunk.position + i));
			sums.data += chunk.length;
		} else if (chunk.type == RVTRACE_CHUNK_OVERWRITTEN) {
			sums.overwritten += chunk.length;
		} else if (chunk.type == RVTRACE_CHUNK_LOST) {
			sums.lost += chunk.length;
		}
		sums.at_least |= chunk.type != RVTRACE_CHUNK_DATA &&
				 chunk.flags & RVTRACE_CHUNK_AT_LEAST;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(position, f->device.position);
	assert_int_equal(sums.lost + sums.overwritten, f->control->lost);
	rvtrace_recording_stream_free(stream);
	rvtrace_recording_free(recording);
	return sums;
}

static void bytes_arrive_unchanged_over_many_laps(void **state)
{
	struct fixture *f = *state;
	struct sums sums;
	int i;

	begin(f);
	for (i = 0; i < 200; i++) {
		hardware_writes(f, 4001 + i);
		assert_int_equal(drain(f, i % 50 == 49 ? 0 : 1), DEVICE_WAIT);
	}
	sums = verify(f);
	assert_int_equal(sums.data, 200 * 4001 + 199 * 100);
	assert_int_equal(sums.lost + sums.overwritten, 0);
}

static void less_than_a_watermark_waits(void **state)
{
	struct fixture *f = *state;

	begin(f);
	hardware_writes(f, 1000);
	assert_int_equal(drain(f, 1001), DEVICE_WAIT);
	assert_int_equal(f->device.position, START);
	assert_int_equal(drain(f, 0), DEVICE_WAIT);
	assert_int_equal(f->device.position, START + 1000);
}

static void whole_blocks_while_live(void **state)
{
	struct fixture *f = *state;

	begin(f);
	hardware_writes(f, 10000);
	drain(f, 1);
	assert_int_equal(f->device.position, START + 8192);
	drain(f, 0);
	assert_int_equal(f->device.position, START + 10000);
	hardware_writes(f, 10000);
	drain(f, 1);
	assert_int_equal(f->device.position, START + 16384);
	hardware_writes(f, 480);
	drain(f, 1);
	assert_int_equal(f->device.position, START + 5 * 4096);
	verify(f);
}

/* A daemon that traces itself writes as it drains. */
static void what_comes_meanwhile_is_left(void **state)
{
	struct fixture *f = *state;

	begin(f);
	hardware_writes(f, 5000);
	f->behind = 9000;
	assert_int_equal(drain(f, 0), DEVICE_WAIT);
	assert_int_equal(f->device.position, START + 5000);
}

static void end_of_session_takes_the_rest(void **state)
{
	struct fixture *f = *state;

	begin(f);
	hardware_writes(f, 1000);
	f->control->state = RVTRACE_STATE_STOPPED;
	assert_int_equal(drain(f, RING / 8), DEVICE_ENDED);
	assert_int_equal(verify(f).data, 1000);
}

static void end_without_a_byte(void **state)
{
	struct fixture *f = *state;

	begin(f);
	f->control->state = RVTRACE_STATE_IDLE;
	assert_int_equal(drain(f, 1), DEVICE_ENDED);
	assert_int_equal(verify(f).data, 0);
}

static void overwritten_before_the_drain(void **state)
{
	struct fixture *f = *state;
	struct sums sums;

	begin(f);
	hardware_writes(f, RING + 700);
	drain(f, 0);
	sums = verify(f);
	assert_int_equal(sums.lost, 700);
	assert_int_equal(sums.data, RING);
	assert_false(sums.at_least);
}

static void uncounted_laps_are_a_lower_bound(void **state)
{
	struct fixture *f = *state;
	struct sums sums;

	begin(f);
	hardware_writes(f, 5 * RING);
	drain(f, 1);
	sums = verify(f);
	assert_int_equal(sums.lost, 4 * RING);
	assert_true(sums.at_least);
}

static void overwritten_during_the_write(void **state)
{
	struct fixture *f = *state;
	struct sums sums;

	begin(f);
	hardware_writes(f, RING);
	f->behind = 300;
	assert_int_equal(drain(f, 1), DEVICE_WAIT);
	assert_int_equal(f->device.position, START + RING);
	assert_int_equal(drain(f, 0), DEVICE_WAIT);
	sums = verify(f);
	assert_int_equal(sums.overwritten, 300);
	assert_int_equal(sums.lost, 0);
	assert_int_equal(sums.data, RING);
}

static void nothing_is_described_before_the_driver_was_asked(void **state)
{
	struct fixture *f = *state;
	uint64_t before;

	begin(f);
	hardware_writes(f, RING);
	before = index_size(f);
	assert_int_equal(drain(f, 1), DEVICE_WAIT);
	assert_int_equal(f->described, before);
	assert_true(index_size(f) > before);
	assert_int_equal(verify(f).data, RING);
}

static void a_driver_that_does_not_say_is_not_trusted(void **state)
{
	struct fixture *f = *state;
	struct sums sums;

	begin(f);
	hardware_writes(f, RING);
	f->refuse = -EIO;
	assert_int_equal(device_drain(&f->device, f->recorder, 0, 1, &f->error), -EIO);
	f->control->lost = RING;
	sums = verify(f);
	assert_int_equal(sums.overwritten, RING);
}

static void overwritten_beyond_what_was_written(void **state)
{
	struct fixture *f = *state;
	struct sums sums;

	begin(f);
	hardware_writes(f, 1000);
	f->behind = RING + 500;
	drain(f, 0);
	drain(f, 0);
	sums = verify(f);
	assert_int_equal(sums.overwritten, 1000);
	assert_int_equal(sums.lost, 500);
	assert_int_equal(sums.data, RING);
}

static void lost_before_a_write_that_fails(void **state)
{
	struct fixture *f = *state;
	struct sums sums;

	rvtrace_recorder_free(f->recorder);
	remove_tree(f->path);
	f->recorder = test_recorder(f->path, RVTRACE_RECORDING_SEGMENT_MIN, 1ULL << 62);
	begin(f);
	hardware_writes(f, RING + 700);
	assert_int_equal(device_drain(&f->device, f->recorder, 0, 0, &f->error), -ENOSPC);
	sums = verify(f);
	assert_int_equal(sums.lost, 700);
	assert_int_equal(sums.data, 0);
}

static void records_wrap_without_padding(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_record_address_space space = {
		.header = { sizeof(space), RVTRACE_RECORD_ADDRESS_SPACE, 0, START, 1 },
	};
	struct rvtrace_recording *recording;
	struct rvtrace_recording_records *records;
	const struct rvtrace_record *record;
	uint32_t expected = 0;
	int i;

	begin(f);
	for (i = 0; i < 500; i++) {
		space.context = i;
		add_record(f, &space, sizeof(space));
		if (i % 7 == 0)
			assert_int_equal(drain(f, 1), DEVICE_WAIT);
	}
	drain(f, 1);
	assert_int_equal(f->control->records_tail, f->control->records_head);
	verify(f);
	assert_int_equal(rvtrace_recording_open(f->path, &recording, &f->error), 0);
	assert_int_equal(rvtrace_recording_records_open(recording, 0, &records, &f->error), 0);
	while (rvtrace_recording_records_next(records, &record, &f->error) == 1)
		assert_int_equal(((const struct rvtrace_record_address_space *)record)->context,
				 expected++);
	assert_int_equal(expected, 500);
	rvtrace_recording_records_free(records);
	rvtrace_recording_free(recording);
}

static void reason_of_the_end_is_known(void **state)
{
	struct fixture *f = *state;
	struct rvtrace_record_session_end end = {
		.header = { sizeof(end), RVTRACE_RECORD_SESSION_END, 0, START, 1 },
		.session = 1,
		.error = -ETIMEDOUT,
	};

	begin(f);
	add_record(f, &end, sizeof(end));
	f->control->state = RVTRACE_STATE_IDLE;
	assert_int_equal(drain(f, 1), DEVICE_ENDED);
	assert_int_equal(f->device.session_error, -ETIMEDOUT);
}

static void damaged_record_ring_is_an_error(void **state)
{
	struct fixture *f = *state;

	begin(f);
	f->control->records_head = 64;
	assert_int_equal(device_drain(&f->device, f->recorder, 0, 1, &f->error), -EBADMSG);
	assert_non_null(strstr(f->error.text, "record ring is damaged at position 0"));
}

static void unbound_device_gives_what_it_had(void **state)
{
	struct fixture *f = *state;

	begin(f);
	hardware_writes(f, 2000);
	f->control->state = RVTRACE_STATE_GONE;
	f->refuse = -ENODEV;
	assert_int_equal(drain(f, RING / 8), DEVICE_GONE);
	assert_int_equal(verify(f).data, 2000);
}

static void discarded_bytes_are_counted(void **state)
{
	struct fixture *f = *state;

	begin(f);
	hardware_writes(f, 5000);
	drain(f, 1);
	f->control->state = RVTRACE_STATE_STOPPED;
	assert_int_equal(device_discard(&f->device), 5000 - 4096);
	assert_int_equal(f->control->state, RVTRACE_STATE_IDLE);
	assert_int_equal(f->device.position, START + 4096);
}

static void refused_consume_is_an_error(void **state)
{
	struct fixture *f = *state;

	begin(f);
	f->refuse = -EINVAL;
	assert_int_equal(device_drain(&f->device, f->recorder, 0, 1, &f->error), -EINVAL);
	assert_non_null(strstr(f->error.text, "giving ring space back: Invalid argument"));
}

static void other_version_is_refused(void **state)
{
	struct fixture *f = *state;

	f->control->abi_version = RVTRACE_ABI_VERSION + 1;
	assert_int_equal(device_map(&f->device, "fake", &f->error), -EPROTO);
	assert_non_null(strstr(f->error.text, "rvtraced is older"));
	device_close(&f->device);
	f->device.fd = memfd_create("spare", 0);
}

/* Any mixture: nothing wrong is trusted, everything is accounted for. */
static void random_hardware(void **state)
{
	struct fixture *f = *state;
	int i;

	begin(f);
	srand(7);
	for (i = 0; i < 1500; i++) {
		hardware_writes(f, rand() % (rand() % 50 ? RING / 4 : 3 * RING));
		f->behind = rand() % 10 ? 0 : rand() % (2 * RING);
		drain(f, 1 + rand() % (RING / 4));
	}
	f->control->state = RVTRACE_STATE_STOPPED;
	assert_int_equal(drain(f, RING), DEVICE_ENDED);
	assert_int_equal(f->device.position, f->control->head);
	verify(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_arrive_unchanged_over_many_laps),
		TEST(less_than_a_watermark_waits),
		TEST(whole_blocks_while_live),
		TEST(what_comes_meanwhile_is_left),
		TEST(end_of_session_takes_the_rest),
		TEST(end_without_a_byte),
		TEST(overwritten_before_the_drain),
		TEST(uncounted_laps_are_a_lower_bound),
		TEST(overwritten_during_the_write),
		TEST(overwritten_beyond_what_was_written),
		TEST(nothing_is_described_before_the_driver_was_asked),
		TEST(a_driver_that_does_not_say_is_not_trusted),
		TEST(lost_before_a_write_that_fails),
		TEST(records_wrap_without_padding),
		TEST(reason_of_the_end_is_known),
		TEST(damaged_record_ring_is_an_error),
		TEST(unbound_device_gives_what_it_had),
		TEST(discarded_bytes_are_counted),
		TEST(refused_consume_is_an_error),
		TEST(other_version_is_refused),
		TEST(random_hardware),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
