// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl scatter: each member gets its part of the root's input.
 */
#include <errno.h>

#include "transfer.h"

static const char help[] =
	"usage: scatterctl scatter [OPTION]...\n"
	"\n"
	"A member of a group: the root splits its input evenly; every member writes\n"
	"its part, part R at rank R. Parts differ in length by at most one byte, the\n"
	"first ones being the longer ones. The data is moved in chunks; input that is\n"
	"no file is first kept in one, in $TMPDIR or /var/tmp.\n"
	"\n"
	"  --file PATH        root: what to scatter (standard input)\n"
	"  --output PATH      where to write this member's part (standard output);\n"
	"                     a file appears under its name when it is whole\n"
	TRANSFER_OPTIONS_HELP
	"\n"
	"Example: scatterctl run -n 4 -- \\\n"
	"  sh -c 'scatterctl scatter --file big --output \"part.$SCATTER_RANK\"'\n";

static int plan_parts(struct plan *plan, const struct session *session,
		      uint64_t length)
{
	unsigned int i, size = session->parts;
	uint64_t unit = vector_unit(&session->options->vector);
	uint64_t lengths[MEMBERS_MAX];
	uint64_t units = length / unit;

	for (i = 0; i < size; i++)
		lengths[i] = (units / size + (i < units % size)) * unit;
	return plan_make(plan, session, lengths, false);
}

/* A vector counts the bytes in the order in which they are sent. */
static int place_chunks(const struct session *session, struct plan *plan,
			struct input *input, uint64_t at)
{
	unsigned int i;
	int error = 0;

	for (i = 0; !error && i < plan->size; i++) {
		if (session->options->vector.count)
			plan->displs[i] = plan->offsets[i] + at;
		else
			error = input_chunk(input, i, plan->offsets[i] + at,
					    plan->counts[i], &plan->displs[i]);
	}
	return error;
}

/* The root's own part goes from its input to its output, through @own if there is any. */
static int send_chunks(struct session *session, struct plan *plan,
		       struct input *input, const struct output *output,
		       uint64_t at, void *own)
{
	uint64_t sum = plan_round(plan, at);
	const unsigned char *from = own;
	uint64_t length = 0;
	int error;

	error = place_chunks(session, plan, input, at);
	if (error)
		return error;
	if (session->part) {
		length = plan->counts[session->rank];
		if (!own)
			from = input->base + plan->displs[session->rank];
	}
	error = session_scatterv(session, input->base, plan, own, length);
	if (!error)
		error = output_write(output, from, length);
	if (!error)
		progress_add(sum);
	return error;
}

/* Of a vector the root's part lies in pieces, too. */
static int make_room(const struct session *session, struct input *input,
		     const struct plan *plan, size_t chunk, void **own)
{
	if (!session->options->vector.count)
		return input_slots(input, plan->size, chunk);
	*own = memory_get(chunk);
	if (*own)
		return input_whole(input);
	complain("out of memory: %zu bytes for a chunk; give a smaller --chunk",
		 chunk);
	return -ENOMEM;
}

static int send_all(struct session *session, struct plan *plan,
		    struct input *input, const struct output *output)
{
	struct header header = { };
	void *own = NULL;
	uint64_t at;
	int error;

	error = session_announce(session, plan, &header);
	if (!error)
		error = output_reserve(output, header.part);
	if (!error)
		error = make_room(session, input, plan, header_chunk(&header),
				  &own);
	if (!error)
		progress_begin(session, "scatter", plan->total);
	for (at = 0; !error && at < header.span; at += header.chunk)
		error = send_chunks(session, plan, input, output, at, own);
	memory_put(own, header_chunk(&header));
	return error;
}

static int send_parts(struct session *session, struct input *input,
		      const struct output *output)
{
	struct plan plan = { };
	int error;

	error = input_measure(input, session);
	if (!error)
		error = vector_check(&session->options->vector, input->length);
	if (!error)
		error = plan_parts(&plan, session, input->length);
	if (!error)
		error = send_all(session, &plan, input, output);
	plan_free(&plan);
	return error;
}

static int receive_part(struct session *session, const struct output *output)
{
	struct header header;
	unsigned char *chunk;
	size_t length;
	uint64_t at;
	int error;

	progress_begin(session, "scatter", 0);
	error = session_announce(session, NULL, &header);
	if (!error)
		error = output_reserve(output, header.part);
	if (error)
		return error;
	chunk = memory_get(header_chunk(&header));
	if (!chunk) {
		complain("out of memory: %zu bytes for a chunk; give the root a smaller --chunk",
			 header_chunk(&header));
		return -ENOMEM;
	}
	for (at = 0; !error && at < header.span; at += header.chunk) {
		length = header_slice(&header, at).length;
		error = session_scatterv(session, NULL, NULL, chunk, length);
		if (!error)
			error = output_write(output, chunk, length);
	}
	memory_put(chunk, header_chunk(&header));
	return error;
}

/*
 * The root's file is opened before joining if it is known who is the root, so
 * that a wrong name breaks nothing and can be corrected.
 */
static int scatter(const struct transfer_options *options)
{
	struct input input = { .fd = -1 };
	struct output output = { .fd = -1 };
	struct session session = { };
	int error = 0;

	if (transfer_has_part(options))
		error = output_open(&output, options->output);
	if (!error && transfer_is_root(options))
		error = input_open(&input, options->file);
	if (!error)
		error = session_join(&session, options);
	if (!error && session.root && input.fd < 0)
		error = input_open(&input, options->file);
	if (error)
		return error;
	if (session.root)
		error = send_parts(&session, &input, &output);
	else
		error = receive_part(&session, &output);
	if (!error)
		error = session_end(&session);
	if (!error)
		error = output_commit(&output);
	input_close(&input);
	return error;
}

static int run(int argc, char **argv)
{
	struct transfer_options options;
	int status;

	status = transfer_options_parse(argc, argv, &scatter_command, &options);
	if (status != PARSE_GO_ON)
		return status;
	return scatter(&options) ? STATUS_FAILED : STATUS_OK;
}

const struct command scatter_command = {
	.name = "scatter",
	.summary = "split the root's input among the members of a group",
	.help = help,
	.run = run,
};
