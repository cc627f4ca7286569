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

static int first_state(const phx_unit *unit)
{
    return UNIT_FIRST_INPUT + 3 * unit->def.n_inputs + unit->def.n_outputs;
}

int phx_unit_parameters(const phx_unit *unit)
{
    return unit->def.n_parameters;
}

int phx_unit_first_parameter(const phx_unit *unit)
{
    const int states = phx_unit_states(unit);
    return first_state(unit) + (states > 0 ? 2 * states - UNIT_KNOWN_STATES + phx_unit_n_indicators(unit) : 0);
}

int phx_unit_variables(const phx_unit *unit)
{
    return phx_unit_first_parameter(unit) + unit->def.n_parameters;
}

int phx_unit_state_variable(const phx_unit *unit, int k)
{
    const int known = k - (phx_unit_states(unit) - UNIT_KNOWN_STATES);
    return known < 0 ? first_state(unit) + k : UNIT_FIRST_FIXED + UNIT_SUPPLIED + known;
}

/* Name, meaning and unit of energy or work k of the ledger. */
static void describe_fixed(int k, phx_variable *variable)
{
    static const char *const texts[UNIT_FIXED][2] = {
        [UNIT_KINETIC] = {"kinetic", "kinetic energy"},
        [UNIT_ELASTIC] = {"elastic", "elastic energy of the bodies"},
        [UNIT_POTENTIAL] = {"potential", "energy of gravity and springs"},
        [UNIT_ENERGY] = {"energy", "total energy"},
        [UNIT_SUPPLIED] = {"supplied", "work of loads, drives and actuators since the start"},
        [UNIT_DISSIPATED] = {"dissipated",
                             "work that dampers, friction, attachments and impacts have taken since the start"},
        [UNIT_RESIDUAL] = {"residual", "energy - energy at the start - supplied + dissipated"},
    };

    snprintf(variable->name, sizeof variable->name, "%s", texts[k][0]);
    snprintf(variable->description, sizeof variable->description, "%s", texts[k][1]);
    variable->unit = "J";
}

/* Name, meaning and unit of input i (part 0), of its conjugate (1) or of its power (2). */
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

/* Name, meaning and unit of an output column of the system, or of its controllers after these. */
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
    variable->from_inputs = phx_system_quantity_info(quantity)->order == 2; /* accelerations and multipliers */
    snprintf(variable->description, sizeof variable->description, "output of the model");
}

/* ---- what follows what ---- */
static bool has_rates(const phx_unit *unit)
{
    for (int i = 0; i < unit->def.n_inputs; i++)
        if (unit->def.places[i].speed)
            return true;
    return false;
}

/* Where the mechanism is follows no input; how it moves follows the rates of drives. */
static bool is_of_place(const phx_unit *unit, int k)
{
    const int column = k - UNIT_FIRST_INPUT - 3 * unit->def.n_inputs;

    if (k < UNIT_FIRST_INPUT)
        return k != UNIT_FIRST_FIXED + UNIT_KINETIC && k != UNIT_FIRST_FIXED + UNIT_ENERGY &&
               k != UNIT_FIRST_FIXED + UNIT_RESIDUAL;
    if (column < 0 || unit->def.outputs[column] >= phx_system_columns(unit->system))
        return false;
    const phx_quantity quantity = phx_system_column_quantity(unit->system, unit->def.outputs[column], NULL);
    return phx_system_quantity_info(quantity)->order == 0;
}

/* In model exchange. */
static void find_dependence(const phx_unit *unit, int k, phx_variable *variable)
{
    if (phx_unit_states(unit) == 0 || variable->kind == PHX_VARIABLE_TIME || variable->kind == PHX_VARIABLE_INPUT ||
        variable->kind == PHX_VARIABLE_PARAMETER)
        return;
    const bool of_input = k >= phx_unit_flow_of(unit, 0) && variable->input >= 0;
    variable->from_states = true;
    variable->from_inputs = variable->from_inputs || variable->kind == PHX_VARIABLE_RATE || of_input ||
                            (variable->kind == PHX_VARIABLE_OUTPUT && has_rates(unit) && !is_of_place(unit, k));
}

/* ---- model exchange ---- */
static void describe_state(const phx_unit *unit, int state, bool rate, phx_variable *variable)
{
    char name[300];

    phx_unit_describe_state(unit, state, sizeof name, name, sizeof variable->description, variable->description);
    variable->kind = rate ? PHX_VARIABLE_RATE : PHX_VARIABLE_STATE;
    variable->state = state;
    if (!rate) {
        snprintf(variable->name, sizeof variable->name, "%s", name);
        return;
    }
    snprintf(variable->name, sizeof variable->name, "der(%s)", name);
    snprintf(variable->description, sizeof variable->description, "derivative of a state");
    variable->unit = state >= phx_unit_states(unit) - UNIT_KNOWN_STATES ? "W" : "";
}

static void describe_exchange(const phx_unit *unit, int k, phx_variable *variable)
{
    const int states = phx_unit_states(unit), own = states - UNIT_KNOWN_STATES;

    if (k < own) {
        describe_state(unit, k, false, variable);
    } else if (k < own + states) {
        describe_state(unit, k - own, true, variable);
    } else {
        variable->kind = PHX_VARIABLE_INDICATOR;
        phx_unit_describe_indicator(unit, k - own - states, sizeof variable->name, variable->name,
                                    sizeof variable->description, variable->description);
    }
}

static void describe_parameter(const phx_unit *unit, int k, phx_variable *variable)
{
    const char *place = unit->def.parameter_places[k];

    variable->kind = PHX_VARIABLE_PARAMETER;
    variable->start = unit->def.parameter_starts[k];
    snprintf(variable->name, sizeof variable->name, "%s", unit->def.parameters[k] ? unit->def.parameters[k] : "");
    snprintf(variable->description, sizeof variable->description, "parameter of the model%s%.100s",
             place && *place ? ": " : "", place ? place : "");
}

/* Kind, name, unit and dependencies of the variable whose value reference is k. */
void phx_unit_variable(const phx_unit *unit, int k, phx_variable *variable)
{
    const int inputs = unit->def.n_inputs, of_input = k - UNIT_FIRST_INPUT;

    *variable = (phx_variable){.kind = PHX_VARIABLE_OUTPUT, .unit = "", .input = -1, .state = -1};
    if (k == UNIT_TIME) {
        variable->kind = PHX_VARIABLE_TIME;
        variable->unit = "s";
        snprintf(variable->name, sizeof variable->name, "time");
        snprintf(variable->description, sizeof variable->description, "simulated time");
    } else if (of_input < 0) {
        describe_fixed(k - UNIT_FIRST_FIXED, variable);
    } else if (of_input < 3 * inputs) {
        describe_input(unit, of_input % inputs, of_input / inputs, variable);
    } else if (k < first_state(unit)) {
        describe_column(unit, unit->def.outputs[of_input - 3 * inputs], variable);
    } else if (k < phx_unit_first_parameter(unit)) {
        describe_exchange(unit, k - first_state(unit), variable);
    } else {
        describe_parameter(unit, k - phx_unit_first_parameter(unit), variable);
    }
    if (phx_unit_states(unit) > 0 && (k == UNIT_FIRST_FIXED + UNIT_SUPPLIED || k == UNIT_FIRST_FIXED + UNIT_DISSIPATED))
        variable->state = phx_unit_states(unit) - UNIT_KNOWN_STATES + k - UNIT_FIRST_FIXED - UNIT_SUPPLIED;
    find_dependence(unit, k, variable);
}
