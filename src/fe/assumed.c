/* The beam of assumed modes ([2] (13)): analytic shapes of a beam clamped at x = 0 and free at x = L. With xi = x/L,
 *
 *   bending          phi_k = cosh l xi - cos l xi - s (sinh l xi - sin l xi),   cos l cosh l = -1
 *   axial, torsion   phi_k = sqrt(2) sin((k - 1/2) pi xi)
 *
 * divided by the root of the mass (or polar inertia) of the beam, so that int rho phi_i phi_k = delta_ik and, without
 * point masses, M = I and K = diag(omega_k^2). Stress space: the strains phi_k^(d) themselves, sigma = stiffness q. */
#include <math.h>

#include "point_inertia.h"
#include "line_mesh.h"
#include "source.h"

enum { PANELS_PER_MODE = 2, PANEL_POINTS = PHX_GAUSS_MAX };

typedef struct assumed_beam {
    phx_flex_source source;
    phx_beam_def def;
    int modes; /* of each field */
    int n_fields;
    phx_field field[PHX_FIELD_MAX];
    double factor[PHX_FIELD_MAX]; /* 1/sqrt(mass of the field) */
    double length;
    double *lambda; /* modes: l of bending */
    int n_quadrature;
    double *s, *weight;
} assumed_beam;

static const double pi = 3.14159265358979323846;

static const assumed_beam *assumed_beam_of(const phx_flex_source *source)
{
    return (const assumed_beam *)source;
}

/* Root number k (from 0) of cos l + 1/cosh l = 0, by Newton from (k + 1/2) pi. */
static double bending_root(int k)
{
    static const double SETTLED = 1e-16; /* last correction, relative */
    double l = k == 0 ? 1.8751 : (k + 0.5) * pi;
    for (int iteration = 0; iteration < 50; iteration++) {
        const double sech = 1.0 / cosh(l);
        const double step = (cos(l) + sech) / (-sin(l) - sech * tanh(l));
        l -= step;
        if (fabs(step) <= SETTLED * l)
            break;
    }
    return l;
}

/* Derivative of a bending shape with respect to xi, without the cancellation of cosh - s sinh:
 *
 *   cosh z - s sinh z = a e^(z-l) + (1 - a e^-l) e^-z,   s = 1 - 2 a e^-l,
 *   a = (sin l - cos l - e^-l)/(1 - e^-2l + 2 e^-l sin l) */
static double bending_shape(double l, double xi, int derivative)
{
    const double e = exp(-l), z = l * xi;
    /* theory 12: cosh - sigma sinh = a e^(lambda (xi - 1)) + (1 - a e^-lambda) e^(-lambda xi), without cancellation */
    const double a = (sin(l) - cos(l) - e) / (1.0 - e * e + 2.0 * e * sin(l));
    const double s = 1.0 - 2.0 * a * e;
    const double rising = a * exp(z - l), falling = (1.0 - a * e) * exp(-z);
    switch (derivative) {
    case 0:
        return rising + falling - cos(z) + s * sin(z);
    case 1:
        return l * (rising - falling + sin(z) + s * cos(z));
    default:
        return l * l * (rising + falling + cos(z) - s * sin(z));
    }
}

/* d^derivative/dx^derivative of function k of a field at the fraction xi. */
static double shape(const assumed_beam *beam, int f, int k, double xi, int derivative)
{
    double value;
    if (beam->field[f].role == PHX_ROLE_BENDING) {
        value = bending_shape(beam->lambda[k], xi, derivative);
    } else {
        const double l = (k + 0.5) * pi;
        value = sqrt(2.0) * (derivative == 0 ? sin(l * xi) : l * cos(l * xi));
    }
    return beam->factor[f] * value * pow(beam->length, -derivative);
}

/* Order of the derivative that is the strain. */
static int strain_derivative(const phx_field *field)
{
    return field->role == PHX_ROLE_BENDING ? 2 : 1;
}

