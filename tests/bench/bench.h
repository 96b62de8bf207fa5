/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs of `make bench` share: clocks, the line of figures each prints, and "plain" files.
 *
 * A plain file is a network and its table as bare arrays (kernel dump writes it), so that the reference
 * programs need nothing of the library they are compared with:
 *   "HDPLAIN1", nsw, nep, nchan, then off[nsw+nep+1], head[nchan], all 32 bits; then table[nep][nsw]
 *   bytes: the slot of the channel off[v] + slot a switch v takes towards an endpoint, 255: none.
 * Nodes are switches first, then endpoints; a channel is one direction of one cable.
 * Each program prints one JSON object: wall and CPU seconds of the kernel alone, units of work, the answer. */
#ifndef HD_TESTS_BENCH_H
#define HD_TESTS_BENCH_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct watch {
    double wall, cpu;
};

static inline double seconds_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline struct watch watch_start(void)
{
    return (struct watch){seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
}

static inline struct watch watch_stop(struct watch w)
{
    return (struct watch){seconds_of(CLOCK_MONOTONIC) - w.wall, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - w.cpu};
}

/* Most memory this program has had, in bytes; 0: not known. (What wait tells includes who started it.) */
static inline double peak_memory(void)
{
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0) kib = strtod(line + 6, NULL);
    if (f) fclose(f);
    return 1024 * kib;
}

/* work: what was done, in the unit named. */
static inline void figures(struct watch w, double work, const char *unit, const char *answer)
{
    printf("{\"wall\": %.9f, \"cpu\": %.9f, \"work\": %.17g, \"unit\": \"%s\", \"rss\": %.0f, \"answer\": \"%s\"}\n",
           w.wall, w.cpu, work, unit, peak_memory(), answer);
}

static inline void *need(void *p)
{
    if (p) return p;
    fprintf(stderr, "out of memory\n");
    exit(4);
}

static inline void *new_array(size_t n, size_t size)
{
    return need(calloc(n ? n : 1, size));
}

struct plain {
    uint32_t nsw, nep, nchan;
    uint32_t *off, *head;
    uint8_t *table; /* [nep][nsw] */
};

static inline void read_exactly(FILE *f, const char *path, void *to, size_t bytes)
{
    if (fread(to, 1, bytes, f) == bytes) return;
    fprintf(stderr, "%s: expected a plain file, as 'kernel dump' writes it\n", path);
    exit(3);
}

static inline struct plain read_plain(const char *path)
{
    struct plain p;
    char magic[8];
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(3);
    }
    read_exactly(f, path, magic, 8);
    if (memcmp(magic, "HDPLAIN1", 8) != 0) fseek(f, 0, SEEK_END); /* what follows fails */
    read_exactly(f, path, &p, 3 * sizeof(uint32_t));
    p.off = new_array((size_t)p.nsw + p.nep + 1, sizeof *p.off);
    p.head = new_array(p.nchan, sizeof *p.head);
    p.table = new_array((size_t)p.nsw * p.nep, 1);
    read_exactly(f, path, p.off, ((size_t)p.nsw + p.nep + 1) * sizeof *p.off);
    read_exactly(f, path, p.head, p.nchan * sizeof *p.head);
    read_exactly(f, path, p.table, (size_t)p.nsw * p.nep);
    fclose(f);
    return p;
}

static inline void free_plain(struct plain *p)
{
    free(p->off);
    free(p->head);
    free(p->table);
}

static inline uint32_t leaf_of(const struct plain *p, uint32_t e)
{
    return p->head[p->off[p->nsw + e]];
}

/* The other direction of every channel: cable k of a pair of nodes is the k-th between them at both ends. */
static inline void find_reverse(const uint32_t *off, const uint32_t *head, uint32_t nodes, uint32_t *rev)
{
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t c = off[v]; c < off[v + 1]; c++) {
            uint32_t u = head[c], k = 0, back = off[u];
            for (uint32_t i = off[v]; i < c; i++) k += head[i] == u;
            while (head[back] != v || k-- > 0) back++;
            rev[c] = back;
        }
}

/* Numbers of a list such as 18x18x36; how many. */
enum { LEVELS = 8 };
static inline uint32_t read_list(const char *text, uint32_t v[LEVELS])
{
    uint32_t n = 0;
    for (char *at = (char *)text; *at && n < LEVELS; at += *at == 'x') v[n++] = (uint32_t)strtoul(at, &at, 10);
    return n;
}

/* Of a whole table: how two programs show that they made the same one. */
static inline uint64_t hash_bytes(uint64_t h, const uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) h = (h ^ b[i]) * 0x100000001b3u;
    return h;
}
enum { HASH_HEX = 17 };
#define HASH_START 0xcbf29ce484222325u

/* A small random generator of the references' own. */
static inline uint32_t draw_below(uint64_t *state, uint32_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)((*state >> 32) * n >> 32);
}

static inline void draw_order(uint64_t *state, uint32_t *order, uint32_t n)
{
    for (uint32_t i = n; i-- > 1;) {
        uint32_t j = draw_below(state, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

/* The pairs of a sample as heddle's pattern file:path=... reads them: order[2i] sends to order[2i+1]. */
static inline void write_pairs(const char *path, const uint32_t *order, uint32_t n)
{
    FILE *f = fopen(path, "w");
    for (uint32_t i = 0; f && i + 1 < n; i += 2) fprintf(f, "%u %u 1\n", order[i], order[i + 1]);
    if (f && fclose(f) == 0) return;
    perror(path);
    exit(4);
}

#endif
