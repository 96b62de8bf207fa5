/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kind a file is of, by its first lines. */
#ifndef HD_NET_IO_FILE_KIND_H
#define HD_NET_IO_FILE_KIND_H

#include "heddle/net.h"

/* Whether a file looks like a network; hd_file_is_table is in heddle/net.h. */
hd_status hd_file_is_network(struct hd_ctx *ctx, const char *path, bool *network);
/* The status of reading a file; after HD_INPUT the message says, where it is so, that it is of the other kind. */
hd_status hd_file_mistaken(struct hd_ctx *ctx, const char *path, hd_status status,
                           hd_status (*is)(struct hd_ctx *ctx, const char *path, bool *other), const char *what);

#endif
