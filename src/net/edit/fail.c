/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures: cables and switches taken out, by name or at random.
 *
 * "links=N,switches=N,seed=S" draws without replacement: switches from all of them, links from the cables between
 * switches; what is gone already (named, or with its switch) does not count. Each draw follows one random order that
 * depends on the seed alone, so that a larger number fails more of the same: links=5 includes the three of links=3.
 * "switch=NAME", "link=NAME:PORT" name what fails, several separated by +. A second failure, after " then ", is drawn
 * from what the first has left: marks on the network say what that is, so that any number of failures takes one
 * rebuild. Cost: one pass per name and per failure. */
#include "base/rng.h"
#include "base/spec.h"
#include "base/status.h"
#include "net/core/lookup.h"
#include "net/edit/net_with.h"

#include <stdio.h>
#include <string.h>

struct fail_opt {
    uint64_t links, switches, seed;
    const char *sw, *link;
};

static const struct hd_desc fail_desc = {
    .name = "fail",
    .summary = "cables and switches to take out of a network",
    .text =
        "links=N and switches=N fail that many at random: cables between switches, and switches. They are drawn "
        "without replacement in an order that depends on the seed alone, so that a larger N fails more of the "
        "same. switch=NAME and link=NAME:PORT name what fails; NAME is a node name or 0x and its GUID, a cable is "
        "named by one of its ends, and several names are separated by +. Names go first, then switches, then links; "
        "what is gone already does not count. Endpoints that lose their switch or cable go too. After ' then ' "
        "more fails, of what is left.",
    .params = (const struct hd_param[]){{"links", HD_UINT, "0", "cables between switches, at random",
                                         offsetof(struct fail_opt, links), 0, 268435456.0, NULL, false},
                                        {"switches", HD_UINT, "0", "switches, at random",
                                         offsetof(struct fail_opt, switches), 0, 268435456.0, NULL, false},
                                        {"switch", HD_TEXT, "", "switches by name or GUID, separated by +",
                                         offsetof(struct fail_opt, sw), 0, 0, NULL, false},
                                        {"link", HD_TEXT, "", "cables by one end, NAME:PORT, separated by +",
                                         offsetof(struct fail_opt, link), 0, 0, NULL, false},
                                        {"seed", HD_UINT, "1", "of what fails at random",
                                         offsetof(struct fail_opt, seed), 0, 9007199254740991.0, NULL, false},
                                        {0}},
    .examples = (const char *const[]){"links=3", "links=2,switches=1,seed=7", "switch=L1-0000", "link=L1-0000:1", NULL},
    .opt_size = sizeof(struct fail_opt)};

const struct hd_desc *hd_fail_desc(void)
{
    return &fail_desc;
}

static const char then[] = " then "; /* between failures */
enum { MAX_FAILURES = 1000 };

struct damage {
    struct hd_net_edit *edit;
    const struct hd_net *net;
    struct hd_remaining before, left; /* at the beginning of this failure, and now */
    struct hd_remaining spare;        /* of the failure before the last, to be used again; .sw is NULL: none yet */
    uint32_t failures;
    const char *base; /* spec of the network before the first failure, */
    char *failed;     /* and what has failed since, as one would write it; NULL: nothing yet */
};

/* ---- by name ------------------------------------------------------------------------------- */

static hd_status fail_switch(struct damage *d, const char *name)
{
    uint32_t v;
    HD_TRY(hd_find_switch(&(struct hd_lookup){d->edit->ctx, d->net, &d->before, "fail: switch"}, name, &v));
    d->left.sw[v] = false;
    return HD_OK;
}

static hd_status fail_link(struct damage *d, const char *name)
{
    uint32_t c;
    HD_TRY(hd_find_cable(&(struct hd_lookup){d->edit->ctx, d->net, &d->before, "fail: link"}, name, &c));
    d->left.chan[c] = d->left.chan[d->net->rev[c]] = false;
    return HD_OK;
}

static hd_status fail_each_name(struct damage *d, const char *list,
                                hd_status (*fail_one)(struct damage *d, const char *name))
{
    while (*list) {
        size_t n = strcspn(list, "+");
        char *name = hd_strdup(d->edit->arena, list, n);
        if (!name) return hd_fail_memory(d->edit->ctx);
        HD_TRY(fail_one(d, name));
        list += n;
        if (*list && !*++list) return hd_fail(d->edit->ctx, HD_INPUT, "fail: expected a name behind the last +");
    }
    return HD_OK;
}

