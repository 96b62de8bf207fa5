/* SPDX-License-Identifier: BSD-2-Clause */
/* Supposes the cables that a damaged grid has lost, from the cables around them.
 *
 * If a and b were connected along a line or ring, every cable that led from a in another dimension to p had
 * one beside it from b to q, and p and q are connected: paths a p q b that pair the neighbours of a with those
 * of b one to one. Guesses are made between two switches short of neighbours, without a common one.
 * A path could also run straight on, which matters where switches at the rim are always short. Its corners
 * may show: at the corner p another cable makes a square with q and none with a (it goes on from a), and one
 * with a and none with q. Where extents are 2 nothing goes on, and corners do not show. So there are three
 * rules, the strictest first: a guess needs a path with both its corners; or that, or two paths; or any path.
 * Where a and b were two of a clique they have all the others in common, which are connected to each other; a
 * pair not in line has two, which are not. Those with most support come first, and what is supposed supports
 * more in the next round. Cost: O(degree^3) for each switch short of neighbours, with a ceiling. A wrong
 * guess does no harm: verification looks at real cables. */
#include "base/keyed.h"
#include "base/status.h"
#include "net/infer/infer.h"

#include <string.h>

enum { MAX_STEPS = 1 << 26, MAX_ROUNDS = 16 };

struct cable_finder {
    struct hd_fabric g; /* with what was supposed so far */
    enum hd_lost_rule how;
    uint32_t most;          /* neighbours a switch has */
    uint32_t *near;         /* [n] last switch this one was seen as a neighbour of, plus one */
    uint32_t *close;        /* [n] likewise at two steps or less */
    uint32_t *mark, now;    /* [n] equal to now: in the current set */
    uint32_t *other;        /* [n] likewise, a second set */
    uint32_t *paths;        /* [n] paths from the current switch to here; zero between switches */
    uint32_t *found;        /* [n] those with paths */
    struct hd_keyed *guess; /* UINT32_MAX - support, then a; b: the best come first */
    uint32_t nguess, room;
    size_t steps;
};

static uint32_t lost_cables_degree(const struct hd_fabric *g, uint32_t v)
{
    return g->off[v + 1] - g->off[v];
}

/* ---- guessing ------------------------------------------------------------------------------ */

static bool is_short(const struct cable_finder *m, uint32_t v)
{
    return lost_cables_degree(&m->g, v) < m->most;
}

static void mark_neighbours(struct cable_finder *m, uint32_t v, uint32_t *mark)
{
    for (uint32_t i = m->g.off[v]; i < m->g.off[v + 1]; i++) mark[m->g.to[i]] = m->now;
    m->steps += lost_cables_degree(&m->g, v);
}

/* How many of v's neighbours are marked. */
static uint32_t count_marked(struct cable_finder *m, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t i = m->g.off[v]; i < m->g.off[v + 1]; i++) n += m->mark[m->g.to[i]] == m->now;
    m->steps += lost_cables_degree(&m->g, v);
    return n;
}

/* Whether the paths from a to b, three cables each, pair neighbours of a with neighbours of b. */
static bool is_pairing(struct cable_finder *m, uint32_t a, uint32_t b)
{
    for (int turn = 0; turn < 2; turn++) {
        uint32_t from = turn ? b : a;
        m->now++;
        mark_neighbours(m, turn ? a : b, m->mark);
        for (uint32_t i = m->g.off[from]; i < m->g.off[from + 1]; i++)
            if (count_marked(m, m->g.to[i]) > 1) return false;
    }
    return true;
}

/* Whether r, a neighbour of p, is in a square with p and the neighbour of p whose neighbours are marked. */
static bool in_square(struct cable_finder *m, uint32_t p, uint32_t r, const uint32_t *mark)
{
    bool common = false;
    if (mark[r] == m->now) return false;
    for (uint32_t i = m->g.off[r]; i < m->g.off[r + 1]; i++)
        common = common || (m->g.to[i] != p && mark[m->g.to[i]] == m->now);
    m->steps += lost_cables_degree(&m->g, r);
    return common;
}

/* Whether the path a p q turns at p. */
static bool turns(struct cable_finder *m, uint32_t a, uint32_t p, uint32_t q)
{
    bool beyond_a = false, beyond_q = false;
    m->now++;
    mark_neighbours(m, a, m->mark);
    mark_neighbours(m, q, m->other);
    for (uint32_t i = m->g.off[p]; i < m->g.off[p + 1] && !(beyond_a && beyond_q); i++) {
        uint32_t r = m->g.to[i];
        if (r == a || r == q) continue;
        bool with_a = in_square(m, p, r, m->mark), with_q = in_square(m, p, r, m->other);
        beyond_a = beyond_a || (with_q && !with_a);
        beyond_q = beyond_q || (with_a && !with_q);
    }
    return beyond_a && beyond_q;
}

