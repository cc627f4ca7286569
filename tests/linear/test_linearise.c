/* Linear models of mechanisms from their pHDAE: against the connection of TITOP models, against each other's forms,
 * against responses written down by hand; what cannot be is refused. */
#include "four_bar.h"
#include "statespace/internal.h"

enum { POINTS = 73, MOST = 60 };

static void linearise(phx_context *context, phx_system *system, int n_inputs, const char *const *inputs, int n_outputs,
                      const char *const *outputs, phx_linearised **it)
{
    phx_linearise_options options = phx_linearise_options_default();
    double *x = calloc((size_t)phx_system_n_x(system), sizeof *x),
           *v = calloc((size_t)phx_system_n_v(system), sizeof *v);
    double *lambda = calloc((size_t)phx_system_n_l(system) + 1, sizeof *lambda);
    phx_dae *dae = NULL;

    CHECK_OK(context, phx_system_start(system, NULL, x, v, lambda));
    CHECK_OK(context, phx_system_dae(system, context, &dae));
    options.x = x;
    options.channels = (phx_channels_options){n_inputs, n_outputs, inputs, outputs, false, false};
    CHECK_OK(context, phx_linearise(context, dae, &options, it));
    phx_system_dae_destroy(dae);
    free(x);
    free(v);
    free(lambda);
}

/* ---- four-bar mechanism ---- */
static void compare_poles(phx_context *context, const phx_ss *got, int skip, const phx_ss *want, const char *what,
                          int point)
{
    double a[2 * MOST], b[2 * MOST], worst = 0.0;

    assert_int_equal(phx_ss_n(got), phx_ss_n(want) + skip);
    CHECK_OK(context, phx_ss_poles(context, got, NULL, NULL, a, NULL));
    CHECK_OK(context, phx_ss_poles(context, want, NULL, NULL, b, NULL));
    for (int k = 0; k < skip; k++)
        CHECK_SMALL(a[k], 1e-6, "%s at %d degrees: pole %d", what, 5 * point, k);
    for (int k = 0; k < phx_ss_n(want); k++) {
        CHECK_RELATIVE(a[k + skip], b[k], 1e-9, "%s at %d degrees: pole %d", what, 5 * point, k);
        worst = fmax(worst, fabs(a[k + skip] / b[k] - 1.0));
    }
}

/* Between the poles of `want`, below and above them: beside a pole of no damping a response has no digits, and near a
 * zero it is the difference of larger ones, of which a hundredth counts. */
static void compare_responses(phx_context *context, const phx_ss *got, const phx_ss *want, double sign, double rtol,
                              const char *what, int point)
{
    double pole[2 * MOST], largest = 0.0;
    const int n = phx_ss_n(want), entries = phx_ss_inputs(want) * phx_ss_outputs(want);

    CHECK_OK(context, phx_ss_poles(context, want, NULL, NULL, pole, NULL));
    for (int k = -2; k < n; k += 2) {
        const double low = k < 0 ? 0.0 : pole[k], high = k + 2 < n ? pole[k + 2] : 2.0 * pole[n - 1];
        const double omega = 0.5 * (low + high);
        double a[2 * MOST], b[2 * MOST];
        if (high - low < 1e-3 * high)
            continue;
        CHECK_OK(context, phx_ss_response(context, got, omega, a));
        CHECK_OK(context, phx_ss_response(context, want, omega, b));
        const double size = max_abs(2 * entries, b);
        largest = fmax(largest, size);
        for (int i = 0; i < 2 * entries; i++)
            CHECK_CLOSE(a[i], sign * b[i], rtol * fmax(size, 1e-2 * largest), "%s, case %d: entry %d at %g rad/s", what,
                        point, i, omega);
    }
}

static void the_four_bar_equals_its_blocks(void **state)
{
    static const char *const effort[] = {"motor.effort"}, *const acceleration[] = {"motor.acceleration"};
    phx_context *context = *state;
    four_bar_links it;

    four_bar_blocks(context, &it);
    for (int point = 0; point < POINTS; point++) {
        const double theta = point * TEST_PI / 36.0, inertia = four_bar_inertia(theta);
        phx_system *system = NULL;
        phx_linearised *open = NULL, *clamped = NULL;
        phx_ss *blocks = NULL, *locked = NULL, *ss = NULL, *held = NULL, *small = NULL;
        double gain = 0.0;
        four_bar_connect(context, &it, theta, &blocks);
        CHECK_OK(context, phx_ss_invert_channel(context, blocks, 0, &locked));
        four_bar_system(context, theta, &system);
        linearise(context, system, 1, effort, 1, acceleration, &open);
        linearise(context, system, 1, acceleration, 1, effort, &clamped);
        assert_int_equal(phx_linearised_reduced(open)->rigid, 1);
        assert_int_equal(phx_linearised_reduced(clamped)->rigid, 0);
        CHECK_OK(context, phx_linearised_ss(context, open, &ss));
        CHECK_OK(context, phx_linearised_ss(context, clamped, &held));
        compare_poles(context, ss, 2, blocks, "crank free", point);
        compare_poles(context, held, 2, locked, "crank clamped", point);
        compare_responses(context, ss, blocks, -1.0, 1e-9, "crank free", point);
        compare_responses(context, held, locked, -1.0, 1e-9, "crank clamped", point);
        CHECK_OK(context, phx_ss_reduce(context, ss, PHX_SS_UNOBSERVABLE, 0.0, &small));
        assert_int_equal(phx_ss_n(small), phx_ss_n(blocks));
        CHECK_OK(context, phx_ss_dc_gain(context, small, &gain));
        CHECK_RELATIVE(1.0 / gain, inertia, 1e-9, "inertia at %d degrees, crank free", 5 * point);
        phx_ss_destroy(small);
        CHECK_OK(context, phx_ss_reduce(context, held, PHX_SS_UNOBSERVABLE, 0.0, &small));
        CHECK_OK(context, phx_ss_dc_gain(context, small, &gain));
        CHECK_RELATIVE(gain, inertia, 1e-9, "inertia at %d degrees, crank clamped", 5 * point);
        phx_ss_destroy(small);
        phx_ss_destroy(ss);
        phx_ss_destroy(held);
        phx_ss_destroy(blocks);
        phx_ss_destroy(locked);
        phx_linearised_destroy(open);
        phx_linearised_destroy(clamped);
        phx_system_destroy(system);
    }
    four_bar_free(&it);
}

