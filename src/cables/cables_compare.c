/* SPDX-License-Identifier: BSD-2-Clause */
/* Planned against found. A planned cable both of whose ends are found on one cable is as planned. One of which an end
 * is on another cable is wrong, the adapter's end first, because whoever plugged it held that one; and the other cable
 * is then no extra one. Two wrong ones that exchange their ends are swapped. What is left is missing or extra. An
 * adapter port whose host has one cable in plan and fabric needs no name, and a device with the GUID of a planned one
 * may have another name (cables_renamed.c). What costs most bandwidth comes first
 * (cables_cost.c). Cost: O(n log n) in the cables. */
#include "base/status.h"
#include "cables/cable_list.h"
#include "net/core/link_usual.h"
#include "net/core/node_name.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NOWHERE = -1 };

struct cable_key { /* an end in an index */
    const char *key;
    uint32_t cable, side;
};

struct cable_index {
    struct cable_key *at;
    uint32_t n;
};

struct comparison {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    struct hd_cables *out;
    struct hd_cable_list plan, found;
    struct cable_index ends; /* of found cables: by key, then cable, and so by the key of the other end */
    uint32_t *skip;          /* [ends] at the first entry of a key: how many of them are known to be in use */
    bool *used;              /* [found] as planned, or part of a fault */
    bool *fine;              /* [plan] */
    uint32_t room;           /* of out->fault */
};

/* ---- reading -------------------------------------------------------------------------------- */

