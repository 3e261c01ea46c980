/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * Datatypes: where the bytes of their elements lie.
 */
#ifndef SCATTER_MPI_FORM_H
#define SCATTER_MPI_FORM_H

#include "registry.h"
#include "shape.h"

/**
 * struct form - a datatype
 * @entry: in the registry, by the datatype's handle
 * @size: bytes of an element
 * @extent: bytes from an element to the next one
 * @shape: where the bytes are, from the element's address
 */
struct form {
	struct registry_entry entry;
	int64_t size;
	int64_t extent;
	struct shape shape;
};

/**
 * form_get() - the form of a datatype
 * @type: any handle
 * @form: (out) valid until the datatype is freed
 *
 * Return: MPI_SUCCESS; MPI_ERR_TYPE if @type is no committed datatype; MPI_ERR_NO_MEM.
 */
int form_get(MPI_Datatype type, const struct form **form);

/** form_end_all() - know no datatype any more */
void form_end_all(void);

/** form_is_contiguous() - whether elements have no gaps, inside or between them */
static inline bool form_is_contiguous(const struct form *form)
{
	return shape_is_dense(&form->shape) && form->size == form->extent;
}

#endif /* SCATTER_MPI_FORM_H */
