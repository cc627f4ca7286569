/* What acts on a body at its ports, for loads of finite-element programs. */
#include "channels.h"

#include <string.h>

int phx_system_ports_of(const phx_system *system, phx_body_id body)
{
    int count = 0;

    for (int i = 0; i < system->n_ports; i++)
        count += system->ports[i].body == body;
    return count;
}

/* The efforts of all rows and forces, theory 3 (5), with the accelerations of the instant: f = R^T e_u, and the moment
 * that works on the section. */
phx_status phx_system_port_efforts(phx_dae *dae, phx_body_id body, double t, const double *x, const double *v,
                                   double *v_dot, phx_port_effort *efforts)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    const int dim = system->dim, n_rot = system->n_rot;
    double *lambda = ws->scratch.multipliers;
    phx_status status = phx_sys_op_accelerations(dae, t, x, v, v_dot, lambda);

    if (!status) {
        memset(ws->scratch.vector[1], 0, (size_t)ws->kkt.n * sizeof(double));
        status = dae->ops->residual(dae, t, x, v, v_dot, lambda, ws->scratch.vector[1]);
    }
    for (int i = 0; i < system->n_ports && !status; i++) {
        const double *effort = ws->ports.effort + (size_t)i * PHX_PORT_MAX;
        if (system->ports[i].body != body)
            continue;
        *efforts = (phx_port_effort){.location = &system->ports[i].location};
        phx_rot_apply_transposed(dim, ws->ports.view[i].R1, effort, efforts->force);
        memcpy(efforts->moment, effort + dim + n_rot, (size_t)n_rot * sizeof *effort);
        efforts++;
    }
    return phx_conclude(dae->context, status);
}
