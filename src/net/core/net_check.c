/* SPDX-License-Identifier: BSD-2-Clause */
/* Every invariant heddle/net.h states, verified from the arrays alone. */
#include "base/arena.h"
#include "base/status.h"
#include "net/core/lid_claims.h"
#include "net/core/shape.h"

#define MUST(cond, ...)                                                                                                \
    do {                                                                                                               \
        if (!(cond)) return hd_fail(ctx, HD_FAULT, __VA_ARGS__);                                                       \
    } while (0)

static hd_status check_channels(struct hd_ctx *ctx, const struct hd_net *n)
{
    uint32_t nodes = n->nsw + n->nep;
    MUST(n->off[0] == 0 && n->off[nodes] == n->nchan, "channel offsets do not span the channels");
    for (uint32_t v = 0; v < nodes; v++) {
        MUST(n->off[v] <= n->off[v + 1], "node %u: offsets decrease", v);
        for (uint32_t c = n->off[v]; c < n->off[v + 1]; c++) {
            MUST(n->tail[c] == v, "channel %u: tail is %u, expected %u", c, n->tail[c], v);
            MUST(n->head[c] < nodes && n->head[c] != v, "channel %u: bad head", c);
            MUST(n->port[c] >= 1 && n->port[c] <= HD_MAX_PORTS, "channel %u: port %u", c, n->port[c]);
            MUST(c == n->off[v] || n->port[c - 1] < n->port[c], "node %u: ports not increasing", v);
            uint32_t r = n->rev[c];
            MUST(r < n->nchan && r != c && n->rev[r] == c, "channel %u: rev is not an involution", c);
            MUST(n->head[r] == v && n->tail[r] == n->head[c], "channel %u: reverse connects other nodes", c);
            MUST(n->link[c] == n->link[r], "channel %u: reverse has another link", c);
        }
    }
    for (uint32_t v = 0; v < n->nsw; v++)
        MUST(hd_degree(n, v) == 0 || n->port[n->off[v + 1] - 1] <= n->nports[v], "switch %u: port beyond nports", v);
    for (uint32_t e = 0; e < n->nep; e++)
        MUST(hd_degree(n, n->nsw + e) == 1 && hd_leaf(n, e) < n->nsw, "endpoint %u: not on one switch", e);
    return HD_OK;
}

static hd_status check_distinct(struct hd_ctx *ctx, const uint64_t *v, uint32_t n, const char *what)
{
    uint64_t number = 0;
    bool wrong = false;
    for (uint32_t i = 0; i < n && !wrong; i++) wrong = v[i] == 0;
    if (!wrong) HD_TRY(hd_find_repeated(ctx, v, n, &wrong, &number));
    MUST(!wrong, "%s 0x%llx is zero or used twice", what, (unsigned long long)number);
    return HD_OK;
}

/* Some LIDs occur twice: they do so in different parts of the network. */
static hd_status check_lids_of_parts(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *n)
{
    uint32_t nodes = n->nsw + n->nep, nparts, count = 0, *part_of = HD_NEW(scratch, uint32_t, nodes);
    struct hd_lid_item *item = HD_NEW(scratch, struct hd_lid_item, nodes), early, late;
    if (!part_of || !item) return hd_fail_memory(ctx);
    HD_TRY(hd_net_parts(ctx, n, part_of, &nparts));
    for (uint32_t v = 0; v < nodes; v++)
        if (n->lid[v]) item[count++] = (struct hd_lid_item){{hd_lid_key(part_of[v], n->lid[v]), v}, hd_lid_count(n, v)};
    MUST(!hd_lid_collision(item, count, &early, &late), "LID %u is used twice", n->lid[late.at.value]);
    return HD_OK;
}

static hd_status check_lids(struct hd_ctx *ctx, const struct hd_net *n)
{
    unsigned char seen[65536 / 8] = {0};
    struct hd_arena scratch = {0};
    bool distinct = true;
    for (uint32_t v = 0; v < n->nsw + n->nep; v++) {
        const uint32_t first = n->lid[v], last = first + hd_lid_count(n, v) - 1;
        MUST(first || hd_lid_count(n, v) == 1, "node %u: an LMC without a LID", v);
        MUST(v >= n->nsw || n->switch_lmc[v] <= HD_MAX_LMC, "node %u: LMC %u", v, n->switch_lmc[v]);
        MUST(v < n->nsw || n->lmc_of[v - n->nsw] <= n->lmc, "node %u: an LMC above the largest one", v);
        MUST(last <= HD_MAX_LID, "node %u: LID %u is not unicast", v, last);
        for (uint32_t lid = first; first && lid <= last; lid++) {
            if (seen[lid / 8] >> (lid % 8) & 1) distinct = false;
            seen[lid / 8] |= (unsigned char)(1 << lid % 8);
        }
    }
    if (distinct) return HD_OK;
    hd_status s = check_lids_of_parts(ctx, &scratch, n);
    hd_arena_release(&scratch);
    return s;
}

