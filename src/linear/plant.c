/* Plants of one mechanism at several values of its parameters, in the coordinates of the nominal one. */
#include "linear/linearised.h"
#include "linear/reduction/result.h"

#include <math.h>
#include <string.h>

struct phx_plant_coordinates {
    int n_xi, f, held; /* motions, modes, prescribed motions */
    int rigid;         /* of the modes */
    bool *is_rigid;    /* f */
    double *W;         /* n_xi x f */
};

/* A plant on its own modes. */
typedef struct own_basis {
    const phx_reduced *reduced;
    double *basis; /* n_xi x count */
    int n_xi, f;
    bool second_order;
} own_basis;

/* Neither rates among the inputs nor controllers. */
static bool is_second_order(const phx_linearised *linearised)
{
    const phx_channels *channels = &linearised->channels;
    bool is = linearised->feedback.n_actuations == 0;
    for (int k = 0; k < channels->n_inputs; k++)
        is = is && channels->kind[k] != PHX_CHANNEL_RATE;
    return is;
}

/* Basis of the plant's coordinates in the coordinates of the mechanism, after its reduction if there is one. Fails for
 * reductions to first order, which have no common coordinates. */
static phx_status find_basis(phx_context *context, const phx_linearised *linearised, const phx_reduction *reduction,
                             own_basis *own)
{
    const phx_status status = phx_linearised_refuse_sparse(context, linearised);
    if (status)
        return status;
    if (reduction && !reduction->second)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "the method %s makes states of its own for each plant, which have no common coordinates; "
                        "reduce the plants of a sweep by modal or krylov",
                        phx_reduction_method_name(reduction->report.method));
    const phx_reduced *r = reduction ? &reduction->second->reduced : &linearised->reduced;
    own->reduced = r;
    own->n_xi = linearised->linear.n;
    own->f = r->rigid + r->modes;
    own->second_order = is_second_order(linearised);
    own->basis = phx_calloc(context, (size_t)own->n_xi * (size_t)r->count + 1, sizeof *own->basis);
    if (!own->basis)
        return PHX_ERR_MEMORY;
    if (!reduction)
        memcpy(own->basis, r->basis, (size_t)own->n_xi * (size_t)r->count * sizeof *own->basis);
    else if (r->count > 0) /* the modes of the reduced mechanism are motions of its basis */
        phx_dense_multiply(false, false, own->n_xi, r->count, r->n, 1.0, reduction->basis, r->n, r->basis, r->count,
                           0.0, own->basis, r->count);
    return PHX_OK;
}

/* The first `cols` columns of a matrix of `all`. */
static void plant_take_columns(int rows, int all, int cols, const double *from, double *to)
{
    for (int i = 0; i < rows; i++)
        memcpy(to + (size_t)i * (size_t)cols, from + (size_t)i * (size_t)all, (size_t)cols * sizeof *to);
}

/* ---- the nominal plant ---- */
/* K P by the root of K where there is one, so that motions without strain give zero: n_xi x f. */
static phx_status stiffness_times(phx_context *context, const phx_linear *linear, int f, const double *P, double **KP)
{
    const phx_stiffness stiffness = phx_linear_stiffness(linear);
    const size_t cells = (size_t)linear->n * (size_t)f;
    double *stretch = NULL, *rest = NULL;
    phx_csr transpose = {0};
    phx_status status = PHX_OK;

    *KP = NULL;
    if (stiffness.root) {
        status = phx_csr_times_dense(context, stiffness.root, f, P, &stretch);
        if (!status)
            status = phx_csr_transpose(context, stiffness.root, &transpose);
        if (!status)
            status = phx_csr_times_dense(context, &transpose, f, stretch, KP);
    }
    if (!status && stiffness.rest)
        status = phx_csr_times_dense(context, stiffness.rest, f, P, *KP ? &rest : KP);
    for (size_t k = 0; k < cells && !status && rest; k++)
        (*KP)[k] += rest[k];
    phx_csr_free(&transpose);
    phx_free(stretch);
    phx_free(rest);
    return status;
}

