/* SPDX-License-Identifier: BSD-2-Clause */
/* Recursive doubling that follows a tree: level by level, so that every stage is a Shift to D-mod-K.
 *
 * Full tree, m_l children a node of level l, M_l = m_1 .. m_l, L = floor(log2 m_l), E_l = M_{l-1} 2^L, for
 * l = 1 .. h (equations 3-7 of the source; its equation 7 must change digit l alone):
 *   pre     j -> j - E_l                            j mod M_l >= E_l       only where m_l is no power of two
 *   s < L   i <-> i with digit l changed by xor 2^s  i mod M_l < E_l
 *   post    the reverse of pre
 *
 * Any set of ranks. The ranks in tree order fill slots; a node's children are its subtrees that hold ranks,
 * counted without gaps, so leaving out whole subtrees only makes m_l smaller. A column of a node is the
 * same place below each of its children. Where children are unequal, only columns that all of them have
 * take part in its level (the first place of all is always one) and in the levels above; the other ranks
 * of a child get the result at the end, from those that have it, level by level from the top, in as many
 * extra stages as that takes. So everybody ends with everything, whatever the set.
 *
 * Cost: O(N) memory a level, O(N) a stage.
 * Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global collectives. */
#include "base/keyed.h"
#include "base/status.h"
#include "flow/pattern/all_patterns.h"
#include "flow/pattern/pattern_state.h"
#include "net/core/shape.h"

struct recdbl_tree_opt {
    int place;
};

struct node {    /* of one level: children with equally many columns each */
    uint32_t at; /* member[at + child * columns + column] */
    uint32_t children, columns;
};

struct rest {               /* the ranks of one child that are in no common column */
    uint32_t from, columns; /* member[from .. from + columns - 1] have what they need */
    uint32_t at, n;         /* left[at .. at + n - 1] */
};

struct recdbl_level {
    uint32_t nnode, nrest, nmember, nleft;
    struct node *node;
    struct rest *rest;
    uint32_t *member, *left; /* slots, increasing within a child */
};

enum recdbl_kind { PRE, EXCHANGE, POST, SPREAD };

struct stage {
    enum recdbl_kind kind;
    uint32_t level, step; /* s of an exchange, round of a spread */
};

struct recdbl_tree_state {
    struct hd_pattern_state base;
    uint32_t nlevel;
    const uint32_t *ep; /* endpoint of each slot */
    struct recdbl_level level[HD_MAX_DIM];
    struct stage *stage; /* [base.stages] */
};

/* ---- slots ---------------------------------------------------------------------------------- */

/* A slot: key is its index in the full tree, then in the tree without gaps; value is the endpoint. */

static hd_status fill_slots(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_ranks *ranks,
                            struct hd_keyed *slot)
{
    if (net->shape.kind != HD_SHAPE_TREE) return hd_fail_na(ctx, "recdbl-tree", net->spec, "not a tree");
    for (uint32_t i = 0; i < ranks->n; i++) {
        uint32_t e = ranks->ep[i];
        if (net->level[hd_leaf(net, e)] != 1)
            return hd_fail_na(ctx, "recdbl-tree", net->spec, "%.80s is not on a leaf switch",
                              hd_node_name(net, net->nsw + e));
        slot[i] = (struct hd_keyed){hd_shape_rank(&net->shape, 0, hd_coord(net, net->nsw + e)), e};
    }
    hd_keyed_sort(slot, ranks->n, sizeof *slot);
    return HD_OK;
}

/* Indices without gaps: the next slot is one further at the lowest level that both are in, first below. */
static void close_gaps(const uint64_t *mprod, uint32_t h, struct hd_keyed *slot, uint32_t n)
{
    uint64_t before = slot[0].key, now = 0;
    slot[0].key = 0;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t l = 1;
        while (l < h && slot[i].key / mprod[l] != before / mprod[l]) l++;
        before = slot[i].key;
        now = now / mprod[l - 1] * mprod[l - 1] + mprod[l - 1];
        slot[i].key = now;
    }
}

/* ---- levels --------------------------------------------------------------------------------- */

struct recdbl_work {
    const struct hd_keyed *slot;
    uint64_t inner, outer; /* M_{l-1}, M_l */
    uint32_t *active, nactive;
    uint64_t *column; /* common columns of the node at hand */
    uint32_t ncolumn;
};

static uint32_t end_of(const struct recdbl_work *w, uint32_t from, uint64_t size)
{
    uint32_t to = from;
    while (to < w->nactive && w->slot[w->active[to]].key / size == w->slot[w->active[from]].key / size) to++;
    return to;
}

static uint64_t column_of(const struct recdbl_work *w, uint32_t i)
{
    return w->slot[w->active[i]].key % w->inner;
}

