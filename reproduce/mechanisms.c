/* Simulations of the first paper: the crank-slider (section 6.2), the hinged spatial beam (section 6.3). */
#include "item.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double coupler_length = 0.3, speed = 150.0; /* m, rad/s: examples/crank_slider.yaml */

/* ---- what simulations share ---- */

/* A simulation with its columns in memory. */
typedef struct run {
    phx_simulate_report report;
    phx_result *result;
} run;

static void free_run(run *it)
{
    phx_result_destroy(it->result);
    *it = (run){0};
}

/* 0 for rtol, end, every: what the model says. */
static phx_status simulate(phx_item *item, const char *file, const char *text, phx_integrator integrator, double rtol,
                           double end, double every, run *made)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_model *model = NULL;
    phx_status status = phx_item_model(item, file, text, 0, NULL, &model);

    *made = (run){0};
    options.has_integrator = true;
    options.integrator = integrator;
    options.rtol = (phx_model_optional){.given = rtol > 0.0, .value = rtol};
    options.end = (phx_model_optional){.given = end > 0.0, .value = end};
    options.every = (phx_model_optional){.given = every > 0.0, .value = every};
    if (!status)
        status = phx_study_simulate_result(item->context, model, &options, &made->report, &made->result);
    phx_model_destroy(model);
    return status;
}

/* A column of a run, and its values at the instants of a column of a table, in units of the run's time times `scale`.
 * The run has every instant of the table. */
typedef struct traced {
    int rows;          /* of the run */
    double *t, *y;     /* the run */
    int points;        /* of the table */
    double *at, *want; /* the table */
    double *got;       /* the run at the instants of the table */
} traced;

static void free_traced(traced *it)
{
    phx_free(it->t);
    phx_free(it->y);
    phx_free(it->at);
    phx_free(it->want);
    phx_free(it->got);
    *it = (traced){0};
}

static phx_status find_instants(phx_context *context, traced *it)
{
    int r = 0;
    for (int p = 0; p < it->points; p++) {
        const double slack = 1e-7 * it->t[it->rows - 1];
        while (r < it->rows && it->t[r] < it->at[p] - slack)
            r++;
        if (r == it->rows || it->t[r] > it->at[p] + slack)
            return phx_fail(context, PHX_ERR_ANALYSIS, "the simulation has no row at t = %g", it->at[p]);
        it->got[p] = it->y[r];
    }
    return PHX_OK;
}

/* `factor` times a column of the run against a column of the table; `scale` times its time is the table's. */
static phx_status compare(phx_item *item, const run *made, double scale, const char *name, double factor,
                          const phx_numbers *table, const char *column, traced *it)
{
    const int values = phx_numbers_find(table, column);

    *it = (traced){.rows = (int)phx_result_rows(made->result), .points = table->rows};
    if (values < 0)
        return phx_fail(item->context, PHX_ERR_ARGUMENT, "the reference has no column %s", column);
    it->at = phx_calloc(item->context, (size_t)it->points, sizeof *it->at);
    it->want = phx_calloc(item->context, (size_t)it->points, sizeof *it->want);
    it->got = phx_calloc(item->context, (size_t)it->points, sizeof *it->got);
    phx_status status = it->at && it->want && it->got ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = phx_item_column(item, made->result, "t", scale, &it->t);
    if (!status)
        status = phx_item_column(item, made->result, name, factor, &it->y);
    for (int p = 0; p < it->points && !status; p++) {
        it->at[p] = phx_numbers_at(table, p, 0);
        it->want[p] = phx_numbers_at(table, p, values);
    }
    if (!status)
        status = find_instants(item->context, it);
    if (status)
        free_traced(it);
    return status;
}

static double largest_distance(const traced *it)
{
    double largest = 0.0;
    for (int p = 0; p < it->points; p++)
        largest = fmax(largest, fabs(it->got[p] - it->want[p]));
    return largest;
}

static double highest(int count, const double *values, double sign)
{
    double most = -HUGE_VAL;
    for (int k = 0; k < count; k++)
        most = fmax(most, sign * values[k]);
    return sign * most;
}

static double largest(int count, const double *values)
{
    return fmax(highest(count, values, 1.0), -highest(count, values, -1.0));
}

