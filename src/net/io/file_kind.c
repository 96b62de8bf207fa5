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

/* Whether one of the first lines of a file begins with one of the words (ends with NULL). */
static bool begins_with(const struct hd_ctx *ctx, const char *path, const char *const *words)
{
    enum { LINES = 50 };
    struct hd_ctx quiet = {.pipes = ctx->pipes}; /* the failure that is being explained stays */
    struct hd_in *in;
    char *line;
    size_t len;
    bool found = false;
    if (!can_look(ctx, path) || hd_in_open(&quiet, path, &in) != HD_OK) return false;
    for (int i = 0; i < LINES && !found && hd_in_line(&quiet, in, &line, &len) == HD_OK && line; i++)
        for (const char *const *w = words; *w && !found; w++) found = strncmp(line, *w, strlen(*w)) == 0;
    hd_in_close(in);
    return found;
}

bool hd_file_is_table(struct hd_ctx *ctx, const char *path)
{
    return begins_with(ctx, path, (const char *const[]){"Unicast lids", "# heddle", "dump_ucast_routes", NULL});
}

bool hd_file_is_network(struct hd_ctx *ctx, const char *path)
{
    return begins_with(ctx, path,
                       (const char *const[]){"vendid=", "Switch\t", "Switch ", "Ca\t", "Hca\t", "SW ", "CA ", "RT ",
                                             "{ SW", "{ CA", "{ Rt", NULL});
}
