/* Space against the plane and against the laws of motion: planar models embedded in space in any orientation, models
 * moved as a whole, reactions by the balance of momentum and of its moment. */
#include "mechanism.h"

enum { TEXT = 8000, COLUMNS = 40, AXIAL_STIFFNESS = 1000000 /* N, of all beams here */ };

/* How a planar model lies in space: x -> R x + d. */
typedef struct embedding {
    double R[9], d[3];
} embedding;

static embedding lying(double ax, double ay, double az, double angle, double dx, double dy, double dz)
{
    const double axis[3] = {ax, ay, az};
    embedding e = {.d = {dx, dy, dz}};
    phx_rot_axis_angle(3, axis, angle, e.R);
    return e;
}

static void put_matrix(char *text, const double *R)
{
    snprintf(text + strlen(text), TEXT - strlen(text),
             "{matrix: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}", R[0], R[1], R[2], R[3],
             R[4], R[5], R[6], R[7], R[8]);
}

/* "KEY: {position: ..., rotation: ...}" of a planar pose. */
static void put_pose(char *text, const embedding *e, double x, double y, double angle)
{
    const double c = cos(angle), s = sin(angle), Q[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    double place[3] = {x, y, 0.0}, at[3], R[9];
    if (!e) {
        snprintf(text + strlen(text), TEXT - strlen(text), "{position: [%.17g, %.17g], angle: %.17g}", x, y, angle);
        return;
    }
    phx_rot_apply(3, e->R, place, at);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = e->R[3 * i] * Q[j] + e->R[3 * i + 1] * Q[3 + j] + e->R[3 * i + 2] * Q[6 + j];
    snprintf(text + strlen(text), TEXT - strlen(text), "{position: [%.17g, %.17g, %.17g], rotation: ", at[0] + e->d[0],
             at[1] + e->d[1], at[2] + e->d[2]);
    put_matrix(text, R);
    strcat(text, "}");
}

static void put(char *text, const embedding *e, const char *plane, const char *space)
{
    strncat(text, e ? space : plane, TEXT - strlen(text) - 1);
}

static void put_vector(char *text, const embedding *e, double x, double y)
{
    double v[3] = {x, y, 0.0}, w[3] = {x, y, 0.0};
    if (e)
        phx_rot_apply(3, e->R, v, w);
    snprintf(text + strlen(text), TEXT - strlen(text), e ? "[%.17g, %.17g, %.17g]" : "[%.17g, %.17g]", w[0], w[1],
             w[2]);
}

static void begin(char *text, const embedding *e, double x)
{
    text[0] = '\0';
    put(text, e, "phlexor: 1\ndimension: 2\ngravity: ", "phlexor: 1\ndimension: 3\ngravity: ");
    put_vector(text, e, 0.0, -9.81);
    strcat(text, "\nmaterials: {m: {density: 1000, young: 1e9, poisson: 0.3}}\nground: {ports: {");
    if (e) {
        strcat(text, "left: ");
        put_pose(text, e, 0.0, 0.0, 0.0);
        strcat(text, ", right: ");
        put_pose(text, e, x, 0.0, 0.0);
    } else {
        snprintf(text + strlen(text), TEXT - strlen(text), "left: {position: [0, 0]}, right: {position: [%.17g, 0]}",
                 x);
    }
    strcat(text, "}}\nbodies:\n");
}

static void put_beam(char *text, const embedding *e, const char *name, double length, const char *keys, double x,
                     double y, double angle)
{
    snprintf(text + strlen(text), TEXT - strlen(text),
             "  %s: {kind: beam, material: m, length: %.17g, elements: 2, %s, section: {kind: general, area: 1e-3, ",
             name, length, keys);
    put(text, e, "inertia: 4e-7}, pose: ", "inertia: [9e-7, 4e-7], torsion: 6e-7}, pose: ");
    put_pose(text, e, x, y, angle);
    strcat(text, "}\n");
}

static void put_rigid(char *text, const embedding *e, const char *name, const char *ports, double x, double y,
                      double angle)
{
    snprintf(text + strlen(text), TEXT - strlen(text), "  %s: {kind: rigid, mass: 2, ", name);
    put(text, e, "inertia: 0.05, centre_of_mass: [0.2, 0.1]",
        "inertia: [0.03, 0.04, 0.05], centre_of_mass: [0.2, 0.1, 0]");
    snprintf(text + strlen(text), TEXT - strlen(text), ", ports: {%s}, pose: ", ports);
    put_pose(text, e, x, y, angle);
    strcat(text, "}\n");
}

/* ---- the models ---- */
/* Two beams with everything along the elbow, loads at the tip. */
static void pendulum(char *text, const embedding *e)
{
    begin(text, e, 0.0);
    put_beam(text, e, "one", 1.0, "reference: simply_supported, stiffening: true", 0.0, 0.0, 0.2);
    put_beam(text, e, "two", 0.8, "reference: cantilever, damping: {stiffness: 1e-3}", cos(0.2), sin(0.2), -0.4);
    strcat(text, "joints:\n  A: {kind: revolute, ports: [ground.left, one.P]");
    put(text, e, ", rate: 1}\n", ", rate: 1, axis: [0, 0, 1]}\n");
    strcat(text,
           "  B: {kind: revolute, ports: [one.C, two.P], stiffness: 3, damping: 0.1, rest: 0.3, effort: sin(5*t)");
    put(text, e, "}\n", ", axis: [0, 0, 1]}\n");
    strcat(text, "loads:\n  push: {at: two.C, force: ");
    put_vector(text, e, 2.0, -1.0);
    put(text, e,
        "}\n  follow: {at: two.C, frame: body, force: [1, cos(3*t)]}\n  twist: {at: two.C, torque: 0.5*sin(4*t)}\n",
        "}\n  follow: {at: two.C, frame: body, force: [1, cos(3*t), 0]}\n"
        "  twist: {at: two.C, frame: body, torque: [0, 0, 0.5*sin(4*t)]}\n");
    put(text, e, "  wind: {on: one, distributed: [0, 3*s]}\n", "  wind: {on: one, distributed: [0, 3*s, 0]}\n");
    strcat(text, "outputs:\n  r: {reaction: A}\n  p: {position: two.C}\n  a: {acceleration: two.C}\n"
                 "  d: {deformation: two.C}\n  q: {coordinate: A}\n  e: {coordinate: B}\n  f: {rate: B}\n"
                 "  n: {axial_force: one@0.5}\n  m: {bending_moment: one@0.5}\n  w: {angular_velocity: two.C}\n");
}

/* Driven rigid crank, flexible coupler, block on a guide with a spring. */
static void crank_slider(char *text, const embedding *e)
{
    begin(text, e, 0.0);
    put_rigid(text, e, "crank", e ? "E: {position: [0.3, 0, 0]}" : "E: {position: [0.3, 0]}", 0.0, 0.0, 0.5);
    put_beam(text, e, "rod", 1.0, "reference: simply_supported", 0.3 * cos(0.5), 0.3 * sin(0.5), asin(-0.3 * sin(0.5)));
    put_rigid(text, e, "block", "", 0.3 * cos(0.5) + cos(asin(0.3 * sin(0.5))), 0.0, 0.0);
    const char *const axis = e ? ", axis: [0, 0, 1]}\n" : "}\n";
    strcat(text, "joints:\n  A: {kind: revolute, ports: [ground.left, crank.P], speed: 5 + sin(3*t), angle: 0.5");
    strcat(text, axis);
    strcat(text, "  B: {kind: revolute, ports: [crank.E, rod.P]");
    strcat(text, axis);
    strcat(text, "  C: {kind: revolute, ports: [rod.C, block.P]");
    strcat(text, axis);
    strcat(text, "  G: {kind: prismatic, ports: [ground.left, block.P], stiffness: 20, damping: 2, rest: 1");
    put(text, e, ", axis: [1, 0]}\n", ", axis: [1, 0, 0]}\n");
    strcat(text, "outputs:\n  r: {reaction: B}\n  p: {position: rod@0.5}\n  a: {acceleration: rod@0.5}\n"
                 "  d: {deformation: rod@0.5}\n  q: {coordinate: G}\n  e: {effort: A}\n  f: {coordinate: A}\n"
                 "  n: {axial_force: rod@0.5}\n  m: {bending_moment: rod@0.5}\n  w: {angular_velocity: rod.P}\n");
}

/* Closed loop of two rigid links and a beam between them: overconstrained in space but for the beam. */
static void four_bar(char *text, const embedding *e)
{
    begin(text, e, 1.0);
    const char *const port = e ? "E: {position: [0.5, 0, 0]}" : "E: {position: [0.5, 0]}";
    const char *const axis = e ? ", axis: [0, 0, 1]}\n" : "}\n";
    put_rigid(text, e, "crank", port, 0.0, 0.0, 1.2);
    put_beam(text, e, "rod", 1.0, "reference: simply_supported", 0.5 * cos(1.2), 0.5 * sin(1.2), 0.0);
    put_rigid(text, e, "rocker", port, 1.0, 0.0, 1.2);
    strcat(text, "joints:\n  A: {kind: revolute, ports: [ground.left, crank.P], angle: 1.2, rate: 2");
    strcat(text, axis);
    strcat(text, "  B: {kind: revolute, ports: [crank.E, rod.P]");
    strcat(text, axis);
    strcat(text, "  C: {kind: revolute, ports: [rod.C, rocker.E]");
    strcat(text, axis);
    strcat(text, "  D: {kind: revolute, ports: [ground.right, rocker.P]");
    strcat(text, axis);
    strcat(text, "outputs:\n  r: {reaction: D}\n  p: {position: rod@0.5}\n  a: {acceleration: rod@0.5}\n"
                 "  d: {deformation: rod@0.5}\n  q: {coordinate: A}\n  e: {coordinate: C}\n  f: {rate: D}\n"
                 "  n: {axial_force: rod@0.5}\n  m: {bending_moment: rod@0.5}\n  w: {angular_velocity: rod.P}\n");
}

static const struct {
    const char *name;
    void (*write)(char *text, const embedding *e);
    double end;
} planar[] = {{"double pendulum", pendulum, 0.6}, {"crank-slider", crank_slider, 0.6}, {"four-bar", four_bar, 0.6}};

/* ---- the comparison ---- */
/* The outputs in the order of the plane: r (fx fy tz), p (2), a (2), d (2), four joint values, n, m, w; then what the
 * plane does not have and must vanish. Returns the number of the first. */
static int in_the_plane(const double *c, const embedding *e, double *out, double *rest, int *n_rest)
{
    int n = 0, k = 0;
    double v[3], from[3];
    *n_rest = 0;
    if (!e) {
        memcpy(out, c, 15 * sizeof *out);
        return 15;
    }
    out[n++] = c[0];
    out[n++] = c[1];
    out[n++] = c[5];
    for (k = 2; k < 5; k++)
        rest[(*n_rest)++] = c[k];
    for (int vector = 0; vector < 3; vector++) { /* place, acceleration, deformation (body frame) */
        for (int i = 0; i < 3; i++)
            from[i] = c[6 + 3 * vector + i] - (vector == 0 ? e->d[i] : 0.0);
        if (vector < 2)
            phx_rot_apply_transposed(3, e->R, from, v);
        else
            memcpy(v, from, sizeof v);
        out[n++] = v[0];
        out[n++] = v[1];
        rest[(*n_rest)++] = v[2];
    }
    for (k = 15; k < 19; k++) /* three joint values, axial force */
        out[n++] = c[k];
    rest[(*n_rest)++] = c[19]; /* My */
    out[n++] = c[20];
    phx_rot_apply_transposed(3, e->R, c + 21, v);
    out[n++] = v[2];
    rest[(*n_rest)++] = v[0];
    rest[(*n_rest)++] = v[1];
    return n;
}

static void run(const char *text, phx_integrator integrator, double step, double end, double *columns, mechanism *m)
{
    phx_integrate_options options = phx_integrate_options_default();
    mechanism_open(m, text, 0, NULL);
    assert_true(phx_system_columns(m->system) <= COLUMNS);
    options.integrator = integrator;
    options.step = step;
    options.end = end;
    mechanism_run(m, &options);
    CHECK_OK(m->context, phx_system_outputs(m->dae, end, m->x, m->v, columns));
}

static void compare(int k, const embedding *lies, phx_integrator integrator, double step)
{
    static char text[TEXT];
    double plane[COLUMNS], space[COLUMNS], want[COLUMNS], got[COLUMNS], rest[COLUMNS], worst = 0.0;
    const char *const name = planar[k].name, *const method = phx_integrator_name(integrator);
    const bool exact = integrator == PHX_MIDPOINT;
    int n_rest = 0;
    mechanism flat, embedded;

    planar[k].write(text, NULL);
    run(text, integrator, step, planar[k].end, plane, &flat);
    const int n = in_the_plane(plane, NULL, want, rest, &n_rest);
    planar[k].write(text, lies);
    run(text, integrator, step, planar[k].end, space, &embedded);
    assert_int_equal(in_the_plane(space, lies, got, rest, &n_rest), n);
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(got[i] - want[i]) / (1.0 + fabs(want[i])));
        /* the four-bar hardly loads its rod axially; what rounding leaves of its deformation is multiplied by EA */
        const double rounding = !exact && i == 12 ? 1e-14 * AXIAL_STIFFNESS : 0.0;
        CHECK_CLOSE(got[i], want[i], 1e-9 * (1.0 + fabs(want[i])) + rounding, "%s, %s: value %d", name, method, i);
    }
    for (int i = 0; i < n_rest; i++)
        CHECK_CLOSE(rest[i], 0.0, 1e-9 * (1.0 + max_abs(n, want)), "%s, %s: value %d out of the plane", name, method,
                    i);
    print_message("%s, %s, h = %g: %d values agree to %.2g\n", name, method, step, n, worst);
    CHECK_CLOSE(embedded.largest_kinetic, flat.largest_kinetic, 1e-9 * flat.largest_kinetic, "kinetic energy");
    if (exact)
        CHECK_CLOSE(embedded.largest_residual, 0.0, 1e-10 * flat.largest_kinetic, "%s: energy", name);
    CHECK_CLOSE(embedded.largest_drift, 0.0, 1e-12, "%s: drift", name);
    mechanism_close(&flat);
    mechanism_close(&embedded);
}

