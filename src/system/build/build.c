/* Systems: made, destroyed, bodies added. */
#include "build.h"

#include <math.h>
#include <string.h>

phx_pose phx_pose_default(void)
{
    return (phx_pose){.rotation = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
}

phx_status phx_sys_grow(phx_context *context, void **array, int *capacity, int count, size_t size)
{
    if (count == *capacity) {
        const int wider = *capacity ? 2 * *capacity : 8;
        void *bigger = phx_realloc(context, *array, (size_t)wider, size);
        if (!bigger)
            return PHX_ERR_MEMORY;
        *array = bigger;
        *capacity = wider;
    }
    memset((char *)*array + (size_t)count * size, 0, size);
    return PHX_OK;
}

phx_status phx_sys_open(phx_system *system)
{
    return system->building.finalised || system->building.invalid
               ? phx_fail(system->context, PHX_ERR_ARGUMENT, "the system is finalised; nothing can be added")
               : PHX_OK;
}

bool phx_sys_all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Creates an empty system of dimension 2 or 3; gravity is an inertial acceleration in m/s^2, NULL for none. *out is
 * NULL after an error. */
phx_status phx_system_create(phx_context *context, int dim, const double *gravity, phx_system **out)
{
    if (!out)
        return phx_fail_null(context, __func__, "system");
    phx_system *system = NULL;

    *out = NULL;
    if (dim != 2 && dim != 3)
        return phx_fail(context, PHX_ERR_ARGUMENT, "dimension is %d, must be 2 or 3", dim);
    for (int a = 0; gravity && a < dim; a++)
        if (!isfinite(gravity[a]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "gravity: component %d is %g, must be finite", a + 1,
                            gravity[a]);
    system = phx_calloc(context, 1, sizeof *system);
    if (!system)
        return PHX_ERR_MEMORY;
    system->context = context;
    system->dim = dim;
    system->n_rot = dim == 2 ? 1 : 3;
    for (int a = 0; gravity && a < dim; a++)
        system->gravity[a] = gravity[a];
    *out = system;
    return phx_conclude(context, PHX_OK);
}

static void free_bodies(int n, body_slot *bodies)
{
    for (int i = 0; i < n; i++) {
        phx_body_destroy(bodies[i].body);
        phx_flex_source_destroy(bodies[i].source);
    }
    phx_free(bodies);
}

static void free_ports(int n, port_slot *ports)
{
    for (int i = 0; i < n; i++)
        phx_sys_place_free(&ports[i]);
    phx_free(ports);
}

static void free_joints(int n, joint_slot *joints)
{
    for (int i = 0; i < n; i++)
        phx_sys_free_joint(&joints[i]);
    phx_free(joints);
}

static void free_forces(int n, force_slot *forces)
{
    for (int i = 0; i < n; i++)
        phx_sys_free_force(&forces[i]);
    phx_free(forces);
}

static void free_points(named_points *points)
{
    for (int i = 0; i < points->n; i++) {
        phx_sys_place_free(&points->slot[i].place);
        phx_free(points->slot[i].name);
    }
    phx_free(points->slot);
    phx_free(points->index);
}

static void free_channels(channel_list *channels)
{
    for (int i = 0; i < channels->n_outputs; i++)
        phx_sys_output_free(&channels->outputs[i]);
    phx_free(channels->outputs);
    phx_free(channels->inputs);
}

static void free_rows(row_list *rows)
{
    phx_free(rows->slot);
    phx_free(rows->independent);
    phx_free(rows->redundant);
}

static void free_components(component_list *components)
{
    phx_free(components->slot);
    phx_free(components->bodies);
}

static void free_ledger(power_ledger *ledger)
{
    for (int k = 0; k < ledger->n_events; k++)
        phx_free(ledger->events[k]);
    phx_free(ledger->events);
    phx_free(ledger->event_entry);
    phx_free(ledger->entry);
}

static void free_start(start_state *start)
{
    phx_sys_workspace_destroy(start->assembly);
    phx_free(start->x);
    if (start->found) {
        phx_free(start->found->x_start);
        phx_free(start->found->redundant);
    }
    phx_free(start->found);
}

/* Destroys a system with everything that it owns; NULL is allowed. Its daes must be destroyed before. */
void phx_system_destroy(phx_system *system)
{
    if (!system)
        return;
    free_start(&system->start);
    free_components(&system->components);
    free_ledger(&system->ledger);
    free_rows(&system->rows);
    free_channels(&system->channels);
    phx_sys_controllers_free(&system->control);
    phx_free(system->contacts.slot);
    free_points(&system->points);
    free_forces(system->n_forces, system->forces);
    free_joints(system->n_joints, system->joints);
    free_ports(system->n_ports, system->ports);
    free_bodies(system->n_bodies, system->bodies);
    phx_free(system);
}

/* Fails if a body is in the system already, has another dimension or another deformation than its source, or if its
 * pose is not finite. */
static phx_status check_body(const phx_system *system, const phx_body *body, const phx_flex_source *source,
                             const phx_pose *pose)
{
    phx_context *context = system->context;
    const int dim = system->dim;

    for (int b = 0; b < system->n_bodies; b++)
        if (system->bodies[b].body == body)
            return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s' is in the system already", phx_body_name(body));
    if (phx_body_dim(body) != dim)
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s' is not made for dimension %d", phx_body_name(body), dim);
    if (source && phx_flex_source_flex(source) != phx_body_flex(body))
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s' is not made of the %s given with it", phx_body_name(body),
                        phx_flex_source_kind(source));
    if (pose && !(phx_sys_all_finite(pose->position, dim) && phx_sys_all_finite(pose->linear, dim) &&
                  phx_sys_all_finite(pose->angular, system->n_rot) &&
                  (dim == 2 ? isfinite(pose->angle) : phx_sys_all_finite(pose->rotation, 9))))
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': the pose or the velocity is not finite",
                        phx_body_name(body));
    return PHX_OK;
}

/* Adds a body with its source of shapes and its pose; the system takes ownership of body and source, also after an
 * error. pose NULL: the default pose. */
phx_status phx_system_add_body(phx_system *system, phx_body *body, phx_flex_source *source, const phx_pose *pose,
                               phx_body_id *id)
{
    phx_status status = system && body && id
                            ? phx_sys_open(system)
                            : phx_fail_null(system ? system->context : NULL, __func__, "system, body or id");

    if (!status)
        status = check_body(system, body, source, pose);
    if (!status)
        status = phx_sys_grow(system->context, (void **)&system->bodies, &system->building.cap_bodies, system->n_bodies,
                              sizeof *system->bodies);
    if (status) {
        bool mine = false; /* a body that was added before stays */
        for (int b = 0; system && b < system->n_bodies; b++)
            mine = mine || system->bodies[b].body == body;
        if (!mine) {
            phx_body_destroy(body);
            phx_flex_source_destroy(source);
        }
        return status;
    }
    system->bodies[system->n_bodies] =
        (body_slot){.body = body, .source = source, .pose = pose ? *pose : phx_pose_default()};
    *id = system->n_bodies++;
    return phx_conclude(system->context, PHX_OK);
}
