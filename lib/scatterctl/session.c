// SPDX-License-Identifier: GPL-2.0
/*
 * One membership of scatter or gather: joining, operations, counters, leaving.
 * An error ends the process without LEAVE, so the others learn of it as of a
 * death.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "transfer.h"

/* A wait that a signal interrupted goes on, but not for longer in all. */
static int64_t deadline(const struct session *session)
{
	int64_t timeout_ns = session->options->timeout_ns;
	int64_t now = now_ns();

	if (!timeout_ns)
		return 0;
	return timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}

static int64_t remaining(int64_t deadline_ns)
{
	int64_t left = deadline_ns - now_ns();

	if (!deadline_ns)
		return 0;
	return left > 0 ? left : 1;
}

static void complain_join(const struct session *session, int error)
{
	enum stage stage = STAGE_JOIN;
	char what[SCATTER_NAME_MAX + 32];

	/* The device and the group both refuse with EACCES, and either may be missing. */
	if ((error == EACCES || error == ENOENT) &&
	    faccessat(AT_FDCWD, DEVICE, R_OK | W_OK, AT_EACCESS))
		stage = STAGE_DEVICE;
	if (session->options->group)
		snprintf(what, sizeof(what), "cannot join group %s",
			 session->options->group);
	else
		snprintf(what, sizeof(what), "cannot join by descriptor %d",
			 session->options->fd);
	complain_error(what, stage, error, SCATTER_RANK_ANY);
}

/* The descriptor knows them, and a schedule too. */
static void terms_unset(struct scatter_join_opts *join)
{
	join->size = 0;
	memset(join->sides, 0, sizeof(join->sides));
}

/**
 * session_join() - become a member and wait until the group is complete
 * @session: (out) the membership
 * @options: the command line
 *
 * Return: 0, or -errno after a message.
 */
int session_join(struct session *session, const struct transfer_options *options)
{
	struct scatter_join_opts join = {
		.size = options->size,
		.sides = { options->sides[0], options->sides[1] },
		.side = options->side,
		.rank = options->rank,
		.mode = options->mode,
		.owner = options->has_owner ? &options->owner : NULL,
		.exclusive = options->exclusive,
		.local = options->local,
	};
	int64_t deadline_ns;
	int error;

	if (!options->group)
		terms_unset(&join);
	*session = (struct session){ .options = options };
	deadline_ns = deadline(session);
	do {
		join.timeout_ns = remaining(deadline_ns);
		if (options->group)
			error = scatter_join(&session->group, options->group,
					     &join);
		else
			error = scatter_join_by(&session->group, options->fd,
						&join);
	} while (error == -EINTR);
	if (error) {
		complain_join(session, -error);
		return error;
	}
	session->rank = scatter_rank(session->group);
	session->size = scatter_size(session->group);
	session->parts = scatter_remote_size(session->group);
	if (!session->parts)
		session->parts = session->size;
	session->root = options->sides[0] ? transfer_is_root(options) :
					    session->rank == options->root;
	session->part = transfer_has_part(options);
	return 0;
}

/* Ranks that have not called the operation that timed out, here or for all. */
static void complain_timeout(const struct session *session, const char *what,
			     int error, int culprit)
{
	const char *name = error_name(error);
	uint64_t missing[MEMBERS_MAX / 64];
	char *ranks = NULL;
	size_t length;
	FILE *out;

	out = open_memstream(&ranks, &length);
	if (out) {
		if (!scatter_masks(session->group, MEMBERS_MAX, NULL, NULL,
				   missing))
			mask_print(out, missing);
		fclose(out);
	}
	if (ranks && *ranks)
		complain("%s: timed out without rank %s: give a longer --timeout (%s)",
			 what, ranks, name);
	else if (error == ETIME)
		complain_error(what, STAGE_OPERATION, error, culprit);
	else
		complain("%s: timed out; give a longer --timeout (%s)", what,
			 name);
	free(ranks);
}

/**
 * struct operation - what to call
 * @op: which
 * @from: the send buffer
 * @to: the receive buffer
 * @block: bytes of this member
 * @plan: v forms, root: counts and displs
 * @relay: its root is rank 0 of the side that is not the root's
 */
