/* A body in its basis, written to a file. */
#include "reduced.h"

#include <string.h>

typedef struct reduced_content {
    const char *name, *kind;
    const phx_flex_source *source;
    const continuum_source *shape; /* the same of a body on a mesh or of another program; NULL: a beam */
    const double *section;         /* of a beam; NULL: not known */
    int n_ports;
    const phx_reduced_port *ports;
} reduced_content;

void reduced_put_matrix(phx_h5 *file, const char *path, int rows, int cols, const double *values, const char *meaning,
                        const char *unit)
{
    phx_h5_put_matrix(file, path, (size_t)rows, (size_t)cols, values, NULL);
    phx_h5_set_text(file, path, "meaning", meaning);
    phx_h5_set_text(file, path, "unit", unit);
}

static phx_status write_put_sparse(phx_h5 *file, const char *path, const phx_csr *matrix, const char *meaning,
                                   const char *unit)
{
    double *dense = phx_calloc(phx_h5_context(file), (size_t)matrix->rows * (size_t)matrix->cols + 1, sizeof *dense);

    if (!dense)
        return PHX_ERR_MEMORY;
    phx_csr_to_dense(matrix, dense);
    reduced_put_matrix(file, path, matrix->rows, matrix->cols, dense, meaning, unit);
    phx_free(dense);
    return PHX_OK;
}

/* The strains of geometric stiffening in a basis: their linear parts, and lists of the products of coordinates. */
static phx_status put_stiffening(phx_h5 *file, const phx_flex_stiffening *st)
{
    const int products = st->product_begin[st->n_strain];

    phx_h5_make_group(file, "/stiffening");
    phx_h5_set_integer(file, "/stiffening", "slopes", st->n_slope);
    phx_h5_set_text(file, "/stiffening", "meaning",
                    "strain k: lin[k] q + 1/2 sum of weight[p] q[first[p]] q[second[p]], p from product_begin[k] to "
                    "product_begin[k + 1] - 1; energy 1/2 strain^2, that of lin[k] q alone being part of K; first and "
                    "second are below the number of slopes");
    phx_h5_put_integers(file, "/stiffening/product_begin", st->n_strain + 1, st->product_begin);
    phx_h5_put_integers(file, "/stiffening/first", products, st->first);
    phx_h5_put_integers(file, "/stiffening/second", products, st->second);
    reduced_put_matrix(file, "/stiffening/weight", 1, products, st->weight, "weight of each product", "1/(kg^1/2 m s)");
    return write_put_sparse(file, "/stiffening/lin", &st->lin, "linear part of the strains", "1/s");
}

/* The circular frequencies of the coordinates; of a beam each by itself. */
static phx_status put_frequencies(phx_h5 *file, const reduced_content *content)
{
    const phx_flex *flex = &content->source->flex;
    double *omega = phx_calloc(phx_h5_context(file), (size_t)flex->n + 1, sizeof *omega);

    if (!omega)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < flex->n; k++)
        omega[k] = content->shape ? content->shape->omega[k] : phx_flex_frequency(flex, k);
    reduced_put_matrix(file, "/omega", 1, flex->n, omega, "circular frequencies of the coordinates", "rad/s");
    phx_free(omega);
    return PHX_OK;
}

/* A matrix on the pattern of the flex, or a full one. */
static phx_status put_field(phx_h5 *file, const reduced_field *field, phx_flex *flex)
{
    double *values = *reduced_values(field, flex);
    int rows, cols;

    reduced_extents(field, flex, &rows, &cols);
    if (rows == 0)
        return PHX_OK;
    if (field->rows == EXTENT_N) {
        const phx_csr sparse = {flex->n, flex->n, flex->ptr, flex->idx, values};
        return write_put_sparse(file, field->path, &sparse, field->meaning, field->unit);
    }
    reduced_put_matrix(file, field->path, rows, cols, values, field->meaning, field->unit);
    return PHX_OK;
}

