// SPDX-License-Identifier: GPL-2.0
/*
 * The registrar: the node that keeps a name, and what that node keeps.
 *
 * For every name that the whole cluster knows, one node assigns the seats of the name's group. All
 * nodes that know the same nodes choose the same registrar. On the registrar the name has a
 * *record*, from the first claim until all claims are withdrawn, or until the group is broken or
 * empty. A record is not a group: a process on the registrar's own node claims a seat like all
 * others.
 *
 * Locks: records_lock, a spin lock, protects all records. It must not be a mutex: the tasks of
 * users and the handlers of messages both take it, and a task whose user keeps it from running must
 * not hold what a handler waits for. So all memory is allocated before, and freed after. A walk
 * over all records gives the lock back after each bucket of the table.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/once.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "group/claim.h"
#include "group/spec.h"
#include "memory/user.h"
#include "node/client.h"
#include "node/mail.h"
#include "node/node.h"
#include "node/peer.h"
#include "param.h"
#include "schedule/cost.h"
#include "span/form.h"
#include "span/registrar.h"
#include "wire/rendezvous.h"
#include "wire/wide_build.h"

/**
 * struct scatter_registrar_seat - a seat, and the JOIN that has claimed it
 * @node: the node of the process; 0: nobody has the seat
 * @token: the JOIN's token
 * @relied: the node as a peer: if the peer is lost, the seat is free; NULL: this node
 */
struct scatter_registrar_seat {
	u64 node;
	u64 token;
	struct scatter_peer *relied;
};

/**
 * struct scatter_registrar_news - the messages to all nodes of a complete group
 * @formed: the first message
 * @places: the other messages, each with a part of @runs
 * @raw: one message as bytes
 * @runs: where all ranks are
 */
struct scatter_registrar_news {
	struct scatter_wide_formed formed;
	struct scatter_wide_places places;
	u8 raw[SCATTER_WIRE_BYTES_MAX];
	struct scatter_wide_run runs[];
};

/**
 * struct scatter_registrar_record - a name, and who has claimed which seat of its group
 * @entry: in the table of names; later in a list of records that are about to be freed
 * @by_id: in the table of ids
 * @node: constant; this node
 * @id: constant; the group's id
 * @name: constant
 * @uid: constant; the user whose name it is
 * @gid: constant; the group's group ID
 * @mode: constant; permission bits
 * @user: constant; the user charged for the record, referenced; NULL: the creator is on this node
 *	and is charged for its group
 * @maker: constant; with @user: the creator's node, whose names count the record; referenced
 * @terms: constant; what all members agree about
 * @joined: how many seats are taken
 * @untold: how many claimants have a seat but have not been told
 * @formed: all seats were taken: nobody can give a seat back
 * @home: once @formed: the group's home as a peer; NULL if the home is this node
 * @seated: ranks that are taken
 * @news: room for the messages to all nodes when the group is complete
 * @seats: by rank
 *
 * records_lock protects all fields.
 */
struct scatter_registrar_record {
	struct hlist_node entry;
	struct hlist_node by_id;
	struct scatter_node *node;
	u64 id[2];
	char name[SCATTER_NAME_MAX];
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
	struct scatter_user *user;
	struct scatter_peer *maker;
	struct scatter_claim_terms terms;
	u32 joined;
	u32 untold;
	bool formed;
	struct scatter_peer *home;
	DECLARE_BITMAP(seated, SCATTER_SIZE_MAX);
	struct scatter_registrar_news *news;
	struct scatter_registrar_seat seats[];
};

static DEFINE_HASHTABLE(records, 8);
static DEFINE_HASHTABLE(ids, 8);
static DEFINE_SPINLOCK(records_lock);

/* The random number keeps users and peers from choosing many names of one bucket. */
static u32 hash_of(kuid_t owner, const char *name)
{
	static u32 secret;

	get_random_once(&secret, sizeof(secret));
	return jhash(name, strnlen(name, SCATTER_NAME_MAX), secret ^ __kuid_val(owner));
}

