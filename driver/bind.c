// SPDX-License-Identifier: GPL-2.0
/*
 * The platform driver: from a node of the device tree to a component.
 *
 * The compatible says which generation of the interface a component follows; what its
 * implementation register says is only checked against that.
 */
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "access.h"
#include "activate.h"
#include "atb.h"
#include "bind.h"
#include "compat.h"
#include "core.h"
#include "debugfs.h"
#include "discover.h"
#include "encoder.h"
#include "field.h"
#include "filter.h"
#include "filter_sysfs.h"
#include "graph.h"
#include "neighbour.h"
#include "power.h"
#include "ramsink.h"
#include "rvtrace.h"
#include "session.h"
#include "stm.h"
#include "timestamp.h"
#include "window.h"

/* The generations that a version is of. */
static const char *bind_version_name(u32 version)
{
	static const char * const names[] = { "TCI 0", "TCI 0.9 or 1.0" };

	return version < ARRAY_SIZE(names) ? names[version] : "unknown";
}

static int bind_check_version(struct rvtrace_component *c)
{
	u32 version;
	int ret;

	ret = regmap_read(c->regmap, c->kind->impl, &c->impl);
	if (ret)
		return ret;
	version = rvtrace_field_of(c, RVTRACE_VERSION, c->impl);
	if (version != c->kind->version)
		return dev_err_probe(c->parent, -ENODEV,
				     "device tree says %s (version %u), hardware says version %u (%s), impl %#010x\n",
				     c->kind->generation, c->kind->version, version,
				     bind_version_name(version), c->impl);
	return 0;
}

/* "Version n.15 should be used as experimental (in development) implementation." */
#define EXPERIMENTAL	15

/* Registers are where a minor version before had them. */
static int bind_check_minor(struct rvtrace_component *c)
{
	u32 minor;
	int ret;

	if (!rvtrace_has(c, RVTRACE_VERSION_MINOR))
		return 0;
	ret = rvtrace_get(c, RVTRACE_VERSION_MINOR, &minor);
	if (ret)
		return ret;
	if (minor)
		dev_warn(c->parent, "hardware says TCI %u.%u%s, impl %#010x, driven as %s\n",
			 c->kind->version, minor, minor == EXPERIMENTAL ? " (experimental)" : "",
			 c->impl, c->kind->generation);
	return 0;
}

static int bind_check_impl(struct rvtrace_component *c)
{
	u32 type = c->kind->comp_type;
	int ret;

	ret = bind_check_version(c);
	if (ret)
		return ret;
	if (rvtrace_has(c, RVTRACE_COMP_TYPE)) {
		ret = rvtrace_get(c, RVTRACE_COMP_TYPE, &type);
		if (ret)
			return ret;
	}
	if (type != c->kind->comp_type || c->impl & c->kind->impl_zero)
		return dev_err_probe(c->parent, -ENODEV,
				     "device tree says %s %s, hardware's impl %#010x is of another component\n",
				     c->kind->generation, c->dev.type->name, c->impl);
	return bind_check_minor(c);
}

static int bind_set_defaults(struct rvtrace_component *c)
{
	rvtrace_timestamp_defaults(c);
	rvtrace_atb_choose(c);
	switch (c->kind->role) {
	case RVTRACE_ENCODER:
		return rvtrace_encoder_defaults(c);
	case RVTRACE_FUNNEL:
		return rvtrace_choose_sink(c);
	case RVTRACE_RAM_SINK:
		return rvtrace_ram_defaults(c);
	default:
		return 0;
	}
}

static bool bind_can_sink(const struct rvtrace_component *c)
{
	return rvtrace_has_ring(c) || rvtrace_has(c, RVTRACE_PIB_MODE) || rvtrace_can_leave(c);
}

/* A component was not probed because its harts were offline [rvtrace_lock] */
static bool bind_waiting;

/* Devices that were said to wait; the kernel probes them time and again [rvtrace_lock] */
static DEFINE_XARRAY(bind_deferred);

