/* SPDX-License-Identifier: BSD-2-Clause */
/* The fabric under load: one drawing with a layer for each routing and pattern, of which the style sheet shows the one
 * whose radio buttons are checked; with it the histogram and the busiest cables of that layer. No script takes part.
 * Where all layers would make the page large, the routings after the first ones are left to `heddle plot`. */
#include "base/status.h"
#include "base/escape.h"
#include "report/page.h"

#include <math.h>
#include <stdio.h>

enum { BUSIEST = 6, LAYER_BYTES = 2500000, LINE_BYTES = 36, MERGED = 3000, MOST_OPTIONS = 24 };

static uint32_t drawing_switch_cables(const struct hd_net *net)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < net->nchan; c++) n += net->tail[c] < net->head[c] && net->head[c] < net->nsw;
    return n;
}

/* About the most a drawing can have: large fabrics are drawn with cables merged, grids last. */
static uint32_t drawing_most_lines(const struct hd_net *net)
{
    uint32_t cables = drawing_switch_cables(net), single = net->shape.kind == HD_SHAPE_GRID ? 820 : 200;
    return net->nsw > single && cables > MERGED ? MERGED : cables;
}

static bool drawing_loaded(const struct hd_report *r, uint32_t option)
{
    for (uint32_t w = 0; w < r->nview; w++)
        if (!hd_has_load(r, option, w)) return false;
    return r->nview > 0;
}

/* The recommended and the current routing are always among them. */
static uint32_t drawing_choose(const struct hd_report *r, uint32_t chosen[MOST_OPTIONS], uint32_t *left_out)
{
    uint64_t lines = drawing_most_lines(r->net), layer = lines * LINE_BYTES + 12000;
    uint64_t room = LAYER_BYTES / (layer * (r->nview ? r->nview : 1)), n = 0, spare;
    if (room < 2) room = 2;
    if (room > MOST_OPTIONS) room = MOST_OPTIONS;
    spare = room;
    for (uint32_t i = 0; i < r->noption; i++) spare -= drawing_loaded(r, i) && (i == r->best || r->option[i].current);
    *left_out = 0;
    for (uint32_t i = 0; i < r->noption; i++) {
        if (!drawing_loaded(r, i)) continue;
        bool must = i == r->best || r->option[i].current;
        if (!must && !spare) {
            ++*left_out;
            continue;
        }
        if (!must) spare--;
        chosen[n++] = i;
    }
    return (uint32_t)n;
}

/* Shown first: the recommended one, else the first. */
static uint32_t drawing_first_shown(const struct hd_report *r, const uint32_t *chosen, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (chosen[i] == r->best) return chosen[i];
    return n ? chosen[0] : 0;
}

void hd_page_switch_rules(struct hd_ink *k)
{
    uint32_t chosen[MOST_OPTIONS], left_out, n = drawing_choose(k->r, chosen, &left_out);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t w = 0; w < k->r->nview; w++)
            hd_printf(k->o, "%s.sw:has(#o%u:checked):has(#w%u:checked) .o%u.w%u", i + w ? "," : "", chosen[i], w,
                      chosen[i], w);
    if (!n) return;
    uint32_t first = drawing_first_shown(k->r, chosen, n);
    hd_printf(k->o, "{display:revert}@supports not selector(:has(a)){.sw .lay.o%u.w0{display:revert}}", first);
}

static void drawing_put_radio(struct hd_ink *k, char letter, uint32_t number, bool checked)
{
    hd_printf(k->o, "<input type=\"radio\" name=\"%c\" id=\"%c%u\"%s><label for=\"%c%u\">", letter, letter, number,
              checked ? " checked" : "", letter, number);
}

static void drawing_put_controls(struct hd_ink *k, const uint32_t *chosen, uint32_t n)
{
    const struct hd_report *r = k->r;
    uint32_t first = drawing_first_shown(r, chosen, n);
    hd_puts(k->o, "<fieldset><legend>Routing</legend>");
    for (uint32_t i = 0; i < n; i++) {
        const char *tag = hd_option_tag(r, chosen[i]);
        drawing_put_radio(k, 'o', chosen[i], chosen[i] == first);
        hd_put_xml(k->o, r->option[chosen[i]].table);
        if (*tag) hd_printf(k->o, " (%s)", tag);
        hd_puts(k->o, "</label>");
    }
    hd_puts(k->o, "</fieldset>\n<fieldset><legend>Pattern</legend>");
    for (uint32_t w = 0; w < r->nview; w++) {
        drawing_put_radio(k, 'w', w, w == 0);
        hd_page_text(k, "", r->view[w].title, "</label>");
    }
    hd_puts(k->o, "</fieldset>\n");
}

