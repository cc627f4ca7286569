/* The beam: its definition checked, its deformation built, its points and stresses. */
#include "mesh.h"

#include <math.h>

struct phx_beam {
    int shares; /* owners beside the first */
    phx_mesh mesh;
    phx_reference_basis basis;
    phx_flex flex;
    int n_quadrature;
    double *s, *weight;
};

enum { ELEMENTS_MAX = 1000000, LOAD_POINTS = 6 };

phx_beam_def phx_beam_def_default(void)
{
    return (phx_beam_def){
        .dim = 2, .elements = 4, .order = 3, .element = PHX_ELEMENT_MIXED, .reference = PHX_REFERENCE_CANTILEVER};
}

static phx_status check_positive(phx_context *context, const char *name, double value)
{
    if (value > 0.0 && isfinite(value))
        return PHX_OK;
    return phx_fail(context, PHX_ERR_ARGUMENT, "beam: %s is %g, must be finite and > 0", name, value);
}

static phx_status check_choice(phx_context *context, const char *name, int value, int from, int to)
{
    if (value >= from && value <= to)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_ARGUMENT, "beam: %s is %d, must be between %d and %d", name, value, from, to);
}

/* A symmetric positive semidefinite 3x3 matrix, to rounding: its principal minors are not negative. */
static bool is_inertia(const double a[9])
{
    double scale = 0.0;
    for (int k = 0; k < 9; k++) {
        if (!isfinite(a[k]))
            return false;
        scale = fmax(scale, fabs(a[k]));
    }
    const double tol = 1e-12 * scale;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        if (a[4 * i] < 0.0 || fabs(a[3 * i + j] - a[3 * j + i]) > tol)
            return false;
        if (a[4 * i] * a[4 * j] - a[3 * i + j] * a[3 * j + i] < -tol * scale)
            return false;
    }
    const double det =
        a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
    return det >= -tol * scale * scale;
}

static phx_status check_masses(phx_context *context, const phx_beam_def *def)
{
    if (def->n_masses < 0 || (def->n_masses > 0 && !def->masses))
        return phx_fail(context, PHX_ERR_ARGUMENT, "beam: n_masses is %d, must be the number of entries of masses",
                        def->n_masses);
    for (int k = 0; k < def->n_masses; k++) {
        const phx_beam_mass *mass = &def->masses[k];
        if (!(mass->at >= 0.0 && mass->at <= 1.0))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "beam: masses[%d].at is %g, must be a fraction of the length in [0, 1]", k, mass->at);
        if (!(mass->mass >= 0.0 && isfinite(mass->mass)))
            return phx_fail(context, PHX_ERR_ARGUMENT, "beam: masses[%d].mass is %g, must be finite and >= 0", k,
                            mass->mass);
        if (def->dim == 2 && !(mass->inertia[0] >= 0.0 && isfinite(mass->inertia[0])))
            return phx_fail(context, PHX_ERR_ARGUMENT, "beam: masses[%d].inertia is %g, must be finite and >= 0", k,
                            mass->inertia[0]);
        if (def->dim == 3 && !is_inertia(mass->inertia))
            return phx_fail(
                context, PHX_ERR_ARGUMENT,
                "beam: masses[%d].inertia (diagonal %g, %g, %g) must be symmetric and positive semidefinite", k,
                mass->inertia[0], mass->inertia[4], mass->inertia[8]);
    }
    return PHX_OK;
}

