/* SPDX-License-Identifier: BSD-2-Clause */
/* libheddle-opensm.so: heddle as a routing engine of OpenSM. OpenSM loads it with `event_plugin_name heddle-opensm` and
 * uses it with `routing_engine heddle`. Each sweep asks a worker process (src/live) for tables that are proved. If it
 * ends or is late, another one is asked to leave out what failed, an engine or what proved tables can do without, in
 * the same budget. If that fails too, OpenSM falls back to the next engine of its list, and its log says so.
 * A VL of the tables is one of the service levels that routing may use, which path records carry; with quality of
 * service on, SL2VL tables map the levels in use to VLs of the same number, and all others as the site has them. */
#include "osm_plugin.h"
#include "base/c_locale.h"

#include <opensm/osm_event_plugin.h>
#include <opensm/osm_log.h>
#include <opensm/osm_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLUGIN_TRIES = 3, PLUGIN_LINE = 2048 }; /* OpenSM ends of a line beyond 4096 bytes */

/* Without steps=on, seconds until entries follow that packets on their old paths would meet: longer than a switch keeps
 * a packet by OpenSM's defaults. */
static const double plugin_soon = 2;

/* ---- service levels ---------------------------------------------------------------------------- */

static uint8_t path_level(void *context, uint8_t hint, const ib_net16_t slid, const ib_net16_t dlid)
{
    const struct heddle_plugin *p = context;
    const struct hd_reply_parts *r = &p->reply.parts;
    const uint32_t s = cl_ntoh16(slid), d = cl_ntoh16(dlid);
    if (!p->reply.memory || r->head->vls == 1) return hint;
    if (s > r->head->last_lid || d > r->head->last_lid || r->row[s] == UINT32_MAX) return p->options.level[0];
    return p->options.level[r->level[r->row[s] * (r->head->last_lid + (size_t)1) + d]];
}

static void map_levels(void *context, osm_physp_t *port, uint8_t in, uint8_t out, ib_slvl_table_t *t)
{
    const struct heddle_plugin *p = context;
    (void)port, (void)in, (void)out;
    if (!p->reply.memory || p->reply.parts.head->vls == 1) return;
    for (uint32_t vl = 0; vl < p->reply.parts.head->vls; vl++)
        ib_slvl_table_set(t, p->options.level[vl], p->options.level[vl]);
}

/* ---- handing over ------------------------------------------------------------------------------ */

static void hand_over(struct heddle_plugin *p, osm_switch_t *const *sw, struct plugin_reply *reply)
{
    const size_t lids = reply->parts.head->last_lid + (size_t)1;
    for (uint32_t i = 0; i < reply->parts.head->switches; i++) {
        const size_t n = sw[i]->lft_size < lids ? sw[i]->lft_size : lids;
        memcpy(sw[i]->new_lft, reply->parts.table + i * lids, n);
        memset(sw[i]->new_lft + n, OSM_NO_PATH, sw[i]->lft_size - n);
    }
    plugin_drop_reply(&p->reply);
    p->reply = *reply;
}

/* Asks until there is a reply that fits, or time or tries are used up. *refused: the worker has no tables, and has
 * said so in its log as well. */
static bool ask_worker(struct heddle_plugin *p, osm_switch_t ***sw, struct plugin_reply *reply, bool *refused,
                       char why[PLUGIN_TEXT])
{
    const double until = plugin_now() + p->options.budget;
    uint32_t avoid = 0, switches, last_lid, engine;
    for (int i = 0; i < PLUGIN_TRIES; i++) {
        const double left = until - plugin_now();
        int answer = -1;
        if (left <= 0) return false;
        const int request = plugin_request(p, avoid, sw, &switches, &last_lid, why);
        if (request < 0) return false;
        const double share = i + 1 < PLUGIN_TRIES ? left / 2 : left;
        const enum plugin_end end = plugin_exchange(p, request, share, &answer, &engine, why);
        close(request);
        if (end == PLUGIN_ANSWERED) {
            const enum plugin_verdict verdict =
                plugin_take_reply(&p->osm->subn, answer, *sw, switches, last_lid, reply, why);
            close(answer);
            if (verdict == PLUGIN_TAKEN) return true;
            *refused = verdict == PLUGIN_REFUSED;
            if (verdict == PLUGIN_CORRUPT) plugin_stop_worker(&p->worker);
        }
        free(*sw);
        *sw = NULL;
        /* A worker that is late before it names an engine may just have been stuck: one more is worth a try. */
        if (end == PLUGIN_ANSWERED || end == PLUGIN_FAILED || (engine == UINT32_MAX && end == PLUGIN_LATE && i > 0))
            return false;
        if (engine <= HD_LIVE_MOST_ENGINES) avoid |= 1u << engine;
        if (i + 1 < PLUGIN_TRIES)
            OSM_LOG(&p->osm->log, OSM_LOG_ERROR, "heddle: %s; trying again with another one\n", why);
    }
    return false;
}

