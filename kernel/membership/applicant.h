/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_APPLICANT_H
#define _SCATTER_APPLICANT_H

#include <linux/types.h>
#include <linux/wait.h>

struct scatter_member;
struct scatter_applicant;

struct scatter_applicant *scatter_applicant_create(const struct scatter_member *old,
						   const struct scatter_applicant *terms,
						   u32 ring_bytes, wait_queue_head_t *poll);
struct scatter_member *scatter_applicant_free(struct scatter_applicant *applicant);

#endif /* _SCATTER_APPLICANT_H */
