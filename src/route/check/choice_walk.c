/* SPDX-License-Identifier: BSD-2-Clause */
/* The search over all choices, as choice_walk.h says. A channel waits for all ports of the group at its head, one OR of
 * bits; in levelled networks no graph is needed as long as no group lets a packet that came down go up again. */
#include "route/check/choice_walk.h"
#include "base/status.h"

#include <string.h>

struct hd_choice_frame {
    uint32_t v;
    struct hd_port_set left; /* ports not yet followed */
};

hd_status hd_choice_up(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const bool *up,
                       const struct hd_port_set **out)
{
    struct hd_port_set *set = up ? HD_NEW(arena, struct hd_port_set, net->nsw) : NULL;
    *out = set;
    if (!up) return HD_OK;
    if (!set) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->tail[c] < net->nsw && up[c]) hd_set_add(&set[net->tail[c]], c - net->off[net->tail[c]]);
    return HD_OK;
}

hd_status hd_choice_walk_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                              const struct hd_port_set *up, struct hd_choice_walk *w)
{
    const uint32_t nsw = r->net->nsw;
    *w = (struct hd_choice_walk){.r = r, .net = r->net, .up = up, .target = UINT32_MAX};
    w->row = HD_NEW(arena, uint8_t, nsw);
    w->state = HD_NEW(arena, uint8_t, nsw);
    w->worst = HD_NEW(arena, uint8_t, nsw);
    w->stack = HD_NEW(arena, struct hd_choice_frame, nsw);
    const bool made = w->row && w->state && w->worst && w->stack && HD_NEW_U32(arena, nsw, &w->hops, &w->seen);
    return made ? HD_OK : hd_fail_memory(ctx);
}

/* Whether a switch has one port to take, and that leads to this node. */
static bool leads_to(const struct hd_choice_walk *w, const uint8_t *row, const uint16_t *of, uint32_t v, uint32_t node)
{
    struct hd_port_set own = hd_choices(w->r, row, of, v);
    return hd_set_count(&own) == 1 && w->net->head[w->net->off[v] + hd_set_take(&own)] == node;
}

static bool same_choices(const struct hd_choice_walk *w, const uint8_t *row, const uint16_t *of, uint32_t target)
{
    const struct hd_net *net = w->net;
    if (w->target == UINT32_MAX || w->target < net->nsw || target < net->nsw) return false;
    const uint32_t home = hd_leaf(net, target - net->nsw);
    if (hd_leaf(net, w->target - net->nsw) != home) return false;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (v != home && (of[v] != w->of[v] || (!of[v] && row[v] != w->row[v]))) return false;
    return leads_to(w, row, of, home, target) && leads_to(w, w->row, w->of, home, w->target);
}

bool hd_choice_walk_begin(struct hd_choice_walk *w, const uint8_t *row, const uint16_t *of, uint32_t target)
{
    const bool same = same_choices(w, row, of, target);
    memcpy(w->row, row, w->net->nsw);
    w->of = of;
    w->target = target;
    if (same) return true;
    for (uint32_t i = 0; i < w->nseen; i++) w->state[w->seen[i]] = HD_CHOICE_UNSEEN;
    w->nseen = 0;
    return false;
}

void hd_choice_walk_forget(struct hd_choice_walk *w)
{
    w->target = UINT32_MAX;
}

static void walk_open(struct hd_choice_walk *w, struct hd_choice_frame *f, uint32_t v)
{
    *f = (struct hd_choice_frame){v, hd_choices(w->r, w->row, w->of, v)};
    w->state[v] = HD_CHOICE_OPEN;
    w->worst[v] = hd_set_count(&f->left) ? HD_CHOICE_GOOD : HD_CHOICE_DEAD;
    w->hops[v] = 0;
}

/* What a switch learns from one of its choices. */
static void walk_learn(struct hd_choice_walk *w, uint32_t v, uint8_t state, uint32_t hops)
{
    uint8_t *worst = &w->worst[v];
    if (state == HD_CHOICE_OPEN) state = HD_CHOICE_LOOPS;
    if (state == HD_CHOICE_LOOPS || (state == HD_CHOICE_DEAD && *worst == HD_CHOICE_GOOD)) *worst = state;
    if (state == HD_CHOICE_GOOD && hops + 1 > w->hops[v]) w->hops[v] = hops + 1;
}

void hd_choice_walk_from(struct hd_choice_walk *w, uint32_t from)
{
    const struct hd_net *net = w->net;
    uint32_t depth = 0;
    if (w->state[from] != HD_CHOICE_UNSEEN) return;
    walk_open(w, &w->stack[depth++], from);
    while (depth) {
        struct hd_choice_frame *f = &w->stack[depth - 1];
        const uint32_t slot = hd_set_take(&f->left), v = f->v;
        if (slot == HD_SLOT_NONE) {
            w->state[v] = w->worst[v];
            w->seen[w->nseen++] = v;
            if (--depth) walk_learn(w, f[-1].v, w->state[v], w->hops[v]);
            continue;
        }
        const uint32_t u = net->head[net->off[v] + slot];
        if (u == w->target || u >= net->nsw)
            walk_learn(w, v, u == w->target ? HD_CHOICE_GOOD : HD_CHOICE_DEAD, 0);
        else if (w->state[u] != HD_CHOICE_UNSEEN)
            walk_learn(w, v, w->state[u], w->hops[u]);
        else
            walk_open(w, &w->stack[depth++], u);
    }
}

/* Channel c waits for all ports that may follow. */
static void walk_wait(const struct hd_deps *deps, uint32_t lanes, uint32_t c, const struct hd_port_set *next)
{
    for (uint32_t lane = 0; lane < deps->nlanes; lane++)
        for (uint32_t j = 0; lanes >> lane & 1 && j < deps->ports / 64; j++)
            deps->succ[((size_t)c * deps->nlanes + lane) * deps->words + j] |= next->word[j];
}

void hd_choice_walk_depend(const struct hd_choice_walk *w, uint32_t lanes, struct hd_credit *k)
{
    const struct hd_net *net = w->net;
    for (uint32_t i = 0; i < w->nseen; i++) {
        const uint32_t v = w->seen[i];
        struct hd_port_set left = hd_choices(w->r, w->row, w->of, v);
        for (uint32_t slot; (slot = hd_set_take(&left)) != HD_SLOT_NONE;) {
            const uint32_t c = net->off[v] + slot, u = net->head[c];
            k->used[c] = true;
            if (u >= net->nsw || u == w->target) continue;
            const struct hd_port_set next = hd_choices(w->r, w->row, w->of, u);
            if (!w->up) {
                walk_wait(&k->deps, lanes, c, &next);
            } else if (!k->up[c]) {
                for (uint32_t j = 0; j < HD_SET_WORDS; j++) k->turned |= (next.word[j] & w->up[u].word[j]) != 0;
            }
        }
    }
}