/* The channels between switches with most load, by falling load, then number. */
static uint32_t drawing_busiest(const struct hd_net *net, const float *load, uint32_t top[BUSIEST])
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->tail[c] >= net->nsw || net->head[c] >= net->nsw) continue;
        if (n == BUSIEST && load[c] <= load[top[n - 1]]) continue;
        uint32_t at = n < BUSIEST ? n++ : n - 1;
        while (at > 0 && load[c] > load[top[at - 1]]) {
            top[at] = top[at - 1];
            at--;
        }
        top[at] = c;
    }
    return n;
}

static void drawing_put_end(struct hd_ink *k, uint32_t c)
{
    const struct hd_net *net = k->r->net;
    char name[HD_NAME];
    hd_page_text(k, "<td>", hd_short(name, hd_node_label(net, net->tail[c]), 60), "");
    hd_printf(k->o, ", port %u</td>", net->port[c]);
}

static void drawing_put_busiest(struct hd_ink *k, uint32_t option, uint32_t view)
{
    const struct hd_net *net = k->r->net;
    const float *load = k->r->option[option].load[view];
    uint32_t top[BUSIEST], n = drawing_busiest(net, load, top);
    hd_page_scroll(k, "Busiest channels");
    hd_page_text(k, "<table><caption>The channels with the largest mean load: ", k->r->option[option].table, ", ");
    hd_page_text(k, "", k->r->view[view].title, "");
    hd_page_columns(k, "From|To|>Load");
    for (uint32_t i = 0; i < n; i++) {
        hd_puts(k->o, "<tr>");
        drawing_put_end(k, top[i]);
        drawing_put_end(k, net->rev[top[i]]);
        hd_page_number(k, load[top[i]], 4);
        hd_puts(k->o, "</tr>\n");
    }
    hd_page_table_end(k);
}

static hd_status drawing_put_layers(struct hd_ink *k, const uint32_t *chosen, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t w = 0; w < k->r->nview; w++) {
            hd_printf(k->o, "<div class=\"lay o%u w%u\">\n<h3>Loads by level and direction</h3>\n", chosen[i], w);
            hd_page_scroll(k, "Histogram of loads");
            HD_TRY(hd_chart_load(k, chosen[i], w));
            hd_page_scroll_end(k);
            hd_puts(k->o, "<h3>Busiest channels</h3>\n");
            drawing_put_busiest(k, chosen[i], w);
            hd_puts(k->o, "</div>\n");
        }
    return HD_OK;
}

static hd_status drawing_put_drawing(struct hd_ink *k, const uint32_t *chosen, uint32_t n)
{
    uint32_t views = k->r->nview;
    struct hd_pick *pick = HD_NEW(&k->arena, struct hd_pick, (size_t)n * views);
    if (!pick) return hd_fail_memory(k->ctx);
    for (uint32_t i = 0; i < n * views; i++) pick[i] = (struct hd_pick){chosen[i / views], i % views};
    hd_puts(k->o, "<figure>");
    hd_page_scroll(k, "Drawing of the fabric");
    HD_TRY(hd_chart_fabric(k, pick, n * views));
    hd_page_scroll_end(k);
    hd_page_text(k, "<figcaption>", k->caption, "</figcaption></figure>\n");
    return HD_OK;
}

hd_status hd_page_load(struct hd_ink *k)
{
    uint32_t chosen[MOST_OPTIONS], left_out, n = drawing_choose(k->r, chosen, &left_out);
    if (!n) return HD_OK;
    hd_page_section(k, "load", "The fabric under load");
    hd_puts(k->o,
            "<p class=\"lead\">Where contention is: each cable by the flows that it carries, relative to its rate. An "
            "even picture is a good one.</p>\n<div class=\"sw\">\n");
    drawing_put_controls(k, chosen, n);
    if (left_out)
        hd_printf(k->o,
                  "<p class=\"mut\">%u more routing%s measured; draw %s with <code>heddle plot fabric</code>.</p>\n",
                  left_out, left_out == 1 ? " was" : "s were", left_out == 1 ? "it" : "them");
    HD_TRY(drawing_put_drawing(k, chosen, n));
    if (drawing_switch_cables(k->r->net))
        HD_TRY(drawing_put_layers(k, chosen, n));
    else
        hd_puts(k->o, "<p class=\"mut\">There are no switch-to-switch cables: there is nothing to balance.</p>\n");
    hd_puts(k->o, "</div>\n");
    hd_page_section_end(k);
    return HD_OK;
}
