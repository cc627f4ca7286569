/* Geometric stiffening of plates and solids: frequencies of cantilever plates on a hub that turns, against a Ritz
 * computation of their own here; spin-ups of slender plates and solids against the beam.
 *
 * Ritz: polynomials on the rectangle a x b, clamped at x = 0. First the membrane stresses N by the centrifugal force
 * rho h Omega^2 (R + x, and y - b/2 where the axis is across the plate); then K + K_g(N) - Omega^2 M for the
 * deflection, the last term for an axis in the plane, and the mass that Coriolis forces in the plane add to M. */
#include "rotation.h"

#include <math.h>

enum { ALONG = 13, ACROSS = 9, N = ALONG * ACROSS, POINTS = 20, ALL = POINTS * POINTS, TEXT = 3000 };

typedef struct plate {
    double a, b, h, young, poisson, density, radius, speed;
    bool across; /* the axis is normal to the plate, else in it along y */
} plate;

/* Functions at the points: [dx][dy]: derivatives. */
typedef struct field {
    double value[3][3][N][ALL];
} field;

/* x^m P_i(2x - 1) and two derivatives at x in [0, 1]. */
static void polynomial(int i, int m, double x, double out[3])
{
    double P[3] = {1.0, 0.0, 0.0}, before[3] = {0.0, 0.0, 0.0}, t = 2.0 * x - 1.0;
    for (int k = 0; k < i; k++) { /* (k + 1) P_k+1 = (2k + 1) t P_k - k P_k-1, dt/dx = 2 */
        double next[3];
        for (int d = 0; d < 3; d++)
            next[d] = ((2 * k + 1) * (t * P[d] + (d > 0 ? 2.0 * d * P[d - 1] : 0.0)) - k * before[d]) / (k + 1);
        memcpy(before, P, sizeof P);
        memcpy(P, next, sizeof P);
    }
    const double q[3] = {pow(x, m), m * pow(x, m - 1), m == 2 ? 2.0 : 0.0};
    out[0] = m == 0 ? P[0] : q[0] * P[0];
    out[1] = m == 0 ? P[1] : q[1] * P[0] + q[0] * P[1];
    out[2] = m == 0 ? P[2] : q[2] * P[0] + 2.0 * q[1] * P[1] + q[0] * P[2];
}

static field *functions(const plate *p, int clamped, const double *x)
{
    field *it = calloc(1, sizeof *it);
    assert_non_null(it);
    for (int n = 0; n < N; n++)
        for (int g = 0; g < ALL; g++) {
            double X[3], Y[3];
            polynomial(n / ACROSS, clamped, x[g / POINTS], X);
            polynomial(n % ACROSS, 0, x[g % POINTS], Y);
            for (int d = 0; d < 3; d++)
                for (int e = 0; e < 3; e++)
                    it->value[d][e][n][g] = X[d] * Y[e] / (pow(p->a, d) * pow(p->b, e));
        }
    return it;
}

/* out += factor int weight u_i v_j, ld columns. */
static void add(double factor, const double *weight, double u[N][ALL], double v[N][ALL], int ld, double *out)
{
    static double weighted[N][ALL];

    for (int i = 0; i < N; i++)
        for (int g = 0; g < ALL; g++)
            weighted[i][g] = weight[g] * u[i][g];
    phx_dense_multiply(false, true, N, N, ALL, factor, weighted[0], ALL, v[0], ALL, 1.0, out, ld);
}

/* Gauss points in [0, 1], by Newton on P_n; weights 2/((1 - t^2) P'^2) halved. */
static void gauss(double *x, double *w)
{
    for (int k = 0; k < POINTS; k++) {
        double at[3], s = 0.5 - 0.5 * cos(TEST_PI * (k + 0.75) / (POINTS + 0.5));
        for (int turn = 0; turn < 20; turn++) {
            polynomial(POINTS, 0, s, at);
            s -= at[0] / at[1];
        }
        polynomial(POINTS, 0, s, at);
        const double t = 2.0 * s - 1.0, slope = 0.5 * at[1];
        x[k] = s;
        w[k] = 1.0 / ((1.0 - t * t) * slope * slope);
    }
}

typedef struct membrane {
    double K[4 * N * N]; /* less Omega^2 M of the plane */
    double N[3][ALL];    /* forces xx yy xy at the points, times the weight */
} membrane;

