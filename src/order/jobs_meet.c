/* SPDX-License-Identifier: BSD-2-Clause */
/* What jobs do to each other. The load of a job is that of an all-to-all: each endpoint sends at its full rate, in
 * equal parts to all others, so a pair is 1 / (n - 1) of a rate. It is kept as a list of channels, and lists are
 * compared channel by channel: the users of a channel are pairs of jobs that share it. O(leaves * n) paths per job,
 * then O(channels in use * users).
 * Why all-to-all: it uses every channel that any pattern of the job can use, so jobs that do not meet here never do. */
#include "order/jobs_meet.h"
#include "base/status.h"
#include "order/job_view.h"

#include <stdlib.h>
#include <string.h>

/* USES: channels of all jobs, .9 GB when they are compared. PATHS: half a minute of one processor; a job on all 65,536
 * endpoints of a fabric of three levels has an eighth of them. Of a larger fabric, as many as one job can have. */
enum { MAX_USES = 1 << 25, MAX_PATHS = 1 << 30 };
static const uint64_t max_meetings = (uint64_t)1 << 33; /* pairs of jobs, once for every channel that they share */

hd_status hd_job_use_of(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                        const struct hd_nodes *nodes, struct hd_job_use *use)
{
    struct hd_arena scratch = {0};
    struct hd_job_view view;
    uint32_t nchan = nodes->net->nchan, n = 0;
    uint64_t *load = HD_NEW(&scratch, uint64_t, (size_t)nchan + 1);
    *use = (struct hd_job_use){.most = 1};
    hd_status s = load ? hd_job_view_init(ctx, &scratch, r, nodes, &view) : hd_fail_memory(ctx);
    if (s == HD_OK && !view.single)
        s = hd_fail_na(ctx, "interference", hd_routes_spec(r), "pairs use several paths at once");
    if (s == HD_OK) s = hd_job_view_loads(ctx, &view, load);
    for (uint32_t c = 0; s == HD_OK && c < nchan; c++) n += load[c] > 0;
    if (s == HD_OK && !(use->use = HD_NEW(arena, struct hd_channel_use, n))) s = hd_fail_memory(ctx);
    for (uint32_t c = 0; s == HD_OK && c < nchan; c++) {
        if (!load[c]) continue;
        double factor = view.rates->factor ? (double)view.rates->factor[c] / view.rates->scale : 1;
        struct hd_channel_use u = {c, (double)load[c] * factor / (nodes->n - 1)};
        if (u.load > use->most) use->most = u.load;
        use->use[use->n++] = u;
    }
    hd_arena_release(&scratch);
    return s;
}

/* Leaf switches of a job, times its endpoints. */
static hd_status add_paths(struct hd_ctx *ctx, const struct hd_nodes *nodes, uint64_t *paths)
{
    const struct hd_net *net = nodes->net;
    const size_t n = (size_t)nodes->n * nodes->nrail;
    uint64_t leaves = 0;
    bool *met = calloc((size_t)net->nsw + 1, sizeof *met);
    if (!met) return hd_fail_memory(ctx);
    for (size_t i = 0; i < n; i++) {
        const uint32_t leaf = hd_leaf(net, nodes->ep[i]);
        leaves += !met[leaf];
        met[leaf] = true;
    }
    free(met);
    *paths += leaves * n;
    return HD_OK;
}

hd_status hd_jobs_use(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, const struct hd_jobs *jobs,
                      const struct hd_nodes *mine, struct hd_job_use **use)
{
    uint32_t n = jobs->n + (mine != NULL);
    const struct hd_net *net = hd_routes_net(r);
    const uint64_t whole = (uint64_t)net->nsw * net->nsel, most = whole > MAX_PATHS ? whole : MAX_PATHS;
    uint64_t paths = 0, uses = 0;
    *use = HD_NEW(arena, struct hd_job_use, n);
    if (!*use) return hd_fail_memory(ctx);
    for (uint32_t j = 0; j < n; j++) HD_TRY(add_paths(ctx, j < jobs->n ? jobs->job[j].nodes : mine, &paths));
    if (paths > most)
        return hd_fail(ctx, HD_LIMIT, "%u jobs have %llu paths from leaf switches to nodes: at most %llu are compared",
                       n, (unsigned long long)paths, (unsigned long long)most);
    for (uint32_t j = 0; j < n; j++) {
        hd_progress(ctx, "jobs", j, n);
        HD_TRY(hd_job_use_of(ctx, arena, r, j < jobs->n ? jobs->job[j].nodes : mine, &(*use)[j]));
        uses += (*use)[j].n;
        if (uses > MAX_USES)
            return hd_fail(ctx, HD_LIMIT, "%u of %u jobs use %llu channels: at most %d are compared", j + 1, n,
                           (unsigned long long)uses, MAX_USES);
    }
    hd_progress(ctx, "jobs", n, n);
    return HD_OK;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

struct meeter {
    struct hd_ctx *ctx;
    struct hd_arena *own, scratch;
    struct hd_job_use *use;
    struct hd_interference *met;
    double *total;              /* [nchan] of all jobs */
    uint32_t *first;            /* [nchan + 1] users of a channel in user and part */
    uint32_t *user;             /* jobs */
    double *part;               /* their loads */
    uint32_t *channels, *worst; /* [n * n] of pairs a < b */
    double *most;               /* [n * n] load of both on worst */
};

static hd_status meet_index(struct meeter *k, uint32_t nchan)
{
    uint64_t all = 0;
    uint32_t n = k->met->n, *at = HD_NEW(&k->scratch, uint32_t, nchan);
    for (uint32_t j = 0; j < n; j++) all += k->use[j].n;
    k->total = HD_NEW(&k->scratch, double, nchan);
    k->first = HD_NEW(&k->scratch, uint32_t, (size_t)nchan + 1);
    k->user = HD_NEW(&k->scratch, uint32_t, all);
    k->part = HD_NEW(&k->scratch, double, all);
    if (!at || !k->total || !k->first || !k->user || !k->part) return hd_fail_memory(k->ctx);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < k->use[j].n; i++) k->first[k->use[j].use[i].channel + 1]++;
    for (uint32_t c = 0; c < nchan; c++) {
        at[c] = k->first[c];
        k->first[c + 1] += k->first[c];
    }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < k->use[j].n; i++) {
            struct hd_channel_use u = k->use[j].use[i];
            k->user[at[u.channel]] = j;
            k->part[at[u.channel]++] = u.load;
            k->total[u.channel] += u.load;
        }
    return HD_OK;
}

