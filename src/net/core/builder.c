/* SPDX-License-Identifier: BSD-2-Clause */
/* Builder: nodes and cables in the order they come, then one counting sort into the CSR arrays of
 * struct hd_net. Growing arrays here are the only malloc outside base. Cost of finish: O(size), plus
 * sorting the GUIDs to find duplicates when they were given. */
#include "net/core/builder.h"
#include "base/status.h"
#include "net/core/facts.h"
#include "net/core/hosts.h"
#include "net/core/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { /* a switch, or an adapter */
    uint64_t guid, system;
    uint32_t name; /* offset in names, NO_NAME */
    uint16_t lid;
    uint8_t nports, level, role;
};

struct port { /* an endpoint */
    uint64_t guid;
    uint32_t adapter;
    uint16_t lid;
    uint8_t port, selected;
};

struct cable {
    uint32_t u, v;
    uint8_t uport, vport, link;
};

#define NO_NAME UINT32_MAX

struct list { /* a growing array */
    void *at;
    size_t n, room, size;
};

struct hd_builder {
    struct list sw, ca, ep, cables, names, swcoord, epcoord;
    struct hd_shape shape;
    const char *rails, *departs;
    const struct hd_net *from; /* hosts and rails are carried over from here, NULL: found by the rule */
    const uint32_t *was;       /* endpoint of from, by endpoint */
    uint8_t lmc;
    bool failed;     /* memory ran out somewhere */
    char wrong[256]; /* first misuse */
};

static void *list_push(struct hd_builder *b, struct list *l, size_t n)
{
    if (l->n + n > l->room) {
        size_t room = l->room * 2 > l->n + n ? l->room * 2 : l->n + n + 64;
        void *at = realloc(l->at, room * l->size);
        if (!at) {
            b->failed = true;
            return NULL;
        }
        l->at = at;
        l->room = room;
    }
    void *slot = (char *)l->at + l->n * l->size;
    memset(slot, 0, n * l->size);
    l->n += n;
    return slot;
}

static void list_reserve(struct hd_builder *b, struct list *l, size_t n)
{
    size_t had = l->n;
    if (n > l->room && list_push(b, l, n - had)) l->n = had;
}

hd_status hd_builder_make(struct hd_ctx *ctx, struct hd_builder **out)
{
    struct hd_builder *b = calloc(1, sizeof *b);
    if (!b) return hd_fail_memory(ctx);
    b->sw.size = b->ca.size = sizeof(struct node);
    b->ep.size = sizeof(struct port);
    b->cables.size = sizeof(struct cable);
    b->names.size = 1;
    b->swcoord.size = b->epcoord.size = sizeof(uint16_t);
    b->rails = "auto";
    b->departs = "";
    *out = b;
    return HD_OK;
}

void hd_builder_free(struct hd_builder *b)
{
    if (!b) return;
    struct list *all[] = {&b->sw, &b->ca, &b->ep, &b->cables, &b->names, &b->swcoord, &b->epcoord};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]->at);
    free(b);
}

void hd_builder_reserve(struct hd_builder *b, size_t switches, size_t endpoints, size_t cables)
{
    list_reserve(b, &b->sw, switches);
    list_reserve(b, &b->ca, endpoints);
    list_reserve(b, &b->ep, endpoints);
    list_reserve(b, &b->cables, cables);
    list_reserve(b, &b->swcoord, switches * b->shape.n);
    list_reserve(b, &b->epcoord, endpoints * b->shape.n);
}

static void misuse(struct hd_builder *b, const char *fmt, ...) HD_PRINTF(2, 3);
static void misuse(struct hd_builder *b, const char *fmt, ...)
{
    if (b->wrong[0]) return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(b->wrong, sizeof b->wrong, fmt, ap);
    va_end(ap);
}

