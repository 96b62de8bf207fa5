/* SPDX-License-Identifier: BSD-2-Clause */
/* The parameters of the hardware and of how senders go on. A preset is nothing but their defaults. */
#ifndef HD_SIM_SIM_MODEL_H
#define HD_SIM_SIM_MODEL_H

#include "base/spec.h"
#include "heddle/net.h"

/* When a sender goes on to its next message. */
enum hd_progress {
    HD_ON_SENT,     /* the last one has left the adapter */
    HD_ON_RECEIVED, /* it has arrived */
    HD_ON_EXCHANGE, /* it and the partner's have both arrived */
    HD_ON_STAGE,    /* everything of the stage has arrived, everywhere */
    HD_ON_TRACE,    /* the message it waits for has arrived; traces only */
};

enum hd_control { HD_CREDIT, HD_STOPGO, HD_BYTEWISE };

/* How the input buffers of a switch are queued: one queue, one per output, or all outputs reading at once. */
enum hd_queueing { HD_FIFO, HD_VOQ, HD_OUTPUT };

enum hd_arbiter { HD_ISLIP, HD_BY_AGE };

struct hd_model_opt {
    uint64_t packet;      /* bytes */
    double link, host;    /* MB/s = bytes a microsecond; link 0: each cable's own; host 0: that of its cable */
    double rate;          /* of cables whose own is wanted and not known; 0: none */
    uint64_t wire, hop;   /* ns: propagation, switch delay */
    uint64_t buffer;      /* bytes per input and lane */
    int control;          /* enum hd_control */
    uint64_t go, credit;  /* bytes; ns */
    uint64_t lanes;       /* 0: as many as the table has */
    uint64_t jitter, gap; /* ns */
    int progress;         /* enum hd_progress */
    uint64_t window, size, messages;
    uint64_t lifetime, duration, warmup; /* ns, 0: none */
    int queue, arbiter;                  /* enum hd_queueing, enum hd_arbiter */
    uint64_t speedup,
        rounds;  /* of queue=voq: outputs of the fastest rate that an input feeds at once, rounds of matching */
    double load; /* offered by a sender as a share of its link, at random; 0: all it can */
    /* rate control of senders, see rate_control.c; kmin 0: none */
    uint64_t kmin, kmax, cnp, alpha, timer, bytes;
    double pmax, gain, step, leap;
    uint64_t shared; /* bytes per switch beyond the buffers of its inputs */
};

struct hd_model {
    struct hd_desc desc;
    const char *selector; /* what its networks do unless a request names one; NULL: static */
};

extern const struct hd_model hd_model_myrinet, hd_model_infiniband, hd_model_qdr, hd_model_edr, hd_model_hdr,
    hd_model_ndr, hd_model_xdr, hd_model_roce, hd_model_uec;

/* What the ranges of single parameters cannot say. */
hd_status hd_model_check(struct hd_ctx *ctx, const struct hd_model_opt *m);
/* All parameters with their values, "key=value,...". */
void hd_model_print(const struct hd_desc *desc, const struct hd_model_opt *m, char *text, size_t size);

/* MB/s of a link with this code (hd_link_mbps); 0: not known. */
double hd_model_rate(const struct hd_model_opt *m, uint8_t link);
/* The model of the switches that belong to the fastest lanes of a network, if the given one is of others; NULL: it
 * fits, or says nothing of a generation. */
const char *hd_model_fitting(const struct hd_model *model, const struct hd_model_opt *m, const struct hd_net *net);
/* Whole nanoseconds that bytes take at a rate, at least 1. */
uint64_t hd_model_time(uint64_t bytes, double rate);

#endif
