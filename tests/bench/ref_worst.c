/* SPDX-License-Identifier: BSD-2-Clause */
/* Worst case of single-path routes with igraph: for every channel between switches the pairs that use it
 * make a bipartite graph, and its largest matching is the most flows a permutation can put there. Channels
 * whose bound min(sources, destinations) cannot beat what was found are left out.
 *     ref_worst PLAIN */
#include "bench.h"
#include <igraph.h>

struct pairs {
    uint32_t n, room, *of; /* 2n: source, destination */
};

static void add(struct pairs *l, uint32_t s, uint32_t d)
{
    if (l->n == l->room) l->of = need(realloc(l->of, 2 * (l->room = l->room ? 2 * l->room : 8) * sizeof *l->of));
    l->of[2 * l->n] = s;
    l->of[2 * l->n++ + 1] = d;
}

/* Vertices in order of appearance, sources and destinations apart; returns min of the two counts. */
static uint32_t number(const struct pairs *l, uint32_t nep, uint32_t *vertex, uint8_t *is_dest, uint32_t *count)
{
    uint32_t n[2] = {0, 0};
    *count = 0;
    memset(vertex, 0xff, 2 * (size_t)nep * sizeof *vertex);
    for (uint32_t i = 0; i < 2 * l->n; i++) {
        uint32_t *v = &vertex[i % 2 * nep + l->of[i]];
        if (*v != UINT32_MAX) continue;
        is_dest[*count] = i % 2;
        n[i % 2]++;
        *v = (*count)++;
    }
    return n[0] < n[1] ? n[0] : n[1];
}

static uint32_t matching(const struct pairs *l, uint32_t nep, const uint32_t *vertex, const uint8_t *is_dest,
                         uint32_t n)
{
    igraph_vector_int_t edges;
    igraph_vector_bool_t types;
    igraph_t graph;
    igraph_integer_t size = 0;
    igraph_vector_int_init(&edges, 2 * (igraph_integer_t)l->n);
    igraph_vector_bool_init(&types, n);
    for (uint32_t i = 0; i < 2 * l->n; i++) VECTOR(edges)[i] = vertex[i % 2 * nep + l->of[i]];
    for (uint32_t i = 0; i < n; i++) VECTOR(types)[i] = is_dest[i];
    igraph_create(&graph, &edges, n, IGRAPH_UNDIRECTED);
    igraph_maximum_bipartite_matching(&graph, &types, &size, NULL, NULL, NULL, 0);
    igraph_destroy(&graph);
    igraph_vector_int_destroy(&edges);
    igraph_vector_bool_destroy(&types);
    return (uint32_t)size;
}

int main(int argc, char **argv)
{
    if (argc < 2) return fprintf(stderr, "usage: ref_worst PLAIN\n"), 2;
    struct plain p = read_plain(argv[1]);
    struct pairs *on = new_array(p.nchan, sizeof *on);
    uint32_t *vertex = new_array(2 * (size_t)p.nep, sizeof *vertex), most = 0, n;
    uint8_t *is_dest = new_array(2 * (size_t)p.nep, 1);
    struct watch w = watch_start();
    for (uint32_t d = 0; d < p.nep; d++)
        for (uint32_t s = 0; s < p.nep; s++)
            for (uint32_t v = leaf_of(&p, s); s != d && v != leaf_of(&p, d);) {
                uint32_t c = p.off[v] + p.table[(size_t)d * p.nsw + v];
                add(&on[c], s, d);
                v = p.head[c];
            }
    for (uint32_t c = 0; c < p.nchan; c++) {
        if (!on[c].n || number(&on[c], p.nep, vertex, is_dest, &n) <= most) continue;
        uint32_t size = matching(&on[c], p.nep, vertex, is_dest, n);
        if (size > most) most = size;
    }
    w = watch_stop(w);
    char answer[32];
    snprintf(answer, sizeof answer, "%" PRIu32, most);
    figures(w, p.nchan, "channels", answer);
    for (uint32_t c = 0; c < p.nchan; c++) free(on[c].of);
    free(on), free(vertex), free(is_dest), free_plain(&p);
    return 0;
}
