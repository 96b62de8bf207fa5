/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the JSON lines that live_report.c writes. The writer is ours, so a field is found by its key: quotes within
 * texts are escaped, and no text can look like one. A last line without its end is still being written, and left out.
 * If a line was cut for good, because the disk was full, the next one follows on the same line and is read. Cost:
 * linear. */
#include "base/c_locale.h"
#include "base/input.h"
#include "base/status.h"
#include "tool/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a key; NULL: it is not there. */
static const char *sweep_value(const char *line, const char *key)
{
    char quoted[64];
    const int n = snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(line, quoted);
    return at ? at + n : NULL;
}

static bool sweep_uint(const char *line, const char *key, uint64_t *value)
{
    const char *at = sweep_value(line, key);
    char *end;
    if (!at || *at < '0' || *at > '9') return false;
    *value = strtoull(at, &end, 10);
    return *end == ',' || *end == '}';
}

static bool sweep_count(const char *line, const char *key, uint32_t *value)
{
    uint64_t wide;
    if (!sweep_uint(line, key, &wide) || wide > UINT32_MAX) return false;
    *value = (uint32_t)wide;
    return true;
}

/* null is negative. */
static bool sweep_real(const char *line, const char *key, double *value)
{
    const char *at = sweep_value(line, key);
    char *end;
    if (!at) return false;
    *value = -1;
    if (strncmp(at, "null", 4) == 0) return true;
    *value = hd_strtod(at, &end);
    return end != at;
}

static bool sweep_bool(const char *line, const char *key, bool *value)
{
    const char *at = sweep_value(line, key);
    *value = at && strncmp(at, "true", 4) == 0;
    return at && (*value || strncmp(at, "false", 5) == 0);
}

/* null is "". What does not fit is cut; \u escapes become ?. */
static bool sweep_text(const char *line, const char *key, char *to, size_t size)
{
    const char *s = sweep_value(line, key);
    size_t n = 0;
    *to = 0;
    if (!s) return false;
    if (strncmp(s, "null", 4) == 0) return true;
    if (*s++ != '"') return false;
    for (; *s && *s != '"'; s++) {
        char c = *s;
        const bool escaped = c == '\\' && s[1];
        if (escaped) c = *++s;
        if (escaped && c == 'u') {
            c = '?';
            for (int i = 0; i < 4 && s[1] && s[1] != '"'; i++) s++;
        }
        if (n + 1 < size) to[n++] = c;
    }
    to[n] = 0;
    return *s == '"';
}

/* Earlier logs do not have it. */
static bool sweep_moved(const char *line, struct hd_fabric_change *c)
{
    c->endpoints_moved = 0;
    return !sweep_value(line, "endpoints_moved") || sweep_count(line, "endpoints_moved", &c->endpoints_moved);
}

/* Logs of the first release name one thing. */
static bool sweep_names(const char *line, struct hd_fabric_change *c)
{
    if (sweep_value(line, "names")) return sweep_text(line, "names", c->names, sizeof c->names);
    snprintf(c->names, sizeof c->names, "%s", c->first);
    return true;
}

static bool sweep_parse(const char *line, struct hd_sweep *w)
{
    struct hd_fabric_change *c = &w->change;
    return sweep_uint(line, "time", &w->time) && sweep_uint(line, "sweep", &w->number) &&
           sweep_bool(line, "tables", &w->tables) && sweep_bool(line, "patched", &w->patched) &&
           sweep_bool(line, "kept", &w->kept) && sweep_text(line, "engine", w->engine, sizeof w->engine) &&
           sweep_text(line, "failed", w->failed, sizeof w->failed) && sweep_uint(line, "switches", &w->switches) &&
           sweep_uint(line, "endpoints", &w->endpoints) && sweep_count(line, "switches_lost", &c->switches_lost) &&
           sweep_count(line, "switches_new", &c->switches_new) &&
           sweep_count(line, "endpoints_lost", &c->endpoints_lost) &&
           sweep_count(line, "endpoints_new", &c->endpoints_new) && sweep_moved(line, c) &&
           sweep_count(line, "cables_lost", &c->cables_lost) && sweep_count(line, "cables_new", &c->cables_new) &&
           sweep_count(line, "rates_changed", &c->rates_changed) &&
           sweep_count(line, "lids_changed", &c->lids_changed) &&
           sweep_text(line, "first", c->first, sizeof c->first) && sweep_names(line, c) &&
           sweep_uint(line, "lanes", &w->vls) && sweep_uint(line, "pairs", &w->pairs) &&
           sweep_uint(line, "entries_changed", &w->entries_changed) &&
           sweep_uint(line, "blocks_changed", &w->blocks_changed) &&
           sweep_uint(line, "switches_changed", &w->switches_changed) && sweep_real(line, "ebb", &w->ebb) &&
           sweep_real(line, "seconds", &w->seconds);
}

/* The last beginning of a line of the log within a line; NULL: there is none but its own. */
static const char *sweep_restart(const char *line)
{
    static const char first[] = "{\"schema\": ";
    const char *last = NULL, *at = line;
    while ((at = strstr(at + 1, first))) last = at;
    return last;
}

hd_status hd_sweeps_read(struct hd_ctx *ctx, const char *path, void (*visit)(void *user, const struct hd_sweep *sweep),
                         void *user)
{
    struct hd_in *in;
    struct hd_sweep w;
    char *line;
    size_t n;
    HD_TRY(hd_in_open(ctx, path, &in));
    hd_status s;
    while ((s = hd_in_line(ctx, in, &line, &n)) == HD_OK && line) {
        const char *next = sweep_restart(line);
        if (!n || line[n - 1] != '}' || !sweep_parse(next ? next : line, &w)) {
            if (!hd_in_cut(in)) s = hd_in_fail(ctx, in, "expected a line of the plug-in's log");
            break;
        }
        visit(user, &w);
    }
    hd_in_close(in);
    return s;
}
