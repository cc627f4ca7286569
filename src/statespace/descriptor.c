/* Port-Hamiltonian descriptor systems: creation, questions, the equations. */
#include <math.h>
#include <string.h>

#include "internal.h"

phx_descriptor_def phx_descriptor_def_default(void)
{
    return (phx_descriptor_def){0};
}

/* ---- creation ---- */
phx_status phx_descriptor_begin(phx_context *context, const char *name, bool full_names, int n, int n_ports,
                                phx_descriptor **out)
{
    phx_descriptor *system = phx_calloc(context, 1, sizeof *system);

    *out = NULL;
    if (!system)
        return PHX_ERR_MEMORY;
    system->n = n;
    system->full_names = full_names;
    system->name = phx_strdup(context, name);
    system->ports = phx_calloc(context, (size_t)n_ports, sizeof *system->ports);
    if (!system->name || !system->ports) {
        phx_descriptor_destroy(system);
        return PHX_ERR_MEMORY;
    }
    *out = system;
    return PHX_OK;
}

/* Appends a port to a system, whose array has room for it; its columns follow those of the earlier ports. Names must
 * be distinct. */
phx_status phx_descriptor_add_port(phx_context *context, phx_descriptor *system, const char *name, int size)
{
    phx_descriptor_port *port = &system->ports[system->n_ports];

    for (int p = 0; p < system->n_ports; p++)
        if (strcmp(system->ports[p].name, name) == 0)
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "system '%s' would have two ports '%s'; rename one, or a copy of the system it belongs to",
                            system->name, name);
    port->name = phx_strdup(context, name);
    if (!port->name)
        return PHX_ERR_MEMORY;
    port->size = size;
    system->n_inputs += size;
    system->n_ports++;
    return PHX_OK;
}

static phx_status check_name(phx_context *context, bool of_system, const char *name)
{
    if (!name || !*name)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a %s needs a name", of_system ? "system" : "port");
    if (of_system && strchr(name, '.'))
        return phx_fail(context, PHX_ERR_ARGUMENT, "the name '%s' of a system must not contain '.'", name);
    return PHX_OK;
}

static phx_status check_matrix(phx_context *context, const char *name, char letter, const phx_csr *a, int rows,
                               int cols)
{
    if (a->rows != rows || a->cols != cols)
        return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s': %c is %d x %d; it must be %d x %d", name, letter,
                        a->rows, a->cols, rows, cols);
    for (int i = 0; i < rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            if (!isfinite(a->val[k]))
                return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s': %c(%d,%d) is %g; it must be finite", name,
                                letter, i, a->idx[k], a->val[k]);
    return PHX_OK;
}

/* a(i,j) = sign a(j,i) exactly */
static phx_status check_mirror(phx_context *context, const char *name, char letter, const phx_csr *a, double sign)
{
    for (int i = 0; i < a->rows; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            const int j = a->idx[k], at = phx_csr_find(a, j, i);
            const double mirrored = at < 0 ? 0.0 : a->val[at];
            if (a->val[k] != sign * mirrored)
                return phx_fail(context, PHX_ERR_ARGUMENT,
                                "system '%s': %c(%d,%d) = %.17g and %c(%d,%d) = %.17g; %c must be %s", name, letter, i,
                                j, a->val[k], letter, j, i, mirrored, letter, sign < 0.0 ? "skew" : "symmetric");
        }
    }
    return PHX_OK;
}

/* Checks a descriptor system: names, sizes of all matrices, J and N skew, R and S symmetric. Definiteness is not
 * tested. */
static phx_status descriptor_check_def(phx_context *context, const phx_descriptor_def *def)
{
    const struct {
        char letter;
        const phx_csr *a;
        double sign; /* of the mirrored entry; 0: any */
        bool inputs; /* as many rows and columns as there are inputs */
    } square[] = {{'E', def->E, 0.0, false}, {'J', def->J, -1.0, false}, {'R', def->R, 1.0, false},
                  {'Q', def->Q, 0.0, false}, {'S', def->S, 1.0, true},   {'N', def->N, -1.0, true}};
    int inputs = 0;
    phx_status status = check_name(context, true, def->name);

    if (!status && def->n < 0)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "system '%s': size %d; it must be >= 0", def->name, def->n);
    for (int p = 0; p < def->n_ports && !status; p++) {
        status = check_name(context, false, def->ports[p].name);
        if (!status && def->ports[p].size < 1)
            status = phx_fail(context, PHX_ERR_ARGUMENT, "system '%s': port '%s' has size %d; it must be >= 1",
                              def->name, def->ports[p].name, def->ports[p].size);
        inputs += def->ports[p].size;
    }
    for (size_t m = 0; m < sizeof square / sizeof *square && !status; m++) {
        if (!square[m].a)
            continue;
        const int size = square[m].inputs ? inputs : def->n;
        status = check_matrix(context, def->name, square[m].letter, square[m].a, size, size);
        if (!status && square[m].sign != 0.0)
            status = check_mirror(context, def->name, square[m].letter, square[m].a, square[m].sign);
    }
    if (!status && def->B)
        status = check_matrix(context, def->name, 'B', def->B, def->n, inputs);
    if (!status && def->P)
        status = check_matrix(context, def->name, 'P', def->P, def->n, inputs);
    if (!status && inputs > 0 && !def->B && !def->S && !def->N)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "system '%s' has ports but no B", def->name);
    return status;
}

