/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle order: place ranks on nodes so that their flows do not share channels, and report what that gains. */
#include "order_jobs.h"
#include "order_mesh.h"
#include "table.h"
#include "tool/renumber.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct order_run {
    struct cli *cli;
    struct hd_net *net;
    struct hd_routes *routes;
    struct hd_nodes *nodes;
    struct hd_order *before, *after;
    struct hd_hsd old[HD_CASES], new[HD_CASES];
    double bound, ebb; /* of the job's own endpoints */
    uint64_t ebb_samples;
    enum hd_goal goal;
    bool to_stdout; /* the order itself goes there */
    bool by_rank;   /* what is counted: patterns of ranks, not of nodes */
    uint32_t *per_node;
    uint64_t ranks;
    struct hd_schedule *schedule;
    struct hd_hsd scheduled;
    struct hd_advice advice;
    bool advised;
    struct hd_shared shared[MAX_WORDS]; /* with each other job */
    int others;
    struct hd_hsd renumbered;
    bool renumber;
    struct hd_mesh_plan *plan; /* with --mesh */
    struct hd_binding bind;
    struct hd_order_verdict verdict;
    const struct hd_order *written; /* before or after: what a file would have */
    uint32_t filled, least, most;   /* nodes with ranks in it, and ranks of such a node */
    struct running running;
};

/* ---- what is asked for ------------------------------------------------------------------------ */

/* The option's check has seen that there is a goal of that name. */
static enum hd_goal find_goal(const char *name)
{
    int g = 0;
    while (hd_goal_name((enum hd_goal)g) && strcmp(hd_goal_name((enum hd_goal)g), name) != 0) g++;
    return (enum hd_goal)g;
}

/* The option's check has seen that there is one. */
static const struct hd_order_format *find_format(const char *name)
{
    size_t i = 0;
    while (hd_order_format_at(i + 1) && strcmp(hd_order_format_at(i)->name, name) != 0) i++;
    return hd_order_format_at(i);
}

static hd_status open_table(struct order_run *r)
{
    struct cli *cli = r->cli;
    const char *usual;
    if (cli->nargs > 1) return hd_routes_open(cli->ctx, r->net, cli->arg[1], &r->routes);
    return open_usual_routes(cli, r->net, &usual, &r->routes);
}

/* none, core, socket:S or numa:DxC. */
static hd_status read_binding(struct order_run *r)
{
    const char *text = r->cli->v.bind, *format = r->cli->v.format;
    unsigned domains = 1, cores = 1;
    int end = -1;
    if (!text || strcmp(text, "none") == 0) return HD_OK;
    if (format && strcmp(format, hd_order_format_at(0)->name) != 0)
        return usage_error(r->cli, "--bind is for --format %s: the other files bind nothing",
                           hd_order_format_at(0)->name);
    if (strcmp(text, "core") == 0)
        r->bind.to = HD_BIND_CORE;
    else if (sscanf(text, "socket:%4u%n", &domains, &end) == 1 && end > 0 && !text[end])
        r->bind.to = HD_BIND_SOCKET;
    else if (sscanf(text, "numa:%4ux%5u%n", &domains, &cores, &end) == 2 && end > 0 && !text[end])
        r->bind.to = HD_BIND_NUMA;
    if (r->bind.to == HD_BIND_NONE || !domains || !cores)
        return usage_error(r->cli,
                           "--bind %.60s: expected none, core, socket:2 (sockets of a node) or numa:8x16 (NUMA "
                           "domains of a node and cores of each)",
                           text);
    r->bind.domains = domains;
    r->bind.cores = cores;
    return HD_OK;
}

/* Nodes from the front of the list until they have slots for all ranks. */
static hd_status cut_nodes(struct order_run *r)
{
    uint64_t slots = 0;
    uint32_t n = 0;
    while (n < r->nodes->n && slots < r->ranks) slots += r->nodes->slots[n++];
    if (!r->ranks || slots < r->ranks || n == r->nodes->n) return HD_OK; /* too many ranks are refused later */
    uint32_t *which = calloc(n, sizeof *which);
    struct hd_nodes *picked = NULL;
    if (!which) return hd_fail_memory(r->cli->ctx);
    for (uint32_t i = 0; i < n; i++) which[i] = i;
    hd_status s = hd_nodes_pick(r->cli->ctx, r->nodes, which, n, &picked);
    free(which);
    if (s != HD_OK) return s;
    hd_nodes_free(r->nodes);
    r->nodes = picked;
    return HD_OK;
}

