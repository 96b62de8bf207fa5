/* SPDX-License-Identifier: BSD-2-Clause */
/* Structure from cables alone: levels always, and a tree or a grid where there is one.
 *
 * A tree is read twice: with only those empty subtrees folded that must be (infer_level.c), and with those
 * that may be; the reading that fits, misses fewer cables, has fewer levels stays. A network that is no tree may be a
 * grid, unless too much of it would be missing or in the wrong port: what is left of a damaged grid is often nearly
 * another one. Whatever was guessed is then verified by the same code that checks generated networks, so that no guess
 * can do harm; a network that fits nothing keeps its levels and one sentence on where it departs. Cost: O(cables log
 * switches). */
#include "net/infer/infer.h"
#include "base/c_locale.h"
#include "base/escape.h"
#include "base/status.h"
#include "net/cabling/wiring.h"
#include "net/core/shape.h"
#include "net/edit/net_with.h"

#include <stdio.h>
#include <string.h>

hd_status hd_departs(struct hd_reading *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(r->departs, sizeof r->departs, fmt, ap);
    va_end(ap);
    hd_replace_controls(r->departs, strlen(r->departs), '?');
    r->shape = (struct hd_shape){.kind = HD_SHAPE_NONE};
    r->coord = NULL;
    return HD_OK;
}

void hd_cable_text(const struct hd_net *net, uint32_t c, char *text, size_t size)
{
    snprintf(text, size, "cable '%.60s' port %u - '%.60s' port %u", hd_node_label(net, net->tail[c]), net->port[c],
             hd_node_label(net, net->head[c]), net->port[net->rev[c]]);
}

/* Parallel cables become one neighbour with a count. */
static hd_status make_fabric(struct hd_inference *f)
{
    const struct hd_net *net = f->net;
    struct hd_arena *arena = f->arena;
    uint32_t *off, *to, *chan, n = 0;
    uint32_t *at; /* place of a neighbour in to, plus one */
    uint8_t *cables = HD_NEW(arena, uint8_t, net->off[net->nsw]);
    if (!HD_NEW_U32(arena, net->nsw + 1, &off, &at) || !HD_NEW_U32(arena, net->off[net->nsw], &to, &chan) || !cables)
        return hd_fail_memory(f->ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw) continue;
            if (at[u] <= off[v]) {
                to[n] = u;
                chan[n++] = c;
                at[u] = n;
            }
            cables[at[u] - 1]++;
        }
        off[v + 1] = n;
    }
    f->g = (struct hd_fabric){net->nsw, off, to, chan, cables};
    return HD_OK;
}

static void set_levels(const struct hd_net *net, const struct hd_level_map *lv, uint8_t *level)
{
    for (uint32_t v = 0; v < net->nsw; v++)
        level[v] = lv->of[v] && lv->of[v] < HD_NO_LEVEL ? (uint8_t)lv->of[v] : HD_NO_LEVEL;
}

uint32_t hd_usual_cables(const uint32_t pairs[256])
{
    uint64_t all = 0, cables = 0, most = 0, held = 0; /* most: pairs with k or more; held: cables of these */
    uint32_t k = 255;
    for (uint32_t i = 1; i < 256; i++) {
        all += pairs[i];
        cables += (uint64_t)i * pairs[i];
    }
    for (; k > 1; k--) {
        most += pairs[k];
        held += (uint64_t)k * pairs[k];
        uint64_t missing = k * (all - most) - (cables - held);
        if (most && most * 10 >= all && missing * 3 <= cables) break;
    }
    return k;
}

/* ---- verifying ----------------------------------------------------------------------------- */

static uint32_t count_switch_cables(const struct hd_net *net)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) n += net->head[c] < net->nsw;
    return n / 2;
}

/* Cables of a grid whose ports contradict the rules of their directions; 0 where there are no rules. */
static hd_status count_contrary(const struct hd_inference *f, const struct hd_net *view, uint32_t *contrary)
{
    struct hd_wiring w = {.ctx = f->ctx, .arena = f->arena, .keep = f->arena, .net = view};
    HD_TRY(hd_grid_rule_learn(&w));
    *contrary = w.grid->follow ? (w.grid->channels - w.grid->follow + 1) / 2 : 0;
    return HD_OK;
}

/* A cable in the wrong place is a stray and leaves another one missing: it counts once. Ports that contradict the rules
 * alone are no damage, since some switches may number theirs differently; they count where there is much damage. */
static bool grid_is_likely(uint32_t missing, uint32_t strays, uint32_t contrary, uint32_t cables)
{
    const uint32_t damage = missing > strays ? missing : strays;
    return damage <= cables / 6 && (damage <= cables / 12 || damage + contrary <= cables / 6);
}

