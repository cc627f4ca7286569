/* The rod: geometrically exact, by its curve at rest and its sections. */
#include "algebra/algebra.h"
#include "body/body.h"
#include "body_kinds.h"
#include "rod_curve.h"
#include "schema_parts.h"

#include <stdlib.h>
#include <string.h>

static const double ROUNDING = 1e-9; /* of entries of a matrix, relative to its diagonal */

/* ---- keys ---- */
/* A section: one of the shapes with the material, or its matrices in section axes. */
typedef struct rod_section {
    phx_model_section shape;
    phx_model_matrix stiffness, mass; /* general: 6 x 6, plane 3 x 3 */
} rod_section;

typedef struct rod_station {
    double at; /* fraction of the length */
    rod_section section;
} rod_station;

typedef struct rod_arc {
    bool given;
    double radius, angle;
} rod_arc;

typedef enum rod_shear { ROD_SHEAR_FLEXIBLE, ROD_SHEAR_RIGID } rod_shear;

typedef struct rod_keys {
    rod_section section;
    int n_stations;
    rod_station *stations;
    rod_arc arc;
    phx_model_matrix points;
    double twist;
    rod_shear shear;
    phx_model_optional shear_factor;
} rod_keys;

#define ROD BIT(PHX_MODEL_ROD)
static const phx_range elements_range = {"an integer from 1 to 20000", 1.0, PHX_MODEL_MAX_SPATIAL_ELEMENTS,
                                         .integer = true};
static const phx_range fraction = {"a number in [0, 1]", .high = 1.0};
static const phx_range factor_range = {"a number in (0, 1]", .high = 1.0, .above_low = true};

static const phx_word words_shear[] = {WORD("flexible", PHX_BOTH), WORD("rigid", PHX_BOTH), WORD(NULL, 0)};

static const phx_key section_keys[] = {
    {"kind", &phx_type_kind, AT(rod_section, shape.kind), .required = true, .words = phx_words_section,
     .doc = "shape of the section, or general: its matrices"},
    PHX_SECTION_SHAPES(rod_section, shape),
    {"stiffness", &phx_type_array, AT(rod_section, stiffness), .required = true, .kinds = BIT(PHX_MODEL_GENERAL),
     .unit = "N, N m, N m^2",
     .doc = "(N1 N2 N3 M1 M2 M3) by the strains, 6 x 6 in section axes; plane: (N1 N2 M3), 3 x 3"},
    {"mass", &phx_type_array, AT(rod_section, mass), .required = true, .kinds = BIT(PHX_MODEL_GENERAL),
     .unit = "kg/m, kg, kg m", .doc = "mass per length against (v1 v2 v3 w1 w2 w3), 6 x 6; plane: (v1 v2 w3), 3 x 3"},
};
static phx_status finish_section(phx_reader *reader, const phx_node *node, void *object);
static const phx_object section = {"section of a rod",
                                   "A shape, which takes the material, or matrices as BECAS and VABS give them.",
                                   TABLE(rod_section, section_keys),
                                   .kind_rule = PHX_KIND_KEY,
                                   .kinds = phx_words_section,
                                   .kind_offset = AT(rod_section, shape.kind),
                                   .finish = finish_section};

static const phx_key station_keys[] = {PHX_STATION_KEYS(rod_station, section)};
static const phx_object station = {"station of a rod", "Between two stations the matrices are interpolated.",
                                   TABLE(rod_station, station_keys)};

static const phx_key arc_keys[] = {
    {"radius", &phx_type_number, AT(rod_arc, radius), .required = true, .unit = "m", .range = &positive,
     .doc = "of the arc, in the plane x-y of the body"},
    {"angle", &phx_type_number, AT(rod_arc, angle), .required = true, .unit = "rad",
     .doc = "that it covers; it bends towards y, with a negative angle away from it"},
};
static const phx_object arc = {"arc", "From the origin, along x at first.", TABLE(rod_arc, arc_keys)};

