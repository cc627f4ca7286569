/* Lists of modes: order, normalisation, phase. */
#include <math.h>
#include <string.h>

#include "internal.h"

/* Imaginary parts of shapes below this (unit mass norm) are rounding. */
static const double imaginary_noise = 1e-10;
/* Damping above minus this is not an instability but rounding. */
static const double damping_noise = 1e-12;

phx_status phx_mode_list_create(phx_context *context, int n, int room, phx_mode_list *list)
{
    *list = (phx_mode_list){.n = n, .room = room};
    list->lambda = phx_calloc(context, (size_t)room, sizeof *list->lambda);
    list->shapes = phx_calloc(context, (size_t)room * (size_t)n, sizeof *list->shapes);
    return list->lambda && list->shapes ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_mode_list_free(phx_mode_list *list)
{
    phx_free(list->lambda);
    phx_free(list->shapes);
    *list = (phx_mode_list){0};
}

/* -1, 0, 1 */
static int mode_list_compare(double complex a, double complex b)
{
    const double size_a = cabs(a), size_b = cabs(b);
    if (size_a != size_b)
        return size_a < size_b ? -1 : 1;
    if (cimag(a) != cimag(b))
        return cimag(a) < cimag(b) ? -1 : 1;
    if (creal(a) != creal(b))
        return creal(a) < creal(b) ? -1 : 1;
    return 0;
}

void phx_mode_list_order(const phx_mode_list *list, int *order)
{
    for (int k = 0; k < list->count; k++) {
        int at = k;
        for (; at > 0 && mode_list_compare(list->lambda[order[at - 1]], list->lambda[k]) > 0; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

void phx_mode_set_free(phx_mode_set *set)
{
    if (!set)
        return;
    phx_free(set->re);
    phx_free(set->im);
    phx_free(set->omega);
    phx_free(set->frequency);
    phx_free(set->damping);
    phx_free(set->shapes);
    phx_free(set->shapes_imaginary);
    *set = (phx_mode_set){0};
}

/* Allocates a set of `count` modes with n coordinates each. */
static phx_status set_create(phx_context *context, int n, int count, phx_mode_set *set)
{
    *set = (phx_mode_set){.n = n, .count = count};
    const size_t c = (size_t)count;
    set->re = phx_calloc(context, c, sizeof *set->re);
    set->im = phx_calloc(context, c, sizeof *set->im);
    set->omega = phx_calloc(context, c, sizeof *set->omega);
    set->frequency = phx_calloc(context, c, sizeof *set->frequency);
    set->damping = phx_calloc(context, c, sizeof *set->damping);
    set->shapes = phx_calloc(context, c * (size_t)n, sizeof *set->shapes);
    set->shapes_imaginary = phx_calloc(context, c * (size_t)n, sizeof *set->shapes_imaginary);
    return set->re && set->im && set->omega && set->frequency && set->damping && set->shapes && set->shapes_imaginary
               ? PHX_OK
               : PHX_ERR_MEMORY;
}

/* weight = sqrt(diag M) */
static phx_status diagonal_root(phx_context *context, const phx_csr *M, double **weight)
{
    *weight = phx_calloc(context, (size_t)M->rows, sizeof **weight);
    if (!*weight)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < M->rows; i++) {
        const int at = phx_csr_find(M, i, i);
        (*weight)[i] = at >= 0 && M->val[at] > 0.0 ? sqrt(M->val[at]) : 0.0;
    }
    return PHX_OK;
}

/* The factor that gives a shape unit mass norm and makes the first of its largest components positive. */
static double complex mode_list_factor(const phx_csr *M, const double *weight, const double *re, const double *im)
{
    double largest = 0.0;
    for (int i = 0; i < M->rows; i++)
        largest = fmax(largest, weight[i] * hypot(re[i], im[i]));
    const double norm = sqrt(phx_csr_form(M, re, re) + phx_csr_form(M, im, im));
    for (int i = 0; i < M->rows; i++)
        if (norm > 0.0 && largest > 0.0 && weight[i] * hypot(re[i], im[i]) >= 0.999 * largest)
            return (re[i] - im[i] * I) / (hypot(re[i], im[i]) * norm);
    return 1.0;
}

/* Returns the mass norm of the imaginary part. */
static double finish_shape(const phx_csr *M, const double *weight, const double complex *shape, double *re, double *im)
{
    for (int i = 0; i < M->rows; i++) {
        re[i] = creal(shape[i]);
        im[i] = cimag(shape[i]);
    }
    const double complex scale = mode_list_factor(M, weight, re, im);
    for (int i = 0; i < M->rows; i++) {
        const double a = re[i], b = im[i];
        re[i] = a * creal(scale) - b * cimag(scale);
        im[i] = a * cimag(scale) + b * creal(scale);
    }
    return sqrt(fmax(phx_csr_form(M, im, im), 0.0));
}

/* Sorts a list of modes, normalises shapes and phases with M and fills the set; count <= 0 takes all. Imaginary shapes
 * at round-off level are dropped (NULL). */
phx_status phx_mode_list_finish(phx_context *context, const phx_mode_list *list, const phx_csr *M, int count,
                                phx_mode_set *set)
{
    const double two_pi = 6.283185307179586476925286766559;
    const size_t n = (size_t)list->n;
    if (count <= 0 || count > list->count)
        count = list->count;
    double *weight = NULL, imaginary = 0.0;
    int *order = phx_calloc(context, (size_t)list->count, sizeof *order);
    phx_status status = order ? set_create(context, list->n, count, set) : PHX_ERR_MEMORY;
    if (!status)
        status = diagonal_root(context, M, &weight);
    if (status)
        goto cleanup;

    phx_mode_list_order(list, order);
    for (int k = 0; k < count; k++) {
        const double complex lambda = list->lambda[order[k]];
        set->re[k] = creal(lambda);
        set->im[k] = cimag(lambda);
        set->omega[k] = cabs(lambda);
        set->frequency[k] = set->omega[k] / two_pi;
        set->damping[k] = creal(lambda) == 0.0 ? 0.0 : -creal(lambda) / set->omega[k];
        set->unstable += set->damping[k] < -damping_noise;
        imaginary = fmax(imaginary, finish_shape(M, weight, list->shapes + (size_t)order[k] * n, set->shapes + k * n,
                                                 set->shapes_imaginary + k * n));
    }
    if (imaginary <= imaginary_noise) {
        phx_free(set->shapes_imaginary);
        set->shapes_imaginary = NULL;
    }
cleanup:
    if (status)
        phx_mode_set_free(set);
    phx_free(weight);
    phx_free(order);
    return status;
}
