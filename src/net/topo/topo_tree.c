/* SPDX-License-Identifier: BSD-2-Clause */
/* Fat trees: gft, ft, xgft, pgft and kary are names for one construction, PGFT(h; m; w; p).
 *
 * The switches of level l form groups, one for each setting of the digits a_h .. a_{l+1}; inside a
 * group they are numbered by b_2 .. b_l with b_l running fastest, which is the uplink numbering of the
 * recursive definition of m-port n-trees. With g the group and i the number inside it:
 *     parent b of (l, g, i)  =  (l+1, g / m_{l+1}, i * w_{l+1} + b),   digit a_{l+1} = g mod m_{l+1}
 * Cable k of a pair connects up port q = b + k w_{l+1} with down port r = a + k m_{l+1}; a switch's ports
 * are numbered down first. Several planes are the subtrees of a top level that has no switches. Cost: one step per
 * cable. */
#include "base/rng.h"
#include "base/spec.h"
#include "base/status.h"
#include "net/core/shape.h"
#include "net/topo/topo_nodes.h"
#include "net/topo/topology.h"
#include "net/topo/topo_tree.h"

#include <string.h>

/* ---- part of a tree ------------------------------------------------------------------------ */

static hd_status parse_part(struct hd_ctx *ctx, const char *owner, const char *text, uint64_t seed,
                            const struct hd_shape *t, struct hd_tree_part *part)
{
    uint64_t leaves = 1, n;
    for (uint32_t i = 1; i < t->n; i++) leaves *= t->m[i];
    *part = (struct hd_tree_part){.leaves = leaves, .endpoints = leaves * t->m[0], .seed = seed};
    if (!*text) return HD_OK;
    const struct {
        const char *word;
        uint64_t total;
    } kinds[] = {
        {"leaves", leaves}, {"subtrees", t->m[t->n - 1]}, {"endpoints", part->endpoints}, {"random", part->endpoints}};
    size_t word = strcspn(text, ":");
    for (size_t i = 0; i < 4; i++) {
        if (strlen(kinds[i].word) != word || memcmp(text, kinds[i].word, word) != 0 || !text[word]) continue;
        const char *number = text + word + 1;
        if (!hd_parse_u64(number, strlen(number), &n) || n < 1 || n > kinds[i].total)
            return hd_fail(ctx, HD_INPUT, "%s: partial=%s: expected a number from 1 to %llu", owner, text,
                           (unsigned long long)kinds[i].total);
        if (i < 2) {
            part->leaves = i == 0 || t->n == 1 ? n : n * (leaves / t->m[t->n - 1]);
            part->endpoints = part->leaves * t->m[0];
            if (t->n == 1) { /* the leaf is the top: its subtrees are endpoints */
                part->leaves = 1;
                part->endpoints = i == 0 ? t->m[0] : n;
            }
        } else {
            part->endpoints = n;
            part->random = i == 3;
        }
        return HD_OK;
    }
    return hd_fail(ctx, HD_INPUT, "%s: partial=%s: expected leaves:N, subtrees:N, endpoints:N or random:N", owner,
                   text);
}

/* ---- construction -------------------------------------------------------------------------- */

/* Checked after every factor, so that no product overflows. */
static hd_status tree_check_size(struct hd_ctx *ctx, const char *owner, const struct hd_shape *t)
{
    struct hd_topology_size size = {.endpoints = 1};
    for (uint32_t i = 0; i < t->n; i++) {
        size.endpoints *= t->m[i];
        HD_TRY(hd_topology_fits(ctx, owner, &size));
    }
    for (uint32_t l = 1; l <= t->n; l++) { /* level l counted from 1, arrays from 0 */
        uint64_t down = (uint64_t)t->m[l - 1] * t->p[l - 1];
        uint64_t up = l < t->n ? (uint64_t)t->w[l] * t->p[l] : 0;
        if (down + up > HD_MAX_PORTS)
            return hd_fail(ctx, HD_INPUT, "%s: a switch of level %u would have %llu ports: at most %d can be routed",
                           owner, l, (unsigned long long)(down + up), HD_MAX_PORTS);
        size.switches = 1;
        for (uint32_t i = 0; i < t->n; i++) {
            size.switches *= i < l ? t->w[i] : t->m[i];
            HD_TRY(hd_topology_fits(ctx, owner, &size));
        }
        size.cables += size.switches * down;
        HD_TRY(hd_topology_fits(ctx, owner, &size));
    }
    return HD_OK;
}

