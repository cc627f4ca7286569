/* Beams whose section varies: statics by closed forms, masses, frequencies against shooting and published values. */
#include "algebra/algebra.h"
#include "fe/fe.h"
#include "support.h"

enum { STATIONS_MOST = 65, STEPS = 1000, ORDER_5 = 5 };

/* The plain beam of the tests times a factor of stiffness and one of mass. */
static phx_beam_station station(const phx_beam_def *def, double at, double stiffness, double mass)
{
    return (phx_beam_station){
        .at = at,
        .mass_per_length = mass * def->mass_per_length,
        .axial_stiffness = stiffness * def->axial_stiffness,
        .bending_stiffness = {stiffness * def->bending_stiffness[0], stiffness * def->bending_stiffness[1]},
        .torsion_stiffness = stiffness * def->torsion_stiffness,
        .polar_inertia = mass * def->polar_inertia};
}

/* Motion of the end C (ux, uy, [uz,] twist or slope) by a unit force or moment in direction c there. */
static double flexibility_at_tip(phx_context *context, const phx_beam_def *def, int c)
{
    phx_beam *beam = test_beam(context, def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    double *K = flex_dense(context, flex, flex->K), *q = phx_calloc(context, (size_t)flex->n, sizeof *q), sum = 0.0;
    phx_flex_point tip;

    CHECK_OK(context, phx_beam_point(beam, context, 1.0, &tip));
    const double *row = c < def->dim ? tip.phi + c * tip.n : tip.theta + (c - def->dim) * tip.n;
    for (int k = 0; k < tip.n; k++)
        q[tip.dof[k]] = row[k];
    CHECK_OK(context, phx_dense_solve(context, flex->n, K, 1, q));
    for (int k = 0; k < tip.n; k++)
        sum += row[k] * q[tip.dof[k]];
    phx_flex_point_free(&tip);
    phx_free(K);
    phx_free(q);
    phx_flex_source_destroy(beam);
    return sum;
}

/* EI = EI0 (1 - (1 - r) x/L): under forces at C cubic elements are exact at their nodes, but for the
 * quadrature of 1/EI; the curvature of quintic ones is continuous, and converges:
 *   u = ln(1/r)/(1 - r) L/EA0,   w = ((1 - r^2)/2 - 2 r (1 - r) + r^2 ln(1/r))/(1 - r)^3 L^3/EI0 */
static void tapered_beams_bend_as_they_should(void **state)
{
    static const double r = 0.5;
    const double log_r = log(1.0 / r), axial = log_r / (1.0 - r);
    const double bending = ((1.0 - r * r) / 2.0 - 2.0 * r * (1.0 - r) + r * r * log_r) / pow(1.0 - r, 3.0);

    for (int dim = 2; dim <= 3; dim++)
        for (int order = 3; order <= ORDER_5; order += 2)
            for (int elements = 1; elements <= 3; elements += 2) {
                phx_beam_def def = test_def(dim, order, PHX_REFERENCE_CANTILEVER, elements);
                const phx_beam_station stations[2] = {station(&def, 0.0, 1.0, 1.0), station(&def, 1.0, r, r)};
                const double L = def.length, *EI = def.bending_stiffness;
                const double rtol = order == 3 ? 1e-11 : 2e-9;
                def.n_stations = 2;
                def.stations = stations;
                CHECK_RELATIVE(flexibility_at_tip(*state, &def, 0), axial * L / def.axial_stiffness, rtol, "axial");
                CHECK_RELATIVE(flexibility_at_tip(*state, &def, 1), bending * L * L * L / EI[dim - 2], rtol, "uy");
                if (dim == 2)
                    continue;
                CHECK_RELATIVE(flexibility_at_tip(*state, &def, 2), bending * L * L * L / EI[0], rtol, "uz");
                CHECK_RELATIVE(flexibility_at_tip(*state, &def, 3), axial * L / def.torsion_stiffness, rtol, "twist");
            }
}

/* A step inside an element: w = (1 - (1 - s)^3 + (1 - s)^3/r) L^3/(3 EI0). */
static void stepped_beams_bend_as_they_should(void **state)
{
    static const double s = 0.4, r = 0.2;

    for (int elements = 1; elements <= 3; elements++) {
        phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, elements);
        const phx_beam_station stations[4] = {station(&def, 0.0, 1.0, 1.0), station(&def, s, 1.0, 1.0),
                                              station(&def, s, r, r), station(&def, 1.0, r, r)};
        const double rest = pow(1.0 - s, 3.0), L = def.length;
        def.n_stations = 4;
        def.stations = stations;
        CHECK_RELATIVE(flexibility_at_tip(*state, &def, 1),
                       (1.0 - rest + rest / r) * L * L * L / (3.0 * def.bending_stiffness[0]), 1e-12, "%d elements",
                       elements);
    }
}

