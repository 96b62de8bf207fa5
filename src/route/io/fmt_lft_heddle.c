/* SPDX-License-Identifier: BSD-2-Clause */
/* The `# heddle` lines of a table file, written and read: variants, the rule that selects among them, VLs, and which
 * LID belongs to which port. fmt_lft.h has the grammar. They are comments to OpenSM, so one file serves both; lists are
 * run-length encoded, because VLs and variants rarely change from one endpoint to the next. Linear in the file. */
#include "base/status.h"
#include "route/io/fmt_lft.h"

#include <stdio.h>
#include <string.h>

enum { VERSION = 1, LINE = 880 };

static const char *const select_names[] = {"one", "source", "pair", "all", "packet", NULL};
static const char *const lane_names[] = {"one", "dest", "leaf", "pair", "hop", "unknown", NULL};

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

static void write_selection(const struct hd_routes *r, struct hd_out *o)
{
    struct run_list l = {.o = o, .head = "# heddle class"};
    uint32_t nep = r->net->nep;
    for (uint32_t s = 0; r->select == HD_SELECT_SOURCE && s < nep; s++) list_put(&l, r->source_class[s]);
    list_end(&l);
    for (uint32_t s = 0; r->select == HD_SELECT_PAIR && s < nep; s++) {
        snprintf(l.head, sizeof l.head, "# heddle pairs %u", s);
        for (uint32_t d = 0; d < nep; d++) list_put(&l, r->pair_variant[(size_t)s * nep + d]);
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

static void write_lanes(const struct hd_routes *r, struct hd_out *o)
{
    if (r->lane_rule == HD_LANE_HOP) write_hops(r->net, r->sl2vl, o);
    bool leaves = r->lane_rule == HD_LANE_LEAF || (r->lane_rule == HD_LANE_HOP && r->leaf_lane);
    bool pairs = r->lane_rule == HD_LANE_PAIR || (r->lane_rule == HD_LANE_HOP && !r->leaf_lane);
    struct run_list l = {.o = o, .head = "# heddle dest-lane"};
    size_t n = (size_t)r->net->nep * r->nvar;
    for (size_t i = 0; r->lane_rule == HD_LANE_DEST && i < n; i++) list_put(&l, r->dest_lane[i]);
    list_end(&l);
    for (uint32_t leaf = 0; leaves && leaf < r->nleaf; leaf++) {
        snprintf(l.head, sizeof l.head, "# heddle leaf-lane 0x%016llx",
                 (unsigned long long)r->net->guid[r->leaf[leaf]]);
        for (size_t i = 0; i < n; i++) list_put(&l, r->leaf_lane[leaf * n + i]);
        list_end(&l);
    }
    for (uint32_t e = 0; pairs && e < r->net->nep; e++) {
        snprintf(l.head, sizeof l.head, "# heddle pair-lane %u", e);
        for (size_t i = 0; i < n; i++) list_put(&l, r->pair_lane[e * n + i]);
        list_end(&l);
    }
}

void hd_lft_extra_write(const struct hd_routes *r, const struct hd_lids *lids, struct hd_out *o)
{
    hd_printf(o, "# heddle lft %d\n", VERSION);
    hd_printf(o, "# heddle table %.*s\n", LINE, r->spec);
    hd_printf(o, "# heddle variants %u lmc %u select %s\n", r->nvar, lids->lmc, select_names[r->select]);
    hd_printf(o, "# heddle lanes %u %s\n", r->nlanes, lane_names[r->lane_rule]);
    write_nodes(r->net, lids, false, o);
    write_nodes(r->net, lids, true, o);
    write_selection(r, o);
    write_lanes(r, o);
}

/* ---- reading ------------------------------------------------------------------------------- */

bool hd_lft_hex(const char **p, uint64_t *value)
{
    const char *s = *p;
    uint64_t v = 0;
    int digits = 0;
    if (s[0] != '0' || (s[1] != 'x' && s[1] != 'X')) return false;
    for (s += 2;; s++, digits++) {
        unsigned c = (unsigned char)*s, letter = c | 32;
        unsigned digit = c - '0' <= 9 ? c - '0' : letter - 'a' <= 5 ? letter - 'a' + 10 : 16;
        if (digit == 16) break;
        v = v << 4 | digit;
    }
    if (digits == 0 || digits > 16) return false;
    *p = s;
    *value = v;
    return true;
}

/* The next word, cut off with a NUL; NULL at the end of the line. */
static char *next_word(char **p)
{
    char *word = *p + strspn(*p, " \t");
    if (!*word) return NULL;
    *p = word + strcspn(word, " \t");
    if (**p) *(*p)++ = 0;
    return word;
}

static bool parse_number(const char **p, uint64_t limit, uint64_t *value)
{
    const char *s = *p;
    uint64_t v = 0;
    if (*s < '0' || *s > '9') return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        v = v * 10 + (uint64_t)(*s - '0');
        if (v > limit) return false;
    }
    *p = s;
    *value = v;
    return true;
}

static bool word_number(const char *word, uint64_t limit, uint32_t *value)
{
    uint64_t v;
    if (!word || limit > UINT32_MAX || !parse_number(&word, limit, &v) || *word) return false;
    *value = (uint32_t)v;
    return true;
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
    const struct hd_net *net = x->net;
    x->lid = HD_NEW(x->arena, uint16_t, net->nsw + net->nep);
    x->listed = HD_NEW(x->arena, bool, net->nep);
    x->leaf_of = HD_NEW(x->arena, uint32_t, net->nsw);
    if (!x->lid || !x->listed || !x->leaf_of) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) x->leaf_of[hd_leaf(net, e)] = 1;
    for (uint32_t v = 0; v < net->nsw; v++) x->leaf_of[v] = x->leaf_of[v] ? x->nleaf++ : HD_LFT_NOBODY;
    return HD_OK;
}

