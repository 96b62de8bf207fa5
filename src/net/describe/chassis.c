/* SPDX-License-Identifier: BSD-2-Clause */
/* ASICs of a chassis have a common system image GUID, or a common name before the slash (director-2/L3/U1). What leaf
 * switches are called too, or switches of several blocks with lines and spines, names a site and no chassis; a chassis
 * whose spines are gone is several blocks, of which at most one has both. */
#include "net/describe/chassis.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"

#include <stdlib.h>
#include <string.h>

struct chassis_name {
    const char *text;
    size_t length; /* up to the slash */
    uint32_t v;
};

struct chassis_work {
    const struct hd_net *net;
    uint32_t *blocks, *chassis;
    bool *lines, *spines; /* [nsw] by block: it has a switch of level 2, of the top level */
};

static int chassis_name_order(const void *a, const void *b)
{
    const struct chassis_name *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    const int order = memcmp(x->text, y->text, x->length);
    return order ? order : (x->v > y->v) - (x->v < y->v);
}

static bool chassis_same_name(const struct chassis_name *x, const struct chassis_name *y)
{
    return x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
}

/* Whether n switches of one name may be one chassis. */
static bool chassis_is_named(const struct chassis_work *w, const struct chassis_name *name, uint32_t n)
{
    uint32_t whole = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (w->net->level[name[i].v] < 2) return false;
        const uint32_t block = hd_sets_find(w->blocks, name[i].v);
        if (!w->lines[block] || !w->spines[block] || block == whole) continue;
        if (whole != UINT32_MAX) return false;
        whole = block;
    }
    return true;
}

static hd_status chassis_by_name(struct hd_ctx *ctx, struct hd_arena *scratch, const struct chassis_work *w)
{
    const struct hd_net *net = w->net;
    struct chassis_name *name = HD_NEW(scratch, struct chassis_name, net->nsw);
    uint32_t n = 0, same;
    if (!name) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        const char *text = hd_node_name(net, v), *slash = strchr(text, '/');
        if (slash && !net->unplaced[v]) name[n++] = (struct chassis_name){text, (size_t)(slash - text), v};
    }
    if (n) qsort(name, n, sizeof *name, chassis_name_order);
    for (uint32_t i = 0; i < n; i += same) {
        for (same = 1; i + same < n && chassis_same_name(&name[i], &name[i + same]);) same++;
        if (!chassis_is_named(w, &name[i], same)) continue;
        for (uint32_t k = 1; k < same; k++) hd_sets_join(w->chassis, name[i].v, name[i + k].v);
    }
    return HD_OK;
}

static hd_status chassis_by_system(struct hd_ctx *ctx, struct hd_arena *scratch, const struct chassis_work *w)
{
    const struct hd_net *net = w->net;
    struct hd_keyed *key = HD_NEW(scratch, struct hd_keyed, net->nsw);
    uint32_t n = 0;
    if (!key) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] >= 2 && !net->unplaced[v]) key[n++] = (struct hd_keyed){net->system[v], v};
    hd_keyed_sort(key, n, sizeof *key);
    for (uint32_t i = 1; i < n; i++)
        if (key[i].key == key[i - 1].key) hd_sets_join(w->chassis, key[i].value, key[i - 1].value);
    return HD_OK;
}

hd_status hd_chassis_find(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, uint32_t levels,
                          uint32_t *blocks, uint32_t *chassis)
{
    struct chassis_work w = {net, blocks, chassis, HD_NEW(scratch, bool, net->nsw), HD_NEW(scratch, bool, net->nsw)};
    if (!w.lines || !w.spines) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] == 2) w.lines[hd_sets_find(blocks, v)] = true;
        if (net->level[v] == levels) w.spines[hd_sets_find(blocks, v)] = true;
    }
    hd_sets_init(chassis, net->nsw);
    HD_TRY(chassis_by_system(ctx, scratch, &w));
    return chassis_by_name(ctx, scratch, &w);
}
