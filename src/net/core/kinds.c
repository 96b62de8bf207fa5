/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of hosts. Two pieces of evidence count, and either is enough:
 *   name   a word such as login, oss or ufm in the host name; the adapter of a gateway describes itself as switches do
 *   place  at most half as many ports as most hosts have, a name unlike theirs, which are alike, and each cable at a
 *          switch port where, or of a rate with which, none of them has one
 * Dropping a compute host is worse than keeping a login node, so doubts count as compute: a word that more than half of
 * the hosts have says nothing (it is the name of the cluster), a host with as many ports as most have, if these are
 * four or more, is compute whatever it is called, and where compute would not have more than half of the endpoints,
 * all hosts are compute. The rules are our own. Cost: one pass over the endpoints, one sort of the names. */
#include "net/core/kinds.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/labels.h"
#include "net/core/node_name.h"

#include <string.h>

enum { MANY_PORTS = 4 };

struct kind_word {
    const char *word;
    uint8_t role;
    bool within; /* long or rare enough to count inside a longer word: cufm, lustreoss */
};

static const struct kind_word kind_words[] = {
    {"storage", HD_ROLE_STORAGE, true},    {"lustre", HD_ROLE_STORAGE, true},
    {"beegfs", HD_ROLE_STORAGE, true},     {"gpfs", HD_ROLE_STORAGE, true},
    {"weka", HD_ROLE_STORAGE, true},       {"ceph", HD_ROLE_STORAGE, true},
    {"stor", HD_ROLE_STORAGE, false},      {"oss", HD_ROLE_STORAGE, false},
    {"ost", HD_ROLE_STORAGE, false},       {"mds", HD_ROLE_STORAGE, false},
    {"mdt", HD_ROLE_STORAGE, false},       {"mgs", HD_ROLE_STORAGE, false},
    {"nsd", HD_ROLE_STORAGE, false},       {"nas", HD_ROLE_STORAGE, false},
    {"nfs", HD_ROLE_STORAGE, false},       {"vast", HD_ROLE_STORAGE, false},
    {"daos", HD_ROLE_STORAGE, false},      {"ddn", HD_ROLE_STORAGE, false},
    {"ufm", HD_ROLE_MANAGEMENT, true},     {"login", HD_ROLE_MANAGEMENT, true},
    {"mgmt", HD_ROLE_MANAGEMENT, true},    {"mgt", HD_ROLE_MANAGEMENT, false},
    {"admin", HD_ROLE_MANAGEMENT, false},  {"head", HD_ROLE_MANAGEMENT, false},
    {"master", HD_ROLE_MANAGEMENT, false}, {"headnode", HD_ROLE_MANAGEMENT, false},
    {"opensm", HD_ROLE_MANAGEMENT, true},  {"gateway", HD_ROLE_GATEWAY, true},
    {"skyway", HD_ROLE_GATEWAY, true},     {"gw", HD_ROLE_GATEWAY, false},
    {"lnet", HD_ROLE_GATEWAY, false},      {"router", HD_ROLE_GATEWAY, false},
};
enum { KIND_WORDS = sizeof kind_words / sizeof *kind_words };

/* A host with one of these computes, whatever else it is called. */
static const char *const compute_words[] = {"gpu", "dgx", "hgx", "compute"};

/* ---- names --------------------------------------------------------------------------------- */

static char kind_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
}

/* The next run of letters before the domain, in lower case; its length, 0: there is none. */
static size_t kind_next_word(const char **s, char word[32])
{
    size_t n = 0;
    for (; **s && **s != '.'; ++*s) {
        char c = kind_lower(**s);
        bool letter = c >= 'a' && c <= 'z';
        if (!letter && n) break;
        if (letter && n < 31) word[n++] = c;
    }
    word[n] = 0;
    return n;
}

/* Index of the first kind word in a host name; KIND_WORDS: none. */
static uint32_t kind_word_of(const char *host)
{
    char word[32];
    uint32_t found = KIND_WORDS;
    for (const char *s = host; kind_next_word(&s, word);) {
        for (size_t i = 0; i < sizeof compute_words / sizeof *compute_words; i++)
            if (strcmp(word, compute_words[i]) == 0) return KIND_WORDS;
        for (uint32_t i = 0; i < KIND_WORDS && found == KIND_WORDS; i++)
            if (kind_words[i].within ? strstr(word, kind_words[i].word) != NULL : strcmp(word, kind_words[i].word) == 0)
                found = i;
    }
    return found;
}

static bool kind_is_appliance(const char *host)
{
    char label[HD_LABEL_ROOM];
    return hd_label_strip(host, label);
}

/* Hash of a name without its digits: hosts of one series have the same. */
static uint64_t kind_series(const char *host)
{
    uint64_t h = 1;
    for (; *host; host++)
        if (!hd_is_digit(*host)) h = hd_hash_mix(h ^ (unsigned char)kind_lower(*host));
    return h;
}

/* ---- places -------------------------------------------------------------------------------- */

struct kind_search {
    struct hd_ctx *ctx;
    const struct hd_net *net;
    uint32_t *ports;  /* [nhost] endpoints */
    uint8_t *kind;    /* [nhost] */
    bool *word, *odd; /* [nhost] its name says the kind; cabled where usual hosts are not */
    uint64_t *series; /* those of usual hosts, increasing */
    uint32_t nseries;
    bool alike;     /* half of them are one series */
    uint32_t usual; /* ports of most hosts, by endpoints */
    bool port[256]; /* switch ports that usual hosts have */
    bool link[256]; /* and rates */
};

