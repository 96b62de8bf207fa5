/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing forwarding tables (fmt_lft.h). Rows are by destination, the file by switch: switches are taken
 * in blocks of 64, and the rows' bytes of a block are turned round before it is written. Every line is
 * prepared once, for all switches; only the three digits of its port change. */
#include "base/escape.h"
#include "base/status.h"
#include "route/io/fmt_lft.h"
#include "route/core/lid_view.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 64, PORT_AT = 7 }; /* "0x0001 001": where the port stands */

struct line {
    const uint8_t *row; /* slots of all switches towards this LID */
    uint32_t sw, lid;   /* the switch whose LID it is, UINT32_MAX: an endpoint's */
    uint32_t length;
    char *text;
};

struct lft_writer {
    const struct hd_routes *r;
    struct hd_arena *a;
    struct hd_lft_view view;
    bool minimal;
    struct line *line; /* [nline] by increasing LID */
    uint32_t nline;
};

/* A name must not end its line nor, in a tool with short lines, run over it: 64 bytes is what a node
 * description holds. */
static void plain_name(const char *name, char out[65])
{
    const size_t n = strnlen(name, 64);
    memcpy(out, name, n);
    out[n] = 0;
    hd_replace_controls(out, n, '?');
}

static bool prepare_line(struct lft_writer *w, struct line *l, uint32_t v, uint32_t lid)
{
    const struct hd_net *net = w->r->net;
    char text[160], name[65];
    const char *kind = v < net->nsw                                            ? "Switch"
                       : net->ca_role[net->ca[v - net->nsw]] == HD_ROLE_ROUTER ? "Router"
                                                                               : "Channel Adapter";
    plain_name(hd_node_name(net, v), name);
    int n = w->minimal ? snprintf(text, sizeof text, "0x%04x 000\n", lid)
                       : snprintf(text, sizeof text, "0x%04x 000 # %s portguid 0x%016llx: '%s'\n", lid, kind,
                                  (unsigned long long)net->guid[v], name);
    l->length = (uint32_t)n;
    l->text = hd_strdup(w->a, text, (size_t)n);
    return l->text;
}

static hd_status prepare_lines(struct hd_ctx *ctx, struct lft_writer *w)
{
    w->line = HD_NEW(w->a, struct line, w->view.lids.last);
    if (!w->line) return hd_fail_memory(ctx);
    for (uint32_t lid = 1; lid <= w->view.lids.last; lid++) {
        if (!w->view.owner[lid]) continue;
        struct line *l = &w->line[w->nline++];
        l->row = hd_lft_row(&w->view, lid, &l->sw);
        l->lid = lid;
        if (!prepare_line(w, l, w->view.owner[lid] - 1, lid)) return hd_fail_memory(ctx);
    }
    return HD_OK;
}

static void write_switch(const struct lft_writer *w, uint32_t v, const uint8_t *slot, struct hd_out *o)
{
    const struct hd_net *net = w->r->net;
    char name[65];
    plain_name(hd_node_name(net, v), name);
    if (w->minimal)
        hd_printf(o, "Unicast lids of switch guid 0x%016llx x\n", (unsigned long long)net->guid[v]);
    else
        hd_printf(o, "Unicast lids [0-%u] of switch Lid %u guid 0x%016llx ('%s'):\n", w->view.lids.last,
                  w->view.lids.base[v], (unsigned long long)net->guid[v], name);
    for (uint32_t i = 0; i < w->nline; i++) {
        const struct line *l = &w->line[i];
        const uint32_t port = l->sw == v                ? hd_lft_own_port_of(&w->view, v, l->lid)
                              : slot[i] == HD_SLOT_NONE ? HD_LFT_HOLE
                                                        : net->port[net->off[v] + slot[i]];
        if (port == HD_LFT_HOLE) continue;
        l->text[PORT_AT] = (char)('0' + port / 100);
        l->text[PORT_AT + 1] = (char)('0' + port / 10 % 10);
        l->text[PORT_AT + 2] = (char)('0' + port % 10);
        hd_put(o, l->text, l->length);
    }
    if (!w->minimal) hd_printf(o, "%u lids dumped\n", w->view.lids.last);
}

static hd_status write_switches(struct hd_ctx *ctx, const struct lft_writer *w, struct hd_out *o)
{
    const struct hd_net *net = w->r->net;
    struct hd_guid_index guids;
    uint32_t *order = HD_NEW(w->a, uint32_t, net->nsw);
    uint8_t *slot = HD_NEW(w->a, uint8_t, (size_t)BLOCK * w->nline);
    if (!order || !slot) return hd_fail_memory(ctx);
    HD_TRY(hd_guid_index_init(ctx, w->a, net, &guids));
    hd_guid_switch_order(&guids, order);
    for (uint32_t first = 0; first < net->nsw; first += BLOCK) {
        uint32_t n = net->nsw - first < BLOCK ? net->nsw - first : BLOCK;
        for (uint32_t i = 0; i < w->nline; i++)
            for (uint32_t b = 0; b < n; b++) slot[(size_t)b * w->nline + i] = w->line[i].row[order[first + b]];
        for (uint32_t b = 0; b < n; b++) write_switch(w, order[first + b], slot + (size_t)b * w->nline, o);
        hd_progress(ctx, "writing tables", first + n, net->nsw);
    }
    return HD_OK;
}

hd_status hd_lft_write_lids(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_lids *lids, bool minimal,
                            struct hd_out *o)
{
    struct hd_arena scratch = {0};
    struct lft_writer w = {.r = r, .a = &scratch, .minimal = minimal};
    hd_status s = hd_lft_view_init(ctx, &scratch, r, *lids, &w.view);
    if (s == HD_OK) s = hd_lft_claim_further(ctx, &scratch, &w.view);
    if (s == HD_OK) s = prepare_lines(ctx, &w);
    if (s == HD_OK && r->groups)
        hd_note(ctx, "only static ports are written: groups of ports for adaptive routing need the format far");
    if (s == HD_OK) {
        hd_lft_extra_write(ctx, &w.view, o);
        s = write_switches(ctx, &w, o);
    }
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_lft_write(struct hd_ctx *ctx, const struct hd_routes *r, bool minimal, struct hd_out *o)
{
    struct hd_arena scratch = {0};
    struct hd_lids lids;
    hd_status s = hd_lids_plan(ctx, &scratch, r->net, r->nvar, &lids);
    if (s == HD_OK) s = hd_lft_write_lids(ctx, r, &lids, minimal, o);
    hd_arena_release(&scratch);
    return s;
}
