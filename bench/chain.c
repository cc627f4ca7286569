#include "chain.h"

#include <stdio.h>

static phx_status make_rigid(phx_context *context, phx_body_def *def, phx_body **body)
{
    const phx_rigid_def rigid = {.mass = 1.0, .inertia = {1.0 / 12.0}, .centre = {0.5}};

    def->rigid = &rigid;
    return phx_body_create(context, def, body);
}

static phx_status make_beam(phx_context *context, int elements, phx_beam **beam)
{
    phx_beam_def def = phx_beam_def_default();

    def.dim = 2;
    def.length = 1.0;
    def.mass_per_length = 1.0;
    def.axial_stiffness = 1e6;
    def.bending_stiffness[0] = 400.0;
    def.elements = elements;
    def.reference = PHX_REFERENCE_SIMPLY_SUPPORTED;
    return phx_beam_create(context, &def, beam);
}

/* Link k from (k, 0) to (k + 1, 0) with its ports P and C. */
static phx_status add_link(phx_context *context, phx_system *system, int k, phx_beam *beam, phx_port_id ends[2])
{
    const double places[2][3] = {{0.0}, {1.0, 0.0, 0.0}};
    phx_body_def def = phx_body_def_default();
    phx_pose pose = phx_pose_default();
    phx_body *body = NULL;
    phx_body_id id = -1;
    char name[32];
    phx_status status = PHX_OK;

    snprintf(name, sizeof name, "link%d", k + 1);
    def.name = name;
    def.dim = 2;
    def.flex = beam ? phx_beam_flex(beam) : NULL;
    pose.position[0] = k;
    status = beam ? phx_body_create(context, &def, &body) : make_rigid(context, &def, &body);
    if (!status)
        status = phx_system_add_body(system, body, phx_beam_share(beam), &pose, &id);
    for (int end = 0; end < 2 && !status; end++)
        status = beam ? phx_system_add_beam_port(system, id, end, &ends[end])
                      : phx_system_add_port(system, id, places[end], NULL, &ends[end]);
    return status;
}

static phx_status add_hinge(phx_system *system, int k, phx_port_id a, phx_port_id b)
{
    phx_joint_def def = phx_joint_def_default();
    phx_joint_id id = -1;
    char name[32];

    snprintf(name, sizeof name, "hinge%d", k + 1);
    def.name = name;
    def.kind = PHX_JOINT_REVOLUTE;
    def.a = a;
    def.b = b;
    return phx_system_add_joint(system, &def, &id);
}

phx_status chain_create(phx_context *context, int links, int elements, phx_system **system)
{
    const double gravity[3] = {0.0, -9.81, 0.0}, origin[3] = {0.0};
    phx_beam *beam = NULL;
    phx_port_id last = -1, ends[2] = {-1, -1};
    phx_status status = phx_system_create(context, 2, gravity, system);

    if (!status)
        status = phx_system_add_port(*system, PHX_GROUND, origin, NULL, &last);
    if (!status && elements > 0)
        status = make_beam(context, elements, &beam);
    for (int k = 0; k < links && !status; k++) {
        status = add_link(context, *system, k, beam, ends);
        if (!status)
            status = add_hinge(*system, k, last, ends[0]);
        last = ends[1];
    }
    if (!status)
        status = phx_system_freeze(*system);
    phx_beam_destroy(beam);
    return status;
}