static hd_status read_variants(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    int select = 0;
    bool ok = !x->variants && word_number(next_word(&p), 1u << HD_MAX_LMC, &x->nvar) && x->nvar > 0;
    const char *word = ok ? next_word(&p) : NULL;
    ok = ok && word && strcmp(word, "lmc") == 0 && word_number(next_word(&p), HD_MAX_LMC, &x->lmc) &&
         x->nvar <= 1u << x->lmc;
    word = ok ? next_word(&p) : NULL;
    ok = ok && word && strcmp(word, "select") == 0 && word_choice(next_word(&p), select_names, &select) &&
         !next_word(&p);
    if (!ok)
        return hd_in_fail(ctx, in,
                          "expected once '# heddle variants N lmc K select RULE' with N of 1 to 2^K and K of 0 to %d",
                          HD_MAX_LMC);
    x->select = (enum hd_select)select;
    x->variants = true;
    return HD_OK;
}

static hd_status read_lanes(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    int rule = 0;
    bool ok = !x->lanes && word_number(next_word(&p), HD_MAX_LANES, &x->nlanes) &&
              word_choice(next_word(&p), lane_names, &rule);
    if (!ok || next_word(&p) || (x->nlanes == 0) != (rule == HD_LANE_UNKNOWN))
        return hd_in_fail(ctx, in, "expected once '# heddle lanes N RULE' with N of 1 to %d, or '0 unknown'",
                          HD_MAX_LANES);
    x->lane_rule = (enum hd_lane_rule)rule;
    x->lanes = true;
    return HD_OK;
}

static hd_status assign_lids(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, uint32_t v,
                             uint32_t lid, uint32_t n)
{
    for (uint32_t i = lid; i < lid + n; i++) {
        if (x->owner[i] != HD_LFT_UNSEEN) return hd_in_fail(ctx, in, "LID 0x%04x is given to two ports", i);
        x->owner[i] = v;
    }
    if (v != HD_LFT_NOBODY) x->lid[v] = (uint16_t)lid;
    return HD_OK;
}

static hd_status add_endpoint(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, uint32_t e)
{
    if (e != HD_LFT_NOBODY && x->listed[e])
        return hd_in_fail(ctx, in, "port GUID 0x%016llx occurs twice",
                          (unsigned long long)x->net->guid[x->net->nsw + e]);
    if (x->n == x->room) {
        uint32_t room = x->room ? 2 * x->room : 1024, *more = HD_NEW(x->arena, uint32_t, room);
        if (!more) return hd_fail_memory(ctx);
        if (x->n) memcpy(more, x->ep, x->n * sizeof *more);
        x->ep = more;
        x->room = room;
    }
    x->ep[x->n++] = e;
    if (e != HD_LFT_NOBODY) x->listed[e] = true;
    return HD_OK;
}