struct operation {
	enum scatter_op op;
	const void *from;
	void *to;
	uint64_t block;
	const struct plan *plan;
	bool relay;
};

static int root_of(const struct session *session, const struct operation *o)
{
	if (!o->relay)
		return session->options->root;
	if (!session->part)
		return 0;
	return (int)(session->rank ? SCATTER_PROC_NULL : SCATTER_ROOT);
}

static int call_once(struct session *session, const struct operation *o,
		     struct scatter_opts *opts)
{
	const uint64_t *counts = o->plan ? o->plan->counts : NULL;
	const uint64_t *displs = o->plan ? o->plan->displs : NULL;
	struct scatter_group *group = session->group;
	int root = root_of(session, o);

	switch ((int)o->op) {
	case SCATTER_OP_SCATTER:
		return scatter_scatter_opts(group, o->from, o->to, o->block,
					    root, opts);
	case SCATTER_OP_GATHER:
		return scatter_gather_opts(group, o->from, o->to, o->block,
					   root, opts);
	case SCATTER_OP_BARRIER:
		return scatter_barrier_opts(group, opts);
	case SCATTER_OP_SCATTERV:
		return scatter_scatterv_opts(group, o->from, counts, displs,
					     o->to, o->block, root, opts);
	case SCATTER_OP_GATHERV:
		return scatter_gatherv_opts(group, o->from, o->block, o->to,
					    counts, displs, root, opts);
	}
	return -EINVAL;
}

/* Lengths are of the same length, for which there is no irregular tree. */
static bool may_choose(unsigned int algorithm, unsigned int op)
{
	if (algorithm == SCATTER_ALGORITHM_IRREGULAR)
		return op == SCATTER_OP_SCATTERV || op == SCATTER_OP_GATHERV;
	return op != SCATTER_OP_BARRIER;
}

/* The root's buffer is laid out as its file, which only that has a plan for. */
static void set_layout(struct scatter_opts *opts, struct scatter_layout *layout,
		       const struct operation *operation,
		       const struct vector *vector)
{
	if (!operation->plan || !vector->count)
		return;
	scatter_layout_vector(layout, vector->count, vector->length,
			      vector->stride, vector->extent);
	if (operation->op == SCATTER_OP_SCATTERV)
		opts->send_layout = layout;
	else
		opts->recv_layout = layout;
}

static int call(struct session *session, const struct operation *operation)
{
	const char *name = op_name(operation->op);
	int64_t deadline_ns = deadline(session);
	struct scatter_opts opts = { .flags = session->options->flags };
	struct scatter_layout layout;
	int error;

	/* A relay has another size, which the algorithm may not allow. */
	if (!operation->relay &&
	    may_choose(session->options->schedule.algorithm, operation->op))
		opts.schedule = session->options->schedule;
	set_layout(&opts, &layout, operation, &session->options->vector);
	do {
		opts.timeout_ns = remaining(deadline_ns);
		error = call_once(session, operation, &opts);
	} while (error == -EINTR);

	if (error == -ETIMEDOUT || error == -ETIME)
		complain_timeout(session, name, -error, opts.culprit);
	else if (error)
		complain_error(name, STAGE_OPERATION, -error, opts.culprit);
	return error;
}

/**
 * session_gather() - one GATHER
 * @session: the membership
 * @part: this rank's block
 * @data: root: where all blocks go
 * @block: bytes per rank
 *
 * Return: 0, or -errno after a message.
 */
int session_gather(struct session *session, const void *part, void *data,
		   size_t block)
{
	const struct operation operation = {
		.op = SCATTER_OP_GATHER, .from = part, .to = data,
		.block = block,
	};

	return call(session, &operation);
}

/**
 * session_scatterv() - one SCATTERV
 * @session: the membership
 * @data: root: what the plan's displs count from
 * @plan: root: counts and displs; NULL elsewhere
 * @part: where this rank's block goes; NULL at the root: it stays where it is
 * @length: of this rank's block in bytes
 *
 * Return: 0, or -errno after a message.
 */
int session_scatterv(struct session *session, const void *data,
		     const struct plan *plan, void *part, size_t length)
{
	struct operation operation = {
		.op = SCATTER_OP_SCATTERV, .from = data, .to = part,
		.block = length, .plan = plan,
	};

	if (session->root && session->part && !part)
		operation.to = SCATTER_IN_PLACE;
	return call(session, &operation);
}

