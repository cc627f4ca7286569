/* Runs to an accuracy. */
#include "accuracy.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Instants of the comparison, at least, and at most where more are given; as many where none are, a prime number, so
 * that no motion with a whole number of periods meets all of them in few phases; and the most steps of a trial run. */
enum { INSTANTS = 50, MOST_INSTANTS = 1000, INSTANTS_OF_ITS_OWN = 211, MOST_STEPS = 2000000 };
/* Part of the allowed error that is aimed at. */
static const double AIM = 0.5;
static const double ON_TIME = 1e-6;  /* parts of the interval: instants that agree */
static const double ROUNDING = 1e-9; /* of a number of steps or intervals, relative */

/* Accuracy requested: options come first, then the model; 1e-3 relative if neither gives an accuracy, rtol or step.
 * Zero in both fields if rtol or step alone decide. */
phx_accuracy phx_accuracy_asked(const phx_model *model, const phx_simulate_options *options)
{
    static const double by_default = 1e-3;
    const phx_model_simulate *simulate = &model->simulate;
    phx_accuracy asked = {0};

    if (options->accuracy.given || options->accuracy_absolute.given) {
        asked = (phx_accuracy){options->accuracy.value, options->accuracy_absolute.value};
    } else if (!options->rtol.given && !options->step.given) {
        asked = (phx_accuracy){simulate->accuracy.value, simulate->accuracy_absolute.value};
        if (!(asked.relative > 0.0) && !(asked.absolute > 0.0) && !simulate->rtol.given && !simulate->step.given)
            asked.relative = by_default;
    }
    return asked;
}

/* ---- traces ---- */
phx_status phx_trace_look(phx_trace *trace, double t, const double *outputs)
{
    if (trace->rows == 0)
        trace->start = t;
    const double next = trace->start + trace->rows * trace->interval;
    if (fabs(t - next) > ON_TIME * trace->interval)
        return PHX_OK;
    if (trace->rows == trace->room) {
        const int room = 2 * trace->room + INSTANTS + 2;
        double *values = phx_realloc(trace->context, trace->values, (size_t)room * (size_t)trace->n, sizeof *values);
        if (!values)
            return PHX_ERR_MEMORY;
        trace->values = values;
        trace->room = room;
    }
    memcpy(trace->values + (size_t)trace->rows++ * (size_t)trace->n, outputs, (size_t)trace->n * sizeof *outputs);
    return PHX_OK;
}

static void trace_free(phx_trace *trace)
{
    phx_free(trace->values);
    *trace = (phx_trace){0};
}

/* ---- what is compared ---- */
static bool is_of(const char *column, const char *output)
{
    const size_t length = strlen(output);
    return !strncmp(column, output, length) && (column[length] == '\0' || column[length] == '.');
}

static phx_status fail_name(phx_context *context, const phx_model *model, const char *name)
{
    phx_nearest nearest = phx_nearest_to(name);
    for (int k = 0; k < model->n_outputs; k++)
        phx_nearest_offer(&nearest, model->outputs[k].name);
    return phx_fail(context, PHX_ERR_INPUT, "accuracy_of: there is no output '%s'%s", name,
                    phx_nearest_hint(&nearest).text);
}

/* The powers of the unit of a quantity, from its first column. */
static void measure_unit(const phx_system *system, phx_compared *quantity)
{
    static const struct {
        const char *unit;
        double metres, kilograms, seconds;
    } known[] = {{"m", 1, 0, 0},      {"m/s", 1, 0, -1},     {"m/s^2", 1, 0, -2}, {"rad", 0, 0, 0},
                 {"rad/s", 0, 0, -1}, {"rad/s^2", 0, 0, -2}, {"N", 1, 1, -2},     {"N m", 2, 1, -2}};
    const char *unit = phx_system_column_unit(system, quantity->first);

    quantity->other = true;
    for (size_t k = 0; k < sizeof known / sizeof *known && quantity->other; k++)
        if (!strcmp(known[k].unit, unit)) {
            quantity->metres = known[k].metres;
            quantity->kilograms = known[k].kilograms;
            quantity->seconds = known[k].seconds;
            quantity->other = false;
        }
}

