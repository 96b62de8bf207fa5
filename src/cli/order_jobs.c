/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle order --with: which running jobs share channels with this one, and what each of them loses. */
#include "order_jobs.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

hd_status running_read(struct cli *cli, const struct hd_net *net, struct running *r)
{
    if (!cli->v.with) return HD_OK;
    hd_status s = hd_jobs_read(cli->ctx, net, cli->v.with, &r->jobs);
    if (s == HD_OK && r->jobs->waiting)
        hd_note(cli->ctx, "%u job%s without nodes %s left out", r->jobs->waiting, r->jobs->waiting == 1 ? "" : "s",
                r->jobs->waiting == 1 ? "is" : "are");
    return s;
}

/* squeue lists this job too, if it runs already. */
static hd_status leave_out_mine(struct cli *cli, const struct hd_nodes *mine, struct running *r)
{
    struct hd_jobs *jobs = r->jobs;
    bool *used = calloc((size_t)mine->net->nhost + 1, sizeof *used);
    uint32_t n = 0;
    if (!used) return hd_fail_memory(cli->ctx);
    for (uint32_t i = 0; i < mine->n; i++) used[mine->host[i]] = true;
    for (uint32_t j = 0; j < jobs->n; j++) {
        const struct hd_running_job job = jobs->job[j];
        struct hd_nodes *nodes = job.nodes;
        uint32_t same = 0;
        for (uint32_t i = 0; i < nodes->n; i++) same += used[nodes->host[i]];
        if (same == mine->n && nodes->n == mine->n) {
            hd_note(cli->ctx, "job %.60s has the nodes of this one and is taken for it", job.name);
            hd_nodes_free(nodes);
        } else {
            jobs->job[n++] = job;
        }
    }
    jobs->n = n;
    free(used);
    return HD_OK;
}

hd_status running_compare(struct cli *cli, const struct hd_routes *routes, const struct hd_nodes *mine,
                          struct running *r)
{
    if (!r->jobs) return HD_OK;
    hd_status s = leave_out_mine(cli, mine, r);
    if (s == HD_OK) s = hd_jobs_meet(cli->ctx, routes, r->jobs, NULL, &r->before);
    if (s == HD_OK) s = hd_jobs_meet(cli->ctx, routes, r->jobs, mine, &r->with);
    return s;
}

static double slowdown(const struct hd_job_busy *job)
{
    return job->together / job->alone;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_channel(const struct hd_net *net, uint32_t c, struct hd_json *j)
{
    hd_json_fields(j, hd_text("from", hd_node_name(net, net->tail[c])), hd_uint("port", net->port[c]),
                   hd_text("to", hd_node_name(net, net->head[c])));
}

static void json_rows(const struct hd_net *net, const struct running *r, struct hd_json *j)
{
    hd_json_open(j, "rows", '[');
    for (uint64_t i = 0; i < r->with->npair; i++) {
        const struct hd_job_pair *p = &r->with->pair[i];
        if (p->b != r->jobs->n) continue;
        hd_json_open(j, NULL, '{');
        hd_json_fields(j, hd_text("job", r->jobs->job[p->a].name), hd_uint("nodes", r->jobs->job[p->a].nodes->n),
                       hd_uint("channels", p->channels), hd_real("slowdown_before", slowdown(&r->before->job[p->a])),
                       hd_real("slowdown", slowdown(&r->with->job[p->a])));
        json_channel(net, p->worst, j);
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
}

void running_json(const struct hd_net *net, const struct running *r, struct hd_json *j)
{
    if (!r->jobs) return;
    const struct hd_job_busy *mine = &r->with->job[r->jobs->n];
    hd_json_open(j, "with", '{');
    hd_json_fields(j, hd_uint("jobs", r->jobs->n), hd_uint("shares", mine->shares),
                   hd_real("isolation", 1 / slowdown(mine)), hd_real("slowdown", slowdown(mine)));
    json_rows(net, r, j);
    hd_json_open(j, "pairs", '[');
    for (uint64_t i = 0; i < r->before->npair; i++) {
        const struct hd_job_pair *p = &r->before->pair[i];
        hd_json_open(j, NULL, '{');
        hd_json_fields(j, hd_text("a", r->jobs->job[p->a].name), hd_text("b", r->jobs->job[p->b].name),
                       hd_uint("channels", p->channels));
        json_channel(net, p->worst, j);
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
    hd_json_close(j, '}');
}

/* ---- text ----------------------------------------------------------------------------------- */

enum { SHOWN_JOBS = 10 };

static hd_status print_sharing(struct cli *cli, const struct hd_net *net, const struct running *r)
{
    struct table t;
    uint32_t shown = 0;
    hd_status s = table_init(cli->ctx, &t, "job|>nodes|>channels shared|>slowdown before|>with this job|most on");
    if (s != HD_OK) return s;
    for (uint64_t i = 0; i < r->with->npair && shown < SHOWN_JOBS; i++) {
        const struct hd_job_pair *p = &r->with->pair[i];
        if (p->b != r->jobs->n) continue;
        shown++;
        table_cell(&t, "%s", r->jobs->job[p->a].name);
        table_cell(&t, "%u", r->jobs->job[p->a].nodes->n);
        table_cell(&t, "%u", p->channels);
        table_cell(&t, "%.3f", slowdown(&r->before->job[p->a]));
        table_cell(&t, "%.3f", slowdown(&r->with->job[p->a]));
        table_cell(&t, "%s port %u", hd_node_label(net, net->tail[p->worst]), net->port[p->worst]);
    }
    table_print(&t, cli->out);
    return HD_OK;
}

hd_status running_print(struct cli *cli, const struct hd_net *net, const struct running *r)
{
    struct hd_out *o = cli->out;
    if (!r->jobs) return HD_OK;
    const struct hd_job_busy *mine = &r->with->job[r->jobs->n];
    hd_printf(o, "with %u running job%s: channels shared with %u, isolation %.3f", r->jobs->n,
              r->jobs->n == 1 ? "" : "s", mine->shares, 1 / slowdown(mine));
    if (mine->worst != UINT32_MAX)
        hd_printf(o, " (slowed down by %.3f at most, on %s port %u)", slowdown(mine),
                  hd_node_label(net, net->tail[mine->worst]), net->port[mine->worst]);
    hd_puts(o, "\n");
    hd_status s = mine->shares ? print_sharing(cli, net, r) : HD_OK;
    if (s == HD_OK && mine->shares > SHOWN_JOBS)
        hd_printf(o, "and %u more (--json lists all of them)\n", mine->shares - SHOWN_JOBS);
    return s;
}

void running_free(struct running *r)
{
    hd_interference_free(r->before);
    hd_interference_free(r->with);
    hd_jobs_free(r->jobs);
}
