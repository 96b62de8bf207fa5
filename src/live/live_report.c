/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sweep did, three times: one line for the log of the subnet manager, one line of JSON appended to a file, and a
 * file of metrics that Prometheus' node exporter collects. The JSON file is renamed to NAME.1 before it grows beyond a
 * limit, so both together stay below twice that; metrics are replaced as a whole. */
#include "base/c_locale.h"
#include "base/status.h"
#include "live/live.h"
#include "tool/json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const off_t most_log = 8 << 20;

/* What holds while blocks are written, in words. */
static void mixing_text(const struct hd_live_outcome *o, char text[160])
{
    *text = 0;
    if (o->mixing == HD_MIXING_SAFE) snprintf(text, 160, ", safe in any order");
    if (o->mixing == HD_MIXING_NEW_LEVELS)
        snprintf(text, 160, ", safe in any order once open connections have their new service levels");
    if (o->mixing == HD_MIXING_UNSAFE)
        snprintf(text, 160,
                 ", NOT safe in any order: %llu destinations may loop, %llu be dropped, %u VLs have credit loops",
                 (unsigned long long)o->mixing_loops, (unsigned long long)o->mixing_drops, o->mixing_credit_loops);
}

/* Entries that switches lack for what they send themselves, and what is wrong with those for what they receive. */
static void missing_text(const struct hd_live_outcome *o, char text[240])
{
    const uint64_t follow = o->more && o->missing > o->for_good ? o->missing - o->for_good : 0;
    int n = 0;
    *text = 0;
    if (o->missing)
        n = snprintf(text, 240, ", %llu entr%s missing at switches without endpoints", (unsigned long long)o->missing,
                     o->missing == 1 ? "y" : "ies");
    if (follow)
        n += snprintf(text + n, 240 - (size_t)n, ", of which %s%llu follow", o->cut ? "at least " : "",
                      (unsigned long long)follow);
    if (o->unknown)
        n = snprintf(text, 240, ", how many entries are missing at switches without endpoints is not known");
    else if (o->cut)
        n += snprintf(text + n, 240 - (size_t)n, ", the search for safe ones was cut short");
    if (o->switch_loops) snprintf(text + n, 240 - (size_t)n, ", credit loops by paths from or to switches");
}

void hd_live_line(const struct hd_live *live, const struct hd_live_outcome *o, char line[HD_LIVE_LINE])
{
    char change[HD_CHANGE_TEXT], ebb[64] = "", mixing[160], missing[240];
    const bool looked = o->tables || hd_fabric_changed(&o->change); /* else perhaps nobody did, as in heddle watch */
    hd_fabric_change_text(&o->change, change);
    mixing_text(o, mixing);
    missing_text(o, missing);
    if (o->ebb >= 0 && live->ebb >= 0)
        hd_format(ebb, sizeof ebb, ", EBB %.3f (before %.3f)", o->ebb, live->ebb);
    else if (o->ebb >= 0)
        hd_format(ebb, sizeof ebb, ", EBB %.3f", o->ebb);
    if (!o->tables)
        snprintf(line, HD_LIVE_LINE, "%s%sNO TABLES: %s", looked ? change : "", looked ? "; " : "", o->failed);
    else
        snprintf(
            line, HD_LIVE_LINE,
            "%s; %s%s, %u VL%s, proved for %llu pairs%s; %llu entries in %llu blocks of %llu switches change%s%s%s%s%s",
            change, o->engine, o->kept ? ", tables in use kept" : "", o->vls, o->vls == 1 ? "" : "s",
            (unsigned long long)o->pairs, missing, (unsigned long long)o->entries_changed,
            (unsigned long long)o->blocks_changed, (unsigned long long)o->switches_changed, mixing,
            o->more ? ", a step: more follows" : "", ebb, *o->failed ? "; not used: " : "", o->failed);
}

/* ---- JSON lines ------------------------------------------------------------------------------ */

static const char *const mixing_words[] = {"", "any-order", "any-order-new-levels", "unsafe"};

