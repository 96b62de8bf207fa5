/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the advice that no fabric of a test's size shows. */
#include "advise/advise_steps.h"
#include "testing.h"

/* As many samples behind a loss as behind the comparison, fewer where endpoints are many; never more. */
static void test_case_samples(void **state)
{
    (void)state;
    struct hd_net net = {.nsel = 500};
    struct hd_advising a = {.net = &net, .info = {.mean_distance = 3}};
    assert_int_equal(hd_work_samples(&a, 1), 1000);
    assert_int_equal(hd_work_case_samples(&a, 20), 1000);
    net.nsel = 10000;
    assert_int_equal(hd_work_samples(&a, 1), 1000);
    assert_int_equal(hd_work_case_samples(&a, 20), 200);
    net.nsel = 5000000;
    assert_int_equal(hd_work_samples(&a, 1), 50);
    assert_int_equal(hd_work_case_samples(&a, 20), 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_case_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
