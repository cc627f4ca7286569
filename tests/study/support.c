#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "support.h"
#include "results/results.h"

#include <dirent.h>
#include <unistd.h>

int study_setup(void **state)
{
    char directory[] = "study_test_XXXXXX";
    phx_context *context = NULL;
    if (!mkdtemp(directory) || chdir(directory) != 0 || phx_context_create(&context) != PHX_OK)
        return -1;
    *state = context;
    return 0;
}

int study_teardown(void **state)
{
    char here[4096];
    DIR *folder = opendir(".");
    phx_context_destroy(*state);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder))
        if (entry->d_name[0] != '.')
            remove(entry->d_name);
    if (folder)
        closedir(folder);
    if (!getcwd(here, sizeof here) || chdir("..") != 0)
        return -1;
    return rmdir(here);
}

phx_model *read_example(phx_context *context, const char *name)
{
    char path[1000];
    phx_model *model = NULL;
    snprintf(path, sizeof path, PHX_SOURCE_DIR "/examples/%s", name);
    CHECK_OK(context, phx_model_read(context, path, 0, NULL, &model));
    return model;
}

phx_model *read_text(phx_context *context, const char *text)
{
    phx_model *model = NULL;

    CHECK_OK(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

phx_model *read_hinged_beam(phx_context *context, bool with_inputs, bool with_outputs)
{
    static const char beam[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "materials: {unit: {density: 1, young: 1}}\n"
                               "bodies:\n"
                               "  beam:\n"
                               "    kind: beam\n"
                               "    material: unit\n"
                               "    length: 1\n"
                               "    section: {kind: general, area: 1, inertia: 1}\n"
                               "    elements: 1\n"
                               "    reference: cantilever\n"
                               "joints:\n"
                               "  root: {kind: revolute, ports: [ground.O, beam.P], stiffness: 2}\n";
    char text[2000];
    snprintf(text, sizeof text, "%s%s%s", beam, with_inputs ? "loads:\n  push: {force: [0, 0], at: beam.C}\n" : "",
             with_outputs ? "outputs:\n  tip: {position: beam.C}\n" : "");
    return read_text(context, text);
}

double result_value(phx_context *context, const phx_result *result, const char *name, size_t row)
{
    double value = NAN;
    const int column = phx_result_column_find(result, name);

    if (column < 0)
        fail_msg("there is no column '%s'", name);
    CHECK_OK(context, phx_result_column(result, column, row, 1, &value));
    return value;
}

void runge_kutta(int n, void (*rates)(const double *y, double *dy), double end, int steps, double *y)
{
    enum { MOST = 20 };
    const double h = end / steps, part[4] = {0.0, 0.5, 0.5, 1.0};

    assert_in_range(n, 1, MOST);
    for (int k = 0; k < steps; k++) {
        double dy[4][MOST] = {{0.0}}, at[MOST];
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < n; i++)
                at[i] = y[i] + (stage > 0 ? h * part[stage] * dy[stage - 1][i] : 0.0);
            rates(at, dy[stage]);
        }
        for (int i = 0; i < n; i++)
            y[i] += h / 6.0 * (dy[0][i] + 2.0 * dy[1][i] + 2.0 * dy[2][i] + dy[3][i]);
    }
}

static void keep_warning_of_run(void *user, phx_log_level level, const char *message)
{
    text_run *r = user;

    if (level != PHX_LOG_WARNING)
        return;
    r->warnings++;
    snprintf(r->warning, sizeof r->warning, "%s", message);
}

text_run run_text(phx_context *context, const char *text, double step)
{
    text_run r = {.n = 0};
    phx_model *model = read_text(context, text);
    phx_simulate_options options = phx_simulate_options_default();

    if (step > 0.0)
        options.step = (phx_model_optional){.given = true, .value = step};
    phx_context_set_log(context, keep_warning_of_run, &r);
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &r.report, &r.result));
    phx_context_set_log(context, NULL, NULL);
    phx_model_destroy(model);
    r.n = phx_result_rows(r.result);
    CHECK_BELOW(r.report.largest_residual, 1e-12 * fmax(r.report.largest_energy, 1e-3), "balance");
    return r;
}

double record_at(phx_context *context, const text_run *r, const char *name, size_t row)
{
    return result_value(context, r->result, name, row);
}

double *record_column(phx_context *context, const text_run *r, const char *name)
{
    double *values = calloc(r->n, sizeof *values);
    const int k = phx_result_column_find(r->result, name);

    assert_true(k >= 0);
    CHECK_OK(context, phx_result_column(r->result, k, 0, r->n, values));
    return values;
}
