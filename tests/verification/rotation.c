#include "rotation.h"

void rotation_open(rotation *at, const char *text, int n_set, const phx_model_override *set,
                   const phx_modes_options *options)
{
    phx_modal *modal = NULL;
    memset(at, 0, sizeof *at);
    mechanism_open(&at->m, text, n_set, set);
    at->axes = calloc((size_t)at->m.dae->n_v, sizeof *at->axes);
    CHECK_OK(at->m.context, phx_system_steady(at->m.dae, 0.0, at->m.x, at->m.v, at->axes, at->m.lambda, &at->spin));
    CHECK_OK(at->m.context,
             phx_system_linear_steady(at->m.dae, 0.0, at->m.x, at->m.v, at->axes, at->m.lambda, &at->linear));
    CHECK_OK(at->m.context, phx_modal_create(at->m.context, &modal));
    CHECK_OK(at->m.context, phx_modal_solve(modal, &at->linear, options, &at->set));
    phx_modal_destroy(modal);
}

void rotation_close(rotation *at)
{
    phx_mode_set_free(&at->set);
    phx_linear_free(&at->linear);
    free(at->axes);
    mechanism_close(&at->m);
}

void rotation_refused(const char *text, const char *message)
{
    mechanism m;
    double spin = 0.0, *axes;
    mechanism_open(&m, text, 0, NULL);
    axes = calloc((size_t)m.dae->n_v, sizeof *axes);
    CHECK_STATUS(m.context, phx_system_steady(m.dae, 0.0, m.x, m.v, axes, m.lambda, &spin), PHX_ERR_ANALYSIS);
    CHECK_MESSAGE(m.context, message);
    free(axes);
    mechanism_close(&m);
}

const char *replaced(const char *text, const char *part, const char *by)
{
    static char out[3000];
    char now[sizeof out];
    const char *at = strstr(text, part);
    assert_non_null(at);
    snprintf(now, sizeof now, "%.*s%s%s", (int)(at - text), text, by, at + strlen(part));
    memcpy(out, now, sizeof out);
    return out;
}
