/* SPDX-License-Identifier: BSD-2-Clause */
/* Which fabrics could serve N endpoints with switches of R ports, from sizes alone. Each family is sized by
 * its own rule, with as few switches as the rule allows:
 *   trees      a leaf switch has t times as many ports down as up (taper t:1). Several cables to each switch above
 *              where that saves switches; leaves and pods are filled evenly
 *   dragonfly+ groups of s leaves and s spines with s^2 endpoints at most, three groups at least; h = s global cables
 *              of a spine, or s / 2
 *   hyperx     one to three dimensions whose bisection carries all, or half, of what the endpoints can send
 *   torus      three dimensions, none more than twice another; half or a quarter of the ports for endpoints, all
 *              others for parallel cables
 *   slimfly    the smallest field with at most half as many, or as many endpoints as switch cables on a switch
 *   rail       two levels; multi-plane: one tree per rail, that no cable connects
 * Cost: some thousand steps. */
#include "base/status.h"
#include "design/design_steps.h"

#include <stdio.h>
#include <string.h>

struct sizing {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    uint64_t n, radix, rails;
    struct hd_design_list *list;
    hd_status status;
    char absent[200];
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Adds a candidate unless one has the same spec. */
static void sizing_add(struct sizing *z, const struct hd_design_candidate *c)
{
    struct hd_design_list *l = z->list;
    for (uint32_t i = 0; i < l->n; i++)
        if (strcmp(l->row[i].spec, c->spec) == 0) return;
    if (z->status == HD_OK && !HD_MORE(z->arena, l->row, l->n, l->room)) z->status = hd_fail_memory(z->ctx);
    if (z->status == HD_OK) l->row[l->n++] = *c;
}

static void sizing_absent(struct sizing *z, const char *family)
{
    size_t n = strlen(z->absent);
    snprintf(z->absent + n, sizeof z->absent - n, "%s%s", n ? ", " : "", family);
}

/* ---- trees ---------------------------------------------------------------------------------- */

struct sized_tree {
    uint64_t levels, m[3], w[3], p[3];
};

/* The largest number of parallel cables to each of the switches above for which these have ports enough: as few
 * switches as possible, but two, so that one may fail. have: cables up, at least; room: at most. */
static bool tree_parallel(uint64_t have, uint64_t room, uint64_t children, uint64_t radix, uint64_t *w, uint64_t *p)
{
    uint64_t most = children ? radix / children : 0, half = divide_up(have, 2);
    for (*p = most < half ? most : half; *p; (*p)--) {
        *w = divide_up(have, *p);
        if (*w * *p <= room) return true;
    }
    return false;
}

/* Ports down and up of a switch at a taper of t:1. */
static void tree_split(uint64_t radix, uint64_t t, uint64_t *down, uint64_t *up)
{
    *up = radix / (t + 1);
    *down = radix - *up < t * *up ? radix - *up : t * *up;
}

static bool tree_size_two(uint64_t n, uint64_t radix, uint64_t t, struct sized_tree *s)
{
    uint64_t down, up;
    tree_split(radix, t, &down, &up);
    if (!up) return false;
    uint64_t leaves = divide_up(n, down);
    if (leaves < 2 || leaves > radix) return false;
    down = divide_up(n, leaves);
    up = divide_up(down, t);
    *s = (struct sized_tree){.levels = 2, .m = {down, leaves}, .w = {1}, .p = {1}};
    return tree_parallel(up, radix - down, leaves, radix, &s->w[1], &s->p[1]);
}

static bool tree_size_three(uint64_t n, uint64_t radix, uint64_t t, uint64_t taper2, struct sized_tree *s)
{
    uint64_t down, up, down2, up2;
    tree_split(radix, t, &down, &up);
    tree_split(radix, taper2, &down2, &up2);
    if (!up || !up2) return false;
    uint64_t pods = divide_up(divide_up(n, down), down2);
    if (pods < 2 || pods > radix) return false;
    uint64_t leaves = divide_up(divide_up(n, down), pods);
    down = divide_up(n, leaves * pods);
    *s = (struct sized_tree){.levels = 3, .m = {down, leaves, pods}, .w = {1}, .p = {1}};
    if (!tree_parallel(divide_up(down, t), radix - down, leaves, down2, &s->w[1], &s->p[1])) return false;
    down2 = leaves * s->p[1];
    return tree_parallel(divide_up(down2, taper2), radix - down2, pods, radix, &s->w[2], &s->p[2]);
}

/* Adds key and a list such as 4x4x4. */
static void sizing_put_list(char *text, size_t room, const char *key, const uint64_t *v, uint64_t n)
{
    size_t used = strlen(text);
    for (uint64_t i = 0; i < n && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%llu", i ? "x" : key, (unsigned long long)v[i]);
}

static void tree_put(struct sizing *z, const struct sized_tree *s, uint32_t planes, const char *family)
{
    struct hd_design_candidate c = {.kind = HD_DESIGN_TREE, .planes = planes};
    char lists[200] = "", copies[20] = "";
    bool single = true;
    for (uint64_t i = 0; i < s->levels; i++) single &= s->p[i] == 1;
    sizing_put_list(lists, sizeof lists, "m=", s->m, s->levels);
    sizing_put_list(lists, sizeof lists, ",w=", s->w, s->levels);
    if (!single) sizing_put_list(lists, sizeof lists, ",p=", s->p, s->levels);
    if (planes > 1) snprintf(copies, sizeof copies, ",planes=%u", planes);
    snprintf(c.spec, sizeof c.spec, "%s:%s%s", single ? "xgft" : "pgft", lists, copies);
    snprintf(c.family, sizeof c.family, "%s", family);
    c.grows_to = planes * (z->radix / s->p[s->levels - 1]);
    for (uint64_t i = 0; i + 1 < s->levels; i++) c.grows_to *= s->m[i];
    if (s->levels == 1) c.grows_to = planes * z->radix;
    sizing_add(z, &c);
}

static void size_trees(struct sizing *z)
{
    static const struct {
        uint64_t leaf, spine;
        const char *name;
    } three[] = {{1, 1, "3-level tree 1:1"},
                 {2, 1, "3-level tree 2:1"},
                 {4, 1, "3-level tree 4:1"},
                 {1, 2, "3-level tree 1:1, 2:1 above"}};
    struct sized_tree s = {.levels = 1, .m = {z->n}, .w = {1}, .p = {1}};
    bool two = false, upper = false;
    char family[HD_DESIGN_FAMILY];
    if (z->n <= z->radix) tree_put(z, &s, 1, "one switch");
    for (uint64_t t = 1; t <= 4; t++) {
        if (!tree_size_two(z->n, z->radix, t, &s)) continue;
        snprintf(family, sizeof family, "2-level tree %llu:1", (unsigned long long)t);
        tree_put(z, &s, 1, family);
        two = true;
    }
    for (size_t i = 0; i < sizeof three / sizeof *three; i++) {
        if (!tree_size_three(z->n, z->radix, three[i].leaf, three[i].spine, &s)) continue;
        tree_put(z, &s, 1, three[i].name);
        upper = true;
    }
    if (!two) sizing_absent(z, "2-level trees");
    if (!upper) sizing_absent(z, "3-level trees");
}

static void size_planes(struct sizing *z)
{
    uint64_t n = divide_up(z->n, z->rails);
    struct sized_tree s;
    bool any = false;
    for (uint64_t t = 1; t <= 2; t++) {
        char family[HD_DESIGN_FAMILY];
        bool two = tree_size_two(n, z->radix, t, &s);
        if (!two && n <= z->radix && t == 1) {
            s = (struct sized_tree){.levels = 1, .m = {n}, .w = {1}, .p = {1}};
        } else if (!two && !tree_size_three(n, z->radix, t, 1, &s)) {
            continue;
        }
        snprintf(family, sizeof family, "%llu planes, %llu level%s%s", (unsigned long long)z->rails,
                 (unsigned long long)s.levels, s.levels == 1 ? "" : "s",
                 s.levels == 1 ? ""
                 : t == 1      ? " 1:1"
                               : " 2:1");
        tree_put(z, &s, (uint32_t)z->rails, family);
        any = true;
    }
    if (!any) sizing_absent(z, "multi-plane trees");
}

static void size_rail(struct sizing *z)
{
    uint64_t hosts = divide_up(z->n, z->rails);
    bool any = false;
    for (uint64_t t = 1; t <= 2; t++) {
        uint64_t down, up, spines, parallel;
        tree_split(z->radix, t, &down, &up);
        if (!up) continue;
        uint64_t units = divide_up(hosts, down), leaves = units * z->rails;
        down = divide_up(hosts, units);
        if (leaves < 2 || !tree_parallel(divide_up(down, t), z->radix - down, leaves, z->radix, &spines, &parallel))
            continue;
        struct hd_design_candidate c = {.kind = HD_DESIGN_TREE, .planes = 1};
        snprintf(c.family, sizeof c.family, "rail-optimised %llu:1", (unsigned long long)t);
        snprintf(c.spec, sizeof c.spec, "rail:rails=%llu,units=%llu,leaves=1,hosts=%llu,spines=%llu,uplinks=%llu",
                 (unsigned long long)z->rails, (unsigned long long)units, (unsigned long long)down,
                 (unsigned long long)spines, (unsigned long long)(spines * parallel));
        c.grows_to = z->radix / parallel / z->rails * z->rails * down;
        sizing_add(z, &c);
        any = true;
    }
    if (!any) sizing_absent(z, "rail-optimised");
}

/* ---- dragonfly+ ----------------------------------------------------------------------------- */

static void size_dragonfly(struct sizing *z)
{
    enum { GROUPS = 3 };
    bool any = false;
    uint64_t s = z->radix / 2;
    while (s > 1 && divide_up(z->n, s * s) < GROUPS) s--;
    for (uint64_t part = 1; part <= 2 && s > 1; part++) {
        uint64_t h = s / part, g = divide_up(z->n, s * s), p = divide_up(z->n, g * s);
        if (!h || g > s * h + 1 || g > 65536 || g < 2) continue;
        struct hd_design_candidate c = {.kind = HD_DESIGN_OTHER, .planes = 1, .grows_to = p * s * (s * h + 1)};
        snprintf(c.family, sizeof c.family, "dragonfly+%s", part == 1 ? "" : ", half the global cables");
        snprintf(c.spec, sizeof c.spec, "dragonfly+:leaves=%llu,spines=%llu,p=%llu,h=%llu,g=%llu",
                 (unsigned long long)s, (unsigned long long)s, (unsigned long long)p, (unsigned long long)h,
                 (unsigned long long)g);
        sizing_add(z, &c);
        any = true;
    }
    if (!any) sizing_absent(z, "dragonfly+");
}

/* ---- grids ---------------------------------------------------------------------------------- */

struct grid_size {
    uint64_t n, dims[3], hosts, cables, switches;
};

static void grid_put(struct sizing *z, const struct grid_size *s, const char *name, const char *family,
                     enum hd_design_kind kind)
{
    struct hd_design_candidate c = {.kind = kind, .planes = 1};
    char dims[80] = "";
    snprintf(c.family, sizeof c.family, "%s", family);
    sizing_put_list(dims, sizeof dims, "dims=", s->dims, s->n);
    int n = snprintf(c.spec, sizeof c.spec, "%s:%s,hosts=%llu", name, dims, (unsigned long long)s->hosts);
    if (s->cables > 1) snprintf(c.spec + n, sizeof c.spec - (size_t)n, ",cables=%llu", (unsigned long long)s->cables);
    sizing_add(z, &c);
}

/* A box of n sides, the first `longer` of which are a, the others a - 1. Half the switches of a side of x cut off
 * x/2 x/2 k cables per x/2 hosts: enough for full bisection (share 1) if x k >= 2 hosts. */
static bool hyperx_size(const struct sizing *z, uint64_t n, uint64_t a, uint64_t longer, uint64_t share,
                        struct grid_size *s)
{
    *s = (struct grid_size){.n = n, .switches = 1};
    uint64_t neighbours = 0, shortest = longer < n ? a - 1 : a;
    for (uint64_t i = 0; i < n; i++) {
        s->dims[i] = i < longer ? a : a - 1;
        s->switches *= s->dims[i];
        neighbours += s->dims[i] - 1;
    }
    s->hosts = divide_up(z->n, s->switches);
    s->cables = divide_up(2 * s->hosts, share * shortest);
    return s->dims[n - 1] > 1 && s->hosts + s->cables * neighbours <= z->radix;
}

static void size_hyperx(struct sizing *z)
{
    bool any = false;
    for (uint64_t share = 1; share <= 2; share++) {
        struct grid_size best = {0}, s;
        for (uint64_t n = 1; n <= 3; n++)
            for (uint64_t a = 2; a <= z->radix && a <= 254; a++)
                for (uint64_t longer = n; longer; longer--)
                    if (hyperx_size(z, n, a, longer, share, &s) && (!best.n || s.switches < best.switches)) best = s;
        if (!best.n) continue;
        grid_put(z, &best, "hyperx", share == 1 ? "HyperX, full bisection" : "HyperX, half bisection",
                 HD_DESIGN_HYPERX);
        any = true;
    }
    if (!any) sizing_absent(z, "HyperX");
}

/* The box of fewest switches whose longest side is at most twice the shortest, then the nearest to a cube: a longer one
 * saves a few switches at most, and its bandwidth shrinks with the side. A cube large enough is always among them.
 * Returns how many switches it has. */
static uint64_t torus_box(uint64_t switches, uint64_t dims[3])
{
    uint64_t least = UINT64_MAX;
    for (uint64_t a = 2; (a - 1) * (a - 1) * (a - 1) < switches || a == 2; a++)
        for (uint64_t b = a; a * (b - 1) * (b - 1) < switches || b == a; b++) {
            uint64_t c = divide_up(switches, a * b);
            c = c < b ? b : c;
            if (c > 2 * a) continue;
            if (a * b * c > least || (a * b * c == least && c - a >= dims[0] - dims[2])) continue;
            least = a * b * c;
            dims[0] = c, dims[1] = b, dims[2] = a;
        }
    return least;
}

static void size_torus(struct sizing *z)
{
    bool any = false;
    for (uint64_t part = 2; part <= 4; part += 2) {
        if (z->radix < 8 || z->n < 8 * z->radix / part) continue;
        struct grid_size s = {.n = 3};
        s.switches = torus_box(divide_up(z->n, z->radix / part), s.dims);
        s.hosts = divide_up(z->n, s.switches);
        s.cables = (z->radix - s.hosts) / 6;
        if (!s.cables) continue;
        grid_put(z, &s, "torus", part == 2 ? "torus" : "torus, few endpoints per switch", HD_DESIGN_TORUS);
        any = true;
    }
    if (!any) sizing_absent(z, "torus");
}

/* ---- Slim Fly ------------------------------------------------------------------------------- */

static void size_slimfly(struct sizing *z)
{
    static const uint8_t field[] = {3,   4,   5,   7,   8,   9,   11,  13,  16,  17,  19,  23,  25,
                                    27,  29,  31,  32,  37,  41,  43,  47,  49,  53,  59,  61,  64,
                                    67,  71,  73,  79,  81,  83,  89,  97,  101, 103, 107, 109, 113,
                                    121, 125, 127, 128, 131, 137, 139, 149, 151, 157, 163, 167, 169};
    bool any = false;
    for (uint64_t load = 2; load >= 1; load--)
        for (size_t i = 0; i < sizeof field; i++) {
            uint64_t q = field[i], degree = q % 4 == 0 ? 3 * q / 2 : q % 4 == 1 ? (3 * q - 1) / 2 : (3 * q + 1) / 2;
            uint64_t hosts = divide_up(z->n, 2 * q * q);
            if (degree + hosts > z->radix || hosts > divide_up(degree, load)) continue;
            struct hd_design_candidate c = {.kind = HD_DESIGN_OTHER, .planes = 1};
            snprintf(c.family, sizeof c.family, "Slim Fly%s", load == 2 ? "" : ", twice the endpoints");
            snprintf(c.spec, sizeof c.spec, "slimfly:q=%llu,hosts=%llu", (unsigned long long)q,
                     (unsigned long long)hosts);
            sizing_add(z, &c);
            any = true;
            break;
        }
    if (!any) sizing_absent(z, "Slim Fly");
}

hd_status hd_design_candidates(struct hd_ctx *ctx, const struct hd_design_in *in, struct hd_arena *arena,
                               struct hd_design_list *list)
{
    struct sizing z = {
        .ctx = ctx, .arena = arena, .n = in->endpoints, .radix = in->radix, .rails = in->rails, .list = list};
    *list = (struct hd_design_list){0};
    size_trees(&z);
    if (z.rails > 1) size_rail(&z);
    if (z.rails > 1) size_planes(&z);
    size_dragonfly(&z);
    size_hyperx(&z);
    size_slimfly(&z);
    size_torus(&z);
    list->absent = hd_strdup(arena, z.absent, strlen(z.absent));
    return z.status != HD_OK ? z.status : list->absent ? HD_OK : hd_fail_memory(ctx);
}
