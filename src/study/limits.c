/* Limits of validity. A body has small deformations in a frame with large motions; each recorded instant is checked for
 * that:
 *
 *   rotation     |theta(s)| of sections, plane atan theta; bending is linear in the slope, and cos theta = 1
 *   strain       |N|/EA + sum |M| c/EI, c the distance of the extreme fibre; Hooke's law, and du/dx small against 1
 *   axial force  N/P_E, P_E = (beta pi/L)^2 EI, beta = 1/2 for cantilever, else 1. Without stiffening bending does not
 *                feel N of either sign; with it a body beyond its Euler load has buckled
 *   element      turn of the two ends of an element of a rod against each other, which must stay below 120 degrees
 *   energy       sqrt(2 H/m) of the kinetic and elastic energy of all bodies
 *   twist, gyration, sideways   shares that are left out of the stiffness, turning.c
 *
 * A body that rings along its axis has forces that its bending is too slow to feel: of the axial force the mean over
 * the time 1/omega_1 of its bending counts, y' = omega_1 (N - y). */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = 8, TEXT = PHX_LIMIT_TEXT, FUNCTIONALS = 3, ROTATIONS = 3, MOST_PARTS = 64 };

static const struct {
    const char *name;
    double limit;
} kinds[KINDS] = {
    {"rotation", 0.3}, {"strain", 0.03},   {"axial_force", 1.0}, {"energy", 1e6}, {"element", 1.5707963267948966},
    {"twist", 2e-3},   {"gyration", 1e-2}, {"sideways", 0.1}};

const char *phx_limit_kind_name(phx_limit_kind kind)
{
    return (int)kind >= 0 && (int)kind < KINDS ? kinds[kind].name : "unknown";
}

double phx_limit_of(phx_limit_kind kind)
{
    return (int)kind >= 0 && (int)kind < KINDS ? kinds[kind].limit : 0.0;
}

/* The largest value of one kind of limit in one body. */
typedef struct watch {
    bool seen;
    double first, worst, at, figure; /* figure: signed axial force, N; energy, J */
    int pieces;                      /* rotation: equal parts of the length that would stay within the limit */
    int element;                     /* element: which one, from 0 */
} watch;

typedef struct watched {
    const phx_body *body;
    int id;       /* of the system */
    char *name;   /* of a segment: that of the whole beam */
    int segments; /* that the beam is cut in */
    int lead;     /* watched body that has the findings: of a segment the first of its beam, else itself */
    int elements; /* of a rod; 0: it deforms in its frame */
    bool sections;
    int x; /* of q */
    int n_points;
    phx_flex_point *points;      /* n_points: section rotations */
    phx_csr stress[FUNCTIONALS]; /* n_points x n_stress: axial force, moments; no rows: no sections */
    int n_moments;
    double per_force, per_moment[2]; /* strain of N, M */
    double euler, omega;             /* N, rad/s */
    bool stiffening;
    double *mean;                 /* n_points: axial force that bending feels */
    double *sideways;             /* n_points x 3: factors of rotations; NULL: not of this body */
    const char *without, *remedy; /* of the twist that was left out */
    watch watch[KINDS];
} watched;

struct phx_limits {
    const phx_system *system;
    int dim, n_bodies;
    watched *bodies;
    double mass;
    watch energy;
    bool begun;
    double before; /* s: the instant before */
    double *sigma, *force;
    double *angles; /* of one body: points x n_rot, rad */
    char text[TEXT];
};

/* ---- creation ---- */
/* Row `functional` at point p, dense: n_stress values. */
static phx_status stress_row(phx_context *context, const phx_flex_source *source, const watched *w, int functional,
                             int p, double *room, double *row)
{
    const size_t n = (size_t)phx_flex_source_flex(source)->n_stress;
    const phx_location location = phx_location_at_fraction((double)p / (w->n_points - 1));

    memset(room, 0, 2 * n * sizeof *room);
    const phx_status status = phx_flex_source_section_rows(source, context, &location, functional == 0 ? room : NULL,
                                                           functional == 0 ? NULL : room, NULL);
    memcpy(row, room + (functional == 2 ? n : 0), n * sizeof *row);
    return status;
}

