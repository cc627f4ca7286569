/* The four-bar mechanism of [2], 4, connected from TITOP models as in its figure 12: pulsations with the crank clamped
 * and free over its whole turn against values of an independent program, and the DC gain against rigid kinematics. */
#include "support/testing.h"

#include <phlexor/linear.h>

enum { LINKS = 3, MODES = 6, POINTS = 73 };

static const double density = 2714.0, young = 7.1e10, joint_mass = 0.042, ground = 0.254;
static const double length[LINKS] = {0.108, 0.2794, 0.2705};
static const double section[LINKS] = {1.0774e-4, 4.0645e-5, 4.0645e-5};
static const double rigidity[LINKS] = {11.472, 0.616, 0.616};

typedef struct links {
    phx_beam *beam[LINKS];
    phx_body *body[LINKS];
    phx_ss *block[LINKS];
} links;

/* G_1 and G_2 with channel 6 inverted, G_3 with channels 1, 2 and 6. */
static void make_links(phx_context *context, links *it)
{
    static const char *const names[LINKS] = {"crank", "coupler", "follower"};
    const int channels[] = {5, 0, 1};

    for (int k = 0; k < LINKS; k++) {
        phx_beam_def beam = phx_beam_def_default();
        phx_body_def body = phx_body_def_default();
        phx_body_port P = {.rotation = {1.0, 0.0, 0.0, 1.0}}, C = P;
        phx_ss *titop = NULL;
        beam.dim = 2;
        beam.length = length[k];
        beam.mass_per_length = density * section[k];
        beam.axial_stiffness = young * section[k];
        beam.bending_stiffness[0] = rigidity[k];
        beam.elements = 1;
        beam.order = 5;
        beam.reference = PHX_REFERENCE_CANTILEVER;
        CHECK_OK(context, phx_beam_create(context, &beam, &it->beam[k]));
        body.name = names[k];
        body.dim = 2;
        body.flex = phx_beam_flex(it->beam[k]);
        CHECK_OK(context, phx_body_create(context, &body, &it->body[k]));
        CHECK_OK(context, phx_beam_point(it->beam[k], context, 0.0, &P.point));
        CHECK_OK(context, phx_beam_point(it->beam[k], context, 1.0, &C.point));
        const phx_titop_port child = {"C", &C};
        const phx_titop_def def = {.body = it->body[k], .parent = {"P", &P}, .n_children = 1, .children = &child};
        CHECK_OK(context, phx_titop_create(context, &def, &titop));
        CHECK_OK(context, phx_ss_invert(context, titop, k == 2 ? 3 : 1, channels, &it->block[k]));
        phx_ss_destroy(titop);
        phx_body_port_free(&P);
        phx_body_port_free(&C);
    }
}

static void free_links(links *it)
{
    for (int k = 0; k < LINKS; k++) {
        phx_ss_destroy(it->block[k]);
        phx_body_destroy(it->body[k]);
        phx_beam_destroy(it->beam[k]);
    }
}

/* Ends of the links, C_2 on the left of the line from C_1 to the ground: joint[k] is P of link k. */
static void close_loop(double theta, double joint[LINKS + 1][2], double *angle)
{
    joint[0][0] = joint[0][1] = joint[3][1] = 0.0;
    joint[3][0] = ground;
    joint[1][0] = length[0] * cos(theta);
    joint[1][1] = length[0] * sin(theta);
    const double dx = joint[3][0] - joint[1][0], dy = joint[3][1] - joint[1][1], d = hypot(dx, dy);
    const double along = (length[1] * length[1] - length[2] * length[2] + d * d) / (2.0 * d);
    const double across = sqrt(length[1] * length[1] - along * along);
    joint[2][0] = joint[1][0] + (along * dx - across * dy) / d;
    joint[2][1] = joint[1][1] + (along * dy + across * dx) / d;
    for (int k = 0; k < LINKS; k++)
        angle[k] = atan2(joint[k + 1][1] - joint[k][1], joint[k + 1][0] - joint[k][0]);
}

/* a_P of link b = R^T a_C of link a;  F_C of link a = R F_P of link b - m a_C (25). */
static int put_joint(const char *a[2][2], const char *b[2][2], double turn, phx_ss_link *list)
{
    const double R[2][2] = {{cos(turn), -sin(turn)}, {sin(turn), cos(turn)}};
    int count = 0;

    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            list[count++] = (phx_ss_link){b[0][i], a[0][j], R[j][i]};
            list[count++] = (phx_ss_link){a[1][i], b[1][j], R[i][j]};
        }
        list[count++] = (phx_ss_link){a[1][i], a[0][i], -joint_mass};
    }
    return count;
}

