/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts and rails (rules in hosts.h).
 *
 * Grouping is a hash of (host name, salt), where the salt is zero as long as the name alone is trusted,
 * then the system image GUID, then the adapter's own; a name that turns out to be borne by several
 * machines is grouped again with less trust. Adapters whose descriptions name no host are placed by their switch ports
 * (host_slots.c), and rails follow (host_rails.c). Numbers are given in order of first appearance or after a total
 * sort, so nothing depends on the hash. */
#include "net/core/hosts.h"
#include "base/expression.h"
#include "base/status.h"
#include "net/core/host_grouping.h"
#include "net/core/host_slots.h"
#include "net/core/kinds.h"
#include "net/core/node_name.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the names say -------------------------------------------------------------------- */

static struct hd_text whole_name(const struct hd_net *net, uint32_t a)
{
    const char *s = net->names + net->name_at[net->nsw + a];
    return (struct hd_text){s, strlen(s)};
}

static hd_status compile_rule(struct hd_ctx *ctx, const char *rule, regex_t *re)
{
    HD_TRY(hd_expression(ctx, "rails", rule, "auto, port, none or a regular expression", re));
    if (re->re_nsub == 1 || re->re_nsub == 2) return HD_OK;
    size_t groups = re->re_nsub;
    regfree(re);
    return hd_fail(ctx, HD_INPUT,
                   "rails: '%.200s' has %zu groups: expected auto, port, none or an expression with a group for the "
                   "host name and perhaps one for the rail",
                   rule, groups);
}

static hd_status match_rule(struct hd_ctx *ctx, const regex_t *re, struct adapter *ca, struct hd_text *rail)
{
    const char *name = ca->host.at;
    regmatch_t m[3] = {{-1, -1}, {-1, -1}, {-1, -1}};
    bool found;
    HD_TRY(hd_expression_match(ctx, re, name, 3, m, &found));
    if (!found || m[1].rm_so < 0 || m[1].rm_so == m[1].rm_eo) return HD_OK;
    ca->trust = BY_NAME;
    ca->host = (struct hd_text){name + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so)};
    if (re->re_nsub == 2 && m[2].rm_so >= 0)
        *rail = (struct hd_text){name + m[2].rm_so, (size_t)(m[2].rm_eo - m[2].rm_so)};
    return HD_OK;
}

static hd_status read_description(struct grouping *w, uint32_t a, const regex_t *re)
{
    struct adapter *ca = &w->ca[a];
    struct hd_text device = {"", 0};
    *ca = (struct adapter){.host = whole_name(w->net, a), .trust = ALONE};
    bool machine = hd_role_is_machine(w->net->ca_role[a]);
    if (machine && w->rule == EXPRESSION) {
        HD_TRY(match_rule(w->ctx, re, ca, &device));
    } else if (machine && w->rule != NONE) {
        struct hd_name name = hd_name_split(ca->host.at);
        ca->host = name.host;
        if (name.device.n) device = name.device;
        ca->trust = name.vague || !name.device.n ? BY_SYSTEM : BY_NAME;
        ca->vague = name.vague;
    }
    ca->device = hd_intern(&w->devices, (struct interned){.text = device});
    return HD_OK;
}

struct device_entry {
    struct hd_text text;
    uint32_t id;
};

static int by_device_name(const void *a, const void *b)
{
    return hd_name_order(((const struct device_entry *)a)->text, ((const struct device_entry *)b)->text);
}

/* Devices from their order of appearance to natural order. */
static hd_status sort_devices(struct grouping *w)
{
    struct intern *t = &w->devices;
    struct device_entry *r = HD_NEW(w->scratch, struct device_entry, t->n);
    uint32_t *rank = HD_NEW(w->scratch, uint32_t, t->n);
    if (!r || !rank) return hd_fail_memory(w->ctx);
    for (uint32_t i = 0; i < t->n; i++) r[i] = (struct device_entry){t->item[i].text, i};
    qsort(r, t->n, sizeof *r, by_device_name);
    for (uint32_t i = 0; i < t->n; i++) {
        rank[r[i].id] = i;
        t->item[i].text = r[i].text; /* found by number only from here on */
    }
    for (uint32_t a = 0; a < w->net->nca; a++) w->ca[a].device = rank[w->ca[a].device];
    return HD_OK;
}

static enum rail_rule rail_rule(const char *text)
{
    if (strcmp(text, "auto") == 0) return AUTO;
    if (strcmp(text, "port") == 0) return PORT;
    if (strcmp(text, "none") == 0) return NONE;
    return EXPRESSION;
}

