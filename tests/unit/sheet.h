/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the marks of an SVG are: positions of text, rectangles, circles and the points of paths, through the
 * translations and scales of the groups around them. Texts count with the point they are anchored to. Include after
 * testing.h. */
#ifndef SHEET_H
#define SHEET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sheet {
    double width, height;            /* of the view box */
    double left, top, right, bottom; /* of what is drawn on it */
    struct {
        double x, y, scale;
    } at[16];
    int depth;
};

static inline void sheet_point(struct sheet *s, double x, double y)
{
    x = s->at[s->depth].x + x * s->at[s->depth].scale;
    y = s->at[s->depth].y + y * s->at[s->depth].scale;
    s->left = x < s->left ? x : s->left;
    s->right = x > s->right ? x : s->right;
    s->top = y < s->top ? y : s->top;
    s->bottom = y > s->bottom ? y : s->bottom;
}

/* The value of an attribute of the tag that begins here; a length in per cent has none. */
static inline bool sheet_value(const char *tag, const char *name, double *value)
{
    char mark[32], *end;
    snprintf(mark, sizeof mark, " %s=\"", name);
    const char *close = strchr(tag, '>'), *p = strstr(tag, mark);
    if (!p || p > close) return false;
    *value = strtod(p + strlen(mark), &end);
    return *end == '"';
}

/* Absolute moves and lines, relative h and v, curves by their points and arcs by their ends. */
static inline void sheet_path(struct sheet *s, const char *d)
{
    double x = 0, y = 0, v[7];
    char command = 0;
    while (*d != '"') {
        if (strchr("MLHVQCAhvzlm", *d)) command = *d++;
        if (command == 'z') continue;
        int want = strchr("hvHV", command) ? 1 : command == 'Q' ? 4 : command == 'C' ? 6 : command == 'A' ? 7 : 2;
        for (int i = 0; i < want; i++) {
            char *end;
            v[i] = strtod(d, &end);
            if (end == d) fail_msg("no number: %.60s", d);
            for (d = end; *d == ' ' || *d == ','; d++) continue;
        }
        bool relative = strchr("hvlm", command);
        double across = strchr("vV", command) ? 0 : v[strchr("hH", command) ? 0 : want - 2];
        double down = strchr("hH", command) ? 0 : v[want - 1];
        x = relative ? x + across : strchr("V", command) ? x : across;
        y = relative ? y + down : strchr("H", command) ? y : down;
        sheet_point(s, x, y);
    }
}

static inline void sheet_group(struct sheet *s, const char *tag)
{
    const char *close = strchr(tag, '>'), *move = strstr(tag, "translate("), *scale = strstr(tag, "scale(");
    double x = 0, y = 0, by = 1;
    if (move && move < close && sscanf(move, "translate(%lf %lf)", &x, &y) != 2) fail_msg("%.60s", move);
    if (scale && scale < close && sscanf(scale, "scale(%lf)", &by) != 1) fail_msg("%.60s", scale);
    assert_true(s->depth + 1 < 16);
    s->at[s->depth + 1].x = s->at[s->depth].x + x * s->at[s->depth].scale;
    s->at[s->depth + 1].y = s->at[s->depth].y + y * s->at[s->depth].scale;
    s->at[s->depth + 1].scale = s->at[s->depth].scale * by;
    s->depth++;
}

static inline void sheet_mark(struct sheet *s, const char *tag)
{
    double x = 0, y = 0, w = 0, h = 0, r = 0;
    const char *close = strchr(tag, '>'), *d = strstr(tag, " d=\"");
    sheet_group(s, tag); /* marks have translations of their own, too */
    if (strncmp(tag, "<path", 5) == 0 && d && d < close) {
        sheet_path(s, d + 4);
    } else if (strncmp(tag, "<circle", 7) == 0 && sheet_value(tag, "cx", &x) && sheet_value(tag, "cy", &y)) {
        sheet_value(tag, "r", &r);
        sheet_point(s, x - r, y - r);
        sheet_point(s, x + r, y + r);
    } else if (strncmp(tag, "<rect", 5) == 0 && sheet_value(tag, "width", &w) && sheet_value(tag, "height", &h)) {
        sheet_value(tag, "x", &x);
        sheet_value(tag, "y", &y);
        sheet_point(s, x, y);
        sheet_point(s, x + w, y + h);
    } else if (strncmp(tag, "<text", 5) == 0) {
        sheet_value(tag, "x", &x);
        sheet_value(tag, "y", &y);
        sheet_point(s, x, y);
    }
    s->depth--;
}

static inline struct sheet sheet_of(const char *svg)
{
    struct sheet s = {.left = 1e9, .top = 1e9, .right = -1e9, .bottom = -1e9, .at[0].scale = 1};
    const char *box = strstr(svg, "viewBox=\"");
    if (!box || sscanf(box, "viewBox=\"0 0 %lf %lf\"", &s.width, &s.height) != 2) fail_msg("no view box: %.80s", svg);
    for (const char *tag = svg; (tag = strchr(tag, '<')); tag++)
        if (strncmp(tag, "<g", 2) == 0 && (tag[2] == ' ' || tag[2] == '>'))
            sheet_group(&s, tag);
        else if (strncmp(tag, "</g>", 4) == 0)
            s.depth--;
        else
            sheet_mark(&s, tag);
    assert_int_equal(s.depth, 0);
    return s;
}
#endif
