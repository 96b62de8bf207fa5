/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures: cables and switches taken out, by name or at random.
 *
 * "links=N,switches=N,seed=S" draws without replacement: switches from all of them, links from the
 * cables between switches; what is gone already (named, or with its switch) does not count. Each draw
 * walks one random order that depends on the seed alone, so that a larger number fails more of the
 * same: links=5 holds the three of links=3. "switch=NAME", "link=NAME:PORT" name what fails, several
 * joined by +. A second failure, behind " then ", is drawn from what the first has left. Cost: one pass a name, then
 * one copy of the network. */
#include "base/rng.h"
#include "base/spec.h"
#include "base/status.h"
#include "net/core/builder.h"
#include "net/core/lookup.h"
#include "net/core/spec_option.h"

#include <stdio.h>
#include <string.h>

struct fail_opt {
    uint64_t links, switches, seed;
    const char *sw, *link;
};

static const struct hd_desc desc = {
    .name = "fail",
    .summary = "cables and switches to take out of a network",
    .text = "links=N and switches=N fail that many at random: cables between switches, and switches. They are drawn "
            "without replacement in an order that depends on the seed alone, so that a larger N fails more of the "
            "same. switch=NAME and link=NAME:PORT name what fails; NAME is a node name or 0x and its GUID, a cable is "
            "named by one of its ends, and several names are joined by +. Names go first, then switches, then links; "
            "what is gone already does not count. Endpoints that lose their switch or cable go too. After ' then ' "
            "more fails, of what is left.",
    .params = (const struct hd_param[]){{"links", HD_UINT, "0", "cables between switches, at random",
                                         offsetof(struct fail_opt, links), 0, 268435456.0, NULL, false},
                                        {"switches", HD_UINT, "0", "switches, at random",
                                         offsetof(struct fail_opt, switches), 0, 268435456.0, NULL, false},
                                        {"switch", HD_TEXT, "", "switches by name or GUID, joined by +",
                                         offsetof(struct fail_opt, sw), 0, 0, NULL, false},
                                        {"link", HD_TEXT, "", "cables by one end, NAME:PORT, joined by +",
                                         offsetof(struct fail_opt, link), 0, 0, NULL, false},
                                        {"seed", HD_UINT, "1", "of what fails at random",
                                         offsetof(struct fail_opt, seed), 0, 9007199254740991.0, NULL, false},
                                        {0}},
    .examples = (const char *const[]){"links=3", "links=2,switches=1,seed=7", "switch=L1-0000", "link=L1-0000:1", NULL},
    .opt_size = sizeof(struct fail_opt)};

const struct hd_desc *hd_fail_desc(void)
{
    return &desc;
}

static const char then[] = " then "; /* between failures */

struct damage {
    struct hd_ctx *ctx;
    const struct hd_net *net;
    bool *sw, *chan; /* what is left */
    struct hd_arena *scratch;
    const char *base; /* spec of the network before the first failure, */
    char *failed;     /* and what has failed since, as one would write it; NULL: nothing yet */
};

/* ---- by name ------------------------------------------------------------------------------- */

static hd_status fail_switch(struct damage *d, const char *name)
{
    uint32_t v;
    HD_TRY(hd_find_switch(d->ctx, d->net, "fail: switch", name, &v));
    d->sw[v] = false;
    return HD_OK;
}

static hd_status fail_link(struct damage *d, const char *name)
{
    uint32_t c;
    HD_TRY(hd_find_cable(d->ctx, d->net, "fail: link", name, &c));
    d->chan[c] = d->chan[d->net->rev[c]] = false;
    return HD_OK;
}

static hd_status each_name(struct damage *d, const char *list, hd_status (*one)(struct damage *d, const char *name))
{
    while (*list) {
        size_t n = strcspn(list, "+");
        char *name = hd_strdup(d->scratch, list, n);
        if (!name) return hd_fail_memory(d->ctx);
        HD_TRY(one(d, name));
        list += n;
        if (*list && !*++list) return hd_fail(d->ctx, HD_INPUT, "fail: expected a name behind the last +");
    }
    return HD_OK;
}

/* ---- at random ----------------------------------------------------------------------------- */

/* The next of a random order of v[0 .. n-1], i of which are drawn. */
static uint32_t draw(struct hd_rng *rng, uint32_t *v, uint32_t n, uint32_t i)
{
    uint32_t j = i + hd_rng_below(rng, n - i), t = v[j];
    v[j] = v[i];
    v[i] = t;
    return t;
}

static hd_status fail_switches(struct damage *d, uint64_t n, uint64_t seed)
{
    uint32_t nsw = d->net->nsw, left = 0, *order = HD_NEW(d->scratch, uint32_t, nsw);
    struct hd_rng rng;
    if (!order) return hd_fail_memory(d->ctx);
    for (uint32_t v = 0; v < nsw; v++) {
        order[v] = v;
        left += d->sw[v];
    }
    if (n >= left)
        return hd_fail(d->ctx, HD_INPUT, "fail: switches=%llu: there are %u, and one must remain",
                       (unsigned long long)n, left);
    hd_rng_init(&rng, seed, HD_RNG_DEGRADE, 0);
    for (uint32_t i = 0; n; i++) {
        uint32_t v = draw(&rng, order, nsw, i);
        n -= d->sw[v];
        d->sw[v] = false;
    }
    return HD_OK;
}

static bool is_left(const struct damage *d, uint32_t c)
{
    return d->chan[c] && d->sw[d->net->tail[c]] && d->sw[d->net->head[c]];
}

