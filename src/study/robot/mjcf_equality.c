/* Equality constraints of MJCF: joints that close loops, joints that follow others. */
#include "mjcf.h"

#include <string.h>

phx_status mjcf_find_joint(const mjcf_item *item, const char *key, int *joint, int *coordinate)
{
    const mjcf_reader *reader = item->reader;
    const char *name = mjcf_text(item, key);

    for (int j = 0; name && j < reader->robot->n_joints; j++)
        for (int k = 0; k < 3; k++)
            if (reader->starts[j].names[k] && !strcmp(reader->starts[j].names[k], name)) {
                *joint = reader->robot->joints[j].n_coordinates > k ? j : -1;
                *coordinate = k;
                return PHX_OK;
            }
    return mjcf_refuse(item, "there is no joint ", name ? name : "");
}

/* An end of a constraint: the frame of a site, else of a body in its link. Absent: the world. */
static phx_status mjcf_end(const mjcf_item *item, int side, int *link, robot_pose *pose)
{
    static const char *const sites[] = {"site1", "site2"}, *const bodies[] = {"body1", "body2"};
    const mjcf_reader *reader = item->reader;
    const char *site = mjcf_text(item, sites[side]), *body = mjcf_text(item, bodies[side]);

    for (int k = 0; site && k < reader->n_sites; k++) {
        const char *name = robot_attribute(reader->sites[k].element, "name");
        if (name && !strcmp(name, site)) {
            *link = reader->sites[k].link;
            return mjcf_pose(&reader->sites[k], pose);
        }
    }
    for (*link = 0; !site && *link < reader->robot->n_links; ++*link) {
        const char *name = reader->places[*link].name;
        *pose = reader->places[*link].body;
        if (name && !strcmp(name, body ? body : "world"))
            return PHX_OK;
    }
    return mjcf_refuse(item, site ? "there is no site " : "there is no body ", site ? site : body);
}

/* connect: one point of two bodies, `anchor` in the first; weld: the point `anchor` of the second, in its axes, is at
 * `relpose` in the first. What is not given is that of the bodies at zero. */
static phx_status mjcf_loop(const mjcf_item *item, bool weld)
{
    phx_robot *robot = item->reader->robot;
    const mjcf_place *places = item->reader->places;
    const char *name = robot_attribute(item->element, "name");
    const bool at_sites = mjcf_text(item, "site1") != NULL;
    robot_loop loop = {
        .path = item->element->path, .line = item->element->line, .kind = weld ? ROBOT_FIXED : ROBOT_SPHERICAL};
    double relative[7] = {0};
    robot_pose local = robot_pose_identity(), anchor = robot_pose_identity();
    phx_status status = mjcf_numbers(item, "anchor", 3, 3, anchor.x);

    for (int side = 0; side < 2 && !status; side++)
        status = mjcf_end(item, side, &loop.links[side], &loop.poses[side]);
    if (!status && !weld && !at_sites && !mjcf_text(item, "anchor"))
        status = mjcf_refuse(item, "anchor is missing", NULL);
    if (!status)
        status = mjcf_numbers(item, "relpose", 7, 7, relative);
    if (status)
        return status;
    if (!weld)
        local = anchor;
    const bool given = weld && phx_dot(4, relative + 3, relative + 3) > 0.0;
    if (given) {
        memcpy(local.x, relative, sizeof local.x);
        phx_rot_from_quaternion(relative + 3, local.R);
    }
    if (!at_sites) {
        loop.poses[0] = robot_pose_product(&loop.poses[0], &local);
        const robot_pose world = robot_pose_product(&places[loop.links[0]].world, &loop.poses[0]),
                         back = robot_pose_inverse(&places[loop.links[1]].world);
        loop.poses[1] = robot_pose_product(given ? &loop.poses[1] : &back, given ? &anchor : &world);
    }
    status = mjcf_name(item, name ? name : item->element->name, true, true, &loop.name);
    if (!status)
        robot->loops[robot->n_loops++] = loop;
    return status;
}

