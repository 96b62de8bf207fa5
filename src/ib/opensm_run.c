/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting, watching and stopping ibsim and OpenSM. Exit codes do not help here: an engine that fails makes OpenSM
 * sweep for ever, so its log is followed until it reports that the subnet is up or that no engine could route it, or
 * until the time limit. */
#include "ib/opensm_run.h"
#include "base/status.h"
#include "base/threads.h"

#include <ctype.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- logs ---------------------------------------------------------------------------------- */

struct log_tail { /* a file that grows, line by line */
    const char *path;
    int fd; /* -1: not there yet */
    size_t used;
    char text[4096];
};

/* Next complete line without its end; false if there is none yet. A line that is too long is cut. */
static bool log_next_line(struct log_tail *l, char line[4096])
{
    if (l->fd < 0 && (l->fd = open(l->path, O_RDONLY | O_CLOEXEC)) < 0) return false;
    for (;;) {
        char *end = memchr(l->text, '\n', l->used);
        size_t n = end ? (size_t)(end - l->text) : l->used;
        if (end || n == sizeof l->text) {
            memcpy(line, l->text, n < 4095 ? n : 4095);
            line[n < 4095 ? n : 4095] = 0;
            l->used -= end ? n + 1 : n;
            memmove(l->text, l->text + (end ? n + 1 : n), l->used);
            return true;
        }
        ssize_t got = read(l->fd, l->text + l->used, sizeof l->text - l->used);
        if (got <= 0) return false;
        l->used += (size_t)got;
    }
}

static void log_close(struct log_tail *l)
{
    if (l->fd >= 0) close(l->fd);
}

enum { READY = 120 }; /* seconds that ibsim may take to read a network; it takes a few */

/* ---- ibsim --------------------------------------------------------------------------------- */

static hd_status find_preload(struct hd_ctx *ctx, struct hd_osm *osm)
{
    static const char *const places[] = {"/usr/local/lib/umad2sim/libumad2sim.so", "/usr/lib/*/umad2sim/libumad2sim.so",
                                         "/usr/lib/umad2sim/libumad2sim.so", "/usr/lib64/umad2sim/libumad2sim.so"};
    const char *folder = osm->opt->programs;
    if (*folder) return hd_program_find(ctx, folder, "libumad2sim.so", "libumad2sim0", osm->preload);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        glob_t g;
        bool found = glob(places[i], 0, NULL, &g) == 0 && g.gl_pathc > 0;
        if (found) snprintf(osm->preload, sizeof osm->preload, "%s", g.gl_pathv[0]);
        globfree(&g);
        if (found) return HD_OK;
    }
    return hd_fail(ctx, HD_MISSING, "libumad2sim.so is not installed: apt-get install libumad2sim0");
}

static hd_status opensm_write_net(struct hd_ctx *ctx, const struct hd_osm *osm)
{
    char path[128];
    struct hd_out *o;
    HD_TRY(hd_out_open(ctx, hd_process_group_path(&osm->group, "net", path), &o));
    return hd_out_end(ctx, o, hd_net_write(ctx, osm->net, "ibnet", o));
}

/* Port GUIDs as ibsim makes them: the GUID of the adapter plus the number of the port. */
static hd_status opensm_write_guid2lid(struct hd_ctx *ctx, const struct hd_osm *osm)
{
    const struct hd_net *net = osm->net;
    char path[128];
    struct hd_out *o;
    HD_TRY(hd_out_open(ctx, hd_process_group_path(&osm->group, "guid2lid", path), &o));
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        uint32_t e = v - net->nsw, first = osm->lids->base[v],
                 last = first + (v < net->nsw ? 0 : (1u << osm->lids->lmc) - 1);
        uint64_t guid = v < net->nsw ? net->guid[v] : net->ca_guid[net->ca[e]] + net->port[net->off[v]];
        hd_printf(o, "0x%016llx 0x%04x 0x%04x\n\n", (unsigned long long)guid, first, last);
    }
    return hd_out_close(ctx, o);
}

/* Programs run for minutes: an interrupt must not wait for them. */
static bool osm_stopped(struct hd_ctx *ctx)
{
    return hd_thread_id() == 0 && hd_stop_asked(ctx);
}

