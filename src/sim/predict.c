/* SPDX-License-Identifier: BSD-2-Clause */
/* The time of a collective from bytes: the busiest channel, and a term of hosts and distances as in LogGP. With G the
 * nanoseconds per byte of a channel, L those of the longest path of a message (wires and switches) and o the pause of
 * a sender between messages,
 *   senders that go on when a message has left:   max(max over channels of bytes * G, max over senders of
 *                                                 sum (bytes * G + o)) + L
 *   when it has arrived, or all of a stage has:   sum over stages of m (max over channels of bytes * G + o + L)
 * where m messages follow each other in a stage (one long message where stages are synchronised). Pairs with several
 * paths split evenly. What is left out: queues at inputs (FIFO switches lose to head-of-line blocking), arbitration
 * that is not fair, and stages that drift apart. Alexandrov, Ionescu, Schauser, Scheiman: LogGP. */
#include "sim/predict.h"
#include "base/status.h"
#include "route/core/routes_view.h"
#include "sim/selector.h"

#include <math.h>
#include <string.h>

struct predictor {
    const struct hd_sim *sim;
    const struct hd_workload *work;
    double *busy;    /* [nchan] ns */
    uint32_t *order; /* [nmsg] messages by stage */
    uint32_t *source;
    double longest; /* L of the messages added */
};

static double ns_per_byte(const struct hd_sim *sim, uint32_t c)
{
    return (double)sim->hold[sim->wire[c].rate] / (double)sim->m->packet;
}

/* Adds a message to the channels of its paths; false: nothing carries it. */
static bool predict_add(struct predictor *p, uint32_t msg, double bytes)
{
    const struct hd_sim *sim = p->sim;
    uint32_t chan[HD_MAX_HOPS], s = p->source[msg], d = p->work->dst[msg];
    bool spread = !sim->selector->one || hd_routes_paths_per_pair(sim->routes) > 1, any = false;
    uint32_t paths = spread ? hd_routes_variants(sim->routes) : 1;
    for (uint32_t v = 0; v < paths; v++) {
        uint32_t n = hd_routes_path(sim->routes, s, d, paths > 1 ? v : hd_routes_variant(sim->routes, s, d), chan);
        for (uint32_t k = 0; k < n; k++) p->busy[chan[k]] += bytes / paths * ns_per_byte(sim, chan[k]);
        double delay = n ? (double)n * (double)sim->m->wire + (double)(n - 1) * (double)sim->m->hop : 0;
        p->longest = fmax(p->longest, delay);
        any |= n > 0;
    }
    return any;
}

/* The busiest channel; the loads are cleared. */
static double predict_take(struct predictor *p)
{
    double most = 0;
    for (uint32_t c = 0; c < p->sim->net->nchan; c++) most = fmax(most, p->busy[c]);
    memset(p->busy, 0, p->sim->net->nchan * sizeof *p->busy);
    return most;
}

static double predict_stages(struct predictor *p)
{
    const struct hd_model_opt *m = p->sim->m;
    bool together = m->progress == HD_ON_STAGE;
    double sum = 0, rounds = together ? 1 : (double)m->messages;
    for (uint32_t i = 0, stage = 0; stage < p->work->nstage; stage++) {
        p->longest = 0;
        for (; i < p->work->nmsg && p->work->stage[p->order[i]] == stage; i++)
            predict_add(p, p->order[i], (double)p->work->bytes[p->order[i]] * (together ? (double)m->messages : 1));
        double most = predict_take(p);
        if (most > 0) sum += rounds * (most + p->longest + (double)m->gap);
    }
    return sum - (double)m->gap;
}

static double predict_at_once(struct predictor *p)
{
    const struct hd_model_opt *m = p->sim->m;
    double sender = 0;
    for (uint32_t e = 0; e < p->sim->net->nep; e++) {
        double own = 0, rate = ns_per_byte(p->sim, p->sim->net->off[p->sim->net->nsw + e]);
        for (uint32_t k = p->work->first[e]; k < p->work->first[e + 1]; k++) {
            double bytes = (double)p->work->bytes[k];
            if (predict_add(p, k, bytes * (double)m->messages))
                own += (double)m->messages * (bytes * rate + (double)m->gap / (double)hd_nic_window(m));
        }
        sender = fmax(sender, own > 0 ? own - (double)m->gap : 0);
    }
    return fmax(predict_take(p), sender) + p->longest;
}

hd_status hd_sim_predict(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_sim *sim,
                         const struct hd_workload *work, uint64_t *time)
{
    const struct hd_model_opt *m = sim->m;
    struct predictor p = {.sim = sim, .work = work};
    *time = 0;
    if (sim->selector->per_switch || m->duration || m->lifetime || m->load > 0 || m->progress == HD_ON_TRACE)
        return HD_OK;
    uint32_t *at = HD_NEW(arena, uint32_t, (size_t)work->nstage + 1);
    p.busy = HD_NEW(arena, double, sim->net->nchan);
    if (!at || !p.busy || !HD_NEW_U32(arena, work->nmsg, &p.order, &p.source)) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < sim->net->nep; e++)
        for (uint32_t k = work->first[e]; k < work->first[e + 1]; k++) p.source[k] = e;
    for (uint32_t k = 0; k < work->nmsg; k++) at[work->stage[k] + 1]++;
    for (uint32_t s = 0; s < work->nstage; s++) at[s + 1] += at[s];
    for (uint32_t k = 0; k < work->nmsg; k++) p.order[at[work->stage[k]]++] = k;
    double ns = m->progress == HD_ON_SENT ? predict_at_once(&p) : predict_stages(&p);
    *time = ns > 0 ? (uint64_t)(ns + 0.5) : 0;
    return HD_OK;
}
