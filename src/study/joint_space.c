/* Mass matrix, bias and efforts of a model in the coordinates of its joints. */
#include "internal.h"

#include <stdio.h>

/* The system at its start, and the tree that counts from there. */
static phx_status make_tree(phx_joint_space *space, const phx_model *model, bool by_angles)
{
    const phx_start_options how = phx_start_of(model);
    phx_dae *dae = NULL;
    double *x = NULL, *v = NULL, *lambda = NULL;
    phx_status status = phx_model_build(space->own, model, NULL, &space->system);

    if (!status)
        status = phx_model_blame(space->own, model, phx_system_check_tree(space->system, false));
    if (!status)
        status = phx_system_dae(space->system, space->own, &dae);
    if (!status) {
        const phx_array arrays[] = {{&x, (size_t)dae->n_x}, {&v, (size_t)dae->n_v}, {&lambda, (size_t)dae->n_l}};
        status = phx_arrays_create(space->own, sizeof arrays / sizeof *arrays, arrays);
    }
    if (!status)
        status = phx_model_blame(space->own, model, phx_system_start(space->system, &how, x, v, lambda));
    if (!status)
        status = phx_tree_space_create(space->own, space->system, by_angles, x, v, &space->tree);
    double *const arrays[] = {x, v, lambda};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_system_dae_destroy(dae);
    return status;
}

static phx_status pass_on(phx_context *context, const phx_joint_space *space, phx_status status)
{
    return status ? phx_fail(context, status, "%s", phx_context_message(space->own)) : phx_conclude(context, PHX_OK);
}

/* Builds the system of the model in a context of its own, which outlives the calls that use it. */
phx_status phx_joint_space_create(phx_context *context, const phx_model *model, bool by_angles, phx_joint_space **made)
{
    if (!model || !made)
        return phx_fail_null(context, __func__, "model or space");
    phx_joint_space *space = phx_calloc(context, 1, sizeof *space);
    *made = NULL;
    if (!space)
        return PHX_ERR_MEMORY;
    phx_status status = phx_context_create(&space->own);
    if (!status)
        status = make_tree(space, model, by_angles);
    if (status) {
        status = space->own ? pass_on(context, space, status) : status;
        phx_joint_space_destroy(space);
        return status;
    }
    for (int f = 0; f < model->n_forces; f++)
        if (phx_model_force_holds(&model->forces[f]))
            phx_log(context, PHX_LOG_WARNING,
                    "the rigid coupling '%s' is no part of joint coordinates: its joints move without it",
                    model->forces[f].name);
    *made = space;
    return phx_conclude(context, PHX_OK);
}

void phx_joint_space_destroy(phx_joint_space *space)
{
    if (!space)
        return;
    phx_tree_space_destroy(space->tree);
    phx_system_destroy(space->system);
    phx_context_destroy(space->own);
    phx_free(space);
}

int phx_joint_space_coordinates(const phx_joint_space *space)
{
    return space ? phx_tree_space_coordinates(space->tree) : 0;
}

int phx_joint_space_rates(const phx_joint_space *space)
{
    return space ? phx_tree_space_rates(space->tree) : 0;
}

void phx_joint_space_rate_name(const phx_joint_space *space, int k, char *buffer, size_t size)
{
    int number, next;

    if (!space || !buffer || size == 0 || k < 0 || k >= phx_joint_space_rates(space))
        return;
    const char *name = phx_tree_space_name(space->tree, k, &number);
    const bool several = number > 0 || (k + 1 < phx_joint_space_rates(space) &&
                                        (phx_tree_space_name(space->tree, k + 1, &next), next > 0));
    if (several)
        snprintf(buffer, size, "%s.%d", name, number + 1);
    else
        snprintf(buffer, size, "%s", name);
}

int phx_joint_space_columns(const phx_joint_space *space)
{
    return space ? phx_system_columns(space->system) : 0;
}

void phx_joint_space_column_name(const phx_joint_space *space, int column, char *buffer, size_t size)
{
    if (space && buffer && size > 0 && column >= 0 && column < phx_system_columns(space->system))
        phx_system_column_name(space->system, column, buffer, size);
}

void phx_joint_space_state(const phx_joint_space *space, double *q, double *u)
{
    if (space && q && u)
        phx_tree_space_state(space->tree, q, u);
}

phx_status phx_joint_space_evaluate(phx_context *context, phx_joint_space *space, double t, const double *q,
                                    const double *u, double *mass, double *bias, double *effort, double *columns)
{
    if (!space || !q || !u || !mass || !bias || !effort)
        return phx_fail_null(context, __func__, "space, q, u, mass, bias or effort");
    return pass_on(context, space, phx_tree_space_evaluate(space->tree, t, q, u, mass, bias, effort, columns));
}
