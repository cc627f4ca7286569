/* The matrices of a model, by name. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 300 };

static void matrices_add(phx_bundle *bundle, const char *name, const phx_csr *matrix, const char *meaning,
                         const char *unit)
{
    phx_bundle_add_sparse(bundle, name, matrix);
    phx_bundle_describe(bundle, meaning, unit);
}

/* ---- names ---- */
typedef struct name_list {
    char *text;
    const char **names;
    int count;
} name_list;

static phx_status list_create(phx_context *context, int room, name_list *list)
{
    *list = (name_list){.text = phx_calloc(context, (size_t)room, NAME_SIZE),
                        .names = phx_calloc(context, (size_t)room, sizeof *list->names)};
    return list->text && list->names ? PHX_OK : PHX_ERR_MEMORY;
}

static void list_free(name_list *list)
{
    phx_free(list->text);
    phx_free((void *)list->names);
}

/* Room for one more name. */
static char *list_next(name_list *list)
{
    char *text = list->text + (size_t)list->count * NAME_SIZE;
    list->names[list->count++] = text;
    return text;
}

/* Names of multipliers, JOINT.lambda1; without those of drives when these are inputs. */
static void name_multipliers(const phx_system *system, bool drives, name_list *list)
{
    for (int k = 0; k < phx_system_n_l(system); k++) {
        const char *joint;
        int row;
        bool drive;
        phx_system_multiplier(system, k, &joint, &row, &drive);
        if (drives || !drive)
            snprintf(list_next(list), NAME_SIZE, "%.280s.lambda%d", joint, row);
    }
}

/* Names of the coordinates, of the rows of G, and of the states e = (xi, v, lambda, mu), mu called JOINT.coordinate.mu.
 */
static phx_status matrices_add_names(phx_context *context, const phx_system *system, const phx_channels *channels,
                                     phx_bundle *bundle)
{
    const int n = channels->n, m = phx_system_n_l(system);
    name_list list = {0};
    const phx_status status = list_create(context, 2 * n + 2 * m + channels->n_held, &list);
    if (status) {
        list_free(&list);
        return status;
    }
    name_multipliers(system, true, &list);
    phx_bundle_add_names(bundle, "multipliers", m, list.names);
    for (int k = 0; k < n; k++)
        phx_system_coordinate_name(system, k, list_next(&list), NAME_SIZE);
    phx_bundle_add_names(bundle, "coordinates", n, list.names + m);
    for (int k = 0; k < n; k++)
        snprintf(list_next(&list), NAME_SIZE, "%.290s_dot", list.names[m + k]);
    name_multipliers(system, channels->m == m, &list);
    for (int k = 0; k < channels->n_held; k++)
        snprintf(list_next(&list), NAME_SIZE, "%.290s.mu", channels->motion[k]);
    phx_bundle_add_names(bundle, "states", list.count - m, list.names + m);
    list_free(&list);
    return PHX_OK;
}

/* ---- the system ---- */
/* | M  -G^T |   of (xi'', lambda)
 * | -G   0  | */
static phx_status add_kkt(phx_context *context, const phx_linear *linear, phx_bundle *bundle)
{
    const int n = linear->n, in_M = linear->M.ptr[n], in_G = linear->G.ptr[linear->G.rows];
    const size_t count = (size_t)in_M + 2 * (size_t)in_G;
    int *row = phx_calloc(context, count, sizeof *row), *col = phx_calloc(context, count, sizeof *col);
    double *val = phx_calloc(context, count, sizeof *val);
    phx_csr kkt = {0};
    size_t at = 0;
    phx_status status = row && col && val ? PHX_OK : PHX_ERR_MEMORY;
    for (int i = 0; i < n && !status; i++)
        for (int k = linear->M.ptr[i]; k < linear->M.ptr[i + 1]; k++, at++) {
            row[at] = i;
            col[at] = linear->M.idx[k];
            val[at] = linear->M.val[k];
        }
    for (int i = 0; i < linear->G.rows && !status; i++)
        for (int k = linear->G.ptr[i]; k < linear->G.ptr[i + 1]; k++, at += 2) {
            row[at] = col[at + 1] = n + i;
            col[at] = row[at + 1] = linear->G.idx[k];
            val[at] = val[at + 1] = -linear->G.val[k];
        }
    if (!status)
        status = phx_csr_from_triplets(context, n + linear->m, n + linear->m, count, row, col, val, &kkt);
    if (!status)
        matrices_add(bundle, "KKT", &kkt, "[M -G^T; -G 0]: accelerations and multipliers", "SI");
    phx_csr_free(&kkt);
    phx_free(row);
    phx_free(col);
    phx_free(val);
    return status;
}

