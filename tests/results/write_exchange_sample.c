/* Writes the sample into each file named on the command line, for other programs to read. */
#include "exchange_sample.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    phx_context *context = NULL;
    phx_bundle *bundle = NULL;
    phx_status status = phx_context_create(&context);

    if (!status)
        status = exchange_sample(context, &bundle);
    for (int k = 1; k < argc && !status; k++)
        status = phx_exchange_write(context, argv[k], bundle);
    if (status)
        fprintf(stderr, "%s\n", context ? phx_context_message(context) : "out of memory");
    phx_bundle_destroy(bundle);
    phx_context_destroy(context);
    return status != PHX_OK;
}