struct tree_level {
    uint64_t groups, width; /* groups built, switches per group */
    uint32_t base;          /* first switch */
};

/* The switch of leaf slot j; UINT32_MAX where it is not built. */
static uint32_t leaf_of(const uint32_t *leaf, const struct tree_level *lv, uint64_t j)
{
    return leaf ? leaf[j] : lv->base + (uint32_t)j;
}

/* Levels that have switches. */
static uint32_t tree_levels(const struct hd_shape *t, const struct hd_tree_part *part)
{
    return part->planes > 1 ? t->n - 1 : t->n;
}

static void tree_add_level(struct hd_builder *b, const struct hd_shape *t, uint32_t l, uint32_t top,
                           const struct tree_level *lv, uint32_t *leaf)
{
    uint32_t ports = t->m[l - 1] * t->p[l - 1] + (l < top ? t->w[l] * t->p[l] : 0);
    uint16_t digits[HD_MAX_DIM] = {0};
    for (uint64_t g = 0; g < lv->groups; g++) {
        if (l == 1 && leaf && leaf[g] == UINT32_MAX) continue;
        uint64_t rest = g;
        for (uint32_t i = l; i < t->n; i++) {
            digits[i] = (uint16_t)(rest % t->m[i]);
            rest /= t->m[i];
        }
        for (uint64_t in = 0; in < lv->width; in++) {
            rest = in;
            for (uint32_t i = l; i-- > 0;) {
                digits[i] = (uint16_t)(rest % t->w[i]);
                rest /= t->w[i];
            }
            uint32_t v = hd_builder_switch(b, &(struct hd_switch_in){.nports = ports, .level = (uint8_t)l});
            hd_builder_coord(b, v, digits);
            if (l == 1 && leaf) leaf[g] = v;
        }
    }
}

static void cable_level(struct hd_builder *b, const struct hd_shape *t, uint32_t l, const struct tree_level *lv,
                        const uint32_t *leaf)
{
    const struct tree_level *lower = &lv[l], *upper = &lv[l + 1];
    uint32_t m = t->m[l], w = t->w[l], p = t->p[l], first_up = t->m[l - 1] * t->p[l - 1];
    for (uint64_t g = 0; g < lower->groups; g++)
        for (uint64_t in = 0; in < lower->width; in++) {
            uint32_t u = leaf_of(l == 1 ? leaf : NULL, lower, g * lower->width + in);
            uint32_t parent = upper->base + (uint32_t)(g / m * upper->width + in * w);
            if (u == UINT32_MAX) continue;
            for (uint32_t k = 0; k < p; k++)
                for (uint32_t q = 0; q < w; q++)
                    hd_builder_cable(b, u, first_up + q + k * w + 1, parent + q, (uint32_t)(g % m) + k * m + 1,
                                     HD_LINK_DEFAULT);
        }
}

static void tree_add_hosts(struct hd_builder *b, const struct hd_shape *t, const struct hd_tree_part *part,
                           const struct tree_level *lv, const uint32_t *leaf)
{
    uint32_t total = (uint32_t)(part->leaves * t->m[0]), left = part->hosts ? total : (uint32_t)part->endpoints;
    struct hd_rng rng;
    hd_rng_init(&rng, part->seed, HD_RNG_TOPOLOGY, 0);
    for (uint32_t j = 0; j < total && left; j++) {
        uint32_t slot = j / t->m[0], at = j % t->m[0];
        if (part->hosts && (part->hosts[slot] == HD_NO_LEAF || at >= part->hosts[slot])) continue;
        /* Selection sampling: each of the total - j still to come is taken with chance left / them. */
        if (part->random && hd_rng_below(&rng, total - j) >= left) continue;
        left--;
        uint32_t v = leaf_of(leaf, &lv[1], slot), plane = total / (uint32_t)(part->planes ? part->planes : 1);
        uint32_t e = part->planes > 1 ? hd_topology_adapter(b, j % plane, j / plane, v, at + 1)
                                      : hd_builder_host(b, v, at + 1, HD_LINK_DEFAULT);
        uint16_t digits[HD_MAX_DIM];
        uint32_t rest = j;
        for (uint32_t i = 0; i < t->n; i++) {
            digits[i] = (uint16_t)(rest % t->m[i]);
            rest /= t->m[i];
        }
        hd_builder_coord(b, e, digits);
    }
}

