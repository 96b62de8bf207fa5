/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a transition as files, numbered in the order in which they are to be loaded, and a README that says
 * how. All files are written or none (base/batch.h); the cost is that of writing the tables. */
#include "base/arena.h"
#include "base/batch.h"
#include "base/escape.h"
#include "base/status.h"
#include "heddle/ib.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_ROOM = 48 };

struct step_files {
    struct hd_ctx *ctx;
    const char *folder;
    struct hd_arena arena;
};

static char *step_path(struct step_files *f, const char *name)
{
    size_t n = strlen(f->folder) + strlen(name) + 2;
    char *path = HD_NEW(&f->arena, char, n);
    if (path) snprintf(path, n, "%s/%s", f->folder, name);
    return path;
}

static void step_name(const char *kind, uint32_t number, char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, "%s-%u.lft", kind, number);
}

static hd_status step_write(struct step_files *f, const char *kind, uint32_t number, const struct hd_routes *r)
{
    char name[NAME_ROOM];
    struct hd_out *o;
    step_name(kind, number, name);
    char *path = step_path(f, name);
    if (!path) return hd_fail_memory(f->ctx);
    HD_TRY(hd_out_open(f->ctx, path, &o));
    return hd_out_end(f->ctx, o, hd_routes_write(f->ctx, r, "lft", o));
}

/* Files of another transition that was written here before would be loaded after the last. */
static hd_status step_drop_stale(struct step_files *f, const char *kind, uint32_t number)
{
    for (;; number++) {
        char name[NAME_ROOM];
        struct stat st;
        step_name(kind, number, name);
        char *path = step_path(f, name);
        if (!path) return hd_fail_memory(f->ctx);
        if (lstat(path, &st) != 0) return HD_OK;
        HD_TRY(hd_batch_remove(f->ctx, path));
    }
}

static void readme_levels(struct hd_out *o, const struct hd_transition *t, const char *where, const char *since)
{
    if (!t->old_levels)
        hd_printf(o, "\nNOT COVERED%s: connections that keep the service level they were given %s. Close them first.\n",
                  where, since);
}

/* What the proof, which is about packets between endpoints, leaves open: of a transition, or of the worse of those
 * out and back. */
static void readme_rest(struct hd_out *o, const struct hd_transition *t, const struct hd_transition *back)
{
    const uint64_t unproved = back->rest_unproved > t->rest_unproved ? back->rest_unproved : t->rest_unproved;
    const uint64_t loops = back->rest_loops > t->rest_loops ? back->rest_loops : t->rest_loops;
    if (!t->aggregation_covered || !back->aggregation_covered)
        hd_puts(o, "\nNOT COVERED: credit loops of aggregation nodes, and their paths beyond adjacent switches.\n");
    if (unproved)
        hd_printf(o, "\nNOT COVERED: drops and credit loops of packets to %llu LIDs of switches or further LIDs.\n",
                  (unsigned long long)unproved);
    if (loops) hd_printf(o, "\nNOT COVERED: loops of packets to %llu LIDs of switches.\n", (unsigned long long)loops);
}

static void readme_verdict(struct hd_out *o, const struct hd_transition *t, const struct hd_transition *back,
                           const struct hd_net *net)
{
    readme_rest(o, t, back);
    readme_levels(o, t, "", "under the old table");
    if (!t->ndrain) return;
    hd_puts(o, "\nStop all traffic to these endpoints before the first step, until after the last:\n\n");
    for (uint32_t i = 0; i < t->ndrain; i++) {
        hd_puts(o, "    ");
        hd_put_plain(o, hd_node_name(net, net->nsw + t->drain[i]));
        hd_puts(o, "\n");
    }
}

static void readme_loading(struct hd_out *o)
{
    hd_puts(o, "\nTo load a table\n\n"
               "    1. copy it over the file that lfts_file of opensm.conf names (routing_engine file); tables are\n"
               "       matched by port GUIDs, so they remain valid when LIDs change\n"
               "    2. make OpenSM sweep: kill -HUP its process\n"
               "    3. wait until its log says SUBNET UP, then five seconds, so that packets forwarded by the entries\n"
               "       before have left the network or were discarded\n"
               "    4. compare with the switches: dump_fts > now.lft && heddle diff NET step.lft now.lft\n\n"
               "Within a step the entries may be written in any order. Do not leave out a step or change their order;\n"
               "to go back from the middle, load the tables before in reverse order.\n");
}

static hd_status step_readme(struct step_files *f, void (*body)(struct hd_out *o, const void *what), const void *what,
                             bool loading)
{
    struct hd_out *o;
    char *path = step_path(f, "README");
    if (!path) return hd_fail_memory(f->ctx);
    HD_TRY(hd_out_open(f->ctx, path, &o));
    body(o, what);
    if (loading) readme_loading(o);
    return hd_out_close(f->ctx, o);
}

