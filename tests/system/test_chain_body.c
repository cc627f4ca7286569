/* A body of another kind than the floating one (chain_body.h) against the same mechanism of rigid bodies and springs,
 * which is the same to rounding, under every integrator; with every joint; its modes, its certificate. */
#include <phlexor/integrate.h>
#include <phlexor/linear.h>

#include "chain_body.h"
#include "support.h"

enum { SECTIONS = 4 };

/* A pendulum of sections in rotation about its pin, with a payload on its last section. */
typedef struct pendulum {
    model m;
    int dim;
    phx_port_id section[SECTIONS], payload;
} pendulum;

static phx_pose turned_pose(int dim, double along, double rate)
{
    const double angle = 0.4;
    phx_pose pose = dim == 2 ? pose_at(along * cos(angle), along * sin(angle), angle)
                             : pose_turned(along * cos(angle), along * sin(angle), 0.0, 0.0, 0.0, 1.0, angle);

    pose.linear[0] = -rate * along * sin(angle);
    pose.linear[1] = rate * along * cos(angle);
    pose.angular[dim == 2 ? 0 : 2] = rate;
    return pose;
}

static phx_body_id add_own(model *m, phx_body *body, const phx_pose *pose)
{
    phx_body_id id = -2;
    CHECK_OK(m->context, phx_system_add_body(m->system, body, NULL, pose, &id));
    return id;
}

static phx_body_id add_section(model *m, const chain_def *def, const char *name, double along, double rate)
{
    const phx_body_def section = {.name = name, .dim = def->dim, .rigid = &def->section};
    const phx_pose pose = turned_pose(def->dim, along, rate);
    phx_body *body = NULL;
    CHECK_OK(m->context, phx_body_create(m->context, &section, &body));
    return add_own(m, body, &pose);
}

static phx_port_id port_at(model *m, phx_body_id body, const double *place)
{
    phx_port_id id = -2;
    CHECK_OK(m->context, phx_system_add_port(m->system, body, place, NULL, &id));
    return id;
}

static phx_port_id port_of_section(model *m, phx_body_id chain, int section)
{
    const phx_location at = {.sort = PHX_LOCATION_NODE, .node = section};
    phx_port_id id = -2;
    CHECK_OK(m->context, phx_system_add_port_at(m->system, chain, &at, NULL, &id));
    return id;
}

static void add_chain(pendulum *p, const chain_def *def, double rate)
{
    const phx_pose pose = turned_pose(def->dim, 0.0, rate);
    phx_body *body = NULL;

    CHECK_OK(p->m.context, chain_create(p->m.context, def, &body));
    const phx_body_id chain = add_own(&p->m, body, &pose);
    for (int k = 0; k < SECTIONS; k++)
        p->section[k] = port_of_section(&p->m, chain, k + 1);
}

static void add_bodies(pendulum *p, const chain_def *def, double rate)
{
    static const char *const names[SECTIONS] = {"one", "two", "three", "four"};
    const double origin[3] = {0.0, 0.0, 0.0};
    phx_body_id body[SECTIONS];

    for (int k = 0; k < SECTIONS; k++) {
        body[k] = add_section(&p->m, def, names[k], k * def->pitch, rate);
        p->section[k] = port_at(&p->m, body[k], origin);
    }
    for (int k = 0; k + 1 < SECTIONS; k++)
        for (int s = 0; s < def->springs; s++) {
            const phx_port_id from = port_at(&p->m, body[k], def->from[s]);
            add_spring(&p->m, "spring", from, port_at(&p->m, body[k + 1], def->to[s]), def->stiffness, 0.0,
                       chain_length(def, s), NULL);
        }
}

static void open_pendulum(phx_context *context, int dim, bool as_chain, double rate, pendulum *p)
{
    const chain_def def = chain_default(dim, SECTIONS);
    const double gravity[3] = {1.0, -9.81, 2.0}, ahead[3] = {0.3, 0.0, 0.0}, behind[3] = {-0.5, 0.0, 0.0};
    const phx_joint_kind hinge = dim == 2 ? PHX_JOINT_REVOLUTE : PHX_JOINT_SPHERICAL;

    p->dim = dim;
    if (dim == 2)
        model_open(context, gravity[0], gravity[1], &p->m);
    else
        model_open_space(context, gravity, &p->m);
    if (as_chain)
        add_chain(p, &def, rate);
    else
        add_bodies(p, &def, rate);
    const phx_body_id payload = add_section(&p->m, &def, "payload", SECTIONS * def.pitch, rate);
    p->payload = port_at(&p->m, payload, ahead);
    add_joint(&p->m, "pin", hinge, port_at(&p->m, PHX_GROUND, (const double[]){0.0, 0.0, 0.0}), p->section[0]);
    add_joint(&p->m, "weld", PHX_JOINT_WELD, p->section[SECTIONS - 1], port_at(&p->m, payload, behind));
    model_ready(&p->m);
}

