/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks and checks that tests of OpenSM's engines share. */
#ifndef ENGINE_TOOLS_H
#define ENGINE_TOOLS_H

#include "opensm_oracle.h"

static const char *const tree_specs[] = {"gft:n=4,m=4,r=8",
                                         "ft:m=4,n=3",
                                         "ft:m=8,n=2",
                                         "ft:m=6,n=1",
                                         "xgft:m=4x4x8,w=1x4x4",
                                         "xgft:m=3x2x2x3,w=1x2x3x2",
                                         "xgft:m=4x4x4,w=1x2x2,partial=leaves:7",
                                         "pgft:m=4x4,w=1x2,p=1x2",
                                         "pgft:m=6x6x4,w=1x3x2,p=1x2x3,partial=random:50",
                                         "pgft:m=3x4x5,w=1x2x3,p=1x3x2",
                                         "kary:k=2,n=4",
                                         "kary:k=3,n=2,partial=endpoints:7"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static inline void check_minimal(const struct hd_net *net, const char *engine, bool acyclic)
{
    uint16_t *dist = all_distances(net);
    struct hd_routes *r = make_routes(net, engine);
    struct pairs p = follow_all(r, dist);
    agree_with_check(r, &p);
    if (acyclic && p.cyclic) fail_msg("%s on %s: the dependencies have a cycle", engine, net->spec);
    pairs_free(&p);
    hd_routes_free(r);
    free(dist);
}

static inline void same_rows(const struct hd_routes *a, const struct hd_routes *b)
{
    const struct hd_net *net = hd_routes_net(a);
    uint8_t *x = malloc(net->nsw), *y = malloc(net->nsw);
    for (uint32_t d = 0; d < net->nep; d++)
        if (memcmp(hd_routes_row(a, d, 0, x), hd_routes_row(b, d, 0, y), net->nsw) != 0)
            fail_msg("%s: %s and %s differ towards endpoint %u", net->spec, hd_routes_spec(a), hd_routes_spec(b), d);
    free(x);
    free(y);
}

static const char *const engines[] = {"minhop", "updown", "dor", "lash", "ftree", "dmodc", "random"};

#endif
