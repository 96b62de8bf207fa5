/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics of the tables alone, efi and hops: every pair is walked here, channel by channel, on whole tables and on
 * tables with holes. */
#include "metric_tools.h"

#include "flow/eval/fold.h"

#include <stdio.h>

struct walked_sums {
    uint64_t *load, hops, served, unserved;
};

static struct walked_sums walk_table(const struct hd_routes *r)
{
    const struct hd_net *net = hd_routes_net(r);
    struct walked_sums w = {.load = calloc(net->nchan, sizeof *w.load)};
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            uint32_t chan[HD_MAX_HOPS], n = s == d ? 0 : hd_routes_path(r, s, d, 0, chan);
            if (s == d) continue;
            if (!n || n > HD_MAX_HOPS) {
                w.unserved++;
                continue;
            }
            w.served++;
            w.hops += n;
            for (uint32_t j = 0; j < n; j++) w.load[chan[j]]++;
        }
    return w;
}

static void compare_table(const struct hd_routes *r)
{
    const struct hd_net *net = hd_routes_net(r);
    struct walked_sums w = walk_table(r);
    uint64_t most = 0, least = UINT64_MAX, sum = 0, n = 0;
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->head[c] >= net->nsw || net->tail[c] >= net->nsw) continue;
        n++;
        sum += w.load[c];
        if (w.load[c] > most) most = w.load[c];
        if (w.load[c] < least) least = w.load[c];
    }
    struct hd_result efi = evaluate(r, NULL, "efi"), hops = evaluate(r, NULL, "hops");
    char note[100];
    snprintf(note, sizeof note, "average %.1f over %llu switch-to-switch channels", (double)sum / (double)n,
             (unsigned long long)n);
    assert_true(efi.value == (double)most && efi.max == (double)most && efi.min == (double)least);
    assert_true(efi.unserved == w.unserved && efi.samples == 1 && isnan(efi.median));
    assert_string_equal(efi.note, note);
    if (fabs(hops.value - (double)w.hops / (double)w.served) > 1e-12)
        fail_msg("hops of %s: %g, walked %g", net->spec, hops.value, (double)w.hops / (double)w.served);
    assert_true(hops.unserved == w.unserved && hops.samples == 1 && isnan(hops.min));
    free(w.load);
}

static void efi_and_hops_by_walking(void **state)
{
    (void)state;
    static const char *const nets[] = {"ft:m=4,n=3", "torus:dims=3x4,hosts=2", "random:switches=8,seed=2"};
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
        struct hd_net *net = make_net(nets[k]);
        struct hd_routes *r = random_routes(net, 3 + k);
        compare_table(r);
        for (uint32_t d = 0; d < net->nep; d += 3) hd_row(r, d, 0)[hd_leaf(net, (d + 1) % net->nep)] = HD_SLOT_NONE;
        compare_table(r);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* One switch: no channel between switches, nothing to divide by. */
static void one_switch(void **state)
{
    (void)state;
    struct hd_net *net = make_net("gft:n=7,m=1,r=1");
    struct hd_routes *r = random_routes(net, 1);
    struct hd_result efi = evaluate(r, NULL, "efi"), hops = evaluate(r, NULL, "hops");
    assert_true(isfinite(efi.value) && isfinite(efi.min));
    assert_true(hops.value >= 1 && hops.value <= 2);
    hd_routes_free(r);
    hd_net_free(net);
}

/* Values from 0 to bin_max are counted in bins of equal width, larger ones in the last. */
static void values_fall_into_their_bins(void **state)
{
    const struct hd_metric m = {.bin_max = 2.0 * HD_BINS};
    struct hd_fold *f = calloc(1, sizeof *f);
    (void)state;
    hd_fold_init(f);
    for (uint64_t k = 0; k < 2 * HD_BINS + 10; k++) hd_fold_add(f, &m, k << 40, 0);
    for (uint32_t i = 0; i + 1 < HD_BINS; i++) {
        assert_int_equal(f->bin[i], 2);
        assert_int_equal(f->bin_sum[i], (4 * i + 1ull) << 24);
    }
    assert_int_equal(f->bin[HD_BINS - 1], 12);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(efi_and_hops_by_walking),
        cmocka_unit_test(one_switch),
        cmocka_unit_test(values_fall_into_their_bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
