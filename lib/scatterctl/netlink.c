// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: all that knows the form of messages.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "netlink.h"
#include "scatterctl.h"

#define NOT_LOADED \
	"no netlink family scatter: is the module loaded? Try 'modprobe scatter' as root"

/* How often a dump is begun anew because something changed meanwhile. */
#define DUMP_TRIES	10

/**
 * struct exchange - one request, and what has come of it
 * @socket: ours
 * @family: its number
 * @request: the message sent, to tell which attribute the kernel complains of
 * @fields: what a record of the answer tells
 * @records: (out) what came
 * @got: called instead, if not NULL
 * @error: (out) -errno
 * @done: (out) the answer is complete
 */
struct exchange {
	struct nl_sock *socket;
	int family;
	struct nl_msg *request;
	const struct fields *fields;
	struct records *records;
	void (*got)(const struct record *record);
	int error;
	bool done;
};

static struct item *add_item(struct request *request, int attribute)
{
	struct item *item = &request->items[request->count++];

	if (request->count > ITEMS_MAX)
		abort();
	*item = (struct item){ .attribute = attribute };
	return item;
}

/** request_u32() - add a number to a request */
void request_u32(struct request *request, int attribute, uint32_t value)
{
	struct item *item = add_item(request, attribute);

	item->bytes = sizeof(value);
	item->number = value;
}

/** request_u64() - add a number to a request */
void request_u64(struct request *request, int attribute, uint64_t value)
{
	struct item *item = add_item(request, attribute);

	item->bytes = sizeof(value);
	item->number = value;
}

/** request_data() - add bytes to a request, which stay the caller's */
void request_data(struct request *request, int attribute, const void *data, size_t bytes)
{
	struct item *item = add_item(request, attribute);

	item->bytes = bytes;
	item->data = data;
}

/** request_addresses() - add addresses to a request, which stay the caller's */
void request_addresses(struct request *request, int attribute, const union address *addresses,
		       unsigned int count)
{
	struct item *item = add_item(request, attribute);

	item->data = addresses;
	item->addresses = count;
}

/** records_free() - forget an answer */
void records_free(struct records *records)
{
	free(records->list);
	*records = (struct records){ };
}

static int put_addresses(struct nl_msg *message, const struct item *item)
{
	struct nlattr *nest = nla_nest_start(message, item->attribute | NLA_F_NESTED);
	const union address *addresses = item->data;
	unsigned int i;
	int error = nest ? 0 : -NLE_NOMEM;

	for (i = 0; !error && i < item->addresses; i++)
		error = nla_put(message, SCATTER_A_ADDRESSES_ADDRESS,
				addresses[i].any.sa_family == AF_INET ?
				sizeof(addresses[i].v4) : sizeof(addresses[i].v6),
				&addresses[i]);
	if (!error)
		nla_nest_end(message, nest);
	return error;
}

static int put_item(struct nl_msg *message, const struct item *item)
{
	if (item->addresses)
		return put_addresses(message, item);
	if (item->data)
		return nla_put(message, item->attribute, item->bytes, item->data);
	if (item->bytes == sizeof(uint32_t))
		return nla_put_u32(message, item->attribute, item->number);
	return nla_put_u64(message, item->attribute, item->number);
}

/* Text ----------------------------------------------------------------------- */

static uint64_t number_of(const struct nlattr *attr)
{
	return nla_len(attr) == sizeof(uint64_t) ? nla_get_u64(attr) :
	       nla_len(attr) == sizeof(uint32_t) ? nla_get_u32(attr) : 0;
}

static void word_text(struct value *value, const char *const *names)
{
	uint64_t i = 0;

	while (names[i] && i != value->number)
		i++;
	if (names[i])
		snprintf(value->text, sizeof(value->text), "%s", names[i]);
	else
		snprintf(value->text, sizeof(value->text), "%" PRIu64, value->number);
}

