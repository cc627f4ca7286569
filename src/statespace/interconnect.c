/* Interconnection: side by side, gyrator, transformer, change of causality, support ([1], eqs 38-44). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* ---- side by side ---- */
static phx_status add_full_name(phx_context *context, const phx_descriptor *from, int p, phx_descriptor *to)
{
    const port_entry *port = &from->ports[p];
    if (strchr(port->name, '.')) /* already the full name of a part */
        return phx_descriptor_add_port(context, to, port->name, port->size);
    const size_t room = strlen(from->name) + strlen(port->name) + 2;
    char *full = phx_calloc(context, room, 1);
    if (!full)
        return PHX_ERR_MEMORY;
    snprintf(full, room, "%s.%s", from->name, port->name);
    phx_status status = phx_descriptor_add_port(context, to, full, port->size);
    phx_free(full);
    return status;
}

static phx_status check_parts(phx_context *context, const char *name, int count, const phx_descriptor *const *systems)
{
    if (!name || !*name || strchr(name, '.'))
        return phx_fail(context, PHX_ERR_ARGUMENT, "systems side by side need a name without '.'");
    if (count < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s': %d parts; there must be at least one", name, count);
    for (int s = 1; s < count; s++)
        if (systems[s]->has_Q != systems[0]->has_Q)
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "system '%s': '%s' is %s and '%s' is not; both must have efforts Q e, or neither", name,
                            systems[0]->name, systems[0]->has_Q ? "linear" : "frozen", systems[s]->name);
    return PHX_OK;
}

static const phx_csr *matrix_of(const phx_descriptor *system, int m)
{
    const phx_csr *matrices[] = {&system->E, &system->J, &system->R, &system->B, &system->Q};
    return matrices[m];
}

phx_status phx_descriptor_append(phx_context *context, const char *name, int count,
                                 const phx_descriptor *const *systems, phx_descriptor **appended)
{
    phx_descriptor *made = NULL;
    matrix_block *blocks = NULL;
    int n = 0, ports = 0;
    phx_status status = check_parts(context, name, count, systems);

    *appended = NULL;
    for (int s = 0; s < count && !status; s++) {
        n += systems[s]->n;
        ports += systems[s]->n_ports;
    }
    if (!status)
        status = phx_descriptor_begin(context, name, n, ports, &made);
    for (int s = 0; s < count && !status; s++)
        for (int p = 0; p < systems[s]->n_ports && !status; p++)
            status = add_full_name(context, systems[s], p, made);
    if (!status) {
        blocks = phx_calloc(context, (size_t)count, sizeof *blocks);
        status = blocks ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (int m = 0; m < 5 && !status; m++) {
        phx_csr *to[] = {&made->E, &made->J, &made->R, &made->B, &made->Q};
        int row = 0, col = 0;
        made->has_Q = systems[0]->has_Q;
        if (to[m] == &made->Q && !made->has_Q)
            continue;
        for (int s = 0; s < count; s++) {
            blocks[s] = (matrix_block){.a = matrix_of(systems[s], m), .alpha = 1.0, .row = row, .col = col};
            row += systems[s]->n;
            col += blocks[s].a->cols;
        }
        status = phx_descriptor_blocks(context, n, col, count, blocks, to[m]);
    }
    phx_free(blocks);
    if (status)
        phx_descriptor_destroy(made);
    else
        *appended = made;
    return status;
}

/* ---- two ports of one system ---- */
static phx_status find_port(phx_context *context, const phx_descriptor *system, const char *name, int *port)
{
    *port = phx_descriptor_find_port(system, name);
    if (*port >= 0)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s' has no port '%s'%s%s", system->name, name,
                    system->n_ports ? "; its first port is " : "; it has no ports",
                    system->n_ports ? system->ports[0].name : "");
}

typedef struct joined {
    int port[2];
    phx_csr B[2]; /* of the two ports */
    phx_csr C;
    phx_csr B1C; /* n x size2 */
} joined;

static void free_joined(joined *it)
{
    phx_csr_free(&it->B[0]);
    phx_csr_free(&it->B[1]);
    phx_csr_free(&it->C);
    phx_csr_free(&it->B1C);
}

