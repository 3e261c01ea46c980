// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl scatter: each member gets its part of the root's input.
 */
#include <errno.h>

#include "transfer.h"

static const char help[] =
	"usage: scatterctl scatter [OPTION]...\n"
	"\n"
	"A member of a group: the root reads its input to the end and splits it\n"
	"evenly; every member writes its part, part R at rank R. Parts differ in\n"
	"length by at most one byte, the first ones being the longer ones.\n"
	"\n"
	"  --file PATH        root: what to scatter (standard input)\n"
	"  --output PATH      where to write this member's part (standard output);\n"
	"                     a file appears under its name when it is whole\n"
	TRANSFER_OPTIONS_HELP
	"\n"
	"Example: scatterctl run -n 4 -- \\\n"
	"  sh -c 'scatterctl scatter --file big --output \"part.$SCATTER_RANK\"'\n";

/* The root: its part stays in the input. */
static int send_parts(struct session *session, struct input *input,
		      struct header *header, struct output *output)
{
	size_t block;
	int error;

	error = input_load(input);
	if (!error)
		error = session_announce(session, input->length, header);
	if (!error)
		error = input_spread(input, session->size, &block);
	if (!error)
		error = session_scatter(session, input->data, NULL, block);
	if (!error)
		error = session_end(session, header);
	if (error)
		return error;
	return output_write(output, input->data + session->rank * block,
			    part_length(input->length, session->size,
					session->rank));
}

static int receive_part(struct session *session, struct header *header,
			struct output *output)
{
	unsigned char *part;
	size_t block;
	int error;

	error = session_announce(session, 0, header);
	if (error)
		return error;
	block = part_length(header->length, session->size, 0);
	part = memory_get(block);
	if (!part) {
		complain("out of memory: %zu bytes are to come", block);
		return -ENOMEM;
	}
	error = session_scatter(session, NULL, part, block);
	if (!error)
		error = session_end(session, header);
	if (!error)
		error = output_write(output, part,
				     part_length(header->length, session->size,
						 session->rank));
	memory_put(part, block);
	return error;
}

/*
 * The root's file is opened before joining if it is known who is the root, so
 * that a wrong name breaks nothing and can be corrected.
 */
static int scatter(const struct transfer_options *options)
{
	struct input input = { .fd = -1 };
	struct header header = { };
	struct session session;
	struct output output;
	int error;

	error = output_open(&output, options->output);
	if (!error && options->rank == options->root)
		error = input_open(&input, options->file);
	if (!error)
		error = session_join(&session, options);
	if (!error && session.root && input.fd < 0)
		error = input_open(&input, options->file);
	if (error)
		return error;
	if (session.root)
		error = send_parts(&session, &input, &header, &output);
	else
		error = receive_part(&session, &header, &output);
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
