/* SPDX-License-Identifier: BSD-2-Clause */
/* The last resort before the subnet manager's own routing: the tables in use, where they still lead to their
 * destination, and the nearest switch from which they do for every other one. Per destination the switches that
 * still arrive are marked by following entries, then the rest is attached to them in order of hops, lowest port
 * first. Paths that work do not change. New ones may close a credit loop with them, since no rule about turns is
 * known that the old ones keep to: then rows that do give way, as far as it takes (keep.c), to those of updown,
 * which routes anything without one. This is no time for bandwidth: where that takes long, or most entries were lost,
 * updown has made better tables already. Where switches hold different entries for LIDs of one endpoint (LMC), each
 * of these LIDs has a row of its own, and pairs may use any of them; those that not every endpoint has repeat the
 * others, and so do LIDs of switches beyond the base LID.
 * Cost: one look at every entry, and at every channel for LIDs that lost a path; a proof, and if it fails an engine
 * and a limited number of steps. */
#include "base/status.h"
#include "live/live.h"
#include "live/tables_in_use.h"
#include "net/edit/lids.h"
#include "route/check/check_everyone.h"
#include "route/core/routes_build.h"
#include "route/keep/keep_within.h"

#include <string.h>

enum { PATCH_NEW = 0xffff, PATCH_LOST = 0xfffe, PATCH_OPEN = 0xfffd, PATCH_HOPS = 256 };

/* Of the repair, some tenths of a second: then updown has long been ready. */
static const uint64_t most_steps = 20000000;

struct patcher {
    const struct hd_net *net;
    struct hd_tables_in_use use;
    uint16_t *hops;      /* [nsw] to the destination, or the above */
    uint32_t *stack;     /* [nsw] */
    uint64_t held, made; /* entries that stay, and new ones */
};

/* Follows the entries from v; all switches met learn whether they arrive at switch t, and in how many hops. */
static void patch_follow(struct patcher *w, const uint8_t *row, uint32_t v)
{
    const struct hd_net *net = w->net;
    uint32_t n = 0;
    while (w->hops[v] == PATCH_NEW) {
        w->hops[v] = PATCH_OPEN;
        w->stack[n++] = v;
        const uint32_t next = row[v] < hd_degree(net, v) ? net->head[net->off[v] + row[v]] : UINT32_MAX;
        if (next >= net->nsw) break; /* a hole, or the port of an endpoint that is another one */
        v = next;
    }
    uint16_t end = w->hops[v] < PATCH_HOPS ? w->hops[v] : PATCH_LOST;
    while (n > 0) {
        if (end < PATCH_HOPS) end = end + 1 < PATCH_HOPS ? (uint16_t)(end + 1) : PATCH_LOST;
        w->hops[w->stack[--n]] = end;
    }
}

/* Attaches the switches that do not arrive to those that do. */
static void patch_attach(struct patcher *w, uint8_t *row)
{
    const struct hd_net *net = w->net;
    for (uint32_t h = 0; h + 1 < PATCH_HOPS; h++)
        for (uint32_t v = 0; v < net->nsw; v++) {
            if (w->hops[v] != h) continue;
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
                const uint32_t u = net->head[c];
                if (u >= net->nsw || w->hops[u] != PATCH_LOST) continue;
                row[u] = (uint8_t)(net->rev[c] - net->off[u]);
                w->hops[u] = (uint16_t)(h + 1);
            }
        }
    for (uint32_t v = 0; v < net->nsw; v++)
        if (w->hops[v] == PATCH_LOST) row[v] = HD_SLOT_NONE;
}

/* The row of a LID; t is the switch where it ends, by entry `last` of its row. */
static void patch_row(struct patcher *w, uint32_t lid, uint32_t t, uint8_t last, uint8_t *row)
{
    const struct hd_net *net = w->net;
    hd_tables_in_use_rows(&w->use, &lid, &row, 1);
    for (uint32_t v = 0; v < net->nsw; v++) w->hops[v] = PATCH_NEW;
    w->hops[t] = 0;
    row[t] = last;
    uint32_t lost = 0;
    for (uint32_t v = 0; v < net->nsw; v++) patch_follow(w, row, v);
    for (uint32_t v = 0; v < net->nsw; v++) lost += w->hops[v] == PATCH_LOST;
    w->made += lost;
    w->held += net->nsw - lost;
    if (lost) patch_attach(w, row);
}

/* Rows for as many LIDs of each endpoint as all have, as long as some of them lead different ways. */
static uint32_t patch_variants(const struct hd_live_choice *choice)
{
    const uint32_t most = 1u << hd_lmc_least(choice->net);
    uint32_t nvar = 1;
    while (nvar < most && !hd_tables_in_use_repeat(choice->request, choice->net, nvar)) nvar *= 2;
    return nvar;
}