static phx_status copy_or(phx_context *context, const phx_csr *a, int rows, int cols, bool identity, phx_csr *out)
{
    const matrix_block diagonal = {.size = rows, .alpha = 1.0};
    return a ? phx_csr_copy(context, a, out)
             : phx_descriptor_blocks(context, rows, cols, identity ? 1 : 0, &diagonal, out);
}

/* Creates E e' = (J - R) Q e + (B - P) u, y = (B + P)^T Q e + (S + N) u from copies of the given matrices. E defaults
 * to the identity, others but Q to zero; without Q the system is the linearisation of a nonlinear one at a state. */
phx_status phx_descriptor_create(phx_context *context, const phx_descriptor_def *def, phx_descriptor **system)
{
    if (!def || !system)
        return phx_fail_null(context, __func__, "def or system");
    phx_descriptor *made = NULL;
    phx_status status = descriptor_check_def(context, def);

    *system = NULL;
    if (!status)
        status = phx_descriptor_begin(context, def->name, false, def->n, def->n_ports, &made);
    for (int p = 0; p < def->n_ports && !status; p++)
        status = phx_descriptor_add_port(context, made, def->ports[p].name, def->ports[p].size);
    const phx_csr *given[] = {def->E, def->J, def->R, def->B, def->P, def->S, def->N};
    for (int m = 0; m < 7 && !status; m++) {
        phx_csr *to[] = {&made->E, &made->J, &made->R, &made->B, &made->P, &made->S, &made->N};
        const int rows = m < 5 ? def->n : made->n_inputs, cols = m < 3 ? def->n : made->n_inputs;
        status = copy_or(context, given[m], rows, cols, m == 0, to[m]);
    }
    if (!status && def->Q) {
        made->has_Q = true;
        status = phx_csr_copy(context, def->Q, &made->Q);
    }
    if (status)
        phx_descriptor_destroy(made);
    else
        *system = made;
    return phx_conclude(context, status);
}

/* Copies a system, under a new name if one is given. */
phx_status phx_descriptor_copy(phx_context *context, const phx_descriptor *system, const char *name,
                               phx_descriptor **copy)
{
    if (!system || !copy)
        return phx_fail_null(context, __func__, "system or copy");
    phx_descriptor *made = NULL;
    phx_status status = name ? check_name(context, true, name) : PHX_OK;

    *copy = NULL;
    if (!status)
        status = phx_descriptor_begin(context, name ? name : system->name, system->full_names, system->n,
                                      system->n_ports, &made);
    for (int p = 0; p < system->n_ports && !status; p++)
        status = phx_descriptor_add_port(context, made, system->ports[p].name, system->ports[p].size);
    const phx_csr *from[] = {&system->E, &system->J, &system->R, &system->Q,
                             &system->B, &system->P, &system->S, &system->N};
    for (int m = 0; m < 8 && !status; m++) {
        phx_csr *to[] = {&made->E, &made->J, &made->R, &made->Q, &made->B, &made->P, &made->S, &made->N};
        made->has_Q = system->has_Q;
        if (from[m] != &system->Q || system->has_Q)
            status = phx_csr_copy(context, from[m], to[m]);
    }
    if (status)
        phx_descriptor_destroy(made);
    else
        *copy = made;
    return phx_conclude(context, status);
}

/* Frees a system; NULL is allowed. */
void phx_descriptor_destroy(phx_descriptor *system)
{
    if (!system)
        return;
    for (int p = 0; p < system->n_ports; p++)
        phx_free((char *)system->ports[p].name);
    phx_free(system->ports);
    phx_free(system->name);
    phx_csr_free(&system->E);
    phx_csr_free(&system->J);
    phx_csr_free(&system->R);
    phx_csr_free(&system->Q);
    phx_csr_free(&system->B);
    phx_csr_free(&system->P);
    phx_csr_free(&system->S);
    phx_csr_free(&system->N);
    phx_free(system);
}

/* ---- questions ---- */
phx_descriptor_def phx_descriptor_definition(const phx_descriptor *system)
{
    if (!system)
        return phx_descriptor_def_default();
    return (phx_descriptor_def){.name = system->name,
                                .n = system->n,
                                .E = &system->E,
                                .J = &system->J,
                                .R = &system->R,
                                .Q = system->has_Q ? &system->Q : NULL,
                                .B = &system->B,
                                .P = &system->P,
                                .S = &system->S,
                                .N = &system->N,
                                .n_ports = system->n_ports,
                                .ports = system->ports};
}

