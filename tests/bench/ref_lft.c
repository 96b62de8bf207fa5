/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenSM's table dump as the simplest program reads it: line by line with sscanf into table[switch][lid].
 *     ref_lft FILE ENDPOINTS */
#include "bench.h"

enum { LIDS = 49152 };

int main(int argc, char **argv)
{
    FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!f) return fprintf(stderr, "usage: ref_lft FILE ENDPOINTS\n"), 2;
    uint8_t **table = NULL;
    uint32_t nsw = 0, lid, port;
    uint64_t guid, entries = 0;
    char line[1024], answer[64];
    struct watch t = watch_start();
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "Unicast lids %*s of switch %*s %*s guid 0x%" SCNx64, &guid) == 1) {
            table = need(realloc(table, (nsw + 1) * sizeof *table));
            table[nsw++] = new_array(LIDS, 1);
        } else if (nsw && sscanf(line, "0x%x %u :", &lid, &port) == 2 && lid < LIDS) {
            table[nsw - 1][lid] = (uint8_t)port;
            entries++;
        }
    }
    t = watch_stop(t);
    snprintf(answer, sizeof answer, "%" PRIu64 " entries of %u switches", entries, nsw);
    figures(t, (double)nsw * atof(argv[2]), "entries", answer);
    for (uint32_t v = 0; v < nsw; v++) free(table[v]);
    free(table), fclose(f);
    return 0;
}
