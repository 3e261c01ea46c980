// SPDX-License-Identifier: GPL-2.0
/*
 * Which group scatter and gather join, and as what: the command line, then the
 * environment; what a group descriptor knows need not be said.
 */
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "transfer.h"

/* An empty variable counts as none. */
static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/** transfer_set_fd() - take a group descriptor; returns whether it is one */
bool transfer_set_fd(struct transfer_options *options, const char *text)
{
	uint64_t number;

	if (!parse_number(text, 10, 0, INT_MAX, &number))
		return false;
	options->fd = number;
	return true;
}

/** transfer_set_size() - take the group's size; returns whether it is one */
bool transfer_set_size(struct transfer_options *options, const char *text)
{
	uint64_t number;

	if (!parse_number(text, 10, 1, MEMBERS_MAX, &number))
		return false;
	options->size = number;
	return true;
}

/** transfer_set_side() - take the side to join; returns whether it is one */
bool transfer_set_side(struct transfer_options *options, const char *text)
{
	uint64_t number;

	if (!parse_number(text, 10, 0, 1, &number))
		return false;
	options->side = number;
	return true;
}

static bool set_rank(int *rank, const char *text)
{
	uint64_t number;

	if (!parse_number(text, 10, 0, MEMBERS_MAX - 1, &number))
		return false;
	*rank = number;
	return true;
}

/** transfer_set_rank() - take a rank, or 'any'; returns whether it is one */
bool transfer_set_rank(struct transfer_options *options, const char *text)
{
	if (strcmp(text, "any"))
		return set_rank(&options->rank, text);
	options->rank = SCATTER_RANK_ANY;
	return true;
}

/** transfer_set_root() - take a rank, 'root' or 'null'; returns whether it is one */
bool transfer_set_root(struct transfer_options *options, const char *text)
{
	if (!strcmp(text, "root"))
		options->root = (int)SCATTER_ROOT;
	else if (!strcmp(text, "null"))
		options->root = (int)SCATTER_PROC_NULL;
	else
		return set_rank(&options->root, text);
	return true;
}

/** transfer_set_group() - take the name of a group; returns whether it is one */
bool transfer_set_group(struct transfer_options *options, const char *text)
{
	options->group = text;
	return parse_group(text);
}

/** transfer_set_owner() - take the name or ID of a user; returns whether it is one */
bool transfer_set_owner(struct transfer_options *options, const char *text)
{
	const struct passwd *user = getpwnam(text);
	uint64_t number;

	/* A user whose name is a number is that user. */
	if (user)
		number = user->pw_uid;
	else if (!parse_number(text, 10, 0, SCATTER_OWNER_SELF - 1, &number))
		return false;
	options->owner = number;
	options->has_owner = true;
	return true;
}

/** transfer_is_root() - whether it is known before joining that this is the root */
bool transfer_is_root(const struct transfer_options *options)
{
	if (options->sides[0])
		return options->root == (int)SCATTER_ROOT;
	return options->rank == options->root;
}

/** transfer_has_part() - whether a part is this member's: not on a root's own side */
bool transfer_has_part(const struct transfer_options *options)
{
	return !options->sides[0] || options->root >= 0;
}

static int find_group(struct transfer_options *options)
{
	const char *group = environment("SCATTER_GROUP");
	const char *fd = environment("SCATTER_FD");

	if (options->group && options->fd >= 0)
		return usage_error("--group and --fd: give one of them");
	if (options->group || options->fd >= 0)
		return PARSE_GO_ON;
	if (group && !transfer_set_group(options, group))
		return usage_error("SCATTER_GROUP=%s is no name of a group",
				   group);
	if (!group && fd && !transfer_set_fd(options, fd))
		return usage_error("SCATTER_FD=%s is no descriptor", fd);
	if (!group && !fd)
		return usage_error("which group? Give --group or --fd, or use 'scatterctl run'");
	return PARSE_GO_ON;
}

static const char *option_for_names(const struct transfer_options *options)
{
	if (options->mode)
		return "--mode";
	if (options->has_owner)
		return "--owner";
	if (options->exclusive)
		return "--exclusive";
	return options->local ? "--local" : NULL;
}