/* The axial force, or a moment, at all points: the entries that are not zero. */
static phx_status watch_stress(phx_context *context, const phx_flex_source *source, watched *w, int functional,
                               double *room)
{
    const int n = phx_flex_source_flex(source)->n_stress;
    double *row = room + 2 * n;
    phx_csr *out = &w->stress[functional];
    phx_status status = PHX_OK;
    int nnz = 0;

    for (int p = 0; p < w->n_points && !status; p++) {
        status = stress_row(context, source, w, functional, p, room, row);
        for (int j = 0; j < n; j++)
            nnz += row[j] != 0.0;
    }
    if (status)
        return status;
    *out = (phx_csr){.rows = w->n_points, .cols = n};
    out->ptr = phx_calloc(context, (size_t)w->n_points + 1, sizeof *out->ptr);
    out->idx = phx_calloc(context, (size_t)nnz, sizeof *out->idx);
    out->val = phx_calloc(context, (size_t)nnz, sizeof *out->val);
    if (!out->ptr || !out->idx || !out->val)
        return PHX_ERR_MEMORY;
    nnz = 0;
    for (int p = 0; p < w->n_points && !status; p++) {
        status = stress_row(context, source, w, functional, p, room, row);
        for (int j = 0; j < n; j++)
            if (row[j] != 0.0) {
                out->idx[nnz] = j;
                out->val[nnz++] = row[j];
            }
        out->ptr[p + 1] = nnz;
    }
    return status;
}

static phx_status watch_stresses(phx_context *context, const phx_flex_source *source, int dim, watched *w)
{
    double *room = phx_calloc(context, 3 * (size_t)phx_flex_source_flex(source)->n_stress, sizeof *room);
    phx_status status = room ? PHX_OK : PHX_ERR_MEMORY;

    w->n_moments = dim == 2 ? 1 : 2;
    for (int f = 0; f < 1 + w->n_moments && !status; f++)
        status = watch_stress(context, source, w, f, room);
    phx_free(room);
    return status;
}

/* Prepares the watch of a beam: equally spaced points with their shapes and factors from section forces to strain. */
static phx_status watch_sections(phx_context *context, int dim, const phx_model_sections *sections,
                                 const phx_flex_source *source, watched *w)
{
    phx_status status = PHX_OK;

    w->sections = true;
    w->n_points = sections->watched;
    w->per_force = sections->strain_per_force;
    memcpy(w->per_moment, sections->strain_per_moment, sizeof w->per_moment);
    w->euler = sections->euler_load;
    w->omega = sections->bending_frequency;
    w->stiffening = sections->stiffening;
    w->points = phx_calloc(context, (size_t)w->n_points, sizeof *w->points);
    w->mean = phx_calloc(context, (size_t)w->n_points, sizeof *w->mean);
    if (!w->points || !w->mean)
        return PHX_ERR_MEMORY;
    for (int p = 0; p < w->n_points && !status; p++) {
        const phx_location location = phx_location_at_fraction((double)p / (w->n_points - 1));
        status = phx_flex_source_point(source, context, &location, &w->points[p]);
    }
    return status ? status : watch_stresses(context, source, dim, w);
}

/* Of a body without sections only the ports are known. */
static phx_status watch_ports(phx_context *context, const phx_system *system, int id, const phx_model_body *body,
                              watched *w)
{
    phx_status status = PHX_OK;

    w->points = phx_calloc(context, (size_t)body->n_ports, sizeof *w->points);
    if (!w->points)
        return PHX_ERR_MEMORY;
    for (int p = 0; p < body->n_ports && !status; p++) {
        const phx_body_port *port = phx_system_find_point(system, id, body->ports[p].name);
        if (port)
            status = phx_flex_point_copy(context, phx_system_dim(system), &port->point, &w->points[w->n_points++]);
    }
    const phx_flex *flex = phx_body_flex(w->body);
    const phx_flex_source *source = phx_system_source(system, id);
    const bool heated = source && phx_flex_source_strains(source) > 0; /* turns without moments */
    if (status || phx_system_dim(system) == 2 || !flex->stiffening || flex->n == 0 || heated)
        return status;
    w->sideways = phx_calloc(context, 3 * (size_t)w->n_points + 1, sizeof *w->sideways);
    return w->sideways ? phx_sideways_factors(context, flex, w->n_points, w->points, w->sideways) : PHX_ERR_MEMORY;
}

