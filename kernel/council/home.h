/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_HOME_H
#define _SCATTER_HOME_H

#include "council/council.h"

void scatter_home_begin(struct scatter_council *council, u64 view);
void scatter_home_arrived(struct scatter_council *council, u32 from,
			  const struct scatter_council_key *key,
			  const struct scatter_decree *contribution);
void scatter_home_accepted(struct scatter_council *council, u32 from,
			   const struct scatter_council_key *key);
void scatter_home_known(struct scatter_council *council, u32 from,
			const struct scatter_council_key *key);
void scatter_home_promised(struct scatter_council *council, u32 from,
			   const struct scatter_council_message *message);
void scatter_home_review(struct scatter_council *council);
void scatter_home_remind(struct scatter_council *council);

#endif /* _SCATTER_HOME_H */