/* Where each leaf slot's switch will be, when some are left out. */
static hd_status place_leaves(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_tree_part *part,
                              uint32_t **leaf, uint64_t *built)
{
    *built = part->leaves;
    if (!part->hosts) return HD_OK;
    *leaf = HD_NEW(scratch, uint32_t, part->leaves);
    if (!*leaf) return hd_fail_memory(ctx);
    *built = 0;
    for (uint64_t j = 0; j < part->leaves; j++) {
        bool absent = part->hosts[j] == HD_NO_LEAF;
        (*leaf)[j] = absent ? UINT32_MAX : 0;
        *built += !absent;
    }
    return HD_OK;
}

hd_status hd_tree_build(struct hd_ctx *ctx, const struct hd_shape *t, const struct hd_tree_part *part,
                        struct hd_builder *b)
{
    struct hd_arena scratch = {0};
    struct tree_level lv[HD_MAX_DIM + 1];
    size_t switches = 0, cables = 0;
    uint32_t *leaf = NULL, top = tree_levels(t, part);
    uint64_t leaves_below = 1, built; /* leaf switches under one group, leaf switches there are */
    HD_TRY(place_leaves(ctx, &scratch, part, &leaf, &built));
    for (uint32_t l = 1; l <= top; l++) {
        if (l > 1) leaves_below *= t->m[l - 1];
        lv[l].width = l > 1 ? lv[l - 1].width * t->w[l - 1] : 1;
        lv[l].groups = (part->leaves + leaves_below - 1) / leaves_below;
        lv[l].base = (uint32_t)switches;
        switches += l == 1 ? built : lv[l].groups * lv[l].width;
        if (l < top) cables += lv[l].groups * lv[l].width * t->w[l] * t->p[l];
    }
    size_t endpoints = part->hosts ? part->leaves * t->m[0] : part->endpoints;
    hd_builder_shape(b, t);
    hd_status s = hd_topology_begin(ctx, b, switches, endpoints, cables + endpoints);
    for (uint32_t l = 1; s == HD_OK && l <= top; l++) tree_add_level(b, t, l, top, &lv[l], leaf);
    if (s == HD_OK) tree_add_hosts(b, t, part, lv, leaf);
    for (uint32_t l = 1; s == HD_OK && l < top; l++) cable_level(b, t, l, lv, leaf);
    hd_arena_release(&scratch);
    return s;
}

/* ---- the five names ------------------------------------------------------------------------ */

struct tree_opt {
    struct hd_list children, parents, parallel; /* xgft, pgft */
    uint64_t m, n, r;                           /* gft, ft, kary */
    uint64_t seed, planes;
    const char *partial;
};

/* A level on top that has no switches: its subtrees are the planes. */
static hd_status tree_add_planes(struct hd_ctx *ctx, const char *owner, const struct tree_opt *o, struct hd_shape *t)
{
    struct hd_topology_size size = {.endpoints = o->planes, .switches = o->planes};
    if (*o->partial) return hd_fail(ctx, HD_INPUT, "%s: partial and planes exclude each other", owner);
    if (t->n == HD_MAX_DIM)
        return hd_fail(ctx, HD_INPUT, "%s: planes: expected fewer than %d levels", owner, HD_MAX_DIM);
    for (uint32_t i = 0; i < t->n; i++) size.endpoints *= t->m[i];
    size.cables = size.endpoints;
    t->m[t->n] = (uint32_t)o->planes;
    t->w[t->n] = t->p[t->n] = 1;
    t->n++;
    return hd_topology_fits(ctx, owner, &size);
}

static hd_status fat_tree_make(struct hd_ctx *ctx, const char *owner, struct hd_shape *t, const struct tree_opt *o,
                               struct hd_builder *b)
{
    struct hd_tree_part part;
    t->kind = HD_SHAPE_TREE;
    HD_TRY(tree_check_size(ctx, owner, t));
    if (o->planes > 1) HD_TRY(tree_add_planes(ctx, owner, o, t));
    HD_TRY(parse_part(ctx, owner, o->partial, o->seed, t, &part));
    part.planes = o->planes;
    return hd_tree_build(ctx, t, &part, b);
}

static hd_status gft_make(struct hd_ctx *ctx, const struct hd_topology *gft, const void *opt, struct hd_builder *b)
{
    const struct tree_opt *o = opt;
    struct hd_shape t = {.n = 2, .m = {(uint32_t)o->n, (uint32_t)o->r}, .w = {1, (uint32_t)o->m}, .p = {1, 1}};
    return fat_tree_make(ctx, gft->desc.name, &t, o, b);
}

