/* SPDX-License-Identifier: BSD-2-Clause */
/* Every engine; registry.c lists them. */
#ifndef HD_ROUTE_ENGINE_ENGINES_H
#define HD_ROUTE_ENGINE_ENGINES_H

#include "route/engine/engine_lookup.h"

extern const struct hd_engine hd_engine_dmodk, hd_engine_smodk;
extern const struct hd_engine hd_engine_minhop, hd_engine_updown, hd_engine_dnup, hd_engine_dmodc, hd_engine_ftree,
    hd_engine_dor, hd_engine_torus2qos, hd_engine_random, hd_engine_lash, hd_engine_nue;
extern const struct hd_engine hd_engine_ar_updn, hd_engine_ar_ftree;
extern const struct hd_engine hd_engine_mlid, hd_engine_opt, hd_engine_osrm2, hd_engine_osrm3, hd_engine_omrmn,
    hd_engine_wsr, hd_engine_file;
extern const struct hd_engine hd_engine_psssp, hd_engine_p2sssp, hd_engine_dfsssp, hd_engine_settle;

/* dmodk with the number of each endpoint, [nep] and each once, in place of those of index=FILE. */
hd_status hd_dmodk_numbered(struct hd_ctx *ctx, const struct hd_net *net, const uint64_t *number, struct hd_routes **r);

#endif
