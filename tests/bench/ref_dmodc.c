/* SPDX-License-Identifier: BSD-2-Clause */
/* Dmodc on a tree, as the paper tells it: levels by searching up from the endpoints, a divider a switch from the
 * parents below it, and for each leaf the distances by a breadth-first search; then every switch takes, of its n
 * ports one step nearer, number (destination / divider) mod n.
 *     ref_dmodc PLAIN */
#include "bench.h"

static struct plain net;
static uint32_t *level, *divider, *queue, *dist;

/* From the given switch, or from all leaves at once (NONE), over switches only. */
enum { NONE = -1 };
static uint32_t search(uint32_t *far, int64_t from)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < net.nsw; v++) far[v] = UINT32_MAX;
    for (uint32_t e = 0; e < net.nep; e++) {
        uint32_t leaf = leaf_of(&net, e);
        if (far[leaf] == UINT32_MAX && (from == NONE || leaf == from)) far[queue[n++] = leaf] = 0;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t v = queue[i], c = net.off[v]; c < net.off[v + 1]; c++) {
            uint32_t u = net.head[c];
            if (u < net.nsw && far[u] == UINT32_MAX) far[queue[n++] = u] = far[v] + 1;
        }
    return n;
}

static void find_dividers(void)
{
    uint32_t n = search(level, NONE);
    for (uint32_t i = 0; i < n; i++) { /* level by level */
        uint32_t v = queue[i], parents = 0;
        if (!divider[v]) divider[v] = 1;
        for (uint32_t c = net.off[v]; c < net.off[v + 1]; c++) {
            uint32_t u = net.head[c], seen = 0;
            for (uint32_t b = net.off[v]; b < c; b++) seen |= net.head[b] == u;
            parents += u < net.nsw && level[u] > level[v] && !seen;
        }
        for (uint32_t c = net.off[v]; c < net.off[v + 1]; c++) {
            uint32_t u = net.head[c];
            if (u < net.nsw && level[u] > level[v] && divider[u] < divider[v] * parents)
                divider[u] = divider[v] * parents;
        }
    }
}

static void route(uint8_t *table)
{
    uint8_t near[256];
    for (uint32_t leaf = 0; leaf < net.nsw; leaf++) {
        if (level[leaf] != 0) continue;
        search(dist, leaf);
        for (uint32_t v = 0; v < net.nsw; v++) {
            uint32_t n = 0;
            for (uint32_t c = net.off[v]; c < net.off[v + 1]; c++)
                if (net.head[c] < net.nsw && dist[net.head[c]] + 1 == dist[v]) near[n++] = (uint8_t)(c - net.off[v]);
            for (uint32_t c = net.off[leaf]; c < net.off[leaf + 1]; c++) {
                if (net.head[c] < net.nsw) continue;
                uint32_t d = net.head[c] - net.nsw;
                table[(size_t)d * net.nsw + v] = v == leaf ? (uint8_t)(c - net.off[v]) : near[d / divider[v] % n];
            }
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: ref_dmodc PLAIN\n"), 2;
    net = read_plain(argv[1]);
    level = new_array(net.nsw, sizeof *level), divider = new_array(net.nsw, sizeof *divider);
    queue = new_array(net.nsw, sizeof *queue), dist = new_array(net.nsw, sizeof *dist);
    uint64_t sum = 0;
    struct watch t = watch_start();
    uint8_t *table = new_array((size_t)net.nsw * net.nep, 1);
    find_dividers();
    route(table);
    for (uint32_t d = 0; d < net.nep; d++) sum += table[(size_t)d * net.nsw + d % net.nsw];
    t = watch_stop(t);
    char answer[64];
    snprintf(answer, sizeof answer, "1 lanes, sum %" PRIu64, sum);
    figures(t, (double)net.nsw * net.nep, "entries", answer);
    free(level), free(divider), free(queue), free(dist), free(table), free_plain(&net);
    return 0;
}