static uint32_t keep_name(struct hd_builder *b, const char *name)
{
    if (!name) return NO_NAME;
    size_t n = strlen(name) + 1;
    if (b->names.n + n >= NO_NAME) {
        b->failed = true;
        return NO_NAME;
    }
    char *slot = list_push(b, &b->names, n);
    if (!slot) return NO_NAME;
    memcpy(slot, name, n);
    return (uint32_t)(b->names.n - n);
}

static bool ports_ok(struct hd_builder *b, const char *name, uint32_t ports)
{
    if (ports <= HD_MAX_PORTS) return true;
    misuse(b, "'%s' has %u ports: at most %d can be routed", name ? name : "a node", ports, HD_MAX_PORTS);
    return false;
}

uint32_t hd_builder_switch(struct hd_builder *b, const struct hd_switch_in *in)
{
    uint32_t id = (uint32_t)b->sw.n;
    struct node *s = list_push(b, &b->sw, 1);
    if (!s || !ports_ok(b, in->name, in->nports)) return id;
    *s = (struct node){.guid = in->guid,
                       .system = in->system,
                       .lid = in->lid,
                       .nports = (uint8_t)in->nports,
                       .level = in->level ? in->level : HD_NO_LEVEL};
    s->name = keep_name(b, in->name);
    if (b->shape.n) list_push(b, &b->swcoord, b->shape.n);
    return id;
}

uint32_t hd_builder_adapter(struct hd_builder *b, const struct hd_adapter_in *in)
{
    uint32_t id = (uint32_t)b->ca.n;
    struct node *a = list_push(b, &b->ca, 1);
    if (!a || !ports_ok(b, in->name, in->nports)) return id;
    *a =
        (struct node){.guid = in->guid, .system = in->system, .nports = (uint8_t)in->nports, .role = (uint8_t)in->role};
    a->name = keep_name(b, in->name);
    return id;
}

uint32_t hd_builder_endpoint(struct hd_builder *b, uint32_t adapter, uint32_t port, uint64_t guid, uint16_t lid)
{
    uint32_t id = (uint32_t)b->ep.n;
    struct port *e = list_push(b, &b->ep, 1);
    if (!e) return id | HD_ENDPOINT_BIT;
    if (adapter >= b->ca.n) {
        misuse(b, "endpoint %u names adapter %u, which does not exist", id, adapter);
        return id | HD_ENDPOINT_BIT;
    }
    struct node *a = (struct node *)b->ca.at + adapter;
    if (port == 0 || port > HD_MAX_PORTS) misuse(b, "endpoint %u has port %u: expected 1 to 254", id, port);
    *e = (struct port){
        .guid = guid, .adapter = adapter, .lid = lid, .port = (uint8_t)port, .selected = a->role == HD_ROLE_HOST};
    if (a->nports < port) a->nports = (uint8_t)port;
    if (b->shape.n) list_push(b, &b->epcoord, b->shape.n);
    return id | HD_ENDPOINT_BIT;
}

void hd_builder_cable(struct hd_builder *b, uint32_t u, uint32_t uport, uint32_t v, uint32_t vport, uint8_t link)
{
    struct cable *c = list_push(b, &b->cables, 1);
    if (!c) return;
    if (uport == 0 || vport == 0 || uport > HD_MAX_PORTS || vport > HD_MAX_PORTS) {
        misuse(b, "cable %zu uses port %u: expected 1 to %d", b->cables.n - 1,
               uport == 0 || uport > HD_MAX_PORTS ? uport : vport, HD_MAX_PORTS);
        return;
    }
    *c = (struct cable){u, v, (uint8_t)uport, (uint8_t)vport, link};
}

uint32_t hd_builder_host(struct hd_builder *b, uint32_t sw, uint32_t swport, uint8_t link)
{
    uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.nports = 1});
    uint32_t e = hd_builder_endpoint(b, a, 1, 0, 0);
    hd_builder_cable(b, sw, swport, e, 1, link);
    return e;
}

void hd_builder_shape(struct hd_builder *b, const struct hd_shape *shape)
{
    b->shape = *shape;
}

