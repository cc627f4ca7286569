/* A beam in its basis, in a file: what the beam is made of, and the basis. The beam is made again from it, to answer
 * for points and sections along its length; the matrices of the file are those of its basis. */
#include "reduced.h"

#include <math.h>
#include <string.h>

static const char group[] = "/beam", sections[] = "/beam/section_inertia", stations[] = "/beam/stations";

/* The numbers of a definition, as they stand in the file; torsion 0: it does not twist. */
enum { NUMBERS = 7, CHOICES = 6, MASS_NUMBERS = 11, STATION_NUMBERS = sizeof(phx_beam_station) / sizeof(double) };
static void numbers_of(const phx_beam_def *def, double numbers[NUMBERS])
{
    const double all[NUMBERS] = {def->length,
                                 def->mass_per_length,
                                 def->axial_stiffness,
                                 def->bending_stiffness[0],
                                 def->bending_stiffness[1],
                                 isinf(def->torsion_stiffness) ? 0.0 : def->torsion_stiffness,
                                 def->polar_inertia};
    memcpy(numbers, all, sizeof all);
}

static const char *const choice_names[CHOICES] = {"elements", "order", "element", "reference", "stiffening", "modes"};

/* ---- writing ---- */
static phx_status put_masses(phx_h5 *file, const phx_beam_def *def)
{
    double *rows = phx_calloc(phx_h5_context(file), (size_t)def->n_masses * MASS_NUMBERS + 1, sizeof *rows);

    if (!rows)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < def->n_masses; k++) {
        double *row = rows + (size_t)k * MASS_NUMBERS;
        row[0] = def->masses[k].at;
        row[1] = def->masses[k].mass;
        memcpy(row + 2, def->masses[k].inertia, sizeof def->masses[k].inertia);
    }
    reduced_put_matrix(file, "/beam/masses", def->n_masses, MASS_NUMBERS, rows,
                       "point masses: fraction of the length, mass, inertia about the section's centre", "SI");
    phx_free(rows);
    return PHX_OK;
}

/* Those of a station as in phx_beam_station. */
static phx_status put_stations(phx_h5 *file, const phx_beam_def *def)
{
    const size_t n = (size_t)def->n_stations;
    phx_beam_station *rows = phx_calloc(phx_h5_context(file), n + 1, sizeof *rows);

    if (!rows)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < n; k++) {
        rows[k] = def->stations[k];
        rows[k].torsion_stiffness = isinf(rows[k].torsion_stiffness) ? 0.0 : rows[k].torsion_stiffness;
    }
    reduced_put_matrix(file, stations, def->n_stations, STATION_NUMBERS, (const double *)(const void *)rows,
                       "sections along the beam, linear between: fraction of the length; mass per length, E A, bending "
                       "stiffness, G J, polar inertia as in numbers; inertia of the section about y and z",
                       "SI");
    phx_free(rows);
    return PHX_OK;
}

/* Writes the definition of a beam, its section and its basis to the group /beam of a file. */
phx_status reduced_put_beam(phx_h5 *file, const phx_flex_source *source, const double *section)
{
    const phx_beam_def *def = phx_beam_definition(source);
    const int choices[CHOICES] = {def->elements,       def->order,      (int)def->element,
                                  (int)def->reference, def->stiffening, def->modes};
    double numbers[NUMBERS], *T = NULL;
    int n = 0;
    phx_status status = phx_beam_columns(phx_h5_context(file), source, &n, &T);

    phx_h5_make_group(file, group);
    phx_h5_set_integer(file, group, "dimension", def->dim);
    for (int k = 0; k < CHOICES; k++)
        phx_h5_set_integer(file, group, choice_names[k], choices[k]);
    numbers_of(def, numbers);
    reduced_put_matrix(
        file, "/beam/numbers", 1, NUMBERS, numbers,
        "length, mass per length, E A, bending stiffness (plane: EI, 0; space: EIy, EIz), G J (0: it does "
        "not twist), polar inertia per length",
        "SI");
    if (section)
        reduced_put_matrix(
            file, "/beam/section", 1, PHX_REDUCED_SECTION, section,
            "kind (0 circle, 1 tube, 2 rectangle, 3 general), diameter, outer and inner diameter, width, "
            "height, area, Iy, Iz, torsion constant, extreme fibres along y and z",
            "SI");
    if (!status && def->n_masses > 0)
        status = put_masses(file, def);
    if (!status && def->n_stations > 0)
        status = put_stations(file, def);
    if (!status && def->section_inertia[0] + def->section_inertia[1] > 0.0)
        reduced_put_matrix(file, sections, 1, 2, def->section_inertia, "inertia of sections per length about y and z",
                           "kg m");
    if (!status)
        reduced_put_matrix(file, "/beam/T", n, source->flex.n, T, "basis: coordinates of the beam by those of the body",
                           "kg^-1/2");
    phx_free(T);
    return status;
}

