#include "held.h"

#include <string.h>

void open_model(phx_context *context, const char *text, held *it)
{
    const phx_start_options start = {.quasi_static = true};

    *it = (held){.context = context};
    CHECK_OK(context, phx_model_read_text(context, "held.yaml", text, strlen(text), 0, NULL, &it->model));
    CHECK_OK(context, phx_model_build(context, it->model, NULL, &it->system));
    CHECK_OK(context, phx_system_dae(it->system, context, &it->dae));
    it->x = calloc((size_t)phx_system_n_x(it->system) + 1, sizeof *it->x);
    it->v = calloc((size_t)phx_system_n_v(it->system) + 1, sizeof *it->v);
    it->columns = calloc((size_t)phx_system_columns(it->system) + 1, sizeof *it->columns);
    assert_true(it->x && it->v && it->columns);
    CHECK_OK(context, phx_system_start(it->system, &start, it->x, it->v, NULL));
    CHECK_OK(context, phx_system_outputs(it->dae, 0.0, it->x, it->v, it->columns));
}

void close_model(held *it)
{
    free(it->x);
    free(it->v);
    free(it->columns);
    phx_system_dae_destroy(it->dae);
    phx_system_destroy(it->system);
    phx_model_destroy(it->model);
}

double value_of(const held *it, const char *name)
{
    char column[80];
    for (int k = 0; k < phx_system_columns(it->system); k++) {
        phx_system_column_name(it->system, k, column, sizeof column);
        if (!strcmp(column, name))
            return it->columns[k];
    }
    fail_msg("there is no column %s", name);
    return 0.0;
}
