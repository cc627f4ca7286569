/* The equations of a deformed start (equations.h): the rows at position level, and parts of the loads. */
#include "system/system_internal.h"

#include <string.h>

double phx_system_assembly_residual(phx_dae *assembly, const double *x, double *rhs)
{
    return phx_sys_assembly_residual((workspace *)assembly, x, true, rhs);
}

const bool *phx_system_assembly_rows(phx_dae *assembly, const double *x, double *rhs)
{
    workspace *ws = (workspace *)assembly;

    phx_sys_assembly_residual(ws, x, true, rhs);
    phx_sys_pull_back(ws, x, rhs);
    ws->by->rows(ws, 0.0, 0.0);
    memset(ws->values.val, 0, (size_t)ws->kkt.ptr[ws->kkt.n] * sizeof(double));
    ws->values.summed = false;
    ws->by->put_rows(ws, ws->values.val);
    return ws->rows.on;
}

/* Multiplies gravity by `load`; returns the value before, which put_back restores. */
typedef struct own_gravity {
    double value[3];
} own_gravity;
static own_gravity scale_gravity(phx_system *system, double load)
{
    own_gravity own = {{0.0}};
    memcpy(own.value, system->gravity, (size_t)system->dim * sizeof(double));
    for (int a = 0; a < system->dim; a++)
        system->gravity[a] = load * own.value[a];
    return own;
}

static void put_back(phx_system *system, const own_gravity *own)
{
    memcpy(system->gravity, own->value, (size_t)system->dim * sizeof(double));
}

/* K = s K(with forces) + (1 - s) K(without) */
phx_status phx_system_linearise_part(phx_dae *assembly, double load, double t, const double *x, const double *v,
                                     const double *lambda, double *room)
{
    workspace *ws = (workspace *)assembly;
    phx_system *system = ws->system;
    const own_gravity own = scale_gravity(system, load);
    const int nnz = ws->kkt.ptr[ws->kkt.n], forces = system->n_forces;
    phx_status status = phx_sys_op_linearise(assembly, t, x, v, lambda);

    if (!status && load < 1.0) {
        memcpy(room, ws->values.K, (size_t)nnz * sizeof *room);
        system->n_forces = 0;
        status = phx_sys_op_linearise(assembly, t, x, v, lambda);
        for (int k = 0; k < nnz; k++)
            ws->values.K[k] = load * room[k] + (1.0 - load) * ws->values.K[k];
    }
    system->n_forces = forces;
    put_back(system, &own);
    return status;
}

/* The same of the residual of motion. */
phx_status phx_system_residual_part(phx_dae *assembly, double load, double t, const double *x, const double *v,
                                    const double *a, const double *lambda, double *res, double *room)
{
    workspace *ws = (workspace *)assembly;
    phx_system *system = ws->system;
    const own_gravity own = scale_gravity(system, load);
    const int forces = system->n_forces;
    phx_status status = assembly->ops->residual(assembly, t, x, v, a, lambda, res);

    if (!status && load < 1.0) {
        system->n_forces = 0;
        status = assembly->ops->residual(assembly, t, x, v, a, lambda, room);
        for (int i = 0; i < system->n_v; i++)
            res[i] = load * res[i] + (1.0 - load) * room[i];
    }
    system->n_forces = forces;
    put_back(system, &own);
    return status;
}
