/* modelDescription.xml of others, by libxml2. */
#include "importer.h"

#include <limits.h>
#include <loaded/xml2.h>
#include <stdlib.h>
#include <string.h>

/* ---- attributes ---- */
static phx_status attribute(phx_context *context, xmlNode *node, const char *name, char **value)
{
    xmlChar *text = xmlGetProp(node, (const xmlChar *)name);

    *value = NULL;
    if (!text)
        return PHX_OK;
    *value = phx_strdup(context, (const char *)text);
    xmlFree(text);
    return *value ? PHX_OK : PHX_ERR_MEMORY;
}

static bool is_true(xmlNode *node, const char *name)
{
    xmlChar *text = xmlGetProp(node, (const xmlChar *)name);
    const bool yes = text && (!strcmp((const char *)text, "true") || !strcmp((const char *)text, "1"));

    xmlFree(text);
    return yes;
}

static double number(xmlNode *node, const char *name)
{
    xmlChar *text = xmlGetProp(node, (const xmlChar *)name);
    const double value = text ? strtod((const char *)text, NULL) : 0.0;

    xmlFree(text);
    return value;
}

/* A whole number; -1: it is not there or is none. */
static long whole(xmlNode *node, const char *name)
{
    xmlChar *text = xmlGetProp(node, (const xmlChar *)name);
    char *end = NULL;
    long value = text ? strtol((const char *)text, &end, 10) : -1;

    if (text && (end == (char *)text || *end || value < 0))
        value = -1;
    xmlFree(text);
    return value;
}

static bool is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

static xmlNode *child(const xmlNode *node, const char *name)
{
    for (xmlNode *node_at = node ? node->children : NULL; node_at; node_at = node_at->next)
        if (is(node_at, name))
            return node_at;
    return NULL;
}

static int count_elements(const xmlNode *node)
{
    int count = 0;
    for (const xmlNode *node_at = node ? node->children : NULL; node_at; node_at = node_at->next)
        count += node_at->type == XML_ELEMENT_NODE;
    return count;
}

/* Number of a word; `n` when it is none of them. */
static int word(const char *text, int n, const char *const *words)
{
    int k = 0;
    while (k < n && (!text || strcmp(text, words[k]) != 0))
        k++;
    return k;
}

/* ---- variables ---- */
static const char *const causalities[PHX_FMU_CAUSALITIES] = {
    "parameter", "calculatedParameter", "input", "output", "local", "independent", "structuralParameter"};

/* The default of `initial`: the table of the standard. */
static phx_fmu_initial default_initial(const phx_fmu_variable *variable)
{
    const bool fixed =
        variable->variability && (!strcmp(variable->variability, "fixed") || !strcmp(variable->variability, "tunable"));

    if (variable->variability && !strcmp(variable->variability, "constant"))
        return PHX_FMU_EXACT;
    switch (variable->causality) {
    case PHX_FMU_PARAMETER:
    case PHX_FMU_STRUCTURAL:
        return PHX_FMU_EXACT;
    case PHX_FMU_INPUT:
    case PHX_FMU_INDEPENDENT:
        return PHX_FMU_NO_INITIAL;
    default:
        (void)fixed;
        return PHX_FMU_CALCULATED;
    }
}

/* Type of a variable by the name of its XML element; PHX_FMU_OTHER_TYPE for types that are not supported. */
static phx_fmu_type type_of(const xmlNode *typed)
{
    static const struct {
        const char *name;
        phx_fmu_type type;
    } types[] = {{"Real", PHX_FMU_REAL},
                 {"Float64", PHX_FMU_REAL},
                 {"Integer", PHX_FMU_INTEGER},
                 {"Int32", PHX_FMU_INTEGER},
                 {"Boolean", PHX_FMU_BOOLEAN},
                 {"String", PHX_FMU_STRING},
                 {"Enumeration", PHX_FMU_ENUMERATION}};

    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (is(typed, types[k].name))
            return types[k].type;
    return PHX_FMU_OTHER_TYPE;
}

/* Reads one variable with its type, causality, reference and start; missing attributes get the defaults of the
 * standard. A name is required. */
