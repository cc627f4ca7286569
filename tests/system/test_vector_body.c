/* Bodies of vectors in a mechanism: invariants over large steps, joints, damping, statics, modes. */
#include <phlexor/integrate.h>
#include <phlexor/linear.h>

#include "body/shells.h"
#include "support.h"

static void panel(double s, double t, double *place, double *normal)
{
    place[0] = s;
    place[1] = 0.4 * t;
    place[2] = 0.0;
    normal[0] = normal[1] = 0.0;
    normal[2] = 1.0;
}

static void ring(double s, double t, double *place, double *normal)
{
    const double angle = 2.0 * TEST_PI * s;

    place[0] = 7.5 * cos(angle);
    place[1] = 7.5 * sin(angle);
    place[2] = 3.0 * t;
    normal[0] = cos(angle);
    normal[1] = sin(angle);
    normal[2] = 0.0;
}

static phx_body_id add_shell(model *m, shell_mesh *mesh, phx_pose pose)
{
    phx_body *body = NULL;
    phx_body_id id = -2;

    CHECK_OK(m->context, phx_vector_body_create(m->context, &mesh->def, &body));
    CHECK_OK(m->context, phx_system_add_body(m->system, body, NULL, &pose, &id));
    return id;
}

static phx_port_id ground_port(model *m, double x, double y, double z)
{
    return at_space(m, PHX_GROUND, x, y, z, 1, 0, 0, 0);
}

static void momenta(const model *m, double *linear, double *angular)
{
    const int n = phx_system_bodies(m->system);

    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (int b = 0; b < n; b++) {
        const phx_placed_body placed = phx_system_placed(m->system, b);
        double l[3], a[3];
        phx_body_inertial_momentum(placed.body, m->x + placed.x, m->v + placed.v, l, a);
        for (int i = 0; i < 3; i++) {
            linear[i] += l[i];
            angular[i] += a[i];
        }
    }
}

/* Velocities that bend a body of vectors: across its rest, in the axes of the inertial space. */
static void kick(model *m, phx_body_id id, double wave, double size)
{
    const phx_placed_body placed = phx_system_placed(m->system, id);
    int x, v;
    const int n = phx_body_coordinates(placed.body, &x, &v);

    for (int k = 0; k + 5 < n; k += 6) {
        const double *z = m->x + placed.x + x + k;
        double *to = m->v + placed.v + v + k;
        to[2] += size * sin(wave * z[0]);
        to[1] += 0.5 * size * cos(wave * (z[0] + 0.5 * z[1]));
    }
}

static void run_steps(model *m, double step, int steps)
{
    phx_integrate_options options = phx_integrate_options_default();
    double t = 0.0;

    options.integrator = PHX_MIDPOINT;
    options.end = step * steps;
    options.step = step;
    CHECK_OK(m->context, phx_integrate(m->dae, &options, &t, m->x, m->v, m->lambda, NULL, NULL, NULL));
}

/* Energy and both momenta of free bodies: a ring without ties, a panel with 0, 1 and 2 tied edges. */
static void free_bodies_keep_their_invariants(void **state)
{
    for (int k = 0; k < 5; k++) {
        const double none[3] = {0.0, 0.0, 0.0};
        double linear[2][3], angular[2][3];
        phx_pose pose = pose_turned(0.3, -0.2, 0.1, 0.3, 0.4, 0.5, 0.7);
        shell_mesh mesh;
        model m;

        model_open_space(*state, none, &m);
        if (k == 0)
            shell_mesh_make(PHX_VECTOR_Q9, 6, 1, true, ring, 2e8, 0.25, 0.02, 1.0, &mesh);
        else
            shell_mesh_make(k == 4 ? PHX_VECTOR_T6 : PHX_VECTOR_Q9, 4, 2, false, panel, 1e7, 0.3, 0.01, 1000.0, &mesh);
        for (int end = 0; end < k - 1 && end < 2; end++)
            shell_mesh_tie(&mesh, end ? "right" : "left", end);
        pose.linear[0] = 0.4;
        pose.angular[0] = k == 0 ? 0.1 : 1.0;
        pose.angular[1] = k == 0 ? 0.2 : 2.0;
        pose.angular[2] = k == 0 ? 0.3 : 3.0;
        const phx_body_id id = add_shell(&m, &mesh, pose);
        model_ready(&m);
        kick(&m, id, k == 0 ? 0.2 : 3.0, k == 0 ? 1.0 : 0.1);
        const double before = total_energy(&m, m.x, m.v);
        momenta(&m, linear[0], angular[0]);
        run_steps(&m, k == 0 ? 0.02 : 0.01, TEST_LONG(300));
        momenta(&m, linear[1], angular[1]);
        CHECK_RELATIVE(total_energy(&m, m.x, m.v), before, 1e-11, "energy, case %d", k);
        for (int i = 0; i < 3; i++) {
            CHECK_CLOSE(linear[1][i], linear[0][i], 1e-12 * max_abs(3, linear[0]), "linear momentum, case %d", k);
            CHECK_CLOSE(angular[1][i], angular[0][i], 1e-11 * max_abs(3, angular[0]), "angular momentum, case %d", k);
        }
        model_close(&m);
        shell_mesh_free(&mesh);
    }
}

