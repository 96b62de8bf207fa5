/* SPDX-License-Identifier: BSD-2-Clause */
/* The `# heddle` lines of a table file, written and read: variants, the rule that selects among them, VLs, and which
 * LID belongs to which port. fmt_lft.h has the grammar. They are comments to OpenSM, so one file serves both; lists are
 * run-length encoded, because VLs and variants rarely change from one endpoint to the next. Linear in the file. */
#include "base/status.h"
#include "net/io/scan_line.h"
#include "route/io/fmt_lft.h"
#include "tool/words.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1, LINE = 880 };

static const char *const select_names[] = {"one", "source", "pair", "all", "packet", NULL};
static const char *const lane_names[] = {"one", "dest", "leaf", "pair", "hop", "unknown", NULL};

/* ---- lists ------------------------------------------------------------------------------------ */

enum extra_rows { ONE_ROW, ROW_PER_SOURCE, ROW_PER_LEAF };

/* The lists of endpoints: rows of one value, or one per variant, for every destination. */
static const struct extra_list {
    const char *word, *after; /* the line that must come first, as messages call it */
    size_t at;                /* of the array in struct hd_routes */
    uint32_t size;            /* bytes of a value: 2 for variants, 1 for VLs and service levels */
    enum extra_rows rows;
} extra_lists[] = {
    [HD_LFT_CLASS] = {"class", "'select source'", offsetof(struct hd_routes, source_class), 2, ONE_ROW},
    [HD_LFT_PAIRS] = {"pairs", "'select pair'", offsetof(struct hd_routes, pair_variant), 2, ROW_PER_SOURCE},
    [HD_LFT_DEST_LANE] = {"dest-lane", "'lanes N dest'", offsetof(struct hd_routes, dest_lane), 1, ONE_ROW},
    [HD_LFT_LEAF_LANE] = {"leaf-lane", "'lanes N leaf' or 'lanes N hop'", offsetof(struct hd_routes, leaf_lane), 1,
                          ROW_PER_LEAF},
    [HD_LFT_PAIR_LANE] = {"pair-lane", "'lanes N pair' or 'lanes N hop'", offsetof(struct hd_routes, pair_lane), 1,
                          ROW_PER_SOURCE},
    [HD_LFT_LEAF_LEVEL] = {"leaf-level", "SL2VL tables or 'lanes 0 unknown'", offsetof(struct hd_routes, leaf_level), 1,
                           ROW_PER_LEAF},
    [HD_LFT_PAIR_LEVEL] = {"pair-level", "SL2VL tables or 'lanes 0 unknown'", offsetof(struct hd_routes, pair_level), 1,
                           ROW_PER_SOURCE},
};

/* Whether routes with these rules have the list; with VLs by hop, service levels are by leaf or by pair. */
static bool extra_has(const struct hd_routes *r, enum hd_lft_list list)
{
    bool hop = r->lane_rule == HD_LANE_HOP;
    switch (list) {
    case HD_LFT_CLASS: return r->select == HD_SELECT_SOURCE;
    case HD_LFT_PAIRS: return r->select == HD_SELECT_PAIR;
    case HD_LFT_DEST_LANE: return r->lane_rule == HD_LANE_DEST;
    case HD_LFT_LEAF_LANE: return (r->lane_rule == HD_LANE_LEAF || hop) && !r->pair_lane;
    case HD_LFT_PAIR_LANE: return (r->lane_rule == HD_LANE_PAIR || hop) && !r->leaf_lane;
    case HD_LFT_LEAF_LEVEL: return r->leaf_level;
    case HD_LFT_PAIR_LEVEL: return r->pair_level;
    case HD_LFT_SL2VL_OF:
    case HD_LFT_LISTS: break;
    }
    return hop;
}

/* Whether a list may come. Service levels beside VLs are by leaf or by pair as these are, and follow from no list if
 * there are no SL2VL tables. */
static bool extra_may_have(const struct hd_routes *r, enum hd_lft_list list)
{
    const bool leaf = list == HD_LFT_LEAF_LEVEL;
    if (!leaf && list != HD_LFT_PAIR_LEVEL) return extra_has(r, list);
    if (r->lane_rule != HD_LANE_UNKNOWN && !r->sl2vl) return false;
    if (r->lane_rule == HD_LANE_HOP || r->lane_rule == (leaf ? HD_LANE_PAIR : HD_LANE_LEAF)) return false;
    return !(leaf ? r->pair_level : r->leaf_level);
}

