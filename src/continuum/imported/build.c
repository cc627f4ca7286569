/* From what the files say to an elastic model: symmetry, units, what is left out. */
#include "imported.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const phx_elastic_ops imported_ops = {.kind = "imported body"};

/* ---- what must be there ---- */
static phx_status check_parts(const phx_import *import)
{
    const import_matrix *mass = &import->matrix[IMPORT_MASS], *stiffness = &import->matrix[IMPORT_STIFFNESS];
    const char *first = import->def->n_files > 0 ? import->def->files[0]
                        : import->def->mass_file ? import->def->mass_file
                                                 : import->def->stiffness_file;
    if (import->nodes.n == 0)
        return phx_fail(import->context, PHX_ERR_INPUT,
                        "%s: none of the files gives nodes; add the deck (.inp), the GRID lines or a table of nodes "
                        "(node, x, y, z)",
                        first);
    if (!mass->path || mass->count == 0)
        return phx_fail(import->context, PHX_ERR_INPUT, "%s: none of the files has a mass matrix", first);
    if (import->modes.M && stiffness->path)
        return phx_fail(import->context, PHX_ERR_INPUT,
                        "%s: a stiffness matrix beside the modes of %s; a body has one or the other", stiffness->path,
                        mass->path);
    if (!import->modes.M && (!stiffness->path || stiffness->count == 0))
        return phx_fail(import->context, PHX_ERR_INPUT, "%s: none of the files has a stiffness matrix", first);
    return PHX_OK;
}

/* ---- the model ---- */
static phx_status put_nodes(phx_import *import, phx_elastic_model *model)
{
    const size_t n = (size_t)import->nodes.n;
    const double unit = import->mesh.n_nodes > 0 ? 1.0 : import->def->length; /* a mesh was read in m */
    model->n_nodes = import->nodes.n;
    model->x = phx_calloc(import->context, 3 * n, sizeof *model->x);
    model->label = phx_calloc(import->context, n, sizeof *model->label);
    if (!model->x || !model->label)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < 3 * n; k++) {
        model->x[k] = unit * import->nodes.x[k];
        if (!isfinite(model->x[k]))
            return phx_fail(import->context, PHX_ERR_INPUT, "%s: in m the place of node %d is beyond all numbers",
                            import->nodes.path, import->nodes.label[k / 3]);
    }
    memcpy(model->label, import->nodes.label, n * sizeof *model->label);
    model->mesh = import->mesh;
    import->mesh = (phx_mesh){0};
    return PHX_OK;
}

/* A mesh of nodes alone, where no file gives one: for its sets. */
static phx_status build_make_mesh(phx_import *import, phx_elastic_model *model)
{
    const size_t n = (size_t)model->n_nodes;
    phx_mesh *mesh = &model->mesh;
    mesh->x = phx_calloc(import->context, 3 * n, sizeof *mesh->x);
    mesh->label = phx_calloc(import->context, n, sizeof *mesh->label);
    mesh->first = phx_calloc(import->context, 1, sizeof *mesh->first);
    if (!mesh->x || !mesh->label || !mesh->first)
        return PHX_ERR_MEMORY;
    mesh->n_nodes = model->n_nodes;
    memcpy(mesh->x, model->x, 3 * n * sizeof *mesh->x);
    memcpy(mesh->label, model->label, n * sizeof *mesh->label);
    return PHX_OK;
}

/* Members of one set after the other, as nodes. */
static phx_status sort_members(const phx_import *import, int *first, int *node)
{
    const import_sets *sets = &import->sets;
    for (int k = 0; k < sets->n_members; k++)
        first[sets->member[k][0] + 1]++;
    for (int s = 0; s < sets->n; s++)
        first[s + 1] += first[s];
    for (int k = sets->n_members - 1; k >= 0; k--) {
        const int set = sets->member[k][0], label = sets->member[k][1];
        const int at = import_map_find(&import->nodes.place, label);
        if (at < 0)
            return phx_fail(import->context, PHX_ERR_INPUT,
                            "the set '%s' has node %d, which is not among the %d nodes "
                            "of %s",
                            sets->name[set], label, import->nodes.n, import->nodes.path);
        node[--first[set + 1]] = at;
    }
    return PHX_OK; /* first[s + 1] is now where set s begins */
}