static hd_status net_check_check_groups(struct hd_ctx *ctx, const struct hd_net *n)
{
    for (uint32_t e = 0; e < n->nep; e++) {
        MUST(n->ca[e] < n->nca, "endpoint %u: adapter out of range", e);
        MUST(n->port[n->off[n->nsw + e]] <= n->ca_ports[n->ca[e]], "endpoint %u: port beyond its adapter's", e);
        MUST(n->host[e] < n->nhost && n->rail[e] < n->nrail, "endpoint %u: host or rail out of range", e);
    }
    for (uint32_t a = 0; a < n->nca; a++) MUST(n->ca_role[a] < HD_ROLES, "adapter %u: unknown role", a);
    for (uint32_t i = 0; i < n->nsel; i++)
        MUST(n->sel[i] < n->nep && (i == 0 || n->sel[i - 1] < n->sel[i]), "selected endpoints are not increasing");
    return HD_OK;
}

static hd_status check_hosts(struct hd_ctx *ctx, const struct hd_net *n, bool *seen, uint32_t *host_of)
{
    uint32_t hosts = 0;
    for (uint32_t e = 0; e < n->nep; e++) {
        uint32_t *h = &host_of[n->ca[e]];
        MUST(*h == 0 || *h == n->host[e] + 1, "adapter %u is of hosts %u and %u", n->ca[e], *h - 1, n->host[e]);
        *h = n->host[e] + 1;
        hosts += !seen[n->host[e]];
        seen[n->host[e]] = true;
    }
    MUST(hosts == n->nhost, "%u of %u hosts have an endpoint", hosts, n->nhost);
    return HD_OK;
}

/* Endpoints of one host on one rail would be two ranks at one place. */
static hd_status check_rails(struct hd_ctx *ctx, const struct hd_net *n)
{
    MUST(n->nrail <= 255, "%u rails", n->nrail);
    struct hd_arena scratch = {0};
    bool *seen = HD_NEW(&scratch, bool, n->nhost);
    uint32_t *host_of = HD_NEW(&scratch, uint32_t, n->nca);
    uint64_t *pair = HD_NEW(&scratch, uint64_t, n->nep);
    hd_status s = seen && host_of && pair ? check_hosts(ctx, n, seen, host_of) : hd_fail_memory(ctx);
    for (uint32_t e = 0; s == HD_OK && e < n->nep; e++) pair[e] = ((uint64_t)n->host[e] << 8 | n->rail[e]) + 1;
    if (s == HD_OK) s = check_distinct(ctx, pair, n->nep, "host and rail");
    hd_arena_release(&scratch);
    return s;
}

/* A host is on a leaf; what sits on a switch above (aggregation nodes do) is at least below that one. */
static hd_status check_tree_endpoint(struct hd_ctx *ctx, const struct hd_net *n, uint32_t e)
{
    uint32_t v = hd_leaf(n, e), l = n->level[v];
    const uint16_t *x = hd_coord(n, n->nsw + e), *y = hd_coord(n, v);
    MUST(l == 1 || !hd_has_place(n, e), "endpoint %u: a host on a switch of level %u", e, l);
    for (uint32_t i = l; i < n->shape.n; i++)
        MUST(x[i] == y[i], "endpoint %u differs from its switch in digit %u", e, i + 1);
    return HD_OK;
}

static hd_status check_tree_cable(struct hd_ctx *ctx, const struct hd_net *n, uint32_t c)
{
    uint32_t u = n->tail[c], v = n->head[c], l = n->level[u];
    if (u >= n->nsw) return check_tree_endpoint(ctx, n, u - n->nsw);
    if (v >= n->nsw) return HD_OK;
    if (n->level[v] != l + 1) {
        MUST(n->level[v] + 1u == l, "channel %u connects levels %u and %u", c, l, n->level[v]);
        return HD_OK; /* its reverse is the one looked at */
    }
    const uint16_t *x = hd_coord(n, u), *y = hd_coord(n, v);
    for (uint32_t i = 0; i < n->shape.n; i++)
        MUST(i == l || x[i] == y[i], "channel %u connects nodes that differ in digit %u at level %u", c, i + 1, l);
    return HD_OK;
}

/* Strays are counted with the missing cables; without any, the first is named. */
static hd_status check_grid_cable(struct hd_ctx *ctx, const struct hd_net *n, uint32_t c)
{
    const uint16_t *x = hd_coord(n, n->tail[c]), *y = hd_coord(n, n->head[c]);
    uint32_t differ = 0, between = n->head[c] < n->nsw && n->tail[c] < n->nsw;
    for (uint32_t i = 0; i < n->shape.n; i++) differ += x[i] != y[i];
    if (between && n->shape.strays) return HD_OK;
    MUST(differ == between, "channel %u changes %u digits", c, differ);
    MUST(!between || hd_grid_dimension(n, c) != UINT32_MAX, "channel %u skips switches along a dimension", c);
    return HD_OK;
}