static hd_status read_net(struct hd_cable_list *list, const char *text, const struct hd_open *open)
{
    struct hd_net *net;
    const char *file = hd_strdup(list->arena, text, strlen(text));
    if (!file) return hd_fail_memory(list->ctx);
    HD_TRY(hd_net_open(list->ctx, text, open, &net));
    hd_status s = hd_cables_of_net(list, net, file);
    hd_net_free(net);
    return s;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool exists(const char *path)
{
    struct stat st;
    return strcmp(path, "-") == 0 || stat(path, &st) == 0;
}

static hd_status read_plan(struct hd_cable_list *list, const char *path)
{
    struct hd_in *in;
    bool known = false;
    if (!exists(path) || is_folder(path)) return read_net(list, path, &(struct hd_open){0});
    HD_TRY(hd_in_open(list->ctx, path, &in));
    hd_status s = hd_plan_read(list, in, &known);
    hd_in_close(in);
    if (s != HD_OK || known) return s;
    s = read_net(list, path, &(struct hd_open){0});
    if (s != HD_INPUT) return s;
    char why[400];
    snprintf(why, sizeof why, "%s", hd_ctx_error(list->ctx));
    return hd_fail(list->ctx, HD_INPUT, "%.300s; a plan is NDT or PTP CSV with a head, .topo of ibdm, DOT or a network",
                   why);
}

/* "leaf01.json" is about leaf01. */
static hd_status read_lldp(struct hd_cable_list *list, const char *path)
{
    struct hd_in *in;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strstr(name, ".json");
    const char *host = hd_strdup(list->arena, name, dot ? (size_t)(dot - name) : strlen(name));
    if (!host) return hd_fail_memory(list->ctx);
    HD_TRY(hd_in_open(list->ctx, path, &in));
    hd_status s = hd_lldp_read(list, in, host);
    hd_in_close(in);
    return s;
}

static int by_file_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Files of a folder whose names end in .json, sorted; none is fine. */
static hd_status list_json(struct hd_cable_list *list, const char *folder, const char ***file, uint32_t *n)
{
    uint32_t room = 0;
    const struct dirent *entry;
    DIR *dir = opendir(folder);
    hd_status s = HD_OK;
    *n = 0;
    if (!dir) return hd_fail(list->ctx, HD_INPUT, "%.200s: cannot be opened", folder);
    while (s == HD_OK && (entry = readdir(dir))) {
        size_t len = strlen(entry->d_name);
        char path[4096];
        if (len < 6 || strcmp(entry->d_name + len - 5, ".json") != 0) continue;
        int used = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (used < 0 || (size_t)used >= sizeof path) continue;
        const char *copy = hd_strdup(list->arena, path, (size_t)used);
        if (!copy || !HD_MORE(list->arena, *file, *n, room))
            s = hd_fail_memory(list->ctx);
        else
            (*file)[(*n)++] = copy;
    }
    closedir(dir);
    if (s == HD_OK && *n) qsort(*file, *n, sizeof **file, by_file_name);
    return s;
}

static hd_status read_found(struct hd_cable_list *list, const char *text, const struct hd_open *open)
{
    const char **file = NULL;
    uint32_t n = 0;
    struct hd_in *in;
    bool json = false;
    if (is_folder(text)) {
        HD_TRY(list_json(list, text, &file, &n));
        for (uint32_t i = 0; i < n; i++) HD_TRY(read_lldp(list, file[i]));
        return n ? HD_OK : read_net(list, text, open);
    }
    if (!exists(text)) return read_net(list, text, open);
    HD_TRY(hd_in_open(list->ctx, text, &in));
    hd_status s = hd_in_starts(list->ctx, in, "{", 1, &json);
    hd_in_close(in);
    if (s != HD_OK) return s;
    return json ? read_lldp(list, text) : read_net(list, text, open);
}

/* ---- looking up ----------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const struct cable_key *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    if (order) return order;
    return x->cable != y->cable ? (x->cable > y->cable) - (x->cable < y->cable)
                                : (x->side > y->side) - (x->side < y->side);
}

static hd_status index_ends(struct comparison *c, const struct hd_cable_list *list, struct cable_index *index)
{
    index->n = 2 * list->n;
    if (!(index->at = HD_NEW(c->arena, struct cable_key, index->n))) return hd_fail_memory(c->ctx);
    for (uint32_t i = 0; i < index->n; i++)
        index->at[i] = (struct cable_key){list->row[i / 2].end[i % 2].key, i / 2, i % 2};
    qsort(index->at, index->n, sizeof *index->at, by_key);
    return HD_OK;
}

/* The first entry whose first n bytes are not below those of key. */
static uint32_t index_find(const struct cable_index *index, const char *key, size_t n)
{
    uint32_t low = 0, high = index->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (strncmp(index->at[mid].key, key, n) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Cables of the device that a key names, two at most are counted. */
static uint32_t device_cables(const struct cable_index *index, const char *key, uint32_t *first)
{
    size_t n = strcspn(key, HD_CABLES_MARK) + 1;
    uint32_t i = index_find(index, key, n), count = 0;
    *first = i;
    while (count < 2 && i + count < index->n && strncmp(index->at[i + count].key, key, n) == 0) count++;
    return count;
}

/* A host with one cable in both lists: the planned port takes the found one's key. */
static hd_status name_single_ports(struct comparison *c)
{
    struct cable_index planned;
    HD_TRY(index_ends(c, &c->plan, &planned));
    for (uint32_t i = 0; i < 2 * c->plan.n; i++) {
        struct hd_cables_end *end = &c->plan.row[i / 2].end[i % 2];
        uint32_t first, own;
        if (device_cables(&c->ends, end->key, &first) != 1 || device_cables(&planned, end->key, &own) != 1) continue;
        const struct cable_key *k = &c->ends.at[first];
        const struct hd_cables_end *there = &c->found.row[k->cable].end[k->side];
        if (there->guid && !there->is_switch) end->key = k->key; /* LLDP names its ports */
    }
    return HD_OK;
}

static int by_both_keys(const struct comparison *c, uint32_t i, const char *key, const char *other)
{
    const struct cable_key *k = &c->ends.at[i];
    int order = strcmp(k->key, key);
    return order ? order : strcmp(c->found.row[k->cable].end[1 - k->side].key, other);
}

/* The found cable that is not in use and has these ends. Found cables are sorted by their lower key and then the other,
 * so that those with one key in common are sorted by the other. */
static int64_t find_cable(const struct comparison *c, const char *key, const char *other)
{
    uint32_t low = 0, high = c->ends.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (by_both_keys(c, mid, key, other) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == c->ends.n || by_both_keys(c, low, key, other) != 0) return NOWHERE;
    return c->used[c->ends.at[low].cable] ? NOWHERE : (int64_t)c->ends.at[low].cable;
}

/* The first found cable that is not in use and ends at key. */
static int64_t find_end(struct comparison *c, const char *key)
{
    uint32_t first = index_find(&c->ends, key, strlen(key) + 1);
    for (; first < c->ends.n; c->skip[first]++) {
        uint32_t i = first + c->skip[first];
        if (i == c->ends.n || strcmp(c->ends.at[i].key, key) != 0) return NOWHERE;
        if (!c->used[c->ends.at[i].cable]) return c->ends.at[i].cable;
    }
    return NOWHERE;
}

/* ---- faults --------------------------------------------------------------------------------- */

static hd_status add_fault(struct comparison *c, const struct hd_cables_fault *fault)
{
    struct hd_cables *out = c->out;
    if (!HD_MORE(c->arena, out->fault, out->nfault, c->room)) return hd_fail_memory(c->ctx);
    out->fault[out->nfault++] = *fault;
    return HD_OK;
}

static int plan_order(const void *a, const void *b)
{
    const struct hd_cables_row *x = a, *y = b;
    for (int i = 0; i < 2; i++) {
        int order = strcmp(x->end[i].key, y->end[i].key);
        if (order) return order;
    }
    if (x->file != y->file) return strcmp(x->file, y->file);
    return (x->line > y->line) - (x->line < y->line);
}

/* Rows that say the same, from either end, become one; the lower key is first while they are compared. */
static void merge_rows(struct hd_cable_list *list)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        struct hd_cables_row *r = &list->row[i];
        if (strcmp(r->end[0].key, r->end[1].key) <= 0) continue;
        struct hd_cables_end swap = r->end[0];
        r->end[0] = r->end[1];
        r->end[1] = swap;
    }
    if (list->n) qsort(list->row, list->n, sizeof *list->row, plan_order);
    for (uint32_t i = 0; i < list->n; i++) {
        struct hd_cables_row *last = n ? &list->row[n - 1] : NULL, *r = &list->row[i];
        if (last && strcmp(last->end[0].key, r->end[0].key) == 0 && strcmp(last->end[1].key, r->end[1].key) == 0) {
            if (!last->link) last->link = r->link;
            continue;
        }
        list->row[n++] = *r;
    }
    list->n = n;
}

/* Which end to look for first: that of an adapter. What a plan does not say, the fabric may: its switches are known. */
static int first_side(const struct comparison *c, const struct hd_cables_row *p)
{
    uint32_t first;
    bool is_switch[2];
    for (int i = 0; i < 2; i++) {
        bool any = device_cables(&c->ends, p->end[i].key, &first) > 0;
        const struct cable_key *k = any ? &c->ends.at[first] : NULL;
        is_switch[i] = k && c->found.row[k->cable].end[k->side].is_switch;
    }
    return is_switch[0] && !is_switch[1] ? 1 : 0;
}

static hd_status find_wrong(struct comparison *c)
{
    for (uint32_t i = 0; i < c->plan.n; i++) {
        const struct hd_cables_row *p = &c->plan.row[i];
        if (c->fine[i]) continue;
        int side = first_side(c, p);
        int64_t f = find_end(c, p->end[side].key);
        if (f == NOWHERE) f = find_end(c, p->end[1 - side].key);
        struct hd_cables_fault fault = {.kind = HD_CABLES_MISSING, .planned = p};
        if (f != NOWHERE) {
            c->used[f] = true;
            fault.kind = HD_CABLES_WRONG;
            fault.found = &c->found.row[f];
        }
        HD_TRY(add_fault(c, &fault));
    }
    return HD_OK;
}

static bool row_has(const struct hd_cables_row *r, const char *key)
{
    return strcmp(r->end[0].key, key) == 0 || strcmp(r->end[1].key, key) == 0;
}

/* Whether each of two cables has one planned end of both. */
static bool are_swapped(const struct hd_cables_fault *a, const struct hd_cables_fault *b)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (row_has(a->found, a->planned->end[i].key) && row_has(a->found, b->planned->end[k].key) &&
                row_has(b->found, a->planned->end[1 - i].key) && row_has(b->found, b->planned->end[1 - k].key))
                return true;
    return false;
}

