/* SPDX-License-Identifier: BSD-2-Clause */
/* Slurm's tree plugin: topology.conf, one line per switch with its children as a host list (topology.conf(5)), and
 * topology.yaml, which 25.05 and later read in place of it (topology.yaml(5)): the same tree in other words. Names hold
 * nothing that a quoted YAML string would have to escape. */
#include "base/status.h"
#include "net/io/net_formats.h"
#include "net/io/hostlist.h"
#include "net/io/slurm_tree.h"

/* The spec may come from a file name: a comment ends with its line. */
static void put_comment(struct hd_out *o, const char *text)
{
    for (; *text; text++) hd_put(o, (unsigned char)*text < 32 || *text == 127 ? "?" : text, 1);
}

#define LEGEND                                                                                                         \
    "# Leaf switches have their own names; pod* and top* are all switches of a subtree,\n"                             \
    "# since a switch has one parent here.\n"

struct slurm_words { /* how a file is written: before the switches, and around the parts of each */
    bool comment;    /* with the spec and the number of hosts on top */
    const char *begin, *name, *hosts, *switches, *end;
};

static hd_status slurm_write(struct hd_ctx *ctx, const struct hd_net *net, const struct slurm_words *w,
                             struct hd_out *o)
{
    struct hd_arena arena = {0};
    struct hd_slurm_tree tree;
    hd_status s = hd_slurm_tree(ctx, &arena, net, &tree);
    if (s == HD_OK && w->comment) {
        hd_puts(o, "# ");
        put_comment(o, net->spec);
        hd_printf(o, ": %u hosts, for TopologyPlugin=topology/tree\n", tree.nhosts);
    }
    if (s == HD_OK) hd_puts(o, w->begin);
    for (uint32_t k = 0; s == HD_OK && k < tree.n; k++) {
        hd_printf(o, "%s%s%s", w->name, tree.sw[k].name, tree.sw[k].leaf ? w->hosts : w->switches);
        s = hd_hostlist_compress(ctx, tree.sw[k].kids, tree.sw[k].nkids, o);
        hd_puts(o, w->end);
    }
    hd_arena_release(&arena);
    return s;
}

hd_status hd_write_slurm(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    static const struct slurm_words conf = {true, LEGEND, "SwitchName=", " Nodes=", " Switches=", "\n"};
    return slurm_write(ctx, net, &conf, o);
}

hd_status hd_write_slurm_yaml(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    static const struct slurm_words yaml = {false,
                                            LEGEND
                                            "- topology: fabric\n  cluster_default: true\n  tree:\n    switches:\n",
                                            "      - switch: \"",
                                            "\"\n        nodes: \"",
                                            "\"\n        children: \"",
                                            "\"\n"};
    return slurm_write(ctx, net, &yaml, o);
}