/* Writes frequencies, mass properties and matrices of the deformation. */
static phx_status put_body(phx_h5 *file, const reduced_content *content)
{
    phx_flex flex = content->source->flex; /* its fields are read */
    phx_status status = put_frequencies(file, content);

    phx_h5_put_number(file, "/mass", flex.mass);
    phx_h5_set_text(file, "/mass", "unit", "kg");
    reduced_put_matrix(file, "/s0", 1, flex.dim, flex.s0, "first moment about the origin, undeformed", "kg m");
    reduced_put_matrix(file, "/J0", 1, flex.n_pair, flex.J0,
                       "inertia about the origin, pairs 11 22 33 12 13 23, plane: zz", "kg m^2");
    for (int k = 0; k < REDUCED_FIELDS && !status; k++)
        status = put_field(file, &reduced_fields[k], &flex);
    if (!status)
        status = write_put_sparse(file, "/root", &flex.root, "B, K = B^T B", "1/s");
    if (!status)
        status = write_put_sparse(file, "/stress", &flex.stress, "stress state by the coordinates", "1/s");
    return status || !flex.stiffening ? status : put_stiffening(file, flex.stiffening);
}

/* Points of the ports: displacement and rotation, 3 rows each; in the plane 2 and 1. */
static phx_status write_put_points(phx_h5 *file, const reduced_content *content)
{
    const phx_flex_source *source = content->source;
    const size_t k = (size_t)source->flex.n, dim = (size_t)source->flex.dim, rot = (size_t)source->flex.n_rot;
    phx_context *context = phx_h5_context(file);
    double *rows = phx_calloc(context, 6 * k, sizeof *rows);
    phx_status status = rows ? PHX_OK : PHX_ERR_MEMORY;

    phx_h5_make_rows(file, "/ports/position", (size_t)content->n_ports, dim);
    phx_h5_make_rows(file, "/ports/rotation", (size_t)content->n_ports, dim * dim);
    phx_h5_make_rows(file, "/ports/directions", (size_t)content->n_ports, 1);
    phx_h5_make_rows(file, "/ports/phi", dim * (size_t)content->n_ports, k);
    phx_h5_make_rows(file, "/ports/theta", rot * (size_t)content->n_ports, k);
    for (size_t p = 0; p < (size_t)content->n_ports && !status; p++) {
        phx_flex_point point = {.n = 0};
        status = phx_flex_source_point(source, context, content->ports[p].location, &point);
        memset(rows, 0, 6 * k * sizeof *rows);
        for (int c = 0; c < point.n && !status; c++) {
            for (size_t a = 0; a < dim; a++)
                rows[a * k + (size_t)point.dof[c]] = point.phi[a * (size_t)point.n + (size_t)c];
            for (size_t a = 0; a < rot; a++)
                rows[(3 + a) * k + (size_t)point.dof[c]] = point.theta[a * (size_t)point.n + (size_t)c];
        }
        phx_h5_put_rows(file, "/ports/position", p, 1, point.x);
        phx_h5_put_rows(file, "/ports/rotation", p, 1, content->ports[p].rotation);
        phx_h5_put_rows(file, "/ports/directions", p, 1, &(double){!point.without_directions});
        phx_h5_put_rows(file, "/ports/phi", dim * p, dim, rows);
        phx_h5_put_rows(file, "/ports/theta", rot * p, rot, rows + 3 * k);
        phx_flex_point_free(&point);
    }
    phx_free(rows);
    return status;
}

static phx_status put_ports(phx_h5 *file, const reduced_content *content)
{
    const char **names = phx_calloc(phx_h5_context(file), (size_t)content->n_ports + 1, sizeof *names);

    if (!names)
        return PHX_ERR_MEMORY;
    for (int p = 0; p < content->n_ports; p++)
        names[p] = content->ports[p].name;
    phx_h5_make_group(file, "/ports");
    phx_h5_put_names(file, "/ports/name", content->n_ports, names);
    phx_free((void *)names);
    return write_put_points(file, content);
}

/* ---- the picture: nodes, cells, and the basis at the unknowns that belong to nodes ---- */
static bool is_placed(const phx_elastic_model *model, int j)
{
    return model->node[j] >= 0 && model->component[j] < PHX_UNKNOWN_OTHER;
}

/* The translations of nodes that others carry: node and axis 0 .. 2; their number. */
static int find_carried(const phx_elastic_model *model, const int *at, int *node, int *axis)
{
    int count = 0, unknown[3];
    double factor[3];

    for (int k = 0; k < 3 * model->n_nodes && model->carrier; k++)
        if (model->carrier[k / 3] >= 0 && at[6 * (k / 3) + k % 3] < 0 &&
            phx_elastic_displacement(model, at, k / 3, k % 3, unknown, factor) > 0) {
            node[count] = k / 3;
            axis[count++] = k % 3;
        }
    return count;
}

