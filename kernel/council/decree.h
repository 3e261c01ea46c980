/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decrees: what a council decides about one key, and what each node contributes to the decision.
 *
 * One struct serves all verdicts and contributions, since all of them have the same few parts:
 *
 *	verdict of		parts that its users read
 *	AGREE			@bits; @called; @facts and @known: gone, unacknowledged ranks
 *	SHRINK			@called without @facts: the ranks of the new group
 *	DUP			@called; @error and @culprit
 *	SPLIT			@called and @choices; @error and @culprit
 *	end of UNIFORM		@error and @culprit; no error: fulfilled
 *	end of DEADLINE_ALL	@error and @culprit
 *
 * @terms is a digest of the operation, its flags and its schedule. Contributions whose terms differ
 * make a decree with EPROTO, and so do members of one node that disagree.
 */
#ifndef _SCATTER_DECREE_H
#define _SCATTER_DECREE_H

#include "council/set.h"

/* @culprit: no rank. */
#define SCATTER_DECREE_NOBODY		0xffffffffu
/* @error: the members ask for different things, as EPROTO. */
#define SCATTER_DECREE_DISAGREE		71

/**
 * enum scatter_decree_flags - flags of a decree or a contribution
 * @SCATTER_DECREE_HURRY: do not wait for other contributions: there is an error, or a deadline has
 *	passed
 * @SCATTER_DECREE_ABANDONED: a member has withdrawn: nothing is decided, and all contribute again
 *	with the next turn of the key
 * @SCATTER_DECREE_LISTED: @choices is used
 */
enum scatter_decree_flags {
	SCATTER_DECREE_HURRY = 1 << 0,
	SCATTER_DECREE_ABANDONED = 1 << 1,
	SCATTER_DECREE_LISTED = 1 << 2,
};

/**
 * struct scatter_choice - what a rank asks for in a SPLIT
 * @color: color of the new group
 * @key: orders the ranks of the new group
 */
struct scatter_choice {
	u32 color;
	u32 key;
};

/**
 * struct scatter_facts - ranks that are gone; ranks are added, never removed
 * @dead: ranks that have died
 * @left: ranks that have left
 */
struct scatter_facts {
	struct scatter_set dead;
	struct scatter_set left;
};

/**
 * struct scatter_decree - a decree, or a node's contribution to it
 * @terms: digest of what the ranks have called; 0: none of them has
 * @bits: the AND of what the ranks bring
 * @flags: enum scatter_decree_flags
 * @error: errno as a positive number; 0: fulfilled
 * @culprit: the rank that caused the error, or %SCATTER_DECREE_NOBODY
 * @called: ranks that have called
 * @known: gone ranks that all ranks in @called have acknowledged
 * @facts: ranks that are gone. A rank in @called that is gone, too, is not in a new group.
 * @choices: by rank, those of @called if %SCATTER_DECREE_LISTED is set; NULL: the decree has no
 *	room for choices
 */
struct scatter_decree {
	u64 terms;
	u64 bits;
	u32 flags;
	u32 error;
	u32 culprit;
	struct scatter_set called;
	struct scatter_set known;
	struct scatter_facts facts;
	struct scatter_choice *choices;
};

/* Add facts to facts. The order does not matter, since the result is a union. */
static inline void scatter_decree_learn(struct scatter_facts *facts,
					const struct scatter_facts *more)
{
	scatter_set_join(&facts->dead, &more->dead);
	scatter_set_join(&facts->left, &more->left);
}

void scatter_decree_init(struct scatter_decree *decree, struct scatter_choice *choices);
void scatter_decree_copy(struct scatter_decree *to, const struct scatter_decree *from);
void scatter_decree_merge(struct scatter_decree *decree, const struct scatter_decree *more);

#endif /* _SCATTER_DECREE_H */