static uint32_t count_corners(struct cable_finder *m, uint32_t a, uint32_t b)
{
    const struct hd_fabric *g = &m->g;
    uint32_t n = 0;
    for (uint32_t i = g->off[a]; i < g->off[a + 1]; i++)
        for (uint32_t p = g->to[i], k = g->off[p]; k < g->off[p + 1]; k++) {
            uint32_t q = g->to[k];
            bool connected = false;
            if (q == a) continue;
            for (uint32_t j = g->off[q]; j < g->off[q + 1]; j++) connected = connected || g->to[j] == b;
            m->steps += lost_cables_degree(g, q);
            n += connected && turns(m, a, p, q) && turns(m, b, q, p);
        }
    return n;
}

/* Whether a and b, with that many common neighbours, are two of a clique: three are more than a pair not
 * in line can have, and two are connected to each other. */
static bool is_clique(struct cable_finder *m, uint32_t a, uint32_t b, uint32_t common)
{
    bool connected = false;
    if (common != 2) return common > 2;
    m->now++;
    for (uint32_t i = m->g.off[b]; i < m->g.off[b + 1]; i++)
        if (m->near[m->g.to[i]] == a + 1) m->mark[m->g.to[i]] = m->now;
    for (uint32_t i = m->g.off[b]; i < m->g.off[b + 1]; i++)
        connected = connected || (m->mark[m->g.to[i]] == m->now && count_marked(m, m->g.to[i]) == 1);
    return connected;
}

static void add_path_to(struct cable_finder *m, uint32_t b, uint32_t *n)
{
    if (!m->paths[b]++) m->found[(*n)++] = b;
}

/* Keeps those of found that a should be connected to, once per pair; clears paths. Returns how many. */
static uint32_t judge(struct cable_finder *m, uint32_t a, uint32_t n, bool clique)
{
    uint32_t good = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = m->found[i], paths = m->paths[b];
        m->paths[b] = 0;
        if (m->nguess == m->room || m->steps >= MAX_STEPS) continue;
        if (clique ? !is_clique(m, a, b, paths) : !is_pairing(m, a, b)) continue;
        good++;
        if (b < a) continue;
        uint32_t corners = clique ? paths : 0;
        if (!clique && m->how != HD_LOST_ANY) corners = count_corners(m, a, b);
        if (corners || m->how == HD_LOST_ANY || (m->how == HD_LOST_PATHS && paths > 1))
            m->guess[m->nguess++] = (struct hd_keyed){(uint64_t)(UINT32_MAX - paths - 2 * corners) << 32 | a, b};
    }
    return good;
}

/* Paths of three cables that begin a, p, q. */
static void add_paths_over(struct cable_finder *m, uint32_t a, uint32_t q, uint32_t *n)
{
    const struct hd_fabric *g = &m->g;
    m->steps += lost_cables_degree(g, q);
    for (uint32_t j = g->off[q]; j < g->off[q + 1]; j++) {
        uint32_t b = g->to[j];
        if (a < b && m->close[b] != a + 1 && is_short(m, b)) add_path_to(m, b, n);
    }
}

/* Two of a clique, recognised by their common neighbours, two cables away; or two of a line or ring, recognised by the
 * paths beside the cable, which have three. */
static uint32_t guess_away(struct cable_finder *m, uint32_t a, bool clique)
{
    const struct hd_fabric *g = &m->g;
    uint32_t n = 0;
    for (uint32_t i = g->off[a]; i < g->off[a + 1]; i++)
        for (uint32_t p = g->to[i], k = g->off[p]; k < g->off[p + 1]; k++) {
            uint32_t q = g->to[k];
            m->close[q] = a + 1;
            if (q == a || m->near[q] == a + 1) continue;
            if (!clique)
                add_paths_over(m, a, q, &n);
            else if (is_short(m, q))
                add_path_to(m, q, &n);
        }
    return judge(m, a, n, clique);
}