static void report_json(const struct hd_live *live, const struct hd_live_outcome *o, struct hd_out *to)
{
    const struct hd_fabric_change *c = &o->change;
    struct hd_json j;
    hd_json_begin(&j, to);
    hd_json_fields(&j, hd_uint("time", (uint64_t)time(NULL)), hd_uint("sweep", live->sweeps),
                   hd_bool("tables", o->tables), hd_text_if("engine", o->engine), hd_bool("patched", o->patched),
                   hd_bool("kept", o->kept), hd_bool("more", o->more), hd_text_if("failed", o->failed),
                   hd_uint("switches", o->switches), hd_uint("endpoints", o->endpoints));
    hd_json_object(&j, "change", hd_uint("switches_lost", c->switches_lost), hd_uint("switches_new", c->switches_new),
                   hd_uint("endpoints_lost", c->endpoints_lost), hd_uint("endpoints_new", c->endpoints_new),
                   hd_uint("endpoints_moved", c->endpoints_moved), hd_uint("cables_lost", c->cables_lost),
                   hd_uint("cables_new", c->cables_new), hd_uint("rates_changed", c->rates_changed),
                   hd_uint("lids_changed", c->lids_changed), hd_text_if("first", c->first),
                   hd_text_if("names", c->names));
    hd_json_fields(&j, hd_uint("lanes", o->vls), hd_uint("pairs", o->pairs), hd_uint("entries_missing", o->missing),
                   hd_bool("search_cut", o->cut), hd_bool("switch_credit_loops", o->switch_loops),
                   hd_uint("entries_changed", o->entries_changed), hd_uint("blocks_changed", o->blocks_changed),
                   hd_uint("switches_changed", o->switches_changed), hd_text_if("mixing", mixing_words[o->mixing]),
                   hd_uint("mixing_loops", o->mixing_loops), hd_uint("mixing_drops", o->mixing_drops),
                   hd_uint("mixing_credit_loops", o->mixing_credit_loops));
    hd_json_fields(&j, hd_real("ebb", o->ebb < 0 ? NAN : o->ebb),
                   hd_real("ebb_before", live->ebb < 0 ? NAN : live->ebb), hd_real("route_seconds", o->route_seconds),
                   hd_real("check_seconds", o->check_seconds), hd_real("seconds", o->seconds));
    hd_json_close(&j, '}');
}

/* Line breaks of the writer are between values only, those of texts are escaped. */
static size_t report_one_line(const char *text, char *line)
{
    size_t n = 0;
    for (const char *s = text; *s; s++) {
        if (*s != '\n') {
            line[n++] = *s;
            continue;
        }
        while (s[1] == ' ') s++;
        if (s[1] && n && line[n - 1] == ',') line[n++] = ' ';
    }
    line[n++] = '\n';
    return n;
}

/* One call that never waits: not for a reader of a pipe, nor for room in it. */
static hd_status report_write(struct hd_ctx *ctx, const char *path, int flags, const char *text, size_t n)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags, 0644);
    if (fd < 0) return hd_fail(ctx, HD_LIMIT, "%.300s: %s", path, strerror(errno));
    errno = ENOSPC; /* what a part alone means */
    const bool whole = write(fd, text, n) == (ssize_t)n;
    const int error = errno;
    return close(fd) == 0 && whole ? HD_OK : hd_fail(ctx, HD_LIMIT, "%.300s: %s", path, strerror(error));
}

static hd_status report_append(struct hd_ctx *ctx, const char *path, const char *line, size_t n)
{
    char old[4096];
    struct stat st;
    /* A link stays where it is: /dev/stdout is one, to a log of somebody else. */
    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size + (off_t)n > most_log &&
        snprintf(old, sizeof old, "%s.1", path) < (int)sizeof old && rename(path, old) != 0)
        return hd_fail(ctx, HD_LIMIT, "%.300s: %s", path, strerror(errno));
    return report_write(ctx, path, O_APPEND | O_CREAT, line, n);
}