static phx_status read_variable(phx_context *context, xmlNode *node, int version, phx_fmu_variable *variable)
{
    static const char *const initials[] = {"exact", "approx", "calculated"};
    xmlNode *typed = version == 2 ? node->children : node;
    char *causality = NULL, *initial = NULL;

    while (typed && typed->type != XML_ELEMENT_NODE)
        typed = typed->next;
    phx_status status = attribute(context, node, "name", &variable->name);
    if (!status)
        status = attribute(context, node, "variability", &variable->variability);
    if (!status)
        status = attribute(context, node, "causality", &causality);
    if (!status)
        status = attribute(context, node, "initial", &initial);
    if (!status && typed)
        status = attribute(context, typed, "unit", &variable->unit);
    if (!status && typed)
        status = attribute(context, typed, "start", &variable->start);
    if (!status) {
        variable->type = typed ? type_of(typed) : PHX_FMU_OTHER_TYPE;
        variable->array = version == 3 && child(node, "Dimension") != NULL;
        variable->causality =
            causality ? (phx_fmu_causality)word(causality, PHX_FMU_CAUSALITIES, causalities) : PHX_FMU_LOCAL;
        variable->reference = (unsigned)whole(node, "valueReference");
        variable->derivative = typed ? whole(typed, "derivative") : -1;
        variable->initial = initial ? (phx_fmu_initial)word(initial, 3, initials) : default_initial(variable);
    }
    phx_free(causality);
    phx_free(initial);
    if (!status && !variable->name)
        return phx_fail(context, PHX_ERR_INPUT, "modelDescription.xml:%ld: a variable without a name",
                        xmlGetLineNo(node));
    return status;
}

static phx_status read_variables(phx_context *context, xmlNode *list, phx_fmu_model *model)
{
    phx_status status = PHX_OK;

    model->variables = phx_calloc(context, (size_t)count_elements(list), sizeof *model->variables);
    if (!model->variables)
        return PHX_ERR_MEMORY;
    for (xmlNode *node = list ? list->children : NULL; node && !status; node = node->next)
        if (node->type == XML_ELEMENT_NODE)
            status = read_variable(context, node, model->version, &model->variables[model->n_variables++]);
    return status;
}

/* ---- structure, units ---- */
static void read_unknowns2(xmlNode *list, int kind, phx_fmu_model *model)
{
    for (xmlNode *node = list ? list->children : NULL; node; node = node->next)
        if (is(node, "Unknown"))
            model->unknowns[model->n_unknowns++] = (phx_fmu_unknown){.of = whole(node, "index"), .kind = kind};
}

static void read_unknowns3(xmlNode *list, phx_fmu_model *model)
{
    static const char *const kinds[] = {"Output", "ContinuousStateDerivative", "InitialUnknown", "EventIndicator"};

    for (xmlNode *node = list ? list->children : NULL; node; node = node->next)
        if (node->type == XML_ELEMENT_NODE)
            model->unknowns[model->n_unknowns++] = (phx_fmu_unknown){.of = whole(node, "valueReference"),
                                                                     .kind = word((const char *)node->name, 4, kinds)};
}

/* Reads the outputs, derivatives and initial unknowns of an FMU from its model structure. */
static phx_status read_structure(phx_context *context, xmlNode *structure, phx_fmu_model *model)
{
    static const char *const lists[] = {"Outputs", "Derivatives", "InitialUnknowns"};
    int most = count_elements(structure);

    for (int k = 0; k < 3; k++)
        most += count_elements(child(structure, lists[k]));
    model->unknowns = phx_calloc(context, (size_t)most, sizeof *model->unknowns);
    if (!model->unknowns)
        return PHX_ERR_MEMORY;
    if (model->version == 3)
        read_unknowns3(structure, model);
    for (int k = 0; k < 3 && model->version == 2; k++)
        read_unknowns2(child(structure, lists[k]), k, model);
    return PHX_OK;
}

static phx_status read_units(phx_context *context, xmlNode *list, phx_fmu_model *model)
{
    phx_status status = PHX_OK;

    model->units = phx_calloc(context, (size_t)count_elements(list), sizeof *model->units);
    if (!model->units)
        return PHX_ERR_MEMORY;
    for (xmlNode *node = list ? list->children : NULL; node && !status; node = node->next)
        if (is(node, "Unit"))
            status = attribute(context, node, "name", &model->units[model->n_units++]);
    return status;
}

/* ---- the whole ---- */
enum { MOST_INDICATORS = 1000000 }; /* more are a mistake */

/* Reads version, names, abilities, default experiment, units, variables and structure of an FMU; versions other than
 * 2.0 and 3.0 fail. */
