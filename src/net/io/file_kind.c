/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file holds, by the words its first lines begin with: for messages when one kind was given in place of the
 * other. */
#include "net/io/file_kind.h"
#include "base/comm.h"
#include "base/input.h"
#include "base/status.h"

#include <string.h>
#include <sys/stat.h>

/* Whether a look at a file leaves it as it was: a pipe must be one that the context keeps, and standard input must not
 * be shared with other processes, which may not look. */
static bool can_look(const struct hd_ctx *ctx, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0 && hd_comm_size(ctx->comm) > 1) return false;
    return ctx->pipes || (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode));
}

/* Whether one of the first lines of a file begins with one of the words (ends with NULL). A file that cannot be read
 * has no such line. */
static hd_status begins_with(struct hd_ctx *ctx, const char *path, const char *const *words, bool *found)
{
    enum { LINES = 50 };
    struct hd_in *in;
    char *line = NULL;
    size_t len;
    *found = false;
    if (!can_look(ctx, path)) return HD_OK;
    hd_status s = hd_in_open(ctx, path, &in);
    if (s != HD_OK) return s == HD_LIMIT ? s : HD_OK;
    for (int i = 0; i < LINES && !*found && (s = hd_in_line(ctx, in, &line, &len)) == HD_OK && line; i++)
        for (const char *const *w = words; *w && !*found; w++) *found = strncmp(line, *w, strlen(*w)) == 0;
    hd_in_close(in);
    return s == HD_LIMIT ? s : HD_OK;
}

hd_status hd_file_is_table(struct hd_ctx *ctx, const char *path, bool *table)
{
    HD_TRY(hd_given(ctx, path, "a file to read"));
    return begins_with(ctx, path,
                       (const char *const[]){"Unicast lids", "# heddle", "dump_ucast_routes",
                                             "osm_ucast_mgr_dump_ucast_routes", "Groups Definition:", NULL},
                       table);
}

hd_status hd_file_is_network(struct hd_ctx *ctx, const char *path, bool *network)
{
    static const char *const words[] = {"vendid=", "Switch\t",   "Switch ", "Ca\t",        "Hca\t",
                                        "SW ",     "CA ",        "RT ",     "{ SW",        "{ CA",
                                        "{ Rt",    "Switch: 0x", "CA: ",    "START_NODES", NULL};
    bool far; /* has lines Switch 0x... as well */
    HD_TRY(begins_with(ctx, path, (const char *const[]){"Groups Definition:", NULL}, &far));
    *network = false;
    return far ? HD_OK : begins_with(ctx, path, words, network);
}

hd_status hd_file_mistaken(struct hd_ctx *ctx, const char *path, hd_status status,
                           hd_status (*is)(struct hd_ctx *ctx, const char *path, bool *other), const char *what)
{
    struct hd_ctx own = {.pipes = ctx->pipes, .comm = ctx->comm};
    bool other = false;
    if (status != HD_INPUT || !can_look(ctx, path) || is(&own, path, &other) != HD_OK || !other) return status;
    return hd_fail(ctx, HD_INPUT, "%.200s: is %s", path, what);
}
