/* Shared by the commands that make a linear model. */
#include "cli.h"
#include "study/study.h"

#include <string.h>

int cli_exchange_name(phx_context *context, const char *output)
{
    if (!output)
        return -1;
    const phx_status status = phx_exchange_check(context, output);
    return status ? cli_failed(context, status) : cli_writable(context, 1, &output);
}

phx_status cli_put_linear(phx_context *context, const phx_linear_report *report, const char *format, const char *output)
{
    phx_status status = output ? phx_exchange_write(context, output, report->bundle) : PHX_OK;
    if (status)
        return status;
    if (format && !strcmp(format, "json"))
        return phx_exchange_print(context, report->bundle, stdout, "standard output");
    status = phx_linear_report_text(context, report, stdout);
    if (!status && output)
        printf("\n%s\n", output);
    return status;
}
