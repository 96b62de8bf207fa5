/* SPDX-License-Identifier: BSD-2-Clause */
/* The command as a process: parses, runs one command, and turns its status into output, messages and an exit code. What
 * a command reports goes to standard output only when it succeeds; messages go to standard error, from the first
 * process. Files are in place, all of them or none, before standard output is written. */
#include "cli.h"
#include "papers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Whether a warning was given before: parts of a command may notice the same. */
static bool was_warned(struct hd_out *warnings, const char *line)
{
    static const char mark[] = "heddle: ";
    size_t n = strlen(line);
    const char *at = hd_out_text(warnings, NULL);
    if (!at) return false;
    while ((at = strstr(at, mark))) {
        at += strlen(mark);
        if (strncmp(at, line, n) == 0 && at[n] == '\n') return true;
    }
    return false;
}

/* Warnings are kept until the command has ended: a failure says one line, and warnings about what was read before it
 * would only hide that line. */
static void keep_warning(void *user, const char *line)
{
    struct cli *cli = user;
    if (cli->v.quiet || hd_comm_rank(cli->comm) != 0) return;
    if (cli->warnings && was_warned(cli->warnings, line)) return;
    if (cli->warnings)
        hd_printf(cli->warnings, "heddle: %s\n", line);
    else
        fprintf(stderr, "heddle: %s\n", line);
}

static void show_warnings(struct cli *cli, bool wanted)
{
    if (cli->warnings && wanted) fputs(hd_out_text(cli->warnings, NULL), stderr);
    hd_out_drop(cli->warnings);
    cli->warnings = NULL;
}

double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "3 min left", from the time that the steps so far took; "" before two seconds have passed. */
static const char *time_left(const struct cli *cli, double now, char text[32])
{
    const double took = now - cli->progress.began, done = (double)(cli->progress.last - cli->progress.first);
    *text = 0;
    if (took < 2 || done <= 0) return text;
    double left = took / done * (double)(cli->progress.total - cli->progress.last);
    if (left < 100)
        snprintf(text, 32, ", %.0f s left", left);
    else if (left < 6000)
        snprintf(text, 32, ", %.0f min left", left / 60);
    else
        snprintf(text, 32, ", %.1f h left", left / 3600);
    return text;
}

/* One line of the terminal, rewritten at most ten times per second and removed when the work is done. */
static void show_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    struct cli *cli = user;
    double now = seconds();
    char left[32];
    if (done < cli->progress.last || total != cli->progress.total || cli->progress.began <= 0) {
        cli->progress.began = now;
        cli->progress.first = done;
        cli->progress.total = total;
    }
    cli->progress.last = done;
    if (done >= total) {
        fprintf(stderr, "\r\033[K");
    } else if (now - cli->progress.shown > 0.1) {
        cli->progress.shown = now;
        fprintf(stderr, "\r%s %3.0f %%%s\033[K", what, 100.0 * (double)done / (double)total, time_left(cli, now, left));
    }
    fflush(stderr);
}

void show_advise_progress(void *user, const char *what, uint32_t done, uint32_t of)
{
    const struct cli *cli = user;
    hd_progress(cli->ctx, what, done, of);
}

/* A method that does not apply counts as invalid input, a program that is not installed as a limit. */
static hd_status exit_code(hd_status s)
{
    if (s == HD_NA) return HD_INPUT;
    return s == HD_MISSING ? HD_LIMIT : s;
}

/* mpirun gives a pseudo-terminal even where output goes to a file. */
bool is_terminal(const struct cli *cli, int fd)
{
    return !cli->comm && isatty(fd);
}

/* COLUMNS where it is set, in pipes too; else those of the terminal; 0: nobody says. Between 40 and 1000. */
static size_t reader_columns(const struct cli *cli)
{
    const char *text = getenv("COLUMNS");
    struct winsize size = {0};
    unsigned long n = text ? strtoul(text, NULL, 10) : 0;
    if (!n && is_terminal(cli, STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) n = size.ws_col;
    return !n ? 0 : n < 40 ? 40 : n > 1000 ? 1000 : n;
}

/* ---- what the process needs ------------------------------------------------------------------- */

/* A descriptor that is closed would be given to the next file, which then receives messages or results. */
static void secure_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd ? O_WRONLY : O_RDONLY) != fd)
            _exit(HD_LIMIT);
}

/* Set when the command has ended by itself: an exit handler is given nothing. */
static bool has_ended;

/* The OpenMP runtime ends the process by itself, with the status of a faulty table, when it cannot start a thread. */
static void end_early(void)
{
    if (has_ended) return;
    hd_files_leave();
    fprintf(stderr, "heddle: cannot start as many threads: use --threads\n");
    _exit(HD_LIMIT);
}

