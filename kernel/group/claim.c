// SPDX-License-Identifier: GPL-2.0
/*
 * Claims: whether a claimant gets a seat in a group, and which seat.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "group/claim.h"
#include "group/sides.h"
#include "group/spec.h"

/**
 * scatter_claim_agrees() - whether a claimant asks for a group as it is
 * @terms: the group's terms
 * @join: what the user asked for, checked
 *
 * Context: any.
 */
bool scatter_claim_agrees(const struct scatter_claim_terms *terms,
			  const struct scatter_join *join)
{
	const struct scatter_schedule schedule = scatter_spec_asked(&join->schedule);

	return terms->size == join->members &&
	       !memcmp(terms->sides, join->sides, sizeof(terms->sides)) &&
	       scatter_spec_same(&terms->schedule, &schedule);
}

/**
 * scatter_claim_allowed() - whether the permission bits of a group let a claimant in
 * @mode: the permission bits
 * @owns: the claimant owns the group
 * @in_group: the claimant is in the group's user group
 *
 * Context: any.
 */
bool scatter_claim_allowed(umode_t mode, bool owns, bool in_group)
{
	if (owns)
		mode >>= 6;
	else if (in_group)
		mode >>= 3;
	return (mode & 06) == 06;
}

/**
 * scatter_claim_rank() - find the seat that a claimant gets
 * @seated: ranks that are taken
 * @join: agrees with the group
 *
 * Context: any; the caller has the lock that protects the seats.
 * Return: the rank; -EUSERS: no rank is free; -EADDRINUSE: the rank asked for is taken.
 */
int scatter_claim_rank(const unsigned long *seated, const struct scatter_join *join)
{
	u32 seats = scatter_sides_seats(join);
	u32 first = join->side ? join->members - seats : 0;
	u32 rank = first;

	if (find_first_zero_bit(seated, join->members) == join->members)
		return -EUSERS;
	if (join->rank != SCATTER_RANK_ANY) {
		rank += array_index_nospec((u32)join->rank, seats);
		return test_bit(rank, seated) ? -EADDRINUSE : (int)rank;
	}
	rank = find_next_zero_bit(seated, first + seats, rank);
	return rank == first + seats ? -EUSERS : (int)rank;
}