/* m0 + (m1 - m0) x/L with a step at 0.3: mass, centre and inertia about P; in mean axes nothing is left of S and C. */
static void masses_are_exact(void **state)
{
    static const double s = 0.3;

    for (int dim = 2; dim <= 3; dim++)
        for (int reference = 0; reference < 3; reference++) {
            phx_beam_def def = test_def(dim, 3, (phx_reference)reference, 4);
            const phx_beam_station stations[4] = {station(&def, 0.0, 1.0, 1.0), station(&def, s, 1.0, 1.6),
                                                  station(&def, s, 1.0, 0.8), station(&def, 1.0, 1.0, 0.5)};
            const double m = def.mass_per_length, L = def.length;
            double moment[3] = {0.0, 0.0, 0.0}; /* of x^0, x^1, x^2 */
            def.n_stations = 4;
            def.stations = stations;
            for (int k = 0; k < 4; k += 2)
                for (int g = 0; g < QUADRATURE_POINTS; g++) {
                    const double part = quadrature_point[g], span = stations[k + 1].at - stations[k].at;
                    const double x = L * (stations[k].at + part * span);
                    const double dm =
                        L * span * quadrature_weight[g] *
                        ((1.0 - part) * stations[k].mass_per_length + part * stations[k + 1].mass_per_length);
                    moment[0] += dm;
                    moment[1] += dm * x;
                    moment[2] += dm * x * x;
                }
            CHECK_RELATIVE(moment[0], m * L * (1.3 * s + 0.65 * (1.0 - s)), 1e-14, "two trapezia");
            phx_beam *beam = test_beam(*state, &def);
            const phx_flex *flex = phx_flex_source_flex(beam);
            CHECK_RELATIVE(flex->mass, moment[0], 1e-14, "mass");
            CHECK_RELATIVE(flex->s0[0], moment[1], 1e-14, "first moment");
            CHECK_RELATIVE(flex->J0[dim == 3], moment[2], 1e-14, "inertia");
            if (dim == 3)
                CHECK_RELATIVE(flex->J0[0], moment[0] * def.polar_inertia / m, 1e-14, "polar inertia");
            if (reference == PHX_REFERENCE_FREE) {
                CHECK_SMALL(max_abs(dim * flex->n, flex->S), 0.0, "mean axes");
                CHECK_SMALL(max_abs(flex->n_rot * flex->n, flex->C), 0.0, "mean axes");
            }
            check_mixed(flex, "a stepped beam");
            phx_flex_source_destroy(beam);
        }
}

