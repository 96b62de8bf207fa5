/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks by name: a spec is generated, anything else is read as a file and its structure inferred; then LIDs, failures,
 * selections and repairs are applied in this order. */
#include "base/rows.h"
#include "base/spec.h"
#include "base/status.h"
#include "net/io/file_kind.h"
#include "net/topo/topology.h"

#include <string.h>
#include <sys/stat.h>

static hd_status generate(struct hd_ctx *ctx, const struct hd_topology *t, const char *text, struct hd_net **net)
{
    struct hd_arena scratch = {0};
    struct hd_builder *b = NULL;
    char spec[HD_MAX_SPEC];
    void *opt;
    hd_status s = hd_spec_parse(ctx, &scratch, &t->desc, text, &opt, spec);
    if (s == HD_OK) s = hd_builder_make(ctx, &b);
    if (s == HD_OK) s = t->make(ctx, opt, b);
    if (s == HD_OK)
        s = hd_builder_finish(ctx, b, spec, net);
    else
        hd_builder_free(b);
    hd_arena_release(&scratch);
    return s;
}

static hd_status make_or_read(struct hd_ctx *ctx, const char *text, const struct hd_read *read, struct hd_net **net)
{
    const struct hd_desc *d = hd_spec_find(ctx, HD_TOPOLOGIES, text);
    /* desc is the first member of struct hd_topology */
    if (d && (read->name_map || read->rails))
        return hd_fail(ctx, HD_USAGE, "--node-name-map and --rails are for network files, %.200s is generated", text);
    if (d) return generate(ctx, (const struct hd_topology *)d, text, net);
    struct stat st;
    if (strcmp(text, "-") != 0 && stat(text, &st) != 0) return hd_spec_unknown(ctx, HD_TOPOLOGIES, text);
    struct hd_net *raw;
    hd_status s = hd_net_read(ctx, text, read, &raw);
    if (s == HD_INPUT && hd_file_is_table(text))
        return hd_fail(ctx, HD_INPUT, "%.200s: is a forwarding table, expected a network", text);
    HD_TRY(s);
    s = hd_net_infer(ctx, raw, net);
    hd_net_free(raw);
    return s;
}

static hd_status give_lids(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_open *opt, struct hd_net **out)
{
    const char *lmc = opt->lmc;
    if (lmc && opt->guid2lid) return hd_fail(ctx, HD_USAGE, "--lmc goes without --guid2lid: the file tells it");
    if (lmc && (lmc[0] < '0' || lmc[0] > '7' || lmc[1]))
        return hd_fail(ctx, HD_USAGE, "--lmc %.40s: expected 0 to 7", lmc);
    return hd_net_lids(ctx, net, opt->guid2lid, lmc ? (uint32_t)(lmc[0] - '0') : 0, out);
}

hd_status hd_net_open(struct hd_ctx *ctx, const char *text, const struct hd_open *opt, struct hd_net **out)
{
    static const struct hd_open plain;
    if (!opt) opt = &plain;
    struct hd_net *net, *next;
    HD_TRY(make_or_read(ctx, text, &opt->read, &net));
    hd_status s = HD_OK;
    if ((opt->guid2lid || opt->lmc) && (s = give_lids(ctx, net, opt, &next)) == HD_OK) {
        hd_net_free(net);
        net = next;
    }
    if (s == HD_OK && opt->fail && (s = hd_net_fail(ctx, net, opt->fail, &next)) == HD_OK) {
        hd_net_free(net);
        net = next;
    }
    const struct hd_choice *c = &opt->choice;
    if (s == HD_OK && (c->part || c->rail || c->endpoints) && (s = hd_net_choose(ctx, net, c, &next)) == HD_OK) {
        hd_net_free(net);
        net = next;
    }
    if (s == HD_OK && opt->repair && (s = hd_net_repair(ctx, net, &next)) == HD_OK) {
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
