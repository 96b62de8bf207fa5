/* SPDX-License-Identifier: BSD-2-Clause */
/* Management datagrams over ibsim's sockets (ibsim_client.h has the protocol). Up to WINDOW questions are in flight;
 * the transaction id of a datagram is the number of its question, so answers may come in any order, and questions
 * without an answer are sent again up to TRIES times. Layouts are those of the InfiniBand specification, volume 1,
 * chapters 13 (MADs), 14 (subnet management) and 15 (subnet administration). */
#include "ib/ibsim_client.h"
#include "base/status.h"
#include "base/threads.h"
#include "ib/process_group.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAGIC 0xdeadbeefu
enum { CTL = 80, CTL_DATA = 16, CONNECT = 1, DISCONNECT = 2 };
enum { HEAD = 32, PACKET = HEAD + HD_MAD, WINDOW = 16, TRIES = 6 };

/* ---- sockets ------------------------------------------------------------------------------- */

/* An abstract address, including the NUL behind it: to ibsim that is part of the name. */
static socklen_t socket_address(struct sockaddr_un *a, const char *base, const char *kind, int number)
{
    memset(a, 0, sizeof *a);
    a->sun_family = AF_UNIX;
    char *p = a->sun_path + 1;
    size_t room = sizeof a->sun_path - 1;
    int n = number < 0 ? snprintf(p, room, "%s:%s", base, kind) : snprintf(p, room, "%s:%s%d", base, kind, number);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 2 + (size_t)n);
}

static int socket_bound(const char *base, const char *kind, int number)
{
    struct sockaddr_un a;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t n = socket_address(&a, base, kind, number);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&a, n) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static bool socket_connected(int fd, const char *base, const char *kind, int number)
{
    struct sockaddr_un a;
    socklen_t n = socket_address(&a, base, kind, number);
    return connect(fd, (struct sockaddr *)&a, n) == 0;
}

static void put32(uint8_t *p, uint32_t v) /* control messages are in the machine's order */
{
    memcpy(p, &v, sizeof v);
}

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static bool readable(int fd, double seconds)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n;
    do n = poll(&p, 1, (int)(seconds * 1000));
    while (n < 0 && errno == EINTR);
    return n > 0;
}

/* Sends type and data, receives data. */
static bool ibsim_control(struct hd_ibsim *sim, uint32_t type, uint8_t *data, size_t n)
{
    uint8_t m[CTL] = {0};
    put32(m, MAGIC);
    put32(m + 4, sim->id);
    put32(m + 8, type);
    put32(m + 12, (uint32_t)n);
    if (n) memcpy(m + CTL_DATA, data, n);
    if (send(sim->ctl, m, CTL, MSG_NOSIGNAL) != CTL) return false;
    if (!readable(sim->ctl, 10) || recv(sim->ctl, m, CTL, 0) != CTL || get32(m + 8) != type) return false;
    if (n) memcpy(data, m + CTL_DATA, n);
    return true;
}

hd_status hd_ibsim_open(struct hd_ctx *ctx, const char *name, const char *node, struct hd_ibsim *out)
{
    struct hd_ibsim sim = {-1, -1, 0};
    uint8_t info[44] = {0}; /* our number, QP, whether we manage the subnet, the node's id */
    int number = (int)getpid();
    put32(info, (uint32_t)number);
    snprintf((char *)info + 12, 32, "%s", node);
    sim.ctl = socket_bound(name, "ctl", number);
    sim.data = socket_bound(name, "in", number);
    bool ok = sim.ctl >= 0 && sim.data >= 0 && socket_connected(sim.ctl, name, "ctl", -1) &&
              ibsim_control(&sim, CONNECT, info, sizeof info);
    sim.id = ok ? get32(info) : 0;
    if (ok && socket_connected(sim.data, name, "out", (int)sim.id)) {
        *out = sim;
        return HD_OK;
    }
    if (sim.ctl >= 0) close(sim.ctl);
    if (sim.data >= 0) close(sim.data);
    return hd_fail(ctx, HD_LIMIT, "ibsim: cannot connect");
}

void hd_ibsim_close(struct hd_ibsim *sim)
{
    if (sim->ctl < 0) return;
    ibsim_control(sim, DISCONNECT, NULL, 0);
    close(sim->ctl);
    close(sim->data);
    sim->ctl = sim->data = -1;
}

/* ---- rounds -------------------------------------------------------------------------------- */

struct ibsim_question { /* one in flight */
    uint32_t i;
    int tries;
    double since;
};

