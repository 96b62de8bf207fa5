/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks words up in the glossary: a linear search, once per run. Terms are compared part by part, since people type
 * the abbreviation as often as the word. */
#include "glossary.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Whether n bytes of a term are the name, or the name is their plural: flows, switches. */
static bool is_word(const char *part, size_t n, const char *name)
{
    if (strncasecmp(part, name, n) != 0) return false;
    return !name[n] || strcasecmp(name + n, "s") == 0 || strcasecmp(name + n, "es") == 0;
}

static bool has_word(const char *term, const char *name)
{
    while (*term) {
        size_t n = strcspn(term, ",()"), blank = n;
        while (blank && term[blank - 1] == ' ') blank--;
        if (blank && is_word(term, blank, name)) return true;
        term += n;
        term += strspn(term, ",() ");
    }
    return false;
}

const struct glossary_entry *find_word(const char *name)
{
    for (const struct glossary_entry *e = glossary; e->term; e++)
        if (has_word(e->term, name)) return e;
    return NULL;
}
