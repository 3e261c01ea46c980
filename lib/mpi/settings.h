/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * Settings from the environment, and messages to the user.
 */
#ifndef SCATTER_MPI_SETTINGS_H
#define SCATTER_MPI_SETTINGS_H

/**
 * enum settings_mode - SCATTER_MPI
 * @SETTINGS_ON: the device serves what it can
 * @SETTINGS_OFF: the device serves nothing
 * @SETTINGS_REQUIRE: what the device cannot serve is an error
 */
enum settings_mode {
	SETTINGS_ON = 0,
	SETTINGS_OFF = 1,
	SETTINGS_REQUIRE = 2,
};

/** settings_mode() - what SCATTER_MPI says; anything unknown is on, with a message */
enum settings_mode settings_mode(void);

/**
 * settings_tell() - say who serves a communicator, if SCATTER_MPI_VERBOSE asks for that
 * @ranks: of the communicator
 * @reason: why the host serves; NULL: the device serves
 *
 * Each reason is told once.
 */
void settings_tell(int ranks, const char *reason);

#endif /* SCATTER_MPI_SETTINGS_H */
