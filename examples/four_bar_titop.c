/* The four-bar mechanism of examples/four_bar.yaml from TITOP blocks (section 4 of "Linear dynamics of flexible
 * multibody systems"), one block a link, through the library alone.
 *
 *              coupler
 *        B o----------o C        each block: accelerations of P in, wrench at P out,
 *         /            \                     wrench at C in, accelerations of C out
 *  crank /              \ follower
 *       o A            D o
 *
 * Accelerations go forward along the chain, wrenches come back, a mass sits on each of the joints B and C. Hinges are
 * inverted channels: input and output trade places. Prints pulsations for some angles of the crank, free and clamped,
 * and fails when they are not those of the same mechanism assembled with joints (phx_modal_solve). */
#include <phlexor/phlexor.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 3, MODES = 6, POINTS = 4, STATES = 30 };

static const double PI = 3.14159265358979323846, TOLERANCE = 1e-9;
static const double DENSITY = 2714.0, YOUNG = 7.1e10, JOINT_MASS = 0.042, BASE = 0.254; /* kg/m^3, Pa, kg, m */
static const double LENGTH[LINKS] = {0.108, 0.2794, 0.2705};                            /* m */
static const double AREA[LINKS] = {1.0774e-4, 4.0645e-5, 4.0645e-5};                    /* m^2 */
static const double RIGIDITY[LINKS] = {11.472, 0.616, 0.616};                           /* N m^2 */
static const char *const NAMES[LINKS] = {"crank", "coupler", "follower"};

/* ---- geometry: the ends of the links; P of link k is point k ---- */
static void close_loop(double theta, double point[LINKS + 1][2], double *angle)
{
    const double x = LENGTH[0] * cos(theta), y = LENGTH[0] * sin(theta), dx = BASE - x, dy = -y, d = hypot(dx, dy);
    const double along = (LENGTH[1] * LENGTH[1] - LENGTH[2] * LENGTH[2] + d * d) / (2.0 * d);
    const double across = sqrt(LENGTH[1] * LENGTH[1] - along * along);
    const double points[LINKS + 1][2] = {
        {0.0, 0.0}, {x, y}, {x + (along * dx - across * dy) / d, y + (along * dy + across * dx) / d}, {BASE, 0.0}};

    for (int k = 0; k <= LINKS; k++)
        for (int a = 0; a < 2; a++)
            point[k][a] = points[k][a];
    for (int k = 0; k < LINKS; k++)
        angle[k] = atan2(points[k + 1][1] - points[k][1], points[k + 1][0] - points[k][0]);
}

/* A link as one quintic element; `mass` sits on its end C. */
static phx_status make_link(phx_context *context, int k, double mass, phx_beam **beam, phx_body **body)
{
    const phx_beam_mass point = {.at = 1.0, .mass = mass};
    phx_beam_def beam_def = phx_beam_def_default();
    phx_body_def def = phx_body_def_default();

    beam_def.dim = 2;
    beam_def.length = LENGTH[k];
    beam_def.mass_per_length = DENSITY * AREA[k];
    beam_def.axial_stiffness = YOUNG * AREA[k];
    beam_def.bending_stiffness[0] = RIGIDITY[k];
    beam_def.elements = 1;
    beam_def.order = 5;
    beam_def.reference = PHX_REFERENCE_CANTILEVER;
    beam_def.n_masses = mass > 0.0;
    beam_def.masses = &point;
    phx_status status = phx_beam_create(context, &beam_def, beam);
    if (status)
        return status;
    def.name = NAMES[k];
    def.dim = 2;
    def.flex = phx_flex_source_flex(*beam);
    return phx_body_create(context, &def, body);
}

/* ---- by blocks ---- */
static phx_status make_block(phx_context *context, int k, phx_ss **block)
{
    /* hinged at P: torque in, angular acceleration out; the follower's end D moves not at all: accelerations in */
    const char *const hinged[] = {"crank.P.alpha", "coupler.P.alpha", "follower.P.alpha"};
    const char *const inverted[] = {hinged[k], "follower.C.fx", "follower.C.fy"};
    const phx_location start = phx_location_at_fraction(0.0), end = phx_location_at_fraction(1.0);
    phx_body_port P = {.rotation = {1.0, 0.0, 0.0, 1.0}}, C = P;
    phx_beam *beam = NULL;
    phx_body *body = NULL;
    phx_ss *titop = NULL;
    phx_status status = make_link(context, k, 0.0, &beam, &body);

    if (!status)
        status = phx_flex_source_point(beam, context, &start, &P.point);
    if (!status)
        status = phx_flex_source_point(beam, context, &end, &C.point);
    if (!status) {
        const phx_titop_port child = {"C", &C};
        phx_titop_def def = phx_titop_def_default();
        def.body = body;
        def.parent = (phx_titop_port){"P", &P};
        def.n_children = 1;
        def.children = &child;
        status = phx_titop_create(context, &def, &titop);
    }
    if (!status)
        status = phx_ss_invert_names(context, titop, k == 2 ? 3 : 1, inverted, block);
    phx_ss_destroy(titop);
    phx_body_port_free(&P);
    phx_body_port_free(&C);
    phx_body_destroy(body);
    phx_flex_source_destroy(beam);
    return status;
}