/* Begins the watch of one body and adds its mass; rigid bodies are not watched. Successive segments of one body share
 * the findings of the first. */
static phx_status watch_body(phx_limits *limits, phx_context *context, const phx_model *model, int id)
{
    const phx_system *system = limits->system;
    const phx_model_body *body = &model->bodies[id];
    watched *w = &limits->bodies[limits->n_bodies];
    phx_model_sections sections;
    int x = 0, v = 0;

    limits->mass += phx_body_at_rest(phx_system_body(system, id))->mass;
    const int elements = phx_body_elements(phx_system_body(system, id));
    if ((phx_body_n_q(phx_system_body(system, id)) == 0 && elements == 0) ||
        phx_body_vectors(phx_system_body(system, id)))
        return PHX_OK;
    phx_system_offsets(system, id, &x, &v);
    const int index = limits->n_bodies++, before = index - 1;
    const char *name = body->whole ? body->whole : body->name;
    const bool next = body->whole && before >= 0 && !strcmp(limits->bodies[before].name, name);
    *w = (watched){
        .body = phx_system_body(system, id), .id = id, .segments = body->segments, .elements = elements, .x = x};
    w->lead = next ? limits->bodies[before].lead : index;
    w->name = phx_strdup(context, name);
    if (!w->name)
        return PHX_ERR_MEMORY;
    if (elements > 0)
        return PHX_OK;
    return phx_model_body_sections(model, body, &sections)
               ? watch_sections(context, model->dimension, &sections, phx_system_source(system, id), w)
               : watch_ports(context, system, id, body, w);
}

/* Creates the watch of the limits of validity of all flexible bodies, with work arrays for the largest; NULL after a
 * failure. */
