/* Stresses of plates and solids as outputs of model files: bars and plates whose stresses are known, a series, the
 * linearised outputs, and the same body reduced. */
#include "held.h"

#include "continuum/continuum.h"
#include "results/results.h"
#include <phlexor/study.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SOFT "materials: {m: {density: 7800, young: 2.1e11, poisson: 0}}\n"

/* ---- geometric stiffening ---- */
/* Slope of a strip under the pressure p and the tension N per width, hinged at both ends: D w'' = N w - M_0. */
static double slope_of_strip(double x, double p, double N, double D)
{
    const double k = sqrt(N / D);

    return p / N * ((1.0 - 2.0 * x) / 2.0 + sinh(k * (x - 0.5)) / (k * cosh(0.5 * k)));
}

/* E h/2 int w'^2 - N, length 1 */
static double excess(double p, double N, double D, double Eh)
{
    enum { STEPS = 1000 };
    double sum = 0.0;

    for (int i = 0; i < STEPS; i++)
        sum += pow(slope_of_strip((i + 0.5) / STEPS, p, N, D), 2.0) / STEPS;
    return 0.5 * Eh * sum - N;
}

/* Ends that cannot come nearer: a pressure makes tension, which takes most of it. */
static void a_strip_between_hinges_is_stretched(void **state)
{
    const char *text = SPACE
        "materials: {m: {density: 2700, young: 7e10, poisson: 0}}\n"
        "ground: {ports: {A: {position: [0, 0.05, 0]}, B: {position: [1, 0.05, 0]}}}\n"
        "bodies: {strip: {kind: plate, material: m, thickness: 0.005, mesh: {size: [1, 0.1], elements: [16, 2]}, "
        "stiffening: true, basis: {kind: craig_bampton, modes: 6}, ports: {P: {on: x0, attach: hinged}, C: {on: x1, "
        "attach: hinged}}}}\n"
        "joints: {a: {kind: spherical, ports: [ground.A, strip.P]}, b: {kind: spherical, ports: [ground.B, strip.C]}}\n"
        "loads: {p: {pressure: 4000, on: strip}}\n"
        "outputs: {N: {membrane_force: strip, place: [0.5, 0.05]}, M: {bending_moment: strip, place: [0.5, 0.05]}, "
        "s: {stress: strip, place: [0.5, 0.05]}, most: {von_mises: strip}}\n";
    const double h = 0.005, E = 7e10, p = 4000.0, D = E * h * h * h / 12.0;
    double low = 1.0, high = 1e8;
    held it;

    for (int k = 0; k < 80; k++) {
        const double N = sqrt(low * high);
        *(excess(p, N, D, E * h) > 0.0 ? &low : &high) = N;
    }
    const double k = sqrt(low / D), M = p * (1.0 - 1.0 / cosh(0.5 * k)) / (k * k);
    open_model(*state, text, &it);
    CHECK_RELATIVE(value_of(&it, "N.xx"), low, 5e-4, "membrane force");
    CHECK_RELATIVE(value_of(&it, "M.xx"), -M, 5e-4, "bending moment");
    CHECK_RELATIVE(value_of(&it, "s.top_xx"), low / h + 6.0 * M / (h * h), 5e-4, "stretched surface");
    assert_true(value_of(&it, "most.top") >= value_of(&it, "s.top_xx") * (1.0 - 1e-3));
    close_model(&it);
}

/* ---- bars ---- */
static const double bar_width = 0.02, bar_height = 0.01;
#define BAR                                                                                                            \
    SPACE SOFT "bodies: {bar: {kind: solid, material: m, mesh: {size: [0.2, 0.02, 0.01], elements: [4, 2, 2], cells: " \
               "hex20}, ports: {P: {on: x0}, C: {on: x1}}, frame: P}}\n"                                               \
               "joints: {root: {kind: weld, ports: [ground.O, bar.P]}}\n"

