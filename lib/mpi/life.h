/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * From when to when the program uses MPI: from MPI_Init() to MPI_Finalize(), and while it has
 * sessions. The MPI library begins anew if the program does.
 */
#ifndef SCATTER_MPI_LIFE_H
#define SCATTER_MPI_LIFE_H

#include <stdbool.h>

/** life_has_world() - whether there is MPI_COMM_WORLD */
bool life_has_world(void);

/** life_has_session() - whether the program has a session */
bool life_has_session(void);

/** life_session_begun() - the program has one more session */
void life_session_begun(void);

/**
 * life_session_ends() - the program has one session less
 *
 * Return: whether nothing is left: neither a session nor MPI_COMM_WORLD.
 */
bool life_session_ends(void);

#endif /* SCATTER_MPI_LIFE_H */
