/* SPDX-License-Identifier: BSD-2-Clause */
/* The command as a process: parses, runs one command, and turns its status into output, messages and an exit code. Data
 * goes to standard output only when the command succeeds; messages go to standard error, from the first process. */
#include "cli.h"
#include "papers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Warnings are kept until the command has ended: a failure says one line, and warnings about what was read on
 * the path to it would only hide that line. */
static struct hd_out *warnings;

static void warn(void *user, const char *line)
{
    struct cli *cli = user;
    if (cli->v.quiet || hd_comm_rank(cli->comm) != 0) return;
    if (warnings)
        hd_printf(warnings, "heddle: %s\n", line);
    else
        fprintf(stderr, "heddle: %s\n", line);
}

static void show_warnings(bool wanted)
{
    if (warnings && wanted) fputs(hd_out_text(warnings, NULL), stderr);
    hd_out_drop(warnings);
    warnings = NULL;
}

double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* At most ten lines a second, on one line of the terminal, gone when the work is done. */
static void show_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    static double last;
    double now = seconds();
    (void)user;
    if (done >= total) {
        fprintf(stderr, "\r\033[K");
    } else if (now - last > 0.1) {
        last = now;
        fprintf(stderr, "\r%s %3.0f %%\033[K", what, 100.0 * (double)done / (double)total);
    }
    fflush(stderr);
}

/* A method that does not apply counts as invalid input, a program that is not installed as a limit. */
static hd_status exit_code(hd_status s)
{
    if (s == HD_NA) return HD_INPUT;
    return s == HD_MISSING ? HD_LIMIT : s;
}

static hd_status run_command(struct cli *cli, int argc, char **argv)
{
    if (hd_out_memory(cli->ctx, &warnings) != HD_OK) warnings = NULL; /* then they come at once */
    hd_status s = hd_papers_add(cli->ctx);
    if (s == HD_OK) s = parse_command_line(cli, argc, argv);
    if (s == HD_OK) s = load_plugins(cli);
    char message[MAX_MESSAGE];
    bool speaks = hd_comm_rank(cli->comm) == 0;
    if (speaks && isatty(STDERR_FILENO) && !cli->v.quiet && !cli->v.no_progress)
        hd_ctx_set_progress(cli->ctx, show_progress, NULL);
    if (s == HD_OK) s = hd_out_open(cli->ctx, "-", &cli->out);
    if (s == HD_OK && cli->v.help)
        print_command_help(cli, cli->command);
    else if (s == HD_OK)
        s = cli->command->run(cli);
    /* What was found before a failure is not data anybody asked for. */
    if (s > HD_FAULT)
        hd_out_drop(cli->out);
    else {
        hd_status closed = hd_out_close(cli->ctx, cli->out);
        if (closed != HD_OK) s = closed;
    }
    show_warnings(s <= HD_FAULT);
    /* Bad input is met by all processes alike; what one lacks (memory, disk) the others do not know of. */
    hd_status code = exit_code(s);
    if (s > HD_FAULT && (speaks || code == HD_LIMIT)) fprintf(stderr, "heddle: %s\n", error_text(cli, message));
    if (code == HD_LIMIT) hd_comm_abort(cli->comm, code);
    return code;
}

int main(int argc, char **argv)
{
    static struct cli cli;
    cli.comm = hd_comm_start(&argc, &argv);
    cli.ctx = hd_ctx_new();
    if (!cli.ctx) {
        fprintf(stderr, "heddle: out of memory\n");
        return hd_comm_end(cli.comm, HD_LIMIT);
    }
    hd_ctx_set_comm(cli.ctx, cli.comm);
    hd_ctx_set_note(cli.ctx, warn, &cli);
    int status = (int)run_command(&cli, argc, argv);
    hd_ctx_free(cli.ctx);
    return hd_comm_end(cli.comm, status);
}