static void a_pulled_bar_has_one_stress_everywhere(void **state)
{
    const char *text = BAR "loads: {pull: {force: [1000, 0, 0], at: bar.C}}\n"
                           "outputs: {at: {stress: bar@40}, end: {stress: bar.C}, mises: {von_mises: bar@40}, most: "
                           "{von_mises: bar}, main: {principal_stress: bar}}\n";
    static const char *const zero[] = {"at.yy", "at.zz", "at.xy", "at.yz", "at.zx", "end.yy", "end.zx", "main.min"};
    const double sigma = 1000.0 / (bar_width * bar_height), tolerance = 1e-9 * sigma;
    held it;

    open_model(*state, text, &it);
    CHECK_CLOSE(value_of(&it, "at.xx"), sigma, tolerance, "stress at a node");
    CHECK_CLOSE(value_of(&it, "end.xx"), sigma, tolerance, "mean stress of the end");
    CHECK_CLOSE(value_of(&it, "mises"), sigma, tolerance, "von Mises stress at a node");
    CHECK_CLOSE(value_of(&it, "most"), sigma, tolerance, "largest von Mises stress");
    CHECK_CLOSE(value_of(&it, "main.max"), sigma, tolerance, "largest principal stress");
    for (size_t k = 0; k < sizeof zero / sizeof *zero; k++)
        CHECK_SMALL(value_of(&it, zero[k]), tolerance, "%s", zero[k]);
    assert_string_equal(phx_system_column_unit(it.system, 0), "Pa");
    close_model(&it);
}

/* sigma = -M z'/I, z' from the middle: a moment about -y bends the bar up. */
static void a_bent_bar_has_the_stress_of_a_beam(void **state)
{
    const char *text = BAR "loads: {bend: {torque: [0, -3e-3, 0], at: bar.C}}\n"
                           "outputs: {most: {von_mises: bar}, main: {principal_stress: bar}, at: {stress: bar, place: "
                           "[0.037, 0.013, 0.0021]}}\n";
    const double inertia = bar_width * bar_height * bar_height * bar_height / 12.0,
                 sigma = 3e-3 * bar_height / 2.0 / inertia;
    held it;

    open_model(*state, text, &it);
    const phx_flex_source *source = phx_system_source(it.system, 0);
    const phx_mesh *mesh = &phx_continuum_model(source)->mesh;
    phx_stress_map map;
    int q = 0;
    CHECK_OK(it.context, phx_flex_source_nodal_stresses(source, it.context, &map));
    assert_int_equal(map.points, mesh->n_nodes);
    assert_int_equal(map.n_strains, 0);
    const int n = phx_flex_source_flex(source)->n;
    phx_body_coordinates(phx_system_body(it.system, 0), &q, NULL);
    for (int i = 0; i < map.points; i++) {
        double xx = 0.0;
        for (int k = 0; k < n; k++)
            xx += map.rows[(size_t)i * 6 * (size_t)n + (size_t)k] * it.x[q + k];
        CHECK_CLOSE(xx, sigma * (1.0 - 2.0 * mesh->x[3 * i + 2] / bar_height), 1e-8 * sigma, "node %d", i + 1);
    }
    CHECK_RELATIVE(value_of(&it, "most"), sigma, 1e-8, "largest von Mises stress");
    CHECK_RELATIVE(value_of(&it, "main.max"), sigma, 1e-8, "tension");
    CHECK_RELATIVE(value_of(&it, "main.min"), -sigma, 1e-8, "compression");
    CHECK_RELATIVE(value_of(&it, "at.xx"), sigma * (1.0 - 2.0 * 0.0021 / bar_height), 1e-8, "at a place");
    phx_stress_map_free(&map);
    close_model(&it);
}

/* ---- plates ---- */
#define STRIP                                                                                                          \
    SPACE SOFT                                                                                                         \
        "bodies: {plate: {kind: plate, material: m, thickness: 0.01, mesh: {size: [1, 0.5], elements: [4, 2]}, "       \
        "ports: {P: {on: x0}, C: {on: x1}}, frame: P}}\njoints: {root: {kind: weld, ports: [ground.O, plate.P]}}\n"