/* Deformations of mode k of the blocks, whose states are q and q', and of the reduced basis, along the same names. */
static void compare_shape(const phx_linearised *it, int mode, const phx_ss *blocks, const double *vector, int point)
{
    const phx_reduced *r = phx_linearised_reduced(it);
    const int n = phx_ss_n(blocks);
    double a[MOST] = {0}, scale = 0.0, turn[2] = {1.0, 0.0};
    bool deformation[MOST] = {false};
    int count = 0, largest = 0;

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < r->n; k++)
            if (strcmp(phx_linearised_coordinate(it, k), phx_ss_state(blocks, i)) == 0) {
                a[i] = r->basis[k * r->count + mode];
                deformation[i] = true;
                count++;
            }
        if (fabs(a[i]) > scale) {
            scale = fabs(a[i]);
            largest = i;
        }
    }
    assert_int_equal(count, n / 2);
    turn[0] = vector[2 * largest * n];
    turn[1] = vector[2 * largest * n + 1];
    for (int i = 0; i < n; i++) {
        const double *q = vector + 2 * i * n;
        const double ratio = (q[0] * turn[0] + q[1] * turn[1]) / (turn[0] * turn[0] + turn[1] * turn[1]);
        if (deformation[i])
            CHECK_CLOSE(ratio, a[i] / a[largest], 1e-8, "mode %d at %d degrees, %s", mode, 5 * point,
                        phx_ss_state(blocks, i));
    }
}

static void mode_shapes_from_either(void **state)
{
    static const char *const effort[] = {"motor.effort"}, *const acceleration[] = {"motor.acceleration"};
    phx_context *context = *state;
    four_bar_links links;

    four_bar_blocks(context, &links);
    for (int point = 1; point < POINTS; point += 9) {
        const double theta = point * TEST_PI / 36.0;
        phx_system *system = NULL;
        phx_linearised *it = NULL;
        phx_ss *blocks = NULL;
        double re[MOST], im[MOST];
        four_bar_connect(context, &links, theta, &blocks);
        four_bar_system(context, theta, &system);
        linearise(context, system, 1, effort, 1, acceleration, &it);
        const phx_reduced *r = phx_linearised_reduced(it);
        const int n = phx_ss_n(blocks);
        double *vectors = calloc(2 * (size_t)(n * n), sizeof *vectors), *one = calloc(2 * (size_t)(n * n), sizeof *one);
        CHECK_OK(context, phx_dense_eigen_general(context, n, phx_ss_A(blocks), NULL, re, im, vectors));
        int compared = 0;
        for (int mode = 1; mode < 7; mode++)
            for (int k = 0; k < n; k++)
                if (im[k] > 0.0 && fabs(im[k] / r->omega[mode] - 1.0) < 1e-6) {
                    memcpy(one, vectors + 2 * k, 2 * (size_t)(n * n - k) * sizeof *one);
                    compare_shape(it, mode, blocks, one, point);
                    compared++;
                }
        assert_int_equal(compared, 6);
        free(vectors);
        free(one);
        phx_ss_destroy(blocks);
        phx_linearised_destroy(it);
        phx_system_destroy(system);
    }
    four_bar_free(&links);
}

/* ---- redundant joints ---- */
static phx_port_id rigid_port(phx_context *context, phx_system *system, phx_body_id body, double x)
{
    const double place[2] = {x, 0.0};
    phx_port_id id = -1;
    CHECK_OK(context, phx_system_add_port(system, body, place, NULL, &id));
    return id;
}

/* A table on three equal cranks, one of them driven if asked: a row of a joint is redundant, or two. */
static void table(phx_context *context, bool driven, phx_system **system)
{
    static const char *const names[] = {"bar1", "bar2", "bar3", "table"}, *const feet[] = {"foot1", "foot2", "foot3"},
                             *const heads[] = {"head1", "head2", "head3"};
    const double c = cos(1.2), s = sin(1.2);

    CHECK_OK(context, phx_system_create(context, 2, NULL, system));
    for (int k = 0; k < 4; k++) {
        const phx_rigid_def rigid = {.mass = 1.0 + k, .inertia = {0.1 + 0.2 * k}, .centre = {0.4, 0.0}};
        phx_body_def def = phx_body_def_default();
        phx_pose pose = phx_pose_default();
        phx_body *body = NULL;
        phx_body_id id;
        def.name = names[k];
        def.dim = 2;
        def.rigid = &rigid;
        pose.position[0] = k == 3 ? c : 0.8 * k;
        pose.position[1] = k == 3 ? s : 0.0;
        pose.angle = k == 3 ? 0.0 : 1.2;
        CHECK_OK(context, phx_body_create(context, &def, &body));
        CHECK_OK(context, phx_system_add_body(*system, body, NULL, &pose, &id));
    }
    for (int k = 0; k < 3; k++) {
        phx_joint_def foot = phx_joint_def_default(), head = phx_joint_def_default();
        foot.name = feet[k];
        foot.a = rigid_port(context, *system, PHX_GROUND, 0.8 * k);
        foot.b = rigid_port(context, *system, k, 0.0);
        foot.n_coordinates = 1;
        if (driven && k == 0)
            CHECK_OK(context, phx_signal_create_constant(context, 0.0, &foot.coordinate[0].speed));
        head.name = heads[k];
        head.a = rigid_port(context, *system, k, 1.0);
        head.b = rigid_port(context, *system, 3, 0.8 * k);
        CHECK_OK(context, phx_system_add_joint(*system, &foot, NULL));
        CHECK_OK(context, phx_system_add_joint(*system, &head, NULL));
    }
    for (int j = 0; j < 6; j++) {
        const phx_output_def def = {
            .name = j % 2 ? heads[j / 2] : feet[j / 2], .quantity = PHX_QUANTITY_REACTION, .joint = j};
        CHECK_OK(context, phx_system_add_output(*system, &def));
    }
}

