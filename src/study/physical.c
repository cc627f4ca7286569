/* Modes by displacements. The coordinates of a body on a mesh are those of its basis, which another parameter changes:
 * its modes change sign, order and mixture. Along a sweep shapes are compared by what they move,
 *
 *     u = R xi + Phi q ,   u^T M u       of bodies on meshes, with the rigid motions R and the mass of the mesh,
 *
 * and by their own coordinates of all others. */
#include "internal.h"

#include "continuum/continuum.h"

#include <string.h>

/* Where a body's part of the shapes is. */
typedef struct part {
    const phx_elastic_model *mesh; /* NULL: its own coordinates */
    const double *Phi;             /* n_q x mesh->n */
    int from, n, to, m;            /* coordinates; entries of the shape by displacements */
} part;

/* The parts of all bodies; returns the number of entries of a shape by displacements. */
static int list_parts(const phx_system *system, part *parts)
{
    int to = 0;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_flex_source *source = phx_system_source(system, b);
        part *slice = &parts[b];
        int x;
        *slice = (part){.n = phx_body_n_v(phx_system_body(system, b)), .to = to};
        phx_system_offsets(system, b, &x, &slice->from);
        slice->mesh = source ? phx_continuum_model(source) : NULL;
        slice->Phi = source ? phx_continuum_basis(source) : NULL;
        if (!slice->Phi || (slice->mesh && (slice->mesh->M.rows != slice->mesh->n || !slice->mesh->rigid)))
            slice->mesh = NULL;
        slice->m = slice->mesh ? slice->mesh->n : slice->n;
        to += slice->m;
    }
    return to;
}

/* u = R xi + Phi q of a body on a mesh, the coordinates of another. */
static void displace(const part *slice, const double *xi, double *u)
{
    if (!slice->mesh) {
        memcpy(u + slice->to, xi + slice->from, (size_t)slice->n * sizeof *u);
        return;
    }
    for (int k = 0; k < slice->n; k++) {
        const double *shape =
            k < 6 ? slice->mesh->rigid + (size_t)k * (size_t)slice->m : slice->Phi + (size_t)(k - 6) * (size_t)slice->m;
        for (int i = 0; i < slice->m; i++)
            u[slice->to + i] += xi[slice->from + k] * shape[i];
    }
}

/* The mass of meshes, and of other bodies their blocks of M. */
static phx_status mass_of(phx_context *context, int n_parts, const part *parts, int n, const phx_csr *M, phx_csr *mass)
{
    size_t room = (size_t)M->ptr[M->rows], count = 0;

    for (int b = 0; b < n_parts; b++)
        room += parts[b].mesh ? (size_t)parts[b].mesh->M.ptr[parts[b].m] : 0;
    int *row = phx_calloc(context, room, sizeof *row), *col = phx_calloc(context, room, sizeof *col);
    double *val = phx_calloc(context, room, sizeof *val);
    phx_status status = row && col && val ? PHX_OK : PHX_ERR_MEMORY;
    for (int b = 0; b < n_parts && !status; b++) {
        const part *slice = &parts[b];
        const phx_csr *own = slice->mesh ? &slice->mesh->M : M;
        const int first = slice->mesh ? 0 : slice->from;
        for (int i = 0; i < slice->m; i++)
            for (int e = own->ptr[first + i]; e < own->ptr[first + i + 1]; e++)
                if (own->idx[e] >= first && own->idx[e] < first + slice->m) {
                    row[count] = slice->to + i;
                    col[count] = slice->to + own->idx[e] - first;
                    val[count++] = own->val[e];
                }
    }
    if (!status)
        status = phx_csr_from_triplets(context, n, n, count, row, col, val, mass);
    phx_free(row);
    phx_free(col);
    phx_free(val);
    return status;
}

/* Expresses mode shapes by nodal displacements of meshed bodies instead of their own coordinates, with the mass matrix
 * to match, so that shapes can be compared between points. Leaves shown and mass untouched if no body has a mesh. */
phx_status phx_physical_shapes(phx_context *context, const phx_system *system, const phx_csr *M,
                               const phx_mode_set *set, phx_mode_set *shown, phx_csr *mass)
{
    const int bodies = phx_system_bodies(system);
    part *parts = phx_calloc(context, (size_t)bodies, sizeof *parts);
    bool meshes = false;

    if (!parts)
        return PHX_ERR_MEMORY;
    const int n = list_parts(system, parts);
    for (int b = 0; b < bodies; b++)
        meshes = meshes || parts[b].mesh;
    phx_status status = meshes ? mass_of(context, bodies, parts, n, M, mass) : PHX_OK;
    if (meshes && !status) {
        const size_t cells = (size_t)set->count * (size_t)n;
        *shown = (phx_mode_set){.n = n, .count = set->count};
        shown->omega = phx_calloc(context, (size_t)set->count, sizeof *shown->omega);
        shown->shapes = phx_calloc(context, cells, sizeof *shown->shapes);
        shown->shapes_imaginary = set->shapes_imaginary ? phx_calloc(context, cells, sizeof *shown->shapes) : NULL;
        if (!shown->omega || !shown->shapes || (set->shapes_imaginary && !shown->shapes_imaginary))
            status = PHX_ERR_MEMORY;
        for (int k = 0; k < set->count && !status; k++) {
            shown->omega[k] = set->omega[k];
            for (int b = 0; b < bodies; b++) {
                displace(&parts[b], set->shapes + (size_t)k * (size_t)set->n, shown->shapes + (size_t)k * (size_t)n);
                if (set->shapes_imaginary)
                    displace(&parts[b], set->shapes_imaginary + (size_t)k * (size_t)set->n,
                             shown->shapes_imaginary + (size_t)k * (size_t)n);
            }
        }
    }
    phx_free(parts);
    return status;
}

