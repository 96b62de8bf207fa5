/* SPDX-License-Identifier: BSD-2-Clause */
/* What the drawings of a network share. A drawing is made of cells (a switch, or several drawn as one
 * where the network is large) and bundles (all cables between two cells). A layout says which switches
 * make a cell, places the cells and puts everything on paper.
 *
 * Lengths are whole tenths of a pixel: no rounding differs between machines, and no locale writes a
 * comma. Colours live in the style sheet alone, once for light and once for dark. */
#ifndef HD_DRAW_DRAW_H
#define HD_DRAW_DRAW_H

#include "base/arena.h"
#include "heddle/net.h"

enum {
    HD_PX = 10, /* one pixel */
    HD_DRAW_MARGIN = 28 * HD_PX,
    HD_DRAW_HEAD = 92 * HD_PX,    /* height of title and counts */
    HD_DRAW_FOOT = 64 * HD_PX,    /* height of the legend */
    HD_DRAW_WIDTH = 1600 * HD_PX, /* what a screen or a slide holds */
    HD_DRAW_SWITCHES = 1000,      /* more are drawn aggregated */
};

/* x, but not less than low nor more than high. */
static inline int32_t hd_draw_between(int32_t low, int32_t x, int32_t high)
{
    if (x < low) return low;
    return x > high ? high : x;
}

struct hd_point {
    int32_t x, y;
};

struct hd_cell {
    int32_t x, y, w, h; /* centre and size */
    uint32_t sw;        /* its switch, the first of several */
    uint32_t count;     /* switches */
    uint32_t eps;       /* endpoints on them, */
    uint32_t counted;   /* and the selected ones among them */
    uint32_t slow;      /* on slow cables */
};

struct hd_bundle {
    uint32_t u, v;                  /* cells, u < v */
    uint32_t cables, missing, slow; /* slow: of the cables */
};

/* A caller that needs the layout alone supplies the frame and draws the cables. */
struct hd_drawing;
struct hd_drawing_hooks {
    void (*begin)(struct hd_drawing *d);       /* width and height are final */
    hd_status (*cables)(struct hd_drawing *d); /* behind the boxes; d->trace gives a bundle's path */
    void (*end)(struct hd_drawing *d);
};

struct hd_drawing {
    struct hd_ctx *ctx;
    const struct hd_net *net;
    struct hd_out *o;
    const struct hd_drawing_hooks *hooks; /* NULL: a whole file */
    void *user;                           /* of the hooks */
    uint32_t limit;                       /* more switches are drawn aggregated */
    int32_t page;                         /* width to fill, */
    int32_t head, foot;                   /* and room above and below */
    struct hd_arena arena;
    struct hd_cell *cell;
    uint32_t *cell_of; /* [nsw] */
    uint32_t ncells;
    struct hd_bundle *bundle; /* by (u, v) */
    uint32_t nbundles, most;  /* most cables in one */
    uint32_t missing;         /* cables, without those that are there in the wrong place */
    uint32_t slow, slow_eps;  /* slow cables that are drawn, and endpoints on slow cables */
    bool *is_slow;            /* [nep] NULL: no endpoint is */
    bool slow_marks;          /* marks of such endpoints are drawn */
    int32_t width, height;
    int32_t widest;  /* stroke where cells are several switches */
    bool marks;      /* endpoints are drawn */
    const char *how; /* one sentence on how to read it, for the description */
    void (*trace)(const struct hd_drawing *d, const struct hd_bundle *b); /* writes moves and lines */
    const void *layout;                                                   /* of trace */
};

/* Fills in what a whole file has: limit, page, head and foot. */
void hd_draw_defaults(struct hd_drawing *d);
/* The layout that suits the network: a grid, layers, groups or a ring. Allocates cell_of; the caller releases the
 * arena. */
hd_status hd_draw_net(struct hd_drawing *d);

/* The layouts. */
hd_status hd_draw_layers(struct hd_drawing *d);
hd_status hd_draw_grid(struct hd_drawing *d);
hd_status hd_draw_ring(struct hd_drawing *d);
/* Draws a network of groups, such as a Dragonfly; *drawn is false, and nothing is written, if there are none. */
hd_status hd_draw_groups(struct hd_drawing *d, bool *drawn);