static void bits_text(struct value *value, const char *const *names)
{
	size_t used = 0;
	int i;

	strcpy(value->text, "-");
	for (i = 0; names[i]; i++) {
		if (value->number >> i & 1)
			used += snprintf(value->text + used, sizeof(value->text) - used, "%s%s",
					 used ? "," : "", names[i]);
	}
}

static void id_text(struct value *value, const struct nlattr *attr)
{
	unsigned int i;

	if (nla_len(attr) != sizeof(value->id))
		return;
	memcpy(value->id, nla_data(attr), sizeof(value->id));
	for (i = 0; i < sizeof(value->id); i++)
		snprintf(value->text + 2 * i, 3, "%02x", value->id[i]);
}

static void addresses_text(struct value *value, const struct nlattr *nest)
{
	char text[ADDRESS_TEXT];
	union address address;
	struct nlattr *attr;
	size_t used = 0;
	int left;

	nla_for_each_nested(attr, nest, left) {
		size_t bytes = nla_len(attr);

		if (nla_type(attr) != SCATTER_A_ADDRESSES_ADDRESS || bytes > sizeof(address))
			continue;
		memset(&address, 0, sizeof(address));
		memcpy(&address, nla_data(attr), bytes);
		if (used < sizeof(value->text))
			used += snprintf(value->text + used, sizeof(value->text) - used, "%s%s",
					 used ? "," : "", format_address(text, &address));
	}
}

static void read_value(struct value *value, const struct field *field, const struct nlattr *attr)
{
	const char *number = field->kind == FIELD_HEX ? "%016" PRIx64 :
			     field->kind == FIELD_MODE ? "%04" PRIo64 : "%" PRIu64;

	value->there = true;
	value->number = number_of(attr);
	switch (field->kind) {
	case FIELD_NUMBER:
	case FIELD_HEX:
	case FIELD_MODE:
		snprintf(value->text, sizeof(value->text), number, value->number);
		break;
	case FIELD_ERROR:
		snprintf(value->text, sizeof(value->text), "%s", error_name(value->number));
		break;
	case FIELD_WORD:
		word_text(value, field->names);
		break;
	case FIELD_BITS:
		bits_text(value, field->names);
		break;
	case FIELD_TEXT:
		snprintf(value->text, sizeof(value->text), "%.*s", nla_len(attr),
			 (const char *)nla_data(attr));
		break;
	case FIELD_ID:
		id_text(value, attr);
		break;
	case FIELD_ADDRESSES:
		addresses_text(value, attr);
		break;
	}
}

/* Answers -------------------------------------------------------------------- */

static void read_record(struct record *record, const struct fields *fields, struct nlattr *first,
			int length)
{
	const struct field *field;
	struct nlattr *attr;

	memset(record, 0, sizeof(*record));
	record->fields = fields;
	for (field = fields->list; field->name; field++) {
		attr = nla_find(first, length, field->attribute);
		if (attr && field->inner)
			attr = nla_find(nla_data(attr), nla_len(attr), field->inner);
		if (attr)
			read_value(&record->values[field - fields->list], field, attr);
	}
}

static void deliver(struct exchange *exchange, const struct fields *fields, struct nlattr *first,
		    int length)
{
	struct records *records = exchange->records;
	struct record record, *list;

	if (exchange->got) {
		read_record(&record, fields, first, length);
		exchange->got(&record);
		return;
	}
	list = realloc(records->list, (records->count + 1) * sizeof(*list));
	if (!list) {
		exchange->error = -ENOMEM;
		return;
	}
	records->list = list;
	read_record(&list[records->count++], fields, first, length);
}

static int on_valid(struct nl_msg *message, void *arg)
{
	struct exchange *exchange = arg;
	struct genlmsghdr *header = nlmsg_data(nlmsg_hdr(message));
	struct nlattr *first = genlmsg_attrdata(header, 0);
	int length = genlmsg_attrlen(header, 0), left;
	struct nlattr *attr;

	if (!exchange->fields || header->cmd != exchange->fields->command)
		return NL_SKIP;
	deliver(exchange, exchange->fields, first, length);
	nla_for_each_attr(attr, first, length, left) {
		if (exchange->fields->each && nla_type(attr) == exchange->fields->each)
			deliver(exchange, exchange->fields->inner, nla_data(attr), nla_len(attr));
	}
	return NL_OK;
}

