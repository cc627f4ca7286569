/* Bodies that are heated, as model files: expansion, and the stresses where something hinders it. */
#include "held.h"

/* It expands along x alone, so that rigid ends do not hinder it: sigma_xx = E (eps - alpha T). */
#define HEATED                                                                                                         \
    SPACE "materials: {m: {density: 7800, orthotropic: {young: [2e11, 2e11, 2e11], poisson: [0, 0, 0], shear: [1e11, " \
          "1e11, 1e11], expansion: [1e-5, 0, 0]}}}\n"                                                                  \
          "ground: {ports: {A: {position: [0, 0.01, 0.005]}, B: {position: [1, 0.01, 0.005]}, W: {position: [0.2, "    \
          "0.01, 0.005]}}}\n"                                                                                          \
          "bodies: {bar: {kind: solid, material: m, mesh: {size: [0.2, 0.02, 0.01], elements: [4, 2, 2], cells: "      \
          "hex20}, ports: {P: {on: x0, position: [0, 0.01, 0.005]}, C: {on: x1, position: [0.2, 0.01, 0.005]}}}}\n"    \
          "loads: {heat: {temperature: 60, on: bar}, more: {temperature: 20, on: bar}, no: {temperature: 7, on: bar, " \
          "active: false}}\n"                                                                                          \
          "outputs: {at: {stress: bar@40}, most: {von_mises: bar}, end: {stress: bar.C}, far: {deformation: bar.C}}\n"

/* E A/L of the bar against the spring: it goes as far as delta = alpha T L / (1 + k L/(E A)). */
static void a_heated_bar_presses_against_a_spring(void **state)
{
    const double E = 2e11, k = 3e8, length = 0.2, area = 0.02 * 0.01, free_length = 1e-5 * 80.0 * length,
                 delta = free_length / (1.0 + k * length / (E * area)), sigma = -k * delta / area;
    held it;

    open_model(*state,
               HEATED "joints: {a: {kind: weld, ports: [ground.A, bar.P]}}\n"
                      "springs: {s: {ports: [bar.C, ground.B], stiffness: 3e8, length: 0.8}}\n",
               &it);
    CHECK_RELATIVE(value_of(&it, "far.x"), delta, 1e-9, "expansion");
    CHECK_RELATIVE(value_of(&it, "at.xx"), sigma, 1e-9, "stress at a node");
    CHECK_RELATIVE(value_of(&it, "end.xx"), sigma, 1e-9, "stress at the end");
    CHECK_RELATIVE(value_of(&it, "most"), -sigma, 1e-9, "largest von Mises stress");
    CHECK_SMALL(value_of(&it, "at.yy"), -1e-9 * sigma, "across");
    close_model(&it);
}

static void a_heated_bar_that_is_free_has_no_stress(void **state)
{
    const double sigma = 2e11 * 1e-5 * 80.0;
    held it;

    open_model(*state, HEATED "joints: {a: {kind: weld, ports: [ground.A, bar.P]}}\n", &it);
    CHECK_SMALL(value_of(&it, "most"), 1e-9 * sigma, "largest von Mises stress");
    CHECK_SMALL(value_of(&it, "end.xx"), 1e-9 * sigma, "stress at the end");
    CHECK_RELATIVE(value_of(&it, "far.x"), 0.2 * 1e-5 * 80.0, 1e-9, "expansion");
    close_model(&it);
}

/* Between walls it does not deform: sigma_xx = -E alpha T. */
static void a_heated_bar_between_walls(void **state)
{
    const double sigma = -2e11 * 1e-5 * 80.0;
    held it;

    open_model(*state,
               HEATED "joints: {a: {kind: weld, ports: [ground.A, bar.P]}, b: {kind: weld, ports: [ground.W, "
                      "bar.C]}}\n",
               &it);
    CHECK_RELATIVE(value_of(&it, "at.xx"), sigma, 1e-9, "stress at a node");
    CHECK_RELATIVE(value_of(&it, "end.xx"), sigma, 1e-9, "stress at the end");
    CHECK_SMALL(value_of(&it, "far.x"), 1e-15, "deformation");
    close_model(&it);
}

