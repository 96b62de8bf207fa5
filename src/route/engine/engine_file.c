/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables made by something else, as an engine: they are read from a file (fmt_lft.h), with service levels and their VLs
 * from further files if given. This gives a file options; its name alone, without the engine, means the same. Cost:
 * that of reading. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/io/fmt_lft.h"
#include "route/io/fmt_service_levels.h"

struct engine_file_opt {
    const char *path, *sl, *sl2vl;
    int use;
};

static hd_status file_read_lanes(struct hd_ctx *ctx, const struct engine_file_opt *o, struct hd_routes *r)
{
    struct hd_in *sl = NULL, *sl2vl = NULL;
    hd_status s = *o->sl ? hd_in_open(ctx, o->sl, &sl) : HD_OK;
    if (s == HD_OK && *o->sl2vl) s = hd_in_open(ctx, o->sl2vl, &sl2vl);
    if (s == HD_OK) s = hd_sl_read(ctx, r, sl, sl2vl);
    hd_in_close(sl);
    hd_in_close(sl2vl);
    return s;
}

static hd_status file_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct engine_file_opt *o = opt;
    struct hd_in *in;
    (void)scratch;
    if (!*o->path) return hd_fail(ctx, HD_INPUT, "file: expected path=FILE, a dump of forwarding tables");
    HD_TRY(hd_lft_open(ctx, o->path, &in));
    hd_status s = hd_lft_fill(ctx, in, (enum hd_use)o->use, r);
    hd_in_close(in);
    HD_TRY(s);
    return *o->sl || *o->sl2vl ? file_read_lanes(ctx, o, r) : hd_sl_read_bundle(ctx, o->path, r);
}

static const struct hd_param file_params[] = {
    {"path", HD_TEXT, "",
     "the file: an OpenSM dump, dump_fts or ibroute output, plain, gzip or zstd; or a folder or archive of "
     "ibdiagnet -r",
     offsetof(struct engine_file_opt, path), 0, 0, NULL, false},
    {"use", HD_WORD, "first",
     "what several LIDs of a port mean if the file does not say: first uses base LIDs only, source "
     "the LID by the number of the source, all shares equally",
     offsetof(struct engine_file_opt, use), 0, 0, "first|source|all", false},
    {"sl", HD_TEXT, "", "service levels of pairs, one per line: adapter GUID, LID, level (PSL file of ibdmchk)",
     offsetof(struct engine_file_opt, sl), 0, 0, NULL, false},
    {"sl2vl", HD_TEXT, "",
     "VLs of service levels: opensm-sl2vl.dump or ibdiagnet2.slvl; without it the VL is the service level",
     offsetof(struct engine_file_opt, sl2vl), 0, 0, NULL, false},
    {0}};

const struct hd_engine hd_engine_file = {
    .desc = {.name = "file",
             .summary = "tables from a file",
             .text = "Forwarding tables as OpenSM dumps them (opensm-lfts.dump, opensm.fdbs), as dump_fts and ibroute "
                     "print them, or as heddle route writes them. LIDs are matched by the port GUIDs in the file, "
                     "otherwise by the LIDs of the network. Files written by heddle also contain variants and VLs; "
                     "others are assumed to use one VL, unless further files give service levels (sl=) and their VLs "
                     "(sl2vl=). The name of a file alone means the same.",
             .cite = "OpenSM, doc/modular-routing.txt",
             .params = file_params,
             .command = "heddle route ft:m=8,n=2 ftree -o ft.lft && heddle "
                        "check ft:m=8,n=2 file:path=ft.lft",
             .opt_size = sizeof(struct engine_file_opt)},
    .role = HD_ENGINE_EXTERNAL,
    .route = file_route};
