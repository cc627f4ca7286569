/* Interconnection: side by side, gyrator, transformer, change of causality, support (theory 3 (1) to (3);
 * [1] (38)-(44)). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "ss.h"

/* ---- side by side ---- */
static phx_status add_full_name(phx_context *context, const phx_descriptor *from, int p, phx_descriptor *to)
{
    const phx_descriptor_port *port = &from->ports[p];
    if (from->full_names)
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
                            systems[0]->name, systems[0]->has_Q ? "linear" : "nonlinear", systems[s]->name);
    return PHX_OK;
}

static const phx_csr *matrix_of(const phx_descriptor *system, int m)
{
    const phx_csr *matrices[] = {&system->E, &system->J, &system->R, &system->B,
                                 &system->P, &system->S, &system->N, &system->Q};
    return matrices[m];
}

/* Places systems side by side in one, block by block and without connections; ports get the name of their system. */
phx_status phx_descriptor_append(phx_context *context, const char *name, int count,
                                 const phx_descriptor *const *systems, phx_descriptor **appended)
{
    if (!appended || (count > 0 && !systems))
        return phx_fail_null(context, __func__, "systems or appended");
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
        status = phx_descriptor_begin(context, name, true, n, ports, &made);
    for (int s = 0; s < count && !status; s++)
        for (int p = 0; p < systems[s]->n_ports && !status; p++)
            status = add_full_name(context, systems[s], p, made);
    if (!status) {
        blocks = phx_calloc(context, (size_t)count, sizeof *blocks);
        status = blocks ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (int m = 0; m < 8 && !status; m++) {
        phx_csr *to[] = {&made->E, &made->J, &made->R, &made->B, &made->P, &made->S, &made->N, &made->Q};
        int row = 0, col = 0;
        made->has_Q = systems[0]->has_Q;
        if (to[m] == &made->Q && !made->has_Q)
            continue;
        for (int s = 0; s < count; s++) {
            blocks[s] = (matrix_block){.a = matrix_of(systems[s], m), .alpha = 1.0, .row = row, .col = col};
            row += blocks[s].a->rows;
            col += blocks[s].a->cols;
        }
        status = phx_descriptor_blocks(context, row, col, count, blocks, to[m]);
    }
    phx_free(blocks);
    if (status)
        phx_descriptor_destroy(made);
    else
        *appended = made;
    return phx_conclude(context, status);
}

/* ---- two ports of one system ---- */
static phx_status interconnect_find_port(phx_context *context, const phx_descriptor *system, const char *name,
                                         int *port)
{
    *port = phx_descriptor_find_port(system, name);
    if (*port >= 0)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s' has no port '%s'%s%s", system->name, name,
                    system->n_ports ? "; its first port is " : "; it has no ports",
                    system->n_ports ? system->ports[0].name : "");
}

/* An interconnection on its way. V gives efforts and inputs of the old system by those of the new one: efforts, `more`
 * multipliers, inputs of the ports that remain, then what is absorbed. */
typedef struct wiring {
    int port[2], size[2];
    phx_csr C;
    matrix_block *blocks; /* of V */
    int count, cols;
    phx_descriptor *made;
    power_form form;
} wiring;

static void free_wiring(wiring *wires)
{
    phx_csr_free(&wires->C);
    phx_free(wires->blocks);
    phx_descriptor_form_free(&wires->form);
}

/* Finds two different ports and the matrix C between them: the given one, which must be finite, or the identity, which
 * needs equal sizes. */
static phx_status find_pair(phx_context *context, const phx_descriptor *system, const char *port_1, const char *port_2,
                            const double *C, wiring *wires)
{
    phx_status status = interconnect_find_port(context, system, port_1, &wires->port[0]);

    if (!status)
        status = interconnect_find_port(context, system, port_2, &wires->port[1]);
    if (status)
        return status;
    const phx_descriptor_port *one = &system->ports[wires->port[0]], *two = &system->ports[wires->port[1]];
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
    wires->size[0] = one->size;
    wires->size[1] = two->size;
    const matrix_block identity = {.size = one->size, .alpha = 1.0};
    return C ? phx_csr_from_dense(context, one->size, two->size, C, 0.0, &wires->C)
             : phx_descriptor_blocks(context, one->size, two->size, 1, &identity, &wires->C);
}

/* A block of V; the identity of size `size` when `a` is NULL. */
static void interconnect_put(wiring *wires, const phx_csr *a, int size, double alpha, int row, int col)
{
    wires->blocks[wires->count++] = (matrix_block){.a = a, .size = size, .alpha = alpha, .row = row, .col = col};
}

/* The new system of size n + more, its ports, E and Q, with the identity in Q at the multipliers; the blocks of V that
 * carry what remains. The columns of port `replaced` stay zero (-1: none). */
