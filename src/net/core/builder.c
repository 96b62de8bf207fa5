/* SPDX-License-Identifier: BSD-2-Clause */
/* Builder: collects nodes and cables in the order they come; freeze.c makes the network of them. Problems are
 * remembered and reported at the end, so that generators and readers need not check every call. Lists grow by doubling
 * with realloc, the only allocations outside arenas: an arena would keep every outgrown copy. Cost: O(1) per call,
 * amortised. */
#include "base/c_locale.h"
#include "net/core/builder_lists.h"
#include "net/core/lid_claims.h"
#include "net/core/shape.h"
#include "base/sized.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *built_list_push(struct hd_builder *b, struct built_list *l, size_t n)
{
    if (n > l->room - l->n) {
        const size_t most = SIZE_MAX / 4 / l->size; /* twice as many and 64 more do not overflow either */
        const size_t room = n > most - l->n ? 0 : l->room * 2 > l->n + n ? l->room * 2 : l->n + n + 64;
        void *at = room ? realloc(l->at, room * l->size) : NULL;
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

static void built_list_reserve(struct hd_builder *b, struct built_list *l, size_t n)
{
    size_t had = l->n;
    if (n > l->room && built_list_push(b, l, n - had)) l->n = had;
}

hd_status hd_builder_make(struct hd_ctx *ctx, struct hd_builder **out)
{
    struct hd_builder *b = calloc(1, sizeof *b);
    if (!b) return hd_fail_memory(ctx);
    b->sw.size = b->ca.size = sizeof(struct built_node);
    b->ep.size = sizeof(struct built_port);
    b->cables.size = sizeof(struct built_cable);
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
    struct built_list *all[] = {&b->sw, &b->ca, &b->ep, &b->cables, &b->names, &b->swcoord, &b->epcoord};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]->at);
    free(b);
}

static void builder_misused(struct hd_builder *b, const char *fmt, ...) HD_PRINTF(2, 3);
static void builder_misused(struct hd_builder *b, const char *fmt, ...)
{
    if (b->wrong[0]) return;
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(b->wrong, sizeof b->wrong, fmt, ap);
    va_end(ap);
}

void hd_builder_reserve(struct hd_builder *b, size_t switches, size_t endpoints, size_t cables)
{
    if (switches > BUILT_MOST || endpoints > BUILT_MOST || cables > BUILT_MOST) {
        builder_misused(b, "%s", BUILT_TOO_LARGE);
        return;
    }
    built_list_reserve(b, &b->sw, switches);
    built_list_reserve(b, &b->ca, endpoints);
    built_list_reserve(b, &b->ep, endpoints);
    built_list_reserve(b, &b->cables, cables);
    built_list_reserve(b, &b->swcoord, switches * b->shape.n);
    built_list_reserve(b, &b->epcoord, endpoints * b->shape.n);
}

static uint32_t builder_keep_name(struct hd_builder *b, const char *name)
{
    if (!name) return BUILT_WITHOUT_NAME;
    size_t n = strlen(name) + 1;
    if (b->names.n + n >= BUILT_WITHOUT_NAME) {
        b->failed = true;
        return BUILT_WITHOUT_NAME;
    }
    char *slot = built_list_push(b, &b->names, n);
    if (!slot) return BUILT_WITHOUT_NAME;
    memcpy(slot, name, n);
    return (uint32_t)(b->names.n - n);
}

static bool builder_allows_ports(struct hd_builder *b, const char *name, uint32_t ports)
{
    if (ports <= HD_MAX_PORTS) return true;
    builder_misused(b, "'%s' has %u ports: at most %d can be routed", name ? name : "a node", ports, HD_MAX_PORTS);
    return false;
}

static const char newer_members[] = "has members set that this version does not know";

