/* SPDX-License-Identifier: BSD-2-Clause */
/* Bipartite matchings by igraph, to compare ours with. Include after testing.h. */
#ifndef MATCHING_ORACLE_H
#define MATCHING_ORACLE_H

#include <igraph.h>

/* Size of a largest matching; where weights are given, the weight of a heaviest one. Edges must differ. */
static inline double igraph_says(uint32_t nl, uint32_t nr, uint32_t n, const uint32_t *u, const uint32_t *v,
                                 const uint32_t *weight)
{
    igraph_t g;
    igraph_vector_int_t edges;
    igraph_vector_bool_t types;
    igraph_vector_t weights;
    igraph_integer_t size = 0;
    igraph_real_t sum = 0;
    if (n == 0) return 0;
    assert_int_equal(igraph_vector_int_init(&edges, 2 * (igraph_integer_t)n), 0);
    assert_int_equal(igraph_vector_bool_init(&types, (igraph_integer_t)nl + nr), 0);
    assert_int_equal(igraph_vector_init(&weights, (igraph_integer_t)n), 0);
    for (uint32_t e = 0; e < n; e++) {
        VECTOR(edges)[2 * e] = u[e];
        VECTOR(edges)[2 * e + 1] = (igraph_integer_t)nl + v[e];
        VECTOR(weights)[e] = weight ? weight[e] : 1;
    }
    for (uint32_t i = 0; i < nl + nr; i++) VECTOR(types)[i] = i >= nl;
    assert_int_equal(igraph_create(&g, &edges, (igraph_integer_t)nl + nr, IGRAPH_UNDIRECTED), 0);
    assert_int_equal(igraph_maximum_bipartite_matching(&g, &types, &size, &sum, NULL, weight ? &weights : NULL, 0), 0);
    igraph_destroy(&g);
    igraph_vector_destroy(&weights);
    igraph_vector_bool_destroy(&types);
    igraph_vector_int_destroy(&edges);
    return weight ? sum : (double)size;
}

#endif
