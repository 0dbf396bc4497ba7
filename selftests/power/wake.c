// SPDX-License-Identifier: GPL-2.0
/*
 * wake.ko after=SECONDS: the clock of the emulated board wakes the system once, after
 * that time. Its driver sets alarms but does not let them wake.
 */
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm_wakeup.h>
#include <linux/rtc.h>

static unsigned int after = 2;
module_param(after, uint, 0444);
MODULE_PARM_DESC(after, "Seconds until the alarm");

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

static int __init wake_init(void)
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

static void __exit wake_exit(void)
{
	disable_irq_wake(irq);
	rtc_class_close(rtc);
}

module_init(wake_init);
module_exit(wake_exit);

MODULE_DESCRIPTION("Test of rvtrace: wake the system once");
MODULE_LICENSE("GPL");
