/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hashes of what the ranks received, and whether they are those of the file.
 */
#ifndef DEMO_HASHES_H
#define DEMO_HASHES_H

#include <stdbool.h>

#include "demo.h"

void hashes_read(const char *path);
bool hashes_show(const struct job *job, const struct report *report);

#endif /* DEMO_HASHES_H */
