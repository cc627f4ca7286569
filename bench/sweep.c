/* Time of a sweep of frequencies: 360 angles of the crank of the four-bar mechanism, against dense generalised
 * eigenvalues of the unreduced pencils (E, J) by SciPy, and where the time goes.
 *
 *     bench_sweep [--csv FILE] [--points N] [--repeats N] [--model FILE] [--python PROGRAM]
 *
 * Both sides run on one thread; times are processor time, the least of the repeats. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reduce/reduce.h"
#include <phlexor/study.h>

#include "options.h"
#include "timing.h"
#include "linear/linear.h"
#include "model/model.h"

enum { MODES = 6 };
typedef enum phase { PARAMETERS, BUILD, START, LINEARISE, NULL_SPACE, EIGEN, TRACK, PHASES } phase;
static const char *const phase_names[PHASES] = {"parameters", "build", "start", "linearise",
                                                "null space", "eigen", "track"};
static const double TURN = 6.283185307179586;

typedef struct settings {
    const char *csv, *model, *python;
    int points, repeats;
} settings;

typedef struct measure {
    double whole;         /* s, the sweep as the program does it, reading included */
    double phase[PHASES]; /* s, all points */
    double plain, full;   /* s, the baseline without and with vectors; 0: not there */
    double difference;    /* largest relative difference of a pulsation */
    int size;             /* of the pencil */
    int n, m, freedom;
    char versions[80];
} measure;

typedef struct bench {
    phx_context *context;
    const settings *settings;
    phx_model *model;
    phx_beam_cache *cache;
    phx_modal *modal;
    phx_tracker *tracker;
    FILE *pencils;
    double *omega; /* points x MODES */
    measure *m;
} bench;

static double angle(const bench *it, int point)
{
    return TURN * point / it->settings->points;
}

/* ---- the whole, as `phlexor modes --sweep` does it ---- */
static phx_status whole(bench *it)
{
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table = {0};
    phx_model *model = NULL;
    phx_sweep *sweep = NULL;
    const int points = it->settings->points;
    const double start = bench_clock();
    phx_status status = phx_model_read(it->context, it->settings->model, 0, NULL, &model);

    if (!status)
        status = phx_sweep_create(it->context, &sweep);
    if (!status)
        status = phx_sweep_add_range(sweep, "theta1", 0.0, angle(it, points - 1), points);
    options.count = MODES;
    options.sweep = sweep;
    if (!status)
        status = phx_study_modes(it->context, model, &options, &table, NULL);
    const double seconds = bench_clock() - start;
    if (!status && table.n_rows != points * MODES)
        status = phx_fail(it->context, PHX_ERR_ANALYSIS, "%d modes at %d points", table.n_rows, points);
    for (int k = 0; k < table.n_rows && !status; k++)
        it->omega[k] = table.rows[k].omega;
    if (!status && (it->m->whole == 0.0 || seconds < it->m->whole))
        it->m->whole = seconds;
    phx_modes_free(&table);
    phx_sweep_destroy(sweep);
    phx_model_destroy(model);
    return status;
}

/* ---- the parts, by the same functions ---- */
/* The null space alone, which phx_modal_solve finds on its way. */
static phx_status null_space(bench *it, const phx_linear *linear, double *seconds)
{
    const size_t n = (size_t)linear->n, m = (size_t)linear->m;
    double *L = phx_calloc(it->context, n * n, sizeof *L), *G = phx_calloc(it->context, m * n, sizeof *G);
    phx_basis basis = {0};
    phx_status status = L && G ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        phx_csr_to_dense(&linear->M, L);
        phx_csr_to_dense(&linear->G, G);
        status = phx_dense_cholesky(it->context, linear->n, L);
    }
    const double start = bench_clock();
    if (!status)
        status = phx_reduce_free_motions(it->context, linear->n, L, linear->m, G, 0.0, NULL, &basis);
    *seconds = bench_clock() - start;
    phx_basis_free(&basis);
    phx_free(L);
    phx_free(G);
    return status;
}