/**
 * struct scatter_registrar_search - the search for the node that keeps a name
 * @uid: the user whose name it is
 * @name: the name
 * @best: the id of the best node so far
 * @most: the weight of @best
 * @nr: how many nodes there are beside this node
 */
struct scatter_registrar_search {
	u32 uid;
	const char *name;
	u64 best;
	u64 most;
	u32 nr;
};

static void weigh(u64 id, void *arg)
{
	struct scatter_registrar_search *search = arg;
	u64 weight = scatter_rendezvous_weight(id, search->uid, search->name);

	search->nr++;
	if (weight < search->most || (weight == search->most && id > search->best))
		return;
	search->most = weight;
	search->best = id;
}

/**
 * scatter_registrar_of() - find the node that keeps a name
 * @node: this node
 * @owner: the user whose name it is
 * @name: the name
 *
 * Context: any; takes look.
 * Return: the id of that node; 0: this node knows no other nodes, and keeps its names for itself.
 */
u64 scatter_registrar_of(struct scatter_node *node, kuid_t owner, const char *name)
{
	struct scatter_registrar_search search = {
		.uid = from_kuid(&init_user_ns, owner),
		.name = name,
	};
	u64 own = scatter_node_id(node);

	if (!own)
		return 0;
	scatter_peer_visit(node, weigh, &search);
	if (!search.nr)
		return 0;
	weigh(own, &search);
	return search.best;
}

static struct scatter_registrar_record *find_locked(struct scatter_node *node, kuid_t owner,
						    const char *name)
{
	struct scatter_registrar_record *record;

	lockdep_assert_held(&records_lock);
	hash_for_each_possible(records, record, entry, hash_of(owner, name))
		if (record->node == node && uid_eq(record->uid, owner) &&
		    !strcmp(record->name, name))
			return record;
	return NULL;
}

static struct scatter_registrar_record *find_id_locked(struct scatter_node *node, const u64 *id)
{
	struct scatter_registrar_record *record;

	lockdep_assert_held(&records_lock);
	hash_for_each_possible(ids, record, by_id, id[0])
		if (record->node == node && !memcmp(record->id, id, sizeof(record->id)))
			return record;
	return NULL;
}

static void vacate_locked(struct scatter_registrar_record *record, u32 rank)
{
	struct scatter_registrar_seat *seat = &record->seats[rank];

	lockdep_assert_held(&records_lock);
	scatter_client_unrely(seat->relied);
	memset(seat, 0, sizeof(*seat));
	__clear_bit(rank, record->seated);
	record->joined--;
}

static void discard(struct scatter_registrar_record *record)
{
	if (record->user) {
		scatter_user_uncharge(record->user, SCATTER_LIMIT_GROUPS, 1);
		scatter_user_put(record->user);
	}
	if (record->maker) {
		atomic_dec(&record->maker->names);
		scatter_peer_put(record->maker);
	}
	kvfree(record->news);
	kvfree(record);
}

/* Take a record out of the tables; discard_all() frees it. */
static void end_locked(struct scatter_registrar_record *record, struct hlist_head *ended)
{
	u32 rank;

	lockdep_assert_held(&records_lock);
	for_each_set_bit(rank, record->seated, record->terms.size)
		vacate_locked(record, rank);
	scatter_client_unrely(record->home);
	hash_del(&record->entry);
	hash_del(&record->by_id);
	hlist_add_head(&record->entry, ended);
}

static void discard_all(struct hlist_head *ended)
{
	struct scatter_registrar_record *record;
	struct hlist_node *next;

	hlist_for_each_entry_safe(record, next, ended, entry)
		discard(record);
}

/*
 * Charge a user who creates a group from another node on this node, too; and the other node, which
 * may say that any number of users do that.
 */