/* The descriptor knows; what is said besides must be the same. */
static int terms_of_descriptor(struct transfer_options *options)
{
	struct scatter_status status;

	if (option_for_names(options))
		return usage_error("%s is for groups that have a name",
				   option_for_names(options));
	if (descriptor_status(options->fd, &status, NULL))
		return STATUS_FAILED;
	if (status.rank >= 0) {
		complain("descriptor %d: it is a member's, not a group's",
			 options->fd);
		return STATUS_FAILED;
	}
	if (options->size && options->size != status.members)
		return usage_error("--size %u: the group of descriptor %d has %u members",
				   options->size, options->fd, status.members);
	if (options->sides[0] && (options->sides[0] != status.sides[0] ||
				  options->sides[1] != status.sides[1]))
		return usage_error("--sides %u,%u: the group of descriptor %d has %u,%u",
				   options->sides[0], options->sides[1],
				   options->fd, status.sides[0], status.sides[1]);
	options->size = status.members;
	memcpy(options->sides, status.sides, sizeof(options->sides));
	return PARSE_GO_ON;
}

static int terms_of_name(struct transfer_options *options)
{
	const char *size = environment("SCATTER_SIZE");
	const char *sides = environment("SCATTER_SIDES");
	unsigned int sum;

	if (options->has_owner && options->exclusive)
		return usage_error("--exclusive creates a group of your own: leave --owner out");
	if (!options->size && !options->sides[0] && sides &&
	    !parse_sides(sides, options->sides))
		return usage_error("SCATTER_SIDES=%s are no sizes of two sides",
				   sides);
	sum = options->sides[0] + options->sides[1];
	if (sum && options->size && options->size != sum)
		return usage_error("--size %u: sides of %u and %u have %u members",
				   options->size, options->sides[0],
				   options->sides[1], sum);
	if (sum)
		options->size = sum;
	else if (!options->size && size && !transfer_set_size(options, size))
		return usage_error("SCATTER_SIZE=%s is no size from 1 to %d",
				   size, MEMBERS_MAX);
	if (!options->size)
		return usage_error("which size? Give --size or --sides, or use 'scatterctl run'");
	return PARSE_GO_ON;
}

static int find_side(struct transfer_options *options)
{
	const char *side = environment("SCATTER_SIDE");

	if (!options->sides[0]) {
		if (options->side >= 0)
			return usage_error("--side %d: the group has no sides",
					   options->side);
		options->side = 0;
		return PARSE_GO_ON;
	}
	if (options->side < 0 && side && !transfer_set_side(options, side))
		return usage_error("SCATTER_SIDE=%s is no side: it is 0 or 1",
				   side);
	if (options->side < 0)
		return usage_error("which side? Give --side");
	return PARSE_GO_ON;
}

static int find_rank(struct transfer_options *options)
{
	const char *rank = environment("SCATTER_RANK");
	int limit = options->sides[0] ? options->sides[options->side] :
					options->size;

	if (options->rank == RANK_UNSET) {
		options->rank = SCATTER_RANK_ANY;
		if (rank && !transfer_set_rank(options, rank))
			return usage_error("SCATTER_RANK=%s is no rank", rank);
	}
	if (options->rank >= limit)
		return usage_error("rank %d: a %s of %d has ranks 0 to %d",
				   options->rank,
				   options->sides[0] ? "side" : "group", limit,
				   limit - 1);
	return PARSE_GO_ON;
}

static int find_root(struct transfer_options *options)
{
	bool sides = options->sides[0];
	int limit = sides ? options->sides[!options->side] : options->size;

	if (options->root == RANK_UNSET && sides)
		return usage_error("which root? Give --root: root, null, or its rank");
	if (options->root == RANK_UNSET)
		options->root = 0;
	if (options->root < 0 && !sides)
		return usage_error("--root %s: the group has no sides",
				   root_name(options->root));
	if (options->root >= limit)
		return usage_error("root %d: %s of %d has ranks 0 to %d",
				   options->root,
				   sides ? "the other side" : "a group", limit,
				   limit - 1);
	return PARSE_GO_ON;
}

/**
 * transfer_terms() - complete what the command line says, and check it
 * @options: the command line
 *
 * Return: PARSE_GO_ON, or the exit status after a message.
 */
int transfer_terms(struct transfer_options *options)
{
	int status = find_group(options);

	if (status == PARSE_GO_ON)
		status = options->group ? terms_of_name(options) :
					  terms_of_descriptor(options);
	if (status == PARSE_GO_ON)
		status = find_side(options);
	if (status == PARSE_GO_ON)
		status = find_rank(options);
	if (status == PARSE_GO_ON)
		status = find_root(options);
	return status;
}

/** root_name() - the word for a root that is no rank, or NULL */
const char *root_name(int root)
{
	if (root == (int)SCATTER_ROOT)
		return "root";
	return root == (int)SCATTER_PROC_NULL ? "null" : NULL;
}