static void add_push(phx_context *context, double value, phx_system *system)
{
    phx_load_def def = {.name = "push", .kind = PHX_LOAD_FORCE, .port = rigid_port(context, system, 3, 1.1)};

    for (int a = 0; a < 2; a++)
        CHECK_OK(context, phx_signal_create_constant(context, a ? value : -0.3 * value, &def.component[a]));
    CHECK_OK(context, phx_system_add_load(system, &def));
    CHECK_OK(context, phx_system_finalise(system));
}

/* At rest and without gravity all reactions are linear in the force: the direct feedthrough of the model. */
static void redundant_joints_share_the_reactions(void **state)
{
    phx_context *context = *state;

    for (int driven = 0; driven < 2; driven++) {
        double columns[18], x[MOST], v[MOST], lambda[MOST];
        phx_system *system = NULL;
        phx_linearised *it = NULL;
        phx_dae *dae = NULL;
        phx_ss *ss = NULL;
        table(context, driven, &system);
        add_push(context, 1.0, system);
        assert_true(phx_system_redundant(system) > 0);
        CHECK_OK(context, phx_system_start(system, NULL, x, v, lambda));
        CHECK_OK(context, phx_system_dae(system, context, &dae));
        CHECK_OK(context, phx_system_outputs(dae, 0.0, x, v, columns));
        phx_system_dae_destroy(dae);
        phx_system_destroy(system);
        table(context, driven, &system);
        add_push(context, 0.0, system);
        static const char *const inputs[] = {"push.fx", "push.fy"};
        linearise(context, system, 2, inputs, 0, NULL, &it);
        CHECK_OK(context, phx_linearised_ss(context, it, &ss));
        assert_int_equal(phx_ss_n(ss), driven ? 0 : 2);
        for (int i = 0; i < 18; i++) {
            const double *D = phx_ss_D(ss) + 2 * i;
            CHECK_CLOSE(-0.3 * D[0] + D[1], columns[i], 1e-9, "%s, driven: %d", phx_ss_output(ss, i), driven);
        }
        phx_ss_destroy(ss);
        phx_linearised_destroy(it);
        phx_system_destroy(system);
    }
}

/* ---- an arm of two beams with springs, dampers and the inertia of a drive ---- */
static const double stiff[2] = {40.0, 15.0}, damp[2] = {0.3, 0.1}, rotor = 0.02;
static const char *const arm_names[2] = {"upper", "lower"};

static phx_beam *arm_beam(phx_context *context, double inertia_at_root)
{
    const phx_beam_mass masses[2] = {{0.0, 0.0, {inertia_at_root}}, {1.0, 0.4, {0.01}}};
    phx_beam_def def = phx_beam_def_default();
    phx_beam *beam = NULL;

    def.dim = 2;
    def.length = 0.8;
    def.mass_per_length = 1.2;
    def.axial_stiffness = 4e5;
    def.bending_stiffness[0] = 25.0;
    def.elements = 2;
    def.reference = PHX_REFERENCE_CANTILEVER;
    def.n_masses = 2;
    def.masses = masses;
    CHECK_OK(context, phx_beam_create(context, &def, &beam));
    return beam;
}

static phx_body *arm_body(phx_context *context, int k, const phx_beam *beam)
{
    phx_body_def def = phx_body_def_default();
    phx_body *body = NULL;

    def.name = arm_names[k];
    def.dim = 2;
    def.flex = phx_flex_source_flex(beam);
    def.damping_stiffness = 1e-4;
    def.damping_mass = 0.05;
    CHECK_OK(context, phx_body_create(context, &def, &body));
    return body;
}

/* shoulder: ground - upper.P, elbow: upper.C - lower.P, with springs and dampers at rest in the poses as written; the
 * rotor turns with the upper arm. Forces at lower.C. `driven`: the shoulder has a drive. */
