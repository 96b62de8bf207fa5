/* SPDX-License-Identifier: BSD-2-Clause */
/* library [STRIDE [NAME]]: the public functions, each with every allocation, read, write, open, close, fsync, rename
 * and new folder failing once, under shim.so. After a failure the status is HD_LIMIT (HD_INPUT for a file that cannot
 * be read) with a message, outputs are untouched, nothing is left on disk, and the same call on the same objects
 * succeeds with the result that it always has; when all is freed, every block is. A program that is to run for months,
 * as a subnet manager does, can ask no less.
 *
 * All in one process: a case costs microseconds per failing call, not a process. STRIDE k fails all of the first 100
 * calls and then every k-th. Prints TAP. */
#include "inject.h"
#include "library_cases.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TEXT = 1 << 23, FIRST = 100 };

static void (*arm)(const char *class, unsigned long n, const char *how);
static unsigned long (*disarm)(const char *class);
static long (*live)(void);

/* What the call under test returned, as text; no allocation. */
static char text[MAX_TEXT], expected[MAX_TEXT];
static size_t used;
static char folder[256], out_folder[300];
static char now[200]; /* for a crash */

char poison_byte;

void note(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text + used, sizeof text - used, fmt, ap);
    va_end(ap);
    used += n > 0 && (size_t)n < sizeof text - used ? (size_t)n : 0;
}

void note_bytes(const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++) note("%02x", b[i]);
    note("\n");
}

hd_status note_out(struct hd_ctx *ctx, struct hd_out *o, hd_status s)
{
    if (s != HD_OK) {
        hd_out_drop(o);
        return s;
    }
    note("%s", hd_out_text(o, NULL));
    return hd_out_close(ctx, o);
}

static const char *path_in(const char *where, const char *name)
{
    static char path[4][400];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", where, name);
    return path[turn];
}

const char *input_path(const char *name)
{
    return path_in(folder, name);
}

const char *output_path(const char *name)
{
    return path_in(out_folder, name);
}

hd_status kept(hd_status s, const void *address)
{
    void *output;
    memcpy(&output, address, sizeof output);
    return s != HD_OK && output != POISON ? (hd_status)99 : s;
}

/* ---- the world ---------------------------------------------------------------------------------- */

static void give_up(const char *what, const struct hd_ctx *ctx)
{
    printf("Bail out! %s: %s\n", what, ctx ? hd_ctx_error(ctx) : "no context");
    exit(1);
}

static hd_status open_world_net(struct world *w, const char *name)
{
    if (strcmp(name, "broken") == 0) {
        struct hd_open opt = {.fail = "links=1,seed=2"};
        return hd_net_open(w->ctx, FT, &opt, &w->net);
    }
    if (strcmp(name, "plain") == 0) return hd_net_read(w->ctx, input_path("ft.ibnet"), NULL, &w->net);
    if (strcmp(name, "grid") == 0) return hd_net_read(w->ctx, input_path("torus.ibnet"), NULL, &w->net);
    return hd_net_open(w->ctx, name, NULL, &w->net);
}

static void make_world(const struct library_case *c, struct world *w)
{
    *w = (struct world){.ctx = hd_ctx_new()};
    if (!w->ctx) give_up("world", NULL);
    hd_ctx_set_threads(w->ctx, 1);
    if (c->net && open_world_net(w, c->net) != HD_OK) give_up(c->net, w->ctx);
    if (!c->engine) return;
    if (hd_routes_open(w->ctx, w->net, c->engine, &w->routes) != HD_OK) give_up(c->engine, w->ctx);
    if (hd_nodes_read(w->ctx, w->net, NULL, 1, &w->nodes) != HD_OK) give_up("nodes", w->ctx);
    if (hd_order_make(w->ctx, w->routes, w->nodes, HD_FOR_GIVEN, &w->order) != HD_OK) give_up("order", w->ctx);
    static const char *const engine[] = {"minhop", "updown"};
    w->in = (struct hd_advise_in){
        .net = w->net, .net_text = c->net, .engine = engine, .nengine = 2, .command = "heddle advise"};
    if (c->report && hd_advise(w->ctx, &w->in, &w->report) != HD_OK) give_up("report", w->ctx);
}

