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

	/* The device and the group both refuse with EACCES. */
	if (error == EACCES && faccessat(AT_FDCWD, DEVICE, R_OK | W_OK, AT_EACCESS))
		stage = STAGE_DEVICE;
	snprintf(what, sizeof(what), "cannot join group %s",
		 session->options->group);
	complain_error(what, stage, error, SCATTER_RANK_ANY);
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
		.rank = options->rank,
		.mode = options->mode,
	};
	int64_t deadline_ns;
	int error;

	*session = (struct session){ .options = options };
	deadline_ns = deadline(session);
	do {
		join.timeout_ns = remaining(deadline_ns);
		error = scatter_join(&session->group, options->group, &join);
	} while (error == -EINTR);
	if (error) {
		complain_join(session, -error);
		return error;
	}
	session->rank = scatter_rank(session->group);
	session->size = scatter_size(session->group);
	session->root = session->rank == options->root;
	return 0;
}

/* Ranks that have not called the operation that timed out. */
static void complain_timeout(const struct session *session, const char *what)
{
	struct scatter_status status;
	char *ranks = NULL;
	size_t length;
	FILE *out;

	out = open_memstream(&ranks, &length);
	if (out) {
		if (!scatter_status(session->group, &status))
			mask_print(out, status.missing);
		fclose(out);
	}
	if (ranks && *ranks)
		complain("%s: timed out without rank %s: give a longer --timeout (ETIMEDOUT)",
			 what, ranks);
	else
		complain("%s: timed out; give a longer --timeout (ETIMEDOUT)",
			 what);
	free(ranks);
}

static int call(struct session *session, enum scatter_op op, const void *from,
		void *to, size_t block)
{
	struct scatter_opts opts = { };
	int root = session->options->root;
	int64_t deadline_ns = deadline(session);
	int error;

	if (op != SCATTER_OP_BARRIER)
		opts.algorithm = session->options->algorithm;
	do {
		opts.timeout_ns = remaining(deadline_ns);
		if (op == SCATTER_OP_SCATTER)
			error = scatter_scatter_opts(session->group, from, to,
						     block, root, &opts);
		else if (op == SCATTER_OP_GATHER)
			error = scatter_gather_opts(session->group, from, to,
						    block, root, &opts);
		else
			error = scatter_barrier_opts(session->group, &opts);
	} while (error == -EINTR);

	if (error == -ETIMEDOUT)
		complain_timeout(session, op_name(op));
	else if (error)
		complain_error(op_name(op), STAGE_OPERATION, -error,
			       opts.culprit);
	return error;
}

/**
 * session_scatter() - one SCATTER; the root's own block stays where it is
 * @session: the membership
 * @data: root: all blocks
 * @part: not the root: where this rank's block goes
 * @block: bytes per rank
 *
 * Return: 0, or -errno after a message.
 */
int session_scatter(struct session *session, const void *data, void *part,
		    size_t block)
{
	return call(session, SCATTER_OP_SCATTER, data,
		    session->root ? SCATTER_IN_PLACE : part, block);
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
	return call(session, SCATTER_OP_GATHER, part, data, block);
}

static bool wants_counters(const struct session *session)
{
	return session->options->verbose || session->options->json;
}

/* The root's headers, all equal. */
static struct header *make_headers(const struct session *session,
				   uint64_t length)
{
	struct header *headers = calloc(session->size, sizeof(*headers));
	int i;

	for (i = 0; headers && i < session->size; i++) {
		headers[i].magic = htole64(HEADER_MAGIC);
		headers[i].length = htole64(length);
		headers[i].flags = htole64(wants_counters(session) ?
					   HEADER_COUNTERS : 0);
	}
	return headers;
}

/**
 * session_announce() - tell all members the root's header, in one SCATTER
 * @session: the membership
 * @length: root: the length to tell, in bytes
 * @header: (out) what the root told, in this machine's byte order
 *
 * Return: 0, or -errno after a message.
 */
int session_announce(struct session *session, uint64_t length,
		     struct header *header)
{
	struct header *headers = NULL;
	int error;

	if (session->root) {
		headers = make_headers(session, length);
		if (!headers) {
			complain("out of memory");
			return -ENOMEM;
		}
		*header = headers[0];
	}
	error = session_scatter(session, headers, header, sizeof(*header));
	free(headers);
	if (error)
		return error;
	header->magic = le64toh(header->magic);
	header->length = le64toh(header->length);
	header->flags = le64toh(header->flags);
	if (header->magic != HEADER_MAGIC ||
	    header->flags & ~(uint64_t)HEADER_COUNTERS) {
		complain("rank %d runs another program or version than this one",
			 session->options->root);
		return -EPROTO;
	}
	if ((size_t)header->length != header->length) {
		complain("out of memory: %" PRIu64 " bytes are to come",
			 header->length);
		return -ENOMEM;
	}
	return 0;
}

static void print_text(FILE *out, const struct session *session,
		       const struct scatter_status *status)
{
	fprintf(out, "rank %d of %d in %s, %" PRIu64 " operations\n",
		session->rank, session->size, session->options->group,
		(uint64_t)status->next);
	fprintf(out, "rank %d ", session->rank);
	counters_text(out, "own", &status->own);
	fprintf(out, "\nrank %d ", session->rank);
	counters_text(out, "total", &status->total);
	fputs("\n", out);
}

static void print_json(FILE *out, const struct session *session,
		       const struct scatter_status *status)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_string(&json, "group", session->options->group);
	json_signed(&json, "rank", session->rank);
	json_signed(&json, "size", session->size);
	json_signed(&json, "root", session->options->root);
	json_unsigned(&json, "operations", status->next);
	counters_json(&json, "own", &status->own);
	counters_json(&json, "total", &status->total);
	json_close(&json, '}');
	fputs("\n", out);
}

/* In one write, so that the ranks' lines do not mix. */
static int print_counters(const struct session *session)
{
	struct scatter_status status;
	char *text = NULL;
	size_t length;
	int error;
	FILE *out;

	error = scatter_status(session->group, &status);
	if (error) {
		complain_error("status", STAGE_OPERATION, -error,
			       SCATTER_RANK_ANY);
		return error;
	}
	out = open_memstream(&text, &length);
	if (!out)
		return -ENOMEM;
	if (session->options->json)
		print_json(out, session, &status);
	else
		print_text(out, session, &status);
	fclose(out);
	error = write_all(STDERR_FILENO, text, length);
	free(text);
	return error;
}

/**
 * session_end() - print counters if they are wanted, and leave
 * @session: is over
 * @header: what the root told; if it wants counters all wait for each other
 *
 * Return: 0, or -errno after a message.
 */
int session_end(struct session *session, const struct header *header)
{
	int error = 0;

	if (header->flags & HEADER_COUNTERS)
		error = call(session, SCATTER_OP_BARRIER, NULL, NULL, 0);
	if (!error && wants_counters(session))
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
