/* The picture of a motion: snapshots of the bodies drawn from their states. */
#include "results/store/layout.h"
#include "plot.h"

#include <stdio.h>

enum { SNAPSHOTS = 12 };

/* The directions to the right and upward. */
static const struct {
    int right, up;
    const char *right_label, *up_label;
} planes[] = {{0, 1, "x (m)", "y (m)"}, {0, 2, "x (m)", "z (m)"}, {1, 2, "y (m)", "z (m)"}};

/* Places of the points of a body in a plane:  place + R (points[i] + shapes[i] q). */
static void draw_body(const phx_record_body *body, int dimension, phx_plot_plane plane, const double *x, double *out_x,
                      double *out_y)
{
    const int right = planes[plane].right, up = planes[plane].up;
    const double *place = x + body->x_start, *attitude = place + dimension;
    const int n_q = phx_layout_deformations(dimension, body);
    const double *q = attitude + (dimension == 2 ? 3 : 9);
    for (int i = 0; i < body->n_points; i++) {
        double b[3] = {0.0, 0.0, 0.0};
        for (int d = 0; d < dimension; d++) {
            const int row = i * dimension + d;
            b[d] = body->points[row];
            for (int k = 0; body->shapes && k < n_q; k++)
                b[d] += body->shapes[(size_t)row * (size_t)n_q + (size_t)k] * q[k];
        }
        if (dimension == 2) {
            out_x[i] = place[0] + attitude[0] * b[0] - attitude[1] * b[1];
            out_y[i] = place[1] + attitude[1] * b[0] + attitude[0] * b[1];
        } else {
            const double *row_x = attitude + 3 * right, *row_y = attitude + 3 * up;
            out_x[i] = place[right] + row_x[0] * b[0] + row_x[1] * b[1] + row_x[2] * b[2];
            out_y[i] = place[up] + row_y[0] * b[0] + row_y[1] * b[1] + row_y[2] * b[2];
        }
    }
}

/* Adds the outlines of all bodies at one row of the result, in one shade, labelled with the time. */
static phx_status add_snapshot(phx_chart *chart, const phx_result *result, phx_plot_plane plane, size_t row, int shade,
                               bool labelled, double *x)
{
    phx_panel *panel = &chart->panels[0];
    char label[64], number[PHX_NUMBER_SIZE];
    double t;
    phx_status status = phx_result_column(result, 0, row, 1, &t);
    if (!status)
        status = phx_result_state(result, row, x, NULL);
    if (status)
        return status;
    phx_number_format(t, 6, number);
    snprintf(label, sizeof label, "t = %s s", number);
    for (int i = 0; i < phx_result_bodies(result); i++) {
        const phx_record_body *body = phx_result_body(result, i);
        if (body->n_points == 0)
            continue;
        phx_line *line = phx_panel_add_line(chart, panel, labelled ? label : NULL, (size_t)body->n_points);
        if (!line)
            return PHX_ERR_MEMORY;
        line->shade = shade;
        draw_body(body, phx_result_dimension(result), plane, x, line->x, line->y);
        labelled = false;
    }
    return PHX_OK;
}

static bool has_drawing(const phx_result *result)
{
    for (int i = 0; i < phx_result_bodies(result); i++)
        if (phx_result_body(result, i)->n_points > 0)
            return true;
    return false;
}

/* Adds up to SNAPSHOTS poses, evenly chosen from the first row to the last, later ones darker. */
static phx_status motion_draw(const phx_plot_source *source, phx_plot_plane plane, phx_chart *chart)
{
    const phx_result *result = source->result;
    const size_t rows = source->rows, shots = rows < SNAPSHOTS ? rows : SNAPSHOTS;
    phx_panel *panel = phx_chart_add_panel(chart, planes[plane].up_label, planes[plane].right_label);
    double *x = phx_calloc(source->context, (size_t)phx_result_n_x(result), sizeof *x);
    phx_status status = panel && x ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        panel->equal = true;
    for (size_t k = 0; k < shots && !status; k++) {
        const bool last = k == shots - 1;
        const size_t row = source->first + (last ? rows - 1 : k * (rows - 1) / (shots - 1));
        status = add_snapshot(chart, result, plane, row, (int)(256 * (k + 1) / shots), k == 0 || last, x);
    }
    phx_free(x);
    return status;
}

/* Draws snapshots of the bodies in a plane; fails for tables and results without outlines. */
phx_status phx_plot_motion(phx_context *context, const char *path, const char *picture_path,
                           const phx_plot_options *options)
{
    phx_result_picture picture;
    phx_status status = phx_result_picture_open(context, path, options, &picture);
    if (status)
        return status;
    if (!picture.source.result || picture.source.rows == 0 || !has_drawing(picture.source.result))
        status = phx_fail(context, PHX_ERR_FILE, "%s: it has no %s to draw", path,
                          !picture.source.result     ? "motion (csv has columns only; give the HDF5 result)"
                          : picture.source.rows == 0 ? "rows"
                                                     : "shapes of bodies");
    if (!status && options->plane != PHX_PLANE_XY && phx_result_dimension(picture.source.result) == 2)
        status = phx_fail(context, PHX_ERR_INPUT, "%s: its motion is in the x-y plane; there is no z to draw", path);
    if (!status)
        status = motion_draw(&picture.source, options->plane, &picture.chart);
    if (!status)
        status = phx_chart_write(&picture.chart, picture_path);
    phx_result_picture_close(&picture);
    return status;
}
