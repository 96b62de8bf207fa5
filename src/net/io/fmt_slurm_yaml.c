/* SPDX-License-Identifier: BSD-2-Clause */
/* topology.yaml, read by Slurm 25.05 and later in place of topology.conf: the same tree with children
 * as host lists (topology.yaml(5)). Names hold nothing a quoted YAML string would have to escape. */
#include "base/status.h"
#include "net/io/net_formats.h"
#include "net/io/hostlist.h"
#include "net/io/slurm_tree.h"

hd_status hd_write_slurm_yaml(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    struct hd_arena arena = {0};
    struct hd_slurm_tree tree;
    hd_status s = hd_slurm_tree(ctx, &arena, net, &tree);
    if (s == HD_OK)
        hd_puts(o, "# Leaf switches have their own names; pod* and top* are all switches of a subtree,\n"
                   "# since a switch has one parent here.\n"
                   "- topology: fabric\n"
                   "  cluster_default: true\n"
                   "  tree:\n"
                   "    switches:\n");
    for (uint32_t k = 0; s == HD_OK && k < tree.n; k++) {
        hd_printf(o, "      - switch: \"%s\"\n        %s: \"", tree.sw[k].name, tree.sw[k].leaf ? "nodes" : "children");
        s = hd_hostlist_compress(ctx, tree.sw[k].kids, tree.sw[k].nkids, o);
        hd_puts(o, "\"\n");
    }
    hd_arena_release(&arena);
    return s;
}
