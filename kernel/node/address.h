/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_ADDRESS_H
#define _SCATTER_ADDRESS_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/socket.h>
#include <linux/types.h>

/**
 * union scatter_address - where a node listens
 * @any: the family
 * @v4: IPv4, all other bytes 0
 * @v6: IPv6
 */
union scatter_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

int scatter_address_read(union scatter_address *address, const void *data, unsigned int bytes);
unsigned int scatter_address_bytes(const union scatter_address *address);
bool scatter_address_equal(const union scatter_address *a, const union scatter_address *b);
bool scatter_address_same_host(const union scatter_address *a, const struct sockaddr *b);

#endif /* _SCATTER_ADDRESS_H */