/* Adds M, D, K, G of the linear model and the combined matrix of the saddle-point system to the bundle. */
static phx_status add_linear(phx_context *context, const phx_linear *linear, phx_bundle *bundle)
{
    static const char places[] = "; coordinates xi (m, rad, and of the deformations), see coordinates";
    char text[200];
    const struct {
        const char *name, *meaning, *unit;
        const phx_csr *matrix;
    } parts[] = {
        {"M", "mass matrix: M xi'' + D xi' + K xi = G^T lambda + F u", "kg, kg m, kg m^2", &linear->M},
        {"D", "damping matrix: forces -D xi'", "N s/m, N s, N m s", &linear->D},
        {"K", "stiffness matrix: forces -K xi; elasticity, gravity, springs, tensions", "N/m, N, N m", &linear->K},
        {"G", "constraint Jacobian: G xi' = 0, independent rows of joints and locked drives", "1, m", &linear->G},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        snprintf(text, sizeof text, "%s%s", parts[k].meaning, places);
        matrices_add(bundle, parts[k].name, parts[k].matrix, text, parts[k].unit);
    }
    return add_kkt(context, linear, bundle);
}

/* Adds the matrices and names of inputs to the bundle, and those of outputs if there are any. */
static void add_channels(const phx_channels *channels, phx_bundle *bundle)
{
    const struct {
        const char *name, *meaning;
        const phx_csr *matrix;
    } parts[] = {
        {"F", "inputs: forces F u; columns of prescribed motions are zero", &channels->F},
        {"H", "prescribed motions: H xi' = u of them", &channels->H},
        {"Y_q", "outputs: y = Y_q xi + Y_v xi' + Y_a xi'' + Y_l lambda + Y_h mu + Y_u u", &channels->Y_q},
        {"Y_v", "outputs, of xi'", &channels->Y_v},
        {"Y_a", "outputs, of xi''", &channels->Y_a},
        {"Y_l", "outputs, of lambda", &channels->Y_l},
        {"Y_h", "outputs, of mu, the efforts of prescribed motions", &channels->Y_h},
        {"Y_u", "outputs, of u", &channels->Y_u},
    };
    const size_t count = channels->n_outputs > 0 ? sizeof parts / sizeof *parts : 2;
    for (size_t k = 0; k < count; k++)
        matrices_add(bundle, parts[k].name, parts[k].matrix, parts[k].meaning, "SI");
    phx_bundle_add_names(bundle, "inputs", channels->n_inputs, (const char *const *)channels->inputs);
    phx_bundle_add_names(bundle, "outputs", channels->n_outputs, (const char *const *)channels->outputs);
}

/* The descriptor form; where K or D does not allow it a warning says why. */
static phx_status add_descriptor(phx_context *context, const phx_linear *linear, const phx_channels *channels,
                                 phx_bundle *bundle)
{
    phx_descriptor *descriptor = NULL;
    phx_status status = phx_linear_descriptor(context, "model", linear, channels, &descriptor);
    if (status == PHX_ERR_UNSUPPORTED) {
        phx_log(context, PHX_LOG_WARNING, "the matrices of the descriptor form are left out: %s",
                phx_context_message(context));
        phx_context_clear(context);
        return PHX_OK;
    }
    if (!status)
        status = phx_bundle_add_descriptor(context, bundle, descriptor);
    phx_descriptor_destroy(descriptor);
    return status;
}

