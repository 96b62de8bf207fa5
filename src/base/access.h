/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may read and write a file that takes the place of another. */
#ifndef HD_BASE_ACCESS_H
#define HD_BASE_ACCESS_H

#include <stdbool.h>
#include <sys/stat.h>

/* A new file, open as fd, gets the owner, the mode and the access control list of an old one, name in the folder at,
 * which st describes. False with errno: not all of it. */
bool hd_access_copy(int fd, int at, const char *name, const struct stat *st);

#endif
