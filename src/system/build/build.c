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
    return system->finalised || system->invalid
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

static void free_found(found_before *found)
{
    if (!found)
        return;
    phx_free(found->x_start);
    phx_free(found->redundant);
    phx_free(found);
}

void phx_system_destroy(phx_system *system)
{
    if (!system)
        return;
    phx_sys_workspace_destroy(system->assembly);
    for (int i = 0; i < system->n_ports; i++)
        phx_sys_place_free(&system->ports[i]);
    for (int i = 0; i < system->n_points; i++) {
        phx_sys_place_free(&system->points[i].place);
        phx_free(system->points[i].name);
    }
    for (int i = 0; i < system->n_joints; i++)
        phx_sys_free_joint(&system->joints[i]);
    for (int i = 0; i < system->n_forces; i++)
        phx_sys_free_force(&system->forces[i]);
    for (int i = 0; i < system->n_outputs; i++)
        phx_sys_output_free(&system->outputs[i]);
    phx_sys_controllers_free(system);
    for (int i = 0; i < system->n_bodies; i++) {
        phx_body_destroy(system->bodies[i].body);
        phx_flex_source_destroy(system->bodies[i].source);
    }
    phx_free(system->bodies);
    phx_free(system->ports);
    phx_free(system->points);
    phx_free(system->point_index);
    phx_free(system->joints);
    phx_free(system->forces);
    phx_free(system->rows);
    phx_free(system->components);
    phx_free(system->by_component);
    phx_free(system->ledger);
    phx_free(system->outputs);
    phx_free(system->independent);
    phx_free(system->redundant);
    phx_free(system->x_start);
    for (int k = 0; k < system->n_events; k++)
        phx_free(system->events[k]);
    phx_free(system->events);
    phx_free(system->event_entry);
    phx_free(system->contacts);
    phx_free(system->inputs);
    free_found(system->found);
    phx_free(system);
}

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

phx_status phx_system_add_body(phx_system *system, phx_body *body, phx_flex_source *source, const phx_pose *pose,
                               phx_body_id *id)
{
    phx_status status = system && body && id
                            ? phx_sys_open(system)
                            : phx_fail_null(system ? system->context : NULL, __func__, "system, body or id");

    if (!status)
        status = check_body(system, body, source, pose);
    if (!status)
        status = phx_sys_grow(system->context, (void **)&system->bodies, &system->cap_bodies, system->n_bodies,
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
