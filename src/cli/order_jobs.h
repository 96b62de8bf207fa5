/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle order --with: the jobs that run beside this one. */
#ifndef HD_CLI_ORDER_JOBS_H
#define HD_CLI_ORDER_JOBS_H

#include "cli.h"

struct running {
    struct hd_jobs *jobs;                  /* NULL: not asked for */
    struct hd_interference *before, *with; /* of the jobs alone, and with this one as the last */
};

hd_status running_read(struct cli *cli, const struct hd_net *net, struct running *r);
/* Fills in before and with; a job on the very nodes of mine is taken for mine and left out. */
hd_status running_compare(struct cli *cli, const struct hd_routes *routes, const struct hd_nodes *mine,
                          struct running *r);
void running_json(const struct hd_net *net, const struct running *r, struct hd_json *j);
hd_status running_print(struct cli *cli, const struct hd_net *net, const struct running *r);
void running_free(struct running *r);

#endif
