/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle-opensm-worker: started by libheddle-opensm.so, never by people. Requests come through descriptor 3 as sealed
 * shared memory (live/fabric_message.h), replies go back the same way. Ends with the socket, that is with OpenSM. */
#include "heddle/base.h"
#include "live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOCKET = 3 };

struct worker_reply {
    uint32_t number;
    int fd;
    void *at;
    size_t bytes;
};

static bool send_note(const struct hd_live_note *note, int fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct hd_live_note copy = *note;
    struct iovec part = {&copy, sizeof copy};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = &control;
        m.msg_controllen = sizeof control;
        control.head =
            (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
        memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    }
    return sendmsg(SOCKET, &m, MSG_NOSIGNAL) == (ssize_t)sizeof copy;
}

static void give_up_room(struct worker_reply *r)
{
    if (r->at) munmap(r->at, r->bytes);
    if (r->fd >= 0) close(r->fd);
    r->at = NULL;
    r->fd = -1;
}

static void *reply_room(void *user, size_t bytes)
{
    struct worker_reply *r = user;
    give_up_room(r);
    r->fd = memfd_create("heddle-tables", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (r->fd < 0 || ftruncate(r->fd, (off_t)bytes) != 0) return NULL;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    if (at == MAP_FAILED) return NULL;
    r->at = at;
    r->bytes = bytes;
    return at;
}

static void begin_engine(void *user, uint32_t engine)
{
    const struct worker_reply *r = user;
    send_note(&(struct hd_live_note){.kind = HD_LIVE_TRYING, .number = r->number, .engine = engine}, -1);
}

static void send_reply(void *user)
{
    struct worker_reply *r = user;
    munmap(r->at, r->bytes);
    r->at = NULL;
    if (fcntl(r->fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0)
        send_note(&(struct hd_live_note){.kind = HD_LIVE_REPLY, .number = r->number}, r->fd);
}

/* False at the end of the socket. *fd is the request's memory, or -1. */
static bool next_request(struct hd_live_note *note, int *fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {note, sizeof *note};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n;
    do n = recvmsg(SOCKET, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    const struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    *fd = -1;
    if (c && c->cmsg_type == SCM_RIGHTS) memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return n == (ssize_t)sizeof *note;
}

static hd_status answer_request(struct hd_live *live, uint32_t number, int fd)
{
    struct worker_reply reply = {.number = number, .fd = -1};
    const struct hd_live_port port = {reply_room, begin_engine, send_reply, &reply};
    struct stat st;
    hd_status s = HD_INPUT;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        const size_t bytes = (size_t)st.st_size;
        void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
        if (at != MAP_FAILED) {
            alarm(HD_LIVE_MOST_BUDGET); /* an endless loop ends even if OpenSM did before its deadline */
            s = hd_live_answer(live, at, bytes, &port);
            alarm(0);
            munmap(at, bytes);
        }
    }
    give_up_room(&reply);
    return s;
}

int main(void)
{
    struct hd_live live = {.ctx = hd_ctx_new(), .ebb = -1};
    struct hd_live_note note;
    int fd;
    struct stat st;
    if (!live.ctx || fstat(SOCKET, &st) != 0 || !S_ISSOCK(st.st_mode)) {
        fprintf(stderr, "heddle-opensm-worker: started by OpenSM's plug-in heddle-opensm, not by hand\n");
        hd_ctx_free(live.ctx);
        return 2;
    }
    hd_status s = HD_OK;
    while (s == HD_OK && next_request(&note, &fd)) {
        s = fd >= 0 && note.kind == HD_LIVE_REQUEST ? answer_request(&live, note.number, fd) : HD_OK;
        if (fd >= 0) close(fd);
    }
    if (s != HD_OK) fprintf(stderr, "heddle-opensm-worker: %s\n", hd_ctx_error(live.ctx));
    hd_live_release(&live);
    hd_ctx_free(live.ctx);
    return s == HD_OK ? 0 : 4;
}
