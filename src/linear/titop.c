/* TITOP models of floating bodies ([2] (1)-(3)). */
#include <stdio.h>
#include <string.h>

#include "linear/linear.h"

enum { MAX_SIZE = 6 };

phx_titop_def phx_titop_def_default(void)
{
    return (phx_titop_def){0};
}

void phx_titop_parts_free(phx_titop_parts *parts)
{
    if (!parts)
        return;
    phx_free(parts->D_P);
    phx_free(parts->L_P);
    phx_free(parts->M);
    phx_free(parts->D);
    phx_free(parts->K);
    phx_free(parts->tau);
    phx_free(parts->Phi);
    *parts = (phx_titop_parts){0};
}

/* ---- checks ---- */
static const phx_titop_port *port_of(const phx_titop_def *def, int k)
{
    return k < def->n_children ? &def->children[k] : &def->parent;
}

/* Checks body and ports of a TITOP model; every port needs a place and a name of its own. */
static phx_status titop_check_def(phx_context *context, const phx_titop_def *def)
{
    if (!def->body)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a TITOP model needs a body");
    const char *name = phx_body_name(def->body);
    if (!phx_body_flex(def->body))
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "TITOP model of '%s': a %s has several frames, such models are of bodies of one", name,
                        phx_body_kind(def->body));
    if (def->n_children < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "TITOP model of '%s': %d ports beside P; at least 0", name,
                        def->n_children);
    for (int k = 0; k <= def->n_children; k++) {
        const phx_titop_port *port = port_of(def, k);
        const char *role = k < def->n_children ? "further port" : "port P";
        if (!port->name || !*port->name || !port->port)
            return phx_fail(context, PHX_ERR_ARGUMENT, "TITOP model of '%s': the %s %d has no %s", name, role, k,
                            port->port ? "name" : "place on the body");
        for (int j = 0; j < k; j++)
            if (strcmp(port_of(def, j)->name, port->name) == 0)
                return phx_fail(context, PHX_ERR_ARGUMENT,
                                "TITOP model of '%s': two ports are called '%s'; each needs its own name", name,
                                port->name);
    }
    return PHX_OK;
}

/* ---- matrices of the body in its own frame ---- */
static void titop_spread(int n, const int *ptr, const int *idx, const double *val, double *dense)
{
    for (int i = 0; i < n; i++)
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            dense[(size_t)i * (size_t)n + (size_t)idx[k]] = val[k];
}

/* M, D, K of all coordinates nu = (v, w, q') at rest, undeformed, without gravity: n_v x n_v each, one after the other.
 */
