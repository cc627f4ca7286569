/* Joints that begin to hold and let go during a run: momenta stay, what is lost is known, joints close as they are. */
#include "mechanism.h"

static void renew(mechanism *m, int count, const phx_switch *changes)
{
    phx_system_dae_destroy(m->dae);
    m->dae = NULL;
    CHECK_OK(m->context, phx_system_switch(m->system, count, changes, m->x));
    CHECK_OK(m->context, phx_system_dae(m->system, m->context, &m->dae));
    m->lambda = realloc(m->lambda, (size_t)(m->dae->n_l + 1) * sizeof *m->lambda);
    assert_non_null(m->lambda);
    memset(m->lambda, 0, (size_t)(m->dae->n_l + 1) * sizeof *m->lambda);
}

static double energy(const mechanism *m)
{
    phx_energies e;
    phx_system_energies(m->system, m->x, m->v, &e);
    return e.kinetic + e.elastic + e.potential;
}

/* Linear and angular momentum about the origin. */
static void momenta(const mechanism *m, double sum[6])
{
    const int dim = phx_system_dim(m->system), n_rot = dim == 2 ? 1 : 3;
    memset(sum, 0, 6 * sizeof *sum);
    for (int b = 0; b < phx_system_bodies(m->system); b++) {
        double linear[3], angular[3];
        int at_x = 0, at_v = 0;
        phx_system_offsets(m->system, b, &at_x, &at_v);
        phx_body_inertial_momentum(phx_system_body(m->system, b), m->x + at_x, m->v + at_v, linear, angular);
        for (int a = 0; a < dim; a++)
            sum[a] += linear[a];
        for (int k = 0; k < n_rot; k++)
            sum[dim + k] += angular[k];
    }
}

/* Two plane bodies that become one: the common rigid motion of an independent program, and what it loses. */
static void two_bodies_become_one(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\n"
        "bodies:\n"
        "  a: {kind: rigid, mass: 2, inertia: 0.3, ports: {C: {position: [0.4, 0.1]}}, velocity: {linear: [1, -0.5], "
        "angular: 2}}\n"
        "  b: {kind: rigid, mass: 1, inertia: 0.05, ports: {C: {position: [-0.2, 0.05]}}, pose: {position: [0.6, "
        "0.05]}, "
        "velocity: {linear: [-1, 0.3], angular: -3}}\n"
        "joints: {grip: {kind: weld, ports: [a.C, b.C], active: false}}\n";
    static const double after[] = {0.35690140845070417, -0.516150234741784,  1.4140845070422534,
                                   0.28619718309859166, 0.33230046948356806, 1.4140845070422543};
    const phx_switch grip = {.joint = 0, .holds = true, .drives = true};
    phx_work work;
    mechanism m;
    (void)state;
    mechanism_open(&m, text, 0, NULL);
    assert_int_equal(m.dae->n_l, 0);
    const double before = energy(&m);
    renew(&m, 1, &grip);
    assert_int_equal(m.dae->n_l, 3);
    CHECK_OK(m.context, phx_system_impulse(m.dae, 0.0, m.x, m.v, &work));
    CHECK_VECTOR(6, m.v, after, 4e-15, "velocities");
    CHECK_CLOSE(work.dissipated, 1.7801079812206577, 1e-14, "loss");
    CHECK_CLOSE(before - energy(&m), work.dissipated, 1e-14, "energy");
    mechanism_close(&m);
}

/* Links in space that are tied together and let go at random while they move: two of four joints change at a time. What
 * holds is closed, the balance has the losses, momenta stay. */
static void random_switches(void **state)
{
    enum { JOINTS = 4, EVENTS = TEST_LONG(1000) };
    static const char text[] = "phlexor: 1\ndimension: 3\n"
                               "bodies:\n"
                               "  a: {kind: rigid, mass: 2, inertia: [0.3, 0.2, 0.4], velocity: {linear: [1, -0.5, "
                               "0.2], angular: [1, 2, 0.5]}}\n"
                               "  b: {kind: rigid, mass: 1, inertia: [0.1, 0.1, 0.2], pose: {position: [1, 0, 0]}, "
                               "velocity: {angular: [0, -1, "
                               "2]}}\n"
                               "  c: {kind: rigid, mass: 1.5, inertia: [0.2, 0.3, 0.2], pose: {position: [0, 1, 0]}, "
                               "velocity: {linear: [0, 0, "
                               "-1], angular: [3, 0, 0]}}\n"
                               "joints:\n"
                               "  ab: {kind: weld, ports: [a.P, b.P], active: false}\n"
                               "  bc: {kind: spherical, ports: [b.P, c.P], active: false}\n"
                               "  ca: {kind: revolute, ports: [c.P, a.P], axis: [0, 0, 1], active: false}\n"
                               "  again: {kind: cartesian, ports: [a.P, b.P], active: false}\n";
    phx_integrate_options options = phx_integrate_options_default();
    double first[6], now[6], lost = 0.0;
    bool on[JOINTS] = {false};
    uint64_t seed = 7;
    mechanism m;
    (void)state;
    mechanism_open(&m, text, 0, NULL);
    momenta(&m, first);
    const double start = energy(&m);
    options.step = 5e-3;
    for (int event = 0; event < EVENTS; event++) {
        const int j = (int)(0.5 * (1.0 + random_value(&seed)) * JOINTS) % JOINTS;
        phx_switch change = {.joint = j, .holds = !on[j], .drives = !on[j]};
        double position, rate;
        phx_work work = {0.0, 0.0};
        on[j] = !on[j];
        if (on[0] && on[3]) { /* they would hold the same */
            on[j] = false;
            continue;
        }
        renew(&m, 1, &change);
        CHECK_OK(m.context, phx_system_impulse(m.dae, m.t, m.x, m.v, &work));
        CHECK_BETWEEN(work.dissipated, -1e-14, HUGE_VAL, "event %d: loss", event);
        lost += work.dissipated;
        options.end = m.t + 0.02;
        mechanism_run(&m, &options);
        m.dae->ops->drift(m.dae, m.t, m.x, m.v, &position, &rate);
        CHECK_BELOW(position, 1e-11, "event %d: joints", event);
        CHECK_BELOW(rate, 1e-12, "event %d: rates of joints", event);
        CHECK_CLOSE(energy(&m), start - lost, 1e-11 * start, "event %d: energy", event);
        momenta(&m, now);
        CHECK_VECTOR(3, now, first, 1e-12, "event %d: linear momentum", event);
    }
    assert_true(lost > 0.1 * start);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_bodies_become_one), cmocka_unit_test(random_switches)};
    return cmocka_run_group_tests_name("verification_switch", tests, NULL, NULL);
}
