/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle watch: what changed from capture to capture, or from sweep to sweep of OpenSM with the plug-in. Files come in
 * the order of their names, so captures named by date are in order of time; only two networks are in memory at once.
 * Where there is a log that is not empty, all other files are left out; else every file but tables must be a
 * capture. */
#include "cli.h"
#include "tool/watch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct watch {
    struct cli *cli;
    struct hd_json json;
    struct hd_net *before;
    const char *name; /* of the file */
    uint32_t shown;
};

static void json_change(struct hd_json *j, const struct hd_fabric_change *c)
{
    hd_json_fields(j, hd_uint("switches_lost", c->switches_lost), hd_uint("switches_new", c->switches_new),
                   hd_uint("endpoints_lost", c->endpoints_lost), hd_uint("endpoints_new", c->endpoints_new),
                   hd_uint("endpoints_moved", c->endpoints_moved), hd_uint("cables_lost", c->cables_lost),
                   hd_uint("cables_new", c->cables_new), hd_uint("rates_changed", c->rates_changed),
                   hd_uint("lids_changed", c->lids_changed), hd_text_if("first", c->first),
                   hd_text_if("names", c->names));
}

static void show_sweep(void *user, const struct hd_sweep *s)
{
    struct watch *w = user;
    struct hd_out *o = w->cli->out;
    char change[HD_CHANGE_TEXT], when[32] = "";
    const time_t seconds = (time_t)s->time;
    struct tm utc;
    if (gmtime_r(&seconds, &utc)) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%SZ", &utc);
    hd_fabric_change_text(&s->change, change);
    w->shown++;
    if (w->cli->v.json) {
        hd_json_open(&w->json, NULL, '{');
        hd_json_fields(&w->json, hd_text("file", w->name), hd_text("kind", "sweep"), hd_uint("time", s->time),
                       hd_bool("tables", s->tables), hd_text_if("engine", s->engine), hd_bool("patched", s->patched),
                       hd_bool("kept", s->kept), hd_text_if("failed", s->failed), hd_uint("lanes", s->vls),
                       hd_uint("pairs", s->pairs), hd_uint("entries_changed", s->entries_changed),
                       hd_uint("blocks_changed", s->blocks_changed), hd_uint("switches_changed", s->switches_changed));
        hd_json_fields(&w->json, hd_real("ebb", s->ebb < 0 ? NAN : s->ebb), hd_real("seconds", s->seconds));
        json_change(&w->json, &s->change);
        hd_json_close(&w->json, '}');
        return;
    }
    hd_printf(o, "%s  ", when);
    if (s->tables)
        hd_printf(o, "%s%s, %llu entries in %llu blocks", s->engine, s->kept ? ", kept" : "",
                  (unsigned long long)s->entries_changed, (unsigned long long)s->blocks_changed);
    else
        hd_printf(o, "NO TABLES: %s", s->failed);
    if (s->ebb >= 0) hd_printf(o, ", EBB %.3f", s->ebb);
    hd_printf(o, ", %.1f ms", 1e3 * s->seconds);
    if (s->tables || hd_fabric_changed(&s->change)) hd_printf(o, ": %s", change); /* else nobody may have looked */
    hd_puts(o, "\n");
}

static void show_capture(struct watch *w, const struct hd_net *net, const struct hd_fabric_change *c)
{
    char change[HD_CHANGE_TEXT];
    hd_fabric_change_text(c, change);
    w->shown++;
    if (w->cli->v.json) {
        hd_json_open(&w->json, NULL, '{');
        hd_json_fields(&w->json, hd_text("file", w->name), hd_text("kind", "capture"), hd_uint("switches", net->nsw),
                       hd_uint("endpoints", net->nep));
        json_change(&w->json, c);
        hd_json_close(&w->json, '}');
        return;
    }
    hd_put_visible(w->cli->out, w->name, SIZE_MAX);
    hd_puts(w->cli->out, "  ");
    if (w->before)
        hd_put_visible(w->cli->out, change, SIZE_MAX), hd_puts(w->cli->out, "\n");
    else
        hd_printf(w->cli->out, "%u endpoints, %u switches\n", net->nep, net->nsw);
}

static hd_status watch_capture(struct watch *w, const char *path)
{
    struct hd_ctx *ctx = w->cli->ctx;
    struct hd_net *net;
    struct hd_fabric_change change;
    bool table = false;
    hd_status s = hd_file_is_table(ctx, path, &table);
    if (s != HD_OK || table) return s;
    s = hd_net_open(ctx, path, &w->cli->v.open, &net);
    if (s != HD_OK) return s;
    s = hd_fabric_compare(ctx, w->before, net, &change);
    if (s == HD_OK) show_capture(w, net, &change);
    hd_net_free(w->before);
    w->before = net;
    return s;
}

