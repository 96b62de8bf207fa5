/* SPDX-License-Identifier: BSD-2-Clause */
/* What a switch that is gone was called, by those beside it in a row of ports.
 *
 * Switches are numbered along the ports that lead to them: spine01 behind port 19, spine02 behind port 20; or leaves
 * by rail and unit, 01-01, 02-01, 03-01, 04-01, 01-02. So for small distances d in the row: where the name at place
 * i+d is that at place i with one number larger by one, for two thirds of the places, the name that is asked for
 * follows from the place d before it and from the one d behind it. If they do not agree, the next distance may; a
 * name that another switch has is none. Cost: O(distances * places) comparisons of names. */
#include "net/cabling/wiring.h"

#include <string.h>

enum { FIELDS = 3, DISTANCES = 32, FEW_STEPS = 3 };

/* Whether b is a with its field-th number from the end larger by one. */
static bool row_is_next(const char *a, const char *b, uint32_t field)
{
    size_t begin, end, from, to;
    uint32_t number = hd_name_number(a, field, &begin, &end), next = hd_name_number(b, field, &from, &to);
    return number != HD_NOWHERE && next == number + 1 && begin == from && strncmp(a, b, begin) == 0 &&
           strcmp(a + end, b + to) == 0;
}

static bool row_has_steps(const struct hd_wiring *w, const struct hd_row *row, uint32_t d, uint32_t field)
{
    uint32_t pairs = 0, steps = 0;
    for (uint32_t i = 0; i + d < row->n; i++) {
        if (row->node[i] == HD_NOWHERE || row->node[i + d] == HD_NOWHERE) continue;
        pairs++;
        steps += row_is_next(hd_node_label(w->net, row->node[i]), hd_node_label(w->net, row->node[i + d]), field);
    }
    return steps >= FEW_STEPS && 3 * steps >= 2 * pairs;
}

/* The name at place i with its number larger or smaller by one; NULL: nobody is there, or it has none. */
static const char *row_beside(struct hd_wiring *w, const struct hd_row *row, uint32_t i, uint32_t field, bool larger)
{
    size_t begin, end;
    if (i >= row->n || row->node[i] == HD_NOWHERE) return NULL;
    const char *name = hd_node_label(w->net, row->node[i]);
    uint32_t number = hd_name_number(name, field, &begin, &end);
    if (number == HD_NOWHERE || (!larger && number == 0)) return NULL;
    return hd_name_renumbered(w, name, field, larger ? number + 1 : number - 1);
}

static bool row_is_taken(const struct hd_net *net, const char *name)
{
    for (uint32_t v = 0; v < net->nsw; v++)
        if (strcmp(hd_node_label(net, v), name) == 0) return true;
    return false;
}

const char *hd_row_name(struct hd_wiring *w, const struct hd_row *row, uint32_t place, uint32_t *number)
{
    size_t begin, end;
    for (uint32_t d = 1; d <= DISTANCES && 2 * d <= row->n; d++)
        for (uint32_t field = 0; field < FIELDS; field++) {
            if (!row_has_steps(w, row, d, field)) continue;
            const char *a = place >= d ? row_beside(w, row, place - d, field, true) : NULL;
            const char *b = row_beside(w, row, place + d, field, false);
            if ((!a && !b) || (a && b && strcmp(a, b) != 0)) continue;
            if (row_is_taken(w->net, a ? a : b)) continue;
            *number = hd_name_number(a ? a : b, field, &begin, &end);
            return a ? a : b;
        }
    return NULL;
}

void hd_row_add(struct hd_row *row, uint32_t port, uint32_t node)
{
    uint32_t i = row->n++;
    for (; i > 0 && row->port[i - 1] > port; i--) {
        row->port[i] = row->port[i - 1];
        row->node[i] = row->node[i - 1];
    }
    row->port[i] = port;
    row->node[i] = node;
}

uint32_t hd_row_place(const struct hd_row *row, uint32_t port)
{
    uint32_t i = 0;
    while (i < row->n && row->port[i] != port) i++;
    return i;
}