/* Columns that every child of the node active[from .. to-1] has; returns the number of children. */
static uint32_t common_columns(struct recdbl_work *w, uint32_t from, uint32_t to)
{
    uint32_t children = 0;
    for (uint32_t at = from, end; at < to; at = end, children++) {
        end = end_of(w, at, w->inner);
        uint32_t kept = 0;
        if (children == 0)
            for (uint32_t i = at; i < end; i++) w->column[kept++] = column_of(w, i);
        else
            for (uint32_t i = at, k = 0; i < end && k < w->ncolumn;) {
                uint64_t a = column_of(w, i), b = w->column[k];
                if (a == b) w->column[kept++] = b;
                i += a <= b;
                k += b <= a;
            }
        w->ncolumn = kept;
    }
    return children;
}

static void split_child(const struct recdbl_work *w, struct recdbl_level *l, uint32_t from, uint32_t to)
{
    struct rest rest = {l->nmember, w->ncolumn, l->nleft, 0};
    for (uint32_t i = from, k = 0; i < to; i++) {
        if (k < w->ncolumn && column_of(w, i) == w->column[k]) {
            l->member[l->nmember++] = w->active[i];
            k++;
        } else {
            l->left[l->nleft++] = w->active[i];
            rest.n++;
        }
    }
    if (rest.n) l->rest[l->nrest++] = rest;
}

static hd_status make_level(struct hd_ctx *ctx, struct hd_arena *arena, struct recdbl_work *w, struct recdbl_level *l)
{
    l->member = HD_NEW(arena, uint32_t, w->nactive);
    l->left = HD_NEW(arena, uint32_t, w->nactive);
    l->node = HD_NEW(arena, struct node, w->nactive);
    l->rest = HD_NEW(arena, struct rest, w->nactive);
    if (!l->member || !l->left || !l->node || !l->rest) return hd_fail_memory(ctx);
    for (uint32_t from = 0, to; from < w->nactive; from = to) {
        to = end_of(w, from, w->outer);
        uint32_t at = l->nmember, children = common_columns(w, from, to);
        for (uint32_t child = from, end; child < to; child = end) {
            end = end_of(w, child, w->inner);
            split_child(w, l, child, end);
        }
        if (children > 1) l->node[l->nnode++] = (struct node){at, children, w->ncolumn};
    }
    w->active = l->member;
    w->nactive = l->nmember;
    return HD_OK;
}

/* ---- stages --------------------------------------------------------------------------------- */

static uint32_t recdbl_tree_floor_log2(uint32_t n)
{
    uint32_t l = 0;
    while (n >>= 1) l++;
    return l;
}

/* Appends a level's stages, or only counts them while the list is not yet made. */
static void recdbl_tree_add(struct recdbl_tree_state *s, enum recdbl_kind kind, uint32_t level, uint32_t step)
{
    if (s->stage) s->stage[s->base.stages] = (struct stage){kind, level, step};
    s->base.stages++;
}

static void add_stages(struct recdbl_tree_state *s)
{
    s->base.stages = 0;
    for (uint32_t l = 0; l < s->nlevel; l++) {
        uint32_t steps = 0;
        bool odd = false;
        for (uint32_t i = 0; i < s->level[l].nnode; i++) {
            uint32_t c = s->level[l].node[i].children;
            if (recdbl_tree_floor_log2(c) > steps) steps = recdbl_tree_floor_log2(c);
            odd |= (c & (c - 1)) != 0;
        }
        if (odd) recdbl_tree_add(s, PRE, l, 0);
        for (uint32_t step = 0; step < steps; step++) recdbl_tree_add(s, EXCHANGE, l, step);
        if (odd) recdbl_tree_add(s, POST, l, 0);
    }
    for (uint32_t l = s->nlevel; l-- > 0;) {
        uint32_t rounds = 0;
        for (uint32_t i = 0; i < s->level[l].nrest; i++) {
            const struct rest *r = &s->level[l].rest[i];
            uint32_t need = (r->n + r->columns - 1) / r->columns;
            if (need > rounds) rounds = need;
        }
        for (uint32_t round = 0; round < rounds; round++) recdbl_tree_add(s, SPREAD, l, round);
    }
}

static hd_status make_stages(struct hd_ctx *ctx, struct hd_arena *arena, struct recdbl_tree_state *s)
{
    add_stages(s);
    s->stage = HD_NEW(arena, struct stage, s->base.stages);
    if (!s->stage) return hd_fail_memory(ctx);
    add_stages(s);
    return HD_OK;
}

