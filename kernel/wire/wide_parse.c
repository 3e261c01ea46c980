// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing the messages of groups on several nodes, each of which may be hostile.
 *
 * As in parse.c a parser copies a message before it looks, and only a well-formed message fills a
 * struct. But the runs of PLACES are too long for the stack: the parser copies the runs to where
 * the caller wants them.
 */
#include "wire/parse.h"
#include "wire/wide_check.h"
#include "wire/wide_parse.h"
#include "wire/wide_raw.h"

#define FLAGS		(SCATTER_WIDE_EXCL | SCATTER_WIDE_CAPABLE)

static bool is_mode(u32 mode)
{
	return mode <= 0777;
}

static bool is_size(u32 size)
{
	return size && size <= SCATTER_WIDE_SIZE_MAX;
}

/* Zero after the name, so that equal names have equal bytes. */
static bool is_name(const char *name)
{
	u32 i, length;

	for (i = 0; i < SCATTER_WIDE_NAME_MAX && name[i]; i++)
		if (name[i] < ' ' || name[i] > '~' || name[i] == '/')
			return false;
	length = i;
	for (; i < SCATTER_WIDE_NAME_MAX; i++)
		if (name[i])
			return false;
	return length && length < SCATTER_WIDE_NAME_MAX;
}

/* Neither the sum nor the difference wraps. */
static bool sides_are_sound(const struct scatter_wide_join *join)
{
	if (!join->sides[0] && !join->sides[1])
		return !join->side;
	return join->side < 2 && join->sides[0] <= join->size &&
	       join->sides[1] == join->size - join->sides[0];
}

static bool join_is_sound(const struct scatter_wide_join *join)
{
	if (!join->token || !join->cluster)
		return false;
	if (join->flags & ~FLAGS || !is_mode(join->mode))
		return false;
	if (!is_size(join->size) || !sides_are_sound(join))
		return false;
	if (join->rank >= join->size && join->rank != SCATTER_WIDE_RANK_ANY)
		return false;
	return scatter_wide_is_extents(join->dims, join->extent) && is_name(join->name);
}