uint32_t hd_builder_switch_sized(struct hd_builder *b, const struct hd_switch_in *given, size_t size)
{
    struct hd_switch_in in;
    uint32_t id = (uint32_t)b->sw.n;
    struct built_node *s = built_list_push(b, &b->sw, 1);
    if (!hd_sized_copy(&in, sizeof in, given, size)) builder_misused(b, "struct hd_switch_in: %s", newer_members);
    if (!s || !builder_allows_ports(b, in.name, in.nports)) return id;
    if (in.lmc > HD_MAX_LMC)
        builder_misused(b, "'%s' has LMC %u: expected 0 to %d", in.name ? in.name : "a switch", in.lmc, HD_MAX_LMC);
    *s = (struct built_node){.guid = in.guid,
                             .system = in.system,
                             .lid = in.lid,
                             .lmc = in.lmc,
                             .nports = (uint8_t)in.nports,
                             .level = in.level ? in.level : HD_NO_LEVEL};
    s->name = builder_keep_name(b, in.name);
    if (b->shape.n) built_list_push(b, &b->swcoord, b->shape.n);
    return id;
}

uint32_t hd_builder_adapter_sized(struct hd_builder *b, const struct hd_adapter_in *given, size_t size)
{
    struct hd_adapter_in in;
    uint32_t id = (uint32_t)b->ca.n;
    struct built_node *a = built_list_push(b, &b->ca, 1);
    if (!hd_sized_copy(&in, sizeof in, given, size)) builder_misused(b, "struct hd_adapter_in: %s", newer_members);
    if (!a || !builder_allows_ports(b, in.name, in.nports)) return id;
    if (in.role >= HD_ROLES)
        builder_misused(b, "'%s' has an unknown role, %u", in.name ? in.name : "an adapter", (unsigned)in.role);
    *a = (struct built_node){
        .guid = in.guid, .system = in.system, .nports = (uint8_t)in.nports, .role = (uint8_t)in.role};
    a->name = builder_keep_name(b, in.name);
    return id;
}

uint32_t hd_builder_endpoint(struct hd_builder *b, uint32_t adapter, uint32_t port, uint64_t guid, uint16_t lid)
{
    uint32_t id = (uint32_t)b->ep.n;
    struct built_port *e = built_list_push(b, &b->ep, 1);
    if (!e) return id | HD_ENDPOINT_BIT;
    if (adapter >= b->ca.n) {
        builder_misused(b, "endpoint %u names adapter %u, which does not exist", id, adapter);
        return id | HD_ENDPOINT_BIT;
    }
    struct built_node *a = &b->ca.node[adapter];
    if (port == 0 || port > HD_MAX_PORTS) builder_misused(b, "endpoint %u has port %u: expected 1 to 254", id, port);
    *e = (struct built_port){
        .guid = guid, .adapter = adapter, .lid = lid, .port = (uint8_t)port, .selected = a->role == HD_ROLE_HOST};
    if (a->nports < port) a->nports = (uint8_t)port;
    if (b->shape.n) built_list_push(b, &b->epcoord, b->shape.n);
    return id | HD_ENDPOINT_BIT;
}

void hd_builder_cable(struct hd_builder *b, uint32_t u, uint32_t uport, uint32_t v, uint32_t vport, uint8_t link)
{
    struct built_cable *c = built_list_push(b, &b->cables, 1);
    if (!c) return;
    if (uport == 0 || vport == 0 || uport > HD_MAX_PORTS || vport > HD_MAX_PORTS) {
        builder_misused(b, "cable %zu uses port %u: expected 1 to %d", b->cables.n - 1,
                        uport == 0 || uport > HD_MAX_PORTS ? uport : vport, HD_MAX_PORTS);
        return;
    }
    *c = (struct built_cable){u, v, (uint8_t)uport, (uint8_t)vport, link};
}

uint32_t hd_builder_host(struct hd_builder *b, uint32_t sw, uint32_t swport, uint8_t link)
{
    uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.nports = 1});
    uint32_t e = hd_builder_endpoint(b, a, 1, 0, 0);
    hd_builder_cable(b, sw, swport, e, 1, link);
    return e;
}

