/* SPDX-License-Identifier: BSD-2-Clause */
/* What a signal does to the command. An interrupt while samples are drawn or an order is searched ends that work, and
 * what it gave is printed; anywhere else, while that work waits for its input, and the second time, it ends the command
 * at once: temporary files are removed, and one line says that no file was written. A signal handler is given nothing
 * but the number, hence the variables. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- ending at once --------------------------------------------------------------------------- */

static const char *volatile farewell;        /* what the end by a signal says; NULL: nothing */
static const char *volatile kept_checkpoint; /* the file that keeps the work, once it is there */

static void signal_say(const char *text)
{
    int kept = errno;
    ssize_t n = write(STDERR_FILENO, text, strlen(text));
    (void)n; /* there is no other place to say so */
    errno = kept;
}

static void end_on_signal(int number)
{
    const char *text = farewell;
    farewell = NULL; /* said once, also if the signal has to wait until all files are in their places */
    if (text && kept_checkpoint && access(kept_checkpoint, F_OK) == 0)
        text = "heddle: interrupted: the checkpoint keeps the work done so far\n";
    if (text && (number == SIGINT || number == SIGTERM)) signal_say(text);
    hd_files_on_signal(number);
}

void watch_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &ignore, NULL); /* writing fails then, and that is reported as any other failure */
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction action = {.sa_handler = end_on_signal}, old;
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(ending[i], &action, NULL);
    }
}

void begin_work(const struct cli *cli)
{
    if (hd_comm_rank(cli->comm)) return; /* one process speaks for all */
    kept_checkpoint = cli->v.checkpoint;
    if (is_terminal(cli, STDERR_FILENO)) /* over the line that shows progress */
        farewell = "\r\033[Kheddle: interrupted: no file was written\n";
    else
        farewell = "heddle: interrupted: no file was written\n";
}

void begin_results(void)
{
    farewell = NULL;
}

/* ---- ending sampling -------------------------------------------------------------------------- */

static const int signals[] = {SIGINT, SIGTERM};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction usual[SIGNALS];
static volatile sig_atomic_t sampling, asked, on_terminal;

static void stop_on_signal(int number)
{
    if (sampling && !asked) {
        asked = number;
        if (on_terminal) signal_say("\r\033[Kheddle: ending with what there is; interrupt again to end at once\n");
        return;
    }
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == number) sigaction(number, &usual[i], NULL);
    raise(number); /* delivered when the handler returns */
}

static bool stop_asked(void *user)
{
    (void)user;
    return asked != 0;
}

void begin_sampling(struct cli *cli)
{
    if (cli->comm) return; /* the others would go on */
    const struct sigaction stop = {.sa_handler = stop_on_signal, .sa_flags = SA_RESTART};
    for (int i = 0; !sampling && i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &usual[i]) == 0 && usual[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &stop, NULL);
    hd_ctx_set_stop(cli->ctx, stop_asked, NULL);
    on_terminal = is_terminal(cli, STDERR_FILENO);
    sampling = 1;
}

int end_sampling(struct cli *cli, hd_status status)
{
    const bool stopped = hd_ctx_stopped(cli->ctx);
    hd_ctx_set_stop(cli->ctx, NULL, NULL);
    for (int i = 0; sampling && i < SIGNALS; i++)
        if (usual[i].sa_handler != SIG_IGN) sigaction(signals[i], &usual[i], NULL);
    sampling = 0;
    if (stopped && status == HD_LIMIT) raise(asked); /* there is nothing yet: as anywhere else */
    return stopped ? asked : 0;
}
