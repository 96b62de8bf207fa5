/* SPDX-License-Identifier: BSD-2-Clause */
/* The log and the metrics of the worker: what was written is what is read back, cut lines and pipes included. */
#include "live_tools.h"
#include "tool/watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void count_sweep(void *user, const struct hd_sweep *s)
{
    uint32_t *n = user;
    ++*n;
    assert_int_equal(*n, s->number);
    assert_string_equal("dmodc", s->engine);
    assert_int_equal(*n == 1 ? 8 : 0, s->change.switches_new + s->change.cables_new ? 8 : 0);
}

/* Cut at any byte, the log has the sweeps before; a line that was cut for good does not hide the next one. */
static void cut_lines(struct hd_ctx *ctx, const char *path)
{
    char text[16384];
    FILE *file = fopen(path, "r");
    const size_t size = fread(text, 1, sizeof text, file), step = size / 40 + 1;
    fclose(file);
    for (size_t at = 0; at <= size; at += step) {
        uint32_t whole = at > 0 && at < size && text[at] == '\n', n = 0; /* cut before the end of a line */
        for (size_t i = 0; i < at; i++) whole += text[i] == '\n';
        file = fopen(path, "w");
        fwrite(text, 1, at, file);
        fclose(file);
        assert_int_equal(HD_OK, hd_sweeps_read(ctx, path, count_sweep, &n));
        assert_int_equal(whole, n);
        if (whole) continue;
        file = fopen(path, "a");
        fwrite(text, 1, size, file);
        fclose(file);
        assert_int_equal(HD_OK, hd_sweeps_read(ctx, path, count_sweep, &n));
        assert_int_equal(3, n);
    }
}

static void log_and_metrics(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_live_log.XXXXXX", options[200], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(options, sizeof options, "dmodc log=%s/a.jsonl metrics=%s/m.prom", folder, folder);
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    struct hd_net *net = with_lids(live.ctx, "ft:m=4,n=2", NULL);
    struct bytes request = request_of(net, options, NULL), reply = {0};
    for (uint64_t i = 0; i < 3; i++) {
        ((struct hd_fabric_head *)(void *)request.at)->sweeps = i;
        answer(&live, &request, &reply);
    }
    uint32_t n = 0;
    snprintf(path, sizeof path, "%s/a.jsonl", folder);
    assert_int_equal(HD_OK, hd_sweeps_read(live.ctx, path, count_sweep, &n));
    assert_int_equal(3, n);
    cut_lines(live.ctx, path);
    assert_int_equal(0, unlink(path));
    snprintf(path, sizeof path, "%s/m.prom", folder);
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));
    free(request.at);
    free(reply.at);
    hd_net_free(net);
    hd_live_release(&live);
    hd_ctx_free(live.ctx);
}

/* Neither file can be written: the message names both. */
static void unwritable_log_and_metrics(void **state)
{
    (void)state;
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    const struct hd_live_outcome o = {.tables = true};
    static const char *const log = "/nowhere/test_live.jsonl", *const metrics = "/nowhere/test_live.prom";
    for (int i = 1; i < 4; i++) {
        struct hd_live_options options = {.log = i & 1 ? log : NULL, .metrics = i & 2 ? metrics : NULL};
        assert_true(hd_live_publish(&live, &options, &o) != HD_OK);
        assert_int_equal((i & 1) != 0, strstr(hd_ctx_error(live.ctx), log) != NULL);
        assert_int_equal((i & 2) != 0, strstr(hd_ctx_error(live.ctx), metrics) != NULL);
    }
    hd_ctx_free(live.ctx);
}

