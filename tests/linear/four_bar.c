#include "four_bar.h"

static const double density = 2714.0, young = 7.1e10, joint_mass = 0.042, ground = 0.254;
static const double length[FOUR_BAR_LINKS] = {0.108, 0.2794, 0.2705};
static const double section[FOUR_BAR_LINKS] = {1.0774e-4, 4.0645e-5, 4.0645e-5};
static const double rigidity[FOUR_BAR_LINKS] = {11.472, 0.616, 0.616};

static const char *const names[FOUR_BAR_LINKS] = {"crank", "coupler", "follower"};

static phx_beam_def beam_of_link(int k)
{
    phx_beam_def beam = phx_beam_def_default();

    beam.dim = 2;
    beam.length = length[k];
    beam.mass_per_length = density * section[k];
    beam.axial_stiffness = young * section[k];
    beam.bending_stiffness[0] = rigidity[k];
    beam.elements = 1;
    beam.order = 5;
    beam.reference = PHX_REFERENCE_CANTILEVER;
    return beam;
}

/* G_1 and G_2 with channel 6 inverted, G_3 with channels 1, 2 and 6. */
void four_bar_blocks(phx_context *context, four_bar_links *it)
{
    const int channels[] = {5, 0, 1};

    for (int k = 0; k < FOUR_BAR_LINKS; k++) {
        const phx_beam_def beam = beam_of_link(k);
        phx_body_def body = phx_body_def_default();
        phx_body_port P = {.rotation = {1.0, 0.0, 0.0, 1.0}}, C = P;
        phx_ss *titop = NULL;
        CHECK_OK(context, phx_beam_create(context, &beam, &it->beam[k]));
        body.name = names[k];
        body.dim = 2;
        body.flex = phx_flex_source_flex(it->beam[k]);
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

void four_bar_free(four_bar_links *it)
{
    for (int k = 0; k < FOUR_BAR_LINKS; k++) {
        phx_ss_destroy(it->block[k]);
        phx_body_destroy(it->body[k]);
        phx_flex_source_destroy(it->beam[k]);
    }
}

/* Ends of the links, C_2 on the left of the line from C_1 to the ground: joint[k] is P of link k. */
static void close_loop(double theta, double joint[FOUR_BAR_LINKS + 1][2], double *angle)
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
    for (int k = 0; k < FOUR_BAR_LINKS; k++)
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
void four_bar_connect(phx_context *context, const four_bar_links *it, double theta, phx_ss **mechanism)
{
    const char *crank[2][2] = {{"crank.C.ax", "crank.C.ay"}, {"crank.C.fx", "crank.C.fy"}};
    const char *coupler_P[2][2] = {{"coupler.P.ax", "coupler.P.ay"}, {"coupler.P.fx", "coupler.P.fy"}};
    const char *coupler[2][2] = {{"coupler.C.ax", "coupler.C.ay"}, {"coupler.C.fx", "coupler.C.fy"}};
    const char *follower[2][2] = {{"follower.P.ax", "follower.P.ay"}, {"follower.P.fx", "follower.P.fy"}};
    const char *const input[] = {"crank.P.tz"}, *const output[] = {"crank.P.alpha"};
    const phx_ss *const blocks[] = {it->block[0], it->block[1], it->block[2]};
    double joint[FOUR_BAR_LINKS + 1][2], angle[FOUR_BAR_LINKS];
    phx_ss_link list[20];
    phx_ss *all = NULL;

    close_loop(theta, joint, angle);
    int count = put_joint(crank, coupler_P, angle[1] - angle[0], list);
    count += put_joint(coupler, follower, angle[2] - angle[1], list + count);
    CHECK_OK(context, phx_ss_append(context, "four-bar", FOUR_BAR_LINKS, blocks, &all));
    CHECK_OK(context, phx_ss_connect(context, all, count, list, 1, output, 1, input, mechanism));
    phx_ss_destroy(all);
}

/* Inertia that the crank's joint feels when all links are rigid: twice the kinetic energy at unit speed. */
double four_bar_inertia(double theta)
{
    double joint[FOUR_BAR_LINKS + 1][2], angle[FOUR_BAR_LINKS], w[FOUR_BAR_LINKS] = {1.0};

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

static phx_port_id at_end(phx_context *context, phx_system *system, int link, int end)
{
    phx_port_id id = -1;
    CHECK_OK(context, phx_system_add_beam_port(system, link, end, &id));
    return id;
}

static phx_port_id at_ground(phx_context *context, phx_system *system, const double *place)
{
    phx_port_id id = -1;
    CHECK_OK(context, phx_system_add_port(system, PHX_GROUND, place, NULL, &id));
    return id;
}

static void add_link(phx_context *context, phx_system *system, int k, const double *place, double angle)
{
    const phx_beam_mass mass = {.at = 1.0, .mass = joint_mass};
    phx_beam_def beam = beam_of_link(k);
    phx_body_def def = phx_body_def_default();
    phx_pose pose = phx_pose_default();
    phx_beam *made = NULL;
    phx_body *body = NULL;
    phx_body_id id;

    beam.n_masses = k < 2;
    beam.masses = &mass;
    CHECK_OK(context, phx_beam_create(context, &beam, &made));
    def.name = names[k];
    def.dim = 2;
    def.flex = phx_flex_source_flex(made);
    CHECK_OK(context, phx_body_create(context, &def, &body));
    memcpy(pose.position, place, 2 * sizeof *place);
    pose.angle = angle;
    CHECK_OK(context, phx_system_add_body(system, body, made, &pose, &id));
    CHECK_OK(context, phx_system_add_point(system, id, "P", 0.0, NULL, NULL));
    CHECK_OK(context, phx_system_add_point(system, id, "C", 1.0, NULL, NULL));
}

void four_bar_system(phx_context *context, double theta, phx_system **system)
{
    static const char *const pins[] = {"motor", "elbow", "knee", "foot"};
    double joint[FOUR_BAR_LINKS + 1][2], angle[FOUR_BAR_LINKS];

    close_loop(theta, joint, angle);
    CHECK_OK(context, phx_system_create(context, 2, NULL, system));
    for (int k = 0; k < FOUR_BAR_LINKS; k++)
        add_link(context, *system, k, joint[k], angle[k]);
    for (int k = 0; k <= FOUR_BAR_LINKS; k++) {
        phx_joint_def def = phx_joint_def_default();
        def.name = pins[k];
        def.a = k == 0 ? at_ground(context, *system, joint[0]) : at_end(context, *system, k - 1, 1);
        def.b = k == FOUR_BAR_LINKS ? at_ground(context, *system, joint[k]) : at_end(context, *system, k, 0);
        def.n_coordinates = 1;
        if (k == 0)
            CHECK_OK(context, phx_signal_create_constant(context, 0.0, &def.coordinate[0].speed));
        CHECK_OK(context, phx_system_add_joint(*system, &def, NULL));
    }
    CHECK_OK(context, phx_system_finalise(*system));
}