static const phx_key keys[] = {
    {"length", &phx_type_number, AT(phx_model_body, length), .kinds = ROD, .unit = "m", .range = &positive,
     .fallback = "that of arc or points", .doc = "of a straight rod along body x, from P to C"},
    {"arc", &phx_type_given, AT(rod_keys, arc), .own = true, .kinds = ROD, .object = &arc, .fallback = "straight",
     .doc = "the rod at rest is an arc of a circle"},
    {"points", &phx_type_array, AT(rod_keys, points), .own = true, .kinds = ROD, .unit = "m", .fallback = "straight",
     .doc = "the rod at rest is a cubic spline through them, [x, y, z] in body axes; from the origin, along x at "
            "first"},
    {"twist", &phx_type_number, AT(rod_keys, twist), .own = true, .kinds = ROD, .dims = PHX_SPACE, .unit = "rad",
     .fallback = "0", .doc = "by which the section at C is turned about the rod against that at P; linear between"},
    {"material", &phx_type_material, AT(phx_model_body, material), .kinds = ROD, .fallback = "none",
     .doc = "name under materials; sections that are all 'general' need none"},
    {"section", &phx_type_object, AT(rod_keys, section), .own = true, .kinds = ROD, .object = &section,
     .fallback = "sections", .doc = "the same all along"},
    {"sections", &phx_type_list, AT(rod_keys, stations), .own = true, .kinds = ROD, .object = &station,
     .count_offset = AT(rod_keys, n_stations), .fallback = "section",
     .doc = "stations with ascending `at`; two at one place are a step"},
    {"shear", &phx_type_word, AT(rod_keys, shear), .own = true, .kinds = ROD, .words = words_shear,
     .fallback = "flexible", .doc = "rigid: sections stay normal to the axis"},
    {"shear_factor", &phx_type_optional, AT(rod_keys, shear_factor), .own = true, .kinds = ROD, .range = &factor_range,
     .fallback = "rectangle 5/6, circle 6/7, tube 1/2", .doc = "k in k G A"},
    {"elements", &phx_type_integer, AT(phx_model_body, elements), .kinds = ROD, .range = &elements_range,
     .fallback = "8",
     .doc = "number of elements; there is a node at every port, mass, and point of a joint, spring, force or load"},
    {"ports", &phx_type_ports, AT(phx_model_body, ports), .kinds = ROD, .object = &phx_schema_length_port,
     .fallback = "P, C", .count_offset = AT(phx_model_body, n_ports),
     .doc = "named ports besides P (start) and C (end)"},
};

static const rod_keys *own_of(const phx_model_body *body)
{
    return body->own;
}

/* ---- reading ---- */
static void body_rod_place_port(const phx_model_body *body, phx_model_port *port)
{
    (void)body; /* the origin of a node's frame */
    port->location.sort = PHX_LOCATION_FRACTION;
}

/* A symmetric matrix of that size whose diagonal is positive. */
static phx_status check_matrix(phx_reader *reader, const phx_node *node, const char *key,
                               const phx_model_matrix *model_matrix)
{
    const int n = reader->model->dimension == 2 ? 3 : 6;
    const phx_node *at = phx_node_find(node, key);

    if (model_matrix->rows != n || model_matrix->cols != n)
        return phx_reader_fail(reader, at, "expected %d rows of %d numbers, found %d of %d", n, n, model_matrix->rows,
                               model_matrix->cols);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double a = model_matrix->values[n * i + j], b = model_matrix->values[n * j + i];
            const double size = sqrt(fabs(model_matrix->values[n * i + i] * model_matrix->values[n * j + j]));
            if (i == j && !(a > 0.0))
                return phx_reader_fail(reader, at, "expected positive numbers on the diagonal, found %g in row %d", a,
                                       i + 1);
            if (!(fabs(a - b) <= ROUNDING * size))
                return phx_reader_fail(reader, at, "expected a symmetric matrix, found %g and %g in rows %d and %d", a,
                                       b, i + 1, j + 1);
        }
    double factor[PHX_ROD_SECTION];
    memcpy(factor, model_matrix->values, (size_t)(n * n) * sizeof *factor);
    for (int i = 0; i < n * n; i++)
        factor[i] /= sqrt(model_matrix->values[(n + 1) * (i / n)] * model_matrix->values[(n + 1) * (i % n)]);
    if (phx_dense_cholesky(reader->context, n, factor))
        return phx_reader_fail(reader, at, "expected a positive definite matrix");
    return PHX_OK;
}

