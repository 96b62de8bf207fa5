/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of running jobs: a name and a node list per line, which is what squeue prints of them. A job that waits has no
 * nodes, or a reason in parentheses in their place. O(hosts log hosts) once, then O(endpoints) per job. */
#include "base/status.h"
#include "order/node_lines.h"

#include <string.h>

struct jobs_reader {
    struct hd_ctx *ctx;
    struct hd_in *in;
    struct hd_arena *own;
    struct hd_node_lines *lines;
    struct hd_jobs *jobs;
};

/* What the columns of squeue are called. */
static bool is_heading(const char *name, const char *rest)
{
    return strcmp(name, "JOBID") == 0 && strncmp(rest, "NODELIST", 8) == 0;
}

static hd_status jobs_add(struct jobs_reader *r, char *line)
{
    struct hd_jobs *jobs = r->jobs;
    size_t length = strcspn(line, " \t");
    char *rest = line + length;
    if (*rest) *rest++ = 0;
    rest += strspn(rest, " \t");
    if (is_heading(line, rest)) return HD_OK;
    if (!*rest || *rest == '(') {
        jobs->waiting++;
        return HD_OK;
    }
    if (jobs->n == HD_MAX_JOBS) return hd_in_fail(r->ctx, r->in, "more than %d jobs, which is the limit", HD_MAX_JOBS);
    for (const char *p = line; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            return hd_in_fail(r->ctx, r->in, "control character in the name of a job");
    HD_TRY(hd_node_lines_take(r->lines, rest, &jobs->nodes[jobs->n]));
    jobs->name[jobs->n] = hd_strdup(r->own, line, length);
    return jobs->name[jobs->n++] ? HD_OK : hd_fail_memory(r->ctx);
}

static hd_status jobs_read_lines(struct jobs_reader *r)
{
    for (char *text;;) {
        HD_TRY(hd_in_text(r->ctx, r->in, " \t", &text));
        if (!text) break;
        HD_TRY(jobs_add(r, text));
    }
    return HD_OK;
}

hd_status hd_jobs_read(struct hd_ctx *ctx, const struct hd_net *net, const char *path, struct hd_jobs **jobs)
{
    struct hd_arena scratch = {0};
    struct jobs_reader r = {.ctx = ctx};
    r.jobs = hd_owned_new(sizeof *r.jobs, &r.own);
    if (!r.jobs) return hd_fail_memory(ctx);
    *r.jobs = (struct hd_jobs){.name = HD_NEW(r.own, const char *, HD_MAX_JOBS),
                               .nodes = HD_NEW(r.own, struct hd_nodes *, HD_MAX_JOBS),
                               .arena = r.own};
    hd_status s = r.jobs->name && r.jobs->nodes ? hd_in_open(ctx, path, &r.in) : hd_fail_memory(ctx);
    if (s == HD_OK) s = hd_node_lines_begin(ctx, &scratch, net, r.in, &r.lines);
    if (s == HD_OK) s = jobs_read_lines(&r);
    hd_in_close(r.in);
    hd_node_lines_end(r.lines);
    hd_arena_release(&scratch);
    if (s == HD_OK)
        *jobs = r.jobs;
    else
        hd_jobs_free(r.jobs);
    return s;
}

void hd_jobs_free(struct hd_jobs *jobs)
{
    for (uint32_t i = 0; jobs && i < HD_MAX_JOBS && jobs->nodes; i++) hd_nodes_free(jobs->nodes[i]);
    if (jobs) hd_owned_free(jobs->arena);
}

hd_status hd_jobs_unused(struct hd_ctx *ctx, const struct hd_jobs *jobs, const struct hd_nodes *nodes,
                         struct hd_nodes **unused)
{
    struct hd_arena scratch = {0};
    bool *busy = HD_NEW(&scratch, bool, nodes->net->nhost);
    uint32_t *which = HD_NEW(&scratch, uint32_t, nodes->n), n = 0;
    hd_status s = busy && which ? HD_OK : hd_fail_memory(ctx);
    for (uint32_t j = 0; s == HD_OK && j < jobs->n; j++)
        for (uint32_t i = 0; i < jobs->nodes[j]->n; i++) busy[jobs->nodes[j]->host[i]] = true;
    for (uint32_t i = 0; s == HD_OK && i < nodes->n; i++)
        if (!busy[nodes->host[i]]) which[n++] = i;
    if (s == HD_OK && n == 0) s = hd_fail(ctx, HD_INPUT, "no node is free: all %u of them run jobs", nodes->n);
    if (s == HD_OK) s = hd_nodes_pick(ctx, nodes, which, n, unused);
    hd_arena_release(&scratch);
    return s;
}