/* ---- reading ---- */
phx_status reduced_read_dimension(phx_h5 *file, int *dim)
{
    *dim = 3;
    if (!phx_h5_has(file, group))
        return PHX_OK;
    const phx_status status = phx_h5_get_integer(file, group, "dimension", dim);
    if (status || *dim == 2 || *dim == 3)
        return status;
    const int found = *dim;
    *dim = 3;
    return reduced_wrong(file, group, "has the dimension %d", found);
}

/* Reads the point masses of a beam; def->masses borrows *masses. */
static phx_status read_masses(phx_h5 *file, phx_beam_def *def, phx_beam_mass **masses)
{
    double *rows = NULL;
    phx_status status = PHX_OK;

    if (phx_h5_has(file, "/beam/masses"))
        status = reduced_extent_of(file, "/beam/masses", 0, &def->n_masses);
    if (!status && def->n_masses > 0)
        status = reduced_read_matrix(file, "/beam/masses", def->n_masses, MASS_NUMBERS, &rows);
    *masses = status ? NULL : phx_calloc(phx_h5_context(file), (size_t)def->n_masses + 1, sizeof **masses);
    if (!status && !*masses)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < def->n_masses && !status; k++) {
        const double *row = rows + (size_t)k * MASS_NUMBERS;
        (*masses)[k] = (phx_beam_mass){.at = row[0], .mass = row[1]};
        memcpy((*masses)[k].inertia, row + 2, sizeof(*masses)[k].inertia);
    }
    def->masses = *masses;
    phx_free(rows);
    return status;
}

/* Reads the stations of a beam; def->stations borrows *made. */
static phx_status read_stations(phx_h5 *file, phx_beam_def *def, phx_beam_station **made)
{
    phx_status status = PHX_OK;

    if (!phx_h5_has(file, stations))
        return status;
    status = reduced_extent_of(file, stations, 0, &def->n_stations);
    *made = status ? NULL : phx_calloc(phx_h5_context(file), (size_t)def->n_stations + 1, sizeof **made);
    if (!status)
        status = *made ? reduced_read_into(file, stations, def->n_stations, STATION_NUMBERS, (double *)(void *)*made)
                       : PHX_ERR_MEMORY;
    for (int k = 0; k < def->n_stations && !status; k++)
        if ((*made)[k].torsion_stiffness == 0.0)
            (*made)[k].torsion_stiffness = HUGE_VAL;
    def->stations = *made;
    return status;
}

/* Reads the definition of a beam; the caller checks it by creating the beam. */
static phx_status read_definition(phx_h5 *file, int dim, phx_beam_def *def, phx_beam_mass **masses,
                                  phx_beam_station **made)
{
    int choices[CHOICES] = {0};
    double numbers[NUMBERS];
    phx_status status = reduced_read_into(file, "/beam/numbers", 1, NUMBERS, numbers);

    for (int k = 0; k < CHOICES && !status; k++)
        status = phx_h5_get_integer(file, group, choice_names[k], &choices[k]);
    if (status)
        return status;
    *def = (phx_beam_def){.dim = dim,
                          .length = numbers[0],
                          .mass_per_length = numbers[1],
                          .axial_stiffness = numbers[2],
                          .bending_stiffness = {numbers[3], numbers[4]},
                          .torsion_stiffness = numbers[5] == 0.0 ? HUGE_VAL : numbers[5],
                          .polar_inertia = numbers[6],
                          .elements = choices[0],
                          .order = choices[1],
                          .element = (phx_element_kind)choices[2],
                          .reference = (phx_reference)choices[3],
                          .stiffening = choices[4] != 0,
                          .modes = choices[5]};
    if (phx_h5_has(file, sections))
        status = reduced_read_into(file, sections, 1, 2, def->section_inertia);
    if (!status)
        status = read_masses(file, def, masses);
    return status ? status : read_stations(file, def, made);
}

/* The beam that the file describes; what is wrong with it is of the file. */
static phx_status make_beam(phx_h5 *file, int dim, phx_flex_source **full)
{
    phx_beam_def def = {.dim = dim};
    phx_beam_mass *masses = NULL;
    phx_beam_station *along = NULL;
    phx_status status = read_definition(file, dim, &def, &masses, &along);

    if (!status && def.element != PHX_ELEMENT_ASSUMED && def.modes != 0)
        status = reduced_wrong(file, group, "has %d assumed modes beside elements", def.modes);
    if (!status) {
        status = phx_beam_create(phx_h5_context(file), &def, full);
        if (status == PHX_ERR_ARGUMENT || status == PHX_ERR_UNSUPPORTED)
            status = phx_fail_prefix(phx_h5_context(file), PHX_ERR_FILE, "%s: /beam: ", phx_h5_path(file));
    }
    phx_free(masses);
    phx_free(along);
    return status;
}