static int bind_wait_for_hart(struct rvtrace_component *c)
{
	unsigned long device = (unsigned long)c->parent;

	if (rvtrace_powered(c)) {
		xa_erase(&bind_deferred, device);
		return 0;
	}
	bind_waiting = true;
	if (xa_insert(&bind_deferred, device, xa_mk_value(1), GFP_KERNEL) != -EBUSY)
		dev_info(c->parent, "probe deferred until one of its harts is online\n");
	return -EPROBE_DEFER;
}

static int bind_learn(struct rvtrace_component *c)
{
	int ret;

	ret = bind_check_impl(c);
	if (ret)
		return ret;
	ret = rvtrace_discover(c);
	if (ret)
		return ret;
	ret = rvtrace_units_discover(c);
	if (ret)
		return ret;
	ret = bind_set_defaults(c);
	if (ret)
		return ret;
	ret = rvtrace_settle(c);
	if (ret)
		return ret;
	return rvtrace_ram_reach(c);
}

/* Learn what the component is and can do; it is left in reset. */
static int bind_examine(struct rvtrace_component *c)
{
	int ret, err;

	ret = rvtrace_hold_anew(c);
	if (ret)
		return ret;
	ret = bind_learn(c);
	err = rvtrace_discover_end(c);
	ret = ret ?: err;
	memcpy(c->defaults, c->wanted, sizeof(c->defaults));
	err = rvtrace_release(c);
	return ret ?: err;
}

/* What the device tree says of a component of a kind. */
static int bind_check_node(struct platform_device *pdev, const struct rvtrace_kind *kind)
{
	struct device *dev = &pdev->dev;
	int ret = rvtrace_graph_check(dev, kind);

	return ret ?: rvtrace_power_check(dev);
}

static void __iomem *bind_map_page(struct platform_device *pdev)
{
	struct resource *page = platform_get_resource(pdev, IORESOURCE_MEM, 0);
	struct device *dev = &pdev->dev;
	void __iomem *base;

	if (!page)
		return IOMEM_ERR_PTR(dev_err_probe(dev, -ENODEV,
						   "reg: the page of registers is missing\n"));
	if (resource_size(page) < RVTRACE_WINDOW_MIN)
		return IOMEM_ERR_PTR(dev_err_probe(dev, -ENODEV,
						   "reg: %pR is less than %u bytes of registers\n",
						   page, RVTRACE_WINDOW_MIN));
	if (!devm_request_mem_region(dev, page->start, resource_size(page), dev_name(dev))) {
		if (region_intersects(page->start, resource_size(page),
				      IORESOURCE_MEM | IORESOURCE_BUSY,
				      IORES_DESC_NONE) == REGION_DISJOINT)
			return IOMEM_ERR_PTR(-ENOMEM);
		return IOMEM_ERR_PTR(dev_err_probe(dev, -ENODEV,
						   "reg: %pR is another device's already\n",
						   page));
	}
	base = devm_ioremap(dev, page->start, resource_size(page));
	return base ?: IOMEM_ERR_PTR(-ENOMEM);
}

/* Which of @kinds the hardware says it is: its type, where version and type are alike in all. */
static int bind_read_kind(struct rvtrace_component *c, const struct rvtrace_kind * const *kinds)
{
	u32 type;
	int ret;

	ret = bind_check_version(c);
	if (ret)
		return ret;
	ret = rvtrace_get(c, RVTRACE_COMP_TYPE, &type);
	if (ret)
		return ret;
	for (; *kinds; kinds++) {
		if ((*kinds)->comp_type == type) {
			c->kind = *kinds;
			return 0;
		}
	}
	return dev_err_probe(c->parent, -ENODEV, "comp_type: %#x is not a type of %s\n", type,
			     c->kind->generation);
}

/*
 * What a component is that the device tree only calls one: it is released from
 * reset to be asked, before anything is known of it.
 */