/* ---- the command ------------------------------------------------------------------------------ */

/* Some are read by other programs, or loaded. */
static hd_status protect_input(struct cli *cli, const char *path, void *user)
{
    (void)user;
    return hd_protect_input(cli->ctx, path);
}

/* All files that a command writes appear together when it has succeeded. A checkpoint is written on the way, alone. */
static hd_status run_with_files(struct cli *cli)
{
    size_t mark;
    begin_work(cli);
    HD_TRY(hd_protect_inputs(cli->ctx));
    HD_TRY(visit_inputs(cli, protect_input, NULL));
    if (cli->v.checkpoint) return cli->command->run(cli);
    HD_TRY(hd_batch_begin(cli->ctx, &mark));
    const int printed = cli->v.format && !cli->v.output; /* a result of that format */
    if (cli->outputs + printed > 1) hd_batch_hold(cli->ctx);
    hd_status s = cli->command->run(cli);
    begin_results();
    bool lost = hd_out_pass_error(cli->out, cli->out); /* closing it says so, and then there must be no files */
    hd_status ended = hd_batch_end(cli->ctx, mark, s > HD_FAULT ? s : lost ? HD_LIMIT : HD_OK);
    return ended == HD_OK || lost ? s : ended;
}

static int run_command(struct cli *cli, int argc, char **argv)
{
    if (hd_out_memory(cli->ctx, &cli->warnings) != HD_OK) cli->warnings = NULL;
    hd_status s = hd_papers_add(cli->ctx);
    if (s == HD_OK) s = parse_command_line(cli, argc, argv);
    if (s == HD_OK) s = load_plugins(cli);
    if (s == HD_OK) hd_ctx_try_threads(cli->ctx);
    char message[MAX_MESSAGE];
    if (is_terminal(cli, STDERR_FILENO) && !cli->v.quiet && !cli->v.no_progress)
        hd_ctx_set_progress(cli->ctx, show_progress, cli);
    const bool taken = cli->taken && !cli->v.help;
    if (s == HD_OK) s = taken ? hd_out_memory(cli->ctx, &cli->out) : hd_out_open(cli->ctx, "-", &cli->out);
    if (s == HD_OK) hd_out_set_whole(cli->out);
    if (s == HD_OK) hd_out_set_visible(cli->out, true);
    if (s == HD_OK) hd_out_set_columns(cli->out, reader_columns(cli));
    if (s == HD_OK && cli->v.help)
        print_command_help(cli, cli->command);
    else if (s == HD_OK)
        s = run_with_files(cli);
    if (exit_code(s) != HD_LIMIT) s = hd_ctx_agree(cli->ctx, s);
    /* What was found before a failure is not data anybody asked for. */
    if (s > HD_FAULT)
        hd_out_drop(cli->out);
    else {
        hd_status closed = hd_out_close(cli->ctx, cli->out);
        if (closed != HD_OK) s = closed;
    }
    show_warnings(cli, s <= HD_FAULT);
    /* One process words the failure of all; what one lacks (memory, disk) the others do not know of. */
    hd_status code = exit_code(s);
    int rank = hd_comm_rank(cli->comm);
    char who[32] = "";
    if (rank) snprintf(who, sizeof who, "rank %d: ", rank);
    if (s > HD_FAULT && (hd_ctx_speaks(cli->ctx) || code == HD_LIMIT))
        fprintf(stderr, "heddle: %s%s\n", who, error_text(cli, message));
    if (code == HD_LIMIT) hd_comm_abort(cli->comm, code);
    if (!cli->stopped_by || code > HD_FAULT) return code;
    fprintf(stderr, "heddle: interrupted: the results are those of the work done so far\n");
    return 128 + cli->stopped_by; /* as shells say it */
}

int main(int argc, char **argv)
{
    struct cli cli = {0};
    secure_descriptors();
    hd_files_inherit();
    watch_signals();
    cli.comm = hd_comm_start(&argc, &argv);
    cli.ctx = hd_ctx_new();
    if (!cli.ctx) {
        fprintf(stderr, "heddle: out of memory\n");
        hd_comm_abort(cli.comm, HD_LIMIT);
        return hd_comm_end(cli.comm, HD_LIMIT);
    }
    atexit(end_early);
    hd_ctx_set_comm(cli.ctx, cli.comm);
    hd_ctx_set_note(cli.ctx, keep_warning, &cli);
    int status = run_command(&cli, argc, argv);
    hd_ctx_free(cli.ctx);
    has_ended = true;
    return hd_comm_end(cli.comm, status);
}