static hd_status read_names(struct grouping *w)
{
    regex_t re;
    uint32_t nca = w->net->nca;
    w->rule = rail_rule(w->net->rails);
    w->ca = HD_NEW(w->scratch, struct adapter, nca);
    if (!w->ca || !hd_intern_init(w->scratch, nca, &w->devices)) return hd_fail_memory(w->ctx);
    if (w->rule == EXPRESSION) HD_TRY(compile_rule(w->ctx, w->net->rails, &re));
    hd_status s = HD_OK;
    bool matched = w->rule != EXPRESSION || nca == 0;
    for (uint32_t a = 0; a < nca && s == HD_OK; a++) {
        s = read_description(w, a, &re);
        matched |= w->ca[a].trust != ALONE;
    }
    if (w->rule == EXPRESSION) regfree(&re);
    if (s == HD_OK && !matched)
        s = hd_fail(w->ctx, HD_INPUT,
                    "rails: '%.200s' matches no adapter: expected one that matches names such as '%.80s'",
                    w->net->rails, whole_name(w->net, 0).at);
    return nca && s == HD_OK ? sort_devices(w) : s;
}

/* ---- hosts --------------------------------------------------------------------------------- */

/* Does endpoint d come before e in the list of their host? */
static bool precedes(const struct grouping *w, uint32_t d, uint32_t e)
{
    const struct hd_net *n = w->net;
    uint32_t a = n->ca[d], b = n->ca[e];
    if (w->ca[a].device != w->ca[b].device) return w->ca[a].device < w->ca[b].device;
    if (a != b) return n->ca_guid[a] < n->ca_guid[b];
    return n->port[n->off[n->nsw + d]] < n->port[n->off[n->nsw + e]];
}

static void sort_host(struct grouping *w, uint32_t h)
{
    uint32_t *list = w->list + w->first[h], n = w->first[h + 1] - w->first[h];
    for (uint32_t i = 1; i < n; i++) {
        uint32_t e = list[i], at = i;
        for (; at && precedes(w, e, list[at - 1]); at--) list[at] = list[at - 1];
        list[at] = e;
    }
}

static bool device_twice(const struct grouping *w, uint32_t h)
{
    for (uint32_t i = w->first[h] + 1; i < w->first[h + 1]; i++) {
        uint32_t a = w->net->ca[w->list[i - 1]], b = w->net->ca[w->list[i]];
        if (a != b && w->ca[a].device == w->ca[b].device) return true;
    }
    return false;
}

/* What must agree beside the name. */
static uint64_t host_salt(const struct hd_net *net, uint32_t a, uint8_t trust)
{
    if (trust == BY_NAME) return 0;
    return trust == BY_SYSTEM ? net->system[net->nsw + a] : net->ca_guid[a];
}

/* Endpoints by host, and the title of each. */
static void list_hosts_endpoints(struct grouping *w, uint32_t nhost)
{
    const struct hd_net *n = w->net;
    memset(w->first, 0, ((size_t)n->nep + 2) * sizeof *w->first);
    for (uint32_t e = 0; e < n->nep; e++) w->first[w->host[e] + 2]++;
    w->nhost = nhost;
    for (uint32_t h = 0; h < w->nhost; h++) w->first[h + 2] += w->first[h + 1];
    for (uint32_t e = 0; e < n->nep; e++) w->list[w->first[w->host[e] + 1]++] = e;
    for (uint32_t h = 0; h < w->nhost; h++) w->title[h] = n->ca[w->list[w->first[h]]];
}

static hd_status assign_hosts(struct grouping *w)
{
    const struct hd_net *n = w->net;
    struct hd_mark mark = hd_arena_mark(w->scratch);
    struct intern hosts;
    if (!hd_intern_init(w->scratch, n->nca, &hosts)) return hd_fail_memory(w->ctx);
    for (uint32_t e = 0; e < n->nep; e++) {
        uint32_t a = n->ca[e];
        const struct adapter *ca = &w->ca[a];
        w->host[e] = hd_intern(&hosts, (struct interned){host_salt(n, a, ca->trust), ca->host, ca->trust});
    }
    list_hosts_endpoints(w, hosts.n);
    hd_arena_rewind(w->scratch, mark);
    return HD_OK;
}

static hd_status too_many_rails(const struct grouping *w, uint32_t h)
{
    struct hd_text host = w->ca[w->net->ca[w->list[w->first[h]]]].host;
    return hd_fail(w->ctx, HD_INPUT, "rails: '%.200s' puts %u endpoints on host '%.*s': expected at most %d",
                   w->net->rails, w->first[h + 1] - w->first[h], (int)(host.n < 100 ? host.n : 100), host.at,
                   MAX_RAILS);
}