static void arm_system(phx_context *context, const double *gravity, const double *angle, bool driven,
                       phx_system **system)
{
    const double origin[2] = {0.0, 0.0};
    double place[2] = {0.0, 0.0};
    phx_port_id ground = -1;

    CHECK_OK(context, phx_system_create(context, 2, gravity, system));
    for (int k = 0; k < 2; k++) {
        phx_pose pose = phx_pose_default();
        phx_body_id id;
        phx_beam *beam = arm_beam(context, k == 0 ? rotor : 0.0);
        memcpy(pose.position, place, sizeof place);
        pose.angle = angle[k];
        CHECK_OK(context, phx_system_add_body(*system, arm_body(context, k, beam), beam, &pose, &id));
        CHECK_OK(context, phx_system_add_point(*system, id, "P", 0.0, NULL, NULL));
        CHECK_OK(context, phx_system_add_point(*system, id, "C", 1.0, NULL, NULL));
        place[0] += 0.8 * cos(angle[k]);
        place[1] += 0.8 * sin(angle[k]);
    }
    CHECK_OK(context, phx_system_add_port(*system, PHX_GROUND, origin, NULL, &ground));
    for (int k = 0; k < 2; k++) {
        phx_joint_def def = phx_joint_def_default();
        def.name = k ? "elbow" : "shoulder";
        def.a = ground;
        if (k)
            CHECK_OK(context, phx_system_add_beam_port(*system, 0, 1.0, &def.a));
        CHECK_OK(context, phx_system_add_beam_port(*system, k, 0.0, &def.b));
        def.n_coordinates = 1;
        def.coordinate[0].has_start = true;
        def.coordinate[0].start = def.coordinate[0].rest = k ? angle[1] - angle[0] : angle[0];
        def.coordinate[0].stiffness = stiff[k];
        def.coordinate[0].damping = damp[k];
        if (driven && k == 0)
            CHECK_OK(context, phx_signal_create_constant(context, 0.0, &def.coordinate[0].speed));
        CHECK_OK(context, phx_system_add_joint(*system, &def, NULL));
    }
    for (int j = 0; j < 2; j++) {
        const phx_output_def def = {
            .name = j ? "at_elbow" : "at_shoulder", .quantity = PHX_QUANTITY_REACTION, .joint = j};
        CHECK_OK(context, phx_system_add_output(*system, &def));
    }
    CHECK_OK(context, phx_system_finalise(*system));
}

/* F_C and a_C of `a` with F_P and a_P of `b`, turned by `turn`: a_P = R^T a_C, F_C = R F_P. */
static int pin(const char *const a[4], const char *const b[4], double turn, phx_ss_link *list)
{
    const double R[2][2] = {{cos(turn), -sin(turn)}, {sin(turn), cos(turn)}};
    int count = 0;

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            list[count++] = (phx_ss_link){b[2 + i], a[2 + j], R[j][i]};
            list[count++] = (phx_ss_link){a[i], b[j], R[i][j]};
        }
    return count;
}

/* Two integrals of a relative acceleration and what spring and damper make of them:
 *   tau = -k psi - c psi',  psi'' = accelerations of B less A. */
static phx_ss *spring_block(phx_context *context, const char *name, double k, double c)
{
    const double A[4] = {0.0, 1.0, 0.0, 0.0}, B[2] = {0.0, 1.0}, C[2] = {-k, -c};
    const char *const in[] = {"psi_dd"}, *const out[] = {"tau"};
    const phx_ss_def def = {
        .n = 2, .n_inputs = 1, .n_outputs = 1, .A = A, .B = B, .C = C, .inputs = in, .outputs = out};
    phx_ss *plain = NULL, *named = NULL;

    CHECK_OK(context, phx_ss_create(context, &def, &plain));
    CHECK_OK(context, phx_ss_copy(context, plain, name, name, &named));
    phx_ss_destroy(plain);
    return named;
}

/* The arm from TITOP models: both with the channel of the rotation at P inverted, so that it takes the torque at P and
 * gives the acceleration; springs and dampers as feedback of the joints' accelerations; the rotor as -J alpha. The
 * torque NAME.P.tz is what the body exerts at P, hence minus what the joint does. */
static void arm_blocks(phx_context *context, const double *angle, phx_ss **arm)
{
    const char *const upper[] = {"upper.C.fx", "upper.C.fy", "upper.C.ax", "upper.C.ay"};
    const char *const lower[] = {"lower.P.fx", "lower.P.fy", "lower.P.ax", "lower.P.ay"};
    const char *const inputs[] = {"lower.C.fx", "lower.C.fy"}, *const outputs[] = {"lower.C.ax", "lower.C.ay"};
    phx_ss *blocks[4] = {NULL}, *all = NULL;
    phx_ss_link links[24];
    int count = pin(upper, lower, angle[1] - angle[0], links);

    for (int k = 0; k < 2; k++) {
        const char *const channel[] = {k ? "lower.P.alpha" : "upper.P.alpha"};
        phx_beam *beam = arm_beam(context, 0.0);
        phx_body *body = arm_body(context, k, beam);
        phx_body_port P = {.rotation = {1.0, 0.0, 0.0, 1.0}}, C = P;
        phx_ss *titop = NULL;
        CHECK_OK(context, phx_beam_point(beam, context, 0.0, &P.point));
        CHECK_OK(context, phx_beam_point(beam, context, 1.0, &C.point));
        const phx_titop_port child = {"C", &C};
        const phx_titop_def def = {.body = body, .parent = {"P", &P}, .n_children = 1, .children = &child};
        CHECK_OK(context, phx_titop_create(context, &def, &titop));
        CHECK_OK(context, phx_ss_invert_names(context, titop, 1, channel, &blocks[k]));
        blocks[2 + k] = spring_block(context, k ? "elbow" : "shoulder", stiff[k], damp[k]);
        phx_ss_destroy(titop);
        phx_body_port_free(&P);
        phx_body_port_free(&C);
        phx_body_destroy(body);
        phx_flex_source_destroy(beam);
    }
    /* shoulder: psi'' = alpha of upper; elbow: alpha of lower - alpha of upper.C */
    links[count++] = (phx_ss_link){"shoulder.psi_dd", "upper.P.alpha", 1.0};
    links[count++] = (phx_ss_link){"elbow.psi_dd", "lower.P.alpha", 1.0};
    links[count++] = (phx_ss_link){"elbow.psi_dd", "upper.C.alpha", -1.0};
    links[count++] = (phx_ss_link){"upper.P.tz", "shoulder.tau", -1.0};
    links[count++] = (phx_ss_link){"upper.P.tz", "upper.P.alpha", rotor};
    links[count++] = (phx_ss_link){"lower.P.tz", "elbow.tau", -1.0};
    links[count++] = (phx_ss_link){"upper.C.tz", "elbow.tau", -1.0};
    CHECK_OK(context, phx_ss_append(context, "arm", 4, (const phx_ss *const *)blocks, &all));
    CHECK_OK(context, phx_ss_connect(context, all, count, links, 2, outputs, 2, inputs, arm));
    phx_ss_destroy(all);
    for (int k = 0; k < 4; k++)
        phx_ss_destroy(blocks[k]);
}

