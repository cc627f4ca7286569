/* The descriptor pH form of a linearised mechanism. */
#include <math.h>
#include <string.h>

#include "linearised.h"

/* An eigenvalue of D, relative to the largest or to the largest entry. */
static const double NEGATIVE = 1e-10;

void phx_measured_free(phx_measured *measured)
{
    if (!measured)
        return;
    phx_csr_free(&measured->C);
    phx_csr_free(&measured->D);
}

/* ---- growing lists of entries ---- */
typedef struct entry_list {
    int *row, *col;
    double *val;
    size_t count;
} entry_list;

static void list_free(entry_list *list)
{
    phx_free(list->row);
    phx_free(list->col);
    phx_free(list->val);
}

static phx_status list_room(phx_context *context, size_t room, entry_list *list)
{
    list->row = phx_calloc(context, room, sizeof *list->row);
    list->col = phx_calloc(context, room, sizeof *list->col);
    list->val = phx_calloc(context, room, sizeof *list->val);
    return list->row && list->col && list->val ? PHX_OK : PHX_ERR_MEMORY;
}

static void linearised_ph_put(entry_list *list, int row, int col, double val)
{
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->val[list->count++] = val;
}

/* factor A, or its transpose, at (row, col) */
static void linearised_ph_put_block(entry_list *list, int row, int col, double factor, bool transposed,
                                    const phx_csr *a)
{
    for (int i = 0; i < a->rows; i++)
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
            linearised_ph_put(list, row + (transposed ? a->idx[e] : i), col + (transposed ? i : a->idx[e]),
                              factor * a->val[e]);
}

static void put_identity(entry_list *list, int row, int col, int n, double value)
{
    for (int i = 0; i < n; i++)
        linearised_ph_put(list, row + i, col + i, value);
}

static size_t entries(const phx_csr *a)
{
    return a->rows > 0 ? (size_t)a->ptr[a->rows] : 0;
}

/* ---- requirements of the form on the matrices ---- */
static double linearised_ph_largest(const phx_csr *a)
{
    double most = 0.0;
    for (size_t e = 0; e < entries(a); e++)
        most = fmax(most, fabs(a->val[e]));
    return most;
}

/* (A + A^T)/2, or an error with the size of the skew part where that is beyond `allowed`. Entries of a pair are made
 * equal bit by bit. */
static phx_status symmetric_part(phx_context *context, const char *what, const phx_csr *a, double allowed, phx_csr *out)
{
    phx_csr transposed = {0};
    double skew = 0.0;
    phx_status status = phx_csr_transpose(context, a, &transposed);

    if (!status)
        status = phx_csr_add(context, 0.5, a, 0.5, &transposed, out);
    for (int i = 0; i < a->rows && !status; i++)
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
            const int mirror = phx_csr_find(a, a->idx[e], i);
            skew = fmax(skew, 0.5 * fabs(a->val[e] - (mirror < 0 ? 0.0 : a->val[mirror])));
        }
    phx_csr_free(&transposed);
    if (!status && !(skew <= allowed))
        status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "the linearised system has no port-Hamiltonian form: the %s matrix is not symmetric (skew "
                          "part up to %.3g, largest entry %.3g), because a force follows its body or the point is not "
                          "at rest; take the state-space form",
                          what, skew, linearised_ph_largest(a));
    if (status)
        phx_csr_free(out);
    return status;
}

/* D + NEGATIVE max|D_ij| I is positive definite. As the largest eigenvalue is not below max|D_ij|, check_eigenvalues
 * would accept D as well; it is called only where this does not hold, so that a sparse D costs sparse work. */
