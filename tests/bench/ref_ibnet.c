/* SPDX-License-Identifier: BSD-2-Clause */
/* ibnetdiscover output as the simplest program reads it: line by line with sscanf; then the names are sorted, and
 * the other end of every port is found among them.
 *     ref_ibnet FILE */
#include "bench.h"

enum { NAME = 24 };
struct node {
    char name[NAME];
    uint32_t number;
};
struct port {
    uint32_t node, number, peer;
    char name[NAME];
};
static struct node *nodes;
static struct port *ports;
static uint32_t nport, nnode, nsw;

static void *room_for(void *array, uint32_t n, size_t size) /* one more than n */
{
    return n & (n - 1) ? array : need(realloc(array, 2 * (n ? n : 1) * size));
}

static void read_lines(FILE *f)
{
    char line[1024], name[NAME];
    uint32_t number;
    while (fgets(line, sizeof line, f)) {
        int is_switch = sscanf(line, "Switch %u \"%23[^\"]\"", &number, name) == 2;
        if (is_switch || sscanf(line, "Ca %u \"%23[^\"]\"", &number, name) == 2) {
            nodes = room_for(nodes, nnode, sizeof *nodes);
            nodes[nnode].number = nnode;
            strcpy(nodes[nnode++].name, name);
            nsw += (uint32_t)is_switch;
        } else if (nnode && sscanf(line, "[%u]%*[^\"]\"%23[^\"]\"", &number, name) == 2) {
            ports = room_for(ports, nport, sizeof *ports);
            ports[nport] = (struct port){.node = nnode - 1, .number = number};
            strcpy(ports[nport++].name, name);
        }
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, ((const struct node *)b)->name);
}

static void join(const char *path)
{
    qsort(nodes, nnode, sizeof *nodes, by_name); /* a node begins with its name */
    for (uint32_t i = 0; i < nport; i++) {
        const struct node *other = bsearch(ports[i].name, nodes, nnode, sizeof *nodes, by_name);
        if (!other) {
            fprintf(stderr, "%s: %s is not in it\n", path, ports[i].name);
            exit(3);
        }
        ports[i].peer = other->number;
    }
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!f) return fprintf(stderr, "usage: ref_ibnet FILE\n"), 2;
    struct watch t = watch_start();
    read_lines(f);
    join(argv[1]);
    t = watch_stop(t);
    char answer[64];
    snprintf(answer, sizeof answer, "%u %u %u", nsw, nnode - nsw, nport);
    figures(t, nport, "channels", answer);
    fclose(f), free(ports), free(nodes);
    return 0;
}