/* The older part of a log, which the plug-in calls NAME.jsonl.1. Captures that end in .1 are younger than those that do
 * not. */
static bool is_old_log(const char *name)
{
    const size_t n = strlen(name);
    return n > 8 && strcmp(name + n - 8, ".jsonl.1") == 0;
}

static bool is_log(const char *name)
{
    const size_t n = strlen(name);
    return (n > 6 && strcmp(name + n - 6, ".jsonl") == 0) || is_old_log(name);
}

/* Of a folder: one that has nothing in it yet is none, or it would take the place of captures. */
static bool has_log(const char *folder, const char *name)
{
    struct stat st;
    char path[PATH_MAX];
    return is_log(name) && snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           stat(path, &st) == 0 && st.st_size > 0;
}

/* By name, the older part of a log directly before the newer one, whatever names are between theirs. */
static int compare_names(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    const bool old_x = is_old_log(x), old_y = is_old_log(y);
    const size_t n = strlen(x) - (old_x ? 2 : 0), m = strlen(y) - (old_y ? 2 : 0);
    const int c = memcmp(x, y, n < m ? n : m);
    if (c) return c;
    return n == m ? (int)old_y - (int)old_x : n < m ? -1 : 1;
}

static hd_status watch_file(struct watch *w, const char *folder, const char *name, bool logs)
{
    struct stat st;
    if (logs != is_log(name)) return HD_OK;
    const size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);
    if (!path) return hd_fail_memory(w->cli->ctx);
    snprintf(path, n, "%s/%s", folder, name);
    hd_status s = HD_OK;
    w->name = name;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        s = logs ? hd_sweeps_read(w->cli->ctx, path, show_sweep, w) : watch_capture(w, path);
    free(path);
    return s;
}

/* The names in a folder, without hidden ones, sorted. */
static hd_status list_folder(struct hd_ctx *ctx, const char *path, char ***names, size_t *count)
{
    DIR *folder = opendir(path);
    size_t n = 0, room = 0;
    char **list = NULL;
    const bool out_of = errno == ENOMEM || errno == EMFILE || errno == ENFILE;
    hd_status s =
        folder ? HD_OK : hd_fail(ctx, out_of ? HD_LIMIT : HD_INPUT, "%.300s: cannot open: %s", path, strerror(errno));
    for (const struct dirent *e; s == HD_OK && (e = readdir(folder));) {
        if (e->d_name[0] == '.') continue;
        if (n == room) {
            room = room ? 2 * room : 64;
            char **more = realloc(list, room * sizeof *list);
            if (!more) {
                s = hd_fail_memory(ctx);
                break;
            }
            list = more;
        }
        list[n] = strdup(e->d_name);
        if (!list[n++]) s = hd_fail_memory(ctx);
    }
    if (folder) closedir(folder);
    if (s == HD_OK && n) qsort(list, n, sizeof *list, compare_names);
    *names = list;
    *count = n;
    return s;
}

hd_status run_watch(struct cli *cli)
{
    struct watch w = {.cli = cli};
    char **name;
    size_t n;
    hd_status s = list_folder(cli->ctx, cli->arg[0], &name, &n);
    if (s == HD_OK && cli->v.json) {
        hd_json_begin(&w.json, cli->out);
        hd_json_open(&w.json, "rows", '[');
    }
    bool logs = false, empty = false;
    for (size_t i = 0; i < n && s == HD_OK; i++) {
        logs |= has_log(cli->arg[0], name[i]);
        empty |= is_log(name[i]);
    }
    for (size_t i = 0; i < n && s == HD_OK; i++) s = watch_file(&w, cli->arg[0], name[i], logs);
    if (s == HD_OK && !w.shown && empty)
        hd_note(cli->ctx, "%.300s: no sweep is in the log yet", cli->arg[0]);
    else if (s == HD_OK && !w.shown)
        s = hd_fail(cli->ctx, HD_INPUT, "%.300s: expected captures of a fabric or a log of the plug-in (*.jsonl) in it",
                    cli->arg[0]);
    if (s == HD_OK && cli->v.json) {
        hd_json_close(&w.json, ']');
        hd_json_close(&w.json, '}');
    }
    for (size_t i = 0; i < n; i++) free(name[i]);
    free(name);
    hd_net_free(w.before);
    return s;
}