static bool any_list(const struct hd_lft_extra *x)
{
    for (int l = 0; l < HD_LFT_SL2VL_OF; l++)
        if (x->at[l]) return true;
    return false;
}

static hd_status read_nodes(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p, bool switches)
{
    uint32_t n = switches ? 1 : 1u << x->lmc;
    if (!x->variants) return hd_in_fail(ctx, in, "expected '# heddle variants' before the first GUID");
    if (any_list(x)) return hd_in_fail(ctx, in, "expected all GUIDs before the first list");
    for (const char *word; (word = next_word(&p));) {
        uint64_t guid, lid;
        if (!hd_lft_hex(&word, &guid) || *word++ != '=' || !hd_lft_hex(&word, &lid) || *word)
            return hd_in_fail(ctx, in, "expected 0xGUID=0xLID");
        if (lid == 0 || lid % n || lid + n - 1 > HD_MAX_LID)
            return hd_in_fail(ctx, in, "0x%llx: expected a LID of 1 to %u, a multiple of %u", (unsigned long long)lid,
                              HD_MAX_LID, n);
        uint32_t v = switches ? hd_guid_switch(x->guids, guid) : hd_guid_endpoint(x->guids, guid);
        if (!switches)
            HD_TRY(add_endpoint(ctx, in, x, v));
        else if (v != HD_LFT_NOBODY && x->lid[v])
            return hd_in_fail(ctx, in, "switch GUID 0x%016llx occurs twice", (unsigned long long)guid);
        if (!switches && v != HD_LFT_NOBODY) v += x->net->nsw;
        HD_TRY(assign_lids(ctx, in, x, v, (uint32_t)lid, n));
    }
    return HD_OK;
}

static hd_status read_endpoints(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    return read_nodes(ctx, in, x, p, false);
}

static hd_status read_switches(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    return read_nodes(ctx, in, x, p, true);
}

/* Cursors of a list, made with its first line. */
static hd_status list_begin(struct hd_ctx *ctx, struct hd_lft_extra *x, enum hd_lft_list list, uint32_t rows)
{
    if (!x->at[list]) x->at[list] = HD_NEW(x->arena, uint64_t, rows);
    return x->at[list] ? HD_OK : hd_fail_memory(ctx);
}

static bool list_complete(const struct hd_lft_extra *x, enum hd_lft_list list, uint32_t row, uint64_t values)
{
    return values == 0 || (x->at[list] && x->at[list][row] >= values);
}

/* The next token V or V*N of a list with `left` values to come, each below limit: value and count, count 0 at the end
 * of the line. */
static hd_status list_next_run(struct hd_ctx *ctx, const struct hd_in *in, char **p, uint64_t left, uint32_t limit,
                               uint64_t run[2])
{
    const char *word = next_word(p);
    run[1] = 0;
    if (!word) return HD_OK;
    run[1] = 1;
    bool ok = limit && parse_number(&word, limit - 1, &run[0]);
    if (ok && *word == '*') {
        word++;
        ok = parse_number(&word, UINT32_MAX, &run[1]) && run[1] > 0;
    }
    if (!ok || *word) return hd_in_fail(ctx, in, "expected values below %u, V or V*N", limit);
    if (run[1] > left) return hd_in_fail(ctx, in, "more values than the list has places");
    return HD_OK;
}

static hd_status read_class(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    if (x->select != HD_SELECT_SOURCE) return hd_in_fail(ctx, in, "expected this list only after 'select source'");
    if (!x->source_class && !(x->source_class = HD_NEW(x->arena, uint16_t, x->net->nep))) return hd_fail_memory(ctx);
    HD_TRY(list_begin(ctx, x, HD_LFT_CLASS, 1));
    uint64_t *at = &x->at[HD_LFT_CLASS][0];
    for (uint64_t run[2];;) {
        HD_TRY(list_next_run(ctx, in, &p, x->n - *at, x->nvar, run));
        if (!run[1]) return HD_OK;
        for (; run[1] > 0; run[1]--) {
            uint32_t e = x->ep[(*at)++];
            if (e != HD_LFT_NOBODY) x->source_class[e] = (uint16_t)run[0];
        }
    }
}

