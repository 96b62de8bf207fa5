/* SPDX-License-Identifier: BSD-2-Clause */
/* myrinet is the 512-node Clos network on which adaptive source routing was measured. From its text: 4 KiB packets that
 * take 3.28 us on a link of 10 Gb/s and 3.5 us in and out of a host, byte-level flow control, exchanges of 1 MiB
 * messages whose next one waits for both directions; a pause of 21 us makes the 1090 MiB/s of the ping-pong. Fitted, to
 * the means on 512 nodes: buffers of five packets, where the text says that a packet fits. Assumed: 150 ns a hop, and
 * a jitter of 0.3 us in hosts. infiniband is 4x QDR with hosts on PCIe 2.0 x8. */
#include "sim/sim_model.h"
#include "base/c_locale.h"
#include "base/status.h"
#include "net/core/link_usual.h"
#include "heddle/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct hd_model_opt, field)
#define NS 1e15

/* clang-format off */
/* One list of parameters; presets differ in the defaults alone. Those of LINK and of SENDERS are printed always, those
 * of SWITCH only where they matter (hd_model_print). */
#define LINK(packet_, link_, host_, wire_, hop_, buffer_, control_, go_, credit_, jitter_)                             \
     {"packet", HD_BYTES, packet_, "largest packet (MTU), bytes", AT(packet), 1, 1 << 24, NULL, false},                \
     {"link", HD_REAL, link_, "rate of a link, MB/s; 0: each cable's own", AT(link), 0, 1e6, NULL, false},             \
     {"host", HD_REAL, host_, "rate of a host, in and out, MB/s; 0: that of its cable", AT(host), 0, 1e6, NULL,        \
      false},                                                                                                          \
     {"wire", HD_UINT, wire_, "propagation, ns", AT(wire), 0, 1e6, NULL, false},                                       \
     {"hop", HD_UINT, hop_, "delay of a switch, ns", AT(hop), 0, 1e6, NULL, false},                                    \
     {"buffer", HD_BYTES, buffer_, "input buffer per VL, bytes", AT(buffer), 1, 1 << 30, NULL, false},                 \
     {"control", HD_WORD, control_,                                                                                    \
      "credit: a packet goes when it fits; stopgo: not after a STOP before the buffer has drained to go; byte: when "  \
      "it will fit as it arrives, since space comes back as bytes leave",                                              \
      AT(control), 0, 0, "credit|stopgo|byte", false},                                                                 \
     {"go", HD_BYTES, go_, "bytes left in the buffer when GO is sent", AT(go), 0, 1 << 30, NULL, false},               \
     {"credit", HD_UINT, credit_, "travel time of a credit or GO, ns", AT(credit), 0, 1e6, NULL, false},               \
     {"lanes", HD_UINT, "0", "virtual lanes, 0: as many as the table uses", AT(lanes), 0, 16, NULL, false},            \
     {"jitter", HD_UINT, jitter_, "largest deviation of the time per packet in a host, ns", AT(jitter), 0, 1e6, NULL,  \
      false}
#define SENDERS(gap_, progress_, messages_)                                                                            \
     {"gap", HD_UINT, gap_, "pause before the next message, ns", AT(gap), 0, NS, NULL, false},                         \
     {"progress", HD_WORD, progress_, "what the next message waits for", AT(progress), 0, 0,                           \
      "sent|received|exchange|stage", false},                                                                          \
     {"window", HD_UINT, "1", "concurrent messages per host", AT(window), 1, 1e9, NULL, false},                        \
     {"size", HD_BYTES, "1048576", "bytes of a message", AT(size), 1, 1e15, NULL, false},                              \
     {"messages", HD_UINT, messages_, "messages per flow", AT(messages), 1, 1e9, NULL, false},                         \
     {"lifetime", HD_UINT, "0", "a packet that waits longer in a switch is dropped, ns; 0: never", AT(lifetime), 0,    \
      NS, NULL, false},                                                                                                \
     {"duration", HD_UINT, "0", "senders never end and the run stops here, ns; 0: they end", AT(duration), 0, NS,      \
      NULL, false},                                                                                                    \
     {"warmup", HD_UINT, "0", "with duration: what arrives before does not count, ns", AT(warmup), 0, NS, NULL, false}
