/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive routing on disk, as ibdiagnet writes it to ibdiagnet2.far. Per switch:
 *
 *     Switch 0x0002c90000100000
 *     Groups Definition:
 *     Group   Sub Group   WHBF   Ports
 *     -------------------------------------------
 *     1       0           0      5,6,7,8,
 *     LFT Definition:
 *     PLFT_NUM: 0, top: 0x2c
 *     LID     Static Port   Lid State   Group
 *     -------------------------------------------
 *     0x0001  1             Static      0
 *     0x0005  7             Free        1
 *
 * States: Static (the port), Free (any port of the group), Bounded (the same, but a flow changes only when idle) and
 * HBF (one by hash). Sub groups of a group are taken together, since a packet may take a port of any. Ports without a
 * cable are left out, and a group that has no port left means the static port. What is written begins with the same
 * `# heddle` lines as a forwarding table. Cost: three bytes per LID and switch. */
#include "route/io/fmt_far.h"
#include "base/out.h"
#include "base/status.h"
#include "net/io/scan_line.h"
#include "route/core/lid_view.h"
#include "route/io/fmt_lft.h"

#include <string.h>

static const char *const far_states[] = {[HD_LID_FREE] = "Free", [HD_LID_BOUNDED] = "Bounded", [HD_LID_HASH] = "HBF"};

/* ---- reading ------------------------------------------------------------------------------- */

hd_status hd_far_begin(struct hd_ctx *ctx, struct hd_far *far)
{
    if (!far->at) far->at = HD_NEW(far->arena, struct hd_far_switch, far->net->nsw);
    if (!far->place) far->place = HD_NEW(far->arena, uint16_t, HD_MAX_GROUPS + 1);
    far->groups = false;
    far->skip = true;
    return far->at && far->place ? HD_OK : hd_fail_memory(ctx);
}

/* Where the group with this number is; n: nowhere. */
static uint32_t far_find(const struct hd_far *far, const struct hd_far_switch *w, uint32_t number)
{
    const uint32_t i = number <= HD_MAX_GROUPS ? far->place[number] : w->n;
    return i < w->n && w->number[i] == number ? i : w->n;
}

static hd_status far_add(struct hd_ctx *ctx, struct hd_far *far, struct hd_far_switch *w, uint32_t number)
{
    uint32_t room = w->room;
    if (!HD_MORE(far->arena, w->number, w->n, room) || !HD_MORE(far->arena, w->set, w->n, w->room))
        return hd_fail_memory(ctx);
    w->number[w->n] = number;
    far->place[number] = (uint16_t)w->n;
    memset(&w->set[w->n++], 0, sizeof *w->set);
    return HD_OK;
}

hd_status hd_far_group(struct hd_ctx *ctx, const struct hd_in *in, struct hd_far *far, uint32_t v,
                       const uint8_t *slot_of, const char *line)
{
    uint32_t field[3], port;
    for (int i = 0; i < 3; i++) {
        hd_scan_blanks(&line);
        if (!hd_scan_u32(&line, &field[i]))
            return hd_in_fail(ctx, in, "expected group, sub group, WHBF and ports, as in 1 0 0 33,34,");
    }
    if (v >= far->net->nsw) return HD_OK;
    struct hd_far_switch *w = &far->at[v];
    const uint32_t i = far_find(far, w, field[0]);
    if (field[0] > HD_MAX_GROUPS || (i == w->n && w->n == HD_MAX_GROUPS))
        return hd_in_fail(ctx, in, "group %u: expected at most %d", field[0], HD_MAX_GROUPS);
    if (i == w->n) HD_TRY(far_add(ctx, far, w, field[0]));
    for (hd_scan_blanks(&line); hd_scan_u32(&line, &port); hd_scan_blanks(&line)) {
        if (port < 1 || port > far->net->nports[v])
            return hd_in_fail(ctx, in, "port %u: switch '%.80s' has %u ports", port, hd_node_name(far->net, v),
                              far->net->nports[v]);
        if (slot_of[port] != HD_SLOT_NONE) hd_set_add(&w->set[i], slot_of[port]);
        hd_scan_blanks(&line);
        if (!hd_scan_char(&line, ',')) break;
    }
    if (*line) return hd_in_fail(ctx, in, "'%.20s': expected ports, as in 33,34,", line);
    return HD_OK;
}

