/* Elasticity in mixed form: sigma = M2^-1 D q, the root B = L2^-1 D with M2 = L2 L2^T, and K = B^T B = D^T M2^-1 D. */
#include "line_mesh.h"

#include <string.h>

/* M2, D, M2^-1 D and L2^-1 D between neighbouring stresses and raw coordinates: of one element when the stresses are
 * discontinuous (the same in every element of a uniform beam), of the whole field when they are not. */
typedef struct element_block {
    int n_stress, n;
    double *compliance, *strain, *stress, *root; /* n_stress x n_stress; n_stress x n */
} element_block;

static void block_free(element_block *block)
{
    phx_free(block->compliance);
    phx_free(block->strain);
    phx_free(block->stress);
    phx_free(block->root);
}

/* M2 = int psi psi^T / stiffness of a section that varies along the element. */
static void varying_compliance(const phx_field *field, int f, int element, phx_section_walk *walk, double *m2)
{
    const phx_shape *stress = &field->element->stress;
    double psi[PHX_SHAPE_MAX];

    memset(m2, 0, (size_t)(stress->count * stress->count) * sizeof *m2);
    for (phx_section_enter(walk, element); phx_section_next(walk);) {
        const phx_beam_def here = phx_section_here(walk);
        phx_field fields[PHX_FIELD_MAX];
        phx_beam_fields(&here, fields);
        phx_shape_evaluate(stress, walk->mesh->h, walk->xi, 0, psi);
        for (int i = 0; i < stress->count; i++)
            for (int j = 0; j < stress->count; j++)
                m2[i * stress->count + j] += walk->mesh->h * walk->weight * psi[i] * psi[j] / fields[f].stiffness;
    }
}

/* M2 and D of `span` elements from number `first` on. */
static void add_elements(const phx_line_mesh *mesh, const phx_beam_def *def, int f, int first, int span,
                         element_block *block)
{
    const phx_field *field = &mesh->field[f];
    const phx_shape *stress = &field->element->stress, *displacement = &field->element->displacement;
    const int ns = block->n_stress, nv = block->n;
    double m2[PHX_SHAPE_MAX * PHX_SHAPE_MAX], d[PHX_SHAPE_MAX * PHX_SHAPE_MAX];
    phx_section_walk walk = phx_section_begin(mesh, def, PHX_GAUSS_MAX);
    phx_element_matrices(field->element, mesh->h, field->stiffness, m2, d);
    for (int e = 0; e < span; e++) {
        if (def->n_stations > 0)
            varying_compliance(field, f, first + e, &walk, m2);
        for (int i = 0; i < stress->count; i++) {
            const int row = e * stress->stride + i;
            for (int j = 0; j < stress->count; j++)
                block->compliance[row * ns + e * stress->stride + j] += m2[i * stress->count + j];
            for (int j = 0; j < displacement->count; j++)
                block->strain[row * nv + e * displacement->stride + j] += d[i * displacement->count + j];
        }
    }
}

/* Elements of a block of a field. */
static int block_span(const phx_line_mesh *mesh, const phx_field *field)
{
    return phx_shape_discontinuous(&field->element->stress) ? 1 : mesh->elements;
}

/* Element matrices of one field: M2, D, B = L2^-1 D and the stresses M2^-1 D (theory 2); one block spans the mesh if
 * the stresses are continuous, else it is that of one element. */
static phx_status block_build(phx_context *context, const phx_line_mesh *mesh, const phx_beam_def *def, int f,
                              int element, element_block *block)
{
    const phx_field *field = &mesh->field[f];
    const int span = block_span(mesh, field), ns = phx_shape_total(&field->element->stress, span),
              nv = phx_shape_total(&field->element->displacement, span);
    const size_t square = (size_t)ns * (size_t)ns, oblong = (size_t)ns * (size_t)nv;
    double *factor = phx_calloc(context, square, sizeof *factor);
    *block = (element_block){.n_stress = ns, .n = nv};
    block->compliance = phx_calloc(context, square, sizeof *block->compliance);
    block->strain = phx_calloc(context, oblong, sizeof *block->strain);
    block->stress = phx_calloc(context, oblong, sizeof *block->stress);
    block->root = phx_calloc(context, oblong, sizeof *block->root);
    phx_status status =
        factor && block->compliance && block->strain && block->stress && block->root ? PHX_OK : PHX_ERR_MEMORY;
    if (status == PHX_OK) {
        add_elements(mesh, def, f, element, span, block);
        /* M2 = L2 L2^T,   B = L2^-1 D,   M2^-1 D = L2^-T B */
        memcpy(factor, block->compliance, square * sizeof *factor);
        memcpy(block->root, block->strain, oblong * sizeof *block->root);
        status = phx_dense_cholesky(context, ns, factor);
    }
    if (status == PHX_OK) {
        phx_dense_triangle_solve(false, ns, factor, nv, block->root);
        memcpy(block->stress, block->root, oblong * sizeof *block->stress);
        phx_dense_triangle_solve(true, ns, factor, nv, block->stress);
    }
    phx_free(factor);
    return status;
}