/* All outputs, or those with names that were given. */
static phx_status list_compared(phx_context *context, const phx_model *model, const phx_system *system, int n_names,
                                const char *const *names, phx_accuracy_choice *choice)
{
    const int n = phx_system_columns(system);
    char name[sizeof choice->worst];

    choice->compared = phx_calloc(context, (size_t)n, sizeof *choice->compared);
    if (!choice->compared)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n_names; i++) {
        bool found = false;
        for (int k = 0; k < n && !found; k++) {
            phx_system_column_name(system, k, name, sizeof name);
            found = is_of(name, names[i]);
        }
        if (!found)
            return fail_name(context, model, names[i]);
    }
    bool wanted = false;
    for (int k = 0; k < n; k++) {
        int component = 0;
        const phx_quantity quantity = phx_system_column_quantity(system, k, &component);
        if (component == 0) {
            phx_system_column_name(system, k, name, sizeof name);
            wanted = n_names == 0;
            for (int i = 0; i < n_names; i++)
                wanted = wanted || is_of(name, names[i]);
            if (wanted)
                choice->compared[choice->n_compared++] =
                    (phx_compared){.first = k, .end = k, .attitude = quantity == PHX_QUANTITY_ATTITUDE};
        }
        if (wanted && component == 0)
            measure_unit(system, &choice->compared[choice->n_compared - 1]);
        if (wanted)
            choice->compared[choice->n_compared - 1].end = k + 1;
    }
    return PHX_OK;
}

/* |sign a - b|, or |a| */
static double accuracy_length(const phx_trace *a, const phx_trace *b, double sign, int row,
                              const phx_compared *quantity)
{
    double sum = 0.0;
    for (int k = quantity->first; k < quantity->end; k++) {
        const size_t at = (size_t)row * (size_t)a->n + (size_t)k;
        const double value = sign * a->values[at] - (b ? b->values[at] : 0.0);
        sum += value * value;
    }
    return sqrt(sum);
}

/* A length of the quantity that counts for nothing: SMALL of the mechanism's reach, of its crossing in the time of the
 * motion, of the force that this takes. Velocities of a clamped point are rounding, and no step makes their relative
 * error small. */
static double smallest_length(const phx_accuracy_choice *choice, const phx_compared *quantity)
{
    static const double SMALL = 1e-9;

    return quantity->other ? 0.0
                           : SMALL * pow(choice->reach, quantity->metres) * pow(choice->mass, quantity->kilograms) *
                                 pow(choice->span, quantity->seconds);
}

/* The largest difference in units of what is allowed, and the quantity that has it; HUGE_VAL where a run has no rows.
 */
static double difference(const phx_accuracy_choice *choice, const phx_trace *a, const phx_trace *b, int *worst)
{
    const int rows = a->rows < b->rows ? a->rows : b->rows;
    double most = rows > 0 ? 0.0 : HUGE_VAL;

    *worst = -1;
    for (int q = 0; q < choice->n_compared && rows > 0; q++) {
        const phx_compared *quantity = &choice->compared[q];
        double largest = 0.0, scale = smallest_length(choice, quantity);
        for (int row = 0; row < rows; row++) {
            double d = accuracy_length(b, a, 1.0, row, quantity);
            if (quantity->attitude)
                d = fmin(d, accuracy_length(b, a, -1.0, row, quantity));
            largest = isfinite(d) ? fmax(largest, d) : HUGE_VAL;
            scale = fmax(scale, accuracy_length(b, NULL, 1.0, row, quantity));
        }
        const double allowed = choice->asked.relative * scale + choice->asked.absolute;
        if (largest > most * allowed) {
            most = largest / fmax(allowed, DBL_MIN);
            *worst = q;
        }
    }
    return most;
}