/* A pipe that nobody reads is one message, and no wait; one that somebody reads gets the metrics. */
static void metrics_into_a_pipe(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_live_log.XXXXXX", path[64], text[8192] = "";
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    const struct hd_live_outcome o = {.tables = true};
    const struct hd_live_options options = {.metrics = path};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.prom", folder);
    assert_int_equal(0, mkfifo(path, 0600));
    alarm(20); /* it waited for a reader */
    assert_int_equal(HD_LIMIT, hd_live_publish(&live, &options, &o));
    assert_non_null(strstr(hd_ctx_error(live.ctx), path));
    const int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_int_equal(HD_OK, hd_live_publish(&live, &options, &o));
    assert_true(read(reader, text, sizeof text - 1) > 0);
    assert_non_null(strstr(text, "\nheddle_tables 1\n"));
    for (int i = 0; i < 100; i++) /* a reader that does not read: the pipe is full at some time */
        if (hd_live_publish(&live, &options, &o) != HD_OK) assert_non_null(strstr(hd_ctx_error(live.ctx), path));
    alarm(0);
    close(reader);
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));
    hd_ctx_free(live.ctx);
}

static void take_names(void *user, const struct hd_sweep *s)
{
    snprintf(user, sizeof s->change.names, "%s", s->change.names);
}

/* What was logged is what is read: a backslash before a u is no escape. */
static void names_of_the_log(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"rack\\u12345", "rack\\u12345"},
                                           {"\\\\u00e9 \\\"u\"", "\\\\u00e9 \\\"u\""},
                                           {"a\x01"
                                            "bcdef",
                                            "a?bcdef"},
                                           {"u\\", "u\\"}};
    char path[] = "/tmp/test_live_log.XXXXXX", got[sizeof(struct hd_fabric_change)] = "";
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    const struct hd_live_options options = {.log = path};
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct hd_live_outcome o = {.tables = true};
        snprintf(o.change.names, sizeof o.change.names, "%s", names[i][0]);
        assert_int_equal(HD_OK, hd_live_publish(&live, &options, &o));
        assert_int_equal(HD_OK, hd_sweeps_read(live.ctx, path, take_names, got));
        assert_string_equal(names[i][1], got);
    }
    close(fd);
    assert_int_equal(0, unlink(path));
    hd_ctx_free(live.ctx);
}

static void take_moved(void *user, const struct hd_sweep *s)
{
    *(uint32_t *)user = s->change.endpoints_moved;
}

/* Endpoints that moved are logged, and a log without them, as earlier ones are, is read. */
static void moved_in_the_log(void **state)
{
    (void)state;
    char path[] = "/tmp/test_live_log.XXXXXX", line[8192];
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    const struct hd_live_options options = {.log = path};
    const struct hd_live_outcome o = {.tables = true, .change.endpoints_moved = 3};
    uint32_t moved = 0;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(HD_OK, hd_live_publish(&live, &options, &o));
    assert_int_equal(HD_OK, hd_sweeps_read(live.ctx, path, take_moved, &moved));
    assert_int_equal(3, moved);
    const ssize_t n = pread(fd, line, sizeof line - 1, 0);
    assert_true(n > 0);
    line[n] = 0;
    char *key = strstr(line, "\"endpoints_moved\": 3, ");
    assert_non_null(key);
    const char *rest = key + strlen("\"endpoints_moved\": 3, ");
    memmove(key, rest, strlen(rest) + 1);
    assert_int_equal(strlen(line), pwrite(fd, line, strlen(line), 0));
    assert_int_equal(0, ftruncate(fd, (off_t)strlen(line)));
    assert_int_equal(HD_OK, hd_sweeps_read(live.ctx, path, take_moved, &moved));
    assert_int_equal(0, moved);
    close(fd);
    assert_int_equal(0, unlink(path));
    hd_ctx_free(live.ctx);
}

