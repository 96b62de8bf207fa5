/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a pool are not copied by fork: a child that waited for them would wait for ever. The pool may have
 * been made by others who use OpenMP in the process, before the library is called at all: that test comes first. */
#include "order_tools.h"

#include <omp.h>
#include <sys/wait.h>

static hd_status evaluate_with_threads(void)
{
    struct rig g = rig("ft:m=4,n=2", "minhop");
    struct hd_result result;
    hd_ctx_set_threads(&g.ctx, 4);
    hd_status s =
        hd_eval(&g.ctx, g.r, &(struct hd_request){.metric = "ebb", .pattern = "bisect", .samples = 5000}, &result);
    done(&g);
    return s;
}

static void expect_child_evaluates(void)
{
    int ended = 0;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(120); /* ends a child that waits */
        _exit(evaluate_with_threads() == HD_OK ? 0 : 1);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_int_equal(ended, 0);
}

static void after_a_pool_of_others(void **state)
{
    int threads = 0;
    (void)state;
#pragma omp parallel num_threads(4) reduction(+ : threads)
    threads++;
    assert_int_equal(threads, 4);
    expect_child_evaluates();
}

static void after_own_use(void **state)
{
    (void)state;
    assert_int_equal(evaluate_with_threads(), HD_OK);
    expect_child_evaluates();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(after_a_pool_of_others), cmocka_unit_test(after_own_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