/* M_xx = moment over the width; sigma = N/h -+ 6 M/h^2 */
static void a_bent_plate_has_one_moment_everywhere(void **state)
{
    const char *text = STRIP "loads: {bend: {torque: [0, -0.01, 0], at: plate.C}, pull: {force: [0.4, 0, 0], at: "
                             "plate.C}}\noutputs: {M: {bending_moment: plate@8}, Mp: {bending_moment: plate, place: "
                             "[0.3, 0.2]}, N: {membrane_force: plate.C}, Q: {shear_force: plate@8}, s: {stress: plate, "
                             "place: [1, 0.5]}, mises: {von_mises: plate}, main: {principal_stress: plate@8}}\n";
    const double h = 0.01, M = 0.01 / 0.5, N = 0.4 / 0.5, top = N / h - 6.0 * M / (h * h),
                 bottom = N / h + 6.0 * M / (h * h);
    held it;

    open_model(*state, text, &it);
    CHECK_RELATIVE(value_of(&it, "M.xx"), M, 1e-9, "moment at a node");
    CHECK_RELATIVE(value_of(&it, "Mp.xx"), M, 1e-9, "moment at a place");
    CHECK_SMALL(value_of(&it, "M.yy"), 1e-9 * M, "across");
    CHECK_SMALL(value_of(&it, "M.xy"), 1e-9 * M, "twist");
    CHECK_SMALL(value_of(&it, "Q.x"), 1e-7 * M, "shear force");
    CHECK_RELATIVE(value_of(&it, "N.xx"), N, 1e-9, "membrane force");
    CHECK_RELATIVE(value_of(&it, "s.top_xx"), top, 1e-9, "upper surface");
    CHECK_RELATIVE(value_of(&it, "s.bottom_xx"), bottom, 1e-9, "lower surface");
    CHECK_RELATIVE(value_of(&it, "mises.top"), -top, 1e-9, "von Mises, upper surface");
    CHECK_RELATIVE(value_of(&it, "mises.bottom"), bottom, 1e-9, "von Mises, lower surface");
    CHECK_RELATIVE(value_of(&it, "main.top_min"), top, 1e-9, "compression of the upper surface");
    CHECK_SMALL(value_of(&it, "main.top_max"), -1e-9 * top, "no tension there");
    close_model(&it);
}

/* Levy's series of a square of side 1 and D = 1, simply supported at x = 0 and 1 and free at y = 0 and 1, under the
 * pressure 1: w = sum (c_m + Y_m) sin(m pi x), Y = A cosh(b y) + B b y sinh(b y) with y from the middle, M_yy = 0 and
 * the effective shear 0 at y = 1/2. Moments in the middle, as the curvatures have them. */
static void levy(double poisson, double *M_xx, double *M_yy)
{
    *M_xx = *M_yy = 0.0;
    for (int m = 1; m < 200; m += 2) {
        const double b = m * TEST_PI, half = b / 2.0, t = tanh(half), c = 4.0 / pow(b, 5.0);
        const double a11 = 1.0 - poisson, a12 = 2.0 + half * t * (1.0 - poisson); /* by A cosh, B cosh at the edge */
        const double a21 = (poisson - 1.0) * t, a22 = (1.0 + poisson) * t + half * (poisson - 1.0);
        const double det = a11 * a22 - a12 * a21, A = poisson * c * a22 / det, B = -poisson * c * a21 / det;
        const double Y = A / cosh(half), Y2 = (A + 2.0 * B) / cosh(half), sign = m % 4 == 1 ? 1.0 : -1.0;
        *M_xx += sign * b * b * (poisson * Y2 - (c + Y));
        *M_yy += sign * b * b * (Y2 - poisson * (c + Y));
    }
}