void hd_builder_coord(struct hd_builder *b, uint32_t node, const uint16_t *digits)
{
    struct list *l = node & HD_ENDPOINT_BIT ? &b->epcoord : &b->swcoord;
    size_t i = (size_t)(node & ~HD_ENDPOINT_BIT) * b->shape.n;
    if (i + b->shape.n <= l->n) memcpy((uint16_t *)l->at + i, digits, b->shape.n * sizeof *digits);
}

void hd_builder_lmc(struct hd_builder *b, uint8_t lmc)
{
    b->lmc = lmc;
}

void hd_builder_rails(struct hd_builder *b, const char *rule)
{
    b->rails = rule;
}

/* ---- finish -------------------------------------------------------------------------------- */

struct frozen { /* the arrays of struct hd_net while they may still be written */
    uint32_t *off, *head, *tail, *rev, *ca, *name_at, *sel;
    uint8_t *port, *link, *level, *nports, *ca_ports, *ca_role;
    uint64_t *guid, *ca_guid, *system;
    uint16_t *lid, *coord;
    char *names;
};

static bool alloc_arrays(struct hd_arena *a, const struct hd_builder *b, struct frozen *f)
{
    size_t nsw = b->sw.n, nep = b->ep.n, nca = b->ca.n, nchan = 2 * b->cables.n, nodes = nsw + nep;
    size_t names = b->names.n;
    for (size_t i = 0; i < nsw; i++)
        if (((struct node *)b->sw.at)[i].name == NO_NAME) names += 24;
    for (size_t i = 0; i < nca; i++)
        if (((struct node *)b->ca.at)[i].name == NO_NAME) names += 20;
    f->off = HD_NEW(a, uint32_t, nodes + 1);
    f->head = HD_NEW(a, uint32_t, nchan);
    f->tail = HD_NEW(a, uint32_t, nchan);
    f->rev = HD_NEW(a, uint32_t, nchan);
    f->port = HD_NEW(a, uint8_t, nchan);
    f->link = HD_NEW(a, uint8_t, nchan);
    f->guid = HD_NEW(a, uint64_t, nodes);
    f->lid = HD_NEW(a, uint16_t, nodes);
    f->level = HD_NEW(a, uint8_t, nodes);
    f->nports = HD_NEW(a, uint8_t, nsw);
    f->coord = b->shape.n ? HD_NEW(a, uint16_t, nodes * b->shape.n) : NULL;
    f->ca = HD_NEW(a, uint32_t, nep);
    f->ca_guid = HD_NEW(a, uint64_t, nca);
    f->ca_ports = HD_NEW(a, uint8_t, nca);
    f->ca_role = HD_NEW(a, uint8_t, nca);
    f->system = HD_NEW(a, uint64_t, nsw + nca);
    f->sel = HD_NEW(a, uint32_t, nep);
    f->name_at = HD_NEW(a, uint32_t, nsw + nca);
    f->names = HD_NEW(a, char, names + 1);
    return f->off && f->head && f->tail && f->rev && f->port && f->link && f->guid && f->lid && f->level && f->nports &&
           (f->coord || !b->shape.n) && f->ca && f->ca_guid && f->ca_ports && f->ca_role && f->system && f->sel &&
           f->name_at && f->names;
}

static uint32_t node_of(const struct hd_builder *b, uint32_t handle)
{
    return handle & HD_ENDPOINT_BIT ? (uint32_t)b->sw.n + (handle & ~HD_ENDPOINT_BIT) : handle;
}

static const char *label(const struct hd_builder *b, uint32_t v, char buf[64])
{
    uint32_t nsw = (uint32_t)b->sw.n;
    const struct node *n =
        v < nsw ? (struct node *)b->sw.at + v : (struct node *)b->ca.at + ((struct port *)b->ep.at)[v - nsw].adapter;
    if (n->name != NO_NAME) return (char *)b->names.at + n->name;
    snprintf(buf, 64, "%s %u", v < nsw ? "switch" : "endpoint", v < nsw ? v : v - nsw);
    return buf;
}

