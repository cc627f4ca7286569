/* modelDescription.xml of FMI 2.0, whose variables are numbered by their places, from 1 on. */
#include "internal.h"

static void put_variable(FILE *stream, const phx_unit *unit, int k)
{
    phx_variable it;

    phx_unit_variable(unit, k, &it);
    fputs("    <ScalarVariable ", stream);
    phx_fmu_put_attributes(stream, &it, k);
    fputs("><Real", stream);
    phx_fmu_put_real(stream, unit, &it, 1);
    fputs("/></ScalarVariable>\n", stream);
}

static void put_list(FILE *stream, const phx_unit *unit, phx_fmu_unknowns which, const char *element)
{
    fprintf(stream, "    <%s>\n", element);
    phx_fmu_put_unknowns(stream, unit, which, "Unknown", "index", 1);
    fprintf(stream, "    </%s>\n", element);
}

static void put_kinds(FILE *stream, const phx_fmu_description *it)
{
    static const char can[] = " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
                              " canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"/>\n";

    if (phx_unit_states(it->unit) > 0)
        fprintf(stream, "  <ModelExchange modelIdentifier=\"%s\"%s", it->identifier, can);
    if (phx_unit_steps(it->unit))
        fprintf(stream,
                "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"true\""
                " canInterpolateInputs=\"true\"%s",
                it->identifier, can);
}

void phx_fmu_put_description2(FILE *stream, const phx_fmu_description *it)
{
    const bool exchange = phx_unit_states(it->unit) > 0;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"", stream);
    phx_fmu_put_text(stream, it->name);
    fprintf(stream, "\" guid=\"%s\" description=\"", it->token);
    phx_fmu_put_text(stream, it->text);
    fprintf(stream,
            "\" generationTool=\"Phlexor %s\" variableNamingConvention=\"flat\" numberOfEventIndicators=\"%d\">\n",
            phx_version(), exchange ? phx_unit_n_indicators(it->unit) : 0);
    put_kinds(stream, it);
    phx_fmu_put_units(stream, it->unit);
    phx_fmu_put_log(stream);
    phx_fmu_put_experiment(stream, it);
    fputs("  <ModelVariables>\n", stream);
    for (int k = 0; k < phx_unit_variables(it->unit); k++)
        put_variable(stream, it->unit, k);
    fputs("  </ModelVariables>\n  <ModelStructure>\n", stream);
    put_list(stream, it->unit, PHX_FMU_OUTPUTS, "Outputs");
    if (exchange)
        put_list(stream, it->unit, PHX_FMU_DERIVATIVES, "Derivatives");
    put_list(stream, it->unit, PHX_FMU_INITIAL_UNKNOWNS, "InitialUnknowns");
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", stream);
}