/* That it is one of a section: | m I  -m [eta]x ; m [eta]x  J |. */
static phx_status body_rod_check_mass(phx_reader *reader, const phx_node *node, const phx_model_matrix *model_matrix)
{
    const int n = model_matrix->rows, dim = n == 3 ? 2 : 3;
    const double *M = model_matrix->values, m = M[0], tolerance = ROUNDING * m;
    bool fits = true;

    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            fits = fits && fabs(M[n * i + j] - (i == j ? m : 0.0)) <= tolerance;
    for (int i = 0; i < 3 && dim == 3; i++)
        for (int j = 0; j < 3; j++)
            fits = fits && fabs(M[6 * (3 + i) + j] + M[6 * (3 + j) + i]) <= tolerance;
    return fits ? PHX_OK
                : phx_reader_fail(reader, phx_node_find(node, "mass"),
                                  "expected the mass matrix of a section: one mass for all directions, and its offset "
                                  "as an antisymmetric block");
}

static phx_status finish_section(phx_reader *reader, const phx_node *node, void *object)
{
    rod_section *rod = object;

    if (rod->shape.kind != PHX_MODEL_GENERAL)
        return phx_finish_section(reader, node, &rod->shape);
    phx_status status = check_matrix(reader, node, "stiffness", &rod->stiffness);
    if (!status)
        status = check_matrix(reader, node, "mass", &rod->mass);
    return status ? status : body_rod_check_mass(reader, node, &rod->mass);
}

/* Checks the axis of a rod: exactly one of length, arc and points; points have the right dimension, start at the
 * origin and differ from their predecessors. */
static phx_status check_curve(phx_reader *reader, const phx_node *node, const rod_keys *own)
{
    const phx_node *length = phx_node_find(node, "length"), *points = phx_node_find(node, "points");
    const int dim = reader->model->dimension;
    const int given = (length != NULL) + own->arc.given + (points != NULL);

    if (given != 1)
        return phx_reader_fail(reader, node,
                               "a rod has one of 'length' (straight), 'arc' and 'points', found %d of them", given);
    if (own->arc.given && own->arc.angle == 0.0)
        return phx_reader_fail(reader, phx_node_find(node, "arc"),
                               "expected an angle that is not 0; a straight rod has "
                               "'length'");
    if (!points)
        return PHX_OK;
    if (own->points.cols != dim || own->points.rows < 2)
        return phx_reader_fail(reader, points, "expected two or more points of %d coordinates, found %d of %d", dim,
                               own->points.rows, own->points.cols);
    for (int k = 0; k < own->points.rows; k++) {
        double square = 0.0;
        for (int a = 0; a < dim; a++) {
            const double way = own->points.values[dim * k + a] - (k > 0 ? own->points.values[dim * (k - 1) + a] : 0.0);
            square += way * way;
        }
        if (k == 0 ? square != 0.0 : !(square > 0.0))
            return phx_reader_fail(reader, points,
                                   k == 0 ? "expected the origin as the first point, which is P"
                                          : "points %d and %d are the same",
                                   k, k + 1);
    }
    return PHX_OK;
}

