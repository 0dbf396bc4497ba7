// SPDX-License-Identifier: GPL-2.0
/*
 * wake.ko after=SECONDS lose=1: the clock of the emulated board wakes the system once, after
 * that time (0: never). Its driver sets alarms but does not let them wake. With lose=1 trace
 * components have no power while the system sleeps: nothing is left in their registers.
 *
 * wake.ko refuse=MS: so long after all others were told that the system is about to sleep,
 * it is kept from that.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm_wakeup.h>
#include <linux/rtc.h>
#include <linux/suspend.h>

static unsigned int after;
module_param(after, uint, 0444);
MODULE_PARM_DESC(after, "Seconds until the alarm, or 0");

static bool lose;
module_param(lose, bool, 0444);
MODULE_PARM_DESC(lose, "Registers of trace components are lost");

static unsigned int refuse;
module_param(refuse, uint, 0444);
MODULE_PARM_DESC(refuse, "Milliseconds until the system is kept from sleeping, or 0");

/* Registers that break components: tools/machine/README.md */
#define FAULTS		0x11200000
#define FAULTS_SIZE	0x4000
#define SLOT_SIZE	64
#define EVENTS		0x18
#define POWER_LOSS	0x40000

static void __iomem *faults;

static struct rtc_device *rtc;
static int irq;

static int set_alarm(void)
{
	struct rtc_wkalrm alarm = { .enabled = 1 };
	int ret;

	ret = rtc_read_time(rtc, &alarm.time);
	if (ret)
		return ret;
	rtc_time64_to_tm(rtc_tm_to_time64(&alarm.time) + after, &alarm.time);
	return rtc_set_alarm(rtc, &alarm);
}

static int sleep_changed(struct notifier_block *block, unsigned long event, void *unused)
{
	unsigned int slot;

	if (event == PM_SUSPEND_PREPARE && refuse) {
		msleep(refuse);
		return notifier_from_errno(-EBUSY);
	}
	if (event == PM_SUSPEND_PREPARE && lose)
		for (slot = 0; slot < FAULTS_SIZE; slot += SLOT_SIZE)
			writel(POWER_LOSS, faults + slot + EVENTS);
	return NOTIFY_DONE;
}

/* After the driver, which has its sessions paused by then */
static struct notifier_block notifier = {
	.notifier_call = sleep_changed,
	.priority = -1,
};

static int follow(void)
{
	int ret;

	faults = ioremap(FAULTS, FAULTS_SIZE);
	if (!faults)
		return -ENOMEM;
	ret = register_pm_notifier(&notifier);
	if (ret)
		iounmap(faults);
	return ret;
}

static void follow_no_more(void)
{
	unregister_pm_notifier(&notifier);
	iounmap(faults);
}

static int wake_later(void)
{
	int ret;

	rtc = rtc_class_open("rtc0");
	if (!rtc)
		return -ENODEV;
	irq = platform_get_irq(to_platform_device(rtc->dev.parent), 0);
	ret = irq < 0 ? irq : enable_irq_wake(irq);
	if (ret)
		goto close;
	ret = set_alarm();
	if (!ret)
		return 0;
	disable_irq_wake(irq);
close:
	rtc_class_close(rtc);
	return ret;
}

static int __init wake_init(void)
{
	int ret = follow();

	if (ret || !after)
		return ret;
	ret = wake_later();
	if (ret)
		follow_no_more();
	return ret;
}

static void __exit wake_exit(void)
{
	follow_no_more();
	if (!after)
		return;
	disable_irq_wake(irq);
	rtc_class_close(rtc);
}

module_init(wake_init);
module_exit(wake_exit);

MODULE_DESCRIPTION("Test of rvtrace: wake the system once");
MODULE_LICENSE("GPL");
