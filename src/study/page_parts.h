/* The parts of a page that come from the model itself; private to the layer study. */
#ifndef PHLEXOR_STUDY_PAGE_PARTS_H
#define PHLEXOR_STUDY_PAGE_PARTS_H

#include "internal.h"

/* The loads of a model over time. The caller frees `loads`, which borrows the signals of the model. */
phx_status phx_page_loads(phx_context *context, const phx_model *model, phx_report_load **loads);

/* `page` of the model, which lends its texts; the list of trails is allocated, NULL where the model has no `page`. */
phx_status phx_page_opening(phx_context *context, const phx_model *model, phx_report_opening *opening);

/* The bodies at the points of a sweep. */
typedef struct phx_page_points {
    int n;                     /* as many as the table has, or 0 */
    phx_report_bodies *points; /* borrow from the drawings */
    int n_drawings;
    phx_drawing *drawings;
} phx_page_points;
/* The bodies at the points of a table of modes, from the model of the table. No points when there is one only, when the
 * table has no configuration for each, or when they would take too much memory. */
phx_status phx_page_points_create(phx_context *context, const phx_model *model, const phx_modes_table *table,
                                  phx_page_points *points);
void phx_page_points_free(phx_page_points *points); /* frees and zeroes the fields */

#endif
