/* Every output of a port of every kind of body beside the places of a run: rates are the differences of positions and
 * attitudes, accelerations those of velocities, deformations the positions in the frame of the body. */
#include "support.h"
#include "results/results.h"

#include <string.h>

#define HEAD(dim, gravity)                                                                                             \
    "phlexor: 1\ndimension: " #dim "\ngravity: [" gravity "]\n"                                                        \
    "materials: {m: {density: 1000, young: 1e7, poisson: 0.3}}\n"
#define BODY(dim, gravity, body, joint, attitude, more)                                                                \
    HEAD(dim, gravity)                                                                                                 \
    "bodies:\n  b: {" body "}\njoints: {j: {" joint "}}\n"                                                             \
    "outputs: {u: {position: b.C}, r: {position: b.P}, v: {velocity: b.C}, a: {acceleration: b.C}, w: "                \
    "{angular_velocity: b.C}, " attitude more "}\n"                                                                    \
    "simulate: {end: 0.05, step: 2e-4}\n"
#define PLANE(body, more)                                                                                              \
    BODY(2, "3, -9.81", body, "kind: revolute, ports: [ground.O, b.P]", "q: {angle: b.C}, p: {angle: b.P}", more)
#define SPACE(body, more)                                                                                              \
    BODY(3, "3, 1, -9.81", body, "kind: spherical, ports: [ground.O, b.P]", "q: {attitude: b.C}, p: {attitude: b.P}",  \
         more)
#define D          ", d: {deformation: b.C}"
#define SECTION    "section: {kind: circle, diameter: 0.1}"
#define RIGID_PORT "kind: rigid, mass: 1, inertia: "
#define BASIS      "frame: P, basis: {kind: craig_bampton, modes: 4}, ports: {P: {on: x0}, C: {on: x1}}"
static const struct {
    const char *name, *text;
    double rest[3]; /* of C in the frame at P; NAN: no deformation to compare */
} cases[] = {
    {"rigid in the plane",
     PLANE(RIGID_PORT "0.1, centre_of_mass: [0.5, 0.1], ports: {C: {position: [1, 0.2]}}", D),
     {1.0, 0.2, 0.0}},
    {"rigid in space",
     SPACE(RIGID_PORT "[0.1, 0.2, 0.3], centre_of_mass: [0.5, 0.1, 0], ports: {C: {position: [1, 0.2, 0.1]}}", D),
     {1.0, 0.2, 0.1}},
    {"beam in the plane",
     PLANE("kind: beam, material: m, length: 1, elements: 3, reference: cantilever, " SECTION, D),
     {1.0, 0.0, 0.0}},
    {"beam in space",
     SPACE("kind: beam, material: m, length: 1, elements: 3, reference: cantilever, " SECTION, D),
     {1.0, 0.0, 0.0}},
    {"rod in the plane", PLANE("kind: rod, material: m, length: 1, elements: 3, " SECTION, ""), {NAN, 0.0, 0.0}},
    {"rod in space", SPACE("kind: rod, material: m, length: 1, elements: 3, " SECTION, ""), {NAN, 0.0, 0.0}},
    {"plate",
     SPACE("kind: plate, material: m, thickness: 0.02, mesh: {size: [1, 0.3], elements: [4, 2]}, " BASIS, D),
     {1.0, 0.0, 0.0}},
    {"solid",
     SPACE("kind: solid, material: m, mesh: {size: [1, 0.2, 0.1], elements: [4, 1, 1]}, " BASIS, D),
     {1.0, 0.0, 0.0}}};

typedef struct rows {
    phx_context *context;
    text_run run;
} rows;

static double at(const rows *r, const char *output, int component, size_t row)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    char column[20];
    snprintf(column, sizeof column, component < 0 ? "%s" : "%s.%s", output, component < 0 ? "" : names[component]);
    return record_at(r->context, &r->run, column, row);
}

