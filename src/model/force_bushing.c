/* Bushings. */
#include "force_kinds.h"

#include <string.h>

typedef struct bushing {
    double stiffness[36], damping[36], preload[6];
} bushing;

#define KIND BIT(PHX_MODEL_BUSHING)
static const phx_key keys[] = {
    {"stiffness", &phx_type_square, AT(bushing, stiffness), .own = true, .required = true, .kinds = KIND,
     .unit = "N/m, N m/rad", .doc = "along A's directions, then about them: a diagonal, or a symmetric matrix"},
    {"damping", &phx_type_square, AT(bushing, damping), .own = true, .kinds = KIND, .unit = "N s/m, N m s/rad",
     .fallback = "zero", .doc = "the same of the rates"},
    {"preload", &phx_type_wrench, AT(bushing, preload), .own = true, .kinds = KIND, .unit = "N, N m",
     .fallback = "zero", .doc = "what A exerts on B when the ports coincide"},
};

static phx_status force_bushing_build(phx_builder *builder, const phx_model_force *force, const phx_port_id *ports)
{
    const bushing *own = force->own;
    phx_bushing_def def = {.name = force->name, .a = ports[0], .b = ports[1]};

    memcpy(def.stiffness, own->stiffness, sizeof def.stiffness);
    memcpy(def.damping, own->damping, sizeof def.damping);
    memcpy(def.preload, own->preload, sizeof def.preload);
    return phx_system_add_bushing(builder->system, &def);
}

const phx_force_row phx_force_row_bushing = {.info = {.name = "bushing",
                                                      .doc = "stiffness, damping and preload between two frames",
                                                      .least_ports = 2,
                                                      .most_ports = 2},
                                             .keys = KEYS(keys),
                                             .own_size = sizeof(bushing),
                                             .build = force_bushing_build};