/* The shape of the section at the start, NULL: it has matrices. */
static const phx_model_section *first_shape(const rod_keys *own)
{
    const rod_section *first = own->n_stations > 0 ? &own->stations[0].section : &own->section;
    return first->shape.kind == PHX_MODEL_GENERAL ? NULL : &first->shape;
}

static bool has_shape(const rod_keys *own)
{
    bool shape = own->n_stations == 0 && own->section.shape.kind != PHX_MODEL_GENERAL;
    for (int k = 0; k < own->n_stations; k++)
        shape = shape || own->stations[k].section.shape.kind != PHX_MODEL_GENERAL;
    return shape;
}

/* Checks the material of a rod: not allowed with sections by matrices, else required, isotropic, and with Poisson's
 * ratio if shear or torsion need it. */
static phx_status check_material(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const rod_keys *own = own_of(body);
    const phx_node *at = phx_node_find(node, "material");

    if (!has_shape(own))
        return at ? phx_reader_fail(reader, at, "'material' does not apply to sections by their matrices") : PHX_OK;
    if (!at)
        return phx_reader_fail(reader, node, "key 'material' of a rod is missing: name under materials");
    const phx_model_material *material = &reader->model->materials[body->material];
    if (material->orthotropic.given)
        return phx_reader_fail(reader, at, "material '%s' is orthotropic, which is for plates and solids",
                               material->name);
    if (!material->poisson.given && (reader->model->dimension == 3 || own->shear != ROD_SHEAR_RIGID))
        return phx_reader_fail(reader, at, "material '%s' has no 'poisson', which the %s of a rod needs%s",
                               material->name, reader->model->dimension == 3 ? "torsion and shear" : "shear",
                               reader->model->dimension == 3 ? "" : "; or say shear: rigid");
    return PHX_OK;
}

static phx_status body_rod_finish(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const rod_keys *own = own_of(body);
    const phx_node *damping = phx_node_find(node, "damping");
    phx_status status = check_curve(reader, node, own);

    if (!status)
        status = phx_check_stations(reader, node, own->n_stations, own->stations, sizeof *own->stations);
    if (!status)
        status = check_material(reader, node, body);
    if (!status && (body->damping.mass != 0.0 || body->damping.modal.given))
        status = phx_reader_fail(reader, damping, "the damping of a rod is that of its strains: 'stiffness' alone");
    return status;
}

/* ---- sections ---- */
/* Compliance and mass of a section, 6 x 6; the entries of the plane in the places they have in space. */
static phx_status section_matrices(const phx_model *model, const phx_model_body *body, const rod_section *rod,
                                   double *compliance, double *mass)
{
    static const int plane[3] = {0, 1, 5};
    static const double shear_factors[PHX_MODEL_SECTION_KINDS] = {
        [PHX_MODEL_CIRCLE] = 6.0 / 7.0, [PHX_MODEL_TUBE] = 0.5, [PHX_MODEL_RECTANGLE] = 5.0 / 6.0};
    const rod_keys *own = own_of(body);
    const int dim = model->dimension;

    memset(compliance, 0, PHX_ROD_SECTION * sizeof *compliance);
    memset(mass, 0, PHX_ROD_SECTION * sizeof *mass);
    for (int i = 0; i < 6; i++) /* what a plane rod has no use of */
        compliance[7 * i] = mass[7 * i] = 1.0;
    if (rod->shape.kind == PHX_MODEL_GENERAL) {
        const int n = dim == 2 ? 3 : 6;
        double inverse[PHX_ROD_SECTION], scale[6];
        for (int i = 0; i < n; i++)
            scale[i] = sqrt(rod->stiffness.values[(n + 1) * i]);
        for (int i = 0; i < n * n; i++)
            inverse[i] = rod->stiffness.values[i] / (scale[i / n] * scale[i % n]);
        if (phx_dense_inverse(NULL, n, inverse))
            return PHX_SINGULAR;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                const int to = dim == 2 ? 6 * plane[i] + plane[j] : 6 * i + j;
                compliance[to] = 0.5 * (inverse[n * i + j] + inverse[n * j + i]) / (scale[i] * scale[j]);
                mass[to] = rod->mass.values[n * i + j];
            }
        mass[14] = mass[0];
    } else {
        const phx_model_material *material = &model->materials[body->material];
        const phx_model_section *shape = &rod->shape;
        const double E = material->young,
                     k = own->shear_factor.given ? own->shear_factor.value : shear_factors[shape->kind];
        const double G = E / (2.0 * (1.0 + material->poisson.value)), rho = material->density;
        const double stiffness[6] = {E * shape->area,    k * G * shape->area,   k * G * shape->area,
                                     G * shape->torsion, E * shape->inertia[0], E * shape->inertia[1]};
        const double inertia[6] = {shape->area,       shape->area,
                                   shape->area,       shape->inertia[0] + shape->inertia[1],
                                   shape->inertia[0], shape->inertia[1]};
        for (int i = 0; i < 6; i++) {
            compliance[7 * i] = 1.0 / stiffness[i];
            mass[7 * i] = rho * inertia[i];
        }
    }
    if (own->shear == ROD_SHEAR_RIGID)
        for (int i = 0; i < 6; i++)
            compliance[6 + i] = compliance[12 + i] = compliance[6 * i + 1] = compliance[6 * i + 2] = 0.0;
    return PHX_OK;
}