/* Pairs of wrong cables that exchange their ends: of each, the one with the other end of its found cable is sought. */
static hd_status find_swaps(struct comparison *c)
{
    struct hd_cables *out = c->out;
    uint32_t n = 0;
    struct cable_key *at = HD_NEW(c->arena, struct cable_key, 2 * (size_t)out->nfault);
    if (!at) return hd_fail_memory(c->ctx);
    for (uint32_t i = 0; i < out->nfault; i++)
        for (uint32_t k = 0; out->fault[i].kind == HD_CABLES_WRONG && k < 2; k++)
            at[n++] = (struct cable_key){out->fault[i].planned->end[k].key, i, k};
    qsort(at, n, sizeof *at, by_key);
    const struct cable_index planned = {at, n};
    for (uint32_t i = 0; i < out->nfault; i++) {
        struct hd_cables_fault *f = &out->fault[i];
        for (int k = 0; k < 2 && f->kind == HD_CABLES_WRONG && f->found; k++) {
            const char *key = f->found->end[k].key;
            uint32_t j = index_find(&planned, key, strlen(key) + 1);
            if (j == n || strcmp(at[j].key, key) != 0 || at[j].cable <= i) continue;
            struct hd_cables_fault *g = &out->fault[at[j].cable];
            if (g->kind != HD_CABLES_WRONG || !are_swapped(f, g)) continue;
            f->kind = HD_CABLES_SWAPPED;
            f->planned2 = g->planned;
            f->found2 = g->found;
            g->kind = HD_CABLES_KINDS; /* taken out below */
        }
    }
    n = 0;
    for (uint32_t i = 0; i < out->nfault; i++)
        if (out->fault[i].kind != HD_CABLES_KINDS) out->fault[n++] = out->fault[i];
    out->nfault = n;
    return HD_OK;
}

