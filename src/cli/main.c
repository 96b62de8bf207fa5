/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void warn(void *user, const char *line)
{
    const struct cli *cli = user;
    if (!cli->v.quiet) fprintf(stderr, "heddle: %s\n", line);
}

/* At most ten lines a second, on one line of the terminal, gone when the work is done. */
static void show_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    static struct timespec last;
    struct timespec now;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since = (double)(now.tv_sec - last.tv_sec) + 1e-9 * (double)(now.tv_nsec - last.tv_nsec);
    if (done >= total) {
        fprintf(stderr, "\r\033[K");
    } else if (since > 0.1) {
        last = now;
        fprintf(stderr, "\r%s %3.0f %%\033[K", what, 100.0 * (double)done / (double)total);
    }
    fflush(stderr);
}

int main(int argc, char **argv)
{
    static struct cli cli;
    hd_ctx_init(&cli.ctx);
    cli.ctx.user = &cli;
    cli.ctx.note = warn;
    hd_status s = parse_command_line(&cli, argc, argv);
    if (isatty(STDERR_FILENO) && !cli.v.quiet && !cli.v.no_progress) cli.ctx.progress = show_progress;
    if (s == HD_OK) s = hd_out_open(&cli.ctx, "-", &cli.out);
    if (s == HD_OK && cli.v.help) print_command_help(cli.out, cli.command);
    else if (s == HD_OK) s = cli.command->run(&cli);
    if (s > HD_FAULT) fprintf(stderr, "heddle: %s\n", cli.ctx.error);
    /* What was found before a failure is not data anybody asked for. */
    if (s > HD_FAULT && cli.out) hd_out_drop(cli.out);
    else if (cli.out && hd_out_close(&cli.ctx, cli.out) != HD_OK) {
        fprintf(stderr, "heddle: %s\n", cli.ctx.error);
        s = HD_LIMIT;
    }
    return (int)s;
}
