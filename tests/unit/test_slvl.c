/* SPDX-License-Identifier: BSD-2-Clause */
/* SL2VL and VL2VL tables in ibdiagnet's folder, written here in both forms that are known. On a ring with shortest
 * paths of two cables, a VL that depends on the port of arrival breaks the credit loop whatever service levels pairs
 * use; the same tables with one entry changed do not. */
#include "testing.h"

#include <string.h>
#include <stdio.h>
#include <unistd.h>

enum { RING = 5 };

static char folder[] = "/tmp/heddle-test-slvl.XXXXXX", noted[1024];

static void keep_note(void *user, const char *text)
{
    (void)user;
    snprintf(noted, sizeof noted, "%s", text);
}

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/ibdiagnet2.%s", folder, name);
    return path;
}

static void write_table(const struct hd_routes *r, const char *format)
{
    struct hd_ctx ctx;
    struct hd_out *o;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_open(&ctx, in_folder(format), &o), HD_OK);
    assert_int_equal(hd_routes_write(&ctx, r, format, o), HD_OK);
    assert_int_equal(hd_out_close(&ctx, o), HD_OK);
}

/* Between switches 4 and 0 is the cable after which VL 1 is taken; `but`: not by packets into this switch. */
static uint32_t ring_lane(const struct hd_net *net, uint32_t in, uint32_t out, uint32_t but)
{
    const uint32_t v = net->tail[out], from = net->head[in], to = net->head[out];
    if (from >= net->nsw || to >= net->nsw || v == but) return 0;
    return (from == RING - 1 && v == 0) || (from == 0 && v == RING - 1);
}

static void write_slvl(const struct hd_net *net, const char *name, bool opensm, uint32_t but)
{
    FILE *f = fopen(in_folder(name), "w");
    fprintf(f, "# SLVL tables\nFile version: 1\n");
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (opensm) fprintf(f, "Switch 0x%016llx, base LID 1, \"x\"\n", (unsigned long long)net->guid[v]);
        for (uint32_t in = net->off[v]; in < net->off[v + 1]; in++)
            for (uint32_t out = net->off[v]; out < net->off[v + 1]; out++) {
                const uint32_t vl = ring_lane(net, in, out, but);
                if (!opensm) fprintf(f, "0x%llx ", (unsigned long long)net->guid[v]);
                fprintf(f, "%u %u%s", net->port[in], net->port[out], opensm ? " :" : "");
                for (int sl = 0; sl < 16; sl += 2) fprintf(f, opensm ? " %u %u" : " 0x%X%X", vl, vl);
                fprintf(f, "\n");
            }
    }
    fclose(f);
}

static void write_text(const char *name, const char *text)
{
    FILE *f = fopen(in_folder(name), "w");
    fputs(text, f);
    fclose(f);
}

static struct hd_check check_folder(const struct hd_net *net)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    struct hd_check k;
    hd_ctx_init(&ctx);
    hd_ctx_set_note(&ctx, keep_note, NULL);
    *noted = 0;
    assert_int_equal(hd_routes_open(&ctx, net, folder, &r), HD_OK);
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    hd_routes_free(r);
    return k;
}

static void vls_by_port_break_the_ring(void **state)
{
    struct hd_net *net = make_net("torus:dims=5,hosts=2");
    struct hd_routes *r = make_routes(net, "minhop");
    (void)state;
    for (int far = 0; far < 2; far++) {
        write_table(r, far ? "far" : "fdbs");
        unlink(in_folder("slvl"));
        assert_int_equal(check_folder(net).deadlock_free, 0);
        for (int opensm = 0; opensm < 2; opensm++) {
            write_slvl(net, "slvl", opensm, UINT32_MAX);
            struct hd_check k = check_folder(net);
            assert_int_equal(k.deadlock_free, 1);
            assert_int_equal(k.lanes, 2);
            assert_true(k.any_level && !k.adaptive && !k.ncycle && !hd_check_faulty(&k)); /* no group of ports */
            write_slvl(net, "slvl", opensm, 0);
            k = check_folder(net);
            assert_int_equal(k.deadlock_free, -1);
            assert_true(!k.any_level && k.ncycle);
        }
    }
    unlink(in_folder("slvl"));
    unlink(in_folder("far"));
    unlink(in_folder("fdbs"));
    hd_routes_free(r);
    hd_net_free(net);
}

static void vl2vl_tables_are_looked_at(void **state)
{
    struct hd_net *net = make_net("torus:dims=5,hosts=2");
    struct hd_routes *r = make_routes(net, "minhop");
    (void)state;
    write_table(r, "fdbs");
    write_slvl(net, "slvl", false, UINT32_MAX);
    char line[128];
    snprintf(line, sizeof line, "0x%llx 1 2 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xef\n",
             (unsigned long long)net->guid[0]);
    write_text("vl2vl", line);
    assert_int_equal(check_folder(net).deadlock_free, 1);
    line[24] ^= 1;
    write_text("vl2vl", line);
    assert_int_equal(check_folder(net).deadlock_free, -1);
    assert_non_null(strstr(noted, "VLs change by the VL of arrival: VLs are unknown"));
    write_text("vl2vl", "something else\n");
    assert_int_equal(check_folder(net).deadlock_free, -1);
    assert_non_null(strstr(noted, "VL2VL tables in a form that is not known: VLs are unknown"));
    unlink(in_folder("vl2vl"));
    unlink(in_folder("slvl"));
    unlink(in_folder("fdbs"));
    hd_routes_free(r);
    hd_net_free(net);
}

static void bad_tables_are_refused(void **state)
{
    static const char *const bad[][2] = {
        {"0x1 1 2 0x01\n", "slvl:1: expected a GUID, two ports and 16 VLs"},
        {"# x\n0x1 1 2 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xeg\n", "slvl:2: expected a GUID, two ports and 16 VLs"},
        {"0x1 1 2 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xef 1\n", "slvl:1: expected a GUID, two ports and 16 VLs"},
        {"0x1 1 2 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xef\n", "slvl: no SL2VL table of a switch in this file"},
        {"0x 1 2\n", "slvl:1: expected a GUID, two ports and 16 VLs"},
        {"words\n", "slvl:1: expected a node, or two ports, a colon and 16 VLs"}};
    struct hd_net *net = make_net("torus:dims=5,hosts=2");
    struct hd_routes *r = make_routes(net, "minhop"), *got;
    (void)state;
    write_table(r, "fdbs");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hd_ctx ctx;
        hd_ctx_init(&ctx);
        write_text("slvl", bad[i][0]);
        assert_int_equal(hd_routes_open(&ctx, net, folder, &got), HD_INPUT);
        if (!strstr(hd_ctx_error(&ctx), bad[i][1])) fail_msg("%s, expected %s", hd_ctx_error(&ctx), bad[i][1]);
        assert_null(strchr(hd_ctx_error(&ctx), '\n'));
    }
    unlink(in_folder("slvl"));
    unlink(in_folder("fdbs"));
    hd_routes_free(r);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vls_by_port_break_the_ring),
                                       cmocka_unit_test(vl2vl_tables_are_looked_at),
                                       cmocka_unit_test(bad_tables_are_refused)};
    if (!mkdtemp(folder)) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