static int on_done(struct nl_msg *message, void *arg)
{
	struct exchange *exchange = arg;

	(void)message;
	exchange->done = true;
	return NL_STOP;
}

/* Which attribute of the request is at an offset that the kernel complains of. */
static const char *name_at(const struct exchange *exchange, uint32_t offset)
{
	struct nlmsghdr *header = nlmsg_hdr(exchange->request);
	struct nlattr *attr, *first = genlmsg_attrdata(nlmsg_data(header), 0);
	int left, length = genlmsg_attrlen(nlmsg_data(header), 0);
	const struct field *field;

	nla_for_each_attr(attr, first, length, left) {
		uint32_t begin = (char *)attr - (char *)header;

		if (offset < begin || offset >= begin + nla_total_size(nla_len(attr)))
			continue;
		for (field = exchange->fields->list; field->name; field++)
			if (field->attribute == nla_type(attr))
				return field->name;
	}
	return NULL;
}

/* The kernel's own words, if there are any. */
static void complain_kernel(const struct exchange *exchange, struct nlmsgerr *error)
{
	struct nlmsghdr *header = (struct nlmsghdr *)((char *)error - NLMSG_HDRLEN);
	size_t used = sizeof(*error);
	struct nlattr *text = NULL, *offset = NULL, *first;
	const char *name = NULL;
	int length;

	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		used += error->msg.nlmsg_len - sizeof(error->msg);
	first = (struct nlattr *)((char *)error + NLMSG_ALIGN(used));
	length = (char *)header + header->nlmsg_len - (char *)first;
	if (header->nlmsg_flags & NLM_F_ACK_TLVS && length > 0) {
		text = nla_find(first, length, NLMSGERR_ATTR_MSG);
		offset = nla_find(first, length, NLMSGERR_ATTR_OFFS);
	}
	if (offset && exchange->request && exchange->fields)
		name = name_at(exchange, nla_get_u32(offset));
	/* Many of the kernel's sentences have the name already. */
	if (text && name && !strchr(nla_get_string(text), ':'))
		complain("%s: %s (%s)", name, nla_get_string(text), error_name(-error->error));
	else if (text)
		complain("%s (%s)", nla_get_string(text), error_name(-error->error));
	else
		complain("%s (%s)", strerror(-error->error), error_name(-error->error));
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	struct exchange *exchange = arg;

	(void)from;
	exchange->error = error->error;
	exchange->done = true;
	complain_kernel(exchange, error);
	return NL_STOP;
}

static bool open_exchange(struct exchange *exchange)
{
	const int on = 1;

	exchange->socket = nl_socket_alloc();
	if (!exchange->socket || genl_connect(exchange->socket)) {
		complain("no netlink socket: %s", strerror(errno));
		return false;
	}
	exchange->family = genl_ctrl_resolve(exchange->socket, SCATTER_FAMILY_NAME);
	if (exchange->family < 0) {
		complain(NOT_LOADED);
		return false;
	}
	setsockopt(nl_socket_get_fd(exchange->socket), SOL_NETLINK, NETLINK_EXT_ACK, &on,
		   sizeof(on));
	nl_socket_modify_cb(exchange->socket, NL_CB_VALID, NL_CB_CUSTOM, on_valid, exchange);
	nl_socket_modify_cb(exchange->socket, NL_CB_FINISH, NL_CB_CUSTOM, on_done, exchange);
	nl_socket_modify_cb(exchange->socket, NL_CB_ACK, NL_CB_CUSTOM, on_done, exchange);
	nl_socket_modify_err_cb(exchange->socket, NL_CB_CUSTOM, on_error, exchange);
	return true;
}