/* ---- bases of meshes ---- */
void phx_mesh_bases_free(phx_mesh_bases *bases)
{
    for (int b = 0; bases->bases && b < bases->n; b++)
        phx_free(bases->bases[b].Phi);
    phx_free(bases->bases);
    *bases = (phx_mesh_bases){0};
}

/* Copies for every meshed body its basis Phi, followed by M Phi with the mass matrix of the mesh. */
phx_status phx_mesh_bases_take(phx_context *context, const phx_system *system, phx_mesh_bases *bases)
{
    const int bodies = phx_system_bodies(system);
    part *parts = phx_calloc(context, (size_t)bodies, sizeof *parts);

    *bases = (phx_mesh_bases){.bases = phx_calloc(context, (size_t)bodies, sizeof *bases->bases)};
    phx_status status = parts && bases->bases ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        list_parts(system, parts);
    for (int b = 0; b < bodies && !status; b++) {
        const int count = parts[b].n - 6, m = parts[b].m;
        if (!parts[b].mesh)
            continue;
        const size_t cells = (size_t)count * (size_t)m;
        double *Phi = phx_calloc(context, 2 * cells, sizeof *Phi);
        bases->bases[bases->n++] = (phx_mesh_basis){.at = parts[b].from + 6, .count = count, .m = m, .Phi = Phi};
        if (!Phi) {
            status = PHX_ERR_MEMORY;
            break;
        }
        memcpy(Phi, parts[b].Phi, cells * sizeof *Phi);
        for (int k = 0; k < count; k++)
            phx_csr_apply(&parts[b].mesh->M, 1.0, Phi + (size_t)k * (size_t)m, Phi + cells + (size_t)k * (size_t)m);
    }
    phx_free(parts);
    return status;
}

/* T = (Phi_0^T M Phi_0)^-1 Phi_0^T M Phi, count x count */
static phx_status fit(phx_context *context, const phx_mesh_basis *from, const phx_mesh_basis *to, double *T)
{
    const int count = to->count, m = to->m;
    const double *MPhi = to->Phi + (size_t)count * (size_t)m;
    double *gram = phx_calloc(context, (size_t)count * (size_t)count, sizeof *gram);

    if (!gram)
        return PHX_ERR_MEMORY;
    phx_dense_multiply(false, true, count, count, m, 1.0, MPhi, m, to->Phi, m, 0.0, gram, count);
    phx_dense_multiply(false, true, count, count, m, 1.0, MPhi, m, from->Phi, m, 0.0, T, count);
    const phx_status status = phx_dense_solve(context, count, gram, count, T);
    phx_free(gram);
    return status;
}

/* Fills B with the change from coordinates in the bases `from` to those in the bases `to` of the nominal point: the
 * identity, with a least-squares fit in the mass of the mesh for each body whose basis differs. Fails if meshes or
 * sizes differ, or if `fixed` forbids a change. */
phx_status phx_mesh_bases_change(phx_context *context, const phx_mesh_bases *from, const phx_mesh_bases *to, int n,
                                 bool fixed, double *B)
{
    bool same = from->n == to->n;

    for (int i = 0; i < n; i++)
        B[(size_t)i * (size_t)n + (size_t)i] = 1.0;
    for (int b = 0; b < to->n && same; b++) {
        const phx_mesh_basis *own = &from->bases[b], *nominal = &to->bases[b];
        const int count = nominal->count;
        same = own->at == nominal->at && own->count == count && own->m == nominal->m;
        if (!same || memcmp(own->Phi, nominal->Phi, (size_t)count * (size_t)own->m * sizeof *own->Phi) == 0)
            continue;
        if (fixed)
            return phx_fail(context, PHX_ERR_UNSUPPORTED,
                            "the sweep rebuilds plates or solids, so the coordinates of the descriptor form have "
                            "arbitrary signs and order at each point; use the state-space or second-order form");
        double *T = phx_calloc(context, (size_t)count * (size_t)count, sizeof *T);
        const phx_status status = T ? fit(context, own, nominal, T) : PHX_ERR_MEMORY;
        for (int i = 0; i < count && !status; i++)
            memcpy(B + (size_t)(nominal->at + i) * (size_t)n + (size_t)nominal->at, T + (size_t)i * (size_t)count,
                   (size_t)count * sizeof *B);
        phx_free(T);
        if (status)
            return status;
    }
    return same ? PHX_OK
                : phx_fail(context, PHX_ERR_ANALYSIS,
                           "plates or solids have a different mesh or basis at this point than at the nominal one; the "
                           "plants of a sweep need the same bodies and meshes");
}
