/* SPDX-License-Identifier: BSD-2-Clause */
/* One writer a format of routes, or of what goes with them; the table in route_formats.c names them. */
#ifndef HD_ROUTE_IO_ROUTE_FORMATS_H
#define HD_ROUTE_IO_ROUTE_FORMATS_H

#include "heddle/route.h"
#include "net/edit/lids.h"

/* For ibdmchk (fmt_ibdm.c) */
hd_status hd_write_fdbs(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
hd_status hd_write_subnet(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
hd_status hd_write_paths(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
hd_status hd_write_psl(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
hd_status hd_write_slvl(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
/* For OpenSM (fmt_opensm.c) */
void hd_guid2lid_put(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_lids *lids, struct hd_out *o);
hd_status hd_write_guid2lid(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
hd_status hd_write_lid_matrix(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
hd_status hd_write_roots(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
hd_status hd_write_cns(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
hd_status hd_write_order(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
hd_status hd_write_path_bits(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);
/* Lanes for OpenSM (fmt_qos.c) */
hd_status hd_write_qos(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_out *o);

#endif
