// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * Datatypes. An attribute of the datatype tells when the MPI library frees the datatype.
 */
#include "decode.h"
#include "form.h"
#include "self.h"

static struct registry forms = REGISTRY_INIT(struct form);
static pthread_mutex_t keyval_lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval;
static bool keyval_made;

static void form_drop(struct form *form)
{
	shape_free(&form->shape);
	registry_free(&forms, &form->entry);
}

/* A copy of the datatype is a datatype of its own. */
static int on_copy(MPI_Datatype type, int key, void *extra, void *from, void *to, int *copy)
{
	(void)type;
	(void)key;
	(void)extra;
	(void)from;
	(void)to;
	*copy = 0;
	return MPI_SUCCESS;
}

/* MPICH forgets predefined datatypes when it ends, which is after form_end_all(). */
static int on_delete(MPI_Datatype type, int key, void *attribute, void *extra)
{
	struct form *form = attribute;

	(void)key;
	(void)extra;
	if (form->entry.key == (host_word)type)
		form_drop(form);
	return MPI_SUCCESS;
}

static bool keyval_get(void)
{
	pthread_mutex_lock(&keyval_lock);
	if (!keyval_made)
		keyval_made = !host_get()->Type_create_keyval(on_copy, on_delete, &keyval, NULL);
	pthread_mutex_unlock(&keyval_lock);
	return keyval_made;
}

/* Packing nothing is refused if the type is none, or not committed. */
static bool is_committed(MPI_Datatype type)
{
	MPI_Comm self;
	char nothing;
	int position = 0;

	return !self_get(&self) ||
	       !host_get()->Pack(&nothing, 0, type, &nothing, 0, &position, self);
}

static void fill(struct form *form, MPI_Datatype type)
{
	MPI_Count size = 0, low = 0, extent = 0;

	host_get()->Type_size_x(type, &size);
	host_get()->Type_get_extent_x(type, &low, &extent);
	form->size = size;
	form->extent = extent;
	form->shape = decode_type(type);
	if (shape_size(&form->shape) == size)
		return;
	shape_free(&form->shape);
	form->shape = shape_unknown();
}

/* Another thread may be faster. */
static int form_make(MPI_Datatype type, const struct form **result)
{
	struct registry_entry *found;
	struct form *form;

	if (type == host_get()->type_null || !is_committed(type))
		return MPI_ERR_TYPE;
	form = keyval_get() ? (struct form *)registry_new(&forms) : NULL;
	if (!form)
		return MPI_ERR_NO_MEM;
	fill(form, type);
	found = registry_add(&forms, &form->entry, (host_word)type);
	if (found != &form->entry) {
		form_drop(form);
	} else if (host_get()->Type_set_attr(type, keyval, form)) {
		form_drop(form);
		return MPI_ERR_NO_MEM;
	}
	*result = (const struct form *)found;
	return MPI_SUCCESS;
}

int form_get(MPI_Datatype type, const struct form **form)
{
	struct registry_entry *found = registry_find(&forms, (host_word)type);

	if (!found)
		return form_make(type, form);
	*form = (const struct form *)found;
	return MPI_SUCCESS;
}

void form_end_all(void)
{
	struct registry_entry *entry;

	while ((entry = registry_pop(&forms)))
		form_drop((struct form *)entry);
	keyval_made = false;
}