/* The inputs and outputs of the model; without inputs only the constraints. A model without outputs gets the position
 * of its first body as an output, which is dropped afterwards. */
static phx_status find_channels(phx_context *context, const phx_model *model, const phx_start_point *at,
                                const phx_linear *linear, phx_channels *channels)
{
    char place[NAME_SIZE];
    const char *const places[] = {place};
    phx_channels_options options = {.drives_by_rate = true};
    const bool silent = phx_system_columns(at->system) == 0;
    *channels = (phx_channels){0};
    if (silent) {
        snprintf(place, sizeof place, "%s.P.x", model->bodies[0].name);
        options.outputs = places;
        options.n_outputs = 1;
    }
    phx_status status = phx_system_channels(at->dae, 0.0, at->x, NULL, &options, channels);
    if (status == PHX_ERR_INPUT) { /* there are no inputs */
        phx_context_clear(context);
        *channels = (phx_channels){.n = linear->n, .m = linear->m};
        status = phx_csr_copy(context, &linear->G, &channels->G);
        if (!status)
            status = phx_csr_from_triplets(context, 0, linear->n, 0, NULL, NULL, NULL, &channels->H);
        if (!status)
            status = phx_csr_from_triplets(context, linear->n, 0, 0, NULL, NULL, NULL, &channels->F);
    } else if (!status && silent) {
        phx_free(channels->outputs[0]);
        channels->n_outputs = 0;
    }
    return status;
}

/* Adds the linear model at a start point to the bundle: matrices, channels, descriptor form and names of coordinates.
 */
static phx_status add_system(phx_context *context, const phx_model *model, const phx_start_point *at,
                             phx_bundle *bundle)
{
    phx_linear linear = {0};
    phx_channels channels = {0};
    phx_status status = phx_model_blame(context, model, phx_system_linear(at->dae, 0.0, at->x, NULL, &linear));
    if (!status)
        status = find_channels(context, model, at, &linear, &channels);
    if (!status)
        status = add_linear(context, &linear, bundle);
    if (!status && channels.n_inputs > 0)
        add_channels(&channels, bundle);
    if (!status)
        status = add_descriptor(context, &linear, &channels, bundle);
    if (!status)
        status = matrices_add_names(context, at->system, &channels, bundle);
    phx_channels_free(&channels);
    phx_linear_free(&linear);
    return status;
}

/* ---- the bodies ---- */
static void add_part(phx_bundle *bundle, const char *stem, const char *part, const char *meaning, const char *unit,
                     const phx_csr *sparse, const double *dense, int rows, int cols)
{
    char name[PHX_BUNDLE_NAME_SIZE], text[NAME_SIZE];
    snprintf(text, sizeof text, "%s_%s", stem, part);
    phx_bundle_make_name(bundle, "", text, name);
    if (sparse)
        phx_bundle_add_sparse(bundle, name, sparse);
    else
        phx_bundle_add_matrix(bundle, name, rows, cols, dense, NULL);
    phx_bundle_describe(bundle, meaning, unit);
}

/* The deformation matrices of a phx_flex. */
static void add_flex(phx_bundle *bundle, const char *stem, const phx_flex *flex)
{
    phx_csr on = {.rows = flex->n, .cols = flex->n, .ptr = flex->ptr, .idx = flex->idx, .val = flex->M};
    add_part(bundle, stem, "M_ff", "M_qq = int rho Phi^T Phi over the deformation coordinates q", "SI", &on, NULL, 0,
             0);
    on.val = flex->K;
    add_part(bundle, stem, "K_ff", "elastic stiffness K = D^T M2^-1 D = root^T root over q", "SI", &on, NULL, 0, 0);
    add_part(bundle, stem, "S", "S = int rho Phi: translation and deformation", "SI", NULL, flex->S, flex->dim,
             flex->n);
    add_part(bundle, stem, "C", "C = int rho x x Phi: rotation and deformation", "SI", NULL, flex->C, flex->n_rot,
             flex->n);
    add_part(bundle, stem, "stress", "M2^-1 D: the stress state sigma = stress q", "SI", &flex->stress, NULL, 0, 0);
    add_part(bundle, stem, "root", "L2^-1 D with M2 = L2 L2^T", "SI", &flex->root, NULL, 0, 0);
    if (flex->strain.rows == 0)
        return;
    add_part(bundle, stem, "M2", "M2 = int psi psi^T / stiffness over the stress state sigma: its compliance", "SI",
             &flex->compliance, NULL, 0, 0);
    add_part(bundle, stem, "D", "D = int psi (d^k Phi/dx^k): M2 sigma = D q", "SI", &flex->strain, NULL, 0, 0);
}