static phx_status interconnect_begin(phx_context *context, const phx_descriptor *system, int more, int replaced,
                                     wiring *wires)
{
    const int n = system->n, wide = n + more;
    phx_status status = PHX_OK;

    wires->blocks = phx_calloc(context, (size_t)system->n_ports + 4, sizeof *wires->blocks);
    status = wires->blocks
                 ? phx_descriptor_begin(context, system->name, system->full_names, wide, system->n_ports, &wires->made)
                 : PHX_ERR_MEMORY;
    if (!status)
        interconnect_put(wires, NULL, n, 1.0, 0, 0);
    for (int p = 0; p < system->n_ports && !status; p++) {
        const phx_descriptor_port *port = &system->ports[p];
        if ((p == wires->port[0] || p == wires->port[1]) && p != replaced)
            continue;
        if (p != replaced)
            interconnect_put(wires, NULL, port->size, 1.0, n + phx_descriptor_first(system, p),
                             wide + wires->made->n_inputs);
        status = phx_descriptor_add_port(context, wires->made, port->name, port->size);
    }
    if (!status)
        status = phx_descriptor_blocks(context, wide, wide, 1, &(matrix_block){.a = &system->E, .alpha = 1.0},
                                       &wires->made->E);
    if (!status && system->has_Q) {
        const matrix_block parts[] = {{.a = &system->Q, .alpha = 1.0},
                                      {.size = more, .alpha = 1.0, .row = n, .col = n}};
        wires->made->has_Q = true;
        status = phx_descriptor_blocks(context, wide, wide, 2, parts, &wires->made->Q);
    }
    if (!status)
        wires->cols = wide + wires->made->n_inputs;
    return status;
}

/* V^T (J - W) V */
static phx_status change(phx_context *context, const phx_descriptor *system, wiring *wires)
{
    phx_csr V = {0};
    phx_status status =
        phx_descriptor_blocks(context, system->n + system->n_inputs, wires->cols, wires->count, wires->blocks, &V);

    if (!status)
        status = phx_descriptor_form(context, system, &wires->form);
    if (!status)
        status = phx_descriptor_form_change(context, &V, &wires->form);
    phx_csr_free(&V);
    return status;
}

static phx_status interconnect_finish(phx_context *context, phx_status status, wiring *wires, phx_descriptor **out)
{
    if (!status)
        status = phx_descriptor_form_take(context, &wires->form, wires->made);
    if (status)
        phx_descriptor_destroy(wires->made);
    else
        *out = wires->made;
    free_wiring(wires);
    return status;
}

/* L = (I - K F)^-1 K with K = | 0  -C; C^T  0 | and F = S + N at the two ports, the last of the form */
static phx_status close_loop(phx_context *context, const phx_descriptor *system, const wiring *wires, double *L)
{
    const int c = wires->size[0] + wires->size[1], at = wires->form.J.rows - c;
    const size_t square = (size_t)c * (size_t)c;
    const matrix_block crossed[] = {{.a = &wires->C, .alpha = -1.0, .col = wires->size[0]},
                                    {.a = &wires->C, .alpha = 1.0, .transposed = true, .row = wires->size[0]}};
    double *work = phx_calloc(context, 2 * square + 2 * (size_t)c, sizeof *work);

    if (!work)
        return PHX_ERR_MEMORY;
    double *F = work, *loop = work + square, *scale = work + 2 * square;
    phx_csr K = {0}, J = {0}, W = {0}, A = {0};
    int dependent[2] = {-1, -1};
    phx_status status = phx_descriptor_part(context, &wires->form.J, 1.0, at, c, at, c, &J);
    if (!status)
        status = phx_descriptor_part(context, &wires->form.W, 1.0, at, c, at, c, &W);
    if (!status)
        status = phx_csr_add(context, -1.0, &J, 1.0, &W, &A); /* N + S */
    if (!status)
        status = phx_descriptor_blocks(context, c, c, 2, crossed, &K);
    if (!status) {
        phx_csr_to_dense(&A, F);
        phx_csr_to_dense(&K, L);
        phx_dense_multiply(false, false, c, c, c, -1.0, L, c, F, c, 0.0, loop, c);
        for (int i = 0; i < c; i++)
            loop[i * c + i] += 1.0;
        phx_ss_equilibrate(c, c, loop, scale, scale + c);
        status = phx_ss_solve(context, c, loop, scale, scale + c, c, L, dependent);
    }
    if (dependent[0] >= 0)
        status = phx_fail(context, PHX_SINGULAR,
                          "ports '%s' and '%s' of system '%s' form an algebraic loop without solution; connect them as "
                          "a transformer, or change their feedthrough",
                          system->ports[wires->port[0]].name, system->ports[wires->port[1]].name, system->name);
    phx_csr *all[] = {&K, &J, &W, &A};
    for (int k = 0; k < 4; k++)
        phx_csr_free(all[k]);
    phx_free(work);
    return status;
}