/* ---- runs ---- */
typedef struct accurate_run {
    phx_context *context;
    const phx_model *model;
    const phx_simulation_setup *setup;
    phx_accuracy_choice *choice;
    phx_simulate_report *report;
    phx_simulation *s;
    bool streams;          /* what is written to standard output stays: the result is a run of its own */
    double span, interval; /* s */
    double every;          /* of the result, s: a whole multiple of the interval */
    double base;           /* s: of which every step is a whole part */
    bool tree;             /* the explicit method takes the mechanism */
    bool bounded;          /* the longest step is given */
    int n;                 /* columns of outputs */
    double work;           /* so far, in steps of midpoint */
} accurate_run;

/* The result of the run before is not made after all. */
static void drop_run(accurate_run *run)
{
    phx_context *files = run->setup->files ? run->setup->files : run->context;
    const char *const paths[] = {run->setup->h5_path, run->setup->csv_path};

    for (int k = 0; k < 2 && run->s->recording.recorder; k++)
        if (paths[k])
            phx_files_give_up(files, paths[k]);
    phx_simulation_free(run->s);
}

/* A run of a method with a step; what was recorded of the run before is dropped. No rows in `trace`: the step is too
 * long for it to come to its end. */
static phx_status run_with(accurate_run *run, phx_integrator with, double step, bool files, phx_trace *trace)
{
    phx_simulate_options options = *run->setup->options;
    phx_simulation_setup setup = *run->setup;
    phx_log_fn *log = NULL;
    void *user = NULL;

    options.has_integrator = true;
    options.integrator = with;
    options.step = (phx_model_optional){true, step};
    options.every = (phx_model_optional){true, fmin(run->interval, run->every)};
    options.rtol = options.atol = (phx_model_optional){true, 0.0}; /* whatever the model says */
    options.accuracy = options.accuracy_absolute = (phx_model_optional){false, 0.0};
    setup.options = &options;
    setup.aligned = run->base;
    setup.rows_every = run->every;
    setup.no_checkpoints = true; /* most runs are dropped */
    if (!files)
        setup.h5_path = setup.csv_path = NULL;
    *trace = (phx_trace){.context = run->context, .interval = run->interval, .n = run->n};
    setup.trace = trace;
    drop_run(run);
    phx_context_get_log(run->context, &log, &user);
    phx_context_set_log(run->context, NULL, NULL);
    const phx_status status = phx_simulation_run_fixed(run->context, run->model, &setup, run->report, run->s);
    phx_context_set_log(run->context, log, user);
    run->s->recording.trace = NULL;
    run->choice->reach = run->s->recording.monitor.reach; /* of this run: one before may have run away */
    run->choice->runs++;
    run->choice->steps += run->report->stats.steps;
    run->work += phx_integrator_get(with)->work * (double)run->report->stats.steps;
    const bool failed =
        status == PHX_NOT_CONVERGED || status == PHX_SINGULAR || status == PHX_REJECTED || status == PHX_ERR_ANALYSIS;
    if (status && !failed)
        return status;
    if (failed ||
        run->report->stats.halvings > run->report->stats.steps / 100) { /* its steps are not what they should be */
        trace->rows = 0;
        phx_context_clear(run->context);
    }
    return PHX_OK;
}

/* The runs of one method, each with a shorter step than the one before. */
typedef struct sequence {
    phx_integrator with;
    double first;  /* step of the first run, s */
    double asked;  /* step of the last run; 0: there was none */
    double mean;   /* of the steps that it took */
    double step;   /* the one that counts */
    double ratio;  /* of the steps of the last two */
    double change; /* between them, in units of what is allowed */
    double error;  /* of the last, likewise */
    double order;  /* with which the changes fall; 0: not known */
    double fell;   /* order by which the change before fell, whatever it says; 0: not known */
    bool same;     /* the last two runs are equal to the last digit: nothing that a third does not confirm */
    bool settled;  /* the last is good enough */
    bool refused;  /* the method does not take the mechanism */
    int worst;     /* the quantity that decides, -1: none */
    phx_trace last;
} sequence;