/**
 * scatter_wide_parse_join() - parse JOIN
 * @data: the message
 * @bytes: length of the message in bytes
 * @join: (out) filled if the message is fine
 *
 * The caller checks whether such a group is possible: whether each side has members and the
 * joiner's side has its rank, and whether the schedule is possible.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_join(const void *data, u32 bytes,
						 struct scatter_wide_join *join)
{
	struct scatter_wide_join host;
	struct scatter_raw_join raw;
	u32 i;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_JOIN, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_join){
		.token = le64_to_cpu(raw.token),
		.cluster = le64_to_cpu(raw.cluster),
		.owner = le32_to_cpu(raw.owner),
		.uid = le32_to_cpu(raw.uid),
		.gid = le32_to_cpu(raw.gid),
		.flags = le32_to_cpu(raw.flags),
		.mode = le32_to_cpu(raw.mode),
		.size = le32_to_cpu(raw.size),
		.sides = { le32_to_cpu(raw.sides[0]), le32_to_cpu(raw.sides[1]) },
		.side = le32_to_cpu(raw.side),
		.rank = le32_to_cpu(raw.rank),
		.algorithm = le32_to_cpu(raw.algorithm),
		.ports = le32_to_cpu(raw.ports),
		.dims = le32_to_cpu(raw.dims),
	};
	for (i = 0; i < SCATTER_WIDE_DIMS; i++)
		host.extent[i] = le32_to_cpu(raw.extent[i]);
	memcpy(host.name, raw.name, sizeof(host.name));
	if (raw.reserved || !join_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*join = host;
	return SCATTER_WIRE_FINE;
}

static bool seated_is_sound(const struct scatter_wide_seated *seated)
{
	bool fine = seated->answer == SCATTER_WIDE_FINE;

	if (!seated->token || seated->answer > SCATTER_WIDE_INVALID)
		return false;
	if (scatter_wide_is_id(seated->id) != fine)
		return false;
	if (fine)
		return seated->rank < SCATTER_WIDE_SIZE_MAX && is_mode(seated->mode);
	if (seated->gid && seated->answer != SCATTER_WIDE_DENIED)
		return false;
	return !seated->rank && !seated->uid && !seated->mode;
}

/**
 * scatter_wide_parse_seated() - parse SEATED
 * @data: the message
 * @bytes: length of the message in bytes
 * @seated: (out) filled if the message is fine
 *
 * The caller knows which JOIN this answers, and how many members the group has.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_seated(const void *data, u32 bytes,
						   struct scatter_wide_seated *seated)
{
	struct scatter_wide_seated host;
	struct scatter_raw_seated raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_SEATED, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_seated){
		.token = le64_to_cpu(raw.token),
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.answer = le32_to_cpu(raw.answer),
		.rank = le32_to_cpu(raw.rank),
		.uid = le32_to_cpu(raw.uid),
		.gid = le32_to_cpu(raw.gid),
		.mode = le32_to_cpu(raw.mode),
	};
	if (raw.reserved || !seated_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*seated = host;
	return SCATTER_WIRE_FINE;
}

/**
 * scatter_wide_parse_unseat() - parse UNSEAT
 * @data: the message
 * @bytes: length of the message in bytes
 * @unseat: (out) filled if the message is fine
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_unseat(const void *data, u32 bytes,
						   struct scatter_wide_unseat *unseat)
{
	struct scatter_raw_unseat raw;
	u32 done;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_UNSEAT, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	done = le32_to_cpu(raw.done);
	if (raw.reserved || !raw.token || done > 1)
		return SCATTER_WIRE_BAD_MESSAGE;
	unseat->token = le64_to_cpu(raw.token);
	unseat->done = done;
	return SCATTER_WIRE_FINE;
}

static bool is_time(u32 ns)
{
	return ns && ns <= SCATTER_WIDE_TIME_MAX;
}

static bool formed_is_sound(const struct scatter_wide_formed *formed)
{
	if (!scatter_wide_is_id(formed->id) || !is_size(formed->size) || !formed->runs ||
	    formed->runs > formed->size)
		return false;
	return formed->eager_limit <= SCATTER_WIDE_LIMIT_MAX &&
	       formed->gather_limit <= SCATTER_WIDE_LIMIT_MAX &&
	       is_time(formed->startup_ns) && is_time(formed->gap_ns) &&
	       formed->window && formed->window <= SCATTER_WIDE_LIMIT_MAX;
}

/**
 * scatter_wide_parse_formed() - parse FORMED
 * @data: the message
 * @bytes: length of the message in bytes
 * @formed: (out) filled if the message is fine
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_formed(const void *data, u32 bytes,
						   struct scatter_wide_formed *formed)
{
	struct scatter_wide_formed host;
	struct scatter_raw_formed raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_FORMED, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_formed){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.size = le32_to_cpu(raw.size),
		.runs = le32_to_cpu(raw.runs),
		.eager_limit = le32_to_cpu(raw.eager_limit),
		.gather_limit = le32_to_cpu(raw.gather_limit),
		.startup_ns = le32_to_cpu(raw.startup_ns),
		.gap_ns = le32_to_cpu(raw.gap_ns),
		.window = le32_to_cpu(raw.window),
	};
	if (raw.reserved || !formed_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*formed = host;
	return SCATTER_WIRE_FINE;
}

static bool run_is_sound(const struct scatter_wide_run *run)
{
	return run->node && run->incarnation && run->token && run->count &&
	       run->count <= SCATTER_WIDE_SIZE_MAX &&
	       run->first <= SCATTER_WIDE_SIZE_MAX - run->count;
}

/* Whether a run can come right after another run. */
static bool run_follows(const struct scatter_wide_run *run, const struct scatter_wide_run *before)
{
	return run->first == before->first + before->count && run->node != before->node;
}

/* Copy the runs and check them one by one. */
static bool take_runs(const u8 *data, u32 count, struct scatter_wide_run *runs)
{
	struct scatter_raw_run raw;
	u32 i;

	for (i = 0; i < count; i++) {
		memcpy(&raw, data + i * sizeof(raw), sizeof(raw));
		runs[i] = (struct scatter_wide_run){
			.node = le64_to_cpu(raw.node),
			.incarnation = le64_to_cpu(raw.incarnation),
			.token = le64_to_cpu(raw.token),
			.first = le32_to_cpu(raw.first),
			.count = le32_to_cpu(raw.count),
		};
		if (!run_is_sound(&runs[i]) || (i && !run_follows(&runs[i], &runs[i - 1])))
			return false;
	}
	return true;
}