/* W <- W (P^T W)^-1, where P^T W is the identity but for rounding. */
static phx_status refine_weights(phx_context *context, int n, int f, const double *P, double *W)
{
    double *S = phx_calloc(context, (size_t)f * (size_t)f + 1, sizeof *S);
    double *refined = phx_calloc(context, (size_t)n * (size_t)f + 1, sizeof *refined);
    phx_status status = S && refined ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && f > 0) {
        phx_dense_multiply(true, false, f, f, n, 1.0, P, f, W, f, 0.0, S, f);
        status = phx_dense_inverse(context, f, S);
    }
    if (!status && f > 0) {
        phx_dense_multiply(false, false, n, f, f, 1.0, W, f, S, f, 0.0, refined, f);
        memcpy(W, refined, (size_t)n * (size_t)f * sizeof *W);
    }
    phx_free(S);
    phx_free(refined);
    return status;
}

/* ---- the weights of rigid motions ---- */
static bool plant_is_rotation(const char *coordinate)
{
    const char *dot = coordinate ? strrchr(coordinate, '.') : NULL;
    return dot && strncmp(dot, ".phi", 4) == 0;
}

/* The rest of row i of P_r without the rows chosen, orthonormal in `rows` (count x r): its part of the whole. */
static double independent(const double *P_r, int i, int r, int count, const double *rows, double *left)
{
    double whole = 0.0, rest = 0.0;
    memcpy(left, P_r + (size_t)i * (size_t)r, (size_t)r * sizeof *left);
    for (int j = 0; j < r; j++)
        whole = hypot(whole, left[j]);
    for (int sweep = 0; sweep < 2; sweep++)
        for (int k = 0; k < count; k++) {
            double sum = 0.0;
            for (int j = 0; j < r; j++)
                sum += rows[k * r + j] * left[j];
            for (int j = 0; j < r; j++)
                left[j] -= sum * rows[k * r + j];
        }
    for (int j = 0; j < r; j++)
        rest = hypot(rest, left[j]);
    for (int j = 0; j < r && rest > 0.0; j++)
        left[j] /= rest;
    return whole > 0.0 ? rest / whole : 0.0;
}

/* Coordinates by which rigid motions are told, rotations first, those of the bodies that come first in the model:
 * other bodies follow them by polynomials of the places of the joints. chosen (r); false where there are not enough. */
static bool choose_coordinates(const phx_linearised *linearised, const double *P_r, int r, double *rows, int *chosen)
{
    const int n = linearised->linear.n;
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n && count < r; i++)
            if (plant_is_rotation(linearised->coordinates ? linearised->coordinates[i] : NULL) == (pass == 0) &&
                independent(P_r, i, r, count, rows, rows + (size_t)count * (size_t)r) > 0.05)
                chosen[count++] = i;
    return count == r;
}

/* W_r so that the coordinates chosen, x = P_r[x] z_r + P_e[x] z_e, give z_r: columns (E_x - W_e P_e[x]^T) P_r[x]^-T. */
static phx_status weigh_rigid(phx_context *context, const phx_linearised *linearised, const own_basis *own,
                              const double *P, phx_plant_coordinates *coordinates)
{
    const int n = own->n_xi, f = own->f, r = coordinates->rigid;
    const size_t R = (size_t)r;
    double *P_r = phx_calloc(context, (size_t)n * R + 3 * R * R + 1, sizeof *P_r),
           *rows = phx_behind(P_r, (size_t)n * R), *inverse = phx_behind(rows, R * R),
           *weights = phx_calloc(context, (size_t)n * R + 1, sizeof *weights);
    int *chosen = phx_calloc(context, R + 1, sizeof *chosen);
    phx_status status = P_r && weights && chosen ? PHX_OK : PHX_ERR_MEMORY;

    for (int j = 0, k = 0; j < f && !status; j++)
        if (coordinates->is_rigid[j]) {
            for (int i = 0; i < n; i++)
                P_r[i * r + k] = P[i * f + j];
            k++;
        }
    const bool found = !status && choose_coordinates(linearised, P_r, r, rows, chosen);
    for (int k = 0; k < r && found; k++) {
        memcpy(inverse + (size_t)k * R, P_r + (size_t)chosen[k] * R, R * sizeof *inverse);
        weights[(size_t)chosen[k] * R + (size_t)k] = 1.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < f; j++)
                if (!coordinates->is_rigid[j])
                    weights[(size_t)i * R + (size_t)k] -= coordinates->W[i * f + j] * P[chosen[k] * f + j];
    }
    if (found)
        status = phx_dense_inverse(context, r, inverse);
    for (int i = 0; i < n && found && !status; i++)
        for (int j = 0, k = 0; j < f; j++)
            if (coordinates->is_rigid[j]) {
                double sum = 0.0;
                for (int l = 0; l < r; l++)
                    sum += weights[(size_t)i * R + (size_t)l] * inverse[k * r + l];
                coordinates->W[i * f + j] = sum;
                k++;
            }
    phx_free(P_r);
    phx_free(weights);
    phx_free(chosen);
    return status;
}