/* Cells from cell_of: counts, endpoints, first switches; then the bundles between them. */
hd_status hd_draw_cells(struct hd_drawing *d);
/* The bundle of two cells, which have one. */
uint32_t hd_draw_bundle(const struct hd_drawing *d, uint32_t a, uint32_t b);

/* ---- pieces of the file -------------------------------------------------------------------- */

/* Everything up to and including the title; width and height are final. */
void hd_draw_begin(struct hd_drawing *d);
/* The legend and the end. */
void hd_draw_end(struct hd_drawing *d);

void hd_draw_number(struct hd_out *o, int32_t tenths);
/* Writes form with every # replaced by the next length; a blank before a negative one is left out. */
void hd_draw_put(struct hd_out *o, const char *form, ...);
/* A path: begin with its class and stroke width (0: of the class) and opacity in percent (0: of the
 * class), then moves and lines, then end. */
void hd_draw_path(struct hd_out *o, const char *class, int32_t stroke, uint32_t opacity);
void hd_draw_move(struct hd_out *o, int32_t x, int32_t y);
void hd_draw_line(struct hd_out *o, int32_t x, int32_t y);
/* A move to the first point and a line to the second. */
void hd_draw_segment(struct hd_out *o, int32_t x1, int32_t y1, int32_t x2, int32_t y2);
void hd_draw_curve(struct hd_out *o, int32_t cx, int32_t cy, int32_t x, int32_t y);
void hd_draw_square(struct hd_out *o, int32_t x, int32_t y, int32_t size);
void hd_draw_path_end(struct hd_out *o);

/* A rounded box around a centre. */
void hd_draw_box(struct hd_out *o, const char *class, const struct hd_cell *c, int32_t radius);

struct hd_draw_text {
    int32_t x, y;
    const char *class;
    int32_t turn;  /* degrees clockwise about (x, y) */
    uint32_t most; /* characters: longer text loses its middle; 0: any */
    bool middle;   /* y is the middle of the letters, not their foot */
};
void hd_draw_text(struct hd_out *o, const struct hd_draw_text *where, const char *text);
void hd_draw_words(struct hd_out *o, int32_t x, int32_t y, const char *class, const char *text);
/* About how wide it will be at this font size in pixels. */
int32_t hd_draw_text_width(uint32_t characters, int32_t font);
uint32_t hd_draw_characters(const char *text);

/* 524,288 */
enum { HD_DRAW_COUNT = 16 };
const char *hd_draw_count(char text[HD_DRAW_COUNT], uint32_t n);

/* A cell's box with a tooltip; small ones are filled. */
void hd_draw_cell(struct hd_drawing *d, const struct hd_cell *c, int32_t radius);

/* Endpoints as squares, at most that number per cell: the selected ones, then the others. at gives the corner of the
 * i-th square of a cell. */
void hd_draw_marks(struct hd_drawing *d, uint32_t most, int32_t size,
                   struct hd_point (*at)(const struct hd_drawing *d, uint32_t cell, uint32_t i));

/* How a bundle is drawn: by first, then second, then its cables; lines of different seconds darken where they cross. */
struct hd_look {
    uint32_t first, second, opacity;
};
/* All bundles by d->trace, or what the hooks make of them. */
hd_status hd_draw_cables(struct hd_drawing *d, struct hd_look (*look)(const struct hd_drawing *d, uint32_t bundle));

/* Bundles that are missing cables or have slow ones. */
void hd_draw_missing(const struct hd_drawing *d);
void hd_draw_slow(const struct hd_drawing *d);

/* Stroke of a bundle: by its cables where cells are switches, else so that the thickest is widest. */
int32_t hd_draw_stroke(const struct hd_drawing *d, uint32_t cables);
/* Opacity in percent for this many lines over a width. */
uint32_t hd_draw_opacity(uint32_t lines, int32_t width);

/* sine and cosine of i/n of a turn, in 2^-30. */
void hd_draw_turn(uint32_t i, uint32_t n, int32_t *sine, int32_t *cosine);

#endif
