/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths that mean a descriptor: /dev/stdout, /dev/fd/N, /proc/PID/fd/N, the same of threads, links to them, and other
 * ways to their folders. */
#ifndef HD_BASE_DESCRIPTORS_H
#define HD_BASE_DESCRIPTORS_H

#include <stdbool.h>
#include <sys/stat.h>

enum { HD_NO_DESCRIPTOR = -1, HD_OF_ANOTHER = -2 };

/* The descriptor of this process that a path means, by itself or through links, or that it is one of another process.
 * By its folder and its text, so that no link of /dev is taken for a file, whatever it leads to and whether or not
 * /proc is there. */
int hd_descriptor_of(const char *path);
/* Whether a descriptor was there when the process began, so that its user can mean it (hd_files_inherit). */
bool hd_is_inherited(int descriptor);
/* Whether two files, or two ends of pipes, are the same: what is written to one goes to the other. */
bool hd_is_same_stream(const struct stat *a, const struct stat *b);

#endif
