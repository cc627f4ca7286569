/* One process without MPI: sums of one, and modules that are not there. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "ranks/ranks.h"
#include "support/testing.h"

#include <stdlib.h>

static void one_process_needs_nothing(void **state)
{
    double values[2] = {1.5, -2.0}, copy[2];
    const int counts[1] = {2};

    (void)state;
    phx_ranks_sum(NULL, 2, values);
    phx_ranks_most(NULL, 2, values);
    phx_ranks_share(NULL, 0, sizeof values, values);
    phx_ranks_gather(NULL, 2, values, counts, copy);
    assert_true(values[0] == 1.5 && values[1] == -2.0);
    assert_memory_equal(values, copy, sizeof values);
    assert_int_equal(phx_ranks_rank(NULL), 0);
    assert_int_equal(phx_ranks_size(NULL), 1);
    assert_int_equal(phx_ranks_agree(NULL, NULL, PHX_SINGULAR), PHX_SINGULAR);
    phx_ranks_close(NULL);
}

static void a_missing_module_says_what_to_install(void **state)
{
    phx_context *context = *state;
    phx_ranks *ranks = NULL;

    setenv("PHLEXOR_MODULES", "/nowhere", 1);
    CHECK_STATUS(context, phx_ranks_open(context, &ranks), PHX_ERR_UNSUPPORTED);
    assert_null(ranks);
    CHECK_MESSAGE(context, "phlexor-mpi.so is not there: install an MPI");
    CHECK_STATUS(context, phx_ranks_open(context, NULL), PHX_ERR_ARGUMENT);
}

static void processes_are_counted_by_the_environment(void **state)
{
    (void)state;
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMI_SIZE");
    unsetenv("SLURM_STEP_NUM_TASKS");
    assert_int_equal(phx_ranks_started(), 1);
    setenv("PMI_SIZE", "3", 1);
    assert_int_equal(phx_ranks_started(), 3);
    setenv("OMPI_COMM_WORLD_SIZE", "5", 1);
    assert_int_equal(phx_ranks_started(), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process_needs_nothing),
        cmocka_unit_test(a_missing_module_says_what_to_install),
        cmocka_unit_test(processes_are_counted_by_the_environment),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