#define SWITCH(queue_, shared_, rate_)                                                                                 \
     {"queue", HD_WORD, queue_,                                                                                        \
      "fifo: one queue per input and VL; voq: one per output as well (virtual output queues); output: the same, and "  \
      "an input feeds all outputs at once",                                                                            \
      AT(queue), 0, 0, "fifo|voq|output", false},                                                                      \
     {"speedup", HD_UINT, "2", "queue=voq: outputs of the fastest rate that an input feeds at once", AT(speedup), 1,   \
      HD_MAX_PORTS, NULL, false},                                                                                      \
     {"arbiter", HD_WORD, "islip", "with voq and output, who goes first: islip, in turn; age: the packet sent first",  \
      AT(arbiter), 0, 0, "islip|age", false},                                                                          \
     {"rounds", HD_UINT, "4", "queue=voq: rounds in which inputs and outputs are matched", AT(rounds), 1,              \
      HD_MAX_PORTS, NULL, false},                                                                                      \
     {"shared", HD_BYTES, shared_,                                                                                     \
      "with voq and output: bytes of buffer per switch that all inputs share, beyond their own", AT(shared), 0,        \
      1 << 30, NULL, false},                                                                                           \
     {"load", HD_REAL, "0",                                                                                            \
      "with duration: each sender starts messages at random times (Poisson) that offer this share of its rate, each "  \
      "a random one of its pattern; 0: one after the other",                                                           \
      AT(load), 0, 16, NULL, false},                                                                                   \
     {"rate", HD_REAL, rate_, "link=0: rate of cables whose own is not known, MB/s; 0: it must be known", AT(rate), 0, \
      1e6, NULL, false}
/* DCQCN. From Zhu et al., SIGCOMM 2015: kmin, kmax, pmax, gain, timer, bytes, cnp, alpha, step (40 Mb/s). Assumed:
 * leap, ten steps, which that paper does not state. */
#define RATES                                                                                                          \
     {"kmin", HD_BYTES, "5000", "queue of an output from which on packets are marked, bytes; 0: never", AT(kmin), 0,   \
      1 << 30, NULL, false},                                                                                           \
     {"kmax", HD_BYTES, "200000", "queue beyond which every packet is marked, bytes", AT(kmax), 0, 1 << 30, NULL,      \
      false},                                                                                                          \
     {"pmax", HD_REAL, "0.01", "probability of a mark at kmax", AT(pmax), 0, 1, NULL, false},                          \
     {"cnp", HD_UINT, "50000", "least time between two notifications of a receiver to a flow, ns", AT(cnp), 0, NS,     \
      NULL, false},                                                                                                    \
     {"gain", HD_REAL, "0.00390625", "weight of a notification in alpha", AT(gain), 0, 1, NULL, false},                \
     {"alpha", HD_UINT, "55000", "time after which alpha decays, ns", AT(alpha), 1, NS, NULL, false},                  \
     {"timer", HD_UINT, "55000", "time after which a rate rises, ns", AT(timer), 1, NS, NULL, false},                  \
     {"bytes", HD_BYTES, "10000000", "bytes after which it rises", AT(bytes), 1, 1e15, NULL, false},                   \
     {"step", HD_REAL, "5", "additive increase, MB/s", AT(step), 0, 1e6, NULL, false},                                 \
     {"leap", HD_REAL, "50", "hyper increase, MB/s", AT(leap), 0, 1e6, NULL, false}
#define PARAMS(...) (const struct hd_param[]){__VA_ARGS__, {0}}
/* clang-format on */

