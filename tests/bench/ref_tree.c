/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree PGFT(h; m; w; p) and D-mod-K on it, entry by entry from the formulas:
 *     ref_tree open M W P       ports, channels, each one's reverse, names
 *     ref_tree route M W P      every switch, every destination: divisions, as the paper has them
 * Switches are numbered level by level, in a level by group (the endpoints below it), then by place; a switch's
 * ports down come first. Lists as 18x18x36. */
#include "bench.h"

static uint32_t h, m[LEVELS], w[LEVELS], p[LEVELS], nep = 1, nsw, nchan;

struct node { /* switch: its level, group and place in it */
    uint32_t level, group, place;
};
struct level {
    uint32_t first, groups, width, below, wprod; /* endpoints below a group; w_1 .. w_l */
} at[LEVELS + 1];

static void measure(void)
{
    for (uint32_t l = 0; l < h; l++) nep *= m[l];
    at[0] = (struct level){.groups = nep, .width = 1, .below = 1, .wprod = 1};
    for (uint32_t l = 1; l <= h; l++) {
        uint32_t below = at[l - 1].below * m[l - 1], width = at[l - 1].width * w[l - 1];
        at[l] = (struct level){nsw, nep / below, width, below, width};
        nsw += at[l].groups * width;
    }
}

static struct node node_of(uint32_t v)
{
    uint32_t l = 1;
    while (l < h && v >= at[l + 1].first) l++;
    return (struct node){l, (v - at[l].first) / at[l].width, (v - at[l].first) % at[l].width};
}

static uint32_t number(uint32_t l, uint32_t group, uint32_t place)
{
    return l == 0 ? nsw + group : at[l].first + group * at[l].width + place;
}

/* Channels of every node in the order of its ports: down to child a, cable k; up to parent b, cable k. */
static void make_network(uint32_t *off, uint32_t *head)
{
    nchan = 0;
    for (uint32_t v = 0; v < nsw; v++) {
        struct node x = node_of(v);
        uint32_t l = x.level;
        off[v] = nchan;
        for (uint32_t k = 0; k < p[l - 1]; k++)
            for (uint32_t a = 0; a < m[l - 1]; a++)
                head[nchan++] = number(l - 1, x.group * m[l - 1] + a, x.place / w[l - 1]);
        for (uint32_t k = 0; l < h && k < p[l]; k++)
            for (uint32_t b = 0; b < w[l]; b++) head[nchan++] = number(l + 1, x.group / m[l], x.place * w[l] + b);
    }
    for (uint32_t e = 0; e < nep; e++) {
        off[nsw + e] = nchan;
        head[nchan++] = number(1, e / m[0], 0);
    }
    off[nsw + nep] = nchan;
}

enum { NAME = 16 };
static void make_names(char (*name)[NAME])
{
    for (uint32_t v = 0; v < nsw; v++) snprintf(name[v], NAME, "L%u-%04u", node_of(v).level, v);
    for (uint32_t e = 0; e < nep; e++) snprintf(name[nsw + e], NAME, "node-%05u", e);
}

static uint8_t entry(struct node x, uint32_t d)
{
    uint32_t l = x.level, q = d / at[l].wprod;
    if (d / at[l].below == x.group) return (uint8_t)(d / at[l - 1].below % m[l - 1] + m[l - 1] * (q % p[l - 1]));
    return (uint8_t)(m[l - 1] * p[l - 1] + q % (w[l] * p[l]));
}

static void make_table(uint8_t *table)
{
    for (uint32_t v = 0; v < nsw; v++) {
        struct node x = node_of(v);
        for (uint32_t d = 0; d < nep; d++) table[(size_t)d * nsw + v] = entry(x, d);
    }
}

int main(int argc, char **argv)
{
    if (argc != 5 || (h = read_list(argv[2], m)) != read_list(argv[3], w) || read_list(argv[4], p) != h || h == 0 ||
        w[0] * p[0] != 1)
        return fprintf(stderr, "usage: ref_tree open|route M W P\n"), 2;
    measure();
    size_t room = 0;
    for (uint32_t l = 1; l <= h; l++)
        room += (size_t)at[l].groups * at[l].width * (m[l - 1] * p[l - 1] + (l < h ? w[l] * p[l] : 0));
    int route = strcmp(argv[1], "route") == 0;
    uint64_t sum = 0;
    char answer[64];
    struct watch t = watch_start();
    if (route) {
        uint8_t *table = new_array((size_t)nsw * nep, 1);
        make_table(table);
        for (uint32_t d = 0; d < nep; d++) sum += table[(size_t)d * nsw + d % nsw];
        t = watch_stop(t);
        snprintf(answer, sizeof answer, "1 lanes, sum %" PRIu64, sum);
        free(table);
    } else {
        uint32_t *off = new_array((size_t)nsw + nep + 1, sizeof *off), *head = new_array(room + nep, sizeof *head);
        uint32_t *rev = new_array(room + nep, sizeof *rev);
        char(*name)[NAME] = new_array((size_t)nsw + nep, NAME);
        make_network(off, head);
        find_reverse(off, head, nsw + nep, rev);
        make_names(name);
        t = watch_stop(t);
        snprintf(answer, sizeof answer, "%u %u %u", nsw, nep, nchan);
        free(off), free(head), free(rev), free(name);
    }
    figures(t, route ? (double)nsw * nep : nchan, route ? "entries" : "channels", answer);
    return 0;
}
