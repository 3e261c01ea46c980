/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_GROUP_H
#define _SCATTER_GROUP_H

#include <linux/bitmap.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/rbtree_types.h>
#include <linux/scatter.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "group/sorted.h"
#include "masks.h"
#include "schedule/cost.h"

struct net;
struct scatter_member;
struct scatter_portal;
struct scatter_user;

/*
 * Locking overview
 *
 * In the order in which they nest:
 *
 * 1) scatter_file.busy (ioctl.c): a bit, never waited for. The one JOIN, LEAVE, COLL,
 *    REGROUP or AGREE that a file runs holds the bit, even while sleeping, copying and
 *    waiting for peers. A second call gets EBUSY.
 * 2) scatter_file.lock (file.c): scatter_file.member.
 * 3) scatter_group.lock: all that is marked "lock" in struct scatter_group, struct
 *    scatter_member, struct scatter_operation, struct scatter_part, struct scatter_slice,
 *    struct scatter_cargo and struct scatter_ring; struct scatter_meeting and struct
 *    scatter_seating; whose turn a scatter_stage is, and in struct scatter_track who has a box.
 *    The lock of a group which REGROUP makes nests in the lock of the old group.
 * 4) names_lock (name.c): the table of names; and portals_lock (portal.c): the table of
 *    portals. Nothing nests in these two locks: a lookup takes a reference on the group, and
 *    looks at the group's state under the group's lock afterwards.
 *
 * 2) to 4) are spinlocks: nothing under them sleeps, touches user memory or takes an mmap lock.
 * Payload is copied without any lock: nobody frees a record while blocks in the record are not
 * released, and only the context that claimed a rank's forwarding, or the one receiver, touches the
 * rank's blocks.
 *
 * Lifetime: a file holds a reference on its group through its member, and so does the group's
 * descriptor. The group owns its members and operations and frees them with itself. If a member
 * loses its rank before the group is complete, only the file has the member. An operation goes when
 * the last rank has passed the operation.
 */

/* Live operations have numbers in a row. Those of one bucket are in a tree: there may be 2^20. */
#define SCATTER_OPERATION_BUCKETS	256
/* How many members or operations one hold of the lock looks at, where all are looked at. */
#define SCATTER_GROUP_BATCH		64U
/* Kernel memory that slots and stages of a group may take, per member. */
#define SCATTER_SLOT_BYTES		SZ_1M

/**
 * struct scatter_group - an ordered set of members
 * @ref: references: of the members' files, and of the group's descriptor
 * @node: names_lock; in the table of names
 * @sorted: names_lock; in the tree of names; the owner is @net
 * @net: constant; the network namespace of the name; NULL: the group has no name
 * @name: constant; empty: the group has no name
 * @id: constant; random; no other group has it
 * @uid: constant; the user who created the group, or the old group of a REGROUP; a name belongs to
 *	this user
 * @gid: constant; the creator's group ID
 * @user: constant; the user charged for the group, referenced; NULL: nobody
 * @vain: constant; the group is a name that was declined before any process joined: no member has a
 *	seat, and @members has no seats
 * @poll: pollers of the group's descriptor
 * @mode: constant; permission bits that JOIN checks
 * @size: constant; number of members of the complete group
 * @wide: constant; all nodes of the cluster know the group's name
 * @portal: constant; the part of the group on other nodes; NULL unless @wide, or made of a group
 *	that @spans nodes
 * @spans: lock until @formed, constant then; the group has members on other nodes
 * @schedule: constant; the schedule of operations that name none
 * @sides: constant; number of members of each side; both 0: the group has no sides. The ranks of
 *	side 1 follow those of side 0
 * @side_ports: as @cost.ports, for operations in which the members of one side own the blocks
 * @cpus: number of CPUs that any member may use, as last counted; 0: not counted yet
 * @spare: memory of an operation that is over, for the next operation; NULL if there is none. To
 *	take the memory, exchange the pointer for NULL
 * @watched: bit 0: @watch runs or will run, see scatter_wait_watch()
 * @watch: looks whether the members' processes live
 * @lock: protects the fields below
 * @state: lock; enum scatter_state
 * @formed: lock; latched when all members have joined
 * @closed: lock; the group's descriptor is closed
 * @revoked: lock; a member has revoked the group, whatever broke the group first
 * @claims: lock; if a process has declined the group: how many processes have come to join or to
 *	decline; 0: no process has declined
 * @news: lock; all members have to look again; see scatter_group_unlock()
 * @joined: lock; members that have joined; while a group on several nodes forms, members here
 * @locals: lock until @formed, constant then; members here, if the group @spans nodes
 * @seated: lock until @formed, meaningless then; ranks that are taken
 * @gone: lock; members of a formed group that died or left
 * @error: lock; -errno that broke the group
 * @culprit: lock; the rank that broke the group
 * @cost: lock until @formed, constant then, but for @cost.ports: constant once it is not 0,
 *	see scatter_sides_shape()
 * @dead: lock; ranks that died
 * @left: lock; ranks that left
 * @operations: lock; live operations, by number
 * @nr_operations: lock; how many operations are live
 * @doom_from: lock; from this number on no operation may succeed any more
 * @doom_error: lock; -errno with which these operations fail for every member that has not returned
 * @doom_culprit: lock; the rank that caused @doom_error
 * @end: lock; 1 more than the highest number that any operation had. When the group breaks, no live
 *	operation has a number below @end - @window
 * @window: lock until @formed, constant then; most live operations
 * @window_waiters: lock; members that wait for room for the next operation
 * @slot_bytes: lock; payload bytes in slots and stages
 * @meetings: lock; SHRINKs and AGREEs that some member has not passed, in order
 * @members: lock until @formed, constant then; by seat; NULL: no member of this node has the seat
 */