/* The places of all sections and of the payload. */
static void places(const pendulum *p, double *u)
{
    for (int k = 0; k < SECTIONS; k++)
        phx_system_port_place(p->m.system, p->section[k], p->m.x, u + k * p->dim);
    phx_system_port_place(p->m.system, p->payload, p->m.x, u + SECTIONS * p->dim);
}

static void compare_places(const pendulum *a, const pendulum *b, double tolerance, const char *what)
{
    double u[2][3 * (SECTIONS + 1)];

    places(a, u[0]);
    places(b, u[1]);
    CHECK_VECTOR((SECTIONS + 1) * a->dim, u[0], u[1], tolerance, "%s", what);
}

/* ---- motion ---- */
static void moves_like_its_sections(void **state)
{
    static const struct {
        phx_integrator integrator;
        double step, rtol, tolerance;
    } runs[] = {{PHX_MIDPOINT, 0.005, 0.0, 1e-9}, {PHX_MIDPOINT4, 0.01, 0.0, 1e-9}, {PHX_GAUSS4, 0.01, 0.0, 1e-9},
                {PHX_GAUSS6, 0.01, 0.0, 1e-9},    {PHX_RADAU5, 0.0, 1e-9, 1e-6},    {PHX_IDA, 0.0, 1e-9, 1e-5}};

    for (int dim = 2; dim <= 3; dim++)
        for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
            pendulum p[2];
            for (int k = 0; k < 2; k++) {
                phx_integrate_options options = phx_integrate_options_default();
                double t = 0.0;
                open_pendulum(*state, dim, k == 0, 1.2, &p[k]);
                options.integrator = runs[r].integrator;
                options.end = 0.5;
                options.step = runs[r].step;
                options.rtol = runs[r].rtol;
                const double before = total_energy(&p[k].m, p[k].m.x, p[k].m.v);
                CHECK_OK(*state,
                         phx_integrate(p[k].m.dae, &options, &t, p[k].m.x, p[k].m.v, p[k].m.lambda, NULL, NULL, NULL));
                if (runs[r].integrator == PHX_MIDPOINT)
                    CHECK_SMALL(total_energy(&p[k].m, p[k].m.x, p[k].m.v) - before, 1e-10, "energy in %d dimensions",
                                dim);
            }
            compare_places(&p[0], &p[1], runs[r].tolerance, phx_integrator_name(runs[r].integrator));
            model_close(&p[0].m);
            model_close(&p[1].m);
        }
}

/* In equilibrium too, found from a pose far from it; in space it may turn about the direction of gravity. */
static void rests_like_its_sections(void **state)
{
    const phx_static_options options = phx_static_options_default();

    for (int dim = 2; dim <= 3; dim++) {
        pendulum p[2];
        double energy[2];
        for (int k = 0; k < 2; k++) {
            phx_static_report report;
            open_pendulum(*state, dim, k == 0, 0.0, &p[k]);
            model *m = &p[k].m;
            CHECK_OK(*state, phx_system_static(m->dae, &options, m->x, m->lambda, &report));
            CHECK_BELOW(report.unbalanced, 1e-10 * report.weight, "forces out of balance");
            assert_int_equal(report.unstable, 0);
            assert_int_equal(report.free_motions, dim - 2);
            memset(m->v, 0, (size_t)m->n_v * sizeof *m->v);
            energy[k] = total_energy(m, m->x, m->v);
        }
        CHECK_RELATIVE(energy[0], energy[1], 1e-12, "energy");
        if (dim == 2)
            compare_places(&p[0], &p[1], 1e-10, "equilibrium");
        model_close(&p[0].m);
        model_close(&p[1].m);
    }
}

