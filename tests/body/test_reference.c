/* Bodies against states computed by an independent program: accelerations, energy, outputs and stresses of one beam
 * with forces and torques in body axes at both ends, plane and space, full and simplified kinetics. */
#include "support.h"
#include "support/vectors.h"

enum { VECTORS = 4 };
static const double tolerance = 1e-10;

static void make_subject(phx_context *context, const char *object, subject *it)
{
    phx_beam_def beam = phx_beam_def_default();
    phx_body_def body = phx_body_def_default();

    beam.dim = vectors_value_is(object, "kind", "planar") ? 2 : 3;
    beam.length = vectors_number(object, "length");
    beam.mass_per_length = vectors_number(object, "mass_per_length");
    beam.axial_stiffness = vectors_number(object, "axial_stiffness");
    beam.elements = (int)vectors_number(object, "elements");
    if (beam.dim == 2) {
        beam.bending_stiffness[0] = vectors_number(object, "bending_stiffness");
    } else {
        beam.bending_stiffness[0] = vectors_number(object, "EIy");
        beam.bending_stiffness[1] = vectors_number(object, "EIz");
        beam.torsion_stiffness = INFINITY;
        beam.polar_inertia = vectors_number(object, "section_inertia_about_axis") / beam.length;
    }
    beam.reference =
        vectors_value_is(object, "reference", "cantilever") ? PHX_REFERENCE_CANTILEVER : PHX_REFERENCE_SIMPLY_SUPPORTED;
    body.name = beam.dim == 2 ? "plane" : "space";
    body.kinetics = vectors_value_is(object, "kinetics", "full") ? PHX_KINETICS_FULL : PHX_KINETICS_SIMPLIFIED;
    subject_from_beam(context, &beam, &body, it);
}

/* x, v, the expected accelerations and stresses, in the order of the library. */
typedef struct vector {
    double x[MAX_X], v[MAX_V], v_dot[MAX_V], sigma[MAX_STRESS], gravity[3], u[12], y[12], H;
} vector;

static void read_vector(const char *object, const subject *it, vector *at)
{
    const int r = it->n_rigid, q = at_q(it);

    vectors_numbers(object, "gravity", it->dim, at->gravity);
    vectors_numbers(object, "position", it->dim, at->x);
    vectors_numbers(object, "v_P", it->dim, at->v);
    vectors_numbers(object, "omega", it->n_rot, at->v + it->dim);
    vectors_numbers(object, "v_P_dot", it->dim, at->v_dot);
    vectors_numbers(object, "omega_dot", it->n_rot, at->v_dot + it->dim);
    at->H = vectors_number(object, "H");
    vectors_numbers(object, "y", 2 * r, at->y);
    if (it->dim == 2) {
        assert_int_equal(it->n_q, 6);
        phx_attitude_set(2, NULL, vectors_number(object, "angle"), at->x + 2);
        vectors_numbers(object, "ux", 2, at->x + q);
        vectors_numbers(object, "uy", 4, at->x + q + 2);
        vectors_numbers(object, "ux_rate", 2, at->v + r);
        vectors_numbers(object, "uy_rate", 4, at->v + r + 2);
        vectors_numbers(object, "ux_ddot", 2, at->v_dot + r);
        vectors_numbers(object, "uy_ddot", 4, at->v_dot + r + 2);
        vectors_numbers(object, "n", 2, at->sigma);
        vectors_numbers(object, "m", 4, at->sigma + 2);
        vectors_numbers(object, "u", 6, at->u);
    } else {
        assert_int_equal(it->n_q, 5);
        vectors_numbers(object, "rotation_rows", 9, at->x + 3);
        vectors_numbers(object, "u", 5, at->x + q);
        vectors_numbers(object, "u_rate", 5, at->v + r);
        vectors_numbers(object, "u_ddot", 5, at->v_dot + r);
        vectors_numbers(object, "stress", 5, at->sigma);
        vectors_numbers(object, "input", 12, at->u);
    }
}

/* force += the force and torque u (body axes) on the section at s; y: its velocity and angular velocity (body axes). */
static void apply_end(phx_context *context, const subject *it, const vector *at, double s, const double *u,
                      double *force, double *y)
{
    phx_body_port port;
    phx_port_view rate;
    const phx_body_view view = instant(at->x, at->v);
    double R[9], effort[PHX_PORT_MAX];

    subject_port(context, it, s, &port);
    phx_attitude_rotation(it->dim, at->x + it->dim, R);
    phx_rot_apply(it->dim, R, u, effort);
    for (int k = 0; k < it->n_rot; k++) /* a torque works on w + theta_dot */
        effort[it->dim + k] = effort[it->n_rigid + k] = u[it->dim + k];
    phx_body_port_apply(it->body, &port, &view, 1.0, effort, force);
    phx_body_port_view(it->body, &port, &view, &rate);
    phx_rot_apply_transposed(it->dim, R, rate.rate, y);
    for (int k = 0; k < it->n_rot; k++)
        y[it->dim + k] = rate.rate[it->dim + k] + rate.rate[it->n_rigid + k];
    phx_body_port_free(&port);
}

static void check_object(phx_context *context, const char *object, int number)
{
    subject it;
    vector at = {0};
    double force[MAX_V] = {0}, y[12], v_dot[MAX_V], sigma[MAX_STRESS];

    make_subject(context, object, &it);
    read_vector(object, &it, &at);
    apply_end(context, &it, &at, 0.0, at.u, force, y);
    apply_end(context, &it, &at, 1.0, at.u + it.n_rigid, force, y + it.n_rigid);
    accelerations(context, &it, at.gravity, at.x, at.v, force, v_dot);
    phx_body_stress(it.body, at.x, sigma);
    const double H = phx_body_kinetic(it.body, at.x, at.v) + phx_body_elastic(it.body, at.x) +
                     phx_body_potential(it.body, at.gravity, at.x);
    CHECK_VECTOR(2 * it.n_rigid, y, at.y, tolerance, "vector %d: outputs y", number);
    CHECK_VECTOR(phx_body_flex(it.body)->n_stress, sigma, at.sigma, tolerance, "vector %d: stresses", number);
    CHECK_CLOSE(H, at.H, tolerance * fabs(at.H), "vector %d: energy", number);
    CHECK_VECTOR(it.n_v, v_dot, at.v_dot, tolerance, "vector %d: accelerations", number);
    subject_destroy(&it);
}

static void test_vectors(void **state)
{
    char *text = vectors_read(), *at = text, *object;
    int count = 0;
    while ((object = vectors_next(&at)))
        check_object(*state, object, ++count);
    assert_int_equal(count, VECTORS);
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