const char *phx_descriptor_name(const phx_descriptor *system)
{
    return system->name;
}

int phx_descriptor_n(const phx_descriptor *system)
{
    return system->n;
}

int phx_descriptor_inputs(const phx_descriptor *system)
{
    return system->n_inputs;
}

const phx_csr *phx_descriptor_E(const phx_descriptor *system)
{
    return &system->E;
}

const phx_csr *phx_descriptor_J(const phx_descriptor *system)
{
    return &system->J;
}

const phx_csr *phx_descriptor_R(const phx_descriptor *system)
{
    return &system->R;
}

const phx_csr *phx_descriptor_Q(const phx_descriptor *system)
{
    return system->has_Q ? &system->Q : NULL;
}

const phx_csr *phx_descriptor_B(const phx_descriptor *system)
{
    return &system->B;
}

const phx_csr *phx_descriptor_P(const phx_descriptor *system)
{
    return &system->P;
}

const phx_csr *phx_descriptor_S(const phx_descriptor *system)
{
    return &system->S;
}

const phx_csr *phx_descriptor_N(const phx_descriptor *system)
{
    return &system->N;
}

int phx_descriptor_ports(const phx_descriptor *system)
{
    return system->n_ports;
}

const char *phx_descriptor_port_name(const phx_descriptor *system, int port)
{
    return system->ports[port].name;
}

int phx_descriptor_port_columns(const phx_descriptor *system, int port, int *size)
{
    if (size)
        *size = system->ports[port].size;
    return phx_descriptor_first(system, port);
}

int phx_descriptor_find_port(const phx_descriptor *system, const char *name)
{
    const size_t own = strlen(system->name);

    for (int p = 0; p < system->n_ports; p++)
        if (strcmp(system->ports[p].name, name) == 0)
            return p;
    if (strncmp(name, system->name, own) == 0 && name[own] == '.') /* "SYSTEM.PORT" */
        for (int p = 0; p < system->n_ports; p++)
            if (strcmp(system->ports[p].name, name + own + 1) == 0)
                return p;
    return -1;
}

/* ---- the equations ---- */
void phx_descriptor_rates(const phx_descriptor *system, const double *z, const double *u, double *rhs)
{
    memset(rhs, 0, (size_t)system->n * sizeof *rhs);
    phx_csr_apply(&system->J, 1.0, z, rhs);
    phx_csr_apply(&system->R, -1.0, z, rhs);
    if (u) {
        phx_csr_apply(&system->B, 1.0, u, rhs);
        phx_csr_apply(&system->P, -1.0, u, rhs);
    }
}

void phx_descriptor_outputs(const phx_descriptor *system, const double *z, const double *u, double *y)
{
    memset(y, 0, (size_t)system->n_inputs * sizeof *y);
    phx_csr_apply_transposed(&system->B, 1.0, z, y);
    phx_csr_apply_transposed(&system->P, 1.0, z, y);
    if (u) {
        phx_csr_apply(&system->S, 1.0, u, y);
        phx_csr_apply(&system->N, 1.0, u, y);
    }
}

double phx_descriptor_dissipation(const phx_descriptor *system, const double *z, const double *u)
{
    const double power = phx_csr_form(&system->R, z, z);

    return u ? power + 2.0 * phx_csr_form(&system->P, z, u) + phx_csr_form(&system->S, u, u) : power;
}

phx_status phx_descriptor_efforts(phx_context *context, const phx_descriptor *system, const double *e, double *z)
{
    if (!system || !e || !z)
        return phx_fail_null(context, __func__, "system, e or z");
    if (!system->has_Q)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "system '%s' is a nonlinear one at a state; its efforts must be supplied", system->name);
    memset(z, 0, (size_t)system->n * sizeof *z);
    phx_csr_apply(&system->Q, 1.0, e, z);
    return PHX_OK;
}

/* H = 1/2 (E e)^T (Q e) */
phx_status phx_descriptor_energy(phx_context *context, const phx_descriptor *system, const double *e, double *energy)
{
    if (!system || !e || !energy)
        return phx_fail_null(context, __func__, "system, e or energy");
    double *work = phx_calloc(context, 2 * (size_t)system->n, sizeof *work);
    phx_status status = work ? phx_descriptor_efforts(context, system, e, work) : PHX_ERR_MEMORY;

    if (!status) {
        phx_csr_apply(&system->E, 1.0, e, work + system->n);
        *energy = 0.0;
        for (int i = 0; i < system->n; i++)
            *energy += 0.5 * work[i] * work[system->n + i];
    }
    phx_free(work);
    return status;
}
