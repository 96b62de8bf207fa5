/* SPDX-License-Identifier: BSD-2-Clause */
/* An interrupt while samples are drawn or an order is searched ends that work, and what it gave is printed; anywhere
 * else, and the second time, it ends the command as usual. A signal handler is given nothing but the number, hence the
 * variables. */
#include "cli.h"

#include <signal.h>

static const int signals[] = {SIGINT, SIGTERM};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction usual[SIGNALS];
static volatile sig_atomic_t sampling, asked;

static void stop_on_signal(int number)
{
    if (sampling && !asked) {
        asked = number;
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
    sampling = 1;
}

int end_sampling(struct cli *cli)
{
    const bool stopped = hd_ctx_stopped(cli->ctx);
    hd_ctx_set_stop(cli->ctx, NULL, NULL);
    for (int i = 0; sampling && i < SIGNALS; i++)
        if (usual[i].sa_handler != SIG_IGN) sigaction(signals[i], &usual[i], NULL);
    sampling = 0;
    return stopped ? asked : 0;
}
