// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a page of tracectl report --html, of threads that it invents:
 * rvtrace-make-page CALLS PAGE TRUTH.
 * TRUTH has what it says of each function, counted here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tracectl/report/page.h"

#define FUNCTIONS	400
#define USER		200	/* below: of programs; then of the kernel, then of modules */
#define KERNEL		340
#define HARTS		4
#define THREADS		12
#define DEPTH		40
#define TICK_NS		10
#define SLICE		20000	/* instructions before another thread runs */
#define CALLEES		6
#define TRAP		FUNCTIONS	/* of struct thread.stack */

static struct view_function functions[FUNCTIONS];
static char names[FUNCTIONS][80];
static uint16_t callees[FUNCTIONS][CALLEES];
static uint8_t lengths[FUNCTIONS];
static uint64_t calls_of[FUNCTIONS], own_of[FUNCTIONS], marks, gaps, origin;
static struct rvtrace_call_frame longest[FUNCTIONS];
static uint64_t random_state = 88172645463325252u;

static struct hart {
	uint64_t instructions;
	uint64_t time;
	uint64_t mark_time, next_time;
	uint64_t mark_count, next_count;
} harts[HARTS];

static struct thread {
	struct view_lane lane;
	unsigned int hart;
	unsigned int depth;
	uint64_t instructions;
	struct rvtrace_call_frame stack[DEPTH];
	unsigned int functions[DEPTH];
	unsigned int steps[DEPTH];
	struct rvtrace_call_time rested;
} threads[THREADS];

static struct view view;
static uint64_t frames, calls_left;

static uint64_t random_number(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

const struct view_function *view_function(const struct view *v, uint32_t id)
{
	(void)v;
	return id ? &functions[id - 1] : NULL;
}

const struct view_lane *view_lane(const struct view *v, uint32_t lane)
{
	(void)v;
	return &threads[lane].lane;
}

uint64_t view_time(const struct view *v, uint64_t ticks)
{
	(void)v;
	return ticks * TICK_NS;
}

uint64_t view_span(const struct view *v, uint64_t ticks)
{
	return view_time(v, ticks);
}

const char *view_time_unit(const struct view *v)
{
	return view_unit(v);
}

const char *view_unit(const struct view *v)
{
	(void)v;
	return "ns";
}

const char *view_frame_name(const struct view *v, const struct rvtrace_call_frame *frame,
			    char *buffer, size_t size)
{
	(void)v;
	if (frame->kind == RVTRACE_CALL_TRAP)
		return frame->trap == RVTRACE_TRAP_INTERRUPT ? "interrupt 5" : "syscall";
	snprintf(buffer, size, "0x%llx", (unsigned long long)frame->address);
	return buffer;
}

bool view_is_loss(const struct rvtrace_flow_item *item)
{
	return item->type == RVTRACE_FLOW_OVERFLOW;
}

uint64_t input_hart(const struct trace_input *in, unsigned int source)
{
	(void)in;
	return source;
}

bool input_knows_clock(const struct trace_input *in)
{
	(void)in;
	return false;
}

/* The page has no such text. */
void put_visible(FILE *file, const char *text)
{
	fputs(text, file);
}

static void die(const char *what)
{
	fprintf(stderr, "rvtrace-make-page: %s\n", what);
	exit(1);
}

static void invent(void)
{
	static const char *const verbs[] = { "read", "write", "alloc", "free", "lookup", "insert",
		"update", "check", "parse", "flush", "wait", "wake", "map", "copy", "hash", "init" };
	static const char *const nouns[] = { "page", "node", "buffer", "queue", "entry", "path",
		"table", "list", "cache", "token", "block", "inode", "timer", "record" };

	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		struct view_function *f = &functions[i];
		bool kernel = i >= USER, module = i >= KERNEL;

		snprintf(names[i], sizeof(names[i]), "%s%s_%s_%u", module ? "drv_" : kernel ?
			 "__" : "", verbs[random_number(16)], nouns[random_number(14)], i);
		*f = (struct view_function){ .id = i + 1, .name = names[i], .named = true,
			.kernel = kernel, .module = module,
			.file = module ? "[demo]" : kernel ? "kernel" : i < 120 ? "/usr/bin/demo" :
				"/usr/lib/libdemo.so.1", .address = 0x10000 + i * 64ul };
		lengths[i] = 3 + random_number(30);
		/* leaves are many; who calls calls what comes behind */
		for (unsigned int k = 0; k < CALLEES; k++) {
			unsigned int end = module ? FUNCTIONS : kernel ? FUNCTIONS : USER;

			callees[i][k] = i + 1 + random_number(end - i);
		}
	}
	callees[0][0] = 1;
	callees[0][3] = 2;
	strcpy(names[0], "main");
	strcpy(names[1], "</script><img src=x onerror=alert(1)>");
	strcpy(names[2], "std::map<int, std::string>::operator[](\xe2\x80\xa8\xff\"\\')");
}

