/* Parts of the description that both versions share. */
#include "internal.h"

#include <string.h>

/* Writes text with the special characters of XML escaped and control characters as blanks. */
void phx_fmu_put_text(FILE *stream, const char *text)
{
    for (const char *c = text; *c; c++) {
        switch (*c) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        default:
            fputc((unsigned char)*c < ' ' ? ' ' : *c, stream);
        }
    }
}

void phx_fmu_put_number(FILE *stream, const char *name, double value)
{
    fprintf(stream, " %s=\"%.17g\"", name, value);
}

/* ---- units ---- */
static bool is_used(const phx_unit *unit, const char *name)
{
    phx_variable variable;

    for (int k = 0; k < phx_unit_variables(unit); k++) {
        phx_unit_variable(unit, k, &variable);
        if (!strcmp(variable.unit, name))
            return true;
    }
    return false;
}

static void put_exponent(FILE *stream, const char *name, int exponent)
{
    if (exponent != 0)
        fprintf(stream, " %s=\"%d\"", name, exponent);
}

/* Writes the definitions of all units that variables use, by exponents of kg, m, s and rad. */
void phx_fmu_put_units(FILE *stream, const phx_unit *unit)
{
    fputs("  <UnitDefinitions>\n", stream);
    for (int k = 0; phx_fmu_unit_at(k); k++) {
        const phx_fmu_unit *fmu_unit = phx_fmu_unit_at(k);
        if (!is_used(unit, fmu_unit->name))
            continue;
        fprintf(stream, "    <Unit name=\"%s\"><BaseUnit", fmu_unit->name);
        put_exponent(stream, "kg", fmu_unit->kg);
        put_exponent(stream, "m", fmu_unit->m);
        put_exponent(stream, "s", fmu_unit->s);
        put_exponent(stream, "rad", fmu_unit->rad);
        fputs("/>", stream);
        if (!strcmp(fmu_unit->name, "rad"))
            fputs("<DisplayUnit name=\"deg\" factor=\"57.295779513082323\"/>", stream);
        fputs("</Unit>\n", stream);
    }
    fputs("  </UnitDefinitions>\n", stream);
}

/* ---- log, experiment ---- */
void phx_fmu_put_log(FILE *stream)
{
    static const char *const texts[][2] = {
        {"logEvents", "what an instance does"},
        {"logStatusWarning", "warnings"},
        {"logStatusDiscard", "steps that could not be made to their end"},
        {"logStatusError", "why a call has failed"},
    };

    fputs("  <LogCategories>\n", stream);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        fprintf(stream, "    <Category name=\"%s\" description=\"%s\"/>\n", texts[k][0], texts[k][1]);
    fputs("  </LogCategories>\n", stream);
}

void phx_fmu_put_experiment(FILE *stream, const phx_fmu_description *description)
{
    fputs("  <DefaultExperiment startTime=\"0\"", stream);
    if (description->stop > 0.0)
        phx_fmu_put_number(stream, "stopTime", description->stop);
    if (description->step > 0.0)
        phx_fmu_put_number(stream, "stepSize", description->step);
    fputs("/>\n", stream);
}

/* ---- variables, structure ---- */
static const char *causality_of(const phx_variable *variable)
{
    switch (variable->kind) {
    case PHX_VARIABLE_TIME:
        return "independent";
    case PHX_VARIABLE_INPUT:
        return "input";
    case PHX_VARIABLE_OUTPUT:
        return "output";
    case PHX_VARIABLE_PARAMETER:
        return "parameter";
    default:
        return "local";
    }
}

static const char *initial_of(const phx_variable *variable)
{
    switch (variable->kind) {
    case PHX_VARIABLE_TIME:
    case PHX_VARIABLE_INPUT:
        return "";
    case PHX_VARIABLE_PARAMETER:
        return " initial=\"exact\"";
    default:
        return " initial=\"calculated\"";
    }
}

static bool is_state(const phx_variable *variable)
{
    return variable->state >= 0 && variable->kind != PHX_VARIABLE_RATE;
}

void phx_fmu_put_attributes(FILE *stream, const phx_variable *variable, int k)
{
    fputs("name=\"", stream);
    phx_fmu_put_text(stream, variable->name);
    fprintf(stream, "\" valueReference=\"%d\" description=\"", k);
    phx_fmu_put_text(stream, variable->description);
    fprintf(stream, "\" causality=\"%s\" variability=\"%s\"%s", causality_of(variable),
            variable->kind == PHX_VARIABLE_PARAMETER ? "tunable" : "continuous", initial_of(variable));
}

void phx_fmu_put_real(FILE *stream, const phx_unit *unit, const phx_variable *variable, int from)
{
    if (phx_fmu_find_unit(variable->unit))
        fprintf(stream, " unit=\"%s\"", variable->unit);
    if (variable->kind == PHX_VARIABLE_RATE)
        fprintf(stream, " derivative=\"%d\"", from + phx_unit_state_variable(unit, variable->state));
    if (variable->kind == PHX_VARIABLE_STATE)
        fputs(" reinit=\"true\"", stream);
    if (variable->kind == PHX_VARIABLE_INPUT)
        fputs(" start=\"0\"", stream);
    if (variable->kind == PHX_VARIABLE_PARAMETER)
        phx_fmu_put_number(stream, "start", variable->start);
}