static phx_status check_def(phx_context *context, const phx_beam_def *def)
{
    phx_status status = check_choice(context, "dim", def->dim, 2, 3);
    if (status == PHX_OK)
        status = check_positive(context, "length", def->length);
    if (status == PHX_OK)
        status = check_positive(context, "mass_per_length", def->mass_per_length);
    if (status == PHX_OK)
        status = check_positive(context, "axial_stiffness", def->axial_stiffness);
    if (status == PHX_OK)
        status = check_positive(context, "bending_stiffness[0]", def->bending_stiffness[0]);
    if (status == PHX_OK && def->dim == 3)
        status = check_positive(context, "bending_stiffness[1]", def->bending_stiffness[1]);
    if (status == PHX_OK && def->dim == 3 && !(def->torsion_stiffness > 0.0))
        status = phx_fail(context, PHX_ERR_ARGUMENT,
                          "beam: torsion_stiffness is %g, must be > 0 (infinite: the beam does not twist)",
                          def->torsion_stiffness);
    if (status == PHX_OK && def->dim == 3)
        status = check_positive(context, "polar_inertia", def->polar_inertia);
    if (status == PHX_OK)
        status = check_choice(context, "elements", def->elements, 1, ELEMENTS_MAX);
    if (status == PHX_OK && def->order != 3 && def->order != 5)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "beam: order is %d, must be 3 or 5", def->order);
    if (status == PHX_OK)
        status = check_choice(context, "element", (int)def->element, PHX_ELEMENT_MIXED, PHX_ELEMENT_PAPER);
    if (status == PHX_OK)
        status = check_choice(context, "reference", (int)def->reference, PHX_REFERENCE_CANTILEVER, PHX_REFERENCE_FREE);
    if (status == PHX_OK && def->stiffening && def->element == PHX_ELEMENT_PAPER)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "beam: stiffening needs one axial force per element, which element kind paper does not have; "
                          "use the mixed kind");
    return status == PHX_OK ? check_masses(context, def) : status;
}

static phx_status build_quadrature(phx_context *context, phx_beam *beam)
{
    double xi[LOAD_POINTS], weight[LOAD_POINTS];
    const int elements = beam->mesh.elements;
    beam->n_quadrature = elements * LOAD_POINTS;
    beam->s = phx_calloc(context, (size_t)beam->n_quadrature, sizeof *beam->s);
    beam->weight = phx_calloc(context, (size_t)beam->n_quadrature, sizeof *beam->weight);
    if (!beam->s || !beam->weight)
        return PHX_ERR_MEMORY;
    phx_gauss(LOAD_POINTS, xi, weight);
    for (int k = 0; k < beam->n_quadrature; k++) {
        beam->s[k] = (k / LOAD_POINTS + xi[k % LOAD_POINTS]) / elements;
        beam->weight[k] = beam->mesh.h * weight[k % LOAD_POINTS];
    }
    return PHX_OK;
}

