/* Time of a step of chains of 10 to 10000 links, against KLU alone on the same matrix.
 *
 *     bench_chains [--csv FILE] [--only KIND,...] [--links N] [--repeats N] [--threads N]
 *
 * Each run is a process of its own, so that its peak memory is its own. Times are the least of the repeats. */
#define _XOPEN_SOURCE 700 /* fork, pipe */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <phlexor/integrate.h>

#include "baseline.h"
#include "chain.h"
#include "condensation.h"
#include "options.h"
#include "timing.h"
#include "tridiagonal.h"
#include "equilibrium/equilibrium.h"

typedef struct bench_kind {
    const char *name, *planar; /* planar: what it is compared with; NULL: planar itself */
    int dim, elements;
    phx_joint_kind joint;
    bool rods;
} bench_kind;
enum { RIGID, FLEXIBLE, RIGID_HINGE, FLEXIBLE_HINGE, RIGID_BALL, FLEXIBLE_BALL, ROD, ROD_HINGE, ROD_BALL, N_KINDS };
static const bench_kind kinds[N_KINDS] = {
    [RIGID] = {"rigid", NULL, 2, 0, PHX_JOINT_REVOLUTE, false},
    [FLEXIBLE] = {"flexible", NULL, 2, 8, PHX_JOINT_REVOLUTE, false},
    [RIGID_HINGE] = {"rigid-hinge", "rigid", 3, 0, PHX_JOINT_REVOLUTE, false},
    [FLEXIBLE_HINGE] = {"flexible-hinge", "flexible", 3, 8, PHX_JOINT_REVOLUTE, false},
    [RIGID_BALL] = {"rigid-ball", "rigid", 3, 0, PHX_JOINT_SPHERICAL, false},
    [FLEXIBLE_BALL] = {"flexible-ball", "flexible", 3, 8, PHX_JOINT_SPHERICAL, false},
    [ROD] = {"rod", NULL, 2, 8, PHX_JOINT_REVOLUTE, true},
    [ROD_HINGE] = {"rod-hinge", "rod", 3, 8, PHX_JOINT_REVOLUTE, true},
    [ROD_BALL] = {"rod-ball", "rod", 3, 8, PHX_JOINT_SPHERICAL, true},
};

typedef struct bench_case {
    int kind, links;
    double end; /* s */
} bench_case;

static const double STEP = 1e-3;
static const bench_case cases[] = {
    {RIGID, 10, 1.0},
    {RIGID, 100, 1.0},
    {RIGID, 1000, 1.0},
    {RIGID, 10000, 0.3},
    {FLEXIBLE, 1, 1.0},
    {FLEXIBLE, 10, 1.0},
    {FLEXIBLE, 100, 1.0},
    {FLEXIBLE, 1000, 0.1},
    {RIGID_HINGE, 10, 1.0},
    {RIGID_HINGE, 100, 1.0},
    {RIGID_HINGE, 1000, 1.0},
    {RIGID_HINGE, 10000, 0.1},
    {FLEXIBLE_HINGE, 10, 1.0},
    {FLEXIBLE_HINGE, 100, 1.0},
    {FLEXIBLE_HINGE, 1000, 0.1},
    {RIGID_BALL, 10, 1.0},
    {RIGID_BALL, 100, 1.0},
    {RIGID_BALL, 1000, 1.0},
    {RIGID_BALL, 10000, 0.1},
    {FLEXIBLE_BALL, 10, 1.0},
    {FLEXIBLE_BALL, 100, 1.0},
    {FLEXIBLE_BALL, 1000, 0.1},
    {ROD, 10, 1.0},
    {ROD, 100, 1.0},
    {ROD, 1000, 0.1},
    {ROD_HINGE, 10, 1.0},
    {ROD_HINGE, 100, 0.3},
    {ROD_BALL, 10, 1.0},
    {ROD_BALL, 100, 0.3},
};
enum { N_CASES = sizeof cases / sizeof *cases, PHASES = 6 };

