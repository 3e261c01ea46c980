/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that follow orders. A test forks workers, orders each to do
 * something (mostly: one ioctl), and collects the replies when it wants to, so
 * that it reads like the story it tells. Nothing here waits without a bound.
 */
#ifndef _KSELFTEST_CREW_H
#define _KSELFTEST_CREW_H

#include <sys/types.h>

#include "common.h"

#define CREW_MAX	64
#define AREA_BYTES	(256UL << 20)
#define GUARD_BYTES	64
/* Between the blocks of a v form. */
#define V_GAP_BYTES	5
/* Blocks of lopsided v forms: see block_bytes(). */
#define LOPSIDED_EAGER	9ULL
#define LOPSIDED_NAMED	40001ULL

/* In place of a result of a worker that has none. */
#define NO_REPLY	(-10000)
#define WORKER_GONE	(-10001)

/* An address that nothing may look at. */
#define BOGUS_ADDRESS	0x10ULL

/* A worker's private memory, at the same address in every worker. */
extern char *send_area, *recv_area;
#define SEND_BUFFER	(send_area + GUARD_BYTES)
#define RECV_BUFFER	(recv_area + GUARD_BYTES)

enum call_what {
	CALL_FILL = 1 << 0,	/* write the pattern, poison what is received */
	CALL_CHECK = 1 << 1,	/* on success look whether all data is right */
};

struct call_args {
	struct scatter_coll coll;
	struct scatter_results results;	/* of a call that begins an operation, at first */
	__u64 base;	/* the call's block, of which others follow in a v form */
	__u64 seed;
	__u32 what;
	__u32 intact;	/* out: nothing that was checked is wrong */
	__u32 split;	/* as of struct call */
};

union task_args {
	struct scatter_join join;
	struct scatter_leave leave;
	struct seen status;
	struct scatter_regroup regroup;
	struct scatter_agree agree;
	struct gone failed;
	struct call_args call;
	__u64 word[16];
	char text[256];
};

/* What a worker knows about itself; its threads share it. */
struct self {
	int fd;
	int rank;
	unsigned int members;	/* blocks that a root of its side has */
	bool sided;
	__u64 paused;	/* number of the operation that is, or SCATTER_NUMBER_NEW */
	int channel[2];
};

typedef __s64 task_fn(struct self *self, union task_args *args);

struct reply {
	__s64 result;
	__u64 began_ns;
	__u64 ended_ns;
	union task_args args;
};

struct worker {
	pid_t pid;
	pid_t tid;
	int channel;
	int spare;	/* of a process: the channel of its second thread */
	struct reply reply;
};

/* One operation, as a whole crew calls it. */
struct call {
	__u32 op;
	__u32 algorithm;
	__u32 root;
	__u32 flags;	/* IN_PLACE is for the root only */
	__u64 block;
	__u64 seed;
	__u32 timeout_ms;	/* 0: no deadline */
	__u32 ports;
	__u32 dims;
	__u32 extent[SCATTER_DIMS_MAX];
	__u32 sides[2];	/* of an inter-group, where @root is a group rank */
	__u32 split;	/* not 0: the buffers are lists of pieces, side by side */
};

/* What task_map() does. */
enum map_how {
	MAP_HOW_FRESH,		/* new private memory, all zeros */
	MAP_HOW_FILE,		/* a shared mapping of a new file */
	MAP_HOW_SECRET,		/* what only the owner can read */
	MAP_HOW_PROTECT,	/* what is there, with another protection */
	MAP_HOW_NONE,		/* no memory */
};

/* A call that waits for the others as long as anything here may take. */
static inline struct call patient_call(__u32 op, __u32 root, __u64 block)
{
	return (struct call){
		.op = op,
		.root = root,
		.block = block,
		.seed = 7,
		.timeout_ms = PATIENCE_MS,
	};
}

struct crew {
	unsigned int size;
	char name[SCATTER_NAME_MAX];
	struct worker worker[CREW_MAX];
};

/* Sets of ranks. */
#define RANK(r)		(1ULL << (r))
#define RANKS(first, last) \
	((~0ULL >> (63 - (last))) & (~0ULL << (first)))

bool worker_spawn(struct worker *worker);
bool worker_thread(struct worker *thread, struct worker *process);
bool worker_end(struct worker *worker);
void worker_order(struct worker *worker, task_fn *task,
		  const union task_args *args);
bool worker_replies(struct worker *worker, unsigned int timeout_ms);
__s64 worker_finish(struct worker *worker);
__s64 worker_do(struct worker *worker, task_fn *task,
		const union task_args *args);
bool worker_sleeps(struct worker *worker, unsigned int request);
bool worker_sleeps_in(struct worker *worker, long call);
bool worker_settles(struct worker *worker, unsigned int request);
void worker_signal(struct worker *worker, int signal);
bool worker_stop(struct worker *worker);

task_fn task_open;
task_fn task_close;
task_fn task_join;
task_fn task_leave;
task_fn task_status;
task_fn task_call;
task_fn task_fill;
task_fn task_poll;
task_fn task_restarting_handler;
task_fn task_map;
task_fn task_events;
__u64 block_bytes(__u32 op, __u64 base, unsigned int rank);
__u64 block_offset(__u32 op, __u64 base, unsigned int size, unsigned int rank);
__s64 self_call(struct self *self, struct call_args *args);
__s64 self_coll(struct self *self, const struct scatter_coll *coll);
void call_lay_out(const struct self *self, struct call_args *args);
void call_fill(const struct self *self, const struct call_args *args);
bool call_intact(const struct self *self, const struct call_args *args);

bool crew_spawn(struct crew *crew, unsigned int size);
bool crew_form(struct crew *crew, unsigned int size, __u32 ring_bytes);
void join_schedule(struct scatter_join *join, const struct call *call);
bool crew_form_sides(struct crew *crew, unsigned int near, unsigned int far,
		     const struct call *schedule);
bool crew_formed(struct crew *crew);
bool crew_join(struct crew *crew, const struct scatter_join *like);
bool crew_form_like(struct crew *crew, const struct scatter_join *like);
void join_seat(struct scatter_join *join, unsigned int rank);
bool crew_end(struct crew *crew);
struct call_args crew_args(unsigned int rank, const struct call *call,
			   __u32 what);
void crew_start(struct crew *crew, __u64 ranks, const struct call *call);
void crew_start_until(struct crew *crew, __u64 ranks, const struct call *call,
		      __u64 timeout_ns);
bool crew_sleeps(struct crew *crew, __u64 ranks);
bool crew_succeeds(struct crew *crew, __u64 ranks);
bool crew_fails(struct crew *crew, __u64 ranks, int error, int culprit);
bool crew_is_told(struct crew *crew, unsigned int rank, int error, int culprit);
bool crew_is_broken(struct crew *crew, __u64 ranks, int error, int culprit);
bool crew_is_interrupted(struct crew *crew, __u64 ranks);
bool crew_runs(struct crew *crew, const struct call *call);
bool crew_calls(struct crew *crew, __u64 ranks, const struct call *call);
bool crew_catches_up(struct crew *crew, __u64 ranks, struct call call, unsigned int first,
		     unsigned int last);
__s64 crew_resume(struct crew *crew, unsigned int rank,
		  const struct call *call);
__s64 crew_status(struct crew *crew, unsigned int rank);
const struct seen *crew_seen(struct crew *crew, unsigned int rank);
__u64 worker_copied(struct worker *worker);
int secret_open(void);
__s64 worker_map(struct worker *worker, void *at, size_t bytes,
		 int protection, enum map_how how);

#endif /* _KSELFTEST_CREW_H */