static hd_status choose_nodes(struct order_run *r, uint32_t size)
{
    struct hd_ctx *ctx = r->cli->ctx;
    struct hd_nodes *picked = NULL;
    const struct hd_jobs *jobs = r->running.jobs;
    hd_status s = jobs ? hd_jobs_unused(ctx, jobs, r->nodes, &picked) : HD_OK;
    if (s != HD_OK) return s;
    if (picked) {
        hd_nodes_free(r->nodes);
        r->nodes = picked;
    }
    uint32_t *which = calloc(r->nodes->n, sizeof *which);
    if (!which) return hd_fail_memory(r->cli->ctx);
    s = jobs ? hd_jobs_place(ctx, r->routes, jobs, r->nodes, size, which, &r->advice)
             : hd_order_choose(ctx, r->routes, r->nodes, size, which, &r->advice);
    if (s == HD_OK) s = hd_nodes_pick(r->cli->ctx, r->nodes, which, size, &picked);
    free(which);
    if (s != HD_OK) return s;
    r->advised = true;
    hd_nodes_free(r->nodes);
    r->nodes = picked;
    return HD_OK;
}

/* ---- files ------------------------------------------------------------------------------------ */

static hd_status write_order(struct order_run *r, const struct hd_order *order, const char *path, const char *format)
{
    struct hd_ctx *ctx = r->cli->ctx;
    struct hd_out *o;
    hd_status s = hd_out_open(ctx, path, &o);
    if (s != HD_OK) return s;
    if (r->bind.to == HD_BIND_NONE || strcmp(format, hd_order_format_at(0)->name) != 0)
        s = hd_order_write(ctx, r->nodes, order->rank, r->per_node, format, o);
    else
        s = hd_order_write_bound(ctx, r->nodes, order->rank, r->per_node, &r->bind, o);
    return hd_out_end(ctx, o, s);
}

static hd_status write_schedule(struct order_run *r)
{
    struct hd_ctx *ctx = r->cli->ctx;
    const char *path = r->cli->v.schedule;
    struct hd_out *o;
    hd_status s = r->goal == HD_FOR_RECDBL
                      ? hd_schedule_recdbl(ctx, r->routes, r->nodes, r->after->rank, &r->schedule)
                      : hd_schedule_alltoall(ctx, r->routes, r->nodes, r->after->rank, &r->schedule);
    if (s == HD_OK) s = hd_schedule_count(ctx, r->routes, r->nodes, r->after->rank, r->schedule, &r->scheduled);
    if (s == HD_OK) s = hd_out_open(ctx, path, &o);
    if (s != HD_OK) return s;
    size_t len = strlen(path);
    hd_schedule_write(r->schedule, len > 4 && strcmp(path + len - 4, ".bin") == 0, o);
    return hd_out_close(ctx, o);
}

/* The index file for dmodk, and what a plain Shift in tree order has under it. */
static hd_status renumber_tables(struct order_run *r)
{
    struct hd_ctx *ctx = r->cli->ctx;
    const char *path = r->cli->v.renumber;
    struct hd_order *tree;
    hd_status s = hd_order_make(ctx, r->routes, r->nodes, HD_FOR_TREE, &tree);
    if (s != HD_OK) return s;
    s = write_order(r, tree, path, "guids");
    r->renumber = s == HD_OK && strcmp(path, "-") != 0; /* else nobody reads the figure */
    if (r->renumber) s = hd_order_renumbered(ctx, r->nodes, tree->rank, r->per_node, &r->renumbered);
    hd_order_free(tree);
    return s;
}

/* With each of the other jobs. */
static hd_status compare_jobs(struct order_run *r)
{
    struct hd_ctx *ctx = r->cli->ctx;
    hd_status s = HD_OK;
    for (int i = 0; i < r->cli->v.also.n && s == HD_OK; i++) {
        struct hd_nodes *other = NULL;
        s = hd_nodes_read(ctx, r->net, r->cli->v.also.word[i], 1, &other);
        if (s == HD_OK) s = hd_order_shared(ctx, r->routes, r->nodes, other, &r->shared[i]);
        if (s == HD_OK) r->others++;
        hd_nodes_free(other);
    }
    return s;
}

/* ---- printing --------------------------------------------------------------------------------- */

