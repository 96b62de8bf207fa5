/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends of cables in one form, whatever wrote them. Labels of twin-port cages, cage/port or ASIC/cage/port, become port
 * numbers of InfiniBand: 2 (cage - 1) + port; so do split ports of older switches. The ASICs of a director are part of
 * the port, as plans have them. Cost: linear in the names. */
#include "cables/cable_list.h"
#include "base/c_locale.h"
#include "base/status.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void lower_copy(char to[HD_CABLES_TEXT], const char *from, size_t n)
{
    if (n >= HD_CABLES_TEXT) n = HD_CABLES_TEXT - 1;
    for (size_t i = 0; i < n; i++) to[i] = hd_tolower(from[i]);
    to[n] = 0;
}

/* Device without the parts that only descriptions have: "mf0;name:model/l16/u2" is name and asic "l16/u2". */
static void split_device(char device[HD_CABLES_TEXT], char asic[HD_CABLES_TEXT])
{
    char *name = device, *end = strchr(device, ';');
    *asic = 0;
    if (end && strncmp(device, "mf", 2) == 0) name = end + 1;
    char *colon = strrchr(name, ':'), *path = strchr(colon ? colon : name, '/');
    unsigned a, b;
    char kind;
    int used = 0;
    if (colon && path && name != device) *colon = 0; /* the model */
    if (path && sscanf(path, "/%c%6u/u%6u%n", &kind, &a, &b, &used) == 3 && !path[used]) {
        snprintf(asic, HD_CABLES_TEXT, "%c%u/u%u", kind, a, b);
        *path = 0;
    } else if (path && sscanf(path, "/u%6u%n", &a, &used) == 1 && !path[used]) {
        if (a > 1) snprintf(asic, HD_CABLES_TEXT, "u%u", a);
        *path = 0;
    }
    memmove(device, name, strlen(name) + 1);
}

/* The words before a number or path of numbers that say nothing: "port 7", "p7". */
static const char *skip_port_word(const char *port)
{
    static const char *const words[] = {"port", "p"};
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(words[i]);
        if (strncmp(port, words[i], n) != 0) continue;
        const char *rest = port + n + strspn(port + n, " _-");
        if (isdigit((unsigned char)*rest)) return rest;
    }
    return port;
}

/* A port in small letters as it is compared. */
static void port_form(char port[HD_CABLES_TEXT])
{
    unsigned a, b, c;
    char kind;
    int used = 0;
    const char *text = skip_port_word(port);
    char form[HD_CABLES_TEXT];
    if (sscanf(text, "blade %6u_port %6u/%6u%n", &a, &b, &c, &used) == 3 && !text[used])
        snprintf(form, sizeof form, "l%u/u%u/%u", a, b, c);
    else if ((used = 0, sscanf(text, "%c%6u/u%6u/p%6u%n", &kind, &a, &b, &c, &used) == 4) && !text[used] && kind != 'u')
        snprintf(form, sizeof form, "%c%u/u%u/%u", kind, a, b, c);
    else if ((used = 0, sscanf(text, "sw%6up%6u%n", &a, &b, &used) == 2) && used && !text[used] && a < 1000 && a)
        snprintf(form, sizeof form, "%u", 2 * (a - 1) + b);
    else if ((used = 0, sscanf(text, "%6u/%6u%n", &a, &b, &used) == 2) && !text[used] && a < 1000 && a)
        snprintf(form, sizeof form, "%u", 2 * (a - 1) + b);
    else if ((used = 0, sscanf(text, "1/%6u/%6u%n", &a, &b, &used) == 2) && used && !text[used] && a < 1000 && a)
        snprintf(form, sizeof form, "%u", 2 * (a - 1) + b);
    else if ((used = 0, sscanf(text, "u1/p%6u%n", &a, &used) == 1) && used && !text[used])
        snprintf(form, sizeof form, "%u", a);
    else if ((used = 0, sscanf(text, "%6u%n", &a, &used) == 1) && !text[used] && isdigit((unsigned char)*text))
        snprintf(form, sizeof form, "%u", a);
    else
        snprintf(form, sizeof form, "%s", text);
    size_t n = strlen(form); /* the first port of an adapter needs no number */
    if (n > 2 && hd_tolower(form[0]) >= 'a' && hd_tolower(form[0]) <= 'z' && strcmp(form + n - 2, "/1") == 0 &&
        !strchr(form, 'u'))
        form[n - 2] = 0;
    if (n > 3 && strcmp(form + n - 3, "/p1") == 0) form[n - 3] = 0;
    memcpy(port, form, sizeof form);
}

hd_status hd_cables_end_make(struct hd_cable_list *list, const char *device, const char *port,
                             struct hd_cables_end *end)
{
    char name[HD_CABLES_TEXT], at[HD_CABLES_TEXT], asic[HD_CABLES_TEXT], key[3 * HD_CABLES_TEXT];
    size_t dn = strlen(device), pn = strlen(port);
    if (!dn || !pn || dn >= HD_CABLES_TEXT || pn >= HD_CABLES_TEXT)
        return hd_fail(list->ctx, HD_INPUT, "expected a device and a port of 1 to %d bytes at each end",
                       HD_CABLES_TEXT - 1);
    lower_copy(name, device, dn);
    lower_copy(at, port, pn);
    if (strncmp(at, name, dn) == 0 && at[dn] == ' ') { /* HOST ibp11s0f0 */
        port += dn + strspn(port + dn, " ");
        lower_copy(at, port, strlen(port));
    }
    split_device(name, asic);
    port_form(at);
    snprintf(key, sizeof key, "%s" HD_CABLES_MARK "%s%s%s", name, asic, *asic ? "/" : "", at);
    size_t digits = strspn(at, "0123456789");
    const char *last = strrchr(at, '/');
    *end = (struct hd_cables_end){.node = hd_strdup(list->arena, device, dn),
                                  .key = hd_strdup(list->arena, key, strlen(key))};
    if (!at[digits])
        sscanf(at, "%9u", &end->port);
    else if (last && last[1] && !last[1 + strspn(last + 1, "0123456789")])
        sscanf(last + 1, "%9u", &end->port);
    snprintf(key, sizeof key, "%s %s%s", device, port[strspn(port, "0123456789/")] ? "" : "port ", port);
    end->label = hd_strdup(list->arena, key, strlen(key));
    return end->node && end->key && end->label ? HD_OK : hd_fail_memory(list->ctx);
}

hd_status hd_cables_add(struct hd_cable_list *list, const struct hd_cables_end *a, const struct hd_cables_end *b,
                        const struct hd_cables_place *place)
{
    if (!HD_MORE(list->arena, list->row, list->n, list->room)) return hd_fail_memory(list->ctx);
    list->row[list->n++] = (struct hd_cables_row){{*a, *b}, place->file, place->line, place->link};
    return HD_OK;
}

size_t hd_cables_switch_key(const char *key)
{
    const char *mark = strstr(key, HD_CABLES_MARK), *slash = strrchr(key, '/');
    return mark && slash > mark ? (size_t)(slash - key) : mark ? (size_t)(mark - key) : strlen(key);
}