hd_status hd_reading_verify(const struct hd_inference *f, struct hd_reading *r)
{
    struct hd_ctx *ctx = f->ctx;
    const struct hd_net *net = f->net;
    struct hd_net view = *net;
    const bool grid = r->shape.kind == HD_SHAPE_GRID;
    const char *kind = grid ? "grid" : "tree";
    uint32_t cables = count_switch_cables(net), contrary = 0, missing;
    for (uint32_t i = 0; i < r->shape.n; i++)
        if (r->shape.m[i] > UINT16_MAX || r->shape.w[i] > UINT16_MAX) r->shape.n = 0;
    if (r->shape.n == 0 || !hd_shape_fits(&r->shape))
        return hd_departs(r, "the smallest %s that holds it is too large", kind);
    view.shape = r->shape;
    view.coord = r->coord;
    view.level = r->level;
    HD_TRY(hd_shape_missing(ctx, &view, &missing));
    if (grid && (missing || r->shape.strays)) HD_TRY(count_contrary(f, &view, &contrary));
    if (missing > cables / 2)
        return hd_departs(r, "as a %s it would lack %u switch cables and have %u", kind, missing, cables);
    if (grid && !grid_is_likely(missing, r->shape.strays, contrary, cables))
        return hd_departs(r, "as a grid it would lack %u switch cables, with %u of %u in the wrong place", missing,
                          r->shape.strays + contrary, cables);
    view.shape.missing = r->shape.missing = missing;
    hd_status s = hd_shape_check(ctx, &view);
    return s == HD_FAULT ? hd_departs(r, "not a %s: %s", kind, ctx->error) : s;
}

/* ---- reading ------------------------------------------------------------------------------- */

static hd_status infer_read_levels(struct hd_inference *f, enum hd_level_fold fold, struct hd_level_map *lv,
                                   struct hd_reading *r)
{
    *r = (struct hd_reading){.level = HD_NEW(f->arena, uint8_t, f->net->nsw + f->net->nep)};
    if (!r->level) return hd_fail_memory(f->ctx);
    HD_TRY(hd_level_map_find(f, fold, lv));
    set_levels(f->net, lv, r->level);
    return HD_OK;
}

static hd_status read_tree(struct hd_inference *f, const struct hd_level_map *lv, struct hd_reading *r)
{
    HD_TRY(hd_infer_tree(f, lv, r));
    return r->shape.n ? hd_reading_verify(f, r) : HD_OK;
}

/* Cables that a tree lacks, and those up to switches that are not there at all: a level of dead ends, such as a switch
 * left with one cable, would have every other switch below it lack its cables up. */
static uint64_t infer_lacks(const struct hd_inference *f, const struct hd_reading *r)
{
    const struct hd_fabric *g = &f->g;
    uint64_t lost = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        const uint32_t l = r->level[v], all = l < r->shape.n ? r->shape.w[l] * r->shape.p[l] : 0;
        uint32_t up = 0;
        for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++) up += r->level[g->to[i]] == l + 1 ? g->cables[i] : 0;
        if (up < all) lost += all - up;
    }
    return lost > r->shape.missing ? lost : r->shape.missing;
}

/* Fits; lacks fewer cables; has fewer levels: in this order. */
static bool infer_is_better(const struct hd_inference *f, const struct hd_reading *r, const struct hd_reading *than)
{
    if (!r->shape.n || !than->shape.n) return r->shape.n && !than->shape.n;
    const uint64_t a = infer_lacks(f, r), b = infer_lacks(f, than);
    return a != b ? a < b : r->shape.n < than->shape.n;
}

static hd_status best_tree(struct hd_inference *f, struct hd_reading *best)
{
    struct hd_level_map forced, eager;
    struct hd_reading other;
    HD_TRY(infer_read_levels(f, HD_LEVEL_FOLD_FORCED, &forced, best));
    HD_TRY(read_tree(f, &forced, best));
    HD_TRY(infer_read_levels(f, HD_LEVEL_FOLD_EAGER, &eager, &other));
    if (memcmp(forced.of, eager.of, f->g.n * sizeof *eager.of) == 0) return HD_OK;
    HD_TRY(read_tree(f, &eager, &other));
    if (infer_is_better(f, &other, best)) *best = other;
    return HD_OK;
}

/* Whether every cable connects adjacent levels. */
static bool infer_is_layered(const struct hd_inference *f, const struct hd_level_map *lv)
{
    const struct hd_fabric *g = &f->g;
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++) {
            uint32_t a = lv->of[v], b = lv->of[g->to[i]];
            if (!a || !b || (a != b + 1 && b != a + 1)) return false;
        }
    return lv->top > 1;
}

static void infer_add_lacking(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    uint32_t *lacks = user;
    lacks[u] += k;
    lacks[v] += k;
}