static phx_status csr_allocate(phx_context *context, int rows, int cols, size_t entries, phx_csr *csr)
{
    *csr = (phx_csr){.rows = rows, .cols = cols};
    csr->ptr = phx_calloc(context, (size_t)rows + 1, sizeof *csr->ptr);
    csr->idx = phx_calloc(context, entries, sizeof *csr->idx);
    csr->val = phx_calloc(context, entries, sizeof *csr->val);
    return csr->ptr && csr->idx && csr->val ? PHX_OK : PHX_ERR_MEMORY;
}

/* Append a row given on raw coordinates. */
static void csr_append(phx_csr *csr, int row, const phx_reference_basis *basis, bool strain, int n, const int *dof,
                       const double *value)
{
    const int at = csr->ptr[row];
    csr->ptr[row + 1] = at + phx_reference_basis_row(basis, strain, n, dof, value, csr->idx + at, csr->val + at);
}

/* Row i of a block of M2, its zeros left out. */
static void append_compliance(const phx_field *field, const element_block *block, int e, int i, phx_csr *compliance)
{
    const int first = field->stress_first + e * block->n_stress, row = first + i;
    int at = compliance->ptr[row];
    for (int j = 0; j < block->n_stress; j++)
        if (block->compliance[i * block->n_stress + j] != 0.0) {
            compliance->idx[at] = first + j;
            compliance->val[at++] = block->compliance[i * block->n_stress + j];
        }
    compliance->ptr[row + 1] = at;
}

/* The rows of field f, block by block. */
static phx_status append_field(phx_context *context, const phx_line_mesh *mesh, const phx_beam_def *def, int f,
                               const phx_reference_basis *basis, int *dof, phx_flex *flex)
{
    const phx_field *field = &mesh->field[f];
    const int blocks = mesh->elements / block_span(mesh, field);
    element_block block = {0};
    phx_status status = PHX_OK;
    for (int e = 0; e < blocks && !status; e++) {
        if (e == 0 || def->n_stations > 0) {
            block_free(&block);
            status = block_build(context, mesh, def, f, e, &block);
        }
        for (int j = 0; j < block.n && !status; j++)
            dof[j] = field->first + e * field->element->displacement.stride + j;
        for (int i = 0; i < block.n_stress && !status; i++) {
            const int row = field->stress_first + e * block.n_stress + i;
            csr_append(&flex->stress, row, basis, true, block.n, dof, block.stress + i * block.n);
            csr_append(&flex->root, row, basis, true, block.n, dof, block.root + i * block.n);
            csr_append(&flex->strain, row, basis, true, block.n, dof, block.strain + i * block.n);
            append_compliance(field, &block, e, i, &flex->compliance);
        }
    }
    block_free(&block);
    return status;
}

/* K = B^T B, row by row of B */
static void square(const phx_csr *root, phx_flex *flex)
{
    for (int row = 0; row < root->rows; row++)
        for (int i = root->ptr[row]; i < root->ptr[row + 1]; i++)
            for (int j = root->ptr[row]; j < root->ptr[row + 1]; j++)
                flex->K[phx_flex_entry(flex, root->idx[i], root->idx[j])] += root->val[i] * root->val[j];
}

/* Assembles stress, root, strain and compliance rows of all fields over q, and K = B^T B (theory 2). */
phx_status phx_line_elastic_assemble(phx_context *context, const phx_line_mesh *mesh, const phx_beam_def *def,
                                     const phx_reference_basis *basis, phx_flex *flex)
{
    size_t entries = 0, own = 0;
    int *dof = phx_calloc(context, (size_t)mesh->n, sizeof *dof);
    phx_status status = dof ? PHX_OK : PHX_ERR_MEMORY;
    for (int f = 0; f < mesh->n_fields; f++) {
        const phx_field *field = &mesh->field[f];
        const size_t rows = (size_t)field->stress_count;
        const int span = block_span(mesh, field);
        entries += rows * (size_t)phx_shape_total(&field->element->displacement, span);
        own += rows * (size_t)phx_shape_total(&field->element->stress, span);
    }
    phx_csr *const rows[] = {&flex->stress, &flex->root, &flex->strain};
    flex->n_stress = mesh->n_stress;
    for (int k = 0; k < 3 && status == PHX_OK; k++)
        status = csr_allocate(context, mesh->n_stress, basis->n, entries, rows[k]);
    if (status == PHX_OK)
        status = csr_allocate(context, mesh->n_stress, mesh->n_stress, own, &flex->compliance);
    for (int f = 0; f < mesh->n_fields && status == PHX_OK; f++)
        status = append_field(context, mesh, def, f, basis, dof, flex);
    if (status == PHX_OK) /* theory 2: K = B^T B, B = L2^-1 D */
        square(&flex->root, flex);
    phx_free(dof);
    return status;
}

