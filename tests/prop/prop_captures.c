/* SPDX-License-Identifier: BSD-2-Clause */
/* What terminals do to the output of ibnetdiscover does not change the network: files of generated networks get
 * banners, prompts, typed commands, warnings, pager lines, colours, other line ends and other tabs at random, and lose
 * lines at both ends, ten times each; the network that is read has the hash of the clean one. What is lost inside, or
 * what is changed inside a record, is refused with its line. */
#include "testing.h"

#include "base/rng.h"
#include "net/core/net_hash.h"
#include "net/io/fmt_ibnet.h"

#include <stdio.h>

enum { VARIANTS = 10 };

static const char *const specs[] = {"ft:m=8,n=2",    "ft:m=6,n=3",        "torus:dims=3x4,hosts=2",
                                    "hypercube:n=4", "dragonfly:a=4,h=2", "random:switches=20,ports=10,hosts=3"};

/* ---- text that grows ----------------------------------------------------------------------- */

struct text {
    char *s;
    size_t n, room;
};

static void put(struct text *t, const char *s, size_t n)
{
    if (t->n + n >= t->room) {
        t->room = 2 * (t->n + n + 1);
        t->s = realloc(t->s, t->room);
        assert_non_null(t->s);
    }
    memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = 0;
}

static void puts_to(struct text *t, const char *s)
{
    put(t, s, strlen(s));
}

/* ---- what a capture does ------------------------------------------------------------------- */

struct dirt {
    struct hd_rng rng;
    const char *newline, *tab;
    bool colours, pager, warnings, mark;
    size_t front, back; /* lines lost */
};

static bool once_in(struct dirt *d, uint32_t n)
{
    return hd_rng_below(&d->rng, n) == 0;
}

static const char *one_of(struct dirt *d, const char *const *words, uint32_t n)
{
    return words[hd_rng_below(&d->rng, n)];
}

#define ONE_OF(d, ...)                                                                                                 \
    one_of(d, (const char *const[]){__VA_ARGS__},                                                                      \
           (uint32_t)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

static void stray_line(struct dirt *d, struct text *t, const char *line)
{
    puts_to(t, line);
    puts_to(t, d->newline);
}

static void banner(struct dirt *d, struct text *t)
{
    if (once_in(d, 2)) stray_line(d, t, "=~=~=~=~=~=~= PuTTY log 2021.06.15 12:06:05 =~=~=~=~=~=~=");
    if (once_in(d, 2)) stray_line(d, t, "Last login: Tue Jun 15 11:58:12 2021 from 10.1.2.3");
    if (once_in(d, 3)) stray_line(d, t, "Welcome to the fabric manager. Switch off the light when you leave.");
    if (once_in(d, 3)) stray_line(d, t, "");
    stray_line(d, t,
               ONE_OF(d, "[root@ufm ~]# ibnetdiscover", "root@ufm:~# ibnetdiscover",
                      "ufm [ mgmt ] (config) # fae ibnet", "admin@head01$ LANG=C ibnetdiscover",
                      "% ibnetdiscover | more"));
}

static void farewell(struct dirt *d, struct text *t)
{
    puts_to(t, ONE_OF(d, "[root@ufm ~]# ", "root@ufm:~# exit", "ufm [ mgmt-ha-active ] (config) # ", "admin@head01$",
                      "Script done on 2021-06-15", "logout"));
    if (once_in(d, 2)) puts_to(t, d->newline);
    if (once_in(d, 3)) stray_line(d, t, "Connection to ufm closed.");
}

static const char *warning(struct dirt *d)
{
    return ONE_OF(d, "ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (DR path slid 65535; dlid 65535; 0,1,3)",
                  "src/query_smp.c:188; Not all SMPs were answered; Connection timed out", "-W- lid 12: no answer",
                  "ibpanic: [77] main: discover failed", "ibnetdiscover: iberror: failed: x",
                  "libibumad: cannot read the device");
}

/* One line of the clean file. */
static void dirty_line(struct dirt *d, struct text *t, const char *line, size_t len)
{
    if (d->warnings && once_in(d, 15)) stray_line(d, t, warning(d));
    if (d->pager && once_in(d, 20))
        puts_to(t, ONE_OF(d, "--More--\r        \r", "--More--(7%)\r\033[K", "\033[7m--More--\033[m\r\033[K"));
    if (d->pager && once_in(d, 40)) stray_line(d, t, "--More--");
    if (d->colours && once_in(d, 3)) puts_to(t, "\033[0m");
    for (size_t i = 0; i < len; i++)
        if (line[i] == '\t')
            puts_to(t, d->tab);
        else
            put(t, line + i, 1);
    if (d->colours && once_in(d, 3)) puts_to(t, "\033[K");
    puts_to(t, d->newline);
}

static struct text dirty(const char *clean, struct dirt *d)
{
    struct text t = {0};
    size_t at = 0, line = 0, lines = 0;
    for (const char *s = clean; (s = strchr(s, '\n')); s++) lines++;
    if (d->mark) puts_to(&t, "\xef\xbb\xbf");
    banner(d, &t);
    for (; clean[at]; line++) {
        size_t len = strcspn(clean + at, "\n");
        if (line >= d->front && line + d->back < lines) dirty_line(d, &t, clean + at, len);
        at += len + 1;
    }
    farewell(d, &t);
    return t;
}

/* Lines before the first Switch line, and lines after the first that belongs to an adapter. */
static size_t lines_before(const char *text, const char *word)
{
    size_t n = 0;
    const char *end = strstr(text, word);
    assert_non_null(end);
    for (const char *s = text; s < end; s++) n += *s == '\n';
    return n;
}

static struct dirt draw(uint64_t seed, uint64_t variant, const char *clean)
{
    struct dirt d;
    hd_rng_init(&d.rng, seed, HD_RNG_TEST, variant);
    d.newline = ONE_OF(&d, "\n", "\r\n", "\r\r\n");
    d.tab = ONE_OF(&d, "\t", " ", "        ", "");
    d.colours = once_in(&d, 3);
    d.pager = once_in(&d, 3);
    d.warnings = once_in(&d, 2);
    d.mark = once_in(&d, 3);
    size_t lines = 0, front = lines_before(clean, "\nSwitch") + 1;
    for (const char *s = clean; *s; s++) lines += *s == '\n';
    size_t back = lines - lines_before(clean, "\ncaguid") - 2;
    d.front = once_in(&d, 2) ? hd_rng_below(&d.rng, (uint32_t)front + 1) : 0;
    d.back = once_in(&d, 2) ? hd_rng_below(&d.rng, (uint32_t)back + 1) : 0;
    if (!d.colours && !d.pager && once_in(&d, 4)) d.newline = "\r";
    return d;
}

/* ---- reading ------------------------------------------------------------------------------- */

static hd_status read_bytes(struct hd_ctx *ctx, const char *bytes, size_t n, struct hd_net **net)
{
    struct hd_in *in;
    hd_status s = hd_in_memory(ctx, "capture", bytes, n, &in);
    if (s != HD_OK) return s;
    s = hd_ibnet_read(ctx, in, "capture", NULL, net);
    hd_in_close(in);
    return s;
}

static uint64_t hash_of(const char *bytes, size_t n, const char *what, uint64_t variant)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = read_bytes(&ctx, bytes, n, &net);
    if (s != HD_OK) fail_msg("%s, variant %d: %s\n%.3000s", what, (int)variant, ctx.error, bytes);
    uint64_t hash = hd_net_hash(checked(&ctx, s, net, what));
    hd_net_free(net);
    return hash;
}

