// SPDX-License-Identifier: GPL-2.0
/*
 * Polling: a work item handles the completions and events of a line.
 *
 * A received message starts the work item. The completion of a request that this side has posted
 * starts the work item only if a task waits for that completion. All other completions are handled
 * together with the next received message: to wake a worker for each message sent would take longer
 * than to send the message.
 *
 * The work item also tells the owner of a line what rdma_cm has told. rdma_cm calls its handlers
 * one after the other, for all its users on the machine, and an event may wait for a lock of the
 * line's owner: so no event runs inside of a handler.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "rdma/line.h"
#include "rdma/poll.h"

/* How many completions the work item fetches at a time, and handles before other work runs. */
#define SCATTER_POLL_BATCH	8
#define SCATTER_POLL_BUDGET	256

/*
 * Newer versions of soft-RoCE complete requests in a work item without priority. The worker that
 * has done so mostly takes the line's work item next, if that has no priority either: no other
 * thread has to be woken.
 */
static struct workqueue_struct *works, *soft_works;

/**
 * scatter_poll_exit() - undo scatter_poll_init(), also when that has failed
 *
 * Context: may sleep; there are no lines any more.
 */
void scatter_poll_exit(void)
{
	if (soft_works)
		destroy_workqueue(soft_works);
	if (works)
		destroy_workqueue(works);
}

/**
 * scatter_poll_init() - make the queue of work items, when the module is loaded
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int scatter_poll_init(void)
{
	works = alloc_workqueue("scatter_rdma", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	soft_works = alloc_workqueue("scatter_rxe", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (works && soft_works)
		return 0;
	scatter_poll_exit();
	return -ENOMEM;
}

static u32 fetch(struct ib_cq *cq, struct ib_wc *completions)
{
	int nr = ib_poll_cq(cq, SCATTER_POLL_BATCH, completions);

	return nr < 0 ? 0 : nr;
}

/*
 * Handle completions. One without a handler is of a request that should not complete: a READ of
 * several requests hears of the last one. Some devices complete all when the queue pair has failed.
 */
static void handle(struct ib_cq *cq, struct ib_wc *completions, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (completions[i].wr_cqe)
			completions[i].wr_cqe->done(cq, &completions[i]);
}

/* Handle completions of requests, up to a bound; returns how many there were. */
static u32 handle_requests(struct ib_cq *cq)
{
	struct ib_wc completions[SCATTER_POLL_BATCH];
	u32 done = 0, nr;

	do {
		nr = fetch(cq, completions);
		handle(cq, completions, nr);
		done += nr;
	} while (nr && done < SCATTER_POLL_BUDGET);
	return done;
}

/*
 * Whether a task waits for the completion of a request. If not, completions can wait until a
 * message is received.
 */
static bool is_awaited(struct scatter_line *line)
{
	return READ_ONCE(line->nr_reads) || READ_ONCE(line->nr_ending) ||
	       READ_ONCE(line->closing) || READ_ONCE(line->nr_busy) >= line->buffers / 2;
}

/* Let the next completion call completed(). False: there are completions already. */
static bool arm(struct ib_cq *cq)
{
	return ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) <= 0;
}

/*
 * Handle completions. True if there are more than may be handled in one go.
 *
 * A received message may bring credits, and its event sends as many messages as there are credits.
 * Each of these needs a send buffer. A credit is for a message that the peer has received. As a
 * rule, the completion of that message is in its queue when the credit is fetched. So all requests
 * that have completed are handled after the fetch and before the event.
 */
static bool poll_all(struct scatter_line *line)
{
	struct ib_wc received[SCATTER_POLL_BATCH];
	u32 done = 0, nr;

	do {
		do {
			nr = fetch(line->receive_cq, received);
			done += nr + handle_requests(line->send_cq);
			handle(line->receive_cq, received, nr);
			if (done >= SCATTER_POLL_BUDGET)
				return true;
		} while (nr == SCATTER_POLL_BATCH);
	} while (!arm(line->receive_cq) || (is_awaited(line) && !arm(line->send_cq)));
	return false;
}