static void moments_are_those_of_the_series(void **state)
{
    const char *text =
        SPACE "materials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\n"
              "bodies: {plate: {kind: plate, material: m, thickness: 0.01, order: 2, basis: {kind: all}, mesh: {size: "
              "[1, 1], elements: [4, 4], crossed: true}, ports: {P: {on: x0, attach: hinged}, C: {on: x1, attach: "
              "hinged}}}}\n"
              "joints: {a: {kind: revolute, ports: [ground.O, plate.P], axis: [0, 1, 0]}, b: {kind: revolute, ports: "
              "[ground.E, plate.C], axis: [0, 1, 0]}}\nground: {ports: {O: {position: [0, 0.5, 0]}, E: {position: [1, "
              "0.5, 0]}}}\n"
              "loads: {p: {pressure: 1000, on: plate}}\n"
              "outputs: {M: {bending_moment: plate, place: [0.5, 0.5]}}\n";
    double M_xx, M_yy;
    held it;

    levy(0.3, &M_xx, &M_yy);
    CHECK_CLOSE(-M_xx, 0.1225, 5e-5, "the printed moment along (Timoshenko)");
    CHECK_CLOSE(-M_yy, 0.0271, 5e-5, "the printed moment across");
    open_model(*state, text, &it);
    const double sign = value_of(&it, "M.xx") * M_xx > 0.0 ? 1.0 : -1.0; /* of the pressure */
    print_message("M_xx %.6g of %.6g, M_yy %.6g of %.6g\n", sign * value_of(&it, "M.xx") / 1000.0, M_xx,
                  sign * value_of(&it, "M.yy") / 1000.0, M_yy);
    CHECK_CLOSE(sign * value_of(&it, "M.xx") / 1000.0, M_xx, 1e-3 * 0.1225, "M_xx");
    CHECK_CLOSE(sign * value_of(&it, "M.yy") / 1000.0, M_yy, 1e-3 * 0.1225, "M_yy");
    close_model(&it);
}

/* A plate on two hinged edges: each joint exerts what acts on its edge and on the corners there; the other edges are
 * free. */
static void edges_and_corners_are_what_joints_exert(void **state)
{
    static const char *const theory[] = {"kirchhoff", "kirchhoff", "mindlin"};
    static const char *const basis[] = {"craig_bampton, modes: 2", "all", "all"};

    for (int t = 0; t < 3; t++)
        for (int clamped = 0; clamped < 2; clamped++) {
            char text[2000];
            held it;
            snprintf(text, sizeof text,
                     SPACE "materials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\n"
                           "bodies: {plate: {kind: plate, theory: %s, material: m, thickness: 0.02, basis: {kind: %s}, "
                           "mesh: {size: [1, 0.6], elements: [4, 3]}, ports: {P: {on: x0, attach: %s}, C: {on: x1, "
                           "attach: hinged}}}}\n"
                           "ground: {ports: {E: {position: [1, 0.3, 0]}, O: {position: [0, 0.3, 0]}}}\n"
                           "joints: {a: {kind: %s, ports: [ground.O, plate.P]%s}, b: {kind: spherical, ports: "
                           "[ground.E, plate.C]}}\n"
                           "loads: {p: {pressure: 10, on: plate, profile: 1 + x - 2*y}}\n"
                           "outputs: {a: {reaction: a}, b: {reaction: b, at: B}, VP: {edge_shear: plate.P}, VC: "
                           "{edge_shear: plate.C}, MP: {edge_moment: plate.P}, free: {edge_shear: plate, place: [0.43, "
                           "0.6]}, node: {edge_shear: plate@2}, R0: {corner_force: plate, place: [0, 0]}, R1: "
                           "{corner_force: plate, place: [0, 0.6]}, R2: {corner_force: plate, place: [1, 0]}, R3: "
                           "{corner_force: plate, place: [1, 0.6]}}\n",
                     theory[t], basis[t], clamped ? "rigid" : "hinged", clamped ? "weld" : "revolute",
                     clamped ? "" : ", axis: [0, 1, 0]");
            open_model(*state, text, &it);
            const double load = 10.0 * 0.6 * (1.0 + 0.5 - 0.6);
            CHECK_CLOSE(fabs(value_of(&it, "a.fz") + value_of(&it, "b.fz")), load, 1e-8 * load, "the load");
            CHECK_CLOSE(0.6 * value_of(&it, "VP") + value_of(&it, "R0") + value_of(&it, "R1"), value_of(&it, "a.fz"),
                        1e-8 * load, "%s: one end", theory[t]);
            CHECK_CLOSE(0.6 * value_of(&it, "VC") + value_of(&it, "R2") + value_of(&it, "R3"), value_of(&it, "b.fz"),
                        1e-8 * load, "%s: the other", theory[t]);
            CHECK_CLOSE(0.6 * value_of(&it, "MP.nn"), clamped ? value_of(&it, "a.ty") : 0.0, 1e-8 * load, "%s: moment",
                        theory[t]);
            CHECK_SMALL(value_of(&it, "free"), 1e-8 * load, "%s: free edge", theory[t]);
            CHECK_SMALL(value_of(&it, "node"), 1e-8 * load, "%s: a node of a free edge", theory[t]);
            close_model(&it);
        }
}

