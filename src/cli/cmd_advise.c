/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle advise: the main job. One page on the terminal; with -o a folder with the report and what to deploy. */
#include "cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the command line, as others can repeat it ------------------------------------------------ */

static bool is_option(const struct option *o, size_t offset)
{
    return o->offset == offset;
}

/* Options every command of the report needs: what the network is, but for --fail, which the report varies; the seed;
 * and where engines of the user's own come from. */
static void put_net_options(struct hd_out *o, const struct values *v)
{
    for (const struct option *p = net_options; p->name; p++)
        if (!is_option(p, offsetof(struct values, open.fail))) put_given(o, p, v);
    for (const struct option *p = common_options; p->name; p++)
        if (is_option(p, offsetof(struct values, seed)) || is_option(p, offsetof(struct values, plugin)))
            put_given(o, p, v);
}

static void put_own_options(struct hd_out *o, const struct cli *cli, bool output)
{
    for (const struct option *p = cli->command->options; p->name; p++)
        if (output == (p->kind == OPTION_OUTPUT)) put_given(o, p, &cli->v);
    for (const struct option *p = net_options; p->name && !output; p++)
        if (is_option(p, offsetof(struct values, open.fail))) put_given(o, p, &cli->v);
}

/* net_options as put_net_options writes them. */
static void put_command(struct hd_out *o, const struct cli *cli, const char *net_options)
{
    hd_printf(o, "heddle %s", cli->command->name);
    for (int i = 0; i < cli->nargs; i++) {
        hd_puts(o, " ");
        hd_put_shell_path(o, cli->arg[i]);
    }
    put_own_options(o, cli, false);
    hd_puts(o, net_options);
    put_own_options(o, cli, true);
}

/* ---- the command ------------------------------------------------------------------------------ */

static bool wants_colour(const struct cli *cli)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return is_terminal(cli, STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

static hd_status print_report(struct cli *cli, const struct hd_report *r)
{
    const bool colour = !cli->v.json && wants_colour(cli);
    if (colour) hd_out_set_visible(cli->out, false); /* colours are control characters; its texts have none */
    hd_status s = cli->v.json ? hd_report_json(cli->ctx, r, cli->out) : hd_report_text(cli->ctx, r, colour, cli->out);
    if (s != HD_OK) return s;
    hd_out_set_visible(cli->out, true);
    if (cli->v.output && !cli->v.json) {
        hd_puts(cli->out, "\nThe report with charts: ");
        hd_put_visible(cli->out, cli->v.output, SIZE_MAX);
        hd_puts(cli->out, "/report.html\n");
    }
    return hd_report_verdict(r) == HD_FAIL ? HD_FAULT : HD_OK;
}

/* What came from standard input or a pipe: it is kept in the folder, or the commands of the report could not be
 * repeated. Other arguments than paths name nothing that is there. */
static bool is_read_once(const struct cli *cli, int arg)
{
    static const char *const descriptors[] = {"/dev/stdin", "/dev/fd/", "/proc/self/fd/"};
    const char *path = arg < cli->nargs ? cli->arg[arg] : "";
    struct stat st;
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (strncmp(path, descriptors[i], strlen(descriptors[i])) == 0) return true;
    if (strcmp(path, "-") == 0) return true;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static hd_status advise_and_print(struct cli *cli, struct hd_advise_in *in)
{
    struct hd_report *report;
    hd_status s = hd_advise(cli->ctx, in, &report);
    if (s != HD_OK) return s;
    if (cli->v.output) s = hd_advise_write(cli->ctx, in, report, cli->v.output);
    if (s == HD_OK) s = print_report(cli, report);
    hd_report_free(report);
    return s;
}

hd_status run_advise(struct cli *cli)
{
    struct hd_net *net = NULL;
    struct hd_routes *current = NULL;
    struct hd_out *options = NULL, *command = NULL;
    const char *folder = cli->v.output ? cli->v.output : "";
    char kept[2][PATH_MAX];
    snprintf(kept[0], sizeof kept[0], "%s/net.ibnet", folder);
    snprintf(kept[1], sizeof kept[1], "%s/current.lft", folder);
    struct hd_advise_in in = {.net_text = *folder && is_read_once(cli, 0) ? kept[0] : cli->arg[0],
                              .fail = cli->v.open.fail,
                              .nodes = cli->v.nodes,
                              .goal = cli->v.goal,
                              .progress = show_advise_progress,
                              .user = cli,
                              .opensm = cli->v.with_opensm,
                              .keep_net = is_read_once(cli, 0),
                              .keep_current = is_read_once(cli, 1)};
    if (cli->v.output && strcmp(cli->v.output, "-") == 0)
        return usage_error(cli, "advise: -o takes a folder, not standard output");
    hd_status s = open_net(cli, 0, &net);
    if (s == HD_OK && cli->nargs > 1) s = hd_routes_open(cli->ctx, net, cli->arg[1], &current);
    if (s == HD_OK) s = hd_out_memory(cli->ctx, &options);
    if (s == HD_OK) s = hd_out_memory(cli->ctx, &command);
    if (s == HD_OK) {
        put_net_options(options, &cli->v);
        in.net = net;
        in.current = current;
        in.current_text = *folder && in.keep_current ? kept[1] : cli->arg[1];
        const char *net_text = hd_out_text(options, NULL);
        in.net_options = net_text + (*net_text == ' ');
        put_command(command, cli, net_text);
        in.command = hd_out_text(command, NULL);
        bool lacking = hd_out_pass_error(options, command) || hd_out_pass_error(command, cli->out);
        s = lacking ? hd_fail_memory(cli->ctx) : advise_and_print(cli, &in);
        if (!*folder && (in.keep_net || in.keep_current) && (s == HD_OK || s == HD_FAULT))
            hd_note(cli->ctx, "commands to copy read again what came through a pipe: with -o a folder keeps it");
    }
    hd_out_drop(command);
    hd_out_drop(options);
    hd_routes_free(current);
    hd_net_free(net);
    return s;
}
