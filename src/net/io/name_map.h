/* SPDX-License-Identifier: BSD-2-Clause */
/* Names by GUID, as infiniband-diags takes them with --node-name-map. */
#ifndef HD_NET_IO_NAME_MAP_H
#define HD_NET_IO_NAME_MAP_H

#include "base/arena.h"
#include "base/input.h"

struct hd_name_map {
    uint32_t n;
    const struct hd_name_entry *entry; /* by increasing GUID */
};

/* Lines of 0x<guid> "name"; blank lines and what follows a # do not count. Memory comes from arena. */
hd_status hd_name_map_read(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_in *in, struct hd_name_map *map);
/* NULL when the map does not name it. O(log n). */
const char *hd_name_map_find(const struct hd_name_map *map, uint64_t guid);

#endif