/* ---- rates ---------------------------------------------------------------------------------- */

static bool between_switches(const struct hd_cables_row *r)
{
    return r->end[0].is_switch && r->end[1].is_switch;
}

/* The most frequent rate of found cables of a kind; 0: it is not known. */
static uint8_t usual_link(const struct comparison *c, bool switches)
{
    uint32_t count[HD_LINK_CODES] = {0};
    for (uint32_t i = 0; i < c->found.n; i++)
        if (between_switches(&c->found.row[i]) == switches) count[c->found.row[i].link]++;
    return hd_link_usual(count, NULL);
}

static hd_status match_planned(struct comparison *c)
{
    const uint8_t usual[2] = {usual_link(c, false), usual_link(c, true)};
    for (uint32_t i = 0; i < c->plan.n; i++) {
        const struct hd_cables_row *p = &c->plan.row[i];
        int64_t f = find_cable(c, p->end[0].key, p->end[1].key);
        if (f == NOWHERE) continue;
        const struct hd_cables_row *found = &c->found.row[f];
        uint8_t should = p->link ? p->link : usual[between_switches(found)];
        c->used[f] = c->fine[i] = true;
        c->out->matched++;
        if (found->link && hd_link_mbps(found->link) < hd_link_mbps(should))
            HD_TRY(add_fault(
                c, &(struct hd_cables_fault){.kind = HD_CABLES_SLOW, .planned = p, .found = found, .usual = should}));
    }
    return HD_OK;
}

/* ---- devices that are not there ------------------------------------------------------------- */

static hd_status find_dead(struct comparison *c)
{
    struct cable_index planned;
    uint32_t first, n;
    HD_TRY(index_ends(c, &c->plan, &planned));
    for (uint32_t i = 0; i < planned.n; i += n) {
        const char *key = planned.at[i].key;
        size_t len = strcspn(key, HD_CABLES_MARK) + 1;
        for (n = 0; i + n < planned.n && strncmp(planned.at[i + n].key, key, len) == 0;) n++;
        if (device_cables(&c->ends, key, &first)) continue;
        const struct hd_cables_row *r = &c->plan.row[planned.at[i].cable];
        struct hd_cables_fault dead = {
            .kind = HD_CABLES_DEAD, .node = r->end[planned.at[i].side].node, .key = key, .cables = n};
        HD_TRY(add_fault(c, &dead));
    }
    return HD_OK;
}

/* GUIDs of the switches that a plan names. */
static void name_planned_switches(struct comparison *c)
{
    for (uint32_t i = 0; i < 2 * c->plan.n; i++) {
        struct hd_cables_end *end = &c->plan.row[i / 2].end[i % 2];
        size_t n = hd_cables_switch_key(end->key);
        uint32_t k = index_find(&c->ends, end->key, n + 1);
        if (k == c->ends.n || strncmp(c->ends.at[k].key, end->key, n + 1) != 0) continue;
        const struct hd_cables_end *found = &c->found.row[c->ends.at[k].cable].end[c->ends.at[k].side];
        if (!found->is_switch || hd_cables_switch_key(found->key) != n) continue;
        end->guid = found->guid;
        end->is_switch = true;
    }
}

/* ---- inside a chassis ------------------------------------------------------------------------ */

/* Nobody plugs a cable between ASICs of one chassis: a network is read without these, so a plan that has them, as one
 * made from a network has, is too. */
static bool is_inside(const struct comparison *c, const struct hd_cables_row *p)
{
    const char *a = p->end[0].key, *b = p->end[1].key;
    const size_t n = strcspn(a, HD_CABLES_MARK) + 1;
    uint32_t first;
    if (strncmp(a, b, n) != 0) return false;
    if (!device_cables(&c->ends, a, &first)) return hd_cables_switch_key(a) > n && hd_cables_switch_key(b) > n;
    const struct cable_key *k = &c->ends.at[first];
    return c->found.row[k->cable].end[k->side].is_switch;
}