static hd_status check_cables(struct hd_ctx *ctx, const struct hd_builder *b)
{
    const struct cable *c = b->cables.at;
    char t1[64], t2[64];
    for (size_t i = 0; i < b->cables.n; i++) {
        uint32_t u = node_of(b, c[i].u), v = node_of(b, c[i].v), n = (uint32_t)(b->sw.n + b->ep.n);
        if (u >= n || v >= n) return hd_fail(ctx, HD_INPUT, "cable %zu joins a node that does not exist", i);
        if (u == v)
            return hd_fail(ctx, HD_INPUT, "'%s': cable from port %u to its own port %u", label(b, u, t1), c[i].uport,
                           c[i].vport);
        if (u >= b->sw.n && v >= b->sw.n)
            return hd_fail(ctx, HD_INPUT, "'%s' and '%s': two endpoints joined without a switch", label(b, u, t1),
                           label(b, v, t2));
    }
    return HD_OK;
}

/* Channels sorted by (tail, port): counting sort by tail, then insertion within a node, where
 * generators and files mostly deliver ports in order already. rev is filled last, through the two
 * channel numbers each cable got. */
static hd_status build_csr(struct hd_ctx *ctx, const struct hd_builder *b, struct hd_arena *scratch, struct frozen *f)
{
    const struct cable *cable = b->cables.at;
    size_t ncab = b->cables.n, nodes = b->sw.n + b->ep.n;
    uint32_t *half = HD_NEW(scratch, uint32_t, 2 * ncab); /* by channel: 2 * cable + side */
    if (!half) return hd_fail_memory(ctx);
    for (size_t i = 0; i < ncab; i++) {
        f->off[node_of(b, cable[i].u) + 1]++;
        f->off[node_of(b, cable[i].v) + 1]++;
    }
    for (size_t v = 0; v < nodes; v++) f->off[v + 1] += f->off[v];
    for (size_t i = ncab; i-- > 0;) {
        /* off[v] is used as the fill pointer from the end of the range, and ends at its start + 0 */
        half[--f->off[node_of(b, cable[i].v) + 1]] = (uint32_t)(2 * i + 1);
        half[--f->off[node_of(b, cable[i].u) + 1]] = (uint32_t)(2 * i);
    }
    for (size_t v = 0; v < nodes; v++) f->off[v] = f->off[v + 1];
    f->off[nodes] = (uint32_t)(2 * ncab);
    for (uint32_t v = 0; v < nodes; v++) {
        for (uint32_t c = f->off[v]; c < f->off[v + 1]; c++) {
            uint32_t h = half[c];
            const struct cable *k = &cable[h / 2];
            uint8_t port = h & 1 ? k->vport : k->uport;
            uint32_t at = c;
            while (at > f->off[v] && f->port[at - 1] > port) {
                f->port[at] = f->port[at - 1];
                half[at] = half[at - 1];
                at--;
            }
            if (at > f->off[v] && f->port[at - 1] == port) {
                char t[64];
                return hd_fail(ctx, HD_INPUT, "'%s': port %u is used by two cables", label(b, v, t), port);
            }
            f->port[at] = port;
            half[at] = h;
        }
    }
    uint32_t *chan_of = HD_NEW(scratch, uint32_t, 2 * ncab);
    if (!chan_of) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t c = f->off[v]; c < f->off[v + 1]; c++) {
            f->tail[c] = v;
            f->link[c] = cable[half[c] / 2].link;
            chan_of[half[c]] = c;
        }
    for (size_t i = 0; i < 2 * ncab; i += 2) {
        uint32_t c = chan_of[i], r = chan_of[i + 1];
        f->rev[c] = r;
        f->rev[r] = c;
        f->head[c] = f->tail[r];
        f->head[r] = f->tail[c];
    }
    return HD_OK;
}