/* What has no place is connected to nothing that has one. */
static hd_status check_unplaced(struct hd_ctx *ctx, const struct hd_net *n, uint32_t c)
{
    const uint32_t u = n->tail[c], v = n->head[c];
    MUST(u < n->nsw && v < n->nsw && n->unplaced[u] && n->unplaced[v],
         "channel %u connects a switch without a place with the others", c);
    return HD_OK;
}

static bool is_unplaced(const struct hd_net *n, uint32_t v)
{
    return v < n->nsw && n->unplaced[v];
}

static hd_status check_cable(struct hd_ctx *ctx, const struct hd_net *n, uint32_t c)
{
    if (is_unplaced(n, n->tail[c]) || is_unplaced(n, n->head[c])) return check_unplaced(ctx, n, c);
    return n->shape.kind == HD_SHAPE_TREE ? check_tree_cable(ctx, n, c) : check_grid_cable(ctx, n, c);
}

static hd_status check_shape(struct hd_ctx *ctx, const struct hd_net *n)
{
    const struct hd_shape *s = &n->shape;
    MUST(s->n <= HD_MAX_DIM && (s->n == 0) == (s->kind == HD_SHAPE_NONE), "shape without dimensions");
    MUST((n->coord != NULL) == (s->n > 0), "coordinates without a shape");
    for (uint32_t v = 0; v < n->nsw + n->nep; v++) {
        uint32_t l = n->level[v];
        MUST((l == 0) == (v >= n->nsw), "node %u: level %u", v, l);
        if (s->kind == HD_SHAPE_TREE) MUST(l <= s->n, "switch %u: level %u of %u", v, l, s->n);
        for (uint32_t i = 0; i < s->n; i++)
            MUST(hd_coord(n, v)[i] < hd_shape_extent(s, l, i), "node %u: digit %u out of range", v, i + 1);
    }
    for (uint32_t c = 0; s->n && c < n->nchan; c++) HD_TRY(check_cable(ctx, n, c));
    uint32_t missing = 0;
    HD_TRY(hd_shape_missing(ctx, n, &missing));
    MUST(missing == s->missing, "shape says %u cables are missing, %u are", s->missing, missing);
    MUST(!s->strays || hd_grid_strays(n) == s->strays, "shape says %u cables are strays, %u are", s->strays,
         hd_grid_strays(n));
    return HD_OK;
}

/* Two switches at one place would make coordinates useless to an engine, and so would two hosts of a
 * tree. (Endpoints of a grid are where their switch is.) */
static hd_status check_places(struct hd_ctx *ctx, const struct hd_net *n)
{
    if (!n->shape.n) return HD_OK;
    struct hd_arena scratch = {0};
    uint64_t *place = HD_NEW(&scratch, uint64_t, n->nsw + n->nep);
    if (!place) return hd_fail_memory(ctx);
    uint32_t switches = 0, hosts = 0;
    for (uint32_t v = 0; v < n->nsw; v++) {
        uint64_t level = n->shape.kind == HD_SHAPE_TREE ? n->level[v] : 1;
        if (!n->unplaced[v])
            place[switches++] = level << 56 | hd_shape_rank(&n->shape, (uint32_t)level, hd_coord(n, v));
    }
    hd_status s = check_distinct(ctx, place, switches, "place");
    for (uint32_t e = 0; n->shape.kind == HD_SHAPE_TREE && e < n->nep; e++)
        if (hd_has_place(n, e)) place[hosts++] = hd_shape_rank(&n->shape, 0, hd_coord(n, n->nsw + e)) + 1;
    if (s == HD_OK) s = check_distinct(ctx, place, hosts, "place of a host");
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_shape_check(struct hd_ctx *ctx, const struct hd_net *n)
{
    HD_TRY(check_shape(ctx, n));
    return check_places(ctx, n);
}

hd_status hd_net_check(struct hd_ctx *ctx, const struct hd_net *n)
{
    MUST(n->nsw > 0, "no switch");
    HD_TRY(check_channels(ctx, n));
    HD_TRY(check_distinct(ctx, n->guid, n->nsw, "switch GUID"));
    HD_TRY(check_distinct(ctx, n->guid + n->nsw, n->nep, "port GUID"));
    HD_TRY(check_distinct(ctx, n->ca_guid, n->nca, "adapter GUID"));
    HD_TRY(check_lids(ctx, n));
    HD_TRY(net_check_check_groups(ctx, n));
    HD_TRY(check_rails(ctx, n));
    return hd_shape_check(ctx, n);
}
