/* Loads over time, bodies along a sweep, and how it opens, for a page. */
#include "page_parts.h"

#include <string.h>

enum { MOST_VALUES = 1 << 25 }; /* of all points of a sweep */

phx_status phx_page_loads(phx_context *context, const phx_model *model, phx_report_load **loads)
{
    *loads = phx_calloc(context, (size_t)model->n_loads, sizeof **loads);
    if (!*loads)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < model->n_loads; k++) {
        const phx_model_load *load = &model->loads[k];
        (*loads)[k] = (phx_report_load){.follows = load->on >= 0 || load->frame == PHX_MODEL_BODY_FRAME,
                                        .n_components = load->n_components,
                                        .component = {load->component[0], load->component[1], load->component[2]}};
    }
    return PHX_OK;
}

/* ---- points of a sweep ---- */
static phx_status set_point(phx_context *context, phx_model *model, const phx_modes_table *table, int point,
                            phx_model_override *overrides)
{
    const size_t first = (size_t)point * (size_t)table->n_parameters;

    for (int k = 0; k < table->n_parameters; k++)
        overrides[k] = (phx_model_override){.name = table->parameters[k], .value = table->values[first + (size_t)k]};
    return phx_model_set_parameters(context, model, table->n_parameters, overrides);
}

static phx_status draw_point(phx_context *context, const phx_model *model, phx_beam_cache *cache, phx_drawing *drawing)
{
    const phx_build_options build = {.cache = cache, .without_outputs = true};
    phx_system *system = NULL;
    phx_status status = phx_model_build(context, model, &build, &system);

    if (!status)
        status = phx_drawing_create(context, model, system, drawing);
    phx_system_destroy(system);
    return status;
}

/* Whether the states of the table belong to these bodies, which then get the names of the table: the names of the model
 * are only valid until its parameters change. */
static bool page_parts_fits(const phx_modes_table *table, phx_drawing *drawing)
{
    bool same = drawing->n_bodies == table->n_bodies;

    for (int b = 0; b < drawing->n_bodies && same; b++) {
        phx_record_body *body = &drawing->bodies[b];
        same = body->x_start == table->bodies[b].x_start && body->x_count == table->bodies[b].x_count &&
               !strcmp(body->name, table->bodies[b].name);
        body->name = table->bodies[b].name;
    }
    return same;
}

static size_t values_of(const phx_modes_table *table, const phx_drawing *drawing)
{
    const size_t dim = (size_t)table->dimension;
    size_t values = (size_t)drawing->scene.n_port_shapes + (size_t)drawing->scene.n_maps +
                    4 * (size_t)drawing->scene.n_visual_nodes + (size_t)drawing->scene.n_visual_triangle_nodes / 2;

    for (int b = 0; b < drawing->n_bodies; b++)
        values += (size_t)drawing->bodies[b].n_points * dim * (size_t)(1 + drawing->bodies[b].v_count);
    return values;
}

/* Draws the bodies at the points of a sweep of modes for a page. No point is kept if the values exceed the bound
 * MOST_VALUES. */
static phx_status draw_points(phx_context *context, phx_model *model, const phx_modes_table *table,
                              phx_model_override *overrides, phx_beam_cache *cache, phx_page_points *points)
{
    size_t values = 0;
    phx_status status = PHX_OK;

    for (int p = 0; p < table->n_points && !status && values < MOST_VALUES; p++) {
        phx_drawing *drawing = &points->drawings[p];
        status = set_point(context, model, table, p, overrides);
        if (!status)
            status = draw_point(context, model, cache, drawing);
        if (!status && page_parts_fits(table, drawing))
            points->points[p] = (phx_report_bodies){.bodies = drawing->bodies, .scene = &drawing->scene};
        values += values_of(table, drawing);
        if (!status)
            status = phx_progress(context, "points of the sweep", p, table->n_points);
    }
    points->n = values < MOST_VALUES ? table->n_points : 0;
    return status;
}

/* Creates the drawings of all points of a sweep of modes. Empty if the table has no parameters, no states or bodies of
 * every point, or a single point. */
phx_status phx_page_points_create(phx_context *context, const phx_model *model, const phx_modes_table *table,
                                  phx_page_points *points)
{
    const size_t n = (size_t)table->n_points;

    *points = (phx_page_points){0};
    if (table->n_parameters == 0 || table->n_states != table->n_points || table->n_points < 2 || table->n_bodies == 0)
        return PHX_OK;
    phx_model_override *overrides = phx_calloc(context, (size_t)table->n_parameters, sizeof *overrides);
    phx_beam_cache *cache = NULL;
    phx_model *copy = NULL;
    points->drawings = phx_calloc(context, n, sizeof *points->drawings);
    points->points = phx_calloc(context, n, sizeof *points->points);
    phx_status status =
        overrides && points->drawings && points->points ? phx_beam_cache_create(context, &cache) : PHX_ERR_MEMORY;
    if (!status) {
        points->n_drawings = table->n_points;
        status = phx_model_copy(context, model, &copy);
    }
    if (!status)
        status = draw_points(context, copy, table, overrides, cache, points);
    phx_model_destroy(copy);
    phx_beam_cache_destroy(cache);
    phx_free(overrides);
    return status;
}

void phx_page_points_free(phx_page_points *points)
{
    for (int p = 0; p < points->n_drawings; p++)
        phx_drawing_free(&points->drawings[p]);
    phx_free(points->drawings);
    phx_free(points->points);
    *points = (phx_page_points){0};
}

/* Borrows the texts of the model; only the list of trails is new. */
phx_status phx_page_opening(phx_context *context, const phx_model *model, phx_report_opening *opening)
{
    const phx_model_page *page = &model->page;

    *opening = (phx_report_opening){0};
    if (!page->given)
        return PHX_OK;
    const char **trails = phx_calloc(context, (size_t)page->n_trails + 1, sizeof *trails);
    if (!trails)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < page->n_trails; k++)
        trails[k] = page->trails[k].text;
    *opening = (phx_report_opening){.magnification = page->magnification,
                                    .colour = page->colour,
                                    .n_plots = page->n_plots,
                                    .plots = (const char *const *)page->plots,
                                    .n_trails = page->n_trails,
                                    .trails = trails};
    memcpy(opening->camera, page->camera, sizeof opening->camera);
    return PHX_OK;
}
