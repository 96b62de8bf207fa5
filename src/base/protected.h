/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that no result may replace: those that were really read, wherever their names came from, and those that
 * standard output and standard error go to. By device and number, so that no link leads around it. */
#ifndef HD_BASE_PROTECTED_H
#define HD_BASE_PROTECTED_H

#include "heddle/base.h"

#include <sys/stat.h>

struct hd_protected;

void hd_protected_free(struct hd_protected *files);
/* A file that is open for reading. Nothing happens unless the context protects its inputs, or for what is no file. */
hd_status hd_protect_read(struct hd_ctx *ctx, const struct stat *st);
/* Whether the command has read it. */
bool hd_is_input(const struct hd_ctx *ctx, const struct stat *st);
/* Why this file may not be replaced; NULL: it may. */
const char *hd_protected_why(const struct hd_ctx *ctx, const struct stat *st);

#endif