static const char *name_of(const bench_case *c)
{
    return kinds[c->kind].name;
}

static const char *const phase_names[PHASES] = {"begin", "residual", "linearise", "factor", "solve", "project"};

/* Figures of a run for its parent. */
typedef struct measure {
    bool done;
    int unknowns, entries, fill;
    long steps, iterations, linearisations, factorisations, halvings;
    double setup, per_step, refactor, solve, memory, energy_drift;
    double lu_factor, lu_solve; /* s, phx_lu alone */
    double bare;                /* s, the solver that knows the chain; 0: none */
    double phase[PHASES];       /* s, one call of each operation */
    double wall[2];             /* s a step by the wall clock, on one thread and on several; 0: not measured */
    double wall_phase[PHASES];  /* s, on several threads */
} measure;

typedef struct settings {
    const char *csv, *kind;
    int links, repeats, threads;
} settings;

/* ---- one run ---- */
typedef struct subject {
    phx_context *context;
    phx_system *system;
    phx_dae *dae;
    double *x, *v, *lambda, *x0, *v0, *lambda0;
    double *res;
} subject;

static phx_status nothing(void *user, const phx_sample *sample)
{
    (void)user;
    (void)sample;
    return PHX_OK;
}

static double total_energy(const subject *it)
{
    phx_energies energies;
    phx_system_energies(it->system, it->x, it->v, &energies);
    return energies.kinetic + energies.elastic + energies.potential;
}

/* One run from the start; `took`: s. */
static phx_status integrate(subject *it, const bench_case *c, double clock(void), phx_integrate_stats *stats,
                            double *took)
{
    phx_integrate_options options = phx_integrate_options_default();
    double t = 0.0;

    options.integrator = PHX_MIDPOINT;
    options.end = c->end;
    options.step = STEP;
    options.every = c->end;
    memcpy(it->x, it->x0, (size_t)it->dae->n_x * sizeof(double));
    memcpy(it->v, it->v0, (size_t)it->dae->n_v * sizeof(double));
    memcpy(it->lambda, it->lambda0, (size_t)it->dae->n_l * sizeof(double));
    const double start = clock();
    const phx_status status = phx_integrate(it->dae, &options, &t, it->x, it->v, it->lambda, nothing, NULL, stats);
    *took = clock() - start;
    return status;
}

static phx_status measure_step(subject *it, const bench_case *c, measure *m)
{
    phx_integrate_stats stats;
    phx_energies end;
    double took = 0.0;

    memcpy(it->x, it->x0, (size_t)it->dae->n_x * sizeof(double));
    memcpy(it->v, it->v0, (size_t)it->dae->n_v * sizeof(double));
    const double before = total_energy(it);
    const phx_status status = integrate(it, c, bench_clock, &stats, &took);
    if (status)
        return status;
    phx_system_energies(it->system, it->x, it->v, &end);
    m->energy_drift = fabs(total_energy(it) - before) / end.kinetic;
    m->steps = stats.steps;
    m->iterations = stats.newton_iterations;
    m->linearisations = stats.linearisations;
    m->factorisations = stats.factorisations;
    m->halvings = stats.halvings;
    if (m->per_step == 0.0 || took / (double)stats.steps < m->per_step)
        m->per_step = took / (double)stats.steps;
    return PHX_OK;
}

/* One call of an operation of the table; the interval starts at (x, v). */
static phx_status call_phase(subject *it, int phase)
{
    const phx_dae_ops *ops = it->dae->ops;
    phx_work work;

    switch (phase) {
    case 0:
        return ops->interval_begin(it->dae, 0.0, STEP, it->x, it->v);
    case 1:
        return ops->interval_residual(it->dae, it->v, it->lambda, it->x0, it->res);
    case 2:
        return ops->interval_linearise(it->dae);
    case 3:
        return ops->factor(it->dae, 0, 2.0 / STEP);
    case 4:
        return ops->solve(it->dae, 0, it->res);
    default:
        memcpy(it->v0, it->v, (size_t)it->dae->n_v * sizeof(double));
        for (int i = 0; i < it->dae->n_v; i++) /* off the joints, by no more than a step leaves */
            it->v0[i] *= 1.0 + 1e-6 * (i % 3);
        return ops->project(it->dae, STEP, STEP, true, false, it->x, it->v0, it->lambda, &work);
    }
}

