/* phlexor check */
#include "cli.h"

#include "study/study.h"

#include <string.h>

typedef struct check_arguments {
    const char *model, *format;
    cli_list set;
} check_arguments;

/* Reads the model, verifies its structure and prints the report as text or JSON. */
static int check_check(phx_context *context, const check_arguments *given)
{
    phx_check_report report = {0};
    phx_model *model = NULL;
    int status = cli_read_model(context, given->model, &given->set, &model);

    if (status < 0) {
        phx_status result = phx_study_check(context, model, &report);
        if (!result && given->format && !strcmp(given->format, "json")) {
            result = phx_check_report_json(context, &report, stdout);
        } else if (!result) {
            printf("%s\n", model->title);
            result = phx_check_report_text(context, &report, stdout);
        }
        status = result ? cli_failed(context, result) : EXIT_DONE;
    }
    phx_check_report_free(&report);
    phx_model_destroy(model);
    return status;
}

/* phlexor check: reads the options, then checks the model; the exit status. */
int cli_check(const cli_command *command, phx_context *context, int argc, char **argv)
{
    check_arguments given = {0};
    const cli_option options[] = {
        {"--format", 0, OPTION_CHOICE, "table|json", "default: table", &given.format},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = check_check(context, &given);
    cli_options_free(&arguments);
    return status;
}
