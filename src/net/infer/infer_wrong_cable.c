/* SPDX-License-Identifier: BSD-2-Clause */
/* The cable that spoils a tree. In a PGFT two children of one parent have all their parents in common. A
 * cable from x up to y is odd when x shares nothing but y with any other child of y: plugged into the
 * wrong switch, or two of them swapped. Only an explanation, so it stops when it would cost much.
 * Cost: O(cables * children). */
#include "base/status.h"
#include "net/infer/infer.h"

enum { MAX_STEPS = 1 << 27 };

struct wrong_cable_search {
    const struct hd_fabric *g;
    const uint32_t *level;
    uint32_t *shared; /* [n] parents in common with the current switch; kept zero between switches */
    uint32_t steps;
};

static uint32_t wrong_cable_degree(const struct wrong_cable_search *s, uint32_t v, uint32_t level)
{
    uint32_t n = 0;
    for (uint32_t i = s->g->off[v]; i < s->g->off[v + 1]; i++) n += s->level[s->g->to[i]] == level;
    return n;
}

static void count_shared(struct wrong_cable_search *s, uint32_t x, uint32_t sign)
{
    const struct hd_fabric *g = s->g;
    for (uint32_t i = g->off[x]; i < g->off[x + 1]; i++) {
        uint32_t y = g->to[i];
        if (s->level[y] != s->level[x] + 1) continue;
        s->steps += g->off[y + 1] - g->off[y];
        for (uint32_t k = g->off[y]; k < g->off[y + 1]; k++) s->shared[g->to[k]] += sign;
    }
}

static bool is_odd(const struct wrong_cable_search *s, uint32_t x, uint32_t y)
{
    for (uint32_t k = s->g->off[y]; k < s->g->off[y + 1]; k++) {
        uint32_t sibling = s->g->to[k];
        if (sibling != x && s->level[sibling] == s->level[x] && s->shared[sibling] > 1) return false;
    }
    return true;
}

static bool has_levels(const struct wrong_cable_search *s)
{
    for (uint32_t v = 0; v < s->g->n; v++)
        for (uint32_t i = s->g->off[v]; i < s->g->off[v + 1]; i++)
            if (s->level[s->g->to[i]] == s->level[v]) return false;
    return true;
}

hd_status hd_odd_cable(const struct hd_inference *f, const struct hd_level_map *levels, uint32_t *cable)
{
    const struct hd_fabric *g = &f->g;
    struct wrong_cable_search s = {.g = g, .level = levels->of, .shared = HD_NEW(f->arena, uint32_t, g->n)};
    uint32_t first = UINT32_MAX, odd = 0, all = 0;
    if (!s.shared) return hd_fail_memory(f->ctx);
    *cable = UINT32_MAX;
    if (!has_levels(&s)) return HD_OK; /* then that is what is wrong */
    for (uint32_t x = 0; x < g->n && s.steps < MAX_STEPS; x++) {
        if (wrong_cable_degree(&s, x, s.level[x] + 1) < 2) continue;
        count_shared(&s, x, 1);
        for (uint32_t i = g->off[x]; i < g->off[x + 1]; i++) {
            uint32_t y = g->to[i];
            if (s.level[y] != s.level[x] + 1 || wrong_cable_degree(&s, y, s.level[x]) < 2) continue;
            all++;
            if (!is_odd(&s, x, y)) continue;
            if (!odd++) first = g->chan[i];
        }
        count_shared(&s, x, UINT32_MAX);
    }
    *cable = odd <= 2 + all / 500 ? first : UINT32_MAX; /* where many are odd, none is the culprit */
    return HD_OK;
}
