/* Structure and dissipation of a descriptor system over efforts and inputs together, and what interconnections do to
 * them. */
#include <string.h>

#include "internal.h"

void phx_descriptor_form_free(power_form *form)
{
    phx_csr_free(&form->J);
    phx_csr_free(&form->W);
}

/* Builds the matrices [J, B; -B^T, -N] and [R, P; P^T, S] of the power balance of a system over efforts and inputs. */
phx_status phx_descriptor_form(phx_context *context, const phx_descriptor *system, power_form *form)
{
    const int n = system->n, size = n + system->n_inputs;
    const matrix_block structure[] = {{.a = &system->J, .alpha = 1.0},
                                      {.a = &system->B, .alpha = 1.0, .col = n},
                                      {.a = &system->B, .alpha = -1.0, .transposed = true, .row = n},
                                      {.a = &system->N, .alpha = -1.0, .row = n, .col = n}};
    const matrix_block dissipation[] = {{.a = &system->R, .alpha = 1.0},
                                        {.a = &system->P, .alpha = 1.0, .col = n},
                                        {.a = &system->P, .alpha = 1.0, .transposed = true, .row = n},
                                        {.a = &system->S, .alpha = 1.0, .row = n, .col = n}};

    *form = (power_form){0};
    phx_status status = phx_descriptor_blocks(context, size, size, 4, structure, &form->J);
    if (!status)
        status = phx_descriptor_blocks(context, size, size, 4, dissipation, &form->W);
    return status;
}

/* a <- 1/2 (a + sign a^T), which is exact as stored */
static phx_status mirror(phx_context *context, double sign, phx_csr *a)
{
    const matrix_block halves[] = {{.a = a, .alpha = 0.5}, {.a = a, .alpha = 0.5 * sign, .transposed = true}};
    phx_csr out = {0};
    phx_status status = phx_descriptor_blocks(context, a->rows, a->cols, 2, halves, &out);

    if (!status) {
        phx_csr_free(a);
        *a = out;
    }
    return status;
}

static phx_status congruence(phx_context *context, const phx_csr *V, double sign, phx_csr *a)
{
    phx_csr out = {0};
    phx_status status = phx_csr_congruence(context, V, a, V, &out);

    if (status)
        return status;
    phx_csr_free(a);
    *a = out;
    return mirror(context, sign, a);
}

phx_status phx_descriptor_form_change(phx_context *context, const phx_csr *V, power_form *form)
{
    phx_status status = congruence(context, V, -1.0, &form->J);

    return status ? status : congruence(context, V, 1.0, &form->W);
}

/* The two parts of L: L_k = 1/2 (L - L^T) and, from the power that the condition does not take, L_s = -L^T W_ww L,
 * which vanishes exactly where nothing dissipates. */
static phx_status parts_of(phx_context *context, int count, const double *L, const phx_csr *W, phx_csr *Lk, phx_csr *Ls)
{
    const int at = W->rows - count;
    phx_csr square = {0}, Wcc = {0}, LWL = {0};
    phx_status status = phx_csr_from_dense(context, count, count, L, 0.0, &square);

    if (!status)
        status = phx_csr_copy(context, &square, Lk);
    if (!status)
        status = mirror(context, -1.0, Lk);
    if (!status)
        status = phx_descriptor_part(context, W, 1.0, at, count, at, count, &Wcc);
    if (!status)
        status = phx_csr_congruence(context, &square, &Wcc, &square, &LWL);
    if (!status)
        status = phx_descriptor_blocks(context, count, count, 1, &(matrix_block){.a = &LWL, .alpha = -1.0}, Ls);
    if (!status)
        status = mirror(context, 1.0, Ls);
    phx_csr_free(&square);
    phx_csr_free(&Wcc);
    phx_csr_free(&LWL);
    return status;
}

/* With Y and X the columns of w in J and W:
 *
 *     J_oo - W_oo + (Y - X) (L_k + L_s) (Y + X)^T
 *     J <- J_oo + Y L_k Y^T - X L_k X^T + Z_s - Z_s^T,   Z_s = Y L_s X^T
 *     W <- W_oo - Y L_s Y^T + X L_s X^T - Z_k - Z_k^T,   Z_k = Y L_k X^T            */