static phx_status join(phx_context *context, const phx_descriptor *system, const char *port_1, const char *port_2,
                       const double *C, joined *it)
{
    phx_status status = find_port(context, system, port_1, &it->port[0]);

    if (!status)
        status = find_port(context, system, port_2, &it->port[1]);
    if (status)
        return status;
    const port_entry *one = &system->ports[it->port[0]], *two = &system->ports[it->port[1]];
    if (one == two)
        return phx_fail(context, PHX_ERR_ARGUMENT, "port '%s' cannot be connected with itself", one->name);
    if (!C && one->size != two->size)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "ports '%s' and '%s' have sizes %d and %d; without a matrix they must be equal", one->name,
                        two->name, one->size, two->size);
    for (int i = 0; C && i < one->size * two->size; i++)
        if (!isfinite(C[i]))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "the matrix between ports '%s' and '%s' has the entry (%d,%d) = %g; it must be finite",
                            one->name, two->name, i / two->size, i % two->size, C[i]);
    const matrix_block identity = {.size = one->size, .alpha = 1.0};
    status = C ? phx_csr_from_dense(context, one->size, two->size, C, 0.0, &it->C)
               : phx_descriptor_blocks(context, one->size, two->size, 1, &identity, &it->C);
    for (int k = 0; k < 2 && !status; k++)
        status = phx_descriptor_port_matrix(context, system, it->port[k], &it->B[k]);
    if (!status)
        status = phx_csr_multiply(context, &it->B[0], &it->C, &it->B1C);
    return status;
}

/* A system of size n + more without the ports `used`: E, R, Q, B of `system`, zero beyond, Q the identity there. J is
 * left to the caller. `input`: port whose columns act on the new rows instead, or -1. */
static phx_status extend(phx_context *context, const phx_descriptor *system, int more, const int used[2], int input,
                         phx_descriptor **out)
{
    phx_descriptor *made = NULL;
    phx_csr *columns = phx_calloc(context, (size_t)system->n_ports, sizeof *columns);
    matrix_block *blocks = phx_calloc(context, (size_t)system->n_ports, sizeof *blocks);
    const int n = system->n, wide = n + more;
    phx_status status =
        columns && blocks ? phx_descriptor_begin(context, system->name, wide, system->n_ports, &made) : PHX_ERR_MEMORY;
    int count = 0;

    for (int p = 0; p < system->n_ports && !status; p++) {
        const port_entry *port = &system->ports[p];
        if (p == used[0] || p == used[1])
            continue;
        blocks[count] = (matrix_block){.size = port->size, .alpha = 1.0, .row = n, .col = made->n_inputs};
        status = phx_descriptor_add_port(context, made, port->name, port->size);
        if (!status && p != input) {
            status = phx_descriptor_port_matrix(context, system, p, &columns[p]);
            blocks[count].a = &columns[p];
            blocks[count].row = 0;
        }
        count++;
    }
    if (!status)
        status = phx_descriptor_blocks(context, wide, made->n_inputs, count, blocks, &made->B);
    if (!status)
        status =
            phx_descriptor_blocks(context, wide, wide, 1, &(matrix_block){.a = &system->E, .alpha = 1.0}, &made->E);
    if (!status)
        status =
            phx_descriptor_blocks(context, wide, wide, 1, &(matrix_block){.a = &system->R, .alpha = 1.0}, &made->R);
    if (!status && system->has_Q) {
        const matrix_block parts[] = {{.a = &system->Q, .alpha = 1.0},
                                      {.size = more, .alpha = 1.0, .row = n, .col = n}};
        made->has_Q = true;
        status = phx_descriptor_blocks(context, wide, wide, 2, parts, &made->Q);
    }
    for (int p = 0; columns && p < system->n_ports; p++)
        phx_csr_free(&columns[p]);
    phx_free(columns);
    phx_free(blocks);
    if (status)
        phx_descriptor_destroy(made);
    else
        *out = made;
    return status;
}