/**
 * session_gatherv() - one GATHERV
 * @session: the membership
 * @part: this rank's block
 * @length: of that in bytes
 * @data: root: what the plan's displs count from
 * @plan: root: counts and displs; NULL elsewhere
 *
 * Return: 0, or -errno after a message.
 */
int session_gatherv(struct session *session, const void *part, size_t length,
		    void *data, const struct plan *plan)
{
	const struct operation operation = {
		.op = SCATTER_OP_GATHERV, .from = part, .to = data,
		.block = length, .plan = plan,
	};

	return call(session, &operation);
}

static bool wants_counters(const struct session *session)
{
	return session->options->verbose || session->options->json;
}

/* Its numbers are added later on, and decide how much memory is taken. */
static bool is_sane(const struct header *header)
{
	return header->magic == HEADER_MAGIC && header->chunk &&
	       header->chunk <= CHUNK_MAX && header->span <= INT64_MAX &&
	       header->part <= header->span &&
	       header->place <= header->span - header->part;
}

/* As it travels. */
static struct header header_encode(const struct header *from)
{
	return (struct header){
		.magic = htole64(HEADER_MAGIC),
		.part = htole64(from->part),
		.place = htole64(from->place),
		.span = htole64(from->span),
		.chunk = htole64(from->chunk),
	};
}

static struct header *headers_make(unsigned int count)
{
	struct header *headers = calloc(count, sizeof(*headers));

	if (!headers)
		complain("out of memory");
	return headers;
}

static void header_decode(struct header *header)
{
	header->magic = le64toh(header->magic);
	header->part = le64toh(header->part);
	header->place = le64toh(header->place);
	header->span = le64toh(header->span);
	header->chunk = le64toh(header->chunk);
}

/**
 * session_refuse() - the header is none, or not for this member
 * @session: the membership
 *
 * The ranks of an inter-group's second side come after those of the first one.
 *
 * Return: -errno after a message.
 */
int session_refuse(const struct session *session)
{
	const struct transfer_options *options = session->options;
	int rank = session->part ? options->root : 0;

	if (!options->side)
		rank += options->sides[0];
	complain("rank %d runs another program or version than this one", rank);
	return -EPROTO;
}

/* The root tells each member that has a part. */
static int tell_parts(struct session *session, const struct plan *plan,
		      struct header *header)
{
	struct operation operation = {
		.op = SCATTER_OP_SCATTER, .to = header,
		.block = sizeof(*header),
	};
	struct header *headers = NULL;
	unsigned int i;
	int error;

	if (plan) {
		headers = headers_make(plan->size);
		if (!headers)
			return -ENOMEM;
		for (i = 0; i < plan->size; i++)
			headers[i] = header_encode(&plan->headers[i]);
		if (session->part) {
			*header = headers[session->rank];
			operation.to = SCATTER_IN_PLACE;
		}
		operation.from = headers;
	}
	error = call(session, &operation);
	free(headers);
	return error;
}

/* Rank 0 of that side tells each member of the root's how many rounds there are. */
static int tell_others(struct session *session, struct header *header)
{
	const unsigned int *sides = session->options->sides;
	unsigned int i, others = sides[!session->options->side];
	struct operation operation = {
		.op = SCATTER_OP_SCATTER, .to = header,
		.block = sizeof(*header), .relay = true,
	};
	struct header *headers = NULL;
	struct header rounds;
	int error;

	if (session->part && !session->rank) {
		headers = headers_make(others);
		if (!headers)
			return -ENOMEM;
		rounds = (struct header){
			.span = header->span, .chunk = header->chunk,
		};
		for (i = 0; i < others; i++)
			headers[i] = header_encode(&rounds);
		operation.from = headers;
	}
	error = call(session, &operation);
	free(headers);
	return error;
}

/* Whether what came back is what the root has told, which knows best. */
static bool is_as_told(const struct header *header, const struct plan *plan)
{
	return header->span == plan->headers->span &&
	       header->chunk == plan->headers->chunk;
}

