/* Joints that are alike side by side against the same joints one by one: residuals and matrices of intervals and of
 * instants, rows of projections, runs. */
#include "system/fast/fast.h"

#include <math.h>

#include "condensed_models.h"

enum { MOST_ALIKE = 9 };
static const double TOLERANCE = 1e-14; /* of 1 + the value */

/* ---- chains ---- */
typedef enum links { RIGID, BEAMS, BY_TURNS } links;
typedef struct chain {
    phx_joint_kind kind;
    bool space;
    links links;
    bool batches; /* its joints may go side by side */
} chain;

static const chain chains[] = {
    {PHX_JOINT_REVOLUTE, false, RIGID, true},    {PHX_JOINT_REVOLUTE, false, BEAMS, true},
    {PHX_JOINT_REVOLUTE, false, BY_TURNS, true}, {PHX_JOINT_WELD, false, BY_TURNS, false},
    {PHX_JOINT_PRISMATIC, false, BEAMS, false},  {PHX_JOINT_SLIDER, false, RIGID, false},
    {PHX_JOINT_SPHERICAL, true, RIGID, true},    {PHX_JOINT_SPHERICAL, true, BEAMS, true},
    {PHX_JOINT_SPHERICAL, true, BY_TURNS, true}, {PHX_JOINT_REVOLUTE, true, RIGID, true},
    {PHX_JOINT_REVOLUTE, true, BEAMS, true},     {PHX_JOINT_REVOLUTE, true, BY_TURNS, true},
    {PHX_JOINT_WELD, true, RIGID, true},         {PHX_JOINT_WELD, true, BEAMS, true},
    {PHX_JOINT_WELD, true, BY_TURNS, true},      {PHX_JOINT_UNIVERSAL, true, RIGID, true},
    {PHX_JOINT_UNIVERSAL, true, BEAMS, true},    {PHX_JOINT_PRISMATIC, true, RIGID, false},
    {PHX_JOINT_SLIDER, true, BEAMS, false},      {PHX_JOINT_CYLINDRICAL, true, BY_TURNS, false},
    {PHX_JOINT_PLANAR, true, RIGID, false}};

static bool is_beam(const chain *it, int k)
{
    return it->links == BEAMS || (it->links == BY_TURNS && k % 2 == 1);
}

static phx_port_id end_of(model *m, const chain *it, int k, phx_body_id body, double x)
{
    if (is_beam(it, k))
        return at_beam(m, body, x);
    return it->space ? at_space(m, body, x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0) : at_place(m, body, x, 0.0);
}

static phx_port_id on_ground(model *m, const chain *it, double x, double y)
{
    return it->space ? at_space(m, PHX_GROUND, x, y, 0.0, 1.0, 0.0, 0.0, 0.0) : at_place(m, PHX_GROUND, x, y);
}

static void join(model *m, const chain *it, int number, phx_port_id a, phx_port_id b)
{
    char name[32];

    snprintf(name, sizeof name, "joint%d", number);
    phx_joint_def def = joint_def(name, it->kind, a, b);
    def.axis[0] = it->kind == PHX_JOINT_PRISMATIC || it->kind == PHX_JOINT_SLIDER || it->kind == PHX_JOINT_CYLINDRICAL;
    def.axis[2] = def.axis[0] == 0.0;
    def.has_axis_b = it->kind == PHX_JOINT_UNIVERSAL;
    def.axis_b[1] = 1.0;
    add_joint_def(m, &def);
}

/* Ground, links in a zigzag, ground: `alike` joints between links, and one to the ground on either side of them. */
static void chain_open(phx_context *context, const chain *it, int alike, model *m)
{
    const test_model kind = {"a chain", NULL, true, it->space};
    beam_kind beam = beam_default();
    double x = 0.0, y = 0.0;
    char name[32];

    begin_test_model(context, &kind, m);
    beam.elements = 5;
    phx_port_id last = on_ground(m, it, x, y);
    for (int k = 0; k <= alike; k++) {
        const double turn = k % 2 ? -0.3 : 0.4;
        const phx_pose pose = it->space ? pose_turned(x, y, 0.0, 0.0, 0.0, 1.0, turn) : pose_at(x, y, turn);
        snprintf(name, sizeof name, "link%d", k);
        const phx_body_id body = is_beam(it, k) ? add_beam(m, name, &beam, pose)
                                 : it->space    ? add_rigid_space(m, name, pose)
                                                : add_rigid(m, name, 1.0 + k, 0.1, 0.5, 0.1, pose);
        x += cos(turn);
        y += sin(turn);
        join(m, it, k, last, end_of(m, it, k, body, 0.0));
        last = end_of(m, it, k, body, 1.0);
    }
    join(m, it, alike + 1, last, on_ground(m, it, x, y));
    model_finalise(m);
}