static int station_before(const rod_keys *own, double s, double *part)
{
    return phx_station_before(own->n_stations, own->stations, sizeof *own->stations, s, part);
}

/* Stiffness and mass between two stations are interpolated: of stiffness, whose inverse is handed on. */
static phx_status section_at(const phx_model *model, const phx_model_body *body, double s, double *compliance,
                             double *mass)
{
    const rod_keys *own = own_of(body);
    double other[2][PHX_ROD_SECTION], part;

    if (own->n_stations == 0)
        return section_matrices(model, body, &own->section, compliance, mass);
    const int k = station_before(own, s, &part);
    phx_status status = section_matrices(model, body, &own->stations[k].section, compliance, mass);
    if (!status)
        status = section_matrices(model, body, &own->stations[k + 1].section, other[0], other[1]);
    for (int i = 0; i < PHX_ROD_SECTION && !status; i++)
        mass[i] = (1.0 - part) * mass[i] + part * other[1][i];
    /* ((1 - part) c0^-1 + part c1^-1)^-1 = c0 (c1 + part (c0 - c1))^-1 c1 where shears may be rigid */
    double sum[PHX_ROD_SECTION], left[PHX_ROD_SECTION];
    for (int i = 0; i < PHX_ROD_SECTION; i++)
        sum[i] = other[0][i] + part * (compliance[i] - other[0][i]);
    for (int i = 0; i < 6; i++)
        if (sum[7 * i] == 0.0)
            sum[7 * i] = 1.0;
    memcpy(left, other[0], sizeof left);
    if (!status)
        status = phx_dense_solve(NULL, 6, sum, 6, left);
    if (status)
        return status;
    memcpy(sum, compliance, sizeof sum);
    phx_dense_multiply(false, false, 6, 6, 6, 1.0, sum, 6, left, 6, 0.0, compliance, 6);
    return PHX_OK;
}

/* ---- nodes ---- */
static const double SAME_PLACE = 1e-9; /* of the length */

/* Elements of a rod: where each begins and how long it is, as fractions of the length. */
typedef struct rod_mesh {
    int n;
    double *begin, *share;
} rod_mesh;