static void both_evaluators_agree(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        pendulum p[2];
        for (int k = 0; k < 2; k++) {
            phx_integrate_options options = phx_integrate_options_default();
            double t = 0.0;
            open_pendulum(*state, dim, true, 1.2, &p[k]);
            phx_system_dae_destroy(p[k].m.dae);
            CHECK_OK(*state,
                     phx_system_dae_with(p[k].m.system, *state, k ? PHX_BACKEND_FAST : PHX_BACKEND_PLAIN, &p[k].m.dae));
            options.step = 0.005;
            options.end = 0.5;
            CHECK_OK(*state,
                     phx_integrate(p[k].m.dae, &options, &t, p[k].m.x, p[k].m.v, p[k].m.lambda, NULL, NULL, NULL));
        }
        compare_places(&p[0], &p[1], 1e-11, "plain and fast");
        model_close(&p[0].m);
        model_close(&p[1].m);
    }
}

/* Momentum about the origin, and linear, of a chain that nothing holds. */
static void keeps_its_momenta(void **state)
{
    const chain_def def = chain_default(3, SECTIONS);
    const double none[3] = {0.0, 0.0, 0.0};
    double linear[2][3], angular[2][3];
    phx_work work;
    phx_pose pose = pose_turned(1.0, 2.0, 3.0, 0.3, 0.4, 0.5, 0.7);
    phx_body *body = NULL;
    model m;

    model_open_space(*state, none, &m);
    CHECK_OK(*state, chain_create(*state, &def, &body));
    pose.linear[0] = 0.5;
    pose.angular[1] = 2.0;
    pose.angular[2] = 0.3;
    add_own(&m, body, &pose);
    model_ready(&m);
    phx_body_inertial_momentum(body, m.x, m.v, linear[0], angular[0]);
    run_midpoint(&m, 0.0, 0.01, 300, &work);
    phx_body_inertial_momentum(body, m.x, m.v, linear[1], angular[1]);
    CHECK_VECTOR(3, linear[1], linear[0], 1e-11, "linear momentum");
    CHECK_VECTOR(3, angular[1], angular[0], 1e-11, "angular momentum");
    model_close(&m);
}

/* ---- joints ---- */
static double gap_of(model *m)
{
    double position, velocity;
    m->dae->ops->drift(m->dae, 0.0, m->x, m->v, &position, &velocity);
    return position;
}

/* The chain between the ground and a payload on that joint, from a pose in which the joint is open. */
static void every_joint_holds_it(void **state)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < phx_joint_kind_count(); kind++) {
            const phx_joint_info *info = phx_joint_kind_info((phx_joint_kind)kind);
            const chain_def def = chain_default(dim, SECTIONS);
            const double gravity[3] = {0.0, -9.81, 1.0};
            const phx_pose pose = turned_pose(dim, 0.0, 0.0);
            pendulum p;
            phx_body *body = NULL;
            phx_work work;
            if (info->slides || !(dim == 2 ? info->plane : info->space)) /* the chain has no curve to slide along */
                continue;
            if (dim == 2)
                model_open(*state, 0.0, -9.81, &p.m);
            else
                model_open_space(*state, gravity, &p.m);
            CHECK_OK(*state, chain_create(*state, &def, &body));
            const phx_body_id chain = add_own(&p.m, body, &pose);
            const phx_body_id payload = add_section(&p.m, &def, "payload", SECTIONS * def.pitch + 0.1, 0.0);
            phx_joint_def joint = joint_def("joint", (phx_joint_kind)kind, port_of_section(&p.m, chain, SECTIONS),
                                            port_at(&p.m, payload, (const double[]){-0.2, 0.1, 0.05}));
            joint.axis[0] = 1.0;
            joint.has_axis_b = info->axis_b || info->axis == PHX_AXIS_PAIR;
            joint.axis_b[info->axis == PHX_AXIS_PAIR ? 1 : 0] = 1.0;
            add_joint(&p.m, "pin", dim == 2 ? PHX_JOINT_REVOLUTE : PHX_JOINT_SPHERICAL,
                      port_at(&p.m, PHX_GROUND, (const double[]){0.0, 0.0, 0.0}), port_of_section(&p.m, chain, 2));
            add_joint_def(&p.m, &joint);
            model_ready(&p.m);
            CHECK_SMALL(gap_of(&p.m), 1e-9, "%s: closed at the start", info->name);
            const double before = total_energy(&p.m, p.m.x, p.m.v);
            run_midpoint(&p.m, 0.0, 0.005, 60, &work);
            CHECK_SMALL(total_energy(&p.m, p.m.x, p.m.v) - before, 1e-9, "%s: energy", info->name);
            CHECK_SMALL(gap_of(&p.m), 1e-9, "%s: closed at the end", info->name);
            model_close(&p.m);
        }
}