static hd_status far_keep(struct hd_ctx *ctx, struct hd_far *far, struct hd_far_switch *w, uint32_t lid, uint32_t group,
                          int state)
{
    if (lid >= w->lids) {
        uint32_t room = w->lids ? w->lids : 1024;
        while (room <= lid) room *= 2;
        uint16_t *more = HD_NEW(far->arena, uint16_t, room);
        uint8_t *states = HD_NEW(far->arena, uint8_t, room);
        if (!more || !states) return hd_fail_memory(ctx);
        if (w->lids) memcpy(more, w->group, w->lids * sizeof *more);
        if (w->lids) memcpy(states, w->state, w->lids);
        w->group = more;
        w->state = states;
        w->lids = room;
    }
    w->group[lid] = (uint16_t)(group + 1);
    w->state[lid] = (uint8_t)state;
    far->states |= state != HD_LID_FREE;
    return HD_OK;
}

hd_status hd_far_entry(struct hd_ctx *ctx, const struct hd_in *in, struct hd_far *far, uint32_t v, uint32_t lid,
                       const char *rest, bool *dynamic)
{
    uint32_t number;
    int state = -1;
    *dynamic = false;
    hd_scan_blanks(&rest);
    const size_t n = strcspn(rest, " \t");
    for (int i = 0; i <= HD_LID_HASH; i++)
        if (strlen(far_states[i]) == n && strncmp(rest, far_states[i], n) == 0) state = i;
    if (state < 0 && !(n == 6 && strncmp(rest, "Static", 6) == 0))
        return hd_in_fail(ctx, in, "'%.20s': expected Static, Free, Bounded or HBF", rest);
    rest += n;
    hd_scan_blanks(&rest);
    if (!hd_scan_u32(&rest, &number) && state >= 0)
        return hd_in_fail(ctx, in, "expected the number of a group behind its state");
    if (state < 0 || v >= far->net->nsw) return HD_OK;
    struct hd_far_switch *w = &far->at[v];
    const uint32_t i = far_find(far, w, number);
    if (i == w->n) return hd_in_fail(ctx, in, "group %u: expected one that Groups Definition lists", number);
    if (!hd_set_count(&w->set[i])) return HD_OK;
    *dynamic = true;
    return far_keep(ctx, far, w, lid, i, state);
}

/* The group of the entry of switch v, whose static port is in slot; 0: that port alone. */
static uint16_t far_group_of(const struct hd_far *far, uint32_t lid, uint32_t v, uint32_t slot)
{
    const struct hd_far_switch *w = &far->at[v];
    const uint32_t place = lid && lid < w->lids ? w->group[lid] : 0;
    if (!place) return 0;
    const struct hd_port_set *set = &w->set[place - 1];
    if (slot != HD_SLOT_NONE && hd_set_count(set) == 1 && hd_set_has(set, slot)) return 0;
    return w->final[place - 1];
}

hd_status hd_far_make(struct hd_ctx *ctx, struct hd_far *far, struct hd_routes *r)
{
    bool any = false;
    for (uint32_t v = 0; far->at && v < far->net->nsw; v++) any |= far->at[v].n > 0;
    if (!any) return HD_OK;
    HD_TRY(hd_groups_make(ctx, r));
    for (uint32_t v = 0; v < far->net->nsw; v++) {
        struct hd_far_switch *w = &far->at[v];
        if (w->n && !(w->final = HD_NEW(far->arena, uint16_t, w->n))) return hd_fail_memory(ctx);
        for (uint32_t i = 0; i < w->n; i++)
            if (hd_set_count(&w->set[i])) HD_TRY(hd_groups_number(ctx, r, v, &w->set[i], &w->final[i]));
    }
    return HD_OK;
}

