// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl gather: the root gets the input of all members, in order.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "transfer.h"

static const char help[] =
	"usage: scatterctl gather [OPTION]...\n"
	"\n"
	"A member of a group: every member reads its input to the end; the root\n"
	"writes all of it, in the order of the ranks. Inputs may differ in length; the\n"
	"root needs memory for as many bytes as members times the longest.\n"
	"\n"
	"  --file PATH        this member's input (standard input)\n"
	"  --output PATH      root: where to write (standard output); a file\n"
	"                     appears under its name when it is whole\n"
	TRANSFER_OPTIONS_HELP
	"\n"
	"Example: scatterctl run -n 4 -- \\\n"
	"  sh -c 'scatterctl gather --file \"part.$SCATTER_RANK\" --output big'\n";

static int no_memory(size_t length)
{
	complain("out of memory: %zu bytes are to come", length);
	return -ENOMEM;
}

/* The true lengths of all members' input, in rank order; root only. */
static int gather_lengths(struct session *session, size_t own,
			  uint64_t **lengths)
{
	uint64_t length = htole64(own);
	int error, i;

	*lengths = NULL;
	if (session->root) {
		*lengths = calloc(session->size, sizeof(**lengths));
		if (!*lengths)
			return no_memory(session->size * sizeof(**lengths));
	}
	error = session_gather(session, &length, *lengths, sizeof(length));
	for (i = 0; !error && session->root && i < session->size; i++)
		(*lengths)[i] = le64toh((*lengths)[i]);
	return error;
}

static uint64_t longest(const uint64_t *lengths, int count)
{
	uint64_t max = 0;
	int i;

	for (i = 0; lengths && i < count; i++) {
		if (lengths[i] > max)
			max = lengths[i];
	}
	return max;
}

static int write_parts(const struct session *session, const unsigned char *all,
		       size_t block, const uint64_t *lengths,
		       struct output *output)
{
	int error = 0;
	int i;

	for (i = 0; !error && i < session->size; i++)
		error = output_write(output, all + i * block, lengths[i]);
	return error;
}

/* The data: blocks as long as the longest input. */
static int gather_parts(struct session *session, struct input *input,
			const uint64_t *lengths, const struct header *header,
			struct output *output)
{
	size_t block = header->length;
	unsigned char *all = NULL;
	size_t total = 0;
	int error;

	if (session->root) {
		if (!__builtin_mul_overflow(block, (size_t)session->size,
					    &total))
			all = memory_get(total);
		if (!all)
			return no_memory(total ? total : block);
	}
	error = input_pad(input, block);
	if (!error)
		error = session_gather(session, input->data, all, block);
	if (!error)
		error = session_end(session, header);
	if (!error && session->root)
		error = write_parts(session, all, block, lengths, output);
	memory_put(all, total);
	return error;
}

static int take_part(struct session *session, struct input *input,
		     struct output *output)
{
	struct header header = { };
	uint64_t *lengths;
	int error;

	error = gather_lengths(session, input->length, &lengths);
	if (!error)
		error = session_announce(session,
					 longest(lengths, session->size),
					 &header);
	if (!error)
		error = gather_parts(session, input, lengths, &header, output);
	if (!error && session->root)
		error = output_commit(output);
	free(lengths);
	return error;
}

/*
 * The output is opened before joining if it is known who is the root, so that
 * a wrong name breaks nothing and can be corrected.
 */
static int gather(const struct transfer_options *options)
{
	struct output output = { .fd = -1 };
	struct session session;
	struct input input;
	int error;

	error = input_open(&input, options->file);
	if (!error && options->rank == options->root)
		error = output_open(&output, options->output);
	if (!error)
		error = session_join(&session, options);
	if (!error && session.root && output.fd < 0)
		error = output_open(&output, options->output);
	if (!error)
		error = input_load(&input);
	if (!error)
		error = take_part(&session, &input, &output);
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