static void joints_and_drive_as_feedback(void **state)
{
    static const char *const inputs[] = {"lower.C.fx", "lower.C.fy"}, *const outputs[] = {"lower.C.ax", "lower.C.ay"};
    phx_context *context = *state;
    const double angles[3][2] = {{0.3, 0.9}, {1.2, -0.4}, {-2.0, 2.5}};

    for (int k = 0; k < 3; k++) {
        double re[2][MOST], im[2][MOST];
        phx_system *system = NULL;
        phx_linearised *it = NULL;
        phx_ss *blocks = NULL, *ss = NULL;
        arm_blocks(context, angles[k], &blocks);
        arm_system(context, NULL, angles[k], false, &system);
        linearise(context, system, 2, inputs, 2, outputs, &it);
        CHECK_OK(context, phx_linearised_ss(context, it, &ss));
        assert_int_equal(phx_ss_n(ss), phx_ss_n(blocks));
        CHECK_OK(context, phx_ss_poles(context, ss, re[0], im[0], NULL, NULL));
        CHECK_OK(context, phx_ss_poles(context, blocks, re[1], im[1], NULL, NULL));
        for (int i = 0; i < phx_ss_n(ss); i++) {
            const double size = hypot(re[1][i], im[1][i]);
            CHECK_CLOSE(hypot(re[0][i], im[0][i]), size, 1e-9 * size, "pole %d of arm %d", i, k);
            CHECK_CLOSE(re[0][i], re[1][i], 1e-9 * size, "real part of pole %d of arm %d", i, k);
        }
        compare_responses(context, ss, blocks, 1.0, 1e-9, "arm", k);
        phx_ss_destroy(ss);
        phx_ss_destroy(blocks);
        phx_linearised_destroy(it);
        phx_system_destroy(system);
    }
}

/* ---- the three forms ---- */
static void forms_are_one_model(void **state)
{
    static const char *const inputs[] = {"lower.C.fy", "shoulder.effort"};
    static const char *const outputs[] = {"lower.C.ay", "upper.C.vx", "lower.P.angle", "at_shoulder.fx", "at_elbow.fy"};
    phx_context *context = *state;
    const double angles[2] = {0.3, 0.9};
    phx_system *system = NULL;
    phx_linearised *it = NULL;
    phx_ss *ss = NULL, *second = NULL;
    phx_ss_second_order_def def;

    arm_system(context, NULL, angles, false, &system);
    linearise(context, system, 2, inputs, 5, outputs, &it);
    CHECK_OK(context, phx_linearised_ss(context, it, &ss));
    CHECK_OK(context, phx_linearised_second_order(context, it, &def));
    CHECK_OK(context, phx_ss_from_second_order(context, &def, &second));
    compare_responses(context, second, ss, 1.0, 1e-9, "second order", 0);
    phx_ss_destroy(second);
    phx_ss_destroy(ss);
    phx_linearised_destroy(it);
    phx_system_destroy(system);
}

/* y = C e + D u of the descriptor form at i omega, by the pencil itself: 2 N real unknowns. */
static void measured_response(phx_context *context, const phx_descriptor *system, const phx_measured *measured,
                              double omega, int input, double *y)
{
    const int n = phx_descriptor_n(system), m = phx_descriptor_inputs(system), p = measured->C.rows;
    const size_t cells = (size_t)n * (size_t)n;
    double *E = calloc(4 * cells, sizeof *E), *J = E + cells, *R = J + cells, *Q = R + cells;
    double *B = calloc((size_t)n * (size_t)m, sizeof *B), *a = calloc(4 * cells, sizeof *a);
    double *x = calloc(2 * (size_t)n, sizeof *x), *u = calloc((size_t)m, sizeof *u);

    phx_csr_to_dense(phx_descriptor_E(system), E);
    phx_csr_to_dense(phx_descriptor_J(system), J);
    phx_csr_to_dense(phx_descriptor_R(system), R);
    phx_csr_to_dense(phx_descriptor_Q(system), Q);
    phx_csr_to_dense(phx_descriptor_B(system), B);
    for (size_t k = 0; k < cells; k++)
        J[k] -= R[k];
    phx_dense_multiply(false, false, n, n, n, -1.0, J, n, Q, n, 0.0, R, n); /* -(J - R) Q */
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i * 2 * n + j] = a[(n + i) * 2 * n + n + j] = R[i * n + j];
            a[i * 2 * n + n + j] = -omega * E[i * n + j];
            a[(n + i) * 2 * n + j] = omega * E[i * n + j];
        }
        x[i] = B[i * m + input];
    }
    CHECK_OK(context, phx_dense_solve(context, 2 * n, a, 1, x));
    u[input] = 1.0;
    memset(y, 0, 2 * (size_t)p * sizeof *y);
    phx_csr_apply(&measured->C, 1.0, x, y);
    phx_csr_apply(&measured->D, 1.0, u, y);
    phx_csr_apply(&measured->C, 1.0, x + n, y + p);
    free(E);
    free(B);
    free(a);
    free(x);
    free(u);
}

