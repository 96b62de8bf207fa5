/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases of library.c: contexts, outputs and registry, networks, routes. */
#include "library_cases.h"

/* ---- cases: base, registry ---------------------------------------------------------------------- */

static hd_status run_ctx(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_ctx *ctx = hd_ctx_new();
    if (!ctx) return hd_fail(w->ctx, HD_LIMIT, "out of memory");
    note("%d", hd_ctx_threads(ctx));
    hd_ctx_free(ctx);
    return HD_OK;
}

static hd_status run_out_memory(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_out *o = POISON;
    HD_TRY(kept(hd_out_memory(w->ctx, &o), &o));
    for (int i = 0; i < 20000; i++) hd_printf(o, "line %d of some text\n", i);
    size_t n;
    const char *s = hd_out_text(o, &n);
    note("%zu %.20s\n", n, s);
    return hd_out_close(w->ctx, o);
}

static hd_status run_out_file(struct world *w, const char *arg)
{
    struct hd_out *o = POISON;
    HD_TRY(kept(hd_out_open(w->ctx, output_path(arg), &o), &o));
    for (int i = 0; i < 20000; i++) hd_printf(o, "line %d of some text\n", i);
    return hd_out_close(w->ctx, o);
}

static hd_status no_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)opt, (void)scratch, (void)r;
    return hd_fail(ctx, HD_INPUT, "never called");
}

static hd_status run_registry(struct world *w, const char *arg)
{
    (void)arg;
    static const struct hd_engine own = {.desc = {.name = "own", .summary = "an engine", .opt_size = 1},
                                         .route = no_route};
    struct hd_ctx *ctx = hd_ctx_new();
    if (!ctx) return hd_fail(w->ctx, HD_LIMIT, "out of memory");
    hd_status s = hd_registry_add(ctx, HD_ENGINES, &own.desc, sizeof own);
    if (s != HD_OK) hd_fail(w->ctx, s, "%s", hd_ctx_error(ctx));
    note("%d", hd_registry_find(ctx, HD_ENGINES, "own") != NULL);
    hd_ctx_free(ctx);
    return s;
}

/* ---- cases: networks ---------------------------------------------------------------------------- */

static hd_status take_net(hd_status s, struct hd_net **made)
{
    HD_TRY(kept(s, made));
    struct hd_net *net = *made;
    note("%s %u %u %u shape %d %u\n", net->spec, net->nsw, net->nep, net->nchan, net->shape.kind, net->shape.n);
    note_bytes(net->head, net->nchan * sizeof *net->head);
    note_bytes(net->level, net->nsw + net->nep);
    note_bytes(net->lid, (net->nsw + net->nep) * sizeof *net->lid);
    note_bytes(net->sel, net->nsel * sizeof *net->sel);
    note_bytes(net->host, net->nep * sizeof *net->host);
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) note("%s ", hd_node_name(net, v));
    hd_net_free(net);
    return HD_OK;
}

static hd_status run_net_open(struct world *w, const char *arg)
{
    struct hd_net *net = POISON;
    return take_net(hd_net_open(w->ctx, arg, NULL, &net), &net);
}

static hd_status run_net_open_options(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_net *net = POISON;
    struct hd_open opt = {.name_map = input_path("map"),
                          .rails = "(.*)-(.*)",
                          .part = "0",
                          .endpoints = "node",
                          .fail = "links=1,seed=2",
                          .set_lmc = true,
                          .lmc = 1,
                          .repair = true};
    return take_net(hd_net_open(w->ctx, input_path("ft.ibnet"), &opt, &net), &net);
}

static hd_status run_net_read(struct world *w, const char *arg)
{
    struct hd_net *net = POISON;
    return take_net(hd_net_read(w->ctx, input_path(arg), NULL, &net), &net);
}

static hd_status run_net_fail(struct world *w, const char *arg)
{
    struct hd_net *net = POISON;
    return take_net(hd_net_fail(w->ctx, w->net, arg, &net), &net);
}

static hd_status run_net_repair(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_net *net = POISON;
    return take_net(hd_net_repair(w->ctx, w->net, &net), &net);
}

static hd_status run_net_infer(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_net *net = POISON;
    return take_net(hd_net_infer(w->ctx, w->net, &net), &net);
}