/* The order p by which two changes between three runs fall: e = c h^p (theory 15), and the steps fall by `first` and
 * `second`; 0 where they do not. (1 - first^p) / (first^p (1 - second^p)) grows with p. */
static double observed_order(double first, double second, double fall)
{
    static const double largest = 16.0;
    double low = 0.0, high = largest;

    for (int k = 0; k < 40; k++) {
        const double p = 0.5 * (low + high), power = pow(first, p);
        if ((1.0 - power) / (power * (1.0 - pow(second, p))) < fall)
            low = p;
        else
            high = p;
    }
    return low;
}

/* Theory 15 (1): e_0 - e_1 is the change from step h to r h, and e_1 = r^p e_0, but no less than `least`, what rounding
 * leaves. The order is observed anew in each run: what has oscillations that a step does not resolve converges at
 * first, then not, and again with steps that resolve them. Of a first change it is not known, and the least that counts
 * is taken. The error is that of the lower of the last two orders, or of two: through kinks errors fall now fast, now
 * hardly; and of order two at most after a change above `rough`, whose fall shows where steps become short enough, not
 * how errors fall from there on. Two runs without any difference tell nothing of their error until a third is equal to
 * them, as where nothing moves. `asked`: relative. */
static void accuracy_judge(sequence *q, double asked, double ratio, double change, double least)
{
    static const double shows = 0.6, lowest = 0.5; /* of the order of the method; of any estimate */
    static const double rough = 0.01;              /* of the largest value */
    const double p = phx_integrator_get(q->with)->order;
    const double trusted = q->change * asked > rough ? 2.0 : q->fell > 0.0 ? fmax(q->fell, 2.0) : p;
    double observed = shows * p, safe = observed;

    q->order = 0.0;
    if (isfinite(q->change) && change > 0.0) {
        observed = fmax(lowest, fmin(observed_order(q->ratio, ratio, q->change / change), p));
        q->order = observed > shows * p ? observed : 0.0;
        safe = fmin(observed, trusted);
        q->fell = observed;
    }
    const double power = pow(ratio, safe);
    q->error = fmax(change * power / (1.0 - power), least);
    if (change == 0.0 && !q->same)
        q->error = HUGE_VAL;
    q->same = change == 0.0;
    q->change = change;
    q->ratio = ratio;
    q->settled = q->error <= 1.0;
}

/* The mean of the steps of the last run. */
static double mean_step(const accurate_run *run)
{
    return run->span / fmax(1.0, (double)run->report->stats.steps);
}

/* Runs once more with the given step and compares the outputs with the last run to estimate its error; the new run
 * replaces the last one in q. An open energy or joint balance counts as an error and leaves the sequence unsettled. */
static phx_status next_run(accurate_run *run, double step, sequence *q)
{
    static const double rounding = 1e-14; /* of the largest value */
    static const double same = 0.95;      /* ratio of steps from which on two runs say nothing of each other */
    static const double shorter = 0.7;    /* part of the step: from here on samples or events make the steps */
    const double asked = run->choice->asked.relative, least = asked > 0.0 ? rounding / asked : 0.0;
    phx_trace finer = {0};
    phx_status status = run_with(run, q->with, step, !run->streams, &finer);

    const double mean = mean_step(run), counts = mean < shorter * step ? mean : step;
    const double open = phx_monitor_error(&run->s->recording.monitor) / (asked > 0.0 ? asked : 1.0);
    if (!status && q->asked > 0.0 && mean < same * q->mean && counts < same * q->step)
        accuracy_judge(q, asked, counts / q->step, difference(run->choice, &q->last, &finer, &q->worst), least);
    if (open > 1.0) { /* no accuracy of the outputs without a balance of energy and joints to match */
        q->error = fmax(q->error, open);
        q->settled = false;
    }
    trace_free(&q->last);
    q->last = finer;
    q->asked = step;
    q->mean = mean;
    q->step = counts;
    return status;
}