/* e = (velocities, stresses, multipliers), sigma = root xi:
 *
 *         | M  0  0 |         | 0     -root^T  G^T |
 *     E = | 0  I  0 |,    J = | root     0      0  |
 *         | 0  0  0 |         | -G       0      0  |        */
static phx_status write_pencil(bench *it, const phx_linear *linear, int point)
{
    const int n = linear->n, rows = linear->root.rows, N = n + rows + linear->m;
    const int32_t head[2] = {it->settings->points, N};
    const size_t cells = (size_t)N * (size_t)N;
    double *E = phx_calloc(it->context, 2 * cells, sizeof *E), *J = E ? E + cells : NULL;
    const phx_csr *parts[] = {&linear->root, &linear->G};
    bool good = true;

    if (!E)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        for (int k = linear->M.ptr[i]; k < linear->M.ptr[i + 1]; k++)
            E[i * N + linear->M.idx[k]] = linear->M.val[k];
    for (int i = 0; i < rows; i++)
        E[(n + i) * N + n + i] = 1.0;
    for (int b = 0; b < 2; b++) {
        const int at = b ? n + rows : n;
        const double sign = b ? -1.0 : 1.0;
        for (int i = 0; i < parts[b]->rows; i++)
            for (int k = parts[b]->ptr[i]; k < parts[b]->ptr[i + 1]; k++) {
                J[(at + i) * N + parts[b]->idx[k]] = sign * parts[b]->val[k];
                J[parts[b]->idx[k] * N + at + i] = -sign * parts[b]->val[k];
            }
    }
    it->m->size = N;
    it->m->n = n;
    it->m->m = linear->m;
    if (point == 0)
        good = fwrite(head, sizeof head, 1, it->pencils) == 1;
    good = good && fwrite(E, sizeof *E, 2 * cells, it->pencils) == 2 * cells;
    phx_free(E);
    return good ? PHX_OK : phx_fail(it->context, PHX_ERR_FILE, "the pencils cannot be written");
}

static phx_status linearise(bench *it, phx_system **system, phx_dae **dae, phx_linear *linear, double *spent)
{
    const phx_build_options build = {.cache = it->cache, .without_outputs = true};
    const phx_start_options start = {.quasi_static = false};
    double *x = NULL, from = bench_clock();
    phx_status status = phx_model_build(it->context, it->model, &build, system);

    if (!status)
        status = phx_system_dae(*system, it->context, dae);
    spent[BUILD] = bench_clock() - from;
    if (!status) {
        x = phx_calloc(it->context, (size_t)((*dae)->n_x + (*dae)->n_v), sizeof *x);
        status = x ? PHX_OK : PHX_ERR_MEMORY;
    }
    from = bench_clock();
    if (!status)
        status = phx_system_start(*system, &start, x, x + (*dae)->n_x, NULL);
    spent[START] = bench_clock() - from;
    from = bench_clock();
    if (!status)
        status = phx_system_linear(*dae, 0.0, x, NULL, linear);
    spent[LINEARISE] = bench_clock() - from;
    phx_free(x);
    return status;
}

static phx_status solve(bench *it, const phx_linear *linear, double *spent)
{
    phx_modes_options options = phx_modes_options_default();
    phx_mode_set set = {0};
    int branch[64];
    double from = bench_clock();

    options.count = phx_tracker_carry(MODES);
    phx_status status = phx_modal_solve(it->modal, linear, &options, &set);
    spent[EIGEN] = bench_clock() - from;
    if (!status)
        status = null_space(it, linear, &spent[NULL_SPACE]);
    spent[EIGEN] -= spent[NULL_SPACE];
    from = bench_clock();
    if (!status)
        status = phx_tracker_feed(it->tracker, &set, &linear->M, branch, NULL);
    spent[TRACK] = bench_clock() - from;
    it->m->freedom = set.freedom;
    phx_mode_set_free(&set);
    return status;
}

