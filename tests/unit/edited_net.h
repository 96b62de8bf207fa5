/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks of which a test keeps some switches, endpoints or channels. */
#ifndef EDITED_NET_H
#define EDITED_NET_H

#include "testing.h"

#include "net/edit/net_with.h"

/* NULL keeps all of a kind. */
struct keep {
    const bool *sw, *ep, *chan;
    const char *rails;
};

static inline struct hd_net *net_keeping(const struct hd_net *net, struct keep keep, const char *spec)
{
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    struct hd_net_changes changes = {.spec = spec, .rails = keep.rails};
    struct hd_net *out = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_remaining_init(&ctx, &arena, net, &changes.remaining), HD_OK);
    if (keep.sw) memcpy(changes.remaining.sw, keep.sw, net->nsw);
    if (keep.ep) memcpy(changes.remaining.ep, keep.ep, net->nep);
    if (keep.chan) memcpy(changes.remaining.chan, keep.chan, net->nchan);
    hd_remaining_close(net, &changes.remaining);
    hd_status s = hd_net_with(&ctx, net, &changes, &out);
    hd_arena_release(&arena);
    return checked(&ctx, s, out, spec);
}

#endif