/* The values of a list are below this. */
static uint32_t extra_limit(const struct hd_routes *r, enum hd_lft_list list)
{
    if (list == HD_LFT_LEAF_LEVEL || list == HD_LFT_PAIR_LEVEL) return HD_LEVEL_UNKNOWN + 1;
    if (extra_lists[list].size == 2) return r->nvar;
    return r->lane_rule == HD_LANE_HOP ? HD_MAX_LANES : r->nlanes; /* service levels, or VLs */
}

static void **extra_array(struct hd_routes *r, enum hd_lft_list list)
{
    return (void **)(void *)((char *)r + extra_lists[list].at);
}

/* Values per destination. */
static uint32_t extra_each(const struct hd_routes *r, enum hd_lft_list list)
{
    return extra_lists[list].size == 1 ? r->nvar : 1;
}

static uint32_t extra_rows_of(const struct hd_routes *r, enum hd_lft_list list)
{
    enum extra_rows rows = extra_lists[list].rows;
    return rows == ONE_ROW ? 1 : rows == ROW_PER_LEAF ? r->nleaf : r->net->nep;
}

/* ---- writing ------------------------------------------------------------------------------- */

struct run_list { /* tokens in lines of limited length, each beginning with the same words */
    struct hd_out *o;
    char head[64];
    size_t used;
    uint32_t value;
    uint64_t count;
};

static void list_put_token(struct run_list *l, const char *token)
{
    size_t n = strlen(token);
    if (l->used && l->used + n + 1 > LINE) {
        hd_puts(l->o, "\n");
        l->used = 0;
    }
    if (!l->used) {
        hd_puts(l->o, l->head);
        l->used = strlen(l->head);
    }
    hd_puts(l->o, " ");
    hd_puts(l->o, token);
    l->used += n + 1;
}

static void list_end_run(struct run_list *l)
{
    char token[48];
    if (l->count == 0) return;
    if (l->count == 1)
        snprintf(token, sizeof token, "%u", l->value);
    else
        snprintf(token, sizeof token, "%u*%llu", l->value, (unsigned long long)l->count);
    list_put_token(l, token);
    l->count = 0;
}

static void list_put(struct run_list *l, uint32_t value)
{
    if (l->count && l->value != value) list_end_run(l);
    l->value = value;
    l->count++;
}

static void list_end(struct run_list *l)
{
    list_end_run(l);
    if (l->used) hd_puts(l->o, "\n");
    l->used = 0;
}

static void write_nodes(const struct hd_net *net, const struct hd_lids *lids, bool switches, struct hd_out *o)
{
    struct run_list l = {.o = o};
    char token[48];
    snprintf(l.head, sizeof l.head, "# heddle %s", switches ? "switches" : "endpoints");
    for (uint32_t v = switches ? 0 : net->nsw; v < (switches ? net->nsw : net->nsw + net->nep); v++) {
        snprintf(token, sizeof token, "0x%016llx=0x%04x", (unsigned long long)net->guid[v], lids->base[v]);
        list_put_token(&l, token);
    }
    list_end(&l);
}

/* LIDs of endpoints beyond those that the file gives to all, by the LMCs of the network or by the table. */
static void write_further(const struct hd_lft_view *w, struct hd_out *o)
{
    const struct hd_net *net = w->r->net;
    struct run_list l = {.o = o, .head = "# heddle further"};
    char token[48];
    for (uint32_t lid = 1; lid <= w->lids.last; lid++) {
        const uint32_t v = w->owner[lid] - 1;
        if (!w->owner[lid] || v < net->nsw || lid - w->lids.base[v] < 1u << w->lids.lmc) continue;
        snprintf(token, sizeof token, "0x%016llx=0x%04x", (unsigned long long)net->guid[v], lid);
        list_put_token(&l, token);
    }
    list_end(&l);
}

