/* SPDX-License-Identifier: BSD-2-Clause */
/* Choosing tables for a sweep: the engines of the options in order, each result proved as `heddle check` proves it, for
 * all endpoints, routers and aggregation nodes included, and for the LIDs of switches; the first that passes is taken.
 * If none does, the tables in use with a path around what died, if that passes. Then entries that no pair needs are
 * added, so that switches can report the next loss, and the result is proved again. Nothing here looks at a clock: two
 * subnet managers that see the same fabric choose the same tables, but for entries that only the one of them needs. */
#include "base/rows.h"
#include "base/spec.h"
#include "base/status.h"
#include "base/threads.h"
#include "live/live.h"
#include "net/edit/lids.h"
#include "route/check/check_everyone.h"
#include "route/core/switch_rows.h"

#include <stdio.h>
#include <string.h>

static const size_t most_levels = (size_t)1 << 30; /* bytes of service levels in a reply */

static const char late[] = "ended or did not answer in time";

static void live_failed(struct hd_live_outcome *o, const char *engine, const char *why)
{
    const size_t n = strlen(o->failed);
    snprintf(o->failed + n, sizeof o->failed - n, "%s%.40s: %.160s", n ? "; " : "", engine, why);
}

/* The engine's spec, with the VLs that the fabric has where it takes a limit and was given none. */
static const char *live_spec(const struct hd_ctx *ctx, const char *text, uint32_t vls, char spec[HD_MAX_SPEC])
{
    const struct hd_desc *d = hd_spec_find(ctx, HD_ENGINES, text);
    bool takes = false;
    for (const struct hd_param *p = d ? d->params : NULL; p && p->name; p++) takes |= strcmp(p->name, "maxlanes") == 0;
    if (!takes || strstr(text, "maxlanes=") || strcmp(d->name, "nue") == 0) return text;
    int n = snprintf(spec, HD_MAX_SPEC, "%s%cmaxlanes=%u", text, strchr(text, ':') ? ',' : ':', vls);
    return n > 0 && n < HD_MAX_SPEC ? spec : text;
}

/* What speaks against handing these routes over, before they are checked; NULL: nothing. */
static const char *live_unfit(const struct hd_live_choice *c, const struct hd_routes *r, uint32_t vls)
{
    const enum hd_lane_rule rule = hd_routes_lane_rule(r);
    const size_t lids = c->request->head->last_lid + (size_t)1;
    const size_t rows = rule == HD_LANE_PAIR ? c->net->nep : c->net->nsw;
    if (hd_routes_lanes(r) == 0 || rule == HD_LANE_UNKNOWN) return "its VLs are not known";
    if (hd_routes_lanes(r) > vls) return "more VLs than available";
    if (rule == HD_LANE_HOP) return "VLs that change along the path";
    if (hd_routes_lanes(r) > 1 && rows * lids > most_levels) return "too many service levels";
    if (hd_routes_variants(r) > 1u << hd_lmc_least(c->net)) return "more LIDs per port than the fabric has (LMC)";
    return NULL;
}

static hd_status live_prove(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_live_outcome *o, char why[160])
{
    struct hd_check k;
    const double began = hd_seconds();
    HD_TRY(hd_routes_check_everyone(ctx, r, &k));
    o->check_seconds += hd_seconds() - began;
    *why = 0;
    if (k.unreachable + k.loops)
        snprintf(why, 160, "%llu pairs without a path", (unsigned long long)(k.unreachable + k.loops));
    else if (k.deadlock_free < 1)
        snprintf(why, 160, "%s", k.deadlock_free ? "deadlock freedom not proved" : "a credit loop");
    else if (hd_check_faulty(&k))
        snprintf(why, 160, "LIDs of switches or further LIDs are not reached");
    o->pairs = k.pairs / hd_routes_paths_per_pair(r);
    o->vls = k.lanes;
    o->switch_loops = k.switches.deadlock_free == 0;
    return HD_OK;
}

/* Whether routes that were made are good to hand over; else they are freed and why is noted. */
static hd_status live_take(struct hd_ctx *ctx, const struct hd_live_choice *c, const char *name, uint32_t vls,
                           struct hd_live_outcome *o, struct hd_routes **r)
{
    char why[160];
    const char *unfit = live_unfit(c, *r, vls);
    if (unfit) snprintf(why, sizeof why, "%s", unfit);
    hd_status s = unfit ? HD_OK : hd_switch_rows_keep(ctx, *r); /* proof and reply need them */
    if (!unfit && s == HD_OK) s = live_prove(ctx, *r, o, why);
    if (s == HD_OK && !*why) {
        snprintf(o->engine, sizeof o->engine, "%s", name);
        return HD_OK;
    }
    live_failed(o, name, s == HD_OK ? why : hd_ctx_reason(ctx));
    hd_routes_free(*r);
    *r = NULL;
    return HD_OK;
}

/* Puts routes that were proved in the place of others. */
static void live_replace(const struct hd_live_outcome *proved, struct hd_routes *by, struct hd_live_outcome *o,
                         struct hd_routes **r)
{
    hd_routes_free(*r);
    *r = by;
    o->pairs = proved->pairs;
    o->vls = proved->vls;
    o->switch_loops = proved->switch_loops;
    o->check_seconds += proved->check_seconds;
}

