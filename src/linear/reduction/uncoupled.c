/* Systems in energy coordinates whose states go in pairs: modes that no damping couples. Their responses are sums over
 * the modes, and their poles roots of quadratic equations, so that a frequency takes as many steps as there are modes.
 */
#include <math.h>
#include <string.h>

#include "reduction.h"

/* R couples two states by more than rounding. */
static const double coupled = 1e-9;

/* The state that J ties to state i, i itself where there is none; -1: there are several. */
static int partner_of(const phx_ph *ph, int i)
{
    int found = i;

    for (int j = 0; j < ph->n; j++)
        if (ph->J[i * ph->n + j] != 0.0) {
            if (found != i)
                return -1;
            found = j;
        }
    return found;
}

/* Finds for every state its partner in J; false if damping or P couples different modes. */
static bool find_partners(const phx_ph *ph, int *partner)
{
    const int n = ph->n;

    for (int i = 0; i < n; i++) {
        partner[i] = partner_of(ph, i);
        if (partner[i] < 0)
            return false;
        for (int j = 0; j < i; j++)
            if (fabs(ph->R[i * n + j]) > coupled * sqrt(fabs(ph->R[i * n + i] * ph->R[j * n + j])))
                return false;
        for (int k = 0; k < ph->m; k++)
            if (ph->P[i * ph->m + k] != 0.0)
                return false;
    }
    return true;
}

phx_status phx_uncoupled_find(phx_context *context, const phx_ph *ph, int **partner)
{
    *partner = phx_calloc(context, (size_t)ph->n + 1, sizeof **partner);
    if (!*partner)
        return PHX_ERR_MEMORY;
    if (!find_partners(ph, *partner)) {
        phx_free(*partner);
        *partner = NULL;
    }
    return PHX_OK;
}

/* (s + r_i) (s + r_j) + J_ij^2 = 0 */
void phx_uncoupled_poles(const phx_ph *ph, const int *partner, double *re, double *im)
{
    const int n = ph->n;

    for (int i = 0; i < n; i++) {
        const int j = partner[i];
        const double half = 0.5 * (ph->R[i * n + i] - ph->R[j * n + j]), tie = ph->J[i * n + j];
        const double mean = 0.5 * (ph->R[i * n + i] + ph->R[j * n + j]), square = tie * tie - half * half;
        const double root = sqrt(fabs(square)), sign = i < j ? 1.0 : -1.0;
        im[i] = j == i || square <= 0.0 ? 0.0 : sign * root;
        re[i] = j == i || square >= 0.0 ? -mean : sign * root - mean;
    }
}

/* H (m x m) += b (s - A)^-1 b^T of state i with j > i, or of i alone: A = [-r_i, J_ij; -J_ij, -r_j] */
static void add_pair(const phx_ph *ph, int i, int j, double complex s, double complex *H)
{
    const int n = ph->n, m = ph->m;
    const double *a = ph->B + i * m, *b = ph->B + j * m, tie = ph->J[i * n + j];
    const double complex p = s + ph->R[i * n + i], q = s + ph->R[j * n + j];
    const double complex determinant = i == j ? p : p * q + tie * tie;

    for (int k = 0; k < m; k++)
        for (int l = 0; l < m; l++) {
            const double complex sum =
                i == j ? a[k] * a[l] : q * (a[k] * a[l]) + p * (b[k] * b[l]) + tie * (a[k] * b[l] - b[k] * a[l]);
            H[k * m + l] += sum / determinant;
        }
}

void phx_uncoupled_responses(const phx_ph *ph, const int *partner, int count, const double *omega,
                             double complex *responses)
{
    const size_t cells = (size_t)ph->m * (size_t)ph->m;

    memset(responses, 0, (size_t)count * cells * sizeof *responses);
    for (int k = 0; k < count; k++, responses += cells)
        for (int i = 0; i < ph->n; i++)
            if (partner[i] >= i)
                add_pair(ph, i, partner[i], I * omega[k], responses);
}

/* Largest singular value of the response of an uncoupled system at each frequency. */
phx_status phx_uncoupled_gains(phx_context *context, const phx_ph *ph, const int *partner, int count,
                               const double *omega, double *gains)
{
    const size_t cells = (size_t)ph->m * (size_t)ph->m;
    double complex *H = phx_calloc(context, cells + 1, sizeof *H);
    double *work = phx_calloc(context, 4 * cells + 2 * (size_t)ph->m + 1, sizeof *work);
    phx_status status = H && work ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < count && !status; k++) {
        phx_uncoupled_responses(ph, partner, 1, omega + k, H);
        status = phx_largest_singular_value(context, ph->m, ph->m, (const double *)H, work, gains + k);
    }
    phx_free(H);
    phx_free(work);
    return status;
}