static void free_world(struct world *w)
{
    hd_report_free(w->report);
    hd_order_free(w->order);
    hd_nodes_free(w->nodes);
    hd_routes_free(w->routes);
    hd_net_free(w->net);
    hd_ctx_free(w->ctx);
}

/* ---- running ------------------------------------------------------------------------------------ */

/* Removes all in a folder; returns how much there was. */
static int empty_folder(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;
    struct dirent *e;
    while (d && (e = readdir(d))) {
        char inside[800];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
        n++;
        if (unlink(inside) == 0) continue;
        n += empty_folder(inside);
        rmdir(inside);
    }
    if (d) closedir(d);
    return n;
}

static hd_status call(const struct library_case *c, struct world *w, const char *class, unsigned long n,
                      unsigned long *count)
{
    text[0] = 0;
    used = 0;
    arm(class, n, "once");
    hd_status s = c->run(w, c->arg);
    *count = disarm(class ? class : "alloc");
    return s;
}

/* What is wrong, or NULL. */
static const char *judge(const struct library_case *c, const char *class, unsigned long n)
{
    static char said[600];
    struct world w;
    unsigned long count;
    long before = live();
    make_world(c, &w);
    hd_status s = call(c, &w, class, n, &count);
    int left = empty_folder(out_folder);
    const char *error = hd_ctx_error(w.ctx), *fault = NULL;
    bool reading = strcmp(class, "read") == 0 || strcmp(class, "open") == 0;
    if (s == HD_OK && strcmp(text, expected) != 0) fault = "another result";
    if (s == (hd_status)99)
        fault = "an output is set on failure";
    else if (s != HD_OK && s != HD_LIMIT && !(s == HD_INPUT && reading))
        fault = "wrong status";
    else if (s != HD_OK && (!*error || strchr(error, '\n')))
        fault = "no message";
    else if (s != HD_OK && left)
        fault = "files are left";
    if (fault) snprintf(said, sizeof said, "%s (status %d, %d files): %.300s", fault, s, left, error);
    if (!fault && s != HD_OK) {
        if (call(c, &w, NULL, 0, &count) != HD_OK)
            fault = "the same call fails afterwards";
        else if (strcmp(text, expected) != 0)
            fault = "the same call has another result afterwards";
        if (fault) snprintf(said, sizeof said, "%s: %.300s", fault, hd_ctx_error(w.ctx));
        empty_folder(out_folder);
    }
    free_world(&w);
    if (!fault && !c->loses && live() != before) {
        snprintf(said, sizeof said, "%ld blocks are not freed (status %d)", live() - before, s);
        fault = said;
    }
    return fault ? said : NULL;
}

static const char *const classes[] = {"alloc", "read", "write", "open", "close", "fsync", "rename", "folder", NULL};
static unsigned long failed[8];

static int run_case(const struct library_case *c, unsigned long stride)
{
    unsigned long total[8], tried = 0;
    int faults = 0;
    for (int i = 0; classes[i]; i++) {
        struct world w;
        make_world(c, &w);
        if (call(c, &w, NULL, 0, &total[i]) != HD_OK) give_up(c->name, w.ctx);
        disarm("alloc");
        total[i] = disarm(classes[i]);
        memcpy(expected, text, used + 1);
        empty_folder(out_folder);
        free_world(&w);
    }
    for (int i = 0; classes[i]; i++)
        for (unsigned long n = 1; n <= total[i]; n += n < FIRST ? 1 : stride) {
            snprintf(now, sizeof now, "# dies: %s, %s %lu\n", c->name, classes[i], n);
            const char *fault = judge(c, classes[i], n);
            tried++;
            failed[i]++;
            if (fault && ++faults <= 5) printf("#   %s %lu of %lu: %s\n", classes[i], n, total[i], fault);
        }
    printf("# %lu calls failed\n", tried);
    return faults;
}

