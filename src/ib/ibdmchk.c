/* SPDX-License-Identifier: BSD-2-Clause */
/* Running ibdmchk on our routes, as a second opinion by a program that shares no code with us. Its exit status means
 * nothing, because it ends in a crash, so its output is read line by line. */
#include "base/input.h"
#include "base/status.h"
#include "ib/process_group.h"
#include "ib/ibdmchk.h"

#include <stdio.h>
#include <string.h>

static hd_status ibdmchk_write(struct hd_ctx *ctx, const struct hd_process_group *group, const struct hd_routes *r,
                               const char *format)
{
    char path[128];
    struct hd_out *o;
    HD_TRY(hd_out_open(ctx, hd_process_group_path(group, format ? format : "mcfdbs", path), &o));
    return hd_out_end(ctx, o, format ? hd_routes_write(ctx, r, format, o) : HD_OK);
}

/* The last statement about a subject is the verdict. */
void hd_ibdmchk_line(const char *line, struct hd_second *v)
{
    bool verdict = true;
    if (strstr(line, "no credit loops found"))
        v->deadlock_free = 1;
    else if (strstr(line, "Found credit loop on") && v->deadlock_free < 0)
        v->deadlock_free = 0;
    else if (strncmp(line, "-E-", 3) == 0 && !strstr(line, "credit loops in routing")) {
        if (v->connected != 1) v->connected = 0;
    } else
        verdict = false;
    if (strncmp(line, "-I- Scanned:", 12) == 0 && strstr(line, "CA to CA paths") && v->connected < 0) v->connected = 1;
    if (verdict) snprintf(v->said, sizeof v->said, "%.250s", line);
}

static hd_status ibdmchk_hear(struct hd_ctx *ctx, const struct hd_process_group *group, struct hd_second *v)
{
    char path[128], *line;
    size_t len;
    struct hd_in *in;
    HD_TRY(hd_in_open(ctx, hd_process_group_path(group, "out", path), &in));
    hd_status s;
    while ((s = hd_in_line(ctx, in, &line, &len)) == HD_OK && line) hd_ibdmchk_line(line, v);
    hd_in_close(in);
    return s;
}

static hd_status ibdmchk_judge(struct hd_ctx *ctx, struct hd_process_group *group, const struct hd_routes *r,
                               const char *program, struct hd_second *v)
{
    const char *formats[] = {"subnet", "fdbs", "psl", "slvl"};
    bool hops = hd_routes_lane_rule(r) == HD_LANE_HOP, lanes = hops || hd_routes_lanes(r) > 1;
    const char *argv[] = {
        program, "-s", "subnet", "-f", "fdbs", "-m", "mcfdbs", lanes ? "-c" : NULL, "psl", hops ? "-d" : NULL,
        "slvl",  NULL};
    const struct hd_program_run run = {argv, (const char *const[]){"LC_ALL=C", NULL}, "out"};
    pid_t pid;
    int status;
    for (int i = 0; i < (hops ? 4 : lanes ? 3 : 2); i++) HD_TRY(ibdmchk_write(ctx, group, r, formats[i]));
    HD_TRY(ibdmchk_write(ctx, group, r, NULL));
    HD_TRY(hd_process_group_start(ctx, group, &run, &pid));
    while (!hd_process_group_ended(group, pid, &status)) hd_pause(0.005);
    return ibdmchk_hear(ctx, group, v);
}

hd_status hd_routes_second(struct hd_ctx *ctx, const struct hd_routes *r, const char *programs,
                           struct hd_second *second)
{
    char program[256];
    struct hd_process_group group = {0};
    struct hd_second v = {.connected = -1, .deadlock_free = -1};
    struct hd_ctx here = *ctx; /* of several processes each needs its own files, at once */
    here.comm = NULL;
    here.batch = NULL;
    if (hd_routes_lane_rule(r) == HD_LANE_UNKNOWN)
        return hd_fail(ctx, HD_INPUT, "ibdmchk: the VLs of %.200s are not known", hd_routes_spec(r));
    HD_TRY(hd_program_find(ctx, programs ? programs : "", "ibdmchk", "ibutils", program));
    HD_TRY(hd_process_group_begin(ctx, &group));
    hd_status s = ibdmchk_judge(&here, &group, r, program, &v);
    hd_process_group_end(&group);
    hd_error_copy(ctx, &here);
    if (s == HD_OK) *second = v;
    return s;
}