static hd_status report_log(struct hd_ctx *ctx, const struct hd_live *live, const struct hd_live_outcome *o,
                            const char *path)
{
    struct hd_out *text;
    size_t n;
    HD_TRY(hd_out_memory(ctx, &text));
    report_json(live, o, text);
    const char *json = hd_out_text(text, &n);
    char *line = malloc(n + 2);
    hd_status s = line ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK) s = report_append(ctx, path, line, report_one_line(json, line));
    free(line);
    hd_out_drop(text);
    return s;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static void report_metric(struct hd_out *to, const char *name, const char *kind, const char *help, double value)
{
    hd_printf(to, "# HELP heddle_%s %s\n# TYPE heddle_%s %s\nheddle_%s %.10g\n", name, help, name, kind, name, value);
}

static void report_rows(const struct hd_live *live, const struct hd_live_outcome *o, struct hd_out *to)
{
    const struct {
        const char *name, *kind, *help;
        double value;
    } row[] = {
        {"sweeps_total", "counter", "Requests for tables since OpenSM started.", (double)live->sweeps},
        {"fallbacks_total", "counter", "Requests that ended without tables.", (double)live->fallbacks},
        {"tables", "gauge", "1 if the last request ended with proved tables.", o->tables},
        {"patched", "gauge", "1 if these are the tables in use, patched.", o->patched},
        {"switches", "gauge", "Switches in the fabric.", o->switches},
        {"endpoints", "gauge", "Endpoints in the fabric.", o->endpoints},
        {"cables_lost", "gauge", "Cables between switches lost since the request before.", o->change.cables_lost},
        {"switches_lost", "gauge", "Switches lost since the request before.", o->change.switches_lost},
        {"virtual_lanes", "gauge", "VLs in use.", o->vls},
        {"entries_missing", "gauge", "Entries for endpoints that switches without endpoints lack.", (double)o->missing},
        {"search_cut", "gauge", "1 if the search for such entries was cut short.", o->cut},
        {"switch_credit_loops", "gauge", "1 if paths from or to switches may close a credit loop.", o->switch_loops},
        {"entries_changed", "gauge", "Table entries that the last request changed.", (double)o->entries_changed},
        {"blocks_changed", "gauge", "Blocks of 64 entries with a change.", (double)o->blocks_changed},
        {"request_seconds", "gauge", "Time that the last request took.", o->seconds},
        {"last_request_timestamp_seconds", "gauge", "When the last request came.", (double)time(NULL)},
        {"effective_bisection_bandwidth", "gauge", "EBB of the tables, sampled; -1 if not known.", o->ebb}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        report_metric(to, row[i].name, row[i].kind, row[i].help, row[i].value);
}

/* A pipe or a device cannot be replaced: it is written to. */
static hd_status report_metrics(struct hd_ctx *ctx, const struct hd_live *live, const struct hd_live_outcome *o,
                                const char *path)
{
    struct hd_out *to;
    struct stat st;
    size_t n;
    const bool special = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    HD_TRY(special ? hd_out_memory(ctx, &to) : hd_out_open(ctx, path, &to));
    report_rows(live, o, to);
    if (!special) return hd_out_close(ctx, to);
    const char *text = hd_out_text(to, &n);
    const hd_status s = report_write(ctx, path, 0, text, n), whole = hd_out_close(ctx, to);
    return whole != HD_OK ? whole : s;
}

hd_status hd_live_publish(const struct hd_live *live, const struct hd_live_options *options,
                          const struct hd_live_outcome *o)
{
    struct hd_ctx *ctx = live->ctx;
    char why[2][500] = {"", ""};
    const hd_status s = options->log ? report_log(ctx, live, o, options->log) : HD_OK;
    if (s != HD_OK) snprintf(why[0], sizeof why[0], "%.499s", hd_ctx_error(ctx));
    const hd_status t = options->metrics ? report_metrics(ctx, live, o, options->metrics) : HD_OK;
    if (s == HD_OK || t == HD_OK) return s != HD_OK ? hd_fail(ctx, s, "%s", why[0]) : t;
    snprintf(why[1], sizeof why[1], "%.499s", hd_ctx_error(ctx));
    return hd_fail(ctx, s, "%s; %s", why[0], why[1]);
}