static phx_status rest_matrices(phx_context *context, const phx_body *body, double *matrices)
{
    const int n = phx_body_n_v(body), dim = phx_body_dim(body), *ptr, *idx;
    const double zero[3] = {0}, identity[2][9] = {{1.0, 0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    double *x = phx_calloc(context, (size_t)phx_body_n_x(body), sizeof *x);
    double *v = phx_calloc(context, (size_t)n, sizeof *v), *values = NULL;

    phx_body_pattern(body, &ptr, &idx);
    const size_t count = (size_t)ptr[n];
    values = phx_calloc(context, 3 * count, sizeof *values);
    const phx_status status = x && v && values ? PHX_OK : PHX_ERR_MEMORY;
    if (!status) {
        phx_attitude_set(dim, identity[dim - 2], 0.0, x + dim);
        phx_body_linearise(body, zero, x, v, values, values + count, values + 2 * count);
        for (size_t k = 0; k < 3; k++)
            titop_spread(n, ptr, idx, values + k * count, matrices + k * (size_t)n * (size_t)n);
    }
    phx_free(x);
    phx_free(v);
    phx_free(values);
    return status;
}

/* Columns of a port's motion, in port directions: size x n_v.
 *
 *        v       w          q'
 *   | rot^T   rot^T(.x x)  rot^T phi   |
 *   |   0     rot^T        rot^T theta |      the rotation about the normal of the plane is not turned */
static void port_motion(const phx_body *body, const phx_body_port *port, double *T)
{
    const phx_flex *flex = phx_body_flex(body);
    const phx_flex_point *point = &port->point;
    const int dim = flex->dim, n_rot = flex->n_rot, rigid = dim + n_rot, n = rigid + flex->n;

    memset(T, 0, (size_t)rigid * (size_t)n * sizeof *T);
    for (int c = 0; c < rigid + point->n; c++) {
        const int col = c < rigid ? c : rigid + point->dof[c - rigid];
        double u[3] = {0}, w[3] = {0}, turned[3] = {0};
        if (c < dim) {
            u[c] = 1.0;
        } else if (c < rigid) {
            w[c - dim] = 1.0;
            phx_rot_x_vec(dim, w, point->x, u);
        } else {
            for (int a = 0; a < dim; a++)
                u[a] = point->phi[a * point->n + c - rigid];
            for (int a = 0; a < n_rot; a++)
                w[a] = point->theta[a * point->n + c - rigid];
        }
        phx_rot_apply_transposed(dim, port->rotation, u, turned);
        for (int a = 0; a < dim; a++)
            T[a * n + col] = turned[a];
        if (dim == 3)
            phx_rot_apply_transposed(dim, port->rotation, w, turned);
        else
            turned[0] = w[0];
        for (int a = 0; a < n_rot; a++)
            T[(dim + a) * n + col] = turned[a];
    }
}

/* ---- the frame that follows P ---- */
/* nu' = Z (a_P, q''):
 *
 *        a_P          q''
 *   | tau_P^-1   -tau_P^-1 Phi_P |      T_P = | tau_P  Phi_P |
 *   |   0              I         |                                                     */
static phx_status parent_frame(phx_context *context, const phx_body *body, const phx_body_port *port, double *Z)
{
    const int n = phx_body_n_v(body), size = n - phx_body_n_q(body);
    double *T = phx_calloc(context, (size_t)size * (size_t)n, sizeof *T);
    double inverse[MAX_SIZE * MAX_SIZE];
    phx_status status = T ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        port_motion(body, port, T);
        for (int i = 0; i < size; i++)
            memcpy(inverse + i * size, T + (size_t)i * (size_t)n, (size_t)size * sizeof *inverse);
        status = phx_dense_inverse(context, size, inverse);
    }
    if (!status) {
        if (n > size)
            phx_dense_multiply(false, false, size, n - size, size, -1.0, inverse, size, T + size, n, 0.0, Z + size, n);
        for (int i = 0; i < size; i++)
            memcpy(Z + (size_t)i * (size_t)n, inverse + i * size, (size_t)size * sizeof *inverse);
        for (int i = size; i < n; i++)
            Z[(size_t)i * (size_t)n + (size_t)i] = 1.0;
    }
    phx_free(T);
    return status;
}

/* Allocates the matrices of a TITOP model for n deformations and the given number of children. */
static phx_status parts_alloc(phx_context *context, const phx_titop_def *def, phx_titop_parts *parts)
{
    const size_t n = (size_t)phx_body_n_q(def->body), size = (size_t)phx_body_n_v(def->body) - n;
    const size_t rows = (size_t)def->n_children * size;

    *parts = (phx_titop_parts){.size = (int)size, .n = (int)n, .n_children = def->n_children};
    parts->D_P = phx_calloc(context, size * size, sizeof(double));
    parts->L_P = phx_calloc(context, n * size, sizeof(double));
    parts->M = phx_calloc(context, n * n, sizeof(double));
    parts->D = phx_calloc(context, n * n, sizeof(double));
    parts->K = phx_calloc(context, n * n, sizeof(double));
    parts->tau = phx_calloc(context, rows * size, sizeof(double));
    parts->Phi = phx_calloc(context, rows * n, sizeof(double));
    return parts->D_P && parts->L_P && parts->M && parts->D && parts->K && parts->tau && parts->Phi ? PHX_OK
                                                                                                    : PHX_ERR_MEMORY;
}

static void take_block(int rows, int cols, const double *from, int ld, double *to)
{
    for (int i = 0; i < rows; i++)
        memcpy(to + (size_t)i * (size_t)cols, from + (size_t)i * (size_t)ld, (size_t)cols * sizeof *to);
}

/* Z^T M Z gives D_P, L_P and M; T_C Z gives tau and Phi; damping and stiffness act on q alone. `room`: 2 n_v x n_v. */
static void fill_parts(const phx_titop_def *def, const double *matrices, const double *Z, double *room,
                       phx_titop_parts *parts)
{
    const int size = parts->size, n_q = parts->n, n = size + n_q;
    const size_t cells = (size_t)n * (size_t)n, corner = (size_t)size * (size_t)n + (size_t)size;
    double *T = room, *moved = room + cells;

    phx_dense_multiply(false, false, n, n, n, 1.0, matrices, n, Z, n, 0.0, T, n);
    phx_dense_multiply(true, false, n, n, n, 1.0, Z, n, T, n, 0.0, moved, n);
    take_block(size, size, moved, n, parts->D_P);
    take_block(n_q, size, moved + (size_t)size * (size_t)n, n, parts->L_P);
    if (n_q > 0) {
        take_block(n_q, n_q, moved + corner, n, parts->M);
        take_block(n_q, n_q, matrices + cells + corner, n, parts->D);
        take_block(n_q, n_q, matrices + 2 * cells + corner, n, parts->K);
    }
    for (int c = 0; c < parts->n_children; c++) {
        const size_t row = (size_t)c * (size_t)size;
        port_motion(def->body, def->children[c].port, T);
        phx_dense_multiply(false, false, size, n, n, 1.0, T, n, Z, n, 0.0, moved, n);
        take_block(size, size, moved, n, parts->tau + row * (size_t)size);
        take_block(size, n_q, moved + size, n, parts->Phi + row * (size_t)n_q);
    }
}

/* Matrices of a TITOP model ([2] (1) to (3)): rigid mass D_P and participation L_P at the parent port, kinematic
 * transport tau and shapes Phi at the children. *parts is empty after an error. */
phx_status phx_titop_parts_create(phx_context *context, const phx_titop_def *def, phx_titop_parts *parts)
{
    if (!def || !parts)
        return phx_fail_null(context, __func__, "def or parts");
    double *work = NULL;
    phx_status status = titop_check_def(context, def);

    *parts = (phx_titop_parts){0};
    if (status)
        return status;
    const size_t cells = (size_t)phx_body_n_v(def->body) * (size_t)phx_body_n_v(def->body);
    double *matrices, *Z, *room;
    work = phx_calloc(context, 6 * cells, sizeof *work);
    if (!work)
        return PHX_ERR_MEMORY;
    matrices = work;
    Z = work + 3 * cells;
    room = work + 4 * cells;
    status = rest_matrices(context, def->body, matrices);
    if (!status)
        status = parent_frame(context, def->body, def->parent.port, Z);
    if (!status)
        status = parts_alloc(context, def, parts);
    if (!status)
        fill_parts(def, matrices, Z, room, parts);
    else
        phx_titop_parts_free(parts);
    phx_free(work);
    return status;
}

/* ---- the state-space form ---- */
/* The matrices that map the second-order form onto (3), with m = size (n_children + 1) channels. */
typedef struct titop_maps {
    double *F;    /* n x m: | Phi^T  -L_P | */
    double *Y_a;  /* m x n: | Phi; -L_P^T | */
    double *Y_u;  /* m x m: | 0  tau; tau^T  -D_P | */
    char **names; /* inputs, outputs, coordinates when they are not given */
    int n_names;
} titop_maps;

static void maps_free(titop_maps *maps)
{
    for (int k = 0; maps->names && k < maps->n_names; k++)
        phx_free(maps->names[k]);
    phx_free(maps->names);
    phx_free(maps->F);
    phx_free(maps->Y_a);
    phx_free(maps->Y_u);
}

/* Input and output matrices of a TITOP model: wrenches on children and acceleration of P as inputs, accelerations of
 * children and wrench at P as outputs. */
static void fill_maps(const phx_titop_parts *parts, titop_maps *maps)
{
    const int n = parts->n, size = parts->size, rows = size * parts->n_children, m = rows + size;

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < rows; j++)
            maps->F[i * m + j] = maps->Y_a[j * n + i] = parts->Phi[j * n + i];
        for (int j = 0; j < size; j++)
            maps->F[i * m + rows + j] = maps->Y_a[(rows + j) * n + i] = -parts->L_P[i * size + j];
    }
    for (int j = 0; j < size; j++) {
        for (int i = 0; i < rows; i++)
            maps->Y_u[i * m + rows + j] = maps->Y_u[(rows + j) * m + i] = parts->tau[i * size + j];
        for (int i = 0; i < size; i++)
            maps->Y_u[(rows + i) * m + rows + j] = -parts->D_P[i * size + j];
    }
}