static phx_status time_phases(subject *it, double clock(void), double *least)
{
    phx_status status = PHX_OK;

    for (int phase = 0; phase < PHASES && !status; phase++) {
        for (int batch = 0; batch < 5 && !status; batch++) {
            const double start = clock();
            double now = start;
            int calls = 0;
            for (; (calls < 3 || now - start < 0.01) && !status; calls++) {
                status = call_phase(it, phase);
                now = clock();
            }
            const double each = (now - start) / calls;
            if (least[phase] == 0.0 || each < least[phase])
                least[phase] = each;
        }
    }
    return status;
}

/* phx_lu alone on the matrix of the baselines. */
typedef struct lu_subject {
    phx_lu *lu;
    const double *val;
    double *x;
} lu_subject;

static bool lu_factor(void *user)
{
    lu_subject *s = user;
    return phx_lu_factor(s->lu, s->val, NULL) == PHX_OK;
}

static bool lu_solve(void *user)
{
    lu_subject *s = user;
    return phx_lu_solve(s->lu, 1, s->x) == PHX_OK;
}

static phx_status measure_lu(phx_context *context, int n, const int *ptr, const int *idx, const int *order,
                             const double *val, measure *m)
{
    lu_subject s = {.val = val, .x = phx_calloc(context, (size_t)n, sizeof(double))};
    phx_status status = s.x ? phx_lu_create(context, n, ptr, idx, order, false, &s.lu) : PHX_ERR_MEMORY;

    for (int i = 0; i < n && !status; i++)
        s.x[i] = 1.0;
    if (!status) {
        m->lu_factor = bench_least_time(&s, lu_factor);
        m->lu_solve = bench_least_time(&s, lu_solve);
        if (m->lu_factor < 0.0 || m->lu_solve < 0.0)
            status = PHX_SINGULAR;
    }
    phx_lu_destroy(s.lu);
    phx_free(s.x);
    return status;
}

/* The solver of the chain: planar links only. */
static phx_status measure_bare(phx_context *context, const bench_case *c, const int *ptr, const int *idx,
                               const double *val, measure *m)
{
    const bench_kind *kind = &kinds[c->kind];
    double residual = 0.0;
    bool fits = true;

    if (kind->dim != 2 || kind->rods)
        return PHX_OK;
    if (kind->elements == 0)
        fits = tridiagonal_measure(c->links, ptr, idx, val, &m->bare, &residual);
    else
        fits = kind->elements == CONDENSATION_ELEMENTS &&
               condensation_measure(c->links, ptr, idx, val, &m->bare, &residual);
    if (!fits)
        return phx_fail(context, PHX_ERR_LIBRARY,
                        "the matrix couples more than a link with its joints, or a node with its neighbours");
    if (!(residual < 1e-12))
        return phx_fail(context, PHX_ERR_LIBRARY, "the bare solver leaves a residual of %g", residual);
    return PHX_OK;
}

static phx_status measure_baselines(subject *it, const bench_case *c, measure *m)
{
    int n = 0;
    const int *ptr = NULL, *idx = NULL, *order = NULL;
    const double *val = NULL;
    baseline result = {0};

    phx_system_condense(it->dae, PHX_CONDENSE_NEVER);
    for (int phase = 0; phase < 4; phase++) {
        const phx_status status = call_phase(it, phase);
        if (status)
            return status;
    }
    phx_system_condense(it->dae, PHX_CONDENSE_WHERE_IT_PAYS);
    phx_system_kkt(it->dae, &n, &ptr, &idx, &order, &val);
    m->unknowns = n;
    m->entries = ptr[n];
    if (!baseline_measure(n, ptr, idx, order, val, &result))
        return phx_fail(it->context, PHX_ERR_LIBRARY, "the baseline failed");
    m->refactor = result.refactor;
    m->solve = result.solve;
    m->fill = result.fill;
    phx_status status = measure_lu(it->context, n, ptr, idx, order, val, m);
    return status ? status : measure_bare(it->context, c, ptr, idx, val, m);
}

