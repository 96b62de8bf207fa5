/* SPDX-License-Identifier: BSD-2-Clause */
/* Small grids for tests: written by kind and extents, such as "ring 5 5 line 3 clique 4 cables 2". A word
 * says how the dimensions after it are joined, "cables" how many cables the dimensions so far have, and
 * "hosts" how many endpoints a switch. */
#ifndef GRIDS_H
#define GRIDS_H

#include <stdio.h>

#include "testing.h"
#include "base/context.h"

static inline struct hd_shape grid_shape(const char *text, uint32_t *hosts)
{
    struct hd_shape s = {.kind = HD_SHAPE_GRID};
    char word[16];
    int used;
    enum hd_wrap wrap = HD_LINE;
    *hosts = 1;
    for (; sscanf(text, " %15s%n", word, &used) == 1; text += used) {
        uint32_t n = 0;
        if (strcmp(word, "line") == 0)
            wrap = HD_LINE;
        else if (strcmp(word, "ring") == 0)
            wrap = HD_RING;
        else if (strcmp(word, "clique") == 0)
            wrap = HD_CLIQUE;
        else if (strcmp(word, "hosts") == 0 || strcmp(word, "cables") == 0) {
            bool cables = word[0] == 'c';
            text += used;
            assert_int_equal(sscanf(text, " %u%n", &n, &used), 1);
            if (!cables) *hosts = n;
            for (uint32_t i = 0; cables && i < s.n; i++) s.p[i] = n;
        } else {
            s.m[s.n] = (uint32_t)atoi(word);
            s.w[s.n] = wrap;
            s.p[s.n++] = 1;
        }
    }
    return s;
}

static inline uint32_t grid_switches(const struct hd_shape *s)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < s->n; i++) n *= s->m[i];
    return n;
}

/* Cables from v to the switches after it along dimension i; ports are handed out as they come. */
static inline void grid_cables(struct hd_builder *b, const struct hd_shape *s, uint32_t v, uint32_t i, uint32_t *port)
{
    uint32_t stride = 1;
    for (uint32_t k = 0; k < i; k++) stride *= s->m[k];
    uint32_t x = v / stride % s->m[i], last = s->w[i] == HD_CLIQUE ? s->m[i] - 1 : x + 1;
    for (uint32_t y = x + 1; y <= last; y++) {
        if (y == s->m[i] && (s->w[i] != HD_RING || s->m[i] < 3)) break;
        uint32_t u = v - x * stride + y % s->m[i] * stride;
        for (uint32_t k = 0; k < s->p[i]; k++) hd_builder_cable(b, v, ++port[v], u, ++port[u], 0);
    }
}

static inline struct hd_net *make_grid(const char *text)
{
    struct hd_ctx ctx;
    struct hd_builder *b = NULL;
    struct hd_net *net = NULL;
    uint32_t hosts;
    struct hd_shape s = grid_shape(text, &hosts);
    uint32_t n = grid_switches(&s), *port = calloc(n, sizeof *port);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    hd_builder_shape(b, &s);
    for (uint32_t v = 0; v < n; v++) {
        uint16_t digits[HD_MAX_DIM];
        for (uint32_t i = 0, rest = v; i < s.n; rest /= s.m[i++]) digits[i] = (uint16_t)(rest % s.m[i]);
        hd_builder_switch(b, &(struct hd_switch_in){.level = 1});
        hd_builder_coord(b, v, digits);
        for (uint32_t k = 0; k < hosts; k++) hd_builder_coord(b, hd_builder_host(b, v, ++port[v], 0), digits);
    }
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t i = 0; i < s.n; i++) grid_cables(b, &s, v, i, port);
    free(port);
    hd_status status = hd_builder_finish(&ctx, b, text, &net);
    return checked(&ctx, status, net, text);
}

#endif