static enum scatter_wide_answer charge(struct scatter_node *node,
				       struct scatter_registrar_record *record,
				       const struct scatter_claimant *claimant)
{
	struct scatter_user *user;

	record->maker = scatter_peer_find(node, claimant->node);
	if (!record->maker)
		return SCATTER_WIDE_CHANGED;
	if ((u32)atomic_inc_return(&record->maker->names) > READ_ONCE(scatter_param_peer_groups))
		return SCATTER_WIDE_NO_ROOM;
	user = scatter_user_find_uid(claimant->uid);
	if (!user)
		return SCATTER_WIDE_NO_MEMORY;
	if (!scatter_user_charge_for(user, SCATTER_LIMIT_GROUPS, 1, false)) {
		record->user = user;
		return SCATTER_WIDE_FINE;
	}
	scatter_user_put(user);
	return SCATTER_WIDE_NO_ROOM;
}

/* Make a record that nobody else knows yet. */
static enum scatter_wide_answer create(struct scatter_node *node,
				       const struct scatter_claimant *claimant,
				       const struct scatter_join *join,
				       struct scatter_registrar_record **made)
{
	enum scatter_wide_answer answer = SCATTER_WIDE_FINE;
	struct scatter_registrar_record *record;

	if (!uid_eq(claimant->uid, claimant->owner))
		return SCATTER_WIDE_NONE;
	record = kvzalloc(struct_size(record, seats, join->members), GFP_KERNEL_ACCOUNT);
	if (!record)
		return SCATTER_WIDE_NO_MEMORY;
	record->news = kvzalloc(struct_size(record->news, runs, join->members),
				GFP_KERNEL_ACCOUNT);
	if (!record->news)
		answer = SCATTER_WIDE_NO_MEMORY;
	else if (claimant->node != scatter_node_id(node))
		answer = charge(node, record, claimant);
	if (answer != SCATTER_WIDE_FINE) {
		discard(record);
		return answer;
	}
	record->node = node;
	do
		get_random_bytes(record->id, sizeof(record->id));
	while (!record->id[0]);
	strscpy(record->name, join->name, sizeof(record->name));
	record->uid = claimant->owner;
	record->gid = claimant->gid;
	record->mode = join->mode;
	record->terms.size = join->members;
	memcpy(record->terms.sides, join->sides, sizeof(record->terms.sides));
	record->terms.schedule = scatter_spec_asked(&join->schedule);
	*made = record;
	return SCATTER_WIDE_FINE;
}

static void show_locked(struct scatter_registrar_record *record)
{
	lockdep_assert_held(&records_lock);
	hash_add(records, &record->entry, hash_of(record->uid, record->name));
	hash_add(ids, &record->by_id, record->id[0]);
}

static enum scatter_wide_answer seat_locked(struct scatter_registrar_record *record,
					    const struct scatter_claimant *claimant,
					    const struct scatter_join *join, u32 *taken)
{
	struct scatter_registrar_seat *seat;
	int rank;

	lockdep_assert_held(&records_lock);
	if (!scatter_claim_agrees(&record->terms, join))
		return SCATTER_WIDE_DIFFERS;
	rank = scatter_claim_rank(record->seated, join);
	if (rank < 0)
		return rank == -EADDRINUSE ? SCATTER_WIDE_TAKEN : SCATTER_WIDE_FULL;
	seat = &record->seats[rank];
	seat->node = claimant->node;
	seat->token = claimant->token;
	seat->relied = scatter_client_rely(record->node, claimant->node);
	__set_bit(rank, record->seated);
	record->joined++;
	record->untold++;
	*taken = rank;
	return SCATTER_WIDE_FINE;
}