static void guess_from(struct cable_finder *m, uint32_t a)
{
    const struct hd_fabric *g = &m->g;
    m->close[a] = a + 1;
    for (uint32_t i = g->off[a]; i < g->off[a + 1]; i++) m->near[g->to[i]] = m->close[g->to[i]] = a + 1;
    if (lost_cables_degree(g, a) + guess_away(m, a, true) < m->most) guess_away(m, a, false);
}

/* ---- supposing ----------------------------------------------------------------------------- */

/* How well a guess is supported: by paths, and more by those that show their corners. */
static uint32_t support(const struct hd_keyed *guess)
{
    return UINT32_MAX - (uint32_t)(guess->key >> 32);
}

/* Keeps the best guesses that leave no switch with more neighbours than any has; counts them in extra. */
static void choose_lost_cables(struct cable_finder *m, uint32_t *extra)
{
    uint32_t kept = 0;
    hd_keyed_sort(m->guess, m->nguess, sizeof *m->guess);
    uint32_t best = m->nguess ? support(&m->guess[0]) : 0;
    for (uint32_t i = 0; i < m->nguess; i++) {
        uint32_t a = (uint32_t)m->guess[i].key, b = m->guess[i].value;
        if (support(&m->guess[i]) <= best / 2) break; /* it may do better once the others are whole */
        if (lost_cables_degree(&m->g, a) + extra[a] >= m->most || lost_cables_degree(&m->g, b) + extra[b] >= m->most)
            continue;
        extra[a]++;
        extra[b]++;
        m->guess[kept++] = m->guess[i];
    }
    m->nguess = kept;
}

static hd_status suppose(struct hd_ctx *ctx, struct hd_arena *arena, struct cable_finder *m)
{
    const struct hd_fabric *g = &m->g;
    uint32_t *extra = HD_NEW(arena, uint32_t, g->n);
    if (!extra) return hd_fail_memory(ctx);
    choose_lost_cables(m, extra);
    size_t size = (size_t)g->off[g->n] + 2 * (size_t)m->nguess;
    uint32_t *off = HD_NEW(arena, uint32_t, g->n + 1), *to, *chan;
    uint8_t *cables = HD_NEW(arena, uint8_t, size);
    if (!HD_NEW_U32(arena, size, &to, &chan) || !off || !cables) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t n = lost_cables_degree(g, v), end = off[v] + n;
        off[v + 1] = end + extra[v];
        memcpy(to + off[v], g->to + g->off[v], n * sizeof *to);
        memcpy(chan + off[v], g->chan + g->off[v], n * sizeof *chan);
        memcpy(cables + off[v], g->cables + g->off[v], n);
        extra[v] = end;
    }
    for (uint32_t i = 0; i < m->nguess; i++) {
        uint32_t a = (uint32_t)m->guess[i].key, b = m->guess[i].value;
        chan[extra[a]] = chan[extra[b]] = UINT32_MAX;
        to[extra[a]++] = b;
        to[extra[b]++] = a;
    }
    m->g = (struct hd_fabric){g->n, off, to, chan, cables};
    return HD_OK;
}

static bool lost_cables_make_room(struct hd_arena *arena, struct cable_finder *m)
{
    uint32_t n = m->g.n;
    m->room = n + 64; /* a grid that lost more than this is beyond recognition */
    m->guess = HD_NEW(arena, struct hd_keyed, m->room);
    return HD_NEW_U32(arena, n, &m->near, &m->close, &m->mark, &m->other, &m->paths, &m->found) && m->guess;
}

hd_status hd_infer_lost_cables(const struct hd_inference *f, enum hd_lost_rule how, struct hd_fabric *whole,
                               bool *changed)
{
    const struct hd_fabric *g = &f->g;
    struct cable_finder m = {.g = *g, .how = how};
    if (!lost_cables_make_room(f->arena, &m)) return hd_fail_memory(f->ctx);
    for (uint32_t v = 0; v < g->n; v++)
        if (lost_cables_degree(g, v) > m.most) m.most = lost_cables_degree(g, v);
    *changed = false;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        m.nguess = 0;
        memset(m.near, 0, g->n * sizeof *m.near);
        memset(m.close, 0, g->n * sizeof *m.close);
        for (uint32_t a = 0; a < g->n && m.steps < MAX_STEPS; a++)
            if (is_short(&m, a)) guess_from(&m, a);
        if (m.nguess == 0 || m.steps >= MAX_STEPS) break;
        HD_TRY(suppose(f->ctx, f->arena, &m));
        if (m.nguess == 0) break;
        *changed = true;
    }
    *whole = m.g;
    return HD_OK;
}