const struct hd_model hd_model_myrinet = {
    .desc = {.name = "myrinet",
             .summary = "Myri-10G: source routes, 4 KiB packets, exchange of 1 MiB messages",
             .text = "Cut-through crossbars with input buffers of five packets, byte-level flow control, fair "
                     "arbitration, an output held for a packet. A host needs 3.5 us per packet, a link 3.28 us. "
                     "Partners exchange messages; the next one waits for both directions and 21 us, so a pair that is "
                     "alone gets 1090 MiB/s, the ceiling. The depth of the buffers is fitted to the published means on "
                     "512 nodes; the rest is from the text of the source or follows from its ceiling.",
             .cite = "Geoffray, Hoefler: Adaptive routing strategies for modern high performance networks",
             .params = PARAMS(LINK("4096", "1248.78", "1170.29", "10", "140", "20480", "byte", "0", "0", "300"),
                              SENDERS("21000", "exchange", "50"), SWITCH("fifo", "0", "0")),
             .examples = (const char *const[]){"myrinet", "myrinet:buffer=8192", NULL},
             .opt_size = sizeof(struct hd_model_opt)}};

const struct hd_model hd_model_infiniband = {
    .desc = {.name = "infiniband",
             .summary = "4x QDR: tables, VLs, 2 KiB packets, credits",
             .text = "Cut-through switches with input buffers of eight packets per VL and credits, links of 4000 MB/s, "
                     "hosts of 3250 MB/s. A host starts its next message when the last one has left it.",
             .cite = "Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global "
                     "collectives, section II",
             .params = PARAMS(LINK("2048", "4000", "3250", "10", "100", "16384", "credit", "0", "10", "0"),
                              SENDERS("0", "sent", "1"), SWITCH("fifo", "0", "0")),
             .examples = (const char *const[]){"infiniband", "infiniband:progress=stage", NULL},
             .opt_size = sizeof(struct hd_model_opt)}};

/* InfiniBand since QDR: links at the rates of the fabric, virtual output queues, credits. From product briefs: hop of
 * qdr, edr and hdr. From the specification: packet (MTU), rate, and buffer as the most that credits announce. Assumed:
 * hop of ndr and xdr, queues, speed-up and rounds, wire and credit (2 m of cable). docs/simulator.md has the table. */
#define INFINIBAND_PARAMS(packet_, hop_, buffer_, rate_)                                                               \
    PARAMS(LINK(packet_, "0", "0", "10", hop_, buffer_, "credit", "0", "10", "0"), SENDERS("0", "sent", "1"),          \
           SWITCH("voq", "0", rate_))
#define VOQ_TEXT                                                                                                       \
    " Rates are those of the fabric's links, and a host is as fast as its link. One queue per input, VL and output, "  \
    "speed-up 2. The depth of the buffers is not published: 128 KiB per VL is the most that link-level credits can "   \
    "announce (2,048 blocks of 64 bytes). "

const struct hd_model hd_model_qdr = {
    .desc = {.name = "qdr",
             .summary = "InfiniBand 4x QDR: rates of the fabric, VOQ, 2 KiB packets",
             .text = "InfiniScale IV: 100 ns port to port." VOQ_TEXT "The model infiniband has the same links with one "
                     "queue per input and the slower hosts of its time.",
             .cite = "Mellanox: InfiniScale IV product brief; InfiniBand Architecture Specification 1.3, volume 1, 7.9",
             .params = INFINIBAND_PARAMS("2048", "100", "131072", "4000"),
             .examples = (const char *const[]){"qdr", "qdr:queue=fifo", NULL},
             .opt_size = sizeof(struct hd_model_opt)}};

const struct hd_model hd_model_edr = {
    .desc = {.name = "edr",
             .summary = "InfiniBand 4x EDR: rates of the fabric, VOQ, 4 KiB packets",
             .text = "Switch-IB: 90 ns port to port." VOQ_TEXT,
             .cite = "Mellanox: Switch-IB product brief; InfiniBand Architecture Specification 1.3, volume 1, 7.9",
             .params = INFINIBAND_PARAMS("4096", "90", "131072", "12500"),
             .examples = (const char *const[]){"edr", "edr:speedup=1", NULL},
             .opt_size = sizeof(struct hd_model_opt)}};

