/* Bodies by name. */
#include "internal.h"

#include <string.h>

/* Finds a body by name. A body cut in segments and an unknown name are refused; the message then names a segment or
 * the closest name. */
phx_status phx_study_find_body(phx_context *context, const phx_model *model, const char *name, int *index)
{
    *index = name ? phx_model_find_body(model, name) : -1;
    if (*index >= 0)
        return PHX_OK;
    phx_nearest nearest = phx_nearest_to(name ? name : "");
    for (int k = 0; k < model->n_bodies; k++) {
        const char *whole = model->bodies[k].whole;
        if (name && whole && !strcmp(whole, name))
            return phx_model_fail(context, model, &model->bodies[k], PHX_ERR_INPUT,
                                  "'%s' is cut in segments and no single body; name one of them, '%s', or leave "
                                  "'segments' out",
                                  name, model->bodies[k].name);
        phx_nearest_offer(&nearest, model->bodies[k].name);
    }
    return phx_model_fail(context, model, NULL, PHX_ERR_INPUT, "there is no body %s%s",
                          phx_shown_text(name ? name : "").text, phx_nearest_hint(&nearest).text);
}
