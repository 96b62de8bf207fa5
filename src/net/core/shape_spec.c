/* SPDX-License-Identifier: BSD-2-Clause */
/* A structure as the spec that would generate it. */
#include "heddle/net.h"

#include <stdio.h>
#include <string.h>

static void shape_spec_put_list(char *text, size_t size, const char *key, const uint32_t *v, uint32_t n)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, "%s%s=", used ? "," : "", key);
    for (uint32_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%u", i ? "x" : "", v[i]);
}

void hd_shape_spec(const struct hd_shape *s, char text[HD_MAX_SPEC])
{
    char keys[HD_MAX_SPEC] = "";
    bool ring = false, clique = false, line = false;
    uint32_t pairs = 0; /* dimensions of two switches, with which nothing else is a hypercube */
    *text = 0;
    if (s->kind == HD_SHAPE_NONE || s->n > HD_MAX_DIM) return;
    for (uint32_t i = 0; s->kind == HD_SHAPE_GRID && i < s->n; i++) {
        ring |= s->w[i] == HD_RING;
        clique |= s->w[i] == HD_CLIQUE && s->m[i] > 2;
        line |= s->w[i] == HD_LINE && s->m[i] > 2;
        pairs += s->m[i] == 2;
    }
    if (s->kind == HD_SHAPE_TREE) {
        shape_spec_put_list(keys, sizeof keys, "m", s->m, s->n);
        shape_spec_put_list(keys, sizeof keys, "w", s->w, s->n);
        shape_spec_put_list(keys, sizeof keys, "p", s->p, s->n);
        snprintf(text, HD_MAX_SPEC, "pgft:%.480s", keys);
    } else {
        shape_spec_put_list(keys, sizeof keys, "dims", s->m, s->n);
        const char *name = ring + clique + line > 1  ? "grid"
                           : clique                  ? "hyperx"
                           : ring || !(line | pairs) ? "torus"
                           : line                    ? "mesh"
                                                     : "hypercube";
        if (strcmp(name, "hypercube") == 0)
            snprintf(text, HD_MAX_SPEC, "hypercube:n=%u", pairs);
        else
            snprintf(text, HD_MAX_SPEC, "%s:%.480s", name, keys);
    }
}
