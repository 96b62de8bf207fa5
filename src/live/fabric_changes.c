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

/* ---- names ------------------------------------------------------------------------------------ */

struct change_names {
    struct hd_fabric_change *change;
    bool new;          /* what comes now is new, not lost */
    uint32_t n, named; /* things that changed, and how many of them have their name in the text */
};

enum { MOST_NAMED = 8, NAME_ROOM = 80 }; /* of the text: for how many more there are */

static void name_add(struct change_names *to, const char *text)
{
    struct hd_fabric_change *c = to->change;
    const size_t used = strlen(c->names), more = strlen(text) + 7;
    if (!*c->first) snprintf(c->first, sizeof c->first, "%s", text);
    to->n++;
    if (to->named == MOST_NAMED || used + more + NAME_ROOM >= sizeof c->names) return;
    snprintf(c->names + used, sizeof c->names - used, "%s%s%s", used ? ", " : "", to->new ? "new " : "", text);
    to->named++;
}

static void name_cable(struct change_names *to, const struct hd_net *net, uint32_t c)
{
    char text[200];
    snprintf(text, sizeof text, "cable %.60s port %u - %.60s port %u", hd_node_label(net, net->tail[c]), net->port[c],
             hd_node_label(net, net->head[c]), net->port[net->rev[c]]);
    name_add(to, text);
}

static void name_node(struct change_names *to, const struct hd_net *net, uint32_t v)
{
    char text[200];
    snprintf(text, sizeof text, "%s %.60s", v < net->nsw ? "switch" : "endpoint", hd_node_label(net, v));
    name_add(to, text);
}

/* ---- comparison ------------------------------------------------------------------------------- */

static bool is_switch_of(const struct fabric_side *b, uint64_t guid)
{
    return hd_guid_switch(&b->index, guid) != UINT32_MAX;
}

/* What a has and b has not. The cables of a switch that has a name here are not named too. */
static void count_missing(const struct fabric_side *a, const struct fabric_side *b, uint32_t *switches,
                          uint32_t *endpoints, uint32_t *cables, struct change_names *names)
{
    const struct hd_net *n = a->net;
    for (uint32_t v = 0; v < n->nsw; v++)
        if (!is_switch_of(b, n->guid[v])) {
            ++*switches;
            name_node(names, n, v);
        }
    for (uint32_t c = 0; c < n->off[n->nsw]; c++) {
        if (n->head[c] >= n->nsw || c > n->rev[c] || same_cable(a, c, b) != UINT32_MAX) continue;
        ++*cables;
        if (is_switch_of(b, n->guid[n->tail[c]]) && is_switch_of(b, n->guid[n->head[c]])) name_cable(names, n, c);
    }
    for (uint32_t e = 0; e < n->nep; e++)
        if (hd_guid_endpoint(&b->index, n->guid[n->nsw + e]) == UINT32_MAX) {
            ++*endpoints;
            name_node(names, n, n->nsw + e);
        }
}

/* Endpoint e of a is f of b. Where it was, or is now, at a switch that has a name here, it is not named too. */
static void count_moved(const struct fabric_side *a, uint32_t e, const struct fabric_side *b, uint32_t f,
                        struct change_names *names)
{
    const struct hd_net *n = a->net, *m = b->net;
    const uint32_t c = n->off[n->nsw + e], d = m->off[m->nsw + f], v = n->head[c], w = m->head[d];
    const uint32_t from = n->port[n->rev[c]], to = m->port[m->rev[d]];
    names->change->rates_changed += n->link[c] != m->link[d];
    if (n->guid[v] == m->guid[w] && from == to) return;
    names->change->endpoints_moved++;
    if (!is_switch_of(b, n->guid[v]) || !is_switch_of(a, m->guid[w])) return;
    char text[200];
    snprintf(text, sizeof text, "endpoint %.50s from %.50s port %u to %.50s port %u", hd_node_label(m, m->nsw + f),
             hd_node_label(n, v), from, hd_node_label(m, w), to);
    name_add(names, text);
}

/* What both have, but not alike. */
static void count_altered(const struct fabric_side *a, const struct fabric_side *b, struct change_names *names)
{
    const struct hd_net *n = a->net, *m = b->net;
    struct hd_fabric_change *change = names->change;
    for (uint32_t v = 0; v < n->nsw; v++) {
        const uint32_t w = hd_guid_switch(&b->index, n->guid[v]);
        change->lids_changed += w != UINT32_MAX && n->lid[v] != m->lid[w];
    }
    for (uint32_t e = 0; e < n->nep; e++) {
        const uint32_t f = hd_guid_endpoint(&b->index, n->guid[n->nsw + e]);
        if (f == UINT32_MAX) continue;
        change->lids_changed += n->lid[n->nsw + e] != m->lid[m->nsw + f];
        count_moved(a, e, b, f, names);
    }
    for (uint32_t c = 0; c < n->off[n->nsw]; c++) {
        if (n->head[c] >= n->nsw || c > n->rev[c]) continue;
        const uint32_t d = same_cable(a, c, b);
        change->rates_changed += d != UINT32_MAX && n->link[c] != m->link[d];
    }
}

static void names_end(const struct change_names *names)
{
    char *text = names->change->names;
    const size_t used = strlen(text);
    if (names->n > names->named)
        snprintf(text + used, sizeof names->change->names - used, " and %u more", names->n - names->named);
}

hd_status hd_fabric_compare(struct hd_ctx *ctx, const struct hd_net *before, const struct hd_net *after,
                            struct hd_fabric_change *change)
{
    struct hd_arena scratch = {0};
    struct fabric_side a = {.net = before}, b = {.net = after};
    struct change_names names = {.change = change};
    *change = (struct hd_fabric_change){0};
    hd_status s = hd_guid_index_init(ctx, &scratch, after, &b.index);
    if (s == HD_OK && before) s = hd_guid_index_init(ctx, &scratch, before, &a.index);
    if (s == HD_OK && before) {
        count_missing(&a, &b, &change->switches_lost, &change->endpoints_lost, &change->cables_lost, &names);
        names.new = true;
        count_missing(&b, &a, &change->switches_new, &change->endpoints_new, &change->cables_new, &names);
        names.new = false;
        count_altered(&a, &b, &names);
        names_end(&names);
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
                {change->endpoints_moved, "endpoint moved", "endpoints moved"},
                {change->rates_changed, "cable with another rate", "cables with another rate"},
                {change->lids_changed, "LID changed", "LIDs changed"}};
    size_t n = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i].n)
            n += (size_t)snprintf(text + n, HD_CHANGE_TEXT - n, "%s%u %s", n ? ", " : "", part[i].n,
                                  part[i].n == 1 ? part[i].one : part[i].many);
    if (n && *change->names) snprintf(text + n, HD_CHANGE_TEXT - n, " (%s)", change->names);
    if (!n) snprintf(text, HD_CHANGE_TEXT, "fabric unchanged");
}
