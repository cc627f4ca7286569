/* Sections of beams in space against closed formulas: a cantilever at rest under a force and a torque at its tip, bent
 * in both planes, stretched and twisted, lying anywhere. Then what the file of a result holds, to draw the motion
 * again. */
#include "mechanism.h"
#include "results/results.h"

#include <phlexor/study.h>

enum { TEXT = 6000, PLACES = 4 };

/* ---- statics ---- */
static const double L = 2.0, WIDTH = 0.03, HEIGHT = 0.05, YOUNG = 2.1e14,
                    POISSON = 0.3; /* so stiff that it is linear */
static const double wall[3] = {1.0, -2.0, 3.0};
static const double SMALL = 5e-6; /* the angles of deflection, by which the formulas of first order may err */
static const double at[PLACES] = {0.0, 0.35, 0.5, 1.0};

typedef struct tip_load {
    double force[3], torque; /* body axes */
} tip_load;

static const char *const references[] = {"cantilever", "simply_supported", "free"};

static void cantilever(const double *R, const char *reference, const tip_load *load, char *text)
{
    double F[3], T[3];
    const double axial[3] = {load->torque, 0.0, 0.0};

    phx_rot_apply(3, R, load->force, F);
    phx_rot_apply(3, R, axial, T);
    int n = snprintf(text, TEXT,
                     "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 1000, young: %.17g, poisson: %.17g}}\n"
                     "ground: {ports: {wall: {position: [1, -2, 3], rotation: {matrix: [[%.17g, %.17g, %.17g], [%.17g, "
                     "%.17g, %.17g], [%.17g, %.17g, %.17g]]}}}}\n"
                     "bodies: {b: {kind: beam, material: m, length: 2, elements: 4, reference: %s, section: {kind: "
                     "rectangle, width: 0.03, height: 0.05}}}\n"
                     "joints: {weld: {kind: weld, ports: [ground.wall, b.P], rotation: {axis: [1, 0, 0], angle: 0}}}\n"
                     "loads:\n  force: {at: b.C, force: [%.17g, %.17g, %.17g]}\n"
                     "  torque: {at: b.C, torque: [%.17g, %.17g, %.17g]}\n"
                     "outputs:\n  r: {reaction: weld}\n",
                     YOUNG, POISSON, R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8], reference, F[0], F[1], F[2],
                     T[0], T[1], T[2]);
    for (int i = 0; i < PLACES; i++)
        n += snprintf(text + n, (size_t)(TEXT - n),
                      "  n%d: {axial_force: b@%g}\n  m%d: {bending_moment: b@%g}\n  t%d: {torsion: b@%g}\n"
                      "  s%d: {stress: b@%g}\n  p%d: {position: b@%g}\n  o%d: {attitude: b@%g}\n",
                      i, at[i], i, at[i], i, at[i], i, at[i], i, at[i], i, at[i]);
    assert_true(n < TEXT);
}

/* Columns of one place: n, my, mz, torsion, top, bottom, position, attitude. */
static void check_section(const double *column, const double *R, double s, const tip_load *load, const char *reference)
{
    const double area = WIDTH * HEIGHT, Iz = WIDTH * pow(HEIGHT, 3) / 12.0, Iy = HEIGHT * pow(WIDTH, 3) / 12.0;
    const double G = YOUNG / (2.0 * (1.0 + POISSON)), x = s * L, arm = L - x;
    const double N = load->force[0], Mz = load->force[1] * arm, My = load->force[2] * arm;
    const double extreme = fabs(My) * WIDTH / (2.0 * Iy) + fabs(Mz) * HEIGHT / (2.0 * Iz);
    /* Saint-Venant's torsion constant of a rectangle, a > b */
    double series = 0.0;
    for (int k = 1; k < 60; k += 2)
        series += tanh(0.5 * k * TEST_PI * HEIGHT / WIDTH) / pow(k, 5);
    const double Jt = HEIGHT * pow(WIDTH, 3) / 3.0 * (1.0 - 192.0 / pow(TEST_PI, 5) * WIDTH / HEIGHT * series);
    const double bend = x * x * (3.0 * L - x) / 6.0, slope = x * (L - 0.5 * x);
    const double u[3] = {N * x / (YOUNG * area), load->force[1] * bend / (YOUNG * Iz),
                         load->force[2] * bend / (YOUNG * Iy)};
    const double turn[3] = {load->torque * x / (G * Jt), -load->force[2] * slope / (YOUNG * Iy),
                            load->force[1] * slope / (YOUNG * Iz)};
    const double place[3] = {x + u[0], u[1], u[2]};
    double want[3], Q[9], relative[9], small[3];

    CHECK_CLOSE(column[0], N, SMALL * 30.0, "%s, at %g: axial force", reference, s);
    CHECK_CLOSE(column[1], My, SMALL * 50.0, "%s, at %g: moment about y", reference, s);
    CHECK_CLOSE(column[2], Mz, SMALL * 50.0, "%s, at %g: moment about z", reference, s);
    CHECK_CLOSE(column[3], load->torque, SMALL * 7.0, "%s, at %g: torsion", reference, s);
    CHECK_CLOSE(column[4], N / area - extreme, SMALL * 8e6, "%s, at %g: least stress", reference, s);
    CHECK_CLOSE(column[5], N / area + extreme, SMALL * 8e6, "%s, at %g: largest stress", reference, s);
    phx_rot_apply(3, R, place, want);
    for (int a = 0; a < 3; a++)
        CHECK_CLOSE(column[6 + a], wall[a] + want[a], SMALL * 1e-6, "%s, at %g: place", reference, s);
    phx_rot_from_quaternion(column + 9, Q);
    phx_dense_multiply(true, false, 3, 3, 3, 1.0, R, 3, Q, 3, 0.0, relative, 3);
    phx_rot_to_vector(relative, small);
    for (int a = 0; a < 3; a++)
        CHECK_CLOSE(small[a], turn[a], SMALL * 1e-6, "%s, at %g: turn of the section", reference, s);
}

