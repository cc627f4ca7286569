/* Coordinates of joints in arrays of the caller: no entry behind them is touched. */
#include "support.h"

/* A heavy top on a ball starts at (60 deg, 0, 0) by angles, at the half turn as a quaternion. */
static void start_fills_its_arrays(void **state)
{
    static const double half = 0.5, guard = 1234.0, theta = 60.0 * 3.14159265358979323846 / 180.0;
    phx_context *context = *state;

    for (int by_angles = 0; by_angles < 2; by_angles++) {
        phx_model *model = read_example(context, "heavy_top.yaml");
        phx_joint_space *space = NULL;
        double q[5] = {guard, guard, guard, guard, guard}, u[4] = {guard, guard, guard, guard};
        CHECK_OK(context, phx_joint_space_create(context, model, by_angles == 1, &space));
        assert_int_equal(phx_joint_space_rates(space), 3);
        assert_int_equal(phx_joint_space_coordinates(space), by_angles ? 3 : 4);
        phx_joint_space_state(space, q, u);
        const double start[2][4] = {{cos(theta * half), sin(theta * half), 0.0, 0.0}, {theta, 0.0, 0.0}};
        CHECK_VECTOR(4 - by_angles, q, start[by_angles], 1e-14, "coordinates, by angles: %d", by_angles);
        CHECK_CLOSE(u[2], 120.0, 1e-11, "spin, by angles: %d", by_angles);
        assert_true(q[by_angles ? 3 : 4] == guard && u[3] == guard);
        phx_joint_space_destroy(space);
        phx_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(start_fills_its_arrays, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
