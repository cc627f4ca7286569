/* A simulation in short, as json. */
#include "summary.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1 << 15 };

typedef struct column_summary {
    double first, last, least, most;
    size_t at_least, at_most; /* rows */
} column_summary;

/* First, last, least and largest value of a column with the rows of the extremes, read in blocks. */
static phx_status summarise(const phx_result *result, int column, double *block, column_summary *summary)
{
    const size_t rows = phx_result_rows(result);
    for (size_t first = 0; first < rows; first += BLOCK) {
        const size_t count = rows - first < BLOCK ? rows - first : BLOCK;
        const phx_status status = phx_result_column(result, column, first, count, block);
        if (status)
            return status;
        if (first == 0)
            *summary = (column_summary){block[0], block[0], block[0], block[0], 0, 0};
        for (size_t i = 0; i < count; i++) {
            if (block[i] < summary->least) {
                summary->least = block[i];
                summary->at_least = first + i;
            }
            if (block[i] > summary->most) {
                summary->most = block[i];
                summary->at_most = first + i;
            }
        }
        summary->last = block[count - 1];
    }
    return PHX_OK;
}

/* Least and largest mean power of a ledger's entry between two instants, and the ends of these intervals. */
typedef struct power_summary {
    double least, most, at_least, at_most;
    bool known;
} power_summary;

/* P = (W(i) - W(i-1)) / (t(i) - t(i-1)) of an entry that supplies work, else unknown; with time and work read in blocks
 * that overlap by a row. */
static phx_status summarise_power(const phx_result *result, int entry, double *block, power_summary *power)
{
    const size_t rows = phx_result_rows(result), half = BLOCK / 2;
    double *work = block + half;
    phx_status status = PHX_OK;

    *power = (power_summary){.least = INFINITY, .most = -INFINITY};
    if (phx_result_ledger_entry(result, entry)->dissipates)
        return PHX_OK;
    for (size_t first = 0; first + 1 < rows && !status; first += half - 1) {
        const size_t count = rows - first < half ? rows - first : half;
        status = phx_result_column(result, 0, first, count, block);
        if (!status)
            status = phx_result_ledger_values(result, entry, first, count, work);
        for (size_t i = 1; i < count && !status; i++) {
            const double mean = (work[i] - work[i - 1]) / (block[i] - block[i - 1]);
            if (!isfinite(mean))
                continue; /* an event has two rows at one instant */
            if (mean < power->least)
                power->least = mean, power->at_least = block[i];
            if (mean > power->most)
                power->most = mean, power->at_most = block[i];
            power->known = true;
        }
    }
    return status;
}

static void put_key(phx_output *out, const char *before, const char *name)
{
    phx_output_text(out, before);
    phx_output_json(out, name);
    phx_output_text(out, ": ");
}

static void summary_put_number(phx_output *out, const char *name, double value)
{
    put_key(out, ", ", name);
    phx_output_number(out, value);
}

/* ---- the parts ---- */
static bool is_setting(const char *name)
{
    static const char *const others[] = {"format", "format_version", "model_name", "program_version",
                                         "status", "reason",         "dimension"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(others[k], name) == 0)
            return false;
    return true;
}

static void summary_put_text(phx_output *out, const phx_result *result, const char *key, const char *attribute)
{
    const char *text = phx_result_text(result, attribute);
    put_key(out, ",\n  ", key);
    phx_output_json(out, text ? text : "");
}

/* The model, how the run ended, and the attributes: settings, then counts and times of the run. */
static void summary_put_head(phx_output *out, const phx_result *result)
{
    phx_output_text(out, "{\n  \"format\": \"phlexor summary\",\n  \"format_version\": 1");
    summary_put_text(out, result, "title", "model_name");
    summary_put_text(out, result, "program_version", "program_version");
    summary_put_text(out, result, "status", "status");
    summary_put_text(out, result, "reason", "reason");
    phx_output_format(out, ",\n  \"dimension\": %d,\n  \"rows\": %zu,\n  \"bodies\": [", phx_result_dimension(result),
                      phx_result_rows(result));
    for (int b = 0; b < phx_result_bodies(result); b++) {
        phx_output_text(out, b ? ", " : "");
        phx_output_json(out, phx_result_body(result, b)->name);
    }
    phx_output_format(out, "],\n  \"coordinates\": %d,\n  \"velocities\": %d,\n  \"attributes\": {",
                      phx_result_n_x(result), phx_result_n_v(result));
    const char *before = "\n    ";
    for (int k = 0; k < phx_result_attributes(result); k++) {
        const phx_attribute *attribute = phx_result_attribute(result, k);
        if (!is_setting(attribute->name))
            continue;
        put_key(out, before, attribute->name);
        if (attribute->text)
            phx_output_json(out, attribute->text);
        else
            phx_output_number(out, attribute->number);
        before = ",\n    ";
    }
    phx_output_text(out, "}");
}

