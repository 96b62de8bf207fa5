/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as a host list: refused with a message, or expanded; and what was expanded comes back from
 * compressing it, each name once. */
#include "base/arena.h"
#include "net/io/hostlist.h"
#include "fuzz_input.h"
#include "run_corpus.h"
#include "base/context.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 512 };

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static uint32_t unique(const char **name, uint32_t n)
{
    uint32_t kept = 0;
    qsort(name, n, sizeof *name, by_text);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || strcmp(name[i], name[kept - 1]) != 0) name[kept++] = name[i];
    return kept;
}

/* At least as many names as the text expands to: the brackets of an item multiply. Lists of a million names take
 * seconds and find nothing that short ones do not. */
static double hostlist_size(const char *text)
{
    double all = 0, item = 1, inside = 0;
    for (const char *p = text; *p; p++) {
        char *end;
        if (*p == '[') inside = 1;
        if (*p == ']') item *= inside;
        if (*p == ']') inside = 0;
        if (inside && *p == ',') inside++;
        if (inside && *p == '-') inside += strtod(p + 1, &end);
        if (!inside && strchr(", \t\n\v\f\r", *p)) {
            all += item;
            item = 1;
        }
    }
    return all + item;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    struct hd_out *o;
    const char *const *name, *const *again;
    uint32_t n, nagain;
    hd_ctx_init(&ctx);
    char *text = hd_strdup(&arena, (const char *)data, size);
    if (text && hostlist_size(text) > SMALL) {
        hd_arena_release(&arena);
        return 0;
    }
    if (text && hd_hostlist_expand(&ctx, &arena, text, &name, &n) == HD_OK) {
        if (hd_out_memory(&ctx, &o) != HD_OK) abort();
        if (hd_hostlist_compress(&ctx, name, n, o) != HD_OK) abort();
        if (hd_hostlist_expand(&ctx, &arena, hd_out_text(o, NULL), &again, &nagain) != HD_OK) abort();
        hd_out_drop(o);
        const char **x = HD_NEW(&arena, const char *, n), **y = HD_NEW(&arena, const char *, nagain);
        if (n) memcpy(x, name, n * sizeof *x);
        if (nagain) memcpy(y, again, nagain * sizeof *y);
        if (unique(x, n) != nagain || unique(y, nagain) != nagain) abort();
        for (uint32_t i = 0; i < nagain; i++)
            if (strcmp(x[i], y[i]) != 0) abort();
    } else if (text && !ctx.error[0]) {
        abort();
    }
    hd_arena_release(&arena);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_hostlist")