static hd_status run_net_choose(struct world *w, const char *arg)
{
    struct hd_net *net = POISON;
    struct hd_choice choice = {.part = "0", .rail = "0", .endpoints = arg};
    return take_net(hd_net_choose(w->ctx, w->net, &choice, &net), &net);
}

static hd_status run_net_renumber(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_net *net = POISON;
    return take_net(hd_net_renumber(w->ctx, w->net, 7, &net), &net);
}

static hd_status run_net_lids(struct world *w, const char *arg)
{
    struct hd_net *net = POISON;
    return take_net(hd_net_lids(w->ctx, w->net, arg ? input_path(arg) : NULL, 2, &net), &net);
}

static hd_status run_builder(struct world *w, const char *arg)
{
    (void)arg;
    struct hd_builder *b = POISON;
    HD_TRY(kept(hd_builder_make(w->ctx, &b), &b));
    struct hd_switch_in sw = {.level = 1};
    uint32_t s[3];
    hd_builder_reserve(b, 3, 6, 9);
    for (int i = 0; i < 3; i++) s[i] = hd_builder_switch(b, &sw);
    for (uint32_t i = 0; i < 6; i++) hd_builder_host(b, s[i / 2], 1 + i % 2, hd_link_code("4xEDR", 5));
    for (uint32_t i = 0; i < 3; i++) hd_builder_cable(b, s[i], 3, s[(i + 1) % 3], 4, 0);
    struct hd_net *net = POISON;
    return take_net(hd_builder_finish(w->ctx, b, "built", &net), &net);
}

static hd_status run_net_facts(struct world *w, const char *arg)
{
    (void)arg;
    static struct hd_topo_info info;
    uint32_t part[256], n = 0, first = 0, parts = 0;
    HD_TRY(hd_net_check(w->ctx, w->net));
    HD_TRY(hd_hosts_repeated(w->ctx, w->net, &n, &first));
    HD_TRY(hd_net_parts(w->ctx, w->net, part, &parts));
    HD_TRY(hd_net_describe(w->ctx, w->net, &info));
    note("%u %u %u %u %u %s %g", n, parts, info.switches, info.diameter, info.missing, info.clos, info.mean_distance);
    return HD_OK;
}

static void note_missing(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    (void)user;
    note("%u-%u:%u ", u, v, k);
}

static hd_status run_net_missing(struct world *w, const char *arg)
{
    (void)arg;
    return hd_shape_each_missing(w->ctx, w->net, note_missing, NULL);
}

static hd_status run_net_write(struct world *w, const char *arg)
{
    struct hd_out *o;
    HD_TRY(hd_out_memory(w->ctx, &o));
    return note_out(w->ctx, o, hd_net_write(w->ctx, w->net, arg, o));
}

/* ---- cases: routes ------------------------------------------------------------------------------ */

static hd_status take_routes(hd_status s, struct hd_routes **made)
{
    HD_TRY(kept(s, made));
    struct hd_routes *r = *made;
    const struct hd_net *net = hd_routes_net(r);
    uint8_t buf[256];
    note("%s %u variants %u VLs\n", hd_routes_spec(r), hd_routes_variants(r), hd_routes_lanes(r));
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < hd_routes_variants(r); x++) note_bytes(hd_routes_row(r, d, x, buf), net->nsw);
    for (uint32_t a = 0; a < net->nep; a++)
        for (uint32_t d = 0; d < net->nep; d++)
            if (a != d && hd_routes_lanes(r)) note("%u", hd_routes_lane(r, a, d, hd_routes_variant(r, a, d)));
    hd_routes_free(r);
    return HD_OK;
}

static hd_status run_routes_open(struct world *w, const char *arg)
{
    struct hd_routes *r = POISON;
    return take_routes(hd_routes_open(w->ctx, w->net, arg, &r), &r);
}

static hd_status run_routes_read(struct world *w, const char *arg)
{
    struct hd_routes *r = POISON;
    return take_routes(hd_routes_read(w->ctx, w->net, input_path(arg), HD_USE_SOURCE, &r), &r);
}

static hd_status run_routes_write(struct world *w, const char *arg)
{
    struct hd_out *o;
    HD_TRY(hd_out_memory(w->ctx, &o));
    return note_out(w->ctx, o, hd_routes_write(w->ctx, w->routes, arg, o));
}

