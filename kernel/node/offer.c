// SPDX-License-Identifier: GPL-2.0
/*
 * Offers: segments that peers may READ, until they have read them.
 *
 * A GRANT is mail with a segment. The wire grants the segment when the GRANT is sent, under a key
 * of that line. When GOT comes, the wire ends its grant, and the segment is freed. If the line is
 * lost before, the GRANT is sent again on the next line, with the same token and a key of that
 * line. A peer has at most %SCATTER_WIRE_GRANTS_MAX GRANTs that it has not answered with GOT; this
 * node holds back all further ones.
 */
#include <linux/list.h>
#include <linux/lockdep.h>

#include "node/connection.h"
#include "node/offer.h"
#include "node/say.h"
#include "wire/wide_parse.h"

/**
 * scatter_offer_got_locked() - handle a GOT message
 * @connection: the sender's connection
 * @data: the message
 * @bytes: length of the message
 *
 * Context: may sleep; the hub's lock is held.
 * Return: false if the message breaks the protocol.
 */
bool scatter_offer_got_locked(struct scatter_connection *connection, const void *data, u32 bytes)
{
	struct scatter_message *message, *next;
	struct scatter_wide_got got;
	bool found = false;
	u32 queued = connection->nr_granted;

	lockdep_assert_held(&connection->hub->lock);
	if (scatter_wide_parse_got(data, bytes, &got))
		return false;
	/* The peer cannot have read what this node has not granted. */
	if (got.token > connection->offered)
		return false;
	/* GRANTs that were held back until now get later tokens. */
	list_for_each_entry_safe(message, next, &connection->offers, entry) {
		queued--;
		if (message->token > got.token)
			continue;
		scatter_say_ungrant_locked(connection, message);
		list_del(&message->entry);
		scatter_say_free(message);
		scatter_say_got_locked(connection);
		found = true;
	}
	/*
	 * The peer read these segments on the last line, and this node sends the GRANTs again. They
	 * are freed when the peer acknowledges them.
	 */
	list_for_each_entry(message, &connection->queue, entry) {
		if (!queued)
			break;
		if (!message->offer || message->got)
			continue;
		queued--;
		if (message->token > got.token)
			continue;
		message->got = true;
		scatter_say_got_locked(connection);
		found = true;
	}
	return found;
}

/**
 * scatter_offer_again_locked() - grant again on a new line what the peer has not got
 * @connection: has a new line to the same incarnation of the peer
 *
 * Context: the hub's lock is held.
 */
void scatter_offer_again_locked(struct scatter_connection *connection)
{
	struct scatter_message *message, *next;

	lockdep_assert_held(&connection->hub->lock);
	list_for_each_entry_safe(message, next, &connection->offers, entry)
		scatter_say_again_locked(connection, message);
}