/* Makes the node sets of the files groups of the model's mesh. */
static phx_status put_sets(phx_import *import, phx_elastic_model *model)
{
    const import_sets *sets = &import->sets;
    if (sets->n == 0)
        return PHX_OK;
    int *first = phx_calloc(import->context, (size_t)sets->n + 2, sizeof *first);
    int *node = phx_calloc(import->context, (size_t)sets->n_members, sizeof *node);
    phx_status status = first && node ? PHX_OK : PHX_ERR_MEMORY;
    if (!status && model->mesh.n_nodes == 0)
        status = build_make_mesh(import, model);
    if (!status)
        status = sort_members(import, first, node);
    for (int s = 0; s < sets->n && !status; s++) {
        const int end = s + 1 < sets->n ? first[s + 2] : sets->n_members;
        status = phx_mesh_add_group(import->context, &model->mesh, sets->name[s], 0, end - first[s + 1],
                                    node + first[s + 1]);
    }
    phx_free(first);
    phx_free(node);
    return status;
}

/* Nodes and components of all rows, the left out ones among them. */
static phx_status put_unknowns(phx_import *import, phx_elastic_model *model)
{
    const import_unknowns *u = &import->unknowns;
    model->n = u->n;
    model->node = phx_calloc(import->context, (size_t)u->n, sizeof *model->node);
    model->component = phx_calloc(import->context, (size_t)u->n, sizeof *model->component);
    if (!model->node || !model->component)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < u->n; k++) {
        model->component[k] = u->component[k];
        model->node[k] = -1;
        if (u->component[k] == PHX_UNKNOWN_OTHER)
            continue;
        model->node[k] = import_map_find(&import->nodes.place, u->label[k]);
        if (model->node[k] < 0)
            return phx_fail(import->context, PHX_ERR_INPUT,
                            "%s: the matrices have node %d, but it is not among the %d nodes of %s. Nodes that the "
                            "program made by itself need names: CalculiX *RIGID BODY with ROT NODE, solids instead of "
                            "shells and beams",
                            u->path ? u->path : import->matrix[IMPORT_STIFFNESS].path, u->label[k], import->nodes.n,
                            import->nodes.path);
    }
    return PHX_OK;
}

static bool turns(const phx_elastic_model *model, int k)
{
    return model->component[k] >= PHX_UNKNOWN_RX && model->component[k] <= PHX_UNKNOWN_RZ;
}

/* Forces are mass length / time^2, moments have one length more: entries by m/t^2 (M: by m) and the length for each of
 * row and column that turns. */
static phx_status scale(phx_import *import, import_role role, const phx_elastic_model *model, double factor, phx_csr *a)
{
    const double length = import->def->length;
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            a->val[k] *= factor * (turns(model, i) ? length : 1.0) * (turns(model, a->idx[k]) ? length : 1.0);
            if (!isfinite(a->val[k]))
                return phx_fail(import->context, PHX_ERR_INPUT,
                                "%s: in SI units the entry of %s and %s is beyond all numbers; check the units",
                                import->matrix[role].path, import_place_of(import, i).text,
                                import_place_of(import, a->idx[k]).text);
        }
    return PHX_OK;
}

/* Symmetric mass and stiffness matrices in SI units; the stiffness is empty if modal matrices came instead. */
static phx_status put_matrices(phx_import *import, phx_elastic_model *model)
{
    const phx_import_def *def = import->def;
    const double stiffness = def->mass / (def->time * def->time);
    phx_status status = import_symmetric(import, IMPORT_MASS, model->n, &model->M);
    if (!status && import->modes.M)
        status = phx_csr_from_triplets(import->context, model->n, model->n, 0, NULL, NULL, NULL, &model->K);
    else if (!status)
        status = import_symmetric(import, IMPORT_STIFFNESS, model->n, &model->K);
    if (!status)
        status = scale(import, IMPORT_MASS, model, def->mass, &model->M);
    if (!status)
        status = scale(import, IMPORT_STIFFNESS, model, stiffness, &model->K);
    if (!status)
        model->rounding =
            fmax(import_rounding(&import->matrix[IMPORT_MASS]), import_rounding(&import->matrix[IMPORT_STIFFNESS]));
    return status;
}

static phx_status check_modal(phx_import *import)
{
    const phx_status status = import_symmetric_dense(import, "modal mass", import->modes.count, import->modes.M);
    return status ? status : import_symmetric_dense(import, "modal stiffness", import->modes.count, import->modes.K);
}

typedef struct row_name {
    int label, component, row;
} row_name;

