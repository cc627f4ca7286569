/* Sources of deformation: their owners, and what they answer for. */
#include "source.h"

#include <stdint.h>
#include <string.h>

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

unsigned phx_flex_source_sorts(const phx_flex_source *source)
{
    return source->operations->sorts;
}

bool phx_flex_source_offers(const phx_flex_source *source, phx_location_sort sort)
{
    return (source->operations->sorts & phx_location_bit(sort)) != 0;
}

bool phx_flex_source_has_sections(const phx_flex_source *source)
{
    return source->operations->section_rows != NULL;
}

static phx_status check_location(const phx_flex_source *source, phx_context *context, const phx_location *location)
{
    const char *name = source->operations->name;
    if (!phx_flex_source_offers(source, location->sort))
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: its points are given by: %s; not by: %s", name,
                        phx_location_sorts_text(source->operations->sorts).text,
                        phx_location_sorts_text(phx_location_bit(location->sort)).text);
    if (location->sort == PHX_LOCATION_NAME && !location->name)
        return phx_fail_null(context, __func__, "the name of a location");
    if (location->sort == PHX_LOCATION_FRACTION && !(location->fraction >= 0.0 && location->fraction <= 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: the point at %g lies off the %s, must be in [0, 1]", name,
                        location->fraction, name);
    return PHX_OK;
}

/* Whether coordinate number k of a point does not move it. */
static bool is_zero_column(const phx_flex_source *source, const phx_flex_point *point, int k)
{
    for (int a = 0; a < source->flex.dim; a++)
        if (point->phi[a * point->n + k] != 0.0)
            return false;
    return true;
}

static void find_zero_columns(const phx_flex_source *source, phx_flex_point *point)
{
    int *zero = point->zero_columns;

    zero[0] = zero[1] = 0;
    while (zero[0] < point->n && is_zero_column(source, point, zero[0]))
        zero[0]++;
    while (zero[1] < point->n - zero[0] && is_zero_column(source, point, point->n - 1 - zero[1]))
        zero[1]++;
}

phx_status phx_flex_source_point(const phx_flex_source *source, phx_context *context, const phx_location *location,
                                 phx_flex_point *point)
{
    if (!source || !location || !point)
        return phx_fail_null(context, __func__, "source, location or point");
    phx_status status = check_location(source, context, location);
    if (!status)
        status = source->operations->point(source, context, location, point);
    if (!status)
        find_zero_columns(source, point);
    return status;
}

static phx_status check_sections(const phx_flex_source *source, phx_context *context)
{
    return phx_flex_source_has_sections(source)
               ? PHX_OK
               : phx_fail(context, PHX_ERR_ARGUMENT, "%s: it has no sections", source->operations->name);
}

phx_status phx_flex_source_section_rows(const phx_flex_source *source, phx_context *context,
                                        const phx_location *location, double *axial, double *moment, double *torsion)
{
    if (!source || !location)
        return phx_fail_null(context, __func__, "source or location");
    phx_status status = check_sections(source, context);
    if (!status)
        status = check_location(source, context, location);
    if (!status)
        source->operations->section_rows(source, location, axial, moment, torsion);
    return status;
}

phx_status phx_flex_source_quadrature(const phx_flex_source *source, phx_context *context, int *count, const double **s,
                                      const double **weight)
{
    if (!source || !count || !s || !weight)
        return phx_fail_null(context, __func__, "source, count, s or weight");
    const phx_status status = check_sections(source, context);
    if (!status)
        source->operations->quadrature(source, count, s, weight);
    return status;
}

int phx_flex_source_cubic_pieces(const phx_flex_source *source)
{
    return source->operations->cubic_pieces ? source->operations->cubic_pieces(source) : 0;
}

phx_status phx_beam_point(const phx_beam *beam, phx_context *context, double s, phx_flex_point *point)
{
    const phx_location location = phx_location_at_fraction(s);
    if (!beam || !point)
        return phx_fail_null(context, __func__, "beam or point");
    return phx_flex_source_point(beam, context, &location, point);
}

void phx_beam_stress_rows(const phx_beam *beam, double s, double *axial, double *moment, double *torsion)
{
    const phx_location location = phx_location_at_fraction(s);
    beam->operations->section_rows(beam, &location, axial, moment, torsion);
}

