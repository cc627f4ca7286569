/* Drag of a port in the wind. */
#include "force_kinds.h"

typedef struct drag {
    double area, coefficient, density;
    phx_signal *wind[3];
} drag;

#define KIND BIT(PHX_MODEL_DRAG)
static const phx_key keys[] = {
    {"area", &phx_type_number, AT(drag, area), .own = true, .required = true, .kinds = KIND, .unit = "m^2",
     .range = &not_negative, .doc = "across the flow"},
    {"coefficient", &phx_type_number, AT(drag, coefficient), .own = true, .kinds = KIND, .range = &not_negative,
     .fallback = "1", .doc = "c_d: force density c_d area v^2/2 against the velocity v in the air"},
    {"density", &phx_type_number, AT(drag, density), .own = true, .kinds = KIND, .unit = "kg/m^3",
     .range = &not_negative, .fallback = "1.225", .doc = "of the air"},
    {"wind", &phx_type_force, AT(drag, wind), .own = true, .kinds = KIND, .unit = "m/s", .fallback = "still",
     .doc = "velocity of the air, inertial components"},
};

/* Adds the drag of a port to the system, with factor rho c A/2 and the wind as signals. */
static phx_status force_drag_build(phx_builder *builder, const phx_model_force *force, const phx_port_id *ports)
{
    const drag *own = force->own;
    phx_drag_def def = {
        .name = force->name, .port = ports[0], .coefficient = 0.5 * own->density * own->coefficient * own->area};
    phx_status status = PHX_OK;

    for (int i = 0; i < 3 && !status; i++)
        status = phx_builder_signal(builder, own->wind[i], &def.wind[i]);
    if (!status)
        return phx_system_add_drag(builder->system, &def);
    for (int i = 0; i < 3; i++)
        phx_signal_destroy(def.wind[i]);
    return status;
}

const phx_force_row phx_force_row_drag = {
    .info = {.name = "drag", .doc = "quadratic drag of a point in the wind", .least_ports = 1, .most_ports = 1},
    .keys = KEYS(keys),
    .own_size = sizeof(drag),
    .build = force_drag_build};
