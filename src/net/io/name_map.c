/* SPDX-License-Identifier: BSD-2-Clause */
/* Names by GUID: read line by line, sorted once, then searched by halving. A name is in quotes, or without them extends
 * to the end of the line or a #, as in infiniband-diags. Two names for one GUID are refused, because it cannot be known
 * which of them was meant. Cost: O(n log n) once, O(log n) per lookup. */
#include "net/io/name_map.h"
#include "base/escape.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/paged_array.h"
#include "net/io/scan_line.h"

enum { MAX_NAMES = 1 << 24 };

struct hd_name_entry {
    struct hd_keyed at; /* GUID and line */
    const char *name;
};

/* [*from, *to) is the name at s; false when there is none or more than a comment follows. */
static bool scan_mapped_name(const char *s, const char **from, const char **to)
{
    if (hd_scan_char(&s, '"')) {
        *from = s;
        s += strcspn(s, "\"");
        *to = s;
        if (!hd_scan_char(&s, '"')) return false;
        hd_scan_blanks(&s);
        return *to > *from && (!*s || *s == '#');
    }
    *from = s;
    s += strcspn(s, "#");
    while (s > *from && hd_is_blank(s[-1])) s--;
    *to = s;
    return s > *from;
}

static hd_status parse_map_line(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_in *in, const char *line,
                                struct hd_bag *bag)
{
    const char *s = line, *from, *to;
    uint64_t guid;
    hd_scan_blanks(&s);
    if (!*s || *s == '#') return HD_OK;
    if (!hd_scan_guid(&s, &guid) || guid == 0 || !hd_is_blank(*s))
        return hd_in_fail(ctx, in, "expected a node GUID such as 0x0002c90000100000, a blank and a name");
    hd_scan_blanks(&s);
    if (!scan_mapped_name(s, &from, &to)) return hd_in_fail(ctx, in, "expected a name in quotes after the GUID");
    if (bag->n == MAX_NAMES) return hd_in_fail(ctx, in, "more than %d names", MAX_NAMES);
    struct hd_name_entry *e = hd_bag_push(bag, arena);
    char *name = hd_strdup(arena, from, (size_t)(to - from));
    if (!e || !name) return hd_fail_memory(ctx);
    hd_replace_controls(name, strlen(name), ' ');
    *e = (struct hd_name_entry){{guid, (uint32_t)hd_in_lineno(in)}, name};
    return HD_OK;
}

hd_status hd_name_map_read(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_in *in, struct hd_name_map *map)
{
    struct hd_bag bag = {.size = sizeof(struct hd_name_entry)};
    hd_in_limit(in, 2 * MAX_NAMES); /* names and comments */
    for (;;) {
        char *line;
        size_t len;
        HD_TRY(hd_in_line(ctx, in, &line, &len));
        if (!line) break;
        HD_TRY(parse_map_line(ctx, arena, in, line, &bag));
    }
    struct hd_name_entry *entry = HD_NEW(arena, struct hd_name_entry, bag.n);
    if (!entry) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < bag.n; i++) entry[i] = *(struct hd_name_entry *)hd_bag_at(&bag, i);
    hd_keyed_sort(entry, bag.n, sizeof *entry);
    for (uint32_t i = 1; i < bag.n; i++)
        if (entry[i].at.key == entry[i - 1].at.key)
            return hd_fail(
                ctx, HD_INPUT, "%.200s:%u: GUID 0x%016llx has a name at line %u already: expected one name per GUID",
                hd_in_name(in), entry[i].at.value, (unsigned long long)entry[i].at.key, entry[i - 1].at.value);
    map->n = bag.n;
    map->entry = entry;
    return HD_OK;
}

const char *hd_name_map_find(const struct hd_name_map *map, uint64_t guid)
{
    uint32_t i = hd_find_key(map->entry, map->n, sizeof *map->entry, guid);
    return i < map->n ? map->entry[i].name : NULL;
}
