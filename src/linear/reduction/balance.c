/* Balancing that keeps the port-Hamiltonian form: Breiten, Morandin, Schulze (2020). In energy coordinates the filter
 * equation with the noise C^T C + 2 R has the solution I; P solves the one of control,
 *
 *     A^T P + P A - P B B^T P + C^T C = 0,           theory 14 (10)
 *
 * both of the system without its feedthrough, which every projection keeps, with B - P for B and (B + P)^T for C. So
 * the eigenvectors of P balance, truncation is an orthogonal projection, and the characteristic values are the roots of
 * its eigenvalues. */
#include <math.h>
#include <string.h>

#include "reduction.h"

/* Basis Z (n x k) and all n characteristic values of LQG balancing, largest first, theory 14 (10). */
phx_status phx_lqg_balance(phx_context *context, const phx_ph *ph, int k, double *Z, double *values)
{
    const int n = ph->n, m = ph->m;
    const size_t cells = (size_t)n * (size_t)n;
    double *A = phx_calloc(context, 5 * cells + 2 * (size_t)n * (size_t)m + (size_t)n + 1, sizeof *A);
    double *G = phx_behind(A, cells), *Q = phx_behind(G, cells), *P = phx_behind(Q, cells),
           *vectors = phx_behind(P, cells);
    double *input = phx_behind(vectors, cells), *output = phx_behind(input, (size_t)(n * m)),
           *square = phx_behind(output, (size_t)(n * m));
    phx_status status = A ? PHX_OK : PHX_ERR_MEMORY;

    for (size_t i = 0; i < cells && !status; i++)
        A[i] = ph->J[i] - ph->R[i];
    for (int i = 0; i < n * m && !status; i++) {
        input[i] = ph->B[i] - ph->P[i];
        output[i] = ph->B[i] + ph->P[i];
    }
    if (!status) {
        phx_dense_multiply(false, true, n, n, m, 1.0, input, m, input, m, 0.0, G, n);
        phx_dense_multiply(false, true, n, n, m, 1.0, output, m, output, m, 0.0, Q, n);
        status = phx_dense_riccati(context, n, A, G, Q, P);
    }
    if (!status)
        status = phx_dense_eigen_symmetric(context, n, P, NULL, square, vectors);
    for (int j = 0; j < n && !status; j++) {
        values[j] = sqrt(fmax(square[n - 1 - j], 0.0));
        for (int i = 0; i < n && j < k; i++)
            Z[i * k + j] = vectors[i * n + n - 1 - j];
    }
    phx_free(A);
    return status;
}
