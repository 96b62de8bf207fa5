/* SPDX-License-Identifier: BSD-2-Clause */
/* topology.yaml, which Slurm 25.05 and later read in place of topology.conf (topology.yaml(5)): several topologies, of
 * which a partition chooses one by its name. "fabric" is the tree of topology.conf, the default; "blocks" has the
 * hosts of a leaf switch as a block, for jobs with --segment: the base size is that of the smallest block, since a
 * smaller one would be refused, and sizes double as often as there are blocks for. Where some leaf has one host, or
 * less than half of what most have, the base would say nothing: then blocks are the subtrees above, and where those
 * are no better there are none, which is noted. 26.05 also knows rings of up to 16
 * hosts and three-dimensional tori; "grid" is written for it where the network is one with one host per switch, and
 * allows the boxes that halving the longest side gives, by its smallest factor where that is not 2. Names hold nothing
 * that a quoted YAML string would have to escape. Cost: O(hosts). */
#include "base/status.h"
#include "net/core/shape.h"
#include "net/io/net_formats.h"
#include "net/io/slurm_tree.h"

#include <stdlib.h>
#include <string.h>

enum { RING_HOSTS = 16 }; /* of one ring, at most */

/* ---- blocks ----------------------------------------------------------------------------------- */

struct yaml_name {
    const char *name;
    uint32_t sw;
};

struct yaml_blocks {
    const struct slurm_tree *tree;
    uint32_t *parent;    /* [n] UINT32_MAX: none */
    uint32_t *block;     /* [n] of a leaf: the switch whose hosts are its block */
    uint32_t *hosts;     /* [n] of a block */
    uint32_t n, least;   /* blocks, and the hosts of the smallest */
    const char **listed; /* [nhosts] */
};

static int yaml_by_name(const void *a, const void *b)
{
    return strcmp(((const struct yaml_name *)a)->name, ((const struct yaml_name *)b)->name);
}

static hd_status yaml_find_parents(struct hd_ctx *ctx, struct hd_arena *arena, struct yaml_blocks *b)
{
    const struct slurm_tree *tree = b->tree;
    struct yaml_name *names = HD_NEW(arena, struct yaml_name, tree->n);
    b->listed = HD_NEW(arena, const char *, tree->nhosts);
    if (!HD_NEW_U32(arena, tree->n, &b->parent, &b->block, &b->hosts) || !names || !b->listed)
        return hd_fail_memory(ctx);
    for (uint32_t k = 0; k < tree->n; k++) {
        names[k] = (struct yaml_name){tree->sw[k].name, k};
        b->parent[k] = UINT32_MAX;
        b->block[k] = k;
    }
    qsort(names, tree->n, sizeof *names, yaml_by_name);
    for (uint32_t k = 0; k < tree->n; k++)
        for (uint32_t i = 0; !tree->sw[k].leaf && i < tree->sw[k].nkids; i++) {
            const struct yaml_name want = {tree->sw[k].kids[i], 0};
            const struct yaml_name *found = bsearch(&want, names, tree->n, sizeof *names, yaml_by_name);
            if (found) b->parent[found->sw] = k;
        }
    return HD_OK;
}

/* Whether the blocks say something: several, of two hosts at least, the smallest half as large as most are. */
static bool yaml_blocks_fit(struct yaml_blocks *b, uint32_t *often)
{
    const struct slurm_tree *tree = b->tree;
    uint32_t usual = 0;
    memset(b->hosts, 0, tree->n * sizeof *b->hosts);
    memset(often, 0, ((size_t)tree->nhosts + 1) * sizeof *often);
    for (uint32_t k = 0; k < tree->n; k++)
        if (tree->sw[k].leaf) b->hosts[b->block[k]] += tree->sw[k].nkids;
    b->n = 0;
    b->least = UINT32_MAX;
    for (uint32_t k = 0; k < tree->n; k++) {
        if (!b->hosts[k]) continue;
        b->n++;
        if (b->hosts[k] < b->least) b->least = b->hosts[k];
        if (++often[b->hosts[k]] >= often[usual]) usual = b->hosts[k];
    }
    return b->n > 1 && b->least > 1 && 2 * b->least >= usual;
}