const struct hd_model hd_model_hdr = {
    .desc = {.name = "hdr",
             .summary = "InfiniBand 4x HDR: rates of the fabric, VOQ, 4 KiB packets",
             .text = "Quantum: 130 ns port to port." VOQ_TEXT,
             .cite = "Mellanox: Quantum product brief; InfiniBand Architecture Specification 1.3, volume 1, 7.9",
             .params = INFINIBAND_PARAMS("4096", "130", "131072", "25000"),
             .examples = (const char *const[]){"hdr", "hdr:queue=voq", "hdr:queue=output", NULL},
             .opt_size = sizeof(struct hd_model_opt)}};

const struct hd_model hd_model_ndr = {
    .desc = {.name = "ndr",
             .summary = "InfiniBand 4x NDR: rates of the fabric, VOQ, 4 KiB packets",
             .text = "Quantum-2. Its delay is not published; that of Quantum is assumed." VOQ_TEXT,
             .cite = "InfiniBand Architecture Specification 1.3, volume 1, 7.9",
             .params = INFINIBAND_PARAMS("4096", "130", "131072", "50000"),
             .examples = (const char *const[]){"ndr", NULL},
             .opt_size = sizeof(struct hd_model_opt)}};

const struct hd_model hd_model_xdr = {
    .desc = {.name = "xdr",
             .summary = "InfiniBand 4x XDR: rates of the fabric, VOQ, 4 KiB packets",
             .text = "Quantum-X800. Its delay is not published; that of Quantum is assumed." VOQ_TEXT,
             .cite = "InfiniBand Architecture Specification 1.3, volume 1, 7.9",
             .params = INFINIBAND_PARAMS("4096", "130", "131072", "100000"),
             .examples = (const char *const[]){"xdr", NULL},
             .opt_size = sizeof(struct hd_model_opt)}};

const struct hd_model hd_model_roce = {
    .desc = {.name = "roce",
             .summary = "RoCE on Ethernet: rates of the fabric, output queues, PFC, ECN and DCQCN, flows hashed",
             .text = "Output queues as of Spectrum: 300 ns port to port, 16 MiB of buffer, here 512 KiB for each of 32 "
                     "ports. PFC is STOP and GO per port: STOP when less than a packet fits, GO four packets later; "
                     "headroom is not modelled, since nothing is sent after a STOP. Marks, notifications and rates are "
                     "those of DCQCN with its published constants, which were chosen at 40 Gb/s; the hyper increase "
                     "is ten times the additive one, as in QCN. Without --select, switches hash flows (ecmp). There "
                     "is no loss and no go-back-N, headers are not counted, and notifications take the time of an "
                     "empty network.",
             .cite =
                 "Zhu et al.: Congestion control for large-scale RDMA deployments; Mellanox: Spectrum product brief",
             .params = PARAMS(LINK("4096", "0", "0", "10", "300", "524288", "stopgo", "507904", "10", "0"),
                              SENDERS("0", "sent", "1"), SWITCH("output", "0", "12500"), RATES),
             .examples = (const char *const[]){"roce", "roce:kmin=0", NULL},
             .opt_size = sizeof(struct hd_model_opt)},
    .selector = "ecmp"};

