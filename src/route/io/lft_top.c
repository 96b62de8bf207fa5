/* SPDX-License-Identifier: BSD-2-Clause */
/* The LID that dump_fts leaves out. dump_fts and ibroute read tables in blocks of 64 and never the last one if its
 * first LID is the last of all. The entries exist in the switches; which port they name is not known. They are taken to
 * lead where those of a LID of the same switch lead. */
#include "base/status.h"
#include "net/io/scan_line.h"
#include "route/io/lft_reader.h"

#include <string.h>

/* The last LID of a title as dump_fts and ibroute write it, [0x0-0x140]; NO_TOP in other titles. */
static uint32_t title_top(const char *line)
{
    uint64_t top;
    const char *p = strstr(line, "[0x0-");
    return p && (p += 5, hd_scan_guid(&p, &top)) && *p == ']' && top && top <= HD_MAX_LID ? (uint32_t)top : NO_TOP;
}

void hd_lft_top_title(struct lft_reader *r, const char *line)
{
    const uint32_t top = title_top(line);
    r->top = !r->top || r->top == top ? top : NO_TOP;
}

/* A LID whose entries lead to switch w, 0: none; not that of node `but`. */
static uint32_t lid_towards(const struct lft_reader *r, uint32_t w, uint32_t but)
{
    for (uint32_t key = 1; key < r->owners.room; key++) {
        uint32_t v = r->owners.node[key], nsw = r->net->nsw;
        if (v >= nsw + r->net->nep || v == but) continue;
        if ((v < nsw ? v : r->net->head[r->net->off[v]]) == w) return LID_OF_KEY(key);
    }
    return 0;
}

/* The channel by which the table reaches `to` from a switch v that leads to it: v itself for an endpoint, else a
 * neighbour; *lid is that of the donor. UINT32_MAX: none. */
static uint32_t donor_of(const struct lft_reader *r, uint32_t to, uint32_t *lid)
{
    const struct hd_net *net = r->net;
    if (to >= net->nsw) {
        uint32_t up = net->off[to];
        *lid = lid_towards(r, net->head[up], to);
        return *lid ? net->rev[up] : UINT32_MAX;
    }
    for (uint32_t c = net->off[to]; c < net->off[to + 1]; c++)
        if (net->head[c] < net->nsw && (*lid = lid_towards(r, net->head[c], to))) return net->rev[c];
    return UINT32_MAX;
}

hd_status hd_lft_top_complete(struct lft_reader *r)
{
    const struct hd_net *net = r->net;
    const uint32_t top = r->top;
    uint32_t lid;
    if (!top || top == NO_TOP || top % 64 || r->top_listed || r->subnet_of || r->extra.present) return HD_OK;
    const uint32_t to = top < r->nby_lid ? r->by_lid[top] : HD_LFT_NOBODY;
    const uint32_t last = to == HD_LFT_NOBODY ? UINT32_MAX : donor_of(r, to, &lid);
    if (last == UINT32_MAX) return HD_OK;
    const uint32_t before = net->tail[last];
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint8_t slot = v == before ? (uint8_t)(last - net->off[before]) : hd_lft_slot_at(r, v, lid);
        r->v = v;
        if (v != to && slot != HD_SLOT_NONE) HD_TRY(hd_lft_keep(r, top, slot));
    }
    HD_TRY(hd_lft_owners_reach(r->ctx, &r->owners, top));
    r->owners.node[top] = to;
    if (to < net->nsw) HD_TRY(hd_lft_keep_own(r, to, top, HD_OWN_GOOD));
    hd_note(r->ctx,
            "%.200s: dump_fts and ibroute leave out the last LID if it is a multiple of 64, here 0x%x of '%.80s': its "
            "entries are taken to be those of LID 0x%x",
            hd_in_name(r->in), top, hd_node_name(net, to), lid);
    return HD_OK;
}
