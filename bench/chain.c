#include "chain.h"
#include "body/body.h"
#include "fe/fe.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>

static const double ZIGZAG = 0.2; /* rad, of the links in space to the chain's line */

static phx_status make_rigid(phx_context *context, phx_body_def *def, phx_body **body)
{
    const phx_rigid_def plane = {.mass = 1.0, .inertia = {1.0 / 12.0}, .centre = {0.5}};
    const phx_rigid_def space = {
        .mass = 1.0, .inertia = {[0] = 8e-4, [4] = 1.0 / 12.0, [8] = 1.0 / 12.0}, .centre = {0.5}};

    def->rigid = def->dim == 2 ? &plane : &space;
    return phx_body_create(context, def, body);
}

static phx_status make_beam(phx_context *context, const chain_def *chain, phx_beam **beam)
{
    phx_beam_def def = phx_beam_def_default();

    def.dim = chain->dim;
    def.length = 1.0;
    def.mass_per_length = 1.0;
    def.axial_stiffness = 1e6;
    def.bending_stiffness[0] = def.bending_stiffness[1] = 400.0;
    if (chain->dim == 3) {
        def.torsion_stiffness = 300.0;
        def.polar_inertia = 8e-4;
    }
    def.elements = chain->elements;
    def.reference = PHX_REFERENCE_SIMPLY_SUPPORTED;
    return phx_beam_create(context, &def, beam);
}

/* A straight rod along x of the stiffness and the inertia of the beams. */
static phx_status make_rod(phx_context *context, const chain_def *chain, const char *name, phx_body **body)
{
    enum { SECTION = PHX_ROD_SECTION };
    const double stiffness[6] = {1e6, 4e5, 4e5, 300.0, 400.0, 400.0}, inertia[6] = {1.0, 1.0, 1.0, 8e-4, 4e-4, 4e-4};
    const size_t n = (size_t)chain->elements, dim = (size_t)chain->dim, points = n * PHX_ROD_GAUSS;
    double *room = phx_calloc(context, (n + 1) * dim * (1 + dim) + n + 2 * points * SECTION, sizeof *room);
    double *place = room, *axes = place + (n + 1) * dim, *length = axes + (n + 1) * dim * dim, *compliance = length + n,
           *mass = compliance + points * SECTION;

    if (!room)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k <= n; k++) {
        place[dim * k] = (double)k / (double)n;
        for (size_t a = 0; a < dim; a++)
            axes[dim * dim * k + (dim + 1) * a] = 1.0;
    }
    for (size_t e = 0; e < n; e++)
        length[e] = 1.0 / (double)n;
    for (size_t k = 0; k < points; k++)
        for (size_t i = 0; i < 6; i++) {
            compliance[SECTION * k + 7 * i] = 1.0 / stiffness[i];
            mass[SECTION * k + 7 * i] = inertia[i];
        }
    const phx_rod_def def = {.name = name,
                             .dim = chain->dim,
                             .elements = chain->elements,
                             .place = place,
                             .axes = axes,
                             .length = length,
                             .compliance = compliance,
                             .mass = mass};
    const phx_status status = phx_rod_create(context, &def, body);
    phx_free(room);
    return status;
}

/* The end of a link, 0 or 1, as a port. */
static phx_status add_end(const chain_def *chain, phx_system *system, phx_body_id body, int end, phx_port_id *port)
{
    const double place[3] = {end};
    const phx_location at = phx_location_at_fraction(end);

    if (chain->elements == 0)
        return phx_system_add_port(system, body, place, NULL, port);
    return chain->rods ? phx_system_add_port_at(system, body, &at, NULL, port)
                       : phx_system_add_beam_port(system, body, end, port);
}

/* The link from `start` on, with its ports P and C; `start` becomes its end. */
static phx_status add_link(phx_context *context, const chain_def *chain, phx_system *system, int k, phx_beam *beam,
                           double *start, phx_port_id ends[2])
{
    const double turn = chain->dim == 2 ? 0.0 : k % 2 ? -ZIGZAG : ZIGZAG;
    phx_body_def def = phx_body_def_default();
    phx_pose pose = phx_pose_default();
    phx_body *body = NULL;
    phx_body_id id = -1;
    char name[32];
    phx_status status = PHX_OK;

    snprintf(name, sizeof name, "link%d", k + 1);
    def.name = name;
    def.dim = chain->dim;
    def.flex = beam ? phx_flex_source_flex(beam) : NULL;
    for (int i = 0; i < 3; i++)
        pose.position[i] = start[i];
    if (chain->dim == 3)
        phx_rot_axis_angle(3, (double[]){0.0, 1.0, 0.0}, turn, pose.rotation);
    start[0] += cos(turn);
    start[2] -= sin(turn);
    status = beam          ? phx_body_create(context, &def, &body)
             : chain->rods ? make_rod(context, chain, name, &body)
                           : make_rigid(context, &def, &body);
    if (!status)
        status = phx_system_add_body(system, body, phx_flex_source_share(beam), &pose, &id);
    for (int end = 0; end < 2 && !status; end++)
        status = add_end(chain, system, id, end, &ends[end]);
    return status;
}

static phx_status add_joint(const chain_def *chain, phx_system *system, int k, phx_port_id a, phx_port_id b)
{
    phx_joint_def def = phx_joint_def_default();
    phx_joint_id id = -1;
    char name[32];

    snprintf(name, sizeof name, "joint%d", k + 1);
    def.name = name;
    def.kind = chain->joint;
    def.axis[0] = 0.0;
    def.axis[k % 2 ? 1 : 2] = 1.0; /* not read in the plane and by spherical joints */
    def.a = a;
    def.b = b;
    return phx_system_add_joint(system, &def, &id);
}

phx_status chain_create(phx_context *context, const chain_def *def, phx_system **system)
{
    const double gravity[3] = {0.0, -9.81, 0.0}, origin[3] = {0.0};
    double start[3] = {0.0};
    phx_beam *beam = NULL;
    phx_port_id last = -1, ends[2] = {-1, -1};
    phx_status status = phx_system_create(context, def->dim, gravity, system);

    if (!status)
        status = phx_system_add_port(*system, PHX_GROUND, origin, NULL, &last);
    if (!status && def->elements > 0 && !def->rods)
        status = make_beam(context, def, &beam);
    for (int k = 0; k < def->links && !status; k++) {
        status = add_link(context, def, *system, k, beam, start, ends);
        if (!status)
            status = add_joint(def, *system, k, last, ends[0]);
        last = ends[1];
    }
    if (!status)
        status = phx_system_finalise(*system);
    phx_flex_source_destroy(beam);
    return status;
}