static enum scatter_wide_answer enter_locked(struct scatter_registrar_record *record,
					     const struct scatter_claimant *claimant,
					     const struct scatter_join *join, u32 *taken)
{
	lockdep_assert_held(&records_lock);
	if (join->flags & SCATTER_JOIN_EXCL)
		return SCATTER_WIDE_EXISTS;
	if (!claimant->capable &&
	    !scatter_claim_allowed(record->mode, uid_eq(claimant->uid, record->uid),
				   gid_valid(claimant->gid) &&
				   gid_eq(claimant->gid, record->gid)))
		return SCATTER_WIDE_DENIED;
	return seat_locked(record, claimant, join, taken);
}

/**
 * scatter_registrar_claim() - claim a seat
 * @node: this node, the registrar of the name
 * @claimant: the claimant
 * @join: what the claimant wants, checked
 * @answer: (out) for the claimant; if the answer is SCATTER_WIDE_FINE, the caller tells the
 *          claimant, and then calls scatter_registrar_settle()
 *
 * Context: may sleep; no locks but a hub's.
 */
void scatter_registrar_claim(struct scatter_node *node, const struct scatter_claimant *claimant,
			     const struct scatter_join *join,
			     struct scatter_wide_seated *answer)
{
	struct scatter_registrar_record *record, *fresh = NULL;

	*answer = (struct scatter_wide_seated){ .token = claimant->token };
	spin_lock(&records_lock);
	record = find_locked(node, claimant->owner, join->name);
	if (!record) {
		spin_unlock(&records_lock);
		answer->answer = create(node, claimant, join, &fresh);
		spin_lock(&records_lock);
		record = find_locked(node, claimant->owner, join->name);
	}
	/* The deletion of a node ends all records after it has begun. */
	if (scatter_node_is_ending(node)) {
		answer->answer = SCATTER_WIDE_CHANGED;
	} else if (record) {
		answer->answer = enter_locked(record, claimant, join, &answer->rank);
	} else if (fresh) {
		record = fresh;
		fresh = NULL;
		show_locked(record);
		answer->answer = seat_locked(record, claimant, join, &answer->rank);
	}
	if (answer->answer == SCATTER_WIDE_FINE) {
		memcpy(answer->id, record->id, sizeof(answer->id));
		answer->uid = from_kuid(&init_user_ns, record->uid);
		answer->mode = record->mode;
	}
	if (answer->answer == SCATTER_WIDE_FINE || answer->answer == SCATTER_WIDE_DENIED)
		answer->gid = from_kgid(&init_user_ns, record->gid);
	spin_unlock(&records_lock);
	/* Another task has made the record meanwhile. */
	if (fresh)
		discard(fresh);
}

/* The run of ranks that begins with rank @first. */
static struct scatter_wide_run run_locked(const struct scatter_registrar_record *record, u32 first)
{
	const struct scatter_registrar_seat *seat = &record->seats[first];
	struct scatter_wide_run run = {
		.node = seat->node,
		.token = seat->token,
		.first = first,
	};
	struct scatter_node_self self;
	struct scatter_peer_link link;

	lockdep_assert_held(&records_lock);
	while (first + run.count < record->terms.size &&
	       record->seats[first + run.count].node == seat->node)
		run.count++;
	if (seat->relied) {
		scatter_peer_link(seat->relied, &link);
		run.incarnation = link.incarnation;
		return run;
	}
	scatter_node_self(record->node, &self);
	run.incarnation = self.incarnation;
	memzero_explicit(&self, sizeof(self));
	return run;
}

/* Make the news for all nodes; the caller frees the news. */
static struct scatter_registrar_news *form_locked(struct scatter_registrar_record *record)
{
	struct scatter_registrar_news *news = record->news;
	struct scatter_wide_formed *formed = &news->formed;
	u64 home = U64_MAX;
	u32 rank;

