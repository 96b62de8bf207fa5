/* SPDX-License-Identifier: BSD-2-Clause */
/* P-SSSP, the simplest program: for each endpoint in turn Dijkstra's algorithm with a binary heap over
 * switches under the weights (hops, load), each switch then takes the first port with the least sum, and
 * every source adds 1 to each channel of its route.
 *     ref_sssp PLAIN [check]      answer: hash of the table; check: compare it with the table in PLAIN */
#include "bench.h"

#define HOP ((uint64_t)1 << 40)
#define FAR UINT64_MAX

struct item {
    uint64_t key;
    uint32_t v;
};
static struct item *heap;
static uint32_t nheap;

static void push(uint64_t key, uint32_t v)
{
    uint32_t i = nheap++;
    for (; i && heap[(i - 1) / 2].key > key; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = (struct item){key, v};
}

static struct item pop(void)
{
    struct item top = heap[0], last = heap[--nheap];
    uint32_t i = 0;
    for (uint32_t k; (k = 2 * i + 1) < nheap; i = k) {
        if (k + 1 < nheap && heap[k + 1].key < heap[k].key) k++;
        if (heap[k].key >= last.key) break;
        heap[i] = heap[k];
    }
    heap[i] = last;
    return top;
}

/* back[c]: the channel the other way. */
static void distances(const struct plain *p, const uint32_t *back, const uint64_t *load, uint32_t t, uint64_t *dist)
{
    for (uint32_t v = 0; v < p->nsw; v++) dist[v] = FAR;
    dist[t] = 0;
    push(0, t);
    while (nheap) {
        struct item it = pop();
        if (it.key != dist[it.v]) continue;
        for (uint32_t c = p->off[it.v]; c < p->off[it.v + 1]; c++) {
            uint32_t u = p->head[c];
            if (u >= p->nsw) continue;
            uint64_t key = it.key + HOP + load[back[c]];
            if (key < dist[u]) push(dist[u] = key, u);
        }
    }
}

static void take_first_least(const struct plain *p, const uint64_t *load, uint32_t d, const uint64_t *dist,
                             uint8_t *row)
{
    for (uint32_t v = 0; v < p->nsw; v++) {
        uint64_t least = FAR;
        row[v] = 255;
        for (uint32_t c = p->off[v]; c < p->off[v + 1]; c++) {
            uint32_t u = p->head[c];
            uint64_t key = u == p->nsw + d ? 0 : u < p->nsw && dist[u] != FAR ? dist[u] + HOP + load[c] : FAR;
            if (key < least) least = key, row[v] = (uint8_t)(c - p->off[v]);
        }
    }
}

/* The k-th channel from u to v answers the k-th from v to u: ports of parallel cables are in order. */
static uint32_t *reverse(const struct plain *p)
{
    uint32_t *back = new_array(p->nchan, sizeof *back);
    for (uint32_t v = 0; v < p->nsw + p->nep; v++)
        for (uint32_t c = p->off[v]; c < p->off[v + 1]; c++) {
            uint32_t k = 0, u = p->head[c], b = p->off[u];
            for (uint32_t i = p->off[v]; i < c; i++) k += p->head[i] == u;
            while (p->head[b] != v || k--) b++;
            back[c] = b;
        }
    return back;
}

int main(int argc, char **argv)
{
    if (argc < 2) return fprintf(stderr, "usage: ref_sssp PLAIN [check]\n"), 2;
    struct plain p = read_plain(argv[1]);
    uint64_t *load = new_array(p.nchan, sizeof *load), *dist = new_array(p.nsw, sizeof *dist), hash = HASH_START;
    uint32_t *back = reverse(&p), different = 0;
    uint8_t *table = new_array((size_t)p.nsw * p.nep, 1);
    heap = new_array((size_t)p.nchan + 1, sizeof *heap);
    struct watch w = watch_start();
    for (uint32_t d = 0; d < p.nep; d++) {
        uint8_t *row = table + (size_t)d * p.nsw;
        distances(&p, back, load, leaf_of(&p, d), dist);
        take_first_least(&p, load, d, dist, row);
        for (uint32_t s = 0; s < p.nep; s++)
            for (uint32_t v = leaf_of(&p, s); v != p.nsw + d && row[v] != 255;) {
                uint32_t c = p.off[v] + row[v];
                load[c]++;
                v = p.head[c];
            }
    }
    w = watch_stop(w);
    for (size_t i = 0; i < (size_t)p.nsw * p.nep; i++) different += table[i] != p.table[i];
    hash = hash_bytes(hash, table, (size_t)p.nsw * p.nep);
    char answer[HASH_HEX];
    snprintf(answer, sizeof answer, "%016" PRIx64, hash);
    figures(w, (double)p.nsw * p.nep, "entries", answer);
    if (argc > 2 && different) fprintf(stderr, "%u entries differ\n", different);
    free(load), free(dist), free(back), free(table), free(heap), free_plain(&p);
    return argc > 2 && different;
}