static int send_request(struct exchange *exchange, const struct request *request, int flags)
{
	void *header;
	unsigned int i;
	int error = 0;

	exchange->request = nlmsg_alloc();
	header = exchange->request ? genlmsg_put(exchange->request, NL_AUTO_PORT, NL_AUTO_SEQ,
						 exchange->family, 0, flags, request->command,
						 SCATTER_FAMILY_VERSION) : NULL;
	if (!header)
		return -ENOMEM;
	for (i = 0; !error && i < request->count; i++)
		error = put_item(exchange->request, &request->items[i]);
	if (!error)
		error = nl_send_auto(exchange->socket, exchange->request);
	return error < 0 ? -EIO : 0;
}

/* -EAGAIN: something changed while the kernel was dumping. */
static int receive(struct exchange *exchange)
{
	bool torn = false;
	int error;

	while (!exchange->done && !exchange->error) {
		error = nl_recvmsgs_default(exchange->socket);
		if (error == -NLE_DUMP_INTR)
			torn = true;
		else if (error < 0 && !exchange->error)
			exchange->error = -EIO;
	}
	if (exchange->error)
		return exchange->error;
	return torn ? -EAGAIN : 0;
}

static void close_exchange(struct exchange *exchange)
{
	nlmsg_free(exchange->request);
	nl_socket_free(exchange->socket);
}

static int ask(const struct request *request, int flags, const struct fields *fields,
	       struct records *records)
{
	struct exchange exchange = { .fields = fields, .records = records };
	int error = -ENOTCONN;

	if (open_exchange(&exchange))
		error = send_request(&exchange, request, flags) ?: receive(&exchange);
	if (error == -EIO || error == -ENOMEM)
		complain("netlink: %s", strerror(-error));
	close_exchange(&exchange);
	return error;
}

/**
 * netlink_call() - let the kernel do something
 * @request: what
 * @fields: what the answer tells; of a change, what names its attributes
 * @records: (out) the answer, for records_free()
 *
 * Return: 0 or -errno; says itself what went wrong.
 */
int netlink_call(const struct request *request, const struct fields *fields,
		 struct records *records)
{
	*records = (struct records){ };
	return ask(request, NLM_F_REQUEST | NLM_F_ACK, fields, records);
}

/**
 * netlink_dump() - ask the kernel for all that there is of a kind
 * @request: of what
 * @fields: what a record tells
 * @records: (out) the answer, for records_free()
 *
 * Asks again if something changed meanwhile, but not for ever.
 *
 * Return: 0 or -errno; says itself what went wrong.
 */
int netlink_dump(const struct request *request, const struct fields *fields,
		 struct records *records)
{
	int i, error = -EAGAIN;

	*records = (struct records){ };
	for (i = 0; error == -EAGAIN && i < DUMP_TRIES; i++) {
		records_free(records);
		error = ask(request, NLM_F_REQUEST | NLM_F_DUMP, fields, records);
	}
	if (error != -EAGAIN)
		return error;
	complain("there are changes all the time; the list may be torn");
	return 0;
}

/**
 * netlink_listen() - wait for events, until a signal ends the process
 * @fields: what an event tells
 * @got: called for each
 *
 * Return: -errno; says itself what went wrong.
 */
int netlink_listen(const struct fields *fields, void (*got)(const struct record *record))
{
	struct exchange exchange = { .fields = fields, .got = got };
	int group, error = 0;

	if (!open_exchange(&exchange)) {
		close_exchange(&exchange);
		return -ENOTCONN;
	}
	nl_socket_disable_seq_check(exchange.socket);
	group = genl_ctrl_resolve_grp(exchange.socket, SCATTER_FAMILY_NAME, SCATTER_MCGRP_EVENTS);
	if (group < 0 || nl_socket_add_membership(exchange.socket, group)) {
		complain("events are for CAP_NET_ADMIN only: try as root (EPERM)");
		error = -EPERM;
	}
	while (!error) {
		int result = nl_recvmsgs_default(exchange.socket);

		if (result == -NLE_NOMEM)
			complain("events came too fast; some are lost");
		else if (result < 0)
			error = -EIO;
	}
	close_exchange(&exchange);
	return error;
}
