/* phlexor report, phlexor view */
#include "cli.h"

#include <string.h>

/* The last part of a path: what a page names as its origin. */
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The page is there; say what of a long result it shows. */
static void say(const char *output, const phx_report_size *size, int files)
{
    if (strcmp(output, "-") != 0)
        printf("%s\n", output);
    if (size->results < files)
        cli_say(CLI_NOTE, NULL, "the page shows %d of %d results, evenly chosen", size->results, files);
    if (size->frames < size->rows)
        cli_say(CLI_NOTE, NULL, "the animation shows %zu of %zu instants", size->frames, size->rows);
    if (size->points < size->rows)
        cli_say(CLI_NOTE, NULL, "the diagrams show the smallest and largest values of %zu intervals",
                (size->points - 2) / 2);
}

/* Writes the page and tells its name and what was left out; the exit status. */
static int report_report(phx_context *context, const cli_list *files, const char *output)
{
    const char *file = files->items[0];
    const phx_report_options options = {
        .source = file_name(file), .n_others = files->count - 1, .others = files->items + 1};
    phx_report_size size = {0};
    char *name = output ? NULL : cli_name(context, file, true, ".html");
    const char *path = output ? output : name;
    const phx_status status = path ? phx_study_report(context, file, &options, path, &size) : PHX_ERR_MEMORY;

    cli_progress_done();
    if (!status)
        say(path, &size, files->count);
    phx_free(name);
    return status ? cli_failed(context, status) : EXIT_DONE;
}

/* phlexor report: reads the options, then writes the page of a result; the exit status. */
int cli_report(const cli_command *command, phx_context *context, int argc, char **argv)
{
    const char *output = NULL;
    cli_list files = {0};
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "FILE.html", "the page (default: FILE with .html)", &output},
    };
    const cli_arguments arguments = {
        .options = options, .n_options = (int)(sizeof options / sizeof *options), .wanted = 1, .more = &files};
    int status = cli_parse(command, context, &arguments, argc, argv);

    for (int k = 0; k < files.count && status < 0; k++)
        status = cli_readable(files.items[k]);
    if (status < 0)
        status = cli_writable(context, 1, &output);
    if (status < 0)
        status = report_report(context, &files, output);
    cli_options_free(&arguments);
    return status;
}

typedef struct view_arguments {
    const char *model, *output;
    cli_list set;
} view_arguments;

/* Writes the page of a model before a run; after a failed assembly it shows the bodies in the poses of the file. */
static int view(phx_context *context, const view_arguments *given)
{
    const phx_report_options options = {.source = file_name(given->model)};
    phx_report_size size = {0};
    phx_model *model = NULL;
    char *name = NULL;
    int code = cli_read_model(context, given->model, &given->set, &model);

    if (code < 0) {
        name = given->output ? NULL : cli_name(context, given->model, false, "_view.html");
        const char *path = given->output ? given->output : name;
        code = path ? cli_writable(context, 1, &path) : cli_failed(context, PHX_ERR_MEMORY);
        if (code >= 0)
            goto cleanup;
        const phx_status status = path ? phx_study_view(context, model, &options, path, &size) : PHX_ERR_MEMORY;
        cli_progress_done();
        if (size.bytes > 0 && strcmp(path, "-") != 0)
            printf("%s\n", path);
        code = status ? cli_failed(context, status) : EXIT_DONE;
        if (status && size.bytes > 0)
            cli_say(CLI_NOTE, NULL, "the page shows the bodies in the poses of the model file");
    }
cleanup:
    phx_free(name);
    phx_model_destroy(model);
    return code;
}

/* phlexor view: reads the options, then writes the page of a model; the exit status. */
int cli_view(const cli_command *command, phx_context *context, int argc, char **argv)
{
    view_arguments given = {0};
    const cli_option options[] = {
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--output", 'o', OPTION_TEXT, "FILE.html", "the page (default: the model's name with _view.html)",
         &given.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int code = cli_parse(command, context, &arguments, argc, argv);

    if (code < 0)
        code = view(context, &given);
    cli_options_free(&arguments);
    return code;
}
