/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of formats that routes are written in: a row each, which --format, help and completion read. */
#include "route/io/route_formats.h"
#include "base/spec.h"
#include "base/status.h"
#include "route/io/fmt_far.h"
#include "route/io/fmt_lft.h"

#include <string.h>

static hd_status write_lft(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    return hd_lft_write(ctx, r, false, o);
}

static hd_status write_minimal(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o)
{
    return hd_lft_write(ctx, r, true, o);
}

static const struct hd_routes_format formats[] = {
    {"lft", "OpenSM's dump of forwarding tables, loaded by opensm -R file -U", write_lft},
    {"lft-minimal", "the same without comments: six times smaller, but LIDs must be what they are now", write_minimal},
    {"far", "ibdiagnet2.far: static ports, and the groups of ports of adaptive routing", hd_write_far},
    {"guid2lid", "which LIDs OpenSM shall give out, for its cache folder", hd_write_guid2lid},
    {"lid-matrix", "hops between switches by port, loaded by opensm -M", hd_write_lid_matrix},
    {"qos-policy", "VLs as service levels, loaded by opensm -Q -Y", hd_write_qos},
    {"roots", "GUIDs of the top switches, for opensm -a", hd_write_roots},
    {"cns", "port GUIDs of the selected endpoints, for opensm -u", hd_write_cns},
    {"order", "port GUIDs of all endpoints in order, for opensm -X", hd_write_order},
    {"path-bits", "which LID of a destination each endpoint sends to, where the source decides", hd_write_path_bits},
    {"paths", "the path of every pair as CSV: ends, variant, hops, output ports", hd_write_paths},
    {"subnet", "opensm-subnet.lst, for ibdmchk -s", hd_write_subnet},
    {"fdbs", "opensm.fdbs, for ibdmchk -f", hd_write_fdbs},
    {"psl", "service level of every pair, for ibdmchk -c", hd_write_psl},
    {"slvl", "VL of every service level, for ibdmchk -d", hd_write_slvl},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

const struct hd_routes_format *hd_routes_format_at(size_t i)
{
    return i < FORMATS ? &formats[i] : NULL;
}

hd_status hd_routes_write(struct hd_ctx *ctx, const struct hd_routes *r, const char *format, struct hd_out *o)
{
    const struct hd_named_rows rows = {formats, FORMATS, sizeof formats[0]};
    const struct hd_routes_format *row = hd_named_row(ctx, "format", format, &rows);
    return row ? row->write(ctx, r, o) : HD_USAGE;
}