/* Writes the shapes Phi of the unknowns that belong to a node and a direction, then those of carried nodes. */
static phx_status put_basis(phx_h5 *file, const continuum_source *shape)
{
    const phx_elastic_model *model = shape->model;
    phx_context *context = phx_h5_context(file);
    const size_t n = (size_t)model->n, most = n + (model->carrier ? 3 * (size_t)model->n_nodes : 0);
    int count = 0, carried = 0, *at = NULL, unknown[3];
    int *node = phx_calloc(context, most + 1, sizeof *node),
        *component = phx_calloc(context, most + 1, sizeof *component);
    double *column = phx_calloc(context, most + 1, sizeof *column), factor[3];
    phx_status status = node && component && column ? PHX_OK : PHX_ERR_MEMORY;

    for (int j = 0; j < model->n && !status; j++)
        if (is_placed(model, j)) {
            node[count] = model->node[j];
            component[count++] = model->component[j];
        }
    if (!status && model->carrier)
        status = phx_elastic_places(context, model, &at);
    if (!status) {
        carried = find_carried(model, at, node + count, component + count);
        phx_h5_put_integers(file, "/picture/unknown_node", count + carried, node);
        phx_h5_put_integers(file, "/picture/unknown_component", count + carried, component);
        phx_h5_make_rows(file, "/picture/Phi", (size_t)shape->source.flex.n, (size_t)(count + carried));
    }
    for (size_t k = 0; k < (size_t)shape->source.flex.n && !status && count > 0; k++) {
        const double *Phi = shape->Phi + k * n;
        int next = 0;
        for (int j = 0; j < model->n; j++)
            if (is_placed(model, j))
                column[next++] = Phi[j];
        for (; next < count + carried; next++) {
            column[next] = 0.0;
            for (int t = phx_elastic_displacement(model, at, node[next], component[next], unknown, factor) - 1; t >= 0;
                 t--)
                column[next] += factor[t] * Phi[unknown[t]];
        }
        phx_h5_put_rows(file, "/picture/Phi", k, 1, column);
    }
    phx_free(at);
    phx_free(node);
    phx_free(component);
    phx_free(column);
    return status;
}

/* Writes the cells of the mesh for pictures. */
static phx_status write_put_cells(phx_h5 *file, const phx_mesh *mesh)
{
    static const int none[1] = {0};
    int *types = phx_calloc(phx_h5_context(file), (size_t)mesh->n_cells + 1, sizeof *types);

    if (!types)
        return PHX_ERR_MEMORY;
    for (int c = 0; c < mesh->n_cells; c++)
        types[c] = (int)mesh->type[c];
    phx_h5_set_integer(file, "/picture", "mesh_nodes", mesh->n_nodes);
    phx_h5_put_integers(file, "/picture/cell_type", mesh->n_cells, types);
    phx_h5_put_integers(file, "/picture/cell_first", mesh->n_cells + 1, mesh->first ? mesh->first : none);
    phx_h5_put_integers(file, "/picture/cell_node", mesh->n_cells ? mesh->first[mesh->n_cells] : 0, mesh->node);
    phx_free(types);
    return PHX_OK;
}

static phx_status put_nodes(phx_h5 *file, const phx_elastic_model *model)
{
    int *label = phx_calloc(phx_h5_context(file), (size_t)model->n_nodes + 1, sizeof *label);

    if (!label)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < model->n_nodes; i++)
        label[i] = model->label ? model->label[i] : i + 1;
    phx_h5_make_group(file, "/picture");
    phx_h5_put_matrix(file, "/picture/x", (size_t)model->n_nodes, 3, model->x, NULL);
    phx_h5_put_integers(file, "/picture/label", model->n_nodes, label);
    phx_free(label);
    return PHX_OK;
}

/* ---- stresses at the nodes and at the ports, thickness ---- */
/* Products of coordinates at so many numbers of all nodes; beyond they stand at the ports alone. */
enum { MOST_SECOND = 1 << 25 };