/* The upper side of a plate between two clamps is hot, which bulges where it is free to: edges and corners bear what
 * the joints exert. */
static void heat_bends_a_clamped_edge(void **state)
{
    const char *text =
        SPACE "materials: {m: {density: 2700, young: 7e10, poisson: 0.3, expansion: 2e-5}}\n"
              "bodies: {plate: {kind: plate, material: m, thickness: 0.02, mesh: {size: [1, 0.6], elements: [4, 4]}, "
              "ports: {P: {on: x0}, C: {on: x1}}}}\n"
              "ground: {ports: {E: {position: [1, 0.3, 0]}, O: {position: [0, 0.3, 0]}}}\n"
              "joints: {a: {kind: weld, ports: [ground.O, plate.P]}, b: {kind: weld, ports: [ground.E, plate.C]}}\n"
              "loads: {hot: {temperature: 10, on: plate, profile: z/0.02}}\n"
              "outputs: {a: {reaction: a}, E: {edge_moment: plate.P}, V: {edge_shear: plate.P}, R0: {corner_force: "
              "plate, place: [0, 0]}, R1: {corner_force: plate, place: [0, 0.6]}, side: {edge_moment: plate, place: "
              "[0.3, 0]}, free: {edge_shear: plate, place: [0.3, 0]}}\n";
    held it;

    open_model(*state, text, &it);
    const double M = 7e10 * pow(0.02, 3.0) / 12.0 / 0.7 * 2e-5 * 10.0 / 0.02; /* D (1 + nu) alpha T_1 */
    CHECK_BETWEEN(value_of(&it, "E.nn") / M, 0.7, 1.3, "M_nn");
    CHECK_RELATIVE(0.6 * value_of(&it, "E.nn"), value_of(&it, "a.ty"), 1e-9, "M_nn of an edge");
    CHECK_CLOSE(0.6 * value_of(&it, "V") + value_of(&it, "R0") + value_of(&it, "R1"), value_of(&it, "a.fz"), 1e-8 * M,
                "V of an edge");
    assert_true(fabs(value_of(&it, "R0")) > 0.01 * M);
    CHECK_SMALL(value_of(&it, "side.nn"), 0.2 * M, "M_nn of a free edge");
    CHECK_SMALL(value_of(&it, "free"), 1e-8 * M, "V of a free edge");
    close_model(&it);
}

/* Fibres of the outer layers along x: their stress by a strain there is that of plane stress; one isotropic layer is
 * the isotropic section. */
static void surfaces_are_those_of_the_outer_layers(void **state)
{
    phx_context *context = *state;
    const double E1 = 1.4e11, E2 = 1e10, poisson = 0.3, shear = 5e9, E = 7e10, nu = 0.33, G = E / (2.0 * (1.0 + nu));
    phx_plate_layer layers[3];
    phx_plate_section section, isotropic;

    for (int k = 0; k < 3; k++)
        layers[k] = (phx_plate_layer){.young = {E1, E2},
                                      .poisson = poisson,
                                      .shear = {shear, shear, shear},
                                      .density = 1600.0,
                                      .thickness = 1e-3,
                                      .angle = k == 1 ? 0.5 * TEST_PI : 0.0};
    CHECK_OK(context, phx_laminate_section(context, 3, layers, 5.0 / 6.0, &section));
    CHECK_RELATIVE(section.thickness, 3e-3, 1e-14, "thickness");
    for (int side = 0; side < 2; side++) {
        CHECK_RELATIVE(section.surface[side][0], E1 / (1.0 - poisson * poisson * E2 / E1), 1e-12, "along the fibres");
        CHECK_RELATIVE(section.surface[side][4], E2 / (1.0 - poisson * poisson * E2 / E1), 1e-12, "across them");
        CHECK_RELATIVE(section.surface[side][8], shear, 1e-12, "shear");
    }
    layers[0] = (phx_plate_layer){
        .young = {E, E}, .poisson = nu, .shear = {G, G, G}, .density = 2700.0, .thickness = 2e-3, .angle = 0.7};
    CHECK_OK(context, phx_laminate_section(context, 1, layers, 5.0 / 6.0, &section));
    phx_isotropic_section(E, nu, 2700.0, 2e-3, 5.0 / 6.0, &isotropic);
    CHECK_VECTOR(9, section.surface[0], isotropic.surface[0], 1e-12 * E, "upper surface");
    CHECK_VECTOR(9, section.surface[1], isotropic.surface[1], 1e-12 * E, "lower surface");
}

