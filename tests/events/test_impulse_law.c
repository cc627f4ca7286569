/* Impulses of contacts with friction: the laws hold, energy never grows, closed forms of one contact. */
#include "events/impulse_law.h"

#include "support/testing.h"

enum { MOST = 4, ROWS = 3 * MOST, MASSES = 7 };

typedef struct problem {
    phx_impulse_law law;
    double W[ROWS * ROWS], before[ROWS], rate[ROWS], impulse[ROWS], loss[MOST];
    double friction[MOST], restitution[MOST];
} problem;

static double between(uint64_t *seed, double low, double high)
{
    return low + 0.5 * (high - low) * (1.0 + random_value(seed));
}

static void connect(problem *p, int n, int dim)
{
    p->law = (phx_impulse_law){.n = n,
                               .dim = dim,
                               .W = p->W,
                               .friction = p->friction,
                               .restitution = p->restitution,

                               .small = 1e-11,
                               .rate = p->rate,
                               .impulse = p->impulse,
                               .loss = p->loss};
}

/* W = J M^-1 J^T of few masses, so that contacts may depend on each other; a third of them without friction. */
static void make_random(uint64_t *seed, problem *p)
{
    const int n = 1 + (int)between(seed, 0.0, MOST), dim = between(seed, 0.0, 1.0) < 0.5 ? 2 : 3, rows = n * dim;
    const int masses = 2 + (int)between(seed, 0.0, MASSES - 1);
    double J[ROWS][MASSES], v[MASSES];

    memset(p, 0, sizeof *p);
    connect(p, n, dim);
    for (int j = 0; j < masses; j++)
        v[j] = between(seed, -1.0, 1.0);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < masses; j++) {
            J[i][j] = between(seed, -1.0, 1.0);
            p->rate[i] += J[i][j] * v[j];
        }
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows; k++)
            for (int j = 0; j < masses; j++)
                p->W[i * rows + k] += J[i][j] * J[k][j];
    for (int k = 0; k < n; k++) {
        p->friction[k] = fmax(0.0, between(seed, -0.5, 1.0));
        p->restitution[k] = between(seed, 0.0, 1.0);
    }
    memcpy(p->before, p->rate, sizeof p->rate);
}

static void check_laws(const problem *p, int sample)
{
    const double tolerance = 1e-9;

    for (int k = 0; k < p->law.n; k++) {
        const double *P = p->impulse + k * p->law.dim, *g = p->rate + k * p->law.dim;
        const bool space = p->law.dim == 3;
        const double across = space ? hypot(P[1], P[2]) : fabs(P[1]), limit = p->friction[k] * P[0];
        const double slip = space ? hypot(g[1], g[2]) : fabs(g[1]);
        const double work = P[1] * g[1] + (space ? P[2] * g[2] : 0.0);
        assert_true(P[0] >= 0.0);
        CHECK_BELOW(-g[0], tolerance, "sample %d: contact %d approaches", sample, k);
        CHECK_SMALL(P[0] * g[0], tolerance, "sample %d: contact %d: complementary", sample, k);
        CHECK_BELOW(across, limit * (1.0 + 1e-12), "sample %d: friction %d", sample, k);
        CHECK_SMALL((work + limit * slip), tolerance, "sample %d: friction %d against slip", sample, k);
    }
}

static double energy_taken(const problem *p)
{
    double taken = 0.0;

    for (int i = 0; i < p->law.n * p->law.dim; i++)
        taken -= 0.5 * (p->before[i] + p->rate[i]) * p->impulse[i];
    return taken;
}

static void compression_obeys_the_laws(void **state)
{
    uint64_t seed = 5;

    for (int sample = 0; sample < 4000; sample++) {
        problem p;
        make_random(&seed, &p);
        CHECK_OK(*state, phx_impulse_strike(*state, &p.law, false));
        check_laws(&p, sample);
    }
}

/* Contacts of different restitutions and frictions, until nothing approaches any more. */
static void energy_never_grows(void **state)
{
    uint64_t seed = 6;
    int most = 0;

    for (int sample = 0; sample < 4000; sample++) {
        problem p;
        double losses = 0.0;
        int pass = 0;
        make_random(&seed, &p);
        for (; phx_impulse_approaches(&p.law) && pass < 50; pass++) {
            const double before = energy_taken(&p);
            CHECK_OK(*state, phx_impulse_strike(*state, &p.law, pass < 49));
            CHECK_BELOW(before - energy_taken(&p), 1e-12, "sample %d, pass %d: energy", sample, pass);
        }
        for (int k = 0; k < p.law.n; k++)
            losses += p.loss[k];
        CHECK_CLOSE(losses, energy_taken(&p), 1e-10, "sample %d: losses of the contacts", sample);
        assert_false(phx_impulse_approaches(&p.law));
        most = pass > most ? pass : most;
    }
    print_message("at most %d passes\n", most);
}