static void check_structure(phx_context *context, const phx_descriptor *system)
{
    phx_descriptor_structure structure;

    CHECK_OK(context, phx_descriptor_check(context, system, &structure));
    CHECK_SMALL(structure.skew, 0.0, "J + J^T");
    CHECK_SMALL(structure.dissipation, 0.0, "R - R^T");
    CHECK_SMALL(structure.energy, 0.0, "E^T Q - Q^T E");
    CHECK_BETWEEN(structure.W_least, -1e-9, HUGE_VAL, "least eigenvalue of W");
}

static void the_descriptor_form_is_the_same_model(void **state)
{
    static const char *const inputs[] = {"lower.C.fy", "elbow.effort"}, *const conjugate[] = {"lower.C.vy",
                                                                                              "elbow.rate"};
    static const char *const outputs[] = {"lower.C.ay", "upper.C.vx", "lower.P.angle", "at_shoulder.fx", "at_elbow.fy"};
    phx_context *context = *state;
    const double angles[2] = {0.3, 0.9}, omega[] = {0.7, 9.0, 60.0, 800.0};
    phx_system *system = NULL;
    phx_linearised *it = NULL, *rates = NULL;
    phx_descriptor *ph = NULL;
    phx_measured measured;
    phx_ss *ss = NULL, *want = NULL;

    arm_system(context, NULL, angles, false, &system);
    linearise(context, system, 2, inputs, 5, outputs, &it);
    linearise(context, system, 2, inputs, 2, conjugate, &rates);
    CHECK_OK(context, phx_linearised_descriptor(context, it, &ph, &measured));
    check_structure(context, ph);
    assert_string_equal(phx_descriptor_port_name(ph, 0), "lower.C.fy");
    CHECK_OK(context, phx_ss_from_descriptor(context, ph, &ss));
    CHECK_OK(context, phx_linearised_ss(context, rates, &want));
    compare_responses(context, ss, want, 1.0, 1e-9, "conjugate outputs", 0);
    phx_ss_destroy(want);
    CHECK_OK(context, phx_linearised_ss(context, it, &want));
    for (int k = 0; k < 4; k++) {
        double H[20], y[10];
        CHECK_OK(context, phx_ss_response(context, want, omega[k], H));
        for (int u = 0; u < 2; u++) {
            measured_response(context, ph, &measured, omega[k], u, y);
            for (int i = 0; i < 5; i++) {
                const double *h = H + 2 * (2 * i + u), size = max_abs(20, H);
                CHECK_CLOSE(y[i], h[0], 1e-9 * size, "%s at %g rad/s", outputs[i], omega[k]);
                CHECK_CLOSE(y[5 + i], h[1], 1e-9 * size, "%s at %g rad/s", outputs[i], omega[k]);
            }
        }
    }
    phx_measured_free(&measured);
    phx_descriptor_destroy(ph);
    phx_ss_destroy(ss);
    phx_ss_destroy(want);
    phx_linearised_destroy(it);
    phx_linearised_destroy(rates);
    phx_system_destroy(system);
}

/* ---- prescribed rates and accelerations ---- */
/* H of the rate is i omega times H of the acceleration; of the effort as input the inverse channel. */
static void a_rate_is_the_integral_of_its_acceleration(void **state)
{
    static const char *const rate[] = {"shoulder.rate"}, *const acceleration[] = {"shoulder.acceleration"};
    static const char *const outputs[] = {"lower.C.vx", "lower.C.y", "elbow.coordinate"};
    static const char *const effort[] = {"shoulder.effort"};
    phx_context *context = *state;
    const double angles[2] = {0.3, 0.9}, omega[] = {0.7, 9.0, 60.0, 800.0};
    phx_system *system = NULL;
    phx_linearised *it = NULL;
    phx_descriptor *ph = NULL;
    phx_ss *by_rate = NULL, *by_acceleration = NULL, *from_ph = NULL;
    phx_measured measured;

    arm_system(context, NULL, angles, true, &system);
    linearise(context, system, 1, acceleration, 3, outputs, &it);
    CHECK_OK(context, phx_linearised_ss(context, it, &by_acceleration));
    CHECK_STATUS(context, phx_linearised_descriptor(context, it, &ph, NULL), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "'shoulder.acceleration' is an acceleration");
    phx_linearised_destroy(it);
    linearise(context, system, 1, rate, 3, outputs, &it);
    CHECK_OK(context, phx_linearised_ss(context, it, &by_rate));
    assert_int_equal(phx_ss_n(by_rate), phx_ss_n(by_acceleration) - 1);
    CHECK_OK(context, phx_linearised_descriptor(context, it, &ph, &measured));
    check_structure(context, ph);
    for (int k = 0; k < 4; k++) {
        double a[6], b[6], y[6];
        CHECK_OK(context, phx_ss_response(context, by_rate, omega[k], a));
        CHECK_OK(context, phx_ss_response(context, by_acceleration, omega[k], b));
        measured_response(context, ph, &measured, omega[k], 0, y);
        for (int i = 0; i < 3; i++) { /* a = i omega b */
            const double size = omega[k] * hypot(b[2 * i], b[2 * i + 1]);
            CHECK_CLOSE(a[2 * i], -omega[k] * b[2 * i + 1], 1e-9 * size, "%s at %g rad/s", outputs[i], omega[k]);
            CHECK_CLOSE(a[2 * i + 1], omega[k] * b[2 * i], 1e-9 * size, "%s at %g rad/s", outputs[i], omega[k]);
            CHECK_CLOSE(y[i], a[2 * i], 1e-9 * size, "descriptor, %s at %g rad/s", outputs[i], omega[k]);
            CHECK_CLOSE(y[3 + i], a[2 * i + 1], 1e-9 * size, "descriptor, %s at %g rad/s", outputs[i], omega[k]);
        }
    }
    phx_ss_second_order_def def;
    CHECK_STATUS(context, phx_linearised_second_order(context, it, &def), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "'shoulder.rate' is a rate");
    phx_linearised_destroy(it);
    linearise(context, system, 1, rate, 1, effort, &it);
    CHECK_STATUS(context, phx_linearised_ss(context, it, &from_ph), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "the output 'shoulder.effort' follows the derivative of the input 'shoulder.rate'");
    phx_measured_free(&measured);
    phx_descriptor_destroy(ph);
    phx_linearised_destroy(it);
    phx_ss_destroy(by_rate);
    phx_ss_destroy(by_acceleration);
    phx_system_destroy(system);
}