/**
 * session_announce() - tell each member its header, in one SCATTER
 * @session: the membership
 * @plan: root: what to tell; NULL elsewhere, and only there
 * @header: (out) what the root told this member
 *
 * The root of an inter-group reaches the other side only; a second SCATTER brings back
 * what its own has to know.
 *
 * Return: 0, or -errno after a message.
 */
int session_announce(struct session *session, const struct plan *plan,
		     struct header *header)
{
	int error = tell_parts(session, plan, header);

	if (!error && session->part) {
		header_decode(header);
		if (!is_sane(header))
			return session_refuse(session);
	}
	if (!error && session->options->sides[0])
		error = tell_others(session, header);
	if (!error && !session->part) {
		header_decode(header);
		if (!is_sane(header) || header->part ||
		    (plan && !is_as_told(header, plan)))
			return session_refuse(session);
	}
	return error;
}

/**
 * struct figures - what is printed at the end
 * @operations: how many there were
 * @own: what this member did
 * @total: what all did
 */
struct figures {
	uint64_t operations;
	struct scatter_counters own;
	struct scatter_counters total;
};

static int figures_get(struct figures *figures, const struct session *session)
{
	struct scatter_status status;
	int error;

	error = scatter_status(session->group, &status);
	if (!error)
		error = scatter_counters(session->group, &figures->own, false);
	if (!error)
		error = scatter_counters(session->group, &figures->total, true);
	if (!error)
		figures->operations = status.next;
	return error;
}

static void print_text(FILE *out, const struct session *session,
		       const struct figures *figures)
{
	const struct transfer_options *options = session->options;
	char rank[48], group[32];

	snprintf(rank, sizeof(rank), "rank %d", session->rank);
	if (options->sides[0])
		snprintf(rank, sizeof(rank), "rank %d of side %d",
			 session->rank, options->side);
	snprintf(group, sizeof(group), "descriptor %d", options->fd);
	fprintf(out, "%s of %d in %s, %" PRIu64 " operations\n", rank,
		session->size, options->group ? options->group : group,
		figures->operations);
	fprintf(out, "%s ", rank);
	counters_text(out, "own", &figures->own);
	fprintf(out, "\n%s ", rank);
	counters_text(out, "total", &figures->total);
	fputs("\n", out);
}

static void print_json(FILE *out, const struct session *session,
		       const struct figures *figures)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_string(&json, "group", session->options->group);
	json_signed(&json, "rank", session->rank);
	if (session->options->sides[0])
		json_signed(&json, "side", session->options->side);
	json_signed(&json, "size", session->size);
	if (session->options->root < 0)
		json_string(&json, "root", root_name(session->options->root));
	else
		json_signed(&json, "root", session->options->root);
	json_unsigned(&json, "operations", figures->operations);
	counters_json(&json, "own", &figures->own);
	counters_json(&json, "total", &figures->total);
	json_close(&json, '}');
	fputs("\n", out);
}

/* In one write, so that the ranks' lines do not mix. */
static int print_counters(const struct session *session)
{
	struct figures figures;
	char *text = NULL;
	size_t length;
	int error;
	FILE *out;

	error = figures_get(&figures, session);
	if (error) {
		complain_error("counters", STAGE_OPERATION, -error,
			       SCATTER_RANK_ANY);
		return error;
	}
	out = open_memstream(&text, &length);
	if (!out)
		return -ENOMEM;
	if (session->options->json)
		print_json(out, session, &figures);
	else
		print_text(out, session, &figures);
	fclose(out);
	error = write_all(STDERR_FILENO, text, length);
	free(text);
	return error;
}

/**
 * session_end() - wait until all have written their data, and leave
 * @session: is over
 *
 * A member that could not write has died instead of coming here, so no member's
 * file gets its name. Counters are printed if they are wanted.
 *
 * Return: 0, or -errno after a message.
 */
int session_end(struct session *session)
{
	const struct operation barrier = { .op = SCATTER_OP_BARRIER };
	int error;

	error = call(session, &barrier);
	if (error)
		return error;
	progress_end();
	if (wants_counters(session))
		error = print_counters(session);
	if (error)
		return error;
	error = scatter_leave(session->group);
	session->group = NULL;
	if (error)
		complain_error("cannot leave", STAGE_OPERATION, -error,
			       SCATTER_RANK_ANY);
	return error;
}