/* Shape functions of all assumed modes at a fraction of the length; none at the clamped end, which does not move. */
static phx_status assumed_point(const phx_flex_source *source, phx_context *context, const phx_location *location,
                                phx_flex_point *point)
{
    const assumed_beam *beam = assumed_beam_of(source);
    const double s = phx_beam_fraction(location);
    const int n = s > 0.0 ? source->flex.n : 0; /* the clamped end does not move */
    phx_status status = phx_flex_point_allocate(context, source->flex.dim, n, point);
    if (status != PHX_OK)
        return status;
    point->x[0] = s * beam->length;
    for (int i = 0; i < n; i++) {
        const int f = i / beam->modes, k = i % beam->modes;
        const phx_field *field = &beam->field[f];
        if (field->translation >= 0)
            point->phi[field->translation * n + i] = shape(beam, f, k, s, 0);
        if (field->rotation >= 0)
            point->theta[field->rotation * n + i] =
                field->rotation_sign * shape(beam, f, k, s, field->rotation_derivative);
    }
    return PHX_OK;
}

/* Rows of axial force, bending moments and torsional moment at a section over the modal stresses; NULL rows are
 * skipped. */
static void assumed_section_rows(const phx_flex_source *source, const phx_location *location, double *axial,
                                 double *moment, double *torsion)
{
    const assumed_beam *beam = assumed_beam_of(source);
    const double s = phx_beam_fraction(location);
    const int n = source->flex.n, dim = source->flex.dim;
    for (int i = 0; i < n; i++) {
        const int f = i / beam->modes;
        const phx_field *field = &beam->field[f];
        const double value = shape(beam, f, i % beam->modes, s, strain_derivative(field));
        const int plane = dim == 3 && field->translation == 1 ? 1 : 0; /* m_y = EIy w'', m_z = EIz v'' */
        if (axial)
            axial[i] = field->role == PHX_ROLE_AXIAL ? value : 0.0;
        for (int m = 0; moment && m < dim - 1; m++)
            moment[m * n + i] = field->role == PHX_ROLE_BENDING && m == plane ? value : 0.0;
        if (torsion)
            torsion[i] = field->role == PHX_ROLE_TORSION ? value : 0.0;
    }
}

static void assumed_quadrature(const phx_flex_source *source, int *count, const double **s, const double **weight)
{
    const assumed_beam *beam = assumed_beam_of(source);
    *count = beam->n_quadrature;
    *s = beam->s;
    *weight = beam->weight;
}

static void assumed_destroy(phx_flex_source *source)
{
    assumed_beam *beam = (assumed_beam *)source;
    phx_free(beam->lambda);
    phx_free(beam->s);
    phx_free(beam->weight);
    phx_beam_def_free(&beam->def);
    phx_free(beam);
}

static const phx_beam_def *assumed_definition(const phx_flex_source *source)
{
    return &assumed_beam_of(source)->def;
}

static const phx_source_operations operations = {.name = "beam",
                                                 .destroy = assumed_destroy,
                                                 .sorts = PHX_BEAM_SORTS,
                                                 .point = assumed_point,
                                                 .section_rows = assumed_section_rows,
                                                 .quadrature = assumed_quadrature,
                                                 .definition = assumed_definition};

/* A mass at a fraction of the length: into the vectors and into the block. */
static phx_status assumed_add_mass(phx_context *context, assumed_beam *beam, double s, double mass,
                                   const double *inertia, phx_point_inertia_block *block)
{
    phx_flex *flex = &beam->source.flex;
    const phx_location location = phx_location_at_fraction(s);
    phx_flex_point point;
    phx_status status = assumed_point(&beam->source, context, &location, &point);
    if (status != PHX_OK)
        return status;
    phx_point_inertia at = {.x = {point.x[0]},
                            .mass = mass,
                            .n = point.n,
                            .stride = point.n,
                            .dof = point.dof,
                            .phi = point.phi,
                            .theta = point.theta};
    phx_point_inertia_set_tensor(flex->n_rot, inertia, &at);
    phx_point_inertia_add_vectors(&at, flex);
    phx_point_inertia_add_matrices(flex->dim, &at, block);
    phx_flex_point_free(&point);
    return PHX_OK;
}

/* All integrals of the masses. Two shapes of the highest number make one period on two panels, which eight points
 * integrate to 1e-14. */
