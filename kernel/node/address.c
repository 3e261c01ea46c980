// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of nodes: IPv4 and IPv6, with a port.
 */
#include <linux/errno.h>
#include <linux/inet.h>
#include <linux/scatter_netlink.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "node/address.h"

static bool v4_ok(const struct sockaddr_in *v4)
{
	__be32 host = v4->sin_addr.s_addr;

	return !ipv4_is_zeronet(host) && !ipv4_is_multicast(host) && !ipv4_is_lbcast(host);
}

/* Refuse mapped IPv4 addresses: the same address could be written in two ways. */
static bool v6_ok(const struct sockaddr_in6 *v6)
{
	const int type = ipv6_addr_type(&v6->sin6_addr);

	if (type == IPV6_ADDR_ANY || type & (IPV6_ADDR_MULTICAST | IPV6_ADDR_MAPPED))
		return false;
	return !v6->sin6_flowinfo && !!v6->sin6_scope_id == !!(type & IPV6_ADDR_LINKLOCAL);
}

/**
 * scatter_address_read() - take over an address from a user
 * @address: (out) the address; a port of 0 has become %SCATTER_NODE_PORT
 * @data: struct sockaddr_in or struct sockaddr_in6
 * @bytes: the length of @data
 *
 * Context: any.
 * Return: 0; -EINVAL: not the address of one host; -EOPNOTSUPP: an address of another family.
 */
int scatter_address_read(union scatter_address *address, const void *data, unsigned int bytes)
{
	memset(address, 0, sizeof(*address));
	if (bytes < sizeof(sa_family_t))
		return -EINVAL;
	memcpy(address, data, min_t(size_t, bytes, sizeof(*address)));
	if (address->any.sa_family != AF_INET && address->any.sa_family != AF_INET6)
		return -EOPNOTSUPP;
	if (bytes != scatter_address_bytes(address))
		return -EINVAL;
	if (address->any.sa_family == AF_INET) {
		memset(address->v4.sin_zero, 0, sizeof(address->v4.sin_zero));
		if (!v4_ok(&address->v4))
			return -EINVAL;
	} else if (!v6_ok(&address->v6)) {
		return -EINVAL;
	}
	/* IPv4 and IPv6 addresses have the port at the same place. */
	if (!address->v4.sin_port)
		address->v4.sin_port = htons(SCATTER_NODE_PORT);
	return 0;
}

/**
 * scatter_address_bytes() - length of an address as a user gives it
 * @address: the address
 *
 * Context: any.
 */
unsigned int scatter_address_bytes(const union scatter_address *address)
{
	return address->any.sa_family == AF_INET ? sizeof(address->v4) : sizeof(address->v6);
}

/**
 * scatter_address_equal() - whether two addresses are the same, with the port
 * @a: one address
 * @b: the other address
 *
 * Context: any.
 */
bool scatter_address_equal(const union scatter_address *a, const union scatter_address *b)
{
	return a->v4.sin_port == b->v4.sin_port && scatter_address_same_host(a, &b->any);
}

/**
 * scatter_address_same_host() - whether two addresses are the same but for the port
 * @a: one address
 * @b: the other address, of any family
 *
 * An incoming line does not tell the scope of a link-local address: 0 fits any.
 *
 * Context: any.
 */
bool scatter_address_same_host(const union scatter_address *a, const struct sockaddr *b)
{
	const union scatter_address *other = (const union scatter_address *)b;

	if (a->any.sa_family != b->sa_family)
		return false;
	if (a->any.sa_family == AF_INET)
		return a->v4.sin_addr.s_addr == other->v4.sin_addr.s_addr;
	if (a->v6.sin6_scope_id != other->v6.sin6_scope_id && a->v6.sin6_scope_id &&
	    other->v6.sin6_scope_id)
		return false;
	return ipv6_addr_equal(&a->v6.sin6_addr, &other->v6.sin6_addr);
}
