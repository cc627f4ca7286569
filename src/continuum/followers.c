/* Shapes for geometric stiffening beside those of a basis: what reduce/followers.c makes orthogonal. With the
 * interfaces held as the modes have them, and R for "the displacement by", there are added
 *
 *   1. R(M (a + A x)), A any matrix: inertia loads of spins, of their changes, on hubs of any radius;
 *   2. R(K_g phi) for the lowest modes phi in the frame, K_g the geometric stiffness by the stresses of 1: how the
 * modes change when the body turns. They join the basis as shapes like its own;
 *   3. R(D^T M2^-1 N_ab), static modal derivatives: what the strains of second order of pairs of shapes make of it.
 *
 * Those of 1 and 3 follow the others: no strains of second order are taken of them. They are orthogonal to the basis,
 * and to each other, in K. */
#include "basis.h"
#include "reduce/reduce.h"
#include "stiffening.h"

#include <string.h>

enum {
    LOADS_MOST = 12, /* inertia loads: 3 directions, constant or along x, y or z */
    PRESTRESSED = 4, /* the lowest shapes that are followed as they change with the stresses */
    PRESTRESSED_MOST = 8
};

/* The shapes of a basis as the layer below has them; they stay those of the basis. */
static phx_shapes family_of(const shapes *basis)
{
    return (phx_shapes){.n = basis->n, .count = basis->count, .y = basis->y, .omega = basis->omega};
}

static void take_family(const phx_shapes *family, shapes *basis)
{
    basis->count = family->count;
    basis->y = family->y;
    basis->omega = family->omega;
}

/* f (model->n) -> the displacement y in the space without rigid motions; work: n of the space. */
static phx_status respond(flexibility *with, const elastic_space *space, const double *f, double *y)
{
    memset(y, 0, (size_t)space->n * sizeof *y);
    phx_csr_apply_transposed(&space->T, 1.0, f, y);
    const phx_status status = flexibility_apply(with, y, y);
    if (!status)
        elastic_space_remove_rigid(space, y);
    return status;
}

/* ---- the shapes ---- */
/* By the inertia loads -M u, u = e_c or x_a e_c. */
static phx_status add_inertia_responses(phx_context *context, const elastic_space *space, flexibility *with,
                                        phx_shapes *to)
{
    const phx_elastic_model *model = space->model;
    const size_t n = (size_t)model->n;
    const int directions = model->ops->edges ? 2 : 3; /* loads across a plate bend it, as its modes do */
    double *u = phx_calloc(context, 2 * n + 1, sizeof *u), *f = u ? u + n : NULL;
    phx_status status = u ? phx_shapes_allocate(context, space->n, LOADS_MOST, to) : PHX_ERR_MEMORY;

    for (int c = 0; c < directions && !status; c++)
        for (int a = -1; a < 3 && !status; a++) {
            for (size_t j = 0; j < n; j++) {
                const double x = a < 0 ? 1.0 : model->node[j] < 0 ? 0.0 : model->x[3 * model->node[j] + a];
                u[j] = x * model->rigid[(size_t)c * n + j];
            }
            memset(f, 0, n * sizeof *f);
            phx_csr_apply(&model->M, 1.0, u, f);
            status = respond(with, space, f, phx_shapes_column(to, to->count++));
        }
    phx_free(u);
    return status;
}

/* By the strains of second order of the pairs of `count` shapes, given in the frame (model->n numbers each). */
static phx_status followers_add_derivatives(phx_context *context, const elastic_space *space, flexibility *with,
                                            int count, const double *Phi, phx_shapes *to)
{
    const size_t n = (size_t)space->model->n;
    const int pairs = count * (count + 1) / 2;
    double *force = phx_calloc(context, (size_t)pairs * n + 1, sizeof *force);
    phx_status status = force ? phx_shapes_allocate(context, space->n, pairs, to) : PHX_ERR_MEMORY;

    if (!status)
        status = continuum_second_order_forces(context, space->model, count, Phi, force);
    for (int p = 0; p < pairs && !status; p++)
        status = respond(with, space, force + (size_t)p * n, phx_shapes_column(to, to->count++));
    phx_free(force);
    return status;
}

