/* Rectangular plates for tests. */
#ifndef PHLEXOR_TESTS_CONTINUUM_PLATES_H
#define PHLEXOR_TESTS_CONTINUUM_PLATES_H

#include "support.h"

typedef struct plate_case {
    double size[2];
    int elements[2];
    phx_plate_theory theory;
    int order;
    bool membrane;
    phx_plate_section section;
    double grading;   /* towards x = 0 */
    double distorted; /* nodes inside are moved by so many element lengths at random */
    bool crossed, clockwise;
} plate_case;

/* A square of side 1 m, Kirchhoff, k = 1, n x n, D = rho h = 1 and the Poisson ratio given. */
plate_case unit_plate(int n, double poisson);
phx_elastic_model *make_plate(phx_context *context, const plate_case *def);

/* Conditions on the edges x0, x1, y0, y1, a letter each: C clamped, S simply supported (Mindlin: hard), s soft, F free.
 * Translations in the plane are held too. */
free_set supported(phx_context *context, const phx_elastic_model *model, const char *letters);
/* The lowest pulsations with these conditions. sigma: see lowest_frequencies. */
void plate_frequencies(phx_context *context, const phx_elastic_model *model, const char *letters, double sigma,
                       int count, double *omega);

#endif
