/* SPDX-License-Identifier: BSD-2-Clause */
/* The log and the metrics of a request that ended without a worker: it was not there, ended, was late or sent nonsense.
 * Otherwise both files would go on about the tables before, which are not in use any more. A line of JSON with the keys
 * of live_report.c, and the metrics that are known here. A file may be on a server that is gone, and OpenSM must not
 * wait for it: a thread of its own writes, one at a time. While one is stuck the files of later requests are left out;
 * the counters are right again with the next that is written, by whom ever. Metrics come first, because the log may be
 * what is stuck, and not at all once a worker has written those of a later request. A thread that is stuck when OpenSM
 * ends goes on in code that stays loaded (-z nodelete). */
#include "base/c_locale.h"
#include "osm_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const off_t most_log = 8 << 20; /* as the worker has it */

struct plugin_note {
    pthread_t thread;
    char log[PATH_MAX], metrics[PATH_MAX]; /* "": none */
    char line[2048], text[2048];
    atomic_bool old; /* a worker reports a later request */
};

/* ---- writing, in the thread -------------------------------------------------------------------- */

/* One call that never waits: not for a reader of a pipe, nor for room in it. */
static bool note_put(const char *path, int flags, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags, 0644);
    if (fd < 0) return false;
    errno = ENOSPC; /* what a part alone means */
    const bool whole = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    const int error = errno;
    if (close(fd) != 0 && whole) return false;
    errno = error;
    return whole;
}

static bool note_append(const struct plugin_note *n)
{
    char old[PATH_MAX];
    struct stat st;
    if (lstat(n->log, &st) == 0 && S_ISREG(st.st_mode) && st.st_size + (off_t)strlen(n->line) > most_log &&
        snprintf(old, sizeof old, "%s.1", n->log) < (int)sizeof old && rename(n->log, old) != 0)
        return false;
    return note_put(n->log, O_APPEND | O_CREAT, n->line);
}

/* Behind a link too; a link that leads nowhere is somebody else's, as for the worker (base/batch.c). */
static bool note_target(const char *path, char target[PATH_MAX])
{
    struct stat st;
    if (realpath(path, target)) return true;
    const int error = errno;
    const bool there = lstat(path, &st) == 0;
    errno = error;
    memcpy(target, path, PATH_MAX);
    return !there;
}

/* The file is replaced as a whole; a pipe or a device is written to. */
static bool note_replace(struct plugin_note *n)
{
    char target[PATH_MAX], fresh[PATH_MAX];
    struct stat st;
    if (atomic_load(&n->old)) return true;
    if (stat(n->metrics, &st) == 0 && !S_ISREG(st.st_mode)) return note_put(n->metrics, 0, n->text);
    if (!note_target(n->metrics, target)) return false;
    if (snprintf(fresh, sizeof fresh, "%s.%ld", target, (long)getpid()) >= (int)sizeof fresh) return false;
    unlink(fresh); /* of an earlier process with this number; a link that somebody put there is not followed */
    const bool written = note_put(fresh, O_CREAT | O_EXCL, n->text), late = atomic_load(&n->old);
    if (written && !late && rename(fresh, target) == 0) return true;
    const int error = errno;
    unlink(fresh);
    errno = error;
    return written && late;
}

static void *note_write(void *user)
{
    struct plugin_note *n = user;
    if (*n->metrics && !note_replace(n)) fprintf(stderr, "heddle: %s: cannot write: %s\n", n->metrics, strerror(errno));
    if (*n->log && !note_append(n)) fprintf(stderr, "heddle: %s: %s\n", n->log, strerror(errno));
    return NULL;
}

/* ---- what is written --------------------------------------------------------------------------- */

/* For a text in JSON: what is not printable becomes a question mark. */
static void note_quote(const char *text, char quoted[2 * PLUGIN_TEXT])
{
    size_t n = 0;
    for (const char *s = text; *s && n + 3 < 2 * PLUGIN_TEXT; s++) {
        if (*s == '"' || *s == '\\') quoted[n++] = '\\';
        quoted[n++] = *s >= ' ' && *s < 0x7f ? *s : '?';
    }
    quoted[n] = 0;
}