/* A message with a time comes every so many instructions. */
static struct rvtrace_call_time now(struct hart *hart)
{
	struct rvtrace_call_time time;

	while (hart->instructions >= hart->next_count) {
		hart->mark_time = hart->next_time;
		hart->mark_count = hart->next_count;
		hart->next_count += 40 + random_number(260);
		hart->next_time += (hart->next_count - hart->mark_count) *
				   (8 + random_number(8)) / 100 + 1;
	}
	time.earliest = hart->mark_time;
	time.latest = hart->next_time;
	time.best = hart->mark_time + (hart->next_time - hart->mark_time) *
		    (hart->instructions - hart->mark_count) /
		    (hart->next_count - hart->mark_count);
	return time;
}

static void emit(struct thread *t, uint8_t type, const struct rvtrace_call_frame *frame,
		 const struct rvtrace_flow_item *item)
{
	struct hart *hart = &harts[t->hart];
	struct rvtrace_call_event event = { .type = type, .source = t->hart,
		.thread = t->lane.tid, .lane = t->lane.number, .depth = t->depth,
		.time = now(hart), .instructions = t->instructions,
		.source_instructions = hart->instructions, .frame = frame, .item = item };

	if (!origin)
		origin = event.time.best + 1;	/* of which nothing is 0 */
	if (page_view.event(&view, &event))
		die("an event failed");
}

static void execute(struct thread *t, unsigned int count)
{
	struct rvtrace_call_frame *top = t->depth ? &t->stack[t->depth - 1] : NULL;

	t->instructions += count;
	harts[t->hart].instructions += count;
	if (top) {
		top->own_instructions += count;
		if (t->functions[t->depth - 1] != TRAP)
			own_of[t->functions[t->depth - 1]] += count;
	}
}

static void enter(struct thread *t, unsigned int function, uint16_t flags, uint8_t trap)
{
	struct rvtrace_call_frame *frame = &t->stack[t->depth];

	*frame = (struct rvtrace_call_frame){ .id = ++frames, .flags = flags, .depth = t->depth,
		.function = function == TRAP ? 0 : function + 1, .trap = trap,
		.kind = function == TRAP ? RVTRACE_CALL_TRAP : RVTRACE_CALL_FUNCTION,
		.entered = now(&harts[t->hart]) };
	t->functions[t->depth] = function;
	t->steps[t->depth++] = 0;
	if (view_is_call(frame))
		calls_of[function]++;
	emit(t, RVTRACE_CALL_ENTER, frame, NULL);
	calls_left -= calls_left > 0;
}

static void compare(struct rvtrace_call_frame *longest_one, const struct rvtrace_call_frame *frame)
{
	if (!longest_one->id || frame->left.best - frame->entered.best >
	    longest_one->left.best - longest_one->entered.best)
		*longest_one = *frame;
}

static void leave(struct thread *t, uint16_t flags)
{
	struct rvtrace_call_frame *frame = &t->stack[t->depth - 1];

	frame->flags |= flags;
	frame->left = now(&harts[t->hart]);
	frame->instructions += frame->own_instructions;
	emit(t, RVTRACE_CALL_LEAVE, frame, NULL);
	t->depth--;
	if (t->functions[t->depth] != TRAP)
		compare(&longest[t->functions[t->depth]], frame);
	if (t->depth)
		t->stack[t->depth - 1].instructions += frame->instructions;
}

/* One step of what executes: it calls, or returns. */
static void step(struct thread *t)
{
	unsigned int at = t->depth - 1, function = t->functions[at], callee;

	if (function == TRAP) {
		if (t->steps[at]++)
			leave(t, 0);
		else
			enter(t, USER + random_number(12), 0, 0);
		return;
	}
	execute(t, lengths[function] + (random_number(4) ? 0 : random_number(8)));
	callee = t->steps[at] < CALLEES ? callees[function][t->steps[at]] : FUNCTIONS;
	t->steps[at] += 1 + !random_number(5);
	if (callee >= FUNCTIONS || t->depth > DEPTH - 4 || (function < USER && callee >= USER)) {
		if (function < USER && !random_number(40) && t->depth < DEPTH - 4)
			enter(t, TRAP, 0, random_number(4) ? 0 : RVTRACE_TRAP_INTERRUPT);
		else if (at)
			leave(t, random_number(5000) ? 0 : RVTRACE_CALL_UNWOUND);
		else
			t->steps[0] = 0;
		return;
	}
	if (at && !random_number(30)) {
		leave(t, RVTRACE_CALL_REPLACED);
		enter(t, callee, RVTRACE_CALL_TAIL, 0);
		return;
	}
	/* parts, and what began before a window, are no calls */
	enter(t, callee, random_number(200) ? 0 : random_number(2) ? RVTRACE_CALL_PART :
	      RVTRACE_CALL_EARLIER, 0);
}

