/* SPDX-License-Identifier: BSD-2-Clause */
/* The items of Hoefler et al. by file: examples by hand, simulated bandwidth, times, measured systems. */
#ifndef HD_PAPERS_HOEFLER2009_H
#define HD_PAPERS_HOEFLER2009_H

#include "papers.h"

enum { HOEFLER_SYSTEMS = 5 };

struct hoefler_system {
    const char *spec, *name;
    uint32_t endpoints;
    double gain; /* simulated, of P-SSSP over the best of OpenSM, percent */
    bool large;  /* thousands of endpoints */
    const char *known;
    const char *best; /* the cabling with the largest gain of those tried; NULL: only one was */
};
extern const struct hoefler_system hoefler_systems[HOEFLER_SYSTEMS];

/* A gain in percent. The printed ones are whole, from another cabling and other samples: two points are equal. */
void hoefler_gain(const struct hd_paper_run *run, const char *name, const char *quantity, double published, double ours,
                  const char *known);
/* The number of a random numbering, from 0 on, for run->scramble; 0 is the generator's own. */
uint64_t hoefler_numbering(const struct hd_paper_run *run, int i);

/* hoefler_examples.c */
hd_status hoefler_run_fig1(struct hd_paper_run *run);
hd_status hoefler_run_fig2(struct hd_paper_run *run);
hd_status hoefler_run_fig6(struct hd_paper_run *run);
/* hoefler_times.c */
hd_status hoefler_run_fig4b(struct hd_paper_run *run);
hd_status hoefler_run_fig4f(struct hd_paper_run *run);
hd_status hoefler_run_opensm(struct hd_paper_run *run);
/* hoefler_measured.c */
hd_status hoefler_run_intro(struct hd_paper_run *run);
hd_status hoefler_run_fig8(struct hd_paper_run *run);
hd_status hoefler_run_fig9(struct hd_paper_run *run);

#endif
