/* SPDX-License-Identifier: BSD-2-Clause */
/* Effective bisection bandwidth of D-mod-K on PGFT(h; m; w; p) without a table: with q_l = (d / W_l) mod
 * (w_{l+1} p_{l+1}) the channel up from level l is (subtree of s at l, key of d at l), the one down to it
 * (subtree of d at l, key of d at l). Numbers per endpoint, byte counters.
 *     ref_ebb_tree M W P SAMPLES SEED [PAIRS]      lists as 18x18x36 */
#include "bench.h"

struct endpoint {
    uint32_t sub[LEVELS], up[LEVELS], down[LEVELS]; /* subtree; what d adds to an up channel; its down channels */
};
static uint32_t h, m[LEVELS], w[LEVELS], p[LEVELS], nep = 1, nchan;

static struct endpoint *number(void)
{
    for (uint32_t l = 0; l < h; l++) nep *= m[l];
    struct endpoint *e = new_array(nep, sizeof *e);
    uint32_t msub = m[0], wsub = w[0], stride = w[0], up, *below = new_array(nep, sizeof *below);
    for (uint32_t l = 1; l < h; l++) {
        stride = wsub * w[l] * p[l], up = nchan, nchan += 2 * (nep / msub) * stride;
        for (uint32_t d = 0; d < nep; d++) {
            uint32_t q = d / wsub % (w[l] * p[l]);
            e[d].sub[l] = d / msub;
            e[d].up[l] = up + below[d] * w[l] * p[l] + q;
            e[d].down[l] = e[d].up[l] + (nep / msub + d / msub) * stride;
            below[d] += wsub * (q % w[l]);
        }
        for (uint32_t d = 0; d < nep; d++) e[d].sub[l] *= stride;
        msub *= m[l], wsub *= w[l];
    }
    free(below);
    return e;
}

static double sample(const struct endpoint *e, const uint32_t *order, uint8_t *load)
{
    double sum = 0;
    memset(load, 0, nchan);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i + 1 < nep; i += 2) {
            const struct endpoint *s = &e[order[i]], *d = &e[order[i + 1]];
            uint8_t most = 1;
            for (uint32_t l = 1; l < h && s->sub[l] != d->sub[l]; l++) {
                uint8_t *up = &load[s->sub[l] + d->up[l]], *down = &load[d->down[l]];
                if (pass == 0) ++*up, ++*down;
                most = *up > most ? *up : most;
                most = *down > most ? *down : most;
            }
            if (pass == 1) sum += 1.0 / most;
        }
    return sum / (nep / 2);
}

int main(int argc, char **argv)
{
    if (argc < 6 || (h = read_list(argv[1], m)) != read_list(argv[2], w) || read_list(argv[3], p) != h)
        return fprintf(stderr, "usage: ref_ebb_tree M W P SAMPLES SEED [PAIRS]\n"), 2;
    struct endpoint *e = number();
    uint32_t samples = (uint32_t)atol(argv[4]), *order = new_array(nep, sizeof *order);
    uint64_t state = 0x9e3779b97f4a7c15u * (1 + (uint64_t)atol(argv[5]));
    uint8_t *load = new_array(nchan, 1);
    for (uint32_t d = 0; d < nep; d++) order[d] = d;
    double sum = 0;
    struct watch t = watch_start();
    for (uint32_t i = 0; i < samples; i++) {
        draw_order(&state, order, nep);
        sum += sample(e, order, load);
    }
    t = watch_stop(t);
    char answer[32];
    snprintf(answer, sizeof answer, "%.12f", sum / samples);
    figures(t, (double)samples * (nep / 2), "flows", answer);
    if (argc > 6) write_pairs(argv[6], order, nep);
    free(e), free(order), free(load);
    return 0;
}