static bool is_listed(const phx_variable *variable, phx_fmu_unknowns which)
{
    switch (which) {
    case PHX_FMU_OUTPUTS:
        return variable->kind == PHX_VARIABLE_OUTPUT;
    case PHX_FMU_DERIVATIVES:
        return variable->kind == PHX_VARIABLE_RATE;
    case PHX_FMU_INDICATORS:
        return variable->kind == PHX_VARIABLE_INDICATOR;
    default:
        return variable->kind == PHX_VARIABLE_OUTPUT || variable->kind == PHX_VARIABLE_STATE ||
               variable->kind == PHX_VARIABLE_RATE;
    }
}

/* While the FMU is initialized states are what is calculated, not what is known; all may follow the parameters. */
static void put_dependencies(FILE *stream, const phx_unit *unit, const phx_variable *of, bool initial, int from)
{
    const char *separator = "";
    phx_variable variable;

    for (int k = 0; k < phx_unit_variables(unit); k++) {
        phx_unit_variable(unit, k, &variable);
        if (!(variable.kind == PHX_VARIABLE_INPUT       ? of->from_inputs
              : variable.kind == PHX_VARIABLE_PARAMETER ? initial
                                                        : is_state(&variable) && of->from_states && !initial))
            continue;
        fprintf(stream, "%s%d", separator, from + k);
        separator = " ";
    }
}

void phx_fmu_put_unknowns(FILE *stream, const phx_unit *unit, phx_fmu_unknowns which, const char *element,
                          const char *reference, int from)
{
    phx_variable variable;

    for (int k = 0; k < phx_unit_variables(unit); k++) {
        phx_unit_variable(unit, k, &variable);
        if (!is_listed(&variable, which))
            continue;
        fprintf(stream, "    <%s %s=\"%d\" dependencies=\"", element, reference, from + k);
        put_dependencies(stream, unit, &variable, which == PHX_FMU_INITIAL_UNKNOWNS, from);
        fputs("\"/>\n", stream);
    }
}

/* ---- terminals ---- */
/* Length of the name of what an input acts on: "push" of "push.fx". */
static int length_of_port(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (int)(dot - name) : (int)strlen(name);
}

static void put_member(FILE *stream, const phx_unit *unit, int variable, int skip)
{
    phx_variable input;

    phx_unit_variable(unit, variable, &input);
    fputs("      <TerminalMemberVariable variableName=\"", stream);
    phx_fmu_put_text(stream, input.name);
    fputs("\" memberName=\"", stream);
    phx_fmu_put_text(stream, input.name + skip);
    fputs("\" variableKind=\"signal\"/>\n", stream);
}

/* A terminal for each port: its inputs, what is conjugate to them, their powers. */
void phx_fmu_put_terminals(FILE *stream, const phx_fmu_description *description)
{
    const int n = phx_unit_inputs(description->unit), first = phx_unit_first_input();
    phx_variable one, other;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n  <Terminals>\n",
          stream);
    for (int i = 0; i < n; i++) {
        phx_unit_variable(description->unit, first + i, &one);
        const int length = length_of_port(one.name);
        bool seen = false;
        for (int j = 0; j < i && !seen; j++) {
            phx_unit_variable(description->unit, first + j, &other);
            seen = length_of_port(other.name) == length && !strncmp(other.name, one.name, (size_t)length);
        }
        if (seen)
            continue;
        fputs("    <Terminal name=\"", stream);
        for (int k = 0; k < length; k++)
            phx_fmu_put_text(stream, (char[2]){one.name[k], '\0'});
        fputs("\" matchingRule=\"plug\" terminalKind=\"org.phlexor.port\">\n", stream);
        for (int j = i; j < n; j++) {
            phx_unit_variable(description->unit, first + j, &other);
            if (length_of_port(other.name) != length || strncmp(other.name, one.name, (size_t)length) != 0)
                continue;
            put_member(stream, description->unit, first + j, length + 1);
            put_member(stream, description->unit, phx_unit_flow_of(description->unit, j), length + 1);
            put_member(stream, description->unit, phx_unit_power_of(description->unit, j), length + 1);
        }
        fputs("    </Terminal>\n", stream);
    }
    fputs("  </Terminals>\n</fmiTerminalsAndIcons>\n", stream);
}

/* ---- the page ---- */
void phx_fmu_put_index(FILE *stream, const phx_fmu_description *description)
{
    phx_variable variable;

    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", stream);
    phx_fmu_put_text(stream, description->name);
    fputs("</title></head><body>\n<h1>", stream);
    phx_fmu_put_text(stream, description->name);
    fprintf(
        stream,
        "</h1>\n<p>A mechanism of Phlexor %s for %s%s%s. Inputs are added to what the model gives. For each there are "
        "what "
        "is conjugate to it and its power, in co-simulation means over the last step: their products are the work at "
        "the interface to rounding. energy - supplied + dissipated stays what it was.</p>\n"
        "<table><tr><th>variable</th><th>unit</th><th>what it is</th></tr>\n",
        phx_version(), phx_unit_steps(description->unit) ? "co-simulation" : "",
        phx_unit_steps(description->unit) && phx_unit_states(description->unit) > 0 ? " and " : "",
        phx_unit_states(description->unit) > 0 ? "model exchange" : "");
    for (int k = 0; k < phx_unit_variables(description->unit); k++) {
        phx_unit_variable(description->unit, k, &variable);
        fputs("<tr><td>", stream);
        phx_fmu_put_text(stream, variable.name);
        fprintf(stream, "</td><td>%s</td><td>%s%s</td></tr>\n", variable.unit,
                variable.kind == PHX_VARIABLE_INPUT       ? "input, "
                : variable.kind == PHX_VARIABLE_PARAMETER ? "tunable "
                                                          : "",
                variable.description);
    }
    fputs("</table></body></html>\n", stream);
}
