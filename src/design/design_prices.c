/* SPDX-License-Identifier: BSD-2-Clause */
/* Prices and the rack plan: what the user may replace. A price file has one "key value" per line and need not have
 * every key. The built-in prices are round numbers of the right order, so that designs can be compared before there are
 * quotes; they are no price list. Cost: linear in the file. */
#include "base/input.h"
#include "base/spec.h"
#include "base/status.h"
#include "design/design_steps.h"
#include "tool/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct hd_design_prices usual_prices = {.switch_port = 500,
                                                     .switch_port_watts = 12,
                                                     .copper = 150,
                                                     .copper_metre = 30,
                                                     .copper_watts = 0.2,
                                                     .copper_reach = 2.5,
                                                     .optic = 600,
                                                     .optic_watts = 8,
                                                     .fibre = 60,
                                                     .fibre_metre = 2,
                                                     .currency = "USD"};

static const struct {
    const char *key;
    size_t offset;
} price_rows[] = {
    {"switch_port", offsetof(struct hd_design_prices, switch_port)},
    {"switch_port_watts", offsetof(struct hd_design_prices, switch_port_watts)},
    {"copper", offsetof(struct hd_design_prices, copper)},
    {"copper_metre", offsetof(struct hd_design_prices, copper_metre)},
    {"copper_watts", offsetof(struct hd_design_prices, copper_watts)},
    {"copper_reach", offsetof(struct hd_design_prices, copper_reach)},
    {"optic", offsetof(struct hd_design_prices, optic)},
    {"optic_watts", offsetof(struct hd_design_prices, optic_watts)},
    {"fibre", offsetof(struct hd_design_prices, fibre)},
    {"fibre_metre", offsetof(struct hd_design_prices, fibre_metre)},
};
enum { PRICE_ROWS = sizeof price_rows / sizeof *price_rows };

static hd_status unknown_price(struct hd_ctx *ctx, const struct hd_in *in, const char *key)
{
    const char *names[PRICE_ROWS + 1];
    for (size_t i = 0; i < PRICE_ROWS; i++) names[i] = price_rows[i].key;
    names[PRICE_ROWS] = "currency";
    const char *near = hd_nearest(key, names, PRICE_ROWS + 1);
    return hd_in_fail(ctx, in, "unknown price '%.40s'%s%s%s: expected one of those in 'heddle help design'", key,
                      near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
}

static hd_status take_price(struct hd_ctx *ctx, const struct hd_in *in, char *line, struct hd_design_prices *prices)
{
    char *rest = line, *key = hd_next_field(&rest), *value = hd_next_field(&rest), *more = hd_next_field(&rest);
    union hd_number number;
    if (!key || !value || (more && *more != '#'))
        return hd_in_fail(ctx, in, "expected a key and a value, such as 'optic 600'");
    if (strcmp(key, "currency") == 0) {
        if (strlen(value) >= sizeof prices->currency)
            return hd_in_fail(ctx, in, "currency: expected at most %zu bytes", sizeof prices->currency - 1);
        for (const char *p = value; *p; p++)
            if (iscntrl((unsigned char)*p)) return hd_in_fail(ctx, in, "currency: expected no control characters");
        strcpy(prices->currency, value);
        return HD_OK;
    }
    size_t i = 0;
    while (i < PRICE_ROWS && strcmp(key, price_rows[i].key) != 0) i++;
    if (i == PRICE_ROWS) return unknown_price(ctx, in, key);
    if (!hd_number_parse(HD_REAL, 0, 1e9, value, &number))
        return hd_in_fail(ctx, in, "%s %.40s: expected a number from 0 to 1e9", key, value);
    *(double *)((char *)prices + price_rows[i].offset) = number.real;
    return HD_OK;
}

hd_status hd_design_read_prices(struct hd_ctx *ctx, const char *path, struct hd_design_prices *prices)
{
    struct hd_in *in;
    char *line;
    *prices = usual_prices;
    if (!path) return HD_OK;
    HD_TRY(hd_in_open(ctx, path, &in));
    hd_in_limit(in, 1000);
    hd_status s = hd_in_text(ctx, in, " \t", &line);
    while (s == HD_OK && line) {
        s = take_price(ctx, in, line, prices);
        if (s == HD_OK) s = hd_in_text(ctx, in, " \t", &line);
    }
    hd_in_close(in);
    return s;
}

/* ---- racks ---------------------------------------------------------------------------------- */

/* clang-format off */
#define RACK_COUNT(name, value, doc, max) \
    {#name, HD_UINT, value, doc, offsetof(struct hd_design_racks, name), 1, max, NULL, false}
#define RACK_METRES(name, value, doc) \
    {#name, HD_REAL, value, doc, offsetof(struct hd_design_racks, name), 0, 1000, NULL, false}
/* clang-format on */
static const struct hd_param rack_params[] = {
    RACK_COUNT(endpoints, "32", "endpoints of a rack", 4096),
    RACK_COUNT(switches, "16", "switches of a rack without endpoints", 254),
    RACK_COUNT(row, "16", "racks of a row", 4096),
    RACK_METRES(width, "0.6", "metres from rack to rack"),
    RACK_METRES(aisle, "2.4", "metres from row to row"),
    RACK_METRES(slack, "4", "metres up, down and in reserve of a cable between racks"),
    RACK_METRES(inside, "1.5", "metres of a cable inside a rack"),
    {0}};

static const struct hd_desc racks_desc = {.name = "racks",
                                          .summary = "where endpoints and switches of a design are",
                                          .params = rack_params,
                                          .opt_size = sizeof(struct hd_design_racks)};

const struct hd_desc *hd_design_racks(void)
{
    return &racks_desc;
}

hd_status hd_design_read_racks(struct hd_ctx *ctx, const char *text, struct hd_design_racks *racks)
{
    struct hd_arena scratch = {0};
    hd_status s = hd_opts_parse(ctx, &scratch, &racks_desc, text, racks);
    hd_arena_release(&scratch);
    return s;
}