static hd_status check_degrees(struct hd_ctx *ctx, const struct hd_builder *b, const struct frozen *f)
{
    char t[64];
    for (uint32_t v = (uint32_t)b->sw.n; v < b->sw.n + b->ep.n; v++)
        if (f->off[v + 1] - f->off[v] != 1)
            return hd_fail(ctx, HD_INPUT, "'%s': an endpoint has %u cables, expected 1", label(b, v, t),
                           f->off[v + 1] - f->off[v]);
    return HD_OK;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static hd_status check_distinct(struct hd_ctx *ctx, struct hd_arena *scratch, const uint64_t *v, size_t n,
                                const char *what)
{
    bool increasing = true;
    for (size_t i = 1; i < n && increasing; i++) increasing = v[i - 1] < v[i];
    if (increasing) return HD_OK;
    uint64_t *sorted = HD_NEW(scratch, uint64_t, n);
    if (!sorted) return hd_fail_memory(ctx);
    memcpy(sorted, v, n * sizeof *v);
    qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t i = 1; i < n; i++)
        if (sorted[i] == sorted[i - 1])
            return hd_fail(ctx, HD_INPUT, "%s 0x%016llx belongs to two nodes", what, (unsigned long long)sorted[i]);
    return HD_OK;
}

/* Made-up GUIDs carry the locally-administered prefix 02-00-00. */
#define SWITCH_GUID 0x0200000000100000ull
#define ADAPTER_GUID 0x0200000100000000ull

/* A made-up name, as printf("%s%0*zu", prefix, digits, number) but a tenth of its cost: there is one for every
 * node. Returns its length with the final zero. */
static size_t make_name(char *at, const char *prefix, int digits, size_t number)
{
    char text[24];
    int i = (int)sizeof text;
    for (; number || digits > 0; number /= 10, digits--) text[--i] = (char)('0' + number % 10);
    size_t n = strlen(prefix), m = sizeof text - (size_t)i;
    memcpy(at, prefix, n);
    memcpy(at + n, text + i, m);
    at[n + m] = 0;
    return n + m + 1;
}

static void fill_names(const struct hd_builder *b, struct frozen *f)
{
    const struct node *sw = b->sw.at, *ca = b->ca.at;
    size_t used = b->names.n, nsw = b->sw.n;
    if (used) memcpy(f->names, b->names.at, used);
    for (size_t i = 0; i < nsw + b->ca.n; i++) {
        const struct node *n = i < nsw ? &sw[i] : &ca[i - nsw];
        f->name_at[i] = n->name;
        if (n->name != NO_NAME) continue;
        f->name_at[i] = (uint32_t)used;
        if (i >= nsw) {
            used += make_name(f->names + used, "node-", 5, i - nsw);
        } else if (n->level == HD_NO_LEVEL) {
            used += make_name(f->names + used, "sw-", 4, i);
        } else {
            used += make_name(f->names + used, "L", 1, n->level) - 1;
            used += make_name(f->names + used, "-", 4, i);
        }
    }
}

static void fill_nodes(const struct hd_builder *b, struct frozen *f)
{
    const struct node *sw = b->sw.at, *ca = b->ca.at;
    const struct port *ep = b->ep.at;
    size_t nsw = b->sw.n;
    for (size_t i = 0; i < nsw; i++) {
        f->guid[i] = sw[i].guid ? sw[i].guid : SWITCH_GUID + i;
        f->system[i] = sw[i].system ? sw[i].system : f->guid[i];
        f->lid[i] = sw[i].lid;
        f->level[i] = sw[i].level;
        uint8_t last = f->off[i + 1] > f->off[i] ? f->port[f->off[i + 1] - 1] : 0;
        f->nports[i] = sw[i].nports > last ? sw[i].nports : last;
    }
    for (size_t i = 0; i < b->ca.n; i++) {
        f->ca_guid[i] = ca[i].guid ? ca[i].guid : ADAPTER_GUID + 4 * i;
        f->system[nsw + i] = ca[i].system ? ca[i].system : f->ca_guid[i] + (ca[i].guid ? 0 : 3);
        f->ca_ports[i] = ca[i].nports;
        f->ca_role[i] = ca[i].role;
    }
    for (size_t e = 0; e < b->ep.n; e++) {
        f->ca[e] = ep[e].adapter;
        f->guid[nsw + e] = ep[e].guid ? ep[e].guid : f->ca_guid[ep[e].adapter] + ep[e].port;
        f->lid[nsw + e] = ep[e].lid;
    }
    if (b->shape.n) {
        memcpy(f->coord, b->swcoord.at, nsw * b->shape.n * sizeof(uint16_t));
        if (b->ep.n) memcpy(f->coord + nsw * b->shape.n, b->epcoord.at, b->ep.n * b->shape.n * sizeof(uint16_t));
    }
}