/* Every leaf's block becomes the switch above; false where one has none. */
static bool yaml_blocks_rise(struct yaml_blocks *b)
{
    for (uint32_t k = 0; k < b->tree->n; k++) {
        if (!b->tree->sw[k].leaf) continue;
        if (b->parent[b->block[k]] == UINT32_MAX) return false;
        b->block[k] = b->parent[b->block[k]];
    }
    return true;
}

static hd_status yaml_put_blocks(struct hd_ctx *ctx, const struct yaml_blocks *b, struct hd_out *o)
{
    const struct slurm_tree *tree = b->tree;
    hd_puts(o, "- topology: blocks\n  cluster_default: false\n  block:\n    block_sizes:\n");
    for (uint32_t times = 1; times <= b->n; times *= 2) hd_printf(o, "      - %u\n", b->least * times);
    hd_puts(o, "    blocks:\n");
    for (uint32_t k = 0; k < tree->n; k++) {
        uint32_t n = 0;
        if (!b->hosts[k]) continue;
        for (uint32_t l = 0; l < tree->n; l++)
            for (uint32_t i = 0; tree->sw[l].leaf && b->block[l] == k && i < tree->sw[l].nkids; i++)
                b->listed[n++] = tree->sw[l].kids[i];
        const struct slurm_switch all = {.name = tree->sw[k].name, .kids = b->listed, .nkids = n, .leaf = true};
        hd_printf(o, "      - block: \"%s\"\n        nodes: \"", all.name);
        HD_TRY(hd_slurm_put_names(ctx, &all, o));
        hd_puts(o, "\"\n");
    }
    return HD_OK;
}

static hd_status yaml_blocks(struct hd_ctx *ctx, const struct slurm_tree *tree, struct hd_out *o)
{
    struct hd_arena arena = {0};
    struct yaml_blocks b = {.tree = tree};
    uint32_t *often = HD_NEW(&arena, uint32_t, (size_t)tree->nhosts + 1);
    hd_status s = often ? yaml_find_parents(ctx, &arena, &b) : hd_fail_memory(ctx);
    if (s == HD_OK) {
        bool fit = yaml_blocks_fit(&b, often);
        while (!fit && yaml_blocks_rise(&b)) fit = yaml_blocks_fit(&b, often);
        if (fit)
            s = yaml_put_blocks(ctx, &b, o);
        else
            hd_note(ctx, "no blocks: neither leaf switches nor subtrees have about equally many hosts, two or more");
    }
    hd_arena_release(&arena);
    return s;
}

/* ---- rings and tori --------------------------------------------------------------------------- */

struct yaml_grid {
    uint32_t n, dim[3];
    const char **host; /* [n] by coordinates, the first fastest */
};

/* Why the network is no torus of single hosts in three dimensions or fewer; NULL: it is, and grid has its hosts. */
static const char *yaml_no_grid(const struct hd_net *net, const struct slurm_tree *tree, struct hd_arena *arena,
                                struct yaml_grid *grid)
{
    const struct hd_shape *s = &net->shape;
    uint64_t cells = 1;
    if (s->kind != HD_SHAPE_GRID || s->n > 3) return "not a torus of up to three dimensions";
    for (uint32_t i = 0; i < 3; i++) {
        grid->dim[i] = i < s->n ? s->m[i] : 1;
        cells *= grid->dim[i];
        if (grid->dim[i] > 2 && s->w[i] != HD_RING) return "not a torus of up to three dimensions";
    }
    if (s->missing || s->strays || cells != hd_placed(net) || cells != tree->nhosts)
        return "not complete, or not one host per switch";
    grid->n = (uint32_t)cells;
    grid->host = HD_NEW(arena, const char *, cells);
    if (!grid->host) return "";
    for (uint32_t k = 0; k < tree->n; k++) {
        const struct slurm_switch *sw = &tree->sw[k];
        uint32_t at = 0;
        if (!sw->leaf) continue;
        if (sw->nkids != 1) return "not complete, or not one host per switch";
        const uint16_t *x = hd_coord(net, sw->node);
        for (uint32_t i = s->n; i-- > 0;) at = at * grid->dim[i] + x[i];
        grid->host[at] = sw->kids[0];
    }
    return NULL;
}

