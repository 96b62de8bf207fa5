/* SPDX-License-Identifier: BSD-2-Clause */
/* Edge-forwarding index, the simplest program: every pair is walked through the table, and the largest
 * number of pairs on a channel between switches is the answer.
 *     ref_efi PLAIN */
#include "bench.h"

int main(int argc, char **argv)
{
    if (argc < 2) return fprintf(stderr, "usage: ref_efi PLAIN\n"), 2;
    struct plain p = read_plain(argv[1]);
    uint64_t *load = new_array(p.nchan, sizeof *load), most = 0;
    struct watch w = watch_start();
    for (uint32_t d = 0; d < p.nep; d++)
        for (uint32_t s = 0; s < p.nep; s++) {
            if (s == d) continue;
            for (uint32_t v = leaf_of(&p, s); v != p.nsw + d;) {
                uint32_t c = p.off[v] + p.table[(size_t)d * p.nsw + v];
                load[c]++;
                v = p.head[c];
            }
        }
    for (uint32_t c = 0; c < p.nchan; c++)
        if (p.head[c] < p.nsw && load[c] > most) most = load[c];
    w = watch_stop(w);
    char answer[32];
    snprintf(answer, sizeof answer, "%" PRIu64, most);
    figures(w, (double)p.nep * (p.nep - 1), "pairs", answer);
    free(load), free_plain(&p);
    return 0;
}
