/* SPDX-License-Identifier: BSD-2-Clause */
/* The smallest use of the library: open a network by name and print its size.
 *     cc minimal.c $(pkg-config --cflags --libs heddle) && ./a.out torus:dims=4x4x4,hosts=2 */
#include <heddle.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct hd_ctx ctx;
    struct hd_net *net;
    hd_ctx_init(&ctx);
    if (hd_net_open(&ctx, argc > 1 ? argv[1] : "ft:m=8,n=3", NULL, &net) != HD_OK) {
        fprintf(stderr, "%s\n", ctx.error);
        return 1;
    }
    printf("%s: %u endpoints, %u switches, %u cables\n", net->spec, net->nep, net->nsw, net->nchan / 2);
    printf("%s is on %s\n", hd_node_name(net, net->nsw), hd_node_name(net, hd_leaf(net, 0)));
    hd_net_free(net);
    return 0;
}
