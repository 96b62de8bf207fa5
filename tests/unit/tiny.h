/* SPDX-License-Identifier: BSD-2-Clause */
/* Small networks written down by hand: switches s0, s1, ... with hosts and cables between them. */
#ifndef TINY_H
#define TINY_H

#include "testing.h"
#include "base/context.h"

#include <stdio.h>

/* hosts: endpoints of each switch, "2 0 1"; "1s": they are storage, which is not selected; "1a":
 * aggregation nodes. cables: "0-1 0-1 1-2". Ports
 * are used in order, hosts first. Endpoints are h0, h1, ... */
static inline struct hd_net *tiny(const char *hosts, const char *cables)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    uint32_t port[64] = {0}, nsw = 0, nep = 0;
    char name[16], *end;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (const char *at = hosts; *at; at = end + strspn(end, " ")) {
        uint32_t n = (uint32_t)strtoul(at, &end, 10);
        assert_true(end > at);
        enum hd_role role = *end == 's' ? HD_ROLE_STORAGE : *end == 'a' ? HD_ROLE_AGGREGATION : HD_ROLE_HOST;
        end += role != HD_ROLE_HOST;
        snprintf(name, sizeof name, "s%u", nsw);
        uint32_t sw = hd_builder_switch(b, &(struct hd_switch_in){.name = name, .nports = 36});
        for (uint32_t i = 0; i < n; i++) {
            snprintf(name, sizeof name, "h%u", nep++);
            uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = name, .nports = 1, .role = role});
            hd_builder_cable(b, sw, ++port[nsw], hd_builder_endpoint(b, a, 1, 0, 0), 1, hd_link_code("4xEDR", 5));
        }
        nsw++;
    }
    for (const char *at = cables; *at; at = end + strspn(end, " ")) {
        uint32_t u = (uint32_t)strtoul(at, &end, 10), v = (uint32_t)strtoul(end + 1, &end, 10);
        assert_true(end > at && u < nsw && v < nsw);
        hd_builder_cable(b, u, ++port[u], v, ++port[v], hd_link_code("4xEDR", 5));
    }
    hd_status s = hd_builder_finish(&ctx, b, "tiny", &net);
    return checked(&ctx, s, net, "tiny");
}

/* Every array that means something is the same in both. */
static inline void assert_same_net(const struct hd_net *x, const struct hd_net *y)
{
    uint32_t nodes = x->nsw + x->nep;
    assert_int_equal(x->nsw, y->nsw);
    assert_int_equal(x->nep, y->nep);
    assert_int_equal(x->nchan, y->nchan);
    assert_int_equal(x->nsel, y->nsel);
    assert_int_equal(x->nhost, y->nhost);
    assert_int_equal(x->nrail, y->nrail);
    assert_memory_equal(x->off, y->off, (nodes + 1) * sizeof *x->off);
    assert_memory_equal(x->guid, y->guid, nodes * sizeof *x->guid);
    assert_memory_equal(x->lid, y->lid, nodes * sizeof *x->lid);
    assert_memory_equal(x->level, y->level, nodes);
    if (x->nchan) {
        assert_memory_equal(x->head, y->head, x->nchan * sizeof *x->head);
        assert_memory_equal(x->rev, y->rev, x->nchan * sizeof *x->rev);
        assert_memory_equal(x->port, y->port, x->nchan);
        assert_memory_equal(x->link, y->link, x->nchan);
    }
    if (x->nep) {
        assert_memory_equal(x->host, y->host, x->nep * sizeof *x->host);
        assert_memory_equal(x->rail, y->rail, x->nep);
    }
    if (x->nsel) assert_memory_equal(x->sel, y->sel, x->nsel * sizeof *x->sel);
    for (uint32_t v = 0; v < nodes; v++) assert_string_equal(hd_node_name(x, v), hd_node_name(y, v));
}

#endif
