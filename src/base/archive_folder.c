/* SPDX-License-Identifier: BSD-2-Clause */
/* A network and the tables of another day make a fabric that never was, so all files of an archive come from one of
 * its folders: the one with a network, or the one with tables if there is no network at all. Where one such folder is
 * inside another, the outer one is meant, as it is when the folder is named in place of its archive. A folder of OpenSM
 * beside one of ibdiagnet, as in what support programs collect, is none to choose between. Two captures side by side
 * are refused. Cost: O(files log files). */
#include "base/archive_folder.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 6, MOST_NAMED = 4 };

/* What a folder is chosen by: the files of the lowest level that there are. Any list of anything is called .lst, and a
 * module of Perl .pm. */
static const struct {
    const char *ending;
    int level;
    bool first; /* decides between folders of one level */
} kinds[] = {{".db_csv", 0, true},    {".ibnetdiscover", 0, true}, {".ibnet", 0, true}, {".net_dump", 0, true},
             {"smdb.dump", 0, false}, {"subnet.lst", 0, false},    {".lst", 1, false},  {".far", 2, false},
             {".fdbs", 2, false},     {"lfts.dump", 2, false},     {".pm", 3, false},   {".slvl", 4, false},
             {".vl2vl", 4, false}};

struct place {
    struct hd_folder folder;
    bool first;
};

bool hd_name_ends(const char *name, const char *ending)
{
    static const char *const packed[] = {"", ".gz", ".zst"};
    const size_t n = strlen(name), e = strlen(ending);
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        const size_t p = strlen(packed[i]);
        if (n >= e + p && memcmp(name + n - e - p, ending, e) == 0 && strcmp(name + n - p, packed[i]) == 0) return true;
    }
    return false;
}

/* The level of a file; a link by name counts if there is no file at all. */
static int level_of(const struct hd_listed *f, bool *first)
{
    size_t i = 0;
    while (i < sizeof kinds / sizeof kinds[0] && !hd_name_ends(f->name, kinds[i].ending)) i++;
    const bool known = i < sizeof kinds / sizeof kinds[0];
    *first = known && kinds[i].first;
    return (known ? kinds[i].level : LEVELS - 1) + (f->symbolic ? LEVELS : 0);
}

bool hd_name_known(const char *name)
{
    bool first;
    return level_of(&(struct hd_listed){.name = name}, &first) < LEVELS - 1;
}

struct hd_folder hd_folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return (struct hd_folder){name, slash ? (size_t)(slash - name) : 0};
}

bool hd_folder_same(struct hd_folder a, struct hd_folder b)
{
    return a.n == b.n && memcmp(a.path, b.path, a.n) == 0;
}

/* Whether a is b or inside it. */
static bool folder_within(struct hd_folder a, struct hd_folder b)
{
    return b.n == 0 || (a.n >= b.n && memcmp(a.path, b.path, b.n) == 0 && (a.n == b.n || a.path[b.n] == '/'));
}

/* By name, each folder just before what is inside it. */
static int place_order(const void *a, const void *b)
{
    const struct hd_folder x = ((const struct place *)a)->folder, y = ((const struct place *)b)->folder;
    const size_t n = x.n < y.n ? x.n : y.n;
    for (size_t i = 0; i < n; i++) {
        const int c = x.path[i] == '/' ? 0 : (unsigned char)x.path[i];
        const int d = y.path[i] == '/' ? 0 : (unsigned char)y.path[i];
        if (c != d) return c < d ? -1 : 1;
    }
    return (x.n > y.n) - (x.n < y.n);
}

/* The folders with files of the lowest level, sorted, without those inside others; there is room for as many as there
 * are files. Returns how many. */
static uint32_t places_find(const struct hd_archive_list *list, struct place *place)
{
    uint32_t n = 0, kept = 0;
    int lowest = 2 * LEVELS;
    bool first;
    for (uint32_t i = 0; i < list->n; i++) {
        const int level = level_of(&list->file[i], &first);
        if (level > lowest) continue;
        if (level < lowest) n = 0;
        lowest = level;
        place[n++] = (struct place){hd_folder_of(list->file[i].name), first};
    }
    qsort(place, n, sizeof *place, place_order);
    for (uint32_t i = 0; i < n; i++) {
        struct place *last = kept ? &place[kept - 1] : NULL;
        if (!last || !folder_within(place[i].folder, last->folder))
            place[kept++] = place[i];
        else if (hd_folder_same(place[i].folder, last->folder))
            last->first |= place[i].first;
    }
    return kept;
}

/* Those that are first among others, if there are such. */
static uint32_t places_first(struct place *place, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (place[i].first) place[kept++] = place[i];
    return kept ? kept : n;
}

static hd_status places_refuse(struct hd_ctx *ctx, const char *path, const struct place *place, uint32_t n)
{
    char text[320] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < n && i < MOST_NAMED; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s'%.*s'", i ? ", " : "",
                               place[i].folder.n < 60 ? (int)place[i].folder.n : 60, place[i].folder.path);
    if (n > MOST_NAMED) snprintf(text + at, sizeof text - at, " and %u more", n - MOST_NAMED);
    return hd_fail(ctx, HD_INPUT,
                   "%.200s: has captures in several folders, %s: expected one (unpack it and name one of them)", path,
                   text);
}

hd_status hd_archive_folder(struct hd_ctx *ctx, const char *path, const struct hd_archive_list *list,
                            struct hd_folder *folder)
{
    *folder = (struct hd_folder){"", 0};
    struct place *place = malloc((list->n + 1) * sizeof *place);
    if (!place) return hd_fail_memory(ctx);
    uint32_t n = places_find(list, place);
    if (n > 1) n = places_first(place, n);
    if (n) *folder = place[0].folder;
    const hd_status s = n > 1 ? places_refuse(ctx, path, place, n) : HD_OK;
    free(place);
    return s;
}
