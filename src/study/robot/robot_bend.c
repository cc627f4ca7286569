/* Links that bend: between its joint and the next one a link becomes a rigid part, a tube that bends, and a rigid part
 * that carries the next joint. */
#include "robot.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double BEAM_SHARE = 0.45;   /* of the mass of a link that its tube has at most */
static const double TIP_SHARE = 0.08;    /* that its end has at most */
static const double LESS = 0.7;          /* the next try, if the root would have an inertia that no body has */
enum { SHARES = 12 };                    /* such tries */
static const double SLENDER = 0.12;      /* outer diameter over length, if the wall is not thicker than that allows */
static const double THICK = 1.2;         /* least outer diameter over that of a full bar */
static const double TIP_RADIUS = 0.05;   /* of the rigid part at the end, a ball, over the length */
static const double LEAST_LENGTH = 1e-3; /* m */

const robot_material *robot_material_of(const phx_robot_options *options)
{
    static const robot_material materials[] = {
        {"aluminium", 2700.0, 7.0e10, 0.33}, {"steel", 7850.0, 2.1e11, 0.3}, {"titanium", 4500.0, 1.1e11, 0.34}};

    for (size_t k = 0; options->material && k < sizeof materials / sizeof *materials; k++)
        if (!strcmp(options->material, materials[k].name))
            return &materials[k];
    return materials;
}

robot_pose robot_frame_in_body(const phx_robot *robot, int link, const robot_pose *frame)
{
    return robot->links[link].body == link ? *frame : robot_pose_product(&robot->links[link].pose, frame);
}

robot_pose robot_joint_frame(const phx_robot *robot, int j)
{
    const robot_joint *joint = &robot->joints[j];

    return robot_frame_in_body(robot, joint->parent, joint->has_zero ? &joint->zero : &joint->pose);
}

/* The joint at the end of the line along which a link bends: the farthest that moves another body; -1. */
static int bend_joint(const phx_robot *robot, int body)
{
    double farthest = -1.0;
    int found = -1;

    for (int j = 0; j < robot->n_joints; j++) {
        if (robot->links[robot->joints[j].parent].body != body ||
            robot->links[robot->joints[j].child].body != robot->joints[j].child)
            continue;
        const robot_pose frame = robot_joint_frame(robot, j);
        if (phx_dot(3, frame.x, frame.x) > farthest) {
            farthest = phx_dot(3, frame.x, frame.x);
            found = j;
        }
    }
    return found;
}

/* Whether a body can have this inertia: tr(J)/2 - J, the second moments of its mass, has positive leading minors. */
static bool is_inertia(const double J[9])
{
    const double half = 0.5 * (J[0] + J[4] + J[8]);
    const double a = half - J[0], b = half - J[4], c = half - J[8];

    /* the matrix [a -J1 -J2; -J1 b -J5; -J2 -J5 c] */
    return a > 0.0 && a * b - J[1] * J[1] > 0.0 &&
           a * (b * c - J[5] * J[5]) - J[1] * (J[1] * c + J[5] * J[2]) - J[2] * (J[1] * J[5] + b * J[2]) > 0.0;
}

/* Takes the moments of a mass at a point about the centre of mass from the inertia. */
static void subtract_part(double mass, const double at[3], const double com[3], double inertia[9])
{
    const double d[3] = {at[0] - com[0], at[1] - com[1], at[2] - com[2]};

    robot_add_offset(-mass, d, inertia);
}

/* Shares the mass of the link between the parts so that mass, centre of mass and inertia of the whole stay. The root
 * has what tube and end leave. */
static void share_mass(const robot_link *link, double density, double share, robot_bend *bend)
{
    const double *p = bend->tip.x, L = bend->length;
    double direction[3], middle[3];

    bend->mass[1] = BEAM_SHARE * share * link->mass;
    bend->mass[2] = TIP_SHARE * share * link->mass;
    bend->mass[0] = link->mass - bend->mass[1] - bend->mass[2];
    const double full = sqrt(4.0 * bend->mass[1] / (density * L * PI)); /* diameter of a bar of this mass */
    bend->outer = fmax(SLENDER * L, THICK * full);
    bend->inner = sqrt(bend->outer * bend->outer - full * full);
    const double polar = bend->mass[1] * (bend->outer * bend->outer + bend->inner * bend->inner) / 8.0;
    bend->tip_inertia = 0.4 * bend->mass[2] * pow(TIP_RADIUS * L, 2.0);
    for (int a = 0; a < 3; a++) {
        direction[a] = p[a] / L;
        middle[a] = 0.5 * p[a];
        bend->com[a] = (link->mass * link->com[a] - bend->mass[1] * middle[a] - bend->mass[2] * p[a]) / bend->mass[0];
    }
    memcpy(bend->inertia, link->inertia, sizeof bend->inertia);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            bend->inertia[3 * a + b] -=
                bend->mass[1] * L * L / 12.0 * ((a == b ? 1.0 : 0.0) - direction[a] * direction[b]) +
                polar * direction[a] * direction[b] + (a == b ? bend->tip_inertia : 0.0);
    subtract_part(bend->mass[1], middle, link->com, bend->inertia);
    subtract_part(bend->mass[2], p, link->com, bend->inertia);
    subtract_part(bend->mass[0], bend->com, link->com, bend->inertia);
}

bool robot_bends(const phx_robot_options *options, const phx_robot *robot, int body)
{
    const char *name = robot->links[body].name;
    bool wanted = false;

    for (int k = 0; k < options->n_bend; k++)
        wanted = wanted || !strcmp(options->bend[k], "all") || !strcmp(options->bend[k], name);
    const int j = wanted && robot->links[body].body == body && (body != robot->root || options->free_base)
                      ? bend_joint(robot, body)
                      : -1;
    if (j < 0)
        return false;
    const robot_bend bend = robot_bend_of(options, robot, body);
    return bend.length > LEAST_LENGTH;
}

/* Root, tube and end of a link that bends, with the mass, centre of mass and inertia of the link altogether. */
robot_bend robot_bend_of(const phx_robot_options *options, const phx_robot *robot, int body)
{
    static const double x_axis[3] = {1.0, 0.0, 0.0};
    const robot_link *link = &robot->links[body];
    const int j = bend_joint(robot, body);
    robot_bend bend = {.joint = j};

    bend.tip = robot_joint_frame(robot, j);
    bend.length = sqrt(phx_dot(3, bend.tip.x, bend.tip.x));
    bend.beam = robot_pose_identity();
    if (bend.length <= LEAST_LENGTH)
        return bend;
    const double direction[3] = {bend.tip.x[0] / bend.length, bend.tip.x[1] / bend.length, bend.tip.x[2] / bend.length};
    phx_rot_shortest(x_axis, direction, bend.beam.R);
    const double along = phx_dot(3, link->com, bend.tip.x) / (bend.length * bend.length);
    double share = fmin(1.0, 2.0 * fmax(fmin(along, 1.0 - along), 0.1));
    share_mass(link, robot_material_of(options)->density, share, &bend);
    for (int tries = 0; tries < SHARES && !is_inertia(bend.inertia); tries++) {
        share *= LESS;
        share_mass(link, robot_material_of(options)->density, share, &bend);
    }
    return bend;
}
