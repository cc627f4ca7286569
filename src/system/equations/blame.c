/* Whose an equation is that cannot be solved: the body or the joint instead of its number. */
#include "system/system_internal.h"

#include <math.h>

static int body_of(const phx_system *system, int velocity)
{
    int low = 0, high = system->n_bodies;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (system->bodies[middle].v <= velocity)
            low = middle;
        else
            high = middle;
    }
    return low;
}

enum { MANY = 3000 }; /* deformation coordinates */

phx_status phx_sys_blame_body(phx_context *context, const phx_body *body, bool finite)
{
    if (!finite)
        return phx_fail(
            context, PHX_SINGULAR,
            "body '%s': its equations of motion overflow; check its lengths, masses, speeds and stiffnesses and "
            "the stiffness and damping of its joints for one that is very large or very small",
            phx_body_name(body));
    return phx_fail(context, PHX_SINGULAR, "body '%s': its mass matrix is singular to rounding; %s",
                    phx_body_name(body),
                    phx_body_n_q(body) > MANY ? "take fewer elements, or the reference simply_supported"
                                              : "give it more mass and inertia about its centre of mass, or the others "
                                                "less");
}

phx_status phx_system_check_floating(phx_context *context, const phx_system *system, const char *what,
                                     const char *remedy)
{
    for (int b = 0; b < system->n_bodies; b++)
        if (!phx_body_flex(system->bodies[b].body) || phx_body_curve_length(system->bodies[b].body) > 0.0)
            return phx_fail(context, PHX_ERR_UNSUPPORTED, "body '%s' is a %s, for which there is no %s; %s",
                            phx_body_name(system->bodies[b].body), phx_body_kind(system->bodies[b].body), what, remedy);
    return PHX_OK;
}

/* Reports a singular pivot of the KKT matrix as an error that names the body or the joint row, and returns PHX_SINGULAR
 * or a status of the body. `finite` false: the pivot overflowed. An equation number out of range leaves the present
 * message unchanged. */
phx_status phx_sys_blame_equation(const workspace *ws, int equation, bool finite)
{
    const phx_system *system = ws->system;
    const int row = equation - ws->kkt.n_v;

    if (equation < 0 || row >= ws->rows.n || (row < 0 && system->n_bodies == 0))
        return PHX_SINGULAR; /* the message stays */
    if (row < 0)
        return phx_sys_blame_body(ws->base.context, system->bodies[body_of(system, equation)].body, finite);
    const row_slot *slot = &system->rows.slot[ws->rows.index[row]];
    const char *name = system->joints[slot->joint].name;
    if (!finite)
        return phx_fail(ws->base.context, PHX_SINGULAR,
                        "joint '%s': its row %d overflows; check places and axes of its ports for one that is very "
                        "large",
                        name, slot->number + 1);
    return phx_fail(ws->base.context, PHX_SINGULAR,
                    "joint '%s': its row %d depends on others here, or the bodies it holds have no mass to speak of; "
                    "start from a slightly different pose, and give every body mass and inertia",
                    name, slot->number + 1);
}

phx_status phx_sys_blame_factor(const workspace *ws, const int *ptr, const double *val, int equation, int column)
{
    bool finite = true;
    for (int k = ptr[equation]; k < ptr[equation + 1]; k++)
        finite = finite && isfinite(val[k]);
    return phx_sys_blame_equation(ws, column, finite);
}
