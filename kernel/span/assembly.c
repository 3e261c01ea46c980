// SPDX-License-Identifier: GPL-2.0
/*
 * Assemblies: the memory of a group's council on a node, and its mail.
 *
 * The memory is allocated before the group forms. A group that is made of an older one gets memory
 * for as many nodes and ranks as the older group has.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "group/group.h"
#include "group/portal.h"
#include "node/mail.h"
#include "span/assembly.h"
#include "span/attach.h"
#include "wire/wide_council.h"

/**
 * scatter_assembly_create() - allocate the memory of a group's council
 * @portal: the group's portal, which frees the memory
 * @nodes: upper bound of the number of nodes of the group
 * @ranks: upper bound of the number of members of the group
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int scatter_assembly_create(struct scatter_portal *portal, u32 nodes, u32 ranks)
{
	size_t words = ranks + DIV_ROUND_UP(scatter_council_bytes(nodes, ranks), sizeof(u64));

	static_assert(sizeof(struct scatter_choice) == sizeof(u64));
	portal->assembly = kvzalloc(struct_size(portal->assembly, memory, words),
				    GFP_KERNEL_ACCOUNT);
	return portal->assembly ? 0 : -ENOMEM;
}

/**
 * scatter_assembly_begin() - set up the council of a group that is about to form
 * @group: its portal has its nodes, and memory for its council; nobody else knows the group
 *
 * Context: any.
 */
void scatter_assembly_begin(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_assembly *assembly = portal->assembly;

	assembly->choices = (struct scatter_choice *)assembly->memory;
	scatter_council_init(&assembly->council, portal->nr_nodes, portal->self, group->size,
			     assembly->memory + group->size);
}

/**
 * scatter_assembly_mail() - build the bytes of a council's message
 * @group: formed, and spans nodes
 * @message: the message
 * @bytes: (out) length of the message
 *
 * Never fails: see scatter_mail_post().
 *
 * Context: may sleep.
 * Return: the message's bytes, for kvfree().
 */
void *scatter_assembly_mail(const struct scatter_group *group,
			    const struct scatter_council_message *message, u32 *bytes)
{
	void *raw;

	*bytes = scatter_wide_build_council_bytes(message);
	raw = kvzalloc(*bytes, GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	scatter_wide_build_council(raw, 0, group->id, message);
	return raw;
}

/**
 * scatter_assembly_say() - send a council's message to another node
 * @group: formed, and spans nodes; referenced
 * @to: the node's index
 * @message: the message; lost if the nodes are not tied yet: the council repeats the message later
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_mail_flush() afterwards.
 */
void scatter_assembly_say(struct scatter_group *group, u32 to,
			  const struct scatter_council_message *message)
{
	const struct scatter_portal *portal = group->portal;
	void *raw;
	u32 bytes;

	if (!scatter_attach_tied(group, to))
		return;
	raw = scatter_assembly_mail(group, message, &bytes);
	scatter_mail_post(portal->node, portal->mailer, portal->nodes[to].id, raw, bytes);
	kvfree(raw);
}
