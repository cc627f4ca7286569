/* modelDescription.xml of FMI 2.0. */
#include "internal.h"

static void put_variable(FILE *stream, const phx_unit *unit, int k)
{
    phx_variable it;

    phx_unit_variable(unit, k, &it);
    fputs("    <ScalarVariable name=\"", stream);
    phx_fmu_put_text(stream, it.name);
    fprintf(stream, "\" valueReference=\"%d\" description=\"%s\" causality=\"%s\" variability=\"continuous\"%s><Real",
            k, it.description,
            it.kind == PHX_VARIABLE_TIME    ? "independent"
            : it.kind == PHX_VARIABLE_INPUT ? "input"
                                            : "output",
            it.kind == PHX_VARIABLE_OUTPUT ? " initial=\"calculated\"" : "");
    if (phx_fmu_find_unit(it.unit))
        fprintf(stream, " unit=\"%s\"", it.unit);
    fprintf(stream, "%s/></ScalarVariable>\n", it.kind == PHX_VARIABLE_INPUT ? " start=\"0\"" : "");
}

/* The outputs, by their places in the list of variables, which count from 1. */
static void put_unknowns(FILE *stream, const phx_unit *unit, const char *element)
{
    const int first = phx_unit_first_input() + 1, inputs = phx_unit_inputs(unit);
    phx_variable it;

    fprintf(stream, "    <%s>\n", element);
    for (int k = 0; k < phx_unit_variables(unit); k++) {
        phx_unit_variable(unit, k, &it);
        if (it.kind != PHX_VARIABLE_OUTPUT)
            continue;
        fprintf(stream, "      <Unknown index=\"%d\" dependencies=\"", k + 1);
        for (int i = 0; i < inputs && it.from_inputs; i++)
            fprintf(stream, "%s%d", i ? " " : "", first + i);
        fputs("\"/>\n", stream);
    }
    fprintf(stream, "    </%s>\n", element);
}

void phx_fmu_put_description2(FILE *stream, const phx_fmu_description *it)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"", stream);
    phx_fmu_put_text(stream, it->name);
    fprintf(stream, "\" guid=\"%s\" description=\"", it->token);
    phx_fmu_put_text(stream, it->text);
    fprintf(stream,
            "\" generationTool=\"Phlexor %s\" variableNamingConvention=\"flat\" numberOfEventIndicators=\"0\">\n"
            "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"true\""
            " canInterpolateInputs=\"true\" canNotUseMemoryManagementFunctions=\"true\""
            " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"/>\n",
            phx_version(), it->identifier);
    phx_fmu_put_units(stream, it->unit);
    phx_fmu_put_log(stream);
    phx_fmu_put_experiment(stream, it);
    fputs("  <ModelVariables>\n", stream);
    for (int k = 0; k < phx_unit_variables(it->unit); k++)
        put_variable(stream, it->unit, k);
    fputs("  </ModelVariables>\n  <ModelStructure>\n", stream);
    put_unknowns(stream, it->unit, "Outputs");
    put_unknowns(stream, it->unit, "InitialUnknowns");
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", stream);
}