	lockdep_assert_held(&records_lock);
	record->news = NULL;
	record->formed = true;
	*formed = (struct scatter_wide_formed){
		.size = record->terms.size,
		.eager_limit = READ_ONCE(scatter_param_eager_limit),
		.startup_ns = READ_ONCE(scatter_param_startup_ns),
		.gap_ns = READ_ONCE(scatter_param_gap_ns),
		.window = READ_ONCE(scatter_param_window),
	};
	memcpy(formed->id, record->id, sizeof(formed->id));
	formed->gather_limit = scatter_cost_gather_limit(formed->eager_limit,
							 READ_ONCE(scatter_param_gather_limit),
							 formed->size, num_online_cpus());
	for (rank = 0; rank < formed->size; formed->runs++) {
		struct scatter_wide_run *run = &news->runs[formed->runs];

		*run = run_locked(record, rank);
		home = min(home, run->node);
		rank += run->count;
	}
	/* From now on, the registrar relies on the home alone: without the home the group ends. */
	record->home = scatter_client_rely(record->node, home);
	for (rank = 0; rank < formed->size; rank++) {
		scatter_client_unrely(record->seats[rank].relied);
		record->seats[rank].relied = NULL;
	}
	return news;
}

static void tell_formed(struct scatter_node *node, u64 to,
			const struct scatter_registrar_news *news)
{
	struct scatter_raw_formed raw;

	if (to == scatter_node_id(node)) {
		scatter_form_begin(node, to, &news->formed);
		return;
	}
	scatter_wide_build_formed(&raw, 0, &news->formed);
	scatter_mail_post(node, NULL, to, &raw, sizeof(raw));
}

static void tell_places(struct scatter_node *node, u64 to, struct scatter_registrar_news *news)
{
	struct scatter_wide_places *places = &news->places;
	u32 first, bytes;

	memcpy(places->id, news->formed.id, sizeof(places->id));
	for (first = 0; first < news->formed.runs; first += places->count) {
		places->count = min_t(u32, SCATTER_WIDE_RUNS_MAX, news->formed.runs - first);
		memcpy(places->runs, &news->runs[first], places->count * sizeof(*places->runs));
		if (to == scatter_node_id(node)) {
			if (!scatter_form_places(node, to, places))
				scatter_registrar_ended(node, to, places->id);
			continue;
		}
		bytes = scatter_wide_build_places(news->raw, 0, places);
		scatter_mail_post(node, NULL, to, news->raw, bytes);
	}
}

/* Tell each node once: at the first of its runs. */
static void tell_all(struct scatter_node *node, struct scatter_registrar_news *news)
{
	u32 i, other;

	for (i = 0; i < news->formed.runs; i++) {
		u64 to = news->runs[i].node;

		for (other = 0; news->runs[other].node != to; other++)
			;
		if (other < i)
			continue;
		tell_formed(node, to, news);
		tell_places(node, to, news);
		cond_resched();
	}
}

/**
 * scatter_registrar_settle() - note that a claimant was told; after the last, tell all nodes
 * @node: this node
 * @id: the group's id
 *
 * Several tasks handle claims at once. A node that got FORMED before SEATED would take the claimant
 * for dead. So the task that tells the last claimant then tells all nodes.
 *
 * Context: may sleep; no locks but a hub's. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_registrar_settle(struct scatter_node *node, const u64 *id)
{
	struct scatter_registrar_news *news = NULL;
	struct scatter_registrar_record *record;

	spin_lock(&records_lock);
	record = find_id_locked(node, id);
	if (record && !--record->untold && record->joined == record->terms.size)
		news = form_locked(record);
	spin_unlock(&records_lock);
	if (!news)
		return;
	tell_all(node, news);
	kvfree(news);
}

/* Find the seat of a JOIN in a bucket of the table. */
static struct scatter_registrar_record *find_seat_locked(struct scatter_node *node,
							 unsigned int bucket, u64 from,
							 u64 token, u32 *rank)
{
	struct scatter_registrar_record *record;

	lockdep_assert_held(&records_lock);
	hlist_for_each_entry(record, &records[bucket], entry) {
		if (record->node != node)
			continue;
		for_each_set_bit(*rank, record->seated, record->terms.size)
			if (record->seats[*rank].node == from &&
			    record->seats[*rank].token == token)
				return record;
	}
	return NULL;
}