phx_status phx_beam_create(phx_context *context, const phx_beam_def *def, phx_beam **beam)
{
    if (!def || !beam)
        return phx_fail(context, PHX_ERR_ARGUMENT, "beam: the definition and the result must not be NULL");
    phx_status status = check_def(context, def);
    if (status != PHX_OK)
        return status;

    phx_flex raw = {.n = 0};
    phx_beam *made = phx_calloc(context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    status = phx_mesh_build(context, def, &made->mesh);
    if (status == PHX_OK)
        status = phx_mass_assemble(context, &made->mesh, def, &raw);
    if (status == PHX_OK)
        status = phx_reference_basis_build(context, &made->mesh, def->reference, &raw, &made->basis);
    if (status == PHX_OK)
        status = phx_reference_basis_apply(context, &made->basis, &raw, def->element == PHX_ELEMENT_PAPER, &made->flex);
    if (status == PHX_OK)
        status = phx_elastic_assemble(context, &made->mesh, &made->basis, &made->flex);
    if (status == PHX_OK && def->stiffening)
        status = phx_stiffening_assemble(context, &made->mesh, &made->basis, &made->flex);
    if (status == PHX_OK)
        status = build_quadrature(context, made);

    phx_flex_free(&raw);
    if (status != PHX_OK)
        phx_beam_destroy(made);
    else
        *beam = made;
    return status;
}

phx_beam *phx_beam_share(phx_beam *beam)
{
    if (beam)
        beam->shares++;
    return beam;
}

void phx_beam_destroy(phx_beam *beam)
{
    if (!beam || beam->shares-- > 0)
        return;
    phx_flex_free(&beam->flex);
    phx_reference_basis_free(&beam->basis);
    phx_free(beam->s);
    phx_free(beam->weight);
    phx_free(beam);
}

const phx_flex *phx_beam_flex(const phx_beam *beam)
{
    return &beam->flex;
}

void phx_beam_quadrature(const phx_beam *beam, int *count, const double **s, const double **weight)
{
    *count = beam->n_quadrature;
    *s = beam->s;
    *weight = beam->weight;
}

/* Drop the raw coordinates that do not move the point. */
static void drop_zeros(phx_local *local)
{
    int kept = 0;
    for (int i = 0; i < local->n; i++) {
        bool zero = true;
        for (int a = 0; a < 3; a++)
            zero = zero && local->phi[a][i] == 0.0 && local->theta[a][i] == 0.0;
        if (zero)
            continue;
        local->dof[kept] = local->dof[i];
        for (int a = 0; a < 3; a++) {
            local->phi[a][kept] = local->phi[a][i];
            local->theta[a][kept] = local->theta[a][i];
        }
        kept++;
    }
    local->n = kept;
}

phx_status phx_beam_point(const phx_beam *beam, phx_context *context, double s, phx_flex_point *point)
{
    if (!(s >= 0.0 && s <= 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "beam: the point at %g lies off the beam, must be in [0, 1]", s);
    const phx_mesh *mesh = &beam->mesh;
    int element;
    double xi;
    phx_local local;
    phx_mesh_locate(mesh, s, &element, &xi, NULL);
    phx_mesh_local(mesh, element, xi, &local);
    drop_zeros(&local);

    *point = (phx_flex_point){.x = {s * mesh->length}};
    const size_t capacity = (size_t)phx_reference_basis_row_capacity(&beam->basis, false, local.n);
    point->dof = phx_calloc(context, capacity, sizeof *point->dof);
    point->phi = phx_calloc(context, (size_t)mesh->dim * capacity, sizeof *point->phi);
    point->theta = phx_calloc(context, (size_t)mesh->n_rot * capacity, sizeof *point->theta);
    if (!point->dof || !point->phi || !point->theta) {
        phx_flex_point_free(point);
        return PHX_ERR_MEMORY;
    }
    /* the first row tells the number of columns, which the place of the others depends on */
    int n = phx_reference_basis_row(&beam->basis, false, local.n, local.dof, local.phi[0], point->dof, point->phi);
    for (int a = 1; a < mesh->dim; a++)
        phx_reference_basis_row(&beam->basis, false, local.n, local.dof, local.phi[a], point->dof, point->phi + a * n);
    for (int k = 0; k < mesh->n_rot; k++)
        phx_reference_basis_row(&beam->basis, false, local.n, local.dof, local.theta[k], point->dof,
                                point->theta + k * n);
    point->n = n;
    return PHX_OK;
}

/* row += factor psi(xi) of the field in an element */
static void add_stress(const phx_mesh *mesh, const phx_field *field, int element, double xi, double factor, double *row)
{
    const phx_shape *psi = &field->element->stress;
    double value[PHX_SHAPE_MAX];
    phx_shape_evaluate(psi, mesh->h, xi, 0, value);
    for (int k = 0; k < psi->count; k++)
        row[field->stress_first + element * psi->stride + k] += factor * value[k];
}

void phx_beam_stress_rows(const phx_beam *beam, double s, double *axial, double *moment, double *torsion)
{
    const phx_mesh *mesh = &beam->mesh;
    const int n = mesh->n_stress;
    int element;
    double xi;
    bool interface;
    phx_mesh_locate(mesh, s, &element, &xi, &interface);
    for (int i = 0; i < n; i++) {
        if (axial)
            axial[i] = 0.0;
        for (int plane = 0; moment && plane < mesh->dim - 1; plane++)
            moment[plane * n + i] = 0.0;
        if (torsion)
            torsion[i] = 0.0;
    }
    for (int f = 0; f < mesh->n_fields; f++) {
        const phx_field *field = &mesh->field[f];
        double *row = axial;
        if (field->rotation_derivative == 1) /* m_y = EIy w'', m_z = EIz v'': rows 0 and 1 in space */
            row = moment ? moment + (mesh->dim == 3 && field->translation == 1 ? n : 0) : NULL;
        else if (field->translation < 0)
            row = torsion;
        if (!row)
            continue;
        add_stress(mesh, field, element, xi, interface ? 0.5 : 1.0, row);
        if (interface)
            add_stress(mesh, field, element - 1, 1.0, 0.5, row);
    }
}
