/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink: requests, and records that answer them. fields.c says what a record has.
 */
#ifndef SCATTERCTL_NETLINK_H
#define SCATTERCTL_NETLINK_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/scatter_netlink.h>

/* Longest value as text: four addresses with their ports. */
#define VALUE_TEXT	320
#define FIELDS_MAX	24
#define ITEMS_MAX	16

/**
 * union address - of a node
 * @any: the family
 * @v4: IPv4
 * @v6: IPv6
 */
union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

enum field_kind {
	FIELD_NUMBER,		/* u32 or u64 */
	FIELD_HEX,		/* u64, random or a digest */
	FIELD_WORD,		/* u32 with a name for each value */
	FIELD_BITS,		/* u32 with a name for each bit */
	FIELD_MODE,		/* u32, permission bits */
	FIELD_ERROR,		/* u32, an errno */
	FIELD_TEXT,		/* string */
	FIELD_ID,		/* 16 bytes */
	FIELD_ADDRESSES,	/* nest of addresses */
};

/**
 * struct field - something that a record tells
 * @name: as printed
 * @kind: what it is
 * @attribute: where it is in the message
 * @inner: where it is in the nest @attribute; 0: there is no nest
 * @names: of the values of a FIELD_WORD, or of the bits of FIELD_BITS; ends with NULL
 * @brief: whether tables have it
 */
struct field {
	const char *name;
	enum field_kind kind;
	int attribute;
	int inner;
	const char *const *names;
	bool brief;
};

/**
 * struct fields - what a kind of records tells
 * @command: that asks for them
 * @list: the fields, up to one without a name
 * @each: a nest that comes many times, and is a record of its own; 0: none
 * @inner: what those tell
 */
struct fields {
	int command;
	const struct field *list;
	int each;
	const struct fields *inner;
};

/**
 * struct value - of a field of a record
 * @there: whether the kernel told it
 * @number: if it is one
 * @id: if it is 16 bytes
 * @text: in any case
 */
struct value {
	bool there;
	uint64_t number;
	unsigned char id[16];
	char text[VALUE_TEXT];
};

/**
 * struct record - what one message tells
 * @fields: what it may tell
 * @values: in the order of the fields
 */
struct record {
	const struct fields *fields;
	struct value values[FIELDS_MAX];
};

/**
 * struct records - an answer
 * @count: how many
 * @list: of each message one, and of each nest that comes many times
 */
struct records {
	size_t count;
	struct record *list;
};

/**
 * struct item - an attribute of a request
 * @attribute: its type
 * @bytes: its length; a u32 or u64 by that
 * @number: its value, if @data is NULL
 * @data: its value; must stay where it is
 * @addresses: it is a nest of so many addresses, which are @data; 0: it is not
 */
struct item {
	int attribute;
	size_t bytes;
	uint64_t number;
	const void *data;
	unsigned int addresses;
};

/**
 * struct request - a command for the kernel
 * @command: enum scatter_netlink_command
 * @count: how many attributes it has
 * @items: those
 */
struct request {
	int command;
	unsigned int count;
	struct item items[ITEMS_MAX];
};

void request_u32(struct request *request, int attribute, uint32_t value);
void request_u64(struct request *request, int attribute, uint64_t value);
void request_data(struct request *request, int attribute, const void *data, size_t bytes);
void request_addresses(struct request *request, int attribute, const union address *addresses,
		       unsigned int count);

int netlink_call(const struct request *request, const struct fields *fields,
		 struct records *records);
int netlink_dump(const struct request *request, const struct fields *fields,
		 struct records *records);
int netlink_listen(const struct fields *fields, void (*got)(const struct record *record));
void records_free(struct records *records);

/* fields.c */
extern const struct fields node_fields, peer_fields, tune_fields, stats_fields, object_fields,
	group_fields, member_fields, event_fields, ping_fields;

const struct value *record_value(const struct record *record, const char *name);

/* address.c */
#define ADDRESS_TEXT	80
bool parse_address(const char *text, union address *address);
const char *format_address(char *buffer, const union address *address);

#endif /* SCATTERCTL_NETLINK_H */
