/* The key `identify`: parameters that are found, and the measurements. */
#include "schema_parts.h"

/* Finds the parameter and compares its bounds. */
static phx_status finish_identify_parameter(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_identify_parameter *found = object;
    const phx_status status = phx_find_item_parameter(reader, &found->parameter);

    if (!status && found->min.given && found->max.given && !(found->min.value < found->max.value))
        return phx_reader_fail(reader, phx_node_find(node, "max"),
                               "expected a number greater than 'min', %.10g, found %.10g", found->min.value,
                               found->max.value);
    return status;
}

static const phx_key identify_parameter_keys[] = {
    {"min", &phx_type_optional, AT(phx_model_identify_parameter, min), .fallback = "none", .doc = "least value"},
    {"max", &phx_type_optional, AT(phx_model_identify_parameter, max), .fallback = "none", .doc = "largest value"},
};
static const phx_object identify_parameter = {
    "parameter to identify", "By its name under `parameters`, whose value is the start; `{}` without bounds.",
    TABLE(phx_model_identify_parameter, identify_parameter_keys), .of_entries = true,
    .finish = finish_identify_parameter};

#define DEVIATION(type)                                                                                                \
    {                                                                                                                  \
        "deviation", &phx_type_optional, AT(type, deviation),                                                          \
            .range = &positive, .fallback = "from the residuals",                                                      \
            .doc = "standard deviation of the measurement, in its unit"                                                \
    }
static const phx_key time_series_keys[] = {
    {"file", &phx_type_path, AT(phx_model_time_series, file), .fallback = "that of `--data`",
     .doc = "CSV file with a line of names; its first column is time; relative to the model file"},
    {"column", &phx_type_column, AT(phx_model_time_series, column), .required = true, .doc = "the measured column"},
    {"model", &phx_type_column, AT(phx_model_time_series, model), .fallback = "the column of the same name",
     .doc = "column of the result that it measures, or an expression of `y(COLUMN)`, t and parameters"},
    DEVIATION(phx_model_time_series),
    {"delay", &phx_type_number, AT(phx_model_time_series, delay), .unit = "s", .fallback = "0",
     .doc = "of the sensor: it shows the motion of `t - delay`"},
    {"from", &phx_type_optional, AT(phx_model_time_series, from), .unit = "s", .fallback = "the first sample",
     .doc = "earlier samples are left out"},
    {"to", &phx_type_optional, AT(phx_model_time_series, to), .unit = "s", .fallback = "the last sample",
     .doc = "later samples are left out"},
};
static const phx_object time_series = {"measured time series", "One column of a file.",
                                       TABLE(phx_model_time_series, time_series_keys)};

static const phx_key frequency_keys[] = {
    {"mode", &phx_type_integer, AT(phx_model_frequency, mode), .required = true, .range = &count_range,
     .doc = "number of the mode, from 1, in the order of frequency"},
    {"value", &phx_type_number, AT(phx_model_frequency, value), .required = true, .unit = "Hz", .range = &positive,
     .doc = "measured"},
    {"deviation", &phx_type_optional, AT(phx_model_frequency, deviation), .unit = "Hz", .range = &positive,
     .fallback = "a share of the value, from the residuals", .doc = "standard deviation of the measurement"},
};
static const phx_object frequency = {"measured frequency", "Of a mode of `phlexor modes`.",
                                     TABLE(phx_model_frequency, frequency_keys)};

static const phx_key response_keys[] = {
    {"file", &phx_type_path, AT(phx_model_response, file), .required = true,
     .doc = "CSV file with the columns omega (rad/s), re and im, or gain and phase (rad); relative to the model file"},
    {"output", &phx_type_integer, AT(phx_model_response, output), .range = &count_range, .fallback = "1",
     .doc = "number of the output of `phlexor linearize`, from 1"},
    {"input", &phx_type_integer, AT(phx_model_response, input), .range = &count_range, .fallback = "1",
     .doc = "number of the input, from 1"},
    DEVIATION(phx_model_response),
};
static const phx_object response = {"measured frequency response", "Of the linear model of `phlexor linearize`.",
                                    TABLE(phx_model_response, response_keys)};

static const phx_key identify_keys[] = {
    {"parameters", &phx_type_map, AT(phx_model_identify, parameters), .required = true, .object = &identify_parameter,
     .count_offset = AT(phx_model_identify, n_parameters), .doc = "parameters to find, by name, with bounds"},
    {"time_series", &phx_type_some, AT(phx_model_identify, time_series), .object = &time_series, .fallback = "none",
     .count_offset = AT(phx_model_identify, n_time_series), .doc = "measured motions"},
    {"frequencies", &phx_type_some, AT(phx_model_identify, frequencies), .object = &frequency, .fallback = "none",
     .count_offset = AT(phx_model_identify, n_frequencies), .doc = "measured frequencies"},
    {"responses", &phx_type_some, AT(phx_model_identify, responses), .object = &response, .fallback = "none",
     .count_offset = AT(phx_model_identify, n_responses), .doc = "measured frequency responses"},
};
const phx_object phx_schema_identify = {"identify", "Parameters and measurements of `phlexor identify`.",
                                        TABLE(phx_model_identify, identify_keys)};
