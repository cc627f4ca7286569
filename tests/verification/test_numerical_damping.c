/* The filtered midpoint rule: its spectrum, what it leaves of ringing, its balance, momenta, joints and order. */
#include "mechanism.h"

#include <complex.h>

static void open_filtered(mechanism *m, const char *text, double radius)
{
    mechanism_open(m, text, 0, NULL);
    phx_system_dae_destroy(m->dae);
    CHECK_OK(m->context, phx_system_dae_with(m->system, m->context, PHX_BACKEND_PLAIN, &m->dae));
    CHECK_OK(m->context, phx_system_spectral_radius(m->dae, radius));
}

static void run(mechanism *m, double end, double step)
{
    phx_integrate_options options = phx_integrate_options_default();
    options.end = end;
    options.step = step;
    mechanism_run(m, &options);
}

/* One mode of frequency 1/(2 pi) Hz on a body that is held: q'' + q = 0. */
static const char oscillator[] = "phlexor: 1\n"
                                 "dimension: 2\n"
                                 "bodies:\n"
                                 "  a: {kind: modal, mass: 1, inertia: 1, modes: [{frequency: 0.15915494309189535}]}\n"
                                 "joints: {A: {kind: weld, ports: [ground.O, a.P]}}\n";

typedef struct history {
    int count;
    double q[600];
} history;

static void keep_q(mechanism *m, double t, const double *x, const double *v)
{
    history *h = m->looker;
    (void)t;
    (void)v;
    assert_true(h->count < 600);
    h->q[h->count++] = x[5];
}

/* The two roots of the recurrence q'' = s q' - p q through four samples; the larger one. */
static double complex dominant_root(const double *q)
{
    const double det = q[1] * q[1] - q[0] * q[2];
    const double s = (q[1] * q[2] - q[0] * q[3]) / det, p = (q[2] * q[2] - q[1] * q[3]) / det;
    const double complex root = csqrt(0.25 * s * s - p), one = 0.5 * s + root, other = 0.5 * s - root;
    return cabs(one) > cabs(other) ? one : other;
}

static double complex root_at(double radius, double omega, int settled)
{
    mechanism m;
    history h = {0};
    open_filtered(&m, oscillator, radius);
    m.x[5] = 1.0;
    m.look = keep_q;
    m.looker = &h;
    run(&m, (settled + 4) * omega, omega);
    mechanism_close(&m);
    assert_int_equal(h.count, settled + 5);
    return dominant_root(h.q + settled);
}

/* Of an independent program (eigenvalues of the four by four map of a step). */
static void spectrum(void **state)
{
    static const struct {
        double radius, omega, period, damping;
    } slow[] = {{0.8, 0.1, 0.0008636122759178022, 3.422807264173715e-07},
                {0.8, 0.2, 0.0034474634168373264, 2.722667401538589e-06},
                {0.8, 1.0, 0.08123413928234369, 0.00028899874327414763},
                {0.5, 0.2, 0.00442584116599809, 7.293855444953691e-05},
                {0.5, 1.0, 0.10139513722498483, 0.006628377576150149},
                {0.0, 0.2, 0.012834814799614458, 0.0018422067592359906},
                {0.0, 1.0, 0.21388979187047696, 0.08376570719999783}};
    static const struct {
        double radius, omega, spectral;
        int settled;
    } fast[] = {{0.8, 10.0, 0.9511923701103806, 300},
                {0.5, 10.0, 0.7386279443825281, 50},
                {0.5, 100.0, 0.5690598142616363, 22},
                {0.0, 10.0, 0.3007495682689156, 12}};
    (void)state;
    for (size_t k = 0; k < sizeof slow / sizeof *slow; k++) {
        const double complex root = root_at(slow[k].radius, slow[k].omega, 150);
        const double angle = fabs(carg(root)), decay = -log(cabs(root));
        CHECK_CLOSE(slow[k].omega / angle - 1.0, slow[k].period, 1e-7, "r = %g, h omega = %g: period", slow[k].radius,
                    slow[k].omega);
        CHECK_CLOSE(decay / angle, slow[k].damping, 1e-9, "r = %g, h omega = %g: damping ratio", slow[k].radius,
                    slow[k].omega);
    }
    for (size_t k = 0; k < sizeof fast / sizeof *fast; k++)
        CHECK_RELATIVE(cabs(root_at(fast[k].radius, fast[k].omega, fast[k].settled)), fast[k].spectral, 2e-3,
                       "r = %g, h omega = %g: spectral radius", fast[k].radius, fast[k].omega);
}

/* The axial oscillation that an undeformed start leaves in the rod of a crank-slider, 400 steps a turn; the midpoint
 * rule keeps it for ever. */