/* The body held as for its modes, and what the inertia loads make of it, each of unit energy. */
static phx_status hold_and_load(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                flexibility **with, phx_shapes *loads)
{
    unsigned char *held = phx_calloc(context, (size_t)space->n_all + 1, sizeof *held);
    phx_status status = held ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        basis_hold(def, space, held);
        status = flexibility_create(context, space, held, with);
    }
    if (!status)
        status = add_inertia_responses(context, space, *with, loads);
    if (!status)
        status = phx_shapes_normalise(context, &space->K, loads);
    phx_free(held);
    return status;
}

/* ---- modes as they change with the stresses ---- */
/* u (model->n) of the shapes in a space. */
static phx_status to_unknowns(phx_context *context, const elastic_space *space, const phx_shapes *fields, double **u)
{
    const size_t n = (size_t)space->model->n;

    *u = phx_calloc(context, (size_t)fields->count * n + 1, sizeof **u);
    for (int k = 0; k < fields->count && *u; k++)
        phx_csr_apply(&space->T, 1.0, phx_shapes_column(fields, k), *u + (size_t)k * n);
    return *u ? PHX_OK : PHX_ERR_MEMORY;
}

/* Adds to the basis how its lowest modes change under the stresses of steady spins (theory-plates 3,
 * item 2), at most PRESTRESSED_MOST shapes. */
phx_status basis_add_prestressed(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                 const double *Phi, shapes *basis)
{
    const size_t n = (size_t)space->model->n;
    const int followed = basis->count < PRESTRESSED ? basis->count : PRESTRESSED;
    phx_shapes family = family_of(basis), loads = {0}, changed = {0}, added = {0};
    double *u = NULL, *lowest = NULL, *force = phx_calloc(context, (size_t)followed * n + 1, sizeof *force);
    flexibility *with = NULL;
    phx_status status = force ? hold_and_load(context, def, space, &with, &loads) : PHX_ERR_MEMORY;

    if (!status)
        status = phx_shapes_lowest(context, &space->model->M, &family, Phi, followed, &lowest);
    if (!status)
        status = to_unknowns(context, space, &loads, &u);
    if (!status)
        status = phx_shapes_allocate(context, space->n, loads.count * followed, &changed);
    if (!status)
        status = phx_shapes_allocate(context, space->n, PRESTRESSED_MOST, &added);
    for (int l = 0; l < loads.count && !status; l++) {
        status = continuum_prestress_forces(context, space->model, u + (size_t)l * n, followed, lowest, force);
        for (int a = 0; a < followed && !status; a++)
            status = respond(with, space, force + (size_t)a * n, phx_shapes_column(&changed, changed.count++));
    }
    if (!status)
        status = phx_shapes_scale(context, &space->K, &changed, NULL);
    if (!status)
        status = phx_shapes_join(context, &space->K, &family, PHX_SHAPES_DEPENDENT, PRESTRESSED_MOST, &changed, &added);
    if (!status)
        status = phx_shapes_append(context, &space->M, &added, &family);
    take_family(&family, basis);
    if (!status)
        status = basis_diagonalise(context, def, space, basis);
    flexibility_destroy(with);
    phx_shapes_free(&loads);
    phx_shapes_free(&changed);
    phx_shapes_free(&added);
    phx_free(u);
    phx_free(lowest);
    phx_free(force);
    return status;
}

/* ---- followers ---- */
phx_status basis_add_followers(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                               const double *Phi, shapes *basis)
{
    const int followed = basis->count < PHX_SHAPES_FOLLOWED ? basis->count : PHX_SHAPES_FOLLOWED;
    phx_shapes family = family_of(basis), loads = {0}, derivatives = {0};
    double *lowest = NULL;
    flexibility *with = NULL;
    phx_status status = hold_and_load(context, def, space, &with, &loads);

    if (!status)
        status = phx_shapes_lowest(context, &space->model->M, &family, Phi, followed, &lowest);
    if (!status)
        status = followers_add_derivatives(context, space, with, followed, lowest, &derivatives);
    if (!status)
        status = phx_shapes_follow(context, &space->M, &space->K, 1, &loads, &derivatives, &family);
    take_family(&family, basis);
    flexibility_destroy(with);
    phx_shapes_free(&loads);
    phx_shapes_free(&derivatives);
    phx_free(lowest);
    return status;
}