/* A joint between C of link a and P of link b, turned against each other, with a mass on it:
 *   a_P = R^T a_C,   F_C = R F_P - m a_C     */
static int put_joint(char names[8][32], int a, double turn, phx_ss_link *links)
{
    const double R[2][2] = {{cos(turn), -sin(turn)}, {sin(turn), cos(turn)}};
    int count = 0;

    for (int i = 0; i < 2; i++) {
        snprintf(names[i], sizeof names[i], "%s.C.a%c", NAMES[a], "xy"[i]);
        snprintf(names[2 + i], sizeof names[i], "%s.C.f%c", NAMES[a], "xy"[i]);
        snprintf(names[4 + i], sizeof names[i], "%s.P.a%c", NAMES[a + 1], "xy"[i]);
        snprintf(names[6 + i], sizeof names[i], "%s.P.f%c", NAMES[a + 1], "xy"[i]);
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            links[count++] = (phx_ss_link){names[4 + i], names[j], R[j][i]};
            links[count++] = (phx_ss_link){names[2 + i], names[6 + j], R[i][j]};
        }
        links[count++] = (phx_ss_link){names[2 + i], names[i], -JOINT_MASS};
    }
    return count;
}

/* Pulsations with the crank free (torque held) and clamped (acceleration held); the inertia that A feels. */
static phx_status by_blocks(phx_context *context, phx_ss *const *block, double theta, double omega[2][STATES],
                            double *inertia)
{
    const char *const torque[] = {"crank.P.tz"}, *const alpha[] = {"crank.P.alpha"};
    double point[LINKS + 1][2], angle[LINKS], gain = 0.0;
    char names[2][8][32];
    phx_ss_link links[20];
    phx_ss *all = NULL, *hinged = NULL, *clamped = NULL;

    close_loop(theta, point, angle);
    int count = put_joint(names[0], 0, angle[1] - angle[0], links);
    count += put_joint(names[1], 1, angle[2] - angle[1], links + count);
    phx_status status = phx_ss_append(context, "four-bar", LINKS, (const phx_ss *const *)block, &all);
    if (!status)
        status = phx_ss_connect(context, all, count, links, 1, alpha, 1, torque, &hinged);
    if (!status)
        status = phx_ss_poles(context, hinged, NULL, NULL, omega[0], NULL);
    if (!status)
        status = phx_ss_dc_gain(context, hinged, &gain);
    *inertia = -1.0 / gain; /* the torque is that of the crank on the ground */
    if (!status)
        status = phx_ss_invert_names(context, hinged, 1, torque, &clamped);
    if (!status)
        status = phx_ss_poles(context, clamped, NULL, NULL, omega[1], NULL);
    phx_ss_destroy(all);
    phx_ss_destroy(hinged);
    phx_ss_destroy(clamped);
    return status;
}

/* ---- by joints ---- */
static phx_status add_joint(phx_system *system, phx_joint_kind kind, const char *name, phx_port_id a, phx_port_id b)
{
    phx_joint_def def = phx_joint_def_default();
    phx_joint_id id;

    def.kind = kind;
    def.name = name;
    def.a = a;
    def.b = b;
    return phx_system_add_joint(system, &def, &id);
}

static phx_status add_port(phx_system *system, phx_body_id body, phx_location at, const double *rotation,
                           phx_port_id *id)
{
    return phx_system_add_port_at(system, body, &at, rotation, id);
}