static int build_compare_names(const void *a, const void *b)
{
    const row_name *left = a, *right = b;
    const int nodes = (left->label > right->label) - (left->label < right->label);
    return nodes ? nodes : (left->component > right->component) - (left->component < right->component);
}

/* Shapes beside matrices whose rows are named: from the ascending order to that of the rows. */
static phx_status order_modes(phx_import *import)
{
    const import_unknowns *u = &import->unknowns;
    import_modes *modes = &import->modes;
    const size_t n = (size_t)u->n, k = (size_t)modes->count;
    if (modes->rows != u->n)
        return phx_fail(import->context, PHX_ERR_INPUT,
                        "%s: shapes of %d rows, but the matrices have %d; a row for each of theirs", modes->path,
                        modes->rows, u->n);
    if (!import->matrix[IMPORT_MASS].labelled)
        return PHX_OK;
    row_name *name = phx_calloc(import->context, n, sizeof *name);
    double *ordered = phx_calloc(import->context, n * k, sizeof *ordered);
    phx_status status = name && ordered ? PHX_OK : PHX_ERR_MEMORY;
    for (size_t i = 0; i < n && !status; i++)
        name[i] = (row_name){u->label[i], u->component[i], (int)i};
    if (!status)
        qsort(name, n, sizeof *name, build_compare_names);
    for (size_t i = 0; i < n && !status; i++)
        memcpy(ordered + (size_t)name[i].row * k, modes->shape + i * k, k * sizeof *ordered);
    phx_free(name);
    phx_free(status ? ordered : modes->shape);
    if (!status)
        modes->shape = ordered;
    return status;
}

/* u = shape a with a in units of length of the file: q = length a in m, so that displacements stay and rotations are
 * divided by it. */
static phx_status build_put_modes(phx_import *import, phx_elastic_model *model)
{
    const phx_import_def *def = import->def;
    const size_t k = (size_t)import->modes.count;
    if (k == 0)
        return PHX_OK;
    phx_status status = import->modes.M ? check_modal(import) : order_modes(import);
    if (status)
        return status;
    model->n_modes = (int)k;
    model->modes = import->modes.shape;
    model->modal_M = import->modes.M;
    model->modal_K = import->modes.K;
    const char *path = import->modes.path ? import->modes.path : import->matrix[IMPORT_MASS].path;
    import->modes = (import_modes){0};
    for (size_t i = 0; i < (size_t)model->n; i++)
        for (size_t j = 0; j < k && turns(model, (int)i); j++)
            model->modes[i * k + j] /= def->length;
    bool finite = true;
    for (size_t i = 0; i < k * k && model->modal_M; i++) {
        model->modal_M[i] *= def->mass;
        model->modal_K[i] *= def->mass / (def->time * def->time);
        finite = finite && isfinite(model->modal_M[i]) && isfinite(model->modal_K[i]);
    }
    for (size_t i = 0; i < (size_t)model->n * k; i++)
        finite = finite && isfinite(model->modes[i]);
    return finite
               ? PHX_OK
               : phx_fail(import->context, PHX_ERR_INPUT,
                          "%s: in SI units the modes or their matrices are beyond all numbers; check the units", path);
}

/* ---- unknowns that are left out ---- */
static bool has_entry(const phx_csr *a, int i)
{
    for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
        if (a->val[k] != 0.0)
            return true;
    return false;
}

static bool moves(const phx_elastic_model *model, int i)
{
    for (int j = 0; j < model->n_modes; j++)
        if (model->modes[(size_t)i * (size_t)model->n_modes + (size_t)j] != 0.0)
            return true;
    return false;
}

/* Rows and columns with new[i] >= 0, entries other than 0, in place. */
static void select_entries(phx_csr *a, const int *fresh)
{
    int used = 0, rows = 0;
    for (int i = 0, begin = 0; i < a->rows; i++) {
        const int end = a->ptr[i + 1];
        for (int k = begin; k < end; k++) {
            if (fresh[i] < 0 || a->val[k] == 0.0)
                continue;
            a->idx[used] = fresh[a->idx[k]];
            a->val[used++] = a->val[k];
        }
        begin = end;
        if (fresh[i] >= 0)
            a->ptr[++rows] = used;
    }
    a->rows = a->cols = rows;
}

/* Removes the unknowns with fresh[i] < 0 from the lists of the model and from the rows of its modes. */
static void select_unknowns(phx_elastic_model *model, const int *fresh)
{
    const size_t modes = (size_t)model->n_modes;
    int n = 0;
    for (int i = 0; i < model->n; i++) {
        if (fresh[i] < 0)
            continue;
        model->node[n] = model->node[i];
        model->component[n] = model->component[i];
        if (modes > 0)
            memmove(model->modes + (size_t)n * modes, model->modes + (size_t)i * modes, modes * sizeof(double));
        n++;
    }
    model->n = n;
}