/* ---- all weights ---- */
/* W: K P_e Lambda^-1 with P^T K P = Lambda = +-omega^2; of rigid motions by coordinates or, where there are not enough
 * of them, M P_r. */
static phx_status find_weights(phx_context *context, const phx_linearised *linearised, const own_basis *own,
                               phx_plant_coordinates *coordinates)
{
    const int n = own->n_xi, f = own->f;
    double *P = phx_calloc(context, (size_t)n * (size_t)f + 1, sizeof *P), *KP = NULL;
    phx_status status = P && coordinates->is_rigid ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        plant_take_columns(n, own->reduced->count, f, own->basis, P);
        status = phx_csr_times_dense(context, &linearised->linear.M, f, P, &coordinates->W);
    }
    if (!status)
        status = stiffness_times(context, &linearised->linear, f, P, &KP);
    for (int j = 0; j < f && !status; j++) {
        const double lambda = own->reduced->omega[j] * fabs(own->reduced->omega[j]);
        coordinates->is_rigid[j] = lambda == 0.0;
        coordinates->rigid += coordinates->is_rigid[j];
        for (int i = 0; i < n && lambda != 0.0; i++)
            coordinates->W[i * f + j] = KP[i * f + j] / lambda;
    }
    if (!status && coordinates->rigid > 0)
        status = weigh_rigid(context, linearised, own, P, coordinates);
    if (!status)
        status = refine_weights(context, n, f, P, coordinates->W);
    phx_free(P);
    phx_free(KP);
    return status;
}

/* Creates the common coordinates of the plants of a sweep from the nominal plant; *coordinates is NULL after an
 * error. */
phx_status phx_plant_coordinates_create(phx_context *context, const phx_linearised *linearised,
                                        const phx_reduction *reduction, phx_plant_coordinates **coordinates)
{
    if (!linearised || !coordinates)
        return phx_fail_null(context, __func__, "linearised or coordinates");
    own_basis own = {0};
    phx_plant_coordinates *plant_coordinates = phx_calloc(context, 1, sizeof *plant_coordinates);
    phx_status status = plant_coordinates ? find_basis(context, linearised, reduction, &own) : PHX_ERR_MEMORY;

    *coordinates = NULL;
    if (!status) {
        plant_coordinates->n_xi = own.n_xi;
        plant_coordinates->f = own.f;
        plant_coordinates->held = own.reduced->held;
        plant_coordinates->is_rigid = phx_calloc(context, (size_t)own.f + 1, sizeof *plant_coordinates->is_rigid);
        status = find_weights(context, linearised, &own, plant_coordinates);
    }
    phx_free(own.basis);
    if (status)
        phx_plant_coordinates_destroy(plant_coordinates);
    else
        *coordinates = plant_coordinates;
    return phx_conclude(context, status);
}

void phx_plant_coordinates_destroy(phx_plant_coordinates *coordinates)
{
    if (!coordinates)
        return;
    phx_free(coordinates->W);
    phx_free(coordinates->is_rigid);
    phx_free(coordinates);
}