/* ---- temperatures that vary ---- */
/* T = 30 K + 2000 x K/m + ...: no stress, since a linear temperature is a strain that fits together. */
static void a_linear_temperature_in_a_free_block(void **state)
{
    held it;

    open_model(*state,
               SPACE
               "materials: {m: {density: 7800, young: 2e11, poisson: 0.3, expansion: 1.2e-5}}\n"
               "bodies: {bar: {kind: solid, material: m, mesh: {size: [0.2, 0.02, 0.01], elements: [4, 2, 2], cells: "
               "hex20}, basis: {kind: all}, ports: {P: {on: x0, attach: average}}}}\n"
               "joints: {a: {kind: weld, ports: [ground.O, bar.P]}}\n"
               "loads: {heat: {temperature: 50, on: bar, profile: 1 + 40*x - 30*y + 100*z}}\n"
               "outputs: {most: {von_mises: bar}, mid: {position: bar.P}}\n",
               &it);
    CHECK_SMALL(value_of(&it, "most"), 1e-7 * 2e11 * 1.2e-5 * 50.0, "largest von Mises stress");
    close_model(&it);
}

/* A strip that expands along x alone between walls, 90 K above and 10 K below: N = -E h alpha T0, M = D alpha T1, and
 * no deflection.
 */
static void a_heated_strip_between_walls(void **state)
{
    const double E = 7e10, h = 0.01, alpha = 2.3e-5;
    held it;

    open_model(
        *state,
        SPACE "materials: {m: {density: 2700, orthotropic: {young: [7e10, 7e10, 7e10], poisson: [0, 0, 0], shear: "
              "[3.5e10, 3.5e10, 3.5e10], expansion: [2.3e-5, 0, 0]}}}\n"
              "ground: {ports: {A: {position: [0, 0.25, 0]}, B: {position: [1, 0.25, 0]}}}\n"
              "bodies: {strip: {kind: plate, material: m, thickness: 0.01, mesh: {size: [1, 0.5], elements: [4, 2]}, "
              "basis: {kind: all}, ports: {P: {on: x0}, C: {on: x1}}}}\n"
              "joints: {a: {kind: weld, ports: [ground.A, strip.P]}, b: {kind: weld, ports: [ground.B, strip.C]}}\n"
              "loads: {heat: {temperature: 1, on: strip, profile: 50 + 8000*z}}\n"
              "outputs: {N: {membrane_force: strip, place: [0.5, 0.2]}, M: {bending_moment: strip, place: [0.5, 0.2]}, "
              "s: {stress: strip, place: [0.3, 0.1]}, at: {deformation: strip@8}}\n",
        &it);
    CHECK_RELATIVE(value_of(&it, "N.xx"), -E * h * alpha * 50.0, 1e-8, "membrane force");
    CHECK_RELATIVE(value_of(&it, "M.xx"), E * h * h * h / 12.0 * alpha * 8000.0, 1e-8, "moment");
    CHECK_RELATIVE(value_of(&it, "s.top_xx"), -E * alpha * 90.0, 1e-8, "upper side");
    CHECK_RELATIVE(value_of(&it, "s.bottom_xx"), -E * alpha * 10.0, 1e-8, "lower side");
    CHECK_SMALL(value_of(&it, "at.z"), 1e-12, "deflection");
    close_model(&it);
}

/* What a temperature makes are stresses, which have no resultant: a plate that is hot above, between two clamped edges
 * that push with 1e5 N and bend with 1e2 N m, hands half of its pressure to each. */
static void edges_of_a_heated_plate_share_its_load(void **state)
{
    const double half = 0.5 * 1000.0 * 0.4 * 0.3;
    held it;

    open_model(*state,
               SPACE "materials: {m: {density: 7800, young: 2.1e11, poisson: 0.3, expansion: 1.2e-5}}\n"
                     "ground: {ports: {A: {position: [0, 0.15, 0]}, B: {position: [0.4, 0.15, 0]}}}\n"
                     "bodies: {b: {kind: plate, material: m, thickness: 0.01, mesh: {size: [0.4, 0.3], elements: [4, "
                     "3]}, basis: {modes: 4}, ports: {P: {on: x0}, C: {on: x1}}}}\n"
                     "joints: {a: {kind: weld, ports: [ground.A, b.P]}, c: {kind: weld, ports: [ground.B, b.C]}}\n"
                     "loads: {heat: {temperature: 40, on: b, profile: 0.5 + z/0.01}, f: {pressure: 1000, on: b}}\n"
                     "outputs: {a: {reaction: a}, c: {reaction: c}}\n",
               &it);
    assert_true(fabs(value_of(&it, "a.fx")) > 1e5 && fabs(value_of(&it, "a.ty")) > 1e2);
    CHECK_CLOSE(value_of(&it, "a.fz"), -half, 1e-9 * half, "reaction of one edge");
    CHECK_CLOSE(value_of(&it, "c.fz"), -half, 1e-9 * half, "reaction of the other edge");
    close_model(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_heated_bar_presses_against_a_spring, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_heated_bar_between_walls, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_heated_bar_that_is_free_has_no_stress, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_linear_temperature_in_a_free_block, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_heated_strip_between_walls, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(edges_of_a_heated_plate_share_its_load, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
