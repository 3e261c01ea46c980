// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of nodes as text: 192.0.2.1, 192.0.2.1:7471, 2001:db8::1, [fe80::1%eth0]:7471.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "netlink.h"
#include "scatterctl.h"

static bool set_port(union address *address, const char *text)
{
	uint64_t port;

	if (!parse_number(text, 10, 1, 65535, &port))
		return false;
	/* Both families have it at the same place. */
	address->v4.sin_port = htons(port);
	return true;
}

static bool set_v6(union address *address, char *host)
{
	char *scope = strchr(host, '%');

	if (scope) {
		*scope++ = '\0';
		address->v6.sin6_scope_id = if_nametoindex(scope);
		if (!address->v6.sin6_scope_id)
			return false;
	}
	address->v6.sin6_family = AF_INET6;
	return inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1;
}

/**
 * parse_address() - read an address
 * @text: the address
 * @address: (out) the same; without a port it has the port 0
 *
 * Return: whether it is one.
 */
bool parse_address(const char *text, union address *address)
{
	char host[ADDRESS_TEXT], *end;

	memset(address, 0, sizeof(*address));
	if (strlen(text) >= sizeof(host))
		return false;
	strcpy(host, text);
	if (*host == '[') {
		end = strchr(host, ']');
		if (!end || (end[1] && end[1] != ':'))
			return false;
		*end = '\0';
		return set_v6(address, host + 1) && (!end[1] || set_port(address, end + 2));
	}
	end = strchr(host, ':');
	if (end && strchr(end + 1, ':'))
		return set_v6(address, host);
	if (end)
		*end++ = '\0';
	address->v4.sin_family = AF_INET;
	return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1 &&
	       (!end || set_port(address, end));
}

/**
 * format_address() - an address as text
 * @buffer: where to; ADDRESS_TEXT bytes
 * @address: the address
 *
 * Return: @buffer.
 */
const char *format_address(char *buffer, const union address *address)
{
	char host[INET6_ADDRSTRLEN] = "?", scope[IF_NAMESIZE + 1] = "";
	int port = ntohs(address->v4.sin_port);

	if (address->any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof(host));
		snprintf(buffer, ADDRESS_TEXT, "%s:%d", host, port);
		return buffer;
	}
	inet_ntop(AF_INET6, &address->v6.sin6_addr, host, sizeof(host));
	if (address->v6.sin6_scope_id) {
		*scope = '%';
		if (!if_indextoname(address->v6.sin6_scope_id, scope + 1))
			strcpy(scope + 1, "?");
	}
	snprintf(buffer, ADDRESS_TEXT, "[%s%s]:%d", host, scope, port);
	return buffer;
}