static phx_status build(phx_context *context, double theta, bool clamped, phx_system **system)
{
    static const char *const joints[] = {"A", "B", "C", "D"};
    const double rest[2] = {0.0, 0.0}, turned[4] = {cos(theta), -sin(theta), sin(theta), cos(theta)};
    double point[LINKS + 1][2], angle[LINKS];
    phx_port_id start[LINKS + 1], end[LINKS + 1];
    phx_status status = phx_system_create(context, 2, rest, system);

    close_loop(theta, point, angle);
    if (!status)
        status = add_port(*system, PHX_GROUND, phx_location_at_place(2, point[0]), clamped ? turned : NULL, &end[0]);
    for (int k = 0; k < LINKS && !status; k++) {
        phx_beam *beam = NULL;
        phx_body *body = NULL;
        phx_pose pose = phx_pose_default();
        phx_body_id id = -1;
        status = make_link(context, k, k < 2 ? JOINT_MASS : 0.0, &beam, &body);
        if (status) {
            phx_flex_source_destroy(beam);
            return status;
        }
        pose.position[0] = point[k][0];
        pose.position[1] = point[k][1];
        pose.angle = angle[k];
        status = phx_system_add_body(*system, body, beam, &pose, &id);
        if (!status)
            status = add_port(*system, id, phx_location_at_fraction(0.0), NULL, &start[k]);
        if (!status)
            status = add_port(*system, id, phx_location_at_fraction(1.0), NULL, &end[k + 1]);
    }
    if (!status)
        status = add_port(*system, PHX_GROUND, phx_location_at_place(2, point[LINKS]), NULL, &start[LINKS]);
    for (int k = 0; k <= LINKS && !status; k++)
        status =
            add_joint(*system, k == 0 && clamped ? PHX_JOINT_WELD : PHX_JOINT_REVOLUTE, joints[k], end[k], start[k]);
    return status ? status : phx_system_finalise(*system);
}

static phx_status by_joints(phx_context *context, double theta, bool clamped, double *omega)
{
    phx_modes_options options = phx_modes_options_default();
    phx_system *system = NULL;
    phx_dae *dae = NULL;
    phx_modal *modal = NULL;
    phx_linear linear = {0};
    phx_mode_set modes = {0};
    double *x = NULL;
    phx_status status = build(context, theta, clamped, &system);

    options.count = MODES;
    if (!status)
        status = phx_system_dae(system, context, &dae);
    if (!status) {
        const int n_x = phx_system_n_x(system), n_v = phx_system_n_v(system);
        x = calloc((size_t)(n_x + n_v), sizeof *x);
        status = x ? phx_system_start(system, NULL, x, x + n_x, NULL) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = phx_system_linear(dae, 0.0, x, NULL, &linear);
    if (!status)
        status = phx_modal_create(context, &modal);
    if (!status)
        status = phx_modal_solve(modal, &linear, &options, &modes);
    for (int k = 0; k < MODES && !status; k++)
        omega[k] = k < modes.count ? modes.omega[k] : 0.0;
    phx_mode_set_free(&modes);
    phx_linear_free(&linear);
    phx_modal_destroy(modal);
    free(x);
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
    return status;
}

/* ---- both ---- */
static phx_status compare(phx_context *context, phx_ss *const *block, double theta, double *worst)
{
    double blocks[2][STATES], joints[MODES], inertia = 0.0;
    phx_status status = by_blocks(context, block, theta, blocks, &inertia);

    if (!status)
        printf("theta1 = %3.0f deg, inertia about A %.6e kg m^2\n", theta * 180.0 / PI, inertia);
    for (int clamped = 0; clamped < 2 && !status; clamped++) {
        status = by_joints(context, theta, clamped, joints);
        printf("  crank %-8s", clamped ? "clamped" : "free");
        for (int k = 0; k < MODES && !status; k++) { /* poles come in pairs */
            printf(" %12.5f", blocks[clamped][2 * k]);
            *worst = fmax(*worst, fabs(blocks[clamped][2 * k] / joints[k] - 1.0));
        }
        printf(" rad/s\n");
    }
    return status;
}

int main(void)
{
    phx_context *context = NULL;
    phx_ss *block[LINKS] = {NULL};
    double worst = 0.0;
    phx_status status = phx_context_create(&context);

    for (int k = 0; k < LINKS && !status; k++)
        status = make_block(context, k, &block[k]);
    for (int point = 0; point < POINTS && !status; point++)
        status = compare(context, block, point * PI / 3.0, &worst);
    if (status)
        fprintf(stderr, "%s: %s\n", phx_status_text(status), context ? phx_context_message(context) : "");
    else
        printf("largest relative difference to the mechanism with joints: %.1e\n", worst);
    for (int k = 0; k < LINKS; k++)
        phx_ss_destroy(block[k]);
    phx_context_destroy(context);
    return !status && worst <= TOLERANCE ? EXIT_SUCCESS : EXIT_FAILURE;
}