/* Two stations of one section are the beam without: all matrices, stiffening included, and for all elements. */
static void equal_stations_are_a_uniform_beam(void **state)
{
    for (int c = 0; c < 4; c++) {
        phx_beam_def def = test_def(2 + c % 2, 3, PHX_REFERENCE_SIMPLY_SUPPORTED, 3);
        def.element = c < 2 ? PHX_ELEMENT_MIXED : PHX_ELEMENT_PAPER;
        def.stiffening = c < 2;
        def.section_inertia[0] = c == 1 ? 0.4 * def.polar_inertia : 0.0;
        def.section_inertia[1] = c == 1 ? 0.6 * def.polar_inertia : 0.0;
        phx_beam_station stations[3] = {station(&def, 0.0, 1.0, 1.0), station(&def, 0.45, 1.0, 1.0),
                                        station(&def, 1.0, 1.0, 1.0)};
        phx_beam *plain = test_beam(*state, &def);
        for (int k = 0; k < 3; k++)
            memcpy(stations[k].section_inertia, def.section_inertia, sizeof def.section_inertia);
        def.n_stations = 3;
        def.stations = stations;
        phx_beam *beam = test_beam(*state, &def);
        const phx_flex *a = phx_flex_source_flex(plain), *b = phx_flex_source_flex(beam);
        const int entries = a->ptr[a->n];
        CHECK_VECTOR(entries, b->M, a->M, 1e-13, "M %d", c);
        CHECK_VECTOR(entries, b->K, a->K, 1e-12, "K %d", c);
        for (int p = 0; p < a->n_pair; p++)
            CHECK_VECTOR(entries, b->Q[p], a->Q[p], 1e-13, "Q %d", c);
        CHECK_VECTOR(a->root.ptr[a->root.rows], b->root.val, a->root.val, 1e-12, "root %d", c);
        if (a->stiffening) {
            CHECK_VECTOR(a->stiffening->n_strain, b->stiffening->stiffness, a->stiffening->stiffness, 1e-13, "EA h");
            CHECK_VECTOR(a->stiffening->n_slope, b->stiffening->weight, a->stiffening->weight, 1e-13, "weights");
        }
        phx_flex_source_destroy(plain);
        phx_flex_source_destroy(beam);
    }
}

/* The stiffness of a strain of second order is that of the same element in K, the harmonic mean of EA. */
static void stiffening_feels_the_mean_of_the_stiffness(void **state)
{
    phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, 1);
    const phx_beam_station stations[2] = {station(&def, 0.0, 1.0, 1.0), station(&def, 1.0, 0.25, 1.0)};
    const double mean = def.axial_stiffness * 0.75 / log(4.0);
    def.n_stations = 2;
    def.stations = stations;
    def.stiffening = true;
    phx_beam *beam = test_beam(*state, &def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    CHECK_RELATIVE(flex->stiffening->stiffness[0], mean * def.length, 1e-7, "strain");
    CHECK_RELATIVE(flex->K[0], mean / def.length, 1e-7, "K");
    phx_flex_source_destroy(beam);
}