static hd_status run_routes_check(struct world *w, const char *arg)
{
    (void)arg;
    static struct hd_check c;
    HD_TRY(hd_routes_check(w->ctx, w->routes, &c));
    note("%llu %llu %llu %llu %d %u %u %g %u", (unsigned long long)c.pairs, (unsigned long long)c.unreachable,
         (unsigned long long)c.loops, (unsigned long long)c.nonminimal, c.deadlock_free, c.lanes, c.max_hops,
         c.avg_hops, c.unused);
    note_bytes(c.hops, sizeof c.hops);
    return HD_OK;
}

static hd_status run_routes_diff(struct world *w, const char *arg)
{
    struct hd_routes *r = POISON;
    struct hd_diff d;
    HD_TRY(kept(hd_routes_open(w->ctx, w->net, arg, &r), &r));
    hd_status s = hd_routes_diff(w->ctx, w->routes, r, &d);
    if (s == HD_OK) note("%u %llu", d.switches_changed, (unsigned long long)d.pairs_changed);
    hd_routes_free(r);
    return s;
}

static hd_status run_routes_transition(struct world *w, const char *arg)
{
    struct hd_routes *r = POISON;
    struct hd_transition *t = POISON;
    HD_TRY(kept(hd_routes_open(w->ctx, w->net, arg, &r), &r));
    hd_status s = kept(hd_routes_transition(w->ctx, w->routes, r, &t), &t);
    if (s == HD_OK) {
        note("%d %u %u %s", t->verdict, t->nsteps, t->direct->credit_loops, t->method);
        hd_transition_free(t);
    }
    hd_routes_free(r);
    return s;
}

static hd_status run_routes_maintenance(struct world *w, const char *arg)
{
    struct hd_maintenance *m = POISON;
    hd_status s = kept(hd_routes_maintenance(w->ctx, w->routes, arg, NULL, &m), &m);
    if (s != HD_OK) return s;
    note("%d %u %d %u %d", m->out->verdict, m->out->nsteps, m->back->verdict, m->back->nsteps, m->returns);
    hd_maintenance_free(m);
    return HD_OK;
}

static hd_status run_switch_row(struct world *w, const char *arg)
{
    (void)arg;
    uint8_t buf[256];
    for (uint32_t t = 0; t < w->net->nsw; t++) {
        HD_TRY(hd_routes_switch_row(w->ctx, w->routes, t, buf));
        note_bytes(buf, w->net->nsw);
    }
    return HD_OK;
}

/* ---- table -------------------------------------------------------------------------------------- */