static bool send_question(struct hd_ibsim *sim, const struct hd_ibsim_round *r, struct ibsim_question *f)
{
    uint8_t p[PACKET] = {0};
    uint8_t *mad = p + HEAD;
    uint32_t lid = r->make(r->user, f->i, mad);
    p[0] = (uint8_t)(lid >> 8); /* 16 bits in network order at the front of 32 */
    p[1] = (uint8_t)lid;
    if (lid == 0xffff)
        p[4] = p[5] = 0xff; /* the answer takes the same path back */
    else
        p[11] = p[15] = 1; /* both queue pairs: that of general services */
    p[30] = 1;             /* length 256 */
    for (int b = 0; b < 4; b++) mad[12 + b] = (uint8_t)(f->i >> (24 - 8 * b));
    f->since = hd_seconds();
    f->tries++;
    return send(sim->data, p, PACKET, MSG_NOSIGNAL) == PACKET;
}

/* The next answer to a question in flight, into p. */
static struct ibsim_question *receive_answer(struct hd_ibsim *sim, uint8_t *p, struct ibsim_question *f, uint32_t nf)
{
    while (readable(sim->data, 0.5)) {
        if (recv(sim->data, p, PACKET, 0) != PACKET) continue;
        const uint8_t *mad = p + HEAD;
        uint32_t i = (uint32_t)mad[12] << 24 | (uint32_t)mad[13] << 16 | (uint32_t)mad[14] << 8 | mad[15];
        bool dropped = p[16] | p[17] | p[18] | p[19], response = mad[3] & 0x80;
        for (uint32_t k = 0; k < nf && !dropped && response; k++)
            if (f[k].i == i) return &f[k];
    }
    return NULL;
}

static hd_status repeat_unanswered(struct hd_ctx *ctx, struct hd_ibsim *sim, const struct hd_ibsim_round *r,
                                   struct ibsim_question *f, uint32_t nf)
{
    double now = hd_seconds();
    for (uint32_t k = 0; k < nf; k++) {
        if (now - f[k].since < 0.5 * f[k].tries) continue;
        if (f[k].tries == TRIES || !send_question(sim, r, &f[k]))
            return hd_fail(ctx, HD_LIMIT, "ibsim: no answer while %s", r->what);
    }
    return HD_OK;
}

hd_status hd_ibsim_ask(struct hd_ctx *ctx, struct hd_ibsim *sim, const struct hd_ibsim_round *r)
{
    struct ibsim_question f[WINDOW];
    uint8_t p[PACKET];
    uint32_t nf = 0, next = 0, done = 0;
    while (done < r->n) {
        for (; nf < WINDOW && next < r->n; nf++) {
            f[nf] = (struct ibsim_question){.i = next++};
            if (!send_question(sim, r, &f[nf]))
                return hd_fail(ctx, HD_LIMIT, "ibsim: cannot send: %s", strerror(errno));
        }
        struct ibsim_question *a = receive_answer(sim, p, f, nf);
        if (!a) {
            HD_TRY(repeat_unanswered(ctx, sim, r, f, nf));
            continue;
        }
        HD_TRY(r->take(ctx, r->user, a->i, p + HEAD));
        *a = f[--nf];
        if (++done % 1024 == 0 || done == r->n) hd_progress(ctx, r->what, done, r->n);
    }
    return HD_OK;
}

/* ---- datagrams ----------------------------------------------------------------------------- */

static void put_header(uint8_t *mad, uint32_t class, uint32_t version, uint32_t attribute)
{
    mad[0] = 1;
    mad[1] = (uint8_t) class;
    mad[2] = (uint8_t)version;
    mad[3] = 1; /* Get */
    mad[16] = (uint8_t)(attribute >> 8);
    mad[17] = (uint8_t)attribute;
}

uint32_t hd_mad_direct(uint8_t *mad, const uint8_t *port, uint32_t hops, uint32_t attribute, uint32_t modifier)
{
    put_header(mad, 0x81, 1, attribute);
    mad[7] = (uint8_t)hops;
    for (int b = 0; b < 4; b++) mad[20 + b] = (uint8_t)(modifier >> (24 - 8 * b));
    memset(mad + 32, 0xff, 4); /* directed from end to end */
    memcpy(mad + 129, port, hops);
    return 0xffff;
}

void hd_mad_path(uint8_t *mad, uint32_t slid, uint32_t dlid)
{
    put_header(mad, 3, 2, 0x35);
    mad[54] = 0x10; /* what is given: number of paths, both LIDs */
    mad[55] = 0x30;
    mad[HD_SA_DATA + 40] = (uint8_t)(dlid >> 8);
    mad[HD_SA_DATA + 41] = (uint8_t)dlid;
    mad[HD_SA_DATA + 42] = (uint8_t)(slid >> 8);
    mad[HD_SA_DATA + 43] = (uint8_t)slid;
    mad[HD_SA_DATA + 49] = 1;
}