static void planar_models_in_space(void **state)
{
    const embedding lies[] = {lying(1.0, 2.0, -0.5, 0.0, 0.0, 0.0, 0.0), lying(1.0, 2.0, -0.5, 1.9, 0.4, -0.7, 1.1),
                              lying(-1.0, 0.3, 0.7, 2.8, -3.0, 2.0, 0.5)};
    (void)state;
    for (int k = 0; k < (int)(sizeof planar / sizeof *planar); k++) {
        for (int how = 0; how < 3; how++)
            compare(k, &lies[how], PHX_MIDPOINT, 2e-3);
        for (double step = 0.01; step < 0.03; step += 0.01) { /* with steps that leave a large error */
            compare(k, &lies[1], PHX_GAUSS4, step);
            compare(k, &lies[2], PHX_GAUSS6, step);
        }
    }
}

/* ---- full turns ---- */
/* A rotor that the steps hardly resolve falls behind its drive by more than half a turn; what counts its angle does not
 * jump. The angle is the last entry of x in the plane and in space. */
static void follow_angle(mechanism *m, double t, const double *x, const double *v)
{
    double *last = m->looker;
    const double angle = x[m->dae->n_x - 1];
    (void)v;
    if (t > 0.0)
        CHECK_CLOSE(angle - *last, 1.0, 2e-3, "turn of a step at t = %g", t);
    *last = angle;
}

