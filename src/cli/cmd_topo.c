/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle topo: what a network is, or the network in another format. */
#include "cli.h"

static hd_status convert(struct cli *cli, const struct hd_net *net)
{
    const char *format = cli->v.format ? cli->v.format : "ibnet", *path = cli->v.output ? cli->v.output : "-";
    struct hd_out *o;
    hd_status s = hd_out_open(&cli->ctx, path, &o);
    if (s != HD_OK) return s;
    s = hd_net_write(&cli->ctx, net, format, o);
    if (s == HD_OK) return hd_out_close(&cli->ctx, o);
    hd_out_drop(o);
    return s;
}

hd_status run_topo(struct cli *cli)
{
    struct hd_net *net;
    hd_status s = open_net(cli, 0, &net);
    if (s != HD_OK) return s;
    if (cli->v.format || cli->v.output) s = convert(cli, net);
    else hd_printf(cli->out, "%s: %u endpoints\n", net->spec, net->nep);
    hd_net_free(net);
    return s;
}
