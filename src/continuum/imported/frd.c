/* Stress shapes: displacements of nodes with the stresses that they make, fields DISP and STRESS of a CalculiX .frd, of
 * modes or of steps with any loads. The stresses of a displacement u are those of the combination of shapes, and of a
 * rigid motion, that is nearest to it:
 *
 *   u ~ A c + R r,   sigma = sum_k c_k S_k
 *
 * so that bodies whose elements are not known here (shells, other materials) have stresses too. */
#include "imported.h"

#include <math.h>
#include <string.h>

enum { DISPLACEMENT, STRESS, OTHER };
static const int widths[] = {3, 6};
static const char *const suffixes[] = {"frd", NULL};

/* ---- reading ---- */
static phx_status add_value(phx_import *import, const import_text *text, int sort, int label, const double *value)
{
    import_fields *fields = &import->fields[sort];

    if (fields->count == fields->room) {
        const size_t room = fields->room ? 2 * fields->room : 256;
        phx_status status = import_grow(import->context, &fields->row, room, 2 * sizeof *fields->row);
        if (!status)
            status = import_grow(import->context, &fields->value, room, (size_t)widths[sort] * sizeof *fields->value);
        if (status)
            return status;
        fields->room = room;
    }
    if (import->n_fields == 0)
        return import_fail(text, "stresses before the displacements that they belong to");
    fields->row[2 * fields->count] = import->n_fields - 1;
    fields->row[2 * fields->count + 1] = label;
    memcpy(fields->value + fields->count * (size_t)widths[sort], value, (size_t)widths[sort] * sizeof *value);
    fields->count++;
    return PHX_OK;
}

/* " -1", the node in ten columns, values in twelve each. */
static phx_status read_line(phx_import *import, import_text *text, int sort)
{
    double value[6];
    int label = 0;

    if (!import_integer_of(import_column(text, 3, 10), &label) || label < 1)
        return import_fail(text, "the number of a node stands in columns 4 to 13");
    for (int k = 0; k < widths[sort]; k++)
        if (!import_number_of(import_column(text, 13 + 12 * k, 12), &value[k]))
            return import_fail(text, "node %d: value %d of the field is no finite number", label, k + 1);
    return add_value(import, text, sort, label, value);
}

/* Fields begin with " -4 NAME" and end with " -3". */
static phx_status frd_read(phx_import *import, import_text *text)
{
    const int before = import->n_fields;
    int sort = OTHER;
    phx_status status = PHX_OK;

    while (!status && import_next_line(text)) {
        const import_word key = import_column(text, 0, 3);
        if (import_word_is(key, "-4")) {
            const import_word name = import_column(text, 5, 8);
            sort = import_word_is(name, "DISP") ? DISPLACEMENT : import_word_is(name, "STRESS") ? STRESS : OTHER;
            import->n_fields += sort == DISPLACEMENT;
        } else if (import_word_is(key, "-3")) {
            sort = OTHER;
        } else if (import_word_is(key, "-1") && sort != OTHER) {
            status = read_line(import, text, sort);
        }
    }
    if (!status && import->n_fields == before)
        status = import_fail(text, "there is no field DISP; let CalculiX write *NODE FILE with U and *EL FILE with S");
    if (!status && import->fields[STRESS].count == 0)
        status = import_fail(text, "there is no field STRESS; let CalculiX write *EL FILE with S");
    return status;
}

const import_format import_frd = {"stress shapes", suffixes, NULL, frd_read};

/* ---- stresses ---- */
typedef struct stress_shapes {
    int n, count;    /* rows of A: the shapes, then six rigid motions; of length 1 */
    double *A;       /* count x n; zero at unknowns that are no displacement */
    double *inverse; /* count square: of A A^T, without what its shapes say twice */
    double *stress;  /* (count - 6) x nodes x 6, Pa */
    double *work;    /* 2 count */
} stress_shapes;

static void destroy_shapes(void *data)
{
    stress_shapes *made = data;

    if (!made)
        return;
    phx_free(made->A);
    phx_free(made->inverse);
    phx_free(made->stress);
    phx_free(made->work);
    phx_free(made);
}

/* Stresses at all nodes of the mesh (NULL: not wanted) by the displacement u, and the part of it that is none of the
 * shapes. */
static void shapes_stress(const phx_elastic_model *model, const double *u, double *stress, double *misfit)
{
    const stress_shapes *made = model->data;
    const size_t n = (size_t)made->n, count = (size_t)made->count, nodes = (size_t)model->mesh.n_nodes;
    double *b = made->work, *c = b + count, rest = 0.0, size = 0.0;

    for (size_t k = 0; k < count; k++) {
        b[k] = 0.0;
        for (size_t j = 0; j < n; j++)
            b[k] += made->A[k * n + j] * u[j];
    }
    for (size_t k = 0; k < count; k++) {
        c[k] = 0.0;
        for (size_t m = 0; m < count; m++)
            c[k] += made->inverse[k * count + m] * b[m];
    }
    for (size_t j = 0; j < n; j++) {
        double own = model->component[j] < PHX_UNKNOWN_RX ? u[j] : 0.0;
        for (size_t k = count - 6; k < count; k++) /* rigid motions make no misfit smaller or larger */
            own -= c[k] * made->A[k * n + j];
        size += own * own;
        for (size_t k = 0; k < count - 6; k++)
            own -= c[k] * made->A[k * n + j];
        rest += own * own;
    }
    *misfit = size > 0.0 ? sqrt(rest / size) : 0.0;
    if (!stress)
        return;
    memset(stress, 0, 6 * nodes * sizeof *stress);
    for (size_t k = 0; k < count - 6; k++)
        for (size_t i = 0; i < 6 * nodes; i++)
            stress[i] += c[k] * made->stress[k * 6 * nodes + i];
}