static phx_status is_damping(phx_context *context, const phx_csr *D, bool *is)
{
    const int n = D->rows;
    const double size = NEGATIVE * linearised_ph_largest(D);
    int *place = phx_calloc(context, (size_t)n, sizeof *place);
    double *shift = phx_calloc(context, (size_t)n, sizeof *shift);
    phx_csr diagonal = {0}, sum = {0};
    phx_cholesky *cholesky = NULL;
    phx_status status = place && shift ? PHX_OK : PHX_ERR_MEMORY;
    *is = size == 0.0;
    for (int i = 0; i < n && !status; i++) {
        place[i] = i;
        shift[i] = size;
    }
    if (!status && !*is)
        status = phx_csr_from_triplets(context, n, n, (size_t)n, place, place, shift, &diagonal);
    if (!status && !*is)
        status = phx_csr_add(context, 1.0, D, 1.0, &diagonal, &sum);
    if (!status && !*is) {
        status = phx_cholesky_create(context, &sum, &cholesky);
        *is = status == PHX_OK;
    }
    if (status == PHX_SINGULAR) {
        phx_context_clear(context);
        status = PHX_OK;
    }
    phx_cholesky_destroy(cholesky);
    phx_csr_free(&diagonal);
    phx_csr_free(&sum);
    phx_free(place);
    phx_free(shift);
    return status;
}

/* Fails if the symmetric damping matrix has an eigenvalue that is negative beyond round-off. */
static phx_status check_eigenvalues(phx_context *context, const phx_csr *D)
{
    const int n = D->rows;
    double *dense = phx_calloc(context, (size_t)n * (size_t)n, sizeof *dense);
    double *values = phx_calloc(context, (size_t)n, sizeof *values);
    phx_status status = dense && values ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        phx_csr_to_dense(D, dense);
        status = phx_dense_eigen_symmetric(context, n, dense, NULL, values, NULL);
    }
    if (!status && values[0] < -NEGATIVE * fmax(values[n - 1], 0.0))
        status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "the linearised system has no port-Hamiltonian form: the damping matrix has the eigenvalue "
                          "%.3g beside %.3g; take the state-space form",
                          values[0], values[n - 1]);
    phx_free(dense);
    phx_free(values);
    return status;
}

static phx_status check_damping(phx_context *context, const phx_csr *D)
{
    bool is = false;
    const phx_status status = is_damping(context, D, &is);
    return status || is ? status : check_eigenvalues(context, D);
}

phx_status phx_linearised_refuse_accelerations(phx_context *context, int n_inputs, const phx_channel_kind *kind,
                                               char *const *inputs)
{
    for (int k = 0; k < n_inputs; k++)
        if (kind[k] == PHX_CHANNEL_ACCELERATION)
            return phx_fail(context, PHX_ERR_UNSUPPORTED,
                            "the input '%s' is an acceleration, which has no conjugate output; a port-Hamiltonian form "
                            "takes the rate of the motion",
                            inputs[k]);
    return PHX_OK;
}

/* ---- matrices ---- */
typedef struct ph_form {
    int n, m, held, size; /* coordinates, multipliers, of which prescribed; entries of e */
    phx_csr E, J, R, Q, B;
    phx_descriptor_port *ports;
    char **names;
    int n_ports;
} ph_form;

static void form_free(ph_form *form)
{
    phx_csr_free(&form->E);
    phx_csr_free(&form->J);
    phx_csr_free(&form->R);
    phx_csr_free(&form->Q);
    phx_csr_free(&form->B);
    for (int k = 0; form->names && k < form->n_ports; k++)
        phx_free(form->names[k]);
    phx_free(form->names);
    phx_free(form->ports);
}

static phx_status linearised_ph_finish(phx_context *context, phx_status status, int rows, int cols, entry_list *list,
                                       phx_csr *out)
{
    if (!status)
        status = phx_csr_from_triplets(context, rows, cols, list->count, list->row, list->col, list->val, out);
    list_free(list);
    return status;
}

/* diag(I, A, c I) with blocks of n, n and m; `first` in place of the first identity. */
static phx_status diagonal(phx_context *context, const ph_form *form, const phx_csr *first, const phx_csr *second,
                           double last, phx_csr *out)
{
    const size_t n = (size_t)form->n;
    entry_list list = {0};
    phx_status status = list_room(
        context, 2 * n + (first ? entries(first) : 0) + (second ? entries(second) : 0) + (size_t)form->m, &list);

    if (!status) {
        if (first)
            linearised_ph_put_block(&list, 0, 0, 1.0, false, first);
        else
            put_identity(&list, 0, 0, form->n, 1.0);
        if (second)
            linearised_ph_put_block(&list, form->n, form->n, 1.0, false, second);
        else
            put_identity(&list, form->n, form->n, form->n, 1.0);
        if (last != 0.0)
            put_identity(&list, 2 * form->n, 2 * form->n, form->m, last);
    }
    return linearised_ph_finish(context, status, form->size, form->size, &list, out);
}

