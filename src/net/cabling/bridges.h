/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables that belong nowhere and that something hangs on. */
#ifndef HD_NET_CABLING_BRIDGES_H
#define HD_NET_CABLING_BRIDGES_H

#include "heddle/net.h"

/* Whether a fault is an extra cable and what is behind it has no other connection: such a cable stays until it has. */
bool hd_cabling_is_bridge(const struct hd_net *net, const struct hd_cabling *cabling, const struct hd_cabling_fault *f);

#endif
