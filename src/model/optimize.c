/* `optimize`: parameters that are varied, objective, constraints, cases. */
#include "schema_parts.h"

static phx_status finish_variable(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_variable *variable = object;

    if (!(variable->min < variable->max))
        return phx_reader_fail(reader, phx_node_find(node, "max"), "expected more than min, %.10g, found %.10g",
                               variable->min, variable->max);
    return phx_find_item_parameter(reader, &variable->parameter);
}

/* What methods cannot have, and parameters that are both varied and of a case. */
static phx_status finish_optimize(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_model_optimize *optimize = object;
    const phx_node *method = phx_node_of(node, "method");
    bool equal = false;

    for (int k = 0; k < optimize->n_constraints; k++)
        equal = equal || optimize->constraints[k].kind == PHX_MODEL_EQUALS;
    if (optimize->method == PHX_MODEL_MMA && equal)
        return phx_reader_fail(reader, method, "mma has no constraints with 'equals'; use slsqp or cobyla");
    if (optimize->method == PHX_MODEL_BOBYQA && optimize->n_constraints > 0)
        return phx_reader_fail(reader, method,
                               "bobyqa has no constraints but min and max of the variables; use cobyla");
    for (int c = 0; c < optimize->n_cases; c++) {
        int first;
        const int count = phx_names_range(&reader->content->parameters, optimize->cases[c].name, &first);
        for (int v = 0; v < optimize->n_variables; v++)
            if (optimize->variables[v].parameter >= first && optimize->variables[v].parameter < first + count)
                return phx_reader_fail(reader, phx_node_of(node, "cases"), "'%s' is one of the variables",
                                       optimize->variables[v].name);
    }
    return PHX_OK;
}

/* ---- keys ---- */
static const phx_key variable_keys[] = {
    {"min", &phx_type_number, AT(phx_model_variable, min), .required = true, .doc = "smallest value"},
    {"max", &phx_type_number, AT(phx_model_variable, max), .required = true, .doc = "largest value"},
    {"scale", &phx_type_optional, AT(phx_model_variable, scale), .range = &positive, .fallback = "max - min",
     .doc = "a typical change; tolerances are relative to it"},
};
static const phx_object variable = {"variable", "A parameter that is varied. It starts at its value in the file.",
                                    TABLE(phx_model_variable, variable_keys), .of_entries = true,
                                    .finish = finish_variable};

static const phx_word words_bound[] = {WORD("min", PHX_BOTH), WORD("max", PHX_BOTH), WORD("equals", PHX_BOTH),
                                       WORD(NULL, 0)};
static const phx_key constraint_keys[] = {
    {"of", &phx_type_column, AT(phx_model_constraint, of), .required = true, .doc = "an objective"},
    {"min", &phx_type_number, AT(phx_model_constraint, limit), .required = true, .kinds = BIT(PHX_MODEL_MIN),
     .doc = "its smallest value"},
    {"max", &phx_type_number, AT(phx_model_constraint, limit), .required = true, .kinds = BIT(PHX_MODEL_MAX),
     .doc = "its largest value"},
    {"equals", &phx_type_number, AT(phx_model_constraint, limit), .required = true, .kinds = BIT(PHX_MODEL_EQUALS),
     .doc = "its value"},
};
static const phx_object constraint = {"constraint", "With cases it holds in each of them.",
                                      TABLE(phx_model_constraint, constraint_keys),
                                      KINDS(PHX_KIND_PRESENT, words_bound, phx_model_constraint)};

static const phx_range tolerance_range = {"a number from 0 to 1", .high = 1.0};
static const phx_word words_goal[] = {WORD("minimize", PHX_BOTH), WORD("maximize", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_over[] = {WORD("worst", PHX_BOTH), WORD("sum", PHX_BOTH), WORD(NULL, 0)};
static const phx_word words_optimizer[] = {WORD("auto", PHX_BOTH),   WORD("mma", PHX_BOTH),    WORD("slsqp", PHX_BOTH),
                                           WORD("bobyqa", PHX_BOTH), WORD("cobyla", PHX_BOTH), WORD(NULL, 0)};
static const phx_key optimize_keys[] = {
    {"variables", &phx_type_map, AT(phx_model_optimize, variables), .required = true, .object = &variable,
     .count_offset = AT(phx_model_optimize, n_variables), .doc = "parameters that are varied, by name"},
    {"minimize", &phx_type_column, AT(phx_model_optimize, objective), .required = true,
     .kinds = BIT(PHX_MODEL_MINIMIZE), .doc = "objective of docs/sensitivity.md, as `modes.omega.1`"},
    {"maximize", &phx_type_column, AT(phx_model_optimize, objective), .required = true,
     .kinds = BIT(PHX_MODEL_MAXIMIZE), .doc = "the same"},
    {"constraints", &phx_type_list, AT(phx_model_optimize, constraints), .object = &constraint, .fallback = "none",
     .count_offset = AT(phx_model_optimize, n_constraints), .doc = "limits of objectives"},
    {"cases", &phx_type_map, AT(phx_model_optimize, cases), .object = &phx_schema_sweep, .fallback = "one case",
     .count_offset = AT(phx_model_optimize, n_cases),
     .doc = "values of parameters, at all of which the model is analysed, by name; several multiply"},
    {"over", &phx_type_word, AT(phx_model_optimize, over), .words = words_over, .fallback = "worst",
     .doc = "the objective of several cases: that of the worst case, or the sum"},
    {"method", &phx_type_word, AT(phx_model_optimize, method), .words = words_optimizer, .fallback = "auto",
     .doc =
         "mma and slsqp use derivatives, bobyqa and cobyla do not; auto: mma, or slsqp if a constraint has `equals`"},
    {"evaluations", &phx_type_integer, AT(phx_model_optimize, evaluations), .range = &count_range, .fallback = "100",
     .doc = "largest number of points"},
    {"tolerance", &phx_type_number, AT(phx_model_optimize, tolerance), .range = &tolerance_range, .fallback = "1e-6",
     .doc = "relative change of the objective or of the variables at which the search ends, and allowed violation of "
            "constraints"},
};
const phx_object phx_schema_optimize = {
    "optimize", "What `phlexor optimize` looks for.", TABLE(phx_model_optimize, optimize_keys),
    KINDS(PHX_KIND_PRESENT, words_goal, phx_model_optimize), .finish = finish_optimize};