/* What is wrong with a shape by itself, NULL: nothing. Digits are 16 bits wide. */
static const char *shape_wrong(const struct hd_shape *s)
{
    const uint32_t most = UINT16_MAX + 1;
    if (s->kind != HD_SHAPE_NONE && s->kind != HD_SHAPE_TREE && s->kind != HD_SHAPE_GRID) return "unknown kind";
    if (s->n > HD_MAX_DIM) return "more dimensions than HD_MAX_DIM";
    if ((s->n == 0) != (s->kind == HD_SHAPE_NONE)) return "dimensions without a kind, or a kind without dimensions";
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->m[i] < 1 || s->m[i] > most) return "m is not from 1 to 65536 in each dimension";
        if (s->kind == HD_SHAPE_GRID && s->w[i] > HD_CLIQUE) return "w of a grid is not one of enum hd_wrap";
        if (s->kind == HD_SHAPE_TREE && (s->w[i] < 1 || s->w[i] > most))
            return "w is not from 1 to 65536 at each level";
        if (s->p[i] < 1 || s->p[i] > HD_MAX_PORTS) return "p is not from 1 to 254 in each dimension";
    }
    return hd_shape_fits(s) ? NULL : "it has 2^48 places or more";
}

void hd_builder_shape(struct hd_builder *b, const struct hd_shape *shape)
{
    const char *wrong = shape ? shape_wrong(shape) : "it is NULL";
    if (wrong)
        builder_misused(b, "shape: %s", wrong);
    else
        b->shape = *shape;
}

void hd_builder_coord(struct hd_builder *b, uint32_t node, const uint16_t *digits)
{
    struct built_list *l = node & HD_ENDPOINT_BIT ? &b->epcoord : &b->swcoord;
    size_t i = (size_t)(node & ~HD_ENDPOINT_BIT) * b->shape.n;
    if (b->shape.n && i + b->shape.n <= l->n)
        memcpy(l->digit + i, digits, b->shape.n * sizeof *digits);
    else if (b->shape.n)
        builder_misused(b, "coordinates of a node that does not exist, or is older than the shape");
}

void hd_builder_lmc(struct hd_builder *b, uint32_t endpoint, uint8_t lmc)
{
    const uint32_t e = endpoint & ~HD_ENDPOINT_BIT;
    if (lmc > HD_MAX_LMC)
        builder_misused(b, "endpoint %u has LMC %u: expected 0 to %d", e, lmc, HD_MAX_LMC);
    else if (e >= b->ep.n)
        builder_misused(b, "endpoint %u, which does not exist, has an LMC", e);
    else
        b->ep.port[e].lmc = lmc;
}

void hd_builder_rails(struct hd_builder *b, const char *rule)
{
    b->rails = rule;
}

void hd_builder_unplaced(struct hd_builder *b, uint32_t sw, bool unplaced)
{
    if (sw < b->sw.n) b->sw.node[sw].unplaced = unplaced;
}

void hd_builder_carry(struct hd_builder *b, const char *departs, const struct hd_net *from, const uint32_t *was)
{
    b->departs = departs;
    b->from = from;
    b->was = was;
}

void hd_builder_found(struct hd_builder *b, bool kinds)
{
    b->found = true;
    b->kinds = kinds;
}

void hd_builder_select(struct hd_builder *b, uint32_t endpoint, bool selected)
{
    uint32_t e = endpoint & ~HD_ENDPOINT_BIT;
    if (e < b->ep.n) b->ep.port[e].selected = selected;
}

hd_status hd_builder_finish(struct hd_ctx *ctx, struct hd_builder *b, const char *spec, struct hd_net **net)
{
    hd_status s = spec ? hd_builder_freeze(ctx, b, spec, net) : hd_fail(ctx, HD_USAGE, "a network without a spec");
    hd_builder_free(b);
    return s;
}