static hd_status ibsim_wait_ready(struct hd_ctx *ctx, struct hd_osm *osm)
{
    char path[128], line[4096], last[200] = "";
    struct log_tail l = {.path = hd_process_group_path(&osm->group, "ibsim.log", path), .fd = -1};
    double start = hd_seconds();
    bool ready = false, ended = false;
    int status;
    while (!ready && !ended && !osm_stopped(ctx) && hd_seconds() - start < READY) {
        ended = hd_process_group_ended(&osm->group, osm->ibsim, &status);
        while (log_next_line(&l, line)) {
            ready |= strstr(line, "simulator ready") != NULL;
            if (*line) snprintf(last, sizeof last, "%.190s", line);
        }
        if (!ready && !ended) hd_pause(0.005);
    }
    log_close(&l);
    if (ready && !ended) return HD_OK;
    if (hd_ctx_stopped(ctx)) return hd_go_on(ctx, "ibsim");
    if (ended) return hd_fail(ctx, HD_LIMIT, "ibsim ended early: %s", last);
    return hd_fail(ctx, HD_LIMIT, "ibsim is not ready after %d s", READY);
}

static hd_status start_ibsim(struct hd_ctx *ctx, struct hd_osm *osm)
{
    const struct hd_net *net = osm->net;
    char program[256], env[96], nodes[16], switches[16], ports[16];
    uint64_t n = 64;
    HD_TRY(hd_program_find(ctx, osm->opt->programs, "ibsim", "ibsim-utils", program));
    for (uint32_t v = 0; v < net->nsw; v++) n += net->nports[v] + 2u;
    for (uint32_t a = 0; a < net->nca; a++) n += net->ca_ports[a] + 1u;
    snprintf(nodes, sizeof nodes, "%u", net->nsw + net->nca + 16);
    snprintf(switches, sizeof switches, "%u", net->nsw + 16);
    snprintf(ports, sizeof ports, "%llu", (unsigned long long)n);
    snprintf(env, sizeof env, "IBSIM_SOCKNAME=%s", osm->socket_name);
    const char *argv[] = {program, "-s", "-n", "-N", nodes, "-S", switches, "-P", ports, "-L", "49152", "net", NULL};
    const struct hd_program_run run = {argv, (const char *const[]){env, NULL}, "ibsim.log"};
    HD_TRY(hd_process_group_start(ctx, &osm->group, &run, &osm->ibsim));
    return ibsim_wait_ready(ctx, osm);
}

hd_status hd_osm_begin(struct hd_ctx *ctx, struct hd_osm *osm)
{
    char program[256];
    HD_TRY(hd_program_find(ctx, osm->opt->programs, "opensm", "opensm", program));
    HD_TRY(find_preload(ctx, osm));
    HD_TRY(hd_program_find(ctx, osm->opt->programs, "ibsim", "ibsim-utils", program));
    HD_TRY(hd_process_group_begin(ctx, &osm->group));
    const char *slash = strrchr(osm->group.folder, '/');
    snprintf(osm->socket_name, sizeof osm->socket_name, "%s", slash ? slash + 1 : "heddle");
    HD_TRY(opensm_write_net(ctx, osm));
    HD_TRY(opensm_write_guid2lid(ctx, osm));
    return start_ibsim(ctx, osm);
}

void hd_osm_end(struct hd_osm *osm)
{
    hd_osm_stop(osm);
    hd_process_group_end(&osm->group);
}

/* ---- opensm -------------------------------------------------------------------------------- */

/* Nothing of the configuration of this machine is used. */
static hd_status opensm_write_conf(struct hd_ctx *ctx, const struct hd_osm *osm)
{
    char path[128];
    struct hd_out *o;
    const char *folder = osm->group.folder;
    HD_TRY(hd_out_open(ctx, hd_process_group_path(&osm->group, "conf", path), &o));
    hd_printf(o, "partition_config_file %s/no-partitions\nprefix_routes_file %s/no-prefix-routes\n", folder, folder);
    hd_printf(o, "qos_policy_file %s/no-policy\ntorus_config %s/torus\n", folder, folder);
    hd_puts(o, "force_log_flush TRUE\n");
    hd_puts(o, osm->opt->conf);
    return hd_out_close(ctx, o);
}