/* Columns of the result at rest under the quasi-static loads. */
static void columns_at_rest(mechanism *m)
{
    const phx_start_options rest = {.quasi_static = true, .t = 0.0};
    CHECK_OK(m->context, phx_system_start(m->system, &rest, m->x, m->v, m->lambda));
    CHECK_OK(m->context, phx_system_outputs(m->dae, 0.0, m->x, m->v, m->columns));
}

/* Height from 50 to 30 mm, and from the middle on twice as wide: area, moment and fibres are linear between stations.
 * w(L) = F int (L - x)^2/EI, by Simpson's rule on each half. */
static void a_tapered_cantilever_is_bent_as_the_formulas_say(void **state)
{
    enum { PARTS = 2000 };
    static const double height[2] = {0.05, 0.03}, force[2] = {40.0, 25.0};
    static const double place[3] = {0.125, 0.625, 1.0 / 3.0};
    const double middle = 0.5 * (height[0] + height[1]);
    double tip = 0.0;

    (void)state;
    for (int half = 0; half < 2; half++) {
        const double width = WIDTH * (half + 1), step = 0.5 * L / PARTS;
        const double I0 = width * pow(half ? middle : height[0], 3) / 12.0;
        const double I1 = width * pow(half ? height[1] : middle, 3) / 12.0;
        for (int k = 0; k <= PARTS; k++) {
            const double part = (double)k / PARTS, arm = L - 0.5 * L * (half + part);
            const double weight = k == 0 || k == PARTS ? 1.0 : k % 2 ? 4.0 : 2.0;
            tip += force[1] * weight * step / 3.0 * arm * arm / (YOUNG * (I0 + part * (I1 - I0)));
        }
    }
    for (int k = 0; k < 3; k++) {
        char text[TEXT];
        mechanism m;
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 1000, young: %.17g, poisson: 0.3}}\n"
                 "bodies: {b: {kind: beam, reference: %s, material: m, length: 2, elements: 8, sections: [\n"
                 "  {at: 0, section: {kind: rectangle, width: 0.03, height: 0.05}},\n"
                 "  {at: 0.5, section: {kind: rectangle, width: 0.03, height: 0.04}},\n"
                 "  {at: 0.5, section: {kind: rectangle, width: 0.06, height: 0.04}},\n"
                 "  {at: 1, section: {kind: rectangle, width: 0.06, height: 0.03}}]}}\n"
                 "joints: {weld: {kind: weld, ports: [ground.O, b.P], angle: 0}}\n"
                 "loads: {f: {at: b.C, force: [%g, %g]}}\n"
                 "outputs: {r: {position: b.C}, s1: {stress: b@0.125}, s2: {stress: b@0.625}, s3: {stress: "
                 "b@0.33333333333333333}}\n",
                 YOUNG, references[k], force[0], force[1]);
        mechanism_open(&m, text, 0, NULL);
        columns_at_rest(&m);
        CHECK_RELATIVE(m.columns[1], tip, SMALL, "%s: deflection", references[k]);
        for (int i = 0; i < 3; i++) {
            const int half = place[i] > 0.5;
            const double part = 2.0 * place[i] - half, width = WIDTH * (half + 1);
            const double h0 = half ? middle : height[0], h1 = half ? height[1] : middle;
            const double area = width * (h0 + part * (h1 - h0));
            const double inertia = width * (pow(h0, 3) + part * (pow(h1, 3) - pow(h0, 3))) / 12.0;
            const double bent = force[1] * L * (1.0 - place[i]) * 0.5 * (h0 + part * (h1 - h0)) / inertia;
            CHECK_RELATIVE(m.columns[2 + 2 * i], force[0] / area - bent, SMALL, "%s: least, %d", references[k], i);
            CHECK_RELATIVE(m.columns[3 + 2 * i], force[0] / area + bent, SMALL, "%s: largest, %d", references[k], i);
        }
        mechanism_close(&m);
    }
}