/* Replaces proved tables by ones that change little, where these are proved too. */
static void live_keep(struct hd_ctx *ctx, const struct hd_live_choice *c, uint32_t vls, struct hd_live_outcome *o,
                      struct hd_routes **r)
{
    struct hd_routes *kept = NULL;
    struct hd_live_outcome other = {0};
    struct hd_keep keep;
    const double began = hd_seconds();
    if (!c->old || hd_routes_keep(ctx, *r, c->old, &kept, &keep) != HD_OK) return;
    o->route_seconds += hd_seconds() - began;
    if (live_take(ctx, c, o->engine, vls, &other, &kept) != HD_OK || !kept) return;
    live_replace(&other, kept, o, r);
    o->kept = !keep.fresh;
}

void hd_live_look(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_live_outcome *o)
{
    struct hd_answers_found found;
    const double began = hd_seconds();
    const hd_status s = hd_keep_answers_look(ctx, r, &found);
    o->check_seconds += hd_seconds() - began;
    o->missing = s == HD_OK ? found.missing : 0;
    o->unknown = s != HD_OK;
    o->cut |= o->unknown;
    o->switch_loops |= s != HD_OK || found.loop;
}

/* The same where none were searched for. */
static void live_look_alone(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_live_outcome *o)
{
    hd_live_look(ctx, r, o);
    o->cut |= o->missing > 0;
    o->for_good = o->missing;
}

/* Adds entries that switches need to report and to reply, where the result is proved as well. */
static void live_add_answers(struct hd_ctx *ctx, const struct hd_live_choice *c, uint32_t vls,
                             struct hd_live_outcome *o, struct hd_routes **r)
{
    struct hd_routes *with = NULL;
    struct hd_live_outcome other = {0};
    struct hd_answers answers;
    const double began = hd_seconds();
    if (hd_live_answers(ctx, c, *r, o->patched, &with, &answers) != HD_OK) {
        live_look_alone(ctx, *r, o);
        return;
    }
    o->missing = answers.missing;
    o->later = answers.later;
    o->stay = answers.stay;
    o->cut = answers.cut;
    o->route_seconds += hd_seconds() - began;
    const bool any = with != NULL;
    if (any && live_take(ctx, c, o->engine, vls, &other, &with) == HD_OK && with) live_replace(&other, with, o, r);
    if (answers.unsafe || (any && !with)) hd_live_look(ctx, *r, o);
    o->for_good = o->missing > o->later ? o->missing - o->later : 0;
}

/* Where the search for them took too long: tables that are proved come first. */
static void live_without_answers(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_live_outcome *o)
{
    live_failed(o, "entries for switches", late);
    live_look_alone(ctx, r, o);
}

/* VLs that tables may use: one per service level allowed whose VL, of the same number, every cable has. */
static uint32_t live_vls(const struct hd_live_choice *c)
{
    const uint32_t most = c->options->maxlanes;
    uint32_t vls = 0;
    while (vls < c->options->levels && c->options->level[vls] < c->request->head->vls) vls++;
    if (most && most < vls) vls = most;
    return vls ? vls : 1;
}

hd_status hd_live_again(struct hd_ctx *ctx, const struct hd_live_choice *c, const struct hd_routes *before,
                        const char *name, struct hd_live_outcome *o, struct hd_routes **r)
{
    HD_TRY(hd_routes_carry(ctx, before, c->net, r));
    HD_TRY(live_take(ctx, c, name, live_vls(c), o, r));
    if (*r) hd_live_look(ctx, *r, o);
    return HD_OK;
}

/* Where no engine's tables pass: those in use, with a path around what died. */
static hd_status live_last_resort(struct hd_ctx *ctx, const struct hd_live_choice *c, uint32_t vls,
                                  struct hd_live_outcome *o, struct hd_routes **r)
{
    bool fresh;
    const double began = hd_seconds();
    const hd_status s = hd_live_patch(ctx, c, r, &fresh);
    o->route_seconds += hd_seconds() - began;
    if (s != HD_OK) {
        *r = NULL;
        return HD_OK;
    }
    HD_TRY(live_take(ctx, c, fresh ? "updown" : "tables in use, patched", vls, o, r));
    o->patched = *r && !fresh;
    return HD_OK;
}

hd_status hd_live_route(struct hd_ctx *ctx, const struct hd_live_choice *c, struct hd_live_outcome *o,
                        struct hd_routes **r)
{
    const uint32_t vls = live_vls(c);
    char spec[HD_MAX_SPEC];
    *r = NULL;
    for (uint32_t i = 0; i < c->options->engines && !*r; i++) {
        const char *name = c->options->engine[i];
        if (c->request->head->avoid >> i & 1) {
            live_failed(o, name, late);
            continue;
        }
        if (c->port->trying) c->port->trying(c->port->user, i);
        const double began = hd_seconds();
        const hd_status s = hd_routes_open(ctx, c->net, live_spec(ctx, name, vls, spec), r);
        o->route_seconds += hd_seconds() - began;
        if (s != HD_OK) {
            *r = NULL;
            live_failed(o, name, hd_ctx_reason(ctx));
        } else
            HD_TRY(live_take(ctx, c, name, vls, o, r));
    }
    if (c->port->trying) c->port->trying(c->port->user, HD_LIVE_MOST_ENGINES);
    if (*r && !hd_live_bare(c)) live_keep(ctx, c, vls, o, r);
    if (!*r) HD_TRY(live_last_resort(ctx, c, vls, o, r));
    if (*r && hd_live_bare(c))
        live_without_answers(ctx, *r, o);
    else if (*r)
        live_add_answers(ctx, c, vls, o, r);
    return HD_OK;
}
