#include "rods.h"

enum { MOST = 32, ENTRIES = PHX_ROD_SECTION };

rod_kind rod_default(int dim)
{
    return (rod_kind){.dim = dim,
                      .elements = 6,
                      .length = 1.0,
                      .EA = 1e4,
                      .GA = 3e3,
                      .GJ = 2.0,
                      .EI = {3.0, 2.0},
                      .rhoA = 1.0,
                      .rhoI = {2e-3, 1e-3, 1e-3}};
}

/* Straight along x of its frame. */
static phx_body *make_rod(phx_context *context, const char *name, const rod_kind *kind)
{
    const int n = kind->elements, dim = kind->dim;
    const double stiffness[6] = {kind->EA, kind->GA, kind->GA, kind->GJ, kind->EI[0], kind->EI[1]};
    const double inertia[6] = {kind->rhoA, kind->rhoA, kind->rhoA, kind->rhoI[0], kind->rhoI[1], kind->rhoI[2]};
    double place[3 * (MOST + 1)] = {0}, axes[9 * (MOST + 1)] = {0}, length[MOST];
    double *compliance = test_calloc((size_t)(n * PHX_ROD_GAUSS * ENTRIES), sizeof *compliance);
    double *mass = test_calloc((size_t)(n * PHX_ROD_GAUSS * ENTRIES), sizeof *mass);
    const phx_rod_def def = {.name = name,
                             .dim = dim,
                             .elements = n,
                             .place = place,
                             .axes = axes,
                             .length = length,
                             .compliance = compliance,
                             .mass = mass,
                             .damping = kind->damping};
    phx_body *body = NULL;

    for (int k = 0; k <= n; k++) {
        place[dim * k] = kind->length * k / n;
        for (int a = 0; a < dim; a++)
            axes[dim * dim * k + (dim + 1) * a] = 1.0;
        length[k < n ? k : 0] = kind->length / n;
    }
    for (int k = 0; k < n * PHX_ROD_GAUSS; k++)
        for (int i = 0; i < 6; i++) {
            compliance[ENTRIES * k + 7 * i] = 1.0 / stiffness[i];
            mass[ENTRIES * k + 7 * i] = inertia[i];
        }
    CHECK_OK(context, phx_rod_create(context, &def, &body));
    test_free(compliance);
    test_free(mass);
    return body;
}

phx_body_id add_rod(model *m, const char *name, const rod_kind *kind, phx_pose pose)
{
    phx_body_id id = -2;
    CHECK_OK(m->context, phx_system_add_body(m->system, make_rod(m->context, name, kind), NULL, &pose, &id));
    return id;
}

phx_port_id port_on(model *m, phx_body_id body, double s)
{
    const phx_location at = phx_location_at_fraction(s);
    phx_port_id id = -2;
    CHECK_OK(m->context, phx_system_add_port_at(m->system, body, &at, NULL, &id));
    return id;
}

phx_port_id ground_at(model *m, double x, double y, double z)
{
    const double place[3] = {x, y, z};
    phx_port_id id = -2;
    CHECK_OK(m->context, phx_system_add_port(m->system, PHX_GROUND, place, NULL, &id));
    return id;
}