/* Empty rows, of which every pair uses all. */
static hd_status patch_make(struct hd_ctx *ctx, const struct hd_net *net, uint32_t nvar, struct hd_routes **r,
                            uint8_t **switch_rows)
{
    HD_TRY(hd_routes_make(ctx, net, nvar, r));
    HD_TRY(hd_routes_select_by_use(ctx, *r, HD_USE_ALL));
    return hd_routes_switch_rows(ctx, *r, switch_rows);
}

/* Routes of one variant and one VL as rows for nvar LIDs: rows can then be exchanged one by one. */
static hd_status patch_repeat(struct hd_ctx *ctx, const struct hd_routes *one, uint32_t nvar, struct hd_routes **out)
{
    const struct hd_net *net = hd_routes_net(one);
    struct hd_routes *r = NULL;
    uint8_t *switch_rows;
    hd_status s = patch_make(ctx, net, nvar, &r, &switch_rows);
    for (uint32_t d = 0; s == HD_OK && d < net->nep; d++)
        for (uint32_t x = 0; x < nvar; x++) {
            uint8_t *to = hd_routes_entries(r, d, x);
            const uint8_t *row = hd_routes_row(one, d, 0, to);
            if (row != to) memcpy(to, row, net->nsw);
        }
    for (uint32_t t = 0; s == HD_OK && t < net->nsw; t++)
        s = hd_routes_switch_row(ctx, one, t, switch_rows + (size_t)t * net->nsw);
    if (s == HD_OK) hd_routes_set_spec(r, "updown");
    return hd_routes_give(s, r, out);
}

/* The patched routes with rows of updown in the place of those that close a credit loop; NULL: that would take too
 * long, or change more. */
static struct hd_routes *patch_kept(struct hd_ctx *ctx, const struct patcher *w, const struct hd_routes *updown,
                                    const struct hd_routes *r)
{
    struct hd_routes *rows = NULL, *kept = NULL;
    if (w->made > w->held || patch_repeat(ctx, updown, hd_routes_variants(r), &rows) != HD_OK) return NULL;
    const hd_status s = hd_routes_keep_within(ctx, rows, r, most_steps, &kept);
    hd_routes_free(rows);
    return s == HD_OK ? kept : NULL;
}

/* Exchanges rows that close a credit loop; *fresh: all of them. Routes that cannot be improved on stay as they are. */
static void patch_turns(struct hd_ctx *ctx, const struct patcher *w, struct hd_routes **r, bool *fresh)
{
    struct hd_routes *other = NULL;
    struct hd_check check;
    if (hd_routes_check_everyone(ctx, *r, &check) != HD_OK || check.deadlock_free == 1) return;
    if (hd_routes_open(ctx, w->net, "updown", &other) != HD_OK) return;
    struct hd_routes *kept = patch_kept(ctx, w, other, *r);
    *fresh = !kept;
    hd_routes_free(*r);
    *r = kept ? kept : other;
    if (kept) hd_routes_free(other);
}

/* The rows of all LIDs of an endpoint; of one without a LID they are made anew. */
static void patch_endpoint(struct patcher *w, uint32_t d, uint32_t nvar, struct hd_routes *r)
{
    const struct hd_net *net = w->net;
    const uint32_t c = net->rev[net->off[net->nsw + d]], t = net->tail[c], lid = net->lid[net->nsw + d];
    for (uint32_t x = 0; x < nvar; x++)
        patch_row(w, lid ? lid + x : 0, t, (uint8_t)(c - net->off[t]), hd_routes_entries(r, d, x));
}

hd_status hd_live_patch(struct hd_ctx *ctx, const struct hd_live_choice *choice, struct hd_routes **out, bool *fresh)
{
    const struct hd_net *net = choice->net;
    struct hd_arena scratch = {0};
    struct patcher w = {.net = net};
    struct hd_routes *r = NULL;
    uint8_t *switch_rows = NULL;
    *fresh = false;
    w.hops = HD_NEW(&scratch, uint16_t, net->nsw);
    w.stack = HD_NEW(&scratch, uint32_t, net->nsw);
    hd_status s =
        w.hops && w.stack ? hd_tables_in_use(ctx, &scratch, choice->request, net, &w.use) : hd_fail_memory(ctx);
    const uint32_t nvar = s == HD_OK ? patch_variants(choice) : 1;
    if (s == HD_OK) s = patch_make(ctx, net, nvar, &r, &switch_rows);
    for (uint32_t d = 0; s == HD_OK && d < net->nep; d++) patch_endpoint(&w, d, nvar, r);
    for (uint32_t t = 0; s == HD_OK && t < net->nsw; t++)
        patch_row(&w, net->lid[t], t, HD_SLOT_NONE, switch_rows + (size_t)t * net->nsw);
    if (s == HD_OK) hd_routes_set_spec(r, "patched");
    if (s == HD_OK) patch_turns(ctx, &w, &r, fresh);
    hd_arena_release(&scratch);
    return hd_routes_give(s, r, out);
}