static void write_list(const struct hd_routes *r, enum hd_lft_list list, struct hd_out *o)
{
    const struct extra_list *k = &extra_lists[list];
    const void *array = *(const void *const *)(const void *)((const char *)r + k->at);
    size_t n = (size_t)r->net->nep * extra_each(r, list);
    struct run_list l = {.o = o};
    for (uint32_t row = 0; extra_has(r, list) && row < extra_rows_of(r, list); row++) {
        int at = snprintf(l.head, sizeof l.head, "# heddle %s", k->word);
        if (k->rows == ROW_PER_SOURCE) snprintf(l.head + at, sizeof l.head - (size_t)at, " %u", row);
        if (k->rows == ROW_PER_LEAF)
            snprintf(l.head + at, sizeof l.head - (size_t)at, " 0x%016llx",
                     (unsigned long long)r->net->guid[r->leaf[row]]);
        for (size_t i = row * n; i < (row + 1) * n; i++)
            list_put(&l, k->size == 2 ? ((const uint16_t *)array)[i] : ((const uint8_t *)array)[i]);
        list_end(&l);
    }
}

static void write_hops(const struct hd_net *net, const struct hd_sl2vl *m, struct hd_out *o)
{
    struct run_list l = {.o = o};
    for (uint32_t k = 0; k < m->nmap; k++) {
        hd_puts(o, "# heddle sl2vl");
        for (int sl = 0; sl < 16; sl++) hd_printf(o, " %u", m->map[k][sl]);
        hd_puts(o, "\n");
    }
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t ports = net->nports[v], in = 0, end = hd_degree(net, v);
        snprintf(l.head, sizeof l.head, "# heddle sl2vl-of 0x%016llx", (unsigned long long)net->guid[v]);
        for (uint32_t p = 1; p <= ports; p++) {
            bool cabled = in < end && net->port[net->off[v] + in] == p;
            for (uint32_t q = 1, out = 0; q <= ports; q++) {
                bool both = cabled && out < end && net->port[net->off[v] + out] == q;
                list_put(&l, both ? *hd_sl2vl_at(m, v, in, out) : 0);
                if (out < end && net->port[net->off[v] + out] == q) out++;
            }
            in += cabled;
        }
        list_end(&l);
    }
}

hd_status hd_lft_claim_further(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_lft_view *view)
{
    uint32_t lost;
    HD_TRY(hd_lft_view_claim(ctx, arena, view, &lost));
    if (lost)
        hd_note(ctx, "%.200s: entries for %u further LIDs are not written: their ports have other LIDs in the network",
                view->r->spec, lost);
    return HD_OK;
}

