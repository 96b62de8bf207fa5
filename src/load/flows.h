/* SPDX-License-Identifier: BSD-2-Clause */
/* The flows of one sample or one stage of a pattern: who sends to whom at the same time. Patterns make them, loads and
 * the packet simulator read them. */
#ifndef HD_LOAD_FLOWS_H
#define HD_LOAD_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_MAX_FLOWS = 8192 * 8191 }; /* of one sample or stage: all pairs of 8,192 ranks */

/* The flows of one sample or stage. A pattern points src and dst at what it has or at the buffers. */
struct hd_flows {
    uint32_t n;
    const uint32_t *src, *dst; /* endpoints, different */
    const uint32_t *weight;    /* NULL: all 1 */
    bool simple;               /* nobody sends twice, nobody receives twice, all weights 1 */
    uint32_t *buf[3];          /* [max_flows rounded up to even] each, the thread's own */
};

/* No flows yet, all of weight 1, in the first two buffers. */
static inline void hd_flows_begin(struct hd_flows *f, bool simple)
{
    f->n = 0;
    f->src = f->buf[0];
    f->dst = f->buf[1];
    f->weight = NULL;
    f->simple = simple;
}

#endif