static void on_crash(int signal)
{
    if (write(STDOUT_FILENO, now, strlen(now)) < 0) _exit(2);
    _exit(128 + signal);
}

/* ---- files that cases read ---------------------------------------------------------------------- */

static void write_text(const char *name, const char *content)
{
    FILE *f = fopen(input_path(name), "w");
    if (!f || fputs(content, f) < 0 || fclose(f) != 0) give_up(name, NULL);
}

static void write_inputs(struct hd_ctx *ctx)
{
    static const struct {
        const char *name, *net, *format, *engine;
    } files[] = {
        {"ft.ibnet", FT, "ibnet", NULL},     {"torus.ibnet", TORUS, "ibnet", NULL}, {"ft.lft", FT, "lft", "dmodk"},
        {"torus.lft", TORUS, "lft", "lash"}, {"guid2lid", FT, "guid2lid", "dmodk"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct hd_net *net;
        struct hd_routes *r = NULL;
        struct hd_out *o;
        hd_status s = hd_net_open(ctx, files[i].net, NULL, &net);
        if (s == HD_OK && files[i].engine) s = hd_routes_open(ctx, net, files[i].engine, &r);
        if (s == HD_OK) s = hd_out_open(ctx, input_path(files[i].name), &o);
        if (s == HD_OK)
            s = r ? hd_routes_write(ctx, r, files[i].format, o) : hd_net_write(ctx, net, files[i].format, o);
        if (s == HD_OK) s = hd_out_close(ctx, o);
        if (s != HD_OK) give_up(files[i].name, ctx);
        hd_routes_free(r);
        hd_net_free(net);
    }
    write_text("names",
               "node-00003\nnode-00001\nnode-00002\nnode-00000\nnode-00007\nnode-00006\nnode-00005\nnode-00004\n");
    write_text("map", "0x0200000000100000 \"leaf\"\n");
    write_text("trace", "0 1 4096 -\n1 2 4096 1\n2 3 65536 -\n");
}

int main(int argc, char **argv)
{
    /* POSIX has dlsym return functions as pointers to objects. */
    *(void **)&arm = dlsym(RTLD_DEFAULT, "inject_arm");
    *(void **)&disarm = dlsym(RTLD_DEFAULT, "inject_disarm");
    *(void **)&live = dlsym(RTLD_DEFAULT, "inject_live");
    if (!arm || !disarm || !live) {
        printf("Bail out! run with LD_PRELOAD=shim.so\n");
        return 1;
    }
    unsigned long stride = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/inject-XXXXXX", tmp ? tmp : "/tmp");
    if (!stride || !mkdtemp(folder)) return 2;
    snprintf(out_folder, sizeof out_folder, "%s/out", folder);
    mkdir(out_folder, 0700);
    signal(SIGSEGV, on_crash);
    signal(SIGABRT, on_crash);
    struct hd_ctx *ctx = hd_ctx_new();
    if (!ctx) return 2;
    hd_ctx_set_threads(ctx, 1);
    write_inputs(ctx);
    hd_ctx_free(ctx);
    int n = 0, bad = 0;
    static const struct library_case *const tables[] = {fabric_cases, job_cases};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct library_case *c = tables[i]; c->name; c++) {
            if (argc > 2 && !strstr(c->name, argv[2])) continue;
            int faults = run_case(c, stride);
            bad += faults > 0;
            printf("%sok %d - %s\n", faults ? "not " : "", ++n, c->name);
            fflush(stdout);
        }
    for (int i = 0; classes[i]; i++) printf("# %-6s %8lu calls failed\n", classes[i], failed[i]);
    printf("1..%d\n", n);
    empty_folder(folder);
    rmdir(folder);
    return bad > 0;
}