static void a_cantilever_is_bent_as_the_formulas_say(void **state)
{
    const tip_load load = {{30.0, 25.0, -11.0}, 7.0};
    const double axis[3] = {0.3, -1.0, 0.7};
    char text[TEXT];
    double R[9];

    (void)state;
    phx_rot_axis_angle(3, axis, 1.1, R);
    for (int k = 0; k < 3; k++) {
        mechanism m;
        cantilever(R, references[k], &load, text);
        mechanism_open(&m, text, 0, NULL);
        columns_at_rest(&m);
        const double reaction[6] = {-load.force[0], -load.force[1],    -load.force[2],
                                    -load.torque,   load.force[2] * L, -load.force[1] * L};
        CHECK_VECTOR(6, m.columns, reaction, SMALL, "%s: reaction of the wall", references[k]);
        for (int i = 0; i < PLACES; i++)
            check_section(m.columns + 6 + 13 * i, R, at[i], &load, references[k]);
        mechanism_close(&m);
    }
}

/* ---- the motion drawn again ---- */
/* Point of a drawing at place + R (points + shapes q). */
static void draw(const phx_record_body *body, int point, const double *x, double *place, double *bent)
{
    const double *xb = x + body->x_start, *q = xb + 12;
    const int n = body->x_count - 12;
    double u[3];
    for (int a = 0; a < 3; a++) {
        u[a] = body->points[3 * point + a];
        for (int i = 0; i < n && body->shapes; i++)
            u[a] += body->shapes[(size_t)(3 * point + a) * (size_t)n + (size_t)i] * q[i];
        *bent = fmax(*bent, fabs(u[a] - body->points[3 * point + a]));
    }
    phx_rot_apply(3, xb + 3, u, place);
    for (int a = 0; a < 3; a++)
        place[a] += xb[a];
}

/* Whether a drawing of the body has a point at the place that columns `name`.x, .y, .z of the row hold. */
static void check_drawn(const phx_result *result, int b, size_t row, const double *x, const char *name, double *bent)
{
    const phx_record_body *body = phx_result_body(result, b);
    double want[3], nearest = HUGE_VAL;

    for (int a = 0; a < 3; a++) {
        char column[64];
        snprintf(column, sizeof column, "%s.%c", name, 'x' + a);
        const int c = phx_result_column_find(result, column);
        assert_true(c >= 0);
        assert_int_equal(phx_result_column(result, c, row, 1, &want[a]), PHX_OK);
    }
    for (int i = 0; i < body->n_points; i++) {
        double place[3], square = 0.0;
        draw(body, i, x, place, bent);
        for (int a = 0; a < 3; a++)
            square += (place[a] - want[a]) * (place[a] - want[a]);
        nearest = fmin(nearest, sqrt(square));
    }
    CHECK_SMALL(nearest, 1e-13, "row %zu: point %s in the drawing", row, name);
}

static const char CRANE[] = "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
                            "materials: {m: {density: 7800, young: 1e9, poisson: 0.3}}\nbodies:\n"
                            "  hub: {kind: rigid, mass: 1, inertia: [0.1, 0.2, 0.15], ports: {E: {position: [0.1, 0.2, "
                            "0.3]}}, velocity: {linear: [1, 2, 3], angular: [3, -2, 1]}}\n"
                            "  arm: {kind: beam, material: m, length: 1, elements: 2, reference: cantilever, section: "
                            "{kind: rectangle, width: 0.02, height: 0.03}, pose: {position: [0.1, 0.2, 0.3]}}\n"
                            "joints: {ball: {kind: spherical, ports: [hub.E, arm.P]}}\n"
                            "outputs: {hub: {position: hub.E}, middle: {position: arm@0.5}, tip: {position: arm.C}}\n"
                            "simulate: {end: 0.2, step: 0.002, every: 0.02}\n";

static void a_result_in_space_can_be_drawn(void **state)
{
    phx_context *context = *state;
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_model *model = NULL;
    phx_result *result = NULL;
    double bent = 0.0;

    options.h5_path = "sections.h5";
    CHECK_OK(context, phx_model_read_text(context, "crane.yaml", CRANE, strlen(CRANE), 0, NULL, &model));
    CHECK_OK(context, phx_study_simulate(context, model, &options, &report));
    CHECK_OK(context, phx_result_read(context, "sections.h5", &result));
    assert_int_equal(phx_result_dimension(result), 3);
    assert_true(phx_result_is_complete(result));
    assert_int_equal(phx_result_rows(result), 11);
    assert_int_equal(phx_result_bodies(result), 2);
    double *x = calloc((size_t)phx_result_n_x(result), sizeof *x),
           *v = calloc((size_t)phx_result_n_v(result), sizeof *v);
    assert_true(x && v);
    for (size_t row = 0; row < 11; row++) {
        CHECK_OK(context, phx_result_state(result, row, x, v));
        check_drawn(result, 0, row, x, "hub", &bent);
        check_drawn(result, 1, row, x, "middle", &bent);
        check_drawn(result, 1, row, x, "tip", &bent);
    }
    CHECK_BETWEEN(bent, 1e-3, 0.1, "largest deformation");
    free(x);
    free(v);
    phx_result_destroy(result);
    phx_model_destroy(model);
    remove("sections.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_is_bent_as_the_formulas_say),
        cmocka_unit_test(a_tapered_cantilever_is_bent_as_the_formulas_say),
        cmocka_unit_test_setup_teardown(a_result_in_space_can_be_drawn, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