static void turns_are_counted(void **state)
{
    static const char *const text[] = {
        "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 2, inertia: 0.1}}\n"
        "joints: {A: {kind: revolute, ports: [ground.O, a.P], speed: 100}}\n",
        "phlexor: 1\ndimension: 3\nbodies: {a: {kind: rigid, mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {A: {kind: revolute, axis: [0, 0, 1], ports: [ground.O, a.P], speed: 100}}\n"};
    double end[2];
    (void)state;
    for (int space = 0; space < 2; space++) {
        phx_integrate_options options = phx_integrate_options_default();
        mechanism m;
        mechanism_open(&m, text[space], 0, NULL);
        m.look = follow_angle;
        m.looker = &end[space];
        options.integrator = PHX_GAUSS4;
        options.step = 0.01;
        options.end = 40.0;
        mechanism_run(&m, &options);
        mechanism_close(&m);
    }
    assert_true(end[0] < 4000.0 - acos(-1.0));
    CHECK_CLOSE(end[1], end[0], 1e-9, "angle in space");
}

/* ---- reactions ---- */
static const struct {
    const char *kind, *rates;
    int freedom;
    bool idle; /* it has nothing to hold: a body that does not turn goes on not to turn */
} joints[] = {
    {"revolute, axis: [1, 2, 3]", "3", 1, false},
    {"spherical", "[1, -2, 3]", 3, false},
    {"universal, axes: [[1, 0, 0], [0, 0.6, 0.8]]", "[2, -3]", 2, false},
    {"cylindrical, axis: [1, 2, 3]", "[3, 1]", 2, false},
    {"planar, normal: [1, 2, -1]", "[1, -1, 2]", 3, false},
    {"prismatic, axis: [1, 2, 3]", "2", 1, false},
    {"slider, axis: [1, 2, 3]", "2", 4, false},
    {"weld", NULL, 0, false},
    {"point_on_plane, normal: [1, 2, -1]", "[1, -1]", 5, false},
    {"cartesian", "[1, -1, 2]", 3, true},
    {"parallel, axis: [1, 2, 3]", "2", 4, false},
    {"perpendicular, axes: [[1, 0, 0], [0, 0.6, 0.8]]", "[2, -3]", 5, false},
};