/* ft and kary: the top has m ports down, all others m / form down and as many up. */
static hd_status ft_make(struct hd_ctx *ctx, const struct hd_topology *ft, const void *opt, struct hd_builder *b)
{
    const struct tree_opt *o = opt;
    const uint32_t *split = ft->form;
    if (o->m % *split)
        return hd_fail(ctx, HD_INPUT, "ft: m=%llu: expected an even number of ports", (unsigned long long)o->m);
    struct hd_shape t = {.n = (uint32_t)o->n};
    for (uint32_t i = 0; i < t.n; i++) {
        t.m[i] = (uint32_t)(i + 1 < t.n ? o->m / *split : o->m);
        t.w[i] = (uint32_t)(i ? o->m / *split : 1);
        t.p[i] = 1;
    }
    return fat_tree_make(ctx, ft->desc.name, &t, o, b);
}

static hd_status pgft_make(struct hd_ctx *ctx, const struct hd_topology *pgft, const void *opt, struct hd_builder *b)
{
    const struct tree_opt *o = opt;
    const struct hd_list *m = &o->children, *w = &o->parents, *p = &o->parallel;
    if (m->n != w->n || (p->n && m->n != p->n))
        return hd_fail(ctx, HD_INPUT, "%s: m has %u levels, w %u%s: expected as many", pgft->desc.name, m->n, w->n,
                       p->n ? ", p another number" : "");
    if (w->v[0] != 1 || (p->n && p->v[0] != 1))
        return hd_fail(ctx, HD_INPUT, "%s: w and p must begin with 1: an endpoint has one cable", pgft->desc.name);
    struct hd_shape t = {.n = m->n};
    for (uint32_t i = 0; i < t.n; i++) {
        t.m[i] = m->v[i];
        t.w[i] = w->v[i];
        t.p[i] = p->n ? p->v[i] : 1;
    }
    return fat_tree_make(ctx, pgft->desc.name, &t, o, b);
}

/* A row of the table, and those that all trees have. */
/* clang-format off */
#define TREE_ROW(name, kind, value, doc, field, min, max) \
    {name, kind, value, doc, offsetof(struct tree_opt, field), min, max, NULL, true}
#define PARTIAL_ROWS \
    {"partial", HD_TEXT, "", "build a part only: leaves:N or subtrees:N (the first ones, with the switches above " \
     "them), endpoints:N (the first) or random:N (all switches)", \
     offsetof(struct tree_opt, partial), 0, 0, NULL, false}, \
    {"seed", HD_UINT, "1", "of partial=random", offsetof(struct tree_opt, seed), 0, 9007199254740991.0, NULL, false}, \
    {"planes", HD_UINT, "1", "copies that no cable connects; adapter i of every host is on plane i", \
     offsetof(struct tree_opt, planes), 1, 64, NULL, false}
/* clang-format on */

const struct hd_topology hd_topo_gft = {
    .desc = {.name = "gft",
             .summary = "two-level generalized fat tree T(n+m,r)",
             .text = "r bottom switches with n endpoints each and one cable to each of m top switches. "
                     "Endpoint i sits on bottom switch i/n.",
             .cite = "Nienaber, Mahapatra, Yuan: Improving performance of deterministic single-path "
                     "routing on 2-level generalized fat-trees",
             .params =
                 (const struct hd_param[]){TREE_ROW("n", HD_UINT, "16", "endpoints on a bottom switch", n, 1, 253),
                                           TREE_ROW("m", HD_UINT, "16", "top switches", m, 1, 253),
                                           TREE_ROW("r", HD_UINT, "32", "bottom switches", r, 1, 254),
                                           PARTIAL_ROWS,
                                           {0}},
             .examples = (const char *const[]){"gft:n=16,m=16,r=32", "gft:n=4,m=4,r=8", "gft:n=3,m=1,r=2",
                                               "gft:n=4,m=4,r=8,partial=leaves:3", "gft:n=1,m=1,r=1", NULL},
             .opt_size = sizeof(struct tree_opt)},
    .make = gft_make};

