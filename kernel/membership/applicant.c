// SPDX-License-Identifier: GPL-2.0
/*
 * Applicants: members of a group on their way into a new one.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "group/group.h"
#include "group/member.h"
#include "group/seats.h"
#include "membership/applicant.h"
#include "membership/death.h"
#include "membership/join.h"
#include "memory/user.h"
#include "span/heir.h"

/**
 * scatter_applicant_free() - free an applicant that has got its seat, or never will
 * @applicant: the applicant; no other task knows it
 *
 * Context: may sleep; no locks.
 * Return: the member that the applicant has become; NULL if none.
 */
struct scatter_member *scatter_applicant_free(struct scatter_applicant *applicant)
{
	struct scatter_member *member = applicant->member;

	if (applicant->group)
		scatter_group_put(applicant->group);
	if (member && !member->group) {
		scatter_join_undo(member);
		member = NULL;
	}
	kfree(applicant);
	return member;
}

/**
 * scatter_applicant_create() - allocate all that a member needs for a new membership
 * @old: the member, which the current task acts for
 * @terms: what is already known of the applicant: bid and schedule
 * @ring_bytes: size of the new member's ring in bytes; 0: size of the old member's ring
 * @poll: pollers of the new member's file
 *
 * Context: may sleep; no locks.
 * Return: the applicant, for scatter_applicant_free(), or ERR_PTR(-errno).
 */
struct scatter_applicant *scatter_applicant_create(const struct scatter_member *old,
						   const struct scatter_applicant *terms,
						   u32 ring_bytes,
						   wait_queue_head_t *poll)
{
	struct scatter_applicant *applicant = kmemdup(terms, sizeof(*terms), GFP_KERNEL_ACCOUNT);
	struct scatter_member *member;

	if (!applicant)
		return ERR_PTR(-ENOMEM);
	applicant->unlimited = scatter_user_unlimited();
	applicant->group = scatter_group_alloc(old->group->size, scatter_death_look);
	member = ERR_PTR(-ENOMEM);
	if (applicant->group && !scatter_heir_prepare(applicant->group, old->group)) {
		applicant->group->schedule = applicant->schedule;
		member = scatter_join_member(ring_bytes ?: old->ring.size, poll, old);
	}
	if (!IS_ERR(member)) {
		applicant->member = member;
		return applicant;
	}
	scatter_applicant_free(applicant);
	return ERR_CAST(member);
}