/* Rows of a map, without the columns of initial strains. */
static void put_map(phx_h5 *file, const char *path, size_t first, const phx_stress_map *map)
{
    const size_t all = (size_t)phx_stress_map_columns(map), kept = (size_t)(map->n + map->n_pairs);
    const size_t rows = (size_t)map->points * (size_t)phx_stress_components(map->set);

    for (size_t r = 1; r < rows && kept < all; r++)
        memmove(map->rows + r * kept, map->rows + r * all, kept * sizeof *map->rows);
    phx_h5_put_rows(file, path, first, rows, map->rows);
}

/* A port on what is no part of the mesh (an imported body's, a node of its own) has none: 0. */
static phx_status put_port_stresses(phx_h5 *file, const reduced_content *content, phx_stress_set set)
{
    const phx_flex_source *source = &content->shape->source;
    const size_t components = (size_t)phx_stress_components(set);
    phx_status status = PHX_OK;

    for (size_t p = 0; p < (size_t)content->n_ports && !status; p++) {
        phx_stress_map map;
        status = phx_flex_source_stress_map(source, phx_h5_context(file), set, content->ports[p].location, &map);
        if (status)
            break;
        if (p == 0) {
            phx_h5_make_rows(file, "/stresses/ports", (size_t)content->n_ports * components,
                             (size_t)(map.n + map.n_pairs));
            if (map.n_pairs > 0)
                phx_h5_put_integers(file, "/stresses/pairs", 2 * map.n_pairs, map.pair);
        }
        put_map(file, "/stresses/ports", p * components, &map);
        phx_stress_map_free(&map);
    }
    if (content->n_ports == 0)
        phx_h5_make_rows(file, "/stresses/ports", 0, (size_t)source->flex.n);
    return status;
}

/* Whether the products of a body with stiffening fit at all nodes. */
static bool products_fit(phx_h5 *file, const reduced_content *content, phx_stress_set set)
{
    const phx_flex_stiffening *stiffening = content->shape->source.flex.stiffening;
    const double numbers = (double)content->shape->model->mesh.n_nodes * phx_stress_components(set) *
                           phx_strain_pairs(stiffening ? stiffening->n_slope : 0);

    if (numbers > MOST_SECOND)
        phx_log(
            phx_h5_context(file), PHX_LOG_WARNING,
            "'%s': the stresses of second order at its nodes would take %.0f MB; the file has stresses at its ports "
            "alone",
            content->name, numbers * sizeof(double) / 1e6);
    return numbers <= MOST_SECOND;
}

/* Writes the rows of the stresses at all nodes; products of coordinates are left out if they would be too many. */
static phx_status put_node_stresses(phx_h5 *file, const reduced_content *content, phx_stress_set set)
{
    const phx_flex_source *source = &content->shape->source;
    const size_t rows = (size_t)content->shape->model->mesh.n_nodes * (size_t)phx_stress_components(set);
    phx_stress_map map = {.n = source->flex.n,
                          .n_strains = phx_flex_source_strains(source),
                          .set = set,
                          .points = content->shape->model->mesh.n_nodes};
    phx_status status;

    if (products_fit(file, content, set)) {
        status = phx_flex_source_stress_map(source, phx_h5_context(file), set, NULL, &map);
    } else {
        map.rows = phx_calloc(phx_h5_context(file), rows * (size_t)phx_stress_map_columns(&map) + 1, sizeof *map.rows);
        status =
            map.rows ? source->operations->stress_rows(source, phx_h5_context(file), NULL, map.rows) : PHX_ERR_MEMORY;
    }
    if (!status) {
        phx_h5_make_rows(file, "/stresses/nodes", rows, (size_t)(map.n + map.n_pairs));
        phx_h5_set_text(file, "/stresses/nodes", "meaning",
                        "stresses at the nodes by the coordinates, with stiffening then by the products of coordinates "
                        "that /stresses/pairs lists, the components of a node together");
        phx_h5_set_text(file, "/stresses/nodes", "unit", "SI");
        put_map(file, "/stresses/nodes", 0, &map);
    }
    phx_stress_map_free(&map);
    return status;
}