const struct hd_topology hd_topo_ft = {
    .desc = {.name = "ft",
             .summary = "m-port n-tree FT(m,n)",
             .text = "n levels of m-port switches, m (m/2)^(n-1) endpoints, (2n-1)(m/2)^(n-1) switches. "
                     "Up-link port i of every subtree goes to top switch i.",
             .cite = "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks",
             .params = (const struct hd_param[]){TREE_ROW("m", HD_UINT, "16", "ports of every switch, even", m, 2, 254),
                                                 TREE_ROW("n", HD_UINT, "2", "levels of switches", n, 1, HD_MAX_DIM),
                                                 PARTIAL_ROWS,
                                                 {0}},
             .examples = (const char *const[]){"ft:m=4,n=3", "ft:m=8,n=2", "ft:m=16,n=3", "ft:m=2,n=3", "ft:m=6,n=1",
                                               "ft:m=4,n=4,partial=subtrees:3", NULL},
             .opt_size = sizeof(struct tree_opt)},
    .make = ft_make,
    .form = &(const uint32_t){2}};

const struct hd_topology hd_topo_xgft = {
    .desc = {.name = "xgft",
             .summary = "extended generalized fat tree XGFT(h; m; w)",
             .text = "h levels; a node of level i+1 has m_i children, a node of level i has w_i parents, "
                     "one cable each. Lists run from the endpoints upwards; w begins with 1.",
             .cite = "Ohring, Ibel, Das, Kumar: On generalized fat trees",
             .params =
                 (const struct hd_param[]){
                     TREE_ROW("m", HD_LIST, "18x18x36", "children, level by level", children, 1, 254),
                     TREE_ROW("w", HD_LIST, "1x18x18", "parents, level by level", parents, 1, 253),
                     PARTIAL_ROWS,
                     {0}},
             .examples = (const char *const[]){"xgft:m=4x4x8,w=1x4x4", "xgft:m=6x6x12,w=1x6x6", "xgft:m=24x24,w=1x12",
                                               "xgft:m=3x2x2x3,w=1x2x3x2", "xgft:m=5,w=1",
                                               "xgft:m=4x4x4,w=1x2x2,partial=leaves:7", NULL},
             .opt_size = sizeof(struct tree_opt)},
    .make = pgft_make};

const struct hd_topology hd_topo_pgft = {
    .desc = {.name = "pgft",
             .summary = "parallel-ports generalized fat tree PGFT(h; m; w; p)",
             .text = "An XGFT in which p_i parallel cables connect each pair. Cable k connects up port b + k w to "
                     "down port a + k m, where a and b are the digits in which child and parent differ. It is "
                     "real-life (RLFT) when m_l p_l = w_{l+1} p_{l+1} at every level, all switches have the "
                     "same number 2K of ports and the top uses all of them downwards.",
             .cite = "Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI "
                     "global collectives",
             .params =
                 (const struct hd_param[]){
                     TREE_ROW("m", HD_LIST, "18x18", "children, level by level", children, 1, 254),
                     TREE_ROW("w", HD_LIST, "1x9", "parents, level by level", parents, 1, 253),
                     TREE_ROW("p", HD_LIST, "1x2", "parallel cables, level by level", parallel, 1, 253),
                     PARTIAL_ROWS,
                     {0}},
             .examples = (const char *const[]){"pgft:m=4x4,w=1x2,p=1x2", "pgft:m=12x12,w=1x6,p=1x2",
                                               "pgft:m=18x18x6,w=1x18x3,p=1x1x6",
                                               "pgft:m=6x6x4,w=1x3x2,p=1x2x3,partial=random:50", NULL},
             .opt_size = sizeof(struct tree_opt)},
    .make = pgft_make};

const struct hd_topology hd_topo_kary = {
    .desc = {.name = "kary",
             .summary = "k-ary n-tree",
             .text = "n levels of k^(n-1) switches with k ports down and k up (none up at the top); k^n endpoints.",
             .cite = "Petrini, Vanneschi: k-ary n-trees",
             .params =
                 (const struct hd_param[]){TREE_ROW("k", HD_UINT, "8", "children and parents of a switch", m, 1, 127),
                                           TREE_ROW("n", HD_UINT, "3", "levels of switches", n, 1, HD_MAX_DIM),
                                           PARTIAL_ROWS,
                                           {0}},
             .examples =
                 (const char *const[]){"kary:k=8,n=3", "kary:k=2,n=4", "kary:k=3,n=2,partial=endpoints:7", NULL},
             .opt_size = sizeof(struct tree_opt)},
    .make = ft_make,
    .form = &(const uint32_t){1}};
