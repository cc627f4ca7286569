/* The beam: its definition checked, and the kind of its deformation chosen. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "point_inertia.h"
#include "source.h"

enum { ELEMENTS_MAX = 1000000, ASSUMED_MODES_MAX = 64, INTERFACES_MAX = 64, MOMENTS_MAX = 100 };

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

/* Checks positions, masses and inertias of the point masses of a beam. */
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
        if (def->dim == 3 && !phx_is_inertia(mass->inertia))
            return phx_fail(
                context, PHX_ERR_ARGUMENT,
                "beam: masses[%d].inertia (diagonal %g, %g, %g) must be symmetric and positive semidefinite", k,
                mass->inertia[0], mass->inertia[4], mass->inertia[8]);
    }
    return PHX_OK;
}

/* Places at which forces act on a beam, all different. */
static phx_status check_interfaces(phx_context *context, const phx_beam_def *def)
{
    static const double near = 1e-6;
    phx_status status = check_choice(context, "n_interfaces", def->n_interfaces, 1, INTERFACES_MAX);

    for (int k = 0; k < def->n_interfaces && !status; k++) {
        const double s = def->interfaces[k];
        if (!(s >= 0.0 && s <= 1.0))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "beam: interfaces[%d] is %g, must be a fraction of the length in [0, 1]", k, s);
        for (int i = 0; i < k; i++)
            if (fabs(s - def->interfaces[i]) < near)
                return phx_fail(context, PHX_ERR_ARGUMENT,
                                "beam: interfaces[%d] and interfaces[%d] are at %g of the length both; keep one", i, k,
                                s);
    }
    return status;
}

static phx_status check_basis(phx_context *context, const phx_beam_def *def)
{
    if (def->element == PHX_ELEMENT_ASSUMED)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "beam: assumed modes are a basis; use elements with another one");
    phx_status status = check_interfaces(context, def);
    if (!status && def->basis == PHX_BEAM_BASIS_KRYLOV)
        return check_choice(context, "moments", def->moments, 1, MOMENTS_MAX);
    if (!status)
        status = check_choice(context, "modes", def->modes, 0, INT_MAX);
    return status || def->among == 0 ? status : check_choice(context, "among", def->among, def->modes, INT_MAX);
}

/* The wishes for a basis other than that of the elements. */
static phx_status check_modes(phx_context *context, const phx_beam_def *def)
{
    const bool assumed = def->element == PHX_ELEMENT_ASSUMED;
    if (def->basis != PHX_BEAM_BASIS_MODES) {
        const phx_status status = check_basis(context, def);
        if (status)
            return status;
    }
    if (assumed && def->reference != PHX_REFERENCE_CANTILEVER)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "beam: assumed modes are those of a beam clamped at P; use the cantilever reference");
    if (def->stiffening && assumed)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "beam: stiffening needs axial coordinates that follow the shortening of the bent axis, which "
                        "assumed modes do not have; use elements, all their coordinates or normal modes of them");
    if (def->stiffening && def->modes > 0 && def->basis == PHX_BEAM_BASIS_MODES) {
        const phx_status status = check_choice(context, "modes (with stiffening)", def->modes, 1, PHX_STRAIN_SLOPES);
        if (status)
            return status;
    }
    if (def->n_pulled < 0 || (def->n_pulled > 0 && !def->pulled))
        return phx_fail(context, PHX_ERR_ARGUMENT, "beam: n_pulled is %d, must be the number of entries of pulled",
                        def->n_pulled);
    for (int k = 0; k < def->n_pulled; k++)
        if (!(def->pulled[k] >= 0.0 && def->pulled[k] <= 1.0))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "beam: pulled[%d] is %g, must be a fraction of the length in [0, 1]", k, def->pulled[k]);
    if (assumed)
        return check_choice(context, "modes (element kind assumed)", def->modes, 1, ASSUMED_MODES_MAX);
    return check_choice(context, "modes", def->modes, 0, INT_MAX);
}

/* Not negative, of a section with the polar inertia: of elements in space. */
static phx_status check_section_inertia(phx_context *context, const phx_beam_def *def)
{
    static const double rounding = 1e-9;
    const double *about = def->section_inertia, sum = about[0] + about[1];

    if (!(about[0] >= 0.0 && about[1] >= 0.0 && isfinite(sum)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "beam: section_inertia is %g, %g, must be finite and >= 0", about[0],
                        about[1]);
    if (def->dim == 2 && sum > 0.0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "beam: section_inertia is for space, in the plane expected 0, 0");
    if (def->element == PHX_ELEMENT_ASSUMED && sum > 0.0)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "beam: assumed modes have no section_inertia; use elements");
    if (sum > 0.0 && fabs(sum - def->polar_inertia) > rounding * sum)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "beam: section_inertia is %g, %g, whose sum must be the polar_inertia, %g", about[0], about[1],
                        def->polar_inertia);
    return PHX_OK;
}

/* The numbers of a section. */
static phx_status check_numbers(phx_context *context, const phx_beam_def *def)
{
    phx_status status = check_positive(context, "mass_per_length", def->mass_per_length);
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
    return status ? status : check_section_inertia(context, def);
}

