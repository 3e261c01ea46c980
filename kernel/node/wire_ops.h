/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface to a wire. A wire carries messages between nodes; scatter_rdma.ko is a wire.
 *
 * A *line* is what the wire has of one connection. A *listener* waits for lines from others. Both
 * belong to the wire, behind a pointer. The owner of a line or listener gives the wire a *context*,
 * and every event passes the context back.
 */
#ifndef _SCATTER_WIRE_OPS_H
#define _SCATTER_WIRE_OPS_H

#include <linux/types.h>

struct bio_vec;
struct module;
struct net;
struct page;
struct scatter_segment;
struct sockaddr;

/**
 * struct scatter_wire_events - the events of a wire; every event may sleep
 * @incoming: a node wants a connection: the listener's context, the new line, and the address that
 *	the line comes from. True: the event has called accept(), which returned 0; false: the wire
 *	refuses and frees the line
 * @up: the line carries messages from now on
 * @received: a message came: the page at whose start the message lies, and the message's length.
 *	The bytes behind the message are undefined. To keep the message, the event takes a reference
 *	on the page: then the wire gives its receive buffer another page when the event is over.
 *	Nobody writes into a page that was kept
 * @read_done: read() is over: its cookie, and 0 or -errno
 * @down: the line has failed or the other side has closed the line: -errno. The last event of a
 *	line; the line still needs close()
 *
 * Events of one line come one at a time. A wire sends no event with a lock of its own held that
 * close() takes.
 */
struct scatter_wire_events {
	bool (*incoming)(void *listener_context, void *line, const struct sockaddr *from);
	void (*up)(void *context);
	void (*received)(void *context, struct page *page, size_t bytes);
	void (*read_done)(void *context, void *cookie, int error);
	void (*down)(void *context, int error);
};

/**
 * struct scatter_wire_ops - a wire
 * @owner: the module
 * @name: constant; for users
 * @listen: listen at an address; the listener or ERR_PTR
 * @unlisten: undo @listen; may sleep; no event of the listener afterwards
 * @connect: begin a line between two addresses of one family, with so many receive buffers; writes
 *	the line before any event of the line; 0: up() or down() tells the result; or -errno. May
 *	sleep, and is called without any lock that an event takes
 * @accept: take an incoming line, with so many receive buffers; 0 or -errno; up() or down() follows
 * @room: whether there is a buffer to send another message now. An owner that obeys @room may send
 *	a few messages that control the line at any time
 * @send: send a message, of which the wire makes a copy, and behind it a payload, if not NULL. The
 *	payload is sent from its page without a copy: the wire has a reference of its own on the
 *	page until the payload has been sent, and nobody may write there meanwhile. Both together
 *	are at most %SCATTER_WIRE_BYTES_MAX. 0; -EAGAIN: no buffer is free; or another -errno
 * @grant: let the other side read a segment, which the wire has a reference on until nobody can
 *	read the segment any more; (out) its address and key; 0; -EBUSY: the device still has to end
 *	earlier grants; or another -errno
 * @ungrant: end a grant by its key
 * @read: read memory that the other side has granted into a segment, at most @most bytes at a time;
 *	0: read_done() with the cookie follows; -EBUSY: as many READs run as may; or another
 *	-errno. The wire has a reference on the segment as long as the device may write there
 * @close: end a line, which is gone afterwards; may sleep; no event of the line afterwards
 */
struct scatter_wire_ops {
	struct module *owner;
	const char *name;
	void *(*listen)(struct net *net, const struct sockaddr *at,
			const struct scatter_wire_events *events, void *context);
	void (*unlisten)(void *listener);
	int (*connect)(struct net *net, const struct sockaddr *from, const struct sockaddr *to,
		       u32 buffers, const struct scatter_wire_events *events, void *context,
		       void **line);
	int (*accept)(void *line, u32 buffers, void *context);
	bool (*room)(void *line);
	int (*send)(void *line, const void *message, size_t bytes, const struct bio_vec *payload);
	int (*grant)(void *line, struct scatter_segment *segment, u64 *address, u32 *key);
	void (*ungrant)(void *line, u32 key);
	int (*read)(void *line, u64 address, u32 key, struct scatter_segment *segment, u32 most,
		    void *cookie);
	void (*close)(void *line);
};

int scatter_wire_register(const struct scatter_wire_ops *ops);
void scatter_wire_unregister(const struct scatter_wire_ops *ops);

#endif /* _SCATTER_WIRE_OPS_H */
