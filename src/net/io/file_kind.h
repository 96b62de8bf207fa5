/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kind a file is of, by its first lines. */
#ifndef HD_NET_IO_FILE_KIND_H
#define HD_NET_IO_FILE_KIND_H

#include "heddle/net.h"

/* Whether a file looks like a network; hd_file_is_table is in heddle/net.h. */
bool hd_file_is_network(struct hd_ctx *ctx, const char *path);

#endif