/* The largest over the run: of |kinetic|, |elastic|, |energy|; of |residual|; of the drift of the joints. */
static void put_largest(phx_output *out, const phx_result *result, const column_summary *summaries)
{
    static const struct {
        const char *name, *columns[3];
    } sizes[] = {{"energy", {"kinetic", "elastic", "energy"}},
                 {"residual", {"residual"}},
                 {"drift", {"drift"}},
                 {"drift_rate", {"drift_rate"}}};
    const char *before = "";
    phx_output_text(out, ",\n  \"largest\": {");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double largest = -1.0;
        for (int i = 0; i < 3 && sizes[k].columns[i]; i++) {
            const int column = phx_result_column_find(result, sizes[k].columns[i]);
            if (column >= 0)
                largest = fmax(largest, fmax(fabs(summaries[column].least), fabs(summaries[column].most)));
        }
        if (largest < 0.0)
            continue;
        put_key(out, before, sizes[k].name);
        phx_output_number(out, largest);
        before = ", ";
    }
    phx_output_text(out, "}");
}

/* Work that each entry of the ledger has supplied or dissipated at the end. */
static phx_status put_ledger(phx_output *out, const phx_result *result)
{
    const size_t rows = phx_result_rows(result);
    phx_status status = PHX_OK;
    for (int takes = 0; takes < 2 && !status; takes++) {
        const char *before = "";
        put_key(out, takes ? ", " : ",\n  \"ledger\": {", takes ? "dissipated" : "supplied");
        phx_output_text(out, "{");
        for (int k = 0; k < phx_result_ledger(result) && !status; k++) {
            const phx_record_entry *entry = phx_result_ledger_entry(result, k);
            double value = 0.0;
            if (entry->dissipates != (takes == 1))
                continue;
            status = phx_result_ledger_values(result, k, rows - 1, 1, &value);
            put_key(out, before, entry->name);
            phx_output_number(out, value);
            before = ", ";
        }
        phx_output_text(out, "}");
    }
    phx_output_text(out, "}");
    return status;
}

/* Writes the powers of all entries that supply work. */
static phx_status put_powers(phx_output *out, const phx_result *result, double *block)
{
    phx_status status = PHX_OK;
    const char *before = "";
    phx_output_text(out, ",\n  \"powers\": {");
    for (int k = 0; k < phx_result_ledger(result) && !status; k++) {
        power_summary power = {0};
        status = summarise_power(result, k, block, &power);
        if (status || !power.known)
            continue;
        put_key(out, before, phx_result_ledger_entry(result, k)->name);
        put_key(out, "{", "min");
        phx_output_number(out, power.least);
        summary_put_number(out, "max", power.most);
        summary_put_number(out, "t_min", power.at_least);
        summary_put_number(out, "t_max", power.at_most);
        phx_output_text(out, "}");
        before = ", ";
    }
    phx_output_text(out, "}");
    return status;
}

/* Writes the summary of a column as JSON members, with the times of its extremes. */
static phx_status summary_put_column(phx_output *out, const phx_result *result, const column_summary *summary)
{
    double time[2] = {0.0, 0.0};
    phx_status status = phx_result_column(result, 0, summary->at_least, 1, &time[0]);
    if (!status)
        status = phx_result_column(result, 0, summary->at_most, 1, &time[1]);
    if (status)
        return status;
    summary_put_number(out, "first", summary->first);
    summary_put_number(out, "last", summary->last);
    summary_put_number(out, "min", summary->least);
    summary_put_number(out, "max", summary->most);
    summary_put_number(out, "t_min", time[0]);
    summary_put_number(out, "t_max", time[1]);
    return PHX_OK;
}

/* Writes unit and summary of all columns as the last member of the JSON object. */
static phx_status put_columns(phx_output *out, const phx_result *result, const column_summary *summaries)
{
    phx_status status = PHX_OK;
    phx_output_text(out, ",\n  \"columns\": {");
    for (int c = 0; c < phx_result_columns(result) && !status; c++) {
        put_key(out, c ? ",\n    " : "\n    ", phx_result_column_name(result, c));
        put_key(out, "{", "unit");
        phx_output_json(out, phx_result_column_unit(result, c));
        if (phx_result_rows(result) > 0)
            status = summary_put_column(out, result, &summaries[c]);
        phx_output_text(out, "}");
    }
    phx_output_text(out, "}\n}");
    phx_output_line(out);
    return status;
}