/* J = | 0 I 0; -I 0 G^T; 0 -G 0 | with the rows of H behind those of G */
static phx_status structure(phx_context *context, const phx_channels *channels, ph_form *form)
{
    const int n = form->n, at = 2 * n, at_h = at + channels->m;
    entry_list list = {0};
    phx_status status =
        list_room(context, 2 * (size_t)n + 2 * entries(&channels->G) + 2 * entries(&channels->H), &list);

    if (!status) {
        put_identity(&list, 0, n, n, 1.0);
        put_identity(&list, n, 0, n, -1.0);
        linearised_ph_put_block(&list, n, at, 1.0, true, &channels->G);
        linearised_ph_put_block(&list, at, n, -1.0, false, &channels->G);
        linearised_ph_put_block(&list, n, at_h, 1.0, true, &channels->H);
        linearised_ph_put_block(&list, at_h, n, -1.0, false, &channels->H);
    }
    return linearised_ph_finish(context, status, form->size, form->size, &list, &form->J);
}

static phx_status dissipation(phx_context *context, const phx_csr *D, ph_form *form)
{
    entry_list list = {0};
    phx_status status = list_room(context, entries(D), &list);

    if (!status)
        linearised_ph_put_block(&list, form->n, form->n, 1.0, false, D);
    return linearised_ph_finish(context, status, form->size, form->size, &list, &form->R);
}

/* B = | 0 0; F 0; 0 I |, and a port for each column */
static phx_status ports(phx_context *context, const phx_channels *channels, ph_form *form)
{
    entry_list list = {0};
    phx_status status = list_room(context, entries(&channels->F) + (size_t)channels->n_inputs, &list);

    form->n_ports = channels->n_inputs;
    form->ports = phx_calloc(context, (size_t)form->n_ports, sizeof *form->ports);
    form->names = phx_calloc(context, (size_t)form->n_ports, sizeof *form->names);
    if (!form->ports || !form->names)
        status = PHX_ERR_MEMORY;
    if (!status)
        linearised_ph_put_block(&list, form->n, 0, 1.0, false, &channels->F);
    for (int k = 0; k < form->n_ports && !status; k++) {
        if (channels->held[k] >= 0)
            linearised_ph_put(&list, 2 * form->n + channels->m + channels->held[k], k, 1.0);
        form->names[k] = phx_strdup(context, channels->inputs[k]);
        if (!form->names[k])
            status = PHX_ERR_MEMORY;
        form->ports[k] = (phx_descriptor_port){form->names[k], 1};
    }
    return linearised_ph_finish(context, status, form->size, form->n_ports, &list, &form->B);
}

/* ---- measured outputs ---- */
/* Rows that are made one at a time, of the columns of e and of the inputs. */
typedef struct measured_rows {
    const phx_linearised *plant;
    phx_csr Gt, Ht;
    phx_cholesky *mass;
    double *x, *state, *input; /* n, size, inputs */
    int n, size, m;
} measured_rows;

static void rows_free(measured_rows *w)
{
    phx_csr_free(&w->Gt);
    phx_csr_free(&w->Ht);
    phx_cholesky_destroy(w->mass);
    phx_free(w->x);
    phx_free(w->state);
    phx_free(w->input);
}

/* Allocates the working rows of the outputs, with the transposes of G and H and, for acceleration outputs, a
 * factorisation of M. */