/* Whether one switch or two, with fewer cables left than are gone, alone lack nearly all that a tree lacks. */
static hd_status infer_few_lack(const struct hd_inference *f, const struct hd_reading *tree, bool *few)
{
    const struct hd_fabric *g = &f->g;
    uint32_t *lacks = HD_NEW(f->arena, uint32_t, g->n), most[2] = {0};
    struct hd_net view = *f->net;
    if (!lacks) return hd_fail_memory(f->ctx);
    view.shape = tree->shape;
    view.coord = tree->coord;
    view.level = tree->level;
    HD_TRY(hd_shape_each_missing(f->ctx, &view, infer_add_lacking, lacks));
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t have = 0;
        for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++) have += g->cables[i];
        if (lacks[v] <= have || lacks[v] <= most[1]) continue;
        most[1] = lacks[v] > most[0] ? most[0] : lacks[v];
        if (lacks[v] > most[0]) most[0] = lacks[v];
    }
    *few = 4 * ((uint64_t)most[0] + most[1]) >= 3 * (uint64_t)tree->shape.missing;
    return HD_OK;
}

/* A tree that lacks many cables only because switches without hosts were taken for leaves (the spines of a director
 * that holds the whole fabric): their levels as they are contradict nothing. */
static hd_status infer_is_forced(const struct hd_inference *f, const struct hd_reading *tree,
                                 const struct hd_level_map *lv, bool *forced)
{
    bool leaves = false, few = false;
    for (uint32_t v = 0; v < f->g.n; v++) leaves = leaves || (tree->level[v] == 1 && lv->of[v] != 1);
    HD_TRY(infer_few_lack(f, tree, &few));
    *forced = leaves && !few && infer_is_layered(f, lv);
    return HD_OK;
}

/* One sentence from what kept it from being a tree and what from being a grid. */
static hd_status explain(struct hd_inference *f, const struct hd_level_map *lv, const struct hd_reading *tree,
                         struct hd_reading *grid)
{
    char why[sizeof grid->departs], cable[200];
    uint32_t odd;
    memcpy(why, grid->departs, sizeof why);
    HD_TRY(hd_odd_cable(f, lv, &odd));
    if (odd == UINT32_MAX) return hd_departs(grid, "%.320s; not a grid either: %.150s", tree->departs, why);
    hd_cable_text(f->net, odd, cable, sizeof cable);
    return hd_departs(
        grid,
        "%s seems misplaced: its lower end shares no other parent with the other switches below its upper end; "
        "not a grid either: %.150s",
        cable, why);
}

static hd_status read_network(struct hd_inference *f, struct hd_reading *r)
{
    struct hd_level_map lv;
    struct hd_reading grid;
    bool forced = false;
    HD_TRY(make_fabric(f));
    HD_TRY(best_tree(f, r));
    if (r->shape.n && r->shape.missing <= count_switch_cables(f->net) / 4) return HD_OK;
    HD_TRY(infer_read_levels(f, HD_LEVEL_FOLD_NONE, &lv, &grid));
    if (r->shape.n) HD_TRY(infer_is_forced(f, r, &lv, &forced));
    if (r->shape.n && !forced) return HD_OK;
    if (r->shape.n) HD_TRY(hd_departs(r, "as a tree with spare leaf switches it would lack many cables"));
    HD_TRY(hd_infer_grid(f, &grid));
    if (!grid.shape.n) {
        HD_TRY(explain(f, &lv, r, &grid));
        HD_TRY(hd_levels_alike(f, &lv));
        set_levels(f->net, &lv, grid.level);
    }
    *r = grid;
    return HD_OK;
}

/* As read_network, of the part of net that endpoints use; the other switches are marked and have no place. */
static hd_status read_inhabited(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, bool **unplaced,
                                struct hd_reading *r)
{
    struct hd_net *rest = NULL;
    uint32_t n;
    HD_TRY(hd_unplaced_find(ctx, arena, net, unplaced, &n));
    if (n) HD_TRY(hd_unplaced_remove(ctx, arena, net, *unplaced, &rest));
    struct hd_inference f = {.ctx = ctx, .arena = arena, .net = n ? rest : net};
    hd_status s = read_network(&f, r);
    if (s == HD_OK && n) s = hd_unplaced_add(ctx, arena, net, *unplaced, r);
    hd_net_free(rest);
    return s;
}

/* Infers the structure of net and gives it to net itself, or, with out, to a copy. */
static hd_status infer_structure(struct hd_ctx *ctx, struct hd_net *own, const struct hd_net *net, struct hd_net **out)
{
    struct hd_arena scratch = {0};
    struct hd_reading r = {0};
    bool *unplaced = NULL;
    hd_status s = read_inhabited(ctx, &scratch, net, &unplaced, &r);
    struct hd_structure structure = {r.shape, r.level, r.coord, r.departs, unplaced};
    if (s == HD_OK && own) s = hd_net_set_structure(ctx, own, &structure);
    if (s == HD_OK && out) s = hd_net_with(ctx, net, &(struct hd_net_changes){.structure = &structure}, out);
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_net_infer(struct hd_ctx *ctx, const struct hd_net *net, struct hd_net **out)
{
    if (net->shape.kind != HD_SHAPE_NONE) return hd_net_with(ctx, net, &(struct hd_net_changes){0}, out);
    return infer_structure(ctx, NULL, net, out);
}

hd_status hd_infer_unpublished(struct hd_ctx *ctx, struct hd_net *net)
{
    return infer_structure(ctx, net, net, NULL);
}