static hd_status read_pairs(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    uint32_t i, nep = x->net->nep;
    if (x->select != HD_SELECT_PAIR) return hd_in_fail(ctx, in, "expected this list only after 'select pair'");
    if (!x->n || !word_number(next_word(&p), x->n - 1, &i))
        return hd_in_fail(ctx, in, "expected the number of a source, below %u", x->n);
    if (!x->pair_variant) x->pair_variant = HD_NEW(x->arena, uint16_t, (size_t)nep * nep);
    if (!x->pair_variant) return hd_fail_memory(ctx);
    HD_TRY(list_begin(ctx, x, HD_LFT_PAIRS, x->n));
    uint64_t *at = &x->at[HD_LFT_PAIRS][i];
    for (uint64_t run[2];;) {
        HD_TRY(list_next_run(ctx, in, &p, x->n - *at, x->nvar, run));
        if (!run[1]) return HD_OK;
        for (; run[1] > 0; run[1]--) {
            uint32_t s = x->ep[i], d = x->ep[(*at)++];
            if (s != HD_LFT_NOBODY && d != HD_LFT_NOBODY) x->pair_variant[(size_t)s * nep + d] = (uint16_t)run[0];
        }
    }
}

/* Values in lists of VLs are below this; if VLs change by hop, the lists hold service levels. */
static uint32_t service_level_limit(const struct hd_lft_extra *x)
{
    return x->lane_rule == HD_LANE_HOP ? HD_MAX_LANES : x->nlanes;
}

/* VLs of (endpoint, variant) into to[], from position *at of the list in the file. */
static hd_status read_lane_list(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p,
                                uint8_t *to, uint64_t *at)
{
    for (uint64_t run[2];;) {
        HD_TRY(list_next_run(ctx, in, &p, (uint64_t)x->n * x->nvar - *at, service_level_limit(x), run));
        if (!run[1]) return HD_OK;
        x->service_levels |= 1u << run[0];
        for (; run[1] > 0; run[1]--, ++*at) {
            uint32_t e = x->ep[*at / x->nvar];
            if (e != HD_LFT_NOBODY) to[(size_t)e * x->nvar + *at % x->nvar] = (uint8_t)run[0];
        }
    }
}

static hd_status read_dest_lane(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    if (x->lane_rule != HD_LANE_DEST || !x->variants)
        return hd_in_fail(ctx, in, "expected this list only after 'lanes N dest'");
    if (!x->dest_lane && !(x->dest_lane = HD_NEW(x->arena, uint8_t, (size_t)x->net->nep * x->nvar)))
        return hd_fail_memory(ctx);
    HD_TRY(list_begin(ctx, x, HD_LFT_DEST_LANE, 1));
    return read_lane_list(ctx, in, x, p, x->dest_lane, &x->at[HD_LFT_DEST_LANE][0]);
}

static hd_status read_leaf_lane(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    uint64_t guid;
    size_t each = (size_t)x->net->nep * x->nvar;
    const char *word = next_word(&p);
    if ((x->lane_rule != HD_LANE_LEAF && x->lane_rule != HD_LANE_HOP) || !x->variants || x->pair_lane)
        return hd_in_fail(ctx, in, "expected this list only after 'lanes N leaf' or 'lanes N hop'");
    if (!word || !hd_lft_hex(&word, &guid) || *word) return hd_in_fail(ctx, in, "expected the GUID of a leaf switch");
    if (!x->leaf_lane) x->leaf_lane = HD_NEW(x->arena, uint8_t, each * x->nleaf);
    if (!x->leaf_lane) return hd_fail_memory(ctx);
    HD_TRY(list_begin(ctx, x, HD_LFT_LEAF_LANE, x->nleaf));
    uint32_t v = hd_guid_switch(x->guids, guid), leaf = v == HD_LFT_NOBODY ? v : x->leaf_of[v];
    if (leaf == HD_LFT_NOBODY) return HD_OK; /* it has no sources here */
    return read_lane_list(ctx, in, x, p, x->leaf_lane + each * leaf, &x->at[HD_LFT_LEAF_LANE][leaf]);
}

