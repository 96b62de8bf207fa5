/* SPDX-License-Identifier: BSD-2-Clause */
/* Effective bisection bandwidth with SimGrid: its fat-tree cluster routes with D-mod-K; random perfect
 * matchings are routed with sg_host_get_route, flows counted on links, and a pair gets 1 / its largest count.
 *     peer_simgrid PLATFORM.xml SAMPLES SEED */
#include "bench.h"
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <xbt/dynar.h>

static xbt_dynar_t route(sg_host_t from, sg_host_t to)
{
    xbt_dynar_t links = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(from, to, links);
    return links;
}

/* Counters stand behind the links' user data; a pass that counts, one that reads. */
static double sample(sg_host_t *host, const uint32_t *order, uint32_t n, xbt_dynar_t *paths, uintptr_t stamp)
{
    double sum = 0;
    unsigned k;
    sg_link_t link;
    for (uint32_t i = 0; i + 1 < n; i += 2) {
        paths[i / 2] = route(host[order[i]], host[order[i + 1]]);
        xbt_dynar_foreach(paths[i / 2], k, link)
        {
            uintptr_t was = (uintptr_t)sg_link_get_data(link);
            sg_link_set_data(link, (void *)((was >> 16 == stamp ? was : stamp << 16) + 1));
        }
    }
    for (uint32_t i = 0; i < n / 2; i++) {
        uintptr_t most = 1;
        xbt_dynar_foreach(paths[i], k, link)
        {
            uintptr_t load = (uintptr_t)sg_link_get_data(link) & 0xffff;
            if (load > most) most = load;
        }
        sum += 1.0 / (double)most;
        xbt_dynar_free(&paths[i]);
    }
    return sum / (n / 2);
}

int main(int argc, char **argv)
{
    simgrid_init(&argc, argv);
    if (argc < 4) return fprintf(stderr, "usage: peer_simgrid PLATFORM.xml SAMPLES SEED\n"), 2;
    simgrid_load_platform(argv[1]);
    uint32_t n = (uint32_t)sg_host_count(), samples = (uint32_t)atol(argv[2]);
    uint64_t state = 0x9e3779b97f4a7c15u * (1 + (uint64_t)atol(argv[3]));
    sg_host_t *host = sg_host_list();
    uint32_t *order = new_array(n, sizeof *order);
    xbt_dynar_t *paths = new_array(n / 2, sizeof *paths);
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    double sum = 0;
    struct watch w = watch_start();
    for (uint32_t i = 0; i < samples; i++) {
        draw_order(&state, order, n);
        sum += sample(host, order, n, paths, i + 1);
    }
    w = watch_stop(w);
    char answer[32];
    snprintf(answer, sizeof answer, "%.12f", sum / samples);
    figures(w, (double)samples * (n / 2), "flows", answer);
    return 0;
}
