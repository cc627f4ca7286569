/* The variables of a unit: names, units, what they follow. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

int phx_unit_inputs(const phx_unit *unit)
{
    return unit->def.n_inputs;
}

int phx_unit_first_input(void)
{
    return UNIT_FIRST_INPUT;
}

int phx_unit_flow_of(const phx_unit *unit, int i)
{
    return UNIT_FIRST_INPUT + unit->def.n_inputs + i;
}

int phx_unit_power_of(const phx_unit *unit, int i)
{
    return UNIT_FIRST_INPUT + 2 * unit->def.n_inputs + i;
}

int phx_unit_variables(const phx_unit *unit)
{
    return UNIT_FIRST_INPUT + 3 * unit->def.n_inputs + unit->def.n_outputs;
}

static void describe_fixed(int k, phx_variable *variable)
{
    static const char *const texts[UNIT_FIXED][2] = {
        [UNIT_KINETIC] = {"kinetic", "kinetic energy"},
        [UNIT_ELASTIC] = {"elastic", "elastic energy of the bodies"},
        [UNIT_POTENTIAL] = {"potential", "energy of gravity and springs"},
        [UNIT_ENERGY] = {"energy", "total energy"},
        [UNIT_SUPPLIED] = {"supplied", "work of loads, drives and actuators since the start"},
        [UNIT_DISSIPATED] = {"dissipated", "work that dampers have taken since the start"},
        [UNIT_RESIDUAL] = {"residual", "energy - energy at the start - supplied + dissipated"},
    };

    snprintf(variable->name, sizeof variable->name, "%s", texts[k][0]);
    snprintf(variable->description, sizeof variable->description, "%s", texts[k][1]);
    variable->unit = "J";
}

static void describe_input(const phx_unit *unit, int i, int part, phx_variable *variable)
{
    const phx_input_place *place = &unit->def.places[i];
    const char *own, *conjugate, *name = unit->def.inputs[i];

    phx_system_input_units(unit->system, place, &own, &conjugate);
    variable->input = i;
    if (part == 0) {
        variable->kind = PHX_VARIABLE_INPUT;
        variable->unit = own;
        snprintf(variable->name, sizeof variable->name, "%s", name);
        snprintf(variable->description, sizeof variable->description, "added to what the model gives");
        return;
    }
    variable->unit = part == 1 ? conjugate : "W";
    snprintf(variable->name, sizeof variable->name, "%s.%s", name,
             part == 2      ? "power"
             : place->speed ? "effort"
                            : "flow");
    snprintf(variable->description, sizeof variable->description, "%s",
             part == 2 ? "power of the input, mean over the last step"
                       : "conjugate to the input, mean over the last step");
}

/* "N m" -> "N.m": units in the notation of the FMI. */
static const char *unit_name(const char *unit)
{
    static const char *const names[][2] = {{"N m", "N.m"}, {"m/s^2", "m/s2"}, {"N m/m", "N"}};

    for (size_t k = 0; unit && k < sizeof names / sizeof *names; k++)
        if (!strcmp(unit, names[k][0]))
            return names[k][1];
    return unit ? unit : "";
}

static void describe_column(const phx_unit *unit, int column, phx_variable *variable)
{
    const int n = phx_system_columns(unit->system);

    if (column >= n) {
        variable->unit =
            unit_name(phx_system_controller_column(unit->system, column - n, variable->name, sizeof variable->name));
        snprintf(variable->description, sizeof variable->description, "of a controller");
        return;
    }
    const phx_quantity quantity = phx_system_column_quantity(unit->system, column, NULL);
    phx_system_column_name(unit->system, column, variable->name, sizeof variable->name);
    variable->unit = unit_name(phx_system_column_unit(unit->system, column));
    variable->from_inputs =
        quantity == PHX_QUANTITY_ACCELERATION || quantity == PHX_QUANTITY_REACTION || quantity == PHX_QUANTITY_EFFORT;
    snprintf(variable->description, sizeof variable->description, "output of the model");
}

void phx_unit_variable(const phx_unit *unit, int k, phx_variable *variable)
{
    const int inputs = unit->def.n_inputs, of_input = k - UNIT_FIRST_INPUT;

    *variable = (phx_variable){.kind = PHX_VARIABLE_OUTPUT, .unit = "", .input = -1};
    if (k == UNIT_TIME) {
        *variable = (phx_variable){
            .kind = PHX_VARIABLE_TIME, .name = "time", .description = "simulated time", .unit = "s", .input = -1};
    } else if (of_input < 0) {
        describe_fixed(k - UNIT_FIRST_FIXED, variable);
    } else if (of_input < 3 * inputs) {
        describe_input(unit, of_input % inputs, of_input / inputs, variable);
    } else {
        describe_column(unit, unit->def.outputs[of_input - 3 * inputs], variable);
    }
}