static phx_status read_root(phx_context *context, xmlNode *root, phx_fmu_model *model)
{
    xmlNode *unit = child(root, "CoSimulation"), *exchange = child(root, "ModelExchange");
    xmlNode *experiment = child(root, "DefaultExperiment");
    char *version = NULL;
    phx_status status = attribute(context, root, "fmiVersion", &version);

    if (!status && version)
        model->version = !strncmp(version, "2.0", 3) ? 2 : !strncmp(version, "3.0", 3) ? 3 : 0;
    if (!status && model->version == 0)
        status = phx_fail(context, PHX_ERR_INPUT, "modelDescription.xml: version %s of the FMI; known are 2.0 and 3.0",
                          phx_shown_text(version ? version : "").text);
    phx_free(version);
    if (!status)
        status = attribute(context, root, "modelName", &model->name);
    if (!status)
        status = attribute(context, root, model->version == 2 ? "guid" : "instantiationToken", &model->token);
    if (!status && unit)
        status = attribute(context, unit, "modelIdentifier", &model->identifier);
    if (!status && exchange)
        status = attribute(context, exchange, "modelIdentifier", &model->exchange_identifier);
    if (unit && !status) {
        model->gets_state = is_true(unit, model->version == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
        model->serializes_state = is_true(unit, model->version == 2 ? "canSerializeFMUstate" : "canSerializeFMUState");
        model->needs_tool = is_true(unit, "needsExecutionTool");
        model->has_event_mode = is_true(unit, "hasEventMode");
    }
    if (exchange && !status) {
        model->exchange_gets_state =
            is_true(exchange, model->version == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
        model->needs_tool = model->needs_tool || is_true(exchange, "needsExecutionTool");
    }
    if (experiment) {
        model->start = number(experiment, "startTime");
        model->stop = number(experiment, "stopTime");
        model->step = number(experiment, "stepSize");
    }
    if (!status)
        status = read_units(context, child(root, "UnitDefinitions"), model);
    if (!status)
        status = read_variables(context, child(root, "ModelVariables"), model);
    if (!status)
        status = read_structure(context, child(root, "ModelStructure"), model);
    const long indicators = model->version == 2 ? whole(root, "numberOfEventIndicators") : 0;
    model->n_indicators = indicators > 0 && indicators <= MOST_INDICATORS ? (int)indicators : 0;
    for (int k = 0; k < model->n_unknowns && model->version == 3; k++)
        model->n_indicators += model->unknowns[k].kind == 3;
    return status;
}

static void be_silent(void *user, const char *format, ...)
{
    (void)user, (void)format;
}

/* Parses modelDescription.xml from memory; the model is empty after a failure. */
phx_status phx_fmu_read_model(phx_context *context, const char *bytes, size_t size, phx_fmu_model *model)
{
    phx_status status = phx_load_xml2(context);
    xmlParserCtxt *parser = !status && size <= INT_MAX ? xmlNewParserCtxt() : NULL;

    *model = (phx_fmu_model){0};
    if (status)
        return status;
    if (!parser)
        return PHX_ERR_MEMORY;
    parser->sax->error = parser->sax->warning = be_silent;
    xmlDoc *document = xmlCtxtReadMemory(parser, bytes, (int)size, NULL, NULL,
                                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlNode *root = document ? xmlDocGetRootElement(document) : NULL;
    const xmlError *error = xmlCtxtGetLastError(parser);
    if (!document)
        status = phx_fail(context, PHX_ERR_INPUT, "modelDescription.xml:%d: %s", error ? error->line : 0,
                          error && error->message ? phx_shown_text(error->message).text : "cannot be read");
    else if (!root || !is(root, "fmiModelDescription"))
        status = phx_fail(context, PHX_ERR_INPUT, "modelDescription.xml does not describe an FMU");
    else
        status = read_root(context, root, model);
    xmlFreeDoc(document);
    xmlFreeParserCtxt(parser);
    if (status)
        phx_fmu_free_model(model);
    return status;
}

/* Frees the description of an FMU and leaves it empty. */
void phx_fmu_free_model(phx_fmu_model *model)
{
    for (int k = 0; k < model->n_variables; k++) {
        phx_free(model->variables[k].name);
        phx_free(model->variables[k].variability);
        phx_free(model->variables[k].unit);
        phx_free(model->variables[k].start);
    }
    for (int k = 0; k < model->n_units; k++)
        phx_free(model->units[k]);
    phx_free(model->variables);
    phx_free(model->unknowns);
    phx_free(model->units);
    phx_free(model->name);
    phx_free(model->token);
    phx_free(model->identifier);
    phx_free(model->exchange_identifier);
    *model = (phx_fmu_model){0};
}