/* J of the result: that of `system` and further blocks; destroys `made` on failure. */
static phx_status finish(phx_context *context, int count, const matrix_block *blocks, phx_descriptor *made,
                         phx_descriptor **out)
{
    phx_status status = phx_descriptor_blocks(context, made->n, made->n, count, blocks, &made->J);

    if (status)
        phx_descriptor_destroy(made);
    else
        *out = made;
    return status;
}

/* u1 = -C y2, u2 = C^T y1:  J - B1 C B2^T + B2 C^T B1^T */
phx_status phx_descriptor_gyrator(phx_context *context, const phx_descriptor *system, const char *port_1,
                                  const char *port_2, const double *C, phx_descriptor **connected)
{
    joined it = {0};
    phx_csr B2T = {0}, X = {0};
    phx_descriptor *made = NULL;
    phx_status status = join(context, system, port_1, port_2, C, &it);

    *connected = NULL;
    if (!status)
        status = phx_csr_transpose(context, &it.B[1], &B2T);
    if (!status)
        status = phx_csr_multiply(context, &it.B1C, &B2T, &X);
    if (!status)
        status = extend(context, system, 0, it.port, -1, &made);
    if (!status) {
        const matrix_block blocks[] = {
            {.a = &system->J, .alpha = 1.0}, {.a = &X, .alpha = -1.0}, {.a = &X, .alpha = 1.0, .transposed = true}};
        status = finish(context, 3, blocks, made, connected);
    }
    free_joined(&it);
    phx_csr_free(&B2T);
    phx_csr_free(&X);
    return status;
}

/*   | J                 B2 - B1 C |
 *   | C^T B1^T - B2^T       0     |     */
phx_status phx_descriptor_transformer(phx_context *context, const phx_descriptor *system, const char *port_1,
                                      const char *port_2, const double *C, phx_descriptor **connected)
{
    const int n = system->n;
    joined it = {0};
    phx_descriptor *made = NULL;
    phx_status status = join(context, system, port_1, port_2, C, &it);

    *connected = NULL;
    if (!status)
        status = extend(context, system, it.B[1].cols, it.port, -1, &made);
    if (!status) {
        const matrix_block blocks[] = {{.a = &system->J, .alpha = 1.0},
                                       {.a = &it.B1C, .alpha = -1.0, .col = n},
                                       {.a = &it.B[1], .alpha = 1.0, .col = n},
                                       {.a = &it.B1C, .alpha = 1.0, .transposed = true, .row = n},
                                       {.a = &it.B[1], .alpha = -1.0, .transposed = true, .row = n}};
        status = finish(context, 5, blocks, made, connected);
    }
    free_joined(&it);
    return status;
}

/* ---- one port ---- */
/*   |  J    B |
 *   | -B^T  0 |     */
static phx_status border(phx_context *context, const phx_descriptor *system, const char *name, bool keep,
                         phx_descriptor **out)
{
    const int n = system->n;
    phx_csr B = {0};
    phx_descriptor *made = NULL;
    int port = -1;
    phx_status status = find_port(context, system, name, &port);

    *out = NULL;
    if (!status)
        status = phx_descriptor_port_matrix(context, system, port, &B);
    if (!status) {
        const int used[2] = {keep ? -1 : port, -1};
        status = extend(context, system, B.cols, used, keep ? port : -1, &made);
    }
    if (!status) {
        const matrix_block blocks[] = {{.a = &system->J, .alpha = 1.0},
                                       {.a = &B, .alpha = 1.0, .col = n},
                                       {.a = &B, .alpha = -1.0, .transposed = true, .row = n}};
        status = finish(context, 3, blocks, made, out);
    }
    phx_csr_free(&B);
    return status;
}

phx_status phx_descriptor_exchange(phx_context *context, const phx_descriptor *system, const char *port,
                                   phx_descriptor **exchanged)
{
    return border(context, system, port, true, exchanged);
}

phx_status phx_descriptor_hold(phx_context *context, const phx_descriptor *system, const char *port,
                               phx_descriptor **held)
{
    return border(context, system, port, false, held);
}
