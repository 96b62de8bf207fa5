/* SPDX-License-Identifier: BSD-2-Clause */
/* The smallest use of the library: open a network by name and print its size.
 *     cc minimal.c $(pkg-config --cflags --libs heddle) && ./a.out torus:dims=4x4x4,hosts=2 */
#include <heddle.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net;
    if (!ctx || !hd_version_check(HEDDLE_VERSION)) return 1;
    if (hd_net_open(ctx, argc > 1 ? argv[1] : "ft:m=8,n=3", NULL, &net) != HD_OK) {
        fprintf(stderr, "%s\n", hd_ctx_error(ctx));
        return 1;
    }
    printf("%s: %u endpoints, %u switches, %u cables\n", net->spec, net->nep, net->nsw, net->nchan / 2);
    printf("%s is on %s\n", hd_node_name(net, net->nsw), hd_node_name(net, hd_leaf(net, 0)));
    hd_net_free(net);
    hd_ctx_free(ctx);
    return 0;
}