/* Numbers of the file are those of the beam in its basis. */
static phx_status beam_compare(phx_h5 *file, const char *path, size_t count, const double *read, const double *made)
{
    double most = 0.0;

    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(made[k]));
    for (size_t k = 0; k < count; k++)
        if (!(fabs(read[k] - made[k]) <= AGREES * most))
            return reduced_wrong(file, path, "is not that of the beam in /beam: number %zu is %.10g instead of %.10g",
                                 k + 1, read[k], made[k]);
    return PHX_OK;
}

/* Fails if the stress rows of the file differ from those of the beam built from its definition. */
static phx_status compare_stresses(phx_h5 *file, const phx_csr *read, const phx_csr *made)
{
    const size_t count = (size_t)read->rows * (size_t)read->cols;
    double *dense = read->rows == made->rows ? phx_calloc(phx_h5_context(file), 2 * count + 1, sizeof *dense) : NULL;
    phx_status status = PHX_OK;

    if (read->rows != made->rows)
        return reduced_wrong(file, "/stress", "has %d rows instead of %d", read->rows, made->rows);
    if (!dense)
        return PHX_ERR_MEMORY;
    phx_csr_to_dense(read, dense);
    phx_csr_to_dense(made, dense + count);
    status = beam_compare(file, "/stress", count, dense, dense + count);
    phx_free(dense);
    return status;
}

/* Each port is a point of the beam. */
static phx_status compare_ports(phx_h5 *file, const reduced_source *source, double length)
{
    const phx_flex *flex = &source->shape.source.flex;
    const size_t n = (size_t)flex->n;
    phx_status status = PHX_OK;

    for (int p = 0; p < source->n_ports && !status; p++) {
        const double *x = source->points[p].x, s = x[0] / length;
        phx_flex_point point = {.n = 0};
        if (!(s > -AGREES && s < 1.0 + AGREES) || x[1] != 0.0 || x[2] != 0.0)
            return reduced_wrong(file, "/ports/position", "of port '%s' is off the beam", source->names[p]);
        status = phx_beam_point(source->beam, phx_h5_context(file), fmin(fmax(s, 0.0), 1.0), &point);
        if (!status && point.n > 0)
            status = beam_compare(file, "/ports/phi", (size_t)flex->dim * n, source->points[p].phi, point.phi);
        if (!status && point.n > 0)
            status = beam_compare(file, "/ports/theta", (size_t)flex->n_rot * n, source->points[p].theta, point.theta);
        phx_flex_point_free(&point);
    }
    return status;
}

/* Answers of the beam; masses may be more than its own. */
static phx_status compare_all(phx_h5 *file, const reduced_source *source)
{
    const phx_flex *read = &source->shape.source.flex, *made = &source->beam->flex;
    const size_t n = (size_t)read->n;
    phx_status status = beam_compare(file, "/K", n * n, read->K, made->K);

    if (!status)
        status = compare_stresses(file, &read->stress, &made->stress);
    if (!status && !read->stiffening != !made->stiffening)
        status = reduced_wrong(file, group, "%s geometric stiffening, the body %s", made->stiffening ? "has" : "has no",
                               read->stiffening ? "does" : "does not");
    return status ? status : compare_ports(file, source, phx_beam_definition(source->beam)->length);
}

/* A point that does not move, as the end that a beam is clamped at, has no coordinates, as in the beam itself. */
static void drop_still_points(reduced_source *source)
{
    const phx_flex *flex = &source->shape.source.flex;

    for (int p = 0; p < source->n_ports; p++) {
        phx_flex_point *point = &source->points[p];
        bool still = true;
        for (int k = 0; k < flex->dim * point->n && still; k++)
            still = point->phi[k] == 0.0;
        for (int k = 0; k < flex->n_rot * point->n && still; k++)
            still = point->theta[k] == 0.0;
        if (still)
            point->n = 0;
    }
}

/* Builds the beam of a file again, projects it on the stored basis and compares all matrices with those of the file. */
phx_status reduced_read_beam(phx_h5 *file, reduced_source *source)
{
    phx_context *context = phx_h5_context(file);
    phx_flex *flex = &source->shape.source.flex;
    phx_flex_source *full = NULL;
    double *T = NULL;
    phx_status status = make_beam(file, flex->dim, &full);

    if (!status)
        status = reduced_read_matrix(file, "/beam/T", full->flex.n, flex->n, &T);
    if (!status)
        status = phx_flex_source_project(context, full, flex->n, T, &source->beam);
    if (!status)
        status = compare_all(file, source);
    if (!status && flex->stiffening && source->beam->flex.stiffening->stressed)
        status = phx_stiffening_copy(context, source->beam->flex.stiffening->stressed, &flex->stiffening->stressed);
    if (!status && phx_h5_has(file, "/beam/section"))
        status = reduced_read_matrix(file, "/beam/section", 1, PHX_REDUCED_SECTION, &source->section);
    if (!status)
        drop_still_points(source);
    phx_flex_source_destroy(full); /* the basis keeps a share */
    phx_free(T);
    return status;
}
