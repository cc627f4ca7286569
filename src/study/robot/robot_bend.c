/* Links that bend: between its joint and the next one a link becomes a rigid part, a tube that bends, and a rigid part
 * that carries the next joint. */
#include "robot.h"

#include <math.h>
#include <stdlib.h>
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

const robot_material robot_materials[3] = {
    {"aluminium", 2700.0, 7.0e10, 0.33}, {"steel", 7850.0, 2.1e11, 0.3}, {"titanium", 4500.0, 1.1e11, 0.34}};

/* NULL if there is none of this name. */
static const robot_material *material_of(const char *name)
{
    for (size_t k = 0; k < sizeof robot_materials / sizeof *robot_materials; k++)
        if (!strcmp(name, robot_materials[k].name))
            return &robot_materials[k];
    return NULL;
}

/* One of the links that bend: "all", LINK, LINK=OUTER,INNER or LINK=OUTER,INNER,MATERIAL with diameters in m. */
static bool read_bend(const char *text, const char *usual, size_t *name, robot_bend *bend)
{
    char *end;

    *name = strcspn(text, "=");
    bend->material = material_of(usual ? usual : robot_materials[0].name);
    bend->given = text[*name] == '=';
    if (!bend->given)
        return bend->material;
    bend->outer = strtod(text + *name + 1, &end);
    if (*end != ',')
        return false;
    bend->inner = strtod(end + 1, &end);
    if (*end == ',')
        bend->material = material_of(end + 1);
    return (*end == ',' || *end == '\0') && bend->material && bend->inner >= 0.0 && bend->outer > bend->inner &&
           isfinite(bend->outer);
}

/* Whether a link is asked to bend, and how; what names it counts before "all". */
static bool bend_asked(const phx_robot_options *options, const char *name, robot_bend *bend)
{
    bool all = false, named = false;
    size_t length;

    for (int k = 0; k < options->n_bend && !named; k++) {
        robot_bend one = {0};
        const bool read = read_bend(options->bend[k], options->material, &length, &one);
        named = read && length == strlen(name) && !strncmp(options->bend[k], name, length);
        all = all || !strcmp(options->bend[k], "all");
        if (named || !strcmp(options->bend[k], "all"))
            *bend = one;
    }
    return all || named;
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
static void share_mass(const robot_link *link, double share, robot_bend *bend)
{
    const double *p = bend->tip.x, L = bend->length, density = bend->material->density;
    double direction[3], middle[3];

    if (bend->given) {
        bend->mass[1] = density * L * PI / 4.0 * (bend->outer * bend->outer - bend->inner * bend->inner);
        bend->mass[2] = TIP_SHARE * share * (link->mass - bend->mass[1]);
    } else {
        bend->mass[1] = BEAM_SHARE * share * link->mass;
        bend->mass[2] = TIP_SHARE * share * link->mass;
        const double full = sqrt(4.0 * bend->mass[1] / (density * L * PI)); /* diameter of a bar of this mass */
        bend->outer = fmax(SLENDER * L, THICK * full);
        bend->inner = sqrt(bend->outer * bend->outer - full * full);
    }
    bend->mass[0] = link->mass - bend->mass[1] - bend->mass[2];
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
    robot_bend asked;
    const int j = bend_asked(options, robot->links[body].name, &asked) && robot->links[body].body == body &&
                          (body != robot->root || options->free_base)
                      ? bend_joint(robot, body)
                      : -1;
    if (j < 0)
        return false;
    asked = robot_bend_of(options, robot, body);
    return asked.length > LEAST_LENGTH;
}

/* Root, tube and end of a link that bends, with the mass, centre of mass and inertia of the link altogether. */
robot_bend robot_bend_of(const phx_robot_options *options, const phx_robot *robot, int body)
{
    static const double x_axis[3] = {1.0, 0.0, 0.0};
    const robot_link *link = &robot->links[body];
    const int j = bend_joint(robot, body);
    robot_bend bend = {.material = robot_materials};

    bend_asked(options, link->name, &bend);
    bend.joint = j;
    bend.tip = robot_joint_frame(robot, j);
    bend.length = sqrt(phx_dot(3, bend.tip.x, bend.tip.x));
    bend.beam = robot_pose_identity();
    if (bend.length <= LEAST_LENGTH)
        return bend;
    const double direction[3] = {bend.tip.x[0] / bend.length, bend.tip.x[1] / bend.length, bend.tip.x[2] / bend.length};
    phx_rot_shortest(x_axis, direction, bend.beam.R);
    const double along = phx_dot(3, link->com, bend.tip.x) / (bend.length * bend.length);
    double share = fmin(1.0, 2.0 * fmax(fmin(along, 1.0 - along), 0.1));
    share_mass(link, share, &bend);
    for (int tries = 0; tries < SHARES && !is_inertia(bend.inertia); tries++) {
        share *= LESS;
        share_mass(link, share, &bend);
    }
    return bend;
}

/* The material, then each link: its words, whether it is there, can bend, and is heavier than its tube. */
phx_status robot_check_bends(phx_context *context, const phx_robot_options *options, const phx_robot *robot)
{
    if (options->material && !material_of(options->material))
        return phx_fail(context, PHX_ERR_ARGUMENT, "the material is %s; expected aluminium, steel or titanium",
                        phx_shown_text(options->material).text);
    for (int k = 0; k < options->n_bend; k++) {
        const char *text = options->bend[k];
        robot_bend asked = {0};
        size_t length;
        int l = 0;
        if (!read_bend(text, options->material, &length, &asked))
            return phx_fail(context, PHX_ERR_INPUT,
                            "a link that bends is %s; expected LINK, all, LINK=OUTER,INNER or "
                            "LINK=OUTER,INNER,MATERIAL, diameters in m with OUTER > INNER >= 0, and aluminium, steel "
                            "or titanium",
                            phx_shown_text(text).text);
        if (!strcmp(text, "all"))
            continue;
        while (l < robot->n_links &&
               (strlen(robot->links[l].name) != length || strncmp(robot->links[l].name, text, length) != 0))
            l++;
        if (l == robot->n_links)
            return phx_fail(context, PHX_ERR_INPUT, "%s: there is no link %s that could bend", robot->path,
                            phx_shown_text(text).text);
        const robot_link *link = &robot->links[l];
        if (!robot_bends(options, robot, l))
            return phx_fail(
                context, PHX_ERR_INPUT,
                "%s:%d: the link '%s' cannot bend: it is the ground, part of another link, or no joint is at "
                "a distance from its own",
                link->path, link->line, link->name);
        asked = robot_bend_of(options, robot, l);
        if (asked.mass[0] <= 0.0)
            return phx_fail(context, PHX_ERR_INPUT,
                            "%s:%d: the tube of '%s' has %g kg, the whole link %g kg; give the tube a thinner wall or "
                            "the link its mass",
                            link->path, link->line, link->name, asked.mass[1], link->mass);
    }
    return PHX_OK;
}