static int compare_places(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Place k of the rod that the model names: those of its ports and masses, then those of joints, springs, forces and
 * loads, the end P for one of another body; NULL behind the last. What is only looked at has none. */
static const phx_location *body_rod_place_of(const phx_model *model, const phx_model_body *body, int k)
{
    static const phx_location end = {.sort = PHX_LOCATION_FRACTION};
    if (k < body->n_ports)
        return &body->ports[k].location;
    k -= body->n_ports;
    if (k < body->n_point_masses)
        return &body->point_masses[k].at.location;
    const phx_model_point *point = phx_model_reference(model, k - body->n_point_masses);
    if (!point)
        return NULL;
    return point->text && point->body == (int)(body - model->bodies) ? &point->location : &end;
}

/* The places inside the rod, ascending, each once: their number. `places` has room for all that are named. */
static int list_places(const phx_model *model, const phx_model_body *body, double *places)
{
    int all = 0, n = 0;

    for (int k = 0; body_rod_place_of(model, body, k); k++)
        places[all++] = body_rod_place_of(model, body, k)->fraction;
    qsort(places, (size_t)all, sizeof *places, compare_places);
    for (int k = 0; k < all; k++) {
        const double last = n > 0 ? places[n - 1] : 0.0;
        if (places[k] - last > SAME_PLACE && 1.0 - places[k] > SAME_PLACE)
            places[n++] = places[k];
    }
    return n;
}

static bool are_equal_parts(int n, int n_places, const double *places)
{
    for (int k = 0; k < n_places; k++)
        if (fabs(places[k] - round(places[k] * n) / n) > SAME_PLACE)
            return false;
    return true;
}

/* How many elements each stretch between two places gets: one, then always the stretch with the longest elements. */
static void share_out(int n, int n_stretches, const double *places, int *count)
{
    for (int k = 0; k < n_stretches; k++)
        count[k] = 1;
    for (int left = n - n_stretches; left > 0; left--) {
        int longest = 0;
        double most = 0.0;
        for (int k = 0; k < n_stretches; k++) {
            const double length = (places[k + 1] - places[k]) / count[k];
            if (length > most * (1.0 + SAME_PLACE)) {
                most = length;
                longest = k;
            }
        }
        count[longest]++;
    }
}

/* As many elements as the file says, of equal length where its places allow it, else a node at each place. */
static phx_status body_rod_make_mesh(phx_builder *builder, const phx_model_body *body, rod_mesh *mesh)
{
    phx_context *context = builder->context;
    int all = 0;

    while (body_rod_place_of(builder->model, body, all))
        all++;
    double *places = phx_calloc(context, (size_t)all + 2, sizeof *places);
    int *count = phx_calloc(context, (size_t)all + 1, sizeof *count);
    const int inside = places ? list_places(builder->model, body, places + 1) : 0;
    const bool equal = places && are_equal_parts(body->elements, inside, places + 1);
    const int stretches = equal ? 1 : inside + 1;

    mesh->n = body->elements > stretches ? body->elements : stretches;
    mesh->begin = phx_calloc(context, 2 * (size_t)mesh->n, sizeof *mesh->begin);
    mesh->share = mesh->begin ? mesh->begin + mesh->n : NULL;
    const bool ready = places && count && mesh->begin;
    if (ready) {
        places[stretches] = 1.0;
        share_out(mesh->n, stretches, places, count);
    }
    for (int k = 0, e = 0; k < stretches && ready; k++)
        for (int i = 0; i < count[k]; i++, e++) {
            mesh->share[e] = (places[k + 1] - places[k]) / count[k];
            mesh->begin[e] = places[k] + i * mesh->share[e];
        }
    phx_free(places);
    phx_free(count);
    return ready ? PHX_OK : PHX_ERR_MEMORY;
}

/* The node at a place: there is one. */
static int node_at(const rod_mesh *mesh, double s)
{
    int node = 0;
    while (node < mesh->n && s - mesh->begin[node] > SAME_PLACE)
        node++;
    return node;
}

/* ---- building ---- */
/* The arrays of phx_rod_def, in one piece of memory. */
typedef struct rod_data {
    double *all, *place, *axes, *length, *compliance, *mass;
    phx_rod_mass *masses;
} rod_data;

/* Allocates places, axes, lengths and section matrices at the integration points of all elements in one block. */
static phx_status make_data(phx_builder *builder, const phx_model_body *body, int elements, rod_data *data)
{
    const size_t n = (size_t)elements, dim = (size_t)builder->model->dimension;
    const size_t samples = n * PHX_ROD_GAUSS * PHX_ROD_SECTION;

    data->all = phx_calloc(builder->context, (n + 1) * (dim + dim * dim) + n + 2 * samples, sizeof *data->all);
    data->masses = phx_calloc(builder->context, (size_t)body->n_point_masses, sizeof *data->masses);
    if (!data->all || !data->masses)
        return PHX_ERR_MEMORY;
    data->place = data->all;
    data->axes = data->place + (n + 1) * dim;
    data->length = data->axes + (n + 1) * dim * dim;
    data->compliance = data->length + n;
    data->mass = data->compliance + samples;
    return PHX_OK;
}

/* Evaluates compliance and mass of the section at each Gauss point of each element. */
static phx_status fill_sections(const phx_model *model, const phx_model_body *body, const rod_mesh *mesh,
                                const rod_data *data)
{
    double point[PHX_ROD_GAUSS], weight[PHX_ROD_GAUSS];
    phx_status status = PHX_OK;

    phx_rod_gauss(point, weight);
    for (int e = 0; e < mesh->n; e++)
        for (int g = 0; g < PHX_ROD_GAUSS && !status; g++) {
            const size_t at = (size_t)(e * PHX_ROD_GAUSS + g) * PHX_ROD_SECTION;
            status = section_at(model, body, mesh->begin[e] + point[g] * mesh->share[e], data->compliance + at,
                                data->mass + at);
        }
    return status;
}

static void fill_masses(const phx_model_body *body, const rod_mesh *mesh, const rod_data *data)
{
    for (int k = 0; k < body->n_point_masses; k++) {
        const phx_model_point_mass *mass = &body->point_masses[k];
        data->masses[k] = (phx_rod_mass){.node = node_at(mesh, mass->at.location.fraction), .mass = mass->mass};
        memcpy(data->masses[k].inertia, mass->inertia, sizeof mass->inertia);
    }
}

static phx_rod_curve curve_of(const phx_model_body *body)
{
    const rod_keys *own = own_of(body);
    return (phx_rod_curve){.kind = own->arc.given         ? PHX_ROD_ARC
                                   : own->points.rows > 0 ? PHX_ROD_POINTS
                                                          : PHX_ROD_STRAIGHT,
                           .length = body->length,
                           .radius = own->arc.radius,
                           .angle = own->arc.angle,
                           .points = &own->points,
                           .twist = own->twist};
}

/* Creates the rod of a body: nodes along its curve, section matrices and point masses. There is no source of shapes,
 * since the nodes are frames. */
static phx_status body_rod_build(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                                 phx_body **made)
{
    const phx_rod_curve curve = curve_of(body);
    const int dim = builder->model->dimension;
    rod_mesh mesh = {0};
    rod_data data = {0};
    phx_status status = body_rod_make_mesh(builder, body, &mesh);

    (void)source; /* its nodes move as frames */
    if (!status)
        status = make_data(builder, body, mesh.n, &data);
    if (!status)
        status = phx_rod_curve_nodes(builder->context, dim, &curve, mesh.n, mesh.begin, mesh.share, data.place,
                                     data.axes, data.length);
    if (!status)
        status = fill_sections(builder->model, body, &mesh, &data);
    if (!status)
        fill_masses(body, &mesh, &data);
    const phx_rod_def def = {.name = body->name,
                             .dim = dim,
                             .elements = mesh.n,
                             .place = data.place,
                             .axes = data.axes,
                             .length = data.length,
                             .compliance = data.compliance,
                             .mass = data.mass,
                             .damping = body->damping.stiffness,
                             .n_masses = body->n_point_masses,
                             .masses = data.masses};
    if (!status)
        status = phx_rod_create(builder->context, &def, made);
    phx_free(data.all);
    phx_free(data.masses);
    phx_free(mesh.begin);
    return status;
}

static void body_rod_offer_numbers(const phx_model *model, const phx_model_body *body, phx_extreme *worst)
{
    const rod_keys *own = own_of(body);

    phx_extreme_offer(worst, "length", body->length);
    phx_extreme_offer(worst, "arc.radius", own->arc.radius);
    if (body->material >= 0) {
        phx_extreme_offer(worst, "material.density", model->materials[body->material].density);
        phx_extreme_offer(worst, "material.young", model->materials[body->material].young);
    }
    if (first_shape(own))
        phx_extreme_offer(worst, "section (its area)", first_shape(own)->area);
}

/* ---- asking ---- */
static void sections(const phx_model *model, const phx_model_body *body, phx_model_sections *to)
{
    to->section = first_shape(own_of(body));
    to->varies = own_of(body)->n_stations > 0;
    to->segments = body->elements;
    to->torsion = model->dimension == 3;
}

static phx_model_section section_between(const phx_model_body *body, double s)
{
    const rod_keys *own = own_of(body);
    double part;
    const int k = station_before(own, s, &part);
    return phx_section_between(&own->stations[k].section.shape, &own->stations[k + 1].section.shape, part);
}

static phx_model_outline rod_outline_of(const phx_model *model, const rod_section *rod)
{
    if (rod->shape.kind != PHX_MODEL_GENERAL)
        return phx_outline_of(&rod->shape);
    const int n = model->dimension == 2 ? 3 : 6;
    const double *M = rod->mass.values, m = M[0], about_z = M[(n + 1) * (n - 1)];
    const phx_model_section alike = {
        .kind = PHX_MODEL_GENERAL, .area = m, .inertia = {n == 6 ? M[(n + 1) * (n - 2)] : about_z, about_z}};
    return phx_outline_of(&alike);
}

/* Between two stations it is interpolated. */
static bool body_rod_outline(const phx_model *model, const phx_model_body *body, double s, phx_model_outline *outline)
{
    const rod_keys *own = own_of(body);
    double part = 0.0;

    *outline = rod_outline_of(model, own->n_stations > 0 ? &own->stations[0].section : &own->section);
    if (own->n_stations == 0)
        return true;
    const int k = station_before(own, s, &part);
    const phx_model_outline first = rod_outline_of(model, &own->stations[k].section),
                            last = rod_outline_of(model, &own->stations[k + 1].section);
    outline->round = first.round && last.round;
    for (int a = 0; a < 2; a++)
        outline->half[a] = (1.0 - part) * first.half[a] + part * last.half[a];
    return true;
}

static phx_status compliance(const phx_model *model, const phx_model_body *body, double s, double *matrix)
{
    double mass[PHX_ROD_SECTION];
    return section_at(model, body, s, matrix, mass);
}

const phx_body_row phx_body_row_rod = {
    .info = {.name = "rod",
             .noun = "rod",
             .is = "a rod",
             .doc = "a slender elastic body that bends, twists, stretches and shears as far as it likes",
             .plane = true,
             .space = true,
             .deforms = true,
             .sections = true,
             .shear = true,
             .locations = 1u << PHX_LOCATION_FRACTION,
             .ports = {"P", "C"}},
    .traits = PHX_BODY_DAMPING,
    .keys = KEYS(keys),
    .own_size = sizeof(rod_keys),
    .port_fractions = {0.0, 1.0},
    .place_port = body_rod_place_port,
    .finish = body_rod_finish,
    .build = body_rod_build,
    .offer_numbers = body_rod_offer_numbers,
    .sections = sections,
    .outline = body_rod_outline,
    .section_at = section_between,
    .compliance = compliance};