/**
 * scatter_wide_parse_places() - parse PLACES
 * @data: the message
 * @bytes: length of the message in bytes
 * @places: (out) if the message is fine, filled up to its last run; else the runs may be anything,
 *	and the other fields are unchanged
 *
 * The caller knows the runs of earlier PLACES, after which these runs must come, and how many
 * members the group has.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_places(const void *data, u32 bytes,
						   struct scatter_wide_places *places)
{
	struct scatter_raw_places raw;
	u64 id[2];
	u32 count;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_PLACES, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	count = (bytes - sizeof(raw)) / sizeof(struct scatter_raw_run);
	id[0] = le64_to_cpu(raw.id[0]);
	id[1] = le64_to_cpu(raw.id[1]);
	if (raw.reserved || !scatter_wide_is_id(id) || le32_to_cpu(raw.count) != count)
		return SCATTER_WIRE_BAD_MESSAGE;
	if (!take_runs((const u8 *)data + sizeof(raw), count, places->runs))
		return SCATTER_WIRE_BAD_MESSAGE;
	memcpy(places->id, id, sizeof(places->id));
	places->count = count;
	return SCATTER_WIRE_FINE;
}

static bool attach_is_sound(const struct scatter_wide_attach *attach)
{
	if (!scatter_wide_is_id(attach->id))
		return false;
	switch (attach->what) {
	case SCATTER_WIDE_ATTACH:
		return attach->token;
	case SCATTER_WIDE_ATTACHED:
	case SCATTER_WIDE_NEVER:
		return !attach->token;
	default:
		return false;
	}
}

/**
 * scatter_wide_parse_attach() - parse ATTACH
 * @data: the message
 * @bytes: length of the message in bytes
 * @attach: (out) filled if the message is fine
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_attach(const void *data, u32 bytes,
						   struct scatter_wide_attach *attach)
{
	struct scatter_wide_attach host;
	struct scatter_raw_attach raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_ATTACH, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_attach){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.token = le64_to_cpu(raw.token),
		.what = le32_to_cpu(raw.what),
	};
	if (raw.reserved || !attach_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*attach = host;
	return SCATTER_WIRE_FINE;
}

/* The first operation that a rank has not called may be the number after the last operation. */
static bool fact_is_sound(const struct scatter_wide_fact *fact)
{
	if (!scatter_wide_is_id(fact->id) || fact->rank >= SCATTER_WIDE_SIZE_MAX)
		return false;
	switch (fact->kind) {
	case SCATTER_WIDE_DIED:
	case SCATTER_WIDE_LEFT:
	case SCATTER_WIDE_MISMATCH:
	case SCATTER_WIDE_STOPPED:
		return fact->number <= SCATTER_WIDE_NUMBER_END && !fact->node;
	case SCATTER_WIDE_REVOKED:
		return !fact->number && !fact->node;
	case SCATTER_WIDE_GONE:
		return !fact->rank && !fact->number && fact->node;
	case SCATTER_WIDE_ENDED:
		return !fact->rank && !fact->number && !fact->node;
	case SCATTER_WIDE_FAILED:
		return fact->number < SCATTER_WIDE_NUMBER_END && !fact->node;
	default:
		return false;
	}
}