/* ---- the whole ---- */
phx_status phx_summary_put(phx_context *context, const phx_result *result, phx_output *out)
{
    const size_t count = (size_t)phx_result_columns(result);
    double *block = phx_calloc(context, BLOCK, sizeof *block);
    column_summary *summaries = phx_calloc(context, count, sizeof *summaries);
    phx_status status = block && summaries ? PHX_OK : PHX_ERR_MEMORY;
    for (size_t c = 0; c < count && !status; c++)
        status = summarise(result, (int)c, block, &summaries[c]);
    if (!status) {
        summary_put_head(out, result);
        if (phx_result_rows(result) > 0) {
            put_largest(out, result, summaries);
            status = put_ledger(out, result);
            if (!status)
                status = put_powers(out, result, block);
        }
        if (!status)
            status = put_columns(out, result, summaries);
    }
    phx_free(block);
    phx_free(summaries);
    return status;
}

/* Writes the summary of a result as JSON to a stream. */
phx_status phx_result_summary(phx_context *context, const char *path, FILE *stream, const char *name)
{
    if (!path || !stream)
        return phx_fail_null(context, __func__, "path or stream");
    phx_result *result = NULL;
    phx_output out;
    phx_status status = phx_result_read(context, path, &result);
    if (!status)
        status = phx_output_open_stream(context, stream, name, &out);
    if (!status) {
        status = phx_summary_put(context, result, &out);
        if (status)
            phx_output_close(&out, false);
        else
            status = phx_output_commit(&out);
    }
    phx_result_destroy(result);
    return phx_conclude(context, status);
}

/* ---- the extremes, as text ---- */
enum { EXTREMES = 24 }; /* lines of them at most */

/* A line: name, unit, least and largest value with their times. */
static void put_extreme(FILE *stream, int width, const char *name, const char *unit, const double values[4])
{
    fprintf(stream, "    %-*s %-6s %13.6g  at %-12.6g %13.6g  at %.6g\n", width, name, unit[0] ? unit : "-", values[0],
            values[1], values[2], values[3]);
}

static int wider(int width, const char *name)
{
    const int own = (int)strlen(name);
    return own > width ? own : width;
}

/* Prints the extremes of a column. */
static phx_status print_column(const phx_result *result, int column, int width, double *block, FILE *stream)
{
    column_summary summary = {0};
    double values[4];
    phx_status status = summarise(result, column, block, &summary);
    if (!status)
        status = phx_result_column(result, 0, summary.at_least, 1, &values[1]);
    if (!status)
        status = phx_result_column(result, 0, summary.at_most, 1, &values[3]);
    values[0] = summary.least;
    values[2] = summary.most;
    if (!status)
        put_extreme(stream, width, phx_result_column_name(result, column), phx_result_column_unit(result, column),
                    values);
    return status;
}

/* Prints the extremes of all outputs and powers, EXTREMES lines at most. */
static phx_status print_extremes(const phx_result *result, double *block, FILE *stream)
{
    static const char *const title = "  extremes     least and largest value, and the times, s\n";
    /* the outputs come after what every simulation has */
    const int first = phx_result_column_find(result, "drift_rate") + 1, columns = phx_result_columns(result),
              ledger = phx_result_ledger(result);
    int width = 8, lines = 0;
    phx_status status = PHX_OK;

    for (int c = first; c < columns; c++)
        width = wider(width, phx_result_column_name(result, c));
    for (int k = 0; k < ledger; k++)
        width = wider(width, phx_result_ledger_entry(result, k)->name);
    for (int c = first; c < columns && !status; c++, lines++) {
        if (lines == 0)
            fputs(title, stream);
        if (lines < EXTREMES)
            status = print_column(result, c, width, block, stream);
    }
    for (int k = 0; k < ledger && !status; k++) {
        power_summary power = {0};
        status = summarise_power(result, k, block, &power);
        if (status || !power.known)
            continue;
        if (lines == 0)
            fputs(title, stream);
        if (lines++ < EXTREMES)
            put_extreme(stream, width, phx_result_ledger_entry(result, k)->name, "W",
                        (const double[]){power.least, power.at_least, power.most, power.at_most});
    }
    if (lines > EXTREMES)
        fprintf(stream, "    and %d more, which --summary json lists\n", lines - EXTREMES);
    return status;
}

/* Prints the extremes of a result that is complete. */
phx_status phx_result_extremes(phx_context *context, const char *path, FILE *stream)
{
    if (!path || !stream)
        return phx_fail_null(context, __func__, "path or stream");
    phx_result *result = NULL;
    double *block = phx_calloc(context, BLOCK, sizeof *block);
    phx_status status = block ? phx_result_read(context, path, &result) : PHX_ERR_MEMORY;
    if (!status && phx_result_rows(result) > 0)
        status = print_extremes(result, block, stream);
    phx_result_destroy(result);
    phx_free(block);
    return phx_conclude(context, status);
}
