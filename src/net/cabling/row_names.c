/* SPDX-License-Identifier: BSD-2-Clause */
/* What a switch that is gone was called, by those beside it in a row of ports.
 *
 * Switches are numbered along the ports that lead to them: spine01 behind port 19, spine02 behind port 20; or leaves
 * by rail and unit, 01-01, 02-01, 03-01, 04-01, 01-02. So for small distances d in the row: where the name at place
 * i+d is that at place i with one number larger by one, for two thirds of the places, the name that is asked for
 * follows from the place d before it and from the one d behind it. Where several are gone, they are counted from the
 * next one that is there. If the two sides do not agree, the next distance may; a name that another switch has is none.
 * Cost: O(distances * places) comparisons of names. */
#include "net/cabling/wiring.h"

#include <ctype.h>
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

struct row_guess {
    bool there;       /* somebody is, to count on from */
    const char *name; /* NULL: nobody, or his number is too small */
    uint32_t number;  /* the one in the name that counts */
};

/* What a place is called, counted on in steps of d from the next switch before it or behind it. */
static struct row_guess row_count_on(struct hd_wiring *w, const struct hd_row *row, uint32_t place, uint32_t d,
                                     uint32_t field, bool before)
{
    const struct row_guess none = {false, NULL, HD_NOWHERE};
    uint32_t i = place, steps = 0;
    do {
        if (before ? i < d : i + d >= row->n) return none;
        i = before ? i - d : i + d;
        steps++;
    } while (row->node[i] == HD_NOWHERE);
    size_t begin, end;
    const char *name = hd_node_label(w->net, row->node[i]);
    const uint32_t from = hd_name_number(name, field, &begin, &end), to = before ? from + steps : from - steps;
    if (from == HD_NOWHERE) return none;
    if (!before && from < steps) return (struct row_guess){true, NULL, HD_NOWHERE};
    return (struct row_guess){true, hd_name_renumbered(w, name, field, to), to};
}

/* Whether two names differ in their numbers alone. */
static bool row_is_alike(const char *a, const char *b)
{
    for (;;) {
        while (isdigit((unsigned char)*a)) a++;
        while (isdigit((unsigned char)*b)) b++;
        if (*a != *b) return false;
        if (!*a) return true;
        a++;
        b++;
    }
}

/* Whether the names like this one in the row have numbers up to its own, and numbers from its own. */
static bool row_has_range(const struct hd_wiring *w, const struct hd_row *row, uint32_t field, struct row_guess guess)
{
    bool low = false, high = false;
    for (uint32_t i = 0; guess.name && i < row->n; i++) {
        size_t begin, end;
        const char *name = row->node[i] == HD_NOWHERE ? "" : hd_node_label(w->net, row->node[i]);
        if (!row_is_alike(name, guess.name)) continue;
        const uint32_t number = hd_name_number(name, field, &begin, &end);
        low |= number <= guess.number;
        high |= number >= guess.number;
    }
    return low && high;
}

/* What those before and behind a place say of it together; no name if they do not agree. Where numbers begin again, as
 * from chassis to chassis, one side has a number that the row does not know: if a switch is gone from the place for
 * certain, the other side tells its name, but that side alone is no evidence that there was one. */
static struct row_guess row_guess_at(struct hd_wiring *w, const struct hd_row *row, uint32_t place, uint32_t d,
                                     uint32_t field, bool certain)
{
    const struct row_guess none = {false, NULL, HD_NOWHERE};
    const struct row_guess a = row_count_on(w, row, place, d, field, true);
    const struct row_guess b = row_count_on(w, row, place, d, field, false);
    const bool in_a = row_has_range(w, row, field, a), in_b = row_has_range(w, row, field, b);
    if (a.name && b.name && strcmp(a.name, b.name) == 0) return a;
    if (!b.there) return a;
    if (!a.there) return b.number == 0 && d > 1 && !in_b ? none : b;
    if (!certain || in_a == in_b) return none;
    return in_a ? a : b;
}

static bool row_is_taken(const struct hd_net *net, const char *name)
{
    for (uint32_t v = 0; v < net->nsw; v++)
        if (strcmp(hd_node_label(net, v), name) == 0) return true;
    return false;
}

const char *hd_row_name(struct hd_wiring *w, const struct hd_row *row, uint32_t place, bool certain, uint32_t *number)
{
    for (uint32_t d = 1; d <= DISTANCES && 2 * d <= row->n; d++)
        for (uint32_t field = 0; field < FIELDS; field++) {
            if (!row_has_steps(w, row, d, field)) continue;
            const struct row_guess guess = row_guess_at(w, row, place, d, field, certain);
            if (!guess.name || row_is_taken(w->net, guess.name)) continue;
            *number = guess.number;
            return guess.name;
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
