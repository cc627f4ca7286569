/* Whether what follows from the data of a body leaves room for products of it in double precision. */
#include "floating.h"

#include <math.h>

static const double LEAST = 1e-150, MOST = 1e150; /* whose squares are still numbers */

static bool check_range_fits(double value)
{
    const double size = fabs(value);
    return value == 0.0 || (size >= LEAST && size <= MOST);
}

static phx_status check_range_refuse(phx_context *context, const char *name, const char *what, double value)
{
    return phx_fail(context, PHX_ERR_ARGUMENT,
                    "body '%s': %s %g follows from its data, expected a size from %g to %g, beyond which products "
                    "overflow or vanish; check its lengths, masses and material",
                    name, what, value, LEAST, MOST);
}

/* A rigid body about its centre of mass must have an inertia that is more than the rounding of that about its origin:
 * no pivot of its mass matrix, scaled to ones on the diagonal, may be rounding. */
static phx_status check_centre(phx_context *context, const char *name, int dim, const phx_flex *flex,
                               const phx_rigid_def *rigid)
{
    enum { MOST_ROWS = 6 };
    const double ROUNDING = 1e-14;
    const int n = dim + flex->n_rot;
    double M[MOST_ROWS * MOST_ROWS] = {0}, unit[3] = {0}, arm[3];

    for (int a = 0; a < dim; a++)
        M[a * n + a] = 1.0;
    for (int k = 0; k < flex->n_rot; k++) { /* column k of the coupling: e_k x s0, over sqrt(m J_kk) */
        unit[k] = 1.0;
        phx_rot_x_vec(dim, unit, flex->s0, arm);
        unit[k] = 0.0;
        for (int a = 0; a < dim; a++)
            M[(dim + k) * n + a] = M[a * n + dim + k] = arm[a] / sqrt(flex->mass) / sqrt(flex->J0[phx_pair(k, k)]);
        for (int l = 0; l <= k; l++)
            M[(dim + k) * n + dim + l] = M[(dim + l) * n + dim + k] =
                flex->J0[phx_pair(l, k)] / sqrt(flex->J0[phx_pair(k, k)]) / sqrt(flex->J0[phx_pair(l, l)]);
    }
    bool sound = phx_dense_cholesky(NULL, n, M) == PHX_OK;
    for (int i = 0; i < n && sound; i++)
        sound = M[i * n + i] * M[i * n + i] > ROUNDING;
    if (sound)
        return PHX_OK;
    return phx_fail(
        context, PHX_ERR_ARGUMENT,
        "body '%s': its inertia about the centre of mass, %g kg m^2, is rounding beside the %g kg m^2 about "
        "its origin; give it a larger one, or put the origin at the centre of mass",
        name, rigid->inertia[0], flex->J0[0]);
}

/* Fails if mass, first moment, inertias or diagonal entries of M and K of a body are so large or small that their
 * products leave the range of double precision. */
phx_status phx_floating_check_range(phx_context *context, const char *name, const phx_flex *flex,
                                    const phx_rigid_def *rigid)
{
    phx_status status =
        check_range_fits(flex->mass) ? PHX_OK : check_range_refuse(context, name, "a mass of", flex->mass);

    for (int a = 0; a < flex->dim && !status; a++)
        if (!isfinite(flex->s0[a]) || fabs(flex->s0[a]) > MOST)
            status = check_range_refuse(context, name, "a first moment of", flex->s0[a]);
    for (int a = 0; a < flex->n_rot && !status; a++)
        if (!check_range_fits(flex->J0[phx_pair(a, a)]))
            status = check_range_refuse(context, name, "a moment of inertia of", flex->J0[phx_pair(a, a)]);
    for (int i = 0; i < flex->n && !status; i++)
        for (int k = flex->ptr[i]; k < flex->ptr[i + 1] && !status; k++) {
            if (flex->idx[k] != i)
                continue;
            if (!check_range_fits(flex->M[k]))
                status = check_range_refuse(context, name, "in its mass matrix a diagonal entry of", flex->M[k]);
            else if (!check_range_fits(flex->K[k]))
                status = check_range_refuse(context, name, "in its stiffness matrix a diagonal entry of", flex->K[k]);
        }
    return status || !rigid ? status : check_centre(context, name, flex->dim, flex, rigid);
}