/* ---- joints ---- */
static phx_port_id port_named(model *m, phx_body_id body, const char *name)
{
    const phx_location at = phx_location_of_name(name);
    phx_port_id id = -2;
    CHECK_OK(m->context, phx_system_add_port_at(m->system, body, &at, NULL, &id));
    return id;
}

static phx_port_id port_of_node(model *m, phx_body_id body, int node)
{
    const phx_location at = {.sort = PHX_LOCATION_NODE, .node = node};
    phx_port_id id = -2;
    CHECK_OK(m->context, phx_system_add_port_at(m->system, body, &at, NULL, &id));
    return id;
}

/* A panel whose left edge is hinged to the ground and whose right edge is welded to a rigid body; the same held at a
 * corner instead; gravity, with and without damping. */
static void joints_and_balance(void **state)
{
    for (int k = 0; k < 4; k++) {
        const double gravity[3] = {0.0, 3.0, -9.81};
        const bool corner = k % 2, damped = k / 2;
        double position, velocity;
        phx_work work;
        shell_mesh mesh;
        model m;

        model_open_space(*state, gravity, &m);
        shell_mesh_make(PHX_VECTOR_Q9, 4, 2, false, panel, 1e7, 0.3, 0.01, 1000.0, &mesh);
        mesh.def.damping = damped ? 1e-3 : 0.0;
        shell_mesh_tie(&mesh, "right", 1);
        if (!corner)
            shell_mesh_tie(&mesh, "left", 0);
        const double *origin = mesh.tie[0].origin;
        const phx_body_id id = add_shell(&m, &mesh, pose_turned(origin[0], origin[1], origin[2], 1, 0, 0, 0));
        const phx_body_id bar = add_rigid_space(&m, "bar", pose_turned(1.0, 0.2, 0.0, 1, 0, 0, 0));
        add_joint(&m, "weld", PHX_JOINT_WELD, port_named(&m, id, "right"), at_space(&m, bar, 0, 0, 0, 1, 0, 0, 0));
        if (corner)
            add_joint(&m, "corner", PHX_JOINT_SPHERICAL, ground_port(&m, 0, 0, 0), port_of_node(&m, id, 1));
        else
            add_joint(&m, "hinge", PHX_JOINT_REVOLUTE, ground_port(&m, 0, 0.2, 0), port_named(&m, id, "left"));
        model_ready(&m);
        const double before = total_energy(&m, m.x, m.v);
        run_midpoint(&m, 0.0, 0.01, TEST_LONG(100), &work);
        const double balance = total_energy(&m, m.x, m.v) - before - work.supplied + work.dissipated;
        CHECK_SMALL(balance, 1e-11, "case %d: balance", k);
        assert_true(damped ? work.dissipated > 1e-5 : work.dissipated == 0.0);
        m.dae->ops->drift(m.dae, 0.0, m.x, m.v, &position, &velocity);
        CHECK_SMALL(position, 1e-14, "case %d: joints", k);
        CHECK_SMALL(velocity, 1e-12, "case %d: their rates", k);
        model_close(&m);
        shell_mesh_free(&mesh);
    }
}

