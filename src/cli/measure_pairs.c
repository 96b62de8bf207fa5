/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle-mpi measure: pairs as CSV and as a heat map. Cells of the map are blocks of ranks where there are more than
 * CELLS, so that a picture of a large machine can be opened; a block has the colour of its slowest pair, since that is
 * what people look for. O(pairs), and the path of every slow one. */
#include "measure_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 128, CELL = 6, MARGIN = 40 };

uint32_t pair_explained_by(const struct hd_routes *r, const struct hd_measurement *m, const struct hd_measure_pair *p)
{
    uint32_t chan[HD_MAX_HOPS], s = m->ep[p->from], d = m->ep[p->to];
    uint32_t n = s == d ? 0 : hd_routes_path(r, s, d, hd_routes_variant(r, s, d), chan);
    for (uint32_t h = 0; h < n; h++)
        for (uint32_t i = 0; i < m->nslow; i++)
            if (m->slow[i] == chan[h]) return chan[h];
    return UINT32_MAX;
}

double bus_bandwidth(const char *pattern, const struct hd_measurement *m)
{
    double time = 0;
    if (!pattern || (strcmp(pattern, "ring") != 0 && strcmp(pattern, "shift") != 0)) return NAN;
    for (uint32_t i = 0; i < m->rounds; i++) time += 1 / m->round_min[i];
    return m->rounds / time;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void put_real(struct hd_out *o, double value, const char *form)
{
    if (isfinite(value)) hd_printf(o, form, value);
}

static void put_pair(struct hd_out *o, const struct hd_routes *r, const struct hd_measurement *m, uint64_t i, bool slow)
{
    const struct hd_measure_pair *p = &m->pair[i];
    const struct hd_net *net = r ? hd_routes_net(r) : NULL;
    double expected = net ? m->usual * p->predicted : NAN;
    uint32_t c = net && slow ? pair_explained_by(r, m, p) : UINT32_MAX;
    hd_printf(o, "%u,%u,", p->round, p->from);
    if (net) hd_put_csv(o, hd_host_name(net, net->host[m->ep[p->from]]), true);
    hd_printf(o, ",%u,", p->to);
    if (net) hd_put_csv(o, hd_host_name(net, net->host[m->ep[p->to]]), true);
    hd_printf(o, ",%.3f,", p->mbps);
    put_real(o, p->predicted, "%.6f");
    hd_puts(o, ",");
    put_real(o, expected, "%.3f");
    hd_puts(o, ",");
    put_real(o, p->mbps / expected, "%.4f");
    hd_printf(o, ",%d,", slow);
    if (c != UINT32_MAX) hd_put_csv(o, hd_node_name(net, net->tail[c]), true);
    hd_puts(o, ",");
    if (c != UINT32_MAX) hd_printf(o, "%u", net->port[c]);
    hd_puts(o, "\n");
}

hd_status write_pairs(struct cli *cli, const struct hd_routes *r, const struct hd_measurement *m, const char *path)
{
    struct hd_out *o;
    uint64_t next = 0;
    hd_status s = hd_out_open(cli->ctx, path, &o);
    if (s != HD_OK) return s;
    hd_puts(o, "round,from,from_host,to,to_host,mbps,predicted,expected,ratio,slow,link_from,link_port\n");
    for (uint64_t i = 0; i < m->npair; i++) {
        bool slow = r && next < m->nslow_pair && m->slow_pair[next] == i;
        next += slow;
        put_pair(o, r, m, i, slow);
    }
    return hd_out_close(cli->ctx, o);
}

/* ---- the heat map ----------------------------------------------------------------------------- */

/* What a pair got of what it could expect. */
static double pair_share(const struct hd_measurement *m, const struct hd_measure_pair *p)
{
    double expected = isnan(m->usual) || isnan(p->predicted) ? m->max : m->usual * p->predicted;
    return expected > 0 ? p->mbps / expected : NAN;
}

/* The smallest share of each block; negative: no pair was measured. */
static double *heat_cells(const struct hd_measurement *m, uint32_t block, uint32_t side)
{
    double *cell = malloc((size_t)side * side * sizeof *cell);
    for (size_t i = 0; cell && i < (size_t)side * side; i++) cell[i] = -1;
    for (uint64_t i = 0; cell && i < m->npair; i++) {
        const struct hd_measure_pair *p = &m->pair[i];
        double share = pair_share(m, p), *at = &cell[(size_t)(p->from / block) * side + p->to / block];
        if (!isnan(share) && (*at < 0 || share < *at)) *at = share;
    }
    return cell;
}

/* From dark red (nothing) over yellow to green (all that was expected): readable in print by its lightness too. */
static void put_cell(struct hd_out *o, uint32_t x, uint32_t y, double share, const char *title)
{
    double t = share > 1 ? 1 : share;
    unsigned red = t < 0.5 ? 140 + (unsigned)(230 * t) : 255 - (unsigned)(430 * (t - 0.5));
    unsigned green = t < 0.5 ? (unsigned)(440 * t) : 220 - (unsigned)(120 * (t - 0.5)), blue = t < 0.5 ? 0 : 60;
    hd_printf(
        o, "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"><title>%s: %.2f</title></rect>\n",
        MARGIN + x * CELL, MARGIN + y * CELL, CELL, CELL, red, green, blue, title, share);
}

hd_status write_heat(struct cli *cli, const struct hd_measurement *m, const char *path)
{
    uint32_t block = (m->ranks + CELLS - 1) / CELLS, side = (m->ranks + block - 1) / block;
    double *cell = heat_cells(m, block, side);
    struct hd_out *o = NULL;
    hd_status s = cell ? hd_out_open(cli->ctx, path, &o) : hd_fail_memory(cli->ctx);
    if (s == HD_OK) {
        uint32_t width = 2 * MARGIN + side * CELL;
        hd_printf(o,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" "
                  "font-size=\"10\">\n<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n",
                  width < 360 ? 360 : width, width, width < 360 ? 360 : width, width);
        hd_printf(o, "<text x=\"%d\" y=\"14\">%s: green 1, yellow 0.5, red 0, grey not measured</text>\n", MARGIN,
                  isnan(m->usual) ? "measured over the fastest pair" : "measured over expected");
        hd_printf(o, "<text x=\"%d\" y=\"30\">receiver, ranks 0 to %u, %u per cell; senders downwards</text>\n", MARGIN,
                  m->ranks - 1, block);
        hd_printf(o, "<rect x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\" fill=\"#dddddd\"/>\n", MARGIN, MARGIN,
                  side * CELL, side * CELL);
        for (uint32_t i = 0; i < side; i++)
            for (uint32_t j = 0; j < side; j++) {
                char title[64];
                if (cell[(size_t)i * side + j] < 0) continue;
                snprintf(title, sizeof title, "rank %u to %u", i * block, j * block);
                put_cell(o, j, i, cell[(size_t)i * side + j], title);
            }
        hd_puts(o, "</svg>\n");
        s = hd_out_close(cli->ctx, o);
    }
    free(cell);
    return s;
}