static void leave_out_inside(struct comparison *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->plan.n; i++)
        if (!is_inside(c, &c->plan.row[i])) c->plan.row[n++] = c->plan.row[i];
    c->plan.n = n;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int rank_fault(const struct hd_cables_fault *f)
{
    static const int rank[] = {[HD_CABLES_MISSING] = 3, [HD_CABLES_SWAPPED] = 1, [HD_CABLES_WRONG] = 2,
                               [HD_CABLES_EXTRA] = 5,   [HD_CABLES_SLOW] = 4,    [HD_CABLES_DEAD] = 0};
    return rank[f->kind];
}

static int by_rank(const void *a, const void *b)
{
    const struct hd_cables_fault *x = a, *y = b;
    const struct hd_cables_row *p = x->found ? x->found : x->planned, *q = y->found ? y->found : y->planned;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    if (rank_fault(x) != rank_fault(y)) return rank_fault(x) - rank_fault(y);
    if (!p || !q)
        return x->cables != y->cables ? (x->cables < y->cables) - (x->cables > y->cables) : strcmp(x->node, y->node);
    if (between_switches(p) != between_switches(q)) return between_switches(p) ? -1 : 1;
    for (int i = 0; i < 2; i++) {
        const char *s = p->end[i].label, *t = q->end[i].label;
        int order = hd_name_order((struct hd_text){s, strlen(s)}, (struct hd_text){t, strlen(t)});
        if (order) return order;
    }
    return plan_order(p, q);
}

static hd_status compare_lists(struct comparison *c)
{
    struct hd_cables *out = c->out;
    merge_rows(&c->found);
    HD_TRY(index_ends(c, &c->found, &c->ends));
    HD_TRY(hd_cables_rename(&c->plan, &c->found, out));
    leave_out_inside(c);
    merge_rows(&c->plan);
    HD_TRY(name_single_ports(c));
    merge_rows(&c->plan);
    name_planned_switches(c);
    c->used = HD_NEW(c->arena, bool, c->found.n);
    c->fine = HD_NEW(c->arena, bool, c->plan.n);
    c->skip = HD_NEW(c->arena, uint32_t, c->ends.n);
    if (!c->used || !c->fine || !c->skip) return hd_fail_memory(c->ctx);
    HD_TRY(match_planned(c));
    HD_TRY(find_wrong(c));
    HD_TRY(find_swaps(c));
    for (uint32_t i = 0; i < c->found.n; i++)
        if (!c->used[i])
            HD_TRY(add_fault(c, &(struct hd_cables_fault){.kind = HD_CABLES_EXTRA, .found = &c->found.row[i]}));
    HD_TRY(find_dead(c));
    out->planned = c->plan.n;
    out->found = c->found.n;
    out->inside = c->found.inside;
    out->aggregation = c->found.aggregation;
    HD_TRY(hd_cables_cost(&c->plan, out));
    if (out->nfault) qsort(out->fault, out->nfault, sizeof *out->fault, by_rank);
    for (uint32_t i = 0; i < out->nfault; i++) out->count[out->fault[i].kind]++;
    return HD_OK;
}

hd_status hd_cables_compare(struct hd_ctx *ctx, const char *const *plan, uint32_t nplan, const char *found,
                            const struct hd_open *open, struct hd_cables **cables)
{
    struct hd_arena *own;
    struct hd_cables *out = hd_owned_new(sizeof *out, &own);
    if (!out) return hd_fail_memory(ctx);
    out->arena = own;
    struct comparison c = {
        .ctx = ctx, .arena = own, .out = out, .plan = {.ctx = ctx, .arena = own}, .found = {.ctx = ctx, .arena = own}};
    hd_status s = HD_OK;
    for (uint32_t i = 0; i < nplan && s == HD_OK; i++) s = read_plan(&c.plan, plan[i]);
    if (s == HD_OK && !c.plan.n) s = hd_fail(ctx, HD_INPUT, "%.200s: no cable is planned", plan[0]);
    if (s == HD_OK) s = read_found(&c.found, found, open);
    if (s == HD_OK) s = compare_lists(&c);
    if (s == HD_OK)
        *cables = out;
    else
        hd_cables_free(out);
    return s;
}

void hd_cables_free(struct hd_cables *cables)
{
    if (cables) hd_owned_free(cables->arena);
}

const char *hd_cables_name(enum hd_cables_kind kind)
{
    static const char *const names[] = {"missing", "swapped", "wrong", "extra", "slow", "dead"};
    return names[kind];
}