void phx_beam_quadrature(const phx_beam *beam, int *count, const double **s, const double **weight)
{
    beam->operations->quadrature(beam, count, s, weight);
}

/* Composite Gauss rule along a beam: points as fractions of the length, weights in m; both arrays are allocated. */
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

/* ---- what a beam is made of ---- */
static const phx_flex_source *source_beam_of(const phx_flex_source *source)
{
    return source->operations->beam ? source->operations->beam(source) : source;
}

const phx_beam_def *phx_beam_definition(const phx_flex_source *source)
{
    const phx_flex_source *beam = source ? source_beam_of(source) : NULL;
    const phx_projected_source *basis = beam ? phx_projected_of(beam) : NULL;
    const phx_flex_source *full = basis ? basis->full : beam;

    return full && full->operations->definition ? full->operations->definition(full) : NULL;
}

/* Matrix from the coordinates of a beam source to those of its full beam, the identity if it has no basis; allocated
 * for the caller. */
phx_status phx_beam_columns(phx_context *context, const phx_flex_source *source, int *n, double **T)
{
    if (!source || !n || !T)
        return phx_fail_null(context, __func__, "source, n or T");
    if (!phx_beam_definition(source))
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: it is no beam", source->operations->name);
    const phx_projected_source *basis = phx_projected_of(source_beam_of(source));
    const size_t k = (size_t)source->flex.n, rows = basis ? (size_t)basis->full->flex.n : k;

    *n = (int)rows;
    *T = phx_calloc(context, rows * k + 1, sizeof **T);
    if (!*T)
        return PHX_ERR_MEMORY;
    if (basis && k > 0)
        memcpy(*T, basis->T, rows * k * sizeof **T);
    for (size_t i = 0; i < k && !basis; i++)
        (*T)[i * (k + 1)] = 1.0;
    return PHX_OK;
}

/* Copies the definition of a full beam with its masses and stations; properties of the basis are reset. */
phx_status phx_beam_def_copy(phx_context *context, const phx_beam_def *def, phx_beam_def *copy)
{
    phx_beam_mass *masses = phx_calloc(context, (size_t)def->n_masses + 1, sizeof *masses);
    phx_beam_station *stations = phx_calloc(context, (size_t)def->n_stations + 1, sizeof *stations);

    *copy = *def;
    copy->pulled = copy->interfaces = NULL;
    copy->n_pulled = copy->n_interfaces = copy->among = copy->moments = 0;
    copy->basis = PHX_BEAM_BASIS_MODES;
    copy->masses = masses;
    copy->stations = stations;
    if (def->element != PHX_ELEMENT_ASSUMED)
        copy->modes = 0;
    for (int k = 0; k < def->n_masses && masses; k++)
        masses[k] = def->masses[k];
    for (int k = 0; k < def->n_stations && stations; k++)
        stations[k] = def->stations[k];
    return masses && stations ? PHX_OK : PHX_ERR_MEMORY;
}

static double source_between(double from, double to, double part)
{
    return (1.0 - part) * from + part * to; /* infinite where both are */
}

/* Linear between the stations before and behind s. */
phx_beam_def phx_beam_def_at(const phx_beam_def *def, double s)
{
    phx_beam_def here = *def;
    double part = 0.0;

    if (def->n_stations == 0)
        return here;
    const int k = phx_station_before(def->n_stations, def->stations, sizeof *def->stations, s, &part);
    const phx_beam_station *a = &def->stations[k], *b = a + 1;
    here.mass_per_length = source_between(a->mass_per_length, b->mass_per_length, part);
    here.axial_stiffness = source_between(a->axial_stiffness, b->axial_stiffness, part);
    here.torsion_stiffness = source_between(a->torsion_stiffness, b->torsion_stiffness, part);
    here.polar_inertia = source_between(a->polar_inertia, b->polar_inertia, part);
    for (int i = 0; i < 2; i++) {
        here.bending_stiffness[i] = source_between(a->bending_stiffness[i], b->bending_stiffness[i], part);
        here.section_inertia[i] = source_between(a->section_inertia[i], b->section_inertia[i], part);
    }
    return here;
}

void phx_beam_def_free(phx_beam_def *def)
{
    phx_free((void *)(uintptr_t)def->masses);
    phx_free((void *)(uintptr_t)def->stations);
    def->masses = NULL;
    def->stations = NULL;
}
