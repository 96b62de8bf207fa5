/* SPDX-License-Identifier: BSD-2-Clause */
/* Port counters of one moment, by the channel that leaves the port. */
#ifndef HD_EXPLAIN_COUNTERS_H
#define HD_EXPLAIN_COUNTERS_H

#include "base/arena.h"
#include "base/input.h"
#include "heddle/net.h"

enum hd_counter {
    HD_COUNT_WAIT,     /* ticks in which the port had something to send and could not */
    HD_COUNT_SENT,     /* in words of four bytes */
    HD_COUNT_RECEIVED, /* likewise */
    HD_COUNT_SYMBOL,
    HD_COUNT_RECOVERED,
    HD_COUNT_DOWNED,
    HD_COUNT_RCV_ERRORS,
    HD_COUNT_DISCARDS,
    HD_COUNT_INTEGRITY,
    HD_COUNT_OVERRUN,
    HD_COUNTERS
};

/* What people call it: "symbol errors", ... */
const char *hd_counter_name(enum hd_counter counter, uint64_t n);

struct hd_port_counters {
    uint64_t value[HD_COUNTERS];
    uint16_t has;  /* bit i: counter i is known */
    uint16_t wide; /* bit i: it has 64 bits and begins again at 0; others stop at their largest value */
    uint16_t most; /* bit i: counter i is not known, but at most its value: ibqueryerrors did not list it */
};

#define HD_NO_TIME INT64_MIN

struct hd_counters {
    const char *name;            /* of the file or folder */
    int64_t when;                /* seconds since 1970; HD_NO_TIME: the file does not say */
    int64_t changed;             /* the file that was read, in nanoseconds since 1970; HD_NO_TIME: not known */
    bool listed;                 /* only ports with something to report are in it */
    uint32_t ports;              /* with a cable of the network, in the file */
    uint32_t others;             /* without */
    struct hd_port_counters *at; /* [nchan] */
};

/* A folder or archive of ibdiagnet (PM_INFO of its db_csv file, or its pm file), one of these files, output of
 * perfquery, with or without -x, of several ports one after the other, or of ibqueryerrors. Lives in arena. */
hd_status hd_counters_read(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path,
                           struct hd_counters *counters);
/* The same of an open input. */
hd_status hd_counters_take(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_in *in,
                           struct hd_counters *counters);

/* How much a counter grew from one sample to the next. A counter that fell was reset: then it is at least what it shows
 * now. One that has stopped at its largest value is at least that. Of 64 bits, one in the upper half that is next in
 * the lower half began again. With 64 bits in one sample and fewer in the other, it is not known what a short one that
 * has stopped would show, nor whether one that is lower than the long one before was reset at the same time. From a
 * counter of which only the most is known, the next grew by at least what exceeds that. */
enum hd_change { HD_GREW, HD_GREW_AT_LEAST, HD_GREW_UNKNOWN };
enum hd_change hd_counter_growth(const struct hd_port_counters *before, const struct hd_port_counters *after,
                                 enum hd_counter counter, uint64_t *by);

#endif
