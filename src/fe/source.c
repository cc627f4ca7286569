/* Sources of deformation: their owners, and the questions that only those along a line answer. */
#include "source.h"

#include "element.h"

phx_flex_source *phx_flex_source_share(phx_flex_source *source)
{
    if (source)
        source->shares++;
    return source;
}

void phx_flex_source_destroy(phx_flex_source *source)
{
    if (!source || source->shares-- > 0)
        return;
    phx_flex_free(&source->flex);
    source->operations->destroy(source);
}

const phx_flex *phx_flex_source_flex(const phx_flex_source *source)
{
    return &source->flex;
}

const char *phx_flex_source_kind(const phx_flex_source *source)
{
    return source->operations->name;
}

bool phx_flex_source_is_line(const phx_flex_source *source)
{
    return source->operations->point != NULL;
}

phx_status phx_beam_point(const phx_beam *beam, phx_context *context, double s, phx_flex_point *point)
{
    if (!beam || !point)
        return phx_fail_null(context, __func__, "beam or point");
    if (!phx_flex_source_is_line(beam))
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: it has no point at a fraction of a length",
                        beam->operations->name);
    if (!(s >= 0.0 && s <= 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "beam: the point at %g lies off the beam, must be in [0, 1]", s);
    return beam->operations->point(beam, context, s, point);
}

void phx_beam_stress_rows(const phx_beam *beam, double s, double *axial, double *moment, double *torsion)
{
    beam->operations->stress_rows(beam, s, axial, moment, torsion);
}

void phx_beam_quadrature(const phx_beam *beam, int *count, const double **s, const double **weight)
{
    beam->operations->quadrature(beam, count, s, weight);
}

phx_status phx_panel_quadrature(phx_context *context, double length, int panels, int points, int *count, double **s,
                                double **weight)
{
    double xi[PHX_GAUSS_MAX], w[PHX_GAUSS_MAX];
    *count = panels * points;
    *s = phx_calloc(context, (size_t)*count, sizeof **s);
    *weight = phx_calloc(context, (size_t)*count, sizeof **weight);
    if (!*s || !*weight)
        return PHX_ERR_MEMORY;
    phx_gauss(points, xi, w);
    for (int k = 0; k < *count; k++) {
        (*s)[k] = (k / points + xi[k % points]) / panels;
        (*weight)[k] = length / panels * w[k % points];
    }
    return PHX_OK;
}