/* ---- steps ------------------------------------------------------------------------------------- */

static void ask_for_sweep(void *context)
{
    struct heddle_plugin *p = context;
    p->osm->subn.force_heavy_sweep = TRUE;
    osm_sm_signal(&p->osm->sm, OSM_SIGNAL_SWEEP);
}

static double pause_after_step(const struct heddle_plugin *p)
{
    return p->options.steps ? p->options.pause : plugin_soon;
}

/* After a step the next one, as soon as this one is written and packets from before it have left. A request during the
 * pause gets the same step again, or another one after a loss, whose pause begins anew. */
static void plan_next_step(struct heddle_plugin *p)
{
    if (!p->reply.parts.head->more) {
        p->step_at = 0;
        plugin_timer_set(&p->timer, 0);
        return;
    }
    if (p->settled || p->reply.parts.head->more == HD_MORE_NEW) p->step_at = plugin_now();
    plugin_timer_set(&p->timer, p->step_at + pause_after_step(p));
}

static int build_tables(void *context)
{
    struct heddle_plugin *p = context;
    struct plugin_reply reply;
    osm_switch_t **sw = NULL;
    char why[PLUGIN_TEXT] = "no time left", line[PLUGIN_LINE], took[32];
    const double began = plugin_now();
    p->settled = p->step_at <= 0 || began - p->step_at >= pause_after_step(p);
    bool refused = false;
    const bool tables = ask_worker(p, &sw, &reply, &refused, why);
    p->sweeps++;
    if (tables || refused) plugin_note_old(p);
    if (!tables) {
        p->fallbacks++;
        plugin_drop_reply(&p->reply);
        OSM_LOG(&p->osm->log, OSM_LOG_ERROR,
                "heddle: ROUTING FALLS BACK to OpenSM's own engine, whose tables are not proved: %s\n", why);
        if (!refused) plugin_note_fallback(p, why, plugin_now() - began);
        return -1;
    }
    hand_over(p, sw, &reply);
    free(sw);
    if (p->engine) p->engine->update_sl2vl = p->reply.parts.head->vls > 1 ? map_levels : NULL;
    plan_next_step(p);
    plugin_line(p->reply.parts.text, sizeof line, line);
    hd_format(took, sizeof took, "%.1f ms", 1e3 * (plugin_now() - began));
    OSM_LOG(&p->osm->log, OSM_LOG_INFO, "heddle: %s; %s\n", line, took);
    return 0;
}

/* ---- what OpenSM calls ------------------------------------------------------------------------- */

static int engine_setup(struct osm_routing_engine *re, osm_opensm_t *osm)
{
    (void)osm;
    struct heddle_plugin *p = re->context;
    p->engine = re;
    re->ucast_build_fwd_tables = build_tables;
    re->path_sl = path_level;
    return 0;
}

static void *plugin_create(struct osm_opensm *osm)
{
    static const external_routing_engine_module_t module = {.name = "heddle", .setup = engine_setup};
    struct heddle_plugin *p = calloc(1, sizeof *p);
    if (!p || !hd_live_options(osm->subn.opt.event_plugin_options, &p->options)) {
        free(p);
        return NULL;
    }
    p->osm = osm;
    const int error = plugin_timer_begin(&p->timer, ask_for_sweep, p);
    if (error || osm_register_external_routing_engine(osm, &module, p) != CL_SUCCESS) {
        OSM_LOG(&osm->log, OSM_LOG_ERROR, "heddle: %s\n",
                error ? strerror(error) : "OpenSM does not take the routing engine");
        if (!error) plugin_timer_end(&p->timer);
        hd_live_options_free(&p->options);
        free(p);
        return NULL;
    }
    OSM_LOG(&osm->log, OSM_LOG_INFO, "heddle: routing engine registered; 'routing_engine heddle' uses it\n");
    return p;
}

static void plugin_delete(void *data)
{
    struct heddle_plugin *p = data;
    plugin_timer_end(&p->timer);
    plugin_stop_worker(&p->worker);
    plugin_note_end(p);
    plugin_drop_reply(&p->reply);
    hd_live_options_free(&p->options);
    free(p);
}

static void plugin_report(void *data, osm_epi_event_id_t event, void *event_data)
{
    (void)data, (void)event, (void)event_data;
}

__attribute__((visibility("default")))
osm_event_plugin_t osm_event_plugin = {OSM_VERSION, plugin_create, plugin_delete, plugin_report};