static void report_left_out(const phx_import *import, const int *fresh, int n)
{
    int count = 0, first = -1;
    for (int i = 0; i < n; i++)
        if (fresh[i] < 0 && count++ == 0)
            first = i;
    if (count > 0)
        phx_log(import->context, PHX_LOG_INFO,
                "%d of %d unknowns have neither mass nor stiffness and are left out, first %s", count, n,
                import_place_of(import, first).text);
}

/* Where modes turn a node about one axis, they say that they do not about the others. Returns the number of unknowns
 * that are kept then. */
static int keep_rotations(const phx_elastic_model *model, int *fresh)
{
    int kept = 0;
    for (int i = 0; i + 5 < model->n; i += 6) { /* six of each node, in their order */
        const bool turning = fresh[i + 3] >= 0 || fresh[i + 4] >= 0 || fresh[i + 5] >= 0;
        for (int c = 0; c < 6; c++)
            fresh[i + c] = fresh[i + c] >= 0 || (c >= 3 && turning) ? kept++ : -1;
    }
    return kept;
}

/* Removes unknowns without mass, stiffness and modal displacement and reports them; fails if none is left. */
static phx_status leave_out(phx_import *import, phx_elastic_model *model)
{
    const int n = model->n;
    int *fresh = phx_calloc(import->context, (size_t)n, sizeof *fresh), kept = 0;
    if (!fresh)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        fresh[i] = has_entry(&model->M, i) || has_entry(&model->K, i) || moves(model, i) ? kept++ : -1;
    if (model->modal_K)
        kept = keep_rotations(model, fresh);
    report_left_out(import, fresh, n);
    select_entries(&model->M, fresh);
    select_entries(&model->K, fresh);
    select_unknowns(model, fresh);
    phx_free(fresh);
    if (kept == 0)
        return phx_fail(import->context, PHX_ERR_INPUT, "%s: the matrices have no entry other than 0",
                        import->matrix[IMPORT_MASS].path);
    return PHX_OK;
}

/* ---- rigid motions and what they show ---- */
static phx_status put_rigid_motions(phx_import *import, phx_elastic_model *model)
{
    const size_t n = (size_t)model->n;
    model->rigid = phx_calloc(import->context, 6 * n, sizeof *model->rigid);
    if (!model->rigid)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < n; k++) {
        const int c = model->component[k];
        if (c == PHX_UNKNOWN_OTHER)
            continue;
        model->rigid[(size_t)c * n + k] = 1.0; /* e_c; of a rotation: the unit rotation */
        if (c > PHX_UNKNOWN_UZ)
            continue;
        const double *x = model->x + 3 * (size_t)model->node[k];
        const int next = (c + 1) % 3, last = (c + 2) % 3; /* (w x x)_c = w_next x_last - w_last x_next */
        model->rigid[(size_t)(3 + next) * n + k] = x[last];
        model->rigid[(size_t)(3 + last) * n + k] = -x[next];
    }
    return PHX_OK;
}

/* A stiffness matrix in place of the mass gives none. */
static phx_status build_check_mass(phx_import *import, const phx_elastic_model *model)
{
    static const double NO_MASS = 1e-6; /* relative to the diagonal */

    for (int c = 0; c < 3; c++) {
        double mass = 0.0, trace = 0.0;
        for (int i = 0; i < model->n; i++)
            for (int k = model->M.ptr[i]; k < model->M.ptr[i + 1]; k++) {
                const int j = model->M.idx[k];
                if (model->component[i] == c && model->component[j] == c)
                    mass += model->M.val[k];
                if (model->component[i] == c && j == i)
                    trace += model->M.val[k];
            }
        if (!(mass > NO_MASS * trace))
            return phx_fail(
                import->context, PHX_ERR_INPUT,
                "%s: the mass matrix gives the body the mass %g kg along %s, with %g kg on its diagonal; is "
                "it a stiffness matrix?",
                import->matrix[IMPORT_MASS].path, mass, &import_component_names[c][1], trace);
    }
    return PHX_OK;
}

