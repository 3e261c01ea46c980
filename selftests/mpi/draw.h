/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers from a seed, and random datatypes.
 */
#ifndef SCATTER_MPI_DRAW_H
#define SCATTER_MPI_DRAW_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Elements of a block are a multiple of this, so that types of several sizes fill it. */
#define DRAW_UNIT	12

/** draw_seed() - begin a sequence */
void draw_seed(uint64_t seed);

/** draw() - a number from 0 to @bound - 1 */
int draw(int bound);

/** draw_one_in() - true once in @n times */
static inline bool draw_one_in(int n)
{
	return !draw(n);
}

/** draw_divisor() - of DRAW_UNIT */
int draw_divisor(void);

/** draw_base() - one of the types that others are made of, the same for the same @number */
MPI_Datatype draw_base(int number);

/** DRAW_BASES - numbers of draw_base() */
#define DRAW_BASES	8

/**
 * draw_type() - a committed type of @count elements of @base, for MPI_Type_free()
 * @base: of draw_base()
 * @count: a divisor of DRAW_UNIT
 *
 * No byte of a buffer of such types occurs twice.
 */
MPI_Datatype draw_type(MPI_Datatype base, int count);

#endif /* SCATTER_MPI_DRAW_H */