hd_status hd_far_fill(struct hd_ctx *ctx, const struct hd_far *far, const uint8_t *rows, const uint32_t *lid_of,
                      size_t n, struct hd_routes *r, struct hd_group_rows *out)
{
    const uint32_t nsw = far->net->nsw;
    if (!out->of) out->of = HD_NEW(&r->arena, uint16_t, n * nsw);
    if (far->states) out->state = HD_NEW(&r->arena, uint8_t, n * nsw);
    if (!out->of || (far->states && !out->state)) return hd_fail_memory(ctx);
    for (size_t i = 0; i < n; i++)
        for (uint32_t v = 0; v < nsw; v++) {
            const size_t at = i * nsw + v;
            out->of[at] = far_group_of(far, lid_of[i], v, rows[at]);
            if (out->state && out->of[at]) out->state[at] = far->at[v].state[lid_of[i]];
        }
    return HD_OK;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void far_put_groups(const struct hd_routes *r, uint32_t v, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    hd_puts(o, "Groups Definition:\nGroup   Sub Group   WHBF   Ports\n-------------------------------------------\n");
    for (uint32_t g = 1; r->groups && g <= r->groups->at[v].n; g++) {
        struct hd_port_set left = r->groups->at[v].set[g - 1];
        hd_printf(o, "%-7u 0           0      ", g);
        for (uint32_t slot; (slot = hd_set_take(&left)) != HD_SLOT_NONE;)
            hd_printf(o, "%u,", net->port[net->off[v] + slot]);
        hd_puts(o, "\n");
    }
}

/* The group of an entry of switch v, 0: none, and its state. */
static uint32_t far_entry_group(const struct hd_lft_view *w, uint32_t v, uint32_t lid, uint32_t *state)
{
    const struct hd_routes *r = w->r;
    const uint32_t to = w->owner[lid] - 1, nsw = r->net->nsw;
    if (!r->groups) return 0;
    struct hd_group_rows rows = {r->groups->of, r->groups->state};
    size_t row = 0;
    if (to < nsw) {
        const uint32_t more = hd_lft_more(w, lid);
        rows = more ? r->groups->more : r->groups->switches;
        row = more ? more - 1 : to;
    } else if (w->further && w->further[lid]) {
        rows = r->groups->further;
        row = w->further[lid] - 1;
    } else {
        row = (size_t)(to - nsw) * r->nvar + (lid - w->lids.base[to]) % r->nvar;
    }
    if (!rows.of) return 0;
    if (rows.state) *state = rows.state[row * nsw + v];
    return rows.of[row * nsw + v];
}

static void far_put_entry(const struct hd_lft_view *w, uint32_t v, uint32_t lid, struct hd_out *o)
{
    uint32_t state = HD_LID_FREE;
    const uint32_t port = hd_lft_port(w, v, lid), group = far_entry_group(w, v, lid, &state);
    if (port == HD_LFT_HOLE && !group) return;
    hd_printf(o, "0x%04x  %-13u %-11s %u\n", lid, port == HD_LFT_HOLE ? 255 : port,
              group ? far_states[state] : "Static", group);
}

hd_status hd_write_far(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    const struct hd_net *net = r->net;
    struct hd_arena scratch = {0};
    struct hd_lft_view view;
    struct hd_lids lids;
    hd_status s = hd_lids_plan(ctx, &scratch, net, r->nvar, &lids);
    if (s == HD_OK) s = hd_lft_view_init(ctx, &scratch, r, lids, &view);
    if (s == HD_OK) s = hd_lft_claim_further(ctx, &scratch, &view);
    if (s == HD_OK) {
        hd_lft_extra_write(ctx, &view, o);
        hd_puts(o, "File version: 1\n");
    }
    for (uint32_t v = 0; s == HD_OK && v < net->nsw; v++) {
        hd_printf(o, "\nSwitch 0x%016llx\n", (unsigned long long)net->guid[v]);
        far_put_groups(r, v, o);
        hd_printf(o,
                  "LFT Definition:\nPLFT_NUM: 0, top: 0x%x\nLID     Static Port   Lid State   Group\n"
                  "-------------------------------------------\n",
                  view.lids.last);
        for (uint32_t lid = 1; lid <= view.lids.last; lid++)
            if (view.owner[lid]) far_put_entry(&view, v, lid, o);
    }
    hd_arena_release(&scratch);
    return s;
}