/**
 * scatter_registrar_unseat() - take back the seat of a claimant that gives up
 * @node: this node
 * @from: the claimant's node
 * @token: of the claimant's JOIN
 * @tell: NULL, or a function that tells the claimant that the seat is free, or was never taken.
 *        Called with records_lock held, before anybody else can get the seat; so the call comes
 *        before whatever the next claimant is told. Must not sleep
 * @arg: for @tell
 *
 * Context: may sleep; no locks but a hub's.
 * Return: false: the group has formed with the claimant.
 */
bool scatter_registrar_unseat(struct scatter_node *node, u64 from, u64 token,
			      void (*tell)(struct scatter_node *node, void *arg), void *arg)
{
	struct scatter_registrar_record *record = NULL;
	unsigned int bucket;
	HLIST_HEAD(ended);
	bool formed;
	u32 rank;

	for (bucket = 0; !record && bucket < HASH_SIZE(records); bucket++) {
		spin_lock(&records_lock);
		record = find_seat_locked(node, bucket, from, token, &rank);
		formed = record && record->formed;
		if (record && !formed)
			vacate_locked(record, rank);
		if (record && !formed && tell)
			tell(node, arg);
		if (record && !record->joined)
			end_locked(record, &ended);
		spin_unlock(&records_lock);
		cond_resched();
	}
	if (!record && tell)
		tell(node, arg);
	discard_all(&ended);
	return !record || !formed;
}

static bool has_seat_locked(const struct scatter_registrar_record *record, u64 node)
{
	u32 rank;

	lockdep_assert_held(&records_lock);
	for (rank = 0; rank < record->terms.size; rank++)
		if (record->seats[rank].node == node)
			return true;
	return false;
}

/**
 * scatter_registrar_ended() - free a name whose group is broken or empty
 * @node: this node
 * @from: id of the node that says so; nothing happens unless the node has a seat of the group
 * @id: the group's id
 *
 * Context: may sleep; no locks but a hub's.
 */
void scatter_registrar_ended(struct scatter_node *node, u64 from, const u64 *id)
{
	struct scatter_registrar_record *record;
	HLIST_HEAD(ended);

	spin_lock(&records_lock);
	record = find_id_locked(node, id);
	if (record && record->formed && has_seat_locked(record, from))
		end_locked(record, &ended);
	spin_unlock(&records_lock);
	discard_all(&ended);
}

/* Free the seats of a lost node in a record; @self: all seats. */
static void lose_locked(struct scatter_registrar_record *record, u64 id, bool self,
			struct hlist_head *ended)
{
	u32 rank;

	lockdep_assert_held(&records_lock);
	if (self || record->formed) {
		if (self || (record->home && record->home->id == id))
			end_locked(record, ended);
		return;
	}
	for_each_set_bit(rank, record->seated, record->terms.size)
		if (record->seats[rank].node == id)
			vacate_locked(record, rank);
	if (!record->joined)
		end_locked(record, ended);
}

/**
 * scatter_registrar_lost() - free the seats of processes on a lost node
 * @node: this node
 * @id: the lost node's id; this node's own id: all seats are lost
 *
 * Context: may sleep; no locks but a hub's.
 */
void scatter_registrar_lost(struct scatter_node *node, u64 id)
{
	bool self = id == scatter_node_id(node);
	struct scatter_registrar_record *record;
	struct hlist_node *next;
	unsigned int bucket;
	HLIST_HEAD(ended);

	for (bucket = 0; bucket < HASH_SIZE(records); bucket++) {
		spin_lock(&records_lock);
		hlist_for_each_entry_safe(record, next, &records[bucket], entry)
			if (record->node == node)
				lose_locked(record, id, self, &ended);
		spin_unlock(&records_lock);
		cond_resched();
	}
	discard_all(&ended);
}
