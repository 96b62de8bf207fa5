/* SPDX-License-Identifier: BSD-2-Clause */
/* The ibnetdiscover reader below hd_net_read: from any input, not only a named file. */
#ifndef HD_NET_IO_FMT_IBNET_H
#define HD_NET_IO_FMT_IBNET_H

#include "base/input.h"
#include "net/io/net_draft.h"
#include "net/io/scan_line.h"

/* spec is what the network will be called; opt may be NULL. */
hd_status hd_ibnet_read(struct hd_ctx *ctx, struct hd_in *in, const char *spec, const struct hd_read *opt,
                        struct hd_net **net);

/* The role of a channel adapter according to its description. */
enum hd_role hd_ibnet_role(const char *name);

/* One line of ibnetdiscover -p (fmt_ibnet_ports.c). */
hd_status hd_ibnet_ports_line(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, const char *line);
/* One line of opensm-subnet.lst (fmt_ibnet_subnet.c). */
hd_status hd_ibnet_subnet_line(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, const char *line);

/* Output of iblinkinfo (fmt_iblinkinfo.c): titles and lines are kept, and become a network at the end. */
struct hd_linkinfo_state {
    struct hd_bag rows;
    char kind; /* of the title: S, H or R, as ids begin; 0: none yet */
    uint64_t guid;
    const char *name;
};
void hd_linkinfo_init(struct hd_linkinfo_state *s);
hd_status hd_linkinfo_header(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_linkinfo_state *s,
                             const char *line);
hd_status hd_linkinfo_line(struct hd_ctx *ctx, struct hd_draft *d, struct hd_in *in, struct hd_linkinfo_state *s,
                           const char *line);
hd_status hd_linkinfo_finish(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_linkinfo_state *s);

/* The binary cache of ibnetdiscover (fmt_ibcache.c): whether the input begins like one, and all of it. */
hd_status hd_ibcache_found(struct hd_ctx *ctx, struct hd_in *in, bool *found);
hd_status hd_ibcache_read(struct hd_ctx *ctx, struct hd_in *in, struct hd_draft *d);

/* Adapters whose record had not come when the line of a switch port named them, and what that line says of them
 * (fmt_ibnet_lost.c). The port was the last one added to d. */
void hd_ibnet_peers_init(struct hd_bag *peers);
hd_status hd_ibnet_peer(struct hd_ctx *ctx, struct hd_draft *d, struct hd_bag *peers, const char *tail, size_t len);
/* The file ended among its adapters: records that never came are completed, and that of node `last`; `records` did
 * come. *count: how many were completed. */
hd_status hd_ibnet_complete(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_bag *peers, uint32_t last,
                            uint32_t records, uint32_t *count);

/* The kind of a node at *at, as ids begin: S, H or R for the words of a switch, an adapter and a router; 0: none. */
static inline char hd_ibnet_kind(const char **at, const char *const words[3])
{
    for (int i = 0; i < 3; i++)
        if (hd_scan_text(at, words[i])) return "SHR"[i];
    return 0;
}

/* A LID as files give it; 65535, the permissive LID, means none as 0 does. */
static inline bool hd_ibnet_lid(uint32_t number, uint16_t *lid)
{
    if (number > HD_MAX_LID && number != 0xffff) return false;
    *lid = number > HD_MAX_LID ? 0 : (uint16_t)number;
    return true;
}

#endif