static phx_status one_point(bench *it, int point, double *spent)
{
    const phx_model_override parameter = {.name = "theta1", .value = angle(it, point)};
    phx_system *system = NULL;
    phx_dae *dae = NULL;
    phx_linear linear = {0};
    const double from = bench_clock();
    phx_status status = phx_model_set_parameters(it->context, it->model, 1, &parameter);

    spent[PARAMETERS] = bench_clock() - from;
    if (!status)
        status = linearise(it, &system, &dae, &linear, spent);
    if (!status)
        status = solve(it, &linear, spent);
    if (!status && it->pencils)
        status = write_pencil(it, &linear, point);
    phx_linear_free(&linear);
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
    return status;
}

static phx_status parts(bench *it)
{
    double total[PHASES] = {0}, spent[PHASES];
    const int points = it->settings->points;
    phx_status status = phx_model_read(it->context, it->settings->model, 0, NULL, &it->model);

    if (!status)
        status = phx_beam_cache_create(it->context, &it->cache);
    if (!status)
        status = phx_modal_create(it->context, &it->modal);
    if (!status)
        status = phx_tracker_create(it->context, 1, &points, &it->tracker);
    for (int point = 0; point < points && !status; point++) {
        memset(spent, 0, sizeof spent);
        status = one_point(it, point, spent);
        for (int p = 0; p < PHASES; p++)
            total[p] += spent[p];
    }
    for (int p = 0; p < PHASES && !status; p++)
        if (it->m->phase[p] == 0.0 || total[p] < it->m->phase[p])
            it->m->phase[p] = total[p];
    phx_tracker_destroy(it->tracker);
    phx_modal_destroy(it->modal);
    phx_beam_cache_destroy(it->cache);
    phx_model_destroy(it->model);
    it->tracker = NULL;
    it->modal = NULL;
    it->cache = NULL;
    it->model = NULL;
    return status;
}

/* ---- the baseline ---- */
static bool read_baseline(bench *it, const char *path)
{
    FILE *file = fopen(path, "r");
    bool good = file && fscanf(file, "%lf %lf %79[^\n]", &it->m->plain, &it->m->full, it->m->versions) == 3;

    for (int k = 0; k < it->settings->points * MODES && good; k++) {
        double omega = 0.0;
        good = fscanf(file, "%lf", &omega) == 1;
        it->m->difference = fmax(it->m->difference, fabs(omega / it->omega[k] - 1.0));
    }
    if (file)
        fclose(file);
    return good;
}

static bool run_baseline(bench *it, const char *pencils, const char *result)
{
    char command[1024];

    snprintf(command, sizeof command, "OPENBLAS_NUM_THREADS=1 '%s' '%s/bench/sweep_baseline.py' '%s' '%s' %d %d",
             it->settings->python, PHX_SOURCE_DIR, pencils, result, MODES, it->settings->repeats);
    return system(command) == 0 && read_baseline(it, result);
}

/* Everything; false when Phlexor fails. Without Python and SciPy there is no baseline. */
static bool measure_all(bench *it)
{
    const char *room = getenv("TMPDIR");
    char folder[256], pencils[300], result[300];
    phx_status status = phx_context_create(&it->context);

    snprintf(folder, sizeof folder, "%s/bench_sweep_XXXXXX", room && *room ? room : P_tmpdir);
    if (status || !mkdtemp(folder))
        return false;
    snprintf(pencils, sizeof pencils, "%s/pencils", folder);
    snprintf(result, sizeof result, "%s/result", folder);
    it->omega = phx_calloc(it->context, (size_t)it->settings->points * MODES, sizeof *it->omega);
    it->pencils = fopen(pencils, "wb");
    if (!it->omega || !it->pencils)
        status = phx_fail(it->context, PHX_ERR_FILE, "no room for the pencils");
    for (int r = 0; r < it->settings->repeats && !status; r++) {
        status = whole(it);
        if (!status)
            status = parts(it);
        if (it->pencils)
            fclose(it->pencils);
        it->pencils = NULL;
    }
    if (status)
        fprintf(stderr, "%s: %s\n", phx_status_text(status), phx_context_message(it->context));
    else if (!run_baseline(it, pencils, result))
        fprintf(stderr, "no baseline: '%s' with NumPy and SciPy is needed\n", it->settings->python);
    remove(pencils);
    remove(result);
    rmdir(folder);
    phx_free(it->omega);
    phx_context_destroy(it->context);
    return !status;
}