static hd_status step_write_all(struct step_files *f, const char *kind, uint32_t first, const struct hd_transition *t)
{
    for (uint32_t i = 0; i < t->nsteps; i++) HD_TRY(step_write(f, kind, first + i, t->step[i]));
    return step_drop_stale(f, kind, first + t->nsteps);
}

/* ---- from one table to another ------------------------------------------------------------------------ */

static void readme_transition(struct hd_out *o, const void *what)
{
    const struct hd_transition *t = what;
    hd_puts(o, "From the current table to ");
    hd_put_plain(o, hd_routes_spec(t->step[t->nsteps ? t->nsteps - 1 : 0]));
    hd_puts(o, "\non ");
    hd_put_plain(o, hd_routes_net(t->step[0])->spec);
    if (!t->nsteps) {
        hd_puts(o, ":\nthe tables are the same, there is nothing to load.\n");
        return;
    }
    hd_printf(o,
              ":\n%u table%s to load, step-1.lft first. Every step is proved: no packet between endpoints loops or is\n"
              "dropped, and no credit loop arises among such packets, in whatever order its entries are written.\n",
              t->nsteps, t->nsteps == 1 ? "" : "s, one after the other");
    readme_verdict(o, t, t, hd_routes_net(t->step[0]));
}

static hd_status transition_fill(struct step_files *f, const struct hd_transition *t)
{
    HD_TRY(hd_batch_folder(f->ctx, f->folder, "transition"));
    HD_TRY(step_write_all(f, "step", 1, t));
    HD_TRY(step_drop_stale(f, "out", 1));
    HD_TRY(step_drop_stale(f, "back", 1));
    return step_readme(f, readme_transition, t, t->nsteps > 0);
}

hd_status hd_transition_write(struct hd_ctx *ctx, const struct hd_transition *t, const char *folder)
{
    struct step_files f = {.ctx = ctx, .folder = folder};
    size_t mark;
    HD_TRY(hd_given(ctx, folder, "a folder to write"));
    if (t->verdict == HD_UNPROVED) return hd_fail(ctx, HD_FAULT, "%s: nothing is written: no steps are proved", folder);
    HD_TRY(hd_batch_begin(ctx, &mark));
    hd_status s = hd_batch_end(ctx, mark, transition_fill(&f, t));
    hd_arena_release(&f.arena);
    return s;
}

/* ---- out and back ------------------------------------------------------------------------------------- */

static void readme_maintenance(struct hd_out *o, const void *what)
{
    const struct hd_maintenance *m = what;
    const struct hd_net *net = hd_routes_net(m->without);
    const uint32_t out = m->out->nsteps, back = m->back->nsteps + m->rewrites;
    hd_puts(o, "Maintenance on ");
    hd_put_plain(o, net->spec);
    hd_puts(o, ":\n\n");
    if (out)
        hd_printf(o,
                  "To take it out, load %u table%s, out-1.lft first; after the last, nothing is sent to it any more.\n",
                  out, out == 1 ? "" : "s");
    else
        hd_puts(o, "To take it out, load nothing: nothing is sent to it already.\n");
    if (back)
        hd_printf(o,
                  "To bring it back, connect it, then load %u table%s, back-1.lft first%s;\n"
                  "the last is the table in use before.\n",
                  back, back == 1 ? "" : "s", m->rewrites ? ", which only writes the entries\nof what came back" : "");
    hd_puts(o,
            "Every step is proved: no pair is cut, no packet between endpoints loops, and no credit loop arises among\n"
            "such packets, in whatever order its entries are written.\n");
    readme_verdict(o, m->out, m->back, net);
    readme_levels(o, m->back, " on return", "while it was out");
}

static hd_status maintenance_fill_folder(struct step_files *f, const struct hd_maintenance *m)
{
    HD_TRY(hd_batch_folder(f->ctx, f->folder, "transition"));
    HD_TRY(step_write_all(f, "out", 1, m->out));
    if (m->rewrites) HD_TRY(step_write(f, "back", 1, m->without));
    HD_TRY(step_write_all(f, "back", 1 + m->rewrites, m->back));
    HD_TRY(step_drop_stale(f, "step", 1));
    return step_readme(f, readme_maintenance, m, true);
}

hd_status hd_maintenance_write(struct hd_ctx *ctx, const struct hd_maintenance *m, const char *folder)
{
    struct step_files f = {.ctx = ctx, .folder = folder};
    size_t mark;
    HD_TRY(hd_given(ctx, folder, "a folder to write"));
    bool proved = m->out->verdict <= HD_ORDERED && m->back->verdict <= HD_ORDERED && m->returns;
    if (!proved) return hd_fail(ctx, HD_FAULT, "%s: nothing is written: no steps are proved", folder);
    HD_TRY(hd_batch_begin(ctx, &mark));
    hd_status s = hd_batch_end(ctx, mark, maintenance_fill_folder(&f, m));
    hd_arena_release(&f.arena);
    return s;
}