/**
 * scatter_wide_parse_fact() - parse FACT
 * @data: the message
 * @bytes: length of the message in bytes
 * @fact: (out) filled if the message is fine
 *
 * The caller knows how many members the group has, and whose rank or node the sender may tell of.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_fact(const void *data, u32 bytes,
						 struct scatter_wide_fact *fact)
{
	struct scatter_wide_fact host;
	struct scatter_raw_fact raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_FACT, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_fact){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.kind = le32_to_cpu(raw.kind),
		.rank = le32_to_cpu(raw.rank),
		.number = le64_to_cpu(raw.number),
		.node = le64_to_cpu(raw.node),
	};
	if (!fact_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*fact = host;
	return SCATTER_WIRE_FINE;
}

static bool edge_is_sound(const struct scatter_wide_edge *edge)
{
	return scatter_wide_is_operation(edge->id, edge->number) &&
	       (edge->way == SCATTER_WIDE_UP || edge->way == SCATTER_WIDE_DOWN);
}

/**
 * scatter_wide_parse_edge() - parse EDGE
 * @data: the message
 * @bytes: length of the message in bytes
 * @edge: (out) filled if the message is fine
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_edge(const void *data, u32 bytes,
						 struct scatter_wide_edge *edge)
{
	struct scatter_wide_edge host;
	struct scatter_raw_edge raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_EDGE, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_edge){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.number = le64_to_cpu(raw.number),
		.way = le32_to_cpu(raw.way),
	};
	if (raw.reserved || !edge_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*edge = host;
	return SCATTER_WIRE_FINE;
}

static bool pull_is_sound(const struct scatter_wide_pull *pull)
{
	return scatter_wide_is_operation(pull->id, pull->number) &&
	       pull->offset <= SCATTER_WIDE_BLOCK_MAX && pull->rank < SCATTER_WIDE_SIZE_MAX &&
	       pull->bytes && pull->bytes <= SCATTER_WIDE_PULL_MAX;
}

/**
 * scatter_wide_parse_pull() - parse PULL
 * @data: the message
 * @bytes: length of the message in bytes
 * @pull: (out) filled if the message is fine
 *
 * The caller knows how long the block is.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_pull(const void *data, u32 bytes,
						 struct scatter_wide_pull *pull)
{
	struct scatter_wide_pull host;
	struct scatter_raw_pull raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_PULL, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_pull){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.number = le64_to_cpu(raw.number),
		.offset = le64_to_cpu(raw.offset),
		.rank = le32_to_cpu(raw.rank),
		.bytes = le32_to_cpu(raw.bytes),
	};
	if (!pull_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*pull = host;
	return SCATTER_WIRE_FINE;
}

/* Whether DATA has payload, or says that there is none. */
static bool data_is_sound(const struct scatter_wide_data *data)
{
	if (!scatter_wide_is_operation(data->id, data->number))
		return false;
	if (data->offset > SCATTER_WIDE_BLOCK_MAX || data->rank >= SCATTER_WIDE_SIZE_MAX)
		return false;
	return data->flags == (data->payload ? 0 : SCATTER_WIDE_VOID);
}

/**
 * scatter_wide_parse_data() - parse DATA
 * @data: the message; its payload begins after struct scatter_raw_data
 * @bytes: length of the message in bytes
 * @wide: (out) filled if the message is fine
 *
 * The caller knows which PULL this answers.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_data(const void *data, u32 bytes,
						 struct scatter_wide_data *wide)
{
	struct scatter_wide_data host;
	struct scatter_raw_data raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_DATA, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_data){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.number = le64_to_cpu(raw.number),
		.offset = le64_to_cpu(raw.offset),
		.rank = le32_to_cpu(raw.rank),
		.flags = le32_to_cpu(raw.flags),
		.payload = bytes - sizeof(raw),
	};
	if (!data_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*wide = host;
	return SCATTER_WIRE_FINE;
}

/**
 * scatter_wide_parse_done() - parse DONE
 * @data: the message
 * @bytes: length of the message in bytes
 * @done: (out) filled if the message is fine
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_done(const void *data, u32 bytes,
						 struct scatter_wide_done *done)
{
	struct scatter_wide_done host;
	struct scatter_raw_done raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_DONE, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_done){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.number = le64_to_cpu(raw.number),
	};
	if (!scatter_wide_is_operation(host.id, host.number))
		return SCATTER_WIRE_BAD_MESSAGE;
	*done = host;
	return SCATTER_WIRE_FINE;
}

/**
 * scatter_wide_parse_got() - parse GOT
 * @data: the message
 * @bytes: length of the message in bytes
 * @got: (out) filled if the message is fine
 *
 * The caller knows what it has granted.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_got(const void *data, u32 bytes,
						struct scatter_wide_got *got)
{
	struct scatter_raw_got raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_GOT, &raw, sizeof(raw)) || !raw.token)
		return SCATTER_WIRE_BAD_MESSAGE;
	got->token = le64_to_cpu(raw.token);
	return SCATTER_WIRE_FINE;
}

/**
 * scatter_wide_parse_length() - read the length of a block in the stream of a BUNDLE
 * @at: %SCATTER_WIDE_LENGTH_BYTES bytes, at any address
 * @length: (out) the length in bytes, or %SCATTER_WIDE_LENGTH_VOID; unchanged if there is none
 *
 * Context: any.
 * Return: false: a block cannot have that length
 */
bool scatter_wide_parse_length(const void *at, u64 *length)
{
	__le64 raw;
	u64 host;

	memcpy(&raw, at, sizeof(raw));
	host = le64_to_cpu(raw);
	if (host > SCATTER_WIDE_BLOCK_MAX && host != SCATTER_WIDE_LENGTH_VOID)
		return false;
	*length = host;
	return true;
}
