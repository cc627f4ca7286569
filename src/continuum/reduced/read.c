/* A body in its basis, read from a file. Everything that another program could have written wrong is checked. */
#include "reduced.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

phx_status reduced_wrong(phx_h5 *file, const char *path, const char *format, ...)
{
    char what[240];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return phx_fail(phx_h5_context(file), PHX_ERR_FILE, "%s: %s %s; write the body again with 'phlexor reduce'",
                    phx_h5_path(file), path, what);
}

/* ---- arrays ---- */
static bool is_small(size_t extent)
{
    return extent <= INT_MAX / 16;
}

/* A matrix of this extent, finite. */
phx_status reduced_read_into(phx_h5 *file, const char *path, int rows, int cols, double *values)
{
    const size_t count = (size_t)rows * (size_t)cols;
    size_t extent[3];

    if (phx_h5_describe(file, path, extent) != PHX_H5_MATRIX)
        return reduced_wrong(file, path, "is no matrix");
    if (extent[0] != (size_t)rows || extent[1] != (size_t)cols)
        return reduced_wrong(file, path, "has %zu x %zu numbers instead of %d x %d", extent[0], extent[1], rows, cols);
    const phx_status status = phx_h5_read_matrix(file, path, extent[0], extent[1], values, NULL);
    for (size_t k = 0; k < count && !status; k++)
        if (!isfinite(values[k]))
            return reduced_wrong(file, path, "has a number that is not finite in row %zu, column %zu",
                                 k / extent[1] + 1, k % extent[1] + 1);
    return status;
}

static phx_status read_read_number(phx_h5 *file, const char *path, double *value)
{
    size_t extent[3];

    if (phx_h5_describe(file, path, extent) != PHX_H5_NUMBER)
        return reduced_wrong(file, path, "is no number");
    return phx_h5_read_number(file, path, value);
}

phx_status reduced_read_matrix(phx_h5 *file, const char *path, int rows, int cols, double **values)
{
    *values = phx_calloc(phx_h5_context(file), (size_t)rows * (size_t)cols + 1, sizeof **values);
    return *values ? reduced_read_into(file, path, rows, cols, *values) : PHX_ERR_MEMORY;
}

/* A list of integers in [least, most]. */
static phx_status read_integers(phx_h5 *file, const char *path, int least, int most, int *count, int **values)
{
    size_t extent[3];

    if (phx_h5_describe(file, path, extent) != PHX_H5_LIST || !is_small(extent[0]))
        return reduced_wrong(file, path, "is no list of integers");
    *count = (int)extent[0];
    *values = phx_calloc(phx_h5_context(file), extent[0] + 1, sizeof **values);
    if (!*values)
        return PHX_ERR_MEMORY;
    const phx_status status = phx_h5_read_integers(file, path, *count, *values);
    for (int k = 0; k < *count && !status; k++)
        if ((*values)[k] < least || (*values)[k] > most)
            return reduced_wrong(file, path, "has %d at place %d; it must be in [%d, %d]", (*values)[k], k + 1, least,
                                 most);
    return status;
}

/* Rows or columns of a matrix. */
phx_status reduced_extent_of(phx_h5 *file, const char *path, int which, int *extent)
{
    size_t found[3];

    if (phx_h5_describe(file, path, found) != PHX_H5_MATRIX || !is_small(found[0]) || !is_small(found[1]))
        return reduced_wrong(file, path, "is no matrix");
    *extent = (int)found[which];
    return PHX_OK;
}

