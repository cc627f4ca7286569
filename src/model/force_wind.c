/* Drag along a beam in the wind. */
#include "force_kinds.h"

typedef struct air {
    int on;
    double width, coefficient, density;
    phx_signal *wind[3];
} air;

#define KIND BIT(PHX_MODEL_WIND)
static const phx_key keys[] = {
    {"on", &phx_type_long_body, AT(air, on), .own = true, .required = true, .kinds = KIND,
     .doc = "the body, which has sections along a length, as a beam"},
    {"width", &phx_type_number, AT(air, width), .own = true, .required = true, .kinds = KIND, .unit = "m",
     .range = &not_negative, .doc = "across the flow"},
    {"coefficient", &phx_type_number, AT(air, coefficient), .own = true, .kinds = KIND, .range = &not_negative,
     .fallback = "1", .doc = "c_d: force per length density c_d width v^2/2 against the velocity v across the length"},
    {"density", &phx_type_number, AT(air, density), .own = true, .kinds = KIND, .unit = "kg/m^3",
     .range = &not_negative, .fallback = "1.225", .doc = "of the air"},
    {"wind", &phx_type_force, AT(air, wind), .own = true, .kinds = KIND, .unit = "m/s", .fallback = "still",
     .doc = "velocity of the air, inertial components"},
};

static int *force_wind_along(void *own)
{
    return &((air *)own)->on;
}

/* Adds the wind load along a body to the system, with factor rho c w/2 per unit length and the wind as signals. */
static phx_status force_wind_build(phx_builder *builder, const phx_model_force *force, const phx_port_id *ports)
{
    const air *own = force->own;
    phx_wind_def def = {
        .name = force->name, .body = own->on, .coefficient = 0.5 * own->density * own->coefficient * own->width};
    phx_status status = PHX_OK;

    (void)ports;
    for (int i = 0; i < 3 && !status; i++)
        status = phx_builder_signal(builder, own->wind[i], &def.wind[i]);
    if (!status)
        return phx_system_add_wind(builder->system, &def);
    for (int i = 0; i < 3; i++)
        phx_signal_destroy(def.wind[i]);
    return status;
}

const phx_force_row phx_force_row_wind = {
    .info = {.name = "wind", .doc = "quadratic drag along a beam, of the velocity across it"},
    .keys = KEYS(keys),
    .own_size = sizeof(air),
    .along = force_wind_along,
    .build = force_wind_build};