static void solve_membrane(phx_context *context, const plate *p, const double *x, const double *weight, field *u,
                           membrane *it)
{
    const double E = p->young * p->h / (1.0 - p->poisson * p->poisson), nu = p->poisson, G = 0.5 * (1.0 - nu);
    const double m = p->density * p->h, spin = p->speed * p->speed;
    static double K[4 * N * N], c[2 * N];

    memset(it, 0, sizeof *it);
    add(E, weight, u->value[1][0], u->value[1][0], 2 * N, it->K);
    add(E * G, weight, u->value[0][1], u->value[0][1], 2 * N, it->K);
    add(-m * spin, weight, u->value[0][0], u->value[0][0], 2 * N, it->K);
    add(E * nu, weight, u->value[1][0], u->value[0][1], 2 * N, it->K + N);
    add(E * G, weight, u->value[0][1], u->value[1][0], 2 * N, it->K + N);
    double *second = it->K + 2 * N * N + N;
    add(E, weight, u->value[0][1], u->value[0][1], 2 * N, second);
    add(E * G, weight, u->value[1][0], u->value[1][0], 2 * N, second);
    if (p->across)
        add(-m * spin, weight, u->value[0][0], u->value[0][0], 2 * N, second);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            it->K[(N + j) * 2 * N + i] = it->K[i * 2 * N + N + j];
        c[i] = c[N + i] = 0.0;
        for (int g = 0; g < ALL; g++) {
            const double f = m * spin * weight[g] * u->value[0][0][i][g];
            c[i] += f * (p->radius + p->a * x[g / POINTS]);
            c[N + i] += p->across ? f * p->b * (x[g % POINTS] - 0.5) : 0.0;
        }
    }
    memcpy(K, it->K, sizeof K);
    CHECK_OK(context, phx_dense_solve(context, 2 * N, K, 1, c));
    for (int i = 0; i < N; i++)
        for (int g = 0; g < ALL; g++) {
            const double ex = c[i] * u->value[1][0][i][g], ey = c[N + i] * u->value[0][1][i][g];
            const double shear = c[i] * u->value[0][1][i][g] + c[N + i] * u->value[1][0][i][g];
            it->N[0][g] += E * weight[g] * (ex + nu * ey);
            it->N[1][g] += E * weight[g] * (ey + nu * ex);
            it->N[2][g] += E * G * weight[g] * shear;
        }
}

/* M += C^T K^-1 C, C = 2 Omega rho h int u w: the plane follows the Coriolis force without inertia. */
static void add_coriolis(phx_context *context, const plate *p, const double *weight, field *u, field *w,
                         const membrane *plane, double *M)
{
    static double K[4 * N * N], C[2 * N * N], answer[2 * N * N];

    memset(C, 0, sizeof C);
    add(2.0 * p->speed * p->density * p->h, weight, u->value[0][0], w->value[0][0], N, C);
    memcpy(K, plane->K, sizeof K);
    memcpy(answer, C, sizeof C);
    CHECK_OK(context, phx_dense_solve(context, 2 * N, K, N, answer));
    phx_dense_multiply(true, false, N, N, 2 * N, 1.0, C, N, answer, N, 1.0, M, N);
}

/* The first frequencies of deflection. */
static void ritz(phx_context *context, const plate *p, double omega[N])
{
    static double K[N * N], M[N * N], x[POINTS], w1[POINTS], weight[ALL];
    static membrane plane;

    gauss(x, w1);
    for (int g = 0; g < ALL; g++)
        weight[g] = p->a * p->b * w1[g / POINTS] * w1[g % POINTS];
    field *u = functions(p, 1, x), *w = functions(p, 2, x);
    solve_membrane(context, p, x, weight, u, &plane);
    const double nu = p->poisson, D = p->young * pow(p->h, 3) / 12.0 / (1.0 - nu * nu), m = p->density * p->h;
    memset(K, 0, sizeof K);
    memset(M, 0, sizeof M);
    add(D, weight, w->value[2][0], w->value[2][0], N, K);
    add(D, weight, w->value[0][2], w->value[0][2], N, K);
    add(D * nu, weight, w->value[2][0], w->value[0][2], N, K);
    add(D * nu, weight, w->value[0][2], w->value[2][0], N, K);
    add(2.0 * D * (1.0 - nu), weight, w->value[1][1], w->value[1][1], N, K);
    add(1.0, plane.N[0], w->value[1][0], w->value[1][0], N, K);
    add(1.0, plane.N[1], w->value[0][1], w->value[0][1], N, K);
    add(1.0, plane.N[2], w->value[1][0], w->value[0][1], N, K);
    add(1.0, plane.N[2], w->value[0][1], w->value[1][0], N, K);
    add(m, weight, w->value[0][0], w->value[0][0], N, M);
    if (!p->across) {
        add(-m * p->speed * p->speed, weight, w->value[0][0], w->value[0][0], N, K);
        add_coriolis(context, p, weight, u, w, &plane, M);
    }
    CHECK_OK(context, phx_dense_eigen_symmetric(context, N, K, M, omega, NULL));
    for (int k = 0; k < N; k++)
        omega[k] = sqrt(fmax(omega[k], 0.0));
    free(u);
    free(w);
}