/* A fresh cache folder with the LIDs that it is to assign, and nothing else. */
static hd_status opensm_fresh_cache(struct hd_ctx *ctx, const struct hd_osm *osm, char cache[128])
{
    char from[128], to[160];
    snprintf(cache, 128, "%s/cache-%u", osm->group.folder, osm->host);
    snprintf(to, sizeof to, "%s/guid2lid", cache);
    if (mkdir(cache, 0700) == 0 && link(hd_process_group_path(&osm->group, "guid2lid", from), to) == 0) return HD_OK;
    return hd_fail(ctx, HD_LIMIT, "%s: cannot write", cache);
}

static hd_status start_opensm(struct hd_ctx *ctx, struct hd_osm *osm, const char *log)
{
    const struct hd_osm_opt *opt = osm->opt;
    char program[256], cache[128], engine[64], lmc[8], vls[8], env[6][400];
    const char *argv[40], *envp[7];
    int n = 0;
    HD_TRY(hd_program_find(ctx, opt->programs, "opensm", "opensm", program));
    HD_TRY(opensm_write_conf(ctx, osm));
    HD_TRY(opensm_fresh_cache(ctx, osm, cache));
    snprintf(engine, sizeof engine, "%.40s,no_fallback", opt->engine);
    snprintf(lmc, sizeof lmc, "%u", osm->lids->lmc);
    snprintf(vls, sizeof vls, "%u", opt->vls);
    /* -s 0: one sweep, then it stays to answer queries; -n 64: faster than its default of 4 */
    static const char *const fixed[] = {"-F", "conf", "-s", "0", "-n", "64", "-D", "0x03", "-e", "-f"};
    argv[n++] = program;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) argv[n++] = fixed[i];
    argv[n++] = log;
    argv[n++] = "-R";
    argv[n++] = engine;
    argv[n++] = "-l";
    argv[n++] = lmc;
    if (*opt->roots) argv[n++] = "-a", argv[n++] = opt->roots;
    if (*opt->table) argv[n++] = "-U", argv[n++] = opt->table;
    if (opt->qos) argv[n++] = "-Q";
    if (strcmp(opt->engine, "nue") == 0) argv[n++] = "--nue_max_num_vls", argv[n++] = vls;
    argv[n] = NULL;
    snprintf(env[0], sizeof env[0], "LD_PRELOAD=%.300s", osm->preload);
    snprintf(env[1], sizeof env[1], "IBSIM_SOCKNAME=%s", osm->socket_name);
    snprintf(env[2], sizeof env[2], "SIM_HOST=%s", osm->node);
    snprintf(env[3], sizeof env[3], "OSM_CACHE_DIR=%s", cache);
    snprintf(env[4], sizeof env[4], "OSM_TMP_DIR=%s", osm->group.folder);
    snprintf(env[5], sizeof env[5], "LC_ALL=C");
    for (int i = 0; i < 6; i++) envp[i] = env[i];
    envp[6] = NULL;
    return hd_process_group_start(ctx, &osm->group, &(struct hd_program_run){argv, envp, "opensm.out"}, &osm->opensm);
}

/* "dfsssp_remove_deadlocks:    0. lane: 24468", reported before and after it spreads paths over VLs. */
static void note_layers(struct hd_osm *osm, const char *text)
{
    const char *available = strstr(text, "Virtual Lanes available: "), *needed = strstr(text, "Virtual Lanes needed: ");
    const char *lane = strstr(text, ". lane: ");
    unsigned long long paths = 0;
    unsigned n = 0, i = 0;
    if (available && sscanf(available, "Virtual Lanes available: %u", &n) == 1) osm->vls = n <= HD_OSM_LAYERS ? n : 0;
    if (needed && sscanf(needed, "Virtual Lanes needed: %u", &n) == 1) {
        osm->nlayers = n <= HD_OSM_LAYERS ? n : 0;
        memset(osm->layer, 0, sizeof osm->layer);
    }
    const char *number = lane;
    while (number && number > text && isdigit((unsigned char)number[-1])) number--;
    if (lane && sscanf(number, "%u. lane: %llu", &i, &paths) == 2 && i < osm->nlayers && !osm->layer[i])
        osm->layer[i] = paths;
}

