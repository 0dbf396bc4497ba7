// SPDX-License-Identifier: GPL-2.0
/*
 * The traced program of the decoder benchmark: what embedded processors are measured with, in the
 * mixture of CoreMark: a linked list searched, sorted and turned round, small matrices multiplied,
 * a state machine over text, and a checksum over the results of all of them. About one branch in
 * five instructions, calls of small functions, some through pointers.
 *
 * Runs without an operating system: bench-trace executes it. Ends with ecall, checksum in a0.
 */
#include <stddef.h>
#include <stdint.h>

#define NODES		40
#define SIDE		9
#define TEXT		400

#ifndef ROUNDS
#define ROUNDS		720
#endif

struct node {
	struct node *next;
	int16_t value;
	uint16_t index;
};

typedef int compare(const struct node *a, const struct node *b);

enum state { START, SIGN, INTEGER, POINT, FRACTION, EXPONENT, POWER, INVALID, STATES };

static struct node nodes[NODES];
static int16_t left[SIDE][SIDE], right[SIDE][SIDE];
static int32_t product[SIDE][SIDE];
static char text[TEXT];
static uint32_t seed = 0x2545f491;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static uint16_t checksum_byte(uint8_t byte, uint16_t sum)
{
	for (int i = 0; i < 8; i++) {
		int low = (byte ^ sum) & 1;

		byte >>= 1;
		sum >>= 1;
		if (low)
			sum ^= 0xa001;
	}
	return sum;
}

__attribute__((noinline)) static uint16_t checksum_word(uint32_t word, uint16_t sum)
{
	for (int i = 0; i < 4; i++, word >>= 8)
		sum = checksum_byte(word, sum);
	return sum;
}

static int by_value(const struct node *a, const struct node *b)
{
	return a->value - b->value;
}

static int by_index(const struct node *a, const struct node *b)
{
	return a->index - b->index;
}

__attribute__((noinline)) static struct node *merge(struct node *a, struct node *b,
						    compare *order)
{
	struct node *head = NULL, **tail = &head;

	while (a && b) {
		struct node **less = order(a, b) <= 0 ? &a : &b;

		*tail = *less;
		tail = &(*less)->next;
		*less = *tail;
	}
	*tail = a ? a : b;
	return head;
}

__attribute__((noinline)) static struct node *sort(struct node *list, compare *order)
{
	struct node *slow = list, *fast, *half;

	if (!list || !list->next)
		return list;
	for (fast = list->next; fast && fast->next; fast = fast->next->next)
		slow = slow->next;
	half = slow->next;
	slow->next = NULL;
	return merge(sort(list, order), sort(half, order), order);
}

__attribute__((noinline)) static struct node *find(struct node *list, int16_t value)
{
	while (list && list->value != value)
		list = list->next;
	return list;
}

__attribute__((noinline)) static struct node *reverse(struct node *list)
{
	struct node *done = NULL;

	while (list) {
		struct node *next = list->next;

		list->next = done;
		done = list;
		list = next;
	}
	return done;
}

static uint16_t run_list(uint16_t sum)
{
	struct node *list = NULL;

	for (int i = 0; i < NODES; i++) {
		nodes[i].value = next_random() % 256;
		nodes[i].index = i;
		nodes[i].next = list;
		list = &nodes[i];
	}
	for (int i = 0; i < 24; i++) {
		const struct node *found = find(list, next_random() % 256);

		sum = checksum_byte(found ? found->index : 0xff, sum);
		list = reverse(list);
	}
	list = sort(list, by_value);
	sum = checksum_word(list->value, sum);
	list = sort(list, by_index);
	return checksum_word(list->next->value, sum);
}

__attribute__((noinline)) static void multiply(void)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			int32_t value = 0;

			for (int k = 0; k < SIDE; k++)
				value += left[i][k] * right[k][j];
			product[i][j] = value;
		}
}

__attribute__((noinline)) static uint16_t sum_above(int32_t limit, uint16_t sum)
{
	int32_t total = 0, last = 0;

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			total += product[i][j];
			if (total > limit) {
				sum += 10;
				total = 0;
			} else {
				sum += product[i][j] > last ? 1 : 0;
			}
			last = product[i][j];
		}
	return checksum_word(total, sum);
}

static uint16_t run_matrix(uint16_t sum)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			left[i][j] = next_random() % 64;
			right[i][j] = next_random() % 64;
		}
	multiply();
	return sum_above(3000 + next_random() % 20000, sum);
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* One number of the text, up to a comma. */
__attribute__((noinline)) static enum state scan(const char **at, uint16_t *counts)
{
	enum state state = START;
	const char *p = *at;

	for (; *p && *p != ','; p++) {
		char c = *p;

		switch (state) {
		case START:
			state = is_digit(c) ? INTEGER : c == '+' || c == '-' ? SIGN :
				c == '.' ? POINT : INVALID;
			break;
		case SIGN:
			state = is_digit(c) ? INTEGER : c == '.' ? POINT : INVALID;
			break;
		case INTEGER:
			if (c == '.')
				state = POINT;
			else if (!is_digit(c))
				state = INVALID;
			break;
		case POINT:
		case FRACTION:
			state = c == 'e' ? EXPONENT : is_digit(c) ? FRACTION : INVALID;
			break;
		case EXPONENT:
			state = is_digit(c) || c == '-' ? POWER : INVALID;
			break;
		case POWER:
			if (!is_digit(c))
				state = INVALID;
			break;
		default:
			break;
		}
		counts[state]++;
	}
	*at = *p ? p + 1 : p;
	return state;
}

static uint16_t run_text(uint16_t sum)
{
	static const char *const words[] = { "5012", "-874", "+122", "35.54400", ".1234500",
		"-110.700", "5.500e3", "-.123e-2", "T0.3e-1F", "1.20e-5x" };
	uint16_t counts[STATES] = { 0 };
	const char *at = text;
	char *put = text;

	while (put < text + TEXT - 10) {
		const char *word = words[next_random() % 10];

		while (*word)
			*put++ = *word++;
		*put++ = ',';
	}
	*put = 0;
	while (*at)
		sum = checksum_byte(scan(&at, counts), sum);
	for (int i = 0; i < STATES; i++)
		sum = checksum_byte(counts[i], sum);
	return sum;
}

__attribute__((used)) static unsigned long run(void)
{
	static uint16_t (*const parts[])(uint16_t sum) = { run_list, run_matrix, run_text };
	uint16_t sum = 0;

	for (int i = 0; i < ROUNDS; i++)
		for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]); j++)
			sum = parts[j](sum);
	return sum;
}

/* The stack is below the program. A trace says where a return went only if something follows. */
__asm__(".text\n"
	".globl _start\n"
	"_start:\n"
	"	.option push\n"
	"	.option norelax\n"
	"	lla	sp, __executable_start\n"
	"	lla	gp, __global_pointer$\n"
	"	.option pop\n"
	"	call	run\n"
	"	nop\n"
	"	ecall\n");