/* ---- linearised ---- */
static void rows_are_the_derivatives(void **state)
{
    const char *text = STRIP "loads: {bend: {torque: [0, -100, 0], at: plate.C}}\noutputs: {mises: {von_mises: plate}, "
                             "M: {bending_moment: plate@8}, s: {stress: plate.C}, V: {edge_shear: plate.P}, E: "
                             "{edge_moment: plate.C}, R: {corner_force: plate, place: [0, 0]}}\n";
    static const char *const named[] = {"mises.top"};
    const phx_channels_options options = {0}, wrong = {.outputs = named, .n_outputs = 1};
    phx_channels channels;
    held it;

    open_model(*state, text, &it);
    CHECK_OK(it.context, phx_system_channels(it.dae, 0.0, it.x, NULL, &options, &channels));
    assert_int_equal(channels.n_outputs, 13); /* all but von Mises */
    int q = 0, v = 0;
    phx_body_coordinates(phx_system_body(it.system, 0), &q, &v);
    const int n = phx_flex_source_flex(phx_system_source(it.system, 0))->n;
    double *change = calloc((size_t)channels.n, sizeof *change), y[13] = {0};
    memcpy(change + v, it.x + q, (size_t)n * sizeof *change); /* linear: y of q itself */
    phx_csr_apply(&channels.Y_q, 1.0, change, y);
    for (int k = 0; k < 13; k++)
        CHECK_CLOSE(y[k], it.columns[2 + k], 1e-12 * fabs(it.columns[2 + k]) + 1e-6, "%s", channels.outputs[k]);
    free(change);
    phx_channels_free(&channels);
    CHECK_STATUS(it.context, phx_system_channels(it.dae, 0.0, it.x, NULL, &wrong, &channels), PHX_ERR_INPUT);
    CHECK_MESSAGE(it.context, "'mises' has no derivative at rest");
    close_model(&it);
}

/* ---- reduced ---- */
/* Bit by bit, and more than nothing. */
static void check_same_edges(phx_context *context, const phx_flex_source *whole, const phx_flex_source *read,
                             phx_stress_set set, const phx_location *at)
{
    phx_stress_map map[2];
    double most = 0.0;

    for (int k = 0; k < 2; k++)
        CHECK_OK(context, phx_flex_source_stress_map(k ? read : whole, context, set, at, &map[k]));
    const size_t values = (size_t)phx_stress_components(set) * (size_t)phx_stress_map_columns(&map[0]);
    assert_int_equal(phx_stress_map_columns(&map[0]), phx_stress_map_columns(&map[1]));
    for (size_t k = 0; k < values; k++)
        most = fmax(most, fabs(map[0].rows[k]));
    assert_true(most > 0.0);
    assert_memory_equal(map[0].rows, map[1].rows, values * sizeof(double));
    phx_stress_map_free(&map[0]);
    phx_stress_map_free(&map[1]);
}