/* Stations of elements, ascending from 0 to 1, with numbers like those of the beam: all twist, or none. */
static phx_status check_stations(phx_context *context, const phx_beam_def *def)
{
    const int n = def->n_stations;
    const phx_beam_station *all = def->stations;

    if (n == 0)
        return PHX_OK;
    if (def->element == PHX_ELEMENT_ASSUMED)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "beam: assumed modes have no stations; use elements");
    if (n < 2 || !all || all[0].at != 0.0 || all[n - 1].at != 1.0)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "beam: %d stations, must be two at least, the first at 0, the last at 1", n);
    for (int k = 0; k < n; k++) {
        const phx_beam_station *station = &all[k];
        phx_beam_def here = *def;
        if (k > 0 && !(station->at >= station[-1].at))
            return phx_fail(context, PHX_ERR_ARGUMENT, "beam: stations[%d].at is %g, must be %g at least", k,
                            station->at, station[-1].at);
        if (k > 0 && def->order == 5 && station->at == station[-1].at &&
            memcmp(station->bending_stiffness, station[-1].bending_stiffness, sizeof station->bending_stiffness) != 0)
            return phx_fail(context, PHX_ERR_UNSUPPORTED,
                            "beam: stations[%d]: the bending stiffness has a step at %g of the length, where the "
                            "curvature of elements of order 5 has none; use order 3",
                            k, station->at);
        if (!isinf(station->torsion_stiffness) != !isinf(def->torsion_stiffness))
            return phx_fail(
                context, PHX_ERR_ARGUMENT,
                "beam: stations[%d].torsion_stiffness is %g, that of the beam %g; both must be infinite, or "
                "none",
                k, station->torsion_stiffness, def->torsion_stiffness);
        if ((station->section_inertia[0] + station->section_inertia[1] > 0.0) !=
            (def->section_inertia[0] + def->section_inertia[1] > 0.0))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "beam: stations[%d].section_inertia is %g, %g, that of the beam %g, %g; all have one, or "
                            "none",
                            k, station->section_inertia[0], station->section_inertia[1], def->section_inertia[0],
                            def->section_inertia[1]);
        here.mass_per_length = station->mass_per_length;
        here.axial_stiffness = station->axial_stiffness;
        here.torsion_stiffness = station->torsion_stiffness;
        here.polar_inertia = station->polar_inertia;
        memcpy(here.bending_stiffness, station->bending_stiffness, sizeof here.bending_stiffness);
        memcpy(here.section_inertia, station->section_inertia, sizeof here.section_inertia);
        if (check_numbers(context, &here))
            return phx_fail_prefix(context, PHX_ERR_ARGUMENT, "stations[%d]: ", k);
    }
    return PHX_OK;
}

/* Checks all properties of a beam and the combination of its element kind, basis and stiffening. */
static phx_status beam_check_def(phx_context *context, const phx_beam_def *def)
{
    phx_status status = check_choice(context, "dim", def->dim, 2, 3);
    if (status == PHX_OK)
        status = check_positive(context, "length", def->length);
    if (status == PHX_OK)
        status = check_numbers(context, def);
    if (status == PHX_OK)
        status = check_stations(context, def);
    if (status == PHX_OK)
        status = check_choice(context, "elements", def->elements, 1, ELEMENTS_MAX);
    if (status == PHX_OK && def->order != 3 && def->order != 5)
        status = phx_fail(context, PHX_ERR_ARGUMENT, "beam: order is %d, must be 3 or 5", def->order);
    if (status == PHX_OK)
        status = check_choice(context, "basis", (int)def->basis, PHX_BEAM_BASIS_MODES, PHX_BEAM_BASIS_KRYLOV);
    if (status == PHX_OK)
        status = check_choice(context, "element", (int)def->element, PHX_ELEMENT_MIXED, PHX_ELEMENT_ASSUMED);
    if (status == PHX_OK)
        status = check_choice(context, "reference", (int)def->reference, PHX_REFERENCE_CANTILEVER, PHX_REFERENCE_FREE);
    if (status == PHX_OK && def->stiffening && def->element == PHX_ELEMENT_PAPER)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "beam: stiffening needs one axial force per element, which element kind paper does not have; "
                          "use the mixed kind");
    if (status == PHX_OK)
        status = check_modes(context, def);
    return status == PHX_OK ? check_masses(context, def) : status;
}

/* Creates a beam of the kind that its definition names: assumed modes, elements, or elements in a basis. *beam is set
 * on success only. */
phx_status phx_beam_create(phx_context *context, const phx_beam_def *def, phx_beam **beam)
{
    if (!def || !beam)
        return phx_fail_null(context, __func__, "def or beam");
    if (!def || !beam)
        return phx_fail(context, PHX_ERR_ARGUMENT, "beam: the definition and the result must not be NULL");
    phx_status status = beam_check_def(context, def);
    if (status != PHX_OK)
        return status;
    if (def->element == PHX_ELEMENT_ASSUMED)
        return phx_assumed_beam_create(context, def, beam);
    if (def->basis == PHX_BEAM_BASIS_MODES && def->modes == 0)
        return phx_mesh_beam_create(context, def, beam);

    phx_beam *full = NULL;
    status = phx_mesh_beam_create(context, def, &full);
    if (status == PHX_OK)
        status = phx_beam_modes_create(context, def, full, beam);
    phx_flex_source_destroy(full); /* the modes keep a share */
    return phx_conclude(context, status);
}
