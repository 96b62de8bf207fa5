/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a simulation in a test: a network, a table, and flows written to a file. */
#ifndef SIM_TOOLS_H
#define SIM_TOOLS_H

#include "testing.h"
#include "base/context.h"

#include <stdio.h>
#include <unistd.h>

struct setup {
    struct hd_ctx ctx;
    struct hd_net *net;
    struct hd_routes *routes;
    char path[64]; /* of a file with text, removed by tear_down */
};

static inline void set_up(struct setup *t, const char *net, const char *table)
{
    memset(t, 0, sizeof *t);
    hd_ctx_init(&t->ctx);
    t->ctx.threads = 1;
    t->net = make_net(net);
    if (hd_routes_open(&t->ctx, t->net, table, &t->routes) != HD_OK) fail_msg("%s: %s", table, t->ctx.error);
}

static inline void tear_down(struct setup *t)
{
    if (*t->path) unlink(t->path);
    hd_routes_free(t->routes);
    hd_net_free(t->net);
}

static inline void write_text(struct setup *t, const char *text)
{
    if (!*t->path) {
        strcpy(t->path, "/tmp/heddle-sim-XXXXXX");
        int fd = mkstemp(t->path);
        assert_true(fd >= 0);
        close(fd);
    }
    FILE *f = fopen(t->path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static inline struct hd_sim_result simulate(struct setup *t, const struct hd_sim_request *q)
{
    struct hd_sim_result r;
    memset(&r, 0, sizeof r);
    if (hd_sim(&t->ctx, t->routes, q, &r) != HD_OK) fail_msg("%s: %s", q->pattern ? q->pattern : "trace", t->ctx.error);
    return r;
}

static inline void assert_near(double got, double want, double tolerance, const char *what)
{
    if (got < want - tolerance || got > want + tolerance)
        fail_msg("%s: %.5f, expected %.5f +- %.5f", what, got, want, tolerance);
}

#endif
