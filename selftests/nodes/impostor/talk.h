/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was said on the line to each node: later messages are made of that.
 */
#ifndef IMPOSTOR_TALK_H
#define IMPOSTOR_TALK_H

#include "wire/raw.h"
#include "wire/wide.h"

struct line;

/*
 * @peer: the node
 * @line: to it; NULL: none yet
 * @sequence: of the last sequenced message that was made
 * @received: of the last sequenced message that was heard
 * @heard: messages after the handshake for which the node has no credit yet
 * @hello, @welcome: as they crossed the line, whoever sent them
 * @proof: the PROOF that was said last; it may be of an earlier line
 * @incarnation: the node's
 * @token, @rank: of the JOIN that was heard last; 0 if none was
 * @terms: of the contribution that was heard last; 0 if none was
 * @lane: the LANE that was heard last
 * @pull: the PULL that was heard last
 * @asked: how many bytes all PULLs have asked for
 * @granted: how many GRANTs have answered PULLs
 * @grant: the GRANT that was heard last
 */
struct talk {
	u64 peer;
	struct line *line;
	u32 sequence;
	u32 received;
	u32 heard;
	struct scatter_raw_hello hello;
	struct scatter_raw_welcome welcome;
	struct scatter_raw_proof proof;
	u64 incarnation;
	u64 token;
	u32 rank;
	u64 terms;
	struct scatter_wide_lane lane;
	struct scatter_wide_pull pull;
	u64 asked;
	u64 granted;
	struct scatter_wide_grant grant;
};

/* The one with that node, which may begin now; NULL: there are too many. */
struct talk *talk_with(u64 peer);
/* The next one of all, of NULL the first; NULL: there are no more. */
struct talk *talk_after(const struct talk *talk);

#endif /* IMPOSTOR_TALK_H */