/* ---- the change of coordinates ---- */
typedef struct change {
    int f;
    double *S, *T; /* f x f: z = S q, q = T z */
} change;

/* Fails if a plant of the sweep has another number of coordinates than the nominal one. */
static phx_status check_sizes(phx_context *context, const phx_plant_coordinates *to, const own_basis *own,
                              bool reduction)
{
    if (own->n_xi != to->n_xi)
        return phx_fail(context, PHX_ERR_ANALYSIS,
                        "the mechanism has %d coordinates here and %d at the nominal point; the plants of a sweep need "
                        "the same bodies and meshes",
                        own->n_xi, to->n_xi);
    if (own->f != to->f || own->reduced->held != to->held)
        return phx_fail(
            context, PHX_ERR_ANALYSIS,
            "the plant has %d coordinates here and %d at the nominal point: the mobility of the mechanism%s "
            "changes, and there are no common coordinates",
            own->reduced->count, to->f + to->held, reduction ? " or the order of its reduction" : "");
    return PHX_OK;
}

/* Rigid motions of the plant strain no coordinate of the others: their entries are zero but for rounding. */
static void plant_clear_rounding(const phx_plant_coordinates *to, const own_basis *own, double *S)
{
    static const double ROUNDING = 1e-9; /* relative to the largest entry of the column */
    const int f = to->f;
    if (own->reduced->rigid != to->rigid)
        return;
    for (int j = 0; j < f; j++) {
        double size = 0.0;
        for (int i = 0; i < f; i++)
            size = fmax(size, fabs(S[i * f + j]));
        for (int i = 0; i < f && own->reduced->omega[j] == 0.0; i++)
            if (!to->is_rigid[i] && fabs(S[i * f + j]) < ROUNDING * size)
                S[i * f + j] = 0.0;
    }
}

/* S = W^T B P, B: motions (NULL: the identity), and its inverse; *least: smallest over largest singular value. */
static phx_status find_change(phx_context *context, const phx_plant_coordinates *to, const own_basis *own,
                              const double *motions, change *edit, double *least)
{
    enum { LARGEST = 1000 };
    const int f = to->f, n = to->n_xi;
    const size_t cells = (size_t)f * (size_t)f;
    double *values = phx_calloc(context, (size_t)f + 1, sizeof *values);
    double *moved = phx_calloc(context, motions ? (size_t)n * (size_t)f + 1 : 1, sizeof *moved); /* B P */

    edit->f = f;
    edit->S = phx_calloc(context, 2 * cells + 1, sizeof *edit->S);
    edit->T = phx_behind(edit->S, cells);
    *least = 1.0;
    phx_status status = edit->S && values && moved ? PHX_OK : PHX_ERR_MEMORY;
    if (!status && f > 0) {
        const int ld = own->reduced->count;
        if (motions)
            phx_dense_multiply(false, false, n, f, n, 1.0, motions, n, own->basis, ld, 0.0, moved, f);
        phx_dense_multiply(true, false, f, f, n, 1.0, to->W, f, motions ? moved : own->basis, motions ? f : ld, 0.0,
                           edit->S, f);
        plant_clear_rounding(to, own, edit->S);
        status = phx_dense_singular_values(context, f, f, edit->S, values, NULL);
    }
    if (!status && f > 0) {
        *least = values[0] > 0.0 ? values[f - 1] / values[0] : 0.0;
        if (!(*least > 1.0 / LARGEST))
            status = phx_fail(context, PHX_ERR_ANALYSIS,
                              "the motions of this plant cannot be told by those of the nominal one (singular values "
                              "of the change of coordinates differ by a factor of %.3g): take a smaller range of the "
                              "parameters or, for a reduced model, another order",
                              values[0] / values[f - 1]);
        memcpy(edit->T, edit->S, cells * sizeof *edit->T);
    }
    if (!status && f > 0)
        status = phx_dense_inverse(context, f, edit->T);
    phx_free(values);
    phx_free(moved);
    return status;
}

