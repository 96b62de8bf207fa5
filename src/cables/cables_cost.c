/* SPDX-License-Identifier: BSD-2-Clause */
/* What a difference from the plan costs, as a share of the effective bisection bandwidth (EBB), estimated from the
 * planned cables alone: found fabrics may lack what a routing needs. A random partner is hardly ever on the same leaf
 * switch, so that the endpoints of a switch share its cables to other switches: each of k cables carries the k-th part
 * of what its endpoints get. Further up, all cables between switches count alike. An endpoint without its cable gets
 * nothing. A cable in a wrong place still carries half of what it should, one of a swapped pair three quarters, a slow
 * one as much as its rate allows; a device that is not there costs what its cables do. Random bisections do not fill
 * every cable, so that this is rather too much: on pgft:m=12x18,w=1x6,p=1x2, a lost cable costs .34 % of EBB (estimate:
 * .46 %) and a lost spine 9 % (17 %). Cost: O(n log n) in the cables, however many devices are absent. */
#include "base/status.h"
#include "cables/cable_list.h"

#include <stdlib.h>
#include <string.h>

struct cost_device {
    const char *key; /* the first len bytes name the switch, or the host */
    size_t len;
    uint32_t eps, cables; /* planned cables to hosts, and to switches */
    uint32_t all;         /* planned cables before it is known which */
    bool is_switch, dead;
};

struct cost_end { /* a planned cable of a device, in the words of the plan */
    const char *node;
    uint32_t cable;
};

struct cost_plan {
    const struct hd_cable_list *plan;
    struct cost_device *device; /* by key */
    struct cost_end *end;       /* by node, then cable; both ends of all cables */
    const char **dead;          /* keys of absent devices, sorted */
    uint32_t n, ndead, eps, cables;
};

static int cost_order(const char *a, size_t an, const char *b, size_t bn)
{
    int order = strncmp(a, b, an < bn ? an : bn);
    return order ? order : (an > bn) - (an < bn);
}

static int cost_by_key(const void *a, const void *b)
{
    const struct cost_device *x = a, *y = b;
    return cost_order(x->key, x->len, y->key, y->len);
}

static struct cost_device *cost_find(const struct cost_plan *c, const struct hd_cables_end *end)
{
    struct cost_device want = {.key = end->key, .len = hd_cables_switch_key(end->key)};
    return bsearch(&want, c->device, c->n, sizeof want, cost_by_key);
}

static hd_status cost_list_devices(struct hd_ctx *ctx, struct hd_arena *arena, struct cost_plan *c)
{
    uint32_t ends = 2 * c->plan->n, n = 0;
    c->device = HD_NEW(arena, struct cost_device, ends);
    if (!c->device) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < ends; i++) {
        const struct hd_cables_end *e = &c->plan->row[i / 2].end[i % 2];
        c->device[i] = (struct cost_device){
            .key = e->key, .len = hd_cables_switch_key(e->key), .all = 1, .is_switch = e->is_switch};
    }
    qsort(c->device, ends, sizeof *c->device, cost_by_key);
    for (uint32_t i = 0; i < ends; i++) {
        struct cost_device *last = n ? &c->device[n - 1] : NULL;
        if (last && cost_by_key(last, &c->device[i]) == 0) {
            last->all++;
            last->is_switch = last->is_switch || c->device[i].is_switch;
        } else {
            c->device[n++] = c->device[i];
        }
    }
    c->n = n;
    return HD_OK;
}

static int cost_by_node(const void *a, const void *b)
{
    const struct cost_end *x = a, *y = b;
    int order = strcmp(x->node, y->node);
    return order ? order : (x->cable > y->cable) - (x->cable < y->cable);
}

static hd_status cost_list_ends(struct hd_ctx *ctx, struct hd_arena *arena, struct cost_plan *c)
{
    uint32_t ends = 2 * c->plan->n;
    c->end = HD_NEW(arena, struct cost_end, ends);
    if (!c->end) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < ends; i++) c->end[i] = (struct cost_end){c->plan->row[i / 2].end[i % 2].node, i / 2};
    qsort(c->end, ends, sizeof *c->end, cost_by_node);
    return HD_OK;
}

static int cost_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static hd_status cost_list_dead(struct hd_ctx *ctx, struct hd_arena *arena, struct cost_plan *c,
                                const struct hd_cables *cables)
{
    c->dead = HD_NEW(arena, const char *, cables->nfault);
    if (!c->dead) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < cables->nfault; i++)
        if (cables->fault[i].kind == HD_CABLES_DEAD) c->dead[c->ndead++] = cables->fault[i].key;
    if (c->ndead) qsort(c->dead, c->ndead, sizeof *c->dead, cost_by_text);
    return HD_OK;
}

