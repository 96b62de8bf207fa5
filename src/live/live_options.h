/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of the plug-in, one line of text: engines in order of preference, and settings as KEY=VALUE. Blanks and
 * semicolons separate them; commas do too, but behind a colon KEY=VALUE belongs to the engine:
 *     settle:passes=4,tries=1,dmodc,updown maxlanes=4 budget=20 log=/var/log/heddle.jsonl */
#ifndef HD_LIVE_LIVE_OPTIONS_H
#define HD_LIVE_LIVE_OPTIONS_H

#include "live/fabric_message.h"

enum { HD_LIVE_BUDGET = 10, HD_LIVE_MOST_BUDGET = 3600, HD_LIVE_LEVELS = 15 };

struct hd_live_options {
    char *copy;                               /* owns all strings below */
    const char *engine[HD_LIVE_MOST_ENGINES]; /* specs */
    uint32_t engines;
    uint32_t maxlanes;             /* 0: what the fabric has */
    uint8_t level[HD_LIVE_LEVELS]; /* service levels that routing may use, ascending: VL i of tables is level[i] */
    uint32_t levels;
    uint32_t threads;    /* 0: all processors */
    double budget;       /* seconds for one request, HD_LIVE_BUDGET by default */
    const char *log;     /* file of JSON lines; NULL: none */
    const char *metrics; /* file for Prometheus; NULL: none */
    bool keep;           /* tables in use change as little as their bandwidth allows */
    bool steps;          /* intermediate tables where blocks written in any order would not be safe */
    double pause;        /* seconds between two of them */
    const char *worker;  /* program; NULL: the one installed beside the plug-in */
    char wrong[200];     /* what is wrong with the text; "": nothing. Everything else is then usable all the same */
};

/* False: no memory. text may be NULL or "": the default engines. */
bool hd_live_options(const char *text, struct hd_live_options *o);
void hd_live_options_free(struct hd_live_options *o);

#endif
