/* What a parameter changes in a step: differences of the residual and of the projection between systems at neighbouring
 * values, at the state at hand. Only bodies whose numbers change are evaluated, and ports, joints and forces where any
 * of theirs do. Nothing is factored: the projection is differentiated by its equations (projection_variation.c). */
#include "system/snapshot/written.h"
#include "variation.h"

#include <string.h>

/* ---- what is touched ---- */
/* The numbers of a body. */
static void write_body(phx_archive *archive, phx_system *system, int b)
{
    phx_body *body = system->bodies[b].body;
    const phx_flex *flex = phx_body_flex(body);
    const bool deforms = flex && flex->n > 0;

    if (deforms)
        phx_flex_archive(archive, (phx_flex *)flex);
    phx_body_archive(archive, deforms ? flex : NULL, &body);
}

/* Whether two systems write the same bytes: of body b, or of what is between the bodies (b < 0). */
static phx_status compare(phx_context *context, phx_system *one, phx_system *other, int b, bool *same)
{
    phx_archive *archives[2] = {NULL, NULL};
    phx_system *const systems[2] = {one, other};
    const void *bytes[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    phx_status status = PHX_OK;

    for (int k = 0; k < 2 && !status; k++) {
        status = phx_archive_create(context, &archives[k]);
        if (!status && b >= 0)
            write_body(archives[k], systems[k], b);
        else if (!status)
            phx_sys_archive_between(archives[k], systems[k]);
        if (!status)
            status = phx_archive_status(archives[k]);
        if (!status)
            bytes[k] = phx_archive_bytes(archives[k], &size[k]);
    }
    *same = !status && size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0;
    phx_archive_destroy(archives[0]);
    phx_archive_destroy(archives[1]);
    /* bodies and forces that cannot be written count as touched */
    return status == PHX_ERR_UNSUPPORTED ? PHX_OK : status;
}

/* Whether what is between the bodies is made of the numbers of body b: of a load along it, of ports that slide on it.
 */
static bool reaches_out(const phx_system *system, int b)
{
    if (phx_body_places(system->bodies[b].body, NULL, NULL) > 0)
        return true;
    for (int i = 0; i < system->n_forces; i++)
        if ((system->forces[i].kind == FORCE_DISTRIBUTED || system->forces[i].kind == FORCE_WIND) &&
            system->forces[i].body == b)
            return true;
    return false;
}

/* By the bytes that the systems write. */
static phx_status find_touched(const phx_variation *var, phx_variation_parameter *by)
{
    phx_status status = PHX_OK;
    bool same = true;

    by->coupled = var->system->components.any_free;
    for (int k = 0; k < by->n && !status; k++) {
        phx_system *system = by->ws[k]->system;
        by->coupled = by->coupled || memcmp(system->gravity, var->system->gravity, sizeof system->gravity) != 0;
        for (int b = 0; b < system->n_bodies && !status; b++) {
            if (by->touched[b])
                continue;
            status = compare(by->context, var->system, system, b, &same);
            by->touched[b] = !same;
        }
        for (int b = 0; b < system->n_bodies; b++)
            by->coupled = by->coupled || (by->touched[b] && reaches_out(system, b));
        if (status || by->coupled)
            continue;
        status = compare(by->context, var->system, system, -1, &same);
        by->coupled = !same;
    }
    by->any = by->coupled;
    for (int b = 0; b < var->system->n_bodies; b++)
        by->any = by->any || by->touched[b];
    phx_context_clear(by->context);
    return status;
}

/* Borrows the workspaces and finds what the parameter touches. */
phx_status phx_variation_parameter_create(phx_context *context, const phx_variation *variation, int n,
                                          phx_dae *const *daes, const double *weight,
                                          phx_variation_parameter **parameter)
{
    const size_t bodies = (size_t)variation->system->n_bodies;
    phx_variation_parameter *by = phx_calloc(context, 1, sizeof *by);

    *parameter = NULL;
    if (!by)
        return PHX_ERR_MEMORY;
    by->context = context;
    by->n = n;
    by->ws = phx_calloc(context, (size_t)n, sizeof *by->ws);
    by->touched = phx_calloc(context, bodies, sizeof *by->touched);
    const phx_array arrays[] = {{&by->weight, (size_t)n},
                                {&by->p, (size_t)variation->n},
                                {&by->row, (size_t)variation->n},
                                {&by->dw, (size_t)variation->n_l}};
    phx_status status =
        by->ws && by->touched ? phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays) : PHX_ERR_MEMORY;
    for (int k = 0; k < n && !status; k++) {
        by->ws[k] = (workspace *)daes[k];
        by->weight[k] = weight[k];
    }
    if (!status)
        status = find_touched(variation, by);
    if (status)
        phx_variation_parameter_destroy(by);
    else
        *parameter = by;
    return status;
}

void phx_variation_parameter_destroy(phx_variation_parameter *by)
{
    if (!by)
        return;
    phx_free(by->ws);
    phx_free(by->touched);
    phx_arrays_free(4, (double *[]){by->weight, by->p, by->row, by->dw});
    phx_free(by);
}