/* ---- integrals ---- */
static phx_status read_check_symmetry(phx_h5 *file, const reduced_field *field, int n, const double *a)
{
    const double sign = field->a == SKEW ? -1.0 : 1.0;
    double most = 0.0;

    if (field->a == ANY)
        return PHX_OK;
    for (int k = 0; k < n * n; k++)
        most = fmax(most, fabs(a[k]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            if (!(fabs(a[i * n + j] - sign * a[j * n + i]) <= AGREES * most))
                return reduced_wrong(file, field->path, "must be %s; entries %d,%d and %d,%d are %g and %g",
                                     field->a == SKEW ? "antisymmetric" : "symmetric", i + 1, j + 1, j + 1, i + 1,
                                     a[i * n + j], a[j * n + i]);
    return PHX_OK;
}

/* Reads all matrices of the deformation and checks that symmetric and antisymmetric ones are so. */
static phx_status read_fields(phx_h5 *file, phx_flex *flex)
{
    phx_status status = phx_flex_allocate(phx_h5_context(file), true, flex);

    for (int k = 0; k < REDUCED_FIELDS && !status; k++) {
        const reduced_field *field = &reduced_fields[k];
        double *values = *reduced_values(field, flex);
        int rows, cols;
        reduced_extents(field, flex, &rows, &cols);
        if (rows == 0)
            continue;
        status = reduced_read_into(file, field->path, rows, cols, values);
        if (!status)
            status = read_check_symmetry(file, field, flex->n, values);
    }
    return status;
}

/* The mass matrix of the undeformed body is positive definite. */
static phx_status read_check_mass(phx_h5 *file, const phx_flex *flex)
{
    const int size = flex->dim + flex->n_rot + flex->n;
    double *a = phx_calloc(phx_h5_context(file), (size_t)size * (size_t)size, sizeof *a);

    if (!a)
        return PHX_ERR_MEMORY;
    phx_flex_mass_matrix(flex, a);
    phx_status status = phx_dense_cholesky(phx_h5_context(file), size, a);
    phx_free(a);
    if (status && status != PHX_ERR_MEMORY)
        status = reduced_wrong(file, "/M", "with mass, s0, J0, S and C is no positive definite mass matrix");
    return status;
}

static phx_status read_read_rows(phx_h5 *file, const char *path, int rows, int n, double **dense, phx_csr *matrix)
{
    const phx_status status = reduced_read_matrix(file, path, rows, n, dense);
    return status ? status : phx_csr_from_dense(phx_h5_context(file), rows, n, *dense, 0.0, matrix);
}

/* root and stress; K = B^T B. */
static phx_status read_stiffness(phx_h5 *file, phx_flex *flex)
{
    const int n = flex->n;
    double *B = NULL, *stress = NULL, most = 0.0;
    phx_status status = reduced_extent_of(file, "/root", 0, &flex->n_stress);

    if (!status)
        status = read_read_rows(file, "/root", flex->n_stress, n, &B, &flex->root);
    if (!status)
        status = read_read_rows(file, "/stress", flex->n_stress, n, &stress, &flex->stress);
    for (int i = 0; i < n * n && !status; i++)
        most = fmax(most, fabs(flex->K[i]));
    for (int i = 0; i < n && !status; i++)
        for (int j = 0; j <= i && !status; j++) {
            double sum = 0.0;
            for (int r = 0; r < flex->n_stress; r++)
                sum += B[(size_t)r * (size_t)n + (size_t)i] * B[(size_t)r * (size_t)n + (size_t)j];
            if (!(fabs(sum - flex->K[i * n + j]) <= AGREES * most))
                status = reduced_wrong(file, "/K", "is not B^T B with B = /root: entry %d,%d is %g instead of %g",
                                       i + 1, j + 1, flex->K[i * n + j], sum);
        }
    phx_free(B);
    phx_free(stress);
    return status;
}

/* ---- geometric stiffening ---- */
static phx_status read_list(phx_h5 *file, const char *path, int wanted, int most, int *values)
{
    int count = 0, *read = NULL;
    phx_status status = read_integers(file, path, 0, most, &count, &read);

    if (!status && count != wanted)
        status = reduced_wrong(file, path, "has %d entries instead of %d", count, wanted);
    if (!status && count > 0)
        memcpy(values, read, (size_t)count * sizeof *values);
    phx_free(read);
    return status;
}

/* Products of the slopes, strain after strain. */
static phx_status check_strains(phx_h5 *file, const phx_flex_stiffening *st, int n, int products)
{
    static const char path[] = "/stiffening/product_begin";

    if (st->n_slope < 0 || st->n_slope > n || st->n_slope > PHX_STRAIN_SLOPES)
        return reduced_wrong(file, "/stiffening", "has %d slopes; at most %d, and no more than coordinates",
                             st->n_slope, PHX_STRAIN_SLOPES);
    if (st->product_begin[0] != 0 || st->product_begin[st->n_strain] != products)
        return reduced_wrong(file, path, "does not part %d products", products);
    for (int k = 0; k < st->n_strain; k++)
        if (st->product_begin[k] > st->product_begin[k + 1])
            return reduced_wrong(file, path, "descends at strain %d", k + 1);
    return PHX_OK;
}

/* Reads the strains of second order and checks their lists. */
static phx_status read_stiffening(phx_h5 *file, phx_flex *flex)
{
    phx_flex_stiffening *st = flex->stiffening = phx_calloc(phx_h5_context(file), 1, sizeof *st);
    double *lin = NULL;
    int strains = 0, products = 0;
    phx_status status = st ? reduced_extent_of(file, "/stiffening/lin", 0, &strains) : PHX_ERR_MEMORY;

    if (!status)
        status = reduced_extent_of(file, "/stiffening/weight", 1, &products);
    if (!status)
        status = phx_h5_get_integer(file, "/stiffening", "slopes", &st->n_slope);
    if (!status)
        status = phx_stiffening_allocate(phx_h5_context(file), strains, products, st);
    if (!status)
        status = reduced_read_into(file, "/stiffening/weight", 1, products, st->weight);
    if (!status)
        status = read_list(file, "/stiffening/product_begin", strains + 1, products, st->product_begin);
    if (!status)
        status = check_strains(file, st, flex->n, products);
    if (!status)
        status = read_list(file, "/stiffening/first", products, st->n_slope - 1, st->first);
    if (!status)
        status = read_list(file, "/stiffening/second", products, st->n_slope - 1, st->second);
    if (!status)
        status = read_read_rows(file, "/stiffening/lin", strains, flex->n, &lin, &st->lin);
    if (!status)
        status = phx_stiffening_in_basis(phx_h5_context(file), flex->n, st->n_slope, st);
    phx_free(lin);
    return status;
}

/* Reads and checks the deformation: sizes, mass properties, matrices, stiffness and optional stiffening. */
static phx_status read_flex(phx_h5 *file, reduced_source *source)
{
    phx_flex *flex = &source->shape.source.flex;
    phx_status status = reduced_extent_of(file, "/omega", 1, &flex->n);

    if (!status)
        status = reduced_read_dimension(file, &flex->dim);
    flex->n_rot = flex->dim == 2 ? 1 : 3;
    flex->n_pair = flex->dim == 2 ? 1 : PHX_MAX_PAIR;
    if (!status && (flex->n < 1 || flex->n > PHX_REDUCED_MOST))
        status = reduced_wrong(file, "/omega", "has %d coordinates; there must be 1 to %d", flex->n, PHX_REDUCED_MOST);
    if (!status)
        status = reduced_read_matrix(file, "/omega", 1, flex->n, &source->shape.omega);
    if (!status)
        status = read_read_number(file, "/mass", &flex->mass);
    if (!status && !(flex->mass > 0.0 && isfinite(flex->mass)))
        status = reduced_wrong(file, "/mass", "is %g kg", flex->mass);
    if (!status)
        status = reduced_read_into(file, "/s0", 1, flex->dim, flex->s0);
    if (!status)
        status = reduced_read_into(file, "/J0", 1, flex->n_pair, flex->J0);
    if (!status)
        status = read_fields(file, flex);
    if (!status)
        status = read_check_mass(file, flex);
    if (!status)
        status = read_stiffness(file, flex);
    if (!status && phx_h5_has(file, "/stiffening"))
        status = read_stiffening(file, flex);
    return status ? status : phx_flex_make_compact(phx_h5_context(file), flex);
}

/* ---- ports ---- */
/* R^T R = I, det R = 1; dim x dim. */
static bool read_is_rotation(int dim, const double *R)
{
    double worst = 0.0, c[3];

    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            double sum = -(double)(i == j);
            for (int a = 0; a < dim; a++)
                sum += R[a * dim + i] * R[a * dim + j];
            worst = fmax(worst, fabs(sum));
        }
    if (dim == 2)
        return worst <= AGREES && R[0] * R[3] - R[1] * R[2] > 0.0;
    phx_rot_x_vec(3, R, R + 3, c);
    return worst <= AGREES && c[0] * R[6] + c[1] * R[7] + c[2] * R[8] > 0.0;
}

static phx_status check_port(phx_h5 *file, const reduced_source *source, int p)
{
    const int dim = source->shape.source.flex.dim;

    if (!source->names[p][0])
        return reduced_wrong(file, "/ports/name", "has a port without a name, %d", p + 1);
    for (int other = 0; other < p; other++)
        if (!strcmp(source->names[p], source->names[other]))
            return reduced_wrong(file, "/ports/name", "has two ports '%s'", source->names[p]);
    return read_is_rotation(dim, source->rotation + (size_t)(dim * dim) * (size_t)p)
               ? PHX_OK
               : reduced_wrong(file, "/ports/rotation", "of port '%s' is no rotation", source->names[p]);
}

/* Builds the points of all ports from the arrays of the file and checks each. */
static phx_status fill_points(phx_h5 *file, reduced_source *source, const double *x, const double *directions,
                              const double *phi, const double *theta)
{
    const int k = source->shape.source.flex.n;
    const size_t dim = (size_t)source->shape.source.flex.dim, rot = (size_t)source->shape.source.flex.n_rot;
    phx_status status = PHX_OK;

    for (int p = 0; p < source->n_ports && !status; p++) {
        phx_flex_point *point = &source->points[p];
        status = phx_flex_point_allocate(phx_h5_context(file), (int)dim, k, point);
        if (status)
            break;
        memcpy(point->x, x + dim * (size_t)p, dim * sizeof *x);
        point->without_directions = directions[p] == 0.0;
        memcpy(point->phi, phi + dim * (size_t)p * (size_t)k, dim * (size_t)k * sizeof *phi);
        memcpy(point->theta, theta + rot * (size_t)p * (size_t)k, rot * (size_t)k * sizeof *theta);
        status = check_port(file, source, p);
    }
    return status;
}

/* Reads names, places, axes and shape functions of all ports. */
static phx_status read_ports(phx_h5 *file, reduced_source *source)
{
    const int k = source->shape.source.flex.n, dim = source->shape.source.flex.dim,
              rot = source->shape.source.flex.n_rot;
    double *x = NULL, *directions = NULL, *phi = NULL, *theta = NULL;
    phx_status status = phx_h5_read_names(file, "/ports/name", &source->n_ports, &source->names);

    if (!status && !is_small((size_t)source->n_ports * 3))
        status = reduced_wrong(file, "/ports/name", "has too many ports, %d", source->n_ports);
    if (!status &&
        !(source->points = phx_calloc(phx_h5_context(file), (size_t)source->n_ports + 1, sizeof *source->points)))
        status = PHX_ERR_MEMORY;
    if (!status)
        status = reduced_read_matrix(file, "/ports/position", source->n_ports, dim, &x);
    if (!status)
        status = reduced_read_matrix(file, "/ports/rotation", source->n_ports, dim * dim, &source->rotation);
    if (!status)
        status = reduced_read_matrix(file, "/ports/directions", source->n_ports, 1, &directions);
    if (!status)
        status = reduced_read_matrix(file, "/ports/phi", dim * source->n_ports, k, &phi);
    if (!status)
        status = reduced_read_matrix(file, "/ports/theta", rot * source->n_ports, k, &theta);
    if (!status)
        status = fill_points(file, source, x, directions, phi, theta);
    phx_free(x);
    phx_free(directions);
    phx_free(phi);
    phx_free(theta);
    return status;
}

/* ---- the picture ---- */
static const phx_elastic_ops picture_ops = {.kind = "reduced body"};

static phx_status read_nodes(phx_h5 *file, phx_elastic_model *model)
{
    int labels = 0;
    phx_status status = reduced_extent_of(file, "/picture/x", 0, &model->n_nodes);

    if (!status)
        status = reduced_read_matrix(file, "/picture/x", model->n_nodes, 3, &model->x);
    if (!status)
        status = read_integers(file, "/picture/label", 1, INT_MAX, &labels, &model->label);
    if (!status && labels != model->n_nodes)
        status = reduced_wrong(file, "/picture/label", "has %d labels for %d nodes", labels, model->n_nodes);
    return status;
}

static phx_status check_cells(phx_h5 *file, const phx_mesh *mesh, const int *type, int firsts, int nodes)
{
    if (firsts != mesh->n_cells + 1 || mesh->first[0] != 0 || mesh->first[mesh->n_cells] != nodes)
        return reduced_wrong(file, "/picture/cell_first", "does not part the nodes of %d cells", mesh->n_cells);
    for (int c = 0; c < mesh->n_cells; c++) {
        const phx_cell_info *info = phx_cell_info_of((phx_cell_type)type[c]);
        if (mesh->first[c + 1] - mesh->first[c] != info->nodes)
            return reduced_wrong(file, "/picture/cell_first", "gives cell %d, a %s, %d nodes", c + 1, info->name,
                                 mesh->first[c + 1] - mesh->first[c]);
    }
    return PHX_OK;
}

/* Reads the mesh for pictures and checks that its cells are complete. */
static phx_status read_cells(phx_h5 *file, phx_elastic_model *model)
{
    phx_mesh *mesh = &model->mesh;
    phx_context *context = phx_h5_context(file);
    int *type = NULL, firsts = 0, nodes = 0;
    phx_status status = phx_h5_get_integer(file, "/picture", "mesh_nodes", &mesh->n_nodes);

    if (!status && (mesh->n_nodes < 0 || mesh->n_nodes > model->n_nodes)) {
        status = reduced_wrong(file, "/picture", "says that %d of its %d nodes are of the mesh", mesh->n_nodes,
                               model->n_nodes);
        mesh->n_nodes = 0;
    }
    if (!status)
        status = read_integers(file, "/picture/cell_type", 0, PHX_CELL_WEDGE15, &mesh->n_cells, &type);
    if (!status)
        status = read_integers(file, "/picture/cell_first", 0, INT_MAX, &firsts, &mesh->first);
    if (!status)
        status = read_integers(file, "/picture/cell_node", 0, mesh->n_nodes - 1, &nodes, &mesh->node);
    if (!status)
        status = check_cells(file, mesh, type, firsts, nodes);
    if (!status) {
        mesh->x = phx_calloc(context, 3 * (size_t)mesh->n_nodes + 1, sizeof *mesh->x);
        mesh->label = phx_calloc(context, (size_t)mesh->n_nodes + 1, sizeof *mesh->label);
        mesh->type = phx_calloc(context, (size_t)mesh->n_cells + 1, sizeof *mesh->type);
        status = mesh->x && mesh->label && mesh->type ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status) {
        memcpy(mesh->x, model->x, 3 * (size_t)mesh->n_nodes * sizeof *mesh->x);
        memcpy(mesh->label, model->label, (size_t)mesh->n_nodes * sizeof *mesh->label);
    }
    for (int c = 0; c < mesh->n_cells && !status; c++)
        mesh->type[c] = (phx_cell_type)type[c];
    phx_free(type);
    return status;
}

/* Reads which node and component each row of Phi is, and Phi itself. */
static phx_status read_basis(phx_h5 *file, reduced_source *source)
{
    phx_elastic_model *model = source->shape.model;
    int components = 0;
    phx_status status = read_integers(file, "/picture/unknown_node", 0, model->n_nodes - 1, &model->n, &model->node);

    if (!status)
        status =
            read_integers(file, "/picture/unknown_component", 0, PHX_UNKNOWN_OTHER - 1, &components, &model->component);
    if (!status && components != model->n)
        status =
            reduced_wrong(file, "/picture/unknown_component", "has %d entries for %d unknowns", components, model->n);
    return status
               ? status
               : reduced_read_matrix(file, "/picture/Phi", source->shape.source.flex.n, model->n, &source->shape.Phi);
}

static phx_status read_picture(phx_h5 *file, reduced_source *source)
{
    phx_elastic_model *model = phx_calloc(phx_h5_context(file), 1, sizeof *model);

    if (!model)
        return PHX_ERR_MEMORY;
    model->ops = &picture_ops;
    source->shape.model = model;
    phx_status status = read_nodes(file, model);
    if (!status)
        status = read_cells(file, model);
    return status ? status : read_basis(file, source);
}

/* ---- stresses; files of earlier versions have none, or no products ---- */
static phx_status read_pairs(phx_h5 *file, reduced_source *source)
{
    int count = 0;

    if (!phx_h5_has(file, "/stresses/pairs"))
        return PHX_OK;
    const phx_status status =
        read_integers(file, "/stresses/pairs", 0, source->shape.source.flex.n - 1, &count, &source->pair);
    source->n_pairs = count / 2;
    return status || count % 2 == 0 ? status
                                    : reduced_wrong(file, "/stresses/pairs", "has %d entries, not two each", count);
}

/* With their products, or without where these would be too many. */
static phx_status read_nodal(phx_h5 *file, reduced_source *source)
{
    const int n = source->shape.source.flex.n;
    int columns = 0;
    const phx_status status = reduced_extent_of(file, "/stresses/nodes", 1, &columns);

    source->node_pairs = columns == n ? 0 : source->n_pairs;
    return status ? status
                  : reduced_read_matrix(file, "/stresses/nodes",
                                        source->shape.model->mesh.n_nodes * phx_stress_components(source->stresses),
                                        n + source->node_pairs, &source->shape.nodal);
}

/* Reads the stresses at nodes and ports, if the file has them. */
static phx_status read_stresses(phx_h5 *file, reduced_source *source)
{
    const int nodes = source->shape.model->mesh.n_nodes;
    char *set = NULL;

    if (!phx_h5_has(file, "/stresses"))
        return PHX_OK;
    phx_status status = phx_h5_get_text(file, "/stresses", "set", &set);
    if (!status)
        source->stresses = phx_stress_set_named(set);
    phx_free(set);
    if (!status && (source->stresses == PHX_STRESSES_NONE || source->stresses == PHX_STRESSES_EDGE ||
                    source->stresses == PHX_STRESSES_CORNER))
        status = reduced_wrong(file, "/stresses", "has an unknown set of stresses");
    if (!status)
        status = read_pairs(file, source);
    if (!status)
        status = read_nodal(file, source);
    if (!status)
        status = reduced_read_matrix(file, "/stresses/thickness", 1, nodes, &source->shape.thickness);
    return status
               ? status
               : reduced_read_matrix(file, "/stresses/ports", source->n_ports * phx_stress_components(source->stresses),
                                     source->shape.source.flex.n + source->n_pairs, &source->port_stress);
}

/* ---- the boundary of a plate; files of earlier versions have none ---- */
static phx_status read_degree(phx_h5 *file, const char *name, int *degree)
{
    const phx_status status = phx_h5_get_integer(file, "/edges", name, degree);
    return status || (*degree >= 0 && *degree <= PHX_PLATE_EDGE_DEGREE)
               ? status
               : reduced_wrong(file, "/edges", "has %s %d; it must be in [0, %d]", name, *degree,
                               PHX_PLATE_EDGE_DEGREE);
}

/* Closed lines: where an edge begins another one ends, and none is a point. */
static phx_status check_ends(phx_h5 *file, const phx_plate_edges *edges, const double *x)
{
    for (int k = 0; k < edges->n; k++) {
        const int a = edges->end[2 * k], b = edges->end[2 * k + 1];
        if (!(hypot(x[3 * a] - x[3 * b], x[3 * a + 1] - x[3 * b + 1]) > 0.0))
            return reduced_wrong(file, "/edges/end", "gives edge %d no length", k + 1);
        if (edges->in[a] < 0 || edges->out[b] < 0)
            return reduced_wrong(file, "/edges/end", "leaves edge %d without another one at an end", k + 1);
    }
    return PHX_OK;
}

/* Reads the nodes of the ports, a list for each port. */
static phx_status read_port_nodes(phx_h5 *file, reduced_source *source)
{
    int firsts = 0, nodes = 0;
    phx_status status =
        read_integers(file, "/edges/port_node", 0, source->shape.model->mesh.n_nodes - 1, &nodes, &source->port_node);

    if (!status)
        status = read_integers(file, "/edges/port_first", 0, nodes, &firsts, &source->port_first);
    if (!status && (firsts != source->n_ports + 1 || source->port_first[source->n_ports] != nodes))
        status = reduced_wrong(file, "/edges/port_first", "does not part the nodes of %d ports", source->n_ports);
    for (int p = 0; p < source->n_ports && !status; p++)
        if (source->port_first[p] > source->port_first[p + 1])
            status = reduced_wrong(file, "/edges/port_first", "descends behind port %d", p + 1);
    return status;
}

/* Reads the edge resultants of a plate, if the file has them, and checks that edges and degrees fit. */
static phx_status read_edges(phx_h5 *file, reduced_source *source)
{
    phx_plate_edges *edges = &source->edges;
    const phx_mesh *mesh = &source->shape.model->mesh;
    int ends = 0;

    if (!phx_h5_has(file, "/edges"))
        return PHX_OK;
    edges->nodes = mesh->n_nodes;
    edges->cols = source->shape.source.flex.n;
    phx_status status =
        source->stresses == PHX_STRESSES_PLATE ? PHX_OK : reduced_wrong(file, "/edges", "is of no plate");
    if (!status)
        status = read_degree(file, "shear_degree", &edges->shear);
    if (!status)
        status = read_degree(file, "moment_degree", &edges->moment);
    if (!status && edges->shear < 1)
        status = reduced_wrong(file, "/edges", "has shear_degree 0; it must be 1 at least");
    if (!status)
        status = read_integers(file, "/edges/end", 0, mesh->n_nodes - 1, &ends, &edges->end);
    if (!status)
        status = read_integers(file, "/edges/begin", 0, 2, &edges->n, &edges->begin);
    if (!status && (ends != 2 * edges->n || edges->n < 1))
        status = reduced_wrong(file, "/edges/end", "has %d entries for %d edges", ends, edges->n);
    if (!status)
        status = reduced_read_matrix(file, "/edges/shear", edges->n * (edges->shear + 1), edges->cols, &edges->V);
    if (!status)
        status = reduced_read_matrix(file, "/edges/moment", 2 * edges->n * (edges->moment + 1), edges->cols, &edges->M);
    if (!status)
        status = reduced_read_matrix(file, "/edges/corner", edges->n, edges->cols, &edges->R);
    if (!status)
        status = phx_plate_edges_join(phx_h5_context(file), edges);
    if (!status)
        status = check_ends(file, edges, mesh->x);
    return status ? status : read_port_nodes(file, source);
}

/* ---- the file ---- */
phx_status phx_reduced_read(phx_context *context, const char *path, phx_flex_source **source)
{
    phx_h5 *file = NULL;
    reduced_source *projected_source = NULL;

    if (!path || !source)
        return phx_fail_null(context, __func__, "path or source");
    *source = NULL;
    phx_status status = phx_h5_open(context, path, &file);
    if (status)
        return status;
    status = phx_h5_expect(file, PHX_FORMAT_BODY);
    if (!status && !(projected_source = phx_calloc(context, 1, sizeof *projected_source)))
        status = PHX_ERR_MEMORY;
    if (!status) {
        projected_source->shape.source.operations = &reduced_operations;
        status = read_read_number(file, "/frequency_error", &projected_source->shape.quality.frequency);
    }
    if (!status)
        status = read_read_number(file, "/flexibility_error", &projected_source->shape.quality.flexibility);
    if (!status)
        status = read_flex(file, projected_source);
    if (!status)
        status = read_ports(file, projected_source);
    if (!status && phx_h5_has(file, "/beam")) {
        projected_source->shape.source.operations = &reduced_beam_operations;
        status = reduced_read_beam(file, projected_source);
    } else if (!status) {
        status = read_picture(file, projected_source);
        if (!status)
            status = read_stresses(file, projected_source);
        if (!status)
            status = read_edges(file, projected_source);
    }
    phx_h5_close(file);
    if (!status)
        *source = &projected_source->shape.source;
    else if (projected_source)
        phx_flex_source_destroy(&projected_source->shape.source);
    return status;
}