static int bind_identify(struct platform_device *pdev, void __iomem *base,
			 const struct rvtrace_kind * const *kinds, const struct rvtrace_kind **kind)
{
	struct rvtrace_component *c;
	int ret, err;

	c = kzalloc_obj(*c);
	if (!c)
		return -ENOMEM;
	c->parent = &pdev->dev;
	c->kind = *kinds;
	ret = rvtrace_power_init(c);
	if (ret)
		goto free;
	c->regmap = regmap_init_mmio(&pdev->dev, base, c->kind->regmap);
	if (IS_ERR(c->regmap)) {
		ret = PTR_ERR(c->regmap);
		goto free;
	}
	mutex_lock(&rvtrace_lock);
	ret = bind_wait_for_hart(c) ?: rvtrace_hold_anew(c);
	if (ret)
		goto unlock;
	ret = bind_read_kind(c, kinds);
	err = rvtrace_release(c);
	ret = ret ?: err;
unlock:
	mutex_unlock(&rvtrace_lock);
	*kind = c->kind;
	regmap_exit(c->regmap);
free:
	kfree(c);
	return ret;
}

static int bind_add(struct platform_device *pdev, void __iomem *base,
		    const struct rvtrace_kind *kind)
{
	struct resource *page = platform_get_resource(pdev, IORESOURCE_MEM, 0);
	struct rvtrace_component *c;
	int ret;

	c = rvtrace_component_alloc(&pdev->dev, kind);
	if (IS_ERR(c))
		return PTR_ERR(c);
	ret = dev_set_name(&c->dev, "%s%d", c->dev.type->name, c->id);
	if (ret)
		goto put;
	ret = rvtrace_window_limit(c, resource_size(page));
	if (ret)
		goto put;
	ret = rvtrace_access_init(c, base);
	if (ret)
		goto put;
	ret = rvtrace_timestamp_init(c);
	if (ret)
		goto put;
	ret = rvtrace_power_init(c);
	if (ret)
		goto put;
	mutex_lock(&rvtrace_lock);
	ret = bind_wait_for_hart(c) ?: bind_examine(c);
	mutex_unlock(&rvtrace_lock);
	if (ret)
		goto put;
	ret = rvtrace_units_add_files(c);
	if (ret)
		goto put;
	ret = rvtrace_stm_add(c);
	if (ret)
		goto put;

	ret = device_add(&c->dev);
	if (ret)
		goto put;
	platform_set_drvdata(pdev, c);
	/* Who sees the sink can start it. */
	mutex_lock(&rvtrace_lock);
	if (bind_can_sink(c)) {
		ret = rvtrace_sink_register(c);
		if (ret)
			goto unlock;
	}
	rvtrace_component_add(c);
	mutex_unlock(&rvtrace_lock);
	rvtrace_debugfs_add(c);
	return 0;
unlock:
	mutex_unlock(&rvtrace_lock);
	device_del(&c->dev);
put:
	put_device(&c->dev);
	return ret;
}

static int bind_probe(struct platform_device *pdev)
{
	const struct rvtrace_kind * const *kinds = of_device_get_match_data(&pdev->dev);
	const struct rvtrace_kind *kind;
	void __iomem *base;
	int ret;

	/* Bound by name, as driver_override does: no node says what it is. */
	if (!kinds)
		return -ENODEV;
	kind = *kinds;
	base = bind_map_page(pdev);
	if (IS_ERR(base))
		return PTR_ERR(base);
	ret = rvtrace_power_enable(&pdev->dev);
	if (ret)
		return ret;
	if (kinds[1]) {
		ret = bind_identify(pdev, base, kinds, &kind);
		if (ret)
			return ret;
	}
	ret = bind_check_node(pdev, kind);
	if (ret)
		return ret;
	return bind_add(pdev, base, kind);
}

/* Another kernel may follow: nothing may write to memory any more. */
static void bind_shutdown(struct platform_device *pdev)
{
	struct rvtrace_component *c = platform_get_drvdata(pdev);

	mutex_lock(&rvtrace_lock);
	rvtrace_session_unbind(c);
	rvtrace_reset_late(c);
	list_del_init(&c->node);
	mutex_unlock(&rvtrace_lock);
}