/* ---- both ways ---- */
typedef struct found {
    size_t n_res, n_values, n_whole;
    double *res[2], *rates, *interval, *mass,
        *instant[2]; /* n_res: of an interval, an instant; ...; n_values; n_whole */
} found;

static double *numbers(size_t count)
{
    double *all = calloc(count + 1, sizeof *all);
    assert_non_null(all);
    return all;
}

static double *copied(size_t count, const double *from)
{
    double *all = numbers(count);
    for (size_t k = 0; k < count; k++)
        all[k] = from[k];
    return all;
}

static void found_free(found *it)
{
    free(it->res[0]);
    free(it->res[1]);
    free(it->rates);
    free(it->interval);
    free(it->mass);
    free(it->instant[0]);
    free(it->instant[1]);
}

typedef struct trial {
    double h;
    const double *x, *v, *v1, *lambda;
} trial;

static void evaluate(const model *m, const trial *at, bool one_by_one, found *out)
{
    workspace *ws = (workspace *)m->dae;
    const phx_dae_ops *ops = m->dae->ops;
    const bool condensed = ws->fast->condensation && ws->fast->condensing == PHX_CONDENSE_ALWAYS;
    const kkt_matrix *kkt = condensed ? &ws->fast->condensation->kkt : &ws->kkt;
    double *x1 = numbers((size_t)m->n_x), *res = numbers((size_t)(m->n_v + m->n_l));

    CHECK_OK(m->context, phx_system_joints_one_by_one(m->dae, one_by_one));
    out->n_res = (size_t)(m->n_v + m->n_l);
    out->n_whole = (size_t)ws->kkt.ptr[ws->kkt.n];
    out->n_values = (size_t)kkt->ptr[kkt->n];
    CHECK_OK(m->context, ops->interval_begin(m->dae, 0.1, at->h, at->x, at->v));
    CHECK_OK(m->context, ops->interval_residual(m->dae, at->v1, at->lambda, x1, res));
    out->res[0] = copied(out->n_res, res);
    CHECK_OK(m->context, ops->interval_linearise(m->dae));
    out->interval = copied(out->n_values, condensed ? ws->fast->condensation->values.coupling : ws->values.val);
    ws->by->row_residuals(ws, 0.1, x1, at->v1, res);
    out->rates = copied((size_t)ws->rows.n, res);
    double *mass = condensed ? ws->fast->condensation->values.val : ws->mass.val;
    ws->fast->into = kkt;
    memset(mass, 0, out->n_values * sizeof *mass);
    ws->by->put_rows(ws, mass);
    ws->fast->into = &ws->kkt;
    out->mass = copied(out->n_values, mass);
    ws->mass.begun = false;
    CHECK_OK(m->context, ops->residual(m->dae, 0.1, x1, at->v1, at->v, at->lambda, res));
    out->res[1] = copied(out->n_res, res);
    CHECK_OK(m->context, ops->linearise(m->dae, 0.1, x1, at->v1, at->lambda));
    out->instant[0] = copied(out->n_whole, ws->values.D);
    out->instant[1] = copied(out->n_whole, ws->values.K);
    free(x1);
    free(res);
}

/* Largest difference relative to 1 + the value. */
static double defect(size_t count, const double *a, const double *b)
{
    double worst = 0.0;

    for (size_t k = 0; k < count; k++) {
        const double one = fabs(a[k] - b[k]) / (1.0 + fabs(a[k]));
        worst = !(one <= worst) ? one : worst;
    }
    return worst;
}