/* The longest step below that divides the base or is a multiple of it. */
static double whole_part(const accurate_run *run, double step)
{
    if (step > run->base)
        return run->base * floor(step / run->base * (1.0 + ROUNDING));
    return run->base / ceil(run->base / step * (1.0 - ROUNDING));
}

/* The step that the error so far asks for. */
static double next_step(const accurate_run *run, const sequence *q)
{
    static const double least = 0.25, most = 0.75;

    if (q->step == 0.0)
        return whole_part(run, q->first);
    if (q->order == 0.0)
        return whole_part(run, 0.5 * q->step);
    const double factor = fmin(fmax(pow(AIM / q->error, 1.0 / q->order), least), most);
    return whole_part(run, factor * q->step);
}

static double work_of(const accurate_run *run, phx_integrator with, double step)
{
    return phx_integrator_get(with)->work * run->span / step;
}

/* The last two runs differ by rounding alone. */
static bool is_rounding(const accurate_run *run, const sequence *q)
{
    static const double rounding = 1e-12;
    return run->choice->asked.absolute == 0.0 && q->change > 0.0 && q->change * run->choice->asked.relative < rounding;
}

/* No further run can help: its step is too short, or rounding hides what it would gain. */
static bool is_exhausted(const accurate_run *run, const sequence *q)
{
    return q->refused || run->span / next_step(run, q) > MOST_STEPS || (q->step > 0.0 && is_rounding(run, q));
}

/* Work ahead of a sequence, in steps of midpoint: the run that should be good enough; where the order does not show
 * yet, as long as it does not, and that of a method that was not tried, a multiple of its next run. */
static double work_ahead(const accurate_run *run, const sequence *q)
{
    static const double untried = 10.0, unknown = 4.0;

    if (q->settled)
        return 0.0;
    if (is_exhausted(run, q))
        return HUGE_VAL;
    const double work = work_of(run, q->with, next_step(run, q));
    return q->order > 0.0 ? work : q->step > 0.0 ? unknown * work : untried * work;
}

/* Runs of one method until the order shows, or they would take more than `most`. */
static phx_status run_trials(accurate_run *run, double most, sequence *q)
{
    phx_status status = PHX_OK;

    for (const double begun = run->work; !status && !q->settled && q->order == 0.0 && !is_exhausted(run, q);) {
        const double step = next_step(run, q);
        if (run->work - begun + work_of(run, q->with, step) > most)
            break;
        status = next_run(run, step, q);
    }
    return status;
}

static phx_status run_to_end(accurate_run *run, sequence *q)
{
    phx_status status = PHX_OK;

    while (!status && !q->settled && !is_exhausted(run, q))
        status = next_run(run, next_step(run, q), q);
    return status;
}

static sequence sequence_of(phx_integrator with, double first)
{
    return (sequence){.with = with, .first = first, .change = HUGE_VAL, .error = HUGE_VAL, .worst = -1};
}

/* The method that is tried first on trees of rigid bodies. */
static phx_integrator method_of_trees(void)
{
    int k = 0;
    while (!phx_integrator_get((phx_integrator)k)->of_trees)
        k++;
    return (phx_integrator)k;
}

/* The explicit method, whose steps are cheap and of high order, where it takes the mechanism. Its steps may be longer
 * than the interval of the outputs, which it interpolates; the comparison sees the error of that. Where no order shows
 * the motion is stiff or has kinks, and the sequence ends with none. */
