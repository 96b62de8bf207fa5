/* SPDX-License-Identifier: BSD-2-Clause */
/* The real OpenSM on the real ibsim: a simulated network, a subnet manager on it, and what it programmed, read back
 * from the simulated switches and from its subnet administration. */
#ifndef HD_IB_OPENSM_RUN_H
#define HD_IB_OPENSM_RUN_H

#include "ib/process_group.h"
#include "ib/ibsim_client.h"
#include "net/edit/lids.h"
#include "route/core/routes_build.h"
#include "route/core/routes_view.h"
#include "route/core/sl2vl.h"

struct hd_osm_opt {
    const char *engine;   /* as opensm -R has it */
    const char *roots;    /* file for -a, "": none; relative paths start in the group's folder */
    const char *table;    /* file for -U, "": none */
    const char *conf;     /* lines to add to its configuration, "": none */
    const char *programs; /* folder of ibsim and opensm, "": the usual ones */
    uint32_t vls;         /* for nue */
    double limit;         /* seconds for one sweep */
    bool qos;
};

enum { HD_OSM_LAYERS = 16 };

struct hd_osm {
    const struct hd_net *net;
    const struct hd_lids *lids; /* to be given out */
    const struct hd_osm_opt *opt;
    struct hd_process_group group;
    pid_t ibsim, opensm;
    char socket_name[64], preload[256];
    char node[32];                 /* id of the switch that the subnet manager runs on */
    uint32_t host;                 /* that switch */
    uint32_t nlayers;              /* dfsssp: layers it needed, 0: not reported, */
    uint64_t layer[HD_OSM_LAYERS]; /* the paths in each before it spread them over more VLs, */
    uint32_t vls;                  /* and the VLs available to it */
    double cpu;                    /* seconds all sweeps took until the subnet was up */
};

struct hd_osm_verdict { /* what a log has said so far */
    bool up, failed, configured;
    char reason[256]; /* the last complaint */
};

/* A line of OpenSM's log. */
void hd_osm_log_line(struct hd_osm *osm, const char *line, struct hd_osm_verdict *v);

/* ibsim with the network, ready. Ended by hd_osm_end in every case. */
hd_status hd_osm_begin(struct hd_ctx *ctx, struct hd_osm *osm);
/* A subnet manager on switch host, up with the engine asked for, or HD_NA and why the engine failed.
 * It stays until hd_osm_stop. */
hd_status hd_osm_sweep(struct hd_ctx *ctx, struct hd_osm *osm, uint32_t host);
void hd_osm_stop(struct hd_osm *osm);
void hd_osm_end(struct hd_osm *osm);

/* Reads what it programmed in the component of osm->host: forwarding tables into r (stored, with the plan's variants)
 * and, if ask is set, the service level of every (leaf switch, destination, variant) into hd_routes_leaf_levels. hops,
 * unless NULL, gets the VLs of service levels at every pair of ports. */
hd_status hd_osm_read(struct hd_ctx *ctx, struct hd_osm *osm, struct hd_routes *r, bool ask, struct hd_sl2vl *hops);

#endif
