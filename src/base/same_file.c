/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether two paths mean one file, also where there is none yet. */
#include "base/descriptors.h"
#include "tool/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path of a file that need not exist, through the links of its folder; NULL: there is no such folder. */
static char *whole_path(const char *path)
{
    char *whole = realpath(path, NULL), *folder;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (whole) return whole;
    char *in = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    folder = in ? realpath(in, NULL) : NULL;
    free(in);
    if (folder && (whole = malloc(strlen(folder) + strlen(name) + 2))) sprintf(whole, "%s/%s", folder, name);
    free(folder);
    return whole;
}

bool hd_same_file(const char *a, const char *b)
{
    struct stat x, y;
    const int i = hd_descriptor_of(a), k = hd_descriptor_of(b);
    if (i >= 0 && i == k) return true;
    if (stat(a, &x) == 0 && stat(b, &y) == 0) return hd_is_same_stream(&x, &y);
    char *p = whole_path(a), *q = whole_path(b);
    bool same = p && q && strcmp(p, q) == 0;
    free(p);
    free(q);
    return same;
}