struct scatter_group {
	struct kref ref;
	struct hlist_node node;
	struct scatter_sorted sorted;
	struct net *net;
	char name[SCATTER_NAME_MAX];
	u64 id[2];
	kuid_t uid;
	kgid_t gid;
	struct scatter_user *user;
	bool vain;
	umode_t mode;
	u32 size;
	bool wide;
	bool spans;
	struct scatter_portal *portal;
	struct scatter_schedule schedule;
	wait_queue_head_t poll;
	u32 sides[2];
	u32 side_ports[2];
	u32 cpus;
	void *spare;
	unsigned long watched;
	struct delayed_work watch;

	spinlock_t lock; /* the fields below */
	enum scatter_state state;
	bool formed;
	bool closed;
	bool revoked;
	u32 claims;
	bool news;
	u32 joined;
	u32 locals;
	DECLARE_BITMAP(seated, SCATTER_SIZE_MAX);
	u32 gone;
	int error;
	s32 culprit;
	struct scatter_cost cost;
	DECLARE_BITMAP(dead, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(left, SCATTER_SIZE_MAX);
	struct rb_root operations[SCATTER_OPERATION_BUCKETS];
	u32 nr_operations;
	u64 doom_from;
	int doom_error;
	u32 doom_culprit;
	u64 end;
	u32 window;
	u32 window_waiters;
	u64 slot_bytes;
	struct list_head meetings;
	struct scatter_member *members[];
};

/*
 * Members have seats. The seat of a rank has the rank's number. The seats of ranks on other nodes
 * are empty; the last seat is the portal's, which stands for all those ranks. A group and an
 * operation index by seat what they keep of each party; users and schedules know ranks.
 */
static inline u32 scatter_group_seat(const struct scatter_group *group, u32 rank)
{
	return rank;
}

static inline u32 scatter_group_seats(const struct scatter_group *group)
{
	return group->size + group->spans;
}

/* The member of a rank, of a formed group; NULL if the rank is on another node. */
static inline struct scatter_member *
scatter_group_member(const struct scatter_group *group, u32 rank)
{
	return group->members[scatter_group_seat(group, rank)];
}

/*
 * The number of parties of a formed group on this node: the members here, and the portal for all
 * other members.
 */
static inline u32 scatter_group_parties(const struct scatter_group *group)
{
	return group->spans ? group->locals + 1 : group->size;
}

/*
 * Whether an operation may have a number: the number is less than the window ahead of the lowest
 * live operation. Numbers of live operations follow each other. The group's lock is held.
 */
static inline bool scatter_group_admits(const struct scatter_group *group, u64 number)
{
	return number - (group->end - group->nr_operations) < group->window;
}

struct scatter_group *scatter_group_alloc(u32 members, work_func_t look);
struct scatter_group *scatter_group_alloc_vain(work_func_t look);
int scatter_group_charge(struct scatter_group *group, struct scatter_user *user,
			 bool unlimited);
void scatter_group_form_locked(struct scatter_group *group);
void scatter_group_derive_locked(struct scatter_group *group,
				 const struct scatter_group *old, u32 size,
				 const u32 *sides);
void scatter_group_close(struct scatter_group *group);
void scatter_group_unseat_locked(struct scatter_group *group, struct scatter_member *member);
bool scatter_group_unseat(struct scatter_group *group,
			  struct scatter_member *member);
bool scatter_group_vacate(struct scatter_group *group, u32 rank,
			  bool (*ended)(const struct scatter_member *member));
void scatter_group_break_locked(struct scatter_group *group, int error,
				u32 culprit);
bool scatter_group_charge_slot_locked(struct scatter_group *group, u32 bytes);
void scatter_group_breathe_locked(struct scatter_group *group, u64 n);
void scatter_group_wake_window(struct scatter_group *group);
void scatter_group_shed(struct scatter_group *group);
void scatter_group_unlock(struct scatter_group *group) __releases(&group->lock);
void scatter_group_get(struct scatter_group *group);
void scatter_group_put(struct scatter_group *group);

#endif /* _SCATTER_GROUP_H */