/* ---- modes and structure ---- */
static void modes_of(phx_context *context, const pendulum *p, phx_mode_set *set)
{
    const phx_modes_options options = phx_modes_options_default();
    phx_linear linear;
    phx_modal *modal = NULL;

    CHECK_OK(context, phx_system_linear(p->m.dae, 0.0, p->m.x, NULL, &linear));
    CHECK_OK(context, phx_modal_create(context, &modal));
    CHECK_OK(context, phx_modal_solve(modal, &linear, &options, set));
    phx_modal_destroy(modal);
    phx_linear_free(&linear);
}

static void has_the_modes_of_its_sections(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        pendulum p[2];
        phx_mode_set set[2] = {{0}, {0}};
        for (int k = 0; k < 2; k++) {
            open_pendulum(*state, dim, k == 0, 0.0, &p[k]);
            modes_of(*state, &p[k], &set[k]);
        }
        assert_int_equal(set[0].freedom, set[1].freedom);
        assert_int_equal(set[0].count, set[1].count);
        for (int i = 0; i < set[0].count; i++)
            CHECK_RELATIVE(set[0].omega[i], set[1].omega[i], 1e-8, "mode %d in %d dimensions", i + 1, dim);
        for (int k = 0; k < 2; k++) {
            phx_mode_set_free(&set[k]);
            model_close(&p[k].m);
        }
    }
}

static void is_certified(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        pendulum p[2];
        phx_certificate found[2];
        for (int k = 0; k < 2; k++) {
            open_pendulum(*state, dim, k == 0, 1.2, &p[k]);
            CHECK_OK(*state,
                     phx_system_verify_structure(p[k].m.dae, 0.0, p[k].m.x, p[k].m.v, p[k].m.lambda, &found[k]));
        }
        assert_true(found[0].lossless);
        CHECK_RELATIVE(found[0].mass, found[1].mass, 1e-14, "mass");
        CHECK_VECTOR(dim == 2 ? 1 : 9, found[0].inertia, found[1].inertia, 1e-11, "inertia");
        CHECK_VECTOR(dim, found[0].centre_of_mass, found[1].centre_of_mass, 1e-12, "centre of mass");
        assert_int_equal(found[0].degrees_of_freedom, found[1].degrees_of_freedom);
        for (int k = 0; k < 2; k++)
            model_close(&p[k].m);
    }
}

/* ---- what it does not offer, and names ---- */
static void says_what_it_does_not_offer(void **state)
{
    const phx_start_options deformed = {.quasi_static = true};
    const phx_location nowhere = {.sort = PHX_LOCATION_NODE, .node = SECTIONS + 1};
    const phx_location half = phx_location_at_fraction(0.5);
    const chain_def def = chain_default(2, SECTIONS);
    const phx_pose pose = pose_at(0.0, 0.0, 0.0);
    char name[64];
    phx_port_id port = -2;
    phx_body *body = NULL;
    pendulum p;
    model m;

    open_pendulum(*state, 2, true, 0.0, &p);
    CHECK_STATUS(*state, phx_system_start(p.m.system, &deformed, p.m.x, p.m.v, NULL), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "body 'chain' is a chain of sections, for which there is no quasi-static start");
    phx_system_coordinate_name(p.m.system, 1, name, sizeof name);
    assert_string_equal(name, "chain.ry");
    phx_system_coordinate_name(p.m.system, 3, name, sizeof name);
    assert_string_equal(name, "chain.4.rx"); /* the last section stands behind the first */
    model_close(&p.m);
    model_open(*state, 0.0, 0.0, &m);
    CHECK_OK(*state, chain_create(*state, &def, &body));
    const phx_body_id chain = add_own(&m, body, &pose);
    CHECK_STATUS(*state, phx_system_add_port_at(m.system, chain, &nowhere, NULL, &port), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "there is no section 5");
    CHECK_STATUS(*state, phx_system_add_port_at(m.system, chain, &half, NULL, &port), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "its points are given by: number of a node");
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(moves_like_its_sections, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rests_like_its_sections, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(both_evaluators_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(keeps_its_momenta, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(every_joint_holds_it, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(is_certified, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(has_the_modes_of_its_sections, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(says_what_it_does_not_offer, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