/* Slopes of the bending fields at the Gauss points of element e, and its rate of twist phi': rows of `slope`, and their
 * squares. The fibres of a twisted section are longer by 1/2 r^2 phi'^2, in the mean by 1/2 I_p/A phi'^2. */
static void append_slopes(const phx_line_mesh *mesh, const phx_reference_basis *basis, int e, int points,
                          const double *xi, const double *weight, double gyration, phx_flex_stiffening *stiffening)
{
    for (int f = 0; f < mesh->n_fields; f++) {
        const phx_field *field = &mesh->field[f];
        const phx_shape *shape = &field->element->displacement;
        const bool twist = field->role == PHX_ROLE_TORSION;
        if (field->rotation < 0 || (twist && field->gyration == 0.0))
            continue;
        int dof[PHX_SHAPE_MAX];
        double value[PHX_SHAPE_MAX];
        for (int k = 0; k < shape->count; k++)
            dof[k] = field->first + e * shape->stride + k;
        for (int g = 0; g < (twist ? 1 : points); g++) {
            const int row = stiffening->n_slope++;
            phx_shape_evaluate(shape, mesh->h, xi[g], 1, value);
            csr_append(&stiffening->slope, row, basis, false, shape->count, dof, value);
            stiffening->first[row] = stiffening->second[row] = row; /* 1/2 w'^2 */
            stiffening->weight[row] = twist ? gyration : weight[g];
        }
    }
}

/* The mean 1/(int 1/EA / h) of EA and the mean of I_p/A over an element, where they vary. */
static void varying_strain(int element, phx_section_walk *walk, double *axial, double *gyration)
{
    double compliance = 0.0;

    *gyration = 0.0;
    for (phx_section_enter(walk, element); phx_section_next(walk);) {
        const phx_beam_def here = phx_section_here(walk);
        compliance += walk->weight / here.axial_stiffness;
        *gyration += walk->weight * here.polar_inertia / here.mass_per_length;
    }
    *axial = 1.0 / compliance;
}

/* eps_e = (u_{e+1} - u_e)/h + 1/2 mean of |w'|^2 + I_p/A phi'^2 over element e, energy 1/2 EA h eps_e^2 */
phx_status phx_stiffening_assemble(phx_context *context, const phx_line_mesh *mesh, const phx_beam_def *def,
                                   const phx_reference_basis *basis, phx_flex *flex)
{
    const phx_field *axial = &mesh->field[0];
    const phx_shape *shape = &mesh->field[1].element->displacement;
    const int points = phx_gauss_count(2 * (shape->degree - 1)), planes = mesh->dim - 1;
    const int twists = mesh->n_fields > 1 + planes && mesh->field[1 + planes].gyration > 0.0;
    const size_t slopes = (size_t)(mesh->elements * (planes * points + twists)), strains = (size_t)mesh->elements;
    const size_t width = (size_t)phx_reference_basis_row_capacity(basis, false, shape->count);
    double xi[PHX_GAUSS_MAX], weight[PHX_GAUSS_MAX];
    phx_gauss(points, xi, weight);

    phx_flex_stiffening *stiffening = phx_calloc(context, 1, sizeof *stiffening);
    flex->stiffening = stiffening;
    if (!stiffening)
        return PHX_ERR_MEMORY;
    phx_status status = phx_stiffening_allocate(context, mesh->elements, (int)slopes, stiffening);
    stiffening->axial_stiffness = phx_calloc(context, strains, sizeof *stiffening->axial_stiffness);
    stiffening->stress_row = phx_calloc(context, strains, sizeof *stiffening->stress_row);
    if (!stiffening->axial_stiffness || !stiffening->stress_row)
        status = PHX_ERR_MEMORY;
    if (status == PHX_OK)
        status = csr_allocate(context, mesh->elements, basis->n, 2 * strains, &stiffening->lin);
    if (status == PHX_OK)
        status = csr_allocate(context, (int)slopes, basis->n, slopes * width, &stiffening->slope);
    if (status != PHX_OK)
        return status;

    phx_section_walk walk = phx_section_begin(mesh, def, PHX_GAUSS_MAX);
    double EA = axial->stiffness, gyration = mesh->field[mesh->n_fields - 1].gyration; /* of twist */
    for (int e = 0; e < mesh->elements; e++) {
        const int dof[2] = {axial->first + e, axial->first + e + 1};
        if (def->n_stations > 0)
            varying_strain(e, &walk, &EA, &gyration);
        const double difference[2] = {-1.0 / mesh->h, 1.0 / mesh->h};
        csr_append(&stiffening->lin, e, basis, true, 2, dof, difference);
        stiffening->slope_begin[e] = stiffening->product_begin[e] = stiffening->n_slope;
        append_slopes(mesh, basis, e, points, xi, weight, gyration, stiffening);
        stiffening->slope_end[e] = stiffening->product_begin[e + 1] = stiffening->n_slope;
        stiffening->stiffness[e] = EA * mesh->h;
        stiffening->axial_stiffness[e] = EA;
        stiffening->stress_row[e] = axial->stress_first + e;
    }
    return PHX_OK;
}