static phx_status create_subject(const bench_case *c, subject *it)
{
    const phx_start_options options = {.quasi_static = false, .t = 0.0};
    const bench_kind *kind = &kinds[c->kind];
    const chain_def def = {
        .dim = kind->dim, .links = c->links, .elements = kind->elements, .rods = kind->rods, .joint = kind->joint};
    phx_status status = chain_create(it->context, &def, &it->system);

    if (!status)
        status = phx_system_dae(it->system, it->context, &it->dae);
    if (status)
        return status;
    const size_t n_x = (size_t)it->dae->n_x, n_v = (size_t)it->dae->n_v, n_l = (size_t)it->dae->n_l;
    double *room = phx_calloc(it->context, 2 * (n_x + n_v + n_l) + n_v + n_l, sizeof *room);
    if (!room)
        return PHX_ERR_MEMORY;
    it->x = room;
    it->v = it->x + n_x;
    it->lambda = it->v + n_v;
    it->x0 = it->lambda + n_l;
    it->v0 = it->x0 + n_x;
    it->lambda0 = it->v0 + n_v;
    it->res = it->lambda0 + n_l;
    return phx_system_start(it->system, &options, it->x0, it->v0, it->lambda0);
}

/* One thread and several by turns, each with a workspace of its own, by the wall clock; both must end in the same
 * place, bit by bit. */
static phx_status measure_threads(subject *it, const bench_case *c, const settings *s, measure *m)
{
    phx_dae *dae[2] = {NULL, NULL};
    const size_t n_x = (size_t)it->dae->n_x, n_v = (size_t)it->dae->n_v;
    double *kept = phx_calloc(it->context, n_x + n_v, sizeof *kept), took = 0.0;
    phx_integrate_stats stats;
    phx_status status = kept ? PHX_OK : PHX_ERR_MEMORY;

    phx_system_dae_destroy(it->dae);
    for (int several = 0; several < 2 && !status; several++) {
        status = phx_system_dae(it->system, it->context, &dae[several]);
        if (!status)
            status = phx_system_threads(dae[several], several ? s->threads : 1);
    }
    for (int run = 0; run < 2 * s->repeats && !status; run++) {
        const int several = run % 2;
        it->dae = dae[several];
        status = integrate(it, c, bench_wall_clock, &stats, &took);
        if (!status && (m->wall[several] == 0.0 || took / (double)stats.steps < m->wall[several]))
            m->wall[several] = took / (double)stats.steps;
        if (!status && several &&
            (memcmp(kept, it->x, n_x * sizeof *kept) != 0 || memcmp(kept + n_x, it->v, n_v * sizeof *kept) != 0))
            status = phx_fail(it->context, PHX_ERR_LIBRARY, "%d threads end elsewhere than one", s->threads);
        if (!status) {
            memcpy(kept, it->x, n_x * sizeof *kept);
            memcpy(kept + n_x, it->v, n_v * sizeof *kept);
        }
    }
    phx_free(kept);
    phx_system_dae_destroy(dae[0]);
    it->dae = dae[1];
    return status ? status : time_phases(it, bench_wall_clock, m->wall_phase);
}

