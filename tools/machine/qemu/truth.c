// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ground truth: the log of every retired instruction.
 *
 * Independent of the trace hardware: it knows neither encoders nor blocks.
 * translate-truth.h stores the addresses, this file the rest.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "target/riscv/cpu.h"
#include "exec/helper-proto.h"
#include "hw/rvtrace/truth-log.h"
#include "tools/machine/truth.h"

#define TRUTH_WORD(kind)	((uint64_t)(kind) << 1 | 1)

/* A translation block and the state words before it fit behind the limit. */
#define TRUTH_WORDS	(128 * 1024)
#define TRUTH_RESERVE	(512 + 16)

struct RVTruthState {
	uint64_t word;
	uint64_t tp;
	uint64_t satp;
};

struct RVTruthLog {
	int fd;
	char *path;
	uint64_t window;
	uint64_t written;	/* words */
	uint64_t others;	/* words before that are no instructions of the window */
	struct RVTruthState state;
	uint64_t buffer[TRUTH_WORDS];
};

static void truth_write(struct RVTruthLog *log, const void *data, size_t size)
{
	if (qemu_write_full(log->fd, data, size) != size) {
		error_report("%s: %s", log->path, strerror(errno));
		exit(1);
	}
}

static void truth_flush(CPURISCVState *env)
{
	struct RVTruthLog *log = env->rvtruth.log;

	truth_write(log, log->buffer,
		    (char *)env->rvtruth.next - (char *)log->buffer);
	log->written += env->rvtruth.next - log->buffer;
	env->rvtruth.next = log->buffer;
}

uint64_t rvtruth_index(CPURISCVState *env)
{
	const struct RVTruthLog *log = env->rvtruth.log;

	return log->written + (env->rvtruth.next - log->buffer) - log->others;
}

static struct RVTruthState truth_state(CPURISCVState *env)
{
	return (struct RVTruthState) {
		.word = TRUTH_WORD(TRUTH_STATE) | (uint64_t)env->priv << 8 |
			(uint64_t)env->rvtrace.scontext << 32,
		.tp = env->gpr[xTP],
		.satp = env->satp,
	};
}

static void truth_put_state(CPURISCVState *env, struct RVTruthState state)
{
	env->rvtruth.log->state = state;
	*env->rvtruth.next++ = state.word;
	*env->rvtruth.next++ = state.tp;
	*env->rvtruth.next++ = state.satp;
	env->rvtruth.log->others += 3;
	rvtruth_calls_state(env);
}

void HELPER(rvtruth_tb)(CPURISCVState *env)
{
	struct RVTruthState state = truth_state(env);
	const struct RVTruthState *last = &env->rvtruth.log->state;

	if (unlikely(env->rvtruth.next > env->rvtruth.limit)) {
		truth_flush(env);
	}
	if (unlikely(state.word != last->word || state.tp != last->tp ||
		     state.satp != last->satp)) {
		truth_put_state(env, state);
	}
}

void HELPER(rvtruth_begin)(CPURISCVState *env, target_ulong pc)
{
	struct RVTruthLog *log = env->rvtruth.log;

	*env->rvtruth.next++ = TRUTH_WORD(TRUTH_BEGIN) | ++log->window << 8;
	log->others += rvtruth_index(env);
	rvtruth_calls_window(env, true);
	truth_put_state(env, truth_state(env));
	*env->rvtruth.next++ = pc;
	env->rvtruth.tb = RVTRUTH_TB | (env->rvtruth.calls ? RVTRUTH_CALLS : 0);
}

void HELPER(rvtruth_end)(CPURISCVState *env)
{
	struct RVTruthLog *log = env->rvtruth.log;

	rvtruth_calls_window(env, false);
	*env->rvtruth.next++ = TRUTH_WORD(TRUTH_END) | log->window << 8;
	env->rvtruth.tb = 0;
	truth_flush(env);
}

void rvtruth_commit(CPURISCVState *env)
{
	if (env->rvtruth.tb) {
		env->rvtruth.next++;
	}
}

static void truth_exit(void)
{
	CPUState *cs;

	CPU_FOREACH(cs) {
		CPURISCVState *env = cpu_env(cs);

		if (env->rvtruth.log) {
			truth_flush(env);
			rvtruth_calls_flush(env);
		}
	}
}

void rvtruth_open(const char *prefix, bool calls, Error **errp)
{
	CPUState *cs;

	CPU_FOREACH(cs) {
		CPURISCVState *env = cpu_env(cs);
		struct truth_header header = {
			.magic = TRUTH_MAGIC,
			.hart = env->mhartid,
		};
		struct RVTruthLog *log = g_new0(struct RVTruthLog, 1);

		log->path = g_strdup_printf("%s." TARGET_FMT_ld, prefix,
					    env->mhartid);
		log->fd = qemu_create(log->path,
				      O_WRONLY | O_TRUNC | O_BINARY, 0644,
				      errp);
		if (log->fd < 0) {
			return;
		}
		truth_write(log, &header, sizeof(header));
		env->rvtruth.log = log;
		env->rvtruth.next = log->buffer;
		env->rvtruth.limit = log->buffer + TRUTH_WORDS - TRUTH_RESERVE;
		if (calls) {
			rvtruth_calls_open(prefix, env, errp);
		}
	}
	atexit(truth_exit);
}