/* Kane and Levinson's double pendulum, which strikes a rough floor with its tip: Newton's restitution with the friction
 * that stops the slip would make energy; this law takes some. */
static void double_pendulum(void **state)
{
    const double degree = acos(-1.0) / 180.0, angle[2] = {20.0 * degree, 30.0 * degree}, spin[2] = {-0.1, -0.2};
    const double e = 0.5, mu = 0.5, mass[3] = {4.0 / 3.0, 0.5 * cos(angle[0] - angle[1]), 1.0 / 3.0};
    const double det = mass[0] * mass[2] - mass[1] * mass[1];
    const double J[2][2] = {{sin(angle[0]), sin(angle[1])}, {cos(angle[0]), cos(angle[1])}};
    problem p = {.friction = {mu}, .restitution = {e}};
    connect(&p, 1, 2);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            p.rate[i] += J[i][k] * spin[k];
            p.W[2 * i + k] = (J[i][0] * (mass[2] * J[k][0] - mass[1] * J[k][1]) +
                              J[i][1] * (mass[0] * J[k][1] - mass[1] * J[k][0])) /
                             det;
        }
    memcpy(p.before, p.rate, sizeof p.rate);
    const double *W = p.W, wanted[2] = {-(1.0 + e) * p.rate[0], -p.rate[1]}, D = W[0] * W[3] - W[1] * W[2];
    const double P[2] = {(W[3] * wanted[0] - W[1] * wanted[1]) / D, (W[0] * wanted[1] - W[2] * wanted[0]) / D};
    CHECK_BELOW(fabs(P[1]), mu * P[0], "Newton's: it could stick");
    CHECK_BETWEEN(0.5 * (P[0] * (1.0 - e) * p.rate[0] + P[1] * p.rate[1]), 0.01, 0.02, "Newton's makes energy");
    CHECK_OK(*state, phx_impulse_strike(*state, &p.law, true));
    CHECK_BETWEEN(p.loss[0], 1e-3, 0.1, "this one takes some");
    CHECK_BELOW(-p.rate[0], 0.0, "nothing approaches");
}

/* A rod that falls with both ends on a rough floor, flat but for the tilt: its slips at the ends differ by the tilt
 * times its spin, which W is not exact to. */
static void drop_rod(phx_context *context, double tilt, double spin)
{
    const double mu = 1.9, J[4][3] = {{0.0, 1.0, -0.5 * cos(tilt)},
                                      {1.0, 0.0, 0.5 * sin(tilt)},
                                      {0.0, 1.0, 0.5 * cos(tilt)},
                                      {1.0, 0.0, -0.5 * sin(tilt)}};
    const double v[3] = {0.0, -0.1, spin}, inverse[3] = {1.0, 1.0, 12.0};
    problem p = {.friction = {mu, mu}, .restitution = {0.5, 0.5}};

    connect(&p, 2, 2);
    for (int i = 0; i < 4; i++) {
        p.rate[i] = J[i][0] * v[0] + J[i][1] * v[1] + J[i][2] * v[2];
        for (int k = 0; k < 4; k++)
            for (int j = 0; j < 3; j++)
                p.W[4 * i + k] += J[i][j] * inverse[j] * J[k][j];
    }
    memcpy(p.before, p.rate, sizeof p.rate);
    CHECK_OK(context, phx_impulse_strike(context, &p.law, true));
    CHECK_BELOW(0.0, energy_taken(&p), "tilt %g, spin %g: energy", tilt, spin);
    for (int k = 0; k < 2; k++) {
        CHECK_BELOW(fabs(p.impulse[2 * k + 1]), mu * p.impulse[2 * k] * (1.0 + 1e-12), "tilt %g: friction", tilt);
        CHECK_BELOW(-p.rate[2 * k], 0.0, "tilt %g: nothing approaches", tilt);
        CHECK_SMALL(p.rate[2 * k + 1], 2.0 * fabs(tilt) + 1e-15, "tilt %g: slip", tilt);
    }
}

static void rods_fall_flat(void **state)
{
    static const double tilts[] = {0.0, 5e-11, -1e-10, 1e-9, 1e-8, -1e-7, 1e-6, 1e-5, 1e-3};

    for (size_t k = 0; k < sizeof tilts / sizeof *tilts; k++)
        for (int i = -3; i <= 3; i++)
            drop_rod(*state, tilts[k], 0.05 * i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(compression_obeys_the_laws, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rods_fall_flat, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(double_pendulum, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(energy_never_grows, context_setup, context_teardown)};
    return cmocka_run_group_tests_name("study_impulse_law", tests, NULL, NULL);
}
