/* The model and numbers on the command line. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "results/results.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

phx_status cli_save_with(phx_context *context, phx_model *model, int count, phx_model_override *values,
                         const char *path)
{
    phx_status status = phx_model_set_parameters(context, model, count, values);

    if (!status)
        status = phx_model_save(context, model, path);
    phx_free(values);
    return status;
}

/* Reads a model with the overrides NAME=VALUE of --set; -1 on success, else the exit status after printing the
 * error. */
int cli_read_model(phx_context *context, const char *path, const cli_list *set, phx_model **model)
{
    phx_model_override *overrides = phx_calloc(context, (size_t)set->count, sizeof *overrides);
    char **names = phx_calloc(context, (size_t)set->count, sizeof *names);
    phx_status status = overrides && names ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < set->count && !status; k++) {
        const char *item = set->items[k], *equals = strchr(item, '=');
        if (!equals || equals == item || !equals[1]) {
            status = phx_fail(context, PHX_ERR_INPUT, "--set: expected name=value, found '%s'", item);
            break;
        }
        names[k] = phx_strdup(context, item);
        if (!names[k]) {
            status = PHX_ERR_MEMORY;
            break;
        }
        names[k][equals - item] = '\0';
        overrides[k] = (phx_model_override){.name = names[k], .expression = equals + 1};
    }
    if (!status)
        status = phx_model_read(context, path, set->count, overrides, model);
    for (int k = 0; names && k < set->count; k++)
        phx_free(names[k]);
    phx_free(names);
    phx_free(overrides);
    if (status == PHX_ERR_FILE) { /* the command line names the file */
        cli_failed(context, status);
        return EXIT_USAGE;
    }
    return status ? cli_failed(context, status) : -1;
}

int cli_positive(phx_context *context, const phx_model *model, const char *option, const char *text,
                 phx_model_optional *value)
{
    if (!text)
        return -1;
    phx_status status = phx_model_evaluate(context, model, option, text, &value->value);
    if (!status && !(value->value > 0.0))
        status = phx_fail(context, PHX_ERR_INPUT, "%s: expected a number greater than 0, found '%s' = %g", option, text,
                          value->value);
    value->given = true;
    return status ? cli_failed(context, status) : -1;
}

int cli_positives(phx_context *context, const phx_model *model, size_t count, const cli_number *numbers)
{
    int status = -1;

    for (size_t k = 0; k < count && status < 0; k++)
        status = cli_positive(context, model, numbers[k].option, numbers[k].text, numbers[k].value);
    return status;
}

int cli_readable(const char *path)
{
    if (access(path, R_OK) == 0)
        return -1;
    cli_say(CLI_ERROR, cli_code_of(PHX_ERR_FILE), "cannot read '%s': %s", path, strerror(errno));
    return EXIT_USAGE;
}

int cli_writable(phx_context *context, int count, const char *const *paths)
{
    phx_status status = phx_files_check(context, count, paths);

    for (int k = 0; k < count && !status; k++)
        status = phx_output_check(context, paths[k]);
    if (!status)
        return -1;
    cli_failed(context, status);
    return status == PHX_ERR_MEMORY ? EXIT_FAILED : EXIT_USAGE;
}

/* The name of a file with another ending, in its folder or in the current directory; the caller frees it, NULL
 * without memory. */
char *cli_name(phx_context *context, const char *path, bool same_folder, const char *ending)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    const size_t folder = same_folder ? (size_t)(base - path) : 0;
    char *name = phx_calloc(context, folder + length + strlen(ending) + 1, 1);

    if (name) {
        memcpy(name, path, folder);
        memcpy(name + folder, base, length);
        memcpy(name + folder + length, ending, strlen(ending));
    }
    return name;
}

const char *cli_ending(const char *name)
{
    const char *dot = name ? strrchr(name, '.') : NULL;

    return dot && dot > name && dot[-1] != '/' && isalpha((unsigned char)dot[1]) && !strchr(dot, '/') ? dot + 1 : NULL;
}

int cli_choose_table(const cli_command *command, const char *output, const char **format)
{
    const char *ending = cli_ending(output);
    const char *of_name = !ending ? NULL : strcmp(ending, "txt") ? ending : "text";
    if (of_name && *format && strcmp(of_name, *format) != 0)
        return cli_usage_error(command, "--output %s: the ending contradicts --format %s", output, *format);
    *format = *format ? *format : of_name ? of_name : "text";
    return -1;
}

phx_table_style cli_table_style(bool units, const char *decimal, const char *name)
{
    const bool workbook = name && cli_ends_with(name, ".xlsx");

    return (phx_table_style){
        .units = units || workbook, .comma = decimal && !strcmp(decimal, "comma"), .workbook = workbook};
}

bool cli_ends_with(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);

    if (n <= m)
        return false;
    for (size_t k = 0; k < m; k++)
        if (tolower((unsigned char)name[n - m + k]) != ending[k])
            return false;
    return true;
}

phx_model_modes_at cli_at(const char *given)
{
    if (given && !strcmp(given, "steady"))
        return PHX_MODEL_AT_STEADY;
    return given && !strcmp(given, "static") ? PHX_MODEL_AT_STATIC : PHX_MODEL_AT_START;
}

/* Stores the integrator of that name in the options; -1 on success or without a name, else a usage error with the
 * nearest name. */
int cli_choose_integrator(const cli_command *command, const char *name, phx_simulate_options *options)
{
    const char *words[PHX_INTEGRATORS + 1] = {NULL};

    if (!name)
        return -1;
    for (int k = 0; k < PHX_INTEGRATORS; k++) {
        words[k] = phx_integrator_name((phx_integrator)k);
        if (!strcmp(words[k], name)) {
            options->has_integrator = true;
            options->integrator = (phx_integrator)k;
            return -1;
        }
    }
    const char *nearest = cli_nearest(name, words);
    if (nearest)
        return cli_usage_error(command, "--integrator: unknown integrator '%s'; did you mean '%s'?", name, nearest);
    char list[200] = "";
    for (int k = 0; k < PHX_INTEGRATORS; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", words[k]);
    return cli_usage_error(command, "--integrator: unknown integrator '%s'; expected one of %s", name, list);
}

/* Stores further results and the measured table in the options, after a look whether all files can be read; -1, or the
 * exit status. */
int cli_read_others(const cli_command *command, phx_context *context, const cli_list *files, const char *measured,
                    const char *map, cli_words *maps, phx_plot_options *options)
{
    if (!measured != !map)
        return cli_usage_error(command, "--with and --map belong together: --with MEASURED.csv --map COLUMN=OUTPUT");
    int status = cli_split(command, context, "--map", map, maps);
    for (int k = 0; k < files->count && status < 0; k++)
        status = cli_readable(files->items[k]);
    if (status < 0 && measured)
        status = cli_readable(measured);
    options->n_others = files->count - 1;
    options->others = files->items + 1;
    options->measured = measured;
    options->n_maps = maps->count;
    options->maps = maps->words;
    return status;
}