/* Modal coordinates of a reduced body couple with the motion of its points by matrices that are not given. */
static phx_status check_scalar_points(phx_import *import, const phx_elastic_model *model)
{
    for (int i = 0; i < model->n; i++)
        if (model->component[i] == PHX_UNKNOWN_OTHER && has_entry(&model->M, i))
            return phx_fail(
                import->context, PHX_ERR_INPUT,
                "%s: the scalar points of the matrices have mass, but no place: let the matrices be written "
                "for grid points alone, without modal coordinates",
                import->matrix[IMPORT_MASS].path);
    return PHX_OK;
}

static void warn_of_unknowns(phx_import *import, const phx_elastic_model *model)
{
    int loose = 0, first = -1;
    for (int i = 0; i < model->n && !model->modal_K; i++)
        if (!has_entry(&model->K, i) && loose++ == 0)
            first = i;
    if (loose > 0)
        phx_log(import->context, PHX_LOG_WARNING, "%s: %d unknowns have mass and no stiffness, first node %d %s",
                import->matrix[IMPORT_STIFFNESS].path, loose,
                model->node[first] >= 0 ? model->label[model->node[first]] : 0,
                import_component_names[model->component[first]]);
}

/* Nodes that have some of the three translations but not all of them. */
static phx_status warn_of_constraints(phx_import *import, const phx_elastic_model *model)
{
    unsigned char *has = phx_calloc(import->context, (size_t)model->n_nodes, 1);
    int held = 0, first = -1;
    if (!has)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < model->n; i++)
        if (model->component[i] <= PHX_UNKNOWN_UZ)
            has[model->node[i]] |= (unsigned char)(1u << model->component[i]);
    for (int i = 0; i < model->n_nodes; i++)
        if (has[i] != 0 && has[i] != 7 && held++ == 0)
            first = i;
    phx_free(has);
    if (held > 0)
        phx_log(import->context, PHX_LOG_WARNING,
                "%s: %d nodes have some but not all of their translations, first node %d: were they constrained when "
                "the matrices were written? A body that moves needs matrices without constraints",
                import->matrix[IMPORT_MASS].path, held, model->label[first]);
    return PHX_OK;
}

/* Nodes of rigid bodies have no rows: they follow the reference node. */
static phx_status put_carriers(const phx_import *import, phx_elastic_model *model)
{
    if (import->n_rigid == 0)
        return PHX_OK;
    model->carrier = phx_calloc(import->context, (size_t)model->n_nodes, sizeof *model->carrier);
    model->rotation_label = phx_calloc(import->context, (size_t)model->n_nodes, sizeof *model->rotation_label);
    if (!model->carrier || !model->rotation_label)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < model->n_nodes; i++)
        model->carrier[i] = -1;
    for (int k = 0; k < import->n_rigid; k++) {
        const phx_mesh_group *set = phx_mesh_group_named(&model->mesh, import->rigid[k].set);
        const int reference = import_map_find(&import->nodes.place, import->rigid[k].reference);
        if (reference < 0)
            continue;
        model->rotation_label[reference] = import->rigid[k].rotation;
        for (int i = 0; set && i < set->n_nodes; i++)
            model->carrier[set->nodes[i]] = reference;
    }
    return PHX_OK;
}

/* Fills the model from everything that has been read, checks it, and warns of constraints and unknown rows. */
static phx_status build_fill(phx_import *import, phx_elastic_model *model)
{
    phx_status status = put_nodes(import, model);
    if (!status)
        status = put_sets(import, model);
    if (!status)
        status = put_unknowns(import, model);
    if (!status)
        status = put_matrices(import, model);
    if (!status)
        status = build_put_modes(import, model);
    if (!status)
        status = leave_out(import, model);
    if (!status)
        status = check_scalar_points(import, model);
    if (!status)
        status = build_check_mass(import, model);
    if (!status)
        status = put_rigid_motions(import, model);
    if (!status)
        status = warn_of_constraints(import, model);
    if (!status)
        warn_of_unknowns(import, model);
    if (!status)
        status = put_carriers(import, model);
    return status ? status : import_put_stresses(import, model);
}

/* Builds an elastic model from what has been read; *model is set on success only. */
phx_status import_build(phx_import *import, phx_elastic_model **model)
{
    phx_status status = check_parts(import);
    if (!status)
        status = import_name_rows(import);
    if (status)
        return status;
    phx_elastic_model *made = phx_calloc(import->context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    made->ops = &imported_ops;
    status = build_fill(import, made);
    if (status)
        phx_elastic_destroy(made);
    else
        *model = made;
    return status;
}