static void meet_on(struct meeter *k, uint32_t c)
{
    uint32_t n = k->met->n;
    for (uint32_t i = k->first[c]; i < k->first[c + 1]; i++)
        for (uint32_t j = i + 1; j < k->first[c + 1]; j++) { /* users of a channel are in order */
            size_t pair = (size_t)k->user[i] * n + k->user[j];
            double load = k->part[i] + k->part[j];
            if (!k->channels[pair]++ || load > k->most[pair]) {
                k->most[pair] = load;
                k->worst[pair] = c;
            }
        }
}

static int by_channels(const void *a, const void *b)
{
    const struct hd_job_pair *x = a, *y = b;
    if (x->channels != y->channels) return x->channels > y->channels ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static hd_status meet_pairs(struct meeter *k, uint32_t nchan)
{
    uint32_t n = k->met->n;
    size_t cells = (size_t)n * n;
    uint64_t meetings = 0;
    for (uint32_t c = 0; c < nchan; c++) {
        const uint64_t users = k->first[c + 1] - k->first[c];
        meetings += users * users / 2;
    }
    if (meetings > max_meetings)
        return hd_fail(k->ctx, HD_LIMIT, "%u jobs meet on channels %llu times: at most %llu are compared", n,
                       (unsigned long long)meetings, (unsigned long long)max_meetings);
    k->channels = HD_NEW(&k->scratch, uint32_t, cells);
    k->worst = HD_NEW(&k->scratch, uint32_t, cells);
    k->most = HD_NEW(&k->scratch, double, cells);
    if (!k->channels || !k->worst || !k->most) return hd_fail_memory(k->ctx);
    for (uint32_t c = 0; c < nchan; c++) meet_on(k, c);
    uint64_t pairs = 0;
    for (size_t i = 0; i < cells; i++) pairs += k->channels[i] > 0;
    k->met->pair = HD_NEW(k->own, struct hd_job_pair, pairs);
    if (!k->met->pair) return hd_fail_memory(k->ctx);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++) {
            size_t i = (size_t)a * n + b;
            if (!k->channels[i]) continue;
            k->met->pair[k->met->npair++] = (struct hd_job_pair){a, b, k->channels[i], k->worst[i]};
            k->met->job[a].shares++;
            k->met->job[b].shares++;
        }
    qsort(k->met->pair, k->met->npair, sizeof *k->met->pair, by_channels);
    return HD_OK;
}

static hd_status meet_all(struct meeter *k, uint32_t nchan)
{
    struct hd_interference *met = k->met;
    HD_TRY(meet_index(k, nchan));
    met->job = HD_NEW(k->own, struct hd_job_busy, met->n);
    if (!met->job) return hd_fail_memory(k->ctx);
    for (uint32_t j = 0; j < met->n; j++) {
        struct hd_job_busy *job = &met->job[j];
        *job = (struct hd_job_busy){.alone = k->use[j].most, .together = k->use[j].most, .worst = UINT32_MAX};
        for (uint32_t i = 0; i < k->use[j].n; i++) {
            uint32_t c = k->use[j].use[i].channel;
            if (k->first[c + 1] - k->first[c] < 2 || k->total[c] <= job->together) continue;
            job->together = k->total[c];
            job->worst = c;
        }
    }
    return meet_pairs(k, nchan);
}

hd_status hd_jobs_meet(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_jobs *jobs,
                       const struct hd_nodes *mine, struct hd_interference **met)
{
    struct meeter k = {.ctx = ctx};
    if (jobs->n > HD_MAX_MEETING)
        return hd_fail(ctx, HD_LIMIT, "%u jobs are more than can be compared, which is %d", jobs->n, HD_MAX_MEETING);
    k.met = hd_owned_new(sizeof *k.met, &k.own);
    if (!k.met) return hd_fail_memory(ctx);
    *k.met = (struct hd_interference){.n = jobs->n + (mine != NULL), .arena = k.own};
    hd_status s = hd_jobs_use(ctx, &k.scratch, r, jobs, mine, &k.use);
    if (s == HD_OK) s = meet_all(&k, hd_routes_net(r)->nchan);
    hd_arena_release(&k.scratch);
    if (s == HD_OK)
        *met = k.met;
    else
        hd_interference_free(k.met);
    return s;
}

void hd_interference_free(struct hd_interference *met)
{
    if (met) hd_owned_free(met->arena);
}
