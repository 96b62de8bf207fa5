/* SPDX-License-Identifier: BSD-2-Clause */
/* Pattern x selector x model on small networks. A run ends with figures in their ranges, or is refused with a reason;
 * the same run again gives the same figures; and where hd_routes_check proves a table free of credit loops, senders
 * that use its routes and VLs must not deadlock. */
#include "fuzz_input.h"
#include "run_corpus.h"

#include <math.h>

enum { SIZE = 4096 };

/* Models with settings that keep a run short: small messages, few of them, no endless senders. */
static void choose_model(struct choices *c, char spec[HD_MAX_SPEC], uint32_t *lanes)
{
    static const uint32_t buffers[] = {2048, 4096, 8192, 65536};
    const char *control = (const char *const[]){"credit", "credit", "stopgo", "byte"}[choose(c, 4)];
    uint32_t credit = choose(c, 200) * (*control != 'b');
    *lanes = choose(c, 3) ? 0 : 1 + choose(c, 4);
    snprintf(spec, HD_MAX_SPEC,
             "%s:packet=%u,buffer=%u,wire=%u,hop=%u,credit=%u,control=%s,go=%u,jitter=%u,gap=%u,progress=%s,window=%u,"
             "lanes=%u,lifetime=%u",
             choose(c, 2) ? "myrinet" : "infiniband", 256u << choose(c, 4), buffers[choose(c, 4)], choose(c, 200),
             choose(c, 300), credit, control, choose(c, 4) * 512, choose(c, 300), choose(c, 3000),
             (const char *const[]){"sent", "received", "exchange", "stage"}[choose(c, 4)], 1 + choose(c, 8), *lanes,
             choose(c, 8) ? 0 : 1000 * choose(c, 200));
}

static bool in_range(double x, double low, double high)
{
    return x >= low && x <= high * 1.000001;
}

static void judge(struct hd_ctx *ctx, const struct hd_sim_result *r, const char *what)
{
    if (!r->packets || r->deadlocks) return;
    fuzz_must(in_range(r->min, 0, r->fraction) && in_range(r->fraction, 0, r->max), "mean of the runs", what, ctx);
    fuzz_must(in_range(r->sender_min, 0, r->min) && in_range(r->max, 0, r->sender_max), "extreme senders", what, ctx);
    fuzz_must(in_range(r->fairness, 0, 1), "fairness", what, ctx);
    fuzz_must(r->latency_min <= r->latency_p50 && r->latency_p50 <= r->latency_p95 &&
                  r->latency_p95 <= r->latency_p99 && r->latency_p99 <= r->latency_max,
              "latencies", what, ctx);
    fuzz_must(isfinite(r->time) && r->time <= (double)r->time_max * 1.000001, "time", what, ctx);
}

/* Whether the proof covers what the senders do: the table's own routes, all of them proved, on VLs of their own. */
static bool proved(struct hd_ctx *ctx, const struct hd_routes *r, const char *selector, uint32_t lanes)
{
    static struct hd_check k;
    enum hd_select select = hd_routes_select(r);
    bool switches = strncmp(selector, "ar", 2) == 0 || strncmp(selector, "ecmp", 4) == 0;
    bool any = strncmp(selector, "static", 6) == 0 || select == HD_SELECT_ONE || select == HD_SELECT_ALL ||
               select == HD_SELECT_PACKET;
    if (switches || !any || (lanes && lanes < hd_routes_lanes(r))) return false;
    fuzz_must(hd_routes_check(ctx, r, &k) == HD_OK, "check", selector, ctx);
    return k.deadlock_free == 1;
}

static void simulate(struct hd_ctx *ctx, const struct hd_routes *r, struct choices *c)
{
    static struct hd_sim_result a, b;
    char pattern[HD_MAX_SPEC], selector[HD_MAX_SPEC], model[HD_MAX_SPEC], what[4 * HD_MAX_SPEC];
    uint32_t lanes;
    choose_spec(c, ctx, HD_PATTERNS, 12, pattern);
    choose_spec(c, ctx, HD_SELECTORS, 12, selector);
    choose_model(c, model, &lanes);
    if (strncmp(pattern, "file", 4) == 0) return;
    struct hd_sim_request q = {.pattern = pattern,
                               .selector = selector,
                               .model = model,
                               .samples = 1 + choose(c, 2),
                               .stages = 1 + choose(c, 3),
                               .size = 1 + choose(c, SIZE),
                               .messages = 1 + choose(c, 3)};
    snprintf(what, sizeof what, "%.300s %.300s %.300s %.300s %.300s", hd_routes_net(r)->spec, hd_routes_spec(r),
             pattern, selector, model);
    hd_status s = hd_sim(ctx, r, &q, &a);
    if (s != HD_OK) {
        fuzz_refused(s, what, ctx);
        return;
    }
    judge(ctx, &a, what);
    fuzz_must(!a.deadlocks || !proved(ctx, r, selector, lanes), "a proved table deadlocks", what, ctx);
    if (choose(c, 4)) return;
    fuzz_must(hd_sim(ctx, r, &q, &b) == HD_OK && a.fraction == b.fraction && a.events == b.events && a.time == b.time,
              "another result the second time", what, ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const engine[] = {"minhop", "updown", "dfsssp", "lash",  "dmodk",
                                         "omrmn",  "mlid",   "dor",    "random"};
    struct choices c = {data, data + size};
    struct hd_ctx ctx;
    struct hd_net *net;
    struct hd_routes *r;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.seed = choose(&c, 16);
    if (choose_net(&c, &ctx, &net) != HD_OK) return 0;
    if (hd_routes_open(&ctx, net, engine[choose(&c, sizeof engine / sizeof *engine)], &r) == HD_OK) {
        simulate(&ctx, r, &c);
        hd_routes_free(r);
    }
    hd_net_free(net);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_sim")
