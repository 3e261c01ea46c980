// SPDX-License-Identifier: GPL-2.0
/*
 * Measure the parameters of the cost model: two tasks, on two CPUs if there are, wake
 * each other in turn.
 *
 * A startup wakes its receiver, and is over when that runs: half of a round trip. The
 * gap is what the wake-up takes of the sender's time. Of many samples the shortest counts:
 * whatever else the machine does can only make them longer.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/wait.h>

#include "measure.h"

#define SAMPLES		64
#define PATIENCE	(HZ / 10)

/* Where it cannot be measured: what it was on one machine. */
#define STARTUP_NS	15000
#define GAP_NS		1600

/**
 * struct echo - what the two tasks share
 * @asked: how often the one has woken the other
 * @answered: how often that has answered
 * @ask: where the other one waits
 * @answer: where the one waits
 */
struct echo {
	unsigned int asked;
	unsigned int answered;
	wait_queue_head_t ask;
	wait_queue_head_t answer;
};

static bool is_asked(const struct echo *echo)
{
	return READ_ONCE(echo->asked) != echo->answered;
}

static bool has_news(const struct echo *echo)
{
	return is_asked(echo) || kthread_should_stop();
}

static int answer(void *data)
{
	struct echo *echo = data;

	while (!kthread_should_stop()) {
		wait_event_interruptible(echo->ask, has_news(echo));
		if (!is_asked(echo))
			continue;
		WRITE_ONCE(echo->answered, echo->answered + 1);
		wake_up(&echo->answer);
	}
	return 0;
}

/* False if there is no answer. */
static bool sample(struct echo *echo, u64 *startup_ns, u64 *gap_ns)
{
	u64 begun = ktime_get_ns(), asked;
	long left;

	WRITE_ONCE(echo->asked, echo->asked + 1);
	wake_up(&echo->ask);
	asked = ktime_get_ns();
	left = wait_event_killable_timeout(echo->answer,
					   READ_ONCE(echo->answered) ==
					   echo->asked, PATIENCE);
	if (left <= 0)
		return false;
	*startup_ns = min(*startup_ns, (ktime_get_ns() - begun) / 2);
	*gap_ns = min(*gap_ns, asked - begun);
	return true;
}

/* On the CPUs where it may run anyway, but for that of the other task. */
static void keep_apart(struct task_struct *task)
{
	cpumask_var_t mask;

	if (!alloc_cpumask_var(&mask, GFP_KERNEL))
		return;
	cpumask_and(mask, task->cpus_ptr, cpu_online_mask);
	cpumask_clear_cpu(raw_smp_processor_id(), mask);
	if (!cpumask_empty(mask))
		set_cpus_allowed_ptr(task, mask);
	free_cpumask_var(mask);
}

/**
 * scatter_measure() - measure the parameters of the cost model
 * @startup_ns: (out) a startup that wakes its receiver, in ns, 1 and up
 * @gap_ns: (out) between two startups in a row, in ns, 1 to @startup_ns
 *
 * It takes some milliseconds. Where it cannot be done these are constants.
 *
 * Context: may sleep.
 */
void scatter_measure(unsigned int *startup_ns, unsigned int *gap_ns)
{
	u64 startup = NSEC_PER_SEC, gap = NSEC_PER_SEC;
	struct echo echo = { };
	struct task_struct *task;
	int i = 0;

	init_waitqueue_head(&echo.ask);
	init_waitqueue_head(&echo.answer);
	task = kthread_create(answer, &echo, "scatter_measure");
	if (!IS_ERR(task)) {
		keep_apart(task);
		wake_up_process(task);
		while (i < SAMPLES && sample(&echo, &startup, &gap))
			i++;
		kthread_stop(task);
	}
	*startup_ns = i ? max_t(u64, startup, 1) : STARTUP_NS;
	*gap_ns = i ? clamp_t(u64, gap, 1, *startup_ns) : GAP_NS;
}