/* Angular velocity about the axes of space between two rows: 2 dq q*. */
static double turn_rate(const rows *r, int dim, int k, size_t row, double h)
{
    double q[4], dq[4];
    if (dim == 2)
        return (at(r, "q", -1, row + 1) - at(r, "q", -1, row - 1)) / (2.0 * h);
    for (int i = 0; i < 4; i++) {
        q[i] = at(r, "q", i, row);
        dq[i] = (at(r, "q", i, row + 1) - at(r, "q", i, row - 1)) / (2.0 * h);
    }
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    return 2.0 * (dq[k] * q[3] - dq[3] * q[k] - (dq[a] * q[b] - dq[b] * q[a]));
}

/* R^T (u - r) of the frame at P. */
static double in_frame(const rows *r, int dim, int k, size_t row)
{
    double d[3] = {0.0}, R[9];
    for (int i = 0; i < dim; i++)
        d[i] = at(r, "u", i, row) - at(r, "r", i, row);
    if (dim == 2) {
        const double p = at(r, "p", -1, row);
        return k == 0 ? cos(p) * d[0] + sin(p) * d[1] : -sin(p) * d[0] + cos(p) * d[1];
    }
    const double x = at(r, "p", 0, row), y = at(r, "p", 1, row), z = at(r, "p", 2, row), w = at(r, "p", 3, row);
    const double turned[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                              2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                              2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, turned, sizeof R);
    return R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2];
}

static void outputs_agree_with_places(void **state)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rows r = {*state, run_text(*state, cases[c].text, 0.0)};
        const int dim = strstr(cases[c].text, "dimension: 2") ? 2 : 3;
        const double h = record_at(*state, &r.run, "t", 1) - record_at(*state, &r.run, "t", 0);
        double fast = 0.0, largest = 0.0;
        for (size_t row = r.run.n / 2; row < r.run.n - 1; row += 7)
            for (int k = 0; k < dim; k++) {
                fast = fmax(fast, fabs(at(&r, "v", k, row)));
                const double v = (at(&r, "u", k, row + 1) - at(&r, "u", k, row - 1)) / (2.0 * h);
                CHECK_CLOSE(at(&r, "v", k, row), v, 2e-3, "%s: velocity %d", cases[c].name, k);
                const double a = (at(&r, "v", k, row + 1) - at(&r, "v", k, row - 1)) / (2.0 * h);
                CHECK_CLOSE(at(&r, "a", k, row), a, 0.5, "%s: acceleration %d", cases[c].name, k);
                const int turn = dim == 2 ? -1 : k;
                CHECK_CLOSE(at(&r, "w", turn, row), turn_rate(&r, dim, k, row, h), 2e-2, "%s: angular velocity %d",
                            cases[c].name, k);
                if (isnan(cases[c].rest[0]))
                    continue;
                const double d = in_frame(&r, dim, k, row) - cases[c].rest[k];
                largest = fmax(largest, fabs(d));
                CHECK_CLOSE(at(&r, "d", k, row), d, 1e-10, "%s: deformation %d", cases[c].name, k);
            }
        if (!(fast > 0.1))
            fail_msg("%s: it hardly moves, %g m/s", cases[c].name, fast);
        assert_true(isnan(cases[c].rest[0]) || !strncmp(cases[c].name, "rigid", 5) || largest > 1e-4);
        phx_result_destroy(r.run.result);
    }
}

/* A rod has no frame that its deformation would be measured in. */
static void deformations_of_rods_are_refused(void **state)
{
    static const char *const texts[] = {PLANE("kind: rod, material: m, length: 1, elements: 3, " SECTION, D),
                                        SPACE("kind: rod, material: m, length: 1, elements: 3, " SECTION, D)};
    for (int k = 0; k < 2; k++) {
        phx_simulate_options options = phx_simulate_options_default();
        phx_simulate_report report;
        phx_model *model = read_text(*state, texts[k]);
        CHECK_STATUS(*state, phx_study_simulate(*state, model, &options, &report), PHX_ERR_INPUT);
        CHECK_MESSAGE(*state, "output 'd': body 'b' has a frame at each node");
        phx_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(outputs_agree_with_places, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(deformations_of_rods_are_refused, study_setup, study_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