/* joint1 - r1 = a0 + a1 (joint2 - r2), r the references. */
static phx_status mjcf_follow(const mjcf_item *item, const char *name)
{
    phx_robot *robot = item->reader->robot;
    double a[5] = {0.0, 1.0};
    int follower, leader, coordinate;
    phx_status status = mjcf_find_joint(item, "joint1", &follower, &coordinate);

    if (!status && !mjcf_text(item, "joint2"))
        return mjcf_drop(item, name, "it holds a joint at a value: give the joint a `motion` in the model file");
    if (!status)
        status = mjcf_find_joint(item, "joint2", &leader, &coordinate);
    if (!status)
        status = mjcf_numbers(item, "polycoef", 1, 5, a);
    if (status)
        return status;
    if (a[1] == 0.0 || a[2] != 0.0 || a[3] != 0.0 || a[4] != 0.0)
        return mjcf_drop(item, name, "a joint follows another one only in proportion, polycoef a0 a1 0 0 0");
    if (follower < 0 || leader < 0 || follower == leader || robot->joints[follower].n_coordinates > 1 ||
        robot->joints[leader].n_coordinates > 1 || robot->joints[follower].mimic >= 0)
        return mjcf_drop(item, name, "expected two hinges or slides, alone in their bodies, the first in no other one");
    robot->joints[follower].mimic = leader;
    robot->joints[follower].multiplier = a[1];
    robot->joints[follower].offset =
        a[0] + item->reader->starts[follower].counted - a[1] * item->reader->starts[leader].counted;
    return PHX_OK;
}

/* Reads all constraints that are active; one warning says that they become exact. */
phx_status mjcf_equalities(mjcf_reader *reader)
{
    static const char *const kinds[] = {"connect", "weld", "joint", NULL};
    phx_robot *robot = reader->robot;
    const phx_xml *element;
    phx_status status = PHX_OK;
    int count = 0;

    while (mjcf_entry(reader, "equality", count))
        count++;
    robot->loops = phx_calloc(reader->context, (size_t)count + 1, sizeof *robot->loops);
    if (!robot->loops)
        return PHX_ERR_MEMORY;
    for (int n = 0; (element = mjcf_entry(reader, "equality", n)) != NULL && !status; n++) {
        const mjcf_item item = {.reader = reader, .element = element, .tag = "equality"};
        const char *name = robot_attribute(element, "name");
        const int kind = mjcf_word(kinds, element->name);
        int active = 1;
        status = mjcf_check_classes(reader, element);
        if (!status)
            status = mjcf_choice(&item, "active", MJCF_BOOLEAN, &active);
        if (status)
            return status;
        if (!active)
            mjcf_warn(&item, name, "it is not active: left out");
        else if (kind < 2)
            status = mjcf_loop(&item, kind == 1);
        else
            status = kind == 2 ? mjcf_follow(&item, name)
                               : mjcf_drop(&item, name,
                                           "it has no counterpart, and without it the mechanism moves "
                                           "otherwise; join the bodies in the model file");
    }
    if (!status && robot->n_loops > 0)
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <equality>: %d constraint%s soft in MJCF and become%s exact",
                robot->loops[0].path, robot->loops[0].line, robot->n_loops, robot->n_loops > 1 ? "s are" : " is",
                robot->n_loops > 1 ? "" : "s");
    return status;
}

/* A tendon acts by its spring, damper, friction or limit; others only carry actuators and sensors. */
phx_status mjcf_tendons(mjcf_reader *reader)
{
    static const char *const keys[] = {"stiffness", "damping", "frictionloss", "range", NULL};
    const phx_xml *element, *first = mjcf_entry(reader, "tendon", 0);
    phx_status status = PHX_OK;
    int count = 0;

    for (int n = 0; (element = mjcf_entry(reader, "tendon", n)) != NULL && !status; n++) {
        const mjcf_item item = {.reader = reader, .element = element, .tag = "tendon"};
        double values[3] = {0};
        status = mjcf_check_classes(reader, element);
        for (int k = 0; keys[k] && !status && phx_dot(3, values, values) == 0.0; k++)
            status = mjcf_numbers(&item, keys[k], 1, 3, values);
        if (!status && phx_dot(3, values, values) > 0.0)
            status = mjcf_drop(&item, robot_attribute(element, "name"),
                               "a tendon with a spring, damper, friction or limit has no counterpart");
        else
            count++;
    }
    if (!status && count > 0)
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <tendon>: %d without force %s left out", first->path,
                first->line, count, count > 1 ? "are" : "is");
    return status;
}
