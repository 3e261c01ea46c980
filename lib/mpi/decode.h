/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * The shape of a datatype, by how the program has made the datatype.
 */
#ifndef SCATTER_MPI_DECODE_H
#define SCATTER_MPI_DECODE_H

#include "host.h"
#include "shape.h"

/**
 * decode_type() - find where the bytes of an element are
 * @type: a valid datatype, committed or not
 *
 * Return: the shape, for shape_free(); unknown if there is no memory, or too many pieces, or
 * if the type was made in a way that this file does not know.
 */
struct shape decode_type(MPI_Datatype type);

#endif /* SCATTER_MPI_DECODE_H */