static const char *const no_numbers = "line: Phlexor; crosses: an independent program. The paper prints no numbers.";

/* ---- crank-slider ---- */

enum { FULL, SIMPLIFIED, SETTLED, VARIANTS };

/* The model of the paper's example, that with its constant mass matrix, and that which starts in equilibrium. */
static phx_status run_variant(phx_item *item, int variant, run *made)
{
    static const char *const edits[VARIANTS][2] = {
        {NULL, NULL},
        {"    reference: simply_supported\n", "    reference: simply_supported\n    kinetics: simplified\n"},
        {"outputs:\n", "initial: {deformation: quasi_static}\n\noutputs:\n"},
    };
    const char *model = phx_reproduce_file("crank_slider.yaml");
    char *text = NULL;
    phx_status status = PHX_OK;

    *made = (run){0};
    if (edits[variant][0])
        status = phx_item_edit(item->context, model, edits[variant][0], edits[variant][1], &text);
    if (!status)
        status = simulate(item, "crank_slider.yaml", text, PHX_RADAU5, variant == FULL ? 1e-7 : 1e-5, 0.0, 0.0, made);
    phx_free(text);
    return status;
}

static void draw_deflections(phx_item *item, traced it[VARIANTS][2])
{
    const phx_comparison_figure along = {
        .title = "Figure 8, left: midpoint of the coupler, along it",
        .remark = no_numbers,
        .x_label = "crank angle (rad)",
        .y_label = "u_x(L/2) / L",
    };
    phx_comparison_figure across = along;
    across.title = "Figure 8, right: midpoint of the coupler, across it";
    across.y_label = "u_y(L/2) / L";

    phx_comparisons_add_figure(item->page, &along);
    phx_comparisons_add_line(item->page, "started undeformed", false, it[FULL][0].rows, it[FULL][0].t, it[FULL][0].y);
    phx_comparisons_add_line(item->page, "independent program", true, it[FULL][0].points, it[FULL][0].at,
                             it[FULL][0].want);
    phx_comparisons_add_line(item->page, "started in equilibrium", false, it[SETTLED][0].rows, it[SETTLED][0].t,
                             it[SETTLED][0].y);
    phx_comparisons_add_figure(item->page, &across);
    phx_comparisons_add_line(item->page, "full inertia", false, it[FULL][1].rows, it[FULL][1].t, it[FULL][1].y);
    phx_comparisons_add_line(item->page, "independent program", true, it[FULL][1].points, it[FULL][1].at,
                             it[FULL][1].want);
    phx_comparisons_add_line(item->page, "constant mass matrix", false, it[SIMPLIFIED][1].rows, it[SIMPLIFIED][1].t,
                             it[SIMPLIFIED][1].y);
}

/* Distances of the other variants from the first, row by row: all have the same instants. */
static double apart(const traced *a, const traced *b)
{
    double most = a->rows == b->rows ? 0.0 : NAN;
    for (int r = 0; r < a->rows && r < b->rows; r++)
        most = fmax(most, fabs(a->y[r] - b->y[r]));
    return most;
}

static void put_crank_slider(phx_item *item, traced it[VARIANTS][2])
{
    const traced *x = &it[FULL][0], *y = &it[FULL][1];
    const double density = 7870.0, radius = 0.003; /* kg/m^3, m */

    phx_item_row(item, "half the mass of the coupler", "kg", 0.5 * density * PHX_PI * radius * radius * coupler_length,
                 phx_no_reference());
    phx_item_row(item, "u_y(L/2)/L, largest distance", "", largest_distance(y), phx_reference_zero(1e-6));
    phx_item_row(item, "u_x(L/2)/L, largest distance", "", largest_distance(x), phx_reference_zero(1e-6));
    phx_item_row(item, "u_y(L/2)/L, highest at the instants of the reference", "", highest(y->points, y->got, 1.0),
                 phx_reference_within(highest(y->points, y->want, 1.0), 1e-6));
    phx_item_row(item, "u_y(L/2)/L, lowest at the instants of the reference", "", highest(y->points, y->got, -1.0),
                 phx_reference_within(highest(y->points, y->want, -1.0), 1e-6));
    phx_item_row(item, "u_y(L/2)/L, highest", "", highest(y->rows, y->y, 1.0), phx_no_reference());
    phx_item_row(item, "u_y(L/2)/L, lowest", "", highest(y->rows, y->y, -1.0), phx_no_reference());
    phx_item_row(item, "u_y(L/2)/L, full inertia against a constant mass matrix", "", apart(y, &it[SIMPLIFIED][1]),
                 phx_no_reference());
    phx_item_row(item, "u_x(L/2)/L, largest, started undeformed", "", largest(x->rows, x->y), phx_no_reference());
    phx_item_row(item, "u_x(L/2)/L, largest, started in equilibrium", "",
                 largest(it[SETTLED][0].rows, it[SETTLED][0].y), phx_no_reference());
    draw_deflections(item, it);
}