/* Inverting a channel of the model is the model of the inverted channel, for a joint and for a point. */
static void inversion_commutes_with_linearisation(void **state)
{
    static const char *const forth[] = {"shoulder.effort", "lower.C.fy"};
    static const char *const back[] = {"shoulder.acceleration", "lower.C.ay"};
    phx_context *context = *state;
    const double angles[2] = {1.1, -0.6};
    phx_system *system = NULL;
    phx_linearised *it = NULL, *inverse = NULL;
    phx_ss *ss = NULL, *inverted = NULL, *direct = NULL;

    arm_system(context, NULL, angles, false, &system);
    linearise(context, system, 2, forth, 2, back, &it);
    linearise(context, system, 2, back, 2, forth, &inverse);
    CHECK_OK(context, phx_linearised_ss(context, it, &ss));
    CHECK_OK(context, phx_ss_invert_names(context, ss, 2, forth, &inverted));
    CHECK_OK(context, phx_linearised_ss(context, inverse, &direct));
    for (int k = 0; k < 5; k++) {
        const double omega = 0.9 * pow(7.0, k);
        double a[8], b[8];
        CHECK_OK(context, phx_ss_response(context, inverted, omega, a));
        CHECK_OK(context, phx_ss_response(context, direct, omega, b));
        for (int i = 0; i < 8; i++)
            CHECK_CLOSE(a[i], b[i], 1e-9 * max_abs(8, b), "entry %d at %g rad/s", i, omega);
    }
    phx_ss_destroy(ss);
    phx_ss_destroy(inverted);
    phx_ss_destroy(direct);
    phx_linearised_destroy(it);
    phx_linearised_destroy(inverse);
    phx_system_destroy(system);
}

static void what_is_held_cannot_be_prescribed(void **state)
{
    static const char *const held[] = {"upper.P.ax"}, *const twice[] = {"elbow.acceleration", "lower.P.alpha",
                                                                        "upper.C.alpha"};
    static const char *const outputs[] = {"lower.C.vx"};
    phx_context *context = *state;
    const double angles[2] = {0.3, 0.9};
    double x[MOST], v[MOST], lambda[MOST];
    phx_linearise_options options = phx_linearise_options_default();
    phx_system *system = NULL;
    phx_linearised *it = NULL;
    phx_dae *dae = NULL;

    arm_system(context, NULL, angles, false, &system);
    CHECK_OK(context, phx_system_start(system, NULL, x, v, lambda));
    CHECK_OK(context, phx_system_dae(system, context, &dae));
    CHECK_STATUS(context, phx_linearise(context, dae, &options, &it), PHX_ERR_ARGUMENT);
    options.x = x;
    options.channels = (phx_channels_options){1, 1, held, outputs, false, false};
    CHECK_STATUS(context, phx_linearise(context, dae, &options, &it), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "'upper.P.ax' cannot be prescribed");
    options.channels = (phx_channels_options){3, 1, twice, outputs, false, false};
    CHECK_STATUS(context, phx_linearise(context, dae, &options, &it), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "'upper.C.alpha' cannot be prescribed");
    assert_null(it);
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
}

static void compare_sparse(const phx_csr *a, const phx_csr *b, const char *what)
{
    double size = 0.0;
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    for (int k = 0; k < b->ptr[b->rows]; k++)
        size = fmax(size, fabs(b->val[k]));
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            const int at = phx_csr_find(b, i, a->idx[k]);
            CHECK_CLOSE(a->val[k], at < 0 ? 0.0 : b->val[at], 1e-12 * size, "%s at %d, %d", what, i, a->idx[k]);
        }
}

/* For the descriptor form alone nothing dense is made: the same form, every other refused, motions that cannot be
 * prescribed as before. */
