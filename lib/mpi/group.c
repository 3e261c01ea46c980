// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * Communicators. An attribute of the communicator tells when the MPI library frees the
 * communicator; then the process leaves the device's group. Other ranks can still complete the
 * operations that this process has called, so the communicators may be freed in any order.
 */
#include <linux/scatter.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "group.h"

static struct registry groups = REGISTRY_INIT(struct group);
static pthread_mutex_t keyval_lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval;
static bool keyval_made;

static void group_end(struct group *group)
{
	struct scatter_leave leave = { .size = sizeof(leave) };

	if (group->state == GROUP_DEVICE) {
		ioctl(group->fd, SCATTER_IOCTL_LEAVE, &leave);
		close(group->fd);
	}
	free(group->counts);
	group->counts = NULL;
	registry_free(&groups, &group->entry);
}

/* A copy of the communicator is a communicator of its own. */
static int on_copy(MPI_Comm comm, int key, void *extra, void *from, void *to, int *copy)
{
	(void)comm;
	(void)key;
	(void)extra;
	(void)from;
	(void)to;
	*copy = 0;
	return MPI_SUCCESS;
}

/* The library may forget a communicator when it ends, after group_end_all(). */
static int on_delete(MPI_Comm comm, int key, void *attribute, void *extra)
{
	struct group *group = attribute;

	(void)key;
	(void)extra;
	if (group->entry.key == (host_word)comm)
		group_end(group);
	return MPI_SUCCESS;
}

static bool keyval_get(void)
{
	pthread_mutex_lock(&keyval_lock);
	if (!keyval_made)
		keyval_made = !host_get()->Comm_create_keyval(on_copy, on_delete, &keyval, NULL);
	pthread_mutex_unlock(&keyval_lock);
	return keyval_made;
}

static void fill(struct group *group, MPI_Comm comm, int inter)
{
	const struct host *host = host_get();

	host->Comm_rank(comm, &group->rank);
	host->Comm_size(comm, &group->size);
	group->peers = group->size;
	if (inter)
		host->Comm_remote_size(comm, &group->peers);
	group->comm = comm;
	group->inter = inter;
	group->small = !inter && group->size == 1;
	group->state = group->small ? GROUP_HOST : GROUP_UNDECIDED;
	group->fd = -1;
}

static int group_make(MPI_Comm comm, struct group **result)
{
	struct registry_entry *found;
	struct group *group;
	int inter = 0;

	if (host_get()->Comm_test_inter(comm, &inter))
		return MPI_ERR_COMM;
	group = keyval_get() ? (struct group *)registry_new(&groups) : NULL;
	if (!group)
		return MPI_ERR_NO_MEM;
	fill(group, comm, inter);
	found = registry_add(&groups, &group->entry, (host_word)comm);
	*result = (struct group *)found;
	if (found != &group->entry) {
		group_end(group);
	} else if (host_get()->Comm_set_attr(comm, keyval, group)) {
		group_end(group);
		return MPI_ERR_NO_MEM;
	}
	return MPI_SUCCESS;
}

int group_get(MPI_Comm comm, struct group **group)
{
	struct registry_entry *found = registry_find(&groups, (host_word)comm);

	if (!found)
		return group_make(comm, group);
	*group = (struct group *)found;
	return MPI_SUCCESS;
}

void group_serve(struct group *group, int fd, uint64_t *counts)
{
	group->fd = fd;
	group->counts = counts;
	group->state = GROUP_DEVICE;
}

void group_end_all(void)
{
	struct registry_entry *entry;

	while ((entry = registry_pop(&groups)))
		group_end((struct group *)entry);
	keyval_made = false;
}