static void run_case(const bench_case *c, const settings *s, measure *m)
{
    subject it = {0};
    const double start = bench_clock();
    phx_status status = phx_context_create(&it.context);

    if (!status)
        status = create_subject(c, &it);
    m->setup = bench_clock() - start;
    for (int r = 0; r < s->repeats && !status; r++)
        status = measure_step(&it, c, m);
    m->memory = bench_peak_memory();
    if (!status)
        status = measure_baselines(&it, c, m);
    if (!status)
        status = time_phases(&it, bench_clock, m->phase);
    if (!status && s->threads > 1)
        status = measure_threads(&it, c, s, m);
    m->done = status == PHX_OK;
    if (status)
        fprintf(stderr, "%s chain of %d links: %s: %s\n", name_of(c), c->links, phx_status_text(status),
                phx_context_message(it.context));
    phx_system_dae_destroy(it.dae);
    phx_free(it.x);
    phx_system_destroy(it.system);
    phx_context_destroy(it.context);
}

/* The run in a process of its own. */
static bool run_apart(const bench_case *c, const settings *s, measure *m)
{
    int ends[2];

    memset(m, 0, sizeof *m);
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        run_case(c, s, m);
        const bool told = write(ends[1], m, sizeof *m) == (ssize_t)sizeof *m;
        _exit(told && m->done ? 0 : 1);
    }
    close(ends[1]);
    const bool heard = child > 0 && read(ends[0], m, sizeof *m) == (ssize_t)sizeof *m;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return heard && m->done;
}

/* ---- results ---- */
static double per_iteration(const measure *m)
{
    return m->per_step * (double)m->steps / (double)m->iterations;
}

/* One call each of what a Newton iteration with a matrix of its own consists of. */
static double by_themselves(const measure *m)
{
    return m->phase[1] + m->phase[2] + m->phase[3] + m->phase[4];
}

static double ratio(const measure *m)
{
    return per_iteration(m) / (m->refactor + m->solve);
}

/* 0 where nothing was measured. */
static double over_bare(const measure *m, double time)
{
    return m->bare > 0.0 ? time / m->bare : 0.0;
}

static void print_row(const bench_case *c, const measure *m)
{
    printf("%-14s %6d %8d %5ld %6.2f %6ld %6ld %5ld %10.1f %9.3f %9.1f %9.1f %6.2f %7.1f %7.2f %8.1e\n", name_of(c),
           c->links, m->unknowns, m->steps, (double)m->iterations / (double)m->steps, m->linearisations,
           m->factorisations, m->halvings, 1e6 * m->per_step, 1e6 * m->per_step / c->links, 1e6 * m->refactor,
           1e6 * m->solve, ratio(m), m->memory, m->setup, m->energy_drift);
    fflush(stdout);
}

static void print_phases(const bench_case *c, const measure *m)
{
    printf("%-14s %6d", name_of(c), c->links);
    for (int phase = 0; phase < PHASES; phase++)
        printf(" %10.1f", 1e6 * m->phase[phase]);
    printf(" %10.1f\n", 1e6 * (m->refactor + m->solve));
}

static void print_solvers(const bench_case *c, const measure *m)
{
    const double lu = m->lu_factor + m->lu_solve, klu = m->refactor + m->solve, links = c->links;

    printf("%-14s %6d %10.1f %10.1f %10.1f %10.1f %8.2f", name_of(c), c->links, 1e9 * m->lu_factor / links,
           1e9 * m->lu_solve / links, 1e9 * klu / links, 1e9 * m->bare / links, lu / klu);
    if (m->bare > 0.0)
        printf(" %8.2f %10.2f %14.2f %9.2f", over_bare(m, lu), over_bare(m, by_themselves(m)),
               over_bare(m, per_iteration(m)), over_bare(m, m->per_step));
    printf("\n");
}

static void print_threads(const bench_case *c, const measure *m)
{
    printf("%-14s %6d %10.1f %10.1f %8.2f", name_of(c), c->links, 1e6 * m->wall[0], 1e6 * m->wall[1],
           m->wall[1] / m->wall[0]);
    for (int phase = 0; phase < PHASES; phase++)
        printf(" %10.1f", 1e6 * m->wall_phase[phase]);
    printf("\n");
}

/* Least-squares slope of log(time of a step) over log(links), from 10 links on: one link alone has no joint to another
 * and needs no projection. */
