/* Layer sensitivity, for the other layers of the library: pages of analyses by parameters. */
#ifndef PHX_SENSITIVITY_SENSITIVITY_H
#define PHX_SENSITIVITY_SENSITIVITY_H

#include "study/study.h"

#include <phlexor/sensitivity.h>

/* A page of a mechanism with one further member of its data. */
typedef struct phx_analysis_page {
    const phx_model *model;
    int n;                           /* parameters that it is shown with, at other values */
    const phx_model_override *value; /* n */
    const char *other_name;          /* the model as it is is shown through it under this name; NULL: it is not */
    bool moves;                      /* both are simulated; else at their start states */
    const char *member;              /* its name */
    phx_status (*put)(phx_context *context, const void *data, FILE *stream); /* its JSON */
    const void *data;
} phx_analysis_page;
phx_status phx_analysis_page_write(phx_context *context, const phx_analysis_page *page, const char *html_path);

/* A number of JSON: null when it is not finite. */
void phx_put_number(FILE *stream, double value);

#endif
