/* SPDX-License-Identifier: BSD-2-Clause */
/* The layered drawing between its two halves: draw_layers_place.c says where everything goes, draw_layers_svg.c
 * writes it down. */
#ifndef HD_DRAW_DRAW_LAYERS_H
#define HD_DRAW_DRAW_LAYERS_H

#include "draw/draw.h"

enum {
    HD_LAYERS_GUTTER = 128 * HD_PX, /* row captions on the left */
    HD_LAYERS_COLUMNS = 256,        /* subtrees a page holds at all */
};

enum hd_ends { HD_ENDS_FAN, HD_ENDS_BLOCK, HD_ENDS_BAR }; /* a line each; squares; a bar and a number */

struct hd_layer_node { /* a cell's place in the tree */
    uint32_t cell;
    uint32_t level, levels;
    uint64_t order;       /* within level and subtree */
    uint32_t rank;        /* of its switch by label, within that */
    const uint32_t *path; /* path[h]: subtree of height h, for h = level .. levels */
    bool column;
};

struct hd_layer_row {
    uint32_t first, n; /* of the nodes */
    int32_t y, w, h;   /* centre, and size of the cells */
    int32_t turn;      /* of the names: 0 or -90; 1: no names */
    int32_t font;
};

struct hd_layer_span { /* a subtree */
    int32_t left, right;
    uint32_t columns, cells; /* columns in it; cells at its top level */
};

struct hd_layers {
    struct hd_drawing *d;
    uint32_t levels;
    uint32_t height; /* of the subtrees that are columns; 0: every switch is a cell */
    uint32_t nnodes;
    struct hd_layer_node *node;  /* by level, then left to right */
    uint32_t **sub;              /* sub[h][v]: subtree of height h that switch v is in */
    uint32_t *nsub;              /* [levels+1] */
    uint32_t *rank;              /* [nsw] of each switch by label: leaf2 before leaf10 */
    struct hd_layer_span **span; /* span[h][subtree] */
    struct hd_layer_row *row;    /* [levels+1] */
    uint32_t *lines;             /* [levels+1] bundles that begin there and go up */
    int32_t unit;                /* width of a column that holds one cell in each row */
    int32_t room;                /* width of the narrowest column of level 1 */
    enum hd_ends ends;
    int32_t ends_y, ends_h; /* top of the endpoints, and their height */
    int32_t pitch, across;  /* from mark to mark; marks side by side in a block */
};

hd_status hd_layers_place(struct hd_layers *y);
hd_status hd_layers_ink(struct hd_layers *y);

#endif