/* ---- models ---- */
static const char *model_of(const plate *p, const char *more)
{
    static char text[TEXT];
    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 3\n"
             "materials: {m: {density: %g, young: %g, poisson: %g}}\n"
             "bodies:\n"
             "  hub: {kind: rigid, mass: 1, inertia: [1, 1, 1], ports: {R: {position: [%g, 0, 0]}}}\n"
             "  plate: {kind: plate, material: m, thickness: %g, mesh: {size: [%g, %g], elements: [%d, %d]},\n"
             "    stiffening: true%s, ports: {root: {on: x0, position: [0, %.17g, 0]}},\n"
             "    pose: {position: [%g, %.17g, 0]}}\n"
             "joints:\n"
             "  motor: {kind: revolute, axis: %s, ports: [ground.O, hub.P], speed: %g}\n"
             "  root: {kind: weld, ports: [hub.R, plate.root]}\n",
             p->density, p->young, p->poisson, p->radius, p->h, p->a, p->b, p->b > 0.3 ? 20 : 32,
             (int)ceil((p->b > 0.3 ? 20.0 : 32.0) * p->b / p->a), more, 0.5 * p->b, p->radius, -0.5 * p->b,
             p->across ? "[0, 0, 1]" : "[0, 1, 0]", p->speed);
    return text;
}

static const plate alloy = {1.0, 0.5, 0.01, 7e10, 0.3, 2700.0, 0.0, 0.0, false};

static double error_of(const rotation *at, double omega)
{
    double least = HUGE_VAL;
    for (int k = 0; k < at->set.count; k++) /* those in the plane stand between */
        if (fabs(at->set.omega[k] - omega) < fabs(least))
            least = at->set.omega[k] - omega;
    return least / omega;
}

/* With the default basis, at up to four times the first frequency at rest. */
static void frequencies_are_those_of_ritz(void **state)
{
    static const double sides[] = {0.5, 1.0, 0.25}, speeds[] = {0.0, 100.0, 200.0};
    const phx_modes_options options = phx_modes_options_default();
    phx_context *context = *state;

    for (int s = 0; s < 3; s++)
        for (int across = 0; across < 2; across++)
            for (int r = 0; r < 2; r++)
                for (int k = r || across; k < (r ? 2 : 3); k++) {
                    plate p = alloy;
                    double omega[N];
                    rotation at;
                    p.b = sides[s];
                    p.across = across;
                    p.radius = r;
                    p.speed = speeds[k];
                    ritz(context, &p, omega);
                    rotation_open(&at, model_of(&p, ""), 0, NULL, &options);
                    if (s == 0 && !across && !r)
                        print_message("%3g rad/s: %.4f, Ritz %.4f rad/s\n", p.speed, at.set.omega[0], omega[0]);
                    for (int mode = 0; mode < 3; mode++)
                        CHECK_SMALL(error_of(&at, omega[mode]), 1e-3,
                                    "mode %d, %g rad/s, side %g, radius %g, axis %s the plate", mode + 1, p.speed, p.b,
                                    p.radius, across ? "across" : "in");
                    rotation_close(&at);
                }
}

/* The figures that are known of it. */
static void the_first_frequency_rises(void **state)
{
    (void)state;
    static const double speeds[] = {0.0, 100.0}, known[] = {53.0, 66.5};
    const phx_modes_options options = phx_modes_options_default();

    for (int k = 0; k < 2; k++) {
        plate p = alloy;
        rotation at;
        p.speed = speeds[k];
        rotation_open(&at, model_of(&p, ""), 0, NULL, &options);
        CHECK_CLOSE(at.set.omega[0], known[k], 0.06, "first frequency at %g rad/s", p.speed);
        CHECK_BELOW(at.set.asymmetry, 1e-9, "asymmetry of K at %g", p.speed);
        rotation_close(&at);
    }
}