static hd_status read_pair_lane(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    uint32_t i;
    size_t each = (size_t)x->net->nep * x->nvar;
    if ((x->lane_rule != HD_LANE_PAIR && x->lane_rule != HD_LANE_HOP) || !x->variants || x->leaf_lane)
        return hd_in_fail(ctx, in, "expected this list only after 'lanes N pair' or 'lanes N hop'");
    if (!x->n || !word_number(next_word(&p), x->n - 1, &i))
        return hd_in_fail(ctx, in, "expected the number of a source, below %u", x->n);
    if (!x->pair_lane) /* one row more, for ports that are not in the network */
        x->pair_lane = HD_NEW(x->arena, uint8_t, each * x->net->nep + each);
    if (!x->pair_lane) return hd_fail_memory(ctx);
    HD_TRY(list_begin(ctx, x, HD_LFT_PAIR_LANE, x->n));
    uint32_t s = x->ep[i] == HD_LFT_NOBODY ? x->net->nep : x->ep[i];
    return read_lane_list(ctx, in, x, p, x->pair_lane + each * s, &x->at[HD_LFT_PAIR_LANE][i]);
}

static hd_status make_hops(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x)
{
    if (x->lane_rule != HD_LANE_HOP) return hd_in_fail(ctx, in, "expected this line only after 'lanes N hop'");
    if (x->hops) return HD_OK;
    HD_TRY(list_begin(ctx, x, HD_LFT_SL2VL_OF, x->net->nsw));
    return hd_sl2vl_make(ctx, x->arena, x->net, &x->hops);
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
    if (next_word(&p) || x->hops->nmap == HD_MAX_MAPS)
        return hd_in_fail(ctx, in, "expected 16 VLs, and at most %d such lines", HD_MAX_MAPS);
    return hd_sl2vl_add(ctx, x->arena, x->hops, lane, &map);
}