typedef struct ringing {
    double last[3], rest;
    int count;
} ringing;

static void look_at_ringing(mechanism *m, double t, const double *x, const double *v)
{
    ringing *r = m->looker;
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, m->columns));
    r->last[r->count++ % 3] = m->columns[0] / 0.3;
    if (r->count > 760) /* of 801: alternating from step to step */
        r->rest = fmax(r->rest, fabs(r->last[0] + r->last[1] + r->last[2] - 3.0 * r->last[(r->count + 1) % 3]));
}

static void ringing_decays(void **state)
{
    static const char crank_slider[] =
        "phlexor: 1\ndimension: 2\n"
        "materials: {steel: {density: 7870, young: 0.2e12}}\n"
        "bodies:\n"
        "  crank: {kind: rigid, mass: 0.1, inertia: 1e-4, centre_of_mass: [0.075, 0], ports: {C: {position: [0.15, "
        "0]}}}\n"
        "  rod: {kind: beam, material: steel, length: 0.3, section: {kind: circle, diameter: 0.006}, elements: 4, "
        "reference: simply_supported, pose: {position: [0.15, 0]}}\n"
        "  slider: {kind: rigid, mass: 0.033, inertia: 1e-6, pose: {position: [0.45, 0]}}\n"
        "joints:\n"
        "  motor: {kind: revolute, ports: [ground.O, crank.P], angle: 0, speed: 150}\n"
        "  knee: {kind: revolute, ports: [crank.C, rod.P]}\n"
        "  wrist: {kind: revolute, ports: [rod.C, slider.P]}\n"
        "  guide: {kind: prismatic, ports: [ground.O, slider.P], axis: [1, 0]}\n"
        "outputs: {tip: {deformation: rod.C}}\n";
    static const double radius[] = {1.0, 0.5, 0.0};
    const double h = TEST_PI / 150.0 / 200.0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        mechanism m;
        ringing r = {0};
        open_filtered(&m, crank_slider, radius[k]);
        m.look = look_at_ringing;
        m.looker = &r;
        run(&m, 800 * h, h);
        if (k == 0)
            CHECK_BETWEEN(r.rest, 2e-5, 4e-4, "ringing that the midpoint rule keeps");
        else
            CHECK_BELOW(r.rest, 1e-6, "ringing left at r = %g", radius[k]);
        CHECK_BELOW(m.largest_residual, 1e-12 * m.largest_energy, "r = %g: balance", radius[k]);
        CHECK_BELOW(m.largest_drift, 1e-14, "r = %g: joints", radius[k]);
        mechanism_close(&m);
    }
}

/* Two beams that fall, one of them stiffening; in the plane and in space. */
static const char *const falling[] = {
    "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "materials: {soft: {density: 2700, young: 7e10}}\n"
    "bodies:\n"
    "  a: {kind: beam, material: soft, length: 1, section: {kind: rectangle, width: 0.02, height: 0.01}, reference: "
    "cantilever, elements: 6, damping: {stiffness: 1e-4}}\n"
    "  b: {kind: beam, material: soft, length: 0.7, section: {kind: rectangle, width: 0.02, height: 0.008}, reference: "
    "simply_supported, elements: 4, stiffening: true, pose: {position: [1, 0], angle: 0.4}}\n"
    "joints: {A: {kind: revolute, ports: [ground.O, a.P]}, B: {kind: revolute, ports: [a.C, b.P]}}\n",
    "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
    "materials: {soft: {density: 2700, young: 7e10, poisson: 0.3}}\n"
    "bodies:\n"
    "  a: {kind: beam, material: soft, length: 1, section: {kind: rectangle, width: 0.02, height: 0.01}, reference: "
    "cantilever, elements: 4}\n"
    "  b: {kind: beam, material: soft, length: 0.7, section: {kind: rectangle, width: 0.02, height: 0.008}, reference: "
    "free, elements: 3, pose: {position: [1, 0, 0], rotation: {axis: [0, 0, 1], angle: 0.4}}}\n"
    "joints: {A: {kind: universal, ports: [ground.O, a.P], axes: [[0, 1, 0], [0, 0, 1]], rate: [0, 2]}, B: {kind: "
    "spherical, ports: [a.C, b.P]}}\n"};

static void losses_are_booked(void **state)
{
    (void)state;
    for (int dim = 0; dim < 2; dim++)
        for (double radius = 0.0; radius < 1.0; radius += 0.4) {
            mechanism m;
            open_filtered(&m, falling[dim], radius);
            run(&m, 0.5, 5e-3);
            CHECK_BELOW(m.largest_residual, 1e-12 * m.largest_energy, "dimension %d, r = %g: balance", dim + 2, radius);
            CHECK_BELOW(m.largest_drift, 1e-14, "joints");
            CHECK_BELOW(m.largest_drift_rate, 1e-13, "rates of the joints");
            mechanism_close(&m);
        }
}

