/* The table of a comparison: text, csv, json. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 4, WIDTH = 11 };

double phx_compared_share(const phx_compared *row, double difference)
{
    return difference == 0.0 ? 0.0 : row->range > 0.0 ? difference / row->range : NAN;
}

/* ---- text ---- */
static void put_cell(phx_output *out, double value)
{
    char number[PHX_NUMBER_SIZE] = "-";
    if (!isnan(value))
        phx_number_format(value, DIGITS, number);
    phx_output_format(out, "  %*s", WIDTH, number);
}

/* A block for each file: its time, then a line for each output. */
static void put_text(const phx_comparison *comparison, phx_output *out)
{
    int wide = 6, file = -1;
    for (int k = 0; k < comparison->count; k++)
        wide = (int)strlen(comparison->rows[k].name) > wide ? (int)strlen(comparison->rows[k].name) : wide;
    for (int k = 0; k < comparison->count; k++) {
        const phx_compared *row = &comparison->rows[k];
        if (row->file != file) {
            phx_output_format(out, "%s%s less %s, %.10g to %.10g s", k ? "\n" : "",
                              comparison->others.items[row->file].path, comparison->path, row->norms.from,
                              row->norms.to);
            phx_output_line(out);
            phx_output_format(out, "%-*s  %-8s  %*s  %*s  %*s  %*s  %*s  %*s  %*s", wide, "output", "unit", WIDTH,
                              "range", WIDTH, "largest", WIDTH, "of range", WIDTH, "at (s)", WIDTH, "rms", WIDTH,
                              "of range", WIDTH, "at the end");
            phx_output_line(out);
            file = row->file;
        }
        const double values[] = {row->range,    row->norms.largest, phx_compared_share(row, row->norms.largest),
                                 row->norms.at, row->norms.rms,     phx_compared_share(row, row->norms.rms),
                                 row->norms.end};
        phx_output_format(out, "%-*s  %-8s", wide, row->name, row->unit[0] ? row->unit : "-");
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            put_cell(out, values[i]);
        if (row->above) {
            phx_output_text(out, "  above");
            put_cell(out, row->tolerance);
        }
        phx_output_line(out);
    }
}

/* ---- csv and json ---- */
enum { VALUES = 10 };
static const char *const value_names[VALUES] = {"from",       "to",  "range",     "largest", "largest_share",
                                                "largest_at", "rms", "rms_share", "end",     "tolerance"};

/* The numbers of a row in the order of value_names. */
static void values_of(const phx_compared *row, double values[VALUES])
{
    const phx_norms *norms = &row->norms;
    const double all[VALUES] = {norms->from,
                                norms->to,
                                row->range,
                                norms->largest,
                                phx_compared_share(row, norms->largest),
                                norms->at,
                                norms->rms,
                                phx_compared_share(row, norms->rms),
                                norms->end,
                                row->tolerance};
    memcpy(values, all, sizeof all);
}

/* A line for each output of each file. */
static void put_csv(const phx_comparison *comparison, phx_output *out)
{
    double values[VALUES];
    phx_output_text(out, "file,output,unit");
    for (int i = 0; i < VALUES; i++)
        phx_output_format(out, ",%s", value_names[i]);
    phx_output_text(out, ",above");
    phx_output_line(out);
    for (int k = 0; k < comparison->count; k++) {
        const phx_compared *row = &comparison->rows[k];
        const char *const texts[] = {comparison->others.items[row->file].path, row->name, row->unit};
        for (int i = 0; i < 3; i++) {
            phx_output_text(out, i ? "," : "");
            phx_output_csv(out, texts[i]);
        }
        values_of(row, values);
        for (int i = 0; i < VALUES; i++) {
            phx_output_text(out, ",");
            if (!isnan(values[i]))
                phx_output_number(out, values[i]);
        }
        phx_output_text(out, row->above ? ",1" : ",0");
        phx_output_line(out);
    }
}

/* One output as an object; null for undefined numbers. */
static void put_json_row(const phx_compared *row, phx_output *out)
{
    double values[VALUES];
    phx_output_text(out, "\n      {\"output\": ");
    phx_output_json(out, row->name);
    phx_output_text(out, ", \"unit\": ");
    phx_output_json(out, row->unit);
    values_of(row, values);
    for (int i = 0; i < VALUES; i++) {
        phx_output_format(out, ", \"%s\": ", value_names[i]);
        if (isnan(values[i]))
            phx_output_text(out, "null");
        else
            phx_output_number(out, values[i]);
    }
    phx_output_format(out, ", \"above\": %s}", row->above ? "true" : "false");
}

/* The reference, and for each file the list of its outputs. */
static void put_json(const phx_comparison *comparison, phx_output *out)
{
    int file = -1;
    phx_output_text(out, "{\n  \"format\": \"phlexor comparison\",\n  \"format_version\": 1,\n  \"reference\": ");
    phx_output_json(out, comparison->path);
    phx_output_text(out, ",\n  \"files\": [");
    for (int k = 0; k < comparison->count; k++) {
        const phx_compared *row = &comparison->rows[k];
        phx_output_text(out, row->file == file ? "," : file < 0 ? "\n    {\"file\": " : "]},\n    {\"file\": ");
        if (row->file != file) {
            phx_output_json(out, comparison->others.items[row->file].path);
            phx_output_text(out, ", \"outputs\": [");
        }
        file = row->file;
        put_json_row(row, out);
    }
    phx_output_text(out, "]}\n  ]\n}");
    phx_output_line(out);
}

void phx_comparison_put(const phx_comparison *comparison, const char *format, phx_output *out)
{
    if (!strcmp(format, "csv"))
        put_csv(comparison, out);
    else if (!strcmp(format, "json"))
        put_json(comparison, out);
    else
        put_text(comparison, out);
}