phx_status phx_limits_create(phx_context *context, const phx_model *model, const phx_system *system,
                             phx_limits **created)
{
    const int n = phx_system_bodies(system);
    phx_limits *limits = phx_calloc(context, 1, sizeof *limits);
    size_t most = 1, points = 1;
    phx_status status = PHX_OK;

    *created = NULL;
    if (!limits)
        return PHX_ERR_MEMORY;
    limits->system = system;
    limits->dim = model->dimension;
    limits->bodies = phx_calloc(context, (size_t)n, sizeof *limits->bodies);
    if (!limits->bodies)
        status = PHX_ERR_MEMORY;
    for (int b = 0; b < n && !status; b++)
        status = watch_body(limits, context, model, b);
    for (int b = 0; b < limits->n_bodies && !status; b++) {
        const phx_flex *flex = limits->bodies[b].elements > 0 ? NULL : phx_body_flex(limits->bodies[b].body);
        const size_t stresses = flex ? (size_t)flex->n_stress : 0;
        most = stresses > most ? stresses : most;
        points = (size_t)limits->bodies[b].n_points > points ? (size_t)limits->bodies[b].n_points : points;
    }
    if (!status) {
        limits->sigma = phx_calloc(context, most, sizeof *limits->sigma);
        limits->force = phx_calloc(context, FUNCTIONALS * points, sizeof *limits->force);
        limits->angles = phx_calloc(context, ROTATIONS * points, sizeof *limits->angles);
        status = limits->sigma && limits->force && limits->angles ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (status)
        phx_limits_destroy(limits);
    else
        *created = limits;
    return status;
}

/* Frees the watch; NULL is allowed. */
void phx_limits_destroy(phx_limits *limits)
{
    if (!limits)
        return;
    for (int b = 0; b < limits->n_bodies; b++) {
        watched *w = &limits->bodies[b];
        for (int p = 0; p < w->n_points && w->points; p++)
            phx_flex_point_free(&w->points[p]);
        phx_free(w->points);
        phx_free(w->mean);
        phx_free(w->sideways);
        phx_free(w->name);
        for (int f = 0; f < FUNCTIONALS; f++)
            phx_csr_free(&w->stress[f]);
    }
    phx_free(limits->bodies);
    phx_free(limits->sigma);
    phx_free(limits->force);
    phx_free(limits->angles);
    phx_free(limits);
}

/* ---- looking ---- */
/* The value of one kind at an instant; true: it is beyond the limit for the first time. */
static bool note(watch *w, phx_limit_kind kind, double t, double value, double figure)
{
    const bool beyond = !(value <= kinds[kind].limit), first = beyond && !w->seen;

    if (first) {
        w->seen = true;
        w->first = t;
    }
    if (beyond && (first || !(value <= w->worst))) {
        w->worst = value;
        w->at = t;
        w->figure = figure;
    }
    return first;
}

/* Rotations of the points; the largest of their sizes. */
static double find_rotations(int dim, const watched *w, const double *q, double *angles)
{
    const int n_rot = phx_rotations(dim);
    double largest = 0.0;

    for (int p = 0; p < w->n_points; p++) {
        const phx_flex_point *point = &w->points[p];
        double square = 0.0;
        for (int r = 0; r < n_rot; r++) {
            double theta = 0.0;
            for (int j = 0; j < point->n; j++)
                theta += point->theta[r * point->n + j] * q[point->dof[j]];
            angles[p * n_rot + r] = dim == 2 ? atan(theta) : theta;
            square += angles[p * n_rot + r] * angles[p * n_rot + r];
        }
        largest = square <= largest ? largest : square;
    }
    return sqrt(largest);
}

/* Rotation r at a fraction of the length, between two points. */
static double angle_at(const watched *w, int n_rot, const double *angles, int r, double fraction)
{
    const double place = fraction * (w->n_points - 1);
    const int p = place < w->n_points - 2 ? (int)place : w->n_points - 2;
    return angles[p * n_rot + r] + (place - p) * (angles[(p + 1) * n_rot + r] - angles[p * n_rot + r]);
}

/* The largest rotation of a section in part k of n equal ones, against the line between the ends of the part, whose
 * direction is the mean of the slopes; of torsion against its beginning. */
static double rotation_in_part(int dim, const watched *w, const double *angles, int k, int n)
{
    enum { PLACES = 9 };
    const int n_rot = phx_rotations(dim);
    double sample[ROTATIONS][PLACES], frame[ROTATIONS] = {0.0}, largest = 0.0;

    for (int r = 0; r < n_rot; r++)
        for (int i = 0; i < PLACES; i++) {
            sample[r][i] = angle_at(w, n_rot, angles, r, (k + (double)i / (PLACES - 1)) / n);
            frame[r] += sample[r][i] * (i == 0 || i == PLACES - 1 ? 0.5 : 1.0) / (PLACES - 1);
        }
    if (dim == 3)
        frame[0] = sample[0][0];
    for (int i = 0; i < PLACES; i++) {
        double square = 0.0;
        for (int r = 0; r < n_rot; r++)
            square += (sample[r][i] - frame[r]) * (sample[r][i] - frame[r]);
        largest = fmax(largest, sqrt(square));
    }
    return largest;
}

/* The least number of equal parts, from `least` on, each of which stays within the limit; one more than MOST: none. */
static int parts_within_limit(int dim, const watched *w, const double *angles, int least)
{
    int n = least;

    for (; n <= MOST_PARTS; n++) {
        double largest = 0.0;
        for (int k = 0; k < n; k++)
            largest = fmax(largest, rotation_in_part(dim, w, angles, k, n));
        if (largest <= kinds[PHX_LIMIT_ROTATION].limit)
            break;
    }
    return n;
}

/* Maximum strain of a beam and its axial force relative to the buckling load, from section forces. The axial force is
 * averaged with the bending frequency as the rate; returns whether a limit is exceeded for the first time. */
static bool look_at_stresses(phx_limits *limits, watched *w, double t, double since, const double *x)
{
    const double follows = limits->begun ? -expm1(-w->omega * since) : 1.0;
    double strain = 0.0, force = 0.0;

    phx_body_stress(w->body, x, limits->sigma);
    memset(limits->force, 0, (size_t)(FUNCTIONALS * w->n_points) * sizeof *limits->force);
    for (int f = 0; f < 1 + w->n_moments; f++)
        phx_csr_apply(&w->stress[f], 1.0, limits->sigma, limits->force + f * w->n_points);
    for (int p = 0; p < w->n_points; p++) {
        const double N = limits->force[p];
        double here = fabs(N) * w->per_force;
        for (int m = 0; m < w->n_moments; m++)
            here += fabs(limits->force[(m + 1) * w->n_points + p]) * w->per_moment[m];
        strain = here <= strain ? strain : here;
        w->mean[p] += follows * (N - w->mean[p]);
        if (!(w->stiffening ? -w->mean[p] <= -force || w->mean[p] >= 0.0 : fabs(w->mean[p]) <= fabs(force)))
            force = w->mean[p];
    }
    watch *found = limits->bodies[w->lead].watch;
    const bool strained = note(&found[PHX_LIMIT_STRAIN], PHX_LIMIT_STRAIN, t, strain, strain);
    return note(&found[PHX_LIMIT_AXIAL_FORCE], PHX_LIMIT_AXIAL_FORCE, t, fabs(force) / w->euler, force) || strained;
}

static bool look_at_rotations(phx_limits *limits, const watched *w, double t, const double *q)
{
    const double rotation = find_rotations(limits->dim, w, q, limits->angles);
    watch *to = &limits->bodies[w->lead].watch[PHX_LIMIT_ROTATION];
    const bool first = note(to, PHX_LIMIT_ROTATION, t, rotation, rotation);

    if (w->sections && to->seen && to->at == t && isfinite(rotation))
        to->pieces = parts_within_limit(limits->dim, w, limits->angles, to->pieces > 2 ? to->pieces : 2);
    return first;
}

static bool look_at_elements(watched *w, double t, const double *x)
{
    watch *to = &w->watch[PHX_LIMIT_ELEMENT];
    int element;
    const double turn = phx_body_element_turn(w->body, x, &element);
    const bool first = note(to, PHX_LIMIT_ELEMENT, t, turn, turn);

    if (to->seen && to->at == t)
        to->element = element;
    return first;
}

/* What the body leaves out of its stiffness when it turns. */
static bool look_at_turning(phx_limits *limits, watched *w, double t, const double *v)
{
    const char *without, *remedy;
    const double twist = phx_twist_left_out(limits->system, w->id, v, &without, &remedy);
    const double gyration = phx_gyration_left_out(limits->system, w->id, v);
    watch *found = limits->bodies[w->lead].watch;
    const bool first = note(&found[PHX_LIMIT_TWIST], PHX_LIMIT_TWIST, t, twist, twist);

    limits->bodies[w->lead].without = without;
    limits->bodies[w->lead].remedy = remedy;
    return note(&found[PHX_LIMIT_GYRATION], PHX_LIMIT_GYRATION, t, gyration, gyration) || first;
}

static bool look_sideways(phx_limits *limits, watched *w, double t)
{
    double largest = 0.0; /* of the rotations that were found last */

    for (int i = 0; i < 3 * w->n_points; i++)
        largest = fmax(largest, fabs(w->sideways[i] * limits->angles[i]));
    return note(&w->watch[PHX_LIMIT_SIDEWAYS], PHX_LIMIT_SIDEWAYS, t, largest, largest);
}

/* Compares the state at time t with all limits of validity and records the worst value of each. v is optional; returns
 * whether a limit is exceeded for the first time. */
bool phx_limits_look(phx_limits *limits, double t, const double *x, const double *v, const phx_energies *energies)
{
    const double since = limits->begun ? t - limits->before : 0.0;
    const double energy = energies->kinetic + fabs(energies->elastic);
    bool found = note(&limits->energy, PHX_LIMIT_ENERGY, t, sqrt(2.0 * energy / limits->mass), energy);

    for (int b = 0; b < limits->n_bodies; b++) {
        watched *w = &limits->bodies[b];
        if (limits->dim == 3 && v)
            found = look_at_turning(limits, w, t, v) || found;
        if (w->elements > 0) {
            found = look_at_elements(w, t, x + w->x) || found;
            continue;
        }
        const double *q = x + w->x + limits->dim + phx_attitude_size(limits->dim);
        found = look_at_rotations(limits, w, t, q) || found;
        if (w->sideways)
            found = look_sideways(limits, w, t) || found;
        if (w->n_moments > 0)
            found = look_at_stresses(limits, w, t, since, x + w->x) || found;
    }
    limits->begun = true;
    limits->before = t;
    return found;
}

/* ---- what is said ---- */
static void put_rotation(char *text, const char *name, const watch *w, const watched *of)
{
    const int wanted = of->segments * w->pieces;
    char remedy[200] = "check its frequencies and loads";

    if (of->sections && w->pieces > 0 && w->pieces <= MOST_PARTS)
        snprintf(remedy, sizeof remedy,
                 "use segments: %d or a rod (kind: rod) for large bending, or check young, section and loads", wanted);
    else if (of->sections)
        snprintf(remedy, sizeof remedy, "use a rod (kind: rod) for large bending, or check young, section and loads");
    snprintf(text, TEXT,
             "body '%s' exceeds small deformation at t = %.6g s: its sections turn by up to %.3g rad relative to %s "
             "(at t = %.6g s), and its linear bending is valid to %.3g rad; %s",
             name, w->first, w->worst, of->segments > 1 ? "the frame of their segment" : "its frame", w->at,
             kinds[PHX_LIMIT_ROTATION].limit, remedy);
}

static void put_strain(char *text, const char *name, const watch *w)
{
    snprintf(text, TEXT,
             "body '%s' exceeds small strain at t = %.6g s: up to %.3g %% (at t = %.6g s), and Hooke's law with small "
             "strain is valid to %.3g %%; check young (Pa), section (m) and loads (N)",
             name, w->first, 100.0 * w->worst, w->at, 100.0 * kinds[PHX_LIMIT_STRAIN].limit);
}

static void put_axial(char *text, const char *name, const watch *w, const watched *of)
{
    if (of->stiffening)
        snprintf(text, TEXT,
                 "body '%s' is compressed beyond its Euler load of %.3g N at t = %.6g s: %.3g N, %.3g times as much "
                 "(at t = %.6g s); it buckles unless its joints hold it more firmly than its reference condition; "
                 "check loads and stiffness",
                 name, of->euler, w->first, w->figure, w->worst, w->at);
    else
        snprintf(text, TEXT,
                 "body '%s' has an axial force beyond its Euler load of %.3g N at t = %.6g s: %.3g N, %.3g times as "
                 "much (at t = %.6g s), which its bending ignores without stiffening; set stiffening: true",
                 name, of->euler, w->first, w->figure, w->worst, w->at);
}

/* As many elements as would keep the turn of each at half the limit, where it is well resolved. */
static void put_element(char *text, const char *name, const watch *w, const watched *of)
{
    const double degrees = 180.0 / 3.14159265358979323846;
    const int wanted = (int)ceil(of->elements * w->worst / (0.5 * kinds[PHX_LIMIT_ELEMENT].limit));

    snprintf(text, TEXT,
             "rod '%s' bends sharply at t = %.6g s: its element %d bends by up to %.4g degrees (at t = %.6g s); forces "
             "lose their accuracy beyond %.3g degrees, and the run ends at 120; take more elements (elements: %d)",
             name, w->first, w->element + 1, w->worst * degrees, w->at, kinds[PHX_LIMIT_ELEMENT].limit * degrees,
             wanted);
}

static void put_twist(char *text, const char *name, const watch *w, const watched *of)
{
    snprintf(text, TEXT,
             "the torsion of '%s', which rotates about an axis across it, ignores %s: the squares of its torsional "
             "frequencies "
             "are wrong by up to %.2g %%; %s, or use a plate or solid with stiffening",
             name, of->without, 100.0 * w->worst, of->remedy);
}

static void put_gyration(char *text, const char *name, const watch *w)
{
    snprintf(text, TEXT,
             "the rotary inertia of the point masses of the rotating beam '%s' lacks its gyroscopic and centrifugal "
             "moments: bending frequencies are wrong by about %.2g %%; weld a rigid body there instead",
             name, 100.0 * w->worst);
}

static void put_sideways(char *text, const char *name, const watch *w)
{
    snprintf(text, TEXT,
             "loads across '%s' change its sideways stiffness by up to %.2g %%, which depends on its 'frame' and may "
             "be entirely wrong: second-order displacements of ports that turn about two axes are left out of plates "
             "and solids; take a rod (kind: rod), or a beam in segments",
             name, 100.0 * w->worst);
}

static void put_energy(char *text, const watch *w)
{
    snprintf(text, TEXT,
             "the kinetic and elastic energy becomes extremely large at t = %.6g s: up to %.3g J (at t = %.6g s), a "
             "mean speed of %.3g m/s; the motion diverges: look for an instability (stiffening: true where bodies turn "
             "fast), check drives, loads and units, or take a smaller step",
             w->first, w->figure, w->at, w->worst);
}

int phx_limits_count(const phx_limits *limits)
{
    int count = limits && limits->energy.seen ? 1 : 0;

    for (int b = 0; limits && b < limits->n_bodies; b++)
        for (int k = 0; k < KINDS; k++)
            count += limits->bodies[b].watch[k].seen;
    return count;
}

static phx_limit_finding finding_of(const phx_limits *limits, const char *body, phx_limit_kind kind, const watch *w)
{
    return (phx_limit_finding){
        .body = body, .kind = kind, .first = w->first, .worst = w->worst, .at = w->at, .text = limits->text};
}

/* Returns the number-th exceeded limit with its text, the one of the energy after those of the bodies. The text is
 * valid until the next call. */
phx_limit_finding phx_limits_finding(phx_limits *limits, int number)
{
    for (int b = 0; b < limits->n_bodies; b++)
        for (int k = 0; k < KINDS; k++) {
            const watched *of = &limits->bodies[b];
            const watch *w = &of->watch[k];
            if (!w->seen || number-- > 0)
                continue;
            if (k == PHX_LIMIT_ROTATION)
                put_rotation(limits->text, of->name, w, of);
            else if (k == PHX_LIMIT_STRAIN)
                put_strain(limits->text, of->name, w);
            else if (k == PHX_LIMIT_ELEMENT)
                put_element(limits->text, of->name, w, of);
            else if (k == PHX_LIMIT_TWIST)
                put_twist(limits->text, of->name, w, of);
            else if (k == PHX_LIMIT_GYRATION)
                put_gyration(limits->text, of->name, w);
            else if (k == PHX_LIMIT_SIDEWAYS)
                put_sideways(limits->text, of->name, w);
            else
                put_axial(limits->text, of->name, w, of);
            return finding_of(limits, of->name, (phx_limit_kind)k, w);
        }
    put_energy(limits->text, &limits->energy);
    return finding_of(limits, "", PHX_LIMIT_ENERGY, &limits->energy);
}

/* Text of the first exceeded limit that a linear model leaves out (kinds from twist on) at a state; empty if there is
 * none. */
phx_status phx_limits_left_out(phx_context *context, const phx_model *model, const phx_system *system, const double *x,
                               const double *v, char *text)
{
    const phx_energies energies = {.kinetic = 0.0};
    phx_limits *limits = NULL;
    const phx_status status = phx_limits_create(context, model, system, &limits);

    text[0] = '\0';
    if (!status)
        phx_limits_look(limits, 0.0, x, v, &energies);
    for (int k = 0; k < phx_limits_count(limits) && text[0] == '\0'; k++) {
        const phx_limit_finding finding = phx_limits_finding(limits, k);
        if (finding.kind >= PHX_LIMIT_TWIST)
            snprintf(text, PHX_LIMIT_TEXT, "%s", finding.text);
    }
    phx_limits_destroy(limits);
    return status;
}
