/* SPDX-License-Identifier: BSD-2-Clause */
/* What the charts share: a sheet to write SVG on, marks, text, axes, and the colours.
 *
 * A chart is written either as a file of its own (whole: style sheet, ground and visible title come with it) or
 * into a page, where the page's style sheet and headings serve. Lengths are whole tenths of a pixel, as in
 * draw/draw.h, so that the same report gives the same bytes. Colours are CSS variables, set once for light and
 * once for dark ground; the ramp q0 .. q6 rises evenly in lightness, so that it reads in grey and to any eye. */
#ifndef HD_REPORT_SVG_SHEET_H
#define HD_REPORT_SVG_SHEET_H

#include "base/arena.h"
#include "draw/draw.h"
#include "report/report_options.h"

enum {
    HD_BINS_OF_RAMP = 7,
    HD_NAME = 160, /* bytes of a shortened name */
};

struct hd_ink {
    struct hd_ctx *ctx;
    const struct hd_report *r;
    struct hd_out *o;
    struct hd_arena arena; /* scratch */
    bool whole;
    uint32_t charts;   /* written so far: ids are numbered by it */
    char caption[600]; /* what the last drawing of the fabric shows */
};

/* ---- the sheet ----------------------------------------------------------------------------- */

/* Opens the picture; what follows has its origin below the title of a whole file. */
void hd_ink_begin(struct hd_ink *k, int32_t w, int32_t h, const char *title, const char *desc);
void hd_ink_end(struct hd_ink *k);

/* Style: variables for light and dark, and the rules of charts. */
extern const char hd_ink_light[], hd_ink_dark[], hd_ink_rules[];

/* ---- marks --------------------------------------------------------------------------------- */

void hd_ink_line(struct hd_ink *k, const char *class, int32_t x1, int32_t y1, int32_t x2, int32_t y2);
void hd_ink_rect(struct hd_ink *k, const char *class, int32_t x, int32_t y, int32_t w, int32_t h);
void hd_ink_dot(struct hd_ink *k, const char *class, int32_t x, int32_t y, int32_t radius);
void hd_ink_text(struct hd_ink *k, const char *class, int32_t x, int32_t y, const char *fmt, ...) HD_PRINTF(5, 6);

/* ---- words and numbers --------------------------------------------------------------------- */

/* At most so many characters, the middle left out. */
const char *hd_short(char buf[HD_NAME], const char *text, uint32_t most);
/* Digits after the point so that the largest of these shows four figures, none where all are whole. */
int hd_digits(const double *value, size_t n);
/* With the digits given; a dash for NAN. */
enum { HD_NUMBER = 32 };
const char *hd_number(char buf[HD_NUMBER], double value, int digits);

/* ---- axes ---------------------------------------------------------------------------------- */

struct hd_axis {
    double min, max, step;
    int digits;
    int32_t at, length; /* where min is, and how far max */
};

/* Whole steps of 1, 2 or 5 that hold [min, max], about so many of them. */
void hd_axis_fit(struct hd_axis *a, double min, double max, int steps);
int32_t hd_axis_at(const struct hd_axis *a, double value);
/* Grid lines from top to bottom, figures under them, and what they mean under these. */
void hd_axis_draw(struct hd_ink *k, const struct hd_axis *a, int32_t top, int32_t bottom, const char *title);

/* ---- the ramp ------------------------------------------------------------------------------ */

struct hd_ramp {
    double min, step;
    int digits;
    bool less, more; /* values before the first or beyond the last bin exist and share it */
};

void hd_ramp_fit(struct hd_ramp *ramp, double min, double max);
uint32_t hd_ramp_bin(const struct hd_ramp *ramp, double value);
/* Swatches with the limits between them; reversed: the last colour is the lowest value. */
void hd_ramp_draw(struct hd_ink *k, const struct hd_ramp *ramp, bool reversed, int32_t x, int32_t y, const char *title);
enum { HD_RAMP_WIDTH = 312 * HD_PX, HD_RAMP_HEIGHT = 46 * HD_PX };

#endif
