/* Columns as functions of time, and their differences; private to the layer results. */
#ifndef PHX_RESULTS_TIMELINE_H
#define PHX_RESULTS_TIMELINE_H

#include "results/plot/plot.h"

typedef struct phx_timeline {
    size_t rows;
    double *t;    /* s, ascending; a time that stands twice is a jump */
    double *y;    /* value of each row */
    double *rate; /* its derivative: cubics between the rows (Hermite); NULL: straight lines */
} phx_timeline;

/* A column, with its derivative if the source has a column NAME_rate for NAME, NAME_rate.x for NAME.x. PHX_ERR_INPUT
 * where the times do not ascend. On failure it may be passed to free, and need not. */
phx_status phx_timeline_read(const phx_plot_source *source, const char *path, int column, phx_timeline *line);
void phx_timeline_free(phx_timeline *line);

/* The difference d of two timelines over the time that both have. */
typedef struct phx_norms {
    double from, to;    /* s; from > to: they have no common time */
    double largest, at; /* max |d|, and the first time of it, s */
    double rms;         /* sqrt(∫ d² dt / (to − from)) */
    double end;         /* d at `to` */
} phx_norms;

/* d = other − reference, as exact as the interpolants are: a cubic between any two instants of both. Instants that
 * differ by rounding are one. `difference`, which may be NULL, gets d at both ends of each piece. */
phx_status phx_timeline_subtract(phx_context *context, const phx_timeline *other, const phx_timeline *reference,
                                 phx_norms *norms, phx_timeline *difference);

#endif
