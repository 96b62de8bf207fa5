/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes by name: an engine's spec is run, anything else is read as a table file. */
#include "base/hash.h"
#include "base/rows.h"
#include "base/status.h"
#include "net/io/file_kind.h"
#include "route/check/check_drops.h"
#include "route/core/switch_distance.h"
#include "route/engine/engine_lookup.h"

#include <string.h>

static bool is_added(const struct hd_ctx *ctx, const struct hd_engine *e)
{
    const struct hd_desc *d;
    for (size_t i = 0; (d = hd_registry_added(ctx, HD_ENGINES, i)); i++)
        if (d == &e->desc) return true;
    return false;
}

/* Engines may come from plug-ins: routes without rows must not get any further, nor slots that a switch does not have,
 * which everybody takes for channels. */
static hd_status check_made(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    if (!(r->table || r->form) || r->nvar == 0)
        return hd_fail(ctx, HD_INPUT, "%s: the engine made no table of one or more variants", e->desc.name);
    const size_t rows = r->table && is_added(ctx, e) ? (size_t)net->nep * r->nvar : 0;
    for (size_t i = 0; i < rows; i++)
        for (uint32_t v = 0; v < net->nsw; v++) {
            const uint8_t slot = r->table[i * net->nsw + v];
            if (slot != HD_SLOT_NONE && slot >= hd_degree(net, v))
                return hd_fail(ctx, HD_INPUT, "%s: the engine chose slot %u of switch '%.80s', which has %u channels",
                               e->desc.name, slot, hd_node_label(net, v), hd_degree(net, v));
        }
    return HD_OK;
}

static hd_status run_engine(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const char *text,
                            struct hd_routes **out)
{
    struct hd_arena scratch = {0};
    struct hd_routes *r = NULL;
    char spec[HD_MAX_SPEC];
    void *opt;
    hd_status s = hd_spec_parse(ctx, &scratch, &e->desc, text, &opt, spec);
    if (s == HD_OK && e->applies) s = e->applies(ctx, e, net, opt);
    if (s == HD_OK) s = hd_routes_new(ctx, net, &r);
    const uint64_t before = ctx->read;
    ctx->read = 0;
    if (s == HD_OK) s = e->route(ctx, opt, &scratch, r);
    if (s == HD_OK) r->read = ctx->read;
    ctx->read = hd_hash_mix(before ^ ctx->read);
    if (s == HD_OK) s = check_made(ctx, e, r);
    if (s == HD_OK && !(r->spec = hd_strdup(&r->arena, spec, strlen(spec)))) s = hd_fail_memory(ctx);
    hd_arena_release(&scratch);
    return hd_routes_give(s, r, out);
}

static hd_status open_any(struct hd_ctx *ctx, const struct hd_net *net, const char *text, struct hd_routes **r)
{
    const struct hd_engine *e = hd_engine_of(ctx, text);
    if (e) return run_engine(ctx, e, net, text, r);
    HD_TRY(hd_table_exists(ctx, text));
    hd_status s = hd_routes_read(ctx, net, text, HD_USE_FIRST, r);
    return hd_file_mistaken(ctx, text, s, hd_file_is_network, "a network, expected a forwarding table");
}

/* Loads, metrics and the simulator follow entries, without SL2VL tables: they count what VL 15 drops. That is said
 * here, where the routes of all commands come from. */
static hd_status note_drops(struct hd_ctx *ctx, const struct hd_routes *r)
{
    uint64_t n;
    HD_TRY(hd_count_drops(ctx, r, &n));
    if (n)
        hd_note(ctx,
                "%.200s on %.200s: VL 15 drops the packets of %llu pair%s: loads and simulations count them as if they "
                "arrived, 'heddle check' as unreachable",
                r->spec, r->net->spec, (unsigned long long)n, n == 1 ? "" : "s");
    return HD_OK;
}

hd_status hd_routes_open(struct hd_ctx *ctx, const struct hd_net *net, const char *text, struct hd_routes **r)
{
    struct hd_routes *made = NULL;
    HD_TRY(hd_given(ctx, text, "an engine or a file"));
    HD_TRY(hd_dist_check(ctx, net));
    HD_TRY(open_any(ctx, net, text, &made));
    return hd_routes_give(note_drops(ctx, made), made, r);
}