/* What the line says of entries for switches is in the log and the metrics. */
static void loops_in_the_log(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_live_log.XXXXXX", log[64], metrics[64], text[16384];
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    const struct hd_live_options options = {.log = log, .metrics = metrics};
    const struct hd_live_outcome o = {.tables = true, .switch_loops = true, .cut = true};
    assert_non_null(mkdtemp(folder));
    snprintf(log, sizeof log, "%s/a.jsonl", folder);
    snprintf(metrics, sizeof metrics, "%s/m.prom", folder);
    assert_int_equal(HD_OK, hd_live_publish(&live, &options, &o));
    FILE *file = fopen(log, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_non_null(strstr(text, "\"search_cut\": true, \"switch_credit_loops\": true, "));
    file = fopen(metrics, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_non_null(strstr(text, "\nheddle_search_cut 1\n"));
    assert_non_null(strstr(text, "\nheddle_switch_credit_loops 1\n"));
    assert_int_equal(0, unlink(log));
    assert_int_equal(0, unlink(metrics));
    assert_int_equal(0, rmdir(folder));
    hd_ctx_free(live.ctx);
}

/* Where the look at entries of switches failed, the line does not say that none is missing. */
static void missing_in_the_line(void **state)
{
    (void)state;
    static const char cut[] = ", the search for safe ones was cut short", not_known[] = "is not known";
    const struct hd_live live = {.ebb = -1};
    struct hd_live_outcome o = {.tables = true, .missing = 2, .cut = true, .ebb = -1};
    char line[HD_LIVE_LINE];
    hd_live_line(&live, &o, line);
    assert_true(strstr(line, ", 2 entries missing at switches") && strstr(line, cut) && !strstr(line, not_known));
    o.missing = 0;
    o.unknown = true;
    hd_live_line(&live, &o, line);
    assert_true(strstr(line, ", how many entries are missing at switches without endpoints is not known; "));
}

static void read_file(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, room - 1, file)] = 0;
    fclose(file);
}

/* What is in the fabric, and what it lost, does not depend on options; nothing is said of a change where there is no
 * network to compare. */
static void refused_requests(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_live_log.XXXXXX", options[200], log[64], metrics[64], text[16384];
    assert_non_null(mkdtemp(folder));
    snprintf(log, sizeof log, "%s/a.jsonl", folder);
    snprintf(metrics, sizeof metrics, "%s/m.prom", folder);
    snprintf(options, sizeof options, "dmodc budgt=3 log=%s metrics=%s", log, metrics);
    struct hd_reply_parts p;
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = with_lids(ctx, "ft:m=4,n=2", NULL), *less;
    assert_int_equal(HD_OK, hd_net_fail(ctx, net, "links=1,seed=1", &less));
    struct subnet s = subnet_up(net, options, &p);
    assert_int_equal(0, p.head->switches);
    assert_non_null(strstr(p.text, "6 new switches, 8 new cables, 8 new endpoints; NO TABLES: event_plugin_options: "));
    next_text(&s, request_of(less, options, NULL), &p);
    assert_ptr_equal(p.text, strstr(p.text, "1 cable lost (cable "));
    read_file(metrics, text, sizeof text);
    assert_non_null(strstr(text, "\nheddle_switches 6\n"));
    assert_non_null(strstr(text, "\nheddle_endpoints 8\n"));
    assert_non_null(strstr(text, "\nheddle_cables_lost 1\n"));
    struct bytes request = request_of(net, options, NULL);
    struct hd_fabric_head *h = (void *)request.at;
    ((struct hd_fabric_node *)(void *)(h + 1))->guid = 0;
    assert_ptr_equal(p.text, strstr(next_text(&s, request, &p), "NO TABLES: "));
    read_file(metrics, text, sizeof text);
    assert_non_null(strstr(text, "\nheddle_switches 6\n"));
    assert_non_null(strstr(text, "\nheddle_endpoints 8\n"));
    assert_true(unlink(log) == 0 && unlink(metrics) == 0 && rmdir(folder) == 0);
    subnet_down(&s);
    hd_net_free(less);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_and_metrics),     cmocka_unit_test(unwritable_log_and_metrics),
        cmocka_unit_test(metrics_into_a_pipe), cmocka_unit_test(names_of_the_log),
        cmocka_unit_test(moved_in_the_log),    cmocka_unit_test(loops_in_the_log),
        cmocka_unit_test(missing_in_the_line), cmocka_unit_test(refused_requests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