/* Lists are by port, so that a switch may have lost cables since; ports without a cable have no slot. */
static hd_status read_sl2vl_of(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    uint64_t guid;
    uint8_t slot_of[256];
    const char *word = next_word(&p);
    const struct hd_net *net = x->net;
    HD_TRY(make_hops(ctx, in, x));
    if (!word || !hd_lft_hex(&word, &guid) || *word) return hd_in_fail(ctx, in, "expected the GUID of a switch");
    uint32_t v = hd_guid_switch(x->guids, guid);
    if (v == HD_LFT_NOBODY) return HD_OK;
    uint32_t ports = net->nports[v];
    uint64_t *at = &x->at[HD_LFT_SL2VL_OF][v];
    memset(slot_of, HD_SLOT_NONE, sizeof slot_of);
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) slot_of[net->port[c]] = (uint8_t)(c - net->off[v]);
    for (uint64_t run[2];;) {
        HD_TRY(list_next_run(ctx, in, &p, (uint64_t)ports * ports - *at, x->hops->nmap + 1, run));
        if (!run[1]) return HD_OK;
        for (; run[1] > 0; run[1]--, ++*at) {
            uint8_t from = slot_of[*at / ports + 1], to = slot_of[*at % ports + 1];
            if (from != HD_SLOT_NONE && to != HD_SLOT_NONE) *hd_sl2vl_at(x->hops, v, from, to) = (uint16_t)run[0];
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

/* What made the table: for people. */
static hd_status read_table_spec(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    (void)ctx, (void)in, (void)x, (void)p;
    return HD_OK;
}

static const struct {
    const char *word;
    hd_status (*read)(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p);
} extra_lines[] = {
    {"lft", read_version},         {"table", read_table_spec},    {"variants", read_variants},   {"lanes", read_lanes},
    {"endpoints", read_endpoints}, {"switches", read_switches},   {"class", read_class},         {"pairs", read_pairs},
    {"dest-lane", read_dest_lane}, {"leaf-lane", read_leaf_lane}, {"pair-lane", read_pair_lane}, {"sl2vl", read_sl2vl},
    {"sl2vl-of", read_sl2vl_of},
};

hd_status hd_lft_extra_line(struct hd_ctx *ctx, const struct hd_in *in, struct hd_lft_extra *x, char *p)
{
    const char *word = next_word(&p);
    if (!word) return hd_in_fail(ctx, in, "expected a word after '# heddle'");
    if (!x->present && strcmp(word, extra_lines[0].word) != 0)
        return hd_in_fail(ctx, in, "expected '# heddle lft %d' first", VERSION);
    for (size_t i = 0; i < sizeof extra_lines / sizeof extra_lines[0]; i++)
        if (strcmp(word, extra_lines[i].word) == 0) return extra_lines[i].read(ctx, in, x, p);
    return hd_in_fail(ctx, in, "'# heddle %.40s' is not known", word);
}

/* Whether every leaf switch with endpoints of the file has all its VLs. */
static bool leaf_lanes_complete(const struct hd_lft_extra *x)
{
    for (uint32_t e = 0; e < x->net->nep; e++)
        if (x->listed[e] &&
            !list_complete(x, HD_LFT_LEAF_LANE, x->leaf_of[hd_leaf(x->net, e)], (uint64_t)x->n * x->nvar))
            return false;
    return true;
}

static bool pair_lanes_complete(const struct hd_lft_extra *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (!list_complete(x, HD_LFT_PAIR_LANE, i, (uint64_t)x->n * x->nvar)) return false;
    return true;
}

/* A table for every pair of cabled ports. */
static bool hops_complete(const struct hd_lft_extra *x)
{
    const struct hd_net *net = x->net;
    if (!x->hops || !x->hops->nmap) return false;
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t in = 0; in < hd_degree(net, v); in++)
            for (uint32_t out = 0; out < hd_degree(net, v); out++)
                if (in != out && !*hd_sl2vl_at(x->hops, v, in, out)) return false;
    return true;
}

/* Whether service levels in use lead to VLs that do not exist; a port that is in no list has service level 0. */
static bool hops_too_far(const struct hd_lft_extra *x)
{
    for (uint32_t i = 0; i < 16 * x->hops->nmap; i++)
        if ((x->service_levels | 1) >> i % 16 & 1 && x->hops->map[i / 16][i % 16] >= x->nlanes) return true;
    return false;
}

static bool pairs_complete(const struct hd_lft_extra *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (!list_complete(x, HD_LFT_PAIRS, i, x->n)) return false;
    return true;
}

hd_status hd_lft_extra_check(struct hd_ctx *ctx, const struct hd_in *in, const struct hd_lft_extra *x)
{
    const char *missing = NULL;
    if (!x->present) return HD_OK;
    if (!x->variants)
        missing = "variants";
    else if (!x->lanes)
        missing = "lanes";
    else if (x->select == HD_SELECT_SOURCE && !list_complete(x, HD_LFT_CLASS, 0, x->n))
        missing = "class";
    else if (x->select == HD_SELECT_PAIR && !pairs_complete(x))
        missing = "pairs";
    else if (x->lane_rule == HD_LANE_DEST && !list_complete(x, HD_LFT_DEST_LANE, 0, (uint64_t)x->n * x->nvar))
        missing = "dest-lane";
    else if (x->lane_rule == HD_LANE_HOP && !hops_complete(x))
        missing = "sl2vl-of";
    else if ((x->lane_rule == HD_LANE_LEAF || (x->lane_rule == HD_LANE_HOP && !x->pair_lane)) &&
             !leaf_lanes_complete(x))
        missing = "leaf-lane";
    else if ((x->lane_rule == HD_LANE_PAIR || (x->lane_rule == HD_LANE_HOP && x->pair_lane)) && !pair_lanes_complete(x))
        missing = "pair-lane";
    if (missing) return hd_in_fail(ctx, in, "expected all of '# heddle %s' before the first switch", missing);
    if (x->lane_rule == HD_LANE_HOP && hops_too_far(x))
        return hd_in_fail(ctx, in, "'# heddle sl2vl' uses a VL beyond the %u of '# heddle lanes'", x->nlanes);
    return HD_OK;
}
