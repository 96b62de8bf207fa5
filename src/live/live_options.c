/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the options of the plug-in (live_options.h). Plug-in and worker both read them, so this file needs nothing
 * but the C library and base/c_locale.h. Names of engines are looked up by the worker. Cost: one pass over the text. */
#include "live/live_options.h"
#include "base/c_locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* D-mod-K where the fabric is a tree: a loss changes few of its entries. Else settle, which finds the best balance; nue
 * and updown route whatever is left, within any number of VLs. */
static const char default_engines[] = "dmodc,settle,nue,updown";
/* Between steps: time to write the tables of one, and then for packets to leave, a few seconds at most. */
static const double default_pause = 10;

static bool live_flag(const char *value, bool *flag)
{
    *flag = strcmp(value, "on") == 0;
    return *flag || strcmp(value, "off") == 0;
}

static bool live_number(const char *value, double least, double most, double *number)
{
    char *end;
    const double read = hd_strtod(value, &end);
    if (end == value || *end || !(read >= least && read <= most)) return false;
    *number = read;
    return true;
}

static bool live_count(const char *value, uint32_t most, uint32_t *count)
{
    double number;
    if (!live_number(value, 1, most, &number) || number != (uint32_t)number) return false;
    *count = (uint32_t)number;
    return true;
}

static bool live_file(const char *value, const char **file)
{
    if (*value) *file = value;
    return *value != 0;
}

/* on, off, or seconds between steps. */
static bool live_steps(const char *value, struct hd_live_options *o)
{
    o->pause = default_pause;
    if (live_flag(value, &o->steps)) return true;
    o->steps = live_number(value, 0.1, HD_LIVE_MOST_BUDGET, &o->pause);
    return o->steps;
}

/* The levels of a list such as 0,2-5. */
static bool live_levels(const char *value, struct hd_live_options *o)
{
    bool listed[HD_LIVE_LEVELS] = {false};
    for (const char *s = value;; s++) {
        char *end;
        const unsigned long first = strtoul(s, &end, 10);
        if (end == s || first >= HD_LIVE_LEVELS) return false;
        unsigned long last = first;
        if (*end == '-') {
            s = end + 1;
            last = strtoul(s, &end, 10);
            if (end == s || last < first || last >= HD_LIVE_LEVELS) return false;
        }
        for (unsigned long level = first; level <= last; level++) listed[level] = true;
        s = end;
        if (!*s) break;
        if (*s != ',') return false;
    }
    o->levels = 0;
    for (uint32_t level = 0; level < HD_LIVE_LEVELS; level++)
        if (listed[level]) o->level[o->levels++] = (uint8_t)level;
    return true;
}

/* One KEY=VALUE; what is wrong with it, or NULL. */
static const char *live_setting(struct hd_live_options *o, const char *key, const char *value)
{
    if (!strcmp(key, "log")) return live_file(value, &o->log) ? NULL : "expected a file";
    if (!strcmp(key, "metrics")) return live_file(value, &o->metrics) ? NULL : "expected a file";
    if (!strcmp(key, "keep")) return live_flag(value, &o->keep) ? NULL : "expected on or off";
    if (!strcmp(key, "steps"))
        return live_steps(value, o) ? NULL : "expected on, off or the seconds between steps, 0.1 to 3600";
    if (!strcmp(key, "worker")) return live_file(value, &o->worker) ? NULL : "expected a program";
    if (!strcmp(key, "budget"))
        return live_number(value, 0.01, HD_LIVE_MOST_BUDGET, &o->budget) ? NULL : "expected seconds, 0.01 to 3600";
    if (!strcmp(key, "levels"))
        return live_levels(value, o) ? NULL : "expected service levels from 0 to 14, such as 0,2-5";
    if (!strcmp(key, "maxlanes"))
        return live_count(value, 15, &o->maxlanes) ? NULL : "expected a number of VLs, 1 to 15";
    if (!strcmp(key, "threads"))
        return live_count(value, 1024, &o->threads) ? NULL : "expected a number of threads, 1 to 1024";
    return "expected one of budget, keep, levels, log, maxlanes, metrics, steps, threads, worker";
}

static void live_complain(struct hd_live_options *o, const char *word, const char *why)
{
    if (!*o->wrong) snprintf(o->wrong, sizeof o->wrong, "'%.80s': %s", word, why);
}

/* A word between blanks: engines with their parameters, or one setting. Cuts it at its commas. */
static void live_word(struct hd_live_options *o, char *word)
{
    const char *assign = strchr(word, '='), *colon = strchr(word, ':'), *comma = strchr(word, ',');
    if (assign && (!colon || assign < colon) && (!comma || assign < comma)) {
        char *value = word + (assign - word);
        *value = 0;
        const char *why = live_setting(o, word, value + 1);
        if (why) live_complain(o, word, why);
        return;
    }
    for (char *part = word; part;) {
        char *end = part + strcspn(part, ",");
        if (memchr(part, ':', (size_t)(end - part))) /* its parameters come along */
            while (*end == ',' && strcspn(end + 1, "=") < strcspn(end + 1, ",:")) end += 1 + strcspn(end + 1, ",");
        char *next = *end ? end + 1 : NULL;
        *end = 0;
        if (memchr(part, '=', strlen(part)) && !strchr(part, ':'))
            live_word(o, part);
        else if (o->engines == HD_LIVE_MOST_ENGINES)
            live_complain(o, part, "more than 16 engines");
        else if (*part)
            o->engine[o->engines++] = part;
        part = next;
    }
}

bool hd_live_options(const char *text, struct hd_live_options *o)
{
    *o = (struct hd_live_options){.budget = HD_LIVE_BUDGET, .pause = default_pause};
    live_levels("0-14", o);
    const size_t n = text ? strlen(text) : 0;
    o->copy = malloc(n + 1 + sizeof default_engines);
    if (!o->copy) return false;
    char *defaults = o->copy + n + 1;
    if (n) memcpy(o->copy, text, n);
    o->copy[n] = 0;
    memcpy(defaults, default_engines, sizeof default_engines);
    char *rest = o->copy;
    for (char *word = strtok_r(o->copy, " \t;", &rest); word; word = strtok_r(NULL, " \t;", &rest)) live_word(o, word);
    if (!o->engines) live_word(o, defaults);
    return true;
}

void hd_live_options_free(struct hd_live_options *o)
{
    free(o->copy);
    o->copy = NULL;
}
