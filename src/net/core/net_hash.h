/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether two networks are the same, by one number. */
#ifndef HD_NET_CORE_NET_HASH_H
#define HD_NET_CORE_NET_HASH_H

#include "heddle/net.h"

/* Of nodes, cables, names, structure and selection. O(size). */
uint64_t hd_net_hash(const struct hd_net *net);

#endif