void hd_lft_extra_write(struct hd_ctx *ctx, const struct hd_lft_view *view, struct hd_out *o)
{
    const struct hd_routes *r = view->r;
    const struct hd_lids *lids = &view->lids;
    bool fewer = false;
    for (uint32_t e = 0; e < r->net->nep; e++) fewer |= r->net->lmc_of[e] > lids->lmc_of[e];
    if (fewer)
        hd_note(ctx, "LIDs are written for LMC %u: endpoints of the network have LMCs up to %u, which are not kept",
                lids->lmc, r->net->lmc);
    hd_printf(o, "# heddle lft %d\n", VERSION);
    hd_puts(o, "# heddle table ");
    hd_put_visible(o, r->spec, LINE); /* a path may hold line ends */
    hd_puts(o, "\n");
    hd_printf(o, "# heddle variants %u lmc %u select %s\n", r->nvar, lids->lmc, select_names[r->select]);
    hd_printf(o, "# heddle lanes %u %s\n", r->nlanes, lane_names[r->lane_rule]);
    write_nodes(r->net, lids, false, o);
    write_nodes(r->net, lids, true, o);
    write_further(view, o);
    write_list(r, HD_LFT_CLASS, o);
    write_list(r, HD_LFT_PAIRS, o);
    if (r->sl2vl) write_hops(r->net, r->sl2vl, o);
    for (enum hd_lft_list list = HD_LFT_DEST_LANE; list <= HD_LFT_PAIR_LEVEL; list++) write_list(r, list, o);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* The next word, cut off with a NUL; NULL at the end of the line. */
static char *next_word(char **p)
{
    char *word = *p + strspn(*p, " \t");
    if (!*word) return NULL;
    *p = word + strcspn(word, " \t");
    if (**p) *(*p)++ = 0;
    return word;
}

static bool word_number(const char *word, uint32_t limit, uint32_t *value)
{
    return word && hd_scan_u32(&word, value) && *value <= limit && !*word;
}

static bool word_guid(const char *word, uint64_t *guid)
{
    return word && hd_scan_guid(&word, guid) && !*word;
}

static bool word_choice(const char *word, const char *const *names, int *choice)
{
    for (int i = 0; word && names[i]; i++)
        if (strcmp(word, names[i]) == 0) {
            *choice = i;
            return true;
        }
    return false;
}

hd_status hd_lft_extra_init(struct hd_ctx *ctx, struct hd_lft_extra *x)
{
    const struct hd_net *net = x->r->net;
    x->lid = HD_NEW(x->arena, uint16_t, net->nsw + net->nep);
    x->listed = HD_NEW(x->arena, bool, net->nep);
    return x->lid && x->listed ? HD_OK : hd_fail_memory(ctx);
}

static hd_status read_variants(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    int select = 0;
    bool ok = !x->variants && word_number(next_word(&p), 1u << HD_MAX_LMC, &x->r->nvar) && x->r->nvar > 0;
    const char *word = ok ? next_word(&p) : NULL;
    ok = ok && word && strcmp(word, "lmc") == 0 && word_number(next_word(&p), HD_MAX_LMC, &x->lmc) &&
         x->r->nvar <= 1u << x->lmc;
    word = ok ? next_word(&p) : NULL;
    ok = ok && word && strcmp(word, "select") == 0 && word_choice(next_word(&p), select_names, &select) &&
         !next_word(&p);
    if (!ok)
        return hd_in_fail(ctx, in,
                          "expected once '# heddle variants N lmc K select RULE' with N of 1 to 2^K and K of 0 to %d",
                          HD_MAX_LMC);
    x->r->select = (enum hd_select)select;
    x->variants = true;
    return HD_OK;
}

static hd_status read_lanes(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    int rule = 0;
    bool ok = !x->lanes && word_number(next_word(&p), HD_MAX_LANES, &x->r->nlanes) &&
              word_choice(next_word(&p), lane_names, &rule);
    if (!ok || next_word(&p) || (x->r->nlanes == 0) != (rule == HD_LANE_UNKNOWN))
        return hd_in_fail(ctx, in, "expected once '# heddle lanes N RULE' with N of 1 to %d, or '0 unknown'",
                          HD_MAX_LANES);
    if (x->r->nlanes > HD_LANE_DROP && rule != HD_LANE_HOP)
        return hd_in_fail(ctx, in, "expected at most %d VLs: VL %d is of management packets alone", HD_LANE_DROP,
                          HD_LANE_DROP);
    x->r->lane_rule = (enum hd_lane_rule)rule;
    x->lanes = true;
    return HD_OK;
}

static hd_status assign_lids(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, uint32_t v,
                             uint32_t lid, uint32_t n)
{
    HD_TRY(hd_lft_owners_reach(ctx, x->owners, lid + n - 1));
    for (uint32_t i = lid; i < lid + n; i++) {
        if (x->owners->node[i] != HD_LFT_UNSEEN) return hd_in_fail(ctx, in, "LID 0x%04x is given to two ports", i);
        x->owners->node[i] = v;
    }
    if (v != HD_LFT_NOBODY) x->lid[v] = (uint16_t)lid;
    return HD_OK;
}

static hd_status add_endpoint(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, uint32_t e)
{
    if (e != HD_LFT_NOBODY && x->listed[e])
        return hd_in_fail(ctx, in, "port GUID 0x%016llx occurs twice",
                          (unsigned long long)x->r->net->guid[x->r->net->nsw + e]);
    if (!HD_MORE(x->arena, x->ep, x->n, x->room)) return hd_fail_memory(ctx);
    x->ep[x->n++] = e;
    if (e != HD_LFT_NOBODY) x->listed[e] = true;
    return HD_OK;
}

static hd_status read_nodes(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p, bool switches)
{
    uint32_t n = switches ? 1 : 1u << x->lmc;
    if (!x->variants) return hd_in_fail(ctx, in, "expected '# heddle variants' before the first GUID");
    for (int l = 0; l < HD_LFT_SL2VL_OF; l++)
        if (x->at[l]) return hd_in_fail(ctx, in, "expected all GUIDs before the first list");
    for (const char *word; (word = next_word(&p));) {
        uint64_t guid, lid;
        if (!hd_scan_guid(&word, &guid) || *word++ != '=' || !word_guid(word, &lid))
            return hd_in_fail(ctx, in, "expected 0xGUID=0xLID");
        if (lid == 0 || lid % n || lid + n - 1 > HD_MAX_LID)
            return hd_in_fail(ctx, in, "0x%llx: expected a LID of 1 to %u, a multiple of %u", (unsigned long long)lid,
                              HD_MAX_LID, n);
        uint32_t v = switches ? hd_guid_switch(x->guids, guid) : hd_guid_endpoint(x->guids, guid);
        if (!switches)
            HD_TRY(add_endpoint(ctx, in, x, v));
        else if (v != HD_LFT_NOBODY && x->lid[v])
            return hd_in_fail(ctx, in, "switch GUID 0x%016llx occurs twice", (unsigned long long)guid);
        if (!switches && v != HD_LFT_NOBODY) v += x->r->net->nsw;
        HD_TRY(assign_lids(ctx, in, x, v, (uint32_t)lid, n));
    }
    return HD_OK;
}

/* Further LIDs of endpoints. */
static hd_status read_further(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    if (!x->variants) return hd_in_fail(ctx, in, "expected '# heddle variants' before the first GUID");
    for (const char *word; (word = next_word(&p));) {
        uint64_t guid, lid;
        if (!hd_scan_guid(&word, &guid) || *word++ != '=' || !word_guid(word, &lid) || !lid || lid > HD_MAX_LID)
            return hd_in_fail(ctx, in, "expected 0xGUID=0xLID");
        const uint32_t e = hd_guid_endpoint(x->guids, guid);
        if (e != HD_LFT_NOBODY && !x->listed[e])
            return hd_in_fail(ctx, in, "port GUID 0x%016llx: expected it among '# heddle endpoints' before",
                              (unsigned long long)guid);
        HD_TRY(assign_lids(ctx, in, x, HD_LFT_NOBODY, (uint32_t)lid, 1));
        if (e != HD_LFT_NOBODY) x->owners->node[lid] = x->r->net->nsw + e;
    }
    return HD_OK;
}

/* The next token V or V*N of a list with `left` values to come, each below limit: value and count, count 0 at the end
 * of the line. */
static hd_status list_next_run(struct hd_ctx *ctx, const struct hd_in *in, char **p, uint64_t left, uint32_t limit,
                               uint32_t run[2])
{
    const char *word = next_word(p);
    run[0] = run[1] = 0;
    if (!word) return HD_OK;
    bool ok = hd_scan_u32(&word, &run[0]) && run[0] < limit;
    run[1] = 1;
    if (ok && hd_scan_char(&word, '*')) ok = hd_scan_u32(&word, &run[1]) && run[1] > 0;
    if (!ok || *word) return hd_in_fail(ctx, in, "expected values below %u, V or V*N", limit);
    if (run[1] > left) return hd_in_fail(ctx, in, "more values than the list has places");
    return HD_OK;
}

/* The array of a list and its cursors, made with its first line; one row more, for ports not in the network. */
static hd_status extra_room(struct hd_ctx *ctx, struct hd_lft_extra *x, enum hd_lft_list list)
{
    struct hd_routes *r = x->r;
    void **array = extra_array(r, list);
    uint32_t rows = extra_rows_of(r, list);
    size_t row = (size_t)r->net->nep * extra_each(r, list);
    if (!x->at[list]) x->at[list] = HD_NEW(x->arena, uint64_t, rows > x->n ? rows : x->n);
    const bool made = !*array && (*array = hd_alloc(&r->arena, (rows + 1) * row, extra_lists[list].size));
    if (made && (list == HD_LFT_LEAF_LEVEL || list == HD_LFT_PAIR_LEVEL))
        memset(*array, HD_LEVEL_UNKNOWN, (rows + 1) * row);
    return *array && x->at[list] ? HD_OK : hd_fail_memory(ctx);
}

/* Which row a line is about: its number in the file, and in the network; HD_LFT_NOBODY: it has no sources here. */
static hd_status extra_row(struct hd_ctx *ctx, const struct hd_in *in, const struct hd_lft_extra *x,
                           enum extra_rows rows, char **p, uint32_t row[2])
{
    const struct hd_routes *r = x->r;
    uint64_t guid;
    row[0] = row[1] = 0;
    if (rows == ROW_PER_SOURCE) {
        if (!x->n || !word_number(next_word(p), x->n - 1, &row[0]))
            return hd_in_fail(ctx, in, "expected the number of a source, below %u", x->n);
        row[1] = x->ep[row[0]] == HD_LFT_NOBODY ? r->net->nep : x->ep[row[0]];
    } else if (rows == ROW_PER_LEAF) {
        if (!word_guid(next_word(p), &guid)) return hd_in_fail(ctx, in, "expected the GUID of a leaf switch");
        uint32_t v = hd_guid_switch(x->guids, guid);
        row[0] = row[1] = v == HD_LFT_NOBODY ? v : r->leaf_of[v];
    }
    return HD_OK;
}

static hd_status read_list(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, enum hd_lft_list list,
                           char *p)
{
    const struct extra_list *k = &extra_lists[list];
    struct hd_routes *r = x->r;
    const uint32_t each = extra_each(r, list), limit = extra_limit(r, list);
    uint32_t row[2], run[2];
    if (!x->variants || !extra_may_have(r, list))
        return hd_in_fail(ctx, in, "expected this list only after %s", k->after);
    HD_TRY(extra_row(ctx, in, x, k->rows, &p, row));
    HD_TRY(extra_room(ctx, x, list));
    if (row[0] == HD_LFT_NOBODY) return HD_OK;
    for (uint64_t *at = &x->at[list][row[0]], all = (uint64_t)x->n * each;;) {
        HD_TRY(list_next_run(ctx, in, &p, all - *at, limit, run));
        if (!run[1]) return HD_OK;
        if (k->size == 1) x->service_levels |= 1u << run[0];
        for (; run[1] > 0; run[1]--, ++*at) {
            uint32_t d = x->ep[*at / each];
            size_t i = ((size_t)row[1] * r->net->nep + d) * each + *at % each;
            if (d != HD_LFT_NOBODY && k->size == 2) ((uint16_t *)*extra_array(r, list))[i] = (uint16_t)run[0];
            if (d != HD_LFT_NOBODY && k->size == 1) ((uint8_t *)*extra_array(r, list))[i] = (uint8_t)run[0];
        }
    }
}

static hd_status make_hops(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x)
{
    if (!x->lanes || x->r->lane_rule == HD_LANE_DEST)
        return hd_in_fail(ctx, in, "expected this line only after '# heddle lanes', and not of rule 'dest'");
    if (x->r->sl2vl) return HD_OK;
    if (!(x->at[HD_LFT_SL2VL_OF] = HD_NEW(x->arena, uint64_t, x->r->net->nsw))) return hd_fail_memory(ctx);
    return hd_sl2vl_make(ctx, &x->r->arena, x->r->net, &x->r->sl2vl);
}

static hd_status read_sl2vl(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    uint8_t lane[16];
    uint32_t value = 0, map;
    HD_TRY(make_hops(ctx, in, x));
    for (int sl = 0; sl < 16; sl++) {
        if (!word_number(next_word(&p), HD_MAX_LANES - 1, &value)) return hd_in_fail(ctx, in, "expected 16 VLs");
        lane[sl] = (uint8_t)value;
    }
    if (next_word(&p) || x->r->sl2vl->nmap == HD_MAX_MAPS)
        return hd_in_fail(ctx, in, "expected 16 VLs, and at most %d such lines", HD_MAX_MAPS);
    return hd_sl2vl_add(ctx, &x->r->arena, x->r->sl2vl, lane, &map);
}

/* Lists are by port, so that a switch may have lost cables since; ports without a cable have no slot. */
static hd_status read_sl2vl_of(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    uint64_t guid;
    uint8_t slot_of[256];
    const struct hd_net *net = x->r->net;
    HD_TRY(make_hops(ctx, in, x));
    if (!word_guid(next_word(&p), &guid)) return hd_in_fail(ctx, in, "expected the GUID of a switch");
    uint32_t v = hd_guid_switch(x->guids, guid);
    if (v == HD_LFT_NOBODY) return HD_OK;
    uint32_t ports = net->nports[v];
    uint64_t *at = &x->at[HD_LFT_SL2VL_OF][v];
    hd_slots_by_port(net, v, slot_of);
    for (uint32_t run[2];;) {
        HD_TRY(list_next_run(ctx, in, &p, (uint64_t)ports * ports - *at, x->r->sl2vl->nmap + 1, run));
        if (!run[1]) return HD_OK;
        for (; run[1] > 0; run[1]--, ++*at) {
            uint8_t from = slot_of[*at / ports + 1], to = slot_of[*at % ports + 1];
            if (from != HD_SLOT_NONE && to != HD_SLOT_NONE) *hd_sl2vl_at(x->r->sl2vl, v, from, to) = (uint16_t)run[0];
        }
    }
}

static hd_status read_version(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    uint32_t version;
    if (x->present || !word_number(next_word(&p), VERSION, &version) || version != VERSION || next_word(&p))
        return hd_in_fail(ctx, in, "expected once '# heddle lft %d': other versions are not known", VERSION);
    x->present = true;
    return HD_OK;
}

static const struct {
    const char *word;
    hd_status (*read)(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p);
} extra_lines[] = {
    {"lft", read_version}, {"variants", read_variants}, {"lanes", read_lanes},
    {"sl2vl", read_sl2vl}, {"sl2vl-of", read_sl2vl_of}, {"further", read_further},
};

hd_status hd_lft_extra_line(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    const char *word = next_word(&p);
    if (!word) return hd_in_fail(ctx, in, "expected a word after '# heddle'");
    if (!x->present && strcmp(word, extra_lines[0].word) != 0)
        return hd_in_fail(ctx, in, "expected '# heddle lft %d' first", VERSION);
    for (size_t i = 0; i < sizeof extra_lines / sizeof extra_lines[0]; i++)
        if (strcmp(word, extra_lines[i].word) == 0) return extra_lines[i].read(ctx, in, x, p);
    for (enum hd_lft_list list = 0; list < HD_LFT_SL2VL_OF; list++)
        if (strcmp(word, extra_lists[list].word) == 0) return read_list(ctx, in, x, list, p);
    if (strcmp(word, "endpoints") == 0 || strcmp(word, "switches") == 0) return read_nodes(ctx, in, x, p, *word == 's');
    if (strcmp(word, "table") == 0) return HD_OK; /* what made the table: for people */
    return hd_in_fail(ctx, in, "'# heddle %.40s' is not known", word);
}

/* Whether a list has all its values: of every leaf switch with endpoints of the file, or of every source in it. */
static bool extra_complete(const struct hd_lft_extra *x, enum hd_lft_list list)
{
    const struct hd_net *net = x->r->net;
    enum extra_rows rows = extra_lists[list].rows;
    uint64_t values = (uint64_t)x->n * extra_each(x->r, list);
    uint32_t n = rows == ONE_ROW ? 1 : rows == ROW_PER_SOURCE ? x->n : net->nep;
    if (values && !x->at[list]) return false;
    for (uint32_t i = 0; values && i < n; i++) {
        uint32_t row = rows == ROW_PER_LEAF ? x->r->leaf_of[hd_leaf(net, i)] : i;
        if ((rows != ROW_PER_LEAF || x->listed[i]) && x->at[list][row] < values) return false;
    }
    return true;
}

/* Whether service levels in use lead to VLs that do not exist; a port that is in no list has service level 0. */
static bool hops_too_far(const struct hd_lft_extra *x)
{
    const struct hd_sl2vl *m = x->r->sl2vl;
    uint32_t levels = x->service_levels;
    for (uint32_t e = 0; e < x->r->net->nep; e++) levels |= !x->listed[e];
    for (uint32_t i = 0; i < 16 * m->nmap; i++)
        if (levels >> i % 16 & 1 && m->map[i / 16][i % 16] >= x->r->nlanes) return true;
    return false;
}

/* Whether the LIDs of the file are the network's own, and were not assigned again. */
static bool extra_lids_kept(const struct hd_lft_extra *x)
{
    const struct hd_net *net = x->r->net;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++)
        if (net->lid[v] && x->lid[v] && x->lid[v] != net->lid[v]) return false;
    return true;
}

