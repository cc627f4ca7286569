/* Systems written to an archive and read from it take the same steps bit by bit; inputs add to what the model gives,
 * and what is conjugate to them makes their work. */
#include "integrate/integrate.h"
#include "study/study.h"
#include "support.h"
#include "system/system.h"

#include <phlexor/integrate.h>

/* A system with its state, at the start of the model. */
typedef struct twin {
    phx_system *system;
    phx_dae *dae;
    double t, *x, *v, *lambda;
} twin;

static void begin(phx_context *context, twin *it)
{
    CHECK_OK(context, phx_system_dae(it->system, context, &it->dae));
    it->t = 0.0;
    it->x = calloc((size_t)it->dae->n_x + 1, sizeof *it->x);
    it->v = calloc((size_t)it->dae->n_v + 1, sizeof *it->v);
    it->lambda = calloc((size_t)it->dae->n_l + 1, sizeof *it->lambda);
}

static void end(twin *it)
{
    phx_system_dae_destroy(it->dae);
    phx_system_destroy(it->system);
    free(it->x);
    free(it->v);
    free(it->lambda);
}

static void copy_state(const twin *from, twin *to)
{
    memcpy(to->x, from->x, (size_t)from->dae->n_x * sizeof *to->x);
    memcpy(to->v, from->v, (size_t)from->dae->n_v * sizeof *to->v);
    memcpy(to->lambda, from->lambda, (size_t)from->dae->n_l * sizeof *to->lambda);
}

static phx_status keep(void *user, const phx_sample *sample)
{
    phx_work *work = user;
    *work = sample->work;
    return PHX_OK;
}

static phx_work run(phx_context *context, twin *it, double step, int steps)
{
    phx_integrate_options options = phx_integrate_options_default();
    phx_work work = {0};

    options.step = step;
    options.end = it->t + steps * step;
    CHECK_OK(context, phx_integrate(it->dae, &options, &it->t, it->x, it->v, it->lambda, keep, &work, NULL));
    return work;
}

static void check_same(const char *what, int n, const double *a, const double *b)
{
    for (int k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof *a))
            fail_msg("%s %d: %.17g, written %.17g", what, k, b[k], a[k]);
}

/* The system of a model, and the one that is read from what it is written to, not finalised. */
static void make_twins(phx_context *context, phx_model *model, twin *own, twin *read)
{
    const phx_start_options start = {.quasi_static = model->initial.deformation == PHX_MODEL_QUASI_STATIC};
    phx_archive *written = NULL, *open = NULL;
    size_t size = 0;

    CHECK_OK(context, phx_model_build(context, model, NULL, &own->system));
    begin(context, own);
    CHECK_OK(context, phx_system_start(own->system, &start, own->x, own->v, own->lambda));
    CHECK_OK(context, phx_archive_create(context, &written));
    CHECK_OK(context, phx_system_write(own->system, written));
    const void *bytes = phx_archive_bytes(written, &size);
    CHECK_OK(context, phx_archive_open(context, size, bytes, &open));
    CHECK_OK(context, phx_system_read(context, open, &read->system));
    phx_archive_destroy(open);
    phx_archive_destroy(written);
    phx_model_destroy(model);
}

