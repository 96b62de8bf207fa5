/* SPDX-License-Identifier: BSD-2-Clause */
/* Two states of a fabric compared: nodes by GUID, cables by the GUID and port of both ends, each looked up in an index
 * of the other state. Numbers of nodes play no part, since a lost switch shifts them. Cost: sorting GUIDs. */
#include "base/status.h"
#include "net/core/guid_index.h"
#include "tool/fabric_changes.h"

#include <stdio.h>
#include <string.h>

struct fabric_side {
    const struct hd_net *net;
    struct hd_guid_index index;
};

/* Channel from a port of a switch; UINT32_MAX: nothing is cabled there. */
static uint32_t channel_at(const struct hd_net *net, uint32_t v, uint32_t port)
{
    uint32_t low = net->off[v], high = net->off[v + 1];
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (net->port[mid] < port)
            low = mid + 1;
        else
            high = mid;
    }
    return low < net->off[v + 1] && net->port[low] == port ? low : UINT32_MAX;
}

/* The channel of the other side between the same two ports; UINT32_MAX: there is none. */
static uint32_t same_cable(const struct fabric_side *a, uint32_t c, const struct fabric_side *b)
{
    const struct hd_net *n = a->net, *m = b->net;
    const uint32_t v = hd_guid_switch(&b->index, n->guid[n->tail[c]]);
    const uint32_t d = v == UINT32_MAX ? UINT32_MAX : channel_at(m, v, n->port[c]);
    if (d == UINT32_MAX || m->head[d] >= m->nsw || m->guid[m->head[d]] != n->guid[n->head[c]]) return UINT32_MAX;
    return m->port[m->rev[d]] == n->port[n->rev[c]] ? d : UINT32_MAX;
}

static void name_cable(const struct hd_net *net, uint32_t c, char text[200])
{
    if (*text) return;
    snprintf(text, 200, "cable %.60s port %u - %.60s port %u", hd_node_label(net, net->tail[c]), net->port[c],
             hd_node_label(net, net->head[c]), net->port[net->rev[c]]);
}

static void name_node(const struct hd_net *net, uint32_t v, char text[200])
{
    if (!*text) snprintf(text, 200, "%s %.60s", v < net->nsw ? "switch" : "endpoint", hd_node_label(net, v));
}

/* What a has and b has not. */
static void count_missing(const struct fabric_side *a, const struct fabric_side *b, uint32_t *switches,
                          uint32_t *endpoints, uint32_t *cables, char first[200])
{
    const struct hd_net *n = a->net;
    for (uint32_t v = 0; v < n->nsw; v++)
        if (hd_guid_switch(&b->index, n->guid[v]) == UINT32_MAX) {
            ++*switches;
            name_node(n, v, first);
        }
    for (uint32_t c = 0; c < n->off[n->nsw]; c++) {
        if (n->head[c] >= n->nsw || c > n->rev[c] || same_cable(a, c, b) != UINT32_MAX) continue;
        ++*cables;
        name_cable(n, c, first);
    }
    for (uint32_t e = 0; e < n->nep; e++)
        if (hd_guid_endpoint(&b->index, n->guid[n->nsw + e]) == UINT32_MAX) {
            ++*endpoints;
            name_node(n, n->nsw + e, first);
        }
}

static void count_altered(const struct fabric_side *a, const struct fabric_side *b, struct hd_fabric_change *change)
{
    const struct hd_net *n = a->net, *m = b->net;
    for (uint32_t v = 0; v < n->nsw; v++) {
        const uint32_t w = hd_guid_switch(&b->index, n->guid[v]);
        change->lids_changed += w != UINT32_MAX && n->lid[v] != m->lid[w];
    }
    for (uint32_t e = 0; e < n->nep; e++) {
        const uint32_t f = hd_guid_endpoint(&b->index, n->guid[n->nsw + e]);
        change->lids_changed += f != UINT32_MAX && n->lid[n->nsw + e] != m->lid[m->nsw + f];
    }
    for (uint32_t c = 0; c < n->off[n->nsw]; c++) {
        if (n->head[c] >= n->nsw || c > n->rev[c]) continue;
        const uint32_t d = same_cable(a, c, b);
        change->rates_changed += d != UINT32_MAX && n->link[c] != m->link[d];
    }
}

hd_status hd_fabric_compare(struct hd_ctx *ctx, const struct hd_net *before, const struct hd_net *after,
                            struct hd_fabric_change *change)
{
    struct hd_arena scratch = {0};
    struct fabric_side a = {.net = before}, b = {.net = after};
    char found[200] = "";
    *change = (struct hd_fabric_change){0};
    hd_status s = hd_guid_index_init(ctx, &scratch, after, &b.index);
    if (s == HD_OK && before) s = hd_guid_index_init(ctx, &scratch, before, &a.index);
    if (s == HD_OK && before) {
        count_missing(&a, &b, &change->switches_lost, &change->endpoints_lost, &change->cables_lost, change->first);
        count_missing(&b, &a, &change->switches_new, &change->endpoints_new, &change->cables_new, found);
        count_altered(&a, &b, change);
        if (!*change->first) memcpy(change->first, found, sizeof found);
    } else if (s == HD_OK) {
        change->switches_new = after->nsw;
        change->endpoints_new = after->nep;
        for (uint32_t c = 0; c < after->off[after->nsw]; c++)
            change->cables_new += after->head[c] < after->nsw && c < after->rev[c];
    }
    hd_arena_release(&scratch);
    return s;
}

void hd_fabric_change_text(const struct hd_fabric_change *change, char text[HD_CHANGE_TEXT])
{
    const struct {
        uint32_t n;
        const char *one, *many;
    } part[] = {{change->switches_lost, "switch lost", "switches lost"},
                {change->cables_lost, "cable lost", "cables lost"},
                {change->endpoints_lost, "endpoint lost", "endpoints lost"},
                {change->switches_new, "new switch", "new switches"},
                {change->cables_new, "new cable", "new cables"},
                {change->endpoints_new, "new endpoint", "new endpoints"},
                {change->rates_changed, "cable with another rate", "cables with another rate"},
                {change->lids_changed, "LID changed", "LIDs changed"}};
    size_t n = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i].n)
            n += (size_t)snprintf(text + n, HD_CHANGE_TEXT - n, "%s%u %s", n ? ", " : "", part[i].n,
                                  part[i].n == 1 ? part[i].one : part[i].many);
    if (n && *change->first) snprintf(text + n, HD_CHANGE_TEXT - n, " (%s)", change->first);
    if (!n) snprintf(text, HD_CHANGE_TEXT, "fabric unchanged");
}
