/* SPDX-License-Identifier: BSD-2-Clause */
/* Where one row leads. A walk stops at the first switch that is already known, so every switch is visited once per row;
 * a switch met twice on the current walk is a loop. Cost O(switches) per row, and one look per start in the usual case
 * that the next switch is known. */
#include "route/kernel/row_walk.h"
#include "base/status.h"

#include <string.h>

#define NONE UINT32_MAX
enum { OPEN = 0xffff }; /* on the current walk */

hd_status hd_reach_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_reach *r)
{
    *r = (struct hd_reach){.net = net, .hops = HD_NEW(arena, uint16_t, net->nsw)};
    return r->hops && HD_NEW_U32(arena, net->nsw, &r->met, &r->out, &r->stack) ? HD_OK : hd_fail_memory(ctx);
}

void hd_reach_begin(struct hd_reach *r)
{
    memset(r->hops, 0, r->net->nsw * sizeof *r->hops);
    r->nmet = 0;
}

static inline uint16_t one_more(uint16_t hops)
{
    return (uint16_t)(hops + (hops < HD_REACH_LOOP));
}

static uint32_t reach_entry(const struct hd_net *net, const uint8_t *row, uint32_t v)
{
    uint32_t c = net->off[v] + row[v];
    return c < net->off[v + 1] ? c : NONE;
}

/* A walk of any length, until something is met that knows. */
static void reach_walk(struct hd_reach *r, const uint8_t *row, uint32_t v, uint32_t target)
{
    const struct hd_net *net = r->net;
    uint32_t n = 0;
    uint16_t end = 0;
    while (v != target) {
        if (v >= net->nsw) {
            end = HD_REACH_DEAD; /* another endpoint */
            break;
        }
        if (r->hops[v]) {
            end = r->hops[v] == OPEN ? HD_REACH_LOOP : r->hops[v];
            break;
        }
        uint32_t c = reach_entry(net, row, v);
        r->hops[v] = OPEN;
        r->stack[n++] = v;
        if (c == NONE) {
            end = HD_REACH_DEAD;
            break;
        }
        v = net->head[c];
    }
    while (n > 0) {
        v = r->stack[--n];
        r->hops[v] = end = one_more(end);
        r->met[r->nmet] = v;
        r->out[r->nmet++] = reach_entry(net, row, v);
    }
}

void hd_reach_follow(struct hd_reach *r, const uint8_t *row, uint32_t target, const uint32_t *from, uint32_t n)
{
    const struct hd_net *net = r->net;
    const uint32_t *off = net->off, *head = net->head, nsw = net->nsw;
    uint16_t *hops = r->hops;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = from[i], c = off[v] + row[v];
        if (hops[v]) continue;
        /* Nearly always the next switch has been met already. */
        uint32_t next = c < off[v + 1] ? head[c] : NONE;
        if (next >= nsw || !hops[next]) {
            reach_walk(r, row, v, target);
            continue;
        }
        hops[v] = one_more(hops[next]);
        r->met[r->nmet] = v;
        r->out[r->nmet++] = c;
    }
}