static void json_hsd(struct hd_json *j, const char *key, const struct hd_order *o, const struct hd_hsd *hsd)
{
    hd_json_open(j, key, '{');
    hd_json_fields(j, hd_text("order", o->how));
    for (int c = 0; c < HD_CASES; c++) {
        hd_json_object(j, hd_case_name((enum hd_case)c), hd_real("hsd", hsd[c].average), hd_real("max", hsd[c].max),
                       hd_real("bandwidth", hsd[c].bandwidth));
    }
    hd_json_close(j, '}');
}

static void json_shared(struct order_run *r, struct hd_json *j)
{
    hd_json_open(j, "shared", '[');
    for (int i = 0; i < r->others; i++) {
        const struct hd_shared *x = &r->shared[i];
        hd_json_open(j, NULL, '{');
        hd_json_fields(j, hd_text("job", r->cli->v.also.word[i]), hd_uint("channels", x->channels),
                       hd_bool("isolated", x->channels == 0));
        if (x->channels) {
            hd_json_fields(j, hd_text("from", hd_node_name(r->net, r->net->tail[x->worst])),
                           hd_text("to", hd_node_name(r->net, r->net->head[x->worst])));
        }
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
}

static void json_extras(struct order_run *r, struct hd_json *j)
{
    if (r->schedule) {
        hd_json_open(j, "schedule", '{');
        hd_json_fields(j, hd_text("how", r->schedule->how), hd_uint("stages", r->schedule->stages),
                       hd_real("hsd", r->scheduled.max));
        if (r->schedule->bound) {
            hd_json_fields(
                j, hd_uint("bound", r->schedule->bound),
                hd_real("effective",
                        r->nodes->n > 1 ? (double)r->schedule->stages * r->scheduled.average / (r->nodes->n - 1) : 1));
        }
        hd_json_close(j, '}');
    }
    if (r->advised) {
        hd_json_object(j, "chosen", hd_text("why", r->advice.why), hd_uint("slots", r->advice.slots),
                       hd_real("effective", r->advice.effective));
    }
    if (r->others) json_shared(r, j);
    running_json(r->net, &r->running, j);
    if (r->renumber) hd_json_fields(j, hd_real("renumbered", r->renumbered.average));
    if (r->plan) json_mesh(r->plan, j);
}

static void json_verdict(struct order_run *r, struct hd_json *j)
{
    hd_json_open(j, "verdict", '{');
    hd_json_fields(j, hd_real("ebb", r->ebb), hd_uint("ebb_samples", r->ebb_samples));
    hd_json_fields(j, hd_bool("use", r->verdict.use),
                   hd_text("written", !r->cli->v.output        ? NULL
                                      : r->written == r->after ? "after"
                                                               : "before"));
    for (int c = 0; c < HD_CASES; c++)
        hd_json_object(j, hd_case_name((enum hd_case)c), hd_real("gain", r->verdict.gain[c]),
                       hd_text("confidence", hd_confidence_name(r->verdict.confidence[c])),
                       hd_text("why", r->verdict.why[c]));
    hd_json_close(j, '}');
}

static void print_order_json(struct order_run *r)
{
    struct hd_json j;
    hd_json_begin(&j, r->cli->out);
    hd_json_fields(&j, hd_text("net", r->net->spec), hd_text("table", hd_routes_spec(r->routes)));
    hd_json_open(&j, "hosts", '[');
    for (uint32_t i = 0; i < r->after->n; i++)
        if (r->per_node[i]) hd_json_fields(&j, hd_text(NULL, hd_host_name(r->net, r->nodes->host[r->after->rank[i]])));
    hd_json_close(&j, ']');
    hd_json_fields(&j, hd_uint("nodes", r->nodes->n), hd_uint("left_out", r->net->nhost - r->nodes->n),
                   hd_uint("rails", r->nodes->nrail), hd_uint("ranks", r->ranks),
                   hd_text("counted", r->by_rank ? "ranks" : "nodes"));
    json_hsd(&j, "before", r->before, r->old);
    json_hsd(&j, "after", r->after, r->new);
    hd_json_open(&j, "bound", '{');
    for (int c = 0; c < HD_CASES; c++)
        hd_json_fields(&j, hd_real(hd_case_name((enum hd_case)c), c == HD_CASE_SHIFT ? r->bound : 1));
    hd_json_close(&j, '}');
    hd_json_fields(&j, hd_bool("exact", r->after->exact), hd_text_if("claim", r->after->claim));
    json_verdict(r, &j);
    json_extras(r, &j);
    hd_json_close(&j, '}');
}

static void hsd_cell(struct table *t, double value)
{
    if (isnan(value))
        table_cell(t, "-");
    else
        table_cell(t, "%.3f", value);
}

/* x3.0, +4 %, -11 %. */
static const char *gain_text(double gain, char *text, size_t size)
{
    if (gain >= 2)
        snprintf(text, size, "x%.1f", gain);
    else
        snprintf(text, size, "%+.0f %%", 100 * (gain - 1));
    return text;
}

static void gain_cell(struct table *t, double gain)
{
    char text[24];
    if (isnan(gain))
        table_cell(t, "-");
    else
        table_cell(t, "%s", hd_gain_sign(gain) ? gain_text(gain, text, sizeof text) : "none");
}

static hd_status print_order_table(struct order_run *r)
{
    struct table t;
    hd_status s =
        table_init(r->cli->ctx, &t, "pattern|>before|>max|>bandwidth|>after|>max|>bandwidth|>bound|>gain|confidence");
    if (s != HD_OK) return s;
    for (int c = 0; c < HD_CASES; c++) {
        table_cell(&t, "%s", hd_case_name((enum hd_case)c));
        const struct hd_hsd *side[] = {&r->old[c], &r->new[c]};
        for (int k = 0; k < 2; k++) {
            hsd_cell(&t, side[k]->average);
            hsd_cell(&t, side[k]->max);
            hsd_cell(&t, side[k]->bandwidth);
        }
        hsd_cell(&t, c == HD_CASE_SHIFT ? r->bound : 1);
        gain_cell(&t, r->verdict.gain[c]);
        table_cell(&t, "%s", isnan(r->verdict.gain[c]) ? "-" : hd_confidence_name(r->verdict.confidence[c]));
    }
    table_print(&t, r->cli->out);
    return HD_OK;
}

/* Patterns whose gain is like that, after what they have in common. */
static void put_gains(struct order_run *r, const char *head, int sign, bool *any)
{
    struct hd_out *o = r->cli->out;
    bool first = true;
    for (int c = 0; c < HD_CASES; c++) {
        double gain = r->verdict.gain[c];
        char text[24];
        if (isnan(gain) || hd_gain_sign(gain) != sign) continue;
        hd_printf(o, "%s%s%s", first ? (*any ? "; " : " ") : ", ", first ? head : "", hd_case_name((enum hd_case)c));
        if (sign) hd_printf(o, " %s", gain_text(gain, text, sizeof text));
        first = false;
        *any = true;
    }
}

/* What to do, and what the file has. */
static void print_verdict(struct order_run *r, const char *format)
{
    struct hd_out *o = r->cli->out;
    bool any = false, current = r->written == r->before && find_format(format)->lists;
    const bool requested = !r->plan && r->goal >= HD_FOR_RANDOM, mesh = r->plan && r->verdict.use;
    hd_printf(o, "verdict: %s:",
              requested        ? "this order was requested"
              : r->verdict.use ? "use this order"
                               : "keep the current order");
    if (mesh) {
        char text[24];
        hd_printf(o, " a step of the mesh %s", gain_text(mesh_gain(r->plan), text, sizeof text));
        any = true;
    }
    put_gains(r, "", 1, &any);
    if (r->plan && !mesh) {
        hd_printf(o, "%s not worth it for a step of the mesh", any ? ";" : "");
        any = true;
    }
    put_gains(r, "not worth it for ", 0, &any);
    put_gains(r, "worse for ", -1, &any);
    hd_puts(o, any ? "\n" : " nothing to compare\n");
    if (!isnan(r->ebb))
        hd_printf(
            o, "EBB of the job: %.3f of a port's rate in %llu random bisections of its own endpoints, in any order\n",
            r->ebb, (unsigned long long)r->ebb_samples);
    if (!current || !r->cli->v.output) return;
    hd_put_visible(o, r->cli->v.output, SIZE_MAX);
    hd_printf(o, " has the current order (%s), unchanged; --always writes the other one\n", r->before->how);
}

static void print_order_extras(struct order_run *r)
{
    struct hd_out *o = r->cli->out;
    if (*r->after->claim) hd_printf(o, "%s%s\n", r->by_rank ? "of whole nodes: " : "", r->after->claim);
    if (r->advised) hd_printf(o, "chosen: %s\n", r->advice.why);
    if (r->schedule && r->schedule->bound)
        hd_printf(o, "schedule: %s, %llu stages of HSD %.0f: effective HSD %.3f, lower bound %.3f\n", r->schedule->how,
                  (unsigned long long)r->schedule->stages, r->scheduled.max,
                  (double)r->schedule->stages * r->scheduled.average / (r->nodes->n - 1),
                  (double)r->schedule->bound / (r->nodes->n - 1));
    else if (r->schedule)
        hd_printf(o, "schedule: %s, %llu stages, HSD %.3f on average\n", r->schedule->how,
                  (unsigned long long)r->schedule->stages, r->scheduled.average);
    for (int i = 0; i < r->others; i++) {
        const struct hd_shared *x = &r->shared[i];
        hd_puts(o, "this job and ");
        hd_put_visible(o, r->cli->v.also.word[i], SIZE_MAX);
        if (x->channels)
            hd_printf(o, " share %u channel%s, most on %s port %u\n", x->channels, x->channels == 1 ? "" : "s",
                      hd_node_label(r->net, r->net->tail[x->worst]), r->net->port[x->worst]);
        else
            hd_puts(o, " share no channel under these tables\n");
    }
    if (!r->renumber) return;
    hd_puts(o, "renumbered for the job (dmodk:index=");
    hd_put_visible(o, r->cli->v.renumber, SIZE_MAX);
    hd_printf(o, ") a plain Shift in tree order has HSD %.3f, now %.3f\n", r->renumbered.average,
              r->new[HD_CASE_SHIFT].average);
}

/* Open MPI 5 refuses slots that overlap, as whole sockets do, unless it is allowed them. */
static const char *launch_bound(const struct hd_binding *bind)
{
    return bind->to == HD_BIND_SOCKET
               ? "Open MPI 4: mpirun -n %n --rankfile %f PROGRAM\nOpen MPI 5: mpirun -n %n --map-by "
                 "rankfile:file=%f --bind-to core:overload-allowed PROGRAM\n"
               : "Open MPI 4: mpirun -n %n --rankfile %f PROGRAM\nOpen MPI 5: mpirun -n %n --map-by "
                 "rankfile:file=%f PROGRAM\n";
}

/* With a slash: a shell looks for others along PATH, and awk takes NAME=VALUE for an assignment. */
static void put_file_with_folder(struct hd_out *o, const char *file)
{
    if (file[0] != '/' && strncmp(file, "./", 2) != 0) hd_puts(o, "./");
    hd_put_shell_word(o, file);
}

/* One line of how to use the file, n bytes: %f, %n, ... filled in. */
static void put_launch_line(struct order_run *r, const char *line, size_t n, const char *file)
{
    struct hd_out *o = r->cli->out;
    for (const char *p = line; p < line + n; p++) {
        if (*p != '%')
            hd_put(o, p, 1);
        else
            switch (*++p) {
            case 'f': hd_put_shell_path(o, file); break;
            case 's': put_file_with_folder(o, file); break;
            case 'n': hd_printf(o, "%llu", (unsigned long long)r->ranks); break;
            case 'm': hd_printf(o, "%u", r->filled); break;
            case 'p': hd_printf(o, "%u", r->most); break;
            default:
                hd_put_shell_word(o, r->after->n ? hd_host_name(r->net, r->nodes->host[r->written->rank[0]]) : "");
                break;
            }
    }
}

/* Whether a line gives the file in a directive of Open MPI 5, as --map-by seq:file=FILE, where its name would end at a
 * colon or comma and the rest be read as further directives. */
static bool cuts_name(const char *line, size_t n, const char *file)
{
    static const char directive[] = ":file=%f";
    const char *at = strstr(line, directive);
    return at && at < line + n && strpbrk(file, ":,");
}

/* How to use the file, line by line. */
static void print_launch(struct order_run *r, const char *format, const char *file)
{
    struct hd_out *o = r->cli->out;
    const char *p = r->bind.to == HD_BIND_NONE ? find_format(format)->command : launch_bound(&r->bind);
    if (hd_has_controls(file)) {
        hd_puts(o, "no command to copy: the name of the file has control characters\n");
        return;
    }
    if (strstr(p, "%p") && r->least != r->most) {
        hd_printf(o, "no command to copy: it would start as many ranks on every node, which have %u to %u\n", r->least,
                  r->most);
        return;
    }
    for (size_t n; *p; p += n) {
        n = strcspn(p, "\n");
        n += p[n] == '\n';
        if (cuts_name(p, n, file))
            hd_printf(o, "%.*s: no command to copy: the name of the file has a colon or comma\n", (int)strcspn(p, ":"),
                      p);
        else
            put_launch_line(r, p, n, file);
    }
}

static hd_status print_order(struct order_run *r, const char *format)
{
    if (r->to_stdout) return HD_OK;
    if (r->cli->v.json) {
        print_order_json(r);
        return HD_OK;
    }
    struct hd_out *o = r->cli->out;
    hd_put_visible(o, r->net->spec, SIZE_MAX);
    hd_puts(o, ", ");
    hd_put_visible(o, hd_routes_spec(r->routes), SIZE_MAX);
    hd_printf(o, ", %u node%s%s: hot-spot degree before (%s) and after (%s)\n", r->nodes->n,
              r->nodes->n == 1 ? "" : "s", r->by_rank ? ", patterns of all ranks" : "", r->before->how, r->after->how);
    hd_status s = print_order_table(r);
    if (s != HD_OK) return s;
    print_order_extras(r);
    s = running_print(r->cli, r->net, &r->running);
    if (s == HD_OK && r->plan) s = print_mesh(r->cli, r->plan);
    if (s != HD_OK) return s;
    print_verdict(r, format);
    if (r->cli->v.output) print_launch(r, format, r->cli->v.output);
    return HD_OK;
}

/* ---- the command ------------------------------------------------------------------------------ */

/* Counts an order, of nodes or of the ranks that fill them. */
static hd_status count_order(struct order_run *r, const struct hd_order *o, struct hd_hsd *hsd, double *bound)
{
    struct hd_ctx *ctx = r->cli->ctx;
    if (!r->by_rank) return hd_order_count_all(ctx, r->routes, r->nodes, o->rank, hsd, bound);
    hd_status s = hd_order_fill(ctx, r->nodes, o->rank, r->ranks, r->per_node);
    return s == HD_OK ? hd_order_count_ranks(ctx, r->routes, r->nodes, o->rank, r->per_node, hsd, bound) : s;
}

static hd_status make_orders(struct order_run *r, enum hd_goal before)
{
    struct hd_ctx *ctx = r->cli->ctx;
    const struct values *v = &r->cli->v;
    r->per_node = calloc(r->nodes->n, sizeof *r->per_node);
    if (!r->per_node) return hd_fail_memory(r->cli->ctx);
    begin_sampling(r->cli);
    hd_status s = hd_order_make(ctx, r->routes, r->nodes, before, &r->before);
    if (s == HD_OK) s = hd_order_make(ctx, r->routes, r->nodes, v->mesh ? HD_FOR_GIVEN : r->goal, &r->after);
    if (s == HD_OK && v->mesh) s = order_mesh(r->cli, r->routes, r->nodes, r->before, r->after, &r->plan);
    r->cli->stopped_by = end_sampling(r->cli, s);
    if (s == HD_OK) s = count_order(r, r->before, r->old, &r->bound);
    if (s == HD_OK) s = count_order(r, r->after, r->new, NULL);
    return s;
}

/* Rank files name hosts: those that share a name would share their ranks too. */
static hd_status warn_of_namesakes(struct order_run *r)
{
    struct hd_ctx *ctx = r->cli->ctx;
    uint32_t n, first;
    hd_status s = hd_hosts_repeated(ctx, r->net, &n, &first);
    bool used = false;
    for (uint32_t i = 0; i < r->nodes->n && n; i++) used |= r->nodes->host[i] == first;
    if (s != HD_OK || !used) return s;
    hd_note(ctx, "%u host%s the name of another, such as %.60s: a launcher cannot distinguish them", n,
            n == 1 ? " has" : "s have", hd_host_name(r->net, first));
    return HD_OK;
}

static hd_status prepare_order(struct order_run *r)
{
    struct hd_ctx *ctx = r->cli->ctx;
    const struct values *v = &r->cli->v;
    uint32_t slots = v->per_node.given ? (uint32_t)v->per_node.value : 1;
    hd_status s = open_net(r->cli, 0, &r->net);
    if (s == HD_OK) s = open_table(r);
    if (s == HD_OK) s = hd_nodes_read(ctx, r->net, v->nodes, slots, &r->nodes);
    if (s == HD_OK && v->mesh) s = fill_mesh_nodes(r->cli, r->nodes);
    if (s == HD_OK) s = running_read(r->cli, r->net, &r->running);
    if (s == HD_OK && v->choose.given) s = choose_nodes(r, (uint32_t)v->choose.value);
    if (s == HD_OK) s = cut_nodes(r);
    if (s == HD_OK && (v->output || v->format)) s = warn_of_namesakes(r);
    return s;
}

/* What the file has: not every order puts its ranks on the same nodes. */
static hd_status fill_written(struct order_run *r)
{
    HD_TRY(hd_order_fill(r->cli->ctx, r->nodes, r->written->rank, r->ranks, r->per_node));
    r->ranks = 0;
    for (uint32_t i = 0; i < r->nodes->n; i++) {
        const uint32_t has = r->per_node[i];
        if (!has) continue;
        r->ranks += has;
        if (!r->filled++ || has < r->least) r->least = has;
        if (has > r->most) r->most = has;
    }
    return HD_OK;
}

static hd_status finish_order(struct order_run *r)
{
    struct cli *cli = r->cli;
    const char *format = cli->v.format ? cli->v.format : hd_order_format_at(0)->name;
    hd_order_judge(r->routes, r->goal, r->old, r->new, &r->verdict);
    if (r->plan) r->verdict.use = hd_gain_sign(mesh_gain(r->plan)) > 0;
    bool same = memcmp(r->before->rank, r->after->rank, r->after->n * sizeof *r->after->rank) == 0;
    r->written = r->verdict.use || cli->v.always || same ? r->after : r->before;
    hd_status s = fill_written(r);
    if (s == HD_OK && (cli->v.output || cli->v.format))
        s = write_order(r, r->written, cli->v.output ? cli->v.output : "-", format);
    if (s == HD_OK && r->to_stdout && r->written == r->before && find_format(format)->lists)
        hd_note(cli->ctx, "the current order (%s) is no worse and is kept; --always writes the other one",
                r->before->how);
    if (s == HD_OK) s = hd_order_fill(cli->ctx, r->nodes, r->after->rank, r->ranks, r->per_node);
    if (s == HD_OK && cli->v.schedule) s = write_schedule(r);
    if (s == HD_OK && cli->v.renumber) s = renumber_tables(r);
    if (s == HD_OK) s = compare_jobs(r);
    if (s == HD_OK) s = running_compare(cli, r->routes, r->nodes, &r->running);
    if (s == HD_OK && !r->to_stdout) s = hd_order_ebb(cli->ctx, r->routes, r->nodes, &r->ebb, &r->ebb_samples);
    return s == HD_OK ? print_order(r, format) : s;
}

/* Without a node list there is no given order: then the names are sorted, as launchers do. */
static enum hd_goal compared_goal(const struct values *v)
{
    if (v->before) return find_goal(v->before);
    return v->nodes ? HD_FOR_GIVEN : HD_FOR_SORTED;
}

static void free_order_run(struct order_run *r)
{
    free(r->per_node);
    running_free(&r->running);
    hd_schedule_free(r->schedule);
    hd_mesh_plan_free(r->plan);
    hd_order_free(r->before);
    hd_order_free(r->after);
    hd_nodes_free(r->nodes);
    hd_routes_free(r->routes);
    hd_net_free(r->net);
}

hd_status run_order(struct cli *cli)
{
    const struct values *v = &cli->v;
    struct order_run r = {.cli = cli,
                          .goal = v->goal ? find_goal(v->goal) : HD_FOR_TREE,
                          .to_stdout = v->output ? strcmp(v->output, "-") == 0 : v->format != NULL,
                          .by_rank = v->count && strcmp(v->count, "ranks") == 0,
                          .ranks = v->number.value};
    if (r.to_stdout && v->json)
        return usage_error(cli, "--json and the order itself cannot both go to standard output: give -o FILE");
    if (v->bytes && !v->mesh) return usage_error(cli, "--bytes are those of a mesh: give --mesh");
    if (v->goal && v->mesh && !v->schedule)
        return usage_error(cli, "--for and --mesh exclude each other, unless --for chooses the schedule (--schedule)");
    hd_status s = read_binding(&r);
    if (s == HD_OK) s = prepare_order(&r);
    if (s == HD_OK) s = make_orders(&r, compared_goal(v));
    if (s == HD_OK) s = finish_order(&r);
    free_order_run(&r);
    return s;
}
