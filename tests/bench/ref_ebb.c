/* SPDX-License-Identifier: BSD-2-Clause */
/* Effective bisection bandwidth, the simplest program: a flat table of outgoing channels, random perfect
 * matchings, every flow walked twice (to count, then to find its largest load).
 *     ref_ebb PLAIN SAMPLES SEED [PAIRS]      PAIRS: file that gets the pairs of the last sample */
#include "bench.h"

static double sample(const struct plain *p, const uint32_t *next, const uint32_t *order, uint32_t *load)
{
    double sum = 0;
    memset(load, 0, p->nchan * sizeof *load);
    for (uint32_t i = 0; i + 1 < p->nep; i += 2) {
        uint32_t d = order[i + 1];
        for (uint32_t v = p->nsw + order[i]; v != p->nsw + d;) {
            uint32_t c = next[(size_t)v * p->nep + d];
            load[c]++;
            v = p->head[c];
        }
    }
    for (uint32_t i = 0; i + 1 < p->nep; i += 2) {
        uint32_t d = order[i + 1], most = 1;
        for (uint32_t v = p->head[p->off[p->nsw + order[i]]]; v != p->nsw + d;) {
            uint32_t c = next[(size_t)v * p->nep + d];
            if (load[c] > most) most = load[c];
            v = p->head[c];
        }
        sum += 1.0 / most;
    }
    return sum / (p->nep / 2);
}

int main(int argc, char **argv)
{
    if (argc < 4) return fprintf(stderr, "usage: ref_ebb PLAIN SAMPLES SEED [PAIRS]\n"), 2;
    struct plain p = read_plain(argv[1]);
    uint32_t samples = (uint32_t)atol(argv[2]);
    uint64_t state = 0x9e3779b97f4a7c15u * (1 + (uint64_t)atol(argv[3]));
    uint32_t *next = new_array((size_t)(p.nsw + p.nep) * p.nep, sizeof *next);
    uint32_t *order = new_array(p.nep, sizeof *order), *load = new_array(p.nchan, sizeof *load);
    for (uint32_t d = 0; d < p.nep; d++) {
        order[d] = d;
        for (uint32_t v = 0; v < p.nsw; v++) next[(size_t)v * p.nep + d] = p.off[v] + p.table[(size_t)d * p.nsw + v];
        for (uint32_t e = 0; e < p.nep; e++) next[(size_t)(p.nsw + e) * p.nep + d] = p.off[p.nsw + e];
    }
    double sum = 0;
    struct watch w = watch_start();
    for (uint32_t i = 0; i < samples; i++) {
        draw_order(&state, order, p.nep);
        sum += sample(&p, next, order, load);
    }
    w = watch_stop(w);
    char answer[32];
    snprintf(answer, sizeof answer, "%.12f", sum / samples);
    figures(w, (double)samples * (p.nep / 2), "flows", answer);
    if (argc > 4) write_pairs(argv[4], order, p.nep);
    free(next), free(order), free(load), free_plain(&p);
    return 0;
}
