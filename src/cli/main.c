/* SPDX-License-Identifier: BSD-2-Clause */
#include <heddle.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    struct hd_ctx ctx;
    struct hd_net *net;
    hd_ctx_init(&ctx);
    if (hd_net_open(&ctx, argc > 1 ? argv[1] : "ft:m=8,n=3", NULL, &net)) {
        fprintf(stderr, "heddle: %s\n", ctx.error);
        return 3;
    }
    if (hd_net_check(&ctx, net)) fprintf(stderr, "check: %s\n", ctx.error);
    printf("%s: %u endpoints, %u switches, %u cables missing %u\n", net->spec, net->nep, net->nsw, net->nchan / 2, net->shape.missing);
    hd_net_free(net);
    return 0;
}