const struct library_case fabric_cases[] = {
    {"hd_ctx_new", run_ctx, .arg = NULL},
    {"hd_out_memory", run_out_memory, .arg = NULL},
    {"hd_out_open", run_out_file, .arg = "file"},
    {"hd_registry_add", run_registry, .arg = NULL},
    {"hd_net_open tree", run_net_open, .arg = FT},
    {"hd_net_open torus", run_net_open, .arg = TORUS},
    {"hd_net_open dragonfly", run_net_open, .arg = "dragonfly"},
    {"hd_net_open options", run_net_open_options, .loses = true},
    {"hd_net_read", run_net_read, .arg = "ft.ibnet"},
    {"hd_net_fail", run_net_fail, .arg = "links=1,switches=1,seed=1", .net = FT},
    {"hd_net_fail names", run_net_fail, .arg = "link=L1-0000:3 then switch=L2-0005", .net = FT},
    {"hd_net_repair", run_net_repair, .net = "broken"},
    {"hd_net_infer tree", run_net_infer, .net = "plain"},
    {"hd_net_infer grid", run_net_infer, .net = "grid"},
    {"hd_net_choose", run_net_choose, .arg = "node-0000[0-3]", .net = FT, .loses = true},
    {"hd_net_renumber", run_net_renumber, .net = FT},
    {"hd_net_lids", run_net_lids, .net = FT},
    {"hd_net_lids file", run_net_lids, .arg = "guid2lid", .net = FT},
    {"hd_builder", run_builder, .arg = NULL},
    {"hd_net facts", run_net_facts, .net = FT},
    {"hd_shape_each_missing", run_net_missing, .net = "broken"},
    {"hd_net_write ibnet", run_net_write, .arg = "ibnet", .net = FT},
    {"hd_net_write dot", run_net_write, .arg = "dot", .net = FT},
    {"hd_net_write graphml", run_net_write, .arg = "graphml", .net = FT},
    {"hd_net_write json", run_net_write, .arg = "json", .net = FT},
    {"hd_net_write slurm", run_net_write, .arg = "slurm", .net = FT},
    {"hd_net_write slurm-yaml", run_net_write, .arg = "slurm-yaml", .net = FT},
    {"hd_net_write svg tree", run_net_write, .arg = "svg", .net = FT},
    {"hd_net_write svg grid", run_net_write, .arg = "svg", .net = TORUS},
    {"hd_routes_open dmodk", run_routes_open, .arg = "dmodk", .net = FT},
    {"hd_routes_open smodk", run_routes_open, .arg = "smodk", .net = FT},
    {"hd_routes_open minhop", run_routes_open, .arg = "minhop", .net = TORUS},
    {"hd_routes_open updown", run_routes_open, .arg = "updown", .net = TORUS},
    {"hd_routes_open dmodc", run_routes_open, .arg = "dmodc", .net = "broken"},
    {"hd_routes_open ftree", run_routes_open, .arg = "ftree", .net = "broken"},
    {"hd_routes_open dor", run_routes_open, .arg = "dor", .net = TORUS},
    {"hd_routes_open random", run_routes_open, .arg = "random", .net = FT},
    {"hd_routes_open lash", run_routes_open, .arg = "lash", .net = TORUS},
    {"hd_routes_open opt", run_routes_open, .arg = "opt", .net = "gft:n=2,m=2,r=4"},
    {"hd_routes_open osrm2", run_routes_open, .arg = "osrm2", .net = FT},
    {"hd_routes_open omrmn", run_routes_open, .arg = "omrmn", .net = FT},
    {"hd_routes_open mlid", run_routes_open, .arg = "mlid", .net = FT},
    {"hd_routes_open wsr", run_routes_open, .arg = "wsr", .net = FT},
    {"hd_routes_open psssp", run_routes_open, .arg = "psssp", .net = TORUS},
    {"hd_routes_open p2sssp", run_routes_open, .arg = "p2sssp", .net = TORUS},
    {"hd_routes_open dfsssp", run_routes_open, .arg = "dfsssp", .net = TORUS},
    {"hd_routes_open settle", run_routes_open, .arg = "settle", .net = TORUS},
    {"hd_routes_read", run_routes_read, .arg = "ft.lft", .net = FT},
    {"hd_routes_read VLs", run_routes_read, .arg = "torus.lft", .net = TORUS},
    {"hd_routes_write lft", run_routes_write, .arg = "lft", .net = TORUS, .engine = "lash"},
    {"hd_routes_write lid-matrix", run_routes_write, .arg = "lid-matrix", .net = FT, .engine = "dmodk"},
    {"hd_routes_write qos-policy", run_routes_write, .arg = "qos-policy", .net = TORUS, .engine = "lash"},
    {"hd_routes_write roots", run_routes_write, .arg = "roots", .net = FT, .engine = "updown"},
    {"hd_routes_write path-bits", run_routes_write, .arg = "path-bits", .net = FT, .engine = "mlid"},
    {"hd_routes_write subnet", run_routes_write, .arg = "subnet", .net = FT, .engine = "dmodk"},
    {"hd_routes_write fdbs", run_routes_write, .arg = "fdbs", .net = FT, .engine = "dmodk"},
    {"hd_routes_write psl", run_routes_write, .arg = "psl", .net = TORUS, .engine = "lash"},
    {"hd_routes_write slvl", run_routes_write, .arg = "slvl", .net = TORUS, .engine = "lash"},
    {"hd_routes_check", run_routes_check, .net = FT, .engine = "dmodk"},
    {"hd_routes_check VLs", run_routes_check, .net = TORUS, .engine = "lash"},
    {"hd_routes_check loop", run_routes_check, .net = TORUS, .engine = "minhop"},
    {"hd_routes_check variants", run_routes_check, .net = FT, .engine = "omrmn"},
    {"hd_routes_diff", run_routes_diff, .arg = "minhop", .net = FT, .engine = "dmodk"},
    {"hd_routes_transition", run_routes_transition, .arg = "minhop", .net = FT, .engine = "dmodk"},
    {"hd_routes_transition steps", run_routes_transition, .arg = "updown", .net = "mesh:dims=3x3", .engine = "dor"},
    {"hd_routes_maintenance", run_routes_maintenance, .arg = "switch=L2-0004", .net = FT, .engine = "dmodk"},
    {"hd_routes_switch_row", run_switch_row, .net = FT, .engine = "dmodk"},
    {.name = NULL},
};