/* ---- frequencies ---- */
/* First frequency of a cantilever by its elements, over sqrt(EI0/(m0 L^4)). */
static double first_frequency(phx_context *context, const phx_beam_def *def)
{
    phx_beam *beam = test_beam(context, def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    double *T = phx_calloc(context, (size_t)flex->n, sizeof *T), omega;
    const phx_beam_station *root = &def->stations[0];

    CHECK_OK(context, phx_flex_normal_modes(context, flex, 1, &omega, T));
    phx_free(T);
    phx_flex_source_destroy(beam);
    return omega * sqrt(root->mass_per_length / root->bending_stiffness[0]) * def->length * def->length;
}

/* EI and m over those of the root. */
typedef struct taper {
    double r;    /* at the end C */
    double step; /* > 0: constant, with a step there; 0: linear */
} taper;

static double taper_factor(const taper *along, double x)
{
    return along->step > 0.0 ? (x < along->step ? 1.0 : along->r) : 1.0 - (1.0 - along->r) * x;
}

/* d(w, w', M, Q)/dx of (EI w'')'' = lambda m w, with M = EI w''. */
static void slope_of(double f, double lambda, const double y[4], double out[4])
{
    out[0] = y[1];
    out[1] = y[2] / f;
    out[2] = y[3];
    out[3] = lambda * f * y[0];
}

/* y over the piece [a, b] by Runge and Kutta's fourth order; EI and m there by the factor just inside. */
static void shoot_piece(const taper *along, double lambda, double a, double b, double y[4])
{
    static const double inside = 1e-12;
    const double h = (b - a) / STEPS;

    for (int n = 0; n < STEPS; n++) {
        double k[4][4], z[4];
        for (int stage = 0; stage < 4; stage++) {
            const double ahead = stage == 0 ? 0.0 : stage == 3 ? 1.0 : 0.5;
            const double x = fmin(fmax(a + (n + ahead) * h, a + inside), b - inside);
            for (int i = 0; i < 4; i++)
                z[i] = y[i] + (stage > 0 ? ahead * h * k[stage - 1][i] : 0.0);
            slope_of(taper_factor(along, x), lambda, z, k[stage]);
        }
        for (int i = 0; i < 4; i++)
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

/* What a clamped beam leaves at its free end: det of (M, Q) by (M0, Q0); zero at a frequency. */
static double free_end(const taper *along, double lambda)
{
    const double step = along->step > 0.0 ? along->step : 0.5;
    double y[2][4] = {{0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};

    for (int k = 0; k < 2; k++) {
        shoot_piece(along, lambda, 0.0, step, y[k]);
        shoot_piece(along, lambda, step, 1.0, y[k]);
    }
    return y[0][2] * y[1][3] - y[0][3] * y[1][2];
}

static double shot_frequency(const taper *along)
{
    double low = 0.5, high = 8.0; /* of the first frequency */

    for (int n = 0; n < 60; n++) {
        const double middle = 0.5 * (low + high);
        if (free_end(along, low * low) * free_end(along, middle * middle) <= 0.0)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Order 4, as of uniform beams; a step between two elements leaves it. */
static void frequencies_are_those_of_the_tapered_beam(void **state)
{
    static const taper beams[] = {{.r = 0.3}, {.r = 0.4, .step = 0.5}};
    const taper uniform = {.r = 1.0};

    CHECK_RELATIVE(shot_frequency(&uniform), 3.5160152685, 1e-9, "the uniform cantilever");
    for (size_t c = 0; c < sizeof beams / sizeof *beams; c++) {
        const taper *along = &beams[c];
        const double exact = shot_frequency(along);
        const double before = c == 0 ? taper_factor(along, 0.5) : 1.0, behind = taper_factor(along, 0.5);
        double error[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3 - (int)c; k++) {
            phx_beam_def def = test_def(2, k < 2 ? 3 : ORDER_5, PHX_REFERENCE_CANTILEVER, k == 0 ? 8 : 16);
            const phx_beam_station stations[4] = {station(&def, 0.0, 1.0, 1.0), station(&def, 0.5, before, before),
                                                  station(&def, 0.5, behind, behind),
                                                  station(&def, 1.0, along->r, along->r)};
            def.n_stations = 4;
            def.stations = stations;
            error[k] = fabs(first_frequency(*state, &def) / exact - 1.0);
        }
        CHECK_BELOW(error[1], 5e-7, "beam %zu, 16 elements", c);
        CHECK_BETWEEN(error[0] / error[1], 14.0, 18.0, "beam %zu: order 4", c);
        CHECK_BELOW(error[2], 1e-11, "beam %zu, 16 elements of order 5", c);
    }
}

/* Kirchhoff's wedges, clamped at the thick end: of constant width 5.315, of constant height, a triangle, 7.16. The
 * stations of the first are on the curve of EI; its end is blunt. */
static void wedges_have_their_published_frequencies(void **state)
{
    static const double published[2] = {5.315, 7.16}, tolerance[2] = {1e-4, 1e-3}, blunt = 1e-3;

    for (int c = 0; c < 2; c++) {
        const int n = STATIONS_MOST - 1;
        phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, n / 2);
        phx_beam_station stations[STATIONS_MOST];
        def.axial_stiffness *= 1e6; /* bending is first */
        for (int i = 0; i <= n; i++) {
            const double x = (double)i / n, size = fmax(1.0 - x, blunt);
            stations[i] = station(&def, x, c == 0 ? size * size * size : size, size);
        }
        def.n_stations = n + 1;
        def.stations = stations;
        CHECK_RELATIVE(first_frequency(*state, &def), published[c], tolerance[c], "wedge %d", c);
    }
}

static void wrong_stations_are_refused(void **state)
{
    phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, 2);
    const phx_beam_station good[3] = {station(&def, 0.0, 1.0, 1.0), station(&def, 0.5, 1.0, 1.0),
                                      station(&def, 1.0, 1.0, 1.0)};
    phx_beam_station bad[3];
    phx_beam *beam = NULL;

    def.stations = bad;
    def.n_stations = 1;
    memcpy(bad, good, sizeof bad);
    CHECK_STATUS(*state, phx_beam_create(*state, &def, &beam), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "beam: 1 stations, must be two at least, the first at 0, the last at 1");
    def.n_stations = 3;
    bad[2].at = 0.9;
    CHECK_STATUS(*state, phx_beam_create(*state, &def, &beam), PHX_ERR_ARGUMENT);
    bad[2].at = 1.0;
    bad[1].at = NAN;
    CHECK_STATUS(*state, phx_beam_create(*state, &def, &beam), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "stations[1].at is nan, must be 0 at least");
    bad[1] = good[1];
    bad[1].axial_stiffness = -1.0;
    CHECK_STATUS(*state, phx_beam_create(*state, &def, &beam), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "stations[1]: beam: axial_stiffness is -1, must be finite and > 0");
    bad[1] = good[1];
    bad[2].torsion_stiffness = HUGE_VAL;
    CHECK_STATUS(*state, phx_beam_create(*state, &def, &beam), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "both must be infinite, or none");
    bad[2] = good[2];
    bad[2].section_inertia[0] = def.polar_inertia;
    CHECK_STATUS(*state, phx_beam_create(*state, &def, &beam), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "stations[2].section_inertia is 0.03, 0, that of the beam 0, 0; all have one, or none");
    bad[2] = good[2];
    bad[1] = station(&def, 1.0, 0.5, 1.0);
    def.order = ORDER_5;
    CHECK_STATUS(*state, phx_beam_create(*state, &def, &beam), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "stations[2]: the bending stiffness has a step at 1 of the length");
    def.element = PHX_ELEMENT_ASSUMED;
    def.modes = 2;
    CHECK_STATUS(*state, phx_beam_create(*state, &def, &beam), PHX_ERR_UNSUPPORTED);
    assert_null(beam);
}

/* Each allocation fails once. */
static void memory_fails(void **state)
{
    phx_context *context = *state;
    phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, 2);
    const phx_beam_station stations[2] = {station(&def, 0.0, 1.0, 1.0), station(&def, 1.0, 0.5, 1.0)};
    phx_beam *beam = NULL;
    phx_status status = PHX_ERR_MEMORY;

    def.n_stations = 2;
    def.stations = stations;
    for (int k = 1; status == PHX_ERR_MEMORY; k++) {
        phx_context_fail_allocation(context, k);
        status = phx_beam_create(context, &def, &beam);
        phx_context_fail_allocation(context, 0);
        assert_true(status == PHX_OK || status == PHX_ERR_MEMORY);
    }
    phx_flex_source_destroy(beam);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tapered_beams_bend_as_they_should, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(stepped_beams_bend_as_they_should, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(masses_are_exact, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(equal_stations_are_a_uniform_beam, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(stiffening_feels_the_mean_of_the_stiffness, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(frequencies_are_those_of_the_tapered_beam, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(wedges_have_their_published_frequencies, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(wrong_stations_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(memory_fails, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