/* One body on one joint, moving: m a = m g + F,  d/dt (I w) = I w' + w x I w = (u_B - c) x F + T, from the
 * accelerations alone; F and T as the output gives them in A's directions. */
static void reactions_balance_momentum(void **state)
{
    static char text[TEXT];
    const double mass = 3.0, I[3] = {0.3, 0.4, 0.5}, c[3] = {0.4, 0.1, -0.2}, at[3] = {-0.3, 0.2, 0.5};
    const double g[3] = {1.0, -2.0, -9.81};
    (void)state;
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++) {
        const embedding ground = lying(1.0, 1.0, 0.3, 0.8, 0.2, 0.3, -0.1),
                        pose = lying(0.2, 1.0, 0.5, 1.1, 0.5, 0.1, 0.2);
        double columns[COLUMNS], v_dot[6], lambda[6];
        mechanism m;
        snprintf(
            text, TEXT,
            "phlexor: 1\ndimension: 3\ngravity: [1, -2, -9.81]\nbodies:\n  a: {kind: rigid, mass: 3, inertia: [0.3, "
            "0.4, 0.5], centre_of_mass: [0.4, 0.1, -0.2], velocity: {angular: [1, 2, -1], linear: [0.3, 1, -2]}, "
            "ports: {B: {position: [-0.3, 0.2, 0.5], rotation: {axis: [1, 1, 0], angle: 0.7}}}, pose: {position: "
            "[0.5, 0.1, 0.2], rotation: ");
        put_matrix(text, pose.R);
        strcat(text, "}}\nground: {ports: {A: {position: [0.2, 0.3, -0.1], rotation: ");
        put_matrix(text, ground.R);
        snprintf(text + strlen(text), TEXT - strlen(text),
                 "}}}\njoints:\n  j: {ports: [ground.A, a.B], kind: %s%s%s}\n", joints[k].kind,
                 joints[k].rates ? ", rate: " : "", joints[k].rates ? joints[k].rates : "");
        strcat(text, "outputs:\n  r: {reaction: j}\n  c: {acceleration: a.B}\n");
        mechanism_open(&m, text, 0, NULL);
        assert_int_equal(m.dae->n_v - m.dae->n_l, joints[k].freedom);
        CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, columns));
        CHECK_OK(m.context, m.dae->ops->accelerations(m.dae, 0.0, m.x, m.v, v_dot, lambda));
        const double *R = m.x + 3, *w = m.v + 3;
        double F[3], T[3], a[3], arm[3], wa[3], Iw[3], rhs[3], force[3], torque[3], lever[3], moment[3], body[3];
        for (int i = 0; i < 3; i++) { /* acceleration of the centre: v' + w x v + w' x c + w x (w x c), body axes */
            Iw[i] = I[i] * w[i];
            arm[i] = at[i] - c[i];
        }
        phx_rot_x_vec(3, w, m.v, a);
        phx_rot_x_vec(3, w, c, wa);
        phx_rot_x_vec(3, w, wa, rhs);
        phx_rot_x_vec(3, v_dot + 3, c, wa);
        for (int i = 0; i < 3; i++)
            a[i] += v_dot[i] + wa[i] + rhs[i];
        phx_rot_apply(3, ground.R, columns, F);
        phx_rot_apply(3, ground.R, columns + 3, T);
        phx_rot_apply_transposed(3, R, g, body);
        phx_rot_apply_transposed(3, R, F, force);
        phx_rot_apply_transposed(3, R, T, torque);
        phx_vec_x_vec(3, arm, force, lever);
        phx_rot_x_vec(3, w, Iw, moment);
        for (int i = 0; i < 3; i++) {
            CHECK_CLOSE(mass * (a[i] - body[i]), force[i], 1e-11, "%s: force %d", joints[k].kind, i);
            CHECK_CLOSE(I[i] * v_dot[3 + i] + moment[i], lever[i] + torque[i], 1e-11, "%s: torque %d", joints[k].kind,
                        i);
        }
        double size = 0.0; /* the joint exerts something: there is a balance to speak of */
        for (int i = 0; i < 6; i++)
            size += fabs(columns[i]);
        assert_int_equal(size > 0.2, !joints[k].idle);
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_models_in_space),
        cmocka_unit_test(turns_are_counted),
        cmocka_unit_test(reactions_balance_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