static bool kind_is_usual(const struct kind_search *k, uint32_t h)
{
    return !k->word[h] && k->ports[h] >= k->usual;
}

static hd_status kinds_count(struct kind_search *k, struct hd_arena *scratch, const uint8_t *role)
{
    const struct hd_net *net = k->net;
    k->ports = HD_NEW(scratch, uint32_t, net->nhost);
    k->kind = HD_NEW(scratch, uint8_t, net->nhost);
    k->word = HD_NEW(scratch, bool, net->nhost);
    k->odd = HD_NEW(scratch, bool, net->nhost);
    k->series = HD_NEW(scratch, uint64_t, net->nhost);
    if (!k->ports || !k->kind || !k->word || !k->odd || !k->series) return hd_fail_memory(k->ctx);
    uint32_t by_ports[256] = {0};
    for (uint32_t e = 0; e < net->nep; e++)
        if (role[net->ca[e]] == HD_ROLE_HOST) k->ports[net->host[e]]++;
    for (uint32_t h = 0; h < net->nhost; h++) by_ports[k->ports[h]] += k->ports[h]; /* at most 255, one per rail */
    for (uint32_t n = 1; n < 256; n++)
        if (by_ports[n] >= by_ports[k->usual]) k->usual = n;
    return HD_OK;
}

/* Kinds by name. */
static void kinds_by_name(struct kind_search *k)
{
    const struct hd_net *net = k->net;
    uint32_t count[KIND_WORDS + 1] = {0}, hosts = 0;
    for (uint32_t h = 0; h < net->nhost; h++) {
        hosts += k->ports[h] > 0;
        if (k->ports[h]) count[kind_word_of(hd_host_name(net, h))]++;
    }
    for (uint32_t h = 0; h < net->nhost; h++) {
        const char *name = hd_host_name(net, h);
        uint32_t i = k->ports[h] ? kind_word_of(name) : KIND_WORDS;
        if (k->ports[h] && kind_is_appliance(name))
            k->kind[h] = HD_ROLE_GATEWAY;
        else if (i < KIND_WORDS && 2 * count[i] <= hosts && (k->usual < MANY_PORTS || k->ports[h] < k->usual))
            k->kind[h] = kind_words[i].role;
        k->word[h] = k->kind[h] != HD_ROLE_HOST;
    }
}

/* Series, switch ports and rates of usual hosts. */
static hd_status kinds_note_usual(struct kind_search *k, struct hd_arena *scratch)
{
    const struct hd_net *net = k->net;
    struct hd_keyed *sorted = HD_NEW(scratch, struct hd_keyed, net->nhost);
    if (!sorted) return hd_fail_memory(k->ctx);
    for (uint32_t h = 0; h < net->nhost; h++)
        if (kind_is_usual(k, h)) sorted[k->nseries++] = (struct hd_keyed){kind_series(hd_host_name(net, h)), h};
    hd_keyed_sort(sorted, k->nseries, sizeof *sorted);
    for (uint32_t i = 0, run = 0; i < k->nseries; i++) {
        k->series[i] = sorted[i].key;
        run = i && k->series[i] == k->series[i - 1] ? run + 1 : 1;
        if (2 * run >= k->nseries && run > 1) k->alike = true;
    }
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t c = net->off[net->nsw + e];
        if (!kind_is_usual(k, net->host[e])) continue;
        k->port[net->port[net->rev[c]]] = true;
        k->link[net->link[c]] = true;
    }
    return HD_OK;
}

static void kinds_by_place(struct kind_search *k)
{
    const struct hd_net *net = k->net;
    for (uint32_t h = 0; h < net->nhost; h++) {
        const char *name = hd_host_name(net, h);
        bool few = k->ports[h] && !k->word[h] && 2 * k->ports[h] <= k->usual;
        k->odd[h] = few && k->alike && !hd_name_split(name).vague && !strchr(name, ' ') && /* blanks: a factory name */
                    hd_find_key(k->series, k->nseries, sizeof *k->series, kind_series(name)) == k->nseries;
    }
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t c = net->off[net->nsw + e];
        if (k->port[net->port[net->rev[c]]] && k->link[net->link[c]]) k->odd[net->host[e]] = false;
    }
    for (uint32_t h = 0; h < net->nhost; h++)
        if (k->odd[h]) k->kind[h] = HD_ROLE_MANAGEMENT;
}

hd_status hd_kinds_find(struct hd_ctx *ctx, const struct hd_net *net, uint8_t *role)
{
    struct hd_arena scratch = {0};
    struct kind_search k = {.ctx = ctx, .net = net};
    uint32_t machines = 0, compute = 0;
    hd_status s = kinds_count(&k, &scratch, role);
    if (s == HD_OK) kinds_by_name(&k);
    if (s == HD_OK) s = kinds_note_usual(&k, &scratch);
    if (s == HD_OK) kinds_by_place(&k);
    for (uint32_t h = 0; s == HD_OK && h < net->nhost; h++) {
        machines += k.ports[h];
        if (k.kind[h] == HD_ROLE_HOST) compute += k.ports[h];
    }
    bool clear = 2 * compute > machines;
    for (uint32_t e = 0; clear && e < net->nep; e++)
        if (role[net->ca[e]] == HD_ROLE_HOST) role[net->ca[e]] = k.kind[net->host[e]];
    hd_arena_release(&scratch);
    return s;
}