/* A vector has no directions: joints that need them are refused. */
static void nodes_refuse_directions(void **state)
{
    const double none[3] = {0};
    shell_mesh mesh;
    model m;

    model_open_space(*state, none, &m);
    shell_mesh_make(PHX_VECTOR_T6, 1, 1, false, panel, 1e7, 0.3, 0.01, 1000.0, &mesh);
    const phx_body_id id = add_shell(&m, &mesh, pose_turned(0, 0, 0, 1, 0, 0, 0));
    const phx_joint_def def = joint_def("weld", PHX_JOINT_WELD, ground_port(&m, 0, 0, 0), port_of_node(&m, id, 1));
    phx_joint_id joint;
    CHECK_STATUS(m.context, phx_system_add_joint(m.system, &def, &joint), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(m.context, "set of nodes");
    model_close(&m);
    shell_mesh_free(&mesh);
}

/* ---- modes and equilibria ---- */
static void square(double s, double t, double *place, double *normal)
{
    panel(s, 2.5 * t, place, normal);
}

/* A clamped square plate of thickness 1/1000: sqrt(rho h a^4/D) omega of the independent program on this mesh. */
static void clamped_plate_vibrates(void **state)
{
    static const double want[6] = {35.98129, 73.41978, 73.41978, 108.16905, 131.97056, 132.59744};
    const double none[3] = {0.0, 0.0, 0.0}, h = 1e-3, nu = 0.3;
    const phx_modes_options options = phx_modes_options_default();
    int edge[64];
    shell_mesh mesh;
    phx_linear linear;
    phx_modal *modal = NULL;
    phx_mode_set set = {0};
    model m;

    model_open_space(*state, none, &m);
    shell_mesh_make(PHX_VECTOR_Q9, 8, 8, false, square, 12.0 * (1.0 - nu * nu) / (h * h * h), nu, h, 1.0 / h, &mesh);
    mesh.def.n_ties = 1;
    mesh.tie[0] = (phx_vector_tie){.name = "edge", .places = edge, .directors = edge};
    for (int k = 0; k < mesh.def.n_places; k++)
        if (k % 17 == 0 || k % 17 == 16 || k / 17 == 0 || k / 17 == 16)
            edge[mesh.tie[0].n_places++] = k;
    mesh.tie[0].n_directors = mesh.tie[0].n_places;
    const phx_body_id id = add_shell(&m, &mesh, pose_turned(0, 0, 0, 1, 0, 0, 0));
    add_joint(&m, "clamp", PHX_JOINT_WELD, ground_port(&m, 0, 0, 0), port_named(&m, id, "edge"));
    model_ready(&m);
    CHECK_OK(*state, phx_system_linear(m.dae, 0.0, m.x, NULL, &linear));
    CHECK_OK(*state, phx_modal_create(*state, &modal));
    CHECK_OK(*state, phx_modal_solve(modal, &linear, &options, &set));
    assert_true(set.n >= 6);
    for (int i = 0; i < 6; i++)
        CHECK_RELATIVE(set.omega[i], want[i], 1e-6, "mode %d", i + 1);
    phx_mode_set_free(&set);
    phx_modal_destroy(modal);
    phx_linear_free(&linear);
    model_close(&m);
    mesh.def.n_ties = 0;
    shell_mesh_free(&mesh);
}

static void strip(double s, double t, double *place, double *normal)
{
    panel(s, 2.5 * t, place, normal);
    place[0] *= 10.0;
}

/* The cantilever with an end shear by the statics of the mechanism: tips of the table of the independent program. */
static void cantilever_bends(void **state)
{
    const double none[3] = {0.0, 0.0, 0.0}, pull[3] = {0.0, 0.0, 4.0};
    const phx_static_options options = phx_static_options_default();
    phx_static_report report;
    shell_mesh mesh;
    double place[3];
    model m;

    model_open_space(*state, none, &m);
    shell_mesh_make(PHX_VECTOR_Q9, 8, 1, false, strip, 1.2e6, 0.0, 0.1, 1.0, &mesh);
    shell_mesh_tie(&mesh, "left", 0);
    shell_mesh_tie(&mesh, "right", 1);
    const phx_body_id id = add_shell(&m, &mesh, pose_turned(0, 0.5, 0, 1, 0, 0, 0));
    const phx_port_id tip = port_named(&m, id, "right");
    add_joint(&m, "clamp", PHX_JOINT_WELD, ground_port(&m, 0, 0.5, 0), port_named(&m, id, "left"));
    const phx_load_def load = {.name = "shear",
                               .kind = PHX_LOAD_FORCE,
                               .port = tip,
                               .component = {constant(&m, pull[0]), constant(&m, pull[1]), constant(&m, pull[2])}};
    CHECK_OK(*state, phx_system_add_load(m.system, &load));
    model_ready(&m);
    CHECK_OK(*state, phx_system_static(m.dae, &options, m.x, m.lambda, &report));
    phx_system_port_place(m.system, tip, m.x, place);
    CHECK_CLOSE(10.0 - place[0], 3.2898, 2e-3, "U");
    CHECK_CLOSE(place[2], 6.7003, 2e-3, "W");
    assert_int_equal(report.unstable, 0);
    assert_in_range(report.iterations, 1, 20); /* at once */
    model_close(&m);
    shell_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(free_bodies_keep_their_invariants, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(joints_and_balance, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(nodes_refuse_directions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(clamped_plate_vibrates, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(cantilever_bends, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("system_vectors", tests, NULL, NULL);
}