void hd_osm_log_line(struct hd_osm *osm, const char *line, struct hd_osm_verdict *v)
{
    const char *text = strstr(line, " -> ");
    text = text ? text + 4 : line;
    const char *after = strstr(text, ": ");
    if (strstr(text, "SUBNET UP")) v->up = true;
    size_t n = strlen(osm->opt->engine);
    if (after && strncmp(after + 2, osm->opt->engine, n) == 0 && strncmp(after + 2 + n, " tables configured", 18) == 0)
        v->configured = true;
    if (strstr(text, "No routing engine able to")) v->failed = true;
    bool complaint = strstr(text, "ERR ") || strstr(text, "disabling") || strstr(text, "not supported by") ||
                     strstr(text, "cannot find or setup");
    if (complaint && !v->failed) snprintf(v->reason, sizeof v->reason, "%.250s", after ? after + 2 : text);
    if (strstr(text, "dfsssp_remove_deadlocks")) note_layers(osm, text);
}

static hd_status word_verdict(struct hd_ctx *ctx, const struct hd_osm *osm, const struct hd_osm_verdict *v, bool ended)
{
    const char *engine = osm->opt->engine;
    char owner[64];
    snprintf(owner, sizeof owner, "opensm:engine=%s", engine);
    if (v->failed) return hd_fail_na(ctx, owner, osm->net->spec, "%s", *v->reason ? v->reason : "it gives no reason");
    if (ended) return hd_fail(ctx, HD_LIMIT, "opensm: %s ended early%s%s", engine, *v->reason ? ": " : "", v->reason);
    if (v->up && !v->configured)
        return hd_fail(ctx, HD_LIMIT, "opensm: the subnet is up, but not by engine %s", engine);
    return hd_fail(ctx, HD_LIMIT, "opensm: %s is not done after %.0f s (limit=)%s%s", engine, osm->opt->limit,
                   *v->reason ? "; its last complaint: " : "", v->reason);
}

/* CPU seconds of a process so far; 0 if the system does not report them. */
static double process_cpu(pid_t pid)
{
    clockid_t id;
    struct timespec t;
    if (clock_getcpuclockid(pid, &id) != 0 || clock_gettime(id, &t) != 0) return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

hd_status hd_osm_sweep(struct hd_ctx *ctx, struct hd_osm *osm, uint32_t host)
{
    char path[128], name[32], line[4096];
    struct hd_osm_verdict v = {0};
    int status;
    bool ended = false;
    double start = hd_seconds();
    osm->host = host;
    osm->nlayers = 0;
    snprintf(osm->node, sizeof osm->node, "S-%016llx", (unsigned long long)osm->net->guid[host]);
    snprintf(name, sizeof name, "osm-%u.log", host);
    struct log_tail l = {.path = hd_process_group_path(&osm->group, name, path), .fd = -1};
    HD_TRY(start_opensm(ctx, osm, name));
    while (!v.up && !v.failed && !ended && !osm_stopped(ctx) && hd_seconds() - start < osm->opt->limit) {
        ended = hd_process_group_ended(&osm->group, osm->opensm, &status);
        while (log_next_line(&l, line)) hd_osm_log_line(osm, line, &v);
        if (!v.up && !v.failed && !ended) hd_pause(0.005);
    }
    log_close(&l);
    osm->cpu += process_cpu(osm->opensm);
    if (v.up && v.configured && !v.failed && !ended) return HD_OK;
    hd_osm_stop(osm);
    if (hd_ctx_stopped(ctx)) return hd_go_on(ctx, "opensm");
    return word_verdict(ctx, osm, &v, ended);
}

void hd_osm_stop(struct hd_osm *osm)
{
    if (osm->opensm) hd_process_group_stop(&osm->group, osm->opensm);
    osm->opensm = 0;
}
