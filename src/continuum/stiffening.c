/* Strains of second order of a model with elements: in a basis, what the layer fe makes of them (second_order.c); and
 * the forces that they and stresses make. */
#include "stiffening.h"

#include <string.h>

phx_status continuum_can_stiffen(phx_context *context, const char *name, const phx_elastic_model *model)
{
    if (model->ops->second_order)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_UNSUPPORTED,
                    "'%s': its matrices are all that is known of a %s, and M and K say nothing of strains of second "
                    "order, which stiffening is made of; leave 'stiffening' out, or make the body of a mesh",
                    name, model->ops->kind);
}

/* Room for the rows of an element. */
typedef struct element_rows {
    phx_element_matrices matrices;
    void *room;
    double *second; /* most_stresses x pairs: L2^-1 N */
    double *shape;  /* k x most_unknowns: Phi at the unknowns of the element */
    double *first;  /* most_stresses x k: L2^-1 D Phi */
} element_rows;

static void element_rows_free(element_rows *rows)
{
    phx_free(rows->room);
    phx_free(rows->second);
    phx_free(rows->shape);
    phx_free(rows->first);
}

static phx_status element_rows_create(phx_context *context, const phx_elastic_model *model, int pairs, int k,
                                      element_rows *rows)
{
    const size_t stresses = (size_t)model->most_stresses, unknowns = (size_t)model->most_unknowns;

    memset(rows, 0, sizeof *rows);
    rows->second = phx_calloc(context, stresses * (size_t)pairs + 1, sizeof *rows->second);
    rows->shape = phx_calloc(context, unknowns * (size_t)k + 1, sizeof *rows->shape);
    rows->first = phx_calloc(context, stresses * (size_t)k + 1, sizeof *rows->first);
    if (!rows->second || !rows->shape || !rows->first)
        return PHX_ERR_MEMORY;
    return phx_elastic_element_room(context, model, &rows->matrices, &rows->room);
}

/* L2^-1 N of `count` shapes, and L2^-1 D; *any: the element has some. */
static phx_status second_rows(phx_context *context, const phx_elastic_model *model, int e, int count,
                              const double *shapes, element_rows *rows, bool *any)
{
    *any = model->ops->second_order(model, e, count, shapes, rows->second);
    if (!*any)
        return PHX_OK;
    const phx_status status = phx_elastic_root(context, model, e, &rows->matrices);
    if (!status)
        phx_elastic_root_rows(&rows->matrices, phx_strain_pairs(count), rows->second);
    return status;
}

/* L2^-1 D Phi */
static void first_rows(const phx_elastic_model *model, int e, int k, const double *Phi, element_rows *rows)
{
    const int *unknown = model->unknown + model->first_unknown[e], n = rows->matrices.n_unknowns;

    for (int c = 0; c < k; c++)
        for (int j = 0; j < n; j++)
            rows->shape[(size_t)c * (size_t)n + (size_t)j] = Phi[(size_t)c * (size_t)model->n + (size_t)unknown[j]];
    phx_dense_multiply(false, true, rows->matrices.n_stresses, k, n, 1.0, rows->matrices.D, n, rows->shape, n, 0.0,
                       rows->first, k);
}

/* Strains of second order of all elements in the basis Phi, compressed to one for each pair of slopes,
 * theory-plates 3 (3). */
phx_status continuum_stiffening(phx_context *context, const phx_elastic_model *model, int n_slopes, int k,
                                const double *Phi, phx_flex_stiffening **made)
{
    element_rows rows;
    phx_strain_triangle triangle;
    phx_status status = phx_strain_triangle_create(context, n_slopes, k, model->most_stresses, &triangle);
    const phx_status room = element_rows_create(context, model, phx_strain_pairs(n_slopes), k, &rows);

    status = status ? status : room;
    for (int e = 0; e < model->n_elements && !status; e++) {
        bool any = false;
        status = second_rows(context, model, e, n_slopes, Phi, &rows, &any);
        if (status || !any)
            continue;
        first_rows(model, e, k, Phi, &rows);
        status = phx_strain_triangle_append(context, rows.matrices.n_stresses, rows.second, rows.first, &triangle);
    }
    if (!status)
        status = phx_strain_triangle_finish(context, &triangle, made);
    element_rows_free(&rows);
    phx_strain_triangle_free(&triangle);
    return status;
}

/* ---- forces ---- */
phx_status continuum_second_order_forces(phx_context *context, const phx_elastic_model *model, int count,
                                         const double *shapes, double *force)
{
    const int pairs = phx_strain_pairs(count);
    element_rows rows;
    double *own = phx_calloc(context, (size_t)model->most_unknowns * (size_t)pairs + 1, sizeof *own);
    phx_status status = element_rows_create(context, model, pairs, 0, &rows);

    if (!own)
        status = PHX_ERR_MEMORY;
    memset(force, 0, (size_t)pairs * (size_t)model->n * sizeof *force);
    for (int e = 0; e < model->n_elements && !status; e++) {
        const int *unknown = model->unknown + model->first_unknown[e];
        bool any = false;
        status = second_rows(context, model, e, count, shapes, &rows, &any);
        if (status || !any)
            continue;
        /* -(L2^-1 D)^T (L2^-1 N) */
        const phx_element_matrices *m = &rows.matrices;
        phx_dense_multiply(true, false, m->n_unknowns, pairs, m->n_stresses, -1.0, m->D, m->n_unknowns, rows.second,
                           pairs, 0.0, own, pairs);
        for (int j = 0; j < m->n_unknowns; j++)
            for (int p = 0; p < pairs; p++)
                force[(size_t)p * (size_t)model->n + (size_t)unknown[j]] += own[(size_t)j * (size_t)pairs + (size_t)p];
    }
    element_rows_free(&rows);
    phx_free(own);
    return status;
}

/* sigma = M2^-1 D u0 = L^-T (L^-1 D u0) of element e */
static phx_status stiffening_stresses_of(phx_context *context, const phx_elastic_model *model, int e, const double *u0,
                                         element_rows *rows, double *sigma)
{
    const phx_element_matrices *m = &rows->matrices;
    const phx_status status = phx_elastic_root(context, model, e, &rows->matrices);

    if (status)
        return status;
    first_rows(model, e, 1, u0, rows);
    memcpy(sigma, rows->first, (size_t)m->n_stresses * sizeof *sigma);
    for (int at = 0; at < m->n_stresses; at += m->block)
        phx_dense_triangle_solve(true, m->block, m->compliance + at * m->block, 1, sigma + at);
    return PHX_OK;
}

/* Forces -K_g phi of `count` shapes under the stresses of the displacement u0, added over all elements. */
phx_status continuum_prestress_forces(phx_context *context, const phx_elastic_model *model, const double *u0, int count,
                                      const double *shapes, double *force)
{
    const size_t n = (size_t)model->n;
    element_rows rows;
    double *sigma = phx_calloc(context, (size_t)model->most_stresses + 1, sizeof *sigma);
    phx_status status = element_rows_create(context, model, 0, 1, &rows);

    if (!sigma)
        status = PHX_ERR_MEMORY;
    memset(force, 0, (size_t)count * n * sizeof *force);
    for (int e = 0; e < model->n_elements && !status; e++) {
        status = stiffening_stresses_of(context, model, e, u0, &rows, sigma);
        for (int k = 0; k < model->most_stresses; k++)
            sigma[k] = -sigma[k];
        for (int a = 0; a < count && !status; a++)
            model->ops->second_order_force(model, e, sigma, shapes + (size_t)a * n, force + (size_t)a * n);
    }
    element_rows_free(&rows);
    phx_free(sigma);
    return status;
}
