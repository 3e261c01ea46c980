// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * Spawned processes inherit variables of this one. Open MPI gives spawned processes the environment
 * of mpirun, which is not that of a rank if the shim was loaded by "mpirun env LD_PRELOAD=...".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heritage.h"

#define NAME	"libscatter-mpi-"
/* Open MPI's: lines of the form NAME=VALUE. */
#define KEY	"env"

static const char * const variables[] = {
	"LD_PRELOAD", "SCATTER_MPI", "SCATTER_MPI_VERBOSE",
};

/* Whether there is a line that sets a variable. */
static int is_set(const char *lines, const char *variable)
{
	const size_t length = strlen(variable);
	const char *line = lines;

	while (line && (strncmp(line, variable, length) || line[length] != '=')) {
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return !!line;
}

/* Appends a line, if there is such a variable and room, and no line for it. */
static void line_add(char *lines, size_t room, const char *variable)
{
	const size_t length = strlen(lines);
	const char *value = getenv(variable);
	int more;

	if (!value || is_set(lines, variable))
		return;
	more = snprintf(lines + length, room - length, "%s%s=%s", length ? "\n" : "", variable,
			value);
	if ((size_t)more >= room - length)
		lines[length] = '\0';
}

/* The program's own lines of the environment come first, and win. */
static void lines_make(char *lines, size_t room, MPI_Info info)
{
	const struct host *host = host_get();
	int given = 0;
	size_t i;

	*lines = '\0';
	if (info != host->info_null)
		host->Info_get(info, KEY, room - 1, lines, &given);
	if (!given)
		*lines = '\0';
	for (i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		line_add(lines, room, variables[i]);
}

MPI_Info heritage_add(MPI_Info info)
{
	const struct host *host = host_get();
	const char *preloaded = getenv(variables[0]);
	char lines[MPI_MAX_INFO_VAL];
	MPI_Info made;
	int error;

	if (!preloaded || !strstr(preloaded, NAME))
		return info;
	lines_make(lines, sizeof(lines), info);
	error = info == host->info_null ? host->Info_create(&made) : host->Info_dup(info, &made);
	if (error)
		return info;
	if (!host->Info_set(made, KEY, lines))
		return made;
	host->Info_free(&made);
	return info;
}

void heritage_free(MPI_Info made, MPI_Info info)
{
	if (made != info)
		host_get()->Info_free(&made);
}
