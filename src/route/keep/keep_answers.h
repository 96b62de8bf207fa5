/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries for packets that switches send and receive themselves; see keep_answers.c. */
#ifndef HD_ROUTE_KEEP_KEEP_ANSWERS_H
#define HD_ROUTE_KEEP_KEEP_ANSWERS_H

#include "heddle/route.h"

struct hd_answer_job {
    uint32_t first; /* endpoint that comes before all others; UINT32_MAX: none does */
    /* What switches hold towards LID x of endpoint d until they are written, into row[nsw]; NULL: not known */
    void (*held)(void *user, uint32_t d, uint32_t x, uint8_t *row);
    void *user;
    bool anew;     /* entries that pairs do not need have no claim to stay: rather none than one that is not safe */
    bool settled;  /* no packet is under way by what they held before that */
    double effort; /* up to 1, which is some seconds, after which the search is cut */
};

struct hd_answers {
    uint64_t closed; /* entries of rows that were added */
    uint64_t again;  /* rows that were changed */
    uint64_t unsafe; /* entries that switches had and rows towards switches that may close a loop all the same */
    /* Entries of tables, one for each LID of an endpoint; of one without a LID there are none. */
    uint64_t missing; /* that switches without endpoints lack, or that lead to such a switch */
    uint64_t later;   /* that packets between endpoints might meet as long as switches have what they hold */
    uint64_t stay;    /* those in whose place switches have what they had for now */
    bool cut;         /* the search took too long: there may be safe entries that are missing here */
};

/* Closes the holes that switches without endpoints have towards endpoints, and makes rows towards switches, as far
 * as the routes have them, and other entries that pairs do not need again where they close a credit loop. What
 * cannot be made so stays as it was; of all the rest together there is no loop. Routes that are not stored, or whose
 * pairs have a credit loop if all VLs are one, stay as they are. The same on any number of threads. O(table), and
 * O(ports) for each hole and hop. */
hd_status hd_keep_answers(struct hd_ctx *ctx, struct hd_routes *r, const struct hd_answer_job *job,
                          struct hd_answers *answers);

struct hd_answers_found {
    uint64_t missing; /* entries of tables, as above */
    /* Paths between endpoints, from switches to endpoints and from endpoints to switches close a credit loop, all VLs
     * as one. Not where those between endpoints do by themselves: then nothing is known. */
    bool loop;
};

/* What stored routes have for switches. O(table). */
hd_status hd_keep_answers_look(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_answers_found *found);

#endif
