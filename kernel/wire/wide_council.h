/* SPDX-License-Identifier: GPL-2.0 */
/*
 * COUNCIL, the message between the councils of a group's nodes, in host order. See
 * council/council.h for its meaning.
 *
 * Which parts a COUNCIL has follows from its type, and for PROMISE from its ballot. A part that the
 * type does not have takes no bytes.
 */
#ifndef _SCATTER_WIDE_COUNCIL_H
#define _SCATTER_WIDE_COUNCIL_H

#include "council/council.h"
#include "wire/wide.h"

/*
 * Most choices in one COUNCIL, so most ranks that are LISTED in a decree. A SPLIT of a group with
 * more ranks takes several decrees.
 */
#define SCATTER_WIDE_CHOICES_MAX	896
/* The greatest error of a decree, as of the kernel. */
#define SCATTER_WIDE_ERROR_MAX		4095

/**
 * struct scatter_wide_council - COUNCIL, with room for all parts that a message can have
 * @id: the group's id, not all 0
 * @message: the message. Its fences, facts and decree are NULL, or the fields below
 * @fences: nodes that the sender has fenced
 * @facts: gone ranks that the sender knows of
 * @decree: a contribution or a decree; its choices are NULL, or @choices if it is LISTED
 * @choices: by rank; only those of the ranks that have called are set
 *
 * The struct is too long for the stack: some 9.5 KB.
 */
struct scatter_wide_council {
	u64 id[2];
	struct scatter_council_message message;
	struct scatter_set fences;
	struct scatter_facts facts;
	struct scatter_decree decree;
	struct scatter_choice choices[SCATTER_WIDE_SIZE_MAX];
};

/* Whether a message of a type, with a ballot, has a decree, and so a key. */
static inline bool scatter_wide_council_has_decree(enum scatter_council_type type, u64 ballot)
{
	return type == SCATTER_COUNCIL_ARRIVED || type == SCATTER_COUNCIL_ACCEPT ||
	       type == SCATTER_COUNCIL_DECIDED || (type == SCATTER_COUNCIL_PROMISE && ballot);
}

/* Whether a message of a type, with a ballot, has a key. */
static inline bool scatter_wide_council_has_key(enum scatter_council_type type, u64 ballot)
{
	return type == SCATTER_COUNCIL_ACCEPTED || type == SCATTER_COUNCIL_KNOWN ||
	       type == SCATTER_COUNCIL_FORGET || scatter_wide_council_has_decree(type, ballot);
}

static inline bool scatter_wide_council_has_fences(enum scatter_council_type type)
{
	return type == SCATTER_COUNCIL_PREPARE || type == SCATTER_COUNCIL_PROMISE;
}

static inline bool scatter_wide_council_has_facts(enum scatter_council_type type)
{
	return type == SCATTER_COUNCIL_PROMISE;
}

enum scatter_wire_reason scatter_wide_parse_council(const void *data, u32 bytes,
						    struct scatter_wide_council *council);
bool scatter_wide_parse_council_fits(const struct scatter_wide_council *council, u32 nodes,
				     u32 ranks);
u32 scatter_wide_build_council_bytes(const struct scatter_council_message *message);
void scatter_wide_build_council(void *raw, u32 sequence, const u64 *id,
				const struct scatter_council_message *message);

#endif /* _SCATTER_WIDE_COUNCIL_H */
