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
#include <linux/smp.h>
#include <linux/wait.h>

#include "measure.h"
#include "params.h"

#define SAMPLES		64

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

static int answer(void *data)
{
	struct echo *echo = data;

	while (!kthread_should_stop()) {
		wait_event_interruptible(echo->ask, is_asked(echo) ||
						    kthread_should_stop());
		if (!is_asked(echo))
			continue;
		WRITE_ONCE(echo->answered, echo->answered + 1);
		wake_up(&echo->answer);
	}
	return 0;
}

static void sample(struct echo *echo, u64 *startup_ns, u64 *gap_ns)
{
	u64 begun = ktime_get_ns(), asked;

	WRITE_ONCE(echo->asked, echo->asked + 1);
	wake_up(&echo->ask);
	asked = ktime_get_ns();
	wait_event(echo->answer, READ_ONCE(echo->answered) == echo->asked);
	*startup_ns = min(*startup_ns, (ktime_get_ns() - begun) / 2);
	*gap_ns = min(*gap_ns, asked - begun);
}

/**
 * scatter_measure() - measure those parameters of the cost model that are 0
 *
 * It takes some milliseconds, if there is anything to measure.
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -EINTR if the task is being killed.
 */
int scatter_measure(void)
{
	u64 startup_ns = NSEC_PER_SEC, gap_ns = NSEC_PER_SEC;
	struct echo echo = { };
	struct task_struct *task;
	unsigned int cpu;
	int i;

	if (READ_ONCE(scatter_param_startup_ns) && READ_ONCE(scatter_param_gap_ns))
		return 0;
	init_waitqueue_head(&echo.ask);
	init_waitqueue_head(&echo.answer);
	task = kthread_create(answer, &echo, "scatter_measure");
	if (IS_ERR(task))
		return PTR_ERR(task);
	cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (cpu < nr_cpu_ids)
		set_cpus_allowed_ptr(task, cpumask_of(cpu));
	wake_up_process(task);
	for (i = 0; i < SAMPLES; i++)
		sample(&echo, &startup_ns, &gap_ns);
	kthread_stop(task);

	gap_ns = clamp_t(u64, gap_ns, 1, startup_ns);
	if (!READ_ONCE(scatter_param_gap_ns))
		WRITE_ONCE(scatter_param_gap_ns, gap_ns);
	if (!READ_ONCE(scatter_param_startup_ns))
		WRITE_ONCE(scatter_param_startup_ns, startup_ns);
	return 0;
}