static phx_status put_name(phx_context *context, const char *body, const char *port, const char *what, titop_maps *maps)
{
    const size_t room = strlen(body) + strlen(port) + strlen(what) + 3;
    const bool dotted = *port && *port != '@';
    char *name = phx_calloc(context, room, 1);

    if (!name)
        return PHX_ERR_MEMORY;
    snprintf(name, room, "%s%s%s%s%s", body, dotted ? "." : "", port, *what ? "." : "", what);
    maps->names[maps->n_names++] = name;
    return PHX_OK;
}

/* Inputs, then outputs, then coordinates. */
static phx_status make_names(phx_context *context, const phx_titop_def *def, const phx_titop_parts *parts,
                             titop_maps *maps)
{
    static const char *const plane[2][3] = {{"fx", "fy", "tz"}, {"ax", "ay", "alpha"}};
    static const char *const space[2][6] = {{"fx", "fy", "fz", "tx", "ty", "tz"},
                                            {"ax", "ay", "az", "alphax", "alphay", "alphaz"}};
    const char *body = def->name ? def->name : phx_body_name(def->body);
    phx_status status = PHX_OK;

    for (int side = 0; side < 2; side++)
        for (int k = 0; k <= def->n_children; k++) {
            const int kind = k < def->n_children ? side : 1 - side;
            for (int j = 0; j < parts->size && !status; j++)
                status = put_name(context, body, port_of(def, k)->name,
                                  parts->size == 3 ? plane[kind][j] : space[kind][j], maps);
        }
    for (int k = 0; k < parts->n && !status; k++) {
        char number[16];
        snprintf(number, sizeof number, "q%d", k + 1);
        status = put_name(context, body, def->coordinates ? def->coordinates[k] : number, "", maps);
    }
    return status;
}