static void check_reduced(phx_context *context, const char *text, const char *body, int ports)
{
    phx_flex_source *read = NULL;
    phx_reduce_report report;
    phx_stress_map map[2];
    double *at[2];
    held it;

    open_model(context, text, &it);
    CHECK_OK(context, phx_study_reduce(context, it.model, body, "stresses.h5", &report));
    phx_reduce_report_free(&report);
    CHECK_OK(context, phx_reduced_read(context, "stresses.h5", &read));
    const phx_flex_source *whole = phx_system_source(it.system, 0);
    const phx_stress_set set = phx_flex_source_stresses(whole);
    assert_int_equal(phx_flex_source_stresses(read), set);
    const size_t width = (size_t)phx_stress_components(set) * (size_t)phx_flex_source_flex(whole)->n;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(context, phx_flex_source_nodal_stresses(k ? read : whole, context, &map[k]));
        at[k] = calloc(width, sizeof *at[k]);
    }
    assert_int_equal(map[0].points, map[1].points);
    const size_t nodes = (size_t)map[0].points;
    assert_memory_equal(map[0].rows, map[1].rows, nodes * width * sizeof *map[0].rows);
    for (int p = -2; p < ports; p++) { /* a node, a place, then the ports */
        const double place[3] = {0.03, 0.013, set == PHX_STRESSES_PLATE ? 0.0 : 0.004};
        const phx_location node = {.sort = PHX_LOCATION_NODE, .node = 7};
        const phx_location location = p == -2   ? node
                                      : p == -1 ? phx_location_at_place(3, place)
                                                : phx_location_of_name(it.model->bodies[0].ports[p].name);
        for (int k = 0; k < 2; k++)
            CHECK_OK(context, phx_flex_source_stress_rows(k ? read : whole, context, &location, at[k]));
        assert_memory_equal(at[0], at[1], width * sizeof *at[0]);
    }
    if (set == PHX_STRESSES_PLATE) {
        const double edge[3] = {0.3, 0.0, 0.0}, corner[3] = {1.0, 0.5, 0.0};
        const phx_location there[] = {phx_location_at_place(3, edge),
                                      {.sort = PHX_LOCATION_NODE, .node = 2},
                                      phx_location_of_name(it.model->bodies[0].ports[0].name),
                                      phx_location_at_place(3, corner)};
        for (int k = 0; k < 4; k++)
            check_same_edges(context, whole, read, k < 3 ? PHX_STRESSES_EDGE : PHX_STRESSES_CORNER, &there[k]);
    }
    double *u[2], *thickness[2];
    for (int k = 0; k < 2; k++)
        CHECK_OK(context, phx_continuum_displacements(context, k ? read : whole, &u[k], &thickness[k]));
    assert_memory_equal(u[0], u[1], 3 * nodes * (width / (size_t)phx_stress_components(set)) * sizeof *u[0]);
    assert_memory_equal(thickness[0], thickness[1], nodes * sizeof *u[0]);
    CHECK_CLOSE(thickness[0][0], set == PHX_STRESSES_PLATE ? 0.01 : 0.0, 0.0, "thickness");
    for (int k = 0; k < 2; k++) {
        phx_stress_map_free(&map[k]);
        phx_free(u[k]);
        phx_free(thickness[k]);
        free(at[k]);
    }
    phx_flex_source_destroy(read);
    close_model(&it);
    remove("stresses.h5");
}

static void reduced_bodies_keep_their_stresses(void **state)
{
    check_reduced(*state, BAR "loads: {pull: {force: [1000, 0, 0], at: bar.C}}\n", "bar", 2);
    check_reduced(*state, STRIP "loads: {pull: {force: [1000, 0, 0], at: plate.C}}\n", "plate", 2);
}

/* The same mechanism with the body and with what it is reduced to. */
static phx_result *run(phx_context *context, const char *body, const char *joints, phx_model **model)
{
    const phx_simulate_options options = {.end = {true, 0.05}, .step = {true, 1e-3}};
    phx_simulate_report report;
    phx_result *result = NULL;
    char text[2000];

    snprintf(text, sizeof text, "%s%s%s", SPACE "materials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\n", body,
             joints);
    CHECK_OK(context, phx_model_read_text(context, "run.yaml", text, strlen(text), 0, NULL, model));
    CHECK_OK(context, phx_study_simulate_result(context, *model, &options, &report, &result));
    return result;
}