static void bind_remove(struct platform_device *pdev)
{
	struct rvtrace_component *c = platform_get_drvdata(pdev);
	bool stopped;

	mutex_lock(&rvtrace_lock);
	rvtrace_session_unbind(c);
	stopped = rvtrace_reset_late(c);
	list_del_init(&c->node);
	if (c->sink)
		rvtrace_sink_gone(c->sink, stopped);
	mutex_unlock(&rvtrace_lock);

	rvtrace_debugfs_remove(c);
	if (c->sink)
		rvtrace_sink_unregister(c->sink);
	device_unregister(&c->dev);
}

RVTRACE_REMOVE(bind_remove)

#define KINDS(...)	((const struct rvtrace_kind * const []){ __VA_ARGS__, NULL })

/* Where there are several kinds, the hardware says which one it is. */
const struct of_device_id rvtrace_matches[] = {
	{ .compatible = "sifive,trace-encoder0", .data = KINDS(&rvtrace_encoder_0) },
	{ .compatible = "sifive,trace-funnel0", .data = KINDS(&rvtrace_funnel_0) },
	{ .compatible = "riscv,trace-encoder-0.9", .data = KINDS(&rvtrace_encoder_0_9) },
	{ .compatible = "riscv,trace-funnel-0.9", .data = KINDS(&rvtrace_funnel_0_9) },
	{ .compatible = "riscv,trace-encoder", .data = KINDS(&rvtrace_encoder_1_0) },
	{ .compatible = "riscv,trace-funnel", .data = KINDS(&rvtrace_funnel_1_0) },
	{ .compatible = "riscv,trace-ram-sink", .data = KINDS(&rvtrace_ram_sink_1_0) },
	{ .compatible = "riscv,trace-pib-sink", .data = KINDS(&rvtrace_pib_sink_1_0) },
	{ .compatible = "riscv,trace-atb-bridge", .data = KINDS(&rvtrace_atb_bridge_1_0) },
	{ .compatible = "riscv,trace-atbbridge", .data = KINDS(&rvtrace_atb_bridge_1_0) },
	{ .compatible = "riscv,trace-component",
	  .data = KINDS(&rvtrace_encoder_1_0, &rvtrace_funnel_1_0, &rvtrace_ram_sink_1_0,
			&rvtrace_pib_sink_1_0, &rvtrace_atb_bridge_1_0) },
	{ }
};
MODULE_DEVICE_TABLE(of, rvtrace_matches);

static struct platform_driver bind_driver = {
	.probe = bind_probe,
	.remove = RVTRACE_REMOVE_OP(bind_remove),
	.shutdown = bind_shutdown,
	.driver = {
		.name = RVTRACE_NAME,
		.of_match_table = rvtrace_matches,
	},
};

static void bind_probe_again(struct work_struct *work)
{
	int ret = driver_attach(&bind_driver.driver);

	if (ret)
		pr_err("cannot look for components again: error %d\n", ret);
}

static DECLARE_WORK(bind_probe_work, bind_probe_again);

/* The driver goes [rvtrace_lock] */
static bool bind_leaving;

/**
 * rvtrace_probe_again() - a hart came online: look for components that waited for it
 */
void rvtrace_probe_again(void)
{
	lockdep_assert_held(&rvtrace_lock);
	if (bind_waiting && !bind_leaving)
		schedule_work(&bind_probe_work);
	bind_waiting = false;
}

/* No device is probed from now on. */
static void bind_leave(void)
{
	mutex_lock(&rvtrace_lock);
	bind_leaving = true;
	mutex_unlock(&rvtrace_lock);
	cancel_work_sync(&bind_probe_work);
}

/**
 * rvtrace_bind_init() - bind the devices there are, and those that come
 *
 * Return: 0 or why the platform driver could not be registered; then nothing is bound
 */
int rvtrace_bind_init(void)
{
	int ret;

	ret = platform_driver_register(&bind_driver);
	if (ret) {
		/* Devices were bound before it failed. */
		bind_leave();
		xa_destroy(&bind_deferred);
		return ret;
	}
	rvtrace_report_held();
	return 0;
}

/**
 * rvtrace_bind_exit() - unbind all devices
 */
void rvtrace_bind_exit(void)
{
	bind_leave();
	platform_driver_unregister(&bind_driver);
	xa_destroy(&bind_deferred);
}