static phx_status search_explicit(accurate_run *run, double longest, sequence *best)
{
    static const double trial = 40.0, intervals = 4.0; /* runs with the longest step; of a step */
    const phx_integrator with = method_of_trees();

    *best = sequence_of(with, run->bounded ? longest : intervals * longest);
    const phx_status status = run_trials(run, trial * work_of(run, with, longest), best);
    return status || best->order == 0.0 ? status : run_to_end(run, best);
}

/* The next run is always one of the method that has the least work ahead. */
static phx_status search_implicit(accurate_run *run, double longest, sequence *best)
{
    sequence all[PHX_INTEGRATORS];
    phx_status status = PHX_OK;
    int least = 0, n = 0;

    for (int k = 0; k < PHX_INTEGRATORS; k++)
        if (phx_integrator_get((phx_integrator)k)->candidate)
            all[n++] = sequence_of((phx_integrator)k, longest);
    while (!status) {
        least = 0;
        for (int k = 1; k < n; k++)
            if (work_ahead(run, &all[k]) < work_ahead(run, &all[least]))
                least = k;
        if (all[least].settled || is_exhausted(run, &all[least]))
            break;
        status = next_run(run, next_step(run, &all[least]), &all[least]);
        if (status == PHX_ERR_UNSUPPORTED && least > 0) { /* of the mechanism by the method: controllers */
            phx_context_clear(run->context);
            status = PHX_OK;
            all[least].refused = true;
        }
    }
    *best = all[least];
    for (int k = 0; k < n; k++)
        if (k != least)
            trace_free(&all[k].last);
    return status;
}

/* By one integrator, or the best of them (PHX_INTEGRATORS). */
static phx_status accuracy_search(accurate_run *run, phx_integrator only, double longest, sequence *best)
{
    const bool any = only == PHX_INTEGRATORS;
    phx_status status = any && run->tree ? search_explicit(run, longest, best) : PHX_OK;

    if (status || best->settled || best->order > 0.0)
        return status;
    trace_free(&best->last);
    if (any)
        return search_implicit(run, longest, best);
    *best = sequence_of(only, longest);
    return run_to_end(run, best);
}

/* The instants of the comparison go over the whole motion: the output instants where these are given, some of very
 * many, or more than few. */
static double comparison_interval(double span, double every)
{
    if (!(every > 0.0))
        return span / INSTANTS_OF_ITS_OWN;
    const double few = ceil(every * INSTANTS / span * (1.0 - ROUNDING));
    return every * fmax(1.0, ceil(span / MOST_INSTANTS / every * (1.0 - ROUNDING))) / fmax(1.0, few);
}

/* ---- what is said ---- */
/* The name of the quantity that decides, without its component. */
static void name_worst(const phx_system *system, const sequence *best, phx_accuracy_choice *choice)
{
    if (best->worst < 0)
        return;
    phx_system_column_name(system, choice->compared[best->worst].first, choice->worst, sizeof choice->worst);
    choice->worst[strcspn(choice->worst, ".")] = '\0';
}

static double accuracy_unit_of(const phx_accuracy *asked)
{
    return asked->relative > 0.0 ? asked->relative : asked->absolute;
}

static phx_status fail_accuracy(phx_context *context, const phx_accuracy_choice *choice, const sequence *best)
{
    return phx_fail(context, PHX_ERR_ANALYSIS,
                    "the accuracy %.3g of '%s' cannot be reached: with steps of %.3g s of %s its error is about %.2g; "
                    "the motion is too sensitive, too fast or not smooth. Request less accuracy, other outputs "
                    "(accuracy_of) or an earlier end, or give the step",
                    accuracy_unit_of(&choice->asked), choice->worst, best->step, phx_integrator_name(best->with),
                    best->error * accuracy_unit_of(&choice->asked));
}