/* ---- at random ----------------------------------------------------------------------------- */

static bool cable_is_left(const struct damage *d, uint32_t c)
{
    return d->left.chan[c] && d->left.sw[d->net->tail[c]] && d->left.sw[d->net->head[c]];
}

/* Of order[0 .. total-1] in random order, n that are left fail. Cables, or else switches. */
static void fail_drawn(struct damage *d, bool cables, uint32_t *order, uint32_t total, uint64_t n, uint64_t seed)
{
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_DEGRADE, cables);
    for (uint32_t i = 0; n; i++) {
        uint32_t j = i + hd_rng_below(&rng, total - i), x = order[j];
        order[j] = order[i];
        order[i] = x;
        n -= cables ? cable_is_left(d, x) : d->left.sw[x];
        if (cables)
            d->left.chan[x] = d->left.chan[d->net->rev[x]] = false;
        else
            d->left.sw[x] = false;
    }
}

static hd_status fail_switches(struct damage *d, struct hd_arena *scratch, uint64_t n, uint64_t seed)
{
    struct hd_ctx *ctx = d->edit->ctx;
    uint32_t switches = 0, left = 0, *order = HD_NEW(scratch, uint32_t, d->net->nsw);
    if (!order) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < d->net->nsw; v++) {
        if (hd_switch_remains(&d->before, v)) order[switches++] = v;
        left += d->left.sw[v];
    }
    if (n >= left)
        return hd_fail(ctx, HD_INPUT, "fail: switches=%llu: there %s %u, and one must remain", (unsigned long long)n,
                       left == 1 ? "is" : "are", left);
    fail_drawn(d, false, order, switches, n, seed);
    return HD_OK;
}

static hd_status fail_links(struct damage *d, struct hd_arena *scratch, uint64_t n, uint64_t seed)
{
    const struct hd_net *net = d->net;
    struct hd_ctx *ctx = d->edit->ctx;
    uint32_t cables = 0, left = 0, *order = HD_NEW(scratch, uint32_t, net->nchan / 2);
    if (!order) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->rev[c] < c || net->head[c] >= net->nsw || net->tail[c] >= net->nsw) continue;
        if (!hd_channel_remains(&d->before, c)) continue;
        order[cables++] = c;
        left += cable_is_left(d, c);
    }
    if (n > left)
        return hd_fail(ctx, HD_INPUT, "fail: links=%llu: there %s %u cable%s between switches", (unsigned long long)n,
                       left == 1 ? "is" : "are", left, left == 1 ? "" : "s");
    fail_drawn(d, true, order, cables, n, seed);
    return HD_OK;
}

/* ---- one failure --------------------------------------------------------------------------- */

static hd_status fail_marks(struct damage *d, const struct fail_opt *o)
{
    uint32_t left = 0, were = 0;
    HD_TRY(fail_each_name(d, o->sw, fail_switch));
    HD_TRY(fail_each_name(d, o->link, fail_link));
    for (uint32_t v = 0; v < d->net->nsw; v++) {
        were += hd_switch_remains(&d->before, v);
        left += d->left.sw[v];
    }
    if (!left) return hd_fail(d->edit->ctx, HD_INPUT, "fail: all %u switches are named: one must remain", were);
    struct hd_arena scratch = {0};
    hd_status s = o->switches ? fail_switches(d, &scratch, o->switches, o->seed) : HD_OK;
    if (s == HD_OK && o->links) s = fail_links(d, &scratch, o->links, o->seed);
    hd_arena_release(&scratch);
    if (s == HD_OK) hd_remaining_close(d->net, &d->left);
    return s;
}

/* The spec with what failed, keys in table order; not hd_opts_print, since names may be long. */
static const char *fail_spec(struct damage *d, const struct fail_opt *o)
{
    struct hd_arena *a = d->edit->arena;
    size_t size = strlen(o->sw) + strlen(o->link) + 120 + (d->failed ? strlen(d->failed) : 0);
    char *value = HD_NEW(a, char, size), *at = value;
    if (!value) return NULL;
    if (d->failed) at += sprintf(at, "%s%s", d->failed, then);
    const char *start = at;
    if (o->links) at += sprintf(at, "links=%llu,", (unsigned long long)o->links);
    if (o->switches) at += sprintf(at, "switches=%llu,", (unsigned long long)o->switches);
    if (*o->sw) at += sprintf(at, "switch=%s,", o->sw);
    if (*o->link) at += sprintf(at, "link=%s,", o->link);
    if (o->seed != 1 && (o->links || o->switches)) at += sprintf(at, "seed=%llu,", (unsigned long long)o->seed);
    if (at == start) return hd_edit_spec(d->edit);
    at[-1] = 0;
    d->failed = value;
    return hd_spec_with(a, d->base, "fail", value);
}

