/* An FMU for model exchange through its events: the method of Bogacki and Shampine with its embedded error, cubic
 * interpolation in the step, and the first zero of an event indicator by halving. */
#include "check_plant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double TOLERANCE = 1e-5, LONGEST = 5.0 /* s of processor time */;
static const double LOCATED = 1e-14;      /* width of the bracket of an event, relative to t */
static const double LONGEST_FIRST = 1e-3; /* step, part of the run */
enum { MOST_EVALUATIONS = 2000, MOST_DRIVEN = 20, HALVINGS = 60, AFTERWARDS = 3 };

typedef struct drive {
    plant *p;
    double t, h, end;
    int steps, evaluations, events, first_event; /* first_event: after how many steps; 0: there was none */
    bool fresh;                                  /* k[0] is that of the states */
    double *y, *y1, *k[4];                       /* n */
    double *z, *z1;                              /* event indicators at both ends of the step */
    double *all;
} drive;

/* One block of memory for states, four stages and indicators before and after a step; false without memory. */
static bool check_drive_create(drive *d, plant *p)
{
    const size_t n = p->n, m = p->indicators;
    double *at = calloc(6 * n + 2 * m + 1, sizeof *at);

    *d = (drive){.p = p, .all = at};
    if (!at)
        return false;
    d->y = at;
    d->y1 = at + n;
    for (int i = 0; i < 4; i++)
        d->k[i] = at + (2 + (size_t)i) * n;
    d->z = at + 6 * n;
    d->z1 = d->z + m;
    return true;
}

static int check_drive_put(drive *d, double t, const double *y)
{
    memcpy(d->p->states, y, d->p->n * sizeof *y);
    return phx_fmu_try_states(d->p, t);
}

static int rates_at(drive *d, double t, const double *y, double *rates)
{
    const int status = check_drive_put(d, t, y);
    d->evaluations++;
    return status ? status : phx_fmu_try_rates(d->p, rates);
}

/* y1 and k of a step of length h, and how large its error is, of the tolerance. */
static int stages(drive *d, double h, double *error)
{
    static const double a[3][3] = {{1.0 / 2.0}, {0.0, 3.0 / 4.0}, {2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0}};
    static const double at[3] = {1.0 / 2.0, 3.0 / 4.0, 1.0}, e[4] = {-5.0 / 72.0, 1.0 / 12.0, 1.0 / 9.0, -1.0 / 8.0};
    const size_t n = d->p->n;
    int status = d->fresh ? 0 : rates_at(d, d->t, d->y, d->k[0]);

    *error = 0.0;
    for (int s = 0; s < 3 && !status; s++) {
        for (size_t i = 0; i < n; i++) {
            d->y1[i] = d->y[i];
            for (int j = 0; j <= s; j++)
                d->y1[i] += h * a[s][j] * d->k[j][i];
        }
        status = rates_at(d, d->t + at[s] * h, d->y1, d->k[s + 1]);
    }
    for (size_t i = 0; i < n && !status; i++) {
        double off = 0.0;
        for (int j = 0; j < 4; j++)
            off += h * e[j] * d->k[j][i];
        off = fabs(off) / (TOLERANCE * (d->p->nominal[i] + fabs(d->y[i])));
        *error = fmax(*error, isfinite(off) ? off : HUGE_VAL);
    }
    d->fresh = !status;
    return status;
}

/* Where the step is at the part s of its length, by its ends and their derivatives. */
static void interpolate(const drive *d, double h, double s, double *y)
{
    for (size_t i = 0; i < d->p->n; i++) {
        const double moved = d->y1[i] - d->y[i];
        y[i] =
            d->y[i] + s * (moved + (1.0 - s) * ((1.0 - s) * (h * d->k[0][i] - moved) - s * (h * d->k[3][i] - moved)));
    }
}

static bool crosses(const drive *d, const double *z)
{
    for (size_t i = 0; i < d->p->indicators; i++)
        if ((d->z[i] > 0.0) != (z[i] > 0.0))
            return true;
    return false;
}

/* The part of the step after which the first indicator has changed its sign; 1: none has. y1 is the state there. */
static int find_event(drive *d, double h, double *part, bool *found)
{
    double *z = d->z1, *y = d->k[1], low = 0.0, high = 1.0; /* k[1] and k[2] are not needed any more */
    int status = phx_fmu_try_indicators(d->p, z);

    *part = 1.0;
    *found = !status && crosses(d, z);
    for (int k = 0; k < HALVINGS && *found && !status; k++) {
        const double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high) || (high - low) * h <= LOCATED * fabs(d->t))
            break;
        interpolate(d, h, middle, y);
        status = check_drive_put(d, d->t + middle * h, y);
        if (!status)
            status = phx_fmu_try_indicators(d->p, z);
        if (!status && crosses(d, z))
            high = middle;
        else
            low = middle;
    }
    if (status || !*found)
        return status;
    interpolate(d, h, high, y);
    memcpy(d->y1, y, d->p->n * sizeof *y);
    *part = high;
    return 0;
}

