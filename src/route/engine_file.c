/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables that something else made, as an engine: read from a file (fmt_lft.h). */
#include "base/status.h"
#include "route/engines.h"

struct opt {
    const char *path;
    int use;
};

static hd_status applies(struct hd_ctx *ctx, const struct hd_net *net, const void *opt)
{
    (void)net;
    if (*((const struct opt *)opt)->path) return HD_OK;
    return hd_fail(ctx, HD_INPUT, "file: expected path=FILE, a dump of forwarding tables");
}

static hd_status route(struct hd_ctx *ctx, const struct hd_net *net, const void *opt, struct hd_routes **r)
{
    const struct opt *o = opt;
    return hd_routes_read(ctx, net, o->path, (enum hd_use)o->use, r);
}

static const struct hd_param params[] = {{"path", HD_TEXT, "",
                                          "the file: OpenSM's dump, dump_fts or ibroute output; plain, gzip or zstd",
                                          offsetof(struct opt, path), 0, 0, NULL, false},
                                         {"use", HD_WORD, "first",
                                          "what several LIDs of a port mean where the file does not say: first uses "
                                          "base LIDs only, source the LID by the number of the source, all "
                                          "shares equally",
                                          offsetof(struct opt, use), 0, 0, "first|source|all", false},
                                         {0}};

const struct hd_engine hd_engine_file = {.desc = {.name = "file",
                                                  .summary = "tables from a file",
                                                  .text =
                                                      "Forwarding tables as OpenSM dumps them (opensm-lfts.dump, "
                                                      "opensm.fdbs), as dump_fts and ibroute print them, or as "
                                                      "heddle route writes them. LIDs are matched by the port GUIDs in "
                                                      "the file, else by the network's LIDs. Files written "
                                                      "by heddle also tell variants and lanes; others are taken to use "
                                                      "one lane. A file's name alone means the same.",
                                                  .params = params,
                                                  .opt_size = sizeof(struct opt)},
                                         .applies = applies,
                                         .route = route};