phx_status phx_item_crank_slider(phx_item *item)
{
    static const char *const names[2][2] = {{"mid.x", "ux_mid_over_L"}, {"mid.y", "uy_mid_over_L"}};
    traced it[VARIANTS][2] = {{{0}}};
    phx_numbers table = {0};
    phx_status status = phx_numbers_read(item->context, "crank_slider.csv", &table);

    for (int variant = 0; variant < VARIANTS && !status; variant++) {
        run made;
        status = run_variant(item, variant, &made);
        for (int k = 0; k < 2 && !status; k++)
            status =
                compare(item, &made, speed, names[k][0], 1.0 / coupler_length, &table, names[k][1], &it[variant][k]);
        free_run(&made);
    }
    if (!status)
        put_crank_slider(item, it);
    for (int variant = 0; variant < VARIANTS; variant++)
        for (int k = 0; k < 2; k++)
            free_traced(&it[variant][k]);
    phx_numbers_free(&table);
    return status;
}

/* ---- hinged beam ---- */

static void draw_hinged(phx_item *item, const traced *energy, const traced *spin)
{
    const phx_comparison_figure left = {
        .title = "Figure 10, left: energy", .remark = no_numbers, .x_label = "t (s)", .y_label = "energy (J)"};
    const phx_comparison_figure right = {.title = "Figure 10, right: angular velocity about the vertical",
                                         .remark = no_numbers,
                                         .x_label = "t (s)",
                                         .y_label = "angular velocity at the joint (rad/s)"};

    phx_comparisons_add_figure(item->page, &left);
    phx_comparisons_add_line(item->page, "energy", false, energy->rows, energy->t, energy->y);
    phx_comparisons_add_line(item->page, "independent program", true, energy->points, energy->at, energy->want);
    phx_comparisons_add_figure(item->page, &right);
    phx_comparisons_add_line(item->page, "angular velocity", false, spin->rows, spin->t, spin->y);
    phx_comparisons_add_line(item->page, "independent program", true, spin->points, spin->at, spin->want);
}

/* Value of the run at the last instant of the table not after t. */
static int last_before(const traced *it, double t)
{
    int p = 0;
    while (p + 1 < it->points && it->at[p + 1] <= t)
        p++;
    return p;
}

static void put_hinged(phx_item *item, const traced *energy, const traced *spin, const traced tip[3])
{
    const int plateau = last_before(energy, 0.0145), end = energy->points - 1;
    const double peak = highest(energy->points, energy->want, 1.0);
    double away = 0.0;

    for (int a = 0; a < 3; a++)
        away = fmax(away, largest_distance(&tip[a]));
    phx_item_row(item, "largest angular velocity", "rad/s", largest(spin->points, spin->got),
                 phx_reference_near(largest(spin->points, spin->want), 1e-3));
    phx_item_row(item, "energy after the torque", "J", energy->got[plateau],
                 phx_reference_near(energy->want[plateau], 1e-5));
    phx_item_row(item, "energy after the blow", "J", energy->got[end], phx_reference_near(energy->want[end], 1e-5));
    phx_item_row(item, "energy at 101 instants, largest distance", "J", largest_distance(energy),
                 phx_reference_zero(1e-5 * peak));
    phx_item_row(item, "free end at 101 instants, largest distance", "m", away, phx_reference_zero(1e-5));
    draw_hinged(item, energy, spin);
}