/* The work of the run with r = 1 is that of the midpoint rule bit by bit. */
static void one_is_the_midpoint_rule(void **state)
{
    double *end[2];
    int n = 0;
    (void)state;
    for (int k = 0; k < 2; k++) {
        mechanism m;
        phx_integrate_options options = phx_integrate_options_default();
        mechanism_open(&m, falling[0], 0, NULL);
        phx_system_dae_destroy(m.dae);
        CHECK_OK(m.context, phx_system_dae_with(m.system, m.context, PHX_BACKEND_PLAIN, &m.dae));
        if (k == 1)
            CHECK_OK(m.context, phx_system_spectral_radius(m.dae, 1.0));
        options.end = 0.1;
        options.step = 5e-3;
        n = m.dae->n_x + m.dae->n_v;
        end[k] = mechanism_final_state(&m, &options);
        mechanism_close(&m);
    }
    assert_memory_equal(end[0], end[1], (size_t)n * sizeof(double));
    free(end[0]);
    free(end[1]);
}

static const char floating[] =
    "phlexor: 1\ndimension: 3\n"
    "materials: {soft: {density: 1000, young: 4e4, poisson: 0.3}}\n"
    "bodies:\n"
    "  a: {kind: beam, material: soft, length: 1, section: {kind: general, area: 1e-3, inertia: [2e-5, 4e-5], torsion: "
    "6e-5}, reference: free, elements: 2, "
    "point_masses: [{at: C, mass: 0.3}], pose: {position: [0.2, 0.3, -0.4], rotation: {axis: [1, 2, 3], angle: 0.7}}, "
    "velocity: {linear: [0.3, -0.2, 0.1], angular: [1.5, 2, -1]}}\n";

static void free_bodies_keep_momenta(void **state)
{
    mechanism m;
    (void)state;
    open_filtered(&m, floating, 0.3);
    run(&m, 5.0, 5e-3);
    CHECK_BELOW(m.momentum_change, 1e-13, "momenta");
    CHECK_BELOW(m.largest_residual, 1e-12 * m.largest_energy, "balance");
    mechanism_close(&m);
}

/* Errors of the motion fall with the square of the step, at every radius. */
static void order_is_two(void **state)
{
    static const char soft[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "materials: {soft: {density: 2700, young: 7e8}}\n"
        "bodies: {a: {kind: beam, material: soft, length: 1, section: {kind: rectangle, width: 0.05, height: 0.05}, "
        "reference: cantilever, elements: 1}}\n"
        "joints: {A: {kind: revolute, ports: [ground.O, a.P]}}\n";
    (void)state;
    for (double radius = 0.0; radius < 1.0; radius += 0.5) {
        double *end[3];
        double h = 4e-4;
        int n = 0;
        for (int k = 0; k < 3; k++, h *= k == 1 ? 0.5 : 0.0625) {
            mechanism m;
            phx_integrate_options options = phx_integrate_options_default();
            open_filtered(&m, soft, radius);
            options.end = 0.2;
            options.step = h;
            n = m.dae->n_x;
            end[k] = mechanism_final_state(&m, &options);
            mechanism_close(&m);
        }
        const double first = mechanism_distance(end[0], end[2], n), second = mechanism_distance(end[1], end[2], n);
        CHECK_BETWEEN(log2(first / second), 1.8, 2.2, "order at r = %g: errors %g, %g", radius, first, second);
        for (int k = 0; k < 3; k++)
            free(end[k]);
    }
}

static void others_refuse(void **state)
{
    mechanism m;
    phx_integrate_options options = phx_integrate_options_default();
    (void)state;
    open_filtered(&m, floating, 0.5);
    options.end = 0.1;
    options.step = 1e-3;
    options.integrator = PHX_GAUSS6;
    CHECK_STATUS(m.context, phx_integrate(m.dae, &options, &m.t, m.x, m.v, m.lambda, NULL, NULL, NULL),
                 PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(m.context, "numerical damping");
    CHECK_STATUS(m.context, phx_system_spectral_radius(m.dae, 1.5), PHX_ERR_ARGUMENT);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spectrum),
                                       cmocka_unit_test(ringing_decays),
                                       cmocka_unit_test(losses_are_booked),
                                       cmocka_unit_test(one_is_the_midpoint_rule),
                                       cmocka_unit_test(free_bodies_keep_momenta),
                                       cmocka_unit_test(order_is_two),
                                       cmocka_unit_test(others_refuse)};
    return cmocka_run_group_tests_name("verification_numerical_damping", tests, NULL, NULL);
}
