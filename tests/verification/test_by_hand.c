/* A flexible body whose integrals are filled in by hand, clamped and pushed at its tip, through the public headers
 * alone:
 *
 *     q'' + c q' + omega^2 q = phi F,      tip at y = phi q
 *
 * Its static response, the work of the force and of the damper, its port-Hamiltonian form in a file's bundle. */
#include "support/testing.h"
#include "system/system.h"
#include "statespace/statespace.h"
#include "fe/fe.h"
#include "algebra/algebra.h"

#include <phlexor/phlexor.h>

static const double OMEGA = 30.0, DAMPER = 2.0, PHI = 1.5, FORCE = 10.0, END = 0.2; /* rad/s, 1/s, kg^-1/2, N, s */

static double *numbers(int count, const double *values)
{
    double *copy = malloc((size_t)count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

/* One coordinate q with M = 1 and K = omega^2 = root^2, which takes part in translation along y and in rotation. */
static void fill_flex(phx_context *context, phx_flex *flex)
{
    const double S[2] = {0.0, 0.3}, C[1] = {0.2}, zero[1] = {0.0}, M[1] = {1.0}, K[1] = {OMEGA * OMEGA};

    *flex = (phx_flex){.dim = 2, .n_rot = 1, .n_pair = 1, .n = 1, .mass = 2.0, .s0 = {1.0}, .J0 = {0.8}, .n_stress = 1};
    flex->S = numbers(2, S);
    flex->C = numbers(1, C);
    flex->j = numbers(1, zero);
    flex->ptr = calloc(2, sizeof *flex->ptr);
    flex->idx = calloc(1, sizeof *flex->idx);
    assert_true(flex->ptr && flex->idx);
    flex->ptr[1] = 1;
    flex->M = numbers(1, M);
    flex->A[0] = numbers(1, zero);
    flex->Q[0] = numbers(1, zero);
    flex->K = numbers(1, K);
    CHECK_OK(context, phx_csr_from_dense(context, 1, 1, &OMEGA, 0.0, &flex->stress));
    CHECK_OK(context, phx_csr_from_dense(context, 1, 1, &OMEGA, 0.0, &flex->root));
    CHECK_OK(context, phx_flex_make_compact(context, flex));
}

static phx_system *build(phx_context *context, const phx_flex *flex, phx_body_id *blade)
{
    int dof[1] = {0};
    double phi[2] = {0.0, PHI}, theta[1] = {0.0};
    const phx_flex_point root = {.x = {0.0}}, tip = {.x = {1.0}, .n = 1, .dof = dof, .phi = phi, .theta = theta};
    phx_body_def def = phx_body_def_default();
    phx_joint_def weld = phx_joint_def_default();
    phx_load_def push = {.name = "push", .kind = PHX_LOAD_FORCE};
    phx_body *body = NULL;
    phx_system *system = NULL;
    phx_joint_id joint;

    def.name = "blade";
    def.dim = 2;
    def.flex = flex;
    def.damping_diagonal = &DAMPER;
    weld.name = "clamp";
    weld.kind = PHX_JOINT_WELD;
    CHECK_OK(context, phx_system_create(context, 2, NULL, &system));
    CHECK_OK(context, phx_body_create(context, &def, &body));
    CHECK_OK(context, phx_system_add_body(system, body, NULL, NULL, blade));
    CHECK_OK(context, phx_system_add_port(system, PHX_GROUND, NULL, NULL, &weld.a));
    CHECK_OK(context, phx_system_add_flex_port(system, *blade, &root, NULL, &weld.b));
    CHECK_OK(context, phx_system_add_joint(system, &weld, &joint));
    CHECK_OK(context, phx_system_add_flex_port(system, *blade, &tip, NULL, &push.port));
    CHECK_OK(context, phx_system_add_flex_point(system, *blade, "tip", &tip, NULL));
    CHECK_OK(context, phx_signal_create_constant(context, FORCE, &push.component[1]));
    CHECK_OK(context, phx_system_add_load(system, &push));
    CHECK_OK(context, phx_system_finalise(system));
    return system;
}

/* y = phi^2/omega^2 F at rest; one mode besides what the clamp holds. */
static void check_linear(phx_context *context, phx_dae *dae, const double *x)
{
    const char *const input = "blade.tip.fy", *const output = "blade.tip.y";
    phx_linearise_options options = phx_linearise_options_default();
    phx_linearised *linearised = NULL;
    phx_ss *ss = NULL;
    phx_descriptor *descriptor = NULL;
    phx_bundle *bundle = NULL;
    double gain = 0.0, omega[2];

    options.x = x;
    options.channels = (phx_channels_options){.n_inputs = 1, .inputs = &input, .n_outputs = 1, .outputs = &output};
    CHECK_OK(context, phx_linearise(context, dae, &options, &linearised));
    CHECK_OK(context, phx_linearised_ss(context, linearised, &ss));
    assert_int_equal(phx_ss_n(ss), 2);
    CHECK_OK(context, phx_ss_dc_gain(context, ss, &gain));
    CHECK_RELATIVE(gain, PHI * PHI / (OMEGA * OMEGA), 1e-12, "static response");
    CHECK_OK(context, phx_ss_poles(context, ss, NULL, NULL, omega, NULL));
    CHECK_RELATIVE(omega[0], OMEGA, 1e-12, "size of the pole");

    CHECK_OK(context, phx_linearised_descriptor(context, linearised, &descriptor, NULL));
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    CHECK_OK(context, phx_bundle_add_descriptor(context, bundle, descriptor));
    CHECK_OK(context, phx_bundle_status(bundle));
    assert_int_equal(phx_bundle_find(bundle, "J")->rows, phx_descriptor_n(descriptor));
    phx_bundle_destroy(bundle);
    phx_descriptor_destroy(descriptor);
    phx_ss_destroy(ss);
    phx_linearised_destroy(linearised);
}

typedef struct watch {
    const phx_system *system;
    int q; /* place of q in x */
    double closure, last, supplied;
} watch;

static phx_status observe(void *user, const phx_sample *sample)
{
    watch *w = user;
    phx_energies energy;

    phx_system_energies(w->system, sample->x, sample->v, &energy);
    CHECK_RELATIVE(sample->ledger[0], sample->work.supplied, 1e-14, "the only entry that supplies");
    CHECK_RELATIVE(sample->ledger[1], sample->work.dissipated, 1e-14, "the only entry that takes");
    w->closure = energy.kinetic + energy.elastic - sample->ledger[0] + sample->ledger[1];
    w->supplied = sample->ledger[0];
    w->last = sample->x[w->q];
    return PHX_OK;
}

/* Who supplied and took the work, by name; the force's work is F phi q. */
static void check_work(phx_context *context, const phx_system *system, phx_dae *dae, int q, double *x, double *v,
                       double *lambda)
{
    phx_integrate_options options = phx_integrate_options_default();
    watch w = {.system = system, .q = q};
    char name[32];
    double t = 0.0;

    assert_int_equal(phx_system_ledger(system), 2);
    phx_system_ledger_name(system, 0, name, sizeof name);
    assert_string_equal(name, "load.push");
    assert_false(phx_system_ledger_dissipates(system, 0));
    phx_system_ledger_name(system, 1, name, sizeof name);
    assert_string_equal(name, "body.blade");
    assert_true(phx_system_ledger_dissipates(system, 1));
    options.end = END;
    CHECK_OK(context, phx_integrate(dae, &options, &t, x, v, lambda, observe, &w, NULL));
    CHECK_RELATIVE(w.supplied, FORCE * PHI * w.last, 1e-12, "work of the force");
    CHECK_SMALL(w.closure, 1e-12, "energy balance, J");
}

static void body_by_hand(void **state)
{
    phx_context *context = *state;
    phx_flex flex;
    phx_body_id blade = -1;
    phx_dae *dae = NULL;
    int at_x = 0, at_v = 0;

    fill_flex(context, &flex);
    phx_system *system = build(context, &flex, &blade);
    const int n_x = phx_system_n_x(system), n_v = phx_system_n_v(system), n_l = phx_system_n_l(system);
    double *x = calloc((size_t)(n_x + n_v + n_l), sizeof *x), *v = x + n_x, *lambda = v + n_v;
    assert_non_null(x);
    CHECK_OK(context, phx_system_start(system, NULL, x, v, lambda));
    CHECK_OK(context, phx_system_dae(system, context, &dae));
    phx_system_offsets(system, blade, &at_x, &at_v);
    check_linear(context, dae, x);
    check_work(context, system, dae, at_x + n_x - 1, x, v, lambda);
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
    phx_flex_free(&flex);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(body_by_hand, context_setup, context_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
