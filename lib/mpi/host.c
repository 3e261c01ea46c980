// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * The MPI library of the process.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

#ifdef OPEN_MPI
#define LIBRARY		"libmpi.so.40"
#define SIGN		"Open MPI"
#else
#define LIBRARY		"libmpich.so.12"
#define SIGN		"MPICH"
#endif

static struct host host;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The library may be known to a plugin alone that linked it, as in Python. */
static void *library_find(void)
{
	return dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
}

static void *function_find(void *library, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found && library)
		found = dlsym(library, name);
	return found;
}

static void *function_get(void *library, const char *name)
{
	void *found = function_find(library, name);

	if (!found) {
		fprintf(stderr, "libscatter-mpi: there is no %s\n", name);
		abort();
	}
	return found;
}

/* In the host MPI_X and PMPI_X are one function: another MPI_X is that of a tool. */
static void *tool_find(void *library, const char *name)
{
	void *found = function_find(library, name + 1);

	return found == function_find(library, name) ? NULL : found;
}

/* The text is longer than MPI_MAX_LIBRARY_VERSION_STRING of some. */
static bool is_foreign(void)
{
	static char version[16384];
	int length = 0;

	host.Get_library_version(version, &length);
	return !strstr(version, SIGN);
}

#ifdef OPEN_MPI
/*
 * The program's copy of the object, if it has one, is the object of all. An object may be missing
 * in a host that is foreign.
 */
static void *object_find(void *library, const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found && library)
		found = dlsym(library, name);
	return found;
}

static void handles_find(void *library)
{
	host.comm_self = object_find(library, "ompi_mpi_comm_self");
	host.comm_null = object_find(library, "ompi_mpi_comm_null");
	host.type_null = object_find(library, "ompi_mpi_datatype_null");
	host.packed = object_find(library, "ompi_mpi_packed");
	host.short_int = object_find(library, "ompi_mpi_short_int");
	host.uint64 = object_find(library, "ompi_mpi_uint64_t");
	host.bor = object_find(library, "ompi_mpi_op_bor");
	host.errors_return = object_find(library, "ompi_mpi_errors_return");
	host.info_null = object_find(library, "ompi_mpi_info_null");
}
#else
static void handles_find(void *library)
{
	(void)library;
	host.comm_self = MPI_COMM_SELF;
	host.comm_null = MPI_COMM_NULL;
	host.type_null = MPI_DATATYPE_NULL;
	host.packed = MPI_PACKED;
	host.short_int = MPI_SHORT_INT;
	host.uint64 = MPI_UINT64_T;
	host.bor = MPI_BOR;
	host.errors_return = MPI_ERRORS_RETURN;
	host.info_null = MPI_INFO_NULL;
}
#endif

static void look_up(void)
{
	void *library = library_find();

#define FIND(name)	host.name = function_find(library, "PMPI_" #name);
	HOST_SERVED(FIND)
	HOST_USED(FIND)
#define FIND_TOOL(name)	host.tool_##name = tool_find(library, "PMPI_" #name);
	HOST_SERVED(FIND_TOOL)
#undef FIND
#undef FIND_TOOL
	/* Every MPI library has these. */
	host.Finalize = function_get(library, "PMPI_Finalize");
	host.Get_library_version = function_get(library, "PMPI_Get_library_version");
	handles_find(library);
	host.foreign = is_foreign();
}

const struct host *host_get(void)
{
	pthread_once(&once, look_up);
	return &host;
}
