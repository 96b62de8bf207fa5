/* SPDX-License-Identifier: BSD-2-Clause */
/* The fold of the values of samples: plain bytes, the same in a thread, an MPI message and a checkpoint. */
#ifndef HD_FLOW_EVAL_FOLD_H
#define HD_FLOW_EVAL_FOLD_H

#include "heddle/metric.h"

struct hd_fold {
    uint64_t n, unserved, min, max;
    uint64_t sum[2], square[2];              /* 128 bits each, low word first; square is of value / 2^12 */
    uint64_t bin[HD_BINS], bin_sum[HD_BINS]; /* values in a bin: how many, and their sum / 2^16 */
};

void hd_fold_init(struct hd_fold *f);
void hd_fold_add(struct hd_fold *f, const struct hd_metric *m, uint64_t value, uint64_t unserved);
void hd_fold_merge(struct hd_fold *a, const struct hd_fold *b);
/* Mean, confidence width, extremes and percentiles; ci is 0 when the samples are all there are. */
void hd_fold_report(const struct hd_fold *f, const struct hd_metric *m, bool sampled, struct hd_result *result);

#endif