/* In their order, which ranges would lose. */
static void yaml_hosts(const struct yaml_grid *grid, struct hd_out *o)
{
    hd_puts(o, "        nodes: \"");
    for (uint32_t i = 0; i < grid->n; i++) hd_printf(o, i ? ",%s" : "%s", grid->host[i]);
    hd_puts(o, "\"\n");
}

static void yaml_dims(const uint32_t dim[3], const char *indent, struct hd_out *o)
{
    static const char axis[] = "xyz";
    for (int i = 0; i < 3; i++) hd_printf(o, "%s%c: %u\n", indent, axis[i], dim[i]);
}

static void yaml_torus(const struct yaml_grid *grid, struct hd_out *o)
{
    uint32_t dim[3];
    memcpy(dim, grid->dim, sizeof dim);
    hd_puts(o, "  torus3d:\n    toruses:\n      - name: torus\n        dims:\n");
    yaml_dims(dim, "          ", o);
    yaml_hosts(grid, o);
    hd_puts(o, "        placements:\n");
    for (;;) {
        int longest = dim[1] > dim[0] ? 1 : 0;
        uint32_t factor = 2;
        if (dim[2] > dim[longest]) longest = 2;
        hd_puts(o, "          - dims:\n");
        yaml_dims(dim, "              ", o);
        if (dim[longest] == 1) return;
        while (dim[longest] % factor) factor++;
        dim[longest] /= factor;
    }
}

static hd_status yaml_grids(struct hd_ctx *ctx, const struct hd_net *net, const struct slurm_tree *tree,
                            struct hd_out *o)
{
    struct hd_arena arena = {0};
    struct yaml_grid grid = {0};
    const char *why = yaml_no_grid(net, tree, &arena, &grid);
    bool ring = !why && grid.n <= RING_HOSTS && grid.dim[1] == 1 && grid.dim[2] == 1;
    if (why && *why) hd_note(ctx, "neither ring nor torus3d: %s", why);
    if (!why) hd_puts(o, "- topology: grid\n  cluster_default: false\n");
    if (ring) {
        hd_puts(o, "  ring:\n    rings:\n      - ring: ring\n");
        yaml_hosts(&grid, o);
    } else if (!why) {
        yaml_torus(&grid, o);
    }
    hd_arena_release(&arena);
    return why && !*why ? hd_fail_memory(ctx) : HD_OK;
}

/* ---- files ------------------------------------------------------------------------------------ */

static hd_status yaml_write(struct hd_ctx *ctx, const struct hd_net *net, bool grids, struct hd_out *o)
{
    static const struct slurm_words words = {
        HD_SLURM_LEGEND "- topology: fabric\n  cluster_default: true\n  tree:\n    switches:\n", "      - switch: \"",
        "\"\n        nodes: \"", "\"\n        children: \"", "\"\n"};
    struct hd_arena arena = {0};
    struct slurm_tree tree = {0};
    hd_status s = hd_slurm_tree_make(ctx, &arena, net, NULL, &tree);
    if (s == HD_OK) s = hd_slurm_put_tree(ctx, &tree, &words, o);
    if (s == HD_OK) s = yaml_blocks(ctx, &tree, o);
    if (s == HD_OK && grids) s = yaml_grids(ctx, net, &tree, o);
    hd_arena_release(&arena);
    return s;
}

hd_status hd_write_slurm_yaml(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    return yaml_write(ctx, net, false, o);
}

hd_status hd_write_slurm_yaml_grid(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    return yaml_write(ctx, net, true, o);
}