/* u1 = -C y2, u2 = C^T y1 */
phx_status phx_descriptor_gyrator(phx_context *context, const phx_descriptor *system, const char *port_1,
                                  const char *port_2, const double *C, phx_descriptor **connected)
{
    if (!system || !port_1 || !port_2 || !connected)
        return phx_fail_null(context, __func__, "system, port_1, port_2 or connected");
    wiring wires = {0};
    double *L = NULL;
    phx_status status = find_pair(context, system, port_1, port_2, C, &wires);

    *connected = NULL;
    if (!status)
        status = interconnect_begin(context, system, 0, -1, &wires);
    for (int k = 0; k < 2 && !status; k++) {
        interconnect_put(&wires, NULL, wires.size[k], 1.0, system->n + phx_descriptor_first(system, wires.port[k]),
                         wires.cols);
        wires.cols += wires.size[k];
    }
    if (!status)
        status = change(context, system, &wires);
    if (!status) {
        const int c = wires.size[0] + wires.size[1];
        L = phx_calloc(context, (size_t)c * (size_t)c, sizeof *L);
        status = L ? close_loop(context, system, &wires, L) : PHX_ERR_MEMORY;
        if (!status)
            status = phx_descriptor_form_absorb(context, c, L, &wires.form);
    }
    phx_free(L);
    return phx_conclude(context, interconnect_finish(context, status, &wires, connected));
}

/* (u1, u2) = (-C, I) lambda,   0 = C^T y1 - y2 */
phx_status phx_descriptor_transformer(phx_context *context, const phx_descriptor *system, const char *port_1,
                                      const char *port_2, const double *C, phx_descriptor **connected)
{
    if (!system || !port_1 || !port_2 || !connected)
        return phx_fail_null(context, __func__, "system, port_1, port_2 or connected");
    const int n = system->n;
    wiring wires = {0};
    phx_status status = find_pair(context, system, port_1, port_2, C, &wires);

    *connected = NULL;
    if (!status)
        status = interconnect_begin(context, system, wires.size[1], -1, &wires);
    if (!status) {
        interconnect_put(&wires, &wires.C, 0, -1.0, n + phx_descriptor_first(system, wires.port[0]), n);
        interconnect_put(&wires, NULL, wires.size[1], 1.0, n + phx_descriptor_first(system, wires.port[1]), n);
        status = change(context, system, &wires);
    }
    return phx_conclude(context, interconnect_finish(context, status, &wires, connected));
}

/* ---- one port ---- */
/* J + | 0  I; -I  0 | between the multipliers and the new input in the place of the port */
static phx_status act_on_multipliers(phx_context *context, const phx_descriptor *system, wiring *wires)
{
    const int n = system->n, size = system->ports[wires->port[0]].size;
    const int at = wires->made->n + phx_descriptor_first(wires->made, wires->port[0]);
    const matrix_block blocks[] = {{.a = &wires->form.J, .alpha = 1.0},
                                   {.size = size, .alpha = 1.0, .row = n, .col = at},
                                   {.size = size, .alpha = -1.0, .row = at, .col = n}};
    phx_csr J = {0};
    phx_status status = phx_descriptor_blocks(context, wires->form.J.rows, wires->form.J.cols, 3, blocks, &J);

    if (!status) {
        phx_csr_free(&wires->form.J);
        wires->form.J = J;
    }
    return status;
}

/* u = lambda, 0 = -y, or with `keep` 0 = -y + u_new */
static phx_status border(phx_context *context, const phx_descriptor *system, const char *name, bool keep,
                         phx_descriptor **out)
{
    wiring wires = {0};
    phx_status status = interconnect_find_port(context, system, name, &wires.port[0]);

    *out = NULL;
    wires.port[1] = wires.port[0];
    if (!status)
        status =
            interconnect_begin(context, system, system->ports[wires.port[0]].size, keep ? wires.port[0] : -1, &wires);
    if (!status) {
        interconnect_put(&wires, NULL, system->ports[wires.port[0]].size, 1.0,
                         system->n + phx_descriptor_first(system, wires.port[0]), system->n);
        status = change(context, system, &wires);
    }
    if (!status && keep)
        status = act_on_multipliers(context, system, &wires);
    return interconnect_finish(context, status, &wires, out);
}

phx_status phx_descriptor_exchange(phx_context *context, const phx_descriptor *system, const char *port,
                                   phx_descriptor **exchanged)
{
    if (!system || !port || !exchanged)
        return phx_fail_null(context, __func__, "system, port or exchanged");
    return phx_conclude(context, border(context, system, port, true, exchanged));
}

phx_status phx_descriptor_hold(phx_context *context, const phx_descriptor *system, const char *port,
                               phx_descriptor **held)
{
    if (!system || !port || !held)
        return phx_fail_null(context, __func__, "system, port or held");
    return phx_conclude(context, border(context, system, port, false, held));
}