/* ---- the boundary of a plate ---- */
/* nodes of the model: those of the port at a location, no others */
static void mark_port(const reduced_content *content, const phx_location *location, unsigned char *nodes)
{
    const phx_elastic_model *model = content->shape->model;
    const int node = location->sort == PHX_LOCATION_NODE ? continuum_node_labelled(model, location->node) : -1;

    memset(nodes, 0, (size_t)model->n_nodes);
    if (node >= 0)
        nodes[node] = 1;
    else if (location->sort == PHX_LOCATION_NAME && content->source->operations == &reduced_operations)
        reduced_port_nodes(content->source, location->name, nodes);
    else if (location->sort == PHX_LOCATION_NAME)
        continuum_port_nodes(content->source, location->name, nodes);
}

/* The nodes of the mesh that each port has. */
static phx_status put_port_nodes(phx_h5 *file, const reduced_content *content, int nodes)
{
    phx_context *context = phx_h5_context(file);
    const size_t ports = (size_t)content->n_ports;
    int *first = phx_calloc(context, ports + 1, sizeof *first), *list = NULL;
    unsigned char *has = phx_calloc(context, (size_t)content->shape->model->n_nodes + 1, 1);
    phx_status status = first && has ? PHX_OK : PHX_ERR_MEMORY;

    for (size_t p = 0; p < ports && !status; p++) {
        mark_port(content, content->ports[p].location, has);
        int *longer = phx_realloc(context, list, (size_t)first[p] + (size_t)nodes + 1, sizeof *list);
        if (!longer) {
            status = PHX_ERR_MEMORY;
            break;
        }
        list = longer;
        first[p + 1] = first[p];
        for (int i = 0; i < nodes; i++)
            if (has[i])
                list[first[p + 1]++] = i;
    }
    if (!status) {
        phx_h5_put_integers(file, "/edges/port_first", content->n_ports + 1, first);
        phx_h5_put_integers(file, "/edges/port_node", first[ports], list ? list : first);
    }
    phx_free(first);
    phx_free(list);
    phx_free(has);
    return status;
}

/* Writes the polynomials of shear force and moments along the boundary edges and the corner forces. */
static void put_edge_rows(phx_h5 *file, const phx_plate_edges *edges)
{
    const int n = edges->n, cols = edges->cols;

    phx_h5_make_group(file, "/edges");
    phx_h5_set_text(file, "/edges", "meaning",
                    "the edges of the boundary, the plate to the left of each, by both ends, nodes of the mesh; along "
                    "each polynomials, by their values at 0, 1/degree ... 1, and the coordinates");
    phx_h5_set_integer(file, "/edges", "shear_degree", edges->shear);
    phx_h5_set_integer(file, "/edges", "moment_degree", edges->moment);
    phx_h5_put_integers(file, "/edges/end", 2 * n, edges->end);
    phx_h5_put_integers(file, "/edges/begin", n, edges->begin);
    phx_h5_set_text(file, "/edges/begin", "meaning",
                    "what the first end is: 1 a corner, 2 a node where the plate touches itself, else 0");
    reduced_put_matrix(file, "/edges/shear", n * (edges->shear + 1), cols, edges->V, "effective shear force", "N/m");
    reduced_put_matrix(file, "/edges/moment", 2 * n * (edges->moment + 1), cols, edges->M,
                       "moments nn and nt at a place together, n outward, t to its left", "N m/m");
    reduced_put_matrix(file, "/edges/corner", n, cols, edges->R, "force on the corner where the edge begins", "N");
}

static phx_status put_edges(phx_h5 *file, const reduced_content *content)
{
    const bool again = content->source->operations == &reduced_operations;
    phx_plate_edges made = {.n = 0};
    const phx_plate_edges *edges = again ? &reduced_of(content->source)->edges : &made;
    phx_status status = again ? PHX_OK : continuum_edges(phx_h5_context(file), content->source, &made);

    if (!status && edges->n > 0) {
        put_edge_rows(file, edges);
        status = put_port_nodes(file, content, edges->nodes);
    }
    phx_plate_edges_free(&made);
    return status;
}

/* Writes stresses at nodes and ports, thickness and, of a plate, edge resultants; nothing for bodies without
 * stresses. */