/* A node may have a larger LMC than the file is written for: its further LIDs are its own too. */
static hd_status extra_claim_more(struct hd_ctx *ctx, struct hd_lft_extra *x)
{
    const struct hd_net *net = x->r->net;
    if (!extra_lids_kept(x)) return HD_OK;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        const uint32_t first = net->lid[v], count = hd_lid_count(net, v);
        if (!first || x->lid[v] != first) continue;
        HD_TRY(hd_lft_owners_reach(ctx, x->owners, first + count - 1));
        for (uint32_t lid = first; lid < first + count; lid++)
            if (x->owners->node[lid] == HD_LFT_UNSEEN) x->owners->node[lid] = v;
    }
    return HD_OK;
}

/* Whether all ports have one table, which then is the only one. Ports of switches that are not in the file too: the
 * network may have got more since. */
static bool one_table(struct hd_sl2vl *m)
{
    uint32_t table = 0;
    for (size_t i = 0; i < m->first[m->net->nsw]; i++) {
        if (!m->which[i]) continue;
        if (!table) table = m->which[i];
        if (memcmp(m->map[table - 1], m->map[m->which[i] - 1], sizeof *m->map) != 0) return false;
    }
    if (!m->nmap) return false;
    if (table) memmove(m->map[0], m->map[table - 1], sizeof *m->map);
    m->nmap = 1;
    hd_sl2vl_fill(m);
    return true;
}

