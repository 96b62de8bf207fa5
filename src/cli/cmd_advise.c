/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle advise: the main job. One page on the terminal; with -o a folder with the report and what to deploy. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the command line, as others can repeat it ------------------------------------------------ */

static void put_word(struct hd_out *o, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,.:/@%";
    if (*word && !word[strspn(word, plain)]) {
        hd_puts(o, word);
        return;
    }
    hd_puts(o, "'");
    for (; *word; word++) {
        if (*word == '\'') hd_puts(o, "'\\'");
        hd_put(o, word, 1);
    }
    hd_puts(o, "'");
}

static void put_flag(struct hd_out *o, const char *name)
{
    size_t used;
    hd_out_text(o, &used);
    hd_printf(o, "%s--%s", used ? " " : "", name);
}

static void put_option(struct hd_out *o, const char *name, const char *value)
{
    if (!value) return;
    put_flag(o, name);
    hd_puts(o, " ");
    put_word(o, value);
}

/* Options that say what the network is, but for --fail; and the seed. */
static void put_net_options(struct hd_out *o, const struct values *v)
{
    put_option(o, "node-name-map", v->open.read.name_map);
    put_option(o, "rails", v->open.read.rails);
    put_option(o, "guid2lid", v->open.guid2lid);
    put_option(o, "lmc", v->open.lmc);
    put_option(o, "part", v->open.choice.part);
    put_option(o, "rail", v->open.choice.rail);
    put_option(o, "endpoints", v->open.choice.endpoints);
    if (v->open.repair) put_flag(o, "repair");
    put_option(o, "seed", v->seed);
}

static void put_command(struct hd_out *o, const struct cli *cli, const char *net_options)
{
    hd_puts(o, "heddle advise ");
    for (int i = 0; i < cli->nargs; i++) {
        if (i) hd_puts(o, " ");
        put_word(o, cli->arg[i]);
    }
    put_option(o, "nodes", cli->v.nodes);
    put_option(o, "for", cli->v.goal);
    put_option(o, "fail", cli->v.open.fail);
    if (*net_options) hd_printf(o, " %s", net_options);
    put_option(o, "output", cli->v.output);
}

/* ---- the command ------------------------------------------------------------------------------ */

static void show_progress(void *user, const char *what, uint32_t done, uint32_t of)
{
    const struct cli *cli = user;
    if (cli->ctx.progress) cli->ctx.progress(cli->ctx.user, what, done, of);
}

static bool wants_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

static hd_status print(struct cli *cli, const struct hd_report *r)
{
    hd_status s =
        cli->v.json ? hd_report_json(&cli->ctx, r, cli->out) : hd_report_text(&cli->ctx, r, wants_colour(), cli->out);
    if (s == HD_OK && cli->v.output && !cli->v.json)
        hd_printf(cli->out, "\nThe report with pictures: %s/report.html\n", cli->v.output);
    if (s != HD_OK) return s;
    return r->verdict == HD_FAIL ? HD_FAULT : HD_OK;
}

static hd_status advise(struct cli *cli, struct hd_advise_in *in)
{
    struct hd_report *report;
    hd_status s = hd_advise(&cli->ctx, in, &report);
    if (s != HD_OK) return s;
    if (cli->v.output) s = hd_advise_write(&cli->ctx, in, report, cli->v.output);
    if (s == HD_OK) s = print(cli, report);
    hd_report_free(report);
    return s;
}

hd_status run_advise(struct cli *cli)
{
    struct hd_net *net = NULL;
    struct hd_routes *current = NULL;
    struct hd_out *options = NULL, *command = NULL;
    struct hd_advise_in in = {.net_text = cli->arg[0],
                              .fail = cli->v.open.fail,
                              .nodes = cli->v.nodes,
                              .goal = cli->v.goal,
                              .progress = show_progress,
                              .user = cli};
    if (cli->v.output && strcmp(cli->v.output, "-") == 0)
        return usage_error(cli, "advise: -o takes a folder to write, not -");
    hd_status s = open_net(cli, 0, &net);
    if (s == HD_OK && cli->nargs > 1) s = hd_routes_open(&cli->ctx, net, cli->arg[1], &current);
    if (s == HD_OK) s = hd_out_memory(&cli->ctx, &options);
    if (s == HD_OK) s = hd_out_memory(&cli->ctx, &command);
    if (s == HD_OK) {
        put_net_options(options, &cli->v);
        in.net = net;
        in.current = current;
        in.current_text = cli->arg[1];
        in.net_options = hd_out_text(options, NULL);
        put_command(command, cli, in.net_options);
        in.command = hd_out_text(command, NULL);
        s = advise(cli, &in);
    }
    hd_out_drop(command);
    hd_out_drop(options);
    hd_routes_free(current);
    hd_net_free(net);
    return s;
}