/* ---- parts of the projection ---- */
void phx_var_mass_by(const phx_variation_parameter *by, const double *x, const double *u, double *out)
{
    for (int k = 0; k < by->n; k++)
        for (int b = 0; b < by->ws[k]->system->n_bodies; b++) {
            const body_slot *slot = &by->ws[k]->system->bodies[b];
            if (!by->touched[b])
                continue;
            phx_body_momenta(slot->body, x + slot->x, u + slot->v, by->p);
            for (int i = 0; i < phx_body_n_v(slot->body); i++)
                out[slot->v + i] += by->weight[k] * by->p[i];
        }
}

void phx_var_rows_by(const phx_variation *var, const phx_variation_parameter *by, const double *u, const double *mu,
                     double *out)
{
    memset(by->dw, 0, (size_t)var->n_l * sizeof *by->dw);
    for (int k = 0; k < by->n && by->coupled && var->n_l > 0; k++) {
        workspace *ws = by->ws[k];
        memset(by->row, 0, (size_t)var->n * sizeof *by->row);
        phx_sys_set_instant(ws, var->x1, u);
        ws->by->clear_efforts(ws);
        ws->by->rows_residual(ws, var->t0 + var->h, 0.0, mu, by->row);
        for (int i = 0; i < var->n; i++)
            out[i] += by->weight[k] * by->row[i];
        for (int i = 0; i < var->n_l; i++)
            by->dw[i] += by->weight[k] * ws->rows.w[i];
    }
}

/* Momenta at the start and impulses as the neighbours have them after the residual of the interval. */
void phx_var_wanted_by(const phx_variation *var, const phx_variation_parameter *by, int index, double *wanted)
{
    const int all = var->system->dim + var->system->n_rot;

    for (int k = 0; k < by->n; k++)
        for (int i = 0; i < var->components[index].per; i++)
            wanted[i] += by->weight[k] * (by->ws[k]->projection.momentum0[index * all + i] +
                                          by->ws[k]->projection.impulse[index * all + i]);
}

/* ---- the step ---- */
/* The residual of a neighbour at the interval at hand: of the bodies that are touched alone, or of everything. */
static phx_status neighbour_residual(const phx_variation *var, const phx_variation_parameter *by, int k, double *res)
{
    workspace *ws = by->ws[k];
    double *end = var->room[1];
    phx_status status = PHX_OK;

    for (int i = 0; i < var->n_v; i++)
        end[i] = 2.0 * var->vm[i] - var->v0[i];
    if (by->coupled) {
        status = ws->base.ops->interval_begin(&ws->base, var->t0, var->h, var->x0, var->v0);
        if (!status)
            status = ws->base.ops->interval_residual(&ws->base, end, var->lambda, NULL, res);
        if (!status && var->system->components.any_free)
            phx_sys_impulses(ws);
        return status;
    }
    memset(res, 0, (size_t)var->n * sizeof *res);
    for (int b = 0; b < var->system->n_bodies; b++) {
        const body_slot *slot = &ws->system->bodies[b];
        phx_body_view view = phx_var_view(var, b);
        view.v1 = end + slot->v;
        view.products = ws->bodies.products[b];
        if (!by->touched[b])
            continue;
        phx_body_interval_begin(slot->body, var->h, view.x0, view.v0, view.products);
        phx_body_interval_residual(slot->body, ws->system->gravity, &view, res + slot->v);
    }
    return PHX_OK;
}

/* dv += weight times the velocity before the projection, of touched bodies. */
static void add_end(const phx_variation *var, const phx_variation_parameter *by, int k, double *dv)
{
    double *end = var->room[1];

    for (int b = 0; b < var->system->n_bodies; b++) {
        const body_slot *slot = &by->ws[k]->system->bodies[b];
        if (!by->touched[b])
            continue;
        for (int i = slot->v; i < slot->v + phx_body_n_v(slot->body); i++)
            end[i] = 2.0 * var->vm[i] - var->v0[i];
        phx_body_interval_finish(slot->body, var->h, var->v0 + slot->v, end + slot->v);
        for (int i = slot->v; i < slot->v + phx_body_n_v(slot->body); i++)
            dv[i] += by->weight[k] * end[i];
    }
}

phx_status phx_variation_by_parameter(phx_variation *var, phx_variation_parameter *by, double *r, double *dv_p)
{
    double *res = var->room[0];
    phx_status status = PHX_OK;

    memset(r, 0, (size_t)var->n * sizeof *r);
    memset(dv_p, 0, (size_t)var->n_v * sizeof *dv_p);
    if (!by->any) /* of the start or of outputs alone */
        return PHX_OK;
    for (int k = 0; k < by->n && !status; k++) {
        status = neighbour_residual(var, by, k, res);
        for (int i = 0; i < var->n; i++)
            r[i] += by->weight[k] * res[i];
        add_end(var, by, k, dv_p);
    }
    return status ? status : phx_var_project_tangent(var, by, NULL, NULL, NULL, dv_p);
}