static phx_status rows_create(phx_context *context, const phx_linearised *linear, const ph_form *form, measured_rows *w)
{
    const phx_channels *ch = &linear->channels;
    *w = (measured_rows){.plant = linear, .n = linear->linear.n, .size = form->size, .m = ch->n_inputs};
    w->x = phx_calloc(context, (size_t)w->n, sizeof *w->x);
    w->state = phx_calloc(context, (size_t)w->size, sizeof *w->state);
    w->input = phx_calloc(context, (size_t)w->m, sizeof *w->input);
    phx_status status = w->x && w->state && w->input ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_csr_transpose(context, &ch->G, &w->Gt);
    if (!status)
        status = phx_csr_transpose(context, &ch->H, &w->Ht);
    if (!status && entries(&ch->Y_a) > 0)
        status = phx_cholesky_create(context, &linear->linear.M, &w->mass);
    return status;
}

/* out += factor times row i of A */
static void linearised_ph_add_row(const phx_csr *a, int i, double factor, double *out)
{
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
        out[a->idx[e]] += factor * a->val[e];
}

/* xi'' = M^-1 (-K xi - D xi' + G^T lambda + H^T mu + F u) in output i */
static phx_status acceleration_row(measured_rows *w, int i)
{
    const phx_linear *linear = &w->plant->linear;
    const phx_channels *ch = &w->plant->channels;

    if (ch->Y_a.ptr[i] == ch->Y_a.ptr[i + 1])
        return PHX_OK;
    memset(w->x, 0, (size_t)w->n * sizeof *w->x);
    linearised_ph_add_row(&ch->Y_a, i, 1.0, w->x);
    const phx_status status = phx_cholesky_solve(w->mass, 1, w->x);
    for (int k = 0; k < w->n && !status; k++) {
        if (w->x[k] == 0.0)
            continue;
        linearised_ph_add_row(&linear->K, k, -w->x[k], w->state);
        linearised_ph_add_row(&linear->D, k, -w->x[k], w->state + w->n);
        linearised_ph_add_row(&w->Gt, k, w->x[k], w->state + 2 * w->n);
        linearised_ph_add_row(&w->Ht, k, w->x[k], w->state + 2 * w->n + ch->m);
        linearised_ph_add_row(&ch->F, k, w->x[k], w->input);
    }
    return status;
}

/* The entries that are not zero, which become zero. */
static phx_status take_row(phx_context *context, int i, int cols, double *row, size_t *room, entry_list *list)
{
    for (int j = 0; j < cols; j++) {
        if (row[j] == 0.0)
            continue;
        if (list->count == *room) {
            const size_t more = 2 * *room + 64;
            int *rows = phx_realloc(context, list->row, more, sizeof *rows);
            list->row = rows ? rows : list->row;
            int *columns = phx_realloc(context, list->col, more, sizeof *columns);
            list->col = columns ? columns : list->col;
            double *values = phx_realloc(context, list->val, more, sizeof *values);
            list->val = values ? values : list->val;
            if (!rows || !columns || !values)
                return PHX_ERR_MEMORY;
            *room = more;
        }
        linearised_ph_put(list, i, j, row[j]);
        row[j] = 0.0;
    }
    return PHX_OK;
}

/* Output matrices C and D of the descriptor form; accelerations are expressed by states and inputs through M^-1. */
static phx_status linearised_ph_measure(phx_context *context, const phx_linearised *linear, const ph_form *form,
                                        phx_measured *out)
{
    const phx_channels *ch = &linear->channels;
    const int n = linear->linear.n, p = ch->n_outputs;
    measured_rows w;
    entry_list C = {0}, D = {0};
    size_t room_C = 0, room_D = 0;
    phx_status status = rows_create(context, linear, form, &w);

    for (int i = 0; i < p && !status; i++) {
        linearised_ph_add_row(&ch->Y_q, i, 1.0, w.state);
        linearised_ph_add_row(&ch->Y_v, i, 1.0, w.state + n);
        linearised_ph_add_row(&ch->Y_l, i, 1.0, w.state + 2 * n);
        linearised_ph_add_row(&ch->Y_h, i, 1.0, w.state + 2 * n + ch->m);
        linearised_ph_add_row(&ch->Y_u, i, 1.0, w.input);
        status = acceleration_row(&w, i);
        if (!status)
            status = take_row(context, i, w.size, w.state, &room_C, &C);
        if (!status)
            status = take_row(context, i, w.m, w.input, &room_D, &D);
    }
    rows_free(&w);
    status = linearised_ph_finish(context, status, p, form->size, &C, &out->C);
    return linearised_ph_finish(context, status, p, ch->n_inputs, &D, &out->D);
}