/* Whether SL2VL tables beside VLs that do not change give them, to the levels that are known. */
static bool tables_fit(const struct hd_lft_extra *x)
{
    const struct hd_routes *r = x->r;
    const uint8_t *level = r->leaf_level ? r->leaf_level : r->pair_level,
                  *lane = r->leaf_lane ? r->leaf_lane : r->pair_lane;
    const size_t n = (size_t)(r->leaf_level ? r->nleaf : r->net->nep) * r->net->nep * r->nvar;
    if (!one_table(r->sl2vl)) return false;
    const uint8_t *map = r->sl2vl->map[0];
    for (uint32_t vl = 0; !level && vl < HD_MAX_LANES; vl++)
        if (x->service_levels >> vl & 1 && map[vl] != vl) return false;
    for (size_t i = 0; level && i < n; i++)
        if (level[i] != HD_LEVEL_UNKNOWN && map[level[i]] != (lane ? lane[i] : 0)) return false;
    return true;
}

hd_status hd_lft_extra_check(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x)
{
    const struct hd_routes *r = x->r;
    bool hop = r->lane_rule == HD_LANE_HOP;
    const char *missing = NULL;
    if (!x->present) return HD_OK;
    if (!x->variants || !x->lanes) missing = x->variants ? "lanes" : "variants";
    const bool tables = r->sl2vl && r->sl2vl->nmap && hd_sl2vl_complete(r->sl2vl);
    if (r->lane_rule == HD_LANE_UNKNOWN && r->sl2vl && !tables) {
        hd_note(ctx, "%.200s: no SL2VL table for some ports: VLs are unknown", hd_in_name(in));
        if (!r->sl2vl->nmap) x->r->sl2vl = NULL;
    }
    for (enum hd_lft_list list = 0; list < HD_LFT_SL2VL_OF && !missing; list++) {
        if (list == HD_LFT_LEAF_LANE && hop && !tables)
            missing = "sl2vl-of";
        else if (extra_has(r, list) && !extra_complete(x, list))
            missing = extra_lists[list].word;
        else if (extra_has(r, list))
            HD_TRY(extra_room(ctx, x, list)); /* of a file without endpoints */
    }
    if (missing) return hd_in_fail(ctx, in, "expected all of '# heddle %s' before the first switch", missing);
    if (hop && hops_too_far(x))
        return hd_in_fail(ctx, in, "'# heddle sl2vl' uses a VL beyond the %u of '# heddle lanes'", r->nlanes);
    if (!hop && r->lane_rule != HD_LANE_UNKNOWN && r->sl2vl && !tables_fit(x))
        return hd_in_fail(ctx, in, "'# heddle sl2vl' contradicts the VLs of '# heddle lanes %u %s'", r->nlanes,
                          lane_names[r->lane_rule]);
    return extra_claim_more(ctx, x);
}
