// SPDX-License-Identifier: GPL-2.0
/*
 * Does everything wrong that the sanitizers of a debug kernel notice, for the
 * test of that: selftests/vm/sanitizers. With wrong=0 it does nothing.
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timer.h>

/* Objects to be leaked. */
#define LEAKS	8

struct object {
	struct timer_list timer;
};

static DEFINE_MUTEX(one);
static DEFINE_MUTEX(two);
static struct object __rcu *shared;
static bool wrong = true;
module_param(wrong, bool, 0400);

static int shift = 40;
static size_t end = sizeof(struct object);

static void fire(struct timer_list *timer)
{
}

static struct object *make(void)
{
	struct object *object = kzalloc(sizeof(*object), GFP_KERNEL | __GFP_NOFAIL);

	OPTIMIZER_HIDE_VAR(object);
	return object;
}

static void sleep_in_atomic(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static void invert(void)
{
	mutex_lock(&one);
	mutex_lock(&two);
	mutex_unlock(&two);
	mutex_unlock(&one);
	mutex_lock(&two);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&two);
}

static void free_active_timer(void)
{
	struct object *object = make();

	timer_setup(&object->timer, fire, 0);
	mod_timer(&object->timer, jiffies + 100 * HZ);
	kfree(object);
}

/* noinline: its name and line are looked for in the report. */
static noinline void touch_beyond_and_after(void)
{
	struct object *object = make();

	WRITE_ONCE(((char *)object)[READ_ONCE(end)], 1);
	kfree(object);
	WRITE_ONCE(((char *)object)[0], 1);
}

/* Something to break at: "echo 1 >/sys/module/culprit/parameters/knock". */
static noinline int knock(const char *value, const struct kernel_param *param)
{
	return 0;
}

static const struct kernel_param_ops knock_ops = {
	.set = knock,
};

module_param_cb(knock, &knock_ops, NULL, 0200);

static int __init start(void)
{
	int i;

	if (!wrong)
		return 0;
	sleep_in_atomic();
	pr_info("culprit: %d\n", 1 << READ_ONCE(shift));
	pr_info("culprit: %d\n", !!rcu_dereference(shared));
	invert();
	free_active_timer();
	touch_beyond_and_after();
	/* A word somewhere on a stack may look like a pointer to one of them. */
	for (i = 0; i < LEAKS; i++)
		make();
	return 0;
}

static void __exit stop(void)
{
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Everything wrong, for a test of the sanitizers");