/* Every sort of force that has a name, motions by a spline and by an expression. */
static const char sorts[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "materials: {steel: {density: 7800, young: 2e11}}\n"
    "ground: {ports: {A: {position: [0, 1.5]}, B: {position: [1, -0.2]}}}\n"
    "bodies:\n"
    "  arm: {kind: beam, material: steel, length: 1, section: {kind: circle, diameter: 0.02}, elements: 2,\n"
    "    reference: cantilever}\n"
    "  hub: {kind: rigid, mass: 1, inertia: 0.02, pose: {position: [1, 0]}, ports: {Q: {position: [0.2, 0]}}}\n"
    "  cart: {kind: rigid, mass: 3, inertia: 0.02, pose: {position: [2, 0]}}\n"
    "joints:\n"
    "  root: {kind: revolute, ports: [ground.O, arm.P], motion: \"0.1*sin(9*t)*ramp(t, 0, 0.05)\"}\n"
    "  rail: {kind: slider, ports: [ground.O, cart.P], axis: [1, 0], motion:\n"
    "    {times: [0, 0.1, 0.3], values: [2, 2.02, 2.1], interpolation: spline, ends: rest}}\n"
    "forces:\n"
    "  mount: {kind: bushing, ports: [arm.C, hub.P], stiffness: [1e4, 2e4, 100], damping: [5, 5, 0.1],\n"
    "    preload: [1, 2, 0.1]}\n"
    "  floor: {kind: contact, ports: [ground.B, hub.P], against: plane, normal: [0, 1], radius: 0.19,\n"
    "    stiffness: 1e5, damping: 0.1, friction: {coefficient: 0.3, regularised: 0.1}}\n"
    "  winch: {kind: cable, ports: [ground.A, hub.Q, cart.P], length: 2, stiffness: 1e4, damping: 0.1}\n"
    "  gear: {kind: coupling, terms: [{joint: root, weight: 1}, {joint: rail, weight: -2}], stiffness: 30,\n"
    "    damping: 0.2}\n"
    "  air: {kind: drag, ports: [hub.Q], area: 0.1, coefficient: 1.2, density: 1.2, wind: [5*t, 1]}\n"
    "  gust: {kind: wind, on: arm, width: 0.1, coefficient: 1.2, density: 1.2, wind: [0, 3*sin(20*t)]}\n"
    "outputs: {tip: {position: hub.Q}, push: {reaction: root}}\n"
    "simulate: {step: 1e-4}\n";

/* Laws, dampers, end stops and friction along springs and coordinates. */
static const char forces[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  lever: {kind: rigid, mass: 2, inertia: 0.2, centre_of_mass: [0.5, 0], ports: {C: {position: [1, 0]}}}\n"
    "  weight: {kind: rigid, mass: 1, inertia: 0.02, pose: {position: [1, 0]}, centre_of_mass: [0, -0.3]}\n"
    "ground: {ports: {S: {position: [1, 1]}}}\n"
    "joints:\n"
    "  hook: {kind: revolute, ports: [lever.C, weight.P], rate: 3,\n"
    "    friction: {coefficient: 0.2, radius: 0.1, regularised: 0.01}}\n"
    "  pin: {kind: revolute, ports: [ground.O, lever.P], law: {expression: 3*x + x^3, range: [-2, 2]},\n"
    "    damper: {expression: 0.1*v*abs(v)}, stops: {lower: -0.2, stiffness: 500, damping: 0.1},\n"
    "    friction: {force: 0.2, coefficient: 0.1, radius: 0.1, regularised: 0.01}}\n"
    "springs:\n"
    "  cord: {ports: [ground.S, lever.C], length: 1, law: {x: [-1, 0, 0.5], f: [-4, 0, 3]}}\n";

/* Examples and texts with their steps. */
static const struct {
    const char *name;
    double step;
    int steps;
    const char *text;
} cases[] = {
    {"heavy_top.yaml", 2e-4, 200, NULL},
    {"double_pendulum.yaml", 0.01, 200, NULL},
    {"crank_slider.yaml", 1e-4, 60, NULL},
    {"coupler_modes.yaml", 1e-4, 60, NULL},
    {"arm_pd.yaml", 5e-4, 100, NULL},
    {"arm_digital.yaml", 5e-4, 100, NULL},
    {"bennett.yaml", 1e-3, 100, NULL},
    {"hinged_pair.yaml", 1e-3, 100, NULL},
    {"manipulator.yaml", 2e-3, 50, NULL},
    {"modal_appendage.yaml", 0.02, 60, NULL},
    {"plate_rod.yaml", 1e-5, 40, NULL},
    {"satellite.yaml", 1e-2, 60, NULL},
    {"spacecraft.yaml", 1e-2, 40, NULL},
    {"spatial_slider_crank.yaml", 1e-3, 100, NULL},
    {"spin_up.yaml", 0.01, 60, NULL},
    {"torque_free.yaml", 0.01, 100, NULL},
    {"damped_lever.yaml", 1e-3, 50, NULL},
    {"solid_conrod.yaml", 5e-5, 40, NULL},
    {"bracket.yaml", 5e-4, 20, NULL},
    {"double_wishbone.yaml", 2e-4, 60, NULL},
    {"gear_train.yaml", 5e-5, 60, NULL},
    {"landing_gear.yaml", 2e-4, 100, NULL},
    {"solar_panels.yaml", 0.01, 40, NULL},
    {"desk_lamp.yaml", 1e-3, 60, NULL},
    {"fishing_rod.yaml", 2e-4, 40, NULL},
    {"all sorts of forces", 1e-4, 400, sorts},
    {"forces along scalars", 1e-3, 200, forces},
};
enum { CASES = sizeof cases / sizeof *cases };

/* A system goes on as the one that it was written from, with the same reactions and outputs. */
static void check_steps(phx_context *context, const char *name, phx_model *model, double step, int steps)
{
    twin own = {0}, read = {0};

    make_twins(context, model, &own, &read);
    CHECK_OK(context, phx_system_finalise(read.system));
    begin(context, &read);
    assert_int_equal(read.dae->n_x, own.dae->n_x);
    assert_int_equal(read.dae->n_l, own.dae->n_l);
    copy_state(&own, &read);
    const phx_work a = run(context, &own, step, steps);
    const phx_work b = run(context, &read, step, steps);
    check_same(name, own.dae->n_x, own.x, read.x);
    check_same(name, own.dae->n_v, own.v, read.v);
    check_same(name, own.dae->n_l, own.lambda, read.lambda);
    assert_memory_equal(&a, &b, sizeof a);
    const int columns = phx_system_columns(own.system);
    double *one = calloc((size_t)columns + 1, sizeof *one), *two = calloc((size_t)columns + 1, sizeof *two);
    CHECK_OK(context, phx_system_outputs(own.dae, own.t, own.x, own.v, one));
    CHECK_OK(context, phx_system_outputs(read.dae, read.t, read.x, read.v, two));
    check_same(name, columns, one, two);
    free(one);
    free(two);
    end(&own);
    end(&read);
}

static phx_model *read_case(phx_context *context, int k)
{
    return cases[k].text ? read_text(context, cases[k].text) : read_example(context, cases[k].name);
}

static void the_same_steps(void **state)
{
    for (int k = 0; k < CASES; k++)
        check_steps(*state, cases[k].name, read_case(*state, k), cases[k].step, cases[k].steps);
}

/* Whatever stands in the bytes, reading ends with a system or a message. */
static void damaged_bytes_are_refused(void **state)
{
    enum { TRIALS = TEST_SHORTER(1500, 300) };
    phx_context *context = *state;
    phx_archive *written = NULL;
    phx_system *system = NULL;
    phx_model *model = read_text(context, sorts);
    size_t size = 0;
    unsigned seed = 5;
    int refused = 0;

    CHECK_OK(context, phx_model_build(context, model, NULL, &system));
    CHECK_OK(context, phx_archive_create(context, &written));
    CHECK_OK(context, phx_system_write(system, written));
    const unsigned char *bytes = phx_archive_bytes(written, &size);
    unsigned char *changed = malloc(size);
    for (int k = 0; k < TRIALS; k++) {
        phx_archive *open = NULL;
        phx_system *read = NULL;
        memcpy(changed, bytes, size);
        for (int c = 0; c < 1 + k % 3; c++) {
            seed = seed * 1664525u + 1013904223u;
            changed[(size_t)(seed >> 8) % size] ^= (unsigned char)(1u << ((seed >> 3) & 7));
        }
        const size_t length = k % 4 == 3 ? (size_t)(seed >> 8) % size : size; /* or cut off */
        CHECK_OK(context, phx_archive_open(context, length, changed, &open));
        phx_status status = phx_system_read(context, open, &read);
        if (!status)
            status = phx_system_finalise(read);
        refused += status != PHX_OK;
        phx_archive_destroy(open);
        phx_system_destroy(read);
    }
    assert_true(refused > TRIALS / 4);
    free(changed);
    phx_archive_destroy(written);
    phx_system_destroy(system);
    phx_model_destroy(model);
}

/* ---- runs in the hands of a program ---- */
static phx_integration *begin_run(phx_context *context, const twin *it, double step)
{
    phx_integrate_options options = phx_integrate_options_default();
    phx_integration *made = NULL;

    options.step = step;
    CHECK_OK(context, phx_integration_create(it->dae, &options, it->t, it->x, it->v, it->lambda, &made));
    return made;
}

static void advance(phx_context *context, phx_integration *it, double step, int steps)
{
    for (int k = 0; k < steps; k++)
        CHECK_OK(context, phx_integration_advance(it, step));
}

static void check_samples(const char *name, const phx_dae *dae, const phx_sample *a, const phx_sample *b)
{
    check_same(name, 1, &a->t, &b->t);
    check_same(name, dae->n_x, a->x, b->x);
    check_same(name, dae->n_v, a->v, b->v);
    check_same(name, dae->n_l, a->lambda, b->lambda);
    check_same(name, 1, &a->work.supplied, &b->work.supplied);
    check_same(name, 1, &a->work.dissipated, &b->work.dissipated);
}

/* A copy of a sample, which another call would change. */
typedef struct kept {
    phx_sample sample;
    double *values;
} kept;

static kept keep_sample(const phx_dae *dae, const phx_sample *from)
{
    const size_t n_x = (size_t)dae->n_x, n_v = (size_t)dae->n_v, n_l = (size_t)dae->n_l;
    double *values = calloc(n_x + n_v + n_l + 1, sizeof *values);
    memcpy(values, from->x, n_x * sizeof *values);
    memcpy(values + n_x, from->v, n_v * sizeof *values);
    memcpy(values + n_x + n_v, from->lambda, n_l * sizeof *values);
    kept it = {.sample = *from, .values = values};
    it.sample.x = values;
    it.sample.v = values + n_x;
    it.sample.lambda = values + n_x + n_v;
    return it;
}

static phx_archive *save(phx_context *context, phx_integration *it)
{
    phx_archive *archive = NULL;
    CHECK_OK(context, phx_archive_create(context, &archive));
    phx_integration_archive(archive, it);
    CHECK_OK(context, phx_archive_status(archive));
    return archive;
}

static void restore(phx_context *context, const phx_archive *from, phx_integration *it)
{
    phx_archive *archive = NULL;
    size_t size = 0;
    const void *bytes = phx_archive_bytes(from, &size);
    CHECK_OK(context, phx_archive_open(context, size, bytes, &archive));
    phx_integration_archive(archive, it);
    CHECK_OK(context, phx_archive_status(archive));
    phx_archive_destroy(archive);
}

/* Step by step it is the run in one piece; what is saved in between goes on the same, in this workspace and in that of
 * the system that was read. */
static void runs_go_on(void **state)
{
    phx_context *context = *state;

    for (int k = 0; k < CASES; k++) {
        const int half = cases[k].steps / 2, rest = cases[k].steps - half;
        const double h = cases[k].step;
        twin own = {0}, read = {0}, whole = {0}, unused = {0};
        make_twins(context, read_case(context, k), &own, &read);
        make_twins(context, read_case(context, k), &whole, &unused);
        CHECK_OK(context, phx_system_finalise(read.system));
        begin(context, &read);
        copy_state(&own, &read);
        phx_integration *one = begin_run(context, &own, h), *two = begin_run(context, &read, h);
        advance(context, one, h, half);
        phx_archive *saved = save(context, one);
        advance(context, one, h, rest);
        const kept last = keep_sample(own.dae, phx_integration_sample(one));
        (void)run(context, &whole, h, cases[k].steps);
        check_same(cases[k].name, own.dae->n_x, whole.x, last.sample.x);
        check_same(cases[k].name, own.dae->n_v, whole.v, last.sample.v);
        restore(context, saved, one);
        advance(context, one, h, rest);
        check_samples(cases[k].name, own.dae, &last.sample, phx_integration_sample(one));
        restore(context, saved, two);
        advance(context, two, h, rest);
        check_samples(cases[k].name, own.dae, &last.sample, phx_integration_sample(two));
        phx_archive_destroy(saved);
        phx_integration_destroy(one);
        phx_integration_destroy(two);
        free(last.values);
        end(&own);
        end(&read);
        end(&whole);
        phx_system_destroy(unused.system);
    }
}

static void forces_along_scalars(void **state)
{
    phx_context *context = *state;
    twin own = {0}, read = {0};

    make_twins(context, read_text(context, forces), &own, &read);
    CHECK_OK(context, phx_system_finalise(read.system));
    begin(context, &read);
    copy_state(&own, &read);
    const phx_work a = run(context, &own, 1e-3, 600), b = run(context, &read, 1e-3, 600);
    check_same("forces", own.dae->n_x, own.x, read.x);
    check_same("forces", own.dae->n_v, own.v, read.v);
    check_same("dissipated", 1, &a.dissipated, &b.dissipated);
    assert_true(a.dissipated > 0.01);
    phx_energies one, two;
    phx_system_energies(own.system, own.x, own.v, &one);
    phx_system_energies(read.system, read.x, read.v, &two);
    assert_memory_equal(&one, &two, sizeof one);
    end(&own);
    end(&read);
}

/* All inputs of a model at zero change nothing, bit by bit. */
static void inputs_of_zero(void **state)
{
    phx_context *context = *state;
    static const char *const names_of[] = {"manipulator.yaml", "spin_up.yaml", "satellite.yaml", "crank_slider.yaml",
                                           "damped_lever.yaml"};

    for (size_t k = 0; k < sizeof names_of / sizeof *names_of; k++) {
        twin own = {0}, read = {0};
        const phx_signal_input nothing = {0};
        int count = 0;
        char **names = NULL;
        make_twins(context, read_example(context, names_of[k]), &own, &read);
        CHECK_OK(context, phx_system_list_inputs(own.system, &count, &names));
        assert_true(count > 0);
        for (int i = 0; i < count; i++) {
            phx_input_place place;
            CHECK_OK(context, phx_system_find_input(own.system, names[i], &place));
            CHECK_OK(context, phx_system_add_input(read.system, &place, &nothing));
            phx_free(names[i]);
        }
        phx_free(names);
        CHECK_OK(context, phx_system_finalise(read.system));
        begin(context, &read);
        copy_state(&own, &read);
        (void)run(context, &own, 1e-3, 40);
        (void)run(context, &read, 1e-3, 40);
        check_same(names_of[k], own.dae->n_x, own.x, read.x);
        check_same(names_of[k], own.dae->n_v, own.v, read.v);
        end(&own);
        end(&read);
    }
}

/* A lever in the plane under a torque of its actuator, a force at its end and a spring; all of them zero in the model.
 */
static const char lever[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  lever: {kind: rigid, mass: 2, inertia: 0.2, ports: {C: {position: [1, 0]}}, centre_of_mass: [0.5, 0]}\n"
    "ground: {ports: {S: {position: [1, 1]}}}\n"
    "joints:\n"
    "  pin: {kind: revolute, ports: [ground.O, lever.P], effort: 0*t}\n"
    "springs:\n"
    "  cord: {ports: [ground.S, lever.C], stiffness: 3, length: 1, force: 0*t}\n"
    "loads:\n"
    "  push: {force: [0*t, 0*t], at: lever.C}\n"
    "  turn: {torque: 0*t, at: lever.C}\n";

typedef struct totals {
    phx_work work;
    int first, count; /* of the ledger */
    double parts[8];
} totals;

static phx_status keep_parts(void *user, const phx_sample *sample)
{
    totals *it = user;
    it->work = sample->work;
    memcpy(it->parts, sample->ledger + it->first, (size_t)it->count * sizeof *it->parts);
    return PHX_OK;
}

/* The work of held inputs is their sum times what is conjugate to them, to rounding. */
static void work_of_inputs(void **state)
{
    phx_context *context = *state;
    static const char *const names[] = {"pin.effort", "cord.force", "push.fx", "push.fy", "turn.tz"};
    enum { N = sizeof names / sizeof *names };
    phx_signal_input inputs[N] = {{.value = 3.0}, {.value = -2.0}, {.value = 1.5}, {.value = 4.0}, {.value = 0.7}};
    twin own = {0}, read = {0};
    phx_model *model = NULL;
    phx_integrate_options options = phx_integrate_options_default();
    double work = 0.0;

    CHECK_OK(context, phx_model_read_text(context, "text.yaml", lever, strlen(lever), 0, NULL, &model));
    make_twins(context, model, &own, &read);
    for (int i = 0; i < N; i++) {
        phx_input_place place;
        CHECK_OK(context, phx_system_find_input(own.system, names[i], &place));
        CHECK_OK(context, phx_system_add_input(read.system, &place, &inputs[i]));
    }
    CHECK_OK(context, phx_system_finalise(read.system));
    begin(context, &read);
    copy_state(&own, &read);
    totals sum = {.first = phx_system_ledger(read.system), .count = N};
    options.step = 1e-3;
    options.end = 0.4;
    CHECK_OK(context, phx_integrate(read.dae, &options, &read.t, read.x, read.v, read.lambda, keep_parts, &sum, NULL));
    for (int i = 0; i < N; i++)
        work += inputs[i].value * sum.parts[i];
    assert_true(fabs(sum.work.supplied) > 0.1);
    if (!(fabs(work - sum.work.supplied) <= 1e-13 * fabs(sum.work.supplied)))
        fail_msg("%.17g from the inputs, %.17g supplied", work, sum.work.supplied);
    end(&own);
    end(&read);
}

static void unknown_inputs(void **state)
{
    phx_context *context = *state;
    twin own = {0}, read = {0};
    phx_model *model = NULL;
    phx_input_place place;

    CHECK_OK(context, phx_model_read_text(context, "text.yaml", lever, strlen(lever), 0, NULL, &model));
    make_twins(context, model, &own, &read);
    CHECK_STATUS(context, phx_system_find_input(own.system, "pin.efort", &place), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "did you mean 'pin.effort'");
    CHECK_STATUS(context, phx_system_find_input(own.system, "pin.rate", &place), PHX_ERR_INPUT);
    end(&own);
    phx_system_destroy(read.system);
}

/* Bytes that are cut off, or changed, are refused or read as something else; nothing is read beyond the end. */
static void damaged_archives(void **state)
{
    phx_context *context = *state;
    phx_model *model = NULL;
    phx_system *system = NULL;
    phx_archive *written = NULL;
    size_t size = 0;

    CHECK_OK(context, phx_model_read_text(context, "text.yaml", lever, strlen(lever), 0, NULL, &model));
    CHECK_OK(context, phx_model_build(context, model, NULL, &system));
    CHECK_OK(context, phx_archive_create(context, &written));
    CHECK_OK(context, phx_system_write(system, written));
    const unsigned char *bytes = phx_archive_bytes(written, &size);
    for (size_t cut = 0; cut < size; cut += 7) {
        phx_archive *open = NULL;
        phx_system *read = NULL;
        CHECK_OK(context, phx_archive_open(context, cut, bytes, &open));
        assert_int_not_equal(phx_system_read(context, open, &read), PHX_OK);
        assert_null(read);
        phx_archive_destroy(open);
    }
    phx_archive_destroy(written);
    phx_system_destroy(system);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_steps), cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(runs_go_on),     cmocka_unit_test(forces_along_scalars),
        cmocka_unit_test(inputs_of_zero), cmocka_unit_test(work_of_inputs),
        cmocka_unit_test(unknown_inputs), cmocka_unit_test(damaged_archives),
    };
    return cmocka_run_group_tests(tests, study_setup, study_teardown);
}
