// SPDX-License-Identifier: GPL-2.0
/*
 * Modules: kernel text that comes and goes while harts are traced.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/rculist.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "records.h"
#include "rvtrace.h"
#include "text.h"

/* Bytes of code in one record, and in all records of a module's lasting code. */
#define CODE_PIECE	SZ_8K
#define CODE_MAX	SZ_64K

/* @code has room for one piece. */
static void text_publish_code(struct rvtrace_sink *sink, const struct rvtrace_record_text *text,
			      struct rvtrace_record_code *code)
{
	u64 done;

	for (done = 0; done < text->size; done += code->length) {
		u32 length = min_t(u64, text->size - done, CODE_PIECE);

		memset(code, 0, sizeof(*code));
		code->address = text->address + done;
		code->length = length;
		memcpy(code->bytes, (const void *)(uintptr_t)code->address, length);
		memset(code->bytes + length, 0, ALIGN(length, 8) - length);
		rvtrace_sink_lock(sink);
		rvtrace_record_code(sink, code);
		rvtrace_publish_records(sink);
		rvtrace_sink_unlock(sink);
	}
}

static bool text_has_code(const struct rvtrace_record_text *text)
{
	return !(text->flags & RVTRACE_TEXT_GONE) &&
	       (text->flags & RVTRACE_TEXT_INIT || text->size <= CODE_MAX);
}

static void text_publish(const struct module *module, u32 flags)
{
	struct rvtrace_record_text text = { .flags = flags };
	struct rvtrace_record_code *code = NULL;
	struct rvtrace_sink *sink;

	rvtrace_module_text(module, flags & RVTRACE_TEXT_INIT, &text.address, &text.size);
	if (!text.size)
		return;
	strscpy_pad(text.name, module->name, sizeof(text.name));
	if (text_has_code(&text))
		code = kmalloc(struct_size(code, bytes, CODE_PIECE), GFP_KERNEL);
	rcu_read_lock();
	list_for_each_entry_rcu(sink, &rvtrace_live, live) {
		rvtrace_sink_lock(sink);
		rvtrace_record_text(sink, &text);
		if (sink->addresses && text_has_code(&text) && !code)
			sink->records_lost++;
		rvtrace_publish_records(sink);
		rvtrace_sink_unlock(sink);
		if (code)
			text_publish_code(sink, &text, code);
		/* Whoever saves the text has until it goes. */
		wake_up_interruptible(&sink->wait);
	}
	rcu_read_unlock();
	kfree(code);
}

static int text_module_changed(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *module = data;

	switch (state) {
	case MODULE_STATE_COMING:
		text_publish(module, 0);
		text_publish(module, RVTRACE_TEXT_INIT);
		break;
	case MODULE_STATE_LIVE:
		text_publish(module, RVTRACE_TEXT_INIT | RVTRACE_TEXT_GONE);
		break;
	case MODULE_STATE_GOING:
		text_publish(module, RVTRACE_TEXT_GONE);
		/* Still there when its initialisation failed. */
		text_publish(module, RVTRACE_TEXT_INIT | RVTRACE_TEXT_GONE);
		break;
	}
	return NOTIFY_DONE;
}

/* Last, so that whoever patches the text of a new module has done so. */
static struct notifier_block text_notifier = {
	.notifier_call = text_module_changed,
	.priority = INT_MIN,
};

/**
 * rvtrace_text_init() - record modules that come and go
 *
 * Return: 0 or why it is not told of them
 */
int rvtrace_text_init(void)
{
	return register_module_notifier(&text_notifier);
}

/**
 * rvtrace_text_exit() - undo rvtrace_text_init()
 */
void rvtrace_text_exit(void)
{
	unregister_module_notifier(&text_notifier);
}