static void the_descriptor_form_without_dense_work(void **state)
{
    static const char *const inputs[] = {"shoulder.rate", "lower.C.fy"};
    static const char *const outputs[] = {"lower.C.ay", "shoulder.effort", "lower.C.vx"};
    static const char *const twice[] = {"elbow.rate", "lower.P.omega", "upper.C.omega"};
    phx_context *context = *state;
    const double angles[2] = {0.3, 0.9};
    double x[MOST], v[MOST], lambda[MOST];
    phx_linearise_options options = phx_linearise_options_default();
    phx_reduction_options reduce = phx_reduction_options_default();
    phx_system *system = NULL;
    phx_linearised *it[2] = {NULL, NULL};
    phx_descriptor *ph[2] = {NULL, NULL};
    phx_measured measured[2] = {{{0}, {0}}, {{0}, {0}}};
    phx_ss_second_order_def second;
    phx_reduction *reduction = NULL;
    phx_ss *ss = NULL;
    phx_dae *dae = NULL;

    arm_system(context, NULL, angles, false, &system);
    CHECK_OK(context, phx_system_start(system, NULL, x, v, lambda));
    CHECK_OK(context, phx_system_dae(system, context, &dae));
    options.x = x;
    options.channels = (phx_channels_options){2, 3, inputs, outputs, true, false};
    for (int sparse = 0; sparse < 2; sparse++) {
        options.sparse = sparse == 1;
        CHECK_OK(context, phx_linearise(context, dae, &options, &it[sparse]));
        CHECK_OK(context, phx_linearised_descriptor(context, it[sparse], &ph[sparse], &measured[sparse]));
    }
    compare_sparse(&measured[1].C, &measured[0].C, "C");
    compare_sparse(&measured[0].C, &measured[1].C, "C");
    compare_sparse(&measured[1].D, &measured[0].D, "D");
    assert_int_equal(phx_descriptor_n(ph[0]), phx_descriptor_n(ph[1]));
    assert_int_equal(phx_linearised_reduced(it[1])->count, 0);
    CHECK_STATUS(context, phx_linearised_ss(context, it[1], &ss), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "for the descriptor form alone");
    CHECK_STATUS(context, phx_linearised_proper_ss(context, it[1], &ss), PHX_ERR_UNSUPPORTED);
    CHECK_STATUS(context, phx_linearised_second_order(context, it[1], &second), PHX_ERR_UNSUPPORTED);
    reduce.order = 2;
    CHECK_STATUS(context, phx_reduce_linear(context, it[1], &reduce, &reduction), PHX_ERR_UNSUPPORTED);
    for (int k = 0; k < 2; k++) {
        phx_measured_free(&measured[k]);
        phx_descriptor_destroy(ph[k]);
        phx_linearised_destroy(it[k]);
    }
    options.channels = (phx_channels_options){3, 3, twice, outputs, true, false};
    CHECK_STATUS(context, phx_linearise(context, dae, &options, &it[0]), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "'upper.C.omega' cannot be prescribed");
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
}

/* An arm under gravity that its springs do not carry at the start is not at rest, which can be asked. */
static void a_point_out_of_balance_is_told(void **state)
{
    phx_context *context = *state;
    const double angles[2] = {0.3, 0.9}, gravity[2] = {0.0, -9.81};
    double x[MOST], v[MOST], lambda[MOST];

    for (int heavy = 0; heavy < 2; heavy++) {
        phx_system *system = NULL;
        phx_dae *dae = NULL;
        double unrest[2];
        arm_system(context, heavy ? gravity : NULL, angles, false, &system);
        CHECK_OK(context, phx_system_start(system, NULL, x, v, lambda));
        CHECK_OK(context, phx_system_dae(system, context, &dae));
        CHECK_OK(context, phx_system_unrest(dae, 0.0, x, &unrest[0], &unrest[1]));
        for (int soft = 0; soft < 2; soft++)
            CHECK_BETWEEN(unrest[soft], heavy ? 1.0 : 0.0, heavy ? 9.81 : 1e-12, "unrest");
        phx_system_dae_destroy(dae);
        phx_system_destroy(system);
    }
}

/* Every allocation that fails is told, and nothing is left behind (sanitizers see to that). */
static void memory_may_run_out(void **state)
{
    static const char *const inputs[] = {"push.fx", "foot1.rate"}, *const outputs[] = {"head3.fx", "head3.fy"};
    phx_context *context = *state;
    double x[MOST], v[MOST], lambda[MOST];
    phx_linearise_options options = phx_linearise_options_default();
    phx_system *system = NULL;
    phx_dae *dae = NULL;
    phx_status status = PHX_ERR_MEMORY;
    long failures = 0;

    table(context, true, &system);
    add_push(context, 0.0, system);
    CHECK_OK(context, phx_system_start(system, NULL, x, v, lambda));
    CHECK_OK(context, phx_system_dae(system, context, &dae));
    options.x = x;
    options.channels = (phx_channels_options){2, 2, inputs, outputs, false, false};
    for (long n = 0; status == PHX_ERR_MEMORY; n++) {
        phx_linearised *it = NULL;
        phx_descriptor *ph = NULL;
        phx_measured measured = {0};
        phx_ss *ss = NULL;
        phx_context_fail_allocation(context, n);
        status = phx_linearise(context, dae, &options, &it);
        if (!status)
            status = phx_linearised_descriptor(context, it, &ph, &measured);
        if (!status) { /* reactions follow the acceleration */
            status = phx_linearised_ss(context, it, &ss);
            if (status == PHX_ERR_INPUT)
                status = PHX_OK;
        }
        phx_context_fail_allocation(context, -1);
        phx_measured_free(&measured);
        phx_descriptor_destroy(ph);
        phx_linearised_destroy(it);
        failures += status == PHX_ERR_MEMORY;
    }
    assert_int_equal(status, PHX_OK);
    assert_true(failures > 100);
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_four_bar_equals_its_blocks, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(mode_shapes_from_either, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(redundant_joints_share_the_reactions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(memory_may_run_out, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(joints_and_drive_as_feedback, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(forms_are_one_model, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_descriptor_form_without_dense_work, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_descriptor_form_is_the_same_model, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_rate_is_the_integral_of_its_acceleration, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(inversion_commutes_with_linearisation, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_is_held_cannot_be_prescribed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_point_out_of_balance_is_told, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