static char *written(const char *spec)
{
    struct hd_ctx ctx;
    struct hd_out *o;
    struct hd_net *net = make_net(spec);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    assert_int_equal(hd_net_write(&ctx, net, "ibnet", o), HD_OK);
    char *copy = strdup(hd_out_text(o, NULL));
    assert_non_null(copy);
    hd_out_drop(o);
    hd_net_free(net);
    return copy;
}

static void captures_read_as_clean_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        char *clean = written(specs[i]);
        uint64_t hash = hash_of(clean, strlen(clean), specs[i], 0);
        for (uint64_t v = 0; v < VARIANTS; v++) {
            struct dirt d = draw(i, v, clean);
            struct text t = dirty(clean, &d);
            if (hash_of(t.s, t.n, specs[i], v) != hash)
                fail_msg("%s, variant %d: another network\n%.3000s", specs[i], (int)v, t.s);
            free(t.s);
        }
        free(clean);
    }
}

/* The text with a word before what is at `at`, or without the line there, is refused. */
static void refused_at(const char *clean, size_t at, size_t len)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    struct text t = {0};
    hd_ctx_init(&ctx);
    put(&t, clean, at);
    puts_to(&t, "garbled ");
    puts_to(&t, clean + at);
    assert_int_equal(read_bytes(&ctx, t.s, t.n, &net), HD_INPUT);
    assert_non_null(strstr(ctx.error, "'garbled': expected"));
    t.n = at;
    puts_to(&t, clean + at + len + 1);
    assert_int_equal(read_bytes(&ctx, t.s, t.n, &net), HD_INPUT);
    free(t.s);
}

/* Between the first line of the first switch and that of the last one, every line matters. */
static void damage_inside_is_refused(void **state)
{
    (void)state;
    char *clean = written(specs[0]);
    uint32_t tried = 0, switches = 0;
    for (size_t at = 0, len; clean[at] && switches < 8; at += len + 1) {
        len = strcspn(clean + at, "\n");
        bool header = strncmp(clean + at, "Switch", 6) == 0;
        switches += header;
        if (!header && clean[at] != '[') continue;
        refused_at(clean, at, len);
        tried++;
    }
    assert_in_range(tried, 50, 80);
    free(clean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captures_read_as_clean_files),
        cmocka_unit_test(damage_inside_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
