/* SPDX-License-Identifier: BSD-2-Clause */
/* DCQCN, the rate control of RoCE (Zhu et al.: Congestion control for large-scale RDMA deployments, SIGCOMM 2015).
 * A switch marks a packet that joins a queue of more than kmin bytes, with a probability that rises to pmax at kmax,
 * and every one beyond. The receiver of a mark sends a notification, at most one per flow and `cnp` ns. A notification
 * cuts the rate of the flow by alpha / 2 and raises alpha, which decays in its absence. The rate then rises with every
 * `timer` ns and with every `bytes` sent: five times half of what it lost, then by `step`, and once both have come five
 * times by `leap`, towards a target that grows so. Notifications take the time of an empty network: they have a class
 * of their own. O(1) per packet and timer. */
#include "sim/rate_control.h"
#include "sim/sim_state.h"

enum { NOTIFIED, DECAY, STEP };
enum { RECOVERIES = 5 };

static const double least_rate = 0.001; /* the sender is never silent */

static struct hd_rate *rate_of(const struct hd_sim *sim, const struct hd_flow_state *f)
{
    return &sim->rate[f->self / HD_CONN_CHUNK][f->self % HD_CONN_CHUNK];
}

static void rate_timer(struct hd_sim *sim, const struct hd_flow_state *f, uint64_t when, uint32_t what)
{
    hd_wheel_add(&sim->wheel, when, HD_EV_RATE, f->self, (f->stamp & 0xffffff) << 8 | what);
}

void hd_rate_open(struct hd_sim *sim, const struct hd_flow_state *f)
{
    *rate_of(sim, f) =
        (struct hd_rate){.now = 1, .target = 1, .alpha = 1, .alpha_at = UINT64_MAX, .step_at = UINT64_MAX};
}

/* MB/s as a part of the rate of the sender. */
static double rate_part(const struct hd_sim *sim, const struct hd_flow_state *f, double rate)
{
    return rate * (double)hd_nic_time(sim, f->src) / 1000 / (double)sim->m->packet;
}

static void rate_rise(const struct hd_sim *sim, const struct hd_flow_state *f, struct hd_rate *r)
{
    const struct hd_model_opt *m = sim->m;
    if (r->by_time > RECOVERIES && r->by_bytes > RECOVERIES)
        r->target += rate_part(sim, f, m->leap);
    else if (r->by_time > RECOVERIES || r->by_bytes > RECOVERIES)
        r->target += rate_part(sim, f, m->step);
    if (r->target > 1) r->target = 1;
    r->now = (r->now + r->target) / 2;
    if (r->now < 0.999) return;
    r->now = 1;
    r->alpha_at = r->step_at = UINT64_MAX;
}

void hd_rate_sent(struct hd_sim *sim, const struct hd_flow_state *f, uint32_t len)
{
    struct hd_rate *r = rate_of(sim, f);
    uint64_t now = sim->wheel.now;
    double time = (double)hd_nic_time(sim, f->src) * len / (double)sim->m->packet;
    if (r->now >= 1) {
        r->next = 0;
        return;
    }
    r->next = hd_most(now, r->next) + (uint64_t)(time / r->now + 0.5);
    r->bytes += len;
    if (r->bytes < sim->m->bytes) return;
    r->bytes = 0;
    r->by_bytes++;
    rate_rise(sim, f, r);
}

static void rate_cut(struct hd_sim *sim, const struct hd_flow_state *f, struct hd_rate *r)
{
    const struct hd_model_opt *m = sim->m;
    uint64_t now = sim->wheel.now;
    r->target = r->now;
    r->now *= 1 - r->alpha / 2;
    if (r->now < least_rate) r->now = least_rate;
    r->alpha = (1 - m->gain) * r->alpha + m->gain;
    r->by_time = r->by_bytes = 0;
    r->bytes = 0;
    if (r->alpha_at == UINT64_MAX) rate_timer(sim, f, now + m->alpha, DECAY);
    if (r->step_at == UINT64_MAX) rate_timer(sim, f, now + m->timer, STEP);
    r->alpha_at = now + m->alpha;
    r->step_at = now + m->timer;
}

void hd_rate_event(struct hd_sim *sim, const struct hd_flow_state *f, uint32_t what)
{
    struct hd_rate *r = rate_of(sim, f);
    uint64_t *at = what == DECAY ? &r->alpha_at : &r->step_at;
    if (what == NOTIFIED) {
        rate_cut(sim, f, r);
        return;
    }
    if (*at == UINT64_MAX) return;
    if (sim->wheel.now >= *at) {
        if (what == DECAY) {
            r->alpha *= 1 - sim->m->gain;
        } else {
            r->by_time++;
            rate_rise(sim, f, r);
        }
        if (*at == UINT64_MAX) return; /* back at full rate */
        *at = sim->wheel.now + (what == DECAY ? sim->m->alpha : sim->m->timer);
    }
    rate_timer(sim, f, *at, what);
}

void hd_rate_marked(struct hd_sim *sim, const struct hd_flow_state *f, const struct hd_packet *p)
{
    struct hd_rate *r = rate_of(sim, f);
    uint64_t now = sim->wheel.now;
    if (r->notified && now < r->notified - 1 + sim->m->cnp) return;
    r->notified = now + 1;
    rate_timer(sim, f, now + (uint64_t)sim->delay * (p->hop + 1u), NOTIFIED);
}

bool hd_rate_marks(struct hd_sim *sim, uint64_t backlog)
{
    const struct hd_model_opt *m = sim->m;
    if (backlog <= m->kmin) return false;
    if (backlog > m->kmax) return true;
    return hd_rng_real(&sim->rng) < m->pmax * (double)(backlog - m->kmin) / (double)(m->kmax - m->kmin);
}