/* A network that came without LIDs gets them: endpoints first, then switches, while they last. */
static void assign_lids(const struct hd_builder *b, struct frozen *f)
{
    size_t nsw = b->sw.n, nodes = nsw + b->ep.n;
    for (size_t v = 0; v < nodes; v++)
        if (f->lid[v]) return;
    if (nodes > HD_MAX_LID) return;
    for (size_t v = 0; v < nodes; v++) f->lid[v] = (uint16_t)(v < nsw ? b->ep.n + v + 1 : v - nsw + 1);
}

static hd_status check_lids(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_builder *b,
                            const struct frozen *f)
{
    uint32_t *owner = HD_NEW(scratch, uint32_t, 65536);
    char t1[64], t2[64];
    if (!owner) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < b->sw.n + b->ep.n; v++) {
        uint16_t lid = f->lid[v];
        if (lid == 0) continue;
        if (lid > HD_MAX_LID) return hd_fail(ctx, HD_INPUT, "'%s': LID %u is not a unicast LID", label(b, v, t1), lid);
        if (owner[lid])
            return hd_fail(ctx, HD_INPUT, "LID %u belongs to '%s' and to '%s'", lid, label(b, owner[lid] - 1, t1),
                           label(b, v, t2));
        owner[lid] = v + 1;
    }
    return HD_OK;
}