static double growth(int kind, const measure *m, int *points)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    int n = 0;

    for (int i = 0; i < N_CASES; i++) {
        if (cases[i].kind != kind || cases[i].links < 10 || !m[i].done)
            continue;
        const double x = log(cases[i].links), y = log(m[i].per_step);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        n++;
    }
    *points = n;
    return n < 2 ? 0.0 : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* Time of a step per body, or per unknown, over that of the planar chain of as many links; 0 when it was not measured.
 */
static double over_planar(int i, bool per_unknown, const measure *m)
{
    const char *planar = kinds[cases[i].kind].planar;

    for (int k = 0; planar && m[i].done && k < N_CASES; k++)
        if (m[k].done && cases[k].links == cases[i].links && strcmp(name_of(&cases[k]), planar) == 0)
            return m[i].per_step / m[k].per_step * (per_unknown ? (double)m[k].unknowns / m[i].unknowns : 1.0);
    return 0.0;
}

static void print_summary(FILE *file, const char *before, const measure *m)
{
    for (int k = 0; k < N_KINDS; k++) {
        int points = 0;
        const double exponent = growth(k, m, &points);
        if (points >= 2)
            fprintf(file, "%stime of a step grows with links^%.3f (%s, %d sizes)\n", before, exponent, kinds[k].name,
                    points);
    }
    for (int i = 0; i < N_CASES; i++)
        if (over_planar(i, false, m) > 0.0)
            fprintf(file,
                    "%sa step costs %.2f times as much per body and %.2f per unknown as in the plane (%s, %d "
                    "links)\n",
                    before, over_planar(i, false, m), over_planar(i, true, m), name_of(&cases[i]), cases[i].links);
    for (int i = 0; i < N_CASES; i++)
        if (m[i].done && m[i].bare > 0.0)
            fprintf(file,
                    "%sthe bare solver takes %.0f ns a link; residual, matrix, factors and solution by themselves %.2f "
                    "times as long, a Newton iteration with all of its step %.2f times, a step %.2f times (%s, %d "
                    "links)\n",
                    before, 1e9 * m[i].bare / cases[i].links, over_bare(&m[i], by_themselves(&m[i])),
                    over_bare(&m[i], per_iteration(&m[i])), over_bare(&m[i], m[i].per_step), name_of(&cases[i]),
                    cases[i].links);
}

static bool write_csv(const char *path, const char *machine, const measure *m)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    fprintf(file, "# %s\n# times in microseconds, memory in MB\n", machine);
    print_summary(file, "# ", m);
    fprintf(file, "chain,links,elements,unknowns,entries,fill,end_s,step_s,steps,iterations,linearisations,"
                  "factorisations,halvings,step,step_per_body,klu_refactor,klu_solve,lu_factor,lu_solve,bare,"
                  "alone_over_bare,iteration_over_bare,step_over_bare,ratio,over_planar_body,over_planar,peak_memory,"
                  "setup,energy_drift,wall_one,"
                  "wall_threads");
    for (int phase = 0; phase < PHASES; phase++)
        fprintf(file, ",%s", phase_names[phase]);
    fprintf(file, "\n");
    for (int i = 0; i < N_CASES; i++) {
        const bench_case *c = &cases[i];
        if (!m[i].done)
            continue;
        fprintf(
            file,
            "%s,%d,%d,%d,%d,%d,%g,%g,%ld,%ld,%ld,%ld,%ld,%.2f,%.4f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.3f,%.3f,"
            "%.3f,%.1f,%.0f,%.2e,%.2f,%.2f",
            name_of(c), c->links, kinds[c->kind].elements, m[i].unknowns, m[i].entries, m[i].fill, c->end, STEP,
            m[i].steps, m[i].iterations, m[i].linearisations, m[i].factorisations, m[i].halvings, 1e6 * m[i].per_step,
            1e6 * m[i].per_step / c->links, 1e6 * m[i].refactor, 1e6 * m[i].solve, 1e6 * m[i].lu_factor,
            1e6 * m[i].lu_solve, 1e6 * m[i].bare, over_bare(&m[i], by_themselves(&m[i])),
            over_bare(&m[i], per_iteration(&m[i])), over_bare(&m[i], m[i].per_step), ratio(&m[i]),
            over_planar(i, false, m), over_planar(i, true, m), m[i].memory, 1e6 * m[i].setup, m[i].energy_drift,
            1e6 * m[i].wall[0], 1e6 * m[i].wall[1]);
        for (int phase = 0; phase < PHASES; phase++)
            fprintf(file, ",%.2f", 1e6 * m[i].phase[phase]);
        fprintf(file, "\n");
    }
    return fclose(file) == 0;
}