/* The f columns of a (rows x ld) from `first` on become a T; work: rows x f. */
static void change_columns(const change *edit, int rows, double *a, int ld, int first, double *work)
{
    const int f = edit->f;
    if (rows == 0 || f == 0)
        return;
    phx_dense_multiply(false, false, rows, f, f, 1.0, a + first, ld, edit->T, f, 0.0, work, f);
    for (int i = 0; i < rows; i++)
        memcpy(a + (size_t)i * (size_t)ld + first, work + (size_t)i * (size_t)f, (size_t)f * sizeof *a);
}

/* The f rows of a (cols wide) from `first` on become S a, or `transposed` T^T a; work: f x cols. */
static void change_rows(const change *edit, bool transposed, int cols, double *a, int first, double *work)
{
    const int f = edit->f;
    double *rows = a + (size_t)first * (size_t)cols;
    if (cols == 0 || f == 0)
        return;
    phx_dense_multiply(transposed, false, f, cols, f, 1.0, transposed ? edit->T : edit->S, f, rows, cols, 0.0, work,
                       cols);
    memcpy(rows, work, (size_t)f * (size_t)cols * sizeof *a);
}

/* ---- of second order ---- */
static bool is_diagonal(int n, const double *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j && a[i * n + j] != 0.0)
                return false;
    return true;
}

/* Second-order matrices of a plant in the common coordinates; M, and K if it was diagonal, are made exactly
 * symmetric. */
static phx_status take_second_order(phx_context *context, const own_basis *own, const change *edit, phx_plant *plant)
{
    const phx_reduced *r = own->reduced;
    const size_t n = (size_t)r->count, m = (size_t)r->n_inputs, p = (size_t)r->n_outputs, n_xi = (size_t)own->n_xi;
    const size_t widest = n + m + p + n_xi;
    double *work = phx_calloc(context, widest * (n + 1), sizeof *work);
    const struct {
        double **to;
        const double *from; /* NULL: the identity */
        size_t rows, cols;
        bool force, motion; /* rows are equations, columns coordinates */
    } parts[] = {
        {&plant->M, NULL, n, n, true, true},
        {&plant->D, r->D, n, n, true, true},
        {&plant->K, r->K, n, n, true, true},
        {&plant->F, r->F, n, m, true, false},
        {&plant->Y_q, r->Y_q, p, n, false, true},
        {&plant->Y_v, r->Y_v, p, n, false, true},
        {&plant->Y_a, r->Y_a, p, n, false, true},
        {&plant->Y_u, r->Y_u, p, m, false, false},
        {&plant->basis, own->basis, n_xi, n, false, true},
    };
    phx_status status = work ? PHX_OK : PHX_ERR_MEMORY;

    plant->second_order = own->second_order;
    plant->n = r->count;
    plant->n_inputs = r->n_inputs;
    plant->n_outputs = r->n_outputs;
    plant->n_xi = own->n_xi;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && !status; k++) {
        const size_t rows = parts[k].rows, cols = parts[k].cols;
        double *a = phx_calloc(context, rows * cols + 1, sizeof *a);
        *parts[k].to = a;
        if (!a) {
            status = PHX_ERR_MEMORY;
            break;
        }
        for (size_t i = 0; i < rows && !parts[k].from; i++)
            a[i * cols + i] = 1.0;
        if (parts[k].from && rows > 0 && cols > 0)
            memcpy(a, parts[k].from, rows * cols * sizeof *a);
        if (parts[k].motion)
            change_columns(edit, (int)rows, a, (int)cols, 0, work);
        if (parts[k].force)
            change_rows(edit, true, (int)cols, a, 0, work);
    }
    if (!status)
        phx_dense_symmetrise(plant->n, 1.0, plant->M);
    if (!status && is_diagonal(plant->n, r->K))
        phx_dense_symmetrise(plant->n, 1.0, plant->K);
    phx_free(work);
    return status;
}