static hd_status freeze(struct hd_ctx *ctx, const struct hd_builder *b, const char *spec, struct hd_net **out)
{
    if (b->failed) return hd_fail_memory(ctx); /* first: what is missing for memory looks like misuse */
    if (b->wrong[0]) return hd_fail(ctx, HD_INPUT, "%s", b->wrong);
    if (b->sw.n == 0) return hd_fail(ctx, HD_INPUT, "the network has no switch");
    if (b->sw.n + b->ep.n > (1u << 28) || b->cables.n > (1u << 28))
        return hd_fail(ctx, HD_INPUT, "the network is larger than 2^28 nodes or cables");
    HD_TRY(check_cables(ctx, b));
    struct hd_arena arena = {0}, scratch = {0};
    struct frozen f;
    struct hd_net *net = NULL;
    hd_status s = HD_OK;
    if (!alloc_arrays(&arena, b, &f) || !(net = HD_NEW(&arena, struct hd_net, 1))) s = hd_fail_memory(ctx);
    if (s == HD_OK) s = build_csr(ctx, b, &scratch, &f);
    if (s == HD_OK) s = check_degrees(ctx, b, &f);
    hd_arena_release(&scratch); /* the largest scratch is gone before the next is asked for */
    if (s == HD_OK) {
        fill_nodes(b, &f);
        fill_names(b, &f);
        assign_lids(b, &f);
        s = check_lids(ctx, &scratch, b, &f);
    }
    if (s == HD_OK) s = check_distinct(ctx, &scratch, f.guid, b->sw.n, "switch GUID");
    if (s == HD_OK) s = check_distinct(ctx, &scratch, f.ca_guid, b->ca.n, "adapter GUID");
    if (s == HD_OK) s = check_distinct(ctx, &scratch, f.guid + b->sw.n, b->ep.n, "port GUID");
    hd_arena_release(&scratch);
    if (s == HD_OK) {
        *net = (struct hd_net){.nsw = (uint32_t)b->sw.n,
                               .nep = (uint32_t)b->ep.n,
                               .nchan = (uint32_t)(2 * b->cables.n),
                               .off = f.off,
                               .head = f.head,
                               .tail = f.tail,
                               .rev = f.rev,
                               .port = f.port,
                               .link = f.link,
                               .guid = f.guid,
                               .lid = f.lid,
                               .level = f.level,
                               .coord = f.coord,
                               .nports = f.nports,
                               .shape = b->shape,
                               .lmc = b->lmc,
                               .nca = (uint32_t)b->ca.n,
                               .ca = f.ca,
                               .ca_guid = f.ca_guid,
                               .ca_ports = f.ca_ports,
                               .ca_role = f.ca_role,
                               .system = f.system,
                               .names = f.names,
                               .name_at = f.name_at,
                               .sel = f.sel,
                               .spec = hd_strdup(&arena, spec, strlen(spec))};
        for (uint32_t e = 0; e < net->nep; e++)
            if (((struct port *)b->ep.at)[e].selected) f.sel[net->nsel++] = e;
        net->rails = hd_strdup(&arena, b->rails, strlen(b->rails));
        net->departs = hd_strdup(&arena, b->departs, strlen(b->departs));
        if (!net->spec || !net->rails || !net->departs)
            s = hd_fail_memory(ctx);
        else if (b->from)
            s = hd_hosts_carry(ctx, &arena, net, b->from, b->was);
        else
            s = hd_hosts_group(ctx, &arena, net);
        if (s == HD_OK) s = hd_shape_missing(ctx, net, &net->shape.missing);
    }
    struct hd_arena *own = s == HD_OK ? HD_NEW(&arena, struct hd_arena, 1) : NULL;
    if (s == HD_OK && (!own || !(net->facts = hd_facts_make(&arena)))) s = hd_fail_memory(ctx);
    if (s != HD_OK) {
        hd_arena_release(&arena);
        return s;
    }
    *own = arena;
    net->arena = own;
    *out = net;
    return HD_OK;
}

hd_status hd_builder_finish(struct hd_ctx *ctx, struct hd_builder *b, const char *spec, struct hd_net **net)
{
    hd_status s = freeze(ctx, b, spec, net);
    hd_builder_free(b);
    return s;
}

/* ---- copies -------------------------------------------------------------------------------- */

static void copy_coord(const struct hd_net *n, const struct hd_keep *k, struct hd_builder *b, uint32_t v, uint32_t node)
{
    const uint16_t *coord = k->shape ? k->coord : n->coord;
    if (b->shape.n) hd_builder_coord(b, node, coord + (size_t)v * b->shape.n);
}

static void copy_nodes(const struct hd_net *n, const struct hd_keep *k, const bool *ep, struct hd_builder *b,
                       uint32_t *new_node, uint32_t *new_ca)
{
    const uint8_t *level = k->level ? k->level : n->level;
    const uint16_t *lid = k->lid ? k->lid : n->lid;
    for (uint32_t v = 0; v < n->nsw; v++) {
        if (k->sw && !k->sw[v]) continue;
        new_node[v] = hd_builder_switch(b, &(struct hd_switch_in){.name = hd_node_name(n, v),
                                                                  .guid = n->guid[v],
                                                                  .system = n->system[v],
                                                                  .nports = n->nports[v],
                                                                  .lid = lid[v],
                                                                  .level = level[v] == HD_NO_LEVEL ? 0 : level[v]});
        copy_coord(n, k, b, v, new_node[v]);
    }
    for (uint32_t e = 0; e < n->nep; e++) {
        uint32_t v = n->nsw + e, a = n->ca[e];
        if (!ep[e]) continue;
        if (new_ca[a] == UINT32_MAX)
            new_ca[a] = hd_builder_adapter(b, &(struct hd_adapter_in){.name = hd_node_name(n, v),
                                                                      .guid = n->ca_guid[a],
                                                                      .system = n->system[n->nsw + a],
                                                                      .nports = n->ca_ports[a],
                                                                      .role = (enum hd_role)n->ca_role[a]});
        new_node[v] = hd_builder_endpoint(b, new_ca[a], n->port[n->off[v]], n->guid[v], lid[v]);
        copy_coord(n, k, b, v, new_node[v]);
    }
}

