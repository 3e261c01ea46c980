/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_ENTER_H
#define _SCATTER_ENTER_H

struct scatter_call;
struct scatter_operation;
struct scatter_spec;

int scatter_enter_locked(struct scatter_call *call,
			 const struct scatter_spec *spec,
			 struct scatter_operation **fresh);
int scatter_enter_resume_locked(struct scatter_call *call,
				const struct scatter_spec *spec);

#endif /* _SCATTER_ENTER_H */