static phx_status put_stresses(phx_h5 *file, const reduced_content *content)
{
    const phx_flex_source *source = &content->shape->source;
    const phx_stress_set set = phx_flex_source_all_stresses(source);
    const int nodes = content->shape->model->mesh.n_nodes;

    if (set == PHX_STRESSES_NONE)
        return PHX_OK;
    double *thickness = phx_calloc(phx_h5_context(file), (size_t)nodes + 1, sizeof *thickness);
    phx_status status =
        thickness ? continuum_thickness(phx_h5_context(file), content->shape, thickness) : PHX_ERR_MEMORY;
    if (!status) {
        phx_h5_make_group(file, "/stresses");
        phx_h5_set_text(file, "/stresses", "set", phx_stress_set_name(set));
        reduced_put_matrix(file, "/stresses/thickness", 1, nodes, thickness, "thickness of a plate at the nodes", "m");
        status = put_node_stresses(file, content, set);
    }
    if (!status)
        status = put_port_stresses(file, content, set);
    if (!status && set == PHX_STRESSES_PLATE)
        status = put_edges(file, content);
    phx_free(thickness);
    return status;
}

/* The picture and the stresses of a body on a mesh, or of another program. */
static phx_status put_mesh(phx_h5 *file, const reduced_content *content)
{
    phx_status status = put_nodes(file, content->shape->model);

    if (!status)
        status = write_put_cells(file, &content->shape->model->mesh);
    if (!status)
        status = put_basis(file, content->shape);
    return status ? status : put_stresses(file, content);
}

/* Writes the whole content of a file in its format version. */
static phx_status put_content(phx_h5 *file, const reduced_content *content)
{
    const phx_basis_quality unknown = {.frequency = -1.0, .flexibility = -1.0};
    const phx_basis_quality *quality = content->shape ? &content->shape->quality : &unknown;
    phx_status status;

    phx_h5_set_text(file, "/", "format", PHX_FORMAT_BODY);
    phx_h5_set_integer(file, "/", "format_version", PHX_FORMAT_VERSION);
    phx_h5_set_text(file, "/", "program_version", phx_version());
    phx_h5_set_text(file, "/", "body", content->name);
    phx_h5_set_text(file, "/", "kind", content->kind);
    phx_h5_put_number(file, "/frequency_error", quality->frequency);
    phx_h5_put_number(file, "/flexibility_error", quality->flexibility);
    status = put_body(file, content);
    if (!status)
        status = put_ports(file, content);
    if (status)
        return status;
    return content->shape ? put_mesh(file, content) : reduced_put_beam(file, content->source, content->section);
}

static phx_status write_file(phx_context *context, const char *path, const void *data)
{
    phx_h5 *file = NULL;
    phx_status status = phx_h5_create(context, path, &file);

    if (status)
        return status;
    status = put_content(file, data);
    if (!status)
        return phx_h5_finish(file);
    phx_h5_close(file);
    return status;
}

/* Writes a body in its basis to a file, which is replaced only if all is written. Fails for bodies that have no basis
 * or too many coordinates. */
phx_status phx_reduced_write(phx_context *context, const char *path, const char *name, const char *kind,
                             const phx_flex_source *source, const double *section, int n_ports,
                             const phx_reduced_port *ports)
{
    if (!path || !name || !kind || !source || (n_ports > 0 && !ports))
        return phx_fail_null(context, __func__, "path, name, kind, source or ports");
    const bool meshed = phx_continuum_model(source) != NULL;
    const reduced_content content = {.name = name,
                                     .kind = kind,
                                     .source = source,
                                     .shape = meshed ? (const continuum_source *)source : NULL,
                                     .section = section,
                                     .n_ports = n_ports,
                                     .ports = ports};

    if (!meshed && !phx_beam_definition(source))
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "'%s' is a %s; beams, bodies on a mesh and those of other programs can be reduced", name,
                        phx_flex_source_kind(source));
    if (source->flex.n < 1)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "'%s' has no coordinates of deformation; make it rigid", name);
    if (source->flex.n > PHX_REDUCED_MOST)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "'%s' has %d coordinates, and full matrices of them are written, at most %d; say 'basis' or "
                        "'modes'",
                        name, source->flex.n, PHX_REDUCED_MOST);
    if (source->flex.stiffening && !source->flex.stiffening->in_basis)
        return phx_fail(
            context, PHX_ERR_UNSUPPORTED,
            "'%s' has geometric stiffening in all coordinates of its elements; what is written is that of a "
            "basis: say 'basis' or 'modes'",
            name);
    return phx_file_replace(context, path, write_file, &content);
}
