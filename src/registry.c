/* SPDX-License-Identifier: BSD-2-Clause */
/* One line for everything that has a name. Listing, help, spec parsing, manual, completion and the
 * property tests all loop over these tables. */
#include "heddle/registry.h"
#include "base/spec.h"
#include "base/status.h"
#include "net/topology.h"
#include "route/engines.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct hd_topology *const topologies[] = {
    &hd_topo_gft, &hd_topo_ft, &hd_topo_xgft, &hd_topo_pgft, &hd_topo_kary,
};

static const struct hd_engine *const engines[] = {
    &hd_engine_dmodk,
    &hd_engine_smodk,
    &hd_engine_psssp,
    &hd_engine_p2sssp,
    &hd_engine_dfsssp,
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *hd_registry_name(enum hd_registry kind)
{
    static const char *const names[] = {[HD_TOPOLOGIES] = "topology", [HD_ENGINES] = "engine"};
    return kind < HD_REGISTRIES ? names[kind] : NULL;
}

const struct hd_desc *hd_registry_at(enum hd_registry kind, size_t i)
{
    switch (kind) {
    case HD_TOPOLOGIES: return i < COUNT(topologies) ? &topologies[i]->desc : NULL;
    case HD_ENGINES: return i < COUNT(engines) ? &engines[i]->desc : NULL;
    case HD_REGISTRIES: break;
    }
    return NULL;
}

static const struct hd_desc *find_named(enum hd_registry kind, const char *name, size_t len)
{
    const struct hd_desc *d;
    for (size_t i = 0; (d = hd_registry_at(kind, i)); i++)
        if (strlen(d->name) == len && memcmp(d->name, name, len) == 0) return d;
    return NULL;
}

const struct hd_desc *hd_registry_find(enum hd_registry kind, const char *name)
{
    return find_named(kind, name, strlen(name));
}

/* ---- networks by name ---------------------------------------------------------------------- */

static hd_status generate(struct hd_ctx *ctx, const struct hd_topology *t, const char *params, struct hd_net **net)
{
    struct hd_arena scratch = {0};
    struct hd_builder *b = NULL;
    char spec[HD_MAX_SPEC];
    void *opt = hd_alloc(&scratch, 1, t->desc.opt_size);
    hd_status s = opt ? hd_opts_parse(ctx, &scratch, &t->desc, params, opt) : hd_fail_memory(ctx);
    if (s == HD_OK) s = hd_opts_print(ctx, &t->desc, opt, spec);
    if (s == HD_OK) s = hd_builder_make(ctx, &b);
    if (s == HD_OK) s = t->make(ctx, opt, b);
    if (s == HD_OK) s = hd_builder_finish(ctx, b, spec, net);
    else hd_builder_free(b);
    hd_arena_release(&scratch);
    return s;
}

static hd_status not_found(struct hd_ctx *ctx, enum hd_registry kind, const char *text)
{
    char word[64];
    const char *names[64], *what = hd_registry_name(kind);
    size_t n = 0;
    for (const struct hd_desc *d; n < 64 && (d = hd_registry_at(kind, n)); n++) names[n] = d->name;
    snprintf(word, sizeof word, "%.*s", (int)hd_spec_name(text), text);
    const char *near = hd_nearest(word, names, n);
    if (near) return hd_fail(ctx, HD_INPUT, "%.200s: neither a known %s nor a file, did you mean '%s'?", text, what, near);
    return hd_fail(ctx, HD_INPUT, "%.200s: neither a known %s nor a file ('heddle list %s' shows what there is)", text, what, what);
}

static hd_status make_or_read(struct hd_ctx *ctx, const char *text, const struct hd_read *read, struct hd_net **net)
{
    size_t name = hd_spec_name(text);
    const struct hd_desc *d = find_named(HD_TOPOLOGIES, text, name);
    /* desc is the first member of struct hd_topology */
    if (d) return generate(ctx, (const struct hd_topology *)d, text[name] ? text + name + 1 : NULL, net);
    struct stat st;
    if (strcmp(text, "-") != 0 && stat(text, &st) != 0) return not_found(ctx, HD_TOPOLOGIES, text);
    struct hd_net *raw;
    HD_TRY(hd_net_read(ctx, text, read, &raw));
    hd_status s = hd_net_infer(ctx, raw, net);
    hd_net_free(raw);
    return s;
}

hd_status hd_net_open(struct hd_ctx *ctx, const char *text, const struct hd_open *opt, struct hd_net **out)
{
    static const struct hd_open plain;
    if (!opt) opt = &plain;
    struct hd_net *net, *next;
    HD_TRY(make_or_read(ctx, text, &opt->read, &net));
    hd_status s = HD_OK;
    if (opt->fail && (s = hd_net_fail(ctx, net, opt->fail, &next)) == HD_OK) {
        hd_net_free(net);
        net = next;
    }
    const struct hd_choice *c = &opt->choice;
    if (s == HD_OK && (c->part || c->rail || c->endpoints) && (s = hd_net_choose(ctx, net, c, &next)) == HD_OK) {
        hd_net_free(net);
        net = next;
    }
    if (s != HD_OK) {
        hd_net_free(net);
        return s;
    }
    *out = net;
    return HD_OK;
}

/* ---- routes by name ------------------------------------------------------------------------ */

static hd_status run_engine(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const char *params,
                            struct hd_routes **out)
{
    struct hd_arena scratch = {0};
    struct hd_routes *r = NULL;
    char spec[HD_MAX_SPEC];
    void *opt = hd_alloc(&scratch, 1, e->desc.opt_size);
    hd_status s = opt ? hd_opts_parse(ctx, &scratch, &e->desc, params, opt) : hd_fail_memory(ctx);
    if (s == HD_OK) s = hd_opts_print(ctx, &e->desc, opt, spec);
    if (s == HD_OK && e->applies) s = e->applies(ctx, net, opt);
    if (s == HD_OK) s = e->route(ctx, net, opt, &r);
    if (s == HD_OK && !(r->spec = hd_strdup(&r->arena, spec, strlen(spec)))) {
        hd_routes_free(r);
        s = hd_fail_memory(ctx);
    }
    if (s == HD_OK) *out = r;
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_routes_open(struct hd_ctx *ctx, const struct hd_net *net, const char *text, struct hd_routes **r)
{
    size_t name = hd_spec_name(text);
    const struct hd_desc *d = find_named(HD_ENGINES, text, name);
    if (d) return run_engine(ctx, (const struct hd_engine *)d, net, text[name] ? text + name + 1 : NULL, r);
    return not_found(ctx, HD_ENGINES, text);
}