struct census {
    uint32_t endpoints, components;
    uint32_t inhabited; /* components with an endpoint: they come first */
};

static hd_status fail_census(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_remaining *remaining,
                             struct census *count)
{
    struct hd_arena scratch = {0};
    uint32_t *of = HD_NEW(&scratch, uint32_t, net->nsw + net->nep);
    *count = (struct census){0};
    hd_status s = of ? hd_components_of(ctx, net, remaining, of, &count->components) : hd_fail_memory(ctx);
    for (uint32_t v = net->nsw; s == HD_OK && v < net->nsw + net->nep; v++) {
        if (of[v] == UINT32_MAX) continue;
        count->endpoints++;
        if (of[v] >= count->inhabited) count->inhabited = of[v] + 1;
    }
    hd_arena_release(&scratch);
    return s;
}

static hd_status fail_note_losses(const struct damage *d)
{
    struct hd_ctx *ctx = d->edit->ctx;
    struct census was, is;
    HD_TRY(fail_census(ctx, d->net, &d->before, &was));
    HD_TRY(fail_census(ctx, d->net, &d->left, &is));
    if (is.endpoints < was.endpoints || is.components > was.components)
        hd_note(ctx, "fail: %u of %u endpoints %s lost; what is left is %u connected component%s, %u with endpoints",
                was.endpoints - is.endpoints, was.endpoints, was.endpoints - is.endpoints == 1 ? "is" : "are",
                is.components, is.components == 1 ? "" : "s", is.inhabited);
    return HD_OK;
}

/* Marks of their own for what this failure leaves: names mean what there was before it. */
static hd_status fail_begin(struct damage *d)
{
    const struct hd_net *net = d->net;
    d->before = d->edit->changes.remaining;
    d->left = d->spare;
    HD_TRY(hd_remaining_init(d->edit->ctx, d->edit->arena, net, &d->left));
    if (!d->before.sw) return HD_OK;
    memcpy(d->left.sw, d->before.sw, net->nsw);
    memcpy(d->left.ep, d->before.ep, net->nep);
    memcpy(d->left.chan, d->before.chan, net->nchan);
    return HD_OK;
}

static hd_status fail_once(struct damage *d, const char *what, size_t len)
{
    struct hd_net_edit *edit = d->edit;
    struct fail_opt opt;
    if (++d->failures > MAX_FAILURES)
        return hd_fail(edit->ctx, HD_INPUT, "fail: more than %d failures after each other: expected an end",
                       MAX_FAILURES);
    char *text = hd_strdup(edit->arena, what, len);
    if (!text) return hd_fail_memory(edit->ctx);
    HD_TRY(hd_opts_parse(edit->ctx, edit->arena, &fail_desc, text, &opt));
    HD_TRY(fail_begin(d));
    HD_TRY(fail_marks(d, &opt));
    edit->changes.spec = fail_spec(d, &opt);
    if (!edit->changes.spec) return hd_fail_memory(edit->ctx);
    edit->changes.remaining = d->left;
    HD_TRY(fail_note_losses(d));
    if (d->failures > 1) d->spare = d->before; /* which is our own, and nobody looks at it any more */
    return HD_OK;
}

/* ---- all of them --------------------------------------------------------------------------- */

hd_status hd_edit_fail(struct hd_net_edit *edit, const char *what)
{
    struct damage d = {.edit = edit, .net = edit->net, .base = hd_edit_spec(edit)};
    for (const char *more; (more = strstr(what, then)) != NULL; what = more + strlen(then))
        HD_TRY(fail_once(&d, what, (size_t)(more - what)));
    return fail_once(&d, what, strlen(what));
}

hd_status hd_net_fail(struct hd_ctx *ctx, const struct hd_net *net, const char *what, struct hd_net **out)
{
    HD_TRY(hd_given(ctx, what, "what fails"));
    struct hd_arena scratch = {0};
    struct hd_net_edit edit = {.ctx = ctx, .arena = &scratch, .net = net};
    return hd_edit_finish(&edit, hd_edit_fail(&edit, what), out);
}