static void note_fill(const struct heddle_plugin *p, const char *why, double seconds, struct plugin_note *n)
{
    const unsigned switches = (unsigned)cl_qmap_count(&p->osm->subn.sw_guid_tbl);
    const unsigned ports = (unsigned)cl_qmap_count(&p->osm->subn.port_guid_tbl); /* a switch has one */
    const unsigned endpoints = ports > switches ? ports - switches : 0;
    const unsigned long long now = (unsigned long long)time(NULL), sweeps = p->sweeps, fallbacks = p->fallbacks;
    char quoted[2 * PLUGIN_TEXT];
    note_quote(why, quoted);
    hd_format(
        n->line, sizeof n->line,
        "{\"schema\": 1, \"time\": %llu, \"sweep\": %llu, \"tables\": false, \"engine\": null, \"patched\": false, "
        "\"kept\": false, \"more\": false, \"failed\": \"%s\", \"switches\": %u, \"endpoints\": %u, "
        "\"change\": {\"switches_lost\": 0, \"switches_new\": 0, \"endpoints_lost\": 0, \"endpoints_new\": 0, "
        "\"endpoints_moved\": 0, \"cables_lost\": 0, \"cables_new\": 0, \"rates_changed\": 0, "
        "\"lids_changed\": 0, \"first\": null, \"names\": null}, "
        "\"lanes\": 0, \"pairs\": 0, \"entries_missing\": 0, \"search_cut\": false, "
        "\"switch_credit_loops\": false, \"entries_changed\": 0, "
        "\"blocks_changed\": 0, \"switches_changed\": 0, \"mixing\": null, \"mixing_loops\": 0, "
        "\"mixing_drops\": 0, \"mixing_credit_loops\": 0, \"ebb\": null, \"ebb_before\": null, "
        "\"route_seconds\": 0, \"check_seconds\": 0, \"seconds\": %.6f}\n",
        now, sweeps, quoted, switches, endpoints, seconds);
    hd_format(n->text, sizeof n->text,
              "# HELP heddle_sweeps_total Requests for tables since OpenSM started.\n"
              "# TYPE heddle_sweeps_total counter\nheddle_sweeps_total %llu\n"
              "# HELP heddle_fallbacks_total Requests that ended without tables.\n"
              "# TYPE heddle_fallbacks_total counter\nheddle_fallbacks_total %llu\n"
              "# HELP heddle_tables 1 if the last request ended with proved tables.\n"
              "# TYPE heddle_tables gauge\nheddle_tables 0\n"
              "# HELP heddle_switches Switches in the fabric.\n# TYPE heddle_switches gauge\nheddle_switches %u\n"
              "# HELP heddle_endpoints Endpoints in the fabric.\n# TYPE heddle_endpoints gauge\nheddle_endpoints %u\n"
              "# HELP heddle_request_seconds Time that the last request took.\n"
              "# TYPE heddle_request_seconds gauge\nheddle_request_seconds %.6f\n"
              "# HELP heddle_last_request_timestamp_seconds When the last request came.\n"
              "# TYPE heddle_last_request_timestamp_seconds gauge\nheddle_last_request_timestamp_seconds %llu\n",
              sweeps, fallbacks, switches, endpoints, seconds, now);
}

/* ---- one at a time ----------------------------------------------------------------------------- */

void plugin_note_fallback(struct heddle_plugin *p, const char *why, double seconds)
{
    sigset_t all, before;
    if (!p->options.log && !p->options.metrics) return;
    if (p->note && pthread_tryjoin_np(p->note->thread, NULL) != 0) return;
    free(p->note);
    struct plugin_note *n = p->note = calloc(1, sizeof *n);
    if (!n) return;
    atomic_init(&n->old, false);
    if (p->options.log) snprintf(n->log, sizeof n->log, "%s", p->options.log);
    if (p->options.metrics) snprintf(n->metrics, sizeof n->metrics, "%s", p->options.metrics);
    note_fill(p, why, seconds, n);
    sigfillset(&all); /* OpenSM's signals are for its own threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&n->thread, NULL, note_write, n) != 0) {
        free(n);
        p->note = NULL;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void plugin_note_old(struct heddle_plugin *p)
{
    if (p->note) atomic_store(&p->note->old, true);
}

void plugin_note_end(struct heddle_plugin *p)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    if (!p->note) return;
    if (pthread_timedjoin_np(p->note->thread, NULL, &until) != 0) return; /* stuck: it ends with the process */
    free(p->note);
    p->note = NULL;
}
