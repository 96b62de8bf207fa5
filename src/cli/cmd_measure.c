/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli.h"
hd_status run_measure(struct cli *cli)
{
    return usage_error(cli, "x");
}
