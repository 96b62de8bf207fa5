/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of running jobs. A host list has commas and no blanks, so fields are separated by blanks alone. What is wrong
 * with the nodes of a job is said with the line that lists them. Cost: O(hosts log hosts) per job, for the names. */
#include "order/job_file.h"
#include "base/input.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

enum { MAX_JOBS = 65536 };

static hd_status job_line(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const struct hd_in *in,
                          char *line, struct hd_jobs *jobs)
{
    char *save, *name = strtok_r(line, " \t", &save), *nodes = strtok_r(NULL, " \t", &save);
    char *pattern = strtok_r(NULL, " \t", &save), why[700];
    if (!nodes || strtok_r(NULL, " \t", &save))
        return hd_in_fail(ctx, in, "expected a job, its nodes and perhaps its pattern, as in 4711 gpu[001-016] ring");
    if (strcmp(nodes, "-") == 0) return hd_in_fail(ctx, in, "nodes '-': expected a host list or a file");
    for (uint32_t i = 0; i < jobs->n; i++)
        if (strcmp(jobs->job[i].name, name) == 0)
            return hd_in_fail(ctx, in, "job '%.80s' a second time: expected distinct names", name);
    if (jobs->n == MAX_JOBS) return hd_in_fail(ctx, in, "more than %d jobs: expected an end", MAX_JOBS);
    if (!HD_MORE(arena, jobs->job, jobs->n, jobs->room)) return hd_fail_memory(ctx);
    struct hd_running_job *job = &jobs->job[jobs->n];
    *job = (struct hd_running_job){.name = hd_strdup(arena, name, strlen(name)),
                                   .pattern = pattern ? hd_strdup(arena, pattern, strlen(pattern)) : NULL};
    if (!job->name || (pattern && !job->pattern)) return hd_fail_memory(ctx);
    const hd_status s = hd_nodes_read(ctx, net, nodes, 1, &job->nodes);
    if (s == HD_OK) jobs->n++;
    if (s != HD_INPUT) return s;
    snprintf(why, sizeof why, "%s", hd_ctx_error(ctx));
    return hd_in_fail(ctx, in, "job %.80s: %s", name, why);
}

hd_status hd_jobs_read(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path,
                       struct hd_jobs *jobs)
{
    struct hd_in *in;
    char *line;
    *jobs = (struct hd_jobs){0};
    HD_TRY(hd_in_open(ctx, path, &in));
    hd_status s = hd_in_text(ctx, in, " \t", &line);
    while (s == HD_OK && line) {
        s = job_line(ctx, arena, net, in, line, jobs);
        if (s == HD_OK) s = hd_in_text(ctx, in, " \t", &line);
    }
    if (s == HD_OK && !jobs->n) s = hd_fail(ctx, HD_INPUT, "%.200s: no job: expected one per line", hd_in_name(in));
    hd_in_close(in);
    return s;
}

void hd_jobs_release(struct hd_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->n; i++) hd_nodes_free(jobs->job[i].nodes);
    jobs->n = 0;
}
