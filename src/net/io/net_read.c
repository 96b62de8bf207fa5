/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks from files, and from folders and archives of a tool that writes several. The file is read into a draft, and
 * the draft becomes the network. */
#include "base/bundle.h"
#include "base/sized.h"
#include "base/status.h"
#include "net/io/ibnet_reader.h"

static hd_status read_map(struct hd_ctx *ctx, struct hd_arena *arena, const char *path, struct hd_name_map *map)
{
    struct hd_in *in;
    if (!path) return HD_OK;
    HD_TRY(hd_in_open(ctx, path, &in));
    hd_status s = hd_name_map_read(ctx, arena, in, map);
    hd_in_close(in);
    return s;
}

static hd_status parse_input(struct hd_ctx *ctx, struct ibnet_reader *r)
{
    bool cache;
    HD_TRY(hd_ibcache_found(ctx, r->in, &cache));
    if (cache) return hd_ibcache_read(ctx, r->in, &r->draft);
    HD_TRY(hd_ibnet_lines(ctx, r));
    return hd_ibnet_end(ctx, r);
}
/* The network of a reader that has read everything, if that went well; the scratch memory is given up. */
static hd_status ibnet_build(struct hd_ctx *ctx, hd_status s, struct ibnet_reader *r, struct hd_arena *scratch,
                             const struct hd_read *opt, struct hd_builder **b)
{
    struct hd_name_map map = {0};
    if (s == HD_OK) s = read_map(ctx, scratch, opt ? opt->name_map : NULL, &map);
    if (s == HD_OK) s = hd_builder_make(ctx, b);
    if (s == HD_OK && opt && opt->rails) hd_builder_rails(*b, opt->rails);
    if (s == HD_OK) s = hd_draft_build(ctx, &r->draft, &map, *b);
    hd_arena_release(scratch); /* before finish, which needs as much again */
    return s;
}

static hd_status ibnet_finish(struct hd_ctx *ctx, hd_status s, struct hd_builder *b, const char *spec,
                              struct hd_net **net)
{
    if (s == HD_OK) return hd_builder_finish(ctx, b, spec, net);
    hd_builder_free(b);
    return s;
}

hd_status hd_ibnet_read(struct hd_ctx *ctx, struct hd_in *in, const char *spec, const struct hd_read *opt,
                        struct hd_net **net)
{
    struct hd_arena scratch = {0};
    struct hd_builder *b = NULL;
    struct ibnet_reader *r = NULL;
    hd_status s = hd_ibnet_begin(ctx, &scratch, in, &r);
    if (s == HD_OK) s = parse_input(ctx, r);
    s = ibnet_build(ctx, s, r, &scratch, opt, &b);
    return ibnet_finish(ctx, s, b, spec, net);
}

/* ---- folders and archives -------------------------------------------------------------------- */

struct ibnet_bundle {
    const char *path;
    struct hd_in *values, *other; /* a file of values, and a further one; NULL: none */
};

/* The first of several kinds of files that the bundle has. */
static hd_status bundle_first(struct hd_ctx *ctx, const char *path, const char *const *endings, struct hd_in **in)
{
    for (*in = NULL; *endings && !*in; endings++) HD_TRY(hd_bundle_open(ctx, path, *endings, in));
    return HD_OK;
}

static hd_status bundle_refuse(struct hd_ctx *ctx, const struct ibnet_bundle *b)
{
    char place[HD_BUNDLE_NAME];
    if (b->values) hd_bundle_place(ctx, b->path, place);
    return hd_fail(ctx, HD_INPUT,
                   "%.255s: %s: expected ibdiagnet2.db_csv with a section LINKS, ibdiagnet2.net_dump, "
                   "output of ibnetdiscover (.ibnetdiscover, .ibnet) or opensm-subnet.lst in it",
                   b->values ? place : b->path, b->values ? "has no links" : "has no network");
}

/* Reads what describes the network best: values with their links; without them output of ibnetdiscover or a list of
 * links; or the links of net_dump, as a complement of the values if there are any. */
static hd_status bundle_parse(struct hd_ctx *ctx, struct ibnet_bundle *b, struct hd_arena *scratch,
                              struct ibnet_reader **r)
{
    HD_TRY(bundle_first(ctx, b->path, (const char *const[]){".db_csv", "smdb.dump", NULL}, &b->values));
    if (b->values) {
        HD_TRY(hd_ibnet_begin(ctx, scratch, b->values, r));
        HD_TRY(hd_ibnet_lines(ctx, *r));
        if ((*r)->ibdiag.links.n) return hd_ibnet_end(ctx, *r);
    }
    HD_TRY(bundle_first(ctx, b->path, (const char *const[]){".ibnetdiscover", ".ibnet", ".lst", NULL}, &b->other));
    if (b->other) {
        HD_TRY(hd_ibnet_begin(ctx, scratch, b->other, r));
        return parse_input(ctx, *r);
    }
    HD_TRY(hd_bundle_open(ctx, b->path, ".net_dump", &b->other));
    if (!b->other) return bundle_refuse(ctx, b);
    if (!b->values) HD_TRY(hd_ibnet_begin(ctx, scratch, b->other, r));
    (*r)->in = b->other;
    (*r)->form = UNDECIDED;
    HD_TRY(hd_ibnet_lines(ctx, *r));
    return hd_ibnet_end(ctx, *r);
}

static hd_status bundle_read(struct hd_ctx *ctx, const char *path, const struct hd_read *opt, struct hd_net **net)
{
    struct hd_arena scratch = {0};
    struct ibnet_bundle files = {.path = path};
    struct hd_builder *b = NULL;
    struct ibnet_reader *r = NULL;
    hd_status s = bundle_parse(ctx, &files, &scratch, &r);
    s = ibnet_build(ctx, s, r, &scratch, opt, &b);
    hd_in_close(files.values); /* messages of the draft have their names */
    hd_in_close(files.other);
    return ibnet_finish(ctx, s, b, path, net);
}

hd_status hd_net_read_sized(struct hd_ctx *ctx, const char *path, const struct hd_read *given, size_t size,
                            struct hd_net **net)
{
    struct hd_in *in;
    struct hd_read opt;
    bool bundle;
    HD_TRY(HD_SIZED_IN(ctx, hd_read, given, size, &opt));
    HD_TRY(hd_given(ctx, path, "a file to read"));
    HD_TRY(hd_bundle_found(ctx, path, &bundle));
    if (bundle) return bundle_read(ctx, path, &opt, net);
    HD_TRY(hd_in_open(ctx, path, &in));
    hd_status s = hd_ibnet_read(ctx, in, path, &opt, net);
    hd_in_close(in);
    return s;
}