/* ---- the form ---- */
static phx_status fill_form(phx_context *context, const phx_linearised *linearised, ph_form *form)
{
    static const double AT_REST = 1e-8;           /* asymmetry of K, of the largest entry at rest */
    static const double ROUNDING = 1e-13;         /* the same, of the largest entry */
    static const double DAMPING_ROUNDING = 1e-12; /* asymmetry of D, of the largest entry */
    const phx_linear *linear = &linearised->linear;
    const double rest =
        linear->has_root ? 0.0 : linearised_ph_largest(linear->rest.rows > 0 ? &linear->rest : &linear->K);
    phx_csr K = {0}, D = {0};
    const phx_channels *channels = &linearised->channels;
    phx_status status =
        phx_linearised_refuse_accelerations(context, channels->n_inputs, channels->kind, channels->inputs);

    if (!status)
        status = symmetric_part(context, "stiffness", &linear->K,
                                AT_REST * rest + ROUNDING * linearised_ph_largest(&linear->K), &K);
    if (!status)
        status =
            symmetric_part(context, "damping", &linear->D, DAMPING_ROUNDING * linearised_ph_largest(&linear->D), &D);
    if (!status)
        status = check_damping(context, &D);
    if (!status)
        status = diagonal(context, form, NULL, &linear->M, 0.0, &form->E);
    if (!status)
        status = diagonal(context, form, &K, NULL, 1.0, &form->Q);
    if (!status)
        status = structure(context, &linearised->channels, form);
    if (!status)
        status = dissipation(context, &D, form);
    if (!status)
        status = ports(context, &linearised->channels, form);
    phx_csr_free(&K);
    phx_csr_free(&D);
    return status;
}

/* Descriptor port-Hamiltonian form E e' = (J - R) Q e + B u of a linearised mechanism with multipliers among its
 * states. measured, optional, receives C and D of the outputs; fails with controllers. */
phx_status phx_linearised_descriptor(phx_context *context, const phx_linearised *linear, phx_descriptor **descriptor,
                                     phx_measured *measured)
{
    if (!linear || !descriptor)
        return phx_fail_null(context, __func__, "linearised or descriptor");
    ph_form form = {.n = linear->linear.n, .held = linear->channels.n_held};
    phx_measured outputs = {0};
    phx_status status = phx_linearised_refuse_feedback(context, linear, "a descriptor form");

    *descriptor = NULL;
    if (status)
        return status;
    form.m = linear->channels.m + form.held;
    form.size = 2 * form.n + form.m;
    status = fill_form(context, linear, &form);
    if (!status && measured)
        status = linearised_ph_measure(context, linear, &form, &outputs);
    if (!status) {
        phx_descriptor_def def = phx_descriptor_def_default();
        def.name = linear->name;
        def.n = form.size;
        def.E = &form.E;
        def.J = &form.J;
        def.R = &form.R;
        def.Q = &form.Q;
        def.B = &form.B;
        def.n_ports = form.n_ports;
        def.ports = form.ports;
        status = phx_descriptor_create(context, &def, descriptor);
    }
    if (!status && measured)
        *measured = outputs;
    else
        phx_measured_free(&outputs);
    form_free(&form);
    return phx_conclude(context, status);
}

phx_status phx_linear_descriptor(phx_context *context, const char *name, const phx_linear *linear,
                                 const phx_channels *channels, phx_descriptor **descriptor)
{
    if (!name || !linear || !linear->M.ptr || !channels || !descriptor)
        return phx_fail_null(context, __func__, "name, linear, its M, channels or descriptor");
    char *copy = phx_strdup(context, name);
    const phx_linearised linearised = {.name = copy, .linear = *linear, .channels = *channels};
    const phx_status status = copy ? phx_linearised_descriptor(context, &linearised, descriptor, NULL) : PHX_ERR_MEMORY;

    phx_free(copy);
    return phx_conclude(context, status);
}