/* ---- in state space ---- */
/* The states (q, s, q', s' as far as they are there, controllers) with z for q. */
static phx_status change_states(phx_context *context, const change *edit, int count, phx_ss **system)
{
    const phx_ss *from = *system;
    const int n = phx_ss_n(from), m = phx_ss_inputs(from), p = phx_ss_outputs(from);
    const size_t N = (size_t)n, widest = (size_t)(n + m + p), A_cells = N * N, B_cells = N * (size_t)m;
    double *A = phx_calloc(context, A_cells + B_cells + (size_t)p * N + widest * N + 1, sizeof *A);
    double *B = phx_behind(A, A_cells), *C = phx_behind(B, B_cells), *work = phx_behind(C, (size_t)p * N);
    const char **names = phx_calloc(context, 3 * widest + 1, sizeof *names);
    phx_ss *changed = NULL;
    phx_status status = A && names ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        memcpy(A, phx_ss_A(from), A_cells * sizeof *A);
        memcpy(B, phx_ss_B(from), B_cells * sizeof *B);
        memcpy(C, phx_ss_C(from), (size_t)p * N * sizeof *C);
        for (int part = 0; part < 2; part++) {
            change_columns(edit, n, A, n, part * count, work);
            change_columns(edit, p, C, n, part * count, work);
            change_rows(edit, false, n, A, part * count, work);
            change_rows(edit, false, m, B, part * count, work);
        }
        for (int k = 0; k < n; k++)
            names[k] = phx_ss_state(from, k);
        for (int k = 0; k < m; k++)
            names[n + k] = phx_ss_input(from, k);
        for (int k = 0; k < p; k++)
            names[n + m + k] = phx_ss_output(from, k);
        const phx_ss_def def = {.name = phx_ss_name(from),
                                .n = n,
                                .n_inputs = m,
                                .n_outputs = p,
                                .A = A,
                                .B = B,
                                .C = C,
                                .D = phx_ss_D(from),
                                .states = names,
                                .inputs = names + n,
                                .outputs = names + n + m};
        status = phx_ss_create(context, &def, &changed);
    }
    if (!status) {
        phx_ss_destroy(*system);
        *system = changed;
    }
    phx_free(A);
    phx_free((void *)names);
    return status;
}

static phx_status plant_make_system(phx_context *context, const phx_linearised *linearised,
                                    const phx_reduction *reduction, bool proper, phx_ss **system)
{
    if (reduction)
        return phx_reduction_ss(context, reduction, proper, system);
    return proper ? phx_linearised_proper_ss(context, linearised, system)
                  : phx_linearised_ss(context, linearised, system);
}

/* ---- the whole ---- */
phx_status phx_plant_create(phx_context *context, const phx_plant_coordinates *coordinates,
                            const phx_linearised *linearised, const phx_reduction *reduction, bool proper,
                            const double *motions, phx_plant *plant)
{
    if (!coordinates || !linearised || !plant)
        return phx_fail_null(context, __func__, "coordinates, linearised or plant");
    own_basis own = {0};
    change edit = {0};

    *plant = (phx_plant){0};
    phx_status status = find_basis(context, linearised, reduction, &own);
    if (!status)
        status = check_sizes(context, coordinates, &own, reduction != NULL);
    if (!status)
        status = find_change(context, coordinates, &own, motions, &edit, &plant->least);
    if (!status)
        status = take_second_order(context, &own, &edit, plant);
    if (!status)
        status = plant_make_system(context, linearised, reduction, proper, &plant->system);
    if (!status)
        status = change_states(context, &edit, own.reduced->count, &plant->system);
    phx_free(edit.S);
    phx_free(own.basis);
    if (status)
        phx_plant_free(plant);
    return phx_conclude(context, status);
}

void phx_plant_free(phx_plant *plant)
{
    if (!plant)
        return;
    double *const arrays[] = {plant->M,   plant->D,   plant->K,   plant->F,    plant->Y_q,
                              plant->Y_v, plant->Y_a, plant->Y_u, plant->basis};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_ss_destroy(plant->system);
    *plant = (phx_plant){0};
}