static void mark_selected(const struct hd_net *n, const struct hd_keep *k, struct hd_builder *b, const bool *ep)
{
    struct port *port = b->ep.at;
    uint32_t i = 0, at = 0;
    for (uint32_t e = 0; e < n->nep; e++) {
        bool was = i < n->nsel && n->sel[i] == e;
        i += was;
        if (ep[e]) port[at++].selected = k->selected ? k->selected(n, e, k->user) : was;
    }
}

hd_status hd_net_copy(struct hd_ctx *ctx, const struct hd_net *n, const struct hd_keep *keep, const char *spec,
                      struct hd_net **out)
{
    static const struct hd_keep all;
    const struct hd_keep *k = keep ? keep : &all;
    struct hd_builder *b;
    HD_TRY(hd_builder_make(ctx, &b));
    struct hd_arena scratch = {0};
    uint32_t *new_node = HD_NEW(&scratch, uint32_t, n->nsw + n->nep), *new_ca = HD_NEW(&scratch, uint32_t, n->nca);
    uint32_t *was = HD_NEW(&scratch, uint32_t, n->nep), kept = 0;
    bool *ep = HD_NEW(&scratch, bool, n->nep);
    if (!new_node || !new_ca || !was || !ep) {
        hd_arena_release(&scratch);
        hd_builder_free(b);
        return hd_fail_memory(ctx);
    }
    hd_builder_shape(b, k->shape ? k->shape : &n->shape);
    b->departs = k->departs ? k->departs : n->departs;
    hd_builder_lmc(b, k->lid ? k->lmc : n->lmc);
    hd_builder_rails(b, k->rails ? k->rails : n->rails);
    memset(new_ca, 0xff, n->nca * sizeof *new_ca);
    for (uint32_t e = 0; e < n->nep; e++) {
        uint32_t c = n->off[n->nsw + e];
        ep[e] =
            (!k->ep || k->ep[e]) && (!k->sw || k->sw[n->head[c]]) && (!k->chan || (k->chan[c] && k->chan[n->rev[c]]));
        if (ep[e]) was[kept++] = e;
    }
    if (!k->rails) {
        b->from = n;
        b->was = was;
    }
    copy_nodes(n, k, ep, b, new_node, new_ca);
    if (!b->failed) mark_selected(n, k, b, ep);
    for (uint32_t c = 0; c < n->nchan; c++) {
        uint32_t u = n->tail[c], v = n->head[c];
        if (n->rev[c] < c || (k->chan && !(k->chan[c] && k->chan[n->rev[c]]))) continue;
        if ((u < n->nsw ? k->sw && !k->sw[u] : !ep[u - n->nsw]) || (v < n->nsw ? k->sw && !k->sw[v] : !ep[v - n->nsw]))
            continue;
        hd_builder_cable(b, new_node[u], n->port[c], new_node[v], n->port[n->rev[c]],
                         k->link ? k->link[c] : n->link[c]);
    }
    for (uint32_t i = 0; i < k->nadd; i++) {
        const struct hd_cable *x = &k->add[i];
        hd_builder_cable(b, new_node[x->u], x->uport, new_node[x->v], x->vport, x->link);
    }
    hd_status s = hd_builder_finish(ctx, b, spec, out);
    hd_arena_release(&scratch);
    return s;
}
