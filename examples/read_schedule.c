/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a schedule that 'heddle order --schedule FILE' wrote, as a collective library would: stage by stage, the ranks
 * that this rank sends to and receives from. Needs no library.
 *     cc read_schedule.c && ./a.out alltoall.txt 3          what rank 3 does
 *     ./a.out alltoall.txt                                  ranks, stages, flows; checks that no rank sends or receives
 *                                                           twice in a stage
 * Text (FILE): lines "stage source destination", stages in order, comments begin with #.
 * Binary (FILE.bin), little-endian: "HDSCHED1", ranks (4 bytes), bytes per entry (4), stages (8), then for each stage
 * one entry per rank: its destination, or all ones if it does not send. Stage s is at 24 + s * ranks * bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct schedule {
    FILE *file;
    uint32_t ranks, width; /* width 0: text */
    uint64_t stages;
    uint32_t *to;      /* [ranks] destinations of the stage read last; UINT32_MAX: none */
    long long next[3]; /* text: the line read ahead */
};

static uint64_t little(const unsigned char *b, uint32_t n)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < n; i++) v |= (uint64_t)b[i] << (8 * i);
    return v;
}

static int next_line(struct schedule *s)
{
    char line[128];
    while (fgets(line, sizeof line, s->file)) {
        unsigned long long n;
        if (sscanf(line, "# ranks %llu", &n) == 1)
            s->ranks = (uint32_t)n;
        else if (sscanf(line, "# stages %llu", &n) == 1)
            s->stages = n;
        else if (*line != '#')
            return sscanf(line, "%lld %lld %lld", &s->next[0], &s->next[1], &s->next[2]) == 3;
    }
    s->next[0] = -1;
    return 0;
}

static int open_schedule(struct schedule *s, const char *path)
{
    unsigned char head[24];
    if (!(s->file = fopen(path, "rb"))) return 0;
    if (fread(head, 1, 24, s->file) == 24 && memcmp(head, "HDSCHED1", 8) == 0) {
        s->ranks = (uint32_t)little(head + 8, 4);
        s->width = (uint32_t)little(head + 12, 4);
        s->stages = little(head + 16, 8);
    } else {
        rewind(s->file);
        next_line(s);
    }
    s->to = malloc((s->ranks + 1) * sizeof *s->to);
    return s->to != NULL && s->ranks > 0;
}

/* Stages must be read in order. */
static int read_stage(struct schedule *s, uint64_t stage)
{
    for (uint32_t i = 0; i < s->ranks; i++) s->to[i] = UINT32_MAX;
    for (uint32_t i = 0; s->width && i < s->ranks; i++) {
        unsigned char b[4];
        uint64_t none = s->width == 2 ? UINT16_MAX : UINT32_MAX;
        if (fread(b, 1, s->width, s->file) != s->width) return 0;
        uint64_t to = little(b, s->width);
        if (to != none) s->to[i] = (uint32_t)to;
    }
    while (!s->width && s->next[0] == (long long)stage) {
        if (s->next[1] < 0 || s->next[1] >= s->ranks || s->to[s->next[1]] != UINT32_MAX) return 0;
        s->to[s->next[1]] = (uint32_t)s->next[2];
        next_line(s);
    }
    return 1;
}

int main(int argc, char **argv)
{
    struct schedule s = {0};
    if (argc < 2 || !open_schedule(&s, argv[1])) {
        fprintf(stderr, "usage: read_schedule FILE [RANK]\n");
        return 1;
    }
    uint64_t flows = 0;
    unsigned char *got = calloc(s.ranks, 1);
    for (uint64_t stage = 0; got && stage < s.stages; stage++) {
        if (!read_stage(&s, stage)) {
            fprintf(stderr, "%s: stage %llu is damaged\n", argv[1], (unsigned long long)stage);
            return 1;
        }
        memset(got, 0, s.ranks);
        for (uint32_t i = 0; i < s.ranks; i++) {
            if (s.to[i] == UINT32_MAX) continue;
            if (s.to[i] >= s.ranks || s.to[i] == i || got[s.to[i]]++) {
                fprintf(stderr, "%s: stage %llu: rank %u is sent to twice, or out of range\n", argv[1],
                        (unsigned long long)stage, s.to[i]);
                return 1;
            }
            flows++;
            uint32_t me = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : UINT32_MAX;
            if (i == me) printf("stage %llu: send to %u\n", (unsigned long long)stage, s.to[i]);
            if (s.to[i] == me) printf("stage %llu: receive from %u\n", (unsigned long long)stage, i);
        }
    }
    if (argc == 2)
        printf("%u ranks, %llu stages, %llu flows\n", s.ranks, (unsigned long long)s.stages, (unsigned long long)flows);
    free(got);
    free(s.to);
    fclose(s.file);
    return 0;
}
