/* SPDX-License-Identifier: BSD-2-Clause */
/* What the writers of networks put down: every node and cable once, odd names escaped, the same bytes twice. Readers
 * we did not write look at the same formats in tests/golden/formats.sh. */
#include "writer_tools.h"

#include "base/escape.h"
#include "draw/draw.h"
#include "net/core/subtrees.h"
#include "base/context.h"

/* ---- text ---------------------------------------------------------------------------------- */

static void all_utf8(const char *text)
{
    for (const char *p = text; *p;) {
        size_t n = hd_utf8(p);
        if (n == 0) fail_msg("not UTF-8 at: %.60s", p);
        p += n;
    }
}

/* ---- all formats --------------------------------------------------------------------------- */

static const char *const formats[] = {"dot", "graphml", "json", "slurm", "slurm-yaml", "svg"};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static void formats_have_names(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < FORMATS; k++) {
        size_t i = 0;
        const struct hd_net_format *f;
        while ((f = hd_net_format_at(i)) && strcmp(f->name, formats[k]) != 0) i++;
        if (!f) fail_msg("no format '%s'", formats[k]);
        assert_true(strlen(f->summary) > 8);
    }
}

static void unknown_format(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_out *o;
    struct hd_net *net = make_net("gft:n=1,m=1,r=1");
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    assert_int_equal(hd_net_write(&ctx, net, "graphlm", o), HD_USAGE);
    has(ctx.error, "graphml");
    hd_out_drop(o);
    hd_net_free(net);
}

static void same_bytes_twice(void **state)
{
    (void)state;
    struct hd_net *a, *b;
    for (uint32_t i = 0; (a = sample(i)); i++) {
        b = sample(i);
        for (uint32_t k = 0; k < FORMATS; k++) {
            if (a->nsel == 0 && strncmp(formats[k], "slurm", 5) == 0) continue;
            char *x = text_of(a, formats[k]), *y = text_of(b, formats[k]);
            all_utf8(x);
            if (strcmp(x, y) != 0) fail_msg("%s: %s differs between two runs", a->spec, formats[k]);
            assert_true(x[strlen(x) - 1] == '\n');
            free(x);
            free(y);
        }
        hd_net_free(a);
        hd_net_free(b);
    }
}

static uint32_t levels_of(const struct hd_net *net)
{
    bool seen[256] = {false};
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        n += net->level[v] != HD_NO_LEVEL && !seen[net->level[v]];
        seen[net->level[v]] = true;
    }
    return n;
}

static void nodes_and_cables_once(void **state)
{
    (void)state;
    struct hd_net *net;
    for (uint32_t i = 0; (net = sample(i)); i++) {
        uint32_t nodes = net->nsw + net->nep, cables = net->nchan / 2;
        char *dot = text_of(net, "dot"), *graphml = text_of(net, "graphml"), *json = text_of(net, "json");
        assert_int_equal(occurrences(dot, "[label="), nodes);
        assert_int_equal(occurrences(dot, " -- "), cables);
        bool all_levels = levels_of(net) > 0 && hd_top_level(net) != HD_NO_LEVEL;
        if (all_levels) assert_int_equal(occurrences(dot, "rank=same"), levels_of(net) + (net->nep > 0));
        assert_int_equal(occurrences(graphml, "<node "), nodes);
        assert_int_equal(occurrences(graphml, "<edge "), cables);
        assert_int_equal(occurrences(graphml, "key=\"guid\">0x"), nodes);
        assert_int_equal(occurrences(json, "\"id\":"), nodes);
        assert_int_equal(occurrences(json, "\"source\":"), cables);
        assert_int_equal(occurrences(json, "\"guid\": \"0x"), nodes);
        assert_int_equal(occurrences(json, "\"selected\": true"), net->nsel);
        has(json, "\"schema\": 1,");
        has(json, "\"multigraph\": true,");
        free(dot);
        free(graphml);
        free(json);
        hd_net_free(net);
    }
}

static void parallel_cables_apart(void **state)
{
    (void)state;
    struct hd_net *net = make_net("pgft:m=4x4,w=1x2,p=1x2");
    char *json = text_of(net, "json"), *dot = text_of(net, "dot");
    assert_int_equal(occurrences(json, "\"key\": 1,"), 8);
    assert_int_equal(occurrences(dot, "s4 -- s0 "), 2);
    has(dot, "s4 -- s0 [taillabel=1, headlabel=5, rate=\"4xEDR\"]");
    has(dot, "s4 -- s0 [taillabel=5, headlabel=7, rate=\"4xEDR\"]");
    free(json);
    free(dot);
    hd_net_free(net);
}

/* ---- odd names ----------------------------------------------------------------------------- */

static void odd_names_escaped(void **state)
{
    (void)state;
    struct hd_net *net = odd_names();
    char *dot = text_of(net, "dot"), *graphml = text_of(net, "graphml"), *json = text_of(net, "json"),
         *svg = text_of(net, "svg");
    has(dot, "label=\"quote\\\"back\\\\slash\"");
    has(dot, "label=\"less<amp&amp;amp;\"");
    has(dot, "label=\"new\\nline\"");
    has(dot, "label=\"bad\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdutf8\"");
    has(dot, "label=\"?tab?\"");
    has(dot, "label=\"MF0;sharp <&\\\"'> sw:MQM8700/U1\"");
    has(graphml, "<data key=\"name\">quote&quot;back\\slash</data>");
    has(graphml, "<data key=\"name\">less&lt;amp&amp;amp;</data>");
    has(graphml, "<data key=\"name\">new&#10;line</data>");
    has(graphml, "<data key=\"name\">bad\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdutf8</data>");
    has(graphml, "<data key=\"name\">\xef\xbf\xbdtab&#9;</data>");
    has(json, "\"name\": \"quote\\\"back\\\\slash\"");
    has(json, "\"name\": \"new\\u000aline\"");
    has(json, "\"name\": \"bad\\ufffd\\ufffd\\ufffdutf8\"");
    has(json, "\"name\": \"\\u0001tab\\u0009\"");
    has(svg, "quote&quot;back\\slash");
    has(svg, "<title id=\"hd-title\">odd &lt;names&gt; &amp; &quot;quotes&quot;&#10;</title>");
    char *all[] = {dot, graphml, json, svg};
    for (size_t i = 0; i < 4; i++) {
        all_utf8(all[i]);
        lacks(all[i], "\x01");
        free(all[i]);
    }
    hd_net_free(net);
}

/* ---- drawings ------------------------------------------------------------------------------ */

static void numbers_without_locale(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_out *o;
    char text[HD_DRAW_COUNT];
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    hd_draw_number(o, 0);
    hd_puts(o, " ");
    hd_draw_number(o, 1234);
    hd_puts(o, " ");
    hd_draw_number(o, -50);
    hd_puts(o, " ");
    hd_draw_number(o, -7);
    assert_string_equal(hd_out_text(o, NULL), "0 123.4 -5 -0.7");
    assert_string_equal(hd_draw_count(text, 7), "7");
    assert_string_equal(hd_draw_count(text, 4294967295u), "4,294,967,295");
    hd_out_drop(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_have_names),     cmocka_unit_test(unknown_format),
        cmocka_unit_test(same_bytes_twice),       cmocka_unit_test(nodes_and_cables_once),
        cmocka_unit_test(parallel_cables_apart),  cmocka_unit_test(odd_names_escaped),
        cmocka_unit_test(numbers_without_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