/* Group until every name is trusted no further than it deserves: at most three rounds. */
static hd_status group_hosts(struct grouping *w)
{
    for (bool again = true; again;) {
        again = false;
        HD_TRY(assign_hosts(w));
        for (uint32_t h = 0; h < w->nhost; h++) {
            bool fits = w->first[h + 1] - w->first[h] <= MAX_RAILS;
            uint8_t trust = w->ca[w->net->ca[w->list[w->first[h]]]].trust;
            if (!fits && (w->rule == EXPRESSION || trust == ALONE)) return too_many_rails(w, h);
            if (fits) sort_host(w, h);
            if (fits && (w->rule == EXPRESSION || trust != BY_NAME || !device_twice(w, h))) continue;
            for (uint32_t i = w->first[h]; i < w->first[h + 1]; i++) w->ca[w->net->ca[w->list[i]]].trust = trust + 1;
            again = true;
        }
    }
    return HD_OK;
}

/* ---- hosts by cabling ------------------------------------------------------------------------ */

/* [nhost] Whether a host's name says nothing: vague, or that of another; and whether any does. */
static hd_status hosts_find_nameless(struct grouping *w, bool *nameless, bool *any)
{
    struct intern names;
    uint32_t *bearer = HD_NEW(w->scratch, uint32_t, w->nhost);
    if (!bearer || !hd_intern_init(w->scratch, w->nhost, &names)) return hd_fail_memory(w->ctx);
    for (uint32_t h = 0; h < w->nhost; h++) {
        const struct adapter *ca = &w->ca[w->title[h]];
        uint32_t known = names.n, id = hd_intern(&names, (struct interned){.text = ca->host});
        if (names.n > known) bearer[id] = h;
        nameless[h] = ca->vague;
        if (names.n == known) nameless[h] = nameless[bearer[id]] = true;
        *any = *any || nameless[h];
    }
    return HD_OK;
}

/* Hosts become parts of others; numbers are again those of first endpoints. */
static hd_status hosts_renumber(struct grouping *w, const uint32_t *joined, const bool *nameless)
{
    const struct hd_net *net = w->net;
    uint32_t *number, *title, nhost = 0;
    if (!HD_NEW_U32(w->scratch, w->nhost, &number, &title)) return hd_fail_memory(w->ctx);
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t h = w->host[e], to = joined[h];
        struct adapter *ca = &w->ca[net->ca[e]];
        ca->placed = nameless[h] && hd_role_is_machine(net->ca_role[net->ca[e]]) && !w->devices.item[ca->device].text.n;
        if (to != h || ca->placed) ca->trust = BY_SYSTEM;
        if (!number[to]) {
            title[nhost] = w->title[to];
            number[to] = ++nhost;
        }
        w->host[e] = number[to] - 1;
    }
    list_hosts_endpoints(w, nhost);
    memcpy(w->title, title, nhost * sizeof *title);
    for (uint32_t h = 0; h < nhost; h++) sort_host(w, h);
    return HD_OK;
}

static hd_status join_by_cabling(struct grouping *w)
{
    bool *nameless = HD_NEW(w->scratch, bool, w->nhost);
    uint32_t *joined = HD_NEW(w->scratch, uint32_t, w->nhost);
    bool any = false;
    if (!nameless || !joined) return hd_fail_memory(w->ctx);
    HD_TRY(hosts_find_nameless(w, nameless, &any));
    if (!any) return HD_OK;
    const struct hd_host_slots in = {w->host, w->nhost, nameless};
    HD_TRY(hd_host_slots_join(w->ctx, w->scratch, w->net, &in, joined, &w->each, &w->offset));
    return w->each ? hosts_renumber(w, joined, nameless) : HD_OK;
}

/* ---- results ------------------------------------------------------------------------------- */

static hd_status write_names(struct grouping *w, struct hd_arena *arena, struct hd_net *net)
{
    size_t size = 0;
    for (uint32_t h = 0; h < w->nhost; h++) size += w->ca[w->title[h]].host.n + 1;
    if (size > UINT32_MAX) return hd_fail_memory(w->ctx);
    char *names = HD_NEW(arena, char, size);
    uint32_t *at = HD_NEW(arena, uint32_t, w->nhost), used = 0;
    if (!names || !at) return hd_fail_memory(w->ctx);
    for (uint32_t h = 0; h < w->nhost; h++) {
        struct hd_text host = w->ca[w->title[h]].host;
        at[h] = used;
        memcpy(names + used, host.at, host.n);
        used += (uint32_t)host.n + 1;
    }
    net->hnames = names;
    net->hname_at = at;
    return HD_OK;
}