static const phx_elastic_ops shape_ops = {.kind = "imported body",
                                          .destroy_data = destroy_shapes,
                                          .stresses = PHX_STRESSES_SOLID,
                                          .nodal_stress = shapes_stress};

/* Displacements into the rows of A, stresses to the nodes, each row with its stresses scaled to length 1. */
static phx_status fill_shapes(const phx_import *import, const phx_elastic_model *model, stress_shapes *made)
{
    const phx_import_def *def = import->def;
    const double pressure = def->mass / (def->length * def->time * def->time);
    const size_t n = (size_t)made->n, nodes = (size_t)model->mesh.n_nodes;
    int *at = NULL;
    phx_status status = phx_elastic_places(import->context, model, &at);

    for (int sort = DISPLACEMENT; sort <= STRESS && !status; sort++) {
        const import_fields *fields = &import->fields[sort];
        for (size_t i = 0; i < fields->count; i++) {
            const size_t k = (size_t)fields->row[2 * i];
            const int node = import_map_find(&import->nodes.place, fields->row[2 * i + 1]);
            for (int c = 0; c < widths[sort] && node >= 0; c++) {
                const double value = fields->value[i * (size_t)widths[sort] + (size_t)c];
                const int j = sort == DISPLACEMENT ? at[6 * node + c] : 0;
                if (sort == DISPLACEMENT && j >= 0)
                    made->A[k * n + (size_t)j] = def->length * value;
                else if (sort == STRESS && node < model->mesh.n_nodes)
                    made->stress[(k * nodes + (size_t)node) * 6 + (size_t)c] = pressure * value;
            }
        }
    }
    for (size_t k = 0; k < 6 && !status; k++)
        for (size_t j = 0; j < n; j++)
            if (model->component[j] < PHX_UNKNOWN_RX)
                made->A[((size_t)made->count - 6 + k) * n + j] = model->rigid[k * n + j];
    phx_free(at);
    for (size_t k = 0; k < (size_t)made->count && !status; k++) {
        double length = 0.0;
        for (size_t j = 0; j < n; j++)
            length += made->A[k * n + j] * made->A[k * n + j];
        const double scale = length > 0.0 ? 1.0 / sqrt(length) : 0.0;
        for (size_t j = 0; j < n; j++)
            made->A[k * n + j] *= scale;
        for (size_t i = 0; i < 6 * nodes && k + 6 < (size_t)made->count; i++)
            made->stress[k * 6 * nodes + i] *= scale;
    }
    return status;
}

/* The inverse of A A^T on its eigenvectors with values above rounding: files print six digits. */
static phx_status invert(phx_context *context, stress_shapes *made)
{
    static const double SAME = 1e-9; /* square of the distance of a shape from the others, relative */
    const int count = made->count;
    const size_t square = (size_t)count * (size_t)count;
    double *gram = phx_calloc(context, square, sizeof *gram), *vectors = phx_calloc(context, square, sizeof *vectors);
    double *values = phx_calloc(context, (size_t)count, sizeof *values);
    phx_status status = gram && vectors && values ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        phx_dense_multiply(false, true, count, count, made->n, 1.0, made->A, made->n, made->A, made->n, 0.0, gram,
                           count);
        status = phx_dense_eigen_symmetric(context, count, gram, NULL, values, vectors);
    }
    for (int e = 0; e < count && !status; e++)
        for (int i = 0; i < count && values[e] > SAME * values[count - 1]; i++)
            for (int j = 0; j < count; j++)
                made->inverse[i * count + j] += vectors[i * count + e] * vectors[j * count + e] / values[e];
    phx_free(gram);
    phx_free(vectors);
    phx_free(values);
    return status;
}

/* Makes the shapes, their inverse and their stresses the data of the model. */
phx_status import_put_stress_shapes(const phx_import *import, phx_elastic_model *model)
{
    phx_context *context = import->context;
    const size_t n = (size_t)model->n, nodes = (size_t)model->mesh.n_nodes, count = (size_t)import->n_fields + 6;
    stress_shapes *made = phx_calloc(context, 1, sizeof *made);

    if (!made)
        return PHX_ERR_MEMORY;
    made->n = model->n;
    made->count = (int)count;
    made->A = phx_calloc(context, count * n + 1, sizeof *made->A);
    made->inverse = phx_calloc(context, count * count, sizeof *made->inverse);
    made->stress = phx_calloc(context, (count - 6) * nodes * 6 + 1, sizeof *made->stress);
    made->work = phx_calloc(context, 2 * count, sizeof *made->work);
    phx_status status = made->A && made->inverse && made->stress && made->work ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = fill_shapes(import, model, made);
    if (!status)
        status = invert(context, made);
    if (status) {
        destroy_shapes(made);
    } else {
        model->data = made;
        model->ops = &shape_ops;
    }
    return status;
}
