/* SPDX-License-Identifier: BSD-2-Clause */
/* Names as Kubernetes takes them, the one place where names of switches and hosts become such. */
#ifndef HD_NET_IO_KUBE_NAMES_H
#define HD_NET_IO_KUBE_NAMES_H

#include "base/arena.h"
#include "heddle/base.h"

enum hd_kube_rule {
    HD_KUBE_OBJECT, /* nodes and HyperNodes: small letters, digits, '-' and '.', each part begins and ends with one of
                       the former two (RFC 1123) */
    HD_KUBE_VALUE   /* of labels: at most 63 letters, digits and "-_.", of which the first and the last are plain */
};

/* Distinct names for n names of letters, digits and "-_." that are distinct. Names that are right already stay.
 * *changed: of how many more than the case of letters is different. */
hd_status hd_kube_names(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_kube_rule rule, const char *const *raw,
                        uint32_t n, const char **name, uint32_t *changed);

#endif