static hd_status hosts_group_endpoints(struct grouping *w, struct hd_arena *arena, bool cabling, struct hd_net *net)
{
    w->host = HD_NEW(arena, uint32_t, net->nep);
    w->rail = HD_NEW(arena, uint8_t, net->nep);
    w->first = HD_NEW(w->scratch, uint32_t, (size_t)net->nep + 2);
    w->list = HD_NEW(w->scratch, uint32_t, net->nep);
    w->title = HD_NEW(w->scratch, uint32_t, net->nep);
    if (!w->host || !w->rail || !w->first || !w->list || !w->title) return hd_fail_memory(w->ctx);
    HD_TRY(read_names(w));
    HD_TRY(group_hosts(w));
    if (cabling && w->rule == AUTO) HD_TRY(join_by_cabling(w));
    HD_TRY(hd_hosts_rails(w));
    HD_TRY(write_names(w, arena, net));
    net->host = w->host;
    net->rail = w->rail;
    net->nhost = w->nhost;
    net->nrail = w->nrail;
    return HD_OK;
}

hd_status hd_hosts_group(struct hd_ctx *ctx, struct hd_arena *arena, bool cabling, struct hd_net *net)
{
    struct hd_arena scratch = {0};
    struct grouping w = {.ctx = ctx, .scratch = &scratch, .net = net};
    hd_status s = hosts_group_endpoints(&w, arena, cabling, net);
    hd_arena_release(&scratch);
    return s;
}

/* ---- names of several hosts -------------------------------------------------------------------- */

/* mark[h]: the name of h, which has selected endpoints, is that of such a host before it, or, with both, of any. */
static hd_status mark_repeated(struct hd_ctx *ctx, const struct hd_net *net, bool both, bool *mark)
{
    struct hd_arena scratch = {0};
    struct intern names;
    uint32_t *bearer = HD_NEW(&scratch, uint32_t, net->nhost); /* of a name: the first host that has it */
    bool *counts = HD_NEW(&scratch, bool, net->nhost);
    bool ok = bearer && counts && hd_intern_init(&scratch, net->nhost, &names);
    for (uint32_t i = 0; ok && i < net->nsel; i++) counts[net->host[net->sel[i]]] = true;
    for (uint32_t h = 0; ok && h < net->nhost; h++) {
        if (!counts[h]) continue;
        const char *name = hd_host_name(net, h);
        uint32_t known = names.n, id = hd_intern(&names, (struct interned){.text = {name, strlen(name)}});
        mark[h] = names.n == known;
        if (!mark[h])
            bearer[id] = h;
        else if (both)
            mark[bearer[id]] = true;
    }
    hd_arena_release(&scratch);
    return ok ? HD_OK : hd_fail_memory(ctx);
}

hd_status hd_hosts_nameless(struct hd_ctx *ctx, const struct hd_net *net, bool *nameless)
{
    return mark_repeated(ctx, net, true, nameless);
}

hd_status hd_hosts_repeated(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *n, uint32_t *first)
{
    struct hd_arena scratch = {0};
    bool *again = HD_NEW(&scratch, bool, net->nhost);
    hd_status s = again ? mark_repeated(ctx, net, false, again) : hd_fail_memory(ctx);
    *n = 0;
    *first = UINT32_MAX;
    for (uint32_t h = 0; s == HD_OK && h < net->nhost; h++)
        if (again[h] && !(*n)++) *first = h;
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_hosts_carry(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_net *net, const struct hd_net *from,
                         const uint32_t *was)
{
    struct hd_arena scratch = {0};
    uint32_t *host = HD_NEW(arena, uint32_t, net->nep), *number = HD_NEW(&scratch, uint32_t, from->nhost);
    uint8_t *rail = HD_NEW(arena, uint8_t, net->nep);
    uint32_t *at = HD_NEW(arena, uint32_t, from->nhost), nhost = 0, used = 0;
    size_t size = 0;
    for (uint32_t h = 0; h < from->nhost; h++) size += strlen(hd_host_name(from, h)) + 1;
    char *names = HD_NEW(arena, char, size);
    bool ok = host && number && rail && at && names;
    for (uint32_t e = 0; ok && e < net->nep; e++) {
        uint32_t h = from->host[was[e]];
        rail[e] = from->rail[was[e]];
        if (!number[h]) {
            number[h] = ++nhost;
            at[nhost - 1] = used;
            used += (uint32_t)(stpcpy(names + used, hd_host_name(from, h)) - (names + used)) + 1;
        }
        host[e] = number[h] - 1;
    }
    hd_arena_release(&scratch);
    if (!ok) return hd_fail_memory(ctx);
    net->host = host;
    net->rail = rail;
    net->nhost = nhost;
    net->nrail = from->nrail;
    net->hnames = names;
    net->hname_at = at;
    return HD_OK;
}