/* Adds mass, damping and flexible matrices of body b at the start point to the bundle, with names that begin with
 * stem. */
static phx_status add_body(phx_context *context, const phx_start_point *at, int b, const char *stem, phx_bundle *bundle)
{
    const phx_body *body = phx_system_body(at->system, b);
    const int *ptr, *idx;
    int x = 0, v = 0;
    phx_body_pattern(body, &ptr, &idx);
    phx_system_offsets(at->system, b, &x, &v);
    const int n = phx_body_n_v(body), count = ptr[n];
    double *M = phx_calloc(context, (size_t)count, sizeof *M), *R = phx_calloc(context, (size_t)count, sizeof *R),
           *rest = phx_calloc(context, (size_t)n, sizeof *rest), gravity[3] = {0.0};
    const phx_status status = M && R && rest ? PHX_OK : PHX_ERR_MEMORY;
    if (!status) {
        phx_body_linearise(body, gravity, at->x + x, rest, M, R, NULL);
        const phx_csr mass = {.rows = n, .cols = n, .ptr = (int *)ptr, .idx = (int *)idx, .val = M};
        phx_csr damping = mass;
        damping.val = R;
        add_part(bundle, stem, "M", "mass matrix M(q) of nu = (v, w, q_dot), body axes, at the start state",
                 "kg, kg m, kg m^2", &mass, NULL, 0, 0);
        if (phx_body_n_q(body) > 0) {
            add_part(bundle, stem, "R", "damping of nu at rest", "SI", &damping, NULL, 0, 0);
            add_flex(bundle, stem, phx_body_flex(body));
        }
    }
    phx_free(M);
    phx_free(R);
    phx_free(rest);
    return status;
}

static phx_status add_bodies(phx_context *context, const phx_model *model, const phx_start_point *at,
                             phx_bundle *bundle)
{
    const char **names = phx_calloc(context, (size_t)model->n_bodies, sizeof *names);
    phx_status status = names ? PHX_OK : PHX_ERR_MEMORY;
    for (int b = 0; b < model->n_bodies && !status; b++) {
        names[b] = model->bodies[b].name;
        status = add_body(context, at, b, model->bodies[b].name, bundle);
    }
    if (!status)
        phx_bundle_add_names(bundle, "bodies", model->n_bodies, names);
    phx_free((void *)names);
    return status;
}

/* ---- the whole ---- */
phx_status phx_study_matrices(phx_context *context, const phx_model *model, phx_bundle *bundle)
{
    if (!model || !bundle)
        return phx_fail_null(context, __func__, "model or bundle");
    const phx_build_options build = {.without_outputs = false};
    const phx_start_options start = phx_start_of(model);
    phx_start_point at = {0};
    phx_status status = phx_start_point_create(context, model, &build, &start, false, &at);
    phx_bundle_made_from(bundle, model);
    phx_bundle_add_text(bundle, "title", model->title);
    if (!status)
        status = add_system(context, model, &at, bundle);
    if (!status)
        status = add_bodies(context, model, &at, bundle);
    if (!status) {
        phx_bundle_add_text(bundle, "model", model->text);
        status = phx_bundle_status(bundle);
    }
    phx_start_point_free(&at);
    return phx_conclude(context, status);
}
