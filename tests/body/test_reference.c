/* Bodies against states computed by an independent program: accelerations, energy, outputs and stresses of one beam
 * with forces and torques in body axes at both ends, plane and space, full and simplified kinetics. */
#include "support.h"

enum { VECTORS = 4 };
static const double tolerance = 1e-10;

/* The objects of the file are flat: what belongs to one stands between its braces. */
static char *next_object(char **text)
{
    char *begin = strchr(*text, '{');
    char *end = begin ? strchr(begin, '}') : NULL;
    if (!end)
        return NULL;
    *end = '\0';
    *text = end + 1;
    return begin;
}

static const char *find_value(const char *object, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(object, quoted);
    return at ? at + strlen(quoted) : NULL;
}

/* A number or a list of them; exactly n. */
static void read_numbers(const char *object, const char *key, int n, double *value)
{
    const char *at = find_value(object, key);
    if (!at) {
        print_error("the key '%s' is missing\n", key);
        fail();
    }
    for (int i = 0; i < n; i++) {
        char *end;
        at += strspn(at, " \n[,");
        value[i] = strtod(at, &end);
        if (end == at) {
            print_error("key '%s': number %d is missing\n", key, i + 1);
            fail();
        }
        at = end;
    }
    at += strspn(at, " \n");
    assert_true(n == 1 ? *at == ',' || *at == '\0' : *at == ']');
}

static double read_number(const char *object, const char *key)
{
    double value = NAN;
    read_numbers(object, key, 1, &value);
    return value;
}

static bool value_is(const char *object, const char *key, const char *word)
{
    const char *at = find_value(object, key);
    assert_non_null(at);
    at += strspn(at, " \"");
    return strncmp(at, word, strlen(word)) == 0;
}

static char *read_file(void)
{
    FILE *file = fopen(PHX_SOURCE_DIR "/tests/data/beam_vectors.json", "r");
    assert_non_null(file);
    char *text = test_calloc(1, 20000);
    const size_t size = fread(text, 1, 19999, file);
    fclose(file);
    assert_in_range(size, 1000, 19998);
    return text;
}

static void make_subject(phx_context *context, const char *object, subject *it)
{
    phx_beam_def beam = phx_beam_def_default();
    phx_body_def body = phx_body_def_default();

    beam.dim = value_is(object, "kind", "planar") ? 2 : 3;
    beam.length = read_number(object, "length");
    beam.mass_per_length = read_number(object, "mass_per_length");
    beam.axial_stiffness = read_number(object, "axial_stiffness");
    beam.elements = (int)read_number(object, "elements");
    if (beam.dim == 2) {
        beam.bending_stiffness[0] = read_number(object, "bending_stiffness");
    } else {
        beam.bending_stiffness[0] = read_number(object, "EIy");
        beam.bending_stiffness[1] = read_number(object, "EIz");
        beam.torsion_stiffness = INFINITY;
        beam.polar_inertia = read_number(object, "section_inertia_about_axis") / beam.length;
    }
    beam.reference =
        value_is(object, "reference", "cantilever") ? PHX_REFERENCE_CANTILEVER : PHX_REFERENCE_SIMPLY_SUPPORTED;
    body.name = beam.dim == 2 ? "plane" : "space";
    body.kinetics = value_is(object, "kinetics", "full") ? PHX_KINETICS_FULL : PHX_KINETICS_SIMPLIFIED;
    subject_from_beam(context, &beam, &body, it);
}

/* x, v, the expected accelerations and stresses, in the order of the library. */
typedef struct vector {
    double x[MAX_X], v[MAX_V], v_dot[MAX_V], sigma[MAX_STRESS], gravity[3], u[12], y[12], H;
} vector;

static void read_vector(const char *object, const subject *it, vector *at)
{
    const int r = it->n_rigid, q = at_q(it);

    read_numbers(object, "gravity", it->dim, at->gravity);
    read_numbers(object, "position", it->dim, at->x);
    read_numbers(object, "v_P", it->dim, at->v);
    read_numbers(object, "omega", it->n_rot, at->v + it->dim);
    read_numbers(object, "v_P_dot", it->dim, at->v_dot);
    read_numbers(object, "omega_dot", it->n_rot, at->v_dot + it->dim);
    at->H = read_number(object, "H");
    read_numbers(object, "y", 2 * r, at->y);
    if (it->dim == 2) {
        assert_int_equal(it->n_q, 6);
        phx_attitude_set(2, NULL, read_number(object, "angle"), at->x + 2);
        read_numbers(object, "ux", 2, at->x + q);
        read_numbers(object, "uy", 4, at->x + q + 2);
        read_numbers(object, "ux_rate", 2, at->v + r);
        read_numbers(object, "uy_rate", 4, at->v + r + 2);
        read_numbers(object, "ux_ddot", 2, at->v_dot + r);
        read_numbers(object, "uy_ddot", 4, at->v_dot + r + 2);
        read_numbers(object, "n", 2, at->sigma);
        read_numbers(object, "m", 4, at->sigma + 2);
        read_numbers(object, "u", 6, at->u);
    } else {
        assert_int_equal(it->n_q, 5);
        read_numbers(object, "rotation_rows", 9, at->x + 3);
        read_numbers(object, "u", 5, at->x + q);
        read_numbers(object, "u_rate", 5, at->v + r);
        read_numbers(object, "u_ddot", 5, at->v_dot + r);
        read_numbers(object, "stress", 5, at->sigma);
        read_numbers(object, "input", 12, at->u);
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
    char *text = read_file(), *at = text, *object;
    int count = 0;
    while ((object = next_object(&at)))
        check_object(*state, object, ++count);
    assert_int_equal(count, VECTORS);
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
