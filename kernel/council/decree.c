// SPDX-License-Identifier: GPL-2.0
/*
 * Decrees: copy them, and merge the contributions of nodes.
 */
#include "council/decree.h"

/**
 * scatter_decree_init() - make a decree without contributions
 * @decree: the decree
 * @choices: room for a choice of each rank, or NULL
 *
 * Context: any.
 */
void scatter_decree_init(struct scatter_decree *decree, struct scatter_choice *choices)
{
	u32 i;

	*decree = (struct scatter_decree){
		.bits = ~(u64)0,
		.culprit = SCATTER_DECREE_NOBODY,
		.choices = choices,
	};
	for (i = 0; i < SCATTER_SET_WORDS; i++)
		decree->known.words[i] = ~(u64)0;
}

/* Copy the choices of the ranks that have called; a decree without room loses them. */
static void copy_choices(struct scatter_decree *to, const struct scatter_decree *from)
{
	u64 word;
	u32 i, rank;

	if (!to->choices || !from->choices || !(from->flags & SCATTER_DECREE_LISTED))
		return;
	for (i = 0; i < SCATTER_SET_WORDS; i++) {
		for (word = from->called.words[i]; word; word &= word - 1) {
			rank = 64 * i + (u32)__builtin_ctzll(word);
			to->choices[rank] = from->choices[rank];
		}
	}
}

/**
 * scatter_decree_copy() - copy a decree, its choices included
 * @to: the copy, which keeps its own room for choices
 * @from: the decree
 *
 * Context: any.
 */
void scatter_decree_copy(struct scatter_decree *to, const struct scatter_decree *from)
{
	struct scatter_choice *choices = to->choices;

	*to = *from;
	to->choices = choices;
	copy_choices(to, from);
}

/**
 * scatter_decree_merge() - add a node's contribution
 * @decree: what other nodes have contributed
 * @more: the contribution
 *
 * The first error stays, except that %SCATTER_DECREE_DISAGREE replaces any other error. A
 * contribution may be merged again, also when it has got an error or a flag since.
 *
 * Context: any.
 */
void scatter_decree_merge(struct scatter_decree *decree, const struct scatter_decree *more)
{
	bool differs = decree->terms && more->terms && decree->terms != more->terms;

	if (differs && decree->error != SCATTER_DECREE_DISAGREE) {
		decree->error = SCATTER_DECREE_DISAGREE;
		decree->culprit = scatter_set_first(&more->called);
		decree->flags |= SCATTER_DECREE_HURRY;
	} else if (!decree->error) {
		decree->error = more->error;
		decree->culprit = more->culprit;
	}
	if (!decree->terms)
		decree->terms = more->terms;
	decree->bits &= more->bits;
	decree->flags |= more->flags;
	scatter_set_join(&decree->called, &more->called);
	scatter_set_meet(&decree->known, &more->known);
	scatter_decree_learn(&decree->facts, &more->facts);
	copy_choices(decree, more);
}
