/* SPDX-License-Identifier: BSD-2-Clause */
/* Credit loops, the simplest program: every pair is walked, each step from a channel to the next is put
 * into that channel's list unless it is there, and a depth-first search looks for a way back.
 *     ref_deps PLAIN      answer: "free" or "loop" */
#include "bench.h"

struct list {
    uint32_t n, room, *to;
};

static void add(struct list *l, uint32_t c)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->to[i] == c) return;
    if (l->n == l->room) l->to = need(realloc(l->to, (l->room = l->room ? 2 * l->room : 4) * sizeof *l->to));
    l->to[l->n++] = c;
}

/* Colours: 0 not seen, 1 on the way here, 2 done. stack holds channels, at the next successor of each. */
static int search(const struct list *lists, uint32_t nchan, uint32_t *stack, uint32_t *at, uint8_t *colour)
{
    for (uint32_t root = 0; root < nchan; root++) {
        uint32_t depth = 0;
        if (colour[root]) continue;
        stack[depth++] = root, colour[root] = 1, at[root] = 0;
        while (depth) {
            uint32_t c = stack[depth - 1];
            if (at[c] == lists[c].n) {
                colour[c] = 2;
                depth--;
                continue;
            }
            uint32_t next = lists[c].to[at[c]++];
            if (colour[next] == 1) return 1;
            if (!colour[next]) stack[depth++] = next, colour[next] = 1, at[next] = 0;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) return fprintf(stderr, "usage: ref_deps PLAIN\n"), 2;
    struct plain p = read_plain(argv[1]);
    struct list *lists = new_array(p.nchan, sizeof *lists);
    uint32_t *stack = new_array(p.nchan, sizeof *stack), *at = new_array(p.nchan, sizeof *at);
    uint8_t *colour = new_array(p.nchan, 1);
    struct watch w = watch_start();
    for (uint32_t d = 0; d < p.nep; d++)
        for (uint32_t s = 0; s < p.nep; s++) {
            if (s == d) continue;
            uint32_t c = p.off[p.nsw + s];
            for (uint32_t v = p.head[c]; v != p.nsw + d && p.table[(size_t)d * p.nsw + v] != 255;) {
                uint32_t next = p.off[v] + p.table[(size_t)d * p.nsw + v];
                add(&lists[c], next);
                c = next;
                v = p.head[c];
            }
        }
    int loop = search(lists, p.nchan, stack, at, colour);
    w = watch_stop(w);
    figures(w, (double)p.nsw * p.nep, "entries", loop ? "loop" : "free");
    for (uint32_t c = 0; c < p.nchan; c++) free(lists[c].to);
    free(lists), free(stack), free(at), free(colour), free_plain(&p);
    return 0;
}
