/* SPDX-License-Identifier: BSD-2-Clause */
/* topology.conf of Slurm's tree plugin: one line a switch, children as host lists (topology.conf(5)). */
#include "base/status.h"
#include "net/io/net_formats.h"
#include "net/io/hostlist.h"
#include "net/io/slurm_tree.h"

/* The spec may come from a file name: a comment ends with its line. */
static void put_comment(struct hd_out *o, const char *text)
{
    for (; *text; text++) hd_put(o, (unsigned char)*text < 32 || *text == 127 ? "?" : text, 1);
}

hd_status hd_write_slurm(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    struct hd_arena arena = {0};
    struct hd_slurm_tree tree;
    hd_status s = hd_slurm_tree(ctx, &arena, net, &tree);
    if (s == HD_OK) {
        hd_puts(o, "# ");
        put_comment(o, net->spec);
        hd_printf(o, ": %u hosts, for TopologyPlugin=topology/tree\n", tree.nhosts);
        hd_puts(o, "# Leaf switches have their own names; pod* and top* are all switches of a subtree,\n"
                   "# since a switch has one parent here.\n");
    }
    for (uint32_t k = 0; s == HD_OK && k < tree.n; k++) {
        hd_printf(o, "SwitchName=%s %s=", tree.sw[k].name, tree.sw[k].leaf ? "Nodes" : "Switches");
        s = hd_hostlist_compress(ctx, tree.sw[k].kids, tree.sw[k].nkids, o);
        hd_puts(o, "\n");
    }
    hd_arena_release(&arena);
    return s;
}