static hd_status recdbl_tree_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in,
                                  void **state)
{
    const struct hd_net *net = hd_routes_net(in->routes);
    const struct hd_shape *shape = &net->shape;
    uint32_t n = in->ranks->n;
    HD_TRY(hd_pattern_state_make(ctx, arena, in, sizeof(struct recdbl_tree_state), state));
    struct recdbl_tree_state *s = *state;
    struct hd_keyed *slot = HD_NEW(arena, struct hd_keyed, n);
    uint32_t *active = HD_NEW(arena, uint32_t, n), *ep = HD_NEW(arena, uint32_t, n);
    uint64_t *column = HD_NEW(arena, uint64_t, n), mprod[HD_MAX_DIM + 1] = {1};
    if (!slot || !active || !ep || !column) return hd_fail_memory(ctx);
    HD_TRY(fill_slots(ctx, net, in->ranks, slot));
    for (uint32_t l = 0; l < shape->n; l++) mprod[l + 1] = mprod[l] * shape->m[l];
    close_gaps(mprod, shape->n, slot, n);
    bool by_place = ((const struct recdbl_tree_opt *)in->opt)->place == 1;
    for (uint32_t i = 0; i < n; i++) {
        active[i] = i;
        ep[i] = by_place ? slot[i].value : in->ranks->ep[i];
    }
    s->nlevel = shape->n;
    s->ep = ep;
    struct recdbl_work w = {.slot = slot, .active = active, .nactive = n, .column = column};
    for (uint32_t l = 0; l < shape->n; l++) {
        w.inner = mprod[l];
        w.outer = mprod[l + 1];
        HD_TRY(make_level(ctx, arena, &w, &s->level[l]));
    }
    return make_stages(ctx, arena, s);
}

/* ---- flows ---------------------------------------------------------------------------------- */

/* Same columns of children x and y of a node: x sends. */
static void add_columns(const struct recdbl_tree_state *s, const struct recdbl_level *l, const struct node *v,
                        uint32_t x, uint32_t y, struct hd_flows *f)
{
    const uint32_t *from = l->member + v->at + x * v->columns, *to = l->member + v->at + y * v->columns;
    for (uint32_t k = 0; k < v->columns; k++) {
        f->buf[0][f->n] = s->ep[from[k]];
        f->buf[1][f->n++] = s->ep[to[k]];
    }
}

static void recdbl_tree_add_node(const struct recdbl_tree_state *s, const struct stage *g, const struct node *v,
                                 struct hd_flows *f)
{
    const struct recdbl_level *l = &s->level[g->level];
    uint32_t half = 1u << recdbl_tree_floor_log2(v->children);
    if (g->kind == EXCHANGE && 1u << g->step < half)
        for (uint32_t x = 0; x < half; x++) add_columns(s, l, v, x, x ^ 1u << g->step, f);
    if (g->kind == PRE)
        for (uint32_t x = half; x < v->children; x++) add_columns(s, l, v, x, x - half, f);
    if (g->kind == POST)
        for (uint32_t x = half; x < v->children; x++) add_columns(s, l, v, x - half, x, f);
}

static void add_rest(const struct recdbl_tree_state *s, const struct stage *g, const struct rest *r, struct hd_flows *f)
{
    const struct recdbl_level *l = &s->level[g->level];
    for (uint32_t k = 0, i = g->step * r->columns; k < r->columns && i < r->n; k++, i++) {
        f->buf[0][f->n] = s->ep[l->member[r->from + k]];
        f->buf[1][f->n++] = s->ep[l->left[r->at + i]];
    }
}

static void recdbl_tree_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct recdbl_tree_state *s = state;
    const struct stage *g = &s->stage[stage];
    const struct recdbl_level *l = &s->level[g->level];
    (void)rng;
    hd_flows_begin(f, true);
    if (g->kind == SPREAD)
        for (uint32_t i = 0; i < l->nrest; i++) add_rest(s, g, &l->rest[i], f);
    else
        for (uint32_t i = 0; i < l->nnode; i++) recdbl_tree_add_node(s, g, &l->node[i], f);
}

const struct hd_pattern hd_pattern_recdbl_tree = {
    .desc = {.name = "recdbl-tree",
             .summary = "recursive doubling that follows the levels of a tree",
             .text = "Level by level, the subtrees of each node do recursive doubling: rank i exchanges with the rank "
                     "in the same place of the subtree whose number differs by xor 2^s; where the number of subtrees "
                     "is no power of two a stage before folds the rest onto the first ones, and a stage after goes "
                     "back. On an RLFT under dmodk, with ranks in order, every stage has hot-spot degree 1. With some "
                     "of the ranks the subtrees that hold any are counted without gaps; where they are unequal, the "
                     "places all of them have do the exchange, and the other ranks get the result in extra stages at "
                     "the end. place=rank takes the ranks, in their order, as if they filled these places in tree "
                     "order (a random order then shows what ignoring the tree costs); place=tree puts each where it "
                     "really is.",
             .cite = "Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global "
                     "collectives, equations 3-7",
             .params = (const struct hd_param[]){{"place", HD_WORD, "rank", "where a rank is taken to be",
                                                  offsetof(struct recdbl_tree_opt, place), 0, 0, "rank|tree", false},
                                                 {0}},
             .examples = (const char *const[]){"recdbl-tree", "recdbl-tree:place=tree", NULL},
             .command = "heddle eval pgft:m=12x12,w=1x6,p=1x2 dmodk -m hsd -p recdbl-tree",
             .opt_size = sizeof(struct recdbl_tree_opt)},
    .init = recdbl_tree_init,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = recdbl_tree_draw};