phx_status phx_descriptor_form_absorb(phx_context *context, int count, const double *L, power_form *form)
{
    const int o = form->J.rows - count;
    enum { LK, LS, YT, XT, JOO, WOO, YKY, XKX, YSX, YSY, XSX, YKX, ALL };
    phx_csr m[ALL] = {{0}}, Y = {0}, X = {0};
    power_form made = {0};
    phx_status status = parts_of(context, count, L, &form->W, &m[LK], &m[LS]);

    if (!status)
        status = phx_descriptor_part(context, &form->J, 1.0, 0, o, o, count, &Y);
    if (!status)
        status = phx_descriptor_part(context, &form->W, 1.0, 0, o, o, count, &X);
    if (!status)
        status = phx_csr_transpose(context, &Y, &m[YT]);
    if (!status)
        status = phx_csr_transpose(context, &X, &m[XT]);
    if (!status)
        status = phx_descriptor_part(context, &form->J, 1.0, 0, o, 0, o, &m[JOO]);
    if (!status)
        status = phx_descriptor_part(context, &form->W, 1.0, 0, o, 0, o, &m[WOO]);
    const int products[][4] = {{YKY, YT, LK, YT}, {XKX, XT, LK, XT}, {YSX, YT, LS, XT},
                               {YSY, YT, LS, YT}, {XSX, XT, LS, XT}, {YKX, YT, LK, XT}};
    for (int k = 0; k < 6 && !status; k++)
        status =
            phx_csr_congruence(context, &m[products[k][1]], &m[products[k][2]], &m[products[k][3]], &m[products[k][0]]);
    if (!status) {
        const matrix_block structure[] = {{.a = &m[JOO], .alpha = 1.0},
                                          {.a = &m[YKY], .alpha = 1.0},
                                          {.a = &m[XKX], .alpha = -1.0},
                                          {.a = &m[YSX], .alpha = 1.0},
                                          {.a = &m[YSX], .alpha = -1.0, .transposed = true}};
        status = phx_descriptor_blocks(context, o, o, 5, structure, &made.J);
    }
    if (!status) {
        const matrix_block dissipation[] = {{.a = &m[WOO], .alpha = 1.0},
                                            {.a = &m[YSY], .alpha = -1.0},
                                            {.a = &m[XSX], .alpha = 1.0},
                                            {.a = &m[YKX], .alpha = -1.0},
                                            {.a = &m[YKX], .alpha = -1.0, .transposed = true}};
        status = phx_descriptor_blocks(context, o, o, 5, dissipation, &made.W);
    }
    if (!status)
        status = mirror(context, -1.0, &made.J);
    if (!status)
        status = mirror(context, 1.0, &made.W);
    for (int k = 0; k < ALL; k++)
        phx_csr_free(&m[k]);
    phx_csr_free(&Y);
    phx_csr_free(&X);
    phx_descriptor_form_free(status ? &made : form);
    if (!status)
        *form = made;
    return status;
}

/* Reads J, B, N and R, P, S of a system from the two matrices of its power balance; the inverse of
 * phx_descriptor_form. */
phx_status phx_descriptor_form_take(phx_context *context, const power_form *form, phx_descriptor *made)
{
    const int n = made->n, m = made->n_inputs;
    const struct {
        const phx_csr *a;
        double alpha;
        int row, rows, col, cols;
        phx_csr *to;
    } parts[] = {{&form->J, 1.0, 0, n, 0, n, &made->J},  {&form->J, 1.0, 0, n, n, m, &made->B},
                 {&form->J, -1.0, n, m, n, m, &made->N}, {&form->W, 1.0, 0, n, 0, n, &made->R},
                 {&form->W, 1.0, 0, n, n, m, &made->P},  {&form->W, 1.0, n, m, n, m, &made->S}};
    phx_status status = PHX_OK;

    for (size_t k = 0; k < sizeof parts / sizeof *parts && !status; k++)
        status = phx_descriptor_part(context, parts[k].a, parts[k].alpha, parts[k].row, parts[k].rows, parts[k].col,
                                     parts[k].cols, parts[k].to);
    return status;
}