/* Without stiffening the plate diverges, and its first mode grows. */
static void without_stiffening_it_diverges(void **state)
{
    (void)state;
    const phx_modes_options options = phx_modes_options_default();
    plate p = alloy;
    rotation at;

    p.speed = 100.0;
    rotation_open(&at, replaced(model_of(&p, ""), "stiffening: true", "stiffening: false"), 0, NULL, &options);
    CHECK_CLOSE(at.set.damping[0], -1.0, 1e-9, "damping of the first mode: it grows");
    rotation_close(&at);
}

/* ---- spin-up ---- */
/* The beam of examples/spin_up.yaml as a strip of 0.0775 m x 0.4 m. */
#define SPIN_UP                                                                                                        \
    "phlexor: 1\ndimension: 3\nparameters: {speed: 6, time: 15}\n"                                                     \
    "materials: {light: {density: 1.2/(0.0775*0.4), young: 2.8e7/(0.0775*0.4), poisson: 0}}\n"
#define MOTOR(axis)                                                                                                    \
    "joints: {motor: {kind: revolute, axis: " axis ", ports: [ground.O, b.P], angle: 0,\n"                             \
    "  speed: \"speed/time*(min(t, time) - time/(2*pi)*sin(2*pi*min(t, time)/time))\"}}\n"                             \
    "outputs: {tip: {deformation: b.C}}\n"
#define STRIP(sizes, thickness, elements)                                                                              \
    "bodies: {b: {kind: plate, material: light, thickness: " thickness ", mesh: {size: " sizes ", elements: " elements \
    "}, stiffening: true, ports: {P: {on: x0}, C: {on: x1, attach: average}}}}\n"

typedef struct peak {
    double most, largest_energy, residual, drift;
} peak;

static void note_peak(mechanism *m, double t, const double *x, const double *v)
{
    double *most = m->looker, column[3];
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, column));
    *most = fmax(*most, hypot(column[1], column[2]));
}

static peak spin_up(const char *text)
{
    phx_integrate_options options = phx_integrate_options_default();
    peak out = {0};
    mechanism m;

    options.integrator = PHX_MIDPOINT;
    options.step = 0.02;
    options.end = 8.0; /* the peak is at 6.8 s */
    mechanism_open(&m, text, 0, NULL);
    m.look = note_peak;
    m.looker = &out.most;
    mechanism_run(&m, &options);
    out.largest_energy = m.largest_energy;
    out.residual = m.largest_residual;
    out.drift = m.largest_drift;
    mechanism_close(&m);
    return out;
}

static void slender_bodies_spin_up_as_beams(void **state)
{
    (void)state;
    static const char *const texts[] = {
        SPIN_UP MOTOR(
            "[0, 0, 1]") "bodies: {b: {kind: beam, material: light, length: 10, section: {kind: general, area: "
                         "0.0775*0.4, inertia: [1e-3, 0.4*0.0775^3/12], torsion: 1e-3}, elements: 16, "
                         "reference: cantilever, stiffening: true}}\n",
        SPIN_UP MOTOR("[0, 1, 0]") STRIP("[10, 0.4]", "0.0775", "[40, 2]"),
        SPIN_UP MOTOR("[0, 0, 1]") STRIP("[10, 0.0775]", "0.4", "[40, 1]"),
        SPIN_UP MOTOR(
            "[0, 0, 1]") "bodies: {b: {kind: solid, material: light, mesh: {size: [10, 0.0775, 0.4], elements: "
                         "[20, 1, 1]}, stiffening: true, ports: {P: {on: x0}, C: {on: x1, attach: "
                         "average}}}}\n"};
    static const char *const names[] = {"beam", "plate, across", "plate, in its plane", "solid"};
    double want = 0.0;

    for (int k = 0; k < 4; k++) {
        const peak it = spin_up(texts[k]);
        want = k ? want : it.most;
        print_message("%s: %.5f m, %+.2f %%, energy to %.1e\n", names[k], it.most, 100.0 * (it.most / want - 1.0),
                      it.residual / it.largest_energy);
        CHECK_RELATIVE(it.most, want, 0.01, "peak of the tip, %s", names[k]);
        CHECK_SMALL(it.residual, 1e-11 * it.largest_energy, "energy, %s", names[k]);
        CHECK_SMALL(it.drift, 1e-12, "drift, %s", names[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frequencies_are_those_of_ritz, context_setup, context_teardown),
        cmocka_unit_test(the_first_frequency_rises),
        cmocka_unit_test(without_stiffening_it_diverges),
        cmocka_unit_test(slender_bodies_spin_up_as_beams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
