// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl gather: the root gets the input of all members, in order.
 */
#include <endian.h>
#include <errno.h>

#include "transfer.h"

static const char help[] =
	"usage: scatterctl gather [OPTION]...\n"
	"\n"
	"A member of a group: the root writes the input of every member, in the order\n"
	"of the ranks. Inputs may differ in length. The data is moved in chunks; input\n"
	"that is no file is first kept in one, in $TMPDIR or /var/tmp.\n"
	"\n"
	"  --file PATH        this member's input (standard input)\n"
	"  --output PATH      root: where to write (standard output); a file\n"
	"                     appears under its name when it is whole\n"
	TRANSFER_OPTIONS_HELP
	"\n"
	"Example: scatterctl run -n 4 -- \\\n"
	"  sh -c 'scatterctl gather --file \"part.$SCATTER_RANK\" --output big'\n";

/*
 * Root: where each rank's chunk of the round goes. A vector counts in the order in which
 * bytes come, and its pieces are anywhere in the whole.
 */
static void place_chunks(const struct session *session, struct plan *plan,
			 size_t chunk, uint64_t at)
{
	unsigned int i;

	for (i = 0; i < plan->size; i++) {
		if (session->options->vector.count)
			plan->displs[i] = plan->offsets[i] + at;
		else if (!plan->in_order)
			plan->displs[i] = i * chunk;
		else if (i)
			plan->displs[i] = plan->displs[i - 1] +
					  plan->counts[i - 1];
	}
}

/* Root: bytes of the room for the chunks of a round; SIZE_MAX if those are too many. */
static size_t room_length(const struct session *session, const struct plan *plan,
			  size_t chunk)
{
	size_t length;

	if (session->options->vector.count)
		return plan->total;
	if (plan->in_order)
		return chunk;
	if (__builtin_mul_overflow(chunk, plan->size, &length))
		return SIZE_MAX;
	return length;
}

static int write_chunks(const struct plan *plan, const struct output *output,
			const unsigned char *room, uint64_t at, uint64_t sum)
{
	unsigned int i;
	int error = 0;

	if (plan->in_order)
		return output_write(output, room, sum);
	for (i = 0; !error && i < plan->size; i++)
		error = output_write_at(output, room + plan->displs[i],
					plan->counts[i],
					plan->offsets[i] + at);
	return error;
}

/* Any member: its piece of the round that begins at @at. */
static int give_chunk(struct session *session, struct input *input,
		      const struct header *header, uint64_t at, void *room,
		      const struct plan *plan)
{
	struct slice slice = header_slice(header, at);
	uint64_t place;
	int error;

	error = input_chunk(input, 0, slice.from, slice.length, &place);
	if (error)
		return error;
	return session_gatherv(session, input->base + place, slice.length, room,
			       plan);
}

static int take_chunks(struct session *session, struct input *input,
		       const struct header *header, struct plan *plan,
		       const struct output *output)
{
	size_t chunk = header_chunk(header);
	size_t length = room_length(session, plan, chunk);
	bool in_pieces = session->options->vector.count;
	unsigned char *room = memory_get(length);
	uint64_t at, sum;
	int error = 0;

	if (!room) {
		complain("out of memory: %zu bytes for %s", length,
			 in_pieces ? "the whole" : "chunks; give a smaller --chunk");
		return -ENOMEM;
	}
	progress_begin(session, "gather", plan->total);
	for (at = 0; !error && at < header->span; at += header->chunk) {
		sum = plan_round(plan, at);
		place_chunks(session, plan, chunk, at);
		error = give_chunk(session, input, header, at, room, plan);
		if (!error && !in_pieces)
			error = write_chunks(plan, output, room, at, sum);
		if (!error)
			progress_add(sum);
	}
	if (!error && in_pieces)
		error = output_write(output, room, length);
	memory_put(room, length);
	return error;
}

/* Root: the lengths of all members' input decide who sends when. */
static int take_parts(struct session *session, struct input *input,
		      const struct output *output)
{
	uint64_t lengths[MEMBERS_MAX];
	uint64_t length = htole64(input->length);
	struct header header = { };
	struct plan plan = { };
	int error, i;

	error = session_gather(session, &length, lengths, sizeof(length));
	for (i = 0; !error && i < session->parts; i++)
		lengths[i] = le64toh(lengths[i]);
	if (!error)
		error = plan_make(&plan, session, lengths,
				  !session->options->vector.count &&
				  output_in_order(output));
	if (!error)
		error = vector_check(&session->options->vector, plan.total);
	if (!error)
		error = session_announce(session, &plan, &header);
	if (!error)
		error = output_reserve(output, plan.total);
	if (!error)
		error = input_slots(input, 1, header_chunk(&header));
	if (!error)
		error = take_chunks(session, input, &header, &plan, output);
	plan_free(&plan);
	return error;
}

static int give_part(struct session *session, struct input *input)
{
	uint64_t length = htole64(input->length);
	struct header header = { };
	uint64_t at;
	int error;

	progress_begin(session, "gather", 0);
	error = session_gather(session, &length, NULL, sizeof(length));
	if (!error)
		error = session_announce(session, NULL, &header);
	if (!error && header.part != input->length)
		error = session_refuse(session);
	if (!error)
		error = input_slots(input, 1, header_chunk(&header));
	for (at = 0; !error && at < header.span; at += header.chunk)
		error = give_chunk(session, input, &header, at, NULL, NULL);
	return error;
}

/*
 * The output is opened before joining if it is known who is the root, so that
 * a wrong name breaks nothing and can be corrected.
 */
static int gather(const struct transfer_options *options)
{
	struct output output = { .fd = -1 };
	struct session session = { };
	struct input input = { .fd = -1 };
	int error = 0;

	if (transfer_has_part(options))
		error = input_open(&input, options->file);
	if (!error && transfer_is_root(options))
		error = output_open(&output, options->output);
	if (!error)
		error = session_join(&session, options);
	if (!error && session.root && output.fd < 0)
		error = output_open(&output, options->output);
	if (!error && session.part)
		error = input_measure(&input, &session);
	if (!error)
		error = session.root ? take_parts(&session, &input, &output) :
				       give_part(&session, &input);
	if (!error)
		error = session_end(&session);
	if (!error && session.root)
		error = output_commit(&output);
	input_close(&input);
	return error;
}

static int run(int argc, char **argv)
{
	struct transfer_options options;
	int status;

	status = transfer_options_parse(argc, argv, &gather_command, &options);
	if (status != PARSE_GO_ON)
		return status;
	return gather(&options) ? STATUS_FAILED : STATUS_OK;
}

const struct command gather_command = {
	.name = "gather",
	.summary = "join the members' inputs at the root",
	.help = help,
	.run = run,
};
