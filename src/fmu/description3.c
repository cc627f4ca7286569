/* modelDescription.xml of FMI 3.0. */
#include "internal.h"

static void put_variable(FILE *stream, const phx_unit *unit, int k)
{
    phx_variable variable;

    phx_unit_variable(unit, k, &variable);
    fputs("    <Float64 ", stream);
    phx_fmu_put_attributes(stream, &variable, k);
    phx_fmu_put_real(stream, unit, &variable, 0);
    fputs("/>\n", stream);
}

static void put_kinds(FILE *stream, const phx_fmu_description *description)
{
    static const char can[] = " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
                              " providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"";

    if (phx_unit_states(description->unit) > 0)
        fprintf(stream, "  <ModelExchange modelIdentifier=\"%s\" needsCompletedIntegratorStep=\"true\"%s/>\n",
                description->identifier, can);
    if (phx_unit_steps(description->unit))
        fprintf(stream,
                "  <CoSimulation modelIdentifier=\"%s\"%s canHandleVariableCommunicationStepSize=\"true\"%s/>\n",
                description->identifier, can, description->events ? " hasEventMode=\"true\"" : "");
}

/* Writes modelDescription.xml of FMI 3.0. */
void phx_fmu_put_description3(FILE *stream, const phx_fmu_description *description)
{
    static const struct {
        phx_fmu_unknowns which;
        const char *element;
    } lists[] = {{PHX_FMU_OUTPUTS, "Output"},
                 {PHX_FMU_DERIVATIVES, "ContinuousStateDerivative"},
                 {PHX_FMU_INITIAL_UNKNOWNS, "InitialUnknown"},
                 {PHX_FMU_INDICATORS, "EventIndicator"}};

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"3.0\" modelName=\"", stream);
    phx_fmu_put_text(stream, description->name);
    fprintf(stream, "\" instantiationToken=\"%s\" description=\"", description->token);
    phx_fmu_put_text(stream, description->text);
    fprintf(stream, "\" generationTool=\"Phlexor %s\" variableNamingConvention=\"flat\">\n", phx_version());
    put_kinds(stream, description);
    phx_fmu_put_units(stream, description->unit);
    phx_fmu_put_log(stream);
    phx_fmu_put_experiment(stream, description);
    fputs("  <ModelVariables>\n", stream);
    for (int k = 0; k < phx_unit_variables(description->unit); k++)
        put_variable(stream, description->unit, k);
    fputs("  </ModelVariables>\n  <ModelStructure>\n", stream);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        phx_fmu_put_unknowns(stream, description->unit, lists[k].which, lists[k].element, "valueReference", 0);
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", stream);
}