/* Refuses requests that cannot be met. */
static phx_status accuracy_refuse(phx_context *context, const phx_model *model, const phx_system *system, bool known,
                                  phx_integrator integrator)
{
    if (!known)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "%s chooses its steps itself: give it rtol, or an accuracy to another integrator",
                        phx_integrator_name(integrator));
    if (model->initial.from)
        return phx_model_fail(context, model, &model->initial.from, PHX_ERR_UNSUPPORTED,
                              "a run that continues another one takes a step: give --step or rtol instead of an "
                              "accuracy");
    if (phx_system_columns(system) == 0)
        return phx_model_fail(context, model, &model->simulate, PHX_ERR_INPUT,
                              "without a step the run is made to an accuracy of the outputs, and there are none: name "
                              "some, or give simulate: {step: ...} or --step");
    return PHX_OK;
}

/* ---- the whole ---- */
static phx_status accuracy_run(accurate_run *run, phx_integrator only, double longest, const phx_system *system)
{
    sequence best = {0};
    phx_trace again = {0};
    phx_status status = accuracy_search(run, only, longest, &best);

    name_worst(system, &best, run->choice);
    if (!status && !best.settled)
        status = fail_accuracy(run->context, run->choice, &best);
    if (!status && run->streams)
        status = run_with(run, best.with, best.asked, true, &again);
    if (!status) {
        phx_monitor_conclude(&run->s->recording.monitor, run->context);
        run->report->accuracy = accuracy_unit_of(&run->choice->asked);
        run->report->accuracy_reached = best.error * run->report->accuracy;
        run->report->runs = run->choice->runs;
        run->report->all_steps = run->choice->steps;
    }
    trace_free(&best.last);
    trace_free(&again);
    return status;
}

/* Simulates to the requested accuracy: selects the compared outputs and bounds, then chooses integrator and step by
 * repeated runs. The integrator is free only if neither options nor model name one; the last run is left in s. */
phx_status phx_accuracy_run(phx_context *context, const phx_model *model, const phx_simulation_setup *setup,
                            phx_simulate_report *report, phx_simulation *s)
{
    const phx_simulate_options *options = setup->options;
    const phx_build_options build = {.cache = setup->cache};
    const bool given = options->n_accuracy_of > 0;
    phx_accuracy_choice choice = {.asked = phx_accuracy_asked(model, options)};
    accurate_run run = {
        .context = context, .model = model, .setup = setup, .choice = &choice, .report = report, .s = s};
    phx_integrate_options used;
    phx_system *system = NULL;

    phx_status status = phx_simulation_settle(context, model, options, &used);
    const bool any = !options->has_integrator && model->simulate.integrator == PHX_MODEL_AUTO;
    const phx_integrator only = any ? PHX_INTEGRATORS : used.integrator;
    if (!status)
        status = phx_model_build(context, model, &build, &system);
    if (!status)
        status = accuracy_refuse(context, model, system, any || phx_integrator_get(only)->work > 0.0, used.integrator);
    if (!status)
        status = list_compared(context, model, system, given ? options->n_accuracy_of : model->simulate.n_accuracy_of,
                               given ? options->accuracy_of : model->simulate.accuracy_of, &choice);
    if (!status) {
        run.n = phx_system_columns(system);
        run.bounded = used.step > 0.0;
        run.tree = any && phx_system_check_tree(system, true) == PHX_OK;
        phx_context_clear(context);
        run.span = choice.span = used.end;
        for (int b = 0; b < model->n_bodies; b++)
            choice.mass += phx_body_at_rest(phx_system_body(system, b))->mass;
        run.interval = comparison_interval(used.end, used.every);
        run.every = used.every > 0.0 ? used.every : run.interval;
        run.streams = setup->csv_path && !strcmp(setup->csv_path, "-");
        run.base = used.every > 0.0 ? fmin(used.every, run.interval) : run.interval;
        status = accuracy_run(&run, only, used.step > 0.0 ? fmin(used.step, run.base) : run.base, system);
    }
    phx_system_destroy(system);
    phx_free(choice.compared);
    return status;
}
