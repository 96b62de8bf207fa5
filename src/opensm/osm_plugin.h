/* SPDX-License-Identifier: BSD-2-Clause */
/* The plug-in for OpenSM: what its files share. It copies the fabric out of OpenSM's memory, has a worker process
 * compute and prove tables, checks every number of the reply and hands it over. It must neither crash nor delay the
 * subnet manager, so it is small, trusts nothing the worker sends, and waits with a deadline. */
#ifndef HD_OPENSM_OSM_PLUGIN_H
#define HD_OPENSM_OSM_PLUGIN_H

#include "live/live_options.h"
#include "plugin_timer.h"

#include <opensm/osm_config.h> /* first: the layout of OpenSM's structs depends on it */

#include <opensm/osm_opensm.h>
#include <sys/types.h>

/* A worker process and the socket to it. */
struct plugin_worker {
    pid_t pid; /* 0: none */
    int fd;
    pid_t corpse;    /* a process that was killed and not yet collected; 0: none */
    uint32_t number; /* of the last request */
};

/* A whole reply that passed all checks. */
struct plugin_reply {
    void *memory; /* a copy of it; NULL: none */
    struct hd_reply_parts parts;
};

struct plugin_note;

struct heddle_plugin {
    osm_opensm_t *osm;
    struct osm_routing_engine *engine; /* in OpenSM's list; NULL before it asked for it */
    struct hd_live_options options;
    struct plugin_worker worker;
    struct plugin_reply reply;  /* the tables in use; memory NULL: not ours */
    uint64_t sweeps, fallbacks; /* requests so far, and those without tables */
    struct plugin_timer timer;  /* asks for the sweep of the next step */
    double step_at;             /* when the last one was handed over, in seconds; 0: none */
    bool settled;               /* the pause after it was over when this request began */
    struct plugin_note *note;   /* that is being written, or was; NULL: none */
};

enum { PLUGIN_TEXT = 512 }; /* bytes of a reason */

double plugin_now(void); /* seconds, from any moment on */

/* The request for the current fabric, as a sealed descriptor; negative, and why, if there is none. The switches of the
 * request, in its order, are in *sw, which the caller frees. */
int plugin_request(const struct heddle_plugin *p, uint32_t avoid, osm_switch_t ***sw, uint32_t *switches,
                   uint32_t *last_lid, char why[PLUGIN_TEXT]);
/* The LID that OpenSM has assigned to a port; 0: none. */
uint32_t plugin_lid(const osm_subn_t *subn, const osm_physp_t *physp);

/* What became of one exchange. */
enum plugin_end {
    PLUGIN_ANSWERED, /* a reply, not yet checked */
    PLUGIN_DIED,     /* the worker ended: another one may do better */
    PLUGIN_LATE,     /* the deadline passed; the worker was killed */
    PLUGIN_FAILED    /* no worker could be started, or it does not speak our language */
};
/* Sends a request, at most seconds later *fd is the reply. engine is the last one that the worker began with. */
enum plugin_end plugin_exchange(struct heddle_plugin *p, int request, double seconds, int *fd, uint32_t *engine,
                                char why[PLUGIN_TEXT]);
void plugin_stop_worker(struct plugin_worker *w);

/* Copies and checks a reply: sizes, and every port and service level in it. */
enum plugin_verdict {
    PLUGIN_TAKEN,
    PLUGIN_REFUSED, /* the worker has no tables, and says why */
    PLUGIN_CORRUPT
};
enum plugin_verdict plugin_take_reply(const osm_subn_t *subn, int fd, osm_switch_t *const *sw, uint32_t switches,
                                      uint32_t last_lid, struct plugin_reply *reply, char why[PLUGIN_TEXT]);
void plugin_drop_reply(struct plugin_reply *reply);
/* Log and metrics of a request without tables that no worker reports. Does not wait for the files. */
void plugin_note_fallback(struct heddle_plugin *p, const char *why, double seconds);
/* A worker answered, and writes metrics itself: those of a request before that are not written yet never will be. */
void plugin_note_old(struct heddle_plugin *p);
void plugin_note_end(struct heddle_plugin *p);
/* Text of the worker as one printable line, cut to the room that there is. */
void plugin_line(const char *text, size_t room, char *line);

#endif
