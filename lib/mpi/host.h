/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * The MPI library of the process: its functions by their PMPI_ names, and its handles. The shim
 * is not linked with any MPI library, since LD_PRELOAD also loads the shim into programs that
 * have none. The page for users is scatter_mpi(7).
 */
#ifndef SCATTER_MPI_HOST_H
#define SCATTER_MPI_HOST_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The functions that the shim takes the place of: in all hosts, then in one of them */
#define HOST_SERVED_BY_ALL(CALL) \
	CALL(Scatter) CALL(Scatterv) CALL(Gather) CALL(Gatherv) CALL(Finalize)
#ifdef OPEN_MPI
#define HOST_SPAWNS	1
#define HOST_SERVED(CALL) \
	HOST_SERVED_BY_ALL(CALL) CALL(Comm_spawn) CALL(Comm_spawn_multiple)
#define HOST_OWN(CALL)
#else
#define HOST_LARGE_COUNTS	1
#define HOST_SESSIONS		1
#define HOST_SERVED(CALL) \
	HOST_SERVED_BY_ALL(CALL) \
	CALL(Scatter_c) CALL(Scatterv_c) CALL(Gather_c) CALL(Gatherv_c) \
	CALL(Session_init) CALL(Session_finalize)
#define HOST_OWN(CALL)	CALL(Group_from_session_pset) CALL(Comm_create_from_group) CALL(Group_free)
#endif

/* The functions that tell how a datatype was made */
#ifdef HOST_LARGE_COUNTS
#define HOST_CONTENTS(CALL)	CALL(Type_get_envelope_c) CALL(Type_get_contents_c)
#else
#define HOST_CONTENTS(CALL)	CALL(Type_get_envelope) CALL(Type_get_contents)
#endif

/* The other functions that the shim calls */
#define HOST_USED(CALL) \
	HOST_OWN(CALL) \
	CALL(Initialized) CALL(Finalized) CALL(Get_library_version) \
	CALL(Allreduce) CALL(Pack) CALL(Unpack) \
	CALL(Grequest_start) CALL(Grequest_complete) CALL(Request_get_status) CALL(Request_free) \
	CALL(Comm_size) CALL(Comm_rank) CALL(Comm_remote_size) CALL(Comm_test_inter) \
	CALL(Comm_split) CALL(Comm_free) CALL(Comm_set_errhandler) CALL(Comm_call_errhandler) \
	CALL(Comm_create_keyval) CALL(Comm_set_attr) \
	CALL(Type_create_keyval) CALL(Type_set_attr) \
	HOST_CONTENTS(CALL) CALL(Type_free) \
	CALL(Type_get_extent_x) CALL(Type_get_true_extent_x) CALL(Type_size_x) \
	CALL(Info_create) CALL(Info_dup) CALL(Info_free) CALL(Info_get) CALL(Info_set) \
	CALL(Add_error_class) CALL(Add_error_string)

/* A handle in a register, as wide as that of any MPI library. */
typedef uintptr_t host_word;

/*
 * struct host - the MPI library
 * @foreign: the process has another MPI library than the shim was built for: all calls
 *	go straight to that library, with arguments as they came
 * @comm_self: MPI_COMM_SELF; a handle of Open MPI is the address of an object
 * @comm_null: MPI_COMM_NULL
 * @type_null: MPI_DATATYPE_NULL
 * @packed: MPI_PACKED
 * @short_int: MPI_SHORT_INT
 * @uint64: MPI_UINT64_T
 * @bor: MPI_BOR
 * @errors_return: MPI_ERRORS_RETURN
 * @info_null: MPI_INFO_NULL
 *
 * The rest are functions, by their names without the prefix. tool_ is a tool between the shim and
 * the host that has the same function by its MPI_ name; NULL: there is none.
 */
struct host {
	bool foreign;
	MPI_Comm comm_self;
	MPI_Comm comm_null;
	MPI_Datatype type_null;
	MPI_Datatype packed;
	MPI_Datatype short_int;
	MPI_Datatype uint64;
	MPI_Op bor;
	MPI_Errhandler errors_return;
	MPI_Info info_null;
#define HOST_MEMBER(name)	__typeof__(PMPI_##name) *name;
	HOST_SERVED(HOST_MEMBER)
	HOST_USED(HOST_MEMBER)
#undef HOST_MEMBER
#define HOST_MEMBER(name)	__typeof__(PMPI_##name) *tool_##name;
	HOST_SERVED(HOST_MEMBER)
#undef HOST_MEMBER
};

/**
 * host_get() - the MPI library of this process, looked up at the first call
 *
 * A program that has called an MPI function without having an MPI library ends with a message.
 *
 * Return: the library; never NULL.
 */
const struct host *host_get(void);

#endif /* SCATTER_MPI_HOST_H */