static void compare(const model *m, const char *name, double h, uint64_t *seed)
{
    const size_t n_v = (size_t)m->n_v, n_l = (size_t)m->n_l;
    double *x = numbers((size_t)m->n_x), *v = numbers(n_v), *v1 = numbers(n_v), *lambda = numbers(n_l);
    const trial at = {h, x, v, v1, lambda};
    found alone, together;

    random_state(m, seed, x, v);
    for (size_t i = 0; i < n_v; i++)
        v1[i] = v[i] + 0.3 * random_value(seed);
    for (size_t k = 0; k < n_l; k++)
        lambda[k] = random_value(seed);
    evaluate(m, &at, true, &alone);
    evaluate(m, &at, false, &together);
    CHECK_SMALL(defect(alone.n_res, alone.res[0], together.res[0]), TOLERANCE, "%s: residual", name);
    CHECK_SMALL(defect(alone.n_res, alone.res[1], together.res[1]), TOLERANCE, "%s: that of an instant", name);
    CHECK_SMALL(defect(n_l, alone.rates, together.rates), TOLERANCE, "%s: rates", name);
    CHECK_SMALL(defect(alone.n_values, alone.interval, together.interval), TOLERANCE, "%s: an interval's matrix", name);
    CHECK_SMALL(defect(alone.n_values, alone.mass, together.mass), TOLERANCE, "%s: rows", name);
    for (int k = 0; k < 2; k++)
        CHECK_SMALL(defect(alone.n_whole, alone.instant[k], together.instant[k]), TOLERANCE, "%s: %s of an instant",
                    name, k ? "K" : "D");
    found_free(&alone);
    found_free(&together);
    free(x);
    free(v);
    free(v1);
    free(lambda);
}

static void compare_both(model *m, const char *name, double h, uint64_t *seed)
{
    phx_system_condense(m->dae, PHX_CONDENSE_NEVER);
    compare(m, name, h, seed);
    phx_system_condense(m->dae, PHX_CONDENSE_ALWAYS);
    compare(m, name, h, seed);
}

/* Full batches of four and one of what is left, unless that is a single one. By turns there are two kinds. */
static int batches_of(const chain *it, int alike)
{
    const int kinds = it->links == BY_TURNS ? 2 : 1;
    int count = 0;

    for (int k = 0; k < kinds && it->batches; k++) {
        const int n = (alike + kinds - 1 - k) / kinds;
        count += n / PHX_JOINT_SIMD_WIDTH + (n % PHX_JOINT_SIMD_WIDTH > 1);
    }
    return count;
}

static void chains_agree(void **state)
{
    uint64_t seed = 11;

    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++)
        for (int alike = 1; alike <= MOST_ALIKE; alike++) {
            model m;
            char name[64];
            snprintf(name, sizeof name, "%s in %s, links %d, %d alike", phx_joint_kind_name(chains[c].kind),
                     chains[c].space ? "space" : "the plane", (int)chains[c].links, alike);
            chain_open(*state, &chains[c], alike, &m);
            assert_int_equal(((const workspace *)m.dae)->fast->joints.used, batches_of(&chains[c], alike));
            compare_both(&m, name, alike % 2 ? 0.05 : -0.2, &seed);
            model_close(&m);
        }
}

/* Every kind of joint, drive, force and body, where few joints are alike. */
static void the_test_models_agree(void **state)
{
    uint64_t seed = 12;

    for (int k = 0; k < n_test_models + n_condensed_models; k++) {
        const test_model *kind = k < n_test_models ? &test_models[k] : &condensed_models[k - n_test_models].is;
        model m;
        open_test_model(*state, kind, &m);
        if (kind->exact)
            compare_both(&m, kind->name, 0.03, &seed);
        model_close(&m);
    }
}

/* A run with projections keeps energy as closely either way, and ends in the same place. */
static void runs_agree(void **state)
{
    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
        model m[2];
        phx_work work[2] = {{0.0, 0.0}, {0.0, 0.0}};
        double places = 0.0;
        if (!chains[c].batches || chains[c].kind == PHX_JOINT_WELD)
            continue;
        for (int w = 0; w < 2; w++) {
            chain_open(*state, &chains[c], 6, &m[w]);
            model_start(&m[w], false);
            CHECK_OK(*state, phx_system_joints_one_by_one(m[w].dae, w == 0));
            const double before = total_energy(&m[w], m[w].x, m[w].v);
            run_midpoint(&m[w], 0.0, 2e-3, 20, &work[w]);
            CHECK_SMALL(fabs(total_energy(&m[w], m[w].x, m[w].v) - before), 1e-10, "energy, %s",
                        phx_joint_kind_name(chains[c].kind));
        }
        for (int i = 0; i < m[0].n_x; i++)
            places = fmax(places, fabs(m[0].x[i] - m[1].x[i]));
        CHECK_SMALL(places, 1e-11, "places, %s", phx_joint_kind_name(chains[c].kind));
        model_close(&m[0]);
        model_close(&m[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(chains_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_test_models_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(runs_agree, context_setup, context_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
