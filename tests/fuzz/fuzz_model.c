/* Any bytes as a model file: the reader refuses them with a message or makes a model that can be used and renewed. A
 * first line "#!name=expression" becomes an override. */
#include "model/build.h"
#include <phlexor/model.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stop(const char *what)
{
    fprintf(stderr, "fuzz_model: %s\n", what);
    abort();
}

static void use_signal(phx_context *context, const phx_model *model, const phx_signal *signal)
{
    phx_signal *copy = NULL;
    if (phx_model_copy_signal(context, model, signal, &copy))
        stop("a signal cannot be copied");
    double value = phx_signal_value_at(signal, 0.3, 0.7), same = phx_signal_value_at(copy, 0.3, 0.7);
    if (value != same && (value == value || same == same))
        stop("a copied signal differs");
    phx_signal_destroy(copy);
}

static void use_model(phx_context *context, const phx_model *model)
{
    for (int i = 0; i < model->n_joints && i < 8; i++)
        for (int k = 0; k < model->joints[i].n_coordinates; k++) {
            use_signal(context, model, model->joints[i].coordinates[k].speed);
            use_signal(context, model, model->joints[i].coordinates[k].effort);
        }
    for (int i = 0; i < model->n_loads && i < 8; i++)
        for (int k = 0; k < model->loads[i].n_components; k++)
            use_signal(context, model, model->loads[i].component[k]);
    for (int i = 0; i < model->n_bodies; i++) {
        const phx_model_body *body = &model->bodies[i];
        phx_model_source at = phx_model_where(model, &body->pose.position);
        if (at.line < 1 || at.column < 1)
            stop("a body without a place in the file");
        if (body->kind == PHX_MODEL_BEAM ? !(body->length > 0.0) || body->elements < 1 : !(body->mass > 0.0))
            stop("a body that cannot be");
    }
}

/* Every message about the file begins with a place in it; those about overrides with its name. */
static void check_message(const char *message)
{
    int line = 0, column = 0;
    if (sscanf(message, "/nowhere/m:%d:%d: ", &line, &column) == 2 ? line < 1 || column < 1
                                                                   : strncmp(message, "/nowhere/m: ", 12) != 0)
        stop(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    phx_context *context = NULL;
    phx_model *model = NULL;
    phx_model_override override = {NULL, NULL, 0.0};
    char line[100];
    if (size > 3 && !memcmp(data, "#!", 2)) {
        size_t n = 2;
        while (n < size && n < sizeof line && data[n] != '\n')
            n++;
        memcpy(line, data + 2, n - 2);
        line[n - 2] = 0;
        char *equals = strchr(line, '=');
        if (equals) {
            *equals = 0;
            override = (phx_model_override){line, equals + 1, 0.0};
        }
    }
    if (phx_context_create(&context))
        return 0;
    phx_status status =
        phx_model_read_text(context, "/nowhere/m", (const char *)data, size, override.name ? 1 : 0, &override, &model);
    if (status == PHX_ERR_INPUT)
        check_message(phx_context_message(context));
    else if (status)
        stop(phx_context_message(context));
    if (!status) {
        use_model(context, model);
        if (phx_model_set_parameters(context, model, 0, NULL))
            stop("a model cannot be evaluated again");
        if (model->n_parameters) {
            phx_model_override other = {model->parameters[0].name, NULL, 1.5};
            status = phx_model_set_parameters(context, model, 1, &other);
            if (status == PHX_ERR_INPUT)
                check_message(phx_context_message(context));
        }
        use_model(context, model);
    }
    phx_model_destroy(model);
    phx_context_destroy(context);
    return 0;
}
