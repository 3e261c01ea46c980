/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The states of connections, and the outcomes of events. Pure: the code neither sends nor waits,
 * but tells its caller what to do.
 *
 * Two kinds of objects have a state. A peer's connection begins as DOWN and exists as long as the
 * peer. A guest is a line that another node has made to this node; a guest begins as DOWN, too, and
 * is ACCEPTED at once. When a guest has proven that it is a peer, its line becomes the line of the
 * peer's connection, and the guest ends. Until then a guest changes no connection: so an impostor
 * cannot end one.
 */
#ifndef _SCATTER_STATES_H
#define _SCATTER_STATES_H

#include "wire/wire.h"

/**
 * enum scatter_states - states of a peer's connection, or of a guest
 * @SCATTER_STATES_DOWN: no line
 * @SCATTER_STATES_CONNECTING: the wire makes a line
 * @SCATTER_STATES_GREETING: HELLO is sent, WELCOME to come
 * @SCATTER_STATES_CONFIRMING: PROOF is sent, the responder's first CREDIT to come
 * @SCATTER_STATES_ACCEPTED: a guest; HELLO to come
 * @SCATTER_STATES_WELCOMING: a guest; WELCOME is sent, PROOF to come
 * @SCATTER_STATES_UP: both have proven who they are
 * @SCATTER_STATES_CLOSING: the wire closes the line
 * @SCATTER_STATES_WAITING: for the next attempt
 * @SCATTER_STATES_HELD: after a breach of the protocol, no attempt by either side for a while
 * @SCATTER_STATES_COUNT: how many states there are
 */
enum scatter_states {
	SCATTER_STATES_DOWN,
	SCATTER_STATES_CONNECTING,
	SCATTER_STATES_GREETING,
	SCATTER_STATES_CONFIRMING,
	SCATTER_STATES_ACCEPTED,
	SCATTER_STATES_WELCOMING,
	SCATTER_STATES_UP,
	SCATTER_STATES_CLOSING,
	SCATTER_STATES_WAITING,
	SCATTER_STATES_HELD,
	SCATTER_STATES_COUNT,
};

/**
 * enum scatter_states_event - events of a connection or a guest
 * @SCATTER_EVENT_WANT: a caller wants the connection
 * @SCATTER_EVENT_ACCEPT: a guest's line is accepted
 * @SCATTER_EVENT_LINE_UP: the wire has made the line
 * @SCATTER_EVENT_HELLO: HELLO came, and scatter_states_answer() allows the connection
 * @SCATTER_EVENT_WELCOME: WELCOME came, with the right proof
 * @SCATTER_EVENT_PROOF: PROOF came, with the right proof
 * @SCATTER_EVENT_MESSAGE: CREDIT or a sequenced message came
 * @SCATTER_EVENT_REFUSE: REFUSE came
 * @SCATTER_EVENT_BYE: BYE came
 * @SCATTER_EVENT_WRONG: a message came on the line that was malformed, or had a wrong proof, or an
 *	impossible number or credits
 * @SCATTER_EVENT_UNFIT: HELLO or WELCOME is fine, but this node refuses it
 * @SCATTER_EVENT_ADOPT: a guest has proven to be the peer, and scatter_states_answer() allows the
 *	connection: the connection gets the guest's line
 * @SCATTER_EVENT_HOLD: a guest that said it is the peer has been WRONG
 * @SCATTER_EVENT_TIMER: the state has lasted as long as it may, see scatter_states_timer()
 * @SCATTER_EVENT_LINE_DOWN: the wire lost the line, or could not make the line
 * @SCATTER_EVENT_CLOSED: the wire has closed the line
 * @SCATTER_EVENT_RESET: the administrator changed the peer's addresses or the key
 * @SCATTER_EVENT_STOP: peer, node or module go away
 * @SCATTER_EVENT_COUNT: how many events there are
 */
enum scatter_states_event {
	SCATTER_EVENT_WANT,
	SCATTER_EVENT_ACCEPT,
	SCATTER_EVENT_LINE_UP,
	SCATTER_EVENT_HELLO,
	SCATTER_EVENT_WELCOME,
	SCATTER_EVENT_PROOF,
	SCATTER_EVENT_MESSAGE,
	SCATTER_EVENT_REFUSE,
	SCATTER_EVENT_BYE,
	SCATTER_EVENT_WRONG,
	SCATTER_EVENT_UNFIT,
	SCATTER_EVENT_ADOPT,
	SCATTER_EVENT_HOLD,
	SCATTER_EVENT_TIMER,
	SCATTER_EVENT_LINE_DOWN,
	SCATTER_EVENT_CLOSED,
	SCATTER_EVENT_RESET,
	SCATTER_EVENT_STOP,
	SCATTER_EVENT_COUNT,
};