static phx_status assemble_masses(phx_context *context, const phx_beam_def *def, assumed_beam *beam)
{
    phx_flex *flex = &beam->source.flex;
    phx_point_inertia_block block = {.n = 0};
    int *dof = phx_calloc(context, (size_t)flex->n, sizeof *dof);
    phx_status status = dof ? phx_point_inertia_block_create(context, flex->dim, flex->n, &block) : PHX_ERR_MEMORY;
    for (int k = 0; k < beam->n_quadrature && status == PHX_OK; k++) {
        const double inertia[9] = {flex->dim == 3 ? def->polar_inertia * beam->weight[k] : 0.0};
        status = assumed_add_mass(context, beam, beam->s[k], def->mass_per_length * beam->weight[k], inertia, &block);
    }
    for (int k = 0; k < def->n_masses && status == PHX_OK; k++)
        status =
            assumed_add_mass(context, beam, def->masses[k].at, def->masses[k].mass, def->masses[k].inertia, &block);
    if (status == PHX_OK) {
        for (int i = 0; i < flex->n; i++)
            dof[i] = i;
        phx_point_inertia_scatter(&block, dof, flex);
    }
    phx_point_inertia_block_free(&block);
    phx_free(dof);
    return status;
}

/* K = diag(stiffness int (phi^(d))^2), with int over xi of the squared strain l^(2d); B = K^(1/2), sigma = stiffness q.
 */
static phx_status assemble_stiffness(phx_context *context, assumed_beam *beam)
{
    phx_flex *flex = &beam->source.flex;
    const int n = flex->n;
    int *each = phx_calloc(context, (size_t)n, sizeof *each);
    double *value = phx_calloc(context, 4 * (size_t)n, sizeof *value);
    phx_status status = each && value ? PHX_OK : PHX_ERR_MEMORY;
    for (int i = 0; i < n && status == PHX_OK; i++) {
        const int f = i / beam->modes, k = i % beam->modes;
        const phx_field *field = &beam->field[f];
        const double l = field->role == PHX_ROLE_BENDING ? beam->lambda[k] : (k + 0.5) * pi;
        const double root =
            beam->factor[f] * sqrt(field->stiffness * beam->length) * pow(l / beam->length, strain_derivative(field));
        each[i] = i;
        value[i] = field->stiffness;
        value[n + i] = root;
        value[2 * n + i] = root / field->stiffness * (root / field->stiffness);
        value[3 * n + i] = root * root / field->stiffness;
        flex->K[phx_flex_entry(flex, i, i)] = root * root;
    }
    flex->n_stress = n;
    phx_csr *const diagonal[] = {&flex->stress, &flex->root, &flex->compliance, &flex->strain};
    for (int k = 0; k < 4 && status == PHX_OK; k++)
        status = phx_csr_from_triplets(context, n, n, (size_t)n, each, each, value + k * n, diagonal[k]);
    phx_free(each);
    phx_free(value);
    return status;
}

/* Creates the beam of assumed modes ([2] (13), theory 12) with its integrals by Gauss points; *beam is set on success
 * only. */
phx_status phx_assumed_beam_create(phx_context *context, const phx_beam_def *def, phx_beam **beam)
{
    assumed_beam *made = phx_calloc(context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    phx_flex *flex = &made->source.flex;
    made->source.operations = &operations;
    made->modes = def->modes;
    made->length = def->length;
    made->n_fields = phx_beam_fields(def, made->field);
    for (int f = 0; f < made->n_fields; f++)
        made->factor[f] =
            1.0 /
            sqrt((made->field[f].role == PHX_ROLE_TORSION ? def->polar_inertia : def->mass_per_length) * def->length);
    flex->dim = def->dim;
    flex->n = made->n_fields * def->modes;
    made->lambda = phx_calloc(context, (size_t)def->modes, sizeof *made->lambda);
    phx_status status = phx_beam_def_copy(context, def, &made->def);
    if (status == PHX_OK)
        status = made->lambda ? phx_flex_allocate(context, true, flex) : PHX_ERR_MEMORY;
    if (status == PHX_OK)
        status = phx_panel_quadrature(context, def->length, PANELS_PER_MODE * def->modes + 1, PANEL_POINTS,
                                      &made->n_quadrature, &made->s, &made->weight);
    for (int k = 0; k < def->modes && status == PHX_OK; k++)
        made->lambda[k] = bending_root(k);
    if (status == PHX_OK)
        status = assemble_masses(context, def, made);
    if (status == PHX_OK)
        status = assemble_stiffness(context, made);
    if (status == PHX_OK)
        status = phx_flex_make_compact(context, flex);
    if (status != PHX_OK)
        phx_flex_source_destroy(&made->source);
    else
        *beam = &made->source;
    return status;
}