/* Spin-up: every column is the same bit by bit; `root` at the end is about that of a rod that turns. */
static void check_stiffened(phx_context *context, const char *body, const char *joints, const char *root, double wanted)
{
    phx_model *model[2] = {NULL};
    phx_result *result[2];
    phx_reduce_report report;

    result[0] = run(context, body, joints, &model[0]);
    CHECK_OK(context, phx_study_reduce(context, model[0], "b", "stiff.h5", &report));
    phx_reduce_report_free(&report);
    result[1] = run(context, "bodies: {b: {kind: reduced, file: stiff.h5}}\n", joints, &model[1]);
    const size_t rows = phx_result_rows(result[0]);
    double *values[2] = {calloc(rows, sizeof(double)), calloc(rows, sizeof(double))};
    assert_true(values[0] && values[1] && phx_result_rows(result[1]) == rows);
    assert_int_equal(phx_result_columns(result[0]), phx_result_columns(result[1]));
    for (int c = 0; c < phx_result_columns(result[0]); c++) {
        for (int k = 0; k < 2; k++)
            CHECK_OK(context, phx_result_column(result[k], c, 0, rows, values[k]));
        assert_memory_equal(values[0], values[1], rows * sizeof(double));
        if (c == phx_result_column_find(result[0], root))
            CHECK_RELATIVE(values[1][rows - 1], wanted, 0.05, "%s", root);
    }
    for (int k = 0; k < 2; k++) {
        free(values[k]);
        phx_result_destroy(result[k]);
        phx_model_destroy(model[k]);
    }
    remove("stiff.h5");
}

/* Tension by the spin w: rho w^2 (L^2 - x^2)/2, m w^2 L of the mass besides; and the bending by a force at the tip. */
static void reduced_bodies_with_stiffening_keep_their_stresses(void **state)
{
    const char *solid =
        "bodies: {b: {kind: solid, material: m, stiffening: true, basis: {modes: 4}, mesh: {size: [0.5, "
        "0.04, 0.01], elements: [6, 1, 1]}, frame: P, ports: {P: {on: x0}, C: {on: x1}}}}\n";
    const char *plate = "bodies: {b: {kind: plate, material: m, thickness: 0.01, stiffening: true, basis: {modes: 4}, "
                        "mesh: {size: [0.5, 0.04], elements: [8, 2]}, frame: P, ports: {P: {on: x0}, C: {on: x1}}}}\n";
    const char *joints =
        "joints: {motor: {kind: revolute, axis: [0, 0, 1], ports: [ground.O, b.P], angle: 0, speed: "
        "\"150*sin(min(t, 0.03)/0.06*pi)^2\"}}\n"
        "loads: {push: {force: [0, 0, 40], at: b.C, frame: body}}\ninitial: {deformation: quasi_static}\n"
        "outputs: {mid: {%s: b, place: [0.25, 0.02%s]}, root: {stress: b.P}, most: {von_mises: b}, main: "
        "{principal_stress: b}, tip: {deformation: b.C}%s}\n";
    const double tension = 2700.0 * 150.0 * 150.0 * 0.5 * (0.25 - 0.0625); /* in the middle */
    char text[1200];

    snprintf(text, sizeof text, joints, "stress", ", 0.005", "");
    check_stiffened(*state, solid, text, "mid.xx", tension);
    snprintf(
        text, sizeof text, joints, "membrane_force", "",
        ", V: {edge_shear: b, place: [0.3, 0]}, E: {edge_moment: b.C}, N: {edge_moment: b@3}, R: {corner_force: b, "
        "place: [0.5, 0]}");
    check_stiffened(*state, plate, text, "mid.xx", 0.01 * tension);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_strip_between_hinges_is_stretched, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_pulled_bar_has_one_stress_everywhere, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_bent_bar_has_the_stress_of_a_beam, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_bent_plate_has_one_moment_everywhere, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(moments_are_those_of_the_series, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(edges_and_corners_are_what_joints_exert, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(heat_bends_a_clamped_edge, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(surfaces_are_those_of_the_outer_layers, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rows_are_the_derivatives, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(reduced_bodies_keep_their_stresses, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(reduced_bodies_with_stiffening_keep_their_stresses, context_setup,
                                        context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