/* From the torque that the crank exerts on the ground at P to its angular acceleration. */
static void connect(phx_context *context, const links *it, double theta, phx_ss **mechanism)
{
    const char *crank[2][2] = {{"crank.C.ax", "crank.C.ay"}, {"crank.C.fx", "crank.C.fy"}};
    const char *coupler_P[2][2] = {{"coupler.P.ax", "coupler.P.ay"}, {"coupler.P.fx", "coupler.P.fy"}};
    const char *coupler[2][2] = {{"coupler.C.ax", "coupler.C.ay"}, {"coupler.C.fx", "coupler.C.fy"}};
    const char *follower[2][2] = {{"follower.P.ax", "follower.P.ay"}, {"follower.P.fx", "follower.P.fy"}};
    const char *const input[] = {"crank.P.tz"}, *const output[] = {"crank.P.alpha"};
    const phx_ss *const blocks[] = {it->block[0], it->block[1], it->block[2]};
    double joint[LINKS + 1][2], angle[LINKS];
    phx_ss_link list[20];
    phx_ss *all = NULL;

    close_loop(theta, joint, angle);
    int count = put_joint(crank, coupler_P, angle[1] - angle[0], list);
    count += put_joint(coupler, follower, angle[2] - angle[1], list + count);
    CHECK_OK(context, phx_ss_append(context, "four-bar", LINKS, blocks, &all));
    CHECK_OK(context, phx_ss_connect(context, all, count, list, 1, output, 1, input, mechanism));
    phx_ss_destroy(all);
}

static void read_modes(const char *path, double (*omega)[MODES])
{
    char line[512];
    int point = 0;
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *at = line;
        if (line[0] < '0' || line[0] > '9')
            continue;
        assert_in_range(point, 0, POINTS - 1);
        CHECK_SMALL(strtod(at, &at) - 5.0 * point, 0.0, "angle of line %d of %s", point, path);
        for (int k = 0; k < MODES; k++)
            omega[point][k] = strtod(at + 1, &at);
        point++;
    }
    fclose(file);
    assert_int_equal(point, POINTS);
}

static double check_modes(phx_context *context, const phx_ss *mechanism, const double *want, const char *what,
                          int point)
{
    double omega[30], damping[30], worst = 0.0;

    assert_int_equal(phx_ss_n(mechanism), 30);
    CHECK_OK(context, phx_ss_poles(context, mechanism, NULL, NULL, omega, damping));
    for (int k = 0; k < 2 * MODES; k++) {
        CHECK_RELATIVE(omega[k], want[k / 2], 1e-9, "%s, mode %d at %d degrees", what, k / 2 + 1, 5 * point);
        CHECK_SMALL(damping[k], 1e-9, "%s, damping of mode %d at %d degrees", what, k / 2 + 1, 5 * point);
        worst = fmax(worst, fabs(omega[k] / want[k / 2] - 1.0));
    }
    return worst;
}

/* Inertia that the crank's joint feels when all links are rigid: twice the kinetic energy at unit speed. */
static double rigid_inertia(double theta)
{
    double joint[LINKS + 1][2], angle[LINKS], w[LINKS] = {1.0};

    close_loop(theta, joint, angle);
    /* w_1 x l_1 + w_2 x l_2 + w_3 x l_3 = 0 */
    const double det = length[1] * length[2] * sin(angle[2] - angle[1]);
    w[1] = -length[0] * length[2] * sin(angle[2] - angle[0]) / det;
    w[2] = length[0] * length[1] * sin(angle[1] - angle[0]) / det;
    const double v1 = length[0] * length[0], v2 = w[2] * w[2] * length[2] * length[2];
    const double m1 = density * section[0] * length[0], m2 = density * section[1] * length[1];
    const double m3 = density * section[2] * length[2];
    const double cross = (v1 + v2 - w[1] * w[1] * length[1] * length[1]) / 2.0; /* v_C1 . v_C2 */
    return m1 * v1 / 3.0 + m2 * (v1 + v2 + cross) / 3.0 + m3 * v2 / 3.0 + joint_mass * (v1 + v2);
}

static void test_sweep(void **state)
{
    phx_context *context = *state;
    static double clamped[POINTS][MODES], unbound[POINTS][MODES];
    double worst[2] = {0.0, 0.0};
    links it;

    read_modes(PHX_SOURCE_DIR "/tests/data/fourbar_titop_clamped.csv", clamped);
    read_modes(PHX_SOURCE_DIR "/tests/data/fourbar_titop_free.csv", unbound);
    make_links(context, &it);
    for (int point = 0; point < POINTS; point++) {
        const double theta = point * TEST_PI / 36.0;
        phx_ss *mechanism = NULL, *locked = NULL;
        double gain = 0.0;
        connect(context, &it, theta, &mechanism);
        worst[0] = fmax(worst[0], check_modes(context, mechanism, unbound[point], "crank free", point));
        CHECK_OK(context, phx_ss_dc_gain(context, mechanism, &gain));
        CHECK_RELATIVE(-1.0 / gain, rigid_inertia(theta), 1e-9, "inertia at %d degrees", 5 * point);
        CHECK_OK(context, phx_ss_invert_channel(context, mechanism, 0, &locked));
        worst[1] = fmax(worst[1], check_modes(context, locked, clamped[point], "crank clamped", point));
        phx_ss_destroy(mechanism);
        phx_ss_destroy(locked);
    }
    print_message("largest relative difference: free %.1e, clamped %.1e\n", worst[0], worst[1]);
    free_links(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_sweep, context_setup, context_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