/* A step to y1, shorter where its error is too large or the FMU discards it, to the first event in it. */
static int try_steps(drive *d, double *h, double *part, bool *found)
{
    static const double LEAST_ERROR = 1e-3; /* smaller ones choose the step as this one */
    const plant *p = d->p;
    const double to = fmin(d->end, p->next);
    double error = 0.0;

    for (int trial = 0; trial < HALVINGS; trial++) {
        const double left = to - d->t;
        *h = d->h >= left ? left : fmin(d->h, 0.5 * left);
        int status = stages(d, *h, &error);
        if (!status && error <= 1.0)
            status = find_event(d, *h, part, found);
        const double factor = status ? 0.25 : fmin(3.0, fmax(0.2, 0.9 * pow(fmax(error, LEAST_ERROR), -1.0 / 3.0)));
        if (!status && error <= 1.0) {
            d->h = *h < d->h ? fmax(d->h, factor * *h) : factor * *h;
            return 0;
        }
        if (status > fmi2Discard)
            return phx_fmu_finding(p, "a state or a derivative on the way", status);
        d->h = factor * *h;
    }
    phx_fmu_say(p->checked, '!', "model exchange: at %.9g s no step is short enough", d->t);
    return 1;
}

/* The event at its end is handled. */
static int one_step(drive *d)
{
    plant *p = d->p;
    double h = 0.0, part = 1.0;
    bool found = false;
    int status = try_steps(d, &h, &part, &found);

    if (status)
        return status;
    const bool at_time = !found && h >= p->next - d->t;
    bool event = found || at_time;
    d->t = at_time ? p->next : d->t + part * h;
    status = phx_fmu_finding(p, "setting the states at the end of a step", check_drive_put(d, d->t, d->y1));
    if (!status)
        status = phx_fmu_complete(p, d->t, &event);
    memcpy(d->y, p->states, p->n * sizeof *d->y);
    memcpy(d->k[0], d->k[3], p->n * sizeof *d->y);
    d->fresh = !event;
    d->steps++;
    d->events += event;
    if (event && !d->first_event)
        d->first_event = d->steps;
    if (status || p->terminates)
        return status;
    return phx_fmu_finding(p, "reading the event indicators", phx_fmu_try_indicators(p, d->z));
}

/* From t, at most `most` steps. */
static int check_drive_run(drive *d, double t, int most)
{
    const plant *p = d->p;
    const phx_fmu_model *model = p->checked->model;
    const double length = model->stop > model->start ? model->stop - model->start : 1000.0 * p->checked->step;
    const clock_t begun = clock();
    int status = phx_fmu_get_states(d->p);

    if (!status)
        status = phx_fmu_get_nominals(d->p);
    d->t = t;
    d->end = model->start + length;
    d->h = fmin(p->checked->step, LONGEST_FIRST * length);
    d->steps = d->evaluations = d->events = d->first_event = 0;
    d->fresh = false;
    memcpy(d->y, p->states, p->n * sizeof *d->y);
    if (!status)
        status = phx_fmu_finding(p, "reading the event indicators", phx_fmu_try_indicators(d->p, d->z));
    while (!status && d->t < d->end && !p->terminates && d->steps < most && d->evaluations < MOST_EVALUATIONS &&
           d->events < MOST_DRIVEN && (double)(clock() - begun) < LONGEST * (double)CLOCKS_PER_SEC)
        status = one_step(d);
    return status;
}

/* Restores the saved state and integrates over the first event, twice. States and outputs must be bitwise identical. */
static void check_way_back(drive *d, void *state, double t, double next)
{
    plant *p = d->p;
    const size_t size = p->n + (size_t)p->checked->n_outputs;
    const int steps = d->first_event + AFTERWARDS;
    double *const results[2] = {p->first, p->first + size};
    int status = 0;

    for (int k = 0; k < 2 && !status; k++) {
        status = phx_fmu_finding(p, "going back over an event", phx_fmu_restore(&p->checked->calls, p->c, state));
        p->next = next;
        p->terminates = false;
        if (!status)
            status = check_drive_run(d, t, steps);
        if (!status)
            status = phx_fmu_read_all(p, results[k]);
    }
    if (!status && memcmp(results[0], results[1], size * sizeof(double)) != 0)
        phx_fmu_say(p->checked, '!',
                    "model exchange: after going back over an event and on again the states or outputs "
                    "differ");
}

/* Integrates the FMU from t through its events; if it saves states, also goes back over the first event and
 * compares. */
void phx_fmu_drive(plant *p, double t)
{
    const double next = p->next;
    void *state = NULL;
    drive d;

    if (p->n == 0 || !check_drive_create(&d, p))
        return;
    if (p->checked->model->exchange_gets_state && phx_fmu_save(&p->checked->calls, p->c, &state))
        state = NULL; /* that was found before */
    const int status = check_drive_run(&d, t, MOST_EVALUATIONS);
    phx_fmu_say(p->checked, '*', "%d", d.events);
    if (!status && state && d.events > 0)
        check_way_back(&d, state, t, next);
    if (state)
        phx_fmu_free_state(&p->checked->calls, p->c, &state);
    free(d.all);
}
