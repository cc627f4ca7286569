/* modelDescription.xml of FMI 2.0, whose variables are numbered by their places, from 1 on. */
#include "internal.h"

static void put_variable(FILE *stream, const phx_unit *unit, int k)
{
    phx_variable variable;

    phx_unit_variable(unit, k, &variable);
    fputs("    <ScalarVariable ", stream);
    phx_fmu_put_attributes(stream, &variable, k);
    fputs("><Real", stream);
    phx_fmu_put_real(stream, unit, &variable, 1);
    fputs("/></ScalarVariable>\n", stream);
}

static void put_list(FILE *stream, const phx_unit *unit, phx_fmu_unknowns which, const char *element)
{
    fprintf(stream, "    <%s>\n", element);
    phx_fmu_put_unknowns(stream, unit, which, "Unknown", "index", 1);
    fprintf(stream, "    </%s>\n", element);
}

static void put_kinds(FILE *stream, const phx_fmu_description *description)
{
    static const char can[] = " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
                              " canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"/>\n";

    if (phx_unit_states(description->unit) > 0)
        fprintf(stream, "  <ModelExchange modelIdentifier=\"%s\"%s", description->identifier, can);
    if (phx_unit_steps(description->unit))
        fprintf(stream,
                "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"true\""
                " canInterpolateInputs=\"true\"%s",
                description->identifier, can);
}

/* Writes modelDescription.xml of FMI 2.0. */
void phx_fmu_put_description2(FILE *stream, const phx_fmu_description *description)
{
    const bool exchange = phx_unit_states(description->unit) > 0;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"", stream);
    phx_fmu_put_text(stream, description->name);
    fprintf(stream, "\" guid=\"%s\" description=\"", description->token);
    phx_fmu_put_text(stream, description->text);
    fprintf(stream,
            "\" generationTool=\"Phlexor %s\" variableNamingConvention=\"flat\" numberOfEventIndicators=\"%d\">\n",
            phx_version(), exchange ? phx_unit_n_indicators(description->unit) : 0);
    put_kinds(stream, description);
    phx_fmu_put_units(stream, description->unit);
    phx_fmu_put_log(stream);
    phx_fmu_put_experiment(stream, description);
    fputs("  <ModelVariables>\n", stream);
    for (int k = 0; k < phx_unit_variables(description->unit); k++)
        put_variable(stream, description->unit, k);
    fputs("  </ModelVariables>\n  <ModelStructure>\n", stream);
    put_list(stream, description->unit, PHX_FMU_OUTPUTS, "Outputs");
    if (exchange)
        put_list(stream, description->unit, PHX_FMU_DERIVATIVES, "Derivatives");
    put_list(stream, description->unit, PHX_FMU_INITIAL_UNKNOWNS, "InitialUnknowns");
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", stream);
}