static bool read_settings(int count, char **words, settings *s)
{
    *s = (settings){.repeats = 3};
    const bench_option options[] = {
        {"--csv", .text = &s->csv},          {"--only", .text = &s->kind},        {"--links", .count = &s->links},
        {"--repeats", .count = &s->repeats}, {"--threads", .count = &s->threads},
    };
    return bench_read_options((int)(sizeof options / sizeof *options), options, count, words) && s->repeats > 0;
}

/* Whether a name is in the list, parted by commas; NULL: all are. */
static bool is_asked(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return !list;
}

int main(int count, char **words)
{
    measure m[N_CASES] = {0};
    char processor[128], machine[512];
    settings s;
    bool good = true;

    if (!read_settings(count, words, &s)) {
        fprintf(stderr, "usage: bench_chains [--csv FILE] [--only KIND,...] [--links N] [--repeats N] "
                        "[--threads N]\n");
        return 2;
    }
    bench_processor(processor, sizeof processor);
    snprintf(machine, sizeof machine, "%s; %s; phlexor %s, %s", processor, bench_compiler(), phx_version(),
             phx_build());
    printf("%s\nmidpoint, h = 1 ms; least of %d runs; times in us, memory in MB\n\n", machine, s.repeats);
    printf("%-14s %6s %8s %5s %6s %6s %6s %5s %10s %9s %9s %9s %6s %7s %7s %8s\n", "chain", "links", "unknowns",
           "steps", "iter", "linear", "factor", "halve", "step", "per body", "refactor", "solve", "ratio", "memory",
           "setup s", "energy");
    for (int i = 0; i < N_CASES; i++) {
        if (!is_asked(s.kind, name_of(&cases[i])) || (s.links && s.links != cases[i].links))
            continue;
        good = run_apart(&cases[i], &s, &m[i]) && good;
        if (m[i].done)
            print_row(&cases[i], &m[i]);
    }
    printf("\nratio: time of a Newton iteration, all of the step included, over refactor + solve\n");
    print_summary(stdout, "", m);
    printf("\none call of        ");
    for (int phase = 0; phase < PHASES; phase++)
        printf(" %10s", phase_names[phase]);
    printf("   KLU alone\n");
    for (int i = 0; i < N_CASES; i++)
        if (m[i].done)
            print_phases(&cases[i], &m[i]);
    printf(
        "\nns a body               factor      solve        KLU       bare   lu/KLU  lu/bare alone/bare iteration/bare "
        "step/bare\n");
    for (int i = 0; i < N_CASES; i++)
        if (m[i].done)
            print_solvers(&cases[i], &m[i]);
    if (s.threads > 1) {
        printf("\nwall clock             one    %2d threads  ratio", s.threads);
        for (int phase = 0; phase < PHASES; phase++)
            printf(" %10s", phase_names[phase]);
        printf("\n");
        for (int i = 0; i < N_CASES; i++)
            if (m[i].done)
                print_threads(&cases[i], &m[i]);
    }
    if (s.csv && !write_csv(s.csv, machine, m)) {
        fprintf(stderr, "%s cannot be written\n", s.csv);
        return 1;
    }
    return good ? 0 : 1;
}