static void add_rest(struct thread *t, const struct rvtrace_call_time *now_time)
{
	for (unsigned int i = 0; i < t->depth; i++) {
		struct rvtrace_call_span *rest = &t->stack[i].resting;

		rest->best += now_time->best - t->rested.best;
		rest->least += now_time->earliest > t->rested.latest ?
			       now_time->earliest - t->rested.latest : 0;
		rest->most += now_time->latest - t->rested.earliest;
	}
}

static void lose(struct thread *t)
{
	struct rvtrace_flow_item item = { .type = RVTRACE_FLOW_OVERFLOW };

	while (t->depth)
		leave(t, RVTRACE_CALL_CUT);
	emit(t, RVTRACE_CALL_GAP, NULL, &item);
	gaps++;
	harts[t->hart].next_time += 3000;
	harts[t->hart].instructions = harts[t->hart].next_count;
}

static void run(struct thread *t, unsigned int hart)
{
	struct rvtrace_flow_item item = { .type = RVTRACE_FLOW_DATA };
	struct rvtrace_call_time time;
	uint64_t until;

	t->hart = hart;
	time = now(&harts[hart]);
	/* a thread does not go back in time when it moves */
	if (t->instructions && time.best <= t->rested.latest) {
		harts[hart].next_time += t->rested.latest - time.best;
		harts[hart].instructions = harts[hart].next_count;
		time = now(&harts[hart]);
	}
	if (t->instructions)
		add_rest(t, &time);
	emit(t, RVTRACE_CALL_RUN, NULL, NULL);
	if (!t->depth)
		enter(t, 0, RVTRACE_CALL_OLDER, 0);
	until = t->instructions + SLICE / 2 + random_number(SLICE);
	while (t->instructions < until && calls_left)
		step(t);
	if (!random_number(3)) {
		item.data.id = random_number(8);
		item.data.value = random_number(1000000);
		emit(t, RVTRACE_CALL_ITEM, NULL, &item);
		marks++;
	}
	if (!random_number(60))
		lose(t);
	t->rested = now(&harts[hart]);
	emit(t, RVTRACE_CALL_REST, NULL, NULL);
}

static void put_truth(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		die(path);
	fprintf(file, "{\"marks\":%lu,\"gaps\":%lu,\"functions\":[\n", (unsigned long)marks,
		(unsigned long)gaps);
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		const struct rvtrace_call_frame *frame = &longest[i];

		fprintf(file, "%s[\"%lx\",%lu,%lu", i ? "," : "",
			(unsigned long)functions[i].address, (unsigned long)calls_of[i],
			(unsigned long)own_of[i]);
		fprintf(file, ",%lu,%lu,%lu,%lu,%u]\n", (unsigned long)(frame->entered.best - origin + 1),
			(unsigned long)(frame->left.best - origin + 1),
			(unsigned long)frame->own_instructions,
			(unsigned long)frame->instructions, frame->flags);
	}
	fputs("]}\n", file);
	if (fclose(file))
		die(path);
}

int main(int argc, char **argv)
{
	static struct decode decode;

	if (argc != 4)
		die("usage: rvtrace-make-page CALLS PAGE TRUTH");
	calls_left = strtoull(argv[1], NULL, 0);
	decode.input.object = "demo";
	decode.out.file = fopen(argv[2], "w");
	if (!decode.out.file)
		die(argv[2]);
	view = (struct view){ .ops = &page_view, .decode = &decode };
	invent();
	for (unsigned int i = 0; i < THREADS; i++)
		threads[i].lane = (struct view_lane){ .number = i, .pid = 100 + i / 3,
			.tid = 100 + i, .comm = "demo" };
	for (unsigned int i = 0; i < HARTS; i++)
		harts[i].next_count = 1;
	if (page_view.begin(&view))
		die("cannot begin");
	for (unsigned int turn = 0; calls_left; turn++)
		run(&threads[random_number(THREADS)], turn % HARTS);
	for (unsigned int i = 0; i < THREADS; i++)
		while (threads[i].depth)
			leave(&threads[i], RVTRACE_CALL_CUT);
	if (page_view.end(&view) || out_end(&decode.out) || fclose(decode.out.file))
		die("cannot write the page");
	page_view.free(&view);
	put_truth(argv[3]);
	return 0;
}
