/* SPDX-License-Identifier: BSD-2-Clause */
/* The real OpenSM on the real ibsim: a network simulated, a subnet manager on it, and what it set up
 * read back from the simulated switches and from its subnet administration. */
#ifndef HD_IB_OPENSM_RUN_H
#define HD_IB_OPENSM_RUN_H

#include "ib/process_group.h"
#include "ib/ibsim_client.h"
#include "net/edit/lids.h"
#include "route/core/routes.h"
#include "route/core/sl2vl.h"

struct hd_osm_opt {
    const char *engine;   /* as opensm -R has it */
    const char *roots;    /* file for -a, "": none; relative paths start in the crew's folder */
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
    struct hd_crew crew;
    pid_t ibsim, opensm;
    char socket_name[64], preload[256];
    char node[32];                 /* id of the switch the subnet manager sits on */
    uint32_t host;                 /* that switch */
    uint32_t nlayers;              /* dfsssp: layers it needed, 0: not told, */
    uint64_t layer[HD_OSM_LAYERS]; /* the paths in each before it spread them over more lanes, */
    uint32_t vls;                  /* and the lanes it had */
    double cpu;                    /* seconds all sweeps took until the subnet was up */
};

struct hd_osm_verdict { /* what a log has said so far */
    bool up, failed, configured;
    char reason[256]; /* the last complaint */
};

/* A line of OpenSM's log. */
void hd_osm_hear(struct hd_osm *osm, const char *line, struct hd_osm_verdict *v);

/* ibsim with the network, ready. Ended by hd_osm_end in every case. */
hd_status hd_osm_begin(struct hd_ctx *ctx, struct hd_osm *osm);
/* A subnet manager on switch host, up with the engine asked for, or HD_INPUT and why the engine failed.
 * It stays until hd_osm_stop. */
hd_status hd_osm_sweep(struct hd_ctx *ctx, struct hd_osm *osm, uint32_t host);
void hd_osm_stop(struct hd_osm *osm);
void hd_osm_end(struct hd_osm *osm);

/* What it set up in the part of the network around osm->host: forwarding tables into r (stored, with the
 * plan's variants), and where ask is set the service level of every (leaf switch, destination, variant)
 * into r->leaf_lane. hops, when not NULL, gets the lanes of service levels at every pair of ports. */
hd_status hd_osm_read(struct hd_ctx *ctx, struct hd_osm *osm, struct hd_routes *r, bool ask, struct hd_sl2vl *hops);

#endif