const struct hd_model hd_model_uec = {
    .desc = {.name = "uec",
             .summary = "Ultra Ethernet: rates of the fabric, output queues, credits, packets sprayed",
             .text =
                 "Senders give every packet its own entropy value and switches hash it, so packets are sprayed over "
                 "the shortest paths (without --select: ecmp:fields=packet). Links have the optional credit-based "
                 "flow control. Left out: packet trimming and loss with their retransmission, congestion control "
                 "(NSCC, RCCC) with its avoidance of congested paths, headers and acknowledgements. Incast and "
                 "overload therefore spread through buffers, which trimming and NSCC prevent: the model is for "
                 "patterns without them. Buffers and delay are assumed to be those of the model roce.",
             .cite = "Ultra Ethernet Specification 1.0; Dixit, Prakash, Hu, Kompella: On the impact of packet spraying "
                     "in data center networks",
             .params = PARAMS(LINK("4096", "0", "0", "10", "300", "524288", "credit", "0", "10", "0"),
                              SENDERS("0", "sent", "1"), SWITCH("output", "0", "100000")),
             .examples = (const char *const[]){"uec", "uec:buffer=128K", NULL},
             .opt_size = sizeof(struct hd_model_opt)},
    .selector = "ecmp:fields=packet"};

double hd_model_rate(const struct hd_model_opt *m, uint8_t link)
{
    double own = hd_link_mbps(link) / 8.0;
    return m->link > 0 ? m->link : own > 0 ? own : m->rate;
}

const char *hd_model_fitting(const struct hd_model *model, const struct hd_model_opt *m, const struct hd_net *net)
{
    static const struct {
        const struct hd_model *model;
        uint32_t lane; /* Mb/s */
    } rows[] = {{&hd_model_qdr, 8000},
                {&hd_model_edr, 25000},
                {&hd_model_hdr, 50000},
                {&hd_model_ndr, 100000},
                {&hd_model_xdr, 200000}};
    uint32_t fastest = 0;
    const char *fits = NULL;
    bool named = false;
    for (uint32_t c = 0; c < net->nchan; c++) {
        const uint32_t lanes = (uint32_t)strtoul(hd_link_name(net->link[c]), NULL, 10);
        const uint32_t lane = lanes ? hd_link_mbps(net->link[c]) / lanes : 0;
        fastest = lane > fastest ? lane : fastest;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool same = rows[i].model == model;
        named = named || same;
        if (same && rows[i].lane == fastest) return NULL;
        if (rows[i].lane == fastest) fits = rows[i].model->desc.name;
    }
    return named && m->link <= 0 ? fits : NULL;
}

/* The rate that most endpoints have. */
static uint8_t model_link(const struct hd_net *net)
{
    uint32_t count[HD_LINK_CODES] = {0};
    for (uint32_t e = 0; e < net->nep; e++) count[net->link[net->off[net->nsw + e]]]++;
    return hd_link_usual(count, NULL);
}

const char *hd_sim_model(const struct hd_net *net, double *packet_ns)
{
    static const struct {
        const char *model;
        double mbps, packet; /* of a lane; bytes */
    } models[] = {
        {"qdr", 8000, 2048}, {"edr", 25000, 4096}, {"hdr", 50000, 4096}, {"ndr", 100000, 4096}, {"xdr", 200000, 4096}};
    const double usual = 100000; /* Mb/s where the rate is not known: as of edr */
    const uint8_t link = model_link(net);
    const char *name = hd_link_name(link);
    double mbps = hd_link_mbps(link), width = hd_strtod(name, NULL);
    size_t i = *name ? 0 : 1;
    while (*name && i + 1 < sizeof models / sizeof *models && mbps / width > models[i].mbps) i++;
    if (packet_ns) *packet_ns = models[i].packet * 8000 / (mbps > 0 ? mbps : usual);
    return models[i].model;
}

uint64_t hd_model_time(uint64_t bytes, double rate)
{
    double ns = floor((double)bytes * 1000 / rate + 0.5);
    return ns < 1 ? 1 : ns > 1e18 ? (uint64_t)1e18 : (uint64_t)ns;
}