static phx_status make_maps(phx_context *context, const phx_titop_def *def, const phx_titop_parts *parts,
                            titop_maps *maps)
{
    const size_t n = (size_t)parts->n, m = (size_t)parts->size * (size_t)(parts->n_children + 1);

    maps->F = phx_calloc(context, n * m, sizeof *maps->F);
    maps->Y_a = phx_calloc(context, n * m, sizeof *maps->Y_a);
    maps->Y_u = phx_calloc(context, m * m, sizeof *maps->Y_u);
    maps->names = phx_calloc(context, 2 * m + n, sizeof *maps->names);
    if (!maps->F || !maps->Y_a || !maps->Y_u || !maps->names)
        return PHX_ERR_MEMORY;
    fill_maps(parts, maps);
    return make_names(context, def, parts, maps);
}

/* Creates the TITOP model of a body as a state-space system from its second-order form. */
phx_status phx_titop_create(phx_context *context, const phx_titop_def *def, phx_ss **titop)
{
    if (!def || !titop)
        return phx_fail_null(context, __func__, "def or titop");
    phx_titop_parts parts = {0};
    titop_maps maps = {0};
    phx_status status = phx_titop_parts_create(context, def, &parts);

    *titop = NULL;
    if (!status)
        status = make_maps(context, def, &parts, &maps);
    if (!status) {
        const int m = parts.size * (parts.n_children + 1);
        const char *const *names = (const char *const *)maps.names;
        const phx_ss_second_order_def second = {.name = def->name ? def->name : phx_body_name(def->body),
                                                .n = parts.n,
                                                .n_inputs = m,
                                                .n_outputs = m,
                                                .M = parts.M,
                                                .D = parts.D,
                                                .K = parts.K,
                                                .F = maps.F,
                                                .Y_a = maps.Y_a,
                                                .Y_u = maps.Y_u,
                                                .inputs = names,
                                                .outputs = names + m,
                                                .coordinates = names + 2 * m};
        status = phx_ss_from_second_order(context, &second, titop);
    }
    maps_free(&maps);
    phx_titop_parts_free(&parts);
    return phx_conclude(context, status);
}
