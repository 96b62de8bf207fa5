/* SPDX-License-Identifier: BSD-2-Clause */
/* Any lines as what other programs say: OpenSM's log, and ibdmchk's verdicts. Whatever they are, verdicts stay in
 * range, complaints are ended texts, and counts of layers fit their places. */
#include "ib/ibdmchk.h"
#include "ib/opensm_run.h"

#include "run_corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "fuzz_said: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct hd_osm_opt opt = {.engine = "dfsssp"};
    struct hd_osm osm = {.opt = &opt};
    struct hd_osm_verdict said = {.up = false};
    struct hd_second second = {.connected = -1, .deadlock_free = -1};
    char line[4096];
    for (size_t at = 0; at < size;) {
        size_t n = 0;
        while (at < size && data[at] && data[at] != '\n' && n < sizeof line - 1) line[n++] = (char)data[at++];
        line[n] = 0;
        at++;
        hd_osm_log_line(&osm, line, &said);
        hd_ibdmchk_line(line, &second);
        must(osm.nlayers <= HD_OSM_LAYERS && osm.vls <= HD_OSM_LAYERS, "more layers than places");
        must(memchr(said.reason, 0, sizeof said.reason) && memchr(second.said, 0, sizeof second.said), "no end");
        must(second.connected >= -1 && second.connected <= 1 && second.deadlock_free >= -1 && second.deadlock_free <= 1,
             "verdict");
    }
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_said")