/**
 * scatter_poll_kick() - let a work item handle what has happened to a line
 * @line: the line
 *
 * Context: any.
 */
void scatter_poll_kick(struct scatter_line *line)
{
	queue_work(scatter_line_is_soft(line) ? soft_works : works, &line->work);
}

/**
 * scatter_poll_watch() - let the next completion of a request start the work item
 * @line: the line
 *
 * Context: any.
 */
void scatter_poll_watch(struct scatter_line *line)
{
	/* The work item looks itself before it ends. */
	if (current_work() != &line->work && !arm(line->send_cq))
		scatter_poll_kick(line);
}

/**
 * scatter_poll_note() - let the work item tell the owner what has happened to the line
 * @line: the line
 * @error: 0: the line is up; or -errno: why it has failed
 *
 * Context: any.
 */
void scatter_poll_note(struct scatter_line *line, int error)
{
	if (error)
		cmpxchg(&line->failed, 0, error);
	else
		xchg(&line->established, true);
	scatter_poll_kick(line);
}

/* Messages that came before the line failed are handled before the owner hears of the failure. */
static void work(struct work_struct *work)
{
	struct scatter_line *line = container_of(work, struct scatter_line, work);
	bool more;
	int error;

	if (xchg(&line->established, false))
		scatter_line_up(line);
	/* A handler of rdma_cm may start this work item while scatter_poll_create() runs. */
	more = smp_load_acquire(&line->polled) && poll_all(line);
	error = READ_ONCE(line->failed);
	if (error)
		scatter_line_down(line, error);
	if (more)
		scatter_poll_kick(line);
}

/* A queue has a completion. May run in an interrupt. */
static void completed(struct ib_cq *cq, void *context)
{
	struct scatter_line *line = context;

	if (READ_ONCE(line->polled))
		scatter_poll_kick(line);
}

/**
 * scatter_poll_create() - make the completion queues of a line
 * @line: has no queue pair yet
 * @entries: most completions that wait at a time, of other requests than receive requests
 *
 * Context: may sleep.
 * Return: 0 or -errno; the caller calls scatter_poll_destroy() in either case.
 */
int scatter_poll_create(struct scatter_line *line, u32 entries)
{
	const struct ib_cq_init_attr receives = { .cqe = line->buffers + 1 };
	const struct ib_cq_init_attr sends = { .cqe = entries };
	struct ib_device *device = line->id->device;
	struct ib_cq *cq;

	cq = ib_create_cq(device, completed, NULL, line, &receives);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	line->receive_cq = cq;
	cq = ib_create_cq(device, completed, NULL, line, &sends);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	line->send_cq = cq;
	/* Pairs with work(): who sees this sees the queues. */
	smp_store_release(&line->polled, true);
	arm(line->receive_cq);
	arm(line->send_cq);
	return 0;
}

/**
 * scatter_poll_destroy() - undo scatter_poll_create()
 * @line: the line, which has no queue pair any more
 *
 * An interrupt may start the work item once more after its end. Then the work item does nothing,
 * and has ended when this function returns. Some devices call completed() from a softirq, for which
 * ib_destroy_cq() does not wait.
 *
 * Context: may sleep.
 */
void scatter_poll_destroy(struct scatter_line *line)
{
	WRITE_ONCE(line->polled, false);
	cancel_work_sync(&line->work);
	if (line->send_cq)
		ib_destroy_cq(line->send_cq);
	if (line->receive_cq)
		ib_destroy_cq(line->receive_cq);
	/* Softirqs that run now have ended afterwards. */
	if (line->receive_cq)
		synchronize_rcu();
	cancel_work_sync(&line->work);
}

/**
 * scatter_poll_prepare() - set up the work item of a new line
 * @line: the line
 *
 * Context: any.
 */
void scatter_poll_prepare(struct scatter_line *line)
{
	INIT_WORK(&line->work, work);
}