/* ---- results ---- */
static void print(const settings *s, const char *machine, const measure *m)
{
    double sum = 0.0;

    printf("%s\n%d angles, %d modes; %d velocities, %d multipliers, %d degrees of freedom\n\n", machine, s->points,
           MODES, m->n, m->m, m->freedom);
    printf("%-34s %9.1f ms\n", "the sweep, reading included", 1e3 * m->whole);
    for (int p = 0; p < PHASES; p++) {
        printf("    %-30s %9.1f ms\n", phase_names[p], 1e3 * m->phase[p]);
        sum += m->phase[p];
    }
    printf("    %-30s %9.1f ms\n", "sum of these", 1e3 * sum);
    if (m->plain > 0.0) {
        printf("%s, pencils of size %d\n", m->versions, m->size);
        printf("    %-30s %9.1f ms, ratio %.4f\n", "eig, eigenvalues only", 1e3 * m->plain, m->whole / m->plain);
        printf("    %-30s %9.1f ms, ratio %.4f\n", "eig, with vectors", 1e3 * m->full, m->whole / m->full);
        printf("largest relative difference of a pulsation: %.1e\n", m->difference);
    }
}

static bool write_csv(const settings *s, const char *machine, const measure *m)
{
    FILE *file = fopen(s->csv, "w");

    if (!file)
        return false;
    fprintf(file, "# %s; %s\n# times in milliseconds, processor time of all points\n", machine, m->versions);
    fprintf(file, "points,modes,velocities,multipliers,pencil,whole");
    for (int p = 0; p < PHASES; p++)
        fprintf(file, ",%s", phase_names[p]);
    fprintf(file, ",eig_values,eig_vectors,ratio_values,ratio_vectors,difference\n");
    fprintf(file, "%d,%d,%d,%d,%d,%.2f", s->points, MODES, m->n, m->m, m->size, 1e3 * m->whole);
    for (int p = 0; p < PHASES; p++)
        fprintf(file, ",%.2f", 1e3 * m->phase[p]);
    fprintf(file, ",%.1f,%.1f,%.5f,%.5f,%.2e\n", 1e3 * m->plain, 1e3 * m->full, m->whole / m->plain, m->whole / m->full,
            m->difference);
    return fclose(file) == 0;
}

static bool read_settings(int count, char **words, settings *s)
{
    *s =
        (settings){.points = 360, .repeats = 3, .model = PHX_SOURCE_DIR "/examples/four_bar.yaml", .python = "python3"};
    const bench_option options[] = {
        {"--csv", .text = &s->csv},     {"--points", .count = &s->points}, {"--repeats", .count = &s->repeats},
        {"--model", .text = &s->model}, {"--python", .text = &s->python},
    };
    return bench_read_options((int)(sizeof options / sizeof *options), options, count, words) && s->repeats > 0 &&
           s->points > 1;
}

int main(int count, char **words)
{
    char processor[128], machine[512];
    settings s;
    measure m = {0};
    bench it = {.settings = &s, .m = &m};

    if (!read_settings(count, words, &s)) {
        fprintf(stderr,
                "usage: bench_sweep [--csv FILE] [--points N] [--repeats N] [--model FILE] [--python PROGRAM]\n");
        return 2;
    }
    phx_algebra_set_threads(1);
    bench_processor(processor, sizeof processor);
    snprintf(machine, sizeof machine, "%s; %s; phlexor %s, %s", processor, bench_compiler(), phx_version(),
             phx_build());
    if (!measure_all(&it))
        return 1;
    print(&s, machine, &m);
    if (s.csv && !write_csv(&s, machine, &m)) {
        fprintf(stderr, "%s cannot be written\n", s.csv);
        return 1;
    }
    return 0;
}
