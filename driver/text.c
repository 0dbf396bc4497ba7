// SPDX-License-Identifier: GPL-2.0
/*
 * Modules: kernel text that comes and goes while harts are traced.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/rculist.h>
#include <linux/string.h>

#include "compat.h"
#include "rvtrace.h"

static void publish(const struct module *module, u32 flags)
{
	struct rvtrace_record_text text = { .flags = flags };
	struct rvtrace_sink *sink;

	rvtrace_module_text(module, flags & RVTRACE_TEXT_INIT, &text.address, &text.size);
	if (!text.size)
		return;
	strscpy_pad(text.name, module->name, sizeof(text.name));
	rcu_read_lock();
	list_for_each_entry_rcu(sink, &rvtrace_live, live) {
		raw_spin_lock_irq(&sink->lock);
		rvtrace_record_text(sink, &text);
		rvtrace_publish_locked(sink);
		raw_spin_unlock_irq(&sink->lock);
		/* Whoever saves the text has until it goes. */
		wake_up_interruptible(&sink->wait);
	}
	rcu_read_unlock();
}

static int module_changed(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *module = data;

	switch (state) {
	case MODULE_STATE_COMING:
		publish(module, 0);
		publish(module, RVTRACE_TEXT_INIT);
		break;
	case MODULE_STATE_LIVE:
		publish(module, RVTRACE_TEXT_INIT | RVTRACE_TEXT_GONE);
		break;
	case MODULE_STATE_GOING:
		publish(module, RVTRACE_TEXT_GONE);
		/* Still there when its initialisation failed. */
		publish(module, RVTRACE_TEXT_INIT | RVTRACE_TEXT_GONE);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = module_changed,
};

/**
 * rvtrace_text_init() - record modules that come and go
 *
 * Return: 0 or why it is not told of them
 */
int rvtrace_text_init(void)
{
	return register_module_notifier(&notifier);
}

/**
 * rvtrace_text_exit() - undo rvtrace_text_init()
 */
void rvtrace_text_exit(void)
{
	unregister_module_notifier(&notifier);
}