static hd_status model_check_queues(struct hd_ctx *ctx, const struct hd_model_opt *m)
{
    if (m->shared && m->queue == HD_FIFO)
        return hd_fail(ctx, HD_INPUT, "shared=%llu: expected queue=voq or queue=output", (unsigned long long)m->shared);
    if (m->shared && m->control != HD_CREDIT) return hd_fail(ctx, HD_INPUT, "shared: expected control=credit");
    if (m->kmin && m->queue == HD_FIFO) return hd_fail(ctx, HD_INPUT, "queue=fifo: expected kmin=0, no marks");
    if (m->kmin && m->kmax < m->kmin)
        return hd_fail(ctx, HD_INPUT, "kmax=%llu: expected at least kmin (%llu bytes)", (unsigned long long)m->kmax,
                       (unsigned long long)m->kmin);
    if (m->control == HD_BYTEWISE && m->queue != HD_FIFO)
        return hd_fail(ctx, HD_INPUT, "control=byte: expected queue=fifo, whose buffers have one packet leaving");
    return HD_OK;
}

hd_status hd_model_check(struct hd_ctx *ctx, const struct hd_model_opt *m)
{
    if (m->buffer < m->packet)
        return hd_fail(ctx, HD_INPUT, "buffer=%llu: expected room for a packet (%llu bytes)",
                       (unsigned long long)m->buffer, (unsigned long long)m->packet);
    if (m->control == HD_STOPGO && m->go > m->buffer - m->packet)
        return hd_fail(ctx, HD_INPUT, "go=%llu: expected at most buffer - packet (%llu bytes)",
                       (unsigned long long)m->go, (unsigned long long)(m->buffer - m->packet));
    if (m->control == HD_BYTEWISE && m->credit)
        return hd_fail(ctx, HD_INPUT, "credit=%llu: expected 0 with control=byte, which acts at once",
                       (unsigned long long)m->credit);
    uint64_t time = m->host > 0 ? hd_model_time(m->packet, m->host) : 0;
    if (m->jitter && m->host <= 0) return hd_fail(ctx, HD_INPUT, "jitter needs the rate of a host");
    if (m->jitter >= time && m->jitter)
        return hd_fail(ctx, HD_INPUT, "jitter=%llu: expected less than a packet takes in a host (%llu ns)",
                       (unsigned long long)m->jitter, (unsigned long long)time);
    if (m->duration && m->warmup >= m->duration)
        return hd_fail(ctx, HD_INPUT, "warmup=%llu: expected less than duration (%llu ns)",
                       (unsigned long long)m->warmup, (unsigned long long)m->duration);
    if (m->warmup && !m->duration) return hd_fail(ctx, HD_INPUT, "warmup needs duration");
    if (m->load > 0 && !m->duration) return hd_fail(ctx, HD_INPUT, "load needs duration");
    if (m->duration && m->progress != HD_ON_SENT)
        return hd_fail(ctx, HD_INPUT, "duration: expected progress=sent, since messages never end");
    return model_check_queues(ctx, m);
}

/* The word at index i of "a|b|c". */
static void print_word(char *text, size_t size, const char *words, int i)
{
    for (; i > 0; i--) words += strcspn(words, "|") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(words, "|"), words);
}

void hd_model_print(const struct hd_desc *desc, const struct hd_model_opt *m, char *text, size_t size)
{
    size_t at = 0;
    *text = 0;
    bool fifo = m->queue == HD_FIFO, of_switch = false;
    for (const struct hd_param *p = desc->params; p->name && at < size; p++) {
        of_switch = of_switch || p->offset == AT(queue);
        const char *field = (const char *)m + p->offset;
        char value[32];
        if (p->kind == HD_UINT || p->kind == HD_BYTES)
            snprintf(value, sizeof value, "%llu", (unsigned long long)*(const uint64_t *)(const void *)field);
        else if (p->kind == HD_REAL)
            hd_format(value, sizeof value, "%.9g", *(const double *)(const void *)field);
        else
            print_word(value, sizeof value, p->words, *(const int *)(const void *)field);
        if (fifo && of_switch && strcmp(value, p->value) == 0) continue;
        int n = snprintf(text + at, size - at, "%s%s=%s", at ? "," : "", p->name, value);
        if (n < 0) return;
        at += (size_t)n;
    }
}
