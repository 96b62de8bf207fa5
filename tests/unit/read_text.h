/* SPDX-License-Identifier: BSD-2-Clause */
/* Network files from memory, and parts of such files: a small one in three, which may come in any order. */
#ifndef READ_TEXT_H
#define READ_TEXT_H

#include "testing.h"

#include "net/io/fmt_ibnet.h"
#include "base/context.h"

/* Lines of iblinkinfo: between the ends of a cable, and the rest where a port has none. */
#define UP " ==( 4X 53.125 Gbps Active/ LinkUp)==> "
#define DOWN " ==( Down/ Polling)==>  [  ] \"\" ( )\n"

#define TWO_SWITCHES                                                                                                   \
    "switchguid=0x20\nSwitch 8 \"B\" # \"two\" enhanced port 0 lid 9 lmc 0\n[3] \"A\"[3]\n[2] \"H\"[2]\n\n"
#define FIRST                                                                                                          \
    "switchguid=0x10\nSwitch 4 \"A\" # \"one\" base port 0 lid 8 lmc 0\n[3] \"B\"[3] # \"two\" lid 9 4xEDR\n[1][ext "  \
    "3] "                                                                                                              \
    "\"H\"[1]\n\n"
#define HOST                                                                                                           \
    "sysimgguid=0x103\ncaguid=0x100\nCa 2 \"H\" # \"h\"\n[2](1ff) \"B\"[2] # lid 6 lmc 1 \"two\" lid 9 4xQDR\n[1] "    \
    "\"A\"[1][ext 2] # lid 5 lmc 0\n\n"

static inline hd_status read_bytes(struct hd_ctx *ctx, const void *bytes, size_t n, struct hd_net **net)
{
    struct hd_in *in;
    hd_status s = hd_in_memory(ctx, "x.net", bytes, n, &in);
    if (s != HD_OK) return s;
    s = hd_ibnet_read(ctx, in, "x.net", NULL, net);
    hd_in_close(in);
    return s;
}

static inline struct hd_net *read_text(const char *text)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = read_bytes(&ctx, text, strlen(text), &net);
    return checked(&ctx, s, net, text);
}

#endif
