/* SPDX-License-Identifier: BSD-2-Clause */
/* Rebuilding a network with changes: what remains of it is fed to a builder, in order, so that every network passes the
 * same checks however it came about. Hosts and rails are carried over, since they may have been found by names that the
 * remaining endpoints alone would group differently. Cost: O(size). */
#include "net/edit/net_with.h"
#include "base/status.h"
#include "net/core/builder.h"
#include "tool/words.h"

#include <string.h>

struct rebuild {
    const struct hd_net *net;
    const struct hd_net_changes *changes;
    struct hd_builder *b;
    uint32_t *handle;  /* [nsw+nep] of remaining nodes */
    uint32_t *adapter; /* [nca] new number, UINT32_MAX: none of its endpoints was added yet */
    uint32_t *was;     /* old number of each new endpoint */
    bool *selected;    /* [nep] */
};

static hd_status rebuild_alloc(struct hd_ctx *ctx, struct hd_arena *scratch, struct rebuild *r)
{
    const struct hd_net *net = r->net;
    r->adapter = HD_NEW(scratch, uint32_t, net->nca);
    r->selected = HD_NEW(scratch, bool, net->nep);
    if (!HD_NEW_U32(scratch, net->nsw + net->nep, &r->handle, &r->was) || !r->adapter || !r->selected)
        return hd_fail_memory(ctx);
    memset(r->adapter, 0xff, net->nca * sizeof *r->adapter);
    if (!r->changes->selected)
        for (uint32_t i = 0; i < net->nsel; i++) r->selected[net->sel[i]] = true;
    else if (net->nep)
        memcpy(r->selected, r->changes->selected, net->nep * sizeof *r->selected);
    return HD_OK;
}

static void rebuild_structure(struct rebuild *r, struct hd_structure *structure)
{
    const struct hd_net *net = r->net;
    *structure = r->changes->structure
                     ? *r->changes->structure
                     : (struct hd_structure){net->shape, net->level, net->coord, net->departs, net->unplaced};
    hd_builder_shape(r->b, &structure->shape);
    hd_builder_reserve(r->b, net->nsw, net->nep, net->nchan / 2 + r->changes->nadd);
    hd_builder_rails(r->b, r->changes->rails ? r->changes->rails : net->rails);
    hd_builder_carry(r->b, structure->departs, r->changes->rails ? NULL : net, r->was);
}

static void rebuild_coord(struct rebuild *r, const struct hd_structure *structure, uint32_t v)
{
    uint32_t n = structure->shape.n;
    if (n) hd_builder_coord(r->b, r->handle[v], structure->coord + (size_t)v * n);
}

static void rebuild_switches(struct rebuild *r, const struct hd_structure *structure)
{
    const struct hd_net *net = r->net;
    const uint16_t *lid = r->changes->lid ? r->changes->lid : net->lid;
    const uint8_t *lmc = r->changes->lid ? r->changes->switch_lmc : net->switch_lmc;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (!hd_switch_remains(&r->changes->remaining, v)) continue;
        uint8_t level = structure->level[v];
        r->handle[v] = hd_builder_switch(r->b, &(struct hd_switch_in){.name = hd_node_name(net, v),
                                                                      .guid = net->guid[v],
                                                                      .system = net->system[v],
                                                                      .nports = net->nports[v],
                                                                      .lid = lid[v],
                                                                      .lmc = lmc[v],
                                                                      .level = level == HD_NO_LEVEL ? 0 : level});
        rebuild_coord(r, structure, v);
        hd_builder_unplaced(r->b, r->handle[v], structure->unplaced[v]);
    }
}

static uint32_t rebuild_adapter(struct rebuild *r, uint32_t e)
{
    const struct hd_net *net = r->net;
    uint32_t a = net->ca[e];
    if (r->adapter[a] == UINT32_MAX)
        r->adapter[a] = hd_builder_adapter(r->b, &(struct hd_adapter_in){.name = hd_node_name(net, net->nsw + e),
                                                                         .guid = net->ca_guid[a],
                                                                         .system = net->system[net->nsw + a],
                                                                         .nports = net->ca_ports[a],
                                                                         .role = (enum hd_role)net->ca_role[a]});
    return r->adapter[a];
}

static void rebuild_endpoints(struct rebuild *r, const struct hd_structure *structure)
{
    const struct hd_net *net = r->net;
    const uint16_t *lid = r->changes->lid ? r->changes->lid : net->lid;
    const uint8_t *lmc_of = r->changes->lid ? r->changes->lmc_of : net->lmc_of;
    uint32_t n = 0;
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t v = net->nsw + e;
        if (!hd_endpoint_remains(&r->changes->remaining, e)) continue;
        r->was[n++] = e;
        uint32_t a = rebuild_adapter(r, e);
        r->handle[v] = hd_builder_endpoint(r->b, a, net->port[net->off[v]], net->guid[v], lid[v]);
        hd_builder_lmc(r->b, r->handle[v], lmc_of[e]);
        hd_builder_select(r->b, r->handle[v], r->selected[e]);
        rebuild_coord(r, structure, v);
    }
}

static void rebuild_cables(struct rebuild *r)
{
    const struct hd_net *net = r->net;
    const struct hd_net_changes *changes = r->changes;
    const uint8_t *link = changes->link ? changes->link : net->link;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->rev[c] > c && hd_channel_remains(&changes->remaining, c))
            hd_builder_cable(r->b, r->handle[net->tail[c]], net->port[c], r->handle[net->head[c]],
                             net->port[net->rev[c]], link[c]);
    for (uint32_t i = 0; i < changes->nadd; i++) {
        const struct hd_new_cable *x = &changes->add[i];
        hd_builder_cable(r->b, r->handle[x->u], x->uport, r->handle[x->v], x->vport, x->link);
    }
}

hd_status hd_net_with(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_net_changes *changes,
                      struct hd_net **out)
{
    struct hd_arena scratch = {0};
    struct rebuild r = {.net = net, .changes = changes};
    struct hd_structure structure;
    hd_status s = hd_builder_make(ctx, &r.b);
    if (s == HD_OK) s = rebuild_alloc(ctx, &scratch, &r);
    if (s == HD_OK) {
        rebuild_structure(&r, &structure);
        rebuild_switches(&r, &structure);
        rebuild_endpoints(&r, &structure);
        rebuild_cables(&r);
        s = hd_builder_finish(ctx, r.b, changes->spec ? changes->spec : net->spec, out);
    } else {
        hd_builder_free(r.b);
    }
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_edit_finish(struct hd_net_edit *edit, hd_status planned, struct hd_net **out)
{
    hd_status s = planned == HD_OK ? hd_net_with(edit->ctx, edit->net, &edit->changes, out) : planned;
    hd_arena_release(edit->arena);
    return s;
}

char *hd_spec_with(struct hd_arena *arena, const char *spec, const char *option, const char *value)
{
    size_t size = strlen(spec) + strlen(option) + 4 * strlen(value) + 8;
    char *out = hd_alloc(arena, size, 1);
    if (!out) return NULL;
    char *at = stpcpy(stpcpy(stpcpy(out, spec), " --"), option);
    *at++ = ' ';
    hd_shell_word(at, value);
    return out;
}
