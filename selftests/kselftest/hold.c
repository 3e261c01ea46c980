// SPDX-License-Identifier: GPL-2.0
/*
 * hold NAME SIZE: joins a group without waiting, says "joined", and stays a
 * member until its standard input ends. A helper of the shell tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

int main(int argc, char **argv)
{
	struct scatter_join arg;
	int fd, error;
	char byte;

	if (argc != 3) {
		fprintf(stderr, "usage: hold NAME SIZE\n");
		return 2;
	}
	fd = device_open(O_NONBLOCK);
	if (fd < 0) {
		fprintf(stderr, "hold: %s: %s\n", DEVICE, strerror(-fd));
		return 1;
	}
	arg = join_of(argv[1], (unsigned int)atoi(argv[2]), SCATTER_RANK_ANY);
	error = device_call(fd, SCATTER_IOCTL_JOIN, &arg);
	if (error && error != -EINPROGRESS) {
		fprintf(stderr, "hold: JOIN: %s\n", strerror(-error));
		return 1;
	}
	puts("joined");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