/* A device is absent with all ASICs that it has: the mark ends its name, so names sort as keys do. */
static bool cost_is_dead(const struct cost_plan *c, const char *key)
{
    size_t n = strcspn(key, HD_CABLES_MARK) + 1;
    uint32_t low = 0, high = c->ndead;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int order = strncmp(c->dead[mid], key, n);
        if (order == 0) return true;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return false;
}

/* What is not in the fabric is a switch if more cables are planned for it than for any host that is. */
static void cost_guess_switches(struct cost_plan *c)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < c->n; i++) c->device[i].dead = cost_is_dead(c, c->device[i].key);
    for (uint32_t i = 0; i < c->n; i++)
        if (!c->device[i].dead && !c->device[i].is_switch && c->device[i].all > most) most = c->device[i].all;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->device[i].dead && c->device[i].all > most) c->device[i].is_switch = true;
}

static void cost_count_cables(struct cost_plan *c)
{
    for (uint32_t i = 0; i < c->plan->n; i++) {
        struct cost_device *a = cost_find(c, &c->plan->row[i].end[0]), *b = cost_find(c, &c->plan->row[i].end[1]);
        bool both = a->is_switch && b->is_switch;
        c->cables += both;
        c->eps += !both;
        if (both) {
            a->cables++;
            b->cables++;
        } else {
            a->eps++;
            b->eps++;
        }
    }
}

/* Of a planned cable that is not there. */
static double cost_of_cable(const struct cost_plan *c, const struct hd_cables_row *p)
{
    const struct cost_device *at[] = {cost_find(c, &p->end[0]), cost_find(c, &p->end[1])};
    double most = 0;
    if (!at[0]->is_switch || !at[1]->is_switch) return 1.0 / c->eps;
    for (int i = 0; i < 2; i++) {
        double share = c->eps ? (double)at[i]->eps / c->eps / at[i]->cables : 0;
        if (share > most) most = share;
    }
    return most > 0 ? most : 1.0 / c->cables;
}

/* The first of the ends of a node, or of those behind it. */
static uint32_t cost_first_end(const struct cost_plan *c, const char *node)
{
    uint32_t low = 0, high = 2 * c->plan->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (strcmp(c->end[mid].node, node) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Its endpoints get nothing, whatever its other cables carried. A cable from the device to itself counts once. */
static double cost_of_device(const struct cost_plan *c, const char *node)
{
    double eps = 0, cables = 0;
    uint32_t last = UINT32_MAX;
    for (uint32_t i = cost_first_end(c, node); i < 2 * c->plan->n && strcmp(c->end[i].node, node) == 0; i++) {
        const struct hd_cables_row *p = &c->plan->row[c->end[i].cable];
        if (c->end[i].cable == last) continue;
        last = c->end[i].cable;
        bool both = cost_find(c, &p->end[0])->is_switch && cost_find(c, &p->end[1])->is_switch;
        *(both ? &cables : &eps) += cost_of_cable(c, p);
    }
    double most = eps > cables ? eps : cables;
    return most < 1 ? most : 1;
}

static double cost_of_fault(const struct cost_plan *c, const struct hd_cables_fault *f)
{
    switch (f->kind) {
    case HD_CABLES_MISSING: return cost_of_cable(c, f->planned);
    case HD_CABLES_WRONG: return cost_of_cable(c, f->planned) / 2;
    case HD_CABLES_SWAPPED: return (cost_of_cable(c, f->planned) + cost_of_cable(c, f->planned2)) / 4;
    case HD_CABLES_SLOW:
        return cost_of_cable(c, f->planned) * (1 - (double)hd_link_mbps(f->found->link) / hd_link_mbps(f->usual));
    case HD_CABLES_DEAD: return cost_of_device(c, f->node);
    case HD_CABLES_EXTRA:
    case HD_CABLES_KINDS: break;
    }
    return 0;
}

hd_status hd_cables_cost(const struct hd_cable_list *plan, struct hd_cables *cables)
{
    struct hd_arena scratch = {0};
    struct cost_plan c = {.plan = plan};
    hd_status s = cost_list_devices(plan->ctx, &scratch, &c);
    if (s == HD_OK) s = cost_list_ends(plan->ctx, &scratch, &c);
    if (s == HD_OK) s = cost_list_dead(plan->ctx, &scratch, &c, cables);
    if (s == HD_OK) {
        cost_guess_switches(&c);
        cost_count_cables(&c);
        for (uint32_t i = 0; i < cables->nfault; i++) cables->fault[i].cost = cost_of_fault(&c, &cables->fault[i]);
    }
    hd_arena_release(&scratch);
    return s;
}