/*
 * The caller of scatter_states_step() does the following, in this order; but the numbers of a
 * connection that is UP begin before CREDIT is sent:
 *
 * DROP      detach the present line, and close it; from then on the line has no events. A caller
 *           that makes ADOPT an event has done so
 * CONNECT   ask the wire for a line
 * HELLO, WELCOME, PROOF, CREDIT	send the message
 * REFUSE    send REFUSE, with the reason of the event
 * BYE       send BYE, with the reason of the event, if there is a credit
 * HOLD      HOLD is an event of the peer that a guest said it is
 * GIVE      ADOPT is an event of the peer that a guest is; the peer gets the guest's line
 * UP        end all guests that say that they are the peer; forget failures and refusals; drop
 *           or resend unacknowledged messages
 * CLOSE     close the line, then CLOSED is an event
 */
#define SCATTER_STATES_DO_DROP		0x001
#define SCATTER_STATES_DO_CONNECT	0x002
#define SCATTER_STATES_DO_HELLO		0x004
#define SCATTER_STATES_DO_WELCOME	0x008
#define SCATTER_STATES_DO_PROOF		0x010
#define SCATTER_STATES_DO_CREDIT	0x020
#define SCATTER_STATES_DO_REFUSE	0x040
#define SCATTER_STATES_DO_BYE		0x080
#define SCATTER_STATES_DO_HOLD		0x100
#define SCATTER_STATES_DO_GIVE		0x200
#define SCATTER_STATES_DO_UP		0x400
#define SCATTER_STATES_DO_CLOSE		0x800

/* Lost attempts of the node with the higher id after which that node wins a race. */
#define SCATTER_STATES_RACES		10
/* The first wait between two attempts, in ms. */
#define SCATTER_STATES_BACKOFF_MS	100

/**
 * enum scatter_states_verdict - whether an event was to be expected
 * @SCATTER_STATES_FINE: the event was expected
 * @SCATTER_STATES_BREACH: the peer has sent what it must not in this state; handled like
 *	%SCATTER_EVENT_WRONG, with %SCATTER_WIRE_BAD_MESSAGE for a reason
 * @SCATTER_STATES_NEVER: no peer can make this event happen: a mistake of the caller. Nothing
 *	changes.
 */
enum scatter_states_verdict {
	SCATTER_STATES_FINE,
	SCATTER_STATES_BREACH,
	SCATTER_STATES_NEVER,
};

/**
 * enum scatter_states_timer - how long a state may last
 * @SCATTER_TIMER_NONE: for ever
 * @SCATTER_TIMER_HANDSHAKE: a while from its line's beginning, in all states of the handshake
 *	together
 * @SCATTER_TIMER_KEEPALIVE: as long as messages keep coming
 * @SCATTER_TIMER_BACKOFF: as scatter_states_backoff() says
 * @SCATTER_TIMER_HOLD: a while
 */
enum scatter_states_timer {
	SCATTER_TIMER_NONE,
	SCATTER_TIMER_HANDSHAKE,
	SCATTER_TIMER_KEEPALIVE,
	SCATTER_TIMER_BACKOFF,
	SCATTER_TIMER_HOLD,
};

/**
 * enum scatter_states_shown - states as users see them
 * @SCATTER_SHOWN_DOWN: no connection, and none wanted
 * @SCATTER_SHOWN_CONNECTING: the wire makes a line
 * @SCATTER_SHOWN_PROVING: the nodes prove to each other who they are
 * @SCATTER_SHOWN_UP: in use
 * @SCATTER_SHOWN_CLOSING: the connection ends
 * @SCATTER_SHOWN_WAITING: waits for the next attempt
 * @SCATTER_SHOWN_HELD: kept off after a breach of the protocol
 */
enum scatter_states_shown {
	SCATTER_SHOWN_DOWN = 0,
	SCATTER_SHOWN_CONNECTING = 1,
	SCATTER_SHOWN_PROVING = 2,
	SCATTER_SHOWN_UP = 3,
	SCATTER_SHOWN_CLOSING = 4,
	SCATTER_SHOWN_WAITING = 5,
	SCATTER_SHOWN_HELD = 6,
};

/**
 * struct scatter_state - the state of a connection or a guest
 * @now: the state
 * @after: with %SCATTER_STATES_CLOSING: the next state
 *
 * All 0 at first, which is DOWN.
 */
struct scatter_state {
	enum scatter_states now;
	enum scatter_states after;
};

enum scatter_states_verdict scatter_states_step(struct scatter_state *state,
						enum scatter_states_event event, u32 *todo);
enum scatter_wire_reason scatter_states_answer(enum scatter_states state, u64 own, u64 peer,
					       u32 races);
u32 scatter_states_backoff(u32 failures, u32 longest_ms, u32 random);
enum scatter_states_timer scatter_states_timer(enum scatter_states state);
enum scatter_states_shown scatter_states_shown(enum scatter_states state);

#endif /* _SCATTER_STATES_H */
