/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes that 'scatterctl run' starts.
 */
#ifndef SCATTERCTL_JOB_H
#define SCATTERCTL_JOB_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct child - the process of one rank
 * @pid: its id; 0 before it starts and after it is reaped
 * @pidfd: descriptor that becomes readable when it ends
 * @ending: it was already on its way out at job_note_ending()
 */
struct child {
	pid_t pid;
	int pidfd;
	bool ending;
};

/**
 * struct job - all of them
 * @group: what SCATTER_GROUP says, or NULL
 * @fd: what SCATTER_FD says, or -1
 * @size: how many
 * @sides: members of each side, or zeros
 * @nodes: the text of --nodes, or NULL
 * @here: by rank, whether it is for this node; NULL: all are
 * @argv: command and arguments
 * @epoll: reports signals and ended children, in the order in which they ended
 * @signals: descriptor of the signals that are caught
 * @before: signal mask to start children with
 * @files: limit of open files to start children with
 * @children: by rank
 * @alive: how many run
 */
struct job {
	const char *group;
	int fd;
	unsigned int size;
	unsigned int sides[2];
	const char *nodes;
	bool *here;
	char **argv;
	int epoll;
	int signals;
	sigset_t before;
	struct rlimit files;
	struct child *children;
	unsigned int alive;
};

/* The @data of an event for signals; that of other events is a rank. */
#define EVENT_SIGNALS	UINT32_MAX

int job_open(struct job *job);
int job_start(struct job *job, unsigned int rank, bool *no_exec);
int job_reap(struct job *job, unsigned int rank);
void job_note_ending(struct job *job);
void job_signal(const struct job *job, int signal);
void orphans_signal(const struct job *job, int signal);
bool orphans_reap(const struct job *job);

/* job_nodes.c */
int job_place(struct job *job);

#endif /* SCATTERCTL_JOB_H */
