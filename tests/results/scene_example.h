/* A scene for the result of example.h. */
#ifndef PHX_TESTS_RESULTS_SCENE_EXAMPLE_H
#define PHX_TESTS_RESULTS_SCENE_EXAMPLE_H

#include "example.h"

/* A crank and a coupler with two deformations on the ground, as there. */
static double radius[2] = {0.0, 0.003}, mass[2] = {1.0, 0.2}, centre[4] = {0.1, 0, 0.15, 0}, section[10] = {0};
static char *port_names[] = {"O", "C, \"ü\"", "P"};
static int port_body[] = {-1, 0, 1};
static double port_position[6] = {0, 0, 0.15, 0, 0.3, 0}, port_rotation[12] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
static double port_shapes[4] = {1, 2, 3, 4};
static char *joint_names[] = {"pin", "knee</script>"}, *joint_kinds[] = {"revolute", "revolute"};
static int joint_a[] = {0, 1}, joint_b[] = {1, 2};
static double joint_axis[4] = {0};
static int joint_drive[] = {1, 0};
static int section_body[] = {1};
static char *section_names[] = {"bending_moment_z"}, *section_units[] = {"N m"};
static double maps[6] = {1, 0, 0, 1, -1, 0.5}, gravity[2] = {0, -9.81};

static inline phx_scene example_scene(void)
{
    return (phx_scene){.n_bodies = 2,
                       .radius = radius,
                       .mass = mass,
                       .centre = centre,
                       .section = section,
                       .n_ports = 3,
                       .port_name = port_names,
                       .port_body = port_body,
                       .port_position = port_position,
                       .port_rotation = port_rotation,
                       .n_port_shapes = 4,
                       .port_shapes = port_shapes,
                       .n_joints = 2,
                       .joint_name = joint_names,
                       .joint_kind = joint_kinds,
                       .joint_a = joint_a,
                       .joint_b = joint_b,
                       .joint_axis = joint_axis,
                       .joint_drive = joint_drive,
                       .n_sections = 1,
                       .section_body = section_body,
                       .section_name = section_names,
                       .section_unit = section_units,
                       .n_maps = 6,
                       .maps = maps,
                       .n_gravity = 2,
                       .gravity = gravity};
}

#endif