static hd_status fail_links(struct damage *d, uint64_t n, uint64_t seed)
{
    const struct hd_net *net = d->net;
    uint32_t cables = 0, left = 0, *order = HD_NEW(d->scratch, uint32_t, net->nchan / 2);
    struct hd_rng rng;
    if (!order) return hd_fail_memory(d->ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->rev[c] < c || net->head[c] >= net->nsw || net->tail[c] >= net->nsw) continue;
        order[cables++] = c;
        left += is_left(d, c);
    }
    if (n > left)
        return hd_fail(d->ctx, HD_INPUT, "fail: links=%llu: there are %u cables between switches",
                       (unsigned long long)n, left);
    hd_rng_init(&rng, seed, HD_RNG_DEGRADE, 1);
    for (uint32_t i = 0; n; i++) {
        uint32_t c = draw(&rng, order, cables, i);
        n -= is_left(d, c);
        d->chan[c] = d->chan[net->rev[c]] = false;
    }
    return HD_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static hd_status choose_damage(struct damage *d, const struct fail_opt *o)
{
    uint32_t left = 0;
    HD_TRY(each_name(d, o->sw, fail_switch));
    HD_TRY(each_name(d, o->link, fail_link));
    for (uint32_t v = 0; v < d->net->nsw; v++) left += d->sw[v];
    if (!left) return hd_fail(d->ctx, HD_INPUT, "fail: all %u switches are named: one must remain", d->net->nsw);
    if (o->switches) HD_TRY(fail_switches(d, o->switches, o->seed));
    if (o->links) HD_TRY(fail_links(d, o->links, o->seed));
    return HD_OK;
}

/* The spec with what failed, keys in table order; not hd_opts_print, since names may be long. */
static char *new_spec(struct damage *d, const struct fail_opt *o)
{
    struct hd_arena *a = d->scratch;
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
    if (at == start) return hd_strdup(a, d->net->spec, strlen(d->net->spec));
    at[-1] = 0;
    d->failed = value;
    return hd_spec_with(a, d->base, "fail", value);
}

/* Parts, and those that have an endpoint: they come first. */
static hd_status count_parts(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *parts, uint32_t *inhabited)
{
    struct hd_arena scratch = {0};
    uint32_t *part_of = HD_NEW(&scratch, uint32_t, net->nsw + net->nep);
    hd_status s = part_of ? hd_net_parts(ctx, net, part_of, parts) : hd_fail_memory(ctx);
    *inhabited = 0;
    for (uint32_t v = net->nsw; s == HD_OK && v < net->nsw + net->nep; v++)
        if (part_of[v] >= *inhabited) *inhabited = part_of[v] + 1;
    hd_arena_release(&scratch);
    return s;
}

static hd_status note_losses(struct hd_ctx *ctx, const struct hd_net *was, const struct hd_net *is)
{
    uint32_t before, parts, inhabited, lost = was->nep - is->nep;
    HD_TRY(count_parts(ctx, was, &before, &inhabited));
    HD_TRY(count_parts(ctx, is, &parts, &inhabited));
    if (lost || parts > before)
        hd_note(ctx, "fail: %u of %u endpoints are lost; what is left is %u connected part%s, %u with endpoints", lost,
                was->nep, parts, parts == 1 ? "" : "s", inhabited);
    return HD_OK;
}

static hd_status fail_parsed(struct damage *d, const struct fail_opt *o, struct hd_net **out)
{
    const struct hd_net *net = d->net;
    struct hd_net *result;
    d->sw = HD_NEW(d->scratch, bool, net->nsw);
    d->chan = HD_NEW(d->scratch, bool, net->nchan);
    if (!d->sw || !d->chan) return hd_fail_memory(d->ctx);
    memset(d->sw, true, net->nsw);
    if (net->nchan) memset(d->chan, true, net->nchan);
    HD_TRY(choose_damage(d, o));
    char *spec = new_spec(d, o);
    if (!spec) return hd_fail_memory(d->ctx);
    HD_TRY(hd_net_copy(d->ctx, net, &(struct hd_keep){.sw = d->sw, .chan = d->chan}, spec, &result));
    hd_status s = note_losses(d->ctx, net, result);
    if (s == HD_OK)
        *out = result;
    else
        hd_net_free(result);
    return s;
}

static hd_status fail_once(struct damage *d, const char *what, size_t len, struct hd_net **out)
{
    struct fail_opt opt;
    char *text = hd_strdup(d->scratch, what, len);
    if (!text) return hd_fail_memory(d->ctx);
    HD_TRY(hd_opts_parse(d->ctx, d->scratch, &desc, text, &opt));
    return fail_parsed(d, &opt, out);
}

hd_status hd_net_fail(struct hd_ctx *ctx, const struct hd_net *net, const char *what, struct hd_net **out)
{
    struct hd_arena scratch = {0};
    struct damage d = {.ctx = ctx, .net = net, .scratch = &scratch, .base = net->spec};
    struct hd_net *left = NULL, *next;
    const char *more;
    hd_status s;
    do {
        more = strstr(what, then);
        next = NULL;
        s = fail_once(&d, what, more ? (size_t)(more - what) : strlen(what), &next);
        hd_net_free(left);
        d.net = left = next;
        if (more) what = more + strlen(then);
    } while (more && s == HD_OK);
    hd_arena_release(&scratch);
    if (s == HD_OK) *out = left;
    return s;
}
