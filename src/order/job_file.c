/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of running jobs. A host list has commas and no blanks, so fields are separated by blanks alone. What is wrong
 * with the nodes of a job is said with the line that lists them. Cost: O(hosts log hosts) once for the names, then
 * O(nodes log hosts) per job. The nodes of all jobs are bounded: a line of a few bytes can list a whole fabric. */
#include "base/status.h"
#include "order/node_lines.h"
#include "order/order_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* NODES: of all jobs together, more than any machine has cores to share. */
enum { MAX_JOBS = 65536, MAX_NODES = 1 << 20 };

struct job_name {
    const char *name;
    uint64_t line;
};

struct job_reader {
    struct hd_ctx *ctx;
    struct hd_in *in;
    const struct hd_net *net;
    struct hd_node_lines *lines;
    struct hd_jobs *jobs;
    struct hd_arena *scratch;
    struct job_name *name; /* [jobs->n] */
    uint32_t name_room;
    uint64_t nodes; /* of all jobs so far */
};

/* A host list, or else a file: a pipe that a file of jobs names has no writer who knows of it. What is wrong with a
 * list has file and line already. */
static hd_status job_nodes(struct job_reader *r, const char *name, char *text, struct hd_nodes **nodes)
{
    struct stat st;
    char here[300], why[700];
    const bool exists = stat(text, &st) == 0, list = !exists && !strchr(text, '/');
    if (exists && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return hd_in_fail(r->ctx, r->in, "job %.80s: %.200s is a pipe or a device: expected a file", name, text);
    const hd_status s = list ? hd_node_lines_take(r->lines, text, nodes) : hd_node_lines_file(r->lines, text, nodes);
    if (s != HD_INPUT) return s;
    int n = snprintf(here, sizeof here, "%.200s:%llu: ", hd_in_name(r->in), (unsigned long long)hd_in_lineno(r->in));
    const char *error = hd_ctx_error(r->ctx);
    snprintf(why, sizeof why, "%s", strncmp(error, here, (size_t)n) == 0 ? error + n : error);
    return hd_in_fail(r->ctx, r->in, "job %.80s: %s", name, why);
}

static hd_status job_line(struct job_reader *r, char *line)
{
    struct hd_ctx *ctx = r->ctx;
    struct hd_jobs *jobs = r->jobs;
    char *save, *name = strtok_r(line, " \t", &save), *nodes = strtok_r(NULL, " \t", &save);
    char *pattern = strtok_r(NULL, " \t", &save);
    if (nodes && *nodes == '(') {
        jobs->waiting++;
        return HD_OK;
    }
    if (nodes && strcmp(name, "JOBID") == 0 && strncmp(nodes, "NODELIST", 8) == 0) return HD_OK;
    if (!nodes || strtok_r(NULL, " \t", &save))
        return hd_in_fail(ctx, r->in,
                          "expected a job, its nodes and perhaps its pattern, as in 4711 gpu[001-016] ring");
    if (strcmp(nodes, "-") == 0) return hd_in_fail(ctx, r->in, "nodes '-': expected a host list or a file");
    if (jobs->n == MAX_JOBS) return hd_in_fail(ctx, r->in, "more than %d jobs: expected an end", MAX_JOBS);
    if (!HD_MORE(jobs->arena, jobs->job, jobs->n, jobs->room) || !HD_MORE(r->scratch, r->name, jobs->n, r->name_room))
        return hd_fail_memory(ctx);
    struct hd_running_job *job = &jobs->job[jobs->n];
    *job = (struct hd_running_job){.name = hd_strdup(jobs->arena, name, strlen(name)),
                                   .pattern = pattern ? hd_strdup(jobs->arena, pattern, strlen(pattern)) : NULL};
    if (!job->name || (pattern && !job->pattern)) return hd_fail_memory(ctx);
    HD_TRY(job_nodes(r, name, nodes, &job->nodes));
    r->name[jobs->n++] = (struct job_name){job->name, hd_in_lineno(r->in)};
    r->nodes += job->nodes->n;
    if (r->nodes <= MAX_NODES) return HD_OK;
    return hd_in_fail(ctx, r->in, "more than %d nodes in the jobs up to this one", MAX_NODES);
}

static int job_by_name(const void *a, const void *b)
{
    const struct job_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* The first line that repeats a name is the one to correct. */
static hd_status job_names(struct job_reader *r)
{
    const struct job_name *twice = NULL;
    if (r->jobs->n) qsort(r->name, r->jobs->n, sizeof *r->name, job_by_name);
    for (uint32_t i = 1; i < r->jobs->n; i++)
        if (strcmp(r->name[i].name, r->name[i - 1].name) == 0 && (!twice || r->name[i].line < twice->line))
            twice = &r->name[i];
    if (!twice) return HD_OK;
    return hd_fail(r->ctx, HD_INPUT, "%.200s:%llu: job '%.80s' a second time: expected distinct names",
                   hd_in_name(r->in), (unsigned long long)twice->line, twice->name);
}

static hd_status job_lines(struct job_reader *r)
{
    for (char *line;;) {
        HD_TRY(hd_in_text(r->ctx, r->in, " \t", &line));
        if (!line) return job_names(r);
        HD_TRY(job_line(r, line));
    }
}

hd_status hd_jobs_read(struct hd_ctx *ctx, const struct hd_net *net, const char *path, struct hd_jobs **jobs)
{
    struct hd_arena scratch = {0}, *own;
    struct job_reader r = {.ctx = ctx, .net = net, .scratch = &scratch};
    HD_TRY(hd_given(ctx, path, "a file to read"));
    r.jobs = hd_owned_new(sizeof *r.jobs, &own);
    if (!r.jobs) return hd_fail_memory(ctx);
    *r.jobs = (struct hd_jobs){.arena = own};
    hd_status s = hd_in_open(ctx, path, &r.in);
    if (s == HD_OK) s = hd_node_lines_begin(ctx, &scratch, net, r.in, &r.lines);
    if (s == HD_OK) s = job_lines(&r);
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
    for (uint32_t i = 0; jobs && i < jobs->n; i++) hd_nodes_free(jobs->job[i].nodes);
    if (jobs) hd_owned_free(jobs->arena);
}

hd_status hd_jobs_unused(struct hd_ctx *ctx, const struct hd_jobs *jobs, const struct hd_nodes *nodes,
                         struct hd_nodes **unused)
{
    struct hd_arena scratch = {0};
    bool *busy = HD_NEW(&scratch, bool, nodes->net->nhost);
    uint32_t *which = HD_NEW(&scratch, uint32_t, nodes->n), n = 0;
    hd_status s = busy && which ? HD_OK : hd_fail_memory(ctx);
    for (uint32_t j = 0; s == HD_OK && j < jobs->n; j++) s = hd_nodes_check(ctx, jobs->job[j].nodes, nodes->net);
    for (uint32_t j = 0; s == HD_OK && j < jobs->n; j++)
        for (uint32_t i = 0; i < jobs->job[j].nodes->n; i++) busy[jobs->job[j].nodes->host[i]] = true;
    for (uint32_t i = 0; s == HD_OK && i < nodes->n; i++)
        if (!busy[nodes->host[i]]) which[n++] = i;
    if (s == HD_OK && n == 0) s = hd_fail(ctx, HD_INPUT, "no node is free: all %u of them run jobs", nodes->n);
    if (s == HD_OK) s = hd_nodes_pick(ctx, nodes, which, n, unused);
    hd_arena_release(&scratch);
    return s;
}
