/* Rigid-body properties from M and K: mass, centre, inertia; symmetry, and that rigid motions cost no force. */
#include "continuum.h"

#include <math.h>
#include <string.h>

/* a^T M b */
static double summary_product(int n, const double *a, const double *Mb)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++)
        sum += a[i] * Mb[i];
    return sum;
}

static double summary_largest(int n, const double *x)
{
    double most = 0.0;

    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double summary_asymmetry(const phx_csr *a)
{
    const double most = summary_largest(a->ptr[a->rows], a->val);
    double worst = 0.0;

    for (int i = 0; i < a->rows; i++)
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
            const int mirror = phx_csr_find(a, a->idx[e], i);
            worst = fmax(worst, fabs(a->val[e] - (mirror < 0 ? 0.0 : a->val[mirror])));
        }
    return most > 0.0 ? worst / most : 0.0;
}

/* From T^T M T, T^T M X and X^T M X (6 x 6) to mass, centre and inertia about it. */
static void rigid_body(double m[6][6], phx_elastic_summary *summary)
{
    double *c = summary->centre;

    summary->mass = (m[0][0] + m[1][1] + m[2][2]) / 3.0;
    /* e_a . (e_b x c) m: row a of T, column b of X */
    c[0] = (m[1][5] - m[2][4]) / (2.0 * summary->mass);
    c[1] = (m[2][3] - m[0][5]) / (2.0 * summary->mass);
    c[2] = (m[0][4] - m[1][3]) / (2.0 * summary->mass);
    const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            summary->inertia[3 * a + b] = m[3 + a][3 + b] - summary->mass * ((a == b ? cc : 0.0) - c[a] * c[b]);
}

/* Rigid-body properties of a model from M and its rigid motions, the asymmetry of its matrices, and the relative force
 * that K puts on rigid motions. */
phx_status phx_elastic_summarise(phx_context *context, const phx_elastic_model *model, phx_elastic_summary *summary)
{
    const int n = model->n;
    const double stiffest = summary_largest(model->K.ptr[n], model->K.val);
    double *product_of = phx_calloc(context, 2 * (size_t)n + 1, sizeof *product_of), *force, m[6][6];

    if (!product_of)
        return PHX_ERR_MEMORY;
    force = product_of + n;
    memset(summary, 0, sizeof *summary);
    for (int b = 0; b < 6; b++) {
        const double *motion = model->rigid + (size_t)b * (size_t)n;
        memset(product_of, 0, 2 * (size_t)n * sizeof *product_of);
        phx_csr_apply(&model->M, 1.0, motion, product_of);
        phx_csr_apply(&model->K, 1.0, motion, force);
        for (int a = 0; a < 6; a++)
            m[a][b] = summary_product(n, model->rigid + (size_t)a * (size_t)n, product_of);
        const double size = stiffest * summary_largest(n, motion);
        summary->rigid_force[b] = size > 0.0 ? summary_largest(n, force) / size : 0.0;
    }
    rigid_body(m, summary);
    summary->asymmetry[0] = summary_asymmetry(&model->M);
    summary->asymmetry[1] = summary_asymmetry(&model->K);
    phx_free(product_of);
    return PHX_OK;
}
