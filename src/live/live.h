/* SPDX-License-Identifier: BSD-2-Clause */
/* The worker's side of the plug-in for OpenSM: one request in, one reply out. Everything about processes, descriptors
 * and deadlines is in src/opensm; this part only computes, and can be called from a test as well. */
#ifndef HD_LIVE_LIVE_H
#define HD_LIVE_LIVE_H

#include "heddle/route.h"
#include "live/fabric_message.h"
#include "live/live_options.h"
#include "route/keep/keep_answers.h"
#include "tool/fabric_changes.h"

struct hd_live_plan;

/* What lasts from one request to the next. Only words depend on it, and tables with keep=on or steps=on: all others
 * follow from the request alone. */
struct hd_live {
    struct hd_ctx *ctx;
    struct hd_net *net;         /* of the request before; NULL: none */
    struct hd_routes *routes;   /* that were handed over then; NULL: none */
    uint64_t sweeps, fallbacks; /* since the subnet manager started, this request included */
    uint32_t steps;             /* handed over in a row, with more to follow */
    struct hd_live_plan *plan;  /* the tables to come; NULL: none */
    uint32_t lost;              /* plans in a row that ended without a change of the fabric */
    uint32_t late;              /* requests in a row after which entries were to follow */
    bool new_levels;            /* connections from before the first of these may have other service levels */
    uint64_t missing;           /* entries missing in the tables before */
    uint64_t for_good;          /* in the last of those in a row */
    bool cut;                   /* the search for them */
    double ebb;                 /* of the tables before; negative: not known */
};

/* Where the reply goes. */
struct hd_live_port {
    void *(*room)(void *user, size_t bytes); /* zeroed memory for it; NULL: there is none */
    /* The number of the engine that is tried next, HD_LIVE_MOST_ENGINES: none, whatever happens now; may be NULL */
    void (*trying)(void *user, uint32_t engine);
    void (*ready)(void *user); /* the reply is complete; log files come after it; may be NULL */
    void *user;
};

enum hd_live_mixing { HD_MIXING_UNKNOWN, HD_MIXING_SAFE, HD_MIXING_NEW_LEVELS, HD_MIXING_UNSAFE };

/* What was done about a request, for the log. */
struct hd_live_outcome {
    struct hd_fabric_change change;
    uint32_t switches, endpoints, parts;
    char engine[HD_MAX_SPEC];   /* that made the tables; "": none */
    char failed[512];           /* why engines before it did not; "": the first one did */
    bool tables;                /* the reply has tables */
    bool patched;               /* they are the old ones around what died */
    bool kept;                  /* they are the old ones, changed as little as bandwidth allows */
    enum hd_live_mixing mixing; /* of the tables before and these, while blocks are written in any order */
    bool levels_change;         /* service levels of pairs change, now or in the steps to come */
    bool more;                  /* these tables are a step: another request follows */
    bool same;                  /* and the one before, while packets from before it may be under way */
    uint64_t missing;           /* entries for endpoints that switches without endpoints lack */
    uint64_t later;             /* of them: to be added when the switches hold these tables */
    uint64_t stay;              /* other entries that are to be exchanged then, for such as close no credit loop */
    uint64_t for_good;          /* of those missing: that no table to come will have, unless cut */
    bool cut;                   /* the search for entries of switches took too long: there may be more that are safe */
    bool unknown;               /* how many entries are missing, which is then 0; and cut */
    bool switch_loops;          /* paths from or to switches may close credit loops; those of pairs never do */
    uint64_t mixing_loops, mixing_drops;
    uint32_t mixing_credit_loops;
    uint32_t vls;
    uint64_t pairs;
    uint64_t entries_changed, blocks_changed, switches_changed; /* against the tables of the request */
    double ebb;                                                 /* negative: not known */
    double route_seconds, check_seconds, seconds;
};

/* Answers a request: a reply with tables that passed all checks, or one without that says why. HD_OK unless there was
 * no room for either; the reply has then been written to the room asked for. */
hd_status hd_live_answer(struct hd_live *live, const void *request, size_t bytes, const struct hd_live_port *port);
void hd_live_release(struct hd_live *live);

/* ---- parts of it ---------------------------------------------------------------------------- */

/* Routes that passed all checks, by the first engine of the options that makes such; NULL where none does. */
struct hd_live_choice {
    const struct hd_fabric_parts *request;
    const struct hd_live_options *options;
    const struct hd_live_port *port;
    const struct hd_net *net;
    const struct hd_routes *old; /* tables in use, on this network; NULL: not known, or not to be kept */
};
/* Nothing that proved tables can do without: an earlier try of this request did not end in time. */
static inline bool hd_live_bare(const struct hd_live_choice *choice)
{
    return choice->request->head->avoid >> HD_LIVE_MOST_ENGINES & 1;
}
hd_status hd_live_route(struct hd_ctx *ctx, const struct hd_live_choice *choice, struct hd_live_outcome *outcome,
                        struct hd_routes **r);
/* Routes that were made before for the same fabric, by this engine or how they came about, if they pass; else NULL. */
hd_status hd_live_again(struct hd_ctx *ctx, const struct hd_live_choice *choice, const struct hd_routes *before,
                        const char *name, struct hd_live_outcome *outcome, struct hd_routes **r);
/* Proved routes with the entries that switches without endpoints lack and rows towards switches, such that no credit
 * loop comes of them, in a copy that is not checked; NULL where nothing changes. anew: other entries that pairs do
 * not need may change as well. */
hd_status hd_live_answers(struct hd_ctx *ctx, const struct hd_live_choice *choice, const struct hd_routes *r, bool anew,
                          struct hd_routes **with, struct hd_answers *answers);
/* Whether a switch that reaches the subnet manager by the old routes and by the new ones does not by a step between. */
hd_status hd_live_answers_taken(struct hd_ctx *ctx, const struct hd_live_choice *choice, const struct hd_routes *old,
                                const struct hd_routes *new, const struct hd_routes *step, bool *taken);
/* Whether packets of some switch to an endpoint go round by a step, and do not by the new routes. */
hd_status hd_live_answers_cycle(struct hd_ctx *ctx, const struct hd_routes *new, const struct hd_routes *step,
                                bool *cycle);
/* Looks up what routes have for switches, where that is not known from how they were made. */
void hd_live_look(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_live_outcome *outcome);
/* The tables of the request, with a path around what died; not checked. *fresh: they would have a credit loop however
 * many rows are exchanged, and the routes are those of updown. */
hd_status hd_live_patch(struct hd_ctx *ctx, const struct hd_live_choice *choice, struct hd_routes **r, bool *fresh);

/* Writes the reply: with tables, whose changes are counted into outcome; or without, for what outcome says. */
hd_status hd_live_reply(struct hd_live *live, const struct hd_live_choice *choice, const struct hd_routes *r,
                        struct hd_live_outcome *outcome);
hd_status hd_live_refuse(struct hd_live *live, const struct hd_live_port *port, struct hd_live_outcome *outcome);

/* "cable lost ...; dmodc; ...", for the log of the subnet manager. */
enum { HD_LIVE_LINE = 3072 };
void hd_live_line(const struct hd_live *live, const struct hd_live_outcome *outcome, char line[HD_LIVE_LINE]);
/* Appends to the log and replaces the metrics, where the options name files. */
hd_status hd_live_publish(const struct hd_live *live, const struct hd_live_options *options,
                          const struct hd_live_outcome *outcome);

#endif
