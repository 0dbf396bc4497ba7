/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the driver share: TAP, sysfs files, the char device and
 * something to trace. Exit statuses are kselftest's: 0 passed, 1 failed, 4
 * skipped because there is no device.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/rvtrace.h>

#define ENCODER0	"/sys/bus/rvtrace_tci/devices/encoder0/"
#define ENCODER1	"/sys/bus/rvtrace_tci/devices/encoder1/"
#define FUNNEL		"/sys/bus/rvtrace_tci/devices/funnel0/"

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(function)	{ #function, function }

/**
 * struct outcome - how a test ended
 * @failed: an expectation did not hold, or it died
 * @skipped: why it was skipped, else empty
 */
struct outcome {
	bool failed;
	char skipped[256];
};

/**
 * run_test() - run one test in a process of its own
 *
 * Whatever it holds, readers of the device and processes that it started among it, is
 * released with that process.
 */
struct outcome run_test(const struct test *test);

/**
 * run_tests() - run tests, print TAP
 *
 * Before each the sink of encoder 0 is found, idle, stream mode, with the whole buffer. After
 * one that failed settings are what they were in the beginning.
 *
 * Return: exit status of the program
 */
int run_tests(const struct test *tests, size_t count);

/* Report a failed expectation of the running test. */
void fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Has the running test failed so far? */
bool has_failed(void);

/* End the running test, as failed, unless @condition holds. */
#define EXPECT(condition) do {						\
	if (!(condition)) {						\
		fail(__FILE__, __LINE__, "%s", #condition);		\
		return;							\
	}								\
} while (0)

/* The same for two integers, which are shown. */
#define EXPECT_EQ(actual, wanted) do {					\
	long long a_ = (actual), w_ = (wanted);				\
	if (a_ != w_) {							\
		fail(__FILE__, __LINE__, "%s is %lld, not %lld",	\
		     #actual, a_, w_);					\
		return;							\
	}								\
} while (0)

/* Report the running test as skipped unless it fails. */
void skip(const char *why);

/* Return: 0 or a negative errno. */
int put(const char *file, const char *value);

/* Return: contents without the newline, valid until the next call of get(). */
const char *get(const char *file);
long long get_number(const char *file);
bool is(const char *file, const char *value);

/* Whether a value is kept; else it must have been refused, and changed nothing. */
bool takes(const char *file, const char *value);
void refuses(const char *file, const char *value);

/* Whether a value is in a list, as FILE_available is. */
bool is_listed(const char *list, const char *value);

/**
 * each_choice_in() - do something with every file that another says the values of
 * @folder: where they are, ending with a slash
 * @each: what; @available is what FILE_available reads
 */
void each_choice_in(const char *folder, void (*each)(const char *file, const char *available));

/*
 * Whether a file is of the third or a later component of its kind. They are alike: two are
 * tried with all that comes to mind, those beyond with less, as a board may have dozens.
 */
bool is_one_of_many(const char *file);

/*
 * The folder of component number @n, with a slash behind it; NULL when there are
 * fewer. Valid until the next call.
 */
const char *component(unsigned int n);

/* Waits for a file that is on its way. Return: whether it is there. */
bool comes(const char *file);

/* Name of the platform device behind a component. Return: whether there is that component. */
bool device_name(const char *component, char *name, size_t size);

/*
 * Find the sink that encoder 0 leads to: of several the one that nobody has to choose, and
 * bound again it may have another number. Return: false, and it is the one of before, when
 * there is none.
 */
bool find_sink(void);

/* The same, when it is on its way: waits for it and for its device. */
bool sink_comes(void);

/* Its name, its device, and a file of it, valid for some calls; "" is its folder, with a slash. */
const char *sink_name(void);
const char *sink_device(void);
const char *of_sink(const char *file);

/*
 * A file of the component that has the sink in its page, or is the sink. Valid until the
 * next call.
 */
const char *of_owner(const char *file);

/*
 * Whether the kernel's log has it: @log is /dev/kmsg, not blocking, and what was logged
 * before it was opened, or told of by an earlier call, does not count.
 */
bool is_told(int log, const char *what);

/* Sixteen hexadecimal digits, as a kernel's address in text is. */
bool has_address(const char *text, size_t size);

/* The sink idle, what was unread gone, stream mode, the whole buffer: as before each test */
void idle_sink(void);

/* Run on a hart that encoder0 traces from now on. Return: false when there is none. */
bool run_on_encoder0(void);

/* Write to a file of every encoder. Return: whether all took it. */
bool set_encoders(const char *name, const char *value);

/* A session of some trace, ended. Return: false when there was none. */
bool trace_something(void);

/*
 * Keep this hart busy with branches for some milliseconds, and for 5000 of them in each: of a
 * busy machine's milliseconds it may have had none.
 */
void burn(unsigned int ms);

/* Wait until a task sleeps in read(), as one that waits for trace does. */
bool is_reading(pid_t task);

/**
 * struct reader - the device, mapped
 * @fd: the device
 * @control: control page
 * @records: record ring
 * @data: data ring
 */
struct reader {
	int fd;
	const struct rvtrace_control *control;
	const uint8_t *records;
	const uint8_t *data;
};

/* Return: false when the device cannot be opened or mapped. */
bool reader_open(struct reader *reader);
void reader_close(struct reader *reader);

/**
 * reader_consume() - give back trace up to @position, and all records
 * @c: what is asked and what comes back, for those who look at it, or NULL
 *
 * Return: 0 or a negative errno
 */
int reader_consume(const struct reader *reader, uint64_t position, struct rvtrace_consume *c);

/**
 * reader_record() - next record of a type at or after @*position
 * @position: in: where to begin; out: after the record found
 *
 * Return: the record, NULL when there is none
 */
const struct rvtrace_record *reader_record(const struct reader *reader,
					   uint64_t *position, uint16_t type);

#endif /* HARNESS_H */