phx_status phx_item_hinged_beam(phx_item *item)
{
    static const char *const names[5][2] = {
        {"energy", "energy"}, {"spin.z", "omega_z"}, {"tip.x", "tip_x"}, {"tip.y", "tip_y"}, {"tip.z", "tip_z"}};
    traced it[5] = {{0}};
    phx_numbers table = {0};
    run made = {0};
    phx_status status = phx_numbers_read(item->context, "hinged_beam.csv", &table);

    if (!status)
        status = simulate(item, "hinged_beam.yaml", NULL, PHX_RADAU5, 5e-6, 0.0, 0.0, &made);
    for (int k = 0; k < 5 && !status; k++)
        status = compare(item, &made, 1.0, names[k][0], 1.0, &table, names[k][1], &it[k]);
    if (!status)
        put_hinged(item, &it[0], &it[1], &it[2]);
    for (int k = 0; k < 5; k++)
        free_traced(&it[k]);
    free_run(&made);
    phx_numbers_free(&table);
    return status;
}

/* ---- energy and joints over a run (the response to the reviewers) ---- */

phx_status phx_item_energy(phx_item *item)
{
    static const struct {
        const char *file, *name;
    } runs[] = {{"crank_slider.yaml", "crank-slider"},
                {"double_pendulum.yaml", "falling double pendulum"},
                {"hinged_beam.yaml", "hinged spatial beam"},
                {"hinged_pair.yaml", "free hinged pair"}};
    phx_status status = PHX_OK;

    for (int k = 0; k < (int)(sizeof runs / sizeof *runs) && !status; k++) {
        char what[160];
        run made;
        status = simulate(item, runs[k].file, NULL, PHX_MIDPOINT, 0.0, 0.0, 0.0, &made);
        if (!status) {
            snprintf(what, sizeof what,
                     "%s, largest |H(t) − H(0) − ∫u·y dt| "
                     "over the largest energy",
                     runs[k].name);
            phx_item_row(item, what, "", made.report.largest_residual / made.report.largest_energy,
                         phx_reference_zero(1e-10));
        }
        free_run(&made);
    }
    return status;
}

static phx_status put_drift(phx_item *item, phx_integrator integrator, double rtol)
{
    const bool midpoint = integrator == PHX_MIDPOINT;
    const char *name = phx_integrator_name(integrator);
    double *t = NULL, *gap = NULL;
    char what[160];
    run made;
    phx_status status =
        simulate(item, "double_pendulum.yaml", NULL, integrator, rtol, midpoint ? 0.0 : 2.0, 0.02, &made);

    if (!status)
        status = phx_item_column(item, made.result, "t", 1.0, &t);
    if (!status)
        status = phx_item_column(item, made.result, "drift", 1.0, &gap);
    if (!status) {
        const int rows = (int)phx_result_rows(made.result);
        phx_comparisons_add_line(item->page, name, false, rows, t, gap);
        snprintf(what, sizeof what, "%s, %g s: largest gap of a joint", name, t[rows - 1]);
        phx_item_row(item, what, "m", made.report.largest_drift,
                     midpoint ? phx_reference_zero(1e-12) : phx_no_reference());
        snprintf(what, sizeof what, "%s, %g s: largest velocity with which a joint opens", name, t[rows - 1]);
        phx_item_row(item, what, "m/s", made.report.largest_drift_rate,
                     midpoint ? phx_reference_zero(1e-11) : phx_no_reference());
    }
    phx_free(t);
    phx_free(gap);
    free_run(&made);
    return status;
}

phx_status phx_item_drift(phx_item *item)
{
    const phx_comparison_figure figure = {.title = "Gap of the joints of a falling flexible double pendulum",
                                          .remark = "the response prints no numbers",
                                          .x_label = "t (s)",
                                          .y_label = "largest gap (m)",
                                          .logarithmic = true};

    phx_comparisons_add_figure(item->page, &figure);
    phx_status status = put_drift(item, PHX_MIDPOINT, 0.0);
    if (!status)
        status = put_drift(item, PHX_RADAU5, 1e-6);
    if (!status)
        status = put_drift(item, PHX_IDA, 1e-6);
    return status;
}
